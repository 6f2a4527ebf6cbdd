"""The force of each surface pair, and its line of action, against sampled integrals."""

from pathlib import Path

import numpy as np

import contactlib
from contactlib.validation.compare import read_columns
from contactlib.validation.run import load_program

HERE = Path(__file__).parent


def run(runner):
    reference = load_program(HERE / "reference.py")
    makers = {"capsule": contactlib.Capsule, "triangle": contactlib.Triangle, "box": contactlib.Box,
              "cylinder": contactlib.Cylinder, "polyhedron": contactlib.Polyhedron, "plane": contactlib.Plane}
    shapes = {kind: makers[kind](**size) for kind, size in reference.SHAPES.items()}
    table = read_columns((HERE / "forces.csv").read_text())
    results, turn, offset = {}, 0.0, 0.0
    for a, b in reference.PAIRS:
        poses, forces, moments = (np.column_stack([table[f"{a}-{b} {name}"] for name in names]) for names in (
            ("x", "y", "z", "qw", "qx", "qy", "qz"), ("Fx", "Fy", "Fz"), ("Mx", "My", "Mz")))
        found = contactlib.manifolds(shapes[a], shapes[b], [[0, 0, 0, 1, 0, 0, 0]], poses)
        size = 1e3 * (found.depth * found.load_share)[:, 0]  # mm: of the force for a stiffness of 1
        normal, point = found.normal[:, 0], 1e3 * found.point[:, 0]
        results[f"force {a}-{b}"] = (np.arange(len(poses), dtype=float), size)
        sizes = np.linalg.norm(forces, axis=1)[:, None]
        turn = max(turn, np.linalg.norm(normal - forces / sizes, axis=1).max())
        # a couple about the force has no line of action
        across = (moments - np.cross(point, forces)) / sizes
        across -= (across * normal).sum(axis=1)[:, None] * normal
        offset = max(offset, np.linalg.norm(across, axis=1).max())
    return {**results, "largest turn of a force": float(turn), "largest offset of a line of action": float(offset)}
