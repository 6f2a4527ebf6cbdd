"""Solids at rest in and on a socket: the contacts that hand and ruler give, and no others.

Against the oracle, pose by pose, they are compared in tests/geometry/test_manifolds.py.
"""

import itertools

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import contactlib
from tests.poses.poses_frames import SOCKET
from tests.poses.poses_socket import CONVEX, LARGE, PAIRS
from tests.support.compare import as_mesh, manifolds, shape
from tests.support.meshes import prism

R, H = SOCKET[1]["radius"], SOCKET[1]["length"]
SIZE = np.array(SOCKET[1]["size"])
STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
ROUNDING = 1e-15  # m or a sine, of numbers of a decimetre
PRESS = 1e-6  # m
ROOM = 64  # contacts of one manifold


def contacts(A, p, q=(1.0, 0.0, 0.0, 0.0)):
    """Points (K, 3), normals and depths (K,) of A at p in the socket's frame, sorted by place."""
    m = contactlib.manifolds(A, shape(SOCKET), np.array([*p, *q]), STILL, max_contacts=ROOM)
    k = m.count[0]
    order = np.lexsort(np.round(m.point[0, :k], 9).T)
    return m.point[0, :k][order], m.normal[0, :k][order], m.depth[0, :k][order]


def about_z(angle):
    return np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)


