"""The faces of a convex hull as polygons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import dot, matmul, norm, principal

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]

#: tolerance relative to the size: nearer points are equal, and nearer planes are equal
TOLERANCE = 1e-9


def distinct(points: Floats) -> NDArray[np.intp]:
    """Return the rows of `points` that do not repeat an earlier point."""
    from scipy.spatial import cKDTree

    rows = np.sort(np.unique(points, axis=0, return_index=True)[1])
    pairs = cKDTree(points[rows]).query_pairs(TOLERANCE * _size(points), output_type="ndarray")
    return np.delete(rows, pairs.max(axis=1))


def hull_faces(points: Floats) -> list[list[int]]:
    """Return the faces of the hull of distinct points, sorted, as corners counter-clockwise from outside, lowest first.

    Facets in one plane make one face. A point inside a face or an edge is not a corner. If narrow facets would make a
    face protrude from the hull, fewer facets are merged. ValueError if the points have no volume, or are so close
    together that no such faces exist.
    """
    facets = _facets(points)
    for tolerance in (TOLERANCE, 1e-3 * TOLERANCE):
        faces = _polygons(facets, _merged(facets, tolerance))
        if faces and _encloses(facets.points, faces, _rounding(points)):
            return faces
    raise ValueError("faces between some of them are too narrow")


def hull_corners(points: Floats) -> NDArray[np.intp]:
    """Return the rows of `points` that are corners of their hull, without corners that protrude less than a tolerance.

    The tolerance is 1e-9 of the size. It grows up to 1e-6 until `hull_faces` succeeds, because points of a plane that
    are rounded to seven digits span slivers.
    """
    chosen = distinct(points)
    for tolerance in (TOLERANCE, 1e-8, 1e-7, 1e-6):
        facets = _facets(points[chosen])
        faces = _polygons(facets, _merged(facets, tolerance))
        chosen = chosen[_used(faces)] if faces else chosen
        try:
            while len(used := _used(hull_faces(points[chosen]))) < len(chosen):
                chosen = chosen[used]
        except ValueError:
            continue
        return chosen
    raise ValueError("faces between them are too narrow for a hull")


def _facets(points: Floats) -> ConvexHull:
    """Return the triangles of the hull, scaled to a size of about one."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 4:
        raise ValueError(f"there are {len(points)} of them, a body needs four or more")
    if _rounding(points) > TOLERANCE / 10:
        raise ValueError("they lie too far from the origin for their size")
    unit = (points - (points.min(axis=0) + points.max(axis=0)) / 2) / _size(points)
    centred = unit - unit.mean(axis=0)
    flattest = principal((centred[:, :, None] * centred[:, None, :]).sum(axis=0))[1][:, 0]
    if np.ptp(dot(unit, flattest)) < 10 * TOLERANCE:
        raise ValueError("they lie in one plane, without volume")
    try:
        return ConvexHull(unit)
    except QhullError:
        raise ValueError("they have no volume") from None


def _used(faces: list[list[int]]) -> NDArray[np.intp]:
    return np.unique(np.concatenate(faces))


def _size(points: Floats) -> float:
    return float(norm(np.ptp(points, axis=0))) if len(points) else 0.0


def _merged(facets: ConvexHull, tolerance: float) -> NDArray[np.intp]:
    """Return the face number of each facet: neighbours in the plane of the largest facet make one face."""
    corners = facets.points[facets.simplices]
    areas = norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    face = np.full(len(corners), -1)
    for number, seed in enumerate(np.argsort(-areas, kind="stable")):
        if face[seed] >= 0:
            continue
        face[seed] = number
        normal, offset = facets.equations[seed, :3], facets.equations[seed, 3]
        open_facets = [seed]
        while open_facets:
            for other in facets.neighbors[open_facets.pop()]:
                if face[other] < 0 and (np.abs(dot(corners[other], normal) + offset) <= tolerance).all():
                    face[other] = number
                    open_facets.append(other)
    return face


def _polygons(facets: ConvexHull, face: NDArray[np.intp]) -> list[list[int]]:
    """Return the border of each face from corner to corner; three or more faces meet at a corner. [] if invalid."""
    members = np.unique(np.column_stack([facets.simplices.ravel(), np.repeat(face, 3)]), axis=0)
    is_corner = np.bincount(members[:, 0], minlength=len(facets.points)) >= 3
    ways: dict[int, dict[int, list[int]]] = {}
    for facet, side in np.argwhere(face[facets.neighbors] != face[:, None]):  # neighbour k is opposite corner k
        u, v = np.delete(facets.simplices[facet], side).tolist()
        around = ways.setdefault(int(face[facet]), {})
        around.setdefault(u, []).append(v)
        around.setdefault(v, []).append(u)
    polygons = []
    for number, around in ways.items():
        loop = [v for v in _closed_loop(around) if is_corner[v]]
        if len(loop) < 3:
            return []
        if dot(_newell(facets.points[loop]), facets.equations[np.argmax(face == number), :3]) < 0:
            loop.reverse()
        first = loop.index(min(loop))
        polygons.append(loop[first:] + loop[:first])
    edges = sum(map(len, polygons)) / 2
    return sorted(polygons) if is_corner.sum() - edges + len(polygons) == 2 else []


def _closed_loop(around: dict[int, list[int]]) -> list[int]:
    """Return the corners along a single closed border; [] if the edges do not make one."""
    start = min(around)
    loop, before, here = [start], start, min(around[start])
    while here != start and len(around[here]) == 2 and len(loop) < len(around):
        loop.append(here)
        one, other = around[here]
        before, here = here, other if one == before else one
    return loop if here == start and len(loop) == len(around) else []


def _newell(loop: Floats) -> Floats:
    """Return twice the vector area of a polygon (Newell's method)."""
    return np.asarray(np.cross(loop, np.roll(loop, -1, axis=0)).sum(axis=0))


def _rounding(points: Floats) -> float:
    """Return the rounding error of a given coordinate, relative to the size; 1 for a size of zero."""
    size = _size(points)
    return float(np.finfo(float).eps * np.abs(points).max() / size) if size > 0 else 1.0


def _encloses(points: Floats, faces: list[list[int]], rounding: float) -> bool:
    """Return whether no corner lies above a face by more than half the tolerance and the tilt error of narrow faces."""
    loops = [points[face] for face in faces]
    middles = np.array([loop.mean(axis=0) for loop in loops])
    areas = np.array([_newell(loop - middle) for loop, middle in zip(loops, middles, strict=True)])
    around = np.array([norm(loop - np.roll(loop, 1, axis=0)).sum() for loop in loops])
    lengths = norm(areas)
    if not (rounding * around < TOLERANCE / 2 * lengths).all():
        return False
    normals = areas / lengths[:, None]
    room = TOLERANCE / 2 - rounding * around / lengths + (normals * middles).sum(axis=1)
    corners = points[_used(faces)].T
    return not any((matmul(normals[i:i + 64], corners) > room[i:i + 64, None]).any() for i in range(0, len(faces), 64))
