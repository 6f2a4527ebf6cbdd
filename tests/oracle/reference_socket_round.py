"""A cylinder and a second socket against the socket, as the slow reference sees them.

Written from docs/manifolds.md, as reference_socket_pairs.py. Places on circles are found by samples and bisection,
never by the closed forms of the kernels.
"""

import numpy as np

from tests.oracle.reference_socket import (
    LD,
    SAMPLE_OFFSET,
    SAMPLES,
    Candidates,
    bisect,
    circle_line_minima,
    dot,
    norm,
    unit,
)
from tests.oracle.reference_socket_last import last_way
from tests.oracle.reference_socket_pairs import (
    UP,
    Edge,
    Solid,
    box_corners,
    corners,
    crossing,
    feet,
    found,
    least,
    leave,
    lines_on_box,
    lines_on_rim,
    lowest_on,
    once,
    rim_edge,
    ring_reach,
    socket_edges,
    socket_faces,
    straight,
    through,
    together,
)

NEARLY = LD(1e-9)  # a place varies less than that around a circle


def cylinder_faces(a, x):
    """Heights (..., 3) of x in K's frame over the side and both ends, and their normals."""
    half = LD(a["length"]) / 2
    flat = x * [1, 1, 0]
    height = np.stack([norm(flat) - LD(a["radius"]), -half - x[..., 2], x[..., 2] - half], axis=-1)
    ends = np.broadcast_to(np.stack([-UP, UP]), (*x.shape[:-1], 2, 3))
    return height, np.concatenate([unit(flat, [1, 0, 0])[..., None, :], ends], axis=-2)


def on_circle(c, u, v, radius, theta):
    """Points c + radius (u cos + v sin) at theta (N, ...) of circles (N, 3)."""
    extra = (slice(None),) + (None,) * (theta.ndim - 1)
    return c[extra] + radius * (np.cos(theta)[..., None] * u[extra] + np.sin(theta)[..., None] * v[extra])


def rising(slope, n, most, samples=SAMPLES):
    """Angles (n, most) where slope(theta, rows) rises through zero, nan beyond."""
    theta = SAMPLE_OFFSET + 2 * np.pi * np.arange(samples) / samples
    values = slope(np.broadcast_to(theta, (n, samples)).astype(LD), np.arange(n))
    row, j = np.nonzero((values < 0) & (np.roll(values, -1, axis=1) >= 0))
    low = theta[j].astype(LD)

    def at(t):
        return slope(t[:, None], row)[:, 0]

    roots = bisect(at, low, low + LD(2 * np.pi / samples))
    result = np.full((n, most), np.nan, LD)
    slot = np.arange(len(row)) - np.searchsorted(row, row)
    keep = slot < most
    result[row[keep], slot[keep]] = roots[keep]
    return result


class Circle:
    """The circle of an end of N cylinders in the socket's frame."""

    def __init__(self, solid, a, end):
        self.radius, self.side = LD(a["radius"]), (-1, 1)[end]
        self.u, self.v, self.w = solid.R[:, :, 0], solid.R[:, :, 1], solid.R[:, :, 2]
        self.c = solid.p + self.side * LD(a["length"]) / 2 * self.w

    def at(self, theta):
        return on_circle(self.c, self.u, self.v, self.radius, theta)

    def quarters(self, theta):
        """Points (N, 4, 3) from theta (N,) on."""
        return self.at(theta[:, None] + np.arange(4) * LD(np.pi) / 2 * np.ones((len(theta), 1)))

    def angle_of(self, d):
        """Where the direction d (N, 3) leads."""
        return np.arctan2(dot(d, self.v), dot(d, self.u))

    def edge(self, E, rows=slice(None)):
        w, c = self.side * self.w[rows], self.c[rows]
        out = (E - c) / self.radius
        return Edge(E, np.cross(w, out), w, out, lambda m: ring_reach(c, w, self.radius, m),
                    lambda z: np.inf, lambda z: z**2 / self.radius)  # fmt: skip


