// The page of `contactlib view`: reads its data, draws the run, and connects the controls.

import { Raycaster, Vector2 } from "three";
import { Bodies } from "./bodies.js";
import { Cable, Membrane } from "./cables.js";
import { Compass } from "./compass.js";
import { Contacts } from "./contacts.js";
import { Controls } from "./controls.js";
import { DamagedError, readRecording } from "./data.js";
import { Inspector } from "./inspector.js";
import { addTab, connect } from "./live/connect.js";
import { LiveBar } from "./live/bar.js";
import { LivePlayer } from "./live/player.js";
import { LiveRun } from "./live/run.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { Pressure } from "./pressure.js";
import { Stage } from "./stage.js";
import { at } from "./text.js";
import { Theme } from "./theme.js";
import { Timeline } from "./timeline.js";

const QUALITY = ["", "Simplified: no antialiasing", "Simplified: fewer pixels", "Simplified: far fewer pixels"];

/** The text of the data element; a page that was cut has no end mark behind it. */
function dataText() {
  const element = at("recording");
  if (!element || !at("whole")) throw new DamagedError("The file ends before its data end.");
  return element.textContent;
}

/** A click, not the end of a turn of the camera. */
function onClick(holder, action) {
  let start = null;
  // the camera's controls capture the pointer, so that only the press tells on what it was
  holder.addEventListener("pointerdown", ({ target, clientX: x, clientY: y }) => { start = { target, x, y }; });
  holder.addEventListener("pointerup", (event) => {
    if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) < 5) action(event, start.target);
    start = null;
  });
}

/** The cable or membrane that a ray meets before the first body that is no glass, or null. */
function pickSoft(soft, raycaster, stage, wall) {
  const pixel = (2 * Math.tan((stage.camera.fov * Math.PI) / 360)) / stage.holder.clientHeight;
  let found = null, nearest = wall;
  for (const part of soft.filter(({ object }) => object.visible)) {
    const distance = part.pick(raycaster, pixel);
    if (distance < nearest) [found, nearest] = [part, distance];
  }
  return found;
}

function connectPicking(stage, bodies, soft, inspector) {
  const raycaster = new Raycaster();
  onClick(stage.holder, (event, target) => {
    if (target !== stage.renderer.domElement) return;
    const { left, top, width, height } = stage.holder.getBoundingClientRect();
    const point = new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    raycaster.setFromCamera(point, stage.camera);
    const hit = bodies.pick(raycaster);
    const part = pickSoft(soft, raycaster, stage, hit ? hit.wall : Infinity);
    if (part) inspector.selectSoft(part);
    else inspector.select(hit ? hit.body : -1, hit ? hit.shape : -1);
  });
}

function describe({ header }) {
  document.title = `${header.name}: contactlib`;
  at("name").textContent = header.name;
  at("description").textContent = header.description;
  at("facts").textContent = header.facts.join(" ");
  if (header.problem) {
    at("problem").textContent = header.problem;
    at("problem").hidden = false;
  }
}

function build(recording) {
  const theme = new Theme(), stage = new Stage(at("stage"));
  const bodies = new Bodies(recording, stage);
  const { cable_nodes: cables, membranes } = recording.header;
  const soft = [...cables.map((entry, k) => new Cable(recording, entry, k)),
    ...membranes.map((entry, k) => new Membrane(recording, entry, k))];
  for (const { object } of soft) stage.scene.add(object);
  bodies.update(0, 0);
  for (const part of soft) part.update(0, 0);
  const box = bodies.box();
  for (const { object } of soft) box.expandByObject(object);
  stage.setBounds(box);
  bodies.setSize(stage.bounds.radius);
  const { live } = recording, contacts = new Contacts(recording, stage);
  const pressure = recording.header.pressure > 0 ? new Pressure(recording, stage) : null;
  const player = live ? new LivePlayer(recording, stage) : new Player(recording, stage);
  theme.follow(() => {
    for (const part of [stage, bodies, contacts, ...soft]) part.setTheme(theme);
  });
  player.follow(({ frame, fraction }) => {
    bodies.update(frame, fraction);
    contacts.update(frame, bodies.hidden);
    pressure?.update(frame, bodies.hidden);
    for (const part of soft) part.update(frame, fraction);
  });
  const bar = new (live ? LiveBar : Timeline)(recording, player, theme);
  const plots = new Plots(live ? recording.history : recording, player, theme);
  const inspector = new Inspector(recording, bodies, player, plots, theme);
  inspector.addSoft(soft);
  if (live) addTab();
  const extras = groupByElement(soft, bodies.hidden);
  const controls = new Controls({ stage, bodies, contacts, pressure, player, inspector, theme, extras });
  inspector.onPlot = inspector.soft.onPlot = () => controls.openTab("tab-plots");
  connectPicking(stage, bodies, soft, inspector);
  new Compass(stage);
  stage.onQuality = (level) => { at("quality").textContent = QUALITY[level]; };
  stage.onQuality(stage.level);
  stage.look("iso", false);
  player.seek(recording.start);
  const view = { recording, stage, bodies, soft, contacts, pressure, player, plots, inspector, controls, theme };
  return live ? { ...view, ...connect(view, bar) } : view;
}

/** One switch for all cables or the membrane of an element; `hidden` has the sides of contacts that are hidden. */
function groupByElement(soft, hidden) {
  const names = [...new Set(soft.map(({ entry }) => entry.element))];
  return names.map((name) => {
    const parts = soft.filter(({ entry }) => entry.element === name);
    return { name, object: { set visible(on) {
      for (const { object, side } of parts) {
        object.visible = on;
        if (on) hidden.delete(side);
        else hidden.add(side);
      }
    } } };
  });
}

async function start() {
  const begin = performance.now();
  try {
    const recording = await readRecording(dataText());
    describe(recording);
    document.body.classList.add("ready");
    globalThis.viewer = build(recording.header.live ? await LiveRun.load(recording) : recording);
    globalThis.viewer.loaded = performance.now() - begin;
    at("notice").remove();
  } catch (error) {
    document.body.classList.remove("ready");
    const whole = error instanceof DamagedError ? "This page is damaged, and is not shown." : "This page cannot be shown.";
    at("notice").textContent = `${whole} ${error.message} Write it again with: contactlib view RESULT --html FILE`;
    console.error(error);
  }
}

if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
