"""What touches of a shape and a mesh: all possible contacts of every pair, in the frame of the mesh B.

Written from docs/manifolds.md; part of the slow reference. p (N, 3) and R (N, 3, 3) place A in the frame of B. A
contact is a place S on the mesh (or on the tangent plane there), a normal n_AB and a depth; half-way between the
surfaces is S + n_AB depth/2. Every condition has a margin, in m or a sine, that is positive where it holds.
"""

from typing import NamedTuple

import numpy as np

from reference import thickness
from reference_socket import DEEPER, dot, exit_of, norm, unit
from reference_surface import (
    TOL,
    Z,
    corner_faces,
    edge_faces,
    edges_at,
    faces_at,
    least,
    nearest,
    over_face,
    surface,
)

ONE_PLACE = 1e-9  # of the mesh's size
NEARLY = 0.021  # of a depth: the library finds the deepest point of an axis to a fiftieth
SAME = 1e-6  # of an axis: places closer than that are one
ALONE = -1  # group of contacts that share with none


class Found(NamedTuple):
    """M possible contacts, those with a margin above -TOL."""

    row: np.ndarray  # (M,) pose
    S: np.ndarray  # (M, 3)
    n: np.ndarray  # (M, 3) from A to B
    depth: np.ndarray  # (M,)
    margin: np.ndarray  # (M,)
    group: np.ndarray  # (M,)
    share: np.ndarray  # (M,) of those that share with no others


def found(margin, S, n, depth, group=ALONE):
    """Those of (N, K) candidates that may count."""
    i, k = np.nonzero(margin > -TOL)
    S, n = np.broadcast_to(S, (*margin.shape, 3)), np.broadcast_to(n, (*margin.shape, 3))
    return Found(i, S[i, k], n[i, k], depth[i, k], margin[i, k], np.full(len(i), group), np.ones(len(i)))


def single(margin, S, n, depth, rows, group=ALONE, share=None):
    """Those of (M,) candidates, of the poses `rows`, that may count."""
    k = np.nonzero(margin > -TOL)[0]
    share = np.ones(len(k)) if share is None else share[k]
    return Found(rows[k], S[k], n[k], depth[k], margin[k], np.full(len(k), group), share)


