/**
 * contactlib in JavaScript: contact wrenches of a scene in a web page, in a worker, or in node.
 *
 * The module contactlib.wasm is the core and the FMI layer of every FMU, so that a scene has the same bits here as in
 * Python and in Simulink. A scene is a file model.bin: `contactlib web SCENE` writes one, with this file and a page.
 *
 *     import { ContactScene } from "./contactlib.mjs";
 *
 *     const scene = await ContactScene.load("model.bin");
 *     scene.setState("interface", { r: [0, 0.0003, 0.03], v: [0, 0, -0.02] });
 *     scene.step(1e-3);
 *     const { force, torque } = scene.wrench("interface");
 *
 * SI units and radians; quaternions have their scalar first. Every mistake throws a ContactError, whose message says
 * what is wrong and what is allowed, and leaves the scene as it was. docs/platforms.md is the page about this class.
 */

const WARNING = 1;
const INITIALIZATION = 2;
const CAUSALITY = ["input", "output", "parameter"];
const TYPE = ["real", "integer", "enumeration"];
const STATE = { r: 3, q: 4, v: 3, w: 3 };
const MOST = 1024; // values that `set` takes at once
const modules = new Map(); // compiled once for each address
// The C++ library would write a last message to stderr; here it is told that there is no such file (errno 8, EBADF).
const absent = () => 8;
const SYSTEM = { wasi_snapshot_preview1: { fd_write: absent, fd_seek: absent, fd_close: absent } };

/** What a scene refuses. */
export class ContactError extends Error {
  name = "ContactError";
}

/** Real variables that are read or written together, without a search for their names. */
export class Block {
  #scene;
  #references;
  #memory;

  /** Made by `ContactScene.block`. */
  constructor(scene, references, memory) {
    this.#scene = scene;
    this.#references = references;
    this.#memory = memory;
    /** The values, in the order of the names. */
    this.values = new Float64Array(references.length);
  }

  /** Read all variables from the scene into `values`, and return these. */
  read() {
    this.#scene.transfer(this.#references, this.#memory, this.values, false);
    return this.values;
  }

  /** Write `values` to the scene: all of them, or none where one is refused. */
  write() {
    this.#scene.transfer(this.#references, this.#memory, this.values, true);
  }
}

/** One scene: bodies get states, `step` advances the time, bodies have wrenches. */
export class ContactScene {
  #exports;
  #instance; // the address of the FMI instance; 0 once the scene is closed
  #why = "the scene is closed: load it again";
  #rows = new Map(); // variable by name
  #onWarning;
  #single;

  /**
   * Load a scene.
   * @param {string | URL | ArrayBuffer | Uint8Array} model the file model.bin: its address or its content
   * @param {object} [options]
   * @param {string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module} [options.wasm] the module; default: the file
   *   contactlib.wasm beside this one
   * @param {(sentence: string) => void} [options.onWarning] receives the warnings of steps, each once; default: none
   * @param {number} [options.time] the time at the start, s
   * @returns {Promise<ContactScene>}
   */
  static async load(model, { wasm = new URL("contactlib.wasm", import.meta.url), onWarning = null, time = 0 } = {}) {
    const [module, bytes] = await Promise.all([compiled(wasm), content(model)]);
    const { exports } = await WebAssembly.instantiate(module, SYSTEM);
    exports._initialize();
    return new ContactScene(exports, bytes, onWarning, time);
  }

