"""What all solids have in common against the socket, as the slow reference sees it: corners, crossing edges, through.

Written from docs/manifolds.md ("Socket against solids"), in the socket's frame. Conditions have margins (m, or a sine)
that are positive where they hold; a pose at which one decides by less than TOL is ambiguous.
"""

from typing import NamedTuple

import numpy as np

from tests.oracle.reference_socket import ABSENT, EDGES, LD, circle_line_minima, dot, norm, rim_point, unit

TOL = 1e-12  # m or a sine: conditions with a smaller margin are ambiguous
LEAST_SLOPE, PARALLEL, CHEAPER = LD(-0.5), LD(1e-9), 1 - LD(1e-9)
DIAGONAL = np.sqrt(LD(0.5))
ROWS = 20_000  # lines against the rim at a time: bounds the memory of its samples
UP = np.array([0, 0, 1], LD)


class Solid(NamedTuple):
    """K seen from the socket, N poses of it: x_S = p + R x_K."""

    p: np.ndarray  # (N, 3)
    R: np.ndarray  # (N, 3, 3)
    tol: float
    noise: float

    def seen(self, x):
        """Points of K (..., 3) in the socket's frame (N, ..., 3)."""
        return self.p.reshape(-1, *[1] * (x.ndim - 1), 3) + self.turned(x)

    def turned(self, v):
        return np.einsum("nij,...j->n...i", self.R, v)

    def back(self, x):
        """Points (N, ..., 3) of the socket's frame in K's."""
        return np.einsum("nji,n...j->n...i", self.R, x - self.p.reshape(-1, *[1] * (x.ndim - 2), 3))


class Found(NamedTuple):
    """M possible contacts: x is K's point, C = x - n depth/2."""

    row: np.ndarray
    x: np.ndarray
    n: np.ndarray
    depth: np.ndarray
    margin: np.ndarray


def found(x, n, depth, margin):
    """Those of arrays (N, ...) that may be contacts."""
    depth, margin = np.broadcast_arrays(depth, margin)
    where = np.nonzero((margin > -TOL) & (depth > 0))
    return Found(where[0], np.broadcast_to(x, (*depth.shape, 3))[where], np.broadcast_to(n, (*depth.shape, 3))[where],
                 depth[where], margin[where])  # fmt: skip


def least(*margins):
    """All conditions together."""
    result = margins[0]
    for margin in margins[1:]:
        result = np.minimum(result, margin)
    return result


# ---- the socket ----------------------------------------------------------------------------------


def socket_faces(b, x):
    """Heights (..., 7) of x over -x, +x, -y, +y, -z, +z and the hole, and the outward normals (..., 7, 3)."""
    size = np.array(b["size"], LD)
    R, h = LD(b["radius"]), LD(b["length"])
    up, low = np.array([size[0] / 2, size[1] / 2, 0], LD), np.array([-size[0] / 2, -size[1] / 2, -size[2]], LD)
    spoke = np.stack([x[..., 0], x[..., 1], np.minimum(x[..., 2] + h, 0)], axis=-1)
    height = np.stack([*(f for i in range(3) for f in (low[i] - x[..., i], x[..., i] - up[i])), R - norm(spoke)], -1)
    box = np.array([sign * np.eye(3)[i] for i in range(3) for sign in (-1, 1)], LD)
    g = np.concatenate([np.broadcast_to(box, (*x.shape[:-1], 6, 3)), unit(-spoke, [-1, 0, 0])[..., None, :]], axis=-2)
    return height, g


def socket_edges(b):
    """Starts (12, 3), directions, lengths (12,) and both normals (12, 2, 3) of the edges of the box."""
    size = np.array(b["size"], LD)
    start, along, length, normals = [], [], [], []
    for k, i1, i2, j in EDGES:
        sign = np.zeros(3, LD)
        sign[k], sign[i1], sign[i2] = -1, 2 * (j & 1) - 1, 2 * (j >> 1) - 1
        start.append(sign * size / 2 - UP * size[2] / 2)
        along.append(np.eye(3, dtype=LD)[k])
        length.append(size[k])
        normals.append([sign[i1] * np.eye(3)[i1], sign[i2] * np.eye(3)[i2]])
    return np.array(start), np.array(along), np.array(length), np.array(normals)


def box_corners(b):
    """Corners (8, 3) of the socket's box and the edges that leave them."""
    size = np.array(b["size"], LD)
    signs = np.array([[2 * (k >> i & 1) - 1 for i in range(3)] for k in range(8)])
    return signs * size / 2 - UP * size[2] / 2, -signs[:, :, None] * np.eye(3, dtype=LD)


# ---- rule 1 ---------------------------------------------------------------------------------------


