"""The accuracy table of meshes by fineness: forces on solids by balls of triangles beside those of the smooth ball.

`python -m tests.mesh.mesh_levels` measures all cells and writes mesh_levels.json, from which
`python -m tests.geometry.test_accuracy` writes the page.
"""

import json
from pathlib import Path

import numpy as np

from tests.mesh import test_mesh_truth_convergence as convergence
from tests.surfaces.elastic import Pair

TABLE = Path(__file__).with_suffix(".json")


def measured(case):
    """Worst relative error of the force, of each level of the ball, over random places and turns."""
    A, levels = convergence.CASES[case][0], convergence.made("ball")[1]
    X, wrenches = convergence.against("ball", case)
    force = wrenches[:, :3]
    errors = [np.linalg.norm(Pair(A, mesh).wrenches(X)[:, :3] - force, axis=1) for mesh in levels]
    return [float((e / np.linalg.norm(force, axis=1)).max()) for e in errors]


def table():
    return json.loads(TABLE.read_text())


def section():
    """Of docs/accuracy.md."""
    triangles = [20 * int(n) ** 2 for n in convergence.LEVELS]
    lines = [
        "", "## Meshes by fineness", "",
        "Worst relative error of the force on a solid that is pressed 2 cm (corners 4 cm, the polyhedron's face 1 cm)",
        "into a ball of radius 0.5 m, a mesh of so many triangles, beside that of the smooth ball (the potential by",
        f"brute force, tests/mesh/potential.py), over {convergence.PLACES} random",
        "places and turns. Edges become shorter 8 times from left to right. Each cell is a test: the error measured is",
        "at most the cell and at least half of it. A sphere touches the nearest features where these are few, by a",
        "surface where they are many. Written by `python -m tests.mesh.mesh_levels` and",
        "`python -m tests.geometry.test_accuracy`.", "",
        "| triangles | " + " | ".join(map(str, triangles)) + " |", "|---|" + "---|" * len(triangles),
    ]
    for case, cells in table().items():
        lines.append(f"| **{case.replace('_', ', ')}** | " + " | ".join(f"{cell:.1e}" for cell in cells) + " |")
    return lines


def rounded_up(x):
    """To two digits, a little more than x."""
    return float(f"{1.05 * x:.1e}")


if __name__ == "__main__":
    cells = {case: [rounded_up(x) for x in measured(case)] for case in convergence.CASES}
    rows = [f"  {json.dumps(case)}: {json.dumps(row)}" for case, row in cells.items()]
    TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