def joined(parts):
    """Several Found in one."""
    return Found(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def verge(phi, sure):
    """Margin of a place being inside; where the nearest place is unsure, it is on the verge of a contact."""
    return np.where(sure, -phi, np.minimum(-phi, 0))


# ---- balls and segments ----------------------------------------------------------------------------


def below(M, x, r, group=ALONE):
    """Rule 2: balls about points (N, 3) that are behind the surface, in the box around it or not deep."""
    phi, S, g, sure = nearest(M, x)
    low, high = M.faces.min((0, 1)), M.faces.max((0, 1))
    in_box = np.minimum(x - low, high - x).min(-1)
    return single(least(verge(phi, sure), np.maximum(phi + r, in_box)), S, -g, r - phi, np.arange(len(x)), group)


def ball(M, x, r, group=0):
    """A ball about x (N, 3)."""
    (foot, over, h), (on_edge, along) = faces_at(M, x), edges_at(M, x)
    to_edge, to_corner = x[:, None] - on_edge, x[:, None] - M.corners
    return joined([
        found(least(over, h, r - h), foot, -M.normals, r - h, group),
        found(least(along, edge_faces(M, to_edge), r - norm(to_edge)), on_edge, -unit(to_edge, 0), r - norm(to_edge),
              group),
        found(least(corner_faces(M, to_corner), r - norm(to_corner)), M.corners, -unit(to_corner, 0),
              r - norm(to_corner), group),
        below(M, x, r, group),
    ])  # fmt: skip


def segment(M, Q0, Q1):
    """Both ends as points, and the axis where it runs through the mesh."""
    ends = joined([ball(M, Q0, Q0.dtype.type(0), 0), ball(M, Q1, Q1.dtype.type(0), 1)])
    most = np.zeros(len(Q0), Q0.dtype)
    counts = ends.margin > -TOL
    np.maximum.at(most, ends.row[counts], ends.depth[counts])
    return joined([ends, through(M, Q0, Q1, most)])


def through(M, Q0, Q1, most):
    """Rule 4, where something is deeper than `most` (N,)."""
    S, n, depth, margin = through_faces(M, Q0, Q1)
    if not M.border.any():
        inside = np.minimum(*(nearest(M, Q)[0] for Q in (Q0, Q1))) < 0
        rows = np.nonzero((margin > -TOL) | inside)[0]
        S[rows], n[rows], depth[rows], margin[rows] = deepest_on_axis(M, Q0[rows], Q1[rows])
    margin = np.where(depth - most > DEEPER * depth, margin, -1)
    return single(margin, S, n, depth, np.arange(len(Q0)), share=1 - most / np.where(depth > 0, depth, 1))


def deepest_on_axis(M, Q0, Q1, samples=25):
    """Where phi is least along the axes, the exit there, the depth; on the verge where some other place is so nearly as
    deep that the library may take it."""

    if not len(Q0):
        return Q0, Q0, np.zeros(0, Q0.dtype), np.zeros(0)
    row, low, high = [], [], []
    for i, (start, end) in enumerate(zip(Q0, Q1, strict=True)):
        for a, b in valleys(lambda v, q=start, way=end - start: nearest(M, q + v[:, None] * way)[0],
                            norm(end - start), samples):  # fmt: skip
            row, low, high = [*row, i], [*low, a], [*high, b]
    row = np.array(row)
    place, low_phi = lowest(M, Q0[row], Q1[row], np.array(low), np.array(high))
    order = np.lexsort((low_phi, row))
    first = order[np.searchsorted(row[order], np.arange(len(Q0)))]
    best, least_phi = place[first], low_phi[first]
    depth = -least_phi
    rivals = (low_phi - least_phi[row] < NEARLY * depth[row]) & (np.abs(place - best[row]) > SAME)
    rival = np.bincount(row[rivals], minlength=len(Q0)) > 0
    length = norm(Q1 - Q0)
    g = exit_of(lambda x: (*nearest(M, x)[::2][:2], None), Q0, (Q1 - Q0) / length[:, None], length, best * length)
    x = Q0 + best[:, None] * (Q1 - Q0)
    return x - least_phi[:, None] * g, -g, depth, np.where(rival, 0.0, 1.0)


def valleys(phi, length, samples):
    """Parts of an axis that hold its places of least phi, or nearly: phi changes by no more than one goes, so that what
    is between two samples is bounded; such gaps as may hold one are sampled again."""
    u = np.linspace(0, 1, samples)
    at = phi(u)
    for _ in range(3):
        enough = at.min() + NEARLY * max(-at.min(), 0)
        gaps = np.nonzero((at[1:] + at[:-1] - length * np.diff(u)) / 2 < enough)[0]
        more = (u[gaps, None] + np.diff(u)[gaps, None] * np.arange(1, 5) / 5).ravel()
        u, first = np.unique(np.concatenate([u, more]), return_index=True)
        at = np.concatenate([at, phi(more)])[first]
    padded = np.pad(at, 1, constant_values=np.inf)
    enough = at.min() + NEARLY * max(-at.min(), 0) + length * np.diff(u).min()
    k = np.nonzero((at <= padded[:-2]) & (at <= padded[2:]) & (at <= enough))[0]
    return zip(u[np.maximum(k - 1, 0)], u[np.minimum(k + 1, len(u) - 1)], strict=True)


def lowest(M, Q0, Q1, low, high):
    """Where phi is least on axes between two parts of them, where it has one valley, and that phi: by thirds."""

    def at(u):
        return nearest(M, Q0 + u[:, None] * (Q1 - Q0))[0]

    low, high = low.astype(Q0.dtype), high.astype(Q0.dtype)
    for _ in range(80):
        a, b = (2 * low + high) / 3, (low + 2 * high) / 3
        left = at(a) <= at(b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    best = (low + high) / 2
    return best, at(best)


def through_faces(M, Q0, Q1):
    """Out of the face that the axis crosses with the end that is least below it: S, n, depth, margin."""
    h = np.stack([dot(Q[:, None] - M.faces[:, 0], M.normals) for Q in (Q0, Q1)])
    crossing = h[0] * h[1] < 0
    u = np.where(crossing, h[0] / np.where(crossing, h[0] - h[1], 1), 0)
    X = Q0[:, None] + u[..., None] * (Q1 - Q0)[:, None]
    margin = np.where(crossing, least(over_face(M.faces, M.normals, X), np.abs(h[0]), np.abs(h[1])), -1)
    row, f = np.arange(len(Q0)), np.where(margin > -TOL, -h.min(0), np.inf).argmin(1)
    below = -h.min(0)[row, f]
    S = np.where((h[0, row, f] < h[1, row, f])[:, None], Q0, Q1) + below[:, None] * M.normals[f]
    return S, -M.normals[f], below, margin[row, f]


def ball_pair(a):
    return lambda M, p, R: ball(M, p, thickness(a).astype(p.dtype))


def segment_pair(a):
    def pair(M, p, R):
        half = p.dtype.type(a["length"]) / 2 * R[:, :, 2]
        return segment(M, p - half, p + half)

    return pair


# ---- mesh over a plane ----------------------------------------------------------------------------


def turned(R, v):
    """Vectors v (K, 3) by rotations (N, 3, 3): (N, K, 3)."""
    return np.einsum("nij,kj->nki", R, v)


def on_plane(a, p, R):
    """Convex corners of a mesh below z = 0."""
    M = surface(a)
    x = p[:, None] + turned(R, M.corners)
    return found(np.where(M.convex_corner, -x[..., 2], -1), x * [1, 1, 0], -Z, -x[..., 2])