  /** Use `ContactScene.load`. */
  constructor(exports, model, onWarning, time) {
    this.#exports = exports;
    this.#onWarning = onWarning;
    const memory = this.allocate(model.length);
    new Uint8Array(exports.memory.buffer, memory, model.length).set(model);
    this.#instance = this.#guarded(() => exports.contactlib_open(memory, model.length, onWarning ? 1 : 0));
    exports.contactlib_release(memory);
    if (this.#instance === 0) throw new ContactError(this.#sentences().at(-1)?.text ?? "model.bin cannot be read");
    this.#single = { memory: this.allocate(8 * MOST), references: this.allocate(4 * MOST) };
    /** The hash of the model, as `contactlib show` prints it. */
    this.hash = this.#text(exports.contactlib_model_hash(this.#instance));
    /** All variables: name, unit, description, causality, type, tunable, start, minimum, choices. */
    this.variables = Object.freeze(this.#table());
    this.variables.forEach((variable, reference) => this.#rows.set(variable.name, { ...variable, reference }));
    /** The names of the bodies that have a state here or a wrench. */
    this.bodies = Object.freeze(this.variables.map((v) => v.name.match(/^(.*)\.f\[1\]$/)?.[1]).filter(Boolean));
    this.#start(time);
  }

  /** The time, s. */
  get time() {
    const at = this.#single.memory;
    this.call("fmi2GetRealStatus", 2, at);
    return this.numbers(Float64Array, at, 1)[0];
  }

  /** The value of a variable by name, such as "contact.count", or an array of all its components, such as "peg.r". */
  get(name) {
    const rows = this.#find(name);
    const values = rows.map((row) => this.#getOne(row));
    return rows.length === 1 && rows[0].name === name ? values[0] : values;
  }

  /**
   * Set an input or a parameter: a number, or an array for all components.
   *
   * Parameters that are not tunable can be set until the first step.
   * @param {string} name
   * @param {number | ArrayLike<number>} value
   */
  set(name, value) {
    const rows = this.#find(name);
    const values = typeof value === "number" ? [value] : Array.from(value ?? []);
    const allowed = rows.length === 1 ? "1 number" : `${rows.length} numbers`;
    if (values.length !== rows.length || values.some((x) => typeof x !== "number"))
      throw new ContactError(`set: '${name}' takes ${allowed}, not ${JSON.stringify(value)}.`);
    if (rows[0].type === "real") return this.#setReals(rows, values);
    if (!Number.isInteger(values[0]) || Math.abs(values[0]) >= 2 ** 31)
      throw new ContactError(`set: '${name}' takes an integer of 32 bits, not ${values[0]}.`);
    this.#place(rows, new Int32Array(values));
    this.call("fmi2SetInteger", this.#single.references, rows.length, this.#single.memory);
  }

  /**
   * Set parts of the state of a body: r (m), q (scalar first), v (m/s) and w (rad/s) of its origin.
   *
   * The state of a body that the scene moves itself can be set until the first step; parts that are not given remain.
   */
  setState(body, state) {
    this.#body(body);
    const rows = [], values = [];
    for (const [part, value] of Object.entries(state)) {
      if (!(part in STATE))
        throw new ContactError(`setState: '${body}' has no '${part}'; the parts are ${Object.keys(STATE).join(", ")}.`);
      if (value?.length !== STATE[part])
        throw new ContactError(`'${body}.${part}' takes ${STATE[part]} numbers, not ${JSON.stringify(value)}.`);
      const start = `${body}.${part}_start`;
      rows.push(...this.#find(this.#rows.has(`${start}[1]`) ? start : `${body}.${part}`));
      values.push(...value);
    }
    this.#setReals(rows, values);
  }

  /** The state of a body: { r, q, v, w }, or null for a body that is fixed. */
  state(body) {
    this.#body(body);
    if (!this.#rows.has(`${body}.r[1]`)) return null;
    return Object.fromEntries(Object.keys(STATE).map((part) => [part, this.get(`${body}.${part}`)]));
  }

  /** The wrench on a body: { force (N), torque (N m, about the body's origin) }. */
  wrench(body) {
    this.#body(body);
    return { force: this.get(`${body}.f`), torque: this.get(`${body}.t`) };
  }

  /** Advance the scene by a step of h, s; external bodies move along their velocities meanwhile. */
  step(h) {
    if (!Number.isFinite(h) || h <= 0) throw new ContactError(`step: ${h} s must be positive and finite.`);
    this.#begin();
    const warnings = this.call("fmi2DoStep", this.time, h, 1);
    if (this.#onWarning) warnings.forEach((sentence) => this.#onWarning(sentence.text));
  }

  /**
   * Prepare variables that are read or written in every step.
   *
   * The names may stand for all components, such as "peg.r". Keep the block: it has memory until the scene is closed.
   * @param {string[]} names of real variables
   * @returns {Block}
   */
  block(names) {
    const rows = names.flatMap((name) => this.#find(name));
    const other = rows.find((row) => row.type !== "real");
    if (other) throw new ContactError(`block: '${other.name}' is an ${other.type}; use get and set for it.`);
    const references = this.allocate(4 * rows.length);
    this.numbers(Uint32Array, references, rows.length).set(rows.map((row) => row.reference));
    return new Block(this, { address: references, length: rows.length }, this.allocate(8 * rows.length));
  }

  /** The whole state as bytes, which any instance of the scene can restore, on any machine. */
  save() {
    const handle = this.#single.memory;
    const word = () => this.numbers(Uint32Array, handle, 2);
    word().fill(0);
    this.call("fmi2GetFMUstate", handle);
    const state = word()[0];
    this.call("fmi2SerializedFMUstateSize", state, handle + 4);
    const size = word()[1];
    const memory = this.allocate(size);
    this.call("fmi2SerializeFMUstate", state, memory, size);
    const bytes = this.numbers(Uint8Array, memory, size).slice();
    this.#exports.contactlib_release(memory);
    this.call("fmi2FreeFMUstate", handle);
    return bytes;
  }

  /** Return to a state from `save`: all that follows has the same bits again. */
  restore(bytes) {
    const handle = this.#single.memory;
    const memory = this.allocate(bytes.length);
    this.numbers(Uint8Array, memory, bytes.length).set(bytes);
    try {
      this.call("fmi2DeSerializeFMUstate", memory, bytes.length, handle);
    } finally {
      if (this.#instance !== 0) this.#exports.contactlib_release(memory);
    }
    this.call("fmi2SetFMUstate", this.numbers(Uint32Array, handle, 1)[0]);
    this.call("fmi2FreeFMUstate", handle);
  }

  /** Return to the start of the scene: all variables have their start values, as after `load`. */
  reset(time = 0) {
    this.call("fmi2Reset");
    this.#start(time);
  }

  /** End the scene; its memory is free once nothing refers to it. */
  close() {
    this.#instance = 0;
  }

  // for Block and the viewer: functions and memory of the module
  ask(name, ...given) {
    return this.#guarded(() => this.#exports[name](this.#alive(), ...given));
  }

  numbers(Type, address, count) {
    return new Type(this.#exports.memory.buffer, address, count);
  }

  transfer(references, memory, values, write) {
    if (write) this.numbers(Float64Array, memory, values.length).set(values);
    this.call(write ? "fmi2SetReal" : "fmi2GetReal", references.address, references.length, memory);
    if (!write) values.set(this.numbers(Float64Array, memory, values.length));
  }

  // ---- names -------------------------------------------------------------------------------------------------------

  #table() {
    const ask = (what, i) => this.ask(`contactlib_variable_${what}`, i);
    return Array.from({ length: this.ask("contactlib_variable_count") }, (_, i) =>
      Object.freeze({
        name: this.#text(ask("name", i)),
        unit: this.#text(ask("unit", i)),
        description: this.#text(ask("description", i)),
        causality: CAUSALITY[ask("causality", i)],
        type: TYPE[ask("type", i)],
        tunable: ask("tunable", i) === 1,
        start: ask("start", i),
        minimum: ask("minimum", i),
        choices: ask("choices", i),
      }),
    );
  }

  // The variable of this name, or its components "name[1]", "name[2]" ...
  #find(name) {
    if (this.#rows.has(name)) return [this.#rows.get(name)];
    const rows = [];
    for (let i = 1; this.#rows.has(`${name}[${i}]`); ++i) rows.push(this.#rows.get(`${name}[${i}]`));
    if (rows.length > 0) return rows;
    throw new ContactError(`the scene has no variable '${name}'; did you mean '${nearest(name, this.#rows.keys())}'?`);
  }

  #body(name) {
    if (this.bodies.includes(name)) return;
    throw new ContactError(`the scene has no body '${name}'; it has ${this.bodies.join(", ")}.`);
  }

  // ---- memory and calls --------------------------------------------------------------------------------------------

  allocate(size) {
    const memory = this.#guarded(() => this.#exports.contactlib_allocate(Math.max(size, 8)));
    if (memory === 0) throw new ContactError(`no memory is left for ${size} bytes.`);
    return memory;
  }

  #place(rows, values) {
    this.numbers(Uint32Array, this.#single.references, rows.length).set(rows.map((row) => row.reference));
    this.numbers(Uint8Array, this.#single.memory, values.byteLength).set(new Uint8Array(values.buffer));
  }

  #getOne(row) {
    const { memory, references } = this.#single;
    this.#place([row], new Float64Array(1));
    this.call(row.type === "real" ? "fmi2GetReal" : "fmi2GetInteger", references, 1, memory);
    return this.numbers(row.type === "real" ? Float64Array : Int32Array, memory, 1)[0];
  }

  #setReals(rows, values) {
    if (rows.length > MOST) throw new ContactError(`${rows.length} values: more than ${MOST} need a block.`);
    this.#place(rows, new Float64Array(values));
    this.call("fmi2SetReal", this.#single.references, rows.length, this.#single.memory);
  }

  #start(time) {
    this.call("fmi2SetupExperiment", 0, 0, time, 0, 0);
    this.call("fmi2EnterInitializationMode");
  }

  #begin() {
    if (this.ask("contactlib_mode") === INITIALIZATION) this.call("fmi2ExitInitializationMode");
  }

  // Call a function of FMI and return its warnings; what it refuses is an error.
  call(name, ...given) {
    const status = this.#guarded(() => this.#exports[name](this.#alive(), ...given));
    const sentences = this.#sentences();
    if (status > WARNING) throw new ContactError(sentences.at(-1)?.text ?? `${name} fails without a reason.`);
    return sentences;
  }

  #alive() {
    if (this.#instance === 0) throw new ContactError(this.#why);
    return this.#instance;
  }

  // The module cannot throw: where memory ends it stops for good.
  #guarded(call) {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#instance = 0;
      this.#why = `the scene has stopped, most likely because no memory is left (${error.message}): load it again`;
      throw new ContactError(this.#why);
    }
  }

  #sentences() {
    const lines = this.#text(this.#exports.contactlib_sentences()).split("\n").slice(0, -1);
    return lines.map((line) => ({ status: Number(line[0]), text: line.slice(2) }));
  }

  #text(address) {
    const bytes = new Uint8Array(this.#exports.memory.buffer);
    if (bytes[address] === 0) return "";
    return new TextDecoder().decode(bytes.slice(address, bytes.indexOf(0, address)));
  }
}

async function compiled(wasm) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return WebAssembly.compile(wasm);
  const address = String(wasm);
  if (!modules.has(address)) modules.set(address, content(wasm).then((bytes) => WebAssembly.compile(bytes)));
  return modules.get(address).catch((error) => {
    modules.delete(address);
    throw error;
  });
}

// The bytes of an array or of an address; the fetch of node reads no files.
async function content(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const inNode = typeof process !== "undefined" && process.versions?.node;
  const address = String(source);
  if (inNode && !/^(https?|data|blob):/.test(address)) {
    const { readFile } = await import("node:fs/promises");
    return new Uint8Array(await readFile(address.startsWith("file:") ? new URL(address) : address));
  }
  const response = await fetch(address);
  if (!response.ok) throw new ContactError(`${address} cannot be loaded: ${response.status} ${response.statusText}.`);
  return new Uint8Array(await response.arrayBuffer());
}

// The name with the fewest changes of letters.
function nearest(name, names) {
  const distance = (a, b) => {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; ++i) {
      const next = [i];
      for (let j = 1; j <= b.length; ++j)
        next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      row = next;
    }
    return row[b.length];
  };
  return [...names].reduce((best, known) => (distance(name, known) < distance(name, best) ? known : best));
}
