"""Rounded boxes and polyhedra: against support functions, parts of which they are the union, and quadrature.

A rounded box is the union of three boxes, twelve cylinders and eight balls, which have kernels of their own.
"""

import itertools
import tomllib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import contactlib
from contactlib import Polyhedron, cast_rays, distances, manifolds
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Point, Socket, Sphere, Triangle

R = 0.05
SIZE = np.array([0.5, 0.8, 0.3])
HALF = SIZE / 2 - R  # of the core
BOX = Box(tuple(SIZE.tolist()), rounding=R)
CORE = HALF * np.array(list(itertools.product((-1, 1), repeat=3)))
OUTER = np.random.default_rng(1).normal(size=(14, 3)) * 0.3
HULL = Polyhedron.hull_of(OUTER, rounding=R)
HERE = [[0, 0, 0, 1, 0, 0, 0]]
SOCKET = Socket((0.5, 0.5, 0.5), 0.1, 0.2)
TETRAHEDRON = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])


def poses(rng, n, scale):
    q = Rotation.random(n, random_state=rng).as_quat()[:, [3, 0, 1, 2]]
    return np.hstack([rng.normal(size=(n, 3)) * scale, q])


def turn(X):
    return Rotation.from_quat(X[:, [4, 5, 6, 3]])


def norm(x):
    return np.sqrt((x * x).sum(axis=-1))


def corners(points, r=0.0):
    return lambda d: (d @ np.asarray(points).T).max(axis=-1) + r


#: support functions over unit vectors, in the shape's axes
SUPPORT = {
    "box": (BOX, corners(CORE, R)),
    "hull": (HULL, corners(HULL.core.surface()[0], R)),
    "sharp box": (Box((0.4, 0.4, 0.6)), corners(np.array([0.2, 0.2, 0.3]) * np.sign(CORE))),
    "cylinder": (Cylinder(0.2, 0.5), lambda d: np.abs(d[..., 2]) * 0.25 + 0.2 * norm(d[..., :2])),
    "ellipsoid": (Ellipsoid((0.4, 0.3, 0.2)), lambda d: norm(d * (0.4, 0.3, 0.2))),
    "triangle": (Triangle(((0.0, 0.0, 0.0), (0.6, 0.1, 0.0), (0.2, 0.5, 0.2))),
                 corners([(0.0, 0.0, 0.0), (0.6, 0.1, 0.0), (0.2, 0.5, 0.2)])),
    "sphere": (Sphere(0.2), lambda d: np.full(d.shape[:-1], 0.2)),
    "point": (Point(), lambda d: np.zeros(d.shape[:-1])),
    "capsule": (Capsule(0.1, 0.5), lambda d: np.abs(d[..., 2]) * 0.25 + 0.1),
}
ORDER = list(contactlib._core.engine.shape_kinds())
PAIRS = sorted({tuple(sorted((a, b), key=lambda name: ORDER.index(SUPPORT[name][0].kind)))
                for a in ("box", "hull") for b in SUPPORT})
#: all others have surface contacts
OF_POINTS = [pair for pair in PAIRS if {"point", "sphere", "ellipsoid", "cylinder"} & {*pair}]


def overlap(pair, n, A, B):
    """The way along n (.., 3) by which B must move to be out of A."""
    (_, h_A), (_, h_B) = SUPPORT[pair[0]], SUPPORT[pair[1]]
    return (h_A(turn(A).inv().apply(n)) + h_B(turn(B).inv().apply(-n)) - ((B - A)[:, :3] * n).sum(axis=-1))


class Met:
    """Random placements of a pair, and the deepest contact of each that touches."""

    def __init__(self, pair, seed):
        rng, n = np.random.default_rng(seed), 200
        self.shapes = SUPPORT[pair[0]][0], SUPPORT[pair[1]][0]
        self.A, self.B = poses(rng, n, 0.0), poses(rng, n, 0.3)
        found = manifolds(*self.shapes, self.A, self.B)
        filled = np.arange(found.depth.shape[1]) < found.count[:, None]
        deepest = np.arange(n), np.where(filled, found.depth, -1.0).argmax(axis=1)
        self.count, self.touches = found.count, found.count > 0
        self.normal, self.depth = found.normal[deepest], found.depth[deepest]