def starts(circle, b):
    """For each face of S, the wall and the cap the four points (N, 4, 3) of a circle; which face that is, 7 the cap."""
    n = len(circle.c)
    zero = np.zeros(n, LD)
    for k in range(6):
        g = (-1, 1)[k % 2] * np.eye(3, dtype=LD)[k // 2] * np.ones((n, 1))
        across = np.hypot(dot(g, circle.u), dot(g, circle.v))
        yield k, circle.quarters(np.where(across < NEARLY, zero, circle.angle_of(-g)))
    from_P0 = circle.c + UP * LD(b["length"])
    across = np.hypot(dot(from_P0, circle.u), dot(from_P0, circle.v)) / circle.radius
    yield 7, circle.quarters(np.where(across < NEARLY, zero, circle.angle_of(from_P0)))

    def rho_slope(theta, rows):  # of -rho^2/2: it rises through zero at a maximum of rho
        e = np.cos(theta)[..., None] * circle.u[rows, None] + np.sin(theta)[..., None] * circle.v[rows, None]
        de = np.cos(theta)[..., None] * circle.v[rows, None] - np.sin(theta)[..., None] * circle.u[rows, None]
        x = circle.c[rows, None] + circle.radius * e
        return -(x[..., 0] * de[..., 0] + x[..., 1] * de[..., 1])

    far = rising(rho_slope, n, 2)
    x = circle.at(np.where(np.isnan(far), 0, far))
    rho = np.where(np.isnan(far), -1, np.hypot(x[..., 0], x[..., 1]))
    first, second = (np.take_along_axis(far, k[:, None], 1)[:, 0] for k in (rho.argmax(1), 1 - rho.argmax(1)))
    nearest = UP * circle.c[:, 2:] - circle.c
    offset = np.hypot(dot(nearest, circle.u), dot(nearest, circle.v)) / circle.radius
    varies = offset + np.hypot(circle.w[:, 0], circle.w[:, 1]) ** 2
    points = circle.quarters(np.where((varies < NEARLY) | np.isnan(first), zero, first))
    two = np.nonzero((varies >= NEARLY) & ~np.isnan(second))[0]
    other = circle.at(np.where(np.isnan(second), 0, second)[:, None])[:, 0]
    place = 1 + norm(points[two, 1:] - other[two, None]).argmin(1)
    points[two, place] = other[two]
    yield 6, points


def circle_points(circle, b, solid):
    """Rule 1."""
    for k, points in starts(circle, b):
        inward, along = (circle.c[:, None] - points) / circle.radius, -circle.side * circle.w
        height, g = socket_faces(b, points)
        slopes = np.minimum(dot(g, inward[:, :, None]), dot(g, along[:, None, None]))
        depth, n, inside, sure = leave(height, g, slopes, solid.tol)
        faced = np.where(slopes >= -0.5, -height, np.inf).argmin(-1) == min(k, 6)
        above_cap = points[..., 2] + LD(b["length"])
        part = above_cap if k == 6 else -above_cap if k == 7 else np.inf
        margin = least(inside, depth - solid.noise, part)
        yield found(points, -n, depth, np.where(faced, margin, -1)), ((margin > 0) & faced & (sure < 1e-12)).any(1)


def circle_on_rim(circle, b, solid, above_K, deep=np.inf):
    """A circle of K, no deeper below the mouth than `deep`, and the rim: every local minimum of their distance."""
    radius, n = LD(b["radius"]), len(circle.c)
    axis = np.cross(circle.u, circle.v)

    def slope(theta, rows):
        E = radius * np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=-1)
        dE = np.stack([-np.sin(theta), np.cos(theta), 0 * theta], axis=-1)
        w = E - circle.c[rows, None]
        flat = w - dot(w, axis[rows, None])[..., None] * axis[rows, None]
        return dot(dE, w - circle.radius * unit(flat, 0))

    theta = rising(slope, n, 4)
    below, above = circle.c[:, 2] - circle.radius * np.hypot(circle.w[:, 0], circle.w[:, 1]), circle.c[:, 2]
    can = least(-below, above + circle.radius * np.hypot(circle.w[:, 0], circle.w[:, 1]) + deep)
    for k in range(4):
        S = rim_edge(b, np.where(np.isnan(theta[:, k]), 0, theta[:, k]))
        w = S.E - circle.c
        flat = w - dot(w, axis)[:, None] * axis
        K = circle.edge(circle.c + circle.radius * unit(flat, circle.u))
        way, depth, margin = crossing(K, S, False, lambda x: above_K(x, np.arange(n)),
                                      lambda x: socket_faces(b, x)[0], solid)  # fmt: skip
        yield found(K.E, way, depth, np.where(np.isnan(theta[:, k]), -1, least(margin, can)))


