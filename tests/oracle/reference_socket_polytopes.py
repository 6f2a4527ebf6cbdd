"""Triangle, box and polyhedron against the socket, as the slow reference sees them: every corner and every two edges.

Written from docs/manifolds.md, as reference_socket_pairs.py.
"""

import numpy as np

from tests.oracle.reference_round import heights, polytope
from tests.oracle.reference_socket import LD, Candidates, dot, norm, unit
from tests.oracle.reference_socket_pairs import (
    TOL,
    Solid,
    box_corners,
    corners,
    found,
    least,
    lines_on_box,
    lines_on_rim,
    once,
    socket_faces,
    through,
    together,
)


def spokes_of(P):
    """Unit directions along the edges that leave each corner."""
    leaving = [[] for _ in P.corners]
    for i, j in P.edges:
        t = unit(P.corners[j] - P.corners[i], 0)
        leaving[i].append(t)
        leaving[j].append(-t)
    return [np.array(s) for s in leaving]


def diagonal(points):
    return norm(points.max(0) - points.min(0))


def faces_of(P):
    """Heights (..., F) over the faces of a polytope and their normals (..., F, 3), as a function of x (..., 3)."""

    def faces(x):
        height = heights(P, x)
        return height, np.broadcast_to(P.normals, (*height.shape, 3))

    return faces


def polytope_socket(kind):
    """Triangle, box or polyhedron."""

    def pair(a, b, p, R):
        P = polytope(kind, a)
        box, box_spokes = box_corners(b)
        size = min(diagonal(P.corners), norm(np.array(b["size"], LD)))
        solid = Solid(p, R, 1e-9 * size, 1e-14 * size)
        back = Solid(solid.back(np.zeros((len(p), 3), LD)), R.swapaxes(1, 2), solid.tol, solid.noise)
        parts, unsure = [], np.zeros(len(p), bool)

        def above_K(x, row):
            return heights(P, np.einsum("mji,mj->mi", R[row.ravel()], x.reshape(-1, 3) - p[row.ravel()])).max(
                -1).reshape(x.shape[:-1])  # fmt: skip

        for _, x, depth, g, inside, sure in corners(solid, P.corners, spokes_of(P), lambda x: socket_faces(b, x)):
            parts.append(found(x, -g, depth, least(inside, depth - solid.noise)))
            unsure |= (inside > -TOL) & (sure < 1e-12)
        if P.closed:
            for _, y, depth, g, inside, sure in corners(back, box, box_spokes, faces_of(P)):
                n = np.einsum("nij,nj->ni", R, g)
                x = solid.p + np.einsum("nij,nj->ni", R, y + g * depth[:, None])
                parts.append(found(x, n, depth, least(inside, depth - solid.noise)))
                unsure |= (inside > -TOL) & (sure < 1e-12)
        start = P.corners[P.edges[:, 0]]
        along = P.corners[P.edges[:, 1]] - start
        length = np.broadcast_to(norm(along), (len(p), len(along)))
        m = P.normals[P.edge_faces]
        edges = (solid.seen(start), solid.turned(unit(along, 0)), length, solid.turned(m[:, 0]), solid.turned(m[:, 1]))
        for kernel in (lines_on_rim, lines_on_box):
            parts.extend(kernel(*edges, b, not P.closed, above_K, solid))
        X, N, D, M = together(parts, len(p))
        depth, ambiguous = once(X, N, D, M, solid.tol)
        nothing = np.nonzero(~(depth > 0).any(1))[0]
        ambiguous |= through(faces_of(P) if P.closed else None, b, solid, nothing, edges, X, N, depth)
        if not P.closed:
            through_sheet(P, b, solid, nothing[~(depth[nothing] > 0).any(1)], X, N, depth)
        feature = np.broadcast_to(32 + np.arange(depth.shape[1]), depth.shape)
        return Candidates(feature, X, N, depth), ambiguous | unsure

    return pair


def through_sheet(P, b, solid, rows, X, N, depth):
    """The triangle that an edge of the box passes through, at the poses `rows`."""
    y = np.einsum("nji,nkj->nki", solid.R[rows], box_corners(b)[0] - solid.p[rows, None])
    h = dot(y - P.corners[0], P.normals[0])
    pierced = np.zeros(len(rows), bool)
    for i in range(8):
        for j in (i ^ 1, i ^ 2, i ^ 4):
            drop = np.where(h[:, j] == h[:, i], 1, h[:, i] - h[:, j])
            x = y[:, i] + (h[:, i] / drop)[:, None] * (y[:, j] - y[:, i])
            within = [dot(P.normals[0], np.cross(P.corners[v - 2] - P.corners[v], x - P.corners[v])) for v in range(3)]
            pierced |= (h[:, i] * h[:, j] < 0) & (np.min(within, axis=0) >= 0)
    for i in np.nonzero(pierced)[0]:
        side = 1 if -h[i].min() < h[i].max() else -1
        k, n = (side * h[i]).argmin(), solid.R[rows[i]] @ (side * P.normals[0])
        deep = -side * h[i, k]
        X[rows[i], 0], N[rows[i], 0], depth[rows[i], 0] = box_corners(b)[0][k] + deep * n, n, deep
