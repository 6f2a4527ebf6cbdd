"""Solids and sheets at sharp edges of convex meshes leave by the shortest way, and are no deeper than it is long.

Truth is the least translation of two convex solids (mesh_truth.py).
"""

import json
from pathlib import Path

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth
from tests.mesh.truth_solids import unit
from tests.support import meshes

HERE = np.array([0, 0, 0, 1.0, 0, 0, 0])
#: poses of long runs of test_mesh_truth_coverage.py that were off by more than a factor of 2, by cause
POSES = json.loads(Path(__file__).with_name("mesh_ways.json").read_text())
MAKERS = {"box": contactlib.Box, "cylinder": lambda numbers: contactlib.Cylinder(*numbers),
          "polyhedron": contactlib.Polyhedron, "triangle": contactlib.Triangle}  # fmt: skip


def tuples(numbers):
    return tuple(tuples(x) if isinstance(x, list) else x for x in numbers)


def deepest(A, B, X_A, X_B):
    m = contactlib.manifolds(A, B, X_A, X_B, max_contacts=64)
    return np.where(m.count > 0, m.depth.max(1), 0.0)


@pytest.mark.parametrize("pose", POSES, ids=[pose["name"] for pose in POSES])
def test_poses_that_were_wrong(pose):
    A, X_A, X_B = MAKERS[pose["kind"]](tuples(pose["shape"])), np.array(pose["X_A"]), np.array(pose["X_B"])
    low, high = mesh_truth.truth_depth(A, X_A, pose["mesh"], X_B)
    found = deepest(A, mesh_truth.as_shape(pose["mesh"]), X_A, X_B)[0]
    assert low / 1.3 < found < 1.3 * high


def near_an_edge(rng, depth):
    """A corner inside a unit cube, about `depth` from one face and up to four times as deep below another, over which
    the way goes on out of the cube."""
    y, z = 0.5 - depth * rng.uniform(0.5, 1), 0.5 - depth * rng.uniform(1, 4)
    return np.array([rng.uniform(-0.3, 0.3), y, z]), unit(np.array([*rng.uniform(-1, 0.1, 2), rng.uniform(0.05, 1)]))


@pytest.mark.parametrize("depth", [1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("cells", [1, 4])
def test_a_corner_of_a_sheet_near_an_edge_of_a_cube(cells, depth):
    mesh, rng, wrong, count = meshes.cube(1.0, cells), np.random.default_rng(8), [], 0
    B = contactlib.Mesh(mesh.vertices, mesh.triangles)
    while count < 300:
        tip, out = near_an_edge(rng, depth)
        others = [tip + rng.uniform(0.05, 0.5) * unit(out + 0.5 * rng.normal(size=3)) for _ in range(2)]
        A = contactlib.Triangle(tuple(map(tuple, np.array([tip, *others]).tolist())))
        low, high = mesh_truth.truth_depth(A, HERE, B, HERE)
        if not 0.2 * depth < low < 0.1 * mesh_truth.as_solid(A).thickness:
            continue
        count += 1
        found = deepest(A, B, HERE, HERE)[0]
        if not low / 2 < found < 2 * high:
            wrong.append((found, low, A.corners))
    assert not wrong, f"{len(wrong)} of {count} wrong, first {wrong[0]}"
