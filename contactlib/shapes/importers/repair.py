"""Repairs a mesh. Each repair must be requested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import dot, norm, unit
from contactlib.shapes.importers.check import WELD, weld
from contactlib.shapes.importers.parts import neighbours, parts_of
from contactlib.shapes.polytopes import Mesh
from contactlib.shapes.welding import components

Floats = NDArray[np.float64]
Triangle = tuple[int, int, int]


def repair_mesh(mesh: Mesh, what: str | Sequence[str], *, tolerance: float | None = None) -> Mesh:
    """Return a mesh with the repairs that `what` names, in the order of the list below. The given mesh does not change.

    Parameters
    ----------
    what : one or more of
        "weld": joins border vertices closer than `tolerance` (m; if None, 1e-6 of the size);
        "degenerate": removes triangles without area; a vertex on a longer edge splits this edge;
        "duplicate": removes triangles that repeat the corners of an earlier triangle;
        "holes": fills holes whose border lies in a plane (to `tolerance`);
        "winding": makes the winding of neighbours consistent with the majority, and turns closed parts outwards;
        "unused": removes vertices without a triangle.

    Raises
    ------
    ValueError : an unknown repair, or vertices that are not finite.

    Examples
    --------
    >>> from contactlib.shapes.importers import check_mesh
    >>> open_box = Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3)])
    >>> check_mesh(repair_mesh(open_box, "holes")).closed
    True
    """
    names = (what,) if isinstance(what, str) else tuple(what)
    for name in names:
        if name not in REPAIRS:
            raise ValueError(f"repair = {name!r}: must be one of {', '.join(REPAIRS)}")
    if not np.isfinite(mesh.vertices).all():
        raise ValueError("mesh.vertices: must be finite to be repaired")
    distance = WELD * mesh.diagonal if tolerance is None else tolerance
    for name, repair in REPAIRS.items():
        if name in names:
            mesh = repair(mesh, distance)
    return mesh


def _weld(mesh: Mesh, distance: float) -> Mesh:
    triangles = weld(mesh, distance)[1][mesh.triangles]
    return Mesh(mesh.vertices, triangles[~_collapsed(triangles)])


def _collapsed(triangles: NDArray[np.integer]) -> NDArray[np.bool_]:
    return np.asarray((triangles == np.roll(triangles, 1, axis=1)).any(axis=1))


def _without_duplicates(mesh: Mesh, _distance: float) -> Mesh:
    return Mesh(mesh.vertices, np.delete(mesh.triangles, mesh.repeated, axis=0))


def _without_unused(mesh: Mesh, _distance: float) -> Mesh:
    used, triangles = np.unique(mesh.triangles, return_inverse=True)
    return Mesh(mesh.vertices[used], triangles.reshape(-1, 3))


# ---- triangles without area -----------------------------------------------------------------------


def _without_flat(mesh: Mesh, _distance: float) -> Mesh:
    """Join equal corners; a corner b on the edge from a to c splits the triangle on the other side of the edge."""
    for _ in range(len(mesh.flat)):
        if not len(mesh.flat):
            break
        mesh = _split_beyond(_without_needles(mesh))
    return Mesh(mesh.vertices, np.delete(mesh.triangles, mesh.flat, axis=0))


def _without_needles(mesh: Mesh) -> Mesh:
    ends = np.stack([mesh.triangles[mesh.flat], np.roll(mesh.triangles[mesh.flat], -1, axis=1)], axis=2)
    lengths = norm(np.diff(mesh.vertices[ends], axis=2)[:, :, 0])
    short = ends[lengths <= 1e-12 * lengths.max(axis=1, keepdims=True)]
    group = components(len(mesh.vertices), short)
    triangles = np.unique(group, return_index=True)[1][group][mesh.triangles]
    return Mesh(mesh.vertices, triangles[~_collapsed(triangles)])


def _split_beyond(mesh: Mesh) -> Mesh:
    """Do one round of splits. A flat neighbour waits for a later round, unless the edge is the longest of both."""
    triangles = mesh.triangles.tolist()
    rows: list[Triangle | None] = [(a, b, c) for a, b, c in triangles]
    flat = {t: _longest_last(mesh, triangles[t]) for t in mesh.flat.tolist()}
    near = np.flatnonzero(np.isin(mesh.triangles, mesh.triangles[mesh.flat]).any(axis=1)).tolist()
    owner = {(triangles[t][i], triangles[t][(i + 1) % 3]): t for t in near for i in range(3)}
    changed: set[int] = set()
    for t, (a, b, c) in flat.items():
        other = owner.get((a, c))
        if t in changed or other in changed or (other in flat and flat[other][::2] != (c, a)):
            continue
        beyond = set() if other is None else set(triangles[other]) - {a, c}
        if other is None or len(beyond) != 1:
            rows[t] = None
            continue
        (d,) = beyond
        rows[t], rows[other] = (a, b, d), (b, c, d)
        changed |= {t, other}
    left = np.array([row for row in rows if row], dtype=np.int32).reshape(-1, 3)
    return Mesh(mesh.vertices, left[~_collapsed(left)])


def _longest_last(mesh: Mesh, corners: list[int]) -> Triangle:
    """Rotate corners (a, b, c) so that the side from c to a is the longest."""
    sides = norm(mesh.vertices[corners] - mesh.vertices[np.roll(corners, 1)])
    first = int(np.argmax(sides))
    a, b, c = corners[first:] + corners[:first]
    return a, b, c


# ---- winding ---------------------------------------------------------------------------------------


def _same_winding(mesh: Mesh, _distance: float) -> Mesh:
    """Make windings consistent. A graph has two nodes per triangle: t as it is, and t + T flipped.

    Edges join nodes with consistent winding. An orientable part has two components, one per orientation; the component
    with fewer flipped triangles is chosen. A part with one component (a Moebius strip) does not change.
    """
    size = len(mesh.triangles)
    if not size:
        return mesh
    near = neighbours(mesh)
    t, u = near.pairs.T
    u_alike = np.where(near.agree, u, u + size)
    side = components(2 * size, np.column_stack([np.concatenate([t, t + size]),
                                                       np.concatenate([u_alike, (u_alike + size) % (2 * size)])]))
    as_is, turned = side[:size], side[size:]
    votes = np.bincount(as_is, minlength=side.max() + 1)
    turn = (votes[turned] > votes[as_is]) | ((votes[turned] == votes[as_is]) & (turned < as_is))
    mesh = _turned(mesh, turn)
    parts = parts_of(mesh)
    return _turned(mesh, np.isin(parts.part, parts.inside_out))


def _turned(mesh: Mesh, chosen: NDArray[np.bool_]) -> Mesh:
    return Mesh(mesh.vertices, np.where(chosen[:, None], mesh.triangles[:, ::-1], mesh.triangles))


# ---- holes -----------------------------------------------------------------------------------------


def _without_holes(mesh: Mesh, distance: float) -> Mesh:
    """Fill plane holes. The outer border of a flat sheet is not a hole: a fill would cover the sheet."""
    fill: list[Triangle] = []
    for loop, triangles in _border_loops(mesh):
        corners = mesh.vertices[loop]
        middle = corners.mean(axis=0)
        area = np.cross(corners - middle, np.roll(corners, -1, axis=0) - middle).sum(axis=0)
        normal = area / (norm(area) or 1.0)
        plane = np.abs(dot(corners - middle, normal)).max() <= distance
        if len(loop) > 2 and area.any() and plane and not _lies_on(mesh, triangles, normal):
            x = corners[np.argmax(norm(corners - middle))] - middle
            x = unit(x - dot(x, normal) * normal)
            flat = np.column_stack([dot(corners - middle, x), dot(corners - middle, np.cross(normal, x))])
            fill += [(loop[i], loop[j], loop[k]) for i, j, k in _triangulated(flat)]
    return Mesh(mesh.vertices, np.concatenate([mesh.triangles, np.array(fill, dtype=np.int32).reshape(-1, 3)]))


def _border_loops(mesh: Mesh) -> Iterator[tuple[list[int], list[int]]]:
    """Yield closed borders, opposite to the direction of their triangles, with these triangles.

    A border that touches itself is split.
    """
    start, end = mesh.triangles.ravel(), np.roll(mesh.triangles, -1, axis=1).ravel()
    border = mesh.edges.corners[mesh.edges.border]
    size = len(mesh.vertices)
    keys = np.minimum(start, end).astype(np.int64) * size + np.maximum(start, end)
    single = np.flatnonzero(np.isin(keys, border[:, 0] * size + border[:, 1]))
    following: dict[int, list[tuple[int, int]]] = {}
    for u, v, triangle in zip(end[single].tolist(), start[single].tolist(), (single // 3).tolist(), strict=True):
        following.setdefault(u, []).append((v, triangle))
    for first in following:
        path, along, place = [first], [-1], {first: 0}
        while following.get(path[-1]):
            here, triangle = following[path[-1]].pop()
            path.append(here)
            along.append(triangle)
            at = place.setdefault(here, len(path) - 1)
            if at < len(path) - 1:
                yield path[at + 1:], along[at + 1:]
                for left in path[at + 1:-1]:
                    del place[left]
                del path[at + 1:], along[at + 1:]


def _lies_on(mesh: Mesh, triangles: list[int], normal: Floats) -> bool:
    """Return whether all triangles lie, flipped, in the plane of the fill: the fill would cover them."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles[triangles]], 1, 0)
    area = np.cross(b - a, c - a)
    return bool((dot(area, normal) <= -(1 - 1e-9) * norm(area)).all())