def leave(height, g, slopes, tol):
    """Leaving through the nearest face (of F) that is faced, slopes (..., F): depth and normal, the margin of being
    inside where there is such a face, and by how much it is that one."""
    faced = slopes >= LEAST_SLOPE
    away = np.where(faced, -height, np.inf)
    best = away.argmin(-1)[..., None]
    depth = np.take_along_axis(away, best, -1)[..., 0]
    some = np.isfinite(depth)
    normal = np.take_along_axis(g, best[..., None], -2)[..., 0, :]
    other = np.where(np.arange(height.shape[-1]) == best, np.inf, away).min(-1)
    depth = np.where(some, depth, 0)
    sure = least(np.where(np.isfinite(other), other - depth, np.inf),
                 np.abs(np.where(-height < depth[..., None] + TOL, slopes - LEAST_SLOPE, np.inf)).min(-1))
    return depth, normal, np.where(some, tol - height.max(-1), -1), sure


def corners(solid, points, incident_edges, into):
    """Corners of K (V, 3) with their edges (list of (D, 3)); into(x): heights and normals of the other's faces."""
    for v, (point, leaving) in enumerate(zip(points, incident_edges, strict=True)):
        x = solid.seen(point)
        height, g = into(x)
        slopes = np.einsum("nfi,ndi->nfd", g, solid.turned(leaving)).min(-1)
        yield v, x, *leave(height, g, slopes, solid.tol)


# ---- rule 2 ---------------------------------------------------------------------------------------


def leads_out(w, t, m0, m1):
    """Margin of w leading out of an edge along t between faces with normals m0, m1."""
    total = m0 + m1
    sheet = norm(total) < 1e-9
    cosine, sine = norm(total) / 2, norm(m0 - m1) / 2
    middle = np.where(sheet[..., None], np.cross(t, m0), unit(total, 0))
    bound = np.where(sine < cosine, dot(m0, m1), DIAGONAL * (cosine - sine))
    return dot(w, middle) - bound + 1e-9


def reach(ends, m):
    """How far a straight edge with these ends (..., 2, 3) reaches along m (..., 3)."""
    return np.maximum(dot(ends[..., 0, :], m), dot(ends[..., 1, :], m))


def ring_reach(middle, axis, radius, m):
    """The same of a circle."""
    return dot(middle, m) + radius * norm(np.cross(m, axis))


class Edge(NamedTuple):
    """Places E (..., 3) on edges, their tangents t, normals m0 and m1 of the faces, reach(m), the margin goes_on(z) of
    the edge not having ended at z along the tangent, and how far off it may be there."""

    E: np.ndarray
    t: np.ndarray
    m0: np.ndarray
    m1: np.ndarray
    reach: object
    goes_on: object
    bow: object


def passes(K, S, above_S, tol):
    """Margin of the edge K passing through the body of S: at the z nearest to 0 where E + z t is behind both planes."""
    low, high = np.full(K.E.shape[:-1], -np.inf, LD), np.full(K.E.shape[:-1], np.inf, LD)
    never = np.zeros(low.shape, bool)
    for m in (S.m0, S.m1):
        above, rate = dot(m, K.E - S.E) - tol, dot(m, K.t)
        at = -above / np.where(rate == 0, 1, rate)
        high = np.where(rate > 0, np.minimum(high, at), high)
        low = np.where(rate < 0, np.maximum(low, at), low)
        never |= (rate == 0) & (above > 0)
    some = np.where(never, -1, high - low)
    z = np.where(some >= 0, np.maximum(low, np.minimum(high, 0)), 0)
    return least(some, K.goes_on(z), 2 * tol + K.bow(z) - above_S(K.E + z[..., None] * K.t))


def crossing(K, S, sheet, above_K, faces_S, solid):
    """n, depth and margin of edges that cross."""
    tol, noise = solid.tol, solid.noise
    across = np.cross(K.t, S.t)
    sine = norm(across)
    n = unit(across, UP) * np.where(dot(across, S.m0 + S.m1) > 0, -1, 1)[..., None]
    depth = dot(n, K.E - S.E)
    margin = least((sine - PARALLEL) * 1, depth - noise, leads_out(n, K.t, K.m0, K.m1), leads_out(-n, S.t, S.m0, S.m1))
    for m in (K.m0, K.m1):
        over = S.reach(-m) + dot(m, K.E) - CHEAPER * depth
        margin = least(margin, np.where(sheet & (dot(m, n) <= LD(-0.7)), np.inf, over))
    for m in (S.m0, S.m1):
        margin = least(margin, K.reach(-m) + dot(m, S.E) - CHEAPER * depth)
    margin = least(margin, passes(K, S, lambda x: faces_S(x).max(-1), tol))
    if not sheet:
        return n, depth, least(margin, passes(S, K, above_K, tol))
    others = np.where(np.abs(faces_S(S.E)) > tol, faces_S(K.E), -np.inf).max(-1)
    return n, depth, least(margin, -others - depth)


