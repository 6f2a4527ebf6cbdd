"""The reference of meshes against cases done by hand, against boxes, and against other ways to find the same thing."""

import numpy as np
import pytest
from scipy.optimize import nnls

from tests.oracle import reference
from tests.oracle import reference_mesh as ref
from tests.oracle.reference_share import complementarity, load_shares, raised
from tests.oracle.reference_surface import nearest, part, surface
from tests.poses import poses_mesh
from tests.poses.poses_pairs import directions, multiply, place, pose, quaternions, turn
from tests.support import meshes

# rounding of numbers of a few metres in extended precision is 2e-19; some hundred operations stay below this
EXACT = 1e-16
UPRIGHT = (1, 0, 0, 0)
CUBE, FINE = meshes.cube(1.0), meshes.cube(1.0, 6)


def at(shape, mesh, p, q=UPRIGHT):
    """Contacts of one pose of a shape in the frame of a mesh, the deepest first, all clear of doubt."""
    m = ref.manifold(shape, mesh.shape, pose(p, q), pose((0, 0, 0)))
    assert not m.ambiguous[0]
    return m.point[0, : m.count[0]], m.normal[0, : m.count[0]], m.depth[0, : m.count[0]], m.load_share[0, : m.count[0]]


def expect(found, *contacts):
    """Contacts (point, normal, depth, share) in any order."""
    assert len(found[2]) == len(contacts)
    for point, normal, depth, load_share in contacts:
        errors = [np.abs(np.concatenate([C - point, n - normal, [d - depth, s - load_share]])).max()
                  for C, n, d, s in zip(*found, strict=True)]
        assert min(errors) < EXACT * 10


def sphere(r):
    return "sphere", {"radius": r}


# ---- balls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mesh", [CUBE, FINE], ids=["coarse", "fine"])
def test_ball_on_face_edge_and_corner(mesh):
    n = np.longdouble(1) / 3
    expect(at(sphere(0.125), mesh, (0.25, 0.0625, 0.5625)), ((0.25, 0.0625, 0.46875), (0, 0, -1), 0.0625, 1))
    w = np.array([3, 0, 4], np.longdouble) / 64  # 5/64 from the edge
    expect(at(sphere(0.125), mesh, np.array([0.5, 0.1, 0.5]) + w),
           (np.array([0.5, 0.1, 0.5]) - w * (0.125 - 5 / 64) / 2 * 64 / 5, -w * 64 / 5, 0.125 - 5 / 64, 1))  # fmt: skip
    w = np.array([1, 2, 2], np.longdouble) / 32  # 3/32 from the corner
    expect(at(sphere(0.125), mesh, np.array([0.5, 0.5, 0.5]) + w),
           (np.array([0.5, 0.5, 0.5]) - w * 32 * n / 64, -w * 32 * n, 0.03125, 1))  # fmt: skip


@pytest.mark.parametrize("shape", [sphere(0.125), ("point", {})], ids=["ball", "point"])
def test_centre_behind_the_surface(shape):
    r = shape[1].get("radius", 0)
    expect(at(shape, FINE, (0.25, 0.0625, 0.4375)), ((0.25, 0.0625, 0.5 - (r + 0.0625) / 2), (0, 0, -1), r + 0.0625, 1))


def test_two_walls_of_a_corner_each_for_itself():
    """The concave edge of the L: its walls are x = 0.125 and y = 0.125 of this size."""
    found = at(sphere(0.25), meshes.l_solid(1.0), (0.3125, 0.34375, 0.0625))
    expect(found, ((0.09375, 0.34375, 0.0625), (-1, 0, 0), 0.0625, 1),
           ((0.3125, 0.109375, 0.0625), (0, -1, 0), 0.03125, 1))  # fmt: skip


@pytest.mark.parametrize("slope", [1e-3, 0.1, 0.5, 0.7])
def test_a_valley_pushes_like_one_face_when_flat(slope):
    """In the middle of a valley of two slopes both are equally deep: lambda = d / (1 + cos(2 slope))."""
    r, height = np.longdouble(0.5), np.longdouble(0.45)
    _, n, depth, load_share = at(sphere(0.5), meshes.fold(slope, size=4.0), (0, 0.3, height))
    assert len(depth) == 2
    np.testing.assert_allclose(depth.astype(float), float(r - height * np.cos(np.longdouble(slope))), atol=1e-15)
    np.testing.assert_allclose(load_share.astype(float), 1 / (1 + np.cos(2 * slope)), rtol=1e-12)
    push = (n * (depth * load_share)[:, None]).sum(0)
    assert push[2] == pytest.approx(float(-depth[0] / np.cos(slope)), rel=1e-12)  # a flat valley: like one face


