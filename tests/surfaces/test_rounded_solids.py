"""Surface contacts of rounded boxes and polyhedra: closed forms, deep overlap, and what rounding must not decide."""

import tomllib

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import contactlib
from contactlib import Polyhedron, manifolds
from contactlib.shapes.shapes import Box, Mesh, Triangle
from tests.geometry.test_rounding import BOX, CORE, HALF, HERE, OUTER, SCENE, TETRAHEDRON, R, scene
from tests.support import meshes


@pytest.mark.parametrize("shape", ["box", "polyhedron"])
def test_a_face_rests_on_a_face(shape):
    """Two rounded boxes, one flat on the other: the whole face of the smaller core, in the middle, at its depth."""
    small, d = Box((0.2, 0.2, 0.2), rounding=0.02), 1e-3
    if shape == "polyhedron":
        small = Polyhedron(0.1 * np.sign(CORE), rounding=0.02)
    found = manifolds(BOX, small, HERE, [[0.05, 0.1, 0.15 + 0.1 - d, 1, 0, 0, 0]])
    assert found.count[0] == 1
    assert found.depth[0, 0] == pytest.approx(d, abs=1e-14)
    # the small one's core, d deep, has side walls in the field of the large one: 4 d/((p + 1) 0.16) of the area
    assert found.load_share[0, 0] == pytest.approx(1.0, abs=5 * d / (4 * 0.16))
    np.testing.assert_allclose(found.point[0, 0], [0.05, 0.1, 0.15 - d], atol=5 * d * d / 0.16)
    np.testing.assert_allclose(found.normal[0, 0], [0, 0, 1], atol=1e-12)


@pytest.mark.parametrize("other", [TETRAHEDRON, Triangle(((-1.0, -1.0, 0.0), (2.0, -1.0, 0.0), (-1.0, 2.0, 0.0)))])
def test_edge_and_corner_are_felt_at_the_rounding(other):
    """A corner up: a face that comes from above touches the ball around the corner of the core, wherever it goes on."""
    up = Rotation.align_vectors([[0, 0, 1]], [[1, 1, 1]])[0]
    q = up.as_quat()[[3, 0, 1, 2]]
    height = up.apply(CORE)[:, 2].max() + R
    X = np.array([[0.05, 0.03, z, *q] for z in (-height - 1e-6, -height + 1e-6)])
    a, b = (BOX, other) if other.kind == "mesh" else (other, BOX)
    X_A, X_B = (X, HERE) if a is BOX else (HERE, X)
    assert (manifolds(a, b, X_A, X_B).count > 0).tolist() == [False, True]


@pytest.mark.parametrize("shape", [Box((0.2, 0.2, 0.1), rounding=0.02), Polyhedron.hull_of(OUTER * 0.3, rounding=0.01)])
def test_a_rounded_solid_that_a_mesh_has_swallowed_is_pushed_out(shape):
    """By the nearest way, also where no part of the mesh's surface is in it any more; the depth grows with the way."""
    cube = Mesh(*meshes.cube(2.0, 1))
    deeper = 0.0
    for z in (0.9, 0.7, 0.5):
        found = manifolds(shape, cube, [[0.1, 0.05, z, 1, 0, 0, 0]], HERE)
        assert found.count[0] == 1
        np.testing.assert_allclose(found.normal[0, 0], [0, 0, -1], atol=1e-3)
        force = found.depth[0, 0] * found.load_share[0, 0]
        assert force > deeper
        deeper = force


GROUNDS = {
    "plane": 'kind = "plane"',
    "box": 'kind = "box", size = [2.0, 2.0, 1.0], r = [0.0, 0.0, -0.5]',
    "mesh": 'kind = "mesh", heights = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], spacing = [1.0, 1.0], '
            'thickness = 1.0',
}


def pressed(ground, turn, height, d):
    """N, the force at the depth d of the block, which touches the ground at this height of its middle."""
    q = turn.as_quat()[[3, 0, 1, 2]]
    simulation = contactlib.Simulation(scene(GROUNDS[ground]).compile())
    return simulation.compute({"block": (0, 0, height - d, *q, *[0] * 6)}).wrench("block")[2]


