"""Bounds of how deep a convex solid is in a mesh that need not be convex (see mesh_truth.py, which calls them)."""

from dataclasses import dataclass

import numpy as np

from tests.mesh.truth_meshes import MeshSolid, crossings
from tests.mesh.truth_solids import Sheet, unit


@dataclass
class Overlap:
    """Triangles of B with points in A: their numbers, and of each the point that is deepest in A (B's frame)."""

    triangles: np.ndarray
    points: np.ndarray


def near_triangles(B, low, high):
    return np.nonzero(((B.low <= high) & (B.high >= low)).all(1))[0]


def _barycentric(steps):
    """A grid over a triangle, its border included."""
    i, j = (k.ravel() for k in np.meshgrid(np.arange(steps + 1), np.arange(steps + 1)))
    i, j = i[i + j <= steps], j[i + j <= steps]
    return np.column_stack([i, j, steps - i - j]) / steps


_GRID = _barycentric(6)
GOLDEN = (5**0.5 - 1) / 2
ROUNDS = 30


def overlap(A, B, R, p):
    """The deepest point of each triangle near A: A's gauge is convex, so a search along lines in a search over lines.

    The last interval is 5e-7 of the triangle: a part of it in A that is shallower than that may be missed, nothing
    deeper is.
    """
    half = np.array([_half(A, R.T[:, k]) for k in range(3)])
    chosen = near_triangles(B, p - half, p + half)
    corners = (B.corners[chosen] - p) @ R
    near = A.phi(corners.mean(1)) < B.reach
    chosen, corners = chosen[near], corners[near]
    if len(chosen) == 0:
        return Overlap(chosen, np.zeros((0, 3)))
    first, second, third = corners.transpose(1, 0, 2)

    def place(u, s):
        return first + u[:, None] * (second - first + s[:, None] * (third - second))

    def on_line(u):
        return _golden(lambda s: A.gauge(place(u, s)), len(u))

    u, depth = _golden(lambda u: on_line(u)[1], len(chosen))
    inside = depth < 0
    x = place(u, on_line(u)[0])[inside]
    return Overlap(chosen[inside], x @ R.T + p)


def _golden(f, count):
    """Where convex functions of [0, 1] are least, and their values there (both (count,)), by golden sections."""
    low, high = np.zeros(count), np.ones(count)
    one, two = high - GOLDEN, low + GOLDEN
    f_one, f_two = f(one), f(two)
    for _ in range(ROUNDS):
        left = f_one < f_two
        low, high = np.where(left, low, one), np.where(left, two, high)
        new = np.where(left, high - GOLDEN * (high - low), low + GOLDEN * (high - low))
        f_new = f(new)
        one, two = np.where(left, new, two), np.where(left, one, new)
        f_one, f_two = np.where(left, f_new, f_two), np.where(left, f_one, f_new)
    return np.where(f_one < f_two, one, two), np.minimum(f_one, f_two)


def _half(A, n):
    """Half the width of A along a direction of its own frame; solids are about their origins or less wide."""
    n = np.stack([n, -n])
    if isinstance(A, MeshSolid | Sheet):
        return np.abs((A.support(n) * n).sum(1)).max()
    return (A.support(n) * n).sum(1).max()


def pieces(t, facing, limit):
    """Inside intervals of a mesh along lines (N, K, 2), nan where there is none, from its crossings (N, T)."""
    order = np.argsort(np.where(np.isnan(t), np.inf, t), axis=1)
    t = np.take_along_axis(t, order, 1)
    f = np.where(np.isnan(t), 0, np.take_along_axis(facing, order, 1))
    count = int((~np.isnan(t)).sum(1).max(initial=0))
    t, f = t[:, : max(count, 1)], f[:, : max(count, 1)]
    low, high = [], []
    start = np.where(_first(f) > 0, -limit, np.nan)  # the first crossing leads out: inside from the start
    for k in range(t.shape[1]):
        start = np.where((f[:, k] < 0) & np.isnan(start), t[:, k], start)
        ends = (f[:, k] > 0) & (k + 1 == t.shape[1] or _not_out(f, k))
        low.append(np.where(ends, start, np.nan))
        high.append(np.where(ends, t[:, k], np.nan))
        start = np.where(ends, np.nan, start)
    low.append(start)
    high.append(np.where(np.isnan(start), np.nan, limit))
    return np.stack(low, 1), np.stack(high, 1)


def _first(f):
    some = f != 0
    return np.where(some.any(1), np.take_along_axis(f, some.argmax(1)[:, None], 1)[:, 0], 0)


def _not_out(f, k):
    """A crossing on a side is seen by both its triangles: the last of several ways out counts."""
    return (f[:, k + 1] <= 0) if k + 1 < f.shape[1] else True


def clearing(A, B, R, p, n, origins, chosen, limit):
    """By how much A must move along n for each line (o, n) to be clear, -inf where it is already."""
    if len(chosen) == 0:
        return np.full(len(origins), -np.inf)
    d = np.tile(n, (len(origins), 1))
    a0, a1 = A.interval((origins - p) @ R, d @ R) if not isinstance(A, Sheet) else (0 * origins[:, 0],) * 2
    b0, b1 = pieces(*crossings(origins, d, B, chosen), limit)
    with np.errstate(invalid="ignore"):
        meet = (b0 < a1[:, None]) & (b1 > a0[:, None]) & (a0 <= a1)[:, None]
    length = np.where(meet, b1 - a0[:, None], -np.inf)
    return length.max(1)


