"""Connected parts of a mesh: neighbours, parts, and the solids that closed parts enclose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contactlib.common.elementary import angles
from contactlib.common.vectors import dot, norm
from contactlib.shapes.polytopes import Mesh
from contactlib.shapes.welding import components

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Neighbours:
    """Pairs (N, 2) of triangles that alone share an edge, and whether their windings agree."""

    pairs: Numbers
    agree: NDArray[np.bool_]


def neighbours(mesh: Mesh) -> Neighbours:
    start, end = mesh.triangles.astype(np.int64).ravel(), np.roll(mesh.triangles, -1, axis=1).astype(np.int64).ravel()
    keys = np.minimum(start, end) * len(mesh.vertices) + np.maximum(start, end)
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))
    first = first[np.diff(first, append=len(keys)) == 2]
    one, other = order[first], order[first + 1]
    return Neighbours(np.column_stack([one, other]) // 3, start[one] == end[other])


@dataclass(frozen=True)
class Parts:
    """The parts of a mesh, which are connected by edges.

    `part` is the number of each triangle's part. A part is `closed` if each of its edges has two triangles with
    consistent winding. The other fields are numbers of closed parts. `inside_out`: negative volume, and not a cavity of
    another part; `doubled`: positive volume, inside the solid of another part; `sheets`: no volume.
    """

    part: Numbers
    closed: NDArray[np.bool_]
    inside_out: Numbers
    doubled: Numbers
    sheets: Numbers


#: relative to the mesh's size: least mean thickness of a closed part with a volume; shrinkage of parts
NO_THICKNESS, SHRINK = 1e-12, 1e-6


def parts_of(mesh: Mesh) -> Parts:
    near = neighbours(mesh)
    part = components(len(mesh.triangles), near.pairs)
    agreeing = np.bincount(near.pairs[near.agree].ravel(), minlength=len(part))
    closed = np.bincount(part, agreeing != 3) == 0
    volume, area = _volumes_and_areas(mesh, part)
    solid = closed & (np.abs(volume) > NO_THICKNESS * area * mesh.diagonal)
    solids = np.flatnonzero(solid)
    inner = _depths(mesh, part, solids) % 2 == 1
    turned = volume[solids] < 0
    return Parts(part, closed, solids[turned & ~inner], solids[~turned & inner], np.flatnonzero(closed & ~solid))


def _volumes_and_areas(mesh: Mesh, part: Numbers) -> tuple[Floats, Floats]:
    """Return volume and area of each part. The volume is a sum of tetrahedra with the part's first corner as apex."""
    corners = mesh.vertices[mesh.triangles]
    first = np.unique(part, return_index=True)[1]
    a, b, c = np.moveaxis(corners - corners[first, 0][part][:, None], 1, 0)
    area = norm(np.cross(b - a, c - a)) / 2
    volume = (a * np.cross(b, c)).sum(axis=1) / 6
    return np.bincount(part, volume).astype(np.float64), np.bincount(part, area).astype(np.float64)


def _depths(mesh: Mesh, part: Numbers, chosen: Numbers) -> Numbers:
    """Return for each chosen closed part the number of other chosen parts that contain its first corner.

    All parts are shrunk, so that a part does not lie inside a part that it touches.
    """
    if len(chosen) < 2:
        return np.zeros(len(chosen), dtype=np.intp)
    order = np.argsort(part, kind="stable")
    start = np.searchsorted(part[order], chosen)
    end = np.searchsorted(part[order], chosen, side="right")
    corners = shrunk(mesh, part)
    solids = [corners[order[a:b]] for a, b in zip(start, end, strict=True)]
    points = np.array([solid[0, 0] for solid in solids])
    low = np.array([solid.min(axis=(0, 1)) for solid in solids])
    high = np.array([solid.max(axis=(0, 1)) for solid in solids])
    depth = np.zeros(len(chosen), dtype=np.intp)
    for i, point in enumerate(points):
        around = np.flatnonzero(((low <= point) & (point <= high)).all(axis=1))
        depth[i] = sum(_contains(solids[j], point) for j in around if j != i)
    return depth


def _contains(solid: Floats, point: Floats) -> bool:
    """Return whether triangles enclose a point: their solid angles sum to 4 pi, not to 0."""
    a, b, c = np.moveaxis(solid - point, 1, 0)
    la, lb, lc = (norm(x) for x in (a, b, c))
    det = (a * np.cross(b, c)).sum(axis=1)
    rest = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return bool(abs(angles(det, rest).sum()) > np.pi)


def shrunk(mesh: Mesh, part: Numbers) -> Floats:
    """Return the corners (T, 3, 3) of all triangles after each part has shrunk a little, by an amount of its own.

    A corner moves against the mean normal of the triangles around its vertex, weighted by their angles at the vertex.
    The golden ratio distributes the amounts from 1 to 1.5 SHRINK, so that parts with consecutive numbers differ.
    """
    corners = mesh.vertices[mesh.triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    back = -np.roll(sides, 1, axis=1)
    at_corner = angles(norm(np.cross(sides, back)), dot(sides, back))
    weighted = at_corner[:, :, None] * units(np.cross(sides[:, 0], sides[:, 1]))[:, None]
    vertex = mesh.triangles.ravel()
    sums = [np.bincount(vertex, w, minlength=len(mesh.vertices)) for w in weighted.reshape(-1, 3).T]
    amount = SHRINK * mesh.diagonal * (1 + 0.5 * (0.6180339887498949 * part % 1))
    return np.asarray(corners - amount[:, None, None] * units(np.column_stack(sums))[mesh.triangles])


def units(vectors: Floats) -> Floats:
    """Normalise vectors to length one; zero vectors remain."""
    length = norm(vectors)[..., None]
    return np.asarray(vectors / np.where(length > 0, length, 1.0))
