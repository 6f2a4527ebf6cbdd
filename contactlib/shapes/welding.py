"""Equal points and connected components, with which separate triangles are welded to a surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


def components(size: int, pairs: NDArray[np.integer]) -> Numbers:
    """Return the component number of each of `size` nodes; components are numbered by their first nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    label = connected_components(graph, directed=False)[1]
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.intp)


def equal_points(points: Floats) -> Numbers:
    """Return for each point (N, 3) the first row that equals it."""
    order = np.lexsort(points.T)  # stable: equal points keep their order
    new = np.append(True, (np.diff(points[order], axis=0) != 0).any(axis=1))[:len(points)]
    first = np.empty(len(order), dtype=np.intp)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def same_places(points: Floats, distance: float) -> Numbers:
    """Return for each point (N, 3) the first row that equals it or is linked to it by gaps of at most `distance`."""
    from scipy.spatial import cKDTree

    first = equal_points(points)
    rows = np.unique(first)
    pairs: Numbers = cKDTree(points[rows]).query_pairs(distance, output_type="ndarray")
    if not len(pairs):
        return first
    group = components(len(rows), pairs)
    leader = rows[np.unique(group, return_index=True)[1]]
    return np.asarray(leader[group][np.searchsorted(rows, first)], dtype=np.intp)