def test_valley_steeper_than_a_corner():
    """Walls that look at each other do not help each other: each pushes in full."""
    slope = 1.2
    found = at(sphere(0.5), meshes.fold(slope, size=4.0), (0, 0.3, 1.3))
    np.testing.assert_array_equal(found[3].astype(float), [1, 1])


def test_ridge_is_one_contact():
    slope, r = 0.4, 0.5
    found = at(sphere(r), meshes.fold(-slope, 4, size=4.0), (0, 0.3, 0.45))
    expect(found, ((0, 0.3, -0.025), (0, 0, -1), np.longdouble(r) - np.longdouble(0.45), 1))


def test_beside_the_border_of_an_open_mesh():
    """The border carries what leans on it from above, and nothing from below; phi is positive beside it."""
    sheet = meshes.flat(4, 1.0)
    _, n, depth, _ = at(sphere(0.25), sheet, (0.5 + 0.09, 0.1, 0.12))
    np.testing.assert_allclose(depth.astype(float), [0.1])
    np.testing.assert_allclose(n[0].astype(float), [-0.6, 0, -0.8])
    assert len(at(sphere(0.25), sheet, (0.5 + 0.09, 0.1, -0.12))[2]) == 0
    assert len(at(sphere(0.25), sheet, (0.4, 0.1, -0.12))[2]) == 1


# ---- a cube is a box -----------------------------------------------------------------------------


def random_poses(rng, shape, mesh, n):
    return place(rng, shape, mesh.shape, rng.uniform(-0.7, 0.7, (n, 3)), quaternions(rng, n))


