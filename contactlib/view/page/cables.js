// Cables as tubes through their nodes, and membranes as surfaces: both change their form in every frame.

import {
  BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Mesh, Vector3,
} from "three";
import { Matte } from "./shading.js";

const SIDES = 8; // of a tube
const BETWEEN = 3; // pieces of the curve from one node to the next
const NEAR = 4; // pixels beside a cable at which a click still selects it

function dynamic(geometry, name, length) {
  const attribute = new BufferAttribute(new Float32Array(length), 3);
  geometry.setAttribute(name, attribute);
  return attribute.array;
}

/** Triangles of a tube of rings, from one ring to the next. */
function tubeTriangles(rings) {
  const list = [];
  for (let i = 0; i + 1 < rings; ++i) {
    for (let k = 0; k < SIDES; ++k) {
      const a = i * SIDES + k, b = i * SIDES + ((k + 1) % SIDES);
      list.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
    }
  }
  return list;
}

export class Cable {
  constructor(recording, entry, number) {
    Object.assign(this, { recording, entry, name: `cable_${number}`, side: recording.header.bodies.length + number });
    this.nodes = new Float32Array(3 * entry.nodes);
    this.rings = (entry.nodes - 1) * BETWEEN + 1;
    this.curve = new Float32Array(3 * this.rings);
    const geometry = new BufferGeometry();
    this.position = dynamic(geometry, "position", 3 * this.rings * SIDES);
    this.normal = dynamic(geometry, "normal", 3 * this.rings * SIDES);
    geometry.setIndex(tubeTriangles(this.rings));
    this.object = new Mesh(geometry, new Matte());
    this.object.frustumCulled = false;
    this.object.userData = { element: entry.element };
  }

  setTheme({ colours }) {
    this.colours = colours;
    this.mark(this.marked);
  }

  mark(on) {
    this.marked = on;
    this.object.material.color.set(on ? this.colours.selected : this.colours.cable);
  }

  /** Distance along a ray to the cable, or Infinity. `pixel` is the size of a pixel at the distance of 1 m. */
  pick({ ray }, pixel) {
    const { curve, entry: { radius } } = this;
    const a = new Vector3(), b = new Vector3(), on = new Vector3();
    let nearest = Infinity;
    for (let i = 0; i + 1 < this.rings; ++i) {
      const apart = Math.sqrt(ray.distanceSqToSegment(a.fromArray(curve, 3 * i), b.fromArray(curve, 3 * i + 3), on));
      const distance = on.distanceTo(ray.origin);
      if (apart < radius + NEAR * pixel * distance) nearest = Math.min(nearest, distance - radius);
    }
    return nearest;
  }

  update(frame, fraction) {
    const { nodes, entry } = this;
    this.recording.points(this.name, entry.nodes, entry.step, frame, fraction, nodes);
    this.#smooth();
    this.#rings();
    this.object.geometry.attributes.position.needsUpdate = true;
    this.object.geometry.attributes.normal.needsUpdate = true;
  }

  // a Catmull-Rom curve: it passes through all nodes
  #smooth() {
    const { nodes: p, curve } = this, last = this.entry.nodes - 1;
    let at = 0;
    for (let i = 0; i < last; ++i) {
      const [a, b, c, d] = [Math.max(0, i - 1), i, i + 1, Math.min(last, i + 2)].map((k) => 3 * k);
      for (let j = 0; j < BETWEEN; ++j) {
        const t = j / BETWEEN;
        for (let k = 0; k < 3; ++k) {
          const [p0, p1, p2, p3] = [p[a + k], p[b + k], p[c + k], p[d + k]];
          curve[at++] = p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
        }
      }
    }
    for (let k = 0; k < 3; ++k) curve[at++] = p[3 * last + k];
  }

  // each ring takes its first direction from the ring before, so that the tube does not twist
  #rings() {
    const { curve, position, normal, rings } = this;
    const t = new Vector3(), u = new Vector3(1, 0.3, 0.2), v = new Vector3(), n = new Vector3();
    for (let i = 0; i < rings; ++i) {
      const before = 3 * Math.max(0, i - 1), after = 3 * Math.min(rings - 1, i + 1);
      t.set(curve[after] - curve[before], curve[after + 1] - curve[before + 1], curve[after + 2] - curve[before + 2]);
      t.normalize();
      if (Math.abs(u.dot(t)) > 0.98) u.set(t.y, t.z, t.x);
      u.addScaledVector(t, -u.dot(t)).normalize();
      v.crossVectors(t, u);
      for (let k = 0; k < SIDES; ++k) {
        const angle = (2 * Math.PI * k) / SIDES, at = 3 * (i * SIDES + k);
        n.copy(u).multiplyScalar(Math.cos(angle)).addScaledVector(v, Math.sin(angle)).toArray(normal, at);
        for (let c = 0; c < 3; ++c) position[at + c] = curve[3 * i + c] + this.entry.radius * normal[at + c];
      }
    }
  }
}

export class Membrane {
  constructor(recording, entry, number) {
    Object.assign(this, { recording, entry, name: `membrane_${number}`, shown: -1 });
    const geometry = new BufferGeometry();
    this.position = dynamic(geometry, "position", 3 * entry.points);
    this.triangles = recording.arrays[`${this.name}_triangles`];
    this.first = recording.arrays[`${this.name}_first`];
    this.surface = new Mesh(geometry, new Matte({ flat: true, transparent: true, opacity: 0.72,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    const wires = new BufferGeometry();
    wires.setAttribute("position", geometry.attributes.position);
    this.wires = new LineSegments(wires, new LineBasicMaterial({ transparent: true, opacity: 0.6 }));
    this.surface.userData = { element: entry.element };
    for (const part of [this.surface, this.wires]) part.frustumCulled = false;
    this.object = new Group().add(this.surface, this.wires);
  }

  mark(on) {
    this.marked = on;
    this.surface.material.color.set(on ? this.colours.selected : this.colours.membrane);
  }

  /** Distance along a ray to the fabric, or Infinity. */
  pick(raycaster) {
    this.surface.geometry.computeBoundingSphere();
    return raycaster.intersectObject(this.surface, false)[0]?.distance ?? Infinity;
  }

  setTheme({ colours }) {
    this.colours = colours;
    this.mark(this.marked);
    this.wires.material.color.set(colours.edges);
  }

  update(frame, fraction) {
    this.recording.points(this.name, this.entry.points, this.entry.step, frame, fraction, this.position);
    this.surface.geometry.attributes.position.needsUpdate = true;
    if (frame !== this.shown || this.recording.live) this.#connect(frame);
  }

  // the corners that press on the fabric change, and with them its triangles
  #connect(frame) {
    this.shown = frame;
    const triangles = this.triangles.subarray(3 * this.first[frame], 3 * this.first[frame + 1]);
    this.surface.geometry.setIndex(new BufferAttribute(new Uint16Array(triangles), 1));
    this.wires.geometry.setIndex(edgesOf(triangles));
  }
}

/** Pairs of corners: each edge of the triangles once. */
function edgesOf(triangles) {
  const found = new Set(), list = [];
  for (let i = 0; i < triangles.length; ++i) {
    const a = triangles[i], b = triangles[i - (i % 3) + ((i + 1) % 3)];
    const key = `${Math.min(a, b)}/${Math.max(a, b)}`;
    if (found.has(key)) continue;
    found.add(key);
    list.push(a, b);
  }
  return list;
}
