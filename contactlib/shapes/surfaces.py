"""Surfaces of shapes as triangles: what viewers, Blender and exports draw.

The vertices of curved surfaces lie on the surface, so convex solids become smaller and holes become narrower. With n
segments around a circle, the volume of a solid differs by at most the fraction 0.42 (2 pi / n)^2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from contactlib.common.arguments import whole
from contactlib.common.elementary import atan2, cos, hypot, sin
from contactlib.common.vectors import dot, norm, unit
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Plane,
    Point,
    Segment,
    Shape,
    Socket,
    Sphere,
    Triangle,
)

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
#: default number of segments around a circle
SEGMENTS = 32
#: a ring of a surface of revolution: radius and height, m
Profile = Sequence[tuple[float, float]]


class Triangles(NamedTuple):
    """Vertices (N, 3) in m, shape frame; triangles (M, 3) of vertices, counter-clockwise from outside."""

    vertices: Floats
    triangles: Indices


def surface(shape: Shape, *, segments: int = SEGMENTS, patch: float = 1.0, thickness: float = 0.0) -> Triangles:
    """Return the surface of a shape as triangles, in the frame of the shape.

    Parameters
    ----------
    shape : any of the twelve shapes.
    segments : number of segments around a circle, a multiple of 4, at least 8.
    patch : m, side of the square that stands for a plane.
    thickness : m, diameter of the ball and of the tube that stand for a point and a segment. With 0, these shapes have
        vertices and no triangles.

    Returns
    -------
    Triangles
        Surfaces of solids are closed: two triangles meet at every edge. A plane and a triangle are sheets, whose
        normals are those of the shape. A mesh is as open as its triangles are.

    Raises
    ------
    ValueError : an argument that is not allowed, or a polyhedron or a mesh without a valid surface.

    Examples
    --------
    >>> vertices, triangles = surface(Box((1.0, 2.0, 3.0)))
    >>> vertices.shape, triangles.shape
    ((8, 3), (12, 3))
    """
    if whole("segments", segments, 8) % 4:
        raise ValueError(f"segments = {segments}: must be a multiple of 4")
    for name, value in (("patch", patch), ("thickness", thickness)):
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"{name} = {value}: must be finite and zero or more")
    if isinstance(shape, Mesh):
        shape.surface()
        return Triangles(shape.vertices, shape.triangles.astype(np.int32))
    if isinstance(shape, Polyhedron):
        return _rounded(shape.core.surface(), float(shape.rounding), segments)
    if isinstance(shape, Box):
        return _box(shape, segments)
    if isinstance(shape, Socket):
        return _socket(shape, segments)
    if isinstance(shape, Plane | Triangle | Point | Segment):
        return _thin(shape, segments, patch, thickness)
    return _turned(shape, segments)


def _turned(shape: Sphere | Capsule | Cylinder | Ellipsoid, n: int) -> Triangles:
    """Return a surface of revolution about z, from its profile between both poles."""
    if isinstance(shape, Ellipsoid):
        a, b, c = shape.semi_axes
        vertices, triangles = _revolve([*_arc(1.0, 0.0, -1.0, n), (1.0, 0.0), *_arc(1.0, 0.0, 1.0, n)], -1.0, 1.0, n)
        return Triangles(vertices * np.array([a, b, c]), triangles)
    r, half = shape.radius, 0.0 if isinstance(shape, Sphere) else shape.length / 2
    if isinstance(shape, Cylinder):
        return _revolve([(r, -half), (r, half)], -half, half, n)
    middle = [(r, -half), (r, half)] if half > 0.0 else [(r, 0.0)]
    profile = [*_arc(r, -half, -1.0, n), *middle, *_arc(r, half, 1.0, n)]
    return _revolve(profile, -half - r, half + r, n)


def _arc(r: float, z: float, side: float, n: int) -> list[tuple[float, float]]:
    """Return the rings of a half ball about z upwards, without pole and rim; `side` is that of its pole."""
    angles = [math.pi / 2 * k / (n // 4) for k in range(1, n // 4)]
    rings = [(r * cos(angle), z + side * r * sin(angle)) for angle in angles]
    return rings if side > 0 else rings[::-1]


def _circle(n: int) -> Floats:
    """Return n directions in the plane; those along the axes are exact."""
    quarter = np.array([(cos(2 * math.pi * k / n), sin(2 * math.pi * k / n)) for k in range(n // 4)])
    turns = [quarter]
    for _ in range(3):
        turns.append(np.column_stack([-turns[-1][:, 1], turns[-1][:, 0]]))
    return np.vstack(turns) + 0.0


def _revolve(profile: Profile, low: float, high: float, n: int) -> Triangles:
    around = _circle(n)
    rings = [np.column_stack([rho * around, np.full(n, z)]) for rho, z in profile]
    return _loft(rings, np.array([0.0, 0.0, low]), np.array([0.0, 0.0, high]))


def _loft(rings: Sequence[Floats], first: Floats, last: Floats) -> Triangles:
    """Return the closed surface through rings of equally many points, between two poles.

    Seen from +z, the points of each ring run counter-clockwise; outside is to the right of the way along the rings.
    """
    n, count = len(rings[0]), len(rings)
    here = np.arange(n)
    there = np.roll(here, -1)
    parts = [np.column_stack([np.zeros(n, np.int32), 1 + there, 1 + here])]
    for k in range(count - 1):
        low, high = 1 + k * n, 1 + (k + 1) * n
        parts += [np.column_stack([low + here, low + there, high + there]),
                  np.column_stack([low + here, high + there, high + here])]
    top = 1 + (count - 1) * n
    parts.append(np.column_stack([top + here, top + there, np.full(n, 1 + count * n)]))
    return Triangles(np.vstack([first, *rings, last]), np.concatenate(parts).astype(np.int32))


def _socket(shape: Socket, n: int) -> Triangles:
    """Return the outside of the box from its bottom to its top, then the hole down to its pole."""
    a, b, c = shape.size
    r, length = shape.radius, shape.length
    corners = [atan2(y, x) % (2 * math.pi) for x, y in ((a, b), (-a, b), (-a, -b), (a, -b))]
    others = [2 * math.pi * k / n for k in range(n)]
    angles = sorted([*corners, *(x for x in others if min(abs(x - corner) for corner in corners) > 1e-9)])
    around = np.array([(cos(angle), sin(angle)) for angle in angles])
    with np.errstate(divide="ignore"):
        reach = np.minimum(a / 2 / np.abs(around[:, 0]), b / 2 / np.abs(around[:, 1]))
    border = around * reach[:, None]
    profile = [(r, 0.0), *([(r, -length)] if length > 0.0 else []), *_arc(r, -length, -1.0, n)[::-1]]
    rings = [_at(border, -c), _at(border, 0.0), *(_at(rho * around, z) for rho, z in profile)]
    return _loft(rings, np.array([0.0, 0.0, -c]), np.array([0.0, 0.0, -length - r]))


def _at(points: Floats, z: float) -> Floats:
    return np.column_stack([points, np.full(len(points), z)])


def _thin(shape: Plane | Triangle | Point | Segment, n: int, patch: float, thickness: float) -> Triangles:
    if isinstance(shape, Plane):
        h = patch / 2
        return Triangles(np.array([(-h, -h, 0.0), (h, -h, 0.0), (h, h, 0.0), (-h, h, 0.0)]),
                         np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32))
    if isinstance(shape, Triangle):
        return Triangles(np.array(shape.corners), np.array([(0, 1, 2)], dtype=np.int32))
    length = shape.length if isinstance(shape, Segment) else 0.0
    if thickness > 0.0:
        return _turned(Capsule(thickness / 2, length), n)
    ends = [(0.0, 0.0, -length / 2), (0.0, 0.0, length / 2)] if length else [(0.0, 0.0, 0.0)]
    return Triangles(np.array(ends), np.zeros((0, 3), dtype=np.int32))


def _box(shape: Box, n: int) -> Triangles:
    half = np.array(shape.size) / 2 - shape.rounding
    signs = np.array([(x, y, z) for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)])
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    loops, counts = np.array(faces, dtype=np.int32).ravel(), np.full(6, 4, dtype=np.int32)
    return _rounded((signs * half, loops, counts), shape.rounding, n)


def fans(loops: Indices, counts: Indices) -> Indices:
    """Return triangles of convex faces, which are given as `Surface` gives them."""
    faces = np.split(loops, np.cumsum(counts)[:-1])
    rows = [np.column_stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]]) for f in faces]
    return np.concatenate(rows).astype(np.int32)


def _rounded(core: tuple[Floats, Indices, Indices], radius: float, n: int) -> Triangles:
    """Return the surface of all points within `radius` (m) of a convex polyhedron, which touches it from inside."""
    vertices, loops, counts = core
    if radius == 0.0:
        return Triangles(vertices, fans(loops, counts))
    faces = np.split(loops, np.cumsum(counts)[:-1])
    normals = [unit(np.cross(p, np.roll(p, -1, axis=0)).sum(axis=0)) for p in (vertices[f] - vertices[f[0]]
                                                                                 for f in faces)]
    points = [vertices[f] + radius * normal for f, normal in zip(faces, normals, strict=True)]
    points += [vertices[list(edge)] + radius * direction for edge, directions in _edges(faces, normals, n)
               for direction in directions]
    ball = _turned(Sphere(1.0), n).vertices
    support = np.argmax((ball[:, None, :] * vertices[None, :, :]).sum(axis=2), axis=1)
    points.append(vertices[support] + radius * ball)
    return _hull(np.vstack(points))


def _edges(faces: list[Indices], normals: list[Floats], n: int) -> list[tuple[tuple[int, int], list[Floats]]]:
    """Return each edge with the directions of its rounding, between the normals of its two faces."""
    at = {(int(u), int(v)): k for k, f in enumerate(faces) for u, v in zip(f, np.roll(f, -1), strict=True)}
    found = []
    for (u, v), k in at.items():
        if u < v:
            found.append(((u, v), _between(normals[k], normals[at[v, u]], n)))
    return found


def _between(a: Floats, b: Floats, n: int) -> list[Floats]:
    """Return unit vectors between two unit vectors, at most 2 pi / n apart."""
    cross = norm(np.cross(a, b))
    angle = atan2(float(cross), float(dot(a, b)))
    count = math.ceil(angle * n / (2 * math.pi) - 1e-9)
    across = (b - dot(a, b) * a) / cross if cross > 0.0 else b
    steps = [angle * k / count for k in range(1, count)]
    return [cos(step) * a + sin(step) * across for step in steps]


def _hull(points: Floats) -> Triangles:
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    rows = hull.simplices
    corners = points[rows]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = (normals * hull.equations[:, :3]).sum(axis=1) < 0.0
    rows = np.where(inward[:, None], rows[:, ::-1], rows)
    used, numbers = np.unique(rows, return_inverse=True)
    return Triangles(points[used], numbers.reshape(rows.shape).astype(np.int32))


class Shaded(NamedTuple):
    """Vertices (N, 3) in m with unit normals (N, 3), and triangles (M, 3): vertices at sharp edges are repeated."""

    vertices: Floats
    normals: Floats
    triangles: Indices


def shaded(surface: Triangles, crease: float = 0.6) -> Shaded:
    """Return a surface with normals for smooth shading; edges of more than `crease` (rad) stay sharp.

    The normal at a corner of a triangle is the mean, weighted by area, of the triangles around the vertex whose normals
    differ from its own by less than `crease`.

    >>> found = shaded(surface(Cylinder(1.0, 1.0)))
    >>> len(found.vertices), bool((abs(norm(found.normals) - 1.0) < 1e-12).all())    # two rims, twice, and two poles
    (130, True)
    """
    vertices, triangles = surface
    corners = triangles.ravel()
    p = vertices[triangles]
    areas = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    lengths = norm(areas)
    normals = areas / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    one, other = _pairs(corners, len(vertices))
    near = dot(normals[one // 3], normals[other // 3]) >= cos(crease)
    one, other = one[near], other[near]
    sums = np.zeros((len(corners), 3))
    for axis in range(3):
        sums[:, axis] = np.bincount(one, weights=areas[other // 3, axis], minlength=len(corners))
    sums /= np.maximum(norm(sums), 1e-300)[:, None]
    keys = np.column_stack([corners, np.round(sums * 1e5)]).astype(np.int64)
    first, numbers = np.unique(keys, axis=0, return_index=True, return_inverse=True)[1:]
    return Shaded(vertices[corners[first]], sums[first], numbers.reshape(triangles.shape).astype(np.int32))


def _pairs(corners: NDArray[np.integer[Any]], count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return all pairs of corners of triangles that are at one vertex, each corner with itself too."""
    order = np.argsort(corners, kind="stable")
    uses = np.bincount(corners, minlength=count)
    begin = np.cumsum(uses) - uses
    each = uses[corners]
    one = np.repeat(np.arange(len(corners)), each)
    place = np.arange(len(one)) - np.repeat(np.cumsum(each) - each, each)
    return one, order[begin[corners[one]] + place]


def size_of(shape: Shape) -> float:
    """Return the diagonal of the box around a shape, m; 0 for a point and a plane.

    >>> size_of(Sphere(1.0)) == hypot(2.0, 2.0, 2.0)
    True
    """
    if isinstance(shape, Plane | Point):
        return 0.0
    vertices = surface(shape, segments=8).vertices
    return hypot(*np.ptp(vertices, axis=0).tolist())
