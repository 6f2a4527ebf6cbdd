"""What touches of a shape and a mesh: all possible contacts of every pair, in the frame of the mesh B.

Written from docs/manifolds.md; part of the slow reference. p (N, 3) and R (N, 3, 3) place A in the frame of B. A
contact is a place S on the mesh (or on the tangent plane there), a normal n_AB and a depth; half-way between the
surfaces is S + n_AB depth/2. Every condition has a margin, in m or a sine, that is positive where it holds.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from tests.oracle.reference import thickness
from tests.oracle.reference_socket import ALONG, DEEPER, dot, exit_of, norm, unit
from tests.oracle.reference_surface import (
    SHARP,
    TOL,
    Z,
    corner_faces,
    crossing,
    edge_faces,
    edge_lengths,
    edges_at,
    faces_at,
    in_plane,
    least,
    nearest,
    on_triangles,
    over_face,
    surface,
)

ONE_PLACE = 1e-9  # of the mesh's size
NEARLY = 0.021  # of a depth: the library finds the deepest point of an axis to a fiftieth
SAME = 1e-6  # of an axis: places closer than that are one
ROUNDING = 1e-15  # m, of places within some metres: depths that differ by less are equal or not
ALONE = -1  # group of contacts that share with none


class Found(NamedTuple):
    """M possible contacts, those with a margin above -TOL."""

    row: np.ndarray  # (M,) pose
    S: np.ndarray  # (M, 3)
    n: np.ndarray  # (M, 3) from A to B
    depth: np.ndarray  # (M,)
    margin: np.ndarray  # (M,)
    group: np.ndarray  # (M,)
    load_share: np.ndarray  # (M,) of those that share with no others


def found(margin, S, n, depth, group=ALONE):
    """Those of (N, K) candidates that may count."""
    i, k = np.nonzero(margin > -TOL)
    S, n = np.broadcast_to(S, (*margin.shape, 3)), np.broadcast_to(n, (*margin.shape, 3))
    return Found(i, S[i, k], n[i, k], depth[i, k], margin[i, k], np.full(len(i), group), np.ones(len(i)))


def single(margin, S, n, depth, rows, group=ALONE, load_share=None):
    """Those of (M,) candidates, of the poses `rows`, that may count."""
    k = np.nonzero(margin > -TOL)[0]
    load_share = np.ones(len(k)) if load_share is None else load_share[k]
    return Found(rows[k], S[k], n[k], depth[k], margin[k], np.full(len(k), group), load_share)


def joined(parts):
    """Several Found in one."""
    return Found(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def verge(phi, sure):
    """Margin of a place being inside; where the nearest place is unsure, it is on the verge of a contact."""
    return np.where(sure, -phi, np.minimum(-phi, 0))


# ---- balls and sweeps ----------------------------------------------------------------------------


def below(M, x, r, group=ALONE):
    """Rule 2: balls about points (N, 3) that are behind the surface, in the box around it or not deep."""
    phi, S, g, sure = nearest(M, x)
    low, high = M.faces.min((0, 1)), M.faces.max((0, 1))
    in_box = np.minimum(x - low, high - x).min(-1)
    return single(least(verge(phi, sure), np.maximum(phi + r, in_box)), S, -g, r - phi, np.arange(len(x)), group)


def ball(M, x, r, group=0, t=None):
    """A ball about x (N, 3). With t (N, 3): the end of an axis, from where it goes on along t."""
    (foot, over, h), (on_edge, along) = faces_at(M, x), edges_at(M, x)
    to_edge, to_corner = x[:, None] - on_edge, x[:, None] - M.corners
    from_edge = least(along, edge_faces(M, to_edge), r - norm(to_edge))
    from_corner = least(corner_faces(M, to_corner), r - norm(to_corner))
    if t is not None:
        from_edge = least(from_edge, recedes(to_edge, t))
        from_corner = least(from_corner, recedes(to_corner, t))
    return joined([
        found(least(over, h, r - h), foot, -M.normals, r - h, group),
        found(from_edge, on_edge, -unit(to_edge, 0), r - norm(to_edge), group),
        found(from_corner, M.corners, -unit(to_corner, 0), r - norm(to_corner), group),
        below(M, x, r, group),
    ])  # fmt: skip


def recedes(w, t):
    """Margin of an axis along t (N, 3) that comes no nearer from places w (N, K, 3) away."""
    return dot(w, t[:, None]) + ALONG * norm(w)


def deferred_end(M, x, r, group, t):
    """An end over edges from which the axis comes nearer."""
    on_edge, along = edges_at(M, x)
    w = x[:, None] - on_edge
    margin = least(along, edge_faces(M, w), r - norm(w), -recedes(w, t))
    return found(margin, on_edge, -unit(w, 0), r - norm(w), group)


def sweep(M, Q0, t, length, r):
    """A ball swept from Q0 (N, 3) along t: both ends, the body against edges and corners, and deferred contacts."""
    Q1 = Q0 + length * t
    edges, deferred_edges = over_edges(M, Q0, t, length, r)
    corners, deferred_corners = over_corners(M, Q0, t, length, r)
    sure = joined([ball(M, Q0, r, 0, t), ball(M, Q1, r, 1, -t), edges, corners])
    deferred = joined([deferred_end(M, Q0, r, 0, t), deferred_end(M, Q1, r, 1, -t), deferred_edges, deferred_corners])
    contacts = with_deferred(sure, deferred, Q0, t, length, r)
    most = np.zeros(len(Q0), Q0.dtype)
    counts = contacts.margin > -TOL
    np.maximum.at(most, contacts.row[counts], contacts.depth[counts])
    return joined([contacts, through(M, Q0, Q1, r, most)])


def through(M, Q0, Q1, r, most):
    """Rule 4, where something is deeper than `most` (N,)."""
    S, n, depth, margin = through_faces(M, Q0, Q1, r)
    if not M.border.any():
        inside = np.minimum(*(nearest(M, Q)[0] for Q in (Q0, Q1))) < 0
        rows = np.nonzero((margin > -TOL) | inside)[0]
        S[rows], n[rows], depth[rows], margin[rows] = deepest_on_axis(M, Q0[rows], Q1[rows], r)
    deeper = depth - most - DEEPER * depth
    margin = np.where(np.abs(deeper) < ROUNDING, np.minimum(margin, 0), np.where(deeper > 0, margin, -1))
    return single(margin, S, n, depth, np.arange(len(Q0)), load_share=1 - most / np.where(depth > 0, depth, 1))


def deepest_on_axis(M, Q0, Q1, r, samples=25):
    """Where phi is least along the axes, the exit there, the depth; on the verge where some other place is so nearly as
    deep that the library may take it."""

    if not len(Q0):
        return Q0, Q0, np.zeros(0, Q0.dtype), np.zeros(0)
    row, low, high = [], [], []
    for i, (start, end) in enumerate(zip(Q0, Q1, strict=True)):
        for a, b in valleys(lambda v, q=start, way=end - start: nearest(M, q + v[:, None] * way)[0],
                            norm(end - start), r, samples):  # fmt: skip
            row, low, high = [*row, i], [*low, a], [*high, b]
    row = np.array(row)
    place, low_phi = lowest(M, Q0[row], Q1[row], np.array(low), np.array(high))
    order = np.lexsort((low_phi, row))
    first = order[np.searchsorted(row[order], np.arange(len(Q0)))]
    best, least_phi = place[first], low_phi[first]
    depth = r - least_phi
    rivals = (low_phi - least_phi[row] < NEARLY * depth[row]) & (np.abs(place - best[row]) > SAME)
    rival = np.bincount(row[rivals], minlength=len(Q0)) > 0
    length = norm(Q1 - Q0)
    g = exit_of(lambda x: (*nearest(M, x)[::2][:2], None), Q0, (Q1 - Q0) / length[:, None], length, best * length)
    x = Q0 + best[:, None] * (Q1 - Q0)
    return x - least_phi[:, None] * g, -g, depth, np.where(rival, 0.0, 1.0)


def valleys(phi, length, r, samples):
    """Parts of an axis that hold its places of least phi, or nearly: phi changes by no more than one goes, so that what
    is between two samples is bounded; such gaps as may hold one are sampled again."""
    u = np.linspace(0, 1, samples)
    at = phi(u)
    for _ in range(8):
        enough = at.min() + NEARLY * max(r - at.min(), 0)
        wide = length * np.diff(u)
        gaps = np.nonzero(((at[1:] + at[:-1] - wide) / 2 < enough) & (wide > max(SAME, (enough - at.min()) / 4)))[0]
        more = (u[gaps, None] + np.diff(u)[gaps, None] * np.arange(1, 5) / 5).ravel()
        u, first = np.unique(np.concatenate([u, more]), return_index=True)
        at = np.concatenate([at, phi(more)])[first]
    padded = np.pad(at, 1, constant_values=np.inf)
    enough = at.min() + NEARLY * max(r - at.min(), 0) + length * np.diff(u).min()
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


def through_faces(M, Q0, Q1, r):
    """Out of the face that the axis crosses with the end that is least below it: S, n, depth, margin."""
    h = np.stack([dot(Q[:, None] - M.faces[:, 0], M.normals) for Q in (Q0, Q1)])
    crossing = h[0] * h[1] < 0
    u = np.where(crossing, h[0] / np.where(crossing, h[0] - h[1], 1), 0)
    X = Q0[:, None] + u[..., None] * (Q1 - Q0)[:, None]
    margin = np.where(crossing, least(over_face(M.faces, M.normals, X), np.abs(h[0]), np.abs(h[1])), -1)
    row, f = np.arange(len(Q0)), np.where(margin > -TOL, -h.min(0), np.inf).argmin(1)
    below = -h.min(0)[row, f]
    S = np.where((h[0, row, f] < h[1, row, f])[:, None], Q0, Q1) + below[:, None] * M.normals[f]
    return S, -M.normals[f], r + below, margin[row, f]


def along_axis(contacts, Q0, t, length, r):
    """Where on the axis the ball is that touches."""
    centre = contacts.S + contacts.n * (contacts.depth - r)[:, None]
    body = dot(centre - Q0[contacts.row], t[contacts.row])
    return np.select([contacts.group == 0, contacts.group == 1], [0, length], body)


def with_deferred(sure, deferred, Q0, t, length, r):
    """Accepted contacts, and of the deferred ones, deepest first, those further than r along the axis from others."""
    s_sure, s_deferred = (along_axis(part, Q0, t, length, r) for part in (sure, deferred))
    margins = np.full(len(deferred.row), -np.inf, deferred.margin.dtype)
    for row in np.unique(deferred.row[deferred.depth > 0]):
        counting = [(s_sure[k], sure.margin[k]) for k in np.nonzero((sure.row == row) & (sure.depth > 0))[0]]
        mine = np.nonzero((deferred.row == row) & (deferred.depth > 0))[0]
        for k in mine[np.argsort(-deferred.depth[mine], kind="stable")]:
            alone = [max(abs(s_deferred[k] - s) - r, -margin) for s, margin in counting]
            margins[k] = min([deferred.margin[k], *alone])
            if margins[k] > -TOL:
                counting.append((s_deferred[k], margins[k]))
    kept = margins > -TOL
    return joined([sure, Found(*(column[kept] for column in deferred._replace(margin=margins)))])


def over_edges(M, Q0, t, length, r):
    """The axis between its ends against edges: accepted and deferred."""
    F, E, inside = crossing(Q0[:, None], t[:, None], length, M.edges[:, 0], M.along, edge_lengths(M))
    w = F - E
    d, up = norm(w), dot(w, M.edge_out)
    near = least(np.where(M.convex | M.border, inside, -1), r - d)
    between = least(edge_between(M, w) + ALONG * d, up)
    n = -unit(w, M.edge_out)
    sure, beside = found(least(near, between), E, n, r - d), found(least(near, up, -between), E, n, r - d)

    i, k = np.nonzero(least(near, -up) > -TOL)
    phi = nearest(M, F[i, k])[0]
    wings = in_plane(M, M.wings[k, 0]) | in_plane(M, M.wings[k, 1])
    to_wings = np.where(wings, norm(F[i, k][:, None] - on_triangles(M, F[i, k])[0]), np.inf).min(1)
    margin = np.where(to_wings <= -phi + ONE_PLACE * M.size, least(near[i, k], -up[i, k], -phi), -1)
    inner = single(margin, E[i, k], unit(w[i, k], 0), r + d[i, k], i)
    return sure, joined([beside, inner])


def edge_between(M, w):
    """Margin of w (..., E, 3) leading out of both faces of the edge."""
    up = dot(w[..., None, :], -M.into)
    return least(up[..., 0], up[..., 1])


def over_corners(M, Q0, t, length, r):
    """The axis between its ends against corners: accepted, and deferred where one edge rises."""
    s = dot(M.corners - Q0[:, None], t[:, None])
    w = Q0[:, None] + s[..., None] * t[:, None] - M.corners
    d = norm(w)
    near = least(s, length - s, r - d, dot(w, M.corner_g))
    padding = (M.incident_edges == M.incident_edges[:, :1]).all(-1)
    padding[:, 0] = False
    rise = np.sort(np.where(padding, -np.inf, dot(w[..., None, :], M.incident_edges)), axis=-1) - (ALONG * d)[..., None]
    first, second = rise[..., -1], rise[..., -2]
    deferred = least(near, first, -second)
    for v in np.nonzero((deferred > -TOL).any(0))[0]:
        deferred[:, v] = np.where(is_tip(M.incident_edges[v], M.corner_g[v]), deferred[:, v], -1)
    return tuple(found(margin, M.corners, -unit(w, 0), r - d) for margin in (least(near, -first), deferred))


def is_tip(incident_edges, g):
    """Whether some plane through the corner, with a normal w that does not lead into the solid (w . g >= 0), has all
    edges strictly behind it. The greatest margin is found by linear programming."""
    edges = incident_edges.astype(float)
    behind = np.column_stack([edges, np.ones(len(edges))])  # edges . w + margin <= 0
    outward = np.append(-g.astype(float), 0)
    bounds = [(-1, 1)] * 3 + [(0, 1)]
    best = linprog([0, 0, 0, -1], np.vstack([behind, outward]), np.zeros(len(edges) + 1), bounds=bounds)
    return -best.fun > SHARP


def ball_pair(a):
    return lambda M, p, R: ball(M, p, thickness(a).astype(p.dtype))


def sweep_pair(a):
    def pair(M, p, R):
        length, r, t = p.dtype.type(a["length"]), thickness(a).astype(p.dtype), R[:, :, 2]
        return sweep(M, p - length / 2 * t, t, length, r)

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
