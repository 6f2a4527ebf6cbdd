"""Solids at rest on meshes: the one contact that a person would draw, at the centre of pressure."""

import numpy as np
import pytest

import contactlib
from tests.support import meshes

HERE = [0, 0, 0, 1, 0, 0, 0]
DEPTH = 1e-3


def found(solid, mesh, X):
    m = contactlib.manifolds(solid, mesh, [X], HERE)
    assert m.count[0] == 1
    return m.point[0, 0], m.normal[0, 0], m.depth[0, 0]


def block(size=1.0, cells=10):
    mesh = meshes.cube(size, cells)
    return contactlib.Mesh(mesh.vertices, mesh.triangles)


SOLIDS = {"box": contactlib.Box((0.2, 0.2, 0.2)), "mesh": block(0.2, 2), "cylinder": contactlib.Cylinder(0.1, 0.2),
          "ellipsoid": contactlib.Ellipsoid((0.12, 0.13, 0.1)), "sphere": contactlib.Sphere(0.1),
          "polyhedron": contactlib.Polyhedron(tuple(map(tuple, meshes.cube(0.2).vertices)))}  # fmt: skip


@pytest.mark.parametrize("turn", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("solid", list(SOLIDS))
def test_on_flat_ground_it_stands_in_its_middle(solid, turn):
    """However fine the ground is, and whatever edges run below."""
    q = [np.cos(turn / 2), 0, 0, np.sin(turn / 2)]
    point, normal, depth = found(SOLIDS[solid], block(), [0.013, 0.021, 0.6 - DEPTH, *q])
    # an ellipsoid's normals are sums by Gauss's rule
    exact = 1e-6 if solid == "ellipsoid" else 1e-9
    np.testing.assert_allclose(normal, [0, 0, -1], atol=exact)
    np.testing.assert_allclose(point[:2], [0.013, 0.021], atol=exact)
    assert abs(point[2] - 0.5) < DEPTH
    # the extent of an ellipsoid is that of a ball as curved: d - d^2/(2 r)
    np.testing.assert_allclose(depth, DEPTH, rtol=DEPTH / 0.1 if solid in ("ellipsoid", "cylinder") else 1e-9)


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.1, 0.03), (0.1, 0.1), (0.195, 0.0)])
@pytest.mark.parametrize("solid", ["box", "mesh"])
def test_a_cube_on_a_cube_rests_on_the_rectangle_that_both_share(solid, offset):
    """At its middle; walls that stand in it move that, and lean the force, by a part of depth over width."""
    x, y = offset
    point, normal, depth = found(SOLIDS[solid], block(0.2, 3), [x, y, 0.2 - DEPTH, 1, 0, 0, 0])
    lean = DEPTH / (0.2 - max(offset))
    np.testing.assert_allclose(depth, DEPTH, rtol=1e-9)
    assert np.linalg.norm(normal - [0, 0, -1]) < lean
    assert np.abs(point[:2] - [x / 2, y / 2]).max() < 2 * DEPTH


def test_a_rod_through_a_plate():
    """Far from all edges: a segment is as deep as its deepest point, half-way through the plate; a capsule touches."""
    plate = meshes.cube(0.1)
    plate = contactlib.Mesh(plate.vertices * [1, 1, 0.05], plate.triangles)
    X = [[0.013, 0.021, 0.02, 1, 0, 0, 0]]
    m = contactlib.manifolds(contactlib.Segment(0.15), plate, X, HERE)
    np.testing.assert_allclose(m.depth[0, :1], [0.0025], rtol=1e-9)
    np.testing.assert_allclose(np.abs(m.normal[0, 0]), [0, 0, 1], atol=1e-9)
    np.testing.assert_allclose(m.point[0, 0, :2], [0.013, 0.021], atol=1e-9)
    assert contactlib.manifolds(contactlib.Capsule(0.002, 0.15), plate, X, HERE).depth[0, 0] > 0