@pytest.mark.parametrize("mesh", [CUBE, meshes.cube(1.0, 3)], ids=["coarse", "fine"])
@pytest.mark.parametrize("shape", [sphere(0.125), ("capsule", {"radius": 0.125, "length": 0.5})], ids=lambda s: s[0])
def test_cube_is_a_box(shape, mesh):
    """The same contacts as with a box, or for a capsule with a polyhedron like it, its axis through it or not."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    box = ("polyhedron", {"corners": corners}) if shape[0] == "capsule" else ("box", {"size": (1.0, 1.0, 1.0)})
    _, _, X_WA, X_WB = random_poses(np.random.default_rng(4), shape, mesh, 300)
    one = ref.manifold(shape, mesh.shape, X_WA, X_WB)
    other = reference.manifold(shape, box, X_WA, X_WB)
    alike = ~one.ambiguous & ~(other.feature >= 4096).any(1)  # a deferred corner depends on its edges
    assert alike.mean() > 0.98
    np.testing.assert_array_equal(one.count[alike], other.count[alike])
    ours, theirs = (np.sort(m.depth, axis=1)[:, -4:] for m in (stretched(one), stretched(other)))
    assert np.abs(ours - theirs)[alike].max() < EXACT
    # only the deepest point of an axis that runs through has a part: by what it is deeper than all else
    through = (other.feature == 24).any(1)
    assert through.any() == (shape[0] == "capsule")
    expected = np.ones(ours.shape)
    expected[through, -1] = 1 - ours[through, -2] / ours[through, -1]
    by_depth = np.take_along_axis(stretched(one).load_share, np.argsort(stretched(one).depth, axis=1), axis=1)[:, -4:]
    assert np.abs(by_depth - expected)[alike[:, None] & (ours > 0)].max() < EXACT


def stretched(m):
    """With room for four contacts."""
    padded = {name: np.pad(getattr(m, name), [(0, 0), (0, 4)]) for name in ("depth", "load_share") if hasattr(m, name)}
    return m._replace(**padded)


@pytest.mark.parametrize("kind", ["sphere", "capsule"])
def test_rigid_motion_changes_nothing(kind):
    A, B, X_WA, X_WB = poses_mesh.REGIONS[f"{kind}_on_l"](np.random.default_rng(3), 60)
    G = pose([1.5, -2, 0.7], [0.3, -0.5, 0.7, 0.2])
    q = np.repeat(G[:, 3:], len(X_WA), 0)
    moved = [np.hstack([G[:, :3] + turn(q, X[:, :3]), multiply(q, X[:, 3:])])
             for X in (X_WA.astype(np.longdouble), X_WB.astype(np.longdouble))]  # fmt: skip
    here, there = ref.manifold(A, B, X_WA, X_WB), ref.manifold(A, B, *moved)
    clear = ~(here.ambiguous | there.ambiguous)
    assert clear.mean() > 0.8
    np.testing.assert_array_equal(here.count[clear], there.count[clear])
    assert np.abs(here.depth - there.depth)[clear].max() < 1e-15


# ---- sweeps --------------------------------------------------------------------------------------

ALONG_X = (np.sqrt(np.longdouble(0.5)), 0, np.sqrt(np.longdouble(0.5)), 0)


def test_capsule_on_a_fine_face_rests_on_its_ends():
    """The corners and flat edges below its body touch nothing."""
    found = at(("capsule", {"radius": 0.125, "length": 0.5}), FINE, (0.0625, 0.01, 0.5625), ALONG_X)
    expect(found, ((0.3125, 0.01, 0.46875), (0, 0, -1), 0.0625, 1), ((-0.1875, 0.01, 0.46875), (0, 0, -1), 0.0625, 1))


def test_body_over_a_ridge():
    """A capsule across a ridge, its ends free: one contact at the edge outside.

    With the axis below it, of a mesh that has no bottom, also out through the slope that an end is least below: by h,
    of the end that is 0.2 m beside the ridge.
    """
    ridge = meshes.fold(-1.0, size=4.0)
    shape = "capsule", {"radius": 0.125, "length": 0.5}
    expect(at(shape, ridge, (0.05, 0.1, 0.0625), ALONG_X), ((0, 0.1, -0.03125), (0, 0, -1), 0.0625, 1))
    g = np.array([np.sin(np.longdouble(1)), 0, np.cos(np.longdouble(1))])
    h = np.longdouble(0.25) - np.longdouble(0.05)
    end = np.array([-h, 0.1, -0.03125])
    h = -(end * g).sum()
    expect(at(shape, ridge, (0.05, 0.1, -0.03125), ALONG_X), ((0, 0.1, -0.078125), (0, 0, -1), 0.15625, 1),
           (end + g * (h - 0.125) / 2, -g, 0.125 + h, 1 - 0.15625 / (0.125 + h)))  # fmt: skip


# ---- over a plane ---------------------------------------------------------------------------------


def test_mesh_on_a_plane_stands_on_its_convex_corners():
    """Of a fine cube a corner in the middle of a side is none, one on an edge is."""
    m = ref.manifold(meshes.cube(1.0, 2).shape, ("plane", {}), pose((0, 0, 0.4375)), pose((0, 0, 0)))
    assert m.count[0] == 8
    np.testing.assert_array_equal(m.depth[0].astype(float), 0.0625)


# ---- the surface ---------------------------------------------------------------------------------


def solid_angle(mesh, x):
    """Of all triangles seen from x (N, 3), over 4 pi: 1 inside, 0 outside."""
    total = np.zeros(len(x))
    for corners in mesh.vertices[mesh.triangles]:
        a, b, c = (corners[i] - x for i in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        above = (a * np.cross(b, c)).sum(1)
        below = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        total += 2 * np.arctan2(above, below)
    return total / (4 * np.pi)


@pytest.mark.parametrize("name", ["l", "pit", "terrain", "ball"])
def test_signed_distance(name):
    """The sign is that of the solid angle, S is on the surface, no point of the surface is nearer."""
    mesh = poses_mesh.MESHES[name]
    M = surface(mesh.shape[1])
    rng = np.random.default_rng(6)
    x = rng.uniform(mesh.vertices.min(0) - 0.01, mesh.vertices.max(0) + 0.01, (300, 3)).astype(np.longdouble)
    phi, S, g, sure = nearest(M, x)
    assert sure.mean() > 0.99
    np.testing.assert_array_equal((phi < 0)[sure], (solid_angle(mesh, x.astype(float)) > 0.5)[sure])
    assert np.abs(reference.norm(x - S) - np.abs(phi)).max() < EXACT
    assert np.abs(reference.norm(x - phi[:, None] * g - S)).max() < EXACT
    cloud, _ = poses_mesh.places(rng, mesh, 20000)
    for i in range(len(x)):
        assert np.linalg.norm(cloud - x[i].astype(float), axis=1).min() > abs(phi[i]) - 1e-15


def test_convex_corners():
    """Corners and edges of a subdivided cube, nothing in its sides; all of a pit but its tip and the middle of its
    floor. The corner of a saddle is none, those of a sheet are."""
    M = surface(meshes.cube(1.0, 3).shape[1])
    np.testing.assert_array_equal(M.convex_corner, (np.abs(M.corners) > 0.499).sum(1) >= 2)
    M = surface(meshes.pit(1.0).shape[1])
    np.testing.assert_array_equal(M.convex_corner, np.abs(M.corners[:, :2]).max(1) > 0)
    M = surface(meshes.flat(3, 1.0).shape[1])
    np.testing.assert_array_equal(M.convex_corner, np.abs(M.corners).max(1) > 0.499)
    side = np.linspace(-1, 1, 3)
    M = surface(meshes.grid(side, side, lambda x, y: x * x - y * y).shape[1])
    assert not M.convex_corner[np.abs(M.corners).max(1) == 0].any()


def test_a_part_knows_the_same():
    """Near the middle of a part nothing changes."""
    mesh = poses_mesh.MESHES["terrain"]
    M = surface(mesh.shape[1])
    near = np.abs(M.faces[:, :, :2]).max((1, 2)) < 0.04
    A, B, X_WA, X_WB = place(np.random.default_rng(1), sphere(0.008), mesh.shape,
                             np.random.default_rng(2).uniform([-0.01, -0.01, 0.0], [0.01, 0.01, 0.02], (200, 3)),
                             quaternions(np.random.default_rng(3), 200))  # fmt: skip
    one, other = (ref.manifold(A, B, X_WA, X_WB, M=some) for some in (M, part(M, near)))
    assert one.count.max() > 0
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


# ---- shares --------------------------------------------------------------------------------------


def shortest_push(n, d):
    """min |u|, n u >= d, by the least distance problem of Lawson and Hanson."""
    E = np.vstack([n.T, d[None]])
    y = nnls(E, np.array([0.0, 0, 0, 1]))[0]
    residual = E @ y - [0, 0, 0, 1]
    return -residual[:3] / residual[3]


def test_shares_are_the_shortest_push():
    """For normals within 45 degrees of an axis, none of which are obtuse; but for what the deepest keeps besides, which
    is a tenth at most of what it is deeper than nine tenths of any other."""
    rng = np.random.default_rng(7)
    n = directions(rng, 4000)
    n = n[n[:, 2] > np.sqrt(0.5)].reshape(-1)[: 3 * 100 * 5].reshape(-1, 5, 3)
    d = rng.uniform(0.5, 1.0, n.shape[:2])
    wide, deep = n.astype(np.longdouble), d.astype(np.longdouble)
    load_share, _ = load_shares(wide, deep)
    kept = raised(wide, deep, load_share)
    assert 0.1 < kept.any(1).mean() < 0.4
    push = (n * np.where(kept, 0, load_share * d)[..., None]).sum(1)
    for u, normals, depths in zip(push, n, d, strict=True):
        np.testing.assert_allclose(u.astype(float), shortest_push(normals, depths), atol=1e-10)
    rows, i = np.nonzero(kept)
    others = d[rows]
    others[np.arange(len(rows)), i] = 0
    kept_push = load_share[rows, i] * d[rows, i]
    assert (kept_push > 0).all()
    assert (kept_push <= 0.1 * (d[rows, i] - 0.9 * others.max(1)) + 1e-9).all()


@pytest.mark.parametrize("count", [2, 3, 6, 12])
def test_shares_keep_the_conditions(count):
    rng = np.random.default_rng(count)
    n, d = directions(rng, 200 * count).reshape(-1, count, 3), rng.uniform(0.1, 1.0, (200, count))
    n, d = n.astype(np.longdouble), d.astype(np.longdouble)
    load_share, unsure = load_shares(n, d)
    assert complementarity(n, d, load_share)[~unsure].max() < 1e-15
    assert unsure.mean() < 0.2
    # a share that is left out, or one too many, is noticed
    worse = load_share.copy()
    worse[np.arange(len(d)), load_share.argmax(1)] = 0
    assert (complementarity(n, d, worse) > 1e-3).all()


def test_many_solutions_are_noticed():
    """Six steep walls around: three of them, the other three, or all together."""
    angle = np.arange(6) * np.pi / 3
    n = np.column_stack([np.cos(angle) * np.sqrt(0.75), np.sin(angle) * np.sqrt(0.75), np.full(6, 0.5)])
    load_share, unsure = load_shares(n[None].astype(np.longdouble), np.ones((1, 6), np.longdouble))
    assert unsure[0]
    assert complementarity(n[None], np.ones((1, 6)), load_share).max() < 1e-15
