// The pressure on surfaces in contact, as colours, seen through the bodies. The extent e is linear on each triangle, and
// the pressure k e^q: corners carry e k^(1/q), so that each pixel has its own power.

import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, ShaderMaterial, Vector3 } from "three";

// by the square root of the pressure; dark to light, so that they are told apart without colours too
const COLOURS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

const VERTEX = `
  attribute float root, power;
  varying float s, q;
  void main() {
    s = root;
    q = power;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const FRAGMENT = `
  uniform vec3 colours[${COLOURS.length}];
  uniform float top;
  varying float s, q;
  void main() {
    float part = ${COLOURS.length - 1}.0 * sqrt(clamp(pow(max(s, 0.0), q) / top, 0.0, 1.0));
    vec3 colour = colours[0];
    for (int i = 1; i < ${COLOURS.length}; ++i) colour = mix(colour, colours[i], clamp(part - float(i - 1), 0.0, 1.0));
    gl_FragColor = vec4(colour, 0.85);
  }`;

export class Pressure {
  constructor(recording, stage) {
    Object.assign(this, { recording, stage, top: recording.header.pressure });
    this.colours = COLOURS.map((colour) => `rgb(${colour.join(" ")})`);
    const most = [0, 1].map((row) => Math.max(...this.#counts(row)));
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute("position", this.#attribute(Float32Array, most[0], 3));
    this.geometry.setAttribute("root", this.#attribute(Float32Array, most[0], 1));
    this.geometry.setAttribute("power", this.#attribute(Float32Array, most[0], 1));
    this.geometry.setIndex(this.#attribute(Uint32Array, 3 * most[1], 1));
    const uniforms = { top: { value: this.top },
      colours: { value: COLOURS.map((colour) => new Vector3(...colour).divideScalar(255)) } };
    this.object = new Mesh(this.geometry, new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms,
      side: DoubleSide, transparent: true, depthTest: false, depthWrite: false }));
    this.object.frustumCulled = false;
    stage.scene.add(this.object);
  }

  #attribute(Type, count, size) {
    const attribute = new BufferAttribute(new Type(count * size), size);
    attribute.setUsage(DynamicDrawUsage);
    return attribute;
  }

  /** Corners (row 0) or triangles (row 1) of each frame. */
  #counts(row) {
    return Array.from({ length: this.recording.frames }, (_, frame) => {
      const [from, to] = this.range(row, frame);
      return to - from;
    });
  }

  range(row, frame) {
    const first = this.recording.arrays.pressure_first, at = row * (this.recording.frames + 1) + frame;
    return [first[at], first[at + 1]];
  }

  /** Draw the surfaces of a frame; those between hidden bodies are left out. */
  update(frame, hidden) {
    const { pressure_x: x, pressure_root: roots, pressure_power: powers } = this.recording.arrays;
    const { position, root, power } = this.geometry.attributes, [from, to] = this.range(0, frame);
    for (let k = from; k < to; ++k) {
      for (let c = 0; c < 3; ++c) position.array[3 * (k - from) + c] = x[c * roots.length + k];
      root.array[k - from] = roots[k];
      power.array[k - from] = powers[k];
    }
    for (const attribute of [position, root, power, this.geometry.index]) attribute.needsUpdate = true;
    this.geometry.setDrawRange(0, this.#place(frame, hidden));
  }

  // the number of corners of its triangles
  #place(frame, hidden) {
    const { pressure_corner: corners, pressure_side: sides } = this.recording.arrays, count = corners.length / 3;
    const index = this.geometry.index.array, [from, to] = this.range(1, frame);
    let placed = 0;
    for (let k = from; k < to; ++k) {
      if (hidden.has(sides[k]) && hidden.has(sides[count + k])) continue;
      for (let c = 0; c < 3; ++c) index[placed++] = corners[c * count + k];
    }
    return placed;
  }

  show(on) {
    this.object.visible = on;
    this.stage.draw();
  }
}
