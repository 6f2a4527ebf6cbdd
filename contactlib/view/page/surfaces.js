// Surfaces with smooth and sharp edges: normals and edge lines of a triangle mesh.

import { BufferAttribute, BufferGeometry } from "three";

const SMOOTH = Math.cos((32 * Math.PI) / 180); // faces that meet at a smaller angle share a normal
const MOST_EDGES = 60000; // triangles; edges of finer meshes would hide the surface

/** Unit normals of the triangles, three numbers each, and their areas. */
function faceNormals(vertices, triangles) {
  const count = triangles.length / 3;
  const normals = new Float32Array(3 * count), areas = new Float32Array(count);
  for (let t = 0; t < count; ++t) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const ux = vertices[b] - vertices[a], uy = vertices[b + 1] - vertices[a + 1], uz = vertices[b + 2] - vertices[a + 2];
    const vx = vertices[c] - vertices[a], vy = vertices[c + 1] - vertices[a + 1], vz = vertices[c + 2] - vertices[a + 2];
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...n);
    areas[t] = length / 2;
    for (let k = 0; k < 3; ++k) normals[3 * t + k] = length > 0 ? n[k] / length : 0;
  }
  return { normals, areas };
}

/** Numbers of the triangles at each vertex, as a flat list with starts. */
function trianglesAt(vertexCount, triangles) {
  const starts = new Uint32Array(vertexCount + 1);
  for (const vertex of triangles) ++starts[vertex + 1];
  for (let v = 0; v < vertexCount; ++v) starts[v + 1] += starts[v];
  const fill = starts.slice(), list = new Uint32Array(triangles.length);
  for (let i = 0; i < triangles.length; ++i) list[fill[triangles[i]]++] = Math.floor(i / 3);
  return { starts, list };
}

/** Positions and normals, three corners per triangle; normals are shared across smooth edges only. */
export function smoothed(vertices, triangles) {
  const { normals, areas } = faceNormals(vertices, triangles);
  const { starts, list } = trianglesAt(vertices.length / 3, triangles);
  const position = new Float32Array(3 * triangles.length), normal = new Float32Array(3 * triangles.length);
  for (let i = 0; i < triangles.length; ++i) {
    const own = 3 * Math.floor(i / 3), vertex = triangles[i];
    let x = 0, y = 0, z = 0;
    for (let j = starts[vertex]; j < starts[vertex + 1]; ++j) {
      const t = 3 * list[j], area = areas[list[j]];
      const along = normals[t] * normals[own] + normals[t + 1] * normals[own + 1] + normals[t + 2] * normals[own + 2];
      if (along < SMOOTH) continue;
      x += area * normals[t];
      y += area * normals[t + 1];
      z += area * normals[t + 2];
    }
    const length = Math.hypot(x, y, z) || 1;
    normal.set([x / length, y / length, z / length], 3 * i);
    position.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * i);
  }
  return { position, normal };
}

/** End points of the edges at which the surface has a crease or a border. */
export function creases(vertices, triangles) {
  if (triangles.length / 3 > MOST_EDGES) return new Float32Array(0);
  const { normals } = faceNormals(vertices, triangles);
  const first = new Map(), lines = [];
  const count = vertices.length / 3;
  const draw = (key) => {
    const a = Math.floor(key / count), b = key % count;
    lines.push(...vertices.subarray(3 * a, 3 * a + 3), ...vertices.subarray(3 * b, 3 * b + 3));
  };
  for (let i = 0; i < triangles.length; ++i) {
    const t = Math.floor(i / 3), a = triangles[i], b = triangles[3 * t + ((i + 1) % 3)];
    const key = Math.min(a, b) * count + Math.max(a, b);
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, t);
      continue;
    }
    const along = [0, 1, 2].reduce((sum, k) => sum + normals[3 * t + k] * normals[3 * other + k], 0);
    if (along < SMOOTH) draw(key);
    first.delete(key);
  }
  for (const key of first.keys()) draw(key);
  return new Float32Array(lines);
}

/** A geometry of three.js from numbers per corner. */
export function geometryOf({ position, normal }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(position, 3));
  if (normal) geometry.setAttribute("normal", new BufferAttribute(normal, 3));
  return geometry;
}

/** Several arrays one after the other. */
export function concatenated(arrays) {
  const result = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    result.set(array, at);
    at += array.length;
  }
  return result;
}
