"""A capsule on the flat parts of a mesh rests as on a plane, where its contacts are known in closed form.

Triangles beside it that touch nothing change nothing: the library takes flat ground by a shorter way.
"""

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth
from tests.mesh.truth_solids import unit
from tests.support import meshes

STILL = [0, 0, 0, 1.0, 0, 0, 0]
R, LENGTH = 0.05, 0.2
CAPSULE = contactlib.Capsule(R, LENGTH)
FLAT = meshes.flat(16, 1.0)
UP = np.array([0, 0, 1.0])


def leaning(rng, slope, depth):
    """A pose on the plane z = 0 whose axis rises by that slope (rad), its lower end that deep."""
    turn = mesh_truth.about(UP, rng.uniform(0, 2 * np.pi)) @ mesh_truth.about(np.array([0, 1.0, 0]), np.pi / 2 - slope)
    z = R - depth + LENGTH / 2 * abs(np.sin(slope))
    return np.r_[rng.uniform(-0.3, 0.3, 2), z, mesh_truth.quaternion(turn)]


def pushed(m, X):
    """Force (N, 3) and torque about the origin of A (N, 3) of unit springs."""
    f = m.normal * (m.depth * m.load_share * (m.depth > 0))[..., None]
    return f.sum(1), np.cross(m.point - X[:, None, :3], f).sum(1)


@pytest.mark.parametrize("slope", [0.0, 1e-9, 1e-5, 1e-3, 2e-3])
def test_lying_it_rests_on_both_ends(slope):
    """Both ends are in, or one of them: exactly as on a plane, wherever edges of triangles run below it."""
    rng = np.random.default_rng(1)
    X = np.array([leaning(rng, slope, 10 ** rng.uniform(-5, -3)) for _ in range(300)])
    ours = contactlib.manifolds(CAPSULE, contactlib.Mesh(FLAT.vertices, FLAT.triangles), X, STILL)
    plane = contactlib.manifolds(CAPSULE, contactlib.Plane(), X, STILL)
    ruled = plane.depth.max(1) < 20 * LENGTH * slope  # a short line, of which the round end has a part
    long = ~ruled | (slope == 0) | (plane.count == 2)
    assert long.any()
    np.testing.assert_array_equal(ours.count[long], plane.count[long])
    (f, t), (g, s) = pushed(ours, X), pushed(plane, X)
    np.testing.assert_allclose(f[long], g[long], atol=1e-12 * LENGTH)
    np.testing.assert_allclose(t[long], s[long], atol=1e-12 * LENGTH)
    assert (ours.load_share[ours.depth > 0] <= 1 + 1e-12).all()


@pytest.mark.parametrize("slope", [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 1.5])
def test_on_one_end_it_rests_as_a_ball(slope):
    """One spring's force below the lower end, to what a patch changes of its form as a line becomes a ball: 1.1 %."""
    rng = np.random.default_rng(2)
    X = np.array([leaning(rng, slope, 10 ** rng.uniform(-5, -3)) for _ in range(300)])
    ours = contactlib.manifolds(CAPSULE, contactlib.Mesh(FLAT.vertices, FLAT.triangles), X, STILL)
    plane = contactlib.manifolds(CAPSULE, contactlib.Plane(), X, STILL)
    (f, t), (g, s) = pushed(ours, X), pushed(plane, X)
    size = np.linalg.norm(g, axis=1)
    assert (np.linalg.norm(f - g, axis=1) < 0.012 * size).all()
    assert (np.linalg.norm(t - s, axis=1) < 0.012 * size * LENGTH / 2).all()


#: of a ball's end, whose moments are sums by Gauss's rule where it is not on flat ground alone; 7e-6 was seen
SUMMED = 1.5e-5


def beside(X, rng):
    """The flat mesh and a small triangle in the box around the capsule at X, beside its round sides."""
    turn, off = mesh_truth.matrix(X[3:]), None
    while off is None or off[2] < 0.01:
        angle = rng.choice([1, 3, 5, 7]) * np.pi / 4
        off = turn @ [1.3 * R * np.cos(angle), 1.3 * R * np.sin(angle), rng.uniform(-0.4, 0.4) * LENGTH]
        off = X[:3] + off
    corners = off + 1e-3 * unit(rng.normal(size=(3, 3)))
    return contactlib.Mesh(np.concatenate([FLAT.vertices, corners]),
                           np.concatenate([FLAT.triangles, len(FLAT.vertices) + np.array([[0, 1, 2]])]))  # fmt: skip


@pytest.mark.parametrize("slope", [0.0, 1e-3, 3e-3, 0.02, 0.25, 1.0, 1.5])
def test_what_touches_nothing_changes_nothing(slope):
    rng, flat = np.random.default_rng(3), contactlib.Mesh(FLAT.vertices, FLAT.triangles)
    for _ in range(30):
        X = leaning(rng, slope, 10 ** rng.uniform(-5, -3))[None]
        one, other = (contactlib.manifolds(CAPSULE, mesh, X, STILL) for mesh in (flat, beside(X[0], rng)))
        (f, t), (g, s) = pushed(one, X), pushed(other, X)
        same = SUMMED if slope > 0.2 else 1e-9
        assert np.linalg.norm(f - g) < same * np.linalg.norm(f)
        assert np.linalg.norm(t - s) < same * np.linalg.norm(f) * LENGTH
