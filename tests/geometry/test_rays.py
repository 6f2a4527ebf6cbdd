"""Rays against the definition: nothing of the shape before the hit, its surface at the hit, nothing at all without one.

A shape is told by a function that is negative inside and zero on its surface.
"""

import numpy as np
import pytest

from contactlib import cast_rays
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Point, Segment, Socket, Sphere, Triangle

HERE = [[0, 0, 0, 1, 0, 0, 0]]
CORNERS = np.random.default_rng(1).normal(size=(14, 3))


def norm(x):
    return np.sqrt((x * x).sum(axis=-1))


def below(planes, x):
    return (x @ planes[:, :3].T + planes[:, 3]).max(axis=-1)


def from_axis(x, half):
    return norm(x - np.stack([0 * x[..., 0], 0 * x[..., 0], np.clip(x[..., 2], -half, half)], axis=-1))


def cylinder(x, r, half):
    return np.maximum(norm(x[..., :2]) - r, np.abs(x[..., 2]) - half)


def socket(x, size, r, h):
    box = (np.abs(x - np.array([0, 0, -size[2] / 2])) - np.array(size) / 2).max(axis=-1)
    core = np.stack([x[..., 0], x[..., 1], np.minimum(x[..., 2] + h, 0)], axis=-1)
    return np.maximum(box, r - norm(core))


def planes_of(polyhedron):
    vertices, loops, counts = polyhedron.surface()
    corners = vertices[np.array([face[:3] for face in np.split(loops, np.cumsum(counts)[:-1])])]
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    n /= norm(n)[:, None]
    return np.column_stack([n, -(n * corners[:, 0]).sum(axis=1)])


HULL = Polyhedron.hull_of(CORNERS)
SOLIDS = [
    (Sphere(0.7), lambda x: norm(x) - 0.7),
    (Capsule(0.4, 1.2), lambda x: from_axis(x, 0.6) - 0.4),
    (Capsule(0.5, 0.0), lambda x: norm(x) - 0.5),
    (Ellipsoid((0.3, 1.0, 0.6)), lambda x: norm(x / [0.3, 1.0, 0.6]) - 1),
    (Box((0.5, 1.0, 1.5)), lambda x: (np.abs(x) - [0.25, 0.5, 0.75]).max(axis=-1)),
    (Cylinder(0.5, 1.4), lambda x: cylinder(x, 0.5, 0.7)),
    (Cylinder(1.0, 0.05), lambda x: cylinder(x, 1.0, 0.025)),
    (HULL, lambda x: below(planes_of(HULL), x)),
    (Socket((1.4, 1.6, 1.3), 0.5, 0.6), lambda x: socket(x, (1.4, 1.6, 1.3), 0.5, 0.6)),
    (Socket((1.4, 1.6, 0.5), 0.5, 0.0), lambda x: socket(x, (1.4, 1.6, 0.5), 0.5, 0.0)),
    (Plane(), lambda x: x[..., 2]),
]
KINDS = [f"{shape.kind}{i}" for i, (shape, _) in enumerate(SOLIDS)]


def aimed(rng, count):
    """Rays from all about towards the shape, some along its axes, some that graze, some from inside."""
    origins = rng.normal(size=(count, 3)) * rng.choice([0.3, 1.0, 3.0, 30.0], (count, 1))
    directions = rng.normal(size=(count, 3)) * 0.5 - origins
    straight = rng.random(count) < 0.2
    directions[straight] = np.eye(3)[rng.integers(0, 3, straight.sum())] * rng.choice([-1.0, 1.0], (straight.sum(), 1))
    flat = rng.random(count) < 0.1
    directions[flat, 2] = 0.0
    round_numbers = rng.random(count) < 0.2
    origins[round_numbers] = np.round(origins[round_numbers] * 4) / 4
    directions[norm(directions) == 0] = (0, 0, 1)
    return origins, directions / norm(directions)[:, None]


