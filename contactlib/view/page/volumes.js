// Bounding volumes of groups as lines, in the axes of their body.

import { Quaternion, Vector3 } from "three";

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1]);
const EDGES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
const PIECES = 48; // of a circle

function* boxLines({ centre, half, q }) {
  const turn = new Quaternion(q[1], q[2], q[3], q[0]);
  const at = (corner) => new Vector3(...corner.map((sign, k) => sign * half[k]))
    .applyQuaternion(turn).add(new Vector3(...centre)).toArray();
  for (const [a, b] of EDGES) yield [...at(CORNERS[a]), ...at(CORNERS[b])];
}

function* sphereLines({ centre, radius }) {
  for (const [u, v] of [[0, 1], [1, 2], [2, 0]]) {
    const at = (k) => {
      const point = [...centre], angle = (2 * Math.PI * k) / PIECES;
      point[u] += radius * Math.cos(angle);
      point[v] += radius * Math.sin(angle);
      return point;
    };
    for (let k = 0; k < PIECES; ++k) yield [...at(k), ...at(k + 1)];
  }
}

/** End points of the lines of all volumes of a body. */
export function volumeLines(volumes) {
  const lines = volumes.flatMap((volume) => [...(volume.kind === "sphere" ? sphereLines : boxLines)(volume)]);
  return new Float32Array(lines.flat());
}
