"""Surface contacts: the force is the gradient of an energy, closed forms, and what holds wherever the two shapes are.

Against brute force, pair by pair, they are compared in tests/geometry/test_accuracy.py.
"""

import numpy as np
import pytest
from hypothesis import given

import contactlib
from contactlib.shapes import quaternion
from tests.geometry.test_properties import HERE, examples
from tests.oracle.reference_potential import line_integral
from tests.poses.poses_frames import multiply, quaternions
from tests.poses.poses_surface import (
    BOX,
    CAPSULE,
    COIN,
    CYLINDER,
    FLAG,
    MESHES,
    PAIRS,
    PEBBLE,
    PLANE,
    PLATE,
    SOLIDS,
    touching,
)
from tests.poses.strategies import scenes
from tests.support import meshes
from tests.support.compare import shape
from tests.surfaces.surface_pairs import SurfacePair

STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
HALF = 0.5**0.5
ALONG_X, ON_EDGE = (HALF, 0.0, HALF, 0.0), (np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0)


# ---- the energy ----------------------------------------------------------------------------------


def turned(X, axis, angle):
    """About a world axis through its origin."""
    q = np.array([[np.cos(angle / 2), *(np.sin(angle / 2) * np.eye(3)[axis])]])
    return np.array([*X[:3], *multiply(q, X[None, 3:])[0]])


def gradient(pair, X_A, X_B, step):
    """Minus the slopes of phi^2/2 as B moves and turns: central differences of fourth order."""
    def energy(axis, s):
        X = X_B + s * np.eye(7)[axis] if axis < 3 else turned(X_B, axis - 3, s)
        return pair(X_A, X).phi ** 2 / 2

    steps = step * np.array([1, 1, 1, 20, 20, 20])  # rad/m: on shapes of 5 cm
    return -np.array([(8 * (energy(i, s) - energy(i, -s)) - energy(i, 2 * s) + energy(i, -2 * s)) / (12 * s)
                      for i, s in enumerate(steps)])  # fmt: skip