# ---- solids --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "f"), SOLIDS, ids=KINDS)
def test_solids(shape, f):
    rng = np.random.default_rng(11)
    origins, directions = aimed(rng, 3000)
    found = cast_rays(shape, HERE, origins, directions)
    start = f(origins)
    inside = start < 0
    assert found.hit[inside].all() and (found.distance[inside] == 0).all() and (found.feature[inside] == -1).all()
    np.testing.assert_allclose(found.normal[inside], -directions[inside], atol=1e-15)

    reach = np.where(found.hit, found.distance, norm(origins) + 4.0)
    along = reach[:, None] * (np.arange(400) + rng.random((len(reach), 400))) / 400
    samples = f(origins[:, None] + along[..., None] * directions[:, None])
    assert samples[~inside].min() > -1e-9  # outside all the way to the hit, or without one for as far as it matters

    met = found.hit & (start > 1e-12)
    assert met.mean() > 0.1 and found.hit.mean() < 0.95
    hits = origins[met] + found.distance[met, None] * directions[met]
    scale = 1 + norm(origins[met])
    assert np.abs(f(hits) / scale).max() < 1e-13
    n = found.normal[met]
    np.testing.assert_allclose(norm(n), 1, rtol=1e-14)
    assert (n * directions[met]).sum(axis=1).max() < 1e-7
    h = 1e-6
    step = h * np.eye(3)
    gradient = np.stack([f(hits + step[k]) - f(hits - step[k]) for k in range(3)], axis=-1) / (2 * h)
    gradient /= norm(gradient)[:, None]
    off = norm(gradient - n)
    assert (off < 1e-5).mean() > 0.97  # the rest hit within h of an edge, where no gradient is
    assert (found.normal[~found.hit] == 0).all() and (found.distance[~found.hit] == np.inf).all()
    assert (found.feature[~found.hit] == -1).all()


@pytest.mark.parametrize(("shape", "f"), SOLIDS, ids=KINDS)
def test_no_further_than(shape, f):
    origins, directions = aimed(np.random.default_rng(12), 500)
    far = cast_rays(shape, HERE, origins, directions)
    near = cast_rays(shape, HERE, origins, directions, longest=1.5)
    assert np.array_equal(near.hit, far.hit & (far.distance <= 1.5))
    assert np.array_equal(near.distance[near.hit], far.distance[near.hit])


@pytest.mark.parametrize(("shape", "f"), SOLIDS, ids=KINDS)
def test_poses(shape, f):
    """The same ray seen from the shape, wherever that is."""
    rng = np.random.default_rng(13)
    origins, directions = aimed(rng, 500)
    poses = np.concatenate([rng.normal(size=(500, 3)), rng.normal(size=(500, 4))], axis=1)
    poses[:, 3:] /= norm(poses[:, 3:])[:, None]
    w, v = poses[:, 3:4], poses[:, 4:]

    def turned(x):
        return x + 2 * np.cross(v, np.cross(v, x) + w * x)

    one = cast_rays(shape, HERE, origins, directions, longest=1e3)
    other = cast_rays(shape, poses, turned(origins) + poses[:, :3], 3.0 * turned(directions), longest=1e3)
    clear = np.abs(f(origins)) > 1e-9
    assert (one.hit == other.hit)[clear].mean() > 0.97  # edges and tangents are met in one and missed in the other
    both = one.hit & other.hit & (one.feature == other.feature)
    np.testing.assert_allclose(other.distance[both], one.distance[both], atol=1e-6)
    assert np.median(np.abs(other.distance[both] - one.distance[both])) < 1e-14
    close = norm(other.normal - turned(one.normal))[both] < 1e-6
    assert close.mean() > 0.99