def cone(sides, low, wide, up):
    """A tip at z = -low, `wide` from the axis at z = up."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = [(wide * np.cos(t), wide * np.sin(t), up) for t in angle]
    return contactlib.Polyhedron([(0.0, 0.0, -low), *ring])


# ---- in the hole ----------------------------------------------------------------------------------


def test_square_peg_in_the_hole():
    """Its four edges touch the wall, each with a corner below and at the rim above."""
    half = R / np.sqrt(2) + PRESS
    n, d = np.array([1, 1, 0]) / np.sqrt(2), half * np.sqrt(2) - R
    x, normal, depth = contacts(contactlib.Box((2 * half, 2 * half, 0.06)), (0, 0, 0))
    assert len(x) == 8
    np.testing.assert_allclose(depth, d, atol=ROUNDING)
    np.testing.assert_allclose(np.abs(normal), np.tile(n, (8, 1)), atol=ROUNDING)
    np.testing.assert_allclose(np.abs(x[:, :2]), R / np.sqrt(2) + d * n[0] / 2, atol=ROUNDING)
    np.testing.assert_allclose(x[:, 2], [-0.03] * 4 + [0] * 4, atol=ROUNDING)


def test_square_peg_with_clearance_is_free():
    half = R / np.sqrt(2) - PRESS
    assert not len(contacts(contactlib.Box((2 * half, 2 * half, 0.06)), (0, 0, 0))[0])


def test_square_peg_on_the_cap():
    """Upright, its four lower corners stand on the cap: below P0 by the height of a chord."""
    half, drop = 0.006, 1e-6
    low = -H - np.sqrt(R**2 - 2 * half**2) - drop
    x, normal, depth = contacts(contactlib.Box((2 * half, 2 * half, 0.1)), (0, 0, low + 0.05))
    corner = np.array([half, half, low + H])
    assert len(x) == 4
    np.testing.assert_allclose(depth, np.linalg.norm(corner) - R, atol=ROUNDING)
    np.testing.assert_allclose(np.abs(normal), np.tile(np.abs(corner) / np.linalg.norm(corner), (4, 1)), atol=1e-13)


@pytest.mark.parametrize("sides", [3, 4, 6, 8])
def test_tip_in_the_hole(sides):
    """Each edge of the tip leans on the rim, and nothing else touches."""
    low, wide, up = 0.03, 0.025, 0.02
    fits = low - R * (low + up) / wide  # where the edges pass the rim at R
    slope = np.array([low + up, wide]) / np.hypot(low + up, wide)
    assert not len(contacts(cone(sides, low, wide, up), (0, 0, fits + PRESS))[0])
    x, normal, depth = contacts(cone(sides, low, wide, up), (0, 0, fits - PRESS))
    assert len(x) == sides
    np.testing.assert_allclose(depth, PRESS * slope[1], atol=ROUNDING)
    np.testing.assert_allclose(normal[:, 2], -slope[1], atol=1e-13)
    np.testing.assert_allclose(np.hypot(*normal[:, :2].T), slope[0], atol=1e-13)


def test_ruler_in_the_hole():
    """Narrower than the hole, it leans with two edges on the rim and stands with two corners in the cap."""
    ruler, lean = contactlib.Box((0.02, 0.002, 0.12)), 0.3
    q = (np.cos(lean / 2), np.sin(lean / 2), 0, 0)
    chord = np.sqrt(R**2 - 0.01**2)
    across = np.array([0, np.cos(lean), np.sin(lean)])
    p = np.array([0, -chord, 0]) + 0.001 * across - PRESS * across
    normal = contacts(ruler, p, q)[1]
    rim = np.abs(normal[:, 2]) < 0.5
    assert rim.sum() == 2 and (normal[rim, 1] < 0).all()


def test_round_peg_along_the_wall():
    """Parallel to the hole it touches along a line, with its lower circle and at the rim."""
    peg, clearance = contactlib.Cylinder(R - 0.2e-3, 0.06), 0.2e-3
    x, normal, depth = contacts(peg, (clearance + PRESS, 0, 0))
    assert len(x) == 2
    np.testing.assert_allclose(normal, np.tile([1, 0, 0], (2, 1)), atol=ROUNDING)
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)
    np.testing.assert_allclose(x[:, 2], [-0.03, 0], atol=ROUNDING)
    assert not len(contacts(peg, (clearance - PRESS, 0, 0))[0])


@pytest.mark.parametrize("tilt", [0.009, 0.012])
def test_round_peg_jammed(tilt):
    """Tilted about y it leans on the wall with its lower circle and on the rim with its side, on opposite sides."""
    r, c, s = R - 0.2e-3, np.cos(tilt), np.sin(tilt)
    x = PRESS + R * c - r  # of its middle, times c: the rim at (R, 0, 0) is then PRESS inside the side
    half = (R + PRESS - r * c + x / c) / s  # and the lower circle reaches R + PRESS
    q = np.cos(tilt / 2), 0, np.sin(tilt / 2), 0
    _, normal, depth = contacts(contactlib.Cylinder(r, 2 * half), (x / c, 0, 0), q)
    assert len(depth) == 2
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)
    np.testing.assert_allclose(normal[np.argsort(normal[:, 0])], [[-1, 0, 0], [c, 0, -s]], atol=1e-12)


@pytest.mark.parametrize(("aside", "count"), [(0.0, 4), (1e-4, 3)])
def test_flat_end_on_the_cap(aside, count):
    """Upright it stands on the cap with its circle: with four points of it, or, off the middle, with those below."""
    r = 0.01
    low = -H - np.sqrt(R**2 - r**2) - PRESS
    x, normal, depth = contacts(contactlib.Cylinder(r, 0.1), (aside, 0, low + 0.05))
    assert len(x) == count
    rho = np.hypot(r + aside, low + H) - R
    np.testing.assert_allclose(depth.max(), rho, atol=ROUNDING)
    np.testing.assert_allclose(normal[depth.argmax(), 2], (low + H) / np.hypot(r + aside, low + H), atol=1e-12)


def test_coin_tilted_into_the_mouth():
    """A coin wider than the hole, tilted into it, touches wall and rim with both circles, left and right alike."""
    tilt = 0.4
    x, normal, depth = contacts(contactlib.Cylinder(R + 0.5e-3, 0.006), (0, 0, -0.003),
                                (np.cos(tilt / 2), 0, np.sin(tilt / 2), 0))  # fmt: skip
    assert len(x) == 8
    mirrored = np.lexsort(np.round(x * [1, -1, 1], 9).T)
    np.testing.assert_allclose(depth[mirrored], depth, atol=ROUNDING)
    np.testing.assert_allclose((normal * [1, -1, 1])[mirrored], normal, atol=1e-12)


def test_ellipsoid_across_the_cap():
    """A long one lying in the cap touches it at both its ends, as far off the middle as its curvature has it."""
    a, b = 0.016, 0.004
    # |x - P0| over (a cos, b sin), the centre d above P0: at sin t = -d b / (a^2 - b^2) it is greatest
    d = 0.002
    s = -d * b / (a * a - b * b)
    far = np.hypot(a * np.sqrt(1 - s * s), b * s - d)
    scale = (R + PRESS) / far
    a, b, d = a * scale, b * scale, d * scale
    x, _, depth = contacts(contactlib.Ellipsoid((a, b, b)), (0, 0, -H - d))
    assert len(x) == 2
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)
    np.testing.assert_allclose(x[0] * [-1, 1, 1], x[1], atol=1e-12)


def test_egg_on_the_rim():
    """Round about z and wider than the hole it would touch all around; being a little off, at one place."""
    egg = contactlib.Ellipsoid((0.02, 0.02, 0.03))
    up = 0.03 * np.sqrt(1 - (R / 0.02) ** 2)  # there it is as wide as the hole
    x, normal, _ = contacts(egg, (1e-6, 0, up))
    assert len(x) == 1
    np.testing.assert_allclose(x[0, :2], [R, 0], atol=1e-5)
    np.testing.assert_allclose(normal[0, 2] / normal[0, 0], -up / 0.03**2 / (R / 0.02**2), atol=1e-3)


@pytest.mark.parametrize("place", [(0.03, 0.03), (-0.045, 0.055), (0.0176, 0.0)])
def test_ellipsoid_on_the_top(place):
    """One contact straight down, also close to the rim."""
    x, normal, depth = contacts(contactlib.Ellipsoid((0.01, 0.02, 0.006)), (*place, 0.006 - PRESS))
    assert len(x) == 1
    np.testing.assert_allclose(normal[0], [0, 0, -1], atol=ROUNDING)
    np.testing.assert_allclose(depth[0], PRESS, atol=ROUNDING)


# ---- on the top -----------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4])
@pytest.mark.parametrize("size", [(0.05, 0.05, 0.01), (0.05, 0.02, 0.01), (0.2, 0.03, 0.01), (0.2, 0.2, 0.01)])
@pytest.mark.parametrize("place", [(0, 0), (0.02, 0.01), (-0.03, 0.04)])
def test_plate_on_the_mouth(size, place, turn):
    """Flat contacts straight down, of one depth, whose hull is that of all the plate has in common with the top."""
    x, normal, depth = contacts(contactlib.Box(size), (*place, size[2] / 2 - PRESS), about_z(turn))
    np.testing.assert_allclose(normal, np.tile([0, 0, -1], (len(x), 1)), atol=ROUNDING)
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)
    grid = np.stack(np.meshgrid(*(np.linspace(-s / 2, s / 2, 401) for s in SIZE[:2])), axis=-1).reshape(-1, 2)
    c, s = np.cos(turn), np.sin(turn)
    seen = (grid - place) @ np.array([[c, -s], [s, c]])
    common = grid[(np.abs(seen) <= np.array(size[:2]) / 2).all(1) & (np.hypot(*grid.T) >= R)]
    found, truth = ConvexHull(x[:, :2]).volume, ConvexHull(common).volume
    assert truth * 0.999 < found + 1e-9  # the grid lies inside
    assert found < 1.05 * truth  # its squares are a quarter of a millimetre wide


@pytest.mark.parametrize("radius", [0.03, 0.012])
@pytest.mark.parametrize("place", [(0, 0), (0.02, 0), (0.025, 0.01), (0.04, 0.05)])
def test_coin_on_the_mouth(radius, place):
    """Flat contacts straight down of one depth: four points of the circle, and where it crosses the rim and edges."""
    x, normal, depth = contacts(contactlib.Cylinder(radius, 0.006), (*place, 0.003 - PRESS))
    np.testing.assert_allclose(normal, np.tile([0, 0, -1], (len(x), 1)), atol=ROUNDING)
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)
    apart = np.hypot(*place)
    crosses = abs(R - radius) < apart < R + radius
    over = np.abs(np.hypot(*x[:, :2].T) - R) < 1e-9
    assert over.sum() == (2 if crosses else 0)
    if apart + radius < R:
        assert not len(x)


def test_cylinder_lying_across_the_mouth():
    """Its line rests on the top at both ends and on the rim at both sides."""
    r = 0.01
    x, normal, depth = contacts(contactlib.Cylinder(r, 0.06), (0, 0, r - PRESS), (0.5**0.5, 0, 0.5**0.5, 0))
    assert len(x) == 4
    np.testing.assert_allclose(normal, np.tile([0, 0, -1], (4, 1)), atol=ROUNDING)
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)
    np.testing.assert_allclose(np.sort(x[:, 0]), [-0.03, -R, R, 0.03], atol=1e-12)


def test_plate_flush_with_the_socket():
    """Stood on the top side by side: every corner once."""
    x, normal, depth = contacts(contactlib.Box(tuple(SIZE)), (0, 0, SIZE[2] / 2 - PRESS))
    assert len(x) == 4
    np.testing.assert_allclose(normal, np.tile([0, 0, -1], (4, 1)), atol=ROUNDING)
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)


def test_block_at_the_side():
    """A block turned about the normal of an outer face: two corners, and two edges that cross the upper one."""
    x, normal, depth = contacts(contactlib.Box((0.04, 0.04, 0.04)), (0.07 - PRESS, 0.03, -0.01),
                                (np.cos(0.15), np.sin(0.15), 0, 0))  # fmt: skip
    assert len(x) == 4
    np.testing.assert_allclose(normal, np.tile([-1, 0, 0], (4, 1)), atol=ROUNDING)
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)


@pytest.mark.parametrize("name", LARGE)
def test_deep_inside_there_is_a_contact(name):
    """Wherever a point of it is inside, something touches: its corners and middle all about the socket."""
    A, rng = shape(LARGE[name]), np.random.default_rng(4)
    p = rng.uniform(-0.5, 0.5, (2000, 3)) * SIZE - [0, 0, SIZE[2] / 2]
    q = rng.normal(size=(2000, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    middle = contactlib.manifolds(contactlib.Point(), shape(SOCKET), np.hstack([p, q]), STILL).count > 0
    assert middle.sum() > 500
    assert (contactlib.manifolds(A, shape(SOCKET), np.hstack([p, q]), STILL).count[middle] > 0).all()


def test_the_socket_comes_second():
    with pytest.raises(ValueError, match=r"is not defined: use .*, with exchanged shapes"):
        contactlib.manifolds(shape(SOCKET), contactlib.Box((0.1, 0.1, 0.1)), STILL, STILL)


# ---- two sockets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("aside", [0.0, 0.01])
def test_mouth_on_mouth(aside):
    """One upside down on the other: the corners of what they have in common, and where the rims cross."""
    x, normal, depth = contacts(shape(SOCKET), (aside, 0, -PRESS), (0, 1, 0, 0))
    np.testing.assert_allclose(normal, np.tile([0, 0, -1], (len(x), 1)), atol=ROUNDING)
    np.testing.assert_allclose(depth, PRESS, atol=ROUNDING)
    corners = np.abs(np.abs(x[:, 1]) - SIZE[1] / 2) < 1e-12
    assert corners.sum() == 4
    crossings = [[aside / 2, s * np.sqrt(R**2 - aside**2 / 4)] for s in (-1, 1)] if aside else np.zeros((0, 2))
    np.testing.assert_allclose(x[~corners, :2], crossings, atol=1e-12)


def test_socket_as_a_peg():
    """A small socket in the hole of a large one touches the wall with the corners of its box, the rim with edges."""
    half = R / np.sqrt(2) + PRESS
    cup = contactlib.Socket((2 * half, 2 * half, 0.04), 0.5 * half, 0.01)
    x, normal, depth = contacts(cup, (0, 0, 0.02))
    assert len(x) == 8
    np.testing.assert_allclose(depth, half * np.sqrt(2) - R, atol=ROUNDING)
    np.testing.assert_allclose(np.abs(normal), np.tile(np.array([1, 1, 0]) / np.sqrt(2), (8, 1)), atol=ROUNDING)


# ---- meshes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("region", [*CONVEX, "square_peg_0.05mm"])
def test_convex_meshes_touch_as_polyhedra_do(region):
    """From the socket's side, with the normals turned round: the mesh stands after it in the pair table."""
    A, B, X_WA, X_WB = PAIRS[region](np.random.default_rng(3), 300)
    one = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB, max_contacts=ROOM)
    other = contactlib.manifolds(shape(B), as_mesh(*A), X_WB, X_WA, max_contacts=ROOM)
    np.testing.assert_array_equal(one.count, other.count)
    assert one.count.sum() > 200
    for i, k in enumerate(one.count):
        order = [np.lexsort(np.round(m.point[i, :k] - X_WB[i, :3], 7).T) for m in (one, other)]
        np.testing.assert_allclose(one.depth[i][order[0]], other.depth[i][order[1]], atol=ROUNDING)
        np.testing.assert_allclose(one.normal[i][order[0]], -other.normal[i][order[1]], atol=1e-12)


