"""The deepest contact of each pair in the poses of poses.csv, and what its normal is worth."""

from pathlib import Path

import numpy as np

import contactlib
from contactlib.validation.compare import read_columns
from contactlib.validation.run import load_program

HERE = Path(__file__).parent


def run(runner):
    brute = load_program(HERE / "reference.py")
    makers = {"sphere": contactlib.Sphere, "capsule": contactlib.Capsule, "triangle": contactlib.Triangle,
              "ellipsoid": contactlib.Ellipsoid, "box": contactlib.Box, "cylinder": contactlib.Cylinder,
              "polyhedron": contactlib.Polyhedron}
    shapes = {kind: makers[kind](**size) for kind, size in brute.SHAPES.items()}
    table = read_columns((HERE / "poses.csv").read_text())
    poses = np.column_stack([table[key] for key in ("x", "y", "z", "qw", "qx", "qy", "qz")])
    names = read_columns((HERE / "depths.csv").read_text())
    results, worst = {}, 0.0
    for pair, name in enumerate(list(names)[1:]):
        a, b = name.split("-")
        X = poses[table["pair"] == pair]
        found = contactlib.manifolds(shapes[a], shapes[b], [[0, 0, 0, 1, 0, 0, 0]], X)
        deepest = np.argmax(np.where(found.feature >= 0, found.depth, -1.0), axis=1)
        rows = np.arange(len(X))
        depth, normal = found.depth[rows, deepest], found.normal[rows, deepest]
        results[f"depth {name}"] = (rows.astype(float), 1e3 * depth)
        # a translation of B along the normal by the depth must part the shapes, and no less
        parted = [brute.parting(a, b, x, n[None])[0] for x, n in zip(X, normal, strict=True)]
        worst = max(worst, float(np.abs(np.array(parted) - depth).max()))
    return {**results, "largest difference of depth and translation along the normal": 1e9 * worst}
