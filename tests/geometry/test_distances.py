"""Distances against proofs of optimality, brute force over facets and points, and closed forms.

Two convex shapes are proved to be a distance d apart by a point of each, d from each other, and by two planes through
these points across the line between them, with a shape wholly behind each. The shapes' support functions are written
here once more.
"""

import itertools

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from contactlib import Mesh, Polyhedron, distances, manifolds
from contactlib._core import engine
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Point, Segment, Socket, Sphere, Triangle

HERE = [[0, 0, 0, 1, 0, 0, 0]]
HULL = Polyhedron.hull_of(np.random.default_rng(1).normal(size=(14, 3)) * 0.3)
HULL_CORNERS = np.asarray(HULL.surface()[0])
CORNERS = np.array([[0, 0, 0], [0.7, 0.1, 0], [0.2, 0.6, 0.3]])


def norm(x):
    return np.sqrt((x * x).sum(axis=-1))


def rod(d, half, r):
    return np.abs(d[:, 2]) * half + r


#: a shape and its support function over unit vectors in its axes
CONVEX = {
    "point": (Point(), lambda d: np.zeros(len(d))),
    "sphere": (Sphere(0.3), lambda d: np.full(len(d), 0.3)),
    "segment": (Segment(0.8), lambda d: rod(d, 0.4, 0.0)),
    "capsule": (Capsule(0.2, 0.7), lambda d: rod(d, 0.35, 0.2)),
    "triangle": (Triangle(tuple(map(tuple, CORNERS))), lambda d: (d @ CORNERS.T).max(axis=1)),
    "ellipsoid": (Ellipsoid((0.5, 0.3, 0.1)), lambda d: norm(d * (0.5, 0.3, 0.1))),
    "box": (Box((0.5, 0.8, 0.2)), lambda d: (np.abs(d) * (0.25, 0.4, 0.1)).sum(axis=1)),
    "cylinder": (Cylinder(0.3, 0.6), lambda d: rod(d, 0.3, 0.0) + 0.3 * norm(d[:, :2])),
    "polyhedron": (HULL, lambda d: (d @ HULL_CORNERS.T).max(axis=1)),
}
PAIRS = list(itertools.combinations_with_replacement(CONVEX, 2))
#: pairs without a kernel: two of these never have a contact
THIN = {frozenset(pair) for pair in (("point",), ("point", "segment"), ("point", "triangle"), ("segment",),
                                     ("segment", "capsule"), ("segment", "triangle"))}


def poses(rng, n, scale):
    q = Rotation.random(n, random_state=rng).as_quat()[:, [3, 0, 1, 2]]
    return np.hstack([rng.normal(size=(n, 3)) * scale, q])


def turn(X):
    return Rotation.from_quat(X[:, [4, 5, 6, 3]])