def feet(p, u, q, v):
    """Feet of the common perpendicular of lines p + s u and q + z v, as s and z; nan if they are parallel."""
    w, b = p - q, dot(u, v)
    sine2 = dot(np.cross(u, v), np.cross(u, v))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (b * dot(v, w) - dot(u, w)) / sine2, (dot(v, w) - b * dot(u, w)) / sine2


def rim_minima(radius, Q, d):
    """circle_line_minima in pieces: angles (M, 2), nan where there is none."""
    parts = [circle_line_minima(radius, Q[i : i + ROWS], d[i : i + ROWS])[0] for i in range(0, len(Q), ROWS)]
    return np.concatenate(parts) if parts else np.zeros((0, 2), LD)


def rim_edge(b, theta):
    """The rim at the angles theta (...)."""
    E, dE = rim_point(LD(b["radius"]), theta)
    up, zero = np.broadcast_to(UP, E.shape), np.zeros(3, LD)
    return Edge(E, dE / LD(b["radius"]), up, -E / LD(b["radius"]),
                lambda m: ring_reach(zero, UP, LD(b["radius"]), m),
                lambda z: np.inf, lambda z: z**2 / LD(b["radius"]))  # fmt: skip


def straight(p, t, length, m0, m1, s, tol=0):
    """Straight edges at s."""
    ends = np.stack([p, p + length[..., None] * t], axis=-2)
    return Edge(p + s[..., None] * t, t, m0, m1, lambda m: reach(ends, m),
                lambda z: least(s + z + tol, length - s - z + tol), lambda z: 0)  # fmt: skip


def lines_on_rim(p, t, length, m0, m1, b, sheet, above_K, solid):
    """Straight edges of K (N, E, ...) against the rim."""
    radius = LD(b["radius"])
    q = p + length[..., None] * t
    ends_out = np.maximum(np.hypot(p[..., 0], p[..., 1]), np.hypot(q[..., 0], q[..., 1])) - radius
    can = least(ends_out, -np.minimum(p[..., 2], q[..., 2]))
    row, e = np.nonzero(can > -TOL)
    if not len(row):
        return
    p, t, length, m0, m1 = (np.broadcast_to(v, (*can.shape, *v.shape[2:]))[row, e] for v in (p, t, length, m0, m1))
    theta = rim_minima(radius, p, t)
    for k in range(2):
        here = ~np.isnan(theta[:, k])
        S = rim_edge(b, np.where(here, theta[:, k], 0))
        s = dot(S.E - p, t)
        K = straight(p, t, length, m0, m1, s, solid.tol)
        n, depth, margin = crossing(K, S, sheet, lambda x, row=row: above_K(x, row),
                                    lambda x: socket_faces(b, x)[0], solid)  # fmt: skip
        margin = np.where(here, least(margin, s + solid.tol, length - s + solid.tol, can[row, e]), -1)
        some = found(K.E, n, depth, margin)
        yield some._replace(row=row[some.row])


def lines_on_box(p, t, length, m0, m1, b, sheet, above_K, solid):
    """Straight edges of K (N, E, ...) against the edges of the box."""
    for start, along, extent, normals in zip(*socket_edges(b), strict=True):
        s, z = feet(p, t, start, along)
        parallel = np.isnan(s) | np.isnan(z) | ~np.isfinite(s) | ~np.isfinite(z)
        s, z = np.where(parallel, 0, s), np.where(parallel, 0, z)
        K = straight(p, t, length, m0, m1, s, solid.tol)
        edge = (np.broadcast_to(v, (*s.shape, *np.shape(v))) for v in (start, along, extent, *normals))
        S = straight(*edge, z, solid.tol)
        row = np.broadcast_to(np.arange(len(s))[:, None], s.shape)
        n, depth, margin = crossing(K, S, sheet, lambda x, row=row: above_K(x, row),
                                    lambda x: socket_faces(b, x)[0], solid)  # fmt: skip
        margin = least(margin, s + solid.tol, length - s + solid.tol, z + solid.tol, extent - z + solid.tol)
        yield found(K.E, n, depth, np.where(parallel, -1, margin))


# ---- rule 3 ---------------------------------------------------------------------------------------


