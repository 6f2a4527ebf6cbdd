"""Energy, force and torque of every solid on meshes beside the brute force of potential.py, which samples surfaces."""

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth, potential, truth_meshes
from tests.surfaces.elastic import Pair

STONE = truth_meshes.rock(3, 20)
SOLIDS = {
    "capsule": contactlib.Capsule(0.08, 0.4),
    "cylinder": contactlib.Cylinder(0.12, 0.3),
    "ellipsoid": contactlib.Ellipsoid((0.1, 0.2, 0.15)),
    "box": contactlib.Box((0.3, 0.25, 0.2)),
    "polyhedron": contactlib.Polyhedron(tuple(map(tuple, (0.5 * STONE.vertices).tolist()))),
    "mesh": contactlib.Mesh(0.5 * STONE.vertices, STONE.triangles),
}
# relative. Of some 10,000 samples where only a corner is inside; the flat part of a curved mesh is found to 1 % of its
# area, which is 0.5 % of the energy and the force
OFF = 0.03


@pytest.mark.parametrize("mesh", ["cube", "ball320", "torus", "corner"])
@pytest.mark.parametrize("solid", list(SOLIDS))
def test_as_by_brute_force(solid, mesh):
    """1 to 10 mm deep, where a round solid's core, which is to hold it when it is deeper, is not in contact."""
    rng, A, B = np.random.default_rng(1), SOLIDS[solid], mesh_truth.as_shape(mesh)
    pair = Pair(A, B)
    X_A, X_B, _, _ = mesh_truth.random_poses(rng, A, mesh, 10 ** rng.uniform(-3, -2, 3))
    for one, other in zip(X_A, X_B, strict=True):
        R, p = mesh_truth.relative(one, other)
        X = np.r_[p, mesh_truth.quaternion(R)]
        wrench, energy = pair.wrenches(X)[0], pair.energies(X)[0]
        right, push = potential.solid_on_mesh(A, B, X)
        assert abs(energy / right - 1) < OFF
        assert np.linalg.norm(wrench - push) < OFF * np.linalg.norm(push)
