// A body in the user's hand: a spring from the grabbed point to the pointer while the run plays, a placement while it is
// paused. External bodies follow the pointer in both.

import { BufferGeometry, Line, LineBasicMaterial, Plane, Quaternion, Raycaster, Vector2, Vector3 } from "three";
import { at, quantity } from "../text.js";

const FREQUENCY = 1.5; // Hz of the wall clock: how fast a held body follows the pointer
const SMALLEST = 4; // px that the pointer moves before a press is a drag
const LONGEST = 0.1; // of the product of angular frequency and step: above it the spring would be too stiff for a step
const STATE = 13;

const vector = (values, from = 0) => new Vector3().fromArray(values, from);
const rotation = (values, from = 3) => // the scalar is first in the core
  new Quaternion(values[from + 1], values[from + 2], values[from + 3], values[from]);
const listed = (q) => [q.w, q.x, q.y, q.z];

/** The rotation by a vector, rad, in world axes. */
function turn(phi) {
  const angle = phi.length();
  return new Quaternion().setFromAxisAngle(angle > 0 ? phi.clone().divideScalar(angle) : new Vector3(1, 0, 0), angle);
}

/** The vector of the rotation that leads from q to `end`, rad. */
function turnBetween(q, end) {
  const d = end.clone().multiply(q.clone().conjugate());
  const v = new Vector3(d.x, d.y, d.z).multiplyScalar(d.w < 0 ? -1 : 1), sine = v.length();
  return sine > 0 ? v.multiplyScalar((2 * Math.atan2(sine, Math.abs(d.w))) / sine) : v;
}

export class Grip {
  #raycaster = new Raycaster();
  #loaded = null; // the body with a load of the spring
  #blocks = new Map();