@pytest.mark.parametrize("pair", OF_POINTS, ids="-".join)
def test_the_depth_is_the_least_overlap(pair):
    """Of the deepest contact: the overlap along its normal is its depth, and no other direction has less.

    Where there is no contact, the overlap along the normal of the nearest points is minus their distance.
    """
    met = Met(pair, seed=3)
    A, B, touches, normal, depth = met.A, met.B, met.touches, met.normal, met.depth
    apart = np.full(len(A), np.inf)
    for direction in Rotation.random(250, random_state=np.random.default_rng(9)).apply((0.0, 0.0, 1.0)):
        apart = np.minimum(apart, overlap(pair, np.tile(direction, (len(A), 1)), A, B))
    assert touches.sum() > 30
    gap = distances(*met.shapes, A[~touches], B[~touches])
    np.testing.assert_allclose(overlap(pair, gap.normal, A[~touches], B[~touches]), -gap.distance, atol=1e-9)
    assert (gap.distance > 0.0).all()
    own = overlap(pair, np.where(touches[:, None], normal, (0.0, 0.0, 1.0)), A, B)
    np.testing.assert_allclose(own[touches], depth[touches], atol=1e-9)
    assert (depth[touches] < apart[touches] + 1e-9).all()


@pytest.mark.parametrize("pair", OF_POINTS, ids="-".join)
def test_contact_and_distance_meet_at_zero(pair):
    """Moved apart along the normal by the depth and a little more, the two are a little apart, at the same place."""
    met = Met(pair, seed=4)
    assert met.touches.sum() > 10
    moved = met.B.copy()
    moved[:, :3] += met.normal * (met.depth + 1e-3)[:, None]
    gap = distances(*met.shapes, met.A[met.touches], moved[met.touches])
    np.testing.assert_allclose(gap.distance, 1e-3, atol=1e-9)
    np.testing.assert_allclose(gap.normal, met.normal[met.touches], atol=1e-6)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_an_overlap_is_a_contact(pair):
    """Moved along the line of their nearest points until 1 um is left, they do not touch; 1 um further, they do."""
    met = Met(pair, seed=5)
    apart = ~distances(*met.shapes, met.A, met.B).overlap
    assert apart.sum() > 30
    A, B = met.A[apart], met.B[apart]
    gap = distances(*met.shapes, A, B)
    for left, touches in ((1e-6, False), (-1e-6, True)):
        moved = B.copy()
        moved[:, :3] -= gap.normal * (gap.distance - left)[:, None]
        assert ((manifolds(*met.shapes, A, moved).count > 0) == touches).all()


def test_a_ball_on_a_rounded_box():
    """The contact lies half-way between both surfaces, on the line from the ball's middle to the core."""
    rng = np.random.default_rng(6)
    x = rng.uniform(-1, 1, size=(2000, 3)) * 0.6
    X = np.hstack([x, np.tile((1.0, 0.0, 0.0, 0.0), (2000, 1))])
    found = manifolds(Sphere(0.1), BOX, X, HERE)
    core = np.clip(x, -HALF, HALF)
    gap = norm(x - core)
    outside = gap > 1e-3
    np.testing.assert_array_equal(found.count[outside] == 1, gap[outside] < R + 0.1)
    some = outside & (found.count == 1)
    n = (core - x)[some] / gap[some][:, None]
    np.testing.assert_allclose(found.depth[some, 0], R + 0.1 - gap[some], atol=1e-14)
    np.testing.assert_allclose(found.normal[some, 0], n, atol=1e-12)
    middle = 0.5 * (x[some] + 0.1 * n + core[some] - R * n)
    np.testing.assert_allclose(found.point[some, 0], middle, atol=1e-13)


