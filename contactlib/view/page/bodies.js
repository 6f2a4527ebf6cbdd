// The bodies: their shapes as one mesh for each group and material, edges, frames and bounding volumes.

import {
  AxesHelper, Box3, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, PlaneGeometry,
  Quaternion, Vector3,
} from "three";
import { Matte } from "./shading.js";
import { concatenated, creases, geometryOf, smoothed } from "./surfaces.js";
import { volumeLines } from "./volumes.js";

const pose = new Matrix4(), one = new Vector3(1, 1, 1);
const quaternion = (q) => new Quaternion(q[1], q[2], q[3], q[0]); // the scalar is first in the recording

/** Surface and edge lines of one geometry of the recording, in the axes of its shape. */
function drawingOf(recording, number) {
  const vertices = recording.arrays[`geometry_${number}_vertices`];
  const triangles = recording.arrays[`geometry_${number}_triangles`];
  return { ...smoothed(vertices, triangles), edges: creases(vertices, triangles) };
}

function transformed(points, matrix, direction = false) {
  const result = new Float32Array(points.length), v = new Vector3();
  for (let i = 0; i < points.length; i += 3) {
    v.fromArray(points, i);
    (direction ? v.transformDirection(matrix) : v.applyMatrix4(matrix)).toArray(result, i);
  }
  return result;
}

export class Bodies {
  #a = new Quaternion();
  #b = new Quaternion();

  constructor(recording, stage) {
    Object.assign(this, { recording, stage, hidden: new Set(), selected: -1 });
    this.drawings = new Map();
    this.list = recording.header.bodies.map((body, number) => this.#make(body, number));
    this.planes = [];
    for (const [number, body] of recording.header.bodies.entries()) this.#makePlanes(body, this.list[number].object);
    stage.scene.add(...this.list.map(({ object }) => object));
  }

  #drawing(number) {
    if (!this.drawings.has(number)) this.drawings.set(number, drawingOf(this.recording, number));
    return this.drawings.get(number);
  }

  #make(body, number) {
    const object = new Group(), parts = new Map(), lines = [];
    for (const [index, shape] of body.shapes.entries()) {
      if (shape.kind === "plane") continue;
      const drawing = this.#drawing(shape.geometry);
      const matrix = new Matrix4().compose(new Vector3(...shape.r), quaternion(shape.q), one);
      const key = `${shape.group}/${shape.material}`;
      if (!parts.has(key)) parts.set(key, { shapes: [], position: [], normal: [], ...shape });
      const part = parts.get(key);
      part.shapes.push({ index, triangles: drawing.position.length / 9 });
      part.position.push(transformed(drawing.position, matrix));
      part.normal.push(transformed(drawing.normal, matrix, true));
      lines.push(transformed(drawing.edges, matrix));
    }
    const meshes = [...parts.values()].map((part) => this.#mesh(part, number));
    const edges = new LineSegments(geometryOf({ position: concatenated(lines) }),
      new LineBasicMaterial({ transparent: true, opacity: 0.55 }));
    const volumes = new LineSegments(geometryOf({ position: volumeLines(body.volumes) }), new LineBasicMaterial());
    const axes = new AxesHelper(1);
    volumes.visible = axes.visible = false;
    for (const lines of [edges, volumes]) lines.frustumCulled = false;
    object.add(...meshes, edges, volumes, axes);
    return { object, meshes, edges, volumes, axes, body, glass: false };
  }

  #mesh(part, number) {
    const geometry = geometryOf({ position: concatenated(part.position), normal: concatenated(part.normal) });
    const material = new Matte({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const mesh = new Mesh(geometry, material);
    mesh.userData = { body: number, shapes: part.shapes, material: part.material, group: part.group };
    return mesh;
  }

  #makePlanes(body, object) {
    for (const shape of body.shapes.filter(({ kind }) => kind === "plane")) {
      const mesh = new Mesh(new PlaneGeometry(1, 1), new MeshBasicMaterial({ transparent: true, opacity: 0.75 }));
      mesh.position.set(...shape.r);
      mesh.quaternion.copy(quaternion(shape.q));
      mesh.userData = { plane: true };
      this.planes.push(mesh);
      object.add(mesh);
    }
  }