@pytest.mark.parametrize("sharpness", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("name", SOLIDS)
def test_the_force_is_the_gradient_of_the_energy(name, sharpness):
    """To rounding between flat faces; the nodes on round surfaces move, and an error of the rule with them."""
    a, b = SOLIDS[name]
    pair, rng = SurfacePair(a, b, sharpness), np.random.default_rng(2)
    exact = 1e-4 if "c" in a[0][0] + b[0][0] else 1e-8
    for depth in (1e-4, 1e-3, 5e-3):
        X_A, X_B = touching(a, b, depth, rng)
        found, slopes = pair(X_A, X_B), gradient(pair, X_A, X_B, 1e-3 * depth)
        size = np.linalg.norm(found.force)
        np.testing.assert_allclose(found.force, slopes[:3], rtol=0, atol=exact * size)
        np.testing.assert_allclose(found.torque, slopes[3:], rtol=0, atol=exact * 0.1 * size)


# ---- closed forms --------------------------------------------------------------------------------

HEXAGON = [(0.05 * np.cos(t), 0.05 * np.sin(t), z) for t in np.arange(6) * np.pi / 3 for z in (-0.05, 0.05)]
PRISM = ("polyhedron", {"corners": np.array(HEXAGON)})
#: standing on each other on z = 0, the smaller face inside the larger one
FACES = {
    "box on plane": (("box", {"size": (0.1, 0.06, 0.04)}), PLANE),
    "prism on plane": (PRISM, PLANE),
    "cylinder on plane": (COIN, PLANE),
    "sheet on plane": (FLAG, PLANE),
    "box on box": (("box", {"size": (0.05, 0.06, 0.04)}), PLATE),
    "box on prism": (("box", {"size": (0.05, 0.05, 0.04)}), PRISM),
    "box on cylinder": (("box", {"size": (0.05, 0.06, 0.04)}), COIN),
    "cylinder on cylinder": (CYLINDER, COIN),
    "cylinder on prism": (CYLINDER, PRISM),
    "sheet on box": (FLAG, PLATE),
}


def upper(form):
    kind, sizes = form
    if kind == "box":
        return sizes["size"][2] / 2
    return sizes["length"] / 2 if kind == "cylinder" else np.max(sizes.get("corners", [[0, 0, 0]]), axis=0)[2]


@pytest.mark.parametrize("sharpness", [2, 4, 16])
@pytest.mark.parametrize("turn", [0.0, 0.2])
@pytest.mark.parametrize("name", FACES)
def test_a_whole_face_has_the_stiffness_of_the_law(name, turn, sharpness):
    """k d, whatever the two are; side walls, d high, and the rim of a face change it by some d/size."""
    a, b = FACES[name]
    X_A, d = np.array([0.005, -0.003, upper(a) + upper(b), np.cos(turn), 0, 0, np.sin(turn)]), 1e-6
    found = SurfacePair(a, b, sharpness)(X_A - [0, 0, d, 0, 0, 0, 0], STILL)
    assert found.phi == pytest.approx(d, rel=1e-4)
    np.testing.assert_allclose(found.force, [0, 0, -d], rtol=0, atol=2e-4 * d)


@pytest.mark.parametrize("p", [2, 3, 4, 8, 16])
def test_a_face_an_edge_and_a_corner_of_a_box(p):
    """Phi from M by hand: the area and the walls of a smaller face, two strips and their ends, three triangles."""
    (x, y, z), d, seat = BOX[1]["size"], 1e-3, 0.1 * 0.08
    pair, corner = SurfacePair(BOX, PLANE, p), np.sqrt(x * x + y * y + z * z) / 2
    q = np.array([corner + z / 2, -y / 2, x / 2, 0]) / np.sqrt(corner * (2 * corner + z))  # that corner down
    sines = np.array([x, y, z]) / (2 * corner)  # of the edges' slopes
    legs = d / sines
    areas = sum(np.linalg.norm(np.cross(legs[i] * np.eye(3)[i], legs[j] * np.eye(3)[j])) / 2
                for i, j in ((0, 1), (0, 2), (1, 2)))  # fmt: skip
    half = (y + z) * HALF / 2
    cases = {
        "face": ([0, 0, z / 2 - d, 1, 0, 0, 0], x * y * d**p + 2 * (x + y) * d ** (p + 1) / (p + 1)),
        "edge": ([0, 0, half - d, *ON_EDGE],
                 2 * (x * np.sqrt(2) + 2 * d / (p + 2)) * d ** (p + 1) / (p + 1)),
        "corner": ([0, 0, corner - d, *q], 2 * areas * d**p / ((p + 1) * (p + 2))),
    }  # fmt: skip
    for name, (X, M) in cases.items():
        assert pair(np.array(X), STILL).phi == pytest.approx((M / seat) ** (1 / p), rel=1e-11), name


@pytest.mark.parametrize("p", [2, 4, 16])
@pytest.mark.parametrize("ground", [PLANE, ("box", {"size": (0.4, 0.4, 0.4)})], ids=["plane", "box"])
def test_lines_along_a_face(ground, p):
    """A lying capsule has the stiffness of the law; a cylinder's line has M = L sqrt(2 r) d^(p+1/2) int (1-t^2)^p dt.

    Both to d/r, the next term of a circle's height over its tangent.
    """
    d, up = 1e-5, upper(ground) if ground != PLANE else 0.0
    for form in (CAPSULE, CYLINDER):
        r, length = form[1]["radius"], form[1]["length"]
        found = SurfacePair(form, ground, p)(np.array([0, 0, up + r - d, *ALONG_X]), STILL)
        M = length * np.sqrt(2 * r) * d ** (p + 0.5) * line_integral(p)
        phi, slope = (d, 1.0) if form == CAPSULE else ((M / (np.pi * r * r)) ** (1 / p), (p + 0.5) / p)
        assert found.phi == pytest.approx(phi, rel=2 * d / r)
        np.testing.assert_allclose(found.force, [0, 0, -slope * phi**2 / d], rtol=5 * d / r, atol=1e-9 * phi)


# ---- wherever the two are ------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRS)
def test_either_order_and_rigid_motions(name):
    """The same force and torque with the shapes exchanged, and turned with the scene.

    Of two equal solids the extent field is that of the first one: these are not exchanged.
    """
    a, b = PAIRS[name]
    one, other, rng = SurfacePair(a, b), SurfacePair(b, a), np.random.default_rng(5)
    for depth in (1e-4, 2e-3):
        X_A, X_B = touching(a, b, depth, rng)
        q, shift = quaternions(rng, 1)[0], rng.normal(size=3)
        R = quaternion.rotation_matrix(tuple(q))
        moved = [np.array([*(R @ X[:3] + shift), *multiply(q[None], X[None, 3:])[0]]) for X in (X_A, X_B)]
        here, there = one(X_A, X_B), one(*moved)
        # rounding of 1 m out of a depth of 0.1 mm; the chords around rounded edges are others where a tip comes or goes
        exact = {"rtol": 0, "atol": (1e-7 if "rounded" in name else 1e-9) * np.linalg.norm(here.force)}
        np.testing.assert_allclose(there.force, R @ here.force, **exact)
        np.testing.assert_allclose(there.torque, R @ here.torque, **exact)
        if a is not b:
            swapped = other(X_B, X_A)
            np.testing.assert_allclose(swapped.force, -here.force, **exact)
            about_a = -here.torque - np.cross(X_B[:3] - X_A[:3], here.force)
            np.testing.assert_allclose(swapped.torque, about_a, **exact)


#: flush on each other: (a, b, pose of A as it touches, how it is pressed, pose of B)
DOWN = [0, 0, -1e-3]
FLUSH = {
    "box on plane": (BOX, PLANE, [0, 0, 0.04, 1, 0, 0, 0], DOWN, STILL),
    "edge on plane": (BOX, PLANE, [0, 0, 0.07 * HALF, *ON_EDGE], DOWN, STILL),
    "box on box, overhanging": (BOX, BOX, [0.03, 0.02, 0.08, 1, 0, 0, 0], DOWN, STILL),
    "equal boxes": (BOX, BOX, [0, 0, 0.08, 1, 0, 0, 0], DOWN, STILL),
    "equal boxes, turned": (BOX, BOX, [0, 0, 0.08, HALF, 0, 0, HALF], DOWN, STILL),
    "equal prisms": (PRISM, PRISM, [0, 0, 0.1, 1, 0, 0, 0], DOWN, STILL),
    "equal cylinders": (COIN, COIN, [0, 0, 0.02, 1, 0, 0, 0], DOWN, STILL),
    "cylinder, overhanging": (PLATE, COIN, [0.03, 0, 0.025, 1, 0, 0, 0], DOWN, STILL),
    "cylinder along a plane": (CYLINDER, PLANE, [0, 0, 0.03, *ALONG_X], DOWN, STILL),
    "cylinder along an edge": (PLATE, CYLINDER, [0, 0.035 * HALF, 0.03 + 0.065 * HALF, *ON_EDGE], DOWN,
                               np.array([0, 0, 0, *ALONG_X])),
    "cylinders side by side": (CYLINDER, CYLINDER, [0, 0.06, 0, 1, 0, 0, 0], [0, -1e-3, 0], STILL),
    "capsule along a box": (CAPSULE, BOX, [0.02, 0, 0.06, *ALONG_X], DOWN, STILL),
    "capsule along an edge": (CAPSULE, BOX, [0.02, -0.01 * HALF, 0.02 + 0.07 * HALF, *ALONG_X], DOWN,
                              np.array([0, 0, 0, *ON_EDGE])),
    "capsule along a cylinder": (CAPSULE, CYLINDER, [0, 0.05, 0.03, 1, 0, 0, 0], [0, -1e-3, 0], STILL),
    "capsule upright": (CAPSULE, PLANE, [0, 0, 0.06, 1, 0, 0, 0], DOWN, STILL),
    "sheet on plane": (FLAG, PLANE, [0, 0, 0, 1, 0, 0, 0], DOWN, STILL),
    "rounded box on plane": (PEBBLE, PLANE, [0, 0, 0.03, 1, 0, 0, 0], DOWN, STILL),
    "rounded box, overhanging": (PEBBLE, BOX, [0.03, 0.02, 0.07, 1, 0, 0, 0], DOWN, STILL),
    "rounded box on its edge": (PEBBLE, BOX, [0, 0, 0.04 + 0.01 + 0.045 * HALF, *ON_EDGE], DOWN, STILL),
    "equal rounded boxes": (PEBBLE, PEBBLE, [0, 0, 0.06, 1, 0, 0, 0], DOWN, STILL),
}  # fmt: skip


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("name", FLUSH)
def test_tilts_and_shifts_like_rounding_change_little(name, axis):
    """Of 1e-12 to 1e-6 rad and 1e-12 to 1e-8 m: by less than 2e-3 of the force, of the moment with a lever of 0.1 m."""
    a, b, X, press, X_B = FLUSH[name]
    X, pair = np.add(X, [*press, 0, 0, 0, 0]), SurfacePair(a, b)
    here = pair(X, X_B)
    size = np.linalg.norm(here.force)
    assert size > 1e-6
    for s in (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6):
        for X_near in (turned(X, axis, s), turned(X, axis, -s), X + min(s, 1e-8) * np.eye(7)[axis]):
            there = pair(X_near, X_B)
            assert np.linalg.norm(there.force - here.force) < 2e-3 * size
            assert np.linalg.norm(there.torque - here.torque) < 2e-3 * 0.1 * size


@pytest.mark.parametrize("name", PAIRS)
def test_manifolds_have_the_line_of_action(name):
    """`contactlib.manifolds`: one point, its force depth times load_share along the normal, and the torque of it.

    A couple about the force is left out.
    """
    (a, b), rng = PAIRS[name], np.random.default_rng(6)
    pair = SurfacePair(a, b)
    for depth in (1e-4, 2e-3):
        X_A, X_B = touching(a, b, depth, rng)
        m, found = contactlib.manifolds(shape(a), shape(b), X_A, X_B), pair(X_A, X_B)
        force = m.depth[0, 0] * m.load_share[0, 0] * m.normal[0, 0]
        couple = found.torque - np.cross(m.point[0, 0] - X_B[:3], force)
        assert m.count[0] == 1
        np.testing.assert_allclose(force, found.force, rtol=0, atol=1e-12 * np.linalg.norm(force))
        np.testing.assert_allclose(np.cross(couple, m.normal[0, 0]), 0, atol=1e-9 * np.linalg.norm(force))


CONVEX = [tuple(name.split("-")) for name in SOLIDS]


@examples(200)
@given(scenes(CONVEX))
def test_every_contact_is_sound(scene):
    """Degenerate poses too: finite, of unit normal, never of solids that are apart, and the same bits 1e7 m away."""
    A, B, X = scene
    a, b = shape(A), shape(B)
    m = contactlib.manifolds(a, b, X, HERE)
    gap = contactlib.distances(a, b, X, HERE)
    k = m.count[0]
    if gap.distance[0] > 1e-12:
        assert k == 0
    if k:
        assert 0 < m.depth[0, 0] < 2 and m.load_share[0, 0] >= 0
        assert np.isfinite(m.point).all()
        np.testing.assert_allclose(np.linalg.norm(m.normal[0, 0]), 1, atol=1e-15)
    far = np.array([1e7, -1e7, 1e7, 0, 0, 0, 0])
    there = contactlib.manifolds(a, b, X + far, HERE + far)
    assert there.depth.tobytes() == m.depth.tobytes() and there.normal.tobytes() == m.normal.tobytes()


@pytest.mark.parametrize("name", PAIRS)
def test_an_overlap_is_a_contact(name):
    """For random poses, as the distance tells, however shallow."""
    (a, b), rng, n = PAIRS[name], np.random.default_rng(8), 1000
    X_A, X_B = (np.hstack([rng.uniform(-0.05, 0.05, (n, 3)), quaternions(rng, n)]) for _ in range(2))
    overlap = contactlib.distances(shape(a), shape(b), X_A, X_B).overlap
    assert overlap.mean() > 0.1
    np.testing.assert_array_equal(contactlib.manifolds(shape(a), shape(b), X_A, X_B).count > 0, overlap)
    for depth in (1e-12, 1e-9, 1e-6):
        assert contactlib.manifolds(shape(a), shape(b), *touching(a, b, depth, rng)).count[0] == 1


def test_a_swallowed_ellipsoid():
    """Far inside a mesh no facet is near: the middle of the ellipsoid is in contact, from half its least radius off."""
    cube = contactlib.Mesh(*meshes.cube(2.0))
    m = contactlib.manifolds(contactlib.Ellipsoid((0.05, 0.06, 0.07)), cube, [0, 0, 0.2, 1, 0, 0, 0], STILL)
    assert m.count[0] == 1
    assert m.depth[0, 0] == pytest.approx(0.8 + 0.025, abs=1e-12)
    np.testing.assert_allclose(m.normal[0, 0], [0, 0, -1], atol=1e-12)


@pytest.mark.parametrize("name", ["box-box", "capsule-cylinder", *MESHES])
def test_threads_change_nothing(name):
    (a, b), rng, n = PAIRS[name], np.random.default_rng(9), 300
    X_A, X_B = (np.hstack([rng.uniform(-0.05, 0.05, (n, 3)), quaternions(rng, n)]) for _ in range(2))
    one, three = (contactlib.manifolds(shape(a), shape(b), X_A, X_B, num_threads=k) for k in (1, 3))
    assert all(getattr(one, key).tobytes() == getattr(three, key).tobytes() for key in ("point", "normal", "depth"))
