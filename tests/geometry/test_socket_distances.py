"""The distance from a socket against a search over all points of its surface, patch by patch, which knows no pairs."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from contactlib import Mesh, Polyhedron, distances, manifolds
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Point, Segment, Socket, Sphere, Triangle

HERE = [[0, 0, 0, 1, 0, 0, 0]]
R, H = 0.3, 0.5
HALF = np.array([0.6, 0.7, 0.5])
SOCKET = Socket(tuple(2 * HALF), R, H)
PEGS = {
    "point": Point(), "sphere": Sphere(0.1), "segment": Segment(0.5), "capsule": Capsule(0.1, 0.5),
    "triangle": Triangle(((-0.1, -0.1, -0.2), (0.2, 0.1, 0), (-0.1, 0.1, 0.3))),
    "ellipsoid": Ellipsoid((0.2, 0.15, 0.3)), "box": Box((0.2, 0.25, 0.4)), "cylinder": Cylinder(0.2, 0.5),
    "polyhedron": Polyhedron.hull_of(np.random.default_rng(1).normal(size=(12, 3)) * 0.1),
}


def around(u, radius, z):
    return np.column_stack([radius * np.cos(2 * np.pi * u), radius * np.sin(2 * np.pi * u), z])


def top(u, v):
    """The upper face, from the rim to the border of the box along a ray."""
    ray = around(u, 1.0, 0 * u)
    reach = np.min(HALF[:2] / np.maximum(np.abs(ray[:, :2]), 1e-12), axis=1)
    return ray * (R + (reach - R) * v)[:, None]


def side(axis, sign):
    i, j = (axis + 1) % 3, (axis + 2) % 3

    def points(u, v):
        x = np.zeros((len(u), 3))
        x[:, axis], x[:, i], x[:, j] = sign * HALF[axis], (2 * u - 1) * HALF[i], (2 * v - 1) * HALF[j]
        return x - (0, 0, HALF[2])
    return points


#: parts of the surface over the unit square; those that close along u
ROUND = [lambda u, v: around(u, R, -H * v), top,
         lambda u, v: around(u, R * np.sin(v * np.pi / 2), -H - R * np.cos(v * np.pi / 2))]
FLAT = [side(0, -1), side(0, 1), side(1, -1), side(1, 1), side(2, -1)]


def least(peg, X, points, closes):
    """The least distance of the peg from the points of a patch: a grid, and finer grids around its three best."""
    def at(u, v):
        spots = np.column_stack([points(u, v), np.tile([1.0, 0, 0, 0], (len(u), 1))])
        return distances(peg, Point(), X[None], spots).distance

    u, v = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, 61), np.linspace(0, 1, 31)))
    first = at(u, v)
    best = np.inf
    for start in np.argsort(first)[:3]:
        cu, cv, half_u, half_v = u[start], v[start], 0.03, 0.06
        for _ in range(10):
            su, sv = np.meshgrid(np.linspace(cu - half_u, cu + half_u, 9), np.linspace(cv - half_v, cv + half_v, 9))
            gu, gv = (su if closes else su.clip(0, 1)).ravel(), sv.clip(0, 1).ravel()
            d = at(gu, gv)
            cu, cv, best = gu[d.argmin()], gv[d.argmin()], min(best, d.min())
            half_u, half_v = 0.35 * half_u, 0.35 * half_v
    return best


def placements(rng, n):
    """A third upright in the hole, the others anywhere around the mouth."""
    X = np.hstack([rng.normal(size=(n, 2)) * 0.12, rng.uniform(-0.7, 0.5, (n, 1)),
                   Rotation.random(n, random_state=rng).as_quat()[:, [3, 0, 1, 2]]])
    X[: n // 3, 3:] = np.array([1, 0.1, 0.05, 0]) / np.sqrt(1.0125)
    X[n // 2:, :3] *= 2.0
    return X


@pytest.mark.parametrize("name", PEGS)
def test_pegs(name):
    peg = PEGS[name]
    X = placements(np.random.default_rng(6), 18)
    found = distances(peg, SOCKET, X, HERE)
    assert (found.overlap == (manifolds(peg, SOCKET, X, HERE).count > 0)).all()
    apart = np.flatnonzero(~found.overlap)
    assert len(apart) >= 4
    for i in apart:
        searched = min(min(least(peg, X[i], patch, True) for patch in ROUND),
                       min(least(peg, X[i], patch, False) for patch in FLAT))
        # the search ends on a grid of 1e-6 of a patch: it finds at most 1e-9 more than the minimum, and never less
        assert searched - 1e-9 <= found.distance[i] <= searched + 1e-14


def test_a_peg_in_the_middle_has_the_clearance():
    for peg in (Cylinder(0.2, 0.4), Capsule(0.2, 0.3), Sphere(0.2), Ellipsoid((0.2, 0.2, 0.2))):
        found = distances(peg, SOCKET, [[0, 0, -0.25, 1, 0, 0, 0]], HERE)
        assert found.distance[0] == pytest.approx(R - 0.2, abs=1e-15)
        shifted = distances(peg, SOCKET, [[0.03, 0.04, -0.25, 1, 0, 0, 0]], HERE)
        assert shifted.distance[0] == pytest.approx(R - 0.25, abs=1e-15)
        np.testing.assert_allclose(shifted.normal[0], [0.6, 0.8, 0], atol=1e-7)
    bottom = distances(Sphere(0.1), SOCKET, [[0, 0, -0.6, 1, 0, 0, 0]], HERE)
    assert bottom.distance[0] == pytest.approx(R - 0.2, abs=1e-15)  # 0.1 below the cap's centre


def test_meshes_of_pegs_are_their_hulls():
    """The same polytope as a mesh, whose facets are measured one by one, and as a polyhedron."""
    corners = np.array([[0.2 * np.cos(a), 0.2 * np.sin(a), z] for z in (-0.25, 0.25) for a in np.arange(8) * np.pi / 4])
    hull = Polyhedron.hull_of(corners)
    vertices, loops, counts = (np.asarray(part) for part in hull.surface())
    polygons = np.split(loops, np.cumsum(counts)[:-1])
    faces = [(p[0], p[k], p[k + 1]) for p in polygons for k in range(1, len(p) - 1)]
    X = placements(np.random.default_rng(9), 60)
    X[:, :2] *= 0.3
    of_mesh, of_hull = distances(Mesh(vertices, faces), SOCKET, X, HERE), distances(hull, SOCKET, X, HERE)
    np.testing.assert_array_equal(of_mesh.overlap, of_hull.overlap)
    assert 10 < of_hull.overlap.sum() < 50
    np.testing.assert_allclose(of_mesh.distance, of_hull.distance, atol=1e-14)


@pytest.mark.parametrize("peg", [Ellipsoid((0.5, 0.5, 0.05)), Ellipsoid((0.3, 0.2, 0.1)), Cylinder(0.5, 0.04),
                                 Box((0.8, 0.8, 0.04))], ids=str)
def test_what_lies_in_the_material_overlaps(peg):
    """Points of the peg, sampled: none is in the material, or nearer to it than the distance."""
    rng = np.random.default_rng(10)
    X = np.hstack([rng.normal(size=(400, 3)) * 0.4 - (0, 0, 0.2),
                   Rotation.random(400, random_state=rng).as_quat()[:, [3, 0, 1, 2]]])
    found = distances(peg, SOCKET, X, HERE)
    cube = rng.uniform(-1, 1, (4000, 3))
    if isinstance(peg, Ellipsoid):
        inside = cube[(cube**2).sum(axis=1) <= 1] * peg.semi_axes
    elif isinstance(peg, Cylinder):
        inside = cube[np.hypot(cube[:, 0], cube[:, 1]) <= 1] * (peg.radius, peg.radius, peg.length / 2)
    else:
        inside = cube * np.array(peg.size) / 2
    for i in range(len(X)):
        x = Rotation.from_quat(X[i, [4, 5, 6, 3]]).apply(inside) + X[i, :3]
        below = np.column_stack([x[:, :2], np.minimum(x[:, 2] + H, 0.0)])
        in_box = (np.abs(x + np.array([0, 0, HALF[2]])) <= HALF).all(axis=1)
        material = (in_box & (np.sqrt((below**2).sum(axis=1)) > R)).any()
        assert found.overlap[i] or not material, X[i]
    assert 50 < found.overlap.sum() < 380