@pytest.mark.parametrize(("shape", "origin", "direction", "distance", "normal", "feature"), [
    (Sphere(1.0), (0, 0, 5), (0, 0, -1), 4, (0, 0, 1), 0),
    (Sphere(1.0), (1, 0, 5), (0, 0, -1), 5, (1, 0, 0), 0),
    (Sphere(1.0), (1.0001, 0, 5), (0, 0, -1), None, None, None),
    (Sphere(1.0), (0, 0, 5), (0, 0, 1), None, None, None),
    (Sphere(1e-3), (1e4, 0, 0), (-1, 0, 0), 1e4 - 1e-3, (1, 0, 0), 0),
    (Plane(), (0, 0, 2), (0.6, 0, -0.8), 2.5, (0, 0, 1), 0),
    (Plane(), (0, 0, 2), (1, 0, 0), None, None, None),
    (Plane(), (0, 0, -2), (0, 0, 1), 0, (0, 0, -1), -1),
    (Box((2, 2, 2)), (-3, 1, 0), (1, 0, 0), 2, (-1, 0, 0), 0),  # along a face
    (Box((2, 2, 2)), (-3, 1 + 1e-9, 0), (1, 0, 0), None, None, None),
    (Box((2, 2, 2)), (0, 0, -3), (0, 0, 1), 2, (0, 0, -1), 4),
    (Capsule(1.0, 4.0), (0, 0, 9), (0, 0, -1), 6, (0, 0, 1), 1),
    (Capsule(1.0, 4.0), (5, 0, 1), (-1, 0, 0), 4, (1, 0, 0), 2),
    (Capsule(1.0, 4.0), (1, 0, -9), (0, 0, 1), 7, (1, 0, 0), 0),
    (Cylinder(1.0, 4.0), (0.5, 0, -9), (0, 0, 1), 7, (0, 0, -1), 0),
    (Cylinder(1.0, 4.0), (5, 0, 1.9), (-1, 0, 0), 4, (1, 0, 0), 2),
    (Cylinder(1.0, 4.0), (5, 0, 2.1), (-1, 0, 0), None, None, None),
    (Socket((4, 4, 3), 1, 1), (0, 0, 5), (0, 0, -1), 7, (0, 0, 1), 7),
    (Socket((4, 4, 3), 1, 1), (0.5, 0, 5), (0, 0, -1), 6 + np.sqrt(0.75), (-0.5, 0, np.sqrt(0.75)), 7),
    (Socket((4, 4, 3), 1, 1), (1.5, 0, 5), (0, 0, -1), 5, (0, 0, 1), 5),
    (Socket((4, 4, 3), 1, 1), (0, 0, -0.5), (1, 0, 0), 1, (-1, 0, 0), 6),
    (Socket((4, 4, 3), 1, 1), (0, 0, -0.5), (0, 0, 1), None, None, None),
    (Socket((4, 4, 3), 1, 1), (-1.5, 0, 0.5), (1, 0, -1), np.sqrt(0.5), (0, 0, 1), 5),
    (Socket((4, 4, 3), 1, 1.8), (-1, 0, 0.5), (1, 0, -1), np.sqrt(8), (-1, 0, 0), 6),
    (Socket((4, 4, 3), 1, 1), (0, 0, -5), (0, 0, 1), 2, (0, 0, -1), 4),
    (Socket((4, 4, 3), 1, 1), (0, 0, -2.5), (0, 0, 1), 0, (0, 0, -1), -1),
    (Point(), (0, 0, -5), (0, 0, 1), None, None, None),
    (Segment(1.0), (0, 0, -5), (0, 0, 1), None, None, None),
])
def test_by_hand(shape, origin, direction, distance, normal, feature):
    found = cast_rays(shape, HERE, [origin], [direction])
    if distance is None:
        assert not found.hit[0]
        return
    assert found.hit[0] and found.distance[0] == pytest.approx(distance, abs=1e-12)
    np.testing.assert_allclose(found.normal[0], normal, atol=1e-12)
    assert found.feature[0] == feature


# ---- sheets and meshes ---------------------------------------------------------------------------


def passed(corners, origins, directions):
    """Distances (N, T) at which rays pass triangles, inf where they do not; the turn; how clear it is of the edges."""
    a, b, c = np.moveaxis(corners[None], 2, 0)
    n = np.cross(b - a, c - a)
    slope = np.einsum("nk,ntk->nt", directions, np.broadcast_to(n, (len(origins), *n.shape[1:])))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = ((a - origins[:, None]) * n).sum(axis=2) / slope
        x = origins[:, None] + t[..., None] * directions[:, None]
        sides = np.stack([(np.cross(q - p, x - p) * n).sum(axis=2) / (n * n).sum(axis=2)
                          for p, q in ((a, b), (b, c), (c, a))])
    clear = sides.min(axis=0)
    hit = (clear > 0) & (t >= 0)
    return np.where(hit, t, np.inf), slope, clear


