// A scene that runs in the page: the core as WebAssembly behind the interface of a recording. A LiveRun has two frames,
// the present and the one before, so that the view can interpolate. Its history is for the plots.

import { ContactError, ContactScene } from "../../../../fmu/web/contactlib.mjs";
import { Recording } from "../data.js";
import { History } from "./history.js";

const MOST_CONTACTS = 4096; // that are drawn
const STATE = 13, WRENCH = 6, CONTACT = 9, NODE = 12; // numbers of live.cpp
const PARTS = { r: [0, 3], q: [3, 4], v: [7, 3], w: [10, 3] };

export { ContactError };

/** The number of an allocation of the module, grown when it is too small. */
class Room {
  constructor(scene) {
    Object.assign(this, { scene, size: 0, address: 0 });
  }

  of(size) {
    if (size > this.size) Object.assign(this, { size, address: this.scene.allocate(size) });
    return this.address;
  }
}

export class LiveRun extends Recording {
  live = true;
  warnings = [];
  /** Called before each step with its length, s: for loads and placements. */
  beforeStep = () => {};

  /** The run of a page whose data have a model and the module. */
  static async load({ header, arrays }) {
    const run = new LiveRun(header, arrays);
    run.scene = await ContactScene.load(arrays.model, { wasm: arrays.wasm, onWarning: (text) => run.warn(text) });
    run.begin();
    return run;
  }

  constructor(header, arrays) {
    const bodies = header.bodies.length;
    const pairs = (width) => new Float64Array(2 * width * bodies);
    const two = { time: new Float64Array(2), r: pairs(3), q: pairs(4), v: pairs(3), w: pairs(3), f: pairs(3), t: pairs(3) };
    const none = { contact_first: new Uint32Array(3), contact_side: new Uint16Array(0),
      contact_point: new Float64Array(0), contact_force: new Float64Array(0) };
    for (const k of header.membranes.keys()) {
      none[`membrane_${k}_triangles`] = new Uint16Array(6 * header.live.fabrics[k].triangles);
      none[`membrane_${k}_first`] = new Uint32Array(3);
    }
    super(header, { ...arrays, ...two, ...none });
    this.step = header.live.step;
    this.soft = new Map(); // vertices of cables and membranes now and before
  }

  begin() {
    this.room = new Room(this.scene);
    this.scene.call("fmi2ExitInitializationMode");
    this.history = new History(this);
    this.capture();
    this.capture();
    this.history.add();
  }

  /** The start of the scene again, with the parameters that were changed. */
  reset(changed) {
    this.scene.reset();
    this.scene.call("fmi2ExitInitializationMode");
    this.warnings = [];
    this.history.clear();
    if (changed.size) this.set(changed);
    this.capture();
    this.capture();
    this.history.add();
  }

  warn(sentence) {
    if (!this.warnings.includes(sentence)) this.warnings.push(sentence);
  }

  /** Take `count` steps, at least one, and fewer if `enough` says so after one of them. Returns their number. */
  advance(count, enough = () => false) {
    let done = 0, last = false;
    try {
      while (!last) {
        this.beforeStep(this.step);
        this.scene.step(this.step);
        last = ++done === count || enough();
        if (last || done === count - 1) this.capture();
        this.history.count();
      }
    } catch (error) { // of a step that is refused: the one before is the present
      this.capture();
      throw error;
    }
    return done;
  }

  /** Set parameters and commands by their names: all, or none with a ContactError. They act at once. */
  set(values) {
    const names = [...values.keys()], rows = this.scene.variables;
    const address = this.room.of(16 * names.length);
    this.scene.numbers(Float64Array, address, names.length).set([...values.values()]);
    const references = address + 8 * names.length;
    this.scene.numbers(Uint32Array, references, names.length).set(names.map((name) =>
      rows.findIndex((row) => row.name === name)));
    this.scene.call("contactlib_set", references, address, names.length);
  }

  /** Place all bodies at states, 13 numbers each; time and friction memory stay. A ContactError changes nothing. */
  place(states) {
    const address = this.room.of(8 * states.length);
    this.scene.numbers(Float64Array, address, states.length).set(states);
    this.scene.call("contactlib_place", address);
    this.capture();
    this.capture();
  }

