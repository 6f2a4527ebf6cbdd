// What the plots of a live run show: states, wrenches, contacts, energies and outputs of elements over time.

import { Recording } from "../data.js";

const MOST = 6000; // samples; then every other one is left out
const ENERGIES = [["stored", "contact.energy_stored"], ["dissipated", "contact.energy_dissipated"],
  ["error", "contact.energy_error"]];

/** A series of numbers that grows. */
class Series {
  values = new Float32Array(256);

  put(index, value) {
    if (index === this.values.length) {
      const wider = new Float32Array(2 * index);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[index] = value;
  }

  halve(count) {
    for (let i = 0; 2 * i < count; ++i) this.values[i] = this.values[2 * i];
  }
}

export class History extends Recording {
  constructor(run) {
    super(run.header, { time: new Float64Array(1) });
    this.run = run;
    this.every = Math.max(1, Math.floor(run.header.live.duration / run.step / (MOST / 2)));
    this.#plots();
    const rows = 19 * run.header.bodies.length; // r, q, v, w, f, t
    this.bodies = Array.from({ length: rows }, () => new Series());
    this.loads = new Series();
    this.times = [];
    this.clear();
  }

  /** The plots of contacts, energies and elements: series that are variables of the scene. */
  #plots() {
    const { scene, header } = this.run;
    const own = (name) => header.bodies.some((body) => name.startsWith(`${body.name}.`));
    const outputs = scene.variables.filter(({ name, causality, type }) => causality === "output" && type === "real" &&
      !own(name) && !name.startsWith("contact.") && !name.endsWith("_energy"));
    const groups = new Map();
    for (const { name, unit } of outputs) {
      const title = name.replace(/\[\d+\]$/, "");
      if (!groups.has(title)) groups.set(title, { title, unit, group: "element", series: [] });
      groups.get(title).series.push([name.slice(title.length) || title.split(".").at(-1), name]);
    }
    const depth = { title: "depth of the deepest contact", unit: "m", group: "contacts",
      series: [["max_depth", "contact.max_depth"]] };
    const energy = { title: "energy", unit: "J", group: "energy", series: ENERGIES.map(([label, name]) =>
      [`contacts ${label}`, name]) };
    const names = [];
    this.header = { ...header, plots: [...groups.values(), depth, energy].map((plot) => ({ ...plot,
      series: plot.series.map(([label, name]) => ({ label, signal: names.push(name) - 1 })) })) };
    this.block = scene.block(names);
    this.signals = names.map(() => new Series());
  }

  clear() {
    this.times.length = this.steps = 0;
    this.#cut();
  }

  /** One step was taken. */
  count() {
    if (++this.steps % this.every === 0) this.add();
  }

  /** Add the present. */
  add() {
    const { run, times } = this, index = times.length, n = run.header.bodies.length;
    const states = run.numbers("states"), wrenches = run.numbers("wrenches");
    times.push(run.scene.time);
    for (let body = 0; body < n; ++body) {
      for (let k = 0; k < 13; ++k) this.bodies[19 * body + k].put(index, states[13 * body + k]);
      for (let k = 0; k < 6; ++k) this.bodies[19 * body + 13 + k].put(index, wrenches[6 * body + k]);
    }
    for (const [k, value] of this.block.read().entries()) this.signals[k].put(index, value);
    this.loads.put(index, wrenches.reduce((sum, _, i) => (i % 6 ? sum : sum + Math.hypot(wrenches[i], wrenches[i + 1],
      wrenches[i + 2])), 0) / 2);
    if (times.length >= MOST) this.#halve();
    this.#cut();
  }

  #halve() {
    for (const series of [...this.bodies, ...this.signals, this.loads]) series.halve(this.times.length);
    this.times = this.times.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  #cut() {
    this.frames = this.times.length;
    this.time = this.times;
    [this.start, this.end] = [this.times[0] ?? 0, this.times.at(-1) ?? 0];
  }

  // ---- what plots ask for ------------------------------------------------------------------------------------------

  row(k) {
    return this.signals[k].values.subarray(0, this.frames);
  }

  #of(part, body, c) {
    const first = { r: 0, q: 3, v: 7, w: 10, f: 13, t: 16 }[part];
    return this.bodies[19 * body + first + c].values.subarray(0, this.frames);
  }

  component(part, body, c) {
    return this.#of(part, body, c);
  }

  magnitudes(part, body) {
    const [x, y, z] = [0, 1, 2].map((c) => this.#of(part, body, c));
    return Float32Array.from(x, (_, i) => Math.hypot(x[i], y[i], z[i]));
  }
}