def test_triangle():
    rng = np.random.default_rng(21)
    corners = np.array([(0.2, -0.3, 0.1), (1.1, 0.4, 0.3), (-0.4, 0.8, -0.2)])
    origins, directions = aimed(rng, 5000)
    found = cast_rays(Triangle(corners), HERE, origins, directions)
    t, slope, clear = (x[:, 0] for x in passed(corners[None], origins, directions))
    sure = np.abs(clear) > 1e-9
    assert np.array_equal(found.hit[sure], np.isfinite(t[sure])) and found.hit.mean() > 0.05
    met = found.hit & sure
    np.testing.assert_allclose(found.distance[met], t[met], rtol=1e-9)
    n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    facing = slope[met] < 0
    np.testing.assert_allclose(found.normal[met], np.where(facing, 1, -1)[:, None] * n / norm(n), atol=1e-14)
    assert np.array_equal(found.feature[met], np.where(facing, 0, 1))
    in_its_plane = cast_rays(Triangle(((0, 0, 0), (1, 0, 0), (0, 1, 0))), HERE, [(-1, 0.2, 0)], [(1, 0, 0)])
    assert not in_its_plane.hit[0]


def torus(n=24, m=16):
    """Closed and not convex."""
    u, v = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    a, b = 2 * np.pi * u / n, 2 * np.pi * v / m
    points = np.stack([(1 + 0.4 * np.cos(b)) * np.cos(a), (1 + 0.4 * np.cos(b)) * np.sin(a), 0.4 * np.sin(b)], axis=-1)
    at = [(u * m + v).ravel(), ((u + 1) % n * m + v).ravel(), ((u + 1) % n * m + (v + 1) % m).ravel(),
          (u * m + (v + 1) % m).ravel()]
    return Mesh(points.reshape(-1, 3),
                np.concatenate([np.column_stack(at[:3]), np.column_stack([at[0], at[2], at[3]])]))


def grid_cube(n=4):
    """A cube of side 2 with squares whose corners have round numbers."""
    corners, triangles = [], []
    for k, side in ((k, side) for k in range(3) for side in (-1.0, 1.0)):
        for i in range(n):
            for j in range(n):
                square = np.empty((4, 3))
                square[:, k] = side
                square[:, (k + 1) % 3] = np.array([i, i + 1, i + 1, i]) * 2 / n - 1
                square[:, (k + 2) % 3] = np.array([j, j, j + 1, j + 1]) * 2 / n - 1
                at = len(corners)
                corners += square[:: int(side)].tolist()
                triangles += [(at, at + 1, at + 2), (at, at + 2, at + 3)]
    rows, where = np.unique(corners, axis=0, return_inverse=True)
    return Mesh(rows, where.ravel()[np.array(triangles)])


