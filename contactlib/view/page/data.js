// The recording that the page carries: base64 of zlib of one binary, written by contactlib/view/container.py.

import { quantity } from "./text.js";

const MAGIC = "CLVIEW01";
const TYPES = {
  f4: Float32Array, f8: Float64Array, i2: Int16Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array,
};

/** The data of the page are cut, damaged, or of another version. */
export class DamagedError extends Error {
  name = "DamagedError";
}

/** Decode the text of the data element. A DamagedError says what is wrong. */
export async function readRecording(text) {
  const bytes = await inflate(fromBase64(text));
  const view = new DataView(bytes.buffer);
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  if (magic !== MAGIC) throw new DamagedError(`The data begin with "${magic}", not with "${MAGIC}".`);
  const [headerLength, total] = [view.getUint32(8, true), view.getUint32(12, true)];
  if (total !== bytes.length) throw new DamagedError(`The data have ${bytes.length} bytes, not ${total}.`);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + headerLength)));
  const arrays = {};
  for (const [name, entry] of Object.entries(header.arrays)) {
    arrays[name] = readArray(bytes, 16 + headerLength + entry.at, entry);
  }
  return new Recording(header, arrays);
}

function fromBase64(text) {
  let characters;
  try {
    characters = atob(text.trim());
  } catch {
    throw new DamagedError("The data are not complete base64 text.");
  }
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

// zlib ends with a checksum of the content, which the browser compares
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new DamagedError("The compressed data are cut, or their checksum differs.");
  }
}

// bytes of equal significance stand together, which compresses better; `delta` columns hold differences along time
function readArray(bytes, at, { type, shape, delta }) {
  const Type = TYPES[type];
  const count = shape.reduce((product, n) => product * n, 1);
  const size = Type.BYTES_PER_ELEMENT;
  const raw = new Uint8Array(count * size);
  for (let k = 0; k < size; ++k) {
    const plane = at + k * count;
    for (let i = 0; i < count; ++i) raw[i * size + k] = bytes[plane + i];
  }
  const values = new Type(raw.buffer);
  if (delta) undoDifferences(values, shape.at(-1));
  return values;
}

function undoDifferences(values, length) {
  for (let start = 0; start < values.length; start += length) {
    for (let i = start + 1; i < start + length; ++i) values[i] += values[i - 1]; // integers wrap around
  }
}

/**
 * A recorded run. Arrays have time as their last axis. Positions are in metres relative to `origin`, which is one
 * point, or one point per frame where the bodies travel far.
 */
export class Recording {
  constructor(header, arrays) {
    this.header = header;
    this.arrays = arrays;
    this.time = arrays.time;
    this.frames = this.time.length;
    this.start = this.time[0];
    this.end = this.time[this.frames - 1];
  }

  /** The frame at or before a time, and the fraction of the way to the next one. */
  locate(t) {
    let low = 0, high = this.frames - 1;
    if (t >= this.end) return { frame: high, fraction: 0 };
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle;
    }
    const length = this.time[low + 1] - this.time[low];
    return { frame: low, fraction: length > 0 ? Math.min(1, Math.max(0, (t - this.time[low]) / length)) : 0 };
  }

  /** Components of a vector of a body in one frame, such as part "f", the force. */
  vector(part, body, frame) {
    const width = part === "q" ? 4 : 3;
    const array = this.arrays[part];
    return Array.from({ length: width }, (_, c) => array[(body * width + c) * this.frames + frame]);
  }

  /** The origin of the drawing in the world, m. */
  origin(frame) {
    const { origin } = this.arrays;
    if (origin.length === 3) return [...origin];
    return [0, 1, 2].map((c) => origin[c * this.frames + frame]);
  }

  /** The position of a body in the world, m. */
  position(body, frame) {
    const origin = this.origin(frame);
    return this.vector("r", body, frame).map((x, c) => x + origin[c]);
  }

  /** First contact of a frame, and first of the next. */
  contactRange(frame) {
    const first = this.arrays.contact_first;
    return [first[frame], first[frame + 1]];
  }

  /** The name of a side of a contact: a body, or a cable, whose numbers follow. */
  sideName(side) {
    const { bodies, cable_nodes: cables } = this.header;
    return (bodies[side] ?? cables[side - bodies.length]).name;
  }

  /** A sentence on the contacts of a body or a cable. */
  contactSentence(side, frame) {
    const { contact_side: sides, contact_force: f } = this.arrays, count = f.length / 3;
    const [from, to] = this.contactRange(frame), others = new Map();
    for (let k = from; k < to; ++k) {
      const pair = [sides[k], sides[count + k]];
      if (!pair.includes(side)) continue;
      const other = pair[0] === side ? pair[1] : pair[0], known = others.get(other) ?? { number: 0, force: 0 };
      others.set(other, { number: known.number + 1, force: known.force + Math.hypot(f[k], f[count + k],
        f[2 * count + k]) });
    }
    const names = [...others].map(([other, { number, force }]) =>
      `${this.sideName(other)} (${number}, sum of forces ${quantity(force, "N")})`);
    return names.length ? `Contacts with ${names.join(", ")}` : "No contacts";
  }

  /** Magnitudes of a vector of a body over time. */
  magnitudes(part, body) {
    const { frames } = this;
    const array = this.arrays[part];
    const at = body * 3 * frames;
    return Float32Array.from({ length: frames }, (_, i) =>
      Math.hypot(array[at + i], array[at + frames + i], array[at + 2 * frames + i]));
  }

  /** One of the series of the header's plots. */
  row(k) {
    return this.arrays.signals.subarray(k * this.frames, (k + 1) * this.frames);
  }

  /** One component of a vector of a body over time. */
  component(part, body, c) {
    const at = (body * 3 + c) * this.frames;
    return this.arrays[part].subarray(at, at + this.frames);
  }

  /** Points of a cable or a membrane, quantised about a centre per frame, into `out` (3 per point). */
  points(name, count, step, frame, fraction, out) {
    const { frames } = this;
    const offsets = this.arrays[name], centre = this.arrays[`${name}_centre`];
    const next = Math.min(frame + 1, frames - 1);
    for (let c = 0; c < 3; ++c) {
      const a = centre[c * frames + frame], b = centre[c * frames + next];
      const middle = a + fraction * (b - a);
      for (let n = 0; n < count; ++n) {
        const at = (n * 3 + c) * frames;
        const now = offsets[at + frame], then = offsets[at + next];
        out[3 * n + c] = middle + step * (now + fraction * (then - now));
      }
    }
  }
}