  constructor({ recording, stage, bodies, player, theme }) {
    Object.assign(this, { run: recording, stage, bodies, player, held: null, strength: 1 });
    this.line = new Line(new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]), new LineBasicMaterial());
    this.line.visible = this.line.frustumCulled = false;
    stage.scene.add(this.line);
    theme.follow(({ colours }) => this.line.material.color.set(colours.selected));
    recording.beforeStep = (h) => this.#act(h);
    player.follow(() => this.#draw());
    const { holder } = stage;
    // before the camera's controls hear of it
    holder.addEventListener("pointerdown", (event) => this.#press(event), { capture: true });
    holder.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) holder.addEventListener(name, () => this.#release());
  }

  #ray(event) {
    const { left, top, width, height } = this.stage.holder.getBoundingClientRect();
    const point = new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    this.#raycaster.setFromCamera(point, this.stage.camera);
    return this.#raycaster;
  }

  #press(event) {
    if (event.button !== 0 || event.altKey || this.held || event.target !== this.stage.renderer.domElement) return;
    const raycaster = this.#ray(event), hit = this.bodies.pick(raycaster);
    const motion = hit && this.run.header.bodies[hit.body].motion;
    if (motion !== "free" && motion !== "external") return;
    const { object } = this.bodies.list[hit.body];
    const point = raycaster.ray.at(hit.distance, new Vector3());
    const normal = this.stage.camera.getWorldDirection(new Vector3());
    this.stage.controls.enabled = false;
    this.stage.holder.setPointerCapture(event.pointerId);
    this.held = {
      ...hit, motion, start: { x: event.clientX, y: event.clientY }, dragged: false, turns: event.shiftKey, target: point,
      p_B: object.worldToLocal(point.clone()), plane: new Plane().setFromNormalAndCoplanarPoint(normal, point),
      p: point.clone(), first: this.#state(hit.body), phi: new Vector3(), force: 0,
    };
  }

  #state(body) {
    return Float64Array.from(this.run.numbers("states").subarray(STATE * body, STATE * (body + 1)));
  }

  #move(event) {
    const { held } = this;
    if (!held) return;
    const dx = event.clientX - held.start.x, dy = event.clientY - held.start.y;
    held.dragged ||= Math.hypot(dx, dy) >= SMALLEST;
    if (!held.dragged) return;
    if (held.turns) {
      const { matrixWorld } = this.stage.camera, [right, up] = [0, 1].map((k) =>
        new Vector3().setFromMatrixColumn(matrixWorld, k));
      const scale = (2 * Math.PI) / this.stage.holder.clientHeight;
      held.phi = up.multiplyScalar(dx * scale).addScaledVector(right, dy * scale);
    } else {
      held.target = this.#ray(event).ray.intersectPlane(held.plane, new Vector3()) ?? held.target;
    }
    if (!this.player.playing) this.player.attempt(() => this.#place());
    this.player.seek();
  }

  #release() {
    if (!this.held) return;
    if (this.held.motion === "external") this.#drive(this.held, new Vector3(), new Vector3());
    this.held = null;
    this.stage.controls.enabled = true;
    this.player.seek();
  }

  /** Where the held body is to be: its origin and its quaternion. */
  #wanted({ first, target, p, phi, turns }) {
    if (!turns) return { r: vector(first).add(target).sub(p), q: rotation(first) };
    return { r: vector(first), q: turn(phi).multiply(rotation(first)) };
  }

  // the run is paused
  #place() {
    const { held, run } = this, { r, q } = this.#wanted(held);
    const states = Float64Array.from(run.numbers("states"));
    states.set([...r.toArray(), ...listed(q)], STATE * held.body);
    run.place(states);
    if (held.motion === "external") this.#drive(held, new Vector3(), new Vector3());
  }

  // an external body: its present place, and the velocities until the end of the step
  #drive({ body }, v, w) {
    const state = this.#state(body);
    this.run.scene.setState(this.run.header.bodies[body].name, { r: state.subarray(0, 3), q: state.subarray(3, 7),
      v: v.toArray(), w: w.toArray() });
  }

  #frequency(h) {
    return Math.min((2 * Math.PI * FREQUENCY) / this.player.speed, LONGEST / h);
  }

  // before each step
  #act(h) {
    const { held } = this;
    if (this.#loaded !== null && (held?.body !== this.#loaded || !held.dragged)) this.#load(this.#loaded);
    if (!held?.dragged) return;
    const state = this.#state(held.body), omega = this.#frequency(h);
    if (held.motion === "external") {
      const { r, q } = this.#wanted(held);
      this.#drive(held, r.sub(vector(state)).multiplyScalar(omega), turnBetween(rotation(state), q).multiplyScalar(omega));
      return;
    }
    const [force, torque] = held.turns ? this.#turning(held, state, omega) : this.#pulling(held, state, omega);
    this.#load(held.body, force, torque);
  }

  /*
   * p = r_B + R p_B,  F = m W^2 (target - p) - 2 m W v_p,  torque = R p_B x F about the body's origin; W is the angular
   * frequency, and m the mass that the point has: 1/m = 1/mass + l^2/I with its distance l from the centre of mass and
   * the least moment of inertia I. The damping is critical.
   */
  #pulling({ body, p_B, target }, state, omega) {
    const { mass, inertia, com } = this.run.header.live.bodies[body], q = rotation(state);
    const arm = p_B.clone().applyQuaternion(q);
    const l = p_B.distanceTo(vector(com)), m = this.strength / (1 / mass + (l * l) / inertia);
    const p = vector(state).sub(vector(this.run.arrays.origin)).add(arm);
    const v = vector(state, 10).cross(arm).add(vector(state, 7));
    const force = target.clone().sub(p).multiplyScalar(m * omega * omega).addScaledVector(v, -2 * m * omega);
    this.held.force = force.length();
    return [force, arm.cross(force)];
  }

  // torque = I W^2 e - 2 I W w, with the rotation e that is left
  #turning({ body, first, phi }, state, omega) {
    const inertia = this.strength * this.run.header.live.bodies[body].inertia;
    const left = turnBetween(rotation(state), turn(phi).multiply(rotation(first)));
    const torque = left.multiplyScalar(inertia * omega * omega).addScaledVector(vector(state, 10), -2 * inertia * omega);
    return [new Vector3(), torque];
  }

  // without force and torque: none
  #load(body, force = new Vector3(), torque = new Vector3()) {
    const { name } = this.run.header.bodies[body];
    if (!this.#blocks.has(body)) this.#blocks.set(body, this.run.scene.block([`${name}.f_ext`, `${name}.t_ext`]));
    const block = this.#blocks.get(body);
    block.values.set([...force.toArray(), ...torque.toArray()]);
    block.write();
    this.#loaded = force.lengthSq() + torque.lengthSq() > 0 ? body : null;
  }

  // the spring as a line from the grabbed point to the pointer
  #draw() {
    const { held, line } = this;
    line.visible = Boolean(held?.dragged && !held.turns && this.player.playing);
    at("pull").textContent = line.visible && held.motion === "free" ? `pull: ${quantity(held.force, "N")}` : "";
    if (!line.visible) return;
    const p = this.bodies.list[held.body].object.localToWorld(held.p_B.clone());
    line.geometry.setFromPoints([p, held.target]);
  }
}