def holds(mesh, points):
    """By the solid angles of all triangles."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles][None] - points[:, None, None], 2, 0)
    la, lb, lc = norm(a), norm(b), norm(c)
    rest = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
    return np.arctan2((a * np.cross(b, c)).sum(-1), rest).sum(axis=1) > np.pi


@pytest.mark.parametrize("mesh", [torus(), Mesh(torus().vertices, torus().triangles[40:700])], ids=["closed", "open"])
def test_mesh(mesh):
    rng = np.random.default_rng(22)
    origins, directions = aimed(rng, 2000)
    origins[:700] = rng.uniform(-1.4, 1.4, (700, 3)) * [1, 1, 0.3]
    found = cast_rays(mesh, HERE, origins, directions)
    t, slope, clear = passed(mesh.vertices[mesh.triangles], origins, directions)
    inside = holds(mesh, origins) if mesh.closed else np.zeros(len(origins), dtype=bool)
    assert not mesh.closed or inside.sum() > 100
    assert found.hit[inside].all() and (found.distance[inside] == 0).all() and (found.feature[inside] == -1).all()
    t = np.where(slope < 0, t, np.inf)
    sure = ~inside & (np.abs(clear).min(axis=1) > 1e-9)
    assert sure[~inside].mean() > 0.95
    assert np.array_equal(found.hit[sure], np.isfinite(t.min(axis=1))[sure])
    met = found.hit & sure
    assert met.mean() > 0.1
    np.testing.assert_allclose(found.distance[met], t.min(axis=1)[met], rtol=1e-9, atol=1e-12)
    assert np.array_equal(found.feature[met], t.argmin(axis=1)[met])
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles[found.feature[met]]], 1, 0)
    n = np.cross(b - a, c - a)
    np.testing.assert_allclose(found.normal[met], n / norm(n)[:, None], atol=1e-13)
    near = cast_rays(mesh, HERE, origins, directions, longest=1.0)
    assert np.array_equal(near.hit, found.hit & (found.distance <= 1.0))
    assert np.array_equal(near.feature[near.hit], found.feature[near.hit])


@pytest.mark.parametrize(("mesh", "middle"), [(grid_cube(), (0.3, 0.2, 0.1)), (torus(12, 8), (1.03, 0.02, 0.01))],
                         ids=["cube", "torus"])
def test_no_ray_slips_through(mesh, middle):
    """At corners and edges, straight and skew: from outside they are met, and from inside none gets out."""
    rng = np.random.default_rng(23)
    ends = mesh.vertices[mesh.edges.corners]
    targets = np.concatenate([mesh.vertices, ends.mean(axis=1), ends[:, 0] + 0.25 * (ends[:, 1] - ends[:, 0])])
    away = cast_rays(mesh, HERE, np.tile(middle, (len(targets), 1)), targets - middle)
    assert away.hit.all() and (away.distance == 0).all()
    one_way = np.tile([2.0, -3.0, 1.0], (len(targets), 1))
    for directions in (np.array(middle) - targets, rng.normal(size=targets.shape), one_way):
        met = cast_rays(mesh, HERE, targets - 5 * directions / norm(directions)[:, None], directions)
        entered = holds(mesh, targets + 1e-6 * directions)
        assert entered.mean() > 0.2 and met.hit[entered].all()
        assert met.distance[entered].min() > 1 and met.distance[entered].max() < 5 + 1e-9


def test_a_cube_of_squares_is_a_box():
    """Rays that meet corners and edges exactly, and some that run in faces."""
    steps = np.linspace(-1, 1, 9)
    y, z = (x.ravel() for x in np.meshgrid(steps[1:-1], steps[1:-1]))
    for k in range(3):
        for side in (-1.0, 1.0):
            origins = np.roll(np.column_stack([np.full(len(y), 3.0 * side), y, z]), k, axis=1)
            found = cast_rays(grid_cube(), HERE, origins, [np.roll([-side, 0, 0], k)] * len(y))
            assert found.hit.all() and (found.distance == 2).all()
            assert (found.normal == np.roll([side, 0, 0], k)).all()
            origins[:, k] /= 6
            inside = cast_rays(grid_cube(), HERE, origins, [np.roll([-side, 0, 0], k)] * len(y))
            assert inside.hit.all() and (inside.distance == 0).all() and (inside.feature == -1).all()
    rng = np.random.default_rng(24)
    origins, directions = aimed(rng, 3000)
    one, other = (cast_rays(shape, HERE, origins, directions) for shape in (grid_cube(), Box((2, 2, 2))))
    differ = one.hit != other.hit
    assert differ.mean() < 0.01  # only rays along a face or through an edge
    assert np.abs(np.sort(np.abs(origins[differ]), axis=1) - 1).min(axis=1, initial=0).max(initial=0) < 1e-12
    both = one.hit & other.hit
    np.testing.assert_allclose(one.distance[both], other.distance[both], atol=1e-13)


def test_a_polyhedron_is_its_mesh():
    vertices, loops, counts = HULL.surface()
    faces = np.split(loops, np.cumsum(counts)[:-1])
    mesh = Mesh(vertices, [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])
    origins, directions = aimed(np.random.default_rng(25), 3000)
    one, other = (cast_rays(shape, HERE, origins, directions) for shape in (mesh, HULL))
    assert np.array_equal(one.hit, other.hit)
    np.testing.assert_allclose(one.distance[one.hit], other.distance[one.hit], atol=1e-11)


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(("origins", "directions"), [
    ([[0, 0, np.nan]], [[0, 0, 1]]),
    ([[0, 0, 1]], [[0, 0, np.inf]]),
    ([[0, 0, 1]], [[0, 0, 0]]),
    ([[0, 0]], [[0, 0]]),
])
def test_refused(origins, directions):
    with pytest.raises(ValueError, match="must"):
        cast_rays(Sphere(1.0), HERE, origins, directions)