def force_of(M, power, seat, d, k=1e4):
    """N, k Phi dPhi/dd of M = c d^power; seat: (factor, power) of the terms of S."""
    phi = d * brentq(lambda x: sum(f * x**n for f, n in seat) - M, 1e-9, 2.0)
    return k * phi * power * M / d / (sum(n * f * (phi / d) ** n for f, n in seat) / phi)


def on_edge(angle):
    return Rotation.from_rotvec([angle, 0, 0]), HALF[1] * np.sin(angle) + HALF[2] * np.cos(angle) + R


def on_corner():
    up = Rotation.align_vectors([[0, 0, 1]], [[1, 1, 1]])[0]
    return up, up.apply(CORE)[:, 2].max() + R


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_whole_face_has_the_stiffness_of_the_law(ground):
    """On a mesh, of which the block has the field, to d/(2 R): e is the rounding less the distance, no parabola."""
    d = 1e-4
    assert pressed(ground, Rotation.identity(), 0.15, d) == pytest.approx(1e4 * d, rel=d / R)


@pytest.mark.parametrize("ground", ["plane", "box"])
def test_the_edge_of_the_core_sinks_in_like_a_sharp_one(ground):
    """In a ground that is thicker. On the two faces of the core e falls from d: M = L d^5/5 (1/sin + 1/cos)."""
    d, seat = 1e-3, [(0.4 * 0.7 * 1e-12, 4)]
    for angle in (0.2, 0.7, 1.2):
        M = 0.4 * d**5 / 5 * (1 / np.sin(angle) + 1 / np.cos(angle))
        ends = d / (6 * 0.4) * 4  # two triangles of the core's ends
        assert pressed(ground, *on_edge(angle), d) == pytest.approx(force_of(M, 5, seat, d), rel=ends)


def test_edge_and_corner_are_round_in_a_mesh():
    """An edge is a line with a ball, a corner a ball, to d/(2 R)."""
    d = 1e-4
    line, ball = 256 / 315 * (2 * R) ** 0.5 * d**4.5, 2 * np.pi * R / 5 * d**5  # int e^4 dA of 1 m, and of a ball
    seat = [(0.4 * 0.7 * d**4, 4), ((0.4 + 0.7) * line, 4.5), (ball, 5)]  # the largest face: core, border, corners
    M = 0.4 * line + ball
    for angle in (0.2, 0.7, 1.2):
        assert pressed("mesh", *on_edge(angle), d) == pytest.approx(
            force_of(M, 4.5 + 0.5 * ball / M, seat, d), rel=4 * d / R)
    assert pressed("mesh", *on_corner(), d) == pytest.approx(force_of(ball, 5, seat, d), rel=4 * d / R)


@pytest.mark.parametrize("ground", ["plane", "box"])
def test_a_solid_that_stands_on_its_end_is_pushed_out_as_far_as_it_sinks(ground):
    """The force of a rod grows up to its middle."""
    text = SCENE.replace("size = [0.5, 0.8, 0.3]", "size = [0.1, 0.1, 0.6]").replace("0.05", "0.01")
    spec = contactlib.Spec.from_dict(tomllib.loads(text.replace("OTHER", GROUNDS[ground])))
    simulation = contactlib.Simulation(spec.compile())
    forces = [simulation.compute({"block": (0.013, 0.021, 0.3 - d, 1, *[0] * 9)}).wrench("block")[2]
              for d in (1e-3, 0.02, 0.05, 0.1, 0.2, 0.29)]
    assert (np.diff(forces) > 0).all()


def test_a_face_in_the_plane_of_a_cores_face_counts_once():
    """As deep as the rounding, to the last digit: which of two cells has it does not depend on rounding."""
    block, plate = Box((0.1, 0.1, 0.1), rounding=0.01), Box((0.3, 0.3, 0.02))
    z = 0.05 + np.array([-1e-9, -1e-14, 0.0, 1e-14, 1e-9])
    X = np.column_stack([np.full((5, 2), (0.003, 0.005)), z, np.tile((1.0, 0, 0, 0), (5, 1))])
    found = manifolds(block, plate, X, HERE)
    force = found.depth[:, 0] * found.load_share[:, 0]
    np.testing.assert_allclose(force, force[2], rtol=1e-6)
