"""On the flat parts of a mesh every solid rests as on a plane, wherever edges of triangles run below it."""

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth
from tests.support import meshes
from tests.surfaces.elastic import Pair

UP = np.array([0, 0, 1.0])
BLOCK = meshes.terrain(16, 1.0, 0.0)  # its top is z = 0
CUBE = meshes.cube(0.1, 2)
BALL = meshes.icosphere(2, 0.06)
SOLIDS = {
    "box": contactlib.Box((0.12, 0.1, 0.08)),
    "polyhedron": contactlib.Polyhedron(tuple(map(tuple, (1.1 * meshes.cube(0.1).vertices).tolist()))),
    "mesh": contactlib.Mesh(CUBE.vertices, CUBE.triangles),
    "capsule": contactlib.Capsule(0.05, 0.2),
    "cylinder": contactlib.Cylinder(0.05, 0.1),
}
#: of force, and of torque over 0.1 m. A capsule's round ends are sums by Gauss's rule where triangles cut them. Against
#: a mesh a cylinder has the extent field, against a plane the plane has: they differ below the rim, depth over radius
ALIKE = {"capsule": 1e-5, "cylinder": 0.05}
SLOPES = [0.0, 1e-9, 1e-6, 1e-3, 0.03, 0.3, 1.0]
#: on its rim, nothing but the rim is below a cylinder: that is left out
CASES = [(solid, slope) for solid in SOLIDS for slope in SLOPES if solid != "cylinder" or slope < 0.01]


def ground(mesh=BLOCK):
    return contactlib.Mesh(mesh.vertices, mesh.triangles)


def reach(A, R):
    """How far a solid that is turned by R reaches down."""
    down = (R.T @ -UP)[None]
    return -(mesh_truth.as_solid(A).support(down)[0] @ R.T)[2]


def leaning(rng, A, slope, depth):
    """Anywhere on the block, its z axis off the vertical by that slope (rad), or that of a capsule off the plane; the
    lowest point that deep."""
    tilt = np.pi / 2 - slope if A.kind == "capsule" else slope
    R = mesh_truth.about(UP, rng.uniform(0, 6)) @ mesh_truth.about(np.array([0, 1.0, 0]), tilt)
    R = R @ mesh_truth.about(UP, rng.uniform(0, 6))
    return np.r_[rng.uniform(-0.3, 0.3, 2), reach(A, R) - depth, mesh_truth.quaternion(R)]


@pytest.mark.parametrize(("solid", "slope"), CASES)
def test_a_flat_mesh_is_a_plane(solid, slope):
    rng, A = np.random.default_rng(1), SOLIDS[solid]
    X = np.array([leaning(rng, A, slope, 10 ** rng.uniform(-5, -3)) for _ in range(100)])
    ours, plane = (Pair(A, B).wrenches(X) for B in (ground(), contactlib.Plane()))
    size = np.linalg.norm(plane[:, :3], axis=1)
    assert (size > 0).all()
    off = (ours - plane) / [1, 1, 1, 0.1, 0.1, 0.1]
    assert (np.linalg.norm(off, axis=1) < ALIKE.get(solid, 1e-6) * size).all()


@pytest.mark.parametrize("solid", ["box", "polyhedron", "mesh"])
def test_a_face_has_the_stiffness_of_the_law(solid):
    """F = dE/dd with Phi^4 = d^4 + d^5 L / (5 A), L the edge around the area A: the strips of the side walls count."""
    A = SOLIDS[solid]
    a, b = (0.12, 0.1) if solid == "box" else (0.11, 0.11) if solid == "polyhedron" else (0.1, 0.1)
    for depth in (1e-6, 1e-4, 1e-3):
        strip = depth * 2 * (a + b) / (5 * a * b)
        expected = depth * (1 + strip) ** -0.5 * (1 + 1.25 * strip)
        X = np.array([0.013, 0.021, reach(A, np.eye(3)) - depth, 1, 0, 0, 0])
        w = Pair(A, ground()).wrenches(X)[0]
        np.testing.assert_allclose(w, [0, 0, expected, 0, 0, 0], rtol=1e-9, atol=1e-12 * expected)


@pytest.mark.parametrize("depth", [1e-5, 1e-4, 1e-3])
def test_a_ball_and_an_egg_press_like_springs_of_the_law(depth):
    """Of the stiffness of the law where they stand on flat ground, but for a part like depth over radius."""
    for A, low in ((contactlib.Ellipsoid((0.1, 0.2, 0.15)), 0.15), (contactlib.Ellipsoid((0.1, 0.1, 0.1)), 0.1)):
        w = Pair(A, ground()).wrenches([0.013, 0.021, low - depth, 1, 0, 0, 0])[0]
        assert np.abs(w[:2]).max() < 1e-6 * w[2]
        radius = A.semi_axes[0] * A.semi_axes[1] / low  # of a ball that is as curved there
        mean = np.prod(A.semi_axes) ** (1 / 3)
        expected = depth * (radius / mean) ** (2 / 5)
        assert abs(w[2] / expected - 1) < 3 * depth / 0.1


def test_a_ball_of_triangles_on_a_plane():
    """Its corners, edges and faces, in turn."""
    A = contactlib.Mesh(BALL.vertices, BALL.triangles)
    rng = np.random.default_rng(4)
    X = np.array([leaning(rng, A, s, 1e-3) for s in rng.uniform(0, 3, 50)])
    ours, plane = (Pair(A, B).wrenches(X) for B in (ground(), contactlib.Plane()))
    np.testing.assert_allclose(ours, plane, rtol=0, atol=1e-6 * np.abs(plane).max())


def beside(rng):
    """The block and a small tetrahedron beside the solids, in the box around them."""
    small = meshes.cube(1e-3)
    off = rng.uniform(0.03, 0.04, 3) * [1, 1, 1.5] * rng.choice([-1, 1], 3) * [1, 1, 0] + [0, 0, 0.12]
    return meshes.Mesh(np.concatenate([BLOCK.vertices, small.vertices + off]),
                       np.concatenate([BLOCK.triangles, small.triangles + len(BLOCK.vertices)]))


@pytest.mark.parametrize("solid", list(SOLIDS))
def test_what_touches_nothing_changes_nothing(solid):
    rng, A = np.random.default_rng(3), SOLIDS[solid]
    one, other = Pair(A, ground()), Pair(A, ground(beside(rng)))
    for slope in (0.0, 1e-3, 0.02, 0.25):
        X = leaning(rng, A, slope, 1e-4)
        X[:2] = 0
        w = one.wrenches(X)[0]
        assert np.linalg.norm(other.wrenches(X)[0] - w) < 1e-9 * np.linalg.norm(w)
