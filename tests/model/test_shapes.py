"""Shapes: what they refuse, their mass properties, and the faces of polyhedra and meshes."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import (
    SHAPES,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Plane,
    Point,
    Segment,
    Socket,
    Sphere,
    Triangle,
    check_shape,
)

CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
NAN, INF = float("nan"), float("inf")


def rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def polygons(surface):
    return np.split(surface.loops, np.cumsum(surface.counts)[:-1])


def as_mesh(polyhedron):
    vertices = polyhedron.surface().vertices
    fans = [(f[0], f[i], f[i + 1]) for f in polygons(polyhedron.surface()) for i in range(1, len(f) - 1)]
    return Mesh(vertices, fans)


# ---- sizes ---------------------------------------------------------------------------------------


def test_the_order_of_the_pair_table():
    assert list(SHAPES) == ["point", "sphere", "segment", "capsule", "triangle", "ellipsoid", "box", "cylinder",
                            "polyhedron", "socket", "mesh", "plane"]
    assert all(kind.kind == name for name, kind in SHAPES.items())


GOOD = [
    (Point(), ()),
    (Sphere(1), (1,)),
    (Segment(2), (0, 2)),
    (Capsule(1, 0), (1, 0)),
    (Triangle([(0, 0, 0), (1, 0, 0), (0, 2, 0)]), (0, 0, 0, 1, 0, 0, 0, 2, 0)),
    (Ellipsoid([1, 2, 3]), (1, 2, 3)),
    (Box([1, 2, 3]), (1, 2, 3)),
    (Cylinder(1, 2), (1, 2)),
    (Polyhedron(CUBE), ()),
    (Socket((3, 3, 3), 1, 0), (3, 3, 3, 1, 0, 4)),
    (Mesh(TETRAHEDRON, FACES), ()),
    (Plane(), ()),
]


@pytest.mark.parametrize(("shape", "numbers"), GOOD)
def test_numbers_and_identity(shape, numbers):
    check_shape(shape)
    assert shape.numbers() == numbers
    for twin in (copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert twin == shape and hash(twin) == hash(shape)
    assert all(shape != other for other, _ in GOOD if other is not shape)


BAD = [
    (lambda: Sphere(0), r"sphere.radius = 0: must be finite and greater than zero"),
    (lambda: Segment(0), r"segment.length = 0: must be finite and greater than zero"),
    (lambda: Capsule(1, -1), r"capsule.length = -1: must be finite and zero or more"),
    (lambda: Capsule(NAN, 1), r"capsule.radius = nan"),
    (lambda: Cylinder(1, 0), r"cylinder.length = 0: must be finite and greater than zero"),
    (lambda: Ellipsoid((1, 2)), r"ellipsoid.semi_axes = \(1, 2\): must be three lengths"),
    (lambda: Ellipsoid((1, 2, INF)), r"ellipsoid.semi_axes = .*: must be finite"),
    (lambda: Box((1, -2, 3)), r"box.size = .*: must be finite and greater than zero"),
    (lambda: Triangle(TETRAHEDRON), r"triangle.corners: there are 4, must be three"),
    (lambda: Triangle(((0, 0), (1, 1), (2, 2))), r"triangle.corners: has the shape \(3, 2\)"),
    (lambda: Triangle(((0, 0, 0), (1, 1, 1), (3, 3, 3))), r"triangle.corners = .*: must not lie in a line"),
    (lambda: Triangle(((0, 0, 0), (1, 1, 1), (0, 0, 0))), r"triangle.corners = .*: must not lie in a line"),
    (lambda: Triangle(((0, 0, 0), (1, NAN, 1), (3, 3, 3))), r"triangle.corners: 1 of 3 are not finite \(1\)"),
    (lambda: Polyhedron("cube"), r"polyhedron.corners: must be rows of three numbers"),
    (lambda: Polyhedron([(0, 0, 0), (0, 1)]), r"polyhedron.corners: must be rows of three numbers"),
    (lambda: Polyhedron(CUBE[:3]), r"polyhedron.corners: there are 3 of them, a body needs four or more"),
    (lambda: Polyhedron(np.zeros((0, 3))), r"polyhedron.corners: there are 0 of them"),
    (lambda: Polyhedron(CUBE[:4]), r"polyhedron.corners: they lie in one plane, without volume"),
    (lambda: Polyhedron([(i, 2 * i, i) for i in range(5)]), r"polyhedron.corners: they lie in one plane"),
    (lambda: Polyhedron([*TETRAHEDRON[:3], (0.3, 0.3, 1e-12)]), r"polyhedron.corners: they lie in one plane"),
    (lambda: Polyhedron(1e-7 * np.array(CUBE) + 1), r"polyhedron.corners: they lie too far from the origin for their"),
    (lambda: Polyhedron([*CUBE, (INF, 0, 0)]), r"polyhedron.corners: 1 of 9 are not finite \(8\)"),
    (lambda: Polyhedron([(0.5, 0.5, 0.5), *CUBE, (0.5, 0.5, 1)]), r"2 of 10 lie inside the hull .* \(0, 9\)"),
    (lambda: Polyhedron([*CUBE, (0.5, 0, 0)]), r"1 of 9 lie inside the hull or in its faces \(8\): Polyhedron.hull_of"),
    (lambda: Mesh(TETRAHEDRON, [(0, 1, 4)]), r"mesh.triangles: 1 of 1 \(0\) name a missing vertex, must be"),
    (lambda: Mesh(TETRAHEDRON, [(0, 1, -1)]), r"mesh.triangles: 1 of 1 \(0\) name a missing vertex"),
    (lambda: Mesh(TETRAHEDRON, [(0, 1, 1.5)]), r"mesh.triangles: must be rows of three integers"),
    (lambda: Mesh(TETRAHEDRON, [(0, 1), (2, 3)]), r"mesh.triangles: must be rows of three integers"),
    (lambda: Mesh(TETRAHEDRON, [(0, 1, 2), (3,)]), r"mesh.triangles: must be rows of three integers"),
    (lambda: Mesh(TETRAHEDRON, []), r"mesh.triangles: there are none"),
    (lambda: Mesh([], []), r"mesh.vertices: has the shape \(0,\)"),
    (lambda: Mesh([*TETRAHEDRON[:3], (0, 0, NAN)], FACES), r"mesh.vertices: 1 of 4 are not finite \(3\)"),
    (lambda: Mesh(TETRAHEDRON, [*FACES, (0, 0, 1)]), r"1 triangles without area \(4\)"),
    (lambda: Mesh(TETRAHEDRON, [*FACES, (0, 1, 2)]), r"3 edges with more than two triangles \(0-1, 0-2, 1-2\)"),
    (lambda: Mesh(TETRAHEDRON, [(0, 1, 2), (0, 1, 3)]), r"1 edges whose two triangles have opposite winding \(0-1\)"),
]


@pytest.mark.parametrize(("make", "sentence"), BAD)
def test_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_shape(make())


# ---- arrays --------------------------------------------------------------------------------------


def test_arrays_are_copied_and_cannot_be_changed():
    corners = np.array(CUBE, dtype=float)
    shape = Polyhedron(corners)
    corners[0] = 7.0
    assert shape.corners[0].tolist() == [0, 0, 0]
    for array in (shape.corners, *shape.surface(), *copy.deepcopy(shape).surface(), *GOOD[10][0].surface()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_equal_content_is_an_equal_shape():
    assert Polyhedron(CUBE) == Polyhedron(np.array(CUBE, dtype=np.float32)) != Polyhedron(CUBE[::-1])
    assert hash(Polyhedron(-np.array(CUBE, float))) == hash(Polyhedron(0.0 - np.array(CUBE)))
    assert Polyhedron(CUBE) != Mesh(CUBE, [(0, 1, 2)]) and Polyhedron(CUBE) != CUBE
    assert Mesh(CUBE, [(0, 1, 2)]) != Mesh(CUBE, [(0, 1, 3)])
    assert repr(Mesh(CUBE, [(0, 1, 2)])) == "Mesh(8 vertices, 1 triangles)"
    assert repr(Polyhedron(CUBE)) == "Polyhedron(8 corners)"


def test_a_large_mesh_is_no_burden():
    """A grid of 2e5 triangles, open and with nothing wrong."""
    n = 320
    x, y = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    corner = (x[:-1, :-1] * n + y[:-1, :-1]).ravel()
    triangles = np.concatenate([np.column_stack([corner, corner + n, corner + n + 1]),
                                np.column_stack([corner, corner + n + 1, corner + 1])])
    mesh = Mesh(np.column_stack([x.ravel(), y.ravel(), np.sin(x * y).ravel()]), triangles)
    check_shape(mesh)
    assert mesh.edges.border.sum() == 4 * (n - 1) and not mesh.closed
    assert len(mesh.edges.uses) == len(mesh.vertices) + len(triangles) - 1
    with pytest.raises(ValueError, match="encloses no volume"):
        mesh.mass_properties(1.0)


# ---- mass ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [Point(), Segment(1), GOOD[4][0], Plane()], ids=lambda shape: shape.kind)
def test_no_mass(shape):
    with pytest.raises(ValueError, match="give the body's mass and inertia instead of a density"):
        shape.mass_properties(1000.0)


def same(one, other, tolerance):
    assert one.mass == pytest.approx(other.mass, rel=tolerance)
    np.testing.assert_allclose(one.com, other.com, atol=tolerance)
    np.testing.assert_allclose(one.inertia, other.inertia, atol=tolerance * np.abs(other.inertia).max())


def test_a_box_three_ways():
    box, corners = Box((1, 2, 3)), (np.array(CUBE) - 0.5) * (1, 2, 3)
    same(Polyhedron(corners).mass_properties(7.0), box.mass_properties(7.0), 1e-14)
    same(as_mesh(Polyhedron(corners)).mass_properties(7.0), box.mass_properties(7.0), 1e-14)


@pytest.mark.parametrize("shape", [Sphere(0.5), Ellipsoid((1.0, 0.3, 2.0)), Cylinder(0.7, 2.0), Capsule(0.4, 1.1)],
                         ids=lambda shape: shape.kind)
def test_round_solids_by_slices(shape):
    """Each is a stack of elliptic discs along z; the midpoint rule in z."""
    n = 20000
    z, h = np.linspace(-2, 2, 2 * n + 1)[1::2], 4 / n
    axes = {"sphere": (0.5,) * 3, "ellipsoid": (1.0, 0.3, 2.0)}.get(shape.kind)
    if axes:
        k = np.sqrt(np.maximum(0, 1 - (z / axes[2]) ** 2))
        a, b = axes[0] * k, axes[1] * k
    elif shape.kind == "cylinder":
        a = b = 0.7 * (np.abs(z) <= 1.0)
    else:
        a = b = np.sqrt(np.maximum(0, 0.4**2 - np.maximum(0, np.abs(z) - 0.55) ** 2))
    area, density = np.pi * a * b, 3.0
    x2, y2, z2 = (density * (f * area).sum() * h for f in (a * a / 4, b * b / 4, z * z))
    found = shape.mass_properties(density)
    assert found.mass == pytest.approx(density * area.sum() * h, rel=2e-4)
    np.testing.assert_allclose(found.com, 0, atol=1e-15)
    np.testing.assert_allclose(found.inertia, np.diag([y2 + z2, x2 + z2, x2 + y2]), rtol=2e-4, atol=1e-15)


def test_a_polyhedron_against_its_tetrahedra():
    """About an inner point, each integrated by the four-point rule that is exact for squares."""
    random = np.random.default_rng(3)
    for _ in range(20):
        points = random.normal(size=(30, 3)) * random.uniform(0.1, 3, 3) + random.normal(size=3) * 10
        facets = ConvexHull(points)
        middle = points.mean(axis=0)
        corners = np.concatenate([points[facets.simplices], np.tile(middle, (len(facets.simplices), 1, 1))], axis=1)
        volumes = np.abs(np.linalg.det(corners[:, :3] - middle)) / 6
        spread = (5 + 3 * np.sqrt(5)) / 20, (5 - np.sqrt(5)) / 20
        weights = np.full((4, 4), spread[1]) + (spread[0] - spread[1]) * np.eye(4)
        x = np.einsum("qk,tki->tqi", weights, corners).reshape(-1, 3)
        w = np.repeat(volumes / 4, 4)
        com = w @ x / w.sum()
        second = (w[:, None] * (x - com)).T @ (x - com)
        found = Polyhedron.hull_of(points).mass_properties(2.0)
        assert found.mass == pytest.approx(2 * facets.volume, rel=1e-12)
        np.testing.assert_allclose(found.com, com, rtol=1e-13)
        inertia = 2 * (np.trace(second) * np.eye(3) - second)
        np.testing.assert_allclose(found.inertia, inertia, atol=1e-11 * inertia.max())


def test_a_mesh_with_a_cavity():
    """A cube of 3 with a cube of 1 missing in it, off the middle."""
    outer = as_mesh(Polyhedron(np.array(CUBE) * 3.0))
    cavity = np.array(CUBE) + np.array([0.5, 1.0, 1.5])
    triangles = np.concatenate([outer.triangles, outer.triangles[:, ::-1] + 8])
    both = Mesh(np.concatenate([outer.vertices, cavity]), triangles)
    hole = Polyhedron(cavity).mass_properties(5.0)
    same(both.mass_properties(5.0), Polyhedron(np.array(CUBE) * 3.0).mass_properties(5.0) - hole, 1e-14)


def test_inside_out_has_no_mass():
    with pytest.raises(ValueError, match="list corners counter-clockwise"):
        Mesh(TETRAHEDRON, np.array(FACES)[:, ::-1]).mass_properties(1.0)
    with pytest.raises(ValueError, match="must be above zero"):
        Mesh(TETRAHEDRON, [(0, 1, 2), (2, 1, 0)]).mass_properties(1.0)


# ---- the hull ------------------------------------------------------------------------------------


def check_hull(shape):
    """Closed, convex, plane faces, no two in one plane, each corner used."""
    vertices, loops, counts = shape.surface()
    assert loops.dtype == counts.dtype == np.int32 and loops.ndim == counts.ndim == 1
    size = np.linalg.norm(np.ptp(vertices, axis=0))
    directed, normals = set(), []
    for face in polygons(shape.surface()):
        assert len(face) == len(set(face)) >= 3 and face[0] == face.min()
        directed |= {(a, b) for a, b in zip(face.tolist(), np.roll(face, -1).tolist(), strict=True)}
        loop = vertices[face] - vertices[face].mean(axis=0)
        area = np.cross(loop, np.roll(loop, -1, axis=0)).sum(axis=0)
        normals.append(area / np.linalg.norm(area))
        heights = (vertices - vertices[face].mean(axis=0)) @ normals[-1]
        assert heights.max() <= 1e-9 * size and np.abs(heights[face]).max() <= 1e-9 * size
    assert len(directed) == len(loops) and all((b, a) in directed for a, b in directed)
    assert len(vertices) - len(loops) / 2 + len(counts) == 2
    assert np.unique(loops).tolist() == list(range(len(vertices)))
    return normals


def test_the_faces_of_a_cube():
    surface = Polyhedron(CUBE).surface()
    assert surface.counts.tolist() == [4] * 6
    assert surface.loops.reshape(6, 4).tolist() == [
        [0, 1, 3, 2], [0, 2, 6, 4], [0, 4, 5, 1], [1, 5, 7, 3], [2, 3, 7, 6], [4, 6, 7, 5]]
    assert np.array_equal(surface.vertices, CUBE)


def test_the_same_corner_twice():
    near = np.array(CUBE) + 1e-10
    shape = Polyhedron([*CUBE, *CUBE, *near])
    assert np.array_equal(shape.surface().vertices, CUBE) and len(shape.corners) == 24
    assert np.array_equal(shape.surface().loops, Polyhedron(CUBE).surface().loops)


@pytest.mark.parametrize("noise", [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-9, 3e-9, 1e-8, 1e-7, "float32"])
def test_faces_that_are_nearly_plane(noise):
    """Boxes and prisms with points in their faces, turned, and with noise about the tolerance or rounded."""
    rng = np.random.default_rng(7)
    for case in range(20):
        n = int(rng.integers(2, 6))
        if case % 2:
            w = np.arange(6 * n) * np.pi / (3 * n)
            sections = [np.column_stack([np.cos(w), np.sin(w), np.full(6 * n, z)]) for z in np.linspace(-1, 1, n)]
            points = np.concatenate(sections)
        else:
            points = np.array(list(itertools.product(*(np.linspace(0, side, n) for side in (1, 2, 0.3)))))
        points = points @ rotation(rng).T + rng.normal(size=3)
        points = points.astype(np.float32) if noise == "float32" else points + noise * rng.normal(size=points.shape)
        shape = Polyhedron.hull_of(points)
        check_hull(shape)
        assert shape.mass_properties(1.0).mass == pytest.approx(ConvexHull(points).volume, rel=1e-5)
        if noise in (0.0, 1e-16, 1e-14, 1e-12, 1e-10):
            assert len(shape.surface().counts) == (6 * n + 2 if case % 2 else 6)


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 60), st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1.0, 1e6]), st.sampled_from([0.0, 1e3]))
def test_hulls_of_any_points(count, seed, size, away):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3)) * rng.uniform(0.05, 1, 3)
    if seed % 3 == 0:
        points = np.round(points * 3) / 3  # many in planes, on lines and twice
    points = (points + away) * size
    try:
        shape = Polyhedron.hull_of(points)
    except ValueError as error:
        assert str(error).startswith("points: ")
        assert len(np.unique(points, axis=0)) < 4 or np.linalg.matrix_rank(points - points[0], tol=1e-6 * size) < 3
        return
    normals = check_hull(shape)
    middle = shape.corners.mean(axis=0)
    for face, n in zip(polygons(shape.surface()), normals, strict=True):
        assert (middle - shape.surface().vertices[face].mean(axis=0)) @ n < 0
    again = Polyhedron(shape.corners[::-1]).surface()
    assert sorted(again.counts) == sorted(shape.surface().counts)
    assert np.isin(shape.corners, points).all()


def test_hull_of_a_mesh():
    mesh = as_mesh(Polyhedron(CUBE))
    assert Polyhedron.hull_of(mesh.vertices) == Polyhedron(CUBE)
    with pytest.raises(ValueError, match="points: 1 of 5 are not finite"):
        Polyhedron.hull_of([*TETRAHEDRON, (NAN, 0, 0)])
    with pytest.raises(ValueError, match="points: they lie in one plane"):
        Polyhedron.hull_of([(x, y, 0) for x in range(3) for y in range(3)])