def test_rays_meet_what_the_parts_meet():
    """Of all balls, cylinders and boxes whose union the rounded box is, a ray meets the nearest."""
    rng = np.random.default_rng(8)
    p = rng.normal(size=(3000, 3)) * 0.8
    d = (rng.normal(size=(3000, 3)) * 0.2 - p)
    d /= norm(d)[:, None]
    parts = [(Sphere(R), corner, (1.0, 0.0, 0.0, 0.0)) for corner in CORE]
    quarter = {0: (0.5**0.5, 0.0, 0.5**0.5, 0.0), 1: (0.5**0.5, 0.5**0.5, 0.0, 0.0), 2: (1.0, 0.0, 0.0, 0.0)}
    for axis in range(3):
        grown = 2 * HALF
        grown[axis] += 2 * R
        parts.append((Box(tuple(grown)), np.zeros(3), (1.0, 0.0, 0.0, 0.0)))
        for signs in itertools.product((-1, 1), repeat=2):
            at = np.insert(np.delete(HALF, axis) * signs, axis, 0.0)
            parts.append((Cylinder(R, 2 * HALF[axis]), at, quarter[axis]))

    whole = cast_rays(BOX, HERE, p, d)
    hits = [cast_rays(shape, [[*r, *q]], p, d) for shape, r, q in parts]
    distance = np.array([np.where(hit.hit, hit.distance, np.inf) for hit in hits])
    first = distance.argmin(axis=0)
    normal = np.array([hit.normal for hit in hits])[first, np.arange(3000)]
    outside = norm(p - np.clip(p, -HALF, HALF)) > R
    assert (whole.hit == np.isfinite(distance.min(axis=0)))[outside].all() and 500 < whole.hit.sum() < 2900
    some = outside & whole.hit
    np.testing.assert_allclose(whole.distance[some], distance.min(axis=0)[some], atol=1e-12)
    np.testing.assert_allclose(whole.normal[some], normal[some], atol=1e-6)


def test_rays_on_a_rounded_polyhedron():
    """Beside the sharp hull of many points of the round surface, which lies up to r (1 - cos 6 degrees) inside it."""
    k = np.arange(1000) + 0.5  # spread evenly over a ball, at most 6 degrees from any direction
    z, angle = 1 - k / 500, np.pi * (1 + 5**0.5) * k
    ball = np.column_stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z])
    core = np.array(HULL.core.surface()[0])
    points = (core[:, None] + R * ball).reshape(-1, 3)
    rng = np.random.default_rng(11)
    p = rng.normal(size=(400, 3))
    p /= norm(p)[:, None]
    d = rng.normal(size=(400, 3)) * 0.1 - p
    d /= norm(d)[:, None]
    hits = cast_rays(HULL, HERE, p, d)
    x = p + hits.distance[:, None] * d
    hit = hits.hit
    assert hit.sum() > 200
    # the tangent plane at the hit has all points behind it, and one of them within the sagitta
    above = (points @ hits.normal[hit].T).max(axis=0) - (x[hit] * hits.normal[hit]).sum(axis=1)
    assert (above < 1e-12).all() and (above > -R * (1 - np.cos(np.radians(6.0)))).all()
    assert (np.einsum("ij,ij->i", hits.normal[hit], d[hit]) < 0.0).all()