def bounds(A, B, R, p, limit=np.inf):
    """Lower and upper bound of the penetration of the deepest place, A convex, B any mesh; upper inf beyond `limit`."""
    if isinstance(A, Sheet):
        return _sheet_bounds(A, B, R, p)
    patch = overlap(A, B, R, p)
    if len(patch.triangles) == 0:
        inside = B.phi(p[None])[0]
        if inside < 0:
            return -inside, np.inf
        return 0.0, 0.0
    x = np.concatenate([patch.points, _corners(A, R, p, B)])
    lower, seeds, phis = _lower(A, B, R, p, x)
    if len(seeds) == 0 or lower > limit:
        return lower, np.inf
    best, upper = None, np.inf
    for n in _directions(A, B, R, p, patch, seeds[phis.argsort()[:8]]):
        length = _along(A, B, R, p, n, x)
        if length < upper:
            best, upper = n, length
    for step in (0.3, 0.1, 0.03):
        for s in (*np.eye(3), *-np.eye(3)):
            n = unit(best + step * s)
            length = _along(A, B, R, p, n, x)
            if length < upper:
                best, upper = n, length
    if best is None:
        return lower, np.inf
    upper, line = _along(A, B, R, p, best, x, rounds=5)
    if np.isfinite(upper):
        s = np.linspace(0, 1, 65)[:, None]
        a0 = A.interval((line[None] - p) @ R, best[None] @ R)[0]
        lower = max(lower, _lower(A, B, R, p, line + (a0 + s * upper) * best)[0])
    return lower, upper


def _lower(A, B, R, p, x):
    """The bound below over points x, the points in both by how deep, and their values (negated)."""
    local = (x - p) @ R
    x, local = x[A.gauge(local) <= 0], local[A.gauge(local) <= 0]
    if len(x) == 0:
        return 0.0, x, np.zeros(0)
    values = A.phi(local) + np.minimum(B.phi(x), 1e-9 * B.extent)
    return max(0.0, -values.min()), x, values


def _corners(A, R, p, B):
    """Corners of A (its support points along many directions, of a round one) that are in B."""
    n = unit(np.random.default_rng(1).normal(size=(200, 3)))
    x = np.unique(A.support(n).round(12), axis=0) @ R.T + p
    return x[B.phi(x) < 0]


def _directions(A, B, R, p, patch, seeds):
    normals = B.normals[patch.triangles]
    out = [*B.normal(seeds), *-(A.normal((seeds - p) @ R) @ R.T), unit(normals.sum(0))]
    out += [unit(a + b) for a, b in zip(out[: len(seeds)], out[len(seeds) : 2 * len(seeds)], strict=True)
            if np.linalg.norm(a + b) > 1e-3]
    kept = []
    for n in out:
        if np.isfinite(n).all() and all(n @ m < 0.9999 for m in kept):
            kept.append(n)
    return kept


def _along(A, B, R, p, n, x, rounds=0):
    """The greatest clearing length along n over lines through x; zoomed in around the best lines `rounds` times."""
    limit = 2 * (A.extent + B.extent)
    e = unit(np.cross(n, np.eye(3)[np.abs(n).argmin()]))
    f = np.cross(n, e)
    x = x[:: max(1, len(x) // 60)]

    def lengths(origins):
        uv = np.column_stack([origins @ e, origins @ f])
        centres = np.stack([B.corners @ e, B.corners @ f], -1)
        chosen = ((centres.min(1) <= uv.max(0)) & (centres.max(1) >= uv.min(0))).all(1)
        return clearing(A, B, R, p, n, origins, np.nonzero(chosen)[0], limit)

    found = lengths(x)
    if not rounds:
        return found.max()
    top = found.argsort()[-3:]
    best, size = x[top], max(np.ptp(x @ e), np.ptp(x @ f), 1e-3 * min(A.thickness, B.reach))
    k = np.linspace(-1, 1, 11)
    square = np.stack(np.meshgrid(k, k), -1).reshape(-1, 2)
    value, line = found[top[-1]], x[top[-1]]
    for _ in range(rounds):
        squares = [b + size * (square[:, :1] * e + square[:, 1:] * f) for b in best]
        lines, found = np.concatenate(squares), np.concatenate([lengths(o) for o in squares])
        top = found.argsort()[-2:]
        best, size = lines[top], size * 0.3
        if found[top[-1]] > value:
            value, line = found[top[-1]], lines[top[-1]]
    return value, line


def _sheet_bounds(A, B, R, p):
    """Of a sheet: its points that are deepest in B, zoomed in around the best of a grid; and how these leave B."""
    weight = _barycentric(30)
    x = weight @ A.corners @ R.T + p
    phi = B.phi(x)
    step = 1 / 30
    for _ in range(24):  # in a narrow valley the best of a grid may be far from the deepest point
        best = weight[phi.argsort()[:6]]
        fine = (best[:, None] + step * 3 * (_GRID - 1 / 3)).reshape(-1, 3).clip(0)
        fine /= fine.sum(1, keepdims=True)
        y = fine @ A.corners @ R.T + p
        weight, x, phi = np.concatenate([weight, fine]), np.concatenate([x, y]), np.concatenate([phi, B.phi(y)])
        step *= 0.7
    if phi.min() >= 0:
        return 0.0, 0.0
    order = phi.argsort()[: int((phi < 0).sum())]
    deep = x[order]
    n = np.concatenate([B.normal(deep[:: max(1, len(deep) // 12)]), (R @ A.n)[None], -(R @ A.n)[None]])
    return -phi.min(), min(_along(A, B, R, p, m, deep) for m in n)
