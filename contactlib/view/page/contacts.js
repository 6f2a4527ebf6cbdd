// Contact points, and their forces as arrows whose length is proportional to the force.

import {
  ConeGeometry, CylinderGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3,
} from "three";

const UP = new Vector3(0, 1, 0); // the axis of cones and cylinders of three.js

/** Arrows with one colour, drawn in two calls. */
class Arrows {
  #matrix = new Matrix4();
  #turn = new Quaternion();
  #size = new Vector3();
  #point = new Vector3();
  #along = new Vector3();

  constructor(capacity, scene) {
    const shaft = new CylinderGeometry(1, 1, 1, 8, 1).translate(0, 0.5, 0);
    const head = new ConeGeometry(1, 1, 12, 1).translate(0, 0.5, 0);
    this.material = new MeshBasicMaterial();
    this.shafts = new InstancedMesh(shaft, this.material, Math.max(1, capacity));
    this.heads = new InstancedMesh(head, this.material, Math.max(1, capacity));
    for (const mesh of [this.shafts, this.heads]) mesh.frustumCulled = false;
    scene.add(this.shafts, this.heads);
    this.clear();
  }

  clear() {
    this.shafts.count = this.heads.count = 0;
  }

  /** An arrow of a length along a unit vector, `width` across its shaft. Short ones are their head alone. */
  add(point, direction, length, width) {
    const number = this.heads.count++;
    this.shafts.count = this.heads.count;
    const head = Math.min(length, 6 * width);
    const thin = Math.min(width, length / 4);
    this.#turn.setFromUnitVectors(UP, direction);
    this.#size.set(thin / 2, Math.max(length - head, 1e-9), thin / 2);
    this.shafts.setMatrixAt(number, this.#matrix.compose(point, this.#turn, this.#size));
    this.#along.copy(direction).multiplyScalar(length - head);
    this.#size.set(0.32 * head, head, 0.32 * head);
    this.heads.setMatrixAt(number, this.#matrix.compose(this.#point.copy(point).add(this.#along), this.#turn,
      this.#size));
  }

  finish() {
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }

  set visible(on) {
    this.shafts.visible = this.heads.visible = on;
  }
}

export class Contacts {
  #matrix = new Matrix4();
  #point = new Vector3();
  #force = new Vector3();

  constructor(recording, stage) {
    Object.assign(this, { recording, stage, factor: 1, pointsShown: true, forcesShown: true });
    const { contact_first: first } = recording.arrays;
    let most = recording.contactCapacity ?? 0; // of a live run, which has no contacts yet
    for (let i = 0; i < recording.frames; ++i) most = Math.max(most, first[i + 1] - first[i]);
    this.points = new InstancedMesh(new SphereGeometry(1, 10, 6), new MeshBasicMaterial(), Math.max(1, most));
    this.points.frustumCulled = false;
    this.points.count = 0;
    stage.scene.add(this.points);
    this.arrows = new Arrows(most, stage.scene);
    this.some = first[recording.frames] > 0;
    this.largest = this.#largest();
  }

  // the force that nineteen of twenty contacts stay below
  #largest() {
    const { contact_force: force } = this.recording.arrays, count = force.length / 3;
    const every = Math.max(1, Math.floor(count / 20000)), sizes = [];
    for (let k = 0; k < count; k += every) {
      const size = Math.hypot(force[k], force[count + k], force[2 * count + k]);
      if (size > 0) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 1;
  }

  setTheme({ colours }) {
    this.points.material.color.set(colours.point);
    this.arrows.material.color.set(colours.force);
  }

  /** Metres per newton. */
  get scale() {
    return (0.55 * this.factor * this.stage.bounds.radius) / this.largest;
  }

  /** Draw the contacts of a frame; those between hidden bodies and cables are left out. */
  update(frame, hidden) {
    const { contact_point: r, contact_force: f, contact_side: side } = this.recording.arrays;
    const count = r.length / 3, [from, to] = this.recording.contactRange(frame);
    const size = 0.012 * this.stage.bounds.radius;
    this.points.count = 0;
    this.arrows.clear();
    for (let k = from; k < to; ++k) {
      if (hidden.has(side[k]) && hidden.has(side[count + k])) continue;
      this.#point.set(r[k], r[count + k], r[2 * count + k]);
      this.#force.set(f[k], f[count + k], f[2 * count + k]);
      const force = this.#force.length();
      if (this.pointsShown) {
        this.#matrix.makeScale(size, size, size).setPosition(this.#point);
        this.points.setMatrixAt(this.points.count++, this.#matrix);
      }
      const length = force * this.scale;
      if (this.forcesShown && length > 1e-3 * this.stage.bounds.radius) {
        this.arrows.add(this.#point, this.#force.divideScalar(force), length, 1.1 * size);
      }
    }
    this.points.instanceMatrix.needsUpdate = true;
    this.arrows.finish();
  }

  show(part, on) {
    this[part] = on;
    this.stage.draw();
  }
}