def test_an_angle_hooked_into_the_mouth():
    """Its long arm lies on the top, with two corners and two edges over the rim; the short one hangs free."""
    outline = [(0, 0), (0.03, 0), (0.03, 0.005), (-0.004, 0.005), (-0.004, -0.02), (0, -0.02)]
    bar = prism(outline, 0.004)
    u, v, w = bar.vertices.T
    angle = contactlib.Mesh(np.stack([u, 0.002 - w, v], axis=1), bar.triangles)
    p = np.sqrt((R - PRESS) ** 2 - 0.002**2), 0, -PRESS
    m = contactlib.manifolds(shape(SOCKET), angle, STILL, np.array([*p, 1, 0, 0, 0]), max_contacts=ROOM)
    assert m.count[0] == 4
    np.testing.assert_allclose(m.normal[0, :4], np.tile([0, 0, 1], (4, 1)), atol=ROUNDING)
    np.testing.assert_allclose(m.depth[0, :4], PRESS, atol=ROUNDING)
    np.testing.assert_allclose(np.sort(np.hypot(*m.point[0, :4, :2].T))[:2], R, atol=1e-12)


def test_rounding_does_not_decide_flush_edges():
    """A socket's side lies in the side of another: the deepest depth is the same for the pose's nearest neighbours."""
    A = ("socket", {"size": (0.1885, 0.1885, 0.10475), "radius": 0.09375, "length": 0.01})
    B = ("socket", {"size": (0.191, 0.191, 0.106), "radius": 0.095, "length": 0.01})
    ulps = np.array(list(itertools.product((-1, 0, 1), repeat=4))) * [1.4e-17, 1.1e-16, 1.1e-16, 1.1e-16]
    X = np.tile([0, 0.0955, 0, 0.5, -0.5, 0.5, 0.5], (len(ulps), 1))
    X[:, [1, 3, 4, 5]] += ulps
    here = np.tile([0, 0, 0, 1.0, 0, 0, 0], (len(ulps), 1))
    for m in (manifolds(A, B, X, here), manifolds(B, A, here, X)):
        np.testing.assert_allclose(m.depth.max(1), 0.1885 / 2, atol=1e-12)  # as the oracle, reference.manifold
