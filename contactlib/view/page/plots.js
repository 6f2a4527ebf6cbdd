// Time series beside the view: uPlot charts whose cursor is the time of the view.

import uPlot from "uplot";
import { at, make, number, tick } from "./text.js";

const HEIGHT = 128;
const READABLE = 200; // ms between two numbers of a legend while the run plays
const PARTS = [
  ["r", "position", "m"], ["v", "velocity", "m/s"], ["w", "angular velocity", "rad/s"], ["f", "force", "N"],
  ["t", "torque", "N m"],
];

/** All that can be drawn: the plots of the header, and the vectors of each body. */
function choices(recording) {
  const { plots, bodies } = recording.header;
  const list = plots.map(({ title, unit, series, group }) => ({
    title, unit: unit.replace("^2", "²").replace("^3", "³"), group, series: series.map(({ label, signal }) => ({ label, values: () => recording.row(signal) })),
  }));
  for (const [part, name, unit] of [PARTS[4], PARTS[3]]) { // so that the force is first
    const series = bodies.map((body, k) => ({ label: body.name, values: () => recording.magnitudes(part, k) }))
      .filter(({ values }) => recording.run || values().some((x) => x > 0));
    if (series.length) list.unshift({ title: `${name} on bodies`, unit, group: "bodies", series });
  }
  for (const [k, body] of bodies.entries()) {
    for (const [part, name, unit] of PARTS) {
      const series = ["x", "y", "z"].map((label, c) => ({ label, values: () => recording.component(part, k, c) }));
      list.push({ title: `${body.name}: ${name}`, unit, group: body.name, body: k, part, series });
    }
  }
  return list;
}