  /** Sizes of frames and planes follow the size of the scene. */
  setSize(radius) {
    for (const { axes } of this.list) axes.scale.setScalar(0.3 * radius);
    for (const plane of this.planes) plane.scale.setScalar(30 * radius);
  }

  /** The box around all bodies that are drawn, without planes. */
  box() {
    const box = new Box3();
    for (const { object, meshes } of this.list) {
      if (!object.visible) continue;
      object.updateMatrixWorld(true);
      for (const mesh of meshes) box.expandByObject(mesh);
    }
    return box;
  }

  setTheme(theme) {
    this.theme = theme;
    let moving = 0;
    for (const item of this.list) {
      const fixed = item.body.motion === "fixed";
      item.colour = new Color(fixed ? theme.colours.fixed : theme.series(moving++));
      const materials = [...new Set(item.meshes.map((mesh) => mesh.userData.material))];
      for (const mesh of item.meshes) {
        // materials of one body differ in lightness
        const shift = 0.11 * (((materials.indexOf(mesh.userData.material) + 1) % 3) - 1);
        mesh.userData.colour = item.colour.clone().offsetHSL(0, 0, shift);
        mesh.material.color.copy(mesh.userData.colour);
      }
      item.edges.material.color.set(theme.colours.edges);
      item.volumes.material.color.set(theme.colours.volume);
    }
    for (const plane of this.planes) plane.material.color.set(theme.colours.plane);
    this.select(this.selected);
  }

  /** Place all bodies at a fraction of the way from one frame to the next. */
  update(frame, fraction) {
    const { arrays, frames } = this.recording;
    const next = Math.min(frame + 1, frames - 1);
    for (const [number, { object }] of this.list.entries()) {
      const at = (part, width, c, i) => arrays[part][(number * width + c) * frames + i];
      object.position.fromArray([0, 1, 2].map((c) => {
        const now = at("r", 3, c, frame);
        return now + fraction * (at("r", 3, c, next) - now);
      }));
      this.#a.set(at("q", 4, 1, frame), at("q", 4, 2, frame), at("q", 4, 3, frame), at("q", 4, 0, frame));
      this.#b.set(at("q", 4, 1, next), at("q", 4, 2, next), at("q", 4, 3, next), at("q", 4, 0, next));
      object.quaternion.slerpQuaternions(this.#a, this.#b, fraction);
      // a recovered recording may have gaps
      object.visible = !this.hidden.has(number) && Number.isFinite(object.position.x + object.quaternion.w);
    }
  }

  /** Mark a body; -1 for none. */
  select(number) {
    this.selected = number;
    for (const [index, { meshes }] of this.list.entries()) {
      const colour = index === number ? this.theme.colours.selected : "#000000";
      for (const mesh of meshes) {
        mesh.material.emissive.set(colour);
        mesh.material.emissiveIntensity = index === number ? 0.25 : 0;
      }
    }
    this.stage.draw();
  }

  /** Draw a body as glass, or as it was; all bodies for -1. Returns whether it is glass now. */
  glass(number, on = !this.list[Math.max(0, number)].glass) {
    for (const item of number < 0 ? this.list : [this.list[number]]) {
      item.glass = on;
      for (const { material } of item.meshes) {
        Object.assign(material, { transparent: on, opacity: on ? 0.2 : 1, depthWrite: !on, needsUpdate: true });
      }
    }
    this.stage.draw();
    return on;
  }

  show(number, on) {
    this.list[number].object.visible = on;
    if (on) this.hidden.delete(number);
    else this.hidden.add(number);
    this.stage.draw();
  }

  showAll(part, on) {
    for (const item of this.list) item[part].visible = on;
    this.stage.draw();
  }

  /** The body and the shape under a ray, and its distance, or null; `wall` is that of the first body that is no glass. */
  pick(raycaster) {
    const meshes = this.list.filter(({ object }) => object.visible).flatMap((item) => item.meshes);
    const hits = raycaster.intersectObjects(meshes, false), [hit] = hits;
    if (!hit) return null;
    const wall = hits.find(({ object }) => !this.list[object.userData.body].glass)?.distance ?? Infinity;
    let face = hit.faceIndex;
    const shape = hit.object.userData.shapes.find(({ triangles }) => (face -= triangles) < 0);
    return { body: hit.object.userData.body, shape: shape.index, distance: hit.distance, wall };
  }
}
