// The tabs, the switches of the view, the keys and the help.

import { PRESETS } from "./stage.js";
import { at, make, quantity } from "./text.js";

const KEYS = [
  ["Space", "play or pause"], ["← →", "one frame back or forward; with Shift ten"], ["Home End", "first or last frame"],
  ["− +", "slower or faster"], ["1 … 7", "views: iso, front, back, left, right, top, bottom"], ["F", "fit all in view"],
  ["C", "contact points"], ["A", "force arrows"], ["S", "pressure on surfaces"], ["O", "see through the bodies"],
  ["X", "frames of the bodies"], ["V", "bounding volumes"],
  ["E", "edges"], ["G", "grid"], ["H", "hide the selected body; with Shift show all"], ["P", "panel beside the view"],
  ["T", "dark or light"], ["Esc", "select nothing"], ["?", "this help"],
];

export class Controls {
  constructor({ stage, bodies, contacts, pressure, player, inspector, theme, extras }) {
    Object.assign(this, { stage, bodies, contacts, pressure, player, inspector, theme });
    this.switches = {
      points: ["C", "Contact points", true, (on) => contacts.show("pointsShown", on)],
      forces: ["A", "Force arrows", true, (on) => contacts.show("forcesShown", on)],
      ...(pressure && { pressure: ["S", "Pressure on surfaces", true, (on) => pressure.show(on)] }),
      glass: ["O", "See through the bodies", false, (on) => bodies.glass(-1, on)],
      axes: ["X", "Frames of the bodies", false, (on) => bodies.showAll("axes", on)],
      volumes: ["V", "Bounding volumes", false, (on) => bodies.showAll("volumes", on)],
      edges: ["E", "Edges", true, (on) => bodies.showAll("edges", on)],
      grid: ["G", "Grid", true, (on) => stage.showGrid(on)],
    };
    for (const [k, extra] of extras.entries()) {
      this.switches[`extra${k}`] = ["", extra.name, true, (on) => {
        extra.object.visible = on;
        stage.draw();
      }];
    }
    this.#makeSwitches();
    this.#makePresets();
    this.#makeTabs();
    this.#makeScale();
    at("theme").onclick = () => theme.toggle();
    at("fit").onclick = () => stage.fit();
    at("help").onclick = () => this.help();
    at("keys").replaceChildren(...KEYS.map(([key, action]) => make("tr", {}, make("th", {}, key), make("td", {},
      action))));
    at("keys-close").onclick = () => at("keys-dialog").close();
    addEventListener("keydown", (event) => this.#key(event));
  }

  #makeSwitches() {
    for (const [name, [key, label, on, action]] of Object.entries(this.switches)) {
      const box = make("input", { type: "checkbox", id: `show-${name}`, checked: on });
      box.onchange = () => {
        action(box.checked);
        this.player.seek(this.player.time);
      };
      const hint = key ? make("kbd", {}, key) : "";
      at("switches").append(make("label", {}, box, ` ${label} `, hint));
    }
  }

  #makePresets() {
    for (const [k, name] of Object.keys(PRESETS).entries()) {
      at("presets").append(make("button", { onclick: () => this.stage.look(name), title: `Key ${k + 1}` }, name));
    }
  }

  #makeTabs() {
    this.tabs = [...document.querySelectorAll("[role=tab]")];
    for (const tab of this.tabs) tab.onclick = () => this.openTab(tab.id);
    this.openTab("tab-plots");
  }

  openTab(id) {
    document.body.classList.remove("closed");
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", tab.id === id);
      at(tab.getAttribute("aria-controls")).hidden = tab.id !== id;
    }
  }

  // the logarithm of the factor to the usual length of arrows
  #makeScale() {
    const slider = at("arrow-scale");
    slider.oninput = () => {
      this.contacts.factor = 2 ** Number(slider.value);
      this.#legend();
      this.player.seek(this.player.time);
    };
    this.#legend();
  }

  #legend() {
    const { scale } = this.contacts;
    const length = 10 ** Math.round(Math.log10(this.stage.bounds.radius * 0.3));
    if (this.contacts.some) at("legend").textContent = `arrow of ${quantity(length, "m")}: ${quantity(length / scale, "N")}`;
    if (this.pressure) {
      const ramp = make("i", { class: "ramp" });
      ramp.style.backgroundImage = `linear-gradient(to right, ${this.pressure.colours.join(", ")})`;
      at("pressures").replaceChildren(ramp, ` pressure: 0 to ${quantity(this.pressure.top, "Pa")} and more, by its square root`);
    }
    at("grid-step").textContent = `grid: ${quantity(this.stage.gridStep, "m")}`;
  }

  #flip(name) {
    at(`show-${name}`).click();
  }

  help() {
    at("keys-dialog").showModal();
  }

  #key(event) {
    const field = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (field.tagName === "SELECT" || (field.tagName === "INPUT" && field.type === "number")) return;
    const { player, stage, inspector } = this, far = event.shiftKey ? 10 : 1;
    const preset = Object.keys(PRESETS)[Number(event.key) - 1];
    const actions = {
      " ": () => player.toggle(), arrowleft: () => player.step(-far), arrowright: () => player.step(far),
      home: () => player.seek(player.recording.start), end: () => player.seek(player.recording.end),
      "-": () => player.shift(-1), "+": () => player.shift(1), "=": () => player.shift(1), f: () => stage.fit(),
      t: () => this.theme.toggle(), p: () => document.body.classList.toggle("closed"), "?": () => this.help(),
      h: () => (event.shiftKey ? inspector.showAll() : this.#hideSelected()), escape: () => inspector.select(-1),
    };
    for (const [name, [key]] of Object.entries(this.switches)) if (key) actions[key.toLowerCase()] = () =>
      this.#flip(name);
    const action = preset ? () => stage.look(preset) : actions[event.key.toLowerCase()];
    if (!action || (event.key === " " && field.tagName === "BUTTON") || at("keys-dialog").open) return;
    event.preventDefault();
    action();
  }

  #hideSelected() {
    const { selected } = this.inspector;
    if (selected < 0) return;
    this.inspector.hide(selected, true);
    this.inspector.select(-1);
  }
}