def _triangulated(polygon: Floats) -> list[Triangle]:
    """Triangulate a counter-clockwise plane polygon by ear clipping, without flat ears; [] if it crosses itself."""
    left, ears = list(range(len(polygon))), []
    at = misses = 0
    while len(left) > 3 and misses < len(left):
        i, j, k = (left[(at + n) % len(left)] for n in range(3))
        if _is_ear(polygon, (i, j, k), left):
            ears.append((i, j, k))
            left.remove(j)
            misses = 0
        misses, at = misses + 1, (at + 1) % len(left)
    whole = len(left) == 3 and _cross(polygon[left[0]], polygon[left[1]], polygon[left[2]]) > 0
    return [*ears, (left[0], left[1], left[2])] if whole else []


def _cross(a: Floats, b: Floats, p: Floats) -> Floats:
    return np.asarray((b[0] - a[0]) * (p[..., 1] - a[1]) - (b[1] - a[1]) * (p[..., 0] - a[0]))


def _is_ear(polygon: Floats, ear: Triangle, left: list[int]) -> bool:
    """Return whether a corner is an ear: a left turn, with no other corner inside or on its border."""
    a, b, c = polygon[list(ear)]
    if not _cross(a, b, c) > 1e-12 * max(dot(b - a, b - a), dot(c - b, c - b)):
        return False
    others = polygon[[v for v in left if v not in ear]]
    return not ((_cross(a, b, others) >= 0) & (_cross(b, c, others) >= 0) & (_cross(c, a, others) >= 0)).any()


#: the repairs by name, in the order of their execution
REPAIRS: dict[str, Callable[[Mesh, float], Mesh]] = {
    "weld": _weld, "degenerate": _without_flat, "duplicate": _without_duplicates, "holes": _without_holes,
    "winding": _same_winding, "unused": _without_unused,
}
