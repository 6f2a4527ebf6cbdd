"""Finds triangles of a mesh that cross each other.

Two triangles cross if two conditions hold (Moller 1997, A fast triangle-triangle intersection test). Each triangle has
corners on both sides of the other's plane, by more than 1e-7 of the mesh's size, the rounding of 32-bit files. The
intervals in which they cut the line of both planes overlap. A shared corner lies exactly in both planes, so neighbours
do not cross by rounding.

Closed parts of a mesh may touch with equal faces, edges or corners without crossing. Parts that overlap may cross only
along edges, where no triangle has corners on both sides. So triangles of two closed parts are compared after each part
has shrunk by about 1e-6 of the mesh's size, by an amount of its own. Then touching parts are apart, and overlapping
parts cross between their edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import norm
from contactlib.shapes.importers.overlaps import BoxTree
from contactlib.shapes.importers.parts import SHRINK, Parts, shrunk, units
from contactlib.shapes.polytopes import Mesh

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

#: most triangles of a mesh that is searched, and most pairs that are compared
MAX_TRIANGLES, MAX_PAIRS = 100_000, 4_000_000
#: tolerance relative to the mesh's size: corners nearer than this to a plane lie in the plane
IN_PLANE = 1e-7
#: tolerance relative to the longest side: intervals with a smaller overlap only touch
TOUCH = 1e-6


class Crossings(NamedTuple):
    """Pairs (N, 2) of triangles that cross, the lower number first, sorted; `complete` if all pairs were compared."""

    pairs: Numbers
    complete: bool


def crossings(mesh: Mesh, parts: Parts) -> Crossings:
    """Find the crossing triangles of a mesh with the parts `parts`.

    A mesh of more than MAX_TRIANGLES triangles is not searched. The search ends after MAX_PAIRS pairs.
    """
    found = [np.empty((0, 2), dtype=np.intp)]
    complete = len(mesh.triangles) <= MAX_TRIANGLES
    if complete and len(mesh.triangles) > 1:
        try:
            found += _found(mesh, parts)
        except OverflowError:
            complete = False
    pairs = np.concatenate(found)
    return Crossings(pairs[np.lexsort(pairs.T[::-1])], complete)


def _found(mesh: Mesh, parts: Parts) -> Iterator[Numbers]:
    """Yield arrays of crossing pairs. OverflowError after too many comparisons."""
    part, closed = parts.part, parts.closed[parts.part]
    corners = mesh.vertices[mesh.triangles]
    apart = shrunk(mesh, part) if len(parts.closed) > 1 else corners
    reach = 2 * SHRINK * mesh.diagonal
    compared = 0
    for one, other in BoxTree(corners.min(axis=1) - reach, corners.max(axis=1) + reach).pairs():
        two_solids = (part[one] != part[other]) & closed[one] & closed[other]
        for chosen, points in ((~two_solids, corners), (two_solids, apart)):
            pairs = np.sort(np.column_stack([one[chosen], other[chosen]]), axis=1)
            yield pairs[_cross(mesh, points, pairs)]
        compared += len(one)
        if compared > MAX_PAIRS:
            raise OverflowError(f"more than {MAX_PAIRS} pairs of triangles are near each other")


def _cross(mesh: Mesh, points: Floats, pairs: Numbers) -> NDArray[np.bool_]:
    """Return for each pair (N, 2) of triangles with corners `points` (T, 3, 3) whether they cross."""
    crossing = np.zeros(len(pairs), dtype=bool)
    tolerance = IN_PLANE * mesh.diagonal
    normals = units(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
    left = np.arange(len(pairs))
    sides: list[Floats] = []
    for a, b in ((0, 1), (1, 0)):  # corners of triangle a over the plane of triangle b
        t, u = pairs[left, a], pairs[left, b]
        height = ((points[t] - points[u, 0][:, None]) * normals[u][:, None]).sum(axis=2)
        shared = (mesh.triangles[t][:, :, None] == mesh.triangles[u][:, None, :]).any(axis=2)
        height[shared] = 0.0
        both = (height.max(axis=1) > tolerance) & (height.min(axis=1) < -tolerance)
        left = left[both]
        sides = [*(s[both] for s in sides), height[both]]
    one, other = pairs[left].T
    line = units(np.cross(normals[one], normals[other]))
    origin = points[one, 0][:, None]
    spans = [_span(((points[t] - origin) * line[:, None]).sum(axis=2), height)
             for t, height in zip((one, other), sides, strict=True)]
    overlap = np.minimum(spans[0][1], spans[1][1]) - np.maximum(spans[0][0], spans[1][0])
    longest = np.maximum(_longest(points[one]), _longest(points[other]))
    crossing[left] = overlap > TOUCH * longest
    return crossing


def _span(along: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Return the interval in which triangles cut the line at height 0: its least and greatest coordinate."""
    after, beyond = np.roll(along, -1, axis=1), np.roll(height, -1, axis=1)
    cut = (height * beyond <= 0) & (height != beyond)
    with np.errstate(invalid="ignore", divide="ignore"):
        place = along + (after - along) * (height / (height - beyond))
    return np.where(cut, place, np.inf).min(axis=1), np.where(cut, place, -np.inf).max(axis=1)


def _longest(points: Floats) -> Floats:
    sides = points - np.roll(points, 1, axis=1)
    return np.asarray(norm(sides).max(axis=1))
