"""Solids on a fine mesh: what one contact costs, at three depths.

Run it with ``python -m benchmarks.mesh_patches --json OUT.json``. Each line is the time of one contact in us, of
random turns of a solid on a ball of 20,480 triangles and radius 0.5 m, at depths of 1e-4, 1e-3 and 1e-2 of the radius;
beside it how many times that of a sphere on the same mesh it is, in the same run.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

import contactlib
from benchmarks.common import Floats, measure
from tests.mesh import mesh_truth, truth_meshes

RADIUS = 0.5  # m
DEPTHS = (1e-4, 1e-3, 1e-2)  # of the radius
POSES, REPETITIONS = 100, 7
FINE = truth_meshes.geodesic(32).moved(scale=RADIUS)
BALL = contactlib.Mesh(FINE.vertices, FINE.triangles)
ROCK = truth_meshes.rock(3, 20)
TILTED = np.array([1.0, 0.0, 0.9]) / np.hypot(1.0, 0.9)
UP = np.array([0.0, 0.0, 1.0])
#: a solid, a place on its surface and the direction out of it there
CASES = {
    "sphere": (contactlib.Sphere(0.2), 0.2 * UP, UP),
    "capsule, side": (contactlib.Capsule(0.2, 0.6), np.array([0.2, 0, 0.05]), np.array([1.0, 0, 0])),
    "box, edge": (contactlib.Box((0.6, 0.5, 0.4)), np.array([0.3, 0.02, 0.2]), TILTED),
    "box, face": (contactlib.Box((0.6, 0.5, 0.4)), np.array([0.02, 0.03, 0.2]), UP),
    "cylinder, side": (contactlib.Cylinder(0.25, 0.6), np.array([0.25, 0.0, 0.05]), np.array([1.0, 0.0, 0.0])),
    "ellipsoid": (contactlib.Ellipsoid((0.2, 0.3, 0.25)), np.array([0.0, 0.0, 0.25]), UP),
    "polyhedron, corner": (contactlib.Polyhedron(tuple(map(tuple, ROCK.vertices.tolist()))), ROCK.vertices[0],
                           ROCK.vertices[0] / np.linalg.norm(ROCK.vertices[0])),
    "mesh, 20480 triangles": (BALL, RADIUS * UP, UP),
}


def poses(place: Floats, out: Floats, depth: float) -> Floats:
    """Poses (POSES, 7) at which the place is that deep in the ball, at random places and turns."""
    rng, rows = np.random.default_rng(1), []
    for _ in range(POSES):
        m = rng.normal(size=3)
        m /= np.linalg.norm(m)
        R = mesh_truth.about(m, rng.uniform(0, 2 * np.pi)) @ mesh_truth.carrying(out, -m)
        rows.append(np.r_[(RADIUS - depth) * m - R @ place, mesh_truth.quaternion(R)])
    return np.array(rows)


def times(depth: float) -> dict[str, float]:
    """us of one manifold, of each case."""
    still = [0, 0, 0, 1, 0, 0, 0]
    calls = []
    for solid, place, out in CASES.values():
        X = poses(place, out, depth)
        calls.append(lambda solid=solid, X=X: contactlib.manifolds(solid, BALL, X, still, max_contacts=64))
    found = measure(*calls, repetitions=REPETITIONS)
    return {name: time.median / POSES * 1e6 for name, time in zip(CASES, found, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", metavar="OUT", help="write the figures to this file")
    arguments = parser.parse_args()
    table = {f"{depth:g}": times(depth * RADIUS) for depth in DEPTHS}
    print(f"{'us, and times that of a sphere':32}" + "".join(f"{depth:>18} R" for depth in table))
    for name in CASES:
        cells = [f"{row[name]:12.1f} {row[name] / row['sphere']:6.1f}" for row in table.values()]
        print(f"{name:32}" + "".join(f"{cell:>20}" for cell in cells))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=2)


if __name__ == "__main__":
    main()