def lowest_on(p, t, length, f):
    """The s in [0, length] (M,) at which f(x) (M, ...) is least: samples, again and again around the best."""
    low, high = np.zeros_like(length), length
    for _ in range(12):
        s = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, 201, dtype=LD)
        best = f(p[:, None] + s[..., None] * t[:, None]).argmin(1)
        step = (high - low) / 200
        s = s[np.arange(len(s)), best]
        low, high = np.maximum(s - 2 * step, 0), np.minimum(s + 2 * step, length)
    return s


def through(faces_K, b, solid, rows, edges, X, N, depth):
    """Rule 3 at the poses `rows`, into X, N and depth; which poses have several deepest points or nearest faces."""
    p, t, length = (v[rows] for v in edges[:3])
    best, tie = np.full(len(rows), solid.noise, LD), np.zeros(len(X), bool)

    def keep(which, x, n, height):
        top = np.sort(height, axis=-1)
        deep = -top[:, -1]
        tie[rows[which]] |= (deep > 0) & ((top[:, -1] - top[:, -2] < TOL) | (np.abs(deep - best[which]) < TOL))
        better = deep > best[which]
        i = rows[which][better]
        best[np.nonzero(which)[0][better]] = deep[better]
        X[i, 0], N[i, 0], depth[i, 0] = x[better], n[better], deep[better]

    def phi(x):
        height = socket_faces(b, x)[0]
        return height.max(-1)

    size = np.array(b["size"], LD)
    for e in range(p.shape[1]):
        ends = np.stack([p[:, e], p[:, e] + length[:, e, None] * t[:, e]])
        near = ((ends.min(0) < [*size[:2] / 2, 0]) & (ends.max(0) > [*-size[:2] / 2, -size[2]])).all(1)
        q, d = p[near, e], t[near, e]
        x = q + lowest_on(q, d, length[near, e], phi)[:, None] * d
        height, g = socket_faces(b, x)
        keep(near, x, -g[np.arange(len(x)), height.argmax(-1)], height)
    if faces_K:
        R = solid.R[rows]
        for start, along, extent, _ in zip(*socket_edges(b), strict=True):
            q = np.einsum("nji,nj->ni", R, start - solid.p[rows])
            d = np.einsum("nji,j->ni", R, along)
            s = lowest_on(q, d, np.full(len(rows), extent), lambda x: faces_K(x)[0].max(-1))
            height, m = faces_K(q + s[:, None] * d)
            n = np.einsum("nij,nj->ni", R, m[np.arange(len(m)), height.argmax(-1)])
            keep(np.ones(len(rows), bool), start + s[:, None] * along - n * height.max(-1)[:, None], n, height)
    return tie


# ---- all contacts of a pose -------------------------------------------------------------------------


def together(parts, count):
    """Candidates and ambiguity of N poses: contacts at one place once, the deepest."""
    row, x, n, depth, margin = (np.concatenate(v) for v in zip(*parts, strict=True))
    order = np.argsort(row, kind="stable")
    row, x, n, depth, margin = (v[order] for v in (row, x, n, depth, margin))
    slot = np.arange(len(row)) - np.searchsorted(row, row)
    width = max(int(slot.max(initial=0)) + 1, 1)
    X, N = np.zeros((count, width, 3), LD), np.broadcast_to(UP, (count, width, 3)).copy()
    D, M = np.full((count, width), ABSENT, LD), np.full((count, width), -1, LD)
    X[row, slot], N[row, slot], D[row, slot], M[row, slot] = x, n, depth, margin
    return X, N, D, M


def once(X, N, D, M, tol):
    """Of contacts at one place the deepest; which poses are ambiguous."""
    sure = M > TOL
    depth = np.where(D > 0, D, 0)
    C = X - N * depth[..., None] / 2
    there = (D > 0) & (M > 0)
    apart = norm(C[:, :, None] - C[:, None])
    both = there[:, :, None] & there[:, None]
    rank = np.argsort(np.argsort(-np.where(there, D, -np.inf), axis=1, kind="stable"), axis=1)
    first = rank[:, None] < rank[:, :, None]  # [n, i, j]: j before i
    beaten = (both & first & (apart <= tol)).any(2)
    differ = np.abs(depth[:, :, None] - depth[:, None])
    alike = both & (apart <= tol) & (norm(N[:, :, None] - N[:, None]) > 1e-9) & (differ < TOL)
    nearly = both & (np.abs(apart - tol) < 0.9 * tol)
    # what hangs on the last digits does not matter where something sure stands at the same place
    surely = sure & there
    same_way = norm(N[:, :, None] - N[:, None]) < 1e-9
    covered = (surely[:, None] & (apart < tol) & same_way & (differ < 1e-13)).any(2)
    verging = (D > 0) & (np.abs(M) <= TOL) & ~covered
    return np.where(there & ~beaten, D, ABSENT), verging.any(1) | alike.any((1, 2)) | nearly.any((1, 2))