def check_proof(a, b, X_WA, X_WB, found, tolerance):
    """The planes through the nearest points have the shapes behind them, and the points are `distance` apart."""
    apart = ~found.overlap
    A, B, n, d = X_WA[apart], X_WB[apart], found.normal[apart], found.distance[apart]
    p, q = found.point_a[apart] - A[:, :3], found.point_b[apart] - A[:, :3]
    np.testing.assert_allclose(norm(n), 1.0, atol=1e-14)
    np.testing.assert_allclose(q - p, d[:, None] * n, atol=tolerance)
    behind_a = CONVEX[a][1](turn(A).inv().apply(n)) - (p * n).sum(axis=1)
    behind_b = CONVEX[b][1](turn(B).inv().apply(-n)) + ((q + A[:, :3] - B[:, :3]) * n).sum(axis=1)
    np.testing.assert_allclose(behind_a, 0.0, atol=tolerance)
    np.testing.assert_allclose(behind_b, 0.0, atol=tolerance)
    return apart


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_convex_pairs_are_proved(pair):
    rng = np.random.default_rng(7)
    n = 1500
    A, B = poses(rng, n, 0.0), poses(rng, n, 0.7)
    B[: n // 3, :3] *= 3.0
    shapes = [CONVEX[name][0] for name in pair]
    found = distances(*shapes, A, B)
    apart = check_proof(*pair, A, B, found, 4e-14)  # coordinates up to 7 m, and some 20 roundings
    assert apart.sum() > n / 2 and (found.distance[~apart] == 0).all()
    order = list(kinds())
    first, second = sorted((0, 1), key=lambda i: order.index(shapes[i].kind))
    if frozenset(pair) not in THIN:
        contacts = manifolds(shapes[first], shapes[second], *((A, B) if first == 0 else (B, A)))
        assert (found.overlap == (contacts.count > 0)).all()
    other = distances(shapes[1], shapes[0], B, A)
    np.testing.assert_allclose(other.distance, found.distance, atol=1e-14)


def kinds():
    return engine.shape_kinds()


@pytest.mark.parametrize("pair", [("box", "box"), ("cylinder", "polyhedron"), ("ellipsoid", "capsule")], ids="-".join)
def test_far_from_the_world_origin(pair):
    """7000 km away, where a coordinate has steps of 1e-9 m, the distance keeps the digits of the offset."""
    rng = np.random.default_rng(3)
    A, B = poses(rng, 200, 0.0), poses(rng, 200, 1.0)
    far = np.array([7e6, -3e6, 2e6])
    B[:, :3] = (B[:, :3] + far) - far  # an offset that the sum keeps
    near = distances(CONVEX[pair[0]][0], CONVEX[pair[1]][0], A, B)
    A[:, :3] += far
    B[:, :3] += far
    away = distances(CONVEX[pair[0]][0], CONVEX[pair[1]][0], A, B)
    np.testing.assert_array_equal(away.distance, near.distance)
    np.testing.assert_array_equal(away.normal, near.normal)


@pytest.mark.parametrize("gap", [1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e3])
def test_parallel_faces_and_edges(gap):
    """Faces, edges and ends that are nearest along a whole area: any pair of its points is right."""
    box, can, rail = Box((1.0, 2.0, 0.5)), Cylinder(0.4, 1.0), Segment(2.0)
    cases = [(box, box, (0.2, 0.3, 0.5 + gap)), (box, can, (0.1, 0.0, 0.75 + gap)), (can, can, (0.3, 0.1, 1.0 + gap)),
             (can, can, (0.8 + gap, 0.0, 0.2)), (rail, rail, (gap, 0.0, 0.3)), (rail, rail, (0.0, 0.0, 2.0 + gap)),
             (rail, can, (0.4 + gap, 0.0, 0.0)), (box, rail, (0.5 + gap, 0.0, 0.3)),
             (Capsule(0.1, 1.0), Capsule(0.2, 1.0), (0.0, 0.3 + gap, 0.4)), (Sphere(0.5), box, (0.0, 0.0, 0.75 + gap))]
    for a, b, r in cases:
        found = distances(a, b, HERE, [[*r, 1, 0, 0, 0]])
        assert found.distance[0] == pytest.approx(gap, rel=1e-12, abs=4e-16 * (1 + gap)), (a, b)


def test_flat_pairs_in_one_plane():
    """Triangles and segments in a common plane, where the difference of the two shapes has no inside."""
    flat = Triangle(((0, 0, 0), (1, 0, 0), (0, 1, 0)))
    for r, expected in (((2, 0, 0), 1.0), ((1, 1, 0), np.sqrt(0.5)), ((-3, -4, 0), np.hypot(3.0, 3.0)),
                        ((0.2, 0.3, 0.7), 0.7)):
        assert distances(flat, flat, HERE, [[*r, 1, 0, 0, 0]]).distance[0] == pytest.approx(expected, rel=1e-14)
    for r, expected in (((0.5, 0, 0.1), 0.5), ((0.3, 0, 3.4), np.hypot(0.3, 2.4))):
        assert distances(Segment(1.0), Segment(1.0), HERE, [[*r, 1, 0, 0, 0]]).distance[0] == pytest.approx(
            expected, rel=1e-14)
    across = np.sqrt(0.5)
    crossing = distances(Segment(1.0), Segment(1.0), HERE, [[0, 0, 0, across, across, 0, 0]])
    assert crossing.overlap[0] and crossing.distance[0] == 0 and np.isnan(crossing.normal).all()


def triangles(vertices, faces):
    return [Triangle(tuple(map(tuple, vertices[face]))) for face in faces]


BALL = trimesh.creation.icosphere(2, 0.5)
RING = trimesh.creation.torus(0.6, 0.2, major_sections=20, minor_sections=10)
FLAG = np.array([[-1, -1, 0], [1, -1, 0.1], [0, 1, -0.2]])
SHEET = trimesh.Trimesh(*trimesh.remesh.subdivide(FLAG, np.array([[0, 1, 2]])))


def mesh(body):
    return Mesh(np.asarray(body.vertices), np.asarray(body.faces))


@pytest.mark.filterwarnings("ignore::contactlib.MeshWarning")
@pytest.mark.parametrize("body", [BALL, RING, SHEET], ids=["ball", "ring", "sheet"])
@pytest.mark.parametrize("name", [*CONVEX, "socket", "mesh"])
def test_meshes_are_their_facets(name, body):
    """The least distance from all facets, one by one; and no distance inside."""
    rng = np.random.default_rng(5)
    small = trimesh.creation.icosphere(1, 0.15)
    shape = {"socket": Socket((1.0, 1.2, 0.8), 0.3, 0.4), "mesh": mesh(small)}.get(name) or CONVEX[name][0]
    A, B = poses(rng, 30, 0.0), poses(rng, 30, 0.8)
    found = distances(shape, mesh(body), A, B)
    facets = np.min([distances(shape, facet, A, B).distance for facet in triangles(body.vertices, body.faces)], axis=0)
    apart = ~found.overlap
    assert apart.sum() > 5
    np.testing.assert_allclose(found.distance[apart], facets[apart], rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(norm(found.point_b - found.point_a)[apart], found.distance[apart], atol=1e-14)
    hidden = found.overlap & (facets > 0)  # inside, or around it
    if hidden.any():
        middle = turn(B).inv().apply(A[:, :3] - B[:, :3])
        around = name in ("socket", "mesh")
        assert around or trimesh.Trimesh(body.vertices, body.faces).contains(middle[hidden]).all()
    assert not (hidden.any() and body is SHEET)
    swapped = distances(mesh(body), shape, B, A)
    np.testing.assert_allclose(swapped.distance, found.distance, rtol=1e-13, atol=1e-15)


def test_inside_a_mesh_is_an_overlap():
    shell = mesh(trimesh.creation.icosphere(3, 1.0))
    for shape in (Sphere(0.1), Box((0.2, 0.2, 0.2)), mesh(trimesh.creation.icosphere(1, 0.2)), Segment(0.3),
                  Socket((0.3, 0.3, 0.3), 0.1, 0.1)):
        assert distances(shape, shell, [[0.1, 0.2, 0.1, 1, 0, 0, 0]], HERE).overlap[0]
        assert distances(shape, shell, [[3.0, 0.2, 0.1, 1, 0, 0, 0]], HERE).distance[0] > 1.0


@pytest.mark.parametrize("name", [*CONVEX, "mesh", "socket"])
def test_planes(name):
    """The lowest point of a dense cloud, or of the support function."""
    rng = np.random.default_rng(11)
    A, B = poses(rng, 300, 0.0), poses(rng, 300, 0.0)
    A[:, :3] = rng.normal(size=(300, 3))
    up = turn(B).apply(np.tile([0.0, 0.0, 1.0], (300, 1)))
    height = (A[:, :3] * up).sum(axis=1)
    n_A = turn(A).inv().apply(-up)
    if name in CONVEX:
        shape, low = CONVEX[name][0], CONVEX[name][1](n_A)
    elif name == "mesh":
        shape, low = mesh(RING), (n_A @ RING.vertices.T).max(axis=1)
    else:
        shape = Socket((1.0, 1.2, 0.8), 0.3, 0.4)
        low = (np.abs(n_A) * (0.5, 0.6, 0.4)).sum(axis=1) - 0.4 * n_A[:, 2]
    found = distances(shape, Plane(), A, B)
    expected = height - low
    assert (found.overlap == (expected <= 0)).all()
    apart = ~found.overlap
    np.testing.assert_allclose(found.distance[apart], expected[apart], atol=3e-15)
    np.testing.assert_allclose(found.normal[apart], -up[apart], atol=1e-14)
    np.testing.assert_allclose((found.point_b * up).sum(axis=1)[apart], 0.0, atol=1e-14)


def test_margin_threads_and_empty_calls():
    rng = np.random.default_rng(2)
    A, B = poses(rng, 400, 0.0), poses(rng, 400, 1.5)
    for shape in (Box((0.5, 0.5, 0.5)), mesh(BALL), Socket((1, 1, 1), 0.2, 0.3), Plane()):
        all_of_them = distances(Cylinder(0.2, 0.5), shape, A, B)
        near = distances(Cylinder(0.2, 0.5), shape, A, B, margin=0.6, num_threads=2)
        within = all_of_them.distance <= 0.6
        assert 20 < within.sum() < 380
        np.testing.assert_array_equal(near.overlap, all_of_them.overlap)
        np.testing.assert_array_equal(near.distance[within], all_of_them.distance[within])
        assert (near.distance[~within] == np.inf).all() and np.isnan(near.point_a[~within]).all()
    assert distances(Sphere(1), Sphere(1), np.empty((0, 7)), HERE).distance.shape == (0,)


def test_what_is_refused():
    ball = Sphere(1.0)
    with pytest.raises(ValueError, match="socket-socket has no distance: two sockets or two planes have none"):
        distances(Socket((1, 1, 1), 0.2, 0.3), Socket((1, 1, 1), 0.2, 0.3), HERE, HERE)
    with pytest.raises(ValueError, match="margin = 0: must be greater than zero"):
        distances(ball, ball, HERE, HERE, margin=0)
    with pytest.raises(ValueError, match="margin = nan: must be greater than zero"):
        distances(ball, ball, HERE, HERE, margin=float("nan"))
    with pytest.raises(ValueError, match=r"X_WA has 2 rows and X_WB 3: must be as many, or one for all"):
        distances(ball, ball, HERE * 2, HERE * 3)
    with pytest.raises(ValueError, match=r"row 1: poses must have quaternions of length 1 within 1e-3"):
        distances(ball, ball, [*HERE, [0, 0, 0, 2, 0, 0, 0]], HERE)
    with pytest.raises(ValueError, match="X_WB must be finite"):
        distances(ball, ball, HERE, [[np.nan, 0, 0, 1, 0, 0, 0]])


def turned_with(X, common):
    """The same relative placement after a rigid rotation of both."""
    return np.hstack([common.apply(X[:, :3]), (common * turn(X)).as_quat()[:, [3, 0, 1, 2]]])


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3])
def test_cubes_face_on_face_with_any_twist(gap):
    """The lowest corners and edges lie in one plane up to rounding; no direction but one separates the two."""
    rng = np.random.default_rng(12)
    n = 3000
    cube, common = Box((1.0, 1.0, 1.0)), Rotation.random(n, random_state=rng)
    twist = Rotation.from_rotvec(np.array([[0, 0, 1.0]]) * rng.uniform(-np.pi, np.pi, (n, 1)))
    B = np.hstack([rng.uniform(-0.6, 0.6, (n, 2)), np.full((n, 1), 1.0 + gap), twist.as_quat()[:, [3, 0, 1, 2]]])
    A = np.repeat(np.array(HERE, dtype=float), n, axis=0)
    found = distances(cube, cube, turned_with(A, common), turned_with(B, common))
    np.testing.assert_allclose(found.distance, gap, atol=1e-14 if gap > 1e-11 else 1e-11)  # may count as touching