def circle_on_box(circle, b, solid, above_K):
    """A circle of K and the edges of the box."""
    axes = np.stack([circle.u, circle.v, circle.w], axis=1)
    rows = np.arange(len(circle.c))
    for start, along, extent, normals in zip(*socket_edges(b), strict=True):
        Q, d = (np.einsum("nij,nj->ni", axes, v) for v in (start - circle.c, np.broadcast_to(along, circle.c.shape)))
        theta = circle_line_minima(circle.radius, Q, d)[0]
        for k in range(2):
            here = ~np.isnan(theta[:, k])
            E = circle.at(np.where(here, theta[:, k], 0)[:, None])[:, 0]
            z = dot(E - start, along)
            fixed = (np.broadcast_to(v, (len(E), *np.shape(v))) for v in (start, along, extent, *normals))
            S = straight(*fixed, z, solid.tol)
            way, depth, margin = crossing(circle.edge(E), S, False, lambda x: above_K(x, rows),
                                          lambda x: socket_faces(b, x)[0], solid)  # fmt: skip
            margin = np.where(here, least(margin, z + solid.tol, extent - z + solid.tol), -1)
            yield found(E, way, depth, margin)


def side(a, b, solid, above_K):
    """Rule 3."""
    radius, length, w = LD(a["radius"]), np.full(len(solid.p), LD(a["length"])), solid.R[:, :, 2]
    rows, bottom = np.arange(len(w)), solid.p - LD(a["length"]) / 2 * w

    def meet(S, margin):
        across = np.cross(w, S.t)
        sine = norm(across)
        n = unit(across, UP) * np.where(dot(across, S.m0 + S.m1) > 0, -1, 1)[:, None]
        s = dot(S.E - bottom, w)
        K = straight(bottom + radius * n, w, length, n, n, s, solid.tol)
        way, depth, more = crossing(K, S, False, lambda x: above_K(x, rows), lambda x: socket_faces(b, x)[0], solid)
        inside = least(s + solid.tol, length - s + solid.tol, sine - LD(1e-9))
        return found(K.E, way, depth, least(margin, more, inside))

    theta = circle_line_minima(LD(b["radius"]), bottom, w)[0]
    for k in range(2):
        here = ~np.isnan(theta[:, k])
        yield meet(rim_edge(b, np.where(here, theta[:, k], 0)), np.where(here, np.inf, -1))
    for start, along, extent, normals in zip(*socket_edges(b), strict=True):
        _, z = feet(bottom, w, start, np.broadcast_to(along, w.shape))
        parallel = ~np.isfinite(z)
        z = np.where(parallel, 0, z)
        fixed = (np.broadcast_to(v, (len(w), *np.shape(v))) for v in (start, along, extent, *normals))
        margin = np.where(parallel, -1, least(z + solid.tol, extent - z + solid.tol))
        yield meet(straight(*fixed, z, solid.tol), margin)


def through_cylinder(a, b, solid, rows, X, N, depth):
    """Rule 4 at the poses `rows`, into X, N and depth; where it is a tie."""
    radius, length, w, p = LD(a["radius"]), LD(a["length"]), solid.R[rows, :, 2], solid.p[rows]
    best, tie = np.full(len(rows), solid.noise, LD), np.zeros(len(X), bool)

    def keep(x, n, deep, sure):
        better = deep > best
        tie[rows] |= (deep > 0) & (~sure | (np.abs(deep - best) < 1e-12))
        best[better] = deep[better]
        i = rows[better]
        X[i, 0], N[i, 0], depth[i, 0] = x[better], n[better], deep[better]

    full = np.full(len(rows), length)
    bottom = p - length / 2 * w
    s = lowest_on(bottom, w, full, lambda x: socket_faces(b, x)[0].max(-1))
    x = bottom + s[:, None] * w
    height, g = socket_faces(b, x)
    top = np.sort(height, axis=-1)
    g = g[np.arange(len(x)), height.argmax(-1)]
    flat = dot(g, w)[:, None] * w - g
    deep = np.where(top[:, -1] < 0, radius * norm(flat) - top[:, -1], 0)
    keep(x + radius * unit(flat, 0), -g, deep, top[:, -1] - top[:, -2] > 1e-12)
    for start, along, extent, _ in zip(*socket_edges(b), strict=True):
        q, d = (np.einsum("nji,nj->ni", solid.R[rows], v) for v in (start - p, np.broadcast_to(along, p.shape)))
        s = lowest_on(q, d, np.full(len(rows), extent), lambda x: cylinder_faces(a, x)[0].max(-1))
        height, m = cylinder_faces(a, q + s[:, None] * d)
        top = np.sort(height, axis=-1)
        n = np.einsum("nij,nj->ni", solid.R[rows], m[np.arange(len(m)), height.argmax(-1)])
        keep(start + s[:, None] * along - n * top[:, -1:], n, -top[:, -1], top[:, -1] - top[:, -2] > 1e-12)
    return tie


