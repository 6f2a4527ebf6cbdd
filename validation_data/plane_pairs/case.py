"""The deepest contact of each shape with a plane, in eight poses, against the support of the shape."""

from pathlib import Path

import numpy as np

import contactlib
from contactlib.validation.compare import read_columns

HERE = Path(__file__).parent
TETRAHEDRON = [[0.03, 0, 0], [-0.02, 0.03, 0], [-0.02, -0.03, 0], [0, 0, 0.04]]
SHAPES = {
    "point": contactlib.Point(), "sphere": contactlib.Sphere(0.02), "segment": contactlib.Segment(0.06),
    "capsule": contactlib.Capsule(0.012, 0.05), "triangle": contactlib.Triangle(TETRAHEDRON[:3]),
    "ellipsoid": contactlib.Ellipsoid((0.03, 0.012, 0.02)), "box": contactlib.Box((0.05, 0.03, 0.04)),
    "cylinder": contactlib.Cylinder(0.015, 0.05), "polyhedron": contactlib.Polyhedron(TETRAHEDRON),
    "socket": contactlib.Socket((0.1, 0.12, 0.07), 0.0175, 0.05),
    "mesh": contactlib.Mesh(TETRAHEDRON, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]),
}


def run(runner):
    results = {}
    for kind, shape in SHAPES.items():
        table = read_columns((HERE / "poses.csv").read_text())
        X = np.column_stack([table[key] for key in ("qw", "qx", "qy", "qz")])
        heights = read_columns((HERE / "depths.csv").read_text())[f"{kind} height"]
        X = np.column_stack([np.zeros((len(X), 2)), heights, X])
        found = contactlib.manifolds(shape, contactlib.Plane(), X, [[0, 0, 0, 1, 0, 0, 0]])
        depth = np.where(found.feature >= 0, found.depth, 0.0).max(axis=1)
        results[f"depth {kind}-plane"] = (np.arange(len(X), dtype=float), 1e3 * depth)
    return results