def test_cubes_on_a_grid():
    """Every way of touching: face, edge and corner, and apart by eighths of a metre along the axes."""
    cube = Box((1.0, 1.0, 1.0))
    grid = np.arange(-10, 11) / 8.0
    r = np.array(np.meshgrid(grid, grid, grid)).reshape(3, -1).T
    expected = norm(np.maximum(np.abs(r) - 1.0, 0.0))
    half = np.sqrt(0.5)
    for q in ((1, 0, 0, 0), (0, -half, half, 0), (0.5, 0.5, 0.5, 0.5), (0, half, 0, half)):
        found = distances(cube, cube, HERE, np.hstack([r, np.tile(q, (len(r), 1))]))
        np.testing.assert_allclose(found.distance, expected, atol=1e-11)


@pytest.mark.parametrize("tilt", [1e-9, 1e-7, 1e-5, 1e-3])
def test_discs_over_an_edge(tilt):
    """A can, nearly upright, reaches over an edge of a box: its lower disc is 0.2 m above, up to the tilt."""
    rng = np.random.default_rng(13)
    n = 2000
    lean = Rotation.from_rotvec(np.column_stack([tilt * rng.normal(size=(n, 2)), rng.uniform(-3, 3, n)]))
    B = np.hstack([np.column_stack([0.5 + rng.uniform(-0.2, 0.2, n), rng.uniform(-0.3, 0.3, n), np.full(n, 0.75)]),
                   lean.as_quat()[:, [3, 0, 1, 2]]])
    found = distances(Box((1.0, 1.0, 0.8)), Cylinder(0.25, 0.3), HERE, B)
    assert (np.abs(found.distance - 0.2) <= 0.6 * 5.0 * tilt).all()  # the tilts are below 5 deviations


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("far", [Box((100.0, 100.0, 0.01)), Segment(1000.0), Box((1000.0, 0.02, 0.02))], ids=str)
def test_sizes_that_differ_by_orders(name, far):
    """The bound by the planes through the nearest points, to 1e-11 of the larger size."""
    rng = np.random.default_rng(14)
    A, B = poses(rng, 800, 0.0), poses(rng, 800, 2.0)
    found = distances(CONVEX[name][0], far, A, B)
    apart = ~found.overlap
    n = found.normal[apart]
    half = 0.5 * np.array(far.size if isinstance(far, Box) else (0.0, 0.0, far.length))
    reach = CONVEX[name][1](turn(A[apart]).inv().apply(n))
    reach += (np.abs(turn(B[apart]).inv().apply(n)) * half).sum(axis=1)
    bound = ((B[apart, :3] - A[apart, :3]) * n).sum(axis=1) - reach
    assert apart.sum() > 400
    np.testing.assert_allclose(found.distance[apart], bound, atol=1e-11 * 2 * half.max())