def test_mass_by_quadrature():
    """Columns along z over the plan of an eighth of the box, Gauss-Legendre on each of its four parts."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    h = HALF

    def of(x, y, weight):
        """V and the integrals of x^2, y^2, z^2 of columns of the given plan areas."""
        rho2 = R * R - np.maximum(x - h[0], 0) ** 2 - np.maximum(y - h[1], 0) ** 2
        top = h[2] + np.sqrt(np.maximum(rho2, 0.0))
        return 8 * np.array([(weight * top).sum(), (weight * x * x * top).sum(), (weight * y * y * top).sum(),
                             (weight * top**3 / 3).sum()])

    t, w = (nodes + 1) / 2, weights / 2
    angle, w_angle = t * np.pi / 2, w * np.pi / 2  # sin makes the root smooth at the border
    u, w_u = R * np.sin(angle), R * np.cos(angle) * w_angle
    X, Y = np.meshgrid(h[0] * t, h[1] * t)
    total = of(X, Y, np.outer(h[1] * w, h[0] * w))
    X, Y = np.meshgrid(h[0] + u, h[1] * t)
    total = total + of(X, Y, np.outer(h[1] * w, w_u))
    X, Y = np.meshgrid(h[0] * t, h[1] + u)
    total = total + of(X, Y, np.outer(w_u, h[0] * w))
    rho, phi = np.meshgrid(u, angle)
    total = total + of(h[0] + rho * np.cos(phi), h[1] + rho * np.sin(phi), np.outer(w_angle, w_u) * rho)
    volume, xx, yy, zz = total
    made = BOX.mass_properties(1000.0)
    assert made.mass == pytest.approx(1000.0 * volume, rel=1e-12)
    np.testing.assert_allclose(made.inertia, 1000.0 * np.diag([yy + zz, xx + zz, xx + yy]), rtol=1e-12, atol=1e-15)


def test_the_core_of_a_polyhedron():
    """A cube, and an octahedron, whose tips are cut most: the planes of the core are `rounding` further in."""
    cube = Polyhedron(np.sign(CORE), rounding=0.25)
    np.testing.assert_allclose(np.sort(cube.core.corners, axis=0), np.sort(0.75 * np.sign(CORE), axis=0), atol=1e-14)
    tips = np.vstack([np.eye(3), -np.eye(3)])
    octahedron = Polyhedron(tips, rounding=0.1)
    assert norm(octahedron.core.corners) == pytest.approx(1.0 - 0.1 * 3**0.5, abs=1e-14)
    assert repr(octahedron) == "Polyhedron(6 corners, rounding 0.1)"
    assert Polyhedron(tips) != octahedron and Polyhedron(tips, rounding=0.1) == octahedron


def test_refusals():
    with pytest.raises(ValueError, match=r"box.rounding = 0.15: must be zero or more, and below half of the shortest"):
        manifolds(Box((0.5, 0.8, 0.3), rounding=0.15), Plane(), HERE, HERE)
    with pytest.raises(ValueError, match=r"polyhedron.rounding = 1: must be below 0.999 of the radius"):
        manifolds(Polyhedron(np.sign(CORE), rounding=1.0), Plane(), HERE, HERE)
    with pytest.raises(ValueError, match="must be zero or more"):
        Polyhedron(np.sign(CORE), rounding=-1.0)
    with pytest.raises(ValueError, match="a rounded box has no contacts with a socket: leave out its"):
        manifolds(BOX, SOCKET, HERE, HERE)
    with pytest.raises(ValueError, match="give the body's mass and inertia"):
        HULL.mass_properties(1000.0)


SCENE = """
[scene]
name = "rounded"

[[body]]
name = "block"
shape = [{ name = "b", kind = "box", size = [0.5, 0.8, 0.3], rounding = 0.05, material = "steel", density = 100.0 }]

[[body]]
name = "ground"
motion = "fixed"
shape = [{ name = "g", OTHER, material = "steel" }]

[[law]]
name = "steel"
materials = ["steel", "steel"]
normal = { kind = "kelvin_voigt", stiffness = 1e4, damping = 0.0 }

[[pair]]
bodies = ["block", "ground"]
"""


def scene(other):
    return contactlib.Spec.from_dict(tomllib.loads(SCENE.replace("OTHER", other)))


def test_a_scene_refuses_a_rounded_box_on_a_socket():
    with pytest.raises(ValueError, match=r"pair \['block', 'ground'\]: 'b' and 'g': a rounded box has no contacts with "
                                         r"a socket: leave out its rounding, or leave the pair out with ignore"):
        scene('kind = "socket", size = [0.5, 0.5, 0.5], radius = 0.1, length = 0.2').compile()
