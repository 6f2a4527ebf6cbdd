"""How the triangles of a mesh hang together: neighbours, parts, and what a closed part encloses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contactlib.surfaces import Mesh

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Neighbours:
    """Pairs (N, 2) of triangles that share an edge with no third one, and whether they turn the same way there."""

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


def components(size: int, pairs: Numbers) -> Numbers:
    """For each of `size` nodes the number of its component, counted in the order of their first nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    label = connected_components(graph, directed=False)[1]
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.intp)


def inside_out(mesh: Mesh) -> tuple[Numbers, Numbers]:
    """Part of each triangle, and the closed parts that are inside out: of negative volume, and no cavity of another.

    A part is closed if each of its edges has two triangles that turn the same way.
    """
    near = neighbours(mesh)
    part = components(len(mesh.triangles), near.pairs)
    agreeing = np.bincount(near.pairs[near.agree].ravel(), minlength=len(part))
    closed = np.bincount(part, agreeing != 3) == 0
    volume = np.bincount(part, _volumes(mesh))
    suspects = np.flatnonzero(closed & (volume < 0))
    if not len(suspects):
        return part, suspects
    solids = {int(p): mesh.vertices[mesh.triangles[part == p]] for p in np.flatnonzero(closed)}
    return part, np.array([p for p in suspects if _depth(solids, int(p)) % 2 == 0], dtype=np.intp)


def _volumes(mesh: Mesh) -> Floats:
    """Of the tetrahedra from the mesh's middle to each triangle, six times."""
    a, b, c = np.moveaxis((mesh.vertices - mesh.vertices.mean(axis=0))[mesh.triangles], 1, 0)
    return np.asarray((a * np.cross(b, c)).sum(axis=1))


def _depth(solids: dict[int, Floats], part: int) -> int:
    """How many other closed parts one lies in, judged by its first corner."""
    point = solids[part][0, 0]
    others = (solid for number, solid in solids.items() if number != part)
    return sum(_holds(solid, point) for solid in others)


def _holds(solid: Floats, point: Floats) -> bool:
    """The triangles cover the whole view from the point: their solid angles sum to 4 pi, not to 0."""
    corners = solid.reshape(-1, 3)
    if (point < corners.min(axis=0)).any() or (point > corners.max(axis=0)).any():
        return False
    a, b, c = np.moveaxis(solid - point, 1, 0)
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    det = (a * np.cross(b, c)).sum(axis=1)
    rest = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return bool(abs(np.arctan2(det, rest).sum()) > np.pi)
