"""The deepest contact of each pair in 1000 poses, and what its normal is worth."""

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
    chosen = read_columns((HERE / "candidates.csv").read_text())
    results, worst = {}, 0.0
    for pair, (a, b) in enumerate(brute.PAIRS):
        rows = chosen[f"{a}-{b}"].astype(int)
        X = brute.candidates(pair, rows.max() + 1)[rows]
        found = contactlib.manifolds(shapes[a], shapes[b], [[0, 0, 0, 1, 0, 0, 0]], X)
        deepest = np.argmax(np.where(found.feature >= 0, found.depth, -1.0), axis=1)
        poses = np.arange(len(X))
        depth, normal = found.depth[poses, deepest], found.normal[poses, deepest]
        results[f"depth {a}-{b}"] = (poses.astype(float), 1e3 * depth)
        # a translation of B along the normal by the depth must part the shapes, and no less
        parted = brute.parting(a, b, X, normal[:, None])[:, 0]
        worst = max(worst, float(np.abs(parted - depth).max()))
    return {**results, "largest difference of depth and translation along the normal": 1e9 * worst}