export class Plots {
  constructor(recording, player, theme) {
    Object.assign(this, { recording, player, theme, shown: [] });
    this.holder = at("charts");
    this.list = choices(recording);
    this.#menu();
    for (const plot of this.#first()) this.add(plot);
    player.follow(() => this.#lines());
    player.follow(() => this.#legends(), READABLE);
    theme.follow(() => this.#restyle());
    new ResizeObserver(() => this.#resize()).observe(this.holder);
  }

  /** What is shown at first: forces on bodies, an output of an element, the depth of contacts, energies; without any, a motion. */
  #first() {
    const outputs = this.list.filter(({ group }) => group === "element");
    const best = outputs.find(({ title }) => /tension|force|load|area/.test(title)) ?? outputs[0];
    const named = (title) => this.list.find((plot) => plot.title === title);
    const first = [named("force on bodies"), best, named("depth of the deepest contact"), named("energy")];
    const moving = this.recording.header.bodies.findIndex(({ motion }) => motion === "free");
    const motion = this.list.filter(({ body, part }) => body === Math.max(0, moving) && "rvw".includes(part));
    return [...first, ...(first.some(Boolean) ? [] : motion)].filter(Boolean);
  }

  #menu() {
    const menu = at("add");
    const groups = Map.groupBy?.(this.list, ({ group }) => group) ?? new Map([["all", this.list]]);
    for (const [group, plots] of groups) {
      const options = plots.map((plot) => new Option(plot.title, this.list.indexOf(plot)));
      menu.append(make("optgroup", { label: group }, ...options));
    }
    menu.onchange = () => {
      this.add(this.list[Number(menu.value)]);
      menu.value = "";
    };
  }

  /** Add the chart of a vector of a body, such as part "f". */
  addPart(body, part) {
    this.add(this.list.find((plot) => plot.body === body && plot.part === part));
  }

  /** Add a chart, or scroll to it if it is there. */
  add(plot) {
    const known = this.shown.find((item) => item.plot === plot);
    if (known) {
      known.box.scrollIntoView({ block: "nearest" });
      return;
    }
    const remove = make("button", { "aria-label": `Remove ${plot.title}`, class: "small", onclick: () =>
      this.#remove(item) }, "×");
    const title = make("h3", {}, `${plot.title}${plot.unit && plot.unit !== "1" ? `, ${plot.unit}` : ""}`);
    const box = make("figure", { class: "chart" }, make("div", { class: "head" }, title, remove));
    const item = { plot, box, chart: null, line: null };
    this.holder.append(box);
    this.shown.push(item);
    this.#draw(item);
  }

  #remove(item) {
    item.chart?.destroy();
    item.box.remove();
    this.shown = this.shown.filter((other) => other !== item);
  }

  #draw(item) {
    const width = this.holder.clientWidth;
    item.chart?.destroy();
    item.chart = null;
    if (!width) return; // the panel is closed
    const { colours } = this.theme;
    const axis = { stroke: colours.muted, grid: { stroke: colours.line, width: 1 }, ticks: { show: false }, font:
      "11px system-ui, sans-serif" };
    const series = item.plot.series.map(({ label }, k) => ({ label, stroke: this.theme.series(k), width: 1.5,
      points: { show: false }, value: (_, x) => (x === null ? "" : number(x)) }));
    const options = {
      width, height: HEIGHT, scales: { x: { time: false } }, series: [{ label: "t" }, ...series],
      cursor: { drag: { x: false, y: false }, points: { show: false }, x: false, y: false },
      legend: { show: true, live: true }, hooks: { ready: [() => this.#cursor()] },
      axes: [{ ...axis, size: 22, values: (_, ticks) => ticks.map(tick) },
        { ...axis, size: 54, values: (_, ticks) => ticks.map(tick) }],
    };
    const data = [this.recording.time, ...item.plot.series.map(({ values }) => values())];
    item.chart = new uPlot(options, data, item.box);
    item.line = make("div", { class: "cursor" });
    item.x = null;
    item.chart.over.append(item.line);
    this.#listen(item.chart);
  }

  // a press sets the time; the wheel zooms; a double click shows all
  #listen(chart) {
    const { over } = chart;
    const seek = (event) => this.player.seek(chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    over.onpointerdown = (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
    };
    over.onpointermove = (event) => event.buttons && seek(event);
    over.onwheel = (event) => {
      if (!event.ctrlKey && !event.shiftKey) return; // the wheel alone scrolls the panel
      event.preventDefault();
      const t = chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
      const { min, max } = chart.scales.x, factor = event.deltaY + event.deltaX > 0 ? 1.25 : 0.8;
      const range = [t + factor * (min - t), t + factor * (max - t)];
      this.#zoom(Math.max(range[0], this.recording.start), Math.min(range[1], this.recording.end));
    };
    over.ondblclick = () => this.#zoom(this.recording.start, this.recording.end);
  }

  #zoom(min, max) {
    for (const { chart } of this.shown) chart?.setScale("x", { min, max });
    this.#cursor();
  }

  #cursor() {
    this.#lines();
    this.#legends();
  }

  // by whole pixels of the screen: the browser paints the panel again only where a line has moved
  #lines() {
    for (const item of this.shown) {
      const { chart, line } = item;
      if (!chart) continue;
      const x = Math.round(chart.valToPos(this.player.time, "x") * devicePixelRatio) / devicePixelRatio;
      if (x === item.x) continue;
      item.x = x;
      line.style.transform = `translateX(${x}px)`;
      line.hidden = !(x >= 0 && x <= chart.over.clientWidth);
    }
  }

  #legends() {
    const { frame } = this.recording.locate(this.player.time);
    for (const { chart } of this.shown) chart?.setLegend({ idx: frame });
  }

  #resize() {
    const width = this.holder.clientWidth;
    for (const item of this.shown) {
      if (!item.chart) this.#draw(item);
      else if (width && item.chart.width !== width) item.chart.setSize({ width, height: HEIGHT });
    }
    this.#cursor();
  }

  #restyle() {
    for (const item of this.shown) this.#draw(item);
  }
}
