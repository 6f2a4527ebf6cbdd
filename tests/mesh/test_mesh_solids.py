"""Solids at rest on meshes: the contacts that a person would draw."""

import numpy as np
import pytest

import contactlib
from tests.support import meshes

HERE = [0, 0, 0, 1, 0, 0, 0]
DEPTH = 1e-3


def found(solid, mesh, X):
    m = contactlib.manifolds(solid, mesh, [X], HERE)
    k = m.count[0]
    return m.point[0, :k], m.normal[0, :k], m.depth[0, :k]


def ground():
    sheet = meshes.flat(10, 1.0)
    return contactlib.Mesh(sheet.vertices, sheet.triangles)


def cube(size):
    h = size / 2
    hull = contactlib.Polyhedron([(x, y, z) for x in (-h, h) for y in (-h, h) for z in (-h, h)])
    vertices, loops, counts = hull.surface()
    faces = np.split(loops, np.cumsum(counts)[:-1])
    return contactlib.Mesh(vertices, [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])


@pytest.mark.parametrize("turn", [0.0, 0.2, 1.0])
def test_a_box_on_flat_ground_stands_on_its_corners(turn):
    """Flat edges and corners of the ground touch nothing, however fine it is."""
    box = contactlib.Box((0.2, 0.15, 0.1))
    q = [np.cos(turn / 2), 0, 0, np.sin(turn / 2)]
    point, normal, depth = found(box, ground(), [0.013, 0.021, 0.05 - DEPTH, *q])
    np.testing.assert_allclose(depth, 4 * [DEPTH], atol=1e-15)
    np.testing.assert_allclose(normal, 4 * [[0, 0, -1]], atol=1e-15)
    np.testing.assert_allclose(point[:, :2].mean(0), [0.013, 0.021], atol=1e-15)


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.1, 0.03), (0.1, 0.1), (0.195, 0.0)])
@pytest.mark.parametrize("solid", ["box", "mesh"])
def test_a_cube_on_a_cube_touches_at_the_corners_of_the_overlap(solid, offset):
    """Of one's corners, the other's, and crossings of edges: the rectangle that both share.

    Walls that stand in the patch lean the first direction by depth over width. What two turns leave of that is three
    times the fifth power.
    """
    x, y = offset
    A = cube(0.2) if solid == "mesh" else contactlib.Box((0.2, 0.2, 0.2))
    point, normal, depth = found(A, cube(0.2), [x, y, 0.2 - DEPTH, 1, 0, 0, 0])
    lean = 3.1 * (DEPTH / (0.2 - max(offset))) ** 5 if any(offset) else 0.0
    if solid == "mesh" and offset == (0.195, 0.0):
        # walls in exactly one plane: rounding gives pieces of either to the patch, which leans by no more than twice
        # depth over length towards them; a nanometre beside that plane it does not
        assert np.abs(normal[:, 0]).max() < lean and np.abs(normal[:, 1]).max() < 2 * DEPTH / 0.2 * 1.001
        np.testing.assert_allclose(depth, 4 * [DEPTH], rtol=(2 * DEPTH / 0.2) ** 2)
        y = 1e-9
        point, normal, depth = found(A, cube(0.2), [x, y, 0.2 - DEPTH, 1, 0, 0, 0])
    np.testing.assert_allclose(depth, 4 * [DEPTH], rtol=4 * lean**2, atol=1e-14)
    np.testing.assert_allclose(normal, 4 * [[0, 0, -1]], atol=lean + 1e-12)
    expected = sorted((a, b) for a in (x - 0.1, 0.1) for b in (y - 0.1, 0.1))
    np.testing.assert_allclose(sorted(map(tuple, point[:, :2].round(6))), expected, atol=1e-6)
    nearest = np.linalg.norm(point[:, None, :2] - np.array(expected), axis=2).min(1)
    assert nearest.max() < lean * DEPTH + 1e-12


def test_round_solids_on_flat_ground():
    upright = found(contactlib.Cylinder(0.1, 0.2), ground(), [0.013, 0.021, 0.1 - DEPTH, 1, 0, 0, 0])
    lying = found(contactlib.Cylinder(0.1, 0.2), ground(), [0.013, 0.021, 0.1 - DEPTH, 0.5**0.5, 0.5**0.5, 0, 0])
    egg = found(contactlib.Ellipsoid((0.1, 0.2, 0.15)), ground(), [0.013, 0.021, 0.15 - DEPTH, 1, 0, 0, 0])
    for (_, normal, depth), count in ((upright, 4), (lying, 2), (egg, 1)):
        # the patch of an ellipsoid keeps its form but for a part like depth over radius
        np.testing.assert_allclose(depth, count * [DEPTH], rtol=2.5e-3 if count == 1 else 0.0, atol=1e-15)
        np.testing.assert_allclose(normal, count * [[0, 0, -1]], atol=1e-12)


@pytest.mark.parametrize("r", [0.0, 0.002])
def test_a_rod_through_a_plate(r):
    """Far from all edges: as deep as the deepest point of the axis, half-way through the plate, is inside."""
    plate = meshes.cube(0.1)
    plate = contactlib.Mesh(plate.vertices * [1, 1, 0.05], plate.triangles)
    rod = contactlib.Capsule(r, 0.15) if r else contactlib.Segment(0.15)
    point, normal, depth = found(rod, plate, [0.013, 0.021, 0.02, 1, 0, 0, 0])
    np.testing.assert_allclose(depth, [r + 0.0025], rtol=1e-9)
    np.testing.assert_allclose(np.abs(normal), [[0, 0, 1]], atol=1e-9)
    np.testing.assert_allclose(point[:, :2], [[0.013, 0.021]], atol=1e-9)