  /** The numbers of all bodies now, as the core has them: 13 of a state, or 6 of a wrench, for each. */
  numbers(what) {
    const width = what === "states" ? STATE : WRENCH;
    return this.scene.numbers(Float64Array, this.scene.ask(`contactlib_${what}`), width * this.header.bodies.length);
  }

  /** Copy the present frame into the second one, and what was there into the first one. */
  capture() {
    const states = this.numbers("states"), { origin } = this.arrays;
    for (const [part, [from, width]] of Object.entries(PARTS)) {
      this.#put(part, states, STATE, from, width, part === "r" ? origin : null);
    }
    const wrenches = this.numbers("wrenches");
    this.#put("f", wrenches, WRENCH, 0, 3, null);
    this.#put("t", wrenches, WRENCH, 3, 3, null);
    this.time[0] = this.time[1];
    this.time[1] = this.start = this.end = this.scene.time;
    this.#contacts();
    for (const [k, entry] of this.header.live.cable_places.entries()) this.#cable(k, entry);
    for (const [k, entry] of this.header.live.fabrics.entries()) this.#membrane(k, entry);
  }

  #put(part, values, stride, from, width, origin) {
    const array = this.arrays[part];
    for (let body = 0; body < this.header.bodies.length; ++body) {
      for (let c = 0; c < width; ++c) {
        const at = 2 * (body * width + c);
        array[at] = array[at + 1];
        array[at + 1] = values[body * stride + from + c] - (origin ? origin[c] : 0);
      }
    }
  }

  #contacts() {
    const address = this.room.of(8 * CONTACT * MOST_CONTACTS);
    this.contactCount = this.scene.ask("contactlib_contacts", address, MOST_CONTACTS);
    const count = Math.min(this.contactCount, MOST_CONTACTS), { origin } = this.arrays;
    const rows = this.scene.numbers(Float64Array, address, CONTACT * count);
    const side = new Uint16Array(2 * count), point = new Float64Array(3 * count), force = new Float64Array(3 * count);
    for (let i = 0; i < count; ++i) {
      const row = CONTACT * i;
      for (let k = 0; k < 2; ++k) side[k * count + i] = rows[row + k];
      for (let k = 0; k < 3; ++k) {
        point[k * count + i] = rows[row + 2 + k] - origin[k];
        force[k * count + i] = rows[row + 5 + k];
      }
    }
    Object.assign(this.arrays, { contact_side: side, contact_point: point, contact_force: force });
    this.arrays.contact_first.set([0, 0, count]);
  }

  /** All contacts are those of the present, at both frames. */
  contactRange() {
    return [0, this.arrays.contact_side.length / 2];
  }

  get contactCapacity() {
    return MOST_CONTACTS;
  }

  #cable(number, { element, cable }) {
    const { nodes } = this.header.cable_nodes[number], address = this.room.of(8 * NODE * nodes);
    this.scene.ask("contactlib_cable", element, cable, address);
    this.#keep(`cable_${number}`, this.scene.numbers(Float64Array, address, NODE * nodes), NODE, nodes);
  }

  #membrane(number, { element }) {
    const { points } = this.header.membranes[number];
    const vertices = this.scene.ask("contactlib_membrane", element);
    this.#keep(`membrane_${number}`, this.scene.numbers(Float64Array, vertices, 3 * points), 3, points);
    const size = this.room.of(8), triangles = this.scene.ask("contactlib_triangles", size);
    const most = this.arrays[`membrane_${number}_triangles`].length / 6;
    const count = Math.min(most, this.scene.numbers(Uint32Array, size, 1)[0]);
    const list = this.scene.numbers(Int32Array, triangles, 3 * count);
    // both frames have the present ones
    this.arrays[`membrane_${number}_triangles`].set([...list, ...list]);
    this.arrays[`membrane_${number}_first`].set([0, count, 2 * count]);
  }

  #keep(name, values, stride, count) {
    const now = Float64Array.from({ length: 3 * count }, (_, i) =>
      values[stride * Math.floor(i / 3) + (i % 3)] - this.arrays.origin[i % 3]);
    this.soft.set(name, { before: this.soft.get(name)?.now ?? now, now });
  }

  points(name, count, step, frame, fraction, out) {
    const { before, now } = this.soft.get(name);
    const x = frame === 1 ? 1 : fraction;
    for (let i = 0; i < 3 * count; ++i) out[i] = before[i] + x * (now[i] - before[i]);
  }
}