class Mouth(Circle):
    """The rim of N sockets in the other's frame."""

    def __init__(self, solid, a):
        self.radius, self.side, self.c = LD(a["radius"]), 1, solid.p
        self.u, self.v, self.w = solid.R[:, :, 0], solid.R[:, :, 1], solid.R[:, :, 2]

    def edge(self, E, rows=slice(None)):
        edge = super().edge(E, rows)
        return edge._replace(m1=-edge.m1)


def socket_socket(a, b, p, R):
    """Two sockets: the first one is K."""
    size = min(norm(np.array(a["size"], LD)), norm(np.array(b["size"], LD)))
    solid = Solid(p, R, 1e-9 * size, 1e-14 * size)
    back = Solid(solid.back(np.zeros((len(p), 3), LD)), R.swapaxes(1, 2), solid.tol, solid.noise)
    parts, unsure = [], np.zeros(len(p), bool)

    def above_K(x, row):
        row = row.ravel()
        x_K = np.einsum("mji,mj->mi", R[row], x.reshape(-1, 3) - p[row])
        return socket_faces(a, x_K)[0].max(-1).reshape(x.shape[:-1])

    for _, x, depth, g, inside, sure in corners(solid, *box_corners(a), lambda x: socket_faces(b, x)):
        parts.append(found(x, -g, depth, least(inside, depth - solid.noise)))
        unsure |= (inside > 0) & (sure < 1e-12)
    for _, y, depth, g, inside, sure in corners(back, *box_corners(b), lambda x: socket_faces(a, x)):
        n = np.einsum("nij,nj->ni", R, g)
        x = p + np.einsum("nij,nj->ni", R, y + g * depth[:, None])
        parts.append(found(x, n, depth, least(inside, depth - solid.noise)))
        unsure |= (inside > 0) & (sure < 1e-12)
    start, along, length, m = socket_edges(a)
    lengths = np.broadcast_to(length, (len(p), 12))
    edges = solid.seen(start), solid.turned(along), lengths, solid.turned(m[:, 0]), solid.turned(m[:, 1])
    for kernel in (lines_on_rim, lines_on_box):
        parts.extend(kernel(*edges, b, False, above_K, solid))
    mouth = Mouth(solid, a)
    parts += [*circle_on_rim(mouth, b, solid, above_K), *circle_on_box(mouth, b, solid, above_K)]
    X, N, D, M = together(parts, len(p))
    depth, ambiguous = once(X, N, D, M, solid.tol)
    nothing = np.nonzero(~(depth > 0).any(1))[0]
    ambiguous |= through(lambda x: socket_faces(a, x), b, solid, nothing, edges, X, N, depth)
    feature = np.broadcast_to(32 + np.arange(depth.shape[1]), depth.shape)
    return Candidates(feature, X, N, depth), ambiguous | unsure


def cylinder_socket(a, b, p, R):
    """All rules."""
    size = min(norm(np.array([2 * a["radius"], 2 * a["radius"], a["length"]], LD)), norm(np.array(b["size"], LD)))
    solid = Solid(p, R, 1e-9 * size, 1e-14 * size)
    back = Solid(solid.back(np.zeros((len(p), 3), LD)), R.swapaxes(1, 2), solid.tol, solid.noise)
    parts, unsure = [], np.zeros(len(p), bool)

    def above_K(x, row):
        return cylinder_faces(a, np.einsum("mji,mj->mi", R[row], x - p[row]))[0].max(-1)

    for circle in (Circle(solid, a, 0), Circle(solid, a, 1)):
        for part, doubt in circle_points(circle, b, solid):
            parts.append(part)
            unsure |= doubt
        parts += [*circle_on_rim(circle, b, solid, above_K, LD(b["radius"])), *circle_on_box(circle, b, solid, above_K)]
    parts.extend(side(a, b, solid, above_K))
    for _, y, depth, g, inside, sure in corners(back, *box_corners(b), lambda x: cylinder_faces(a, x)):
        n = np.einsum("nij,nj->ni", R, g)
        x = p + np.einsum("nij,nj->ni", R, y + g * depth[:, None])
        parts.append(found(x, n, depth, least(inside, depth - solid.noise)))
        unsure |= (inside > 0) & (sure < 1e-12)
    X, N, D, M = together(parts, len(p))
    depth, ambiguous = once(X, N, D, M, solid.tol)
    nothing = np.nonzero(~(depth > 0).any(1))[0]
    ambiguous |= through_cylinder(a, b, solid, nothing, X, N, depth)
    nothing = nothing[~(depth[nothing] > 0).any(1)]
    ambiguous |= last_way("cylinder", a, b, solid, nothing, X, N, depth)
    feature = np.broadcast_to(32 + np.arange(depth.shape[1]), depth.shape)
    return Candidates(feature, X, N, depth), ambiguous | unsure
