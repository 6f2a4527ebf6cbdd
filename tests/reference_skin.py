"""Where cables come nearest to shapes and to each other, slow and obvious.

Dense samples of the distance, then a search around each of their minima. Shapes are (kind, sizes) as in `reference`; a
cable is its elements' lengths and q (nodes, 6).
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar

import reference
from reference_cable import shape as shape_functions

SAMPLES = 400  # of an element


class Place(NamedTuple):
    """At x (m along the unloaded cable), and y along the other one; the normal points to the cable.

    prominence: how far the gap rises before it falls below this place's.
    """

    x: float
    y: float
    gap: float
    point: np.ndarray
    normal: np.ndarray
    prominence: float = np.inf


def curve(lengths, q, x):
    """r and dr/dx at places x along the unloaded cable."""
    ends = np.concatenate([[0], np.cumsum(lengths)])
    x = np.atleast_1d(x)
    e = np.clip(np.searchsorted(ends, x, side="right") - 1, 0, len(lengths) - 1)
    length = np.asarray(lengths)[e]
    S, dS, _ = shape_functions((x - ends[e]) / length, length)
    nodes = np.stack([q[e, :3], q[e, 3:], q[e + 1, :3], q[e + 1, 3:]])
    return np.einsum("ki,kij->ij", S, nodes), np.einsum("ki,kij->ij", dS, nodes)


def distance(shape, x_S):
    """Signed distance of points in the shape's axes, and its gradient."""
    kind, sizes = shape
    x_S = np.asarray(x_S, float)
    if kind == "plane":
        return x_S[..., 2], np.broadcast_to([0.0, 0.0, 1.0], x_S.shape)
    if kind in ("sphere", "point", "capsule", "segment"):
        half = 0.5 * sizes.get("length", 0.0)
        w = x_S - np.array([0, 0, 1]) * np.clip(x_S[..., 2:], -half, half)
        d = np.linalg.norm(w, axis=-1)
        return d - sizes.get("radius", 0.0), w / d[..., None]
    phi, g, _ = reference.signed_distance(shape, x_S)
    return np.asarray(phi, float), np.asarray(g, float)


def places_on_shape(lengths, q, radius, shape, X_WS, reach):
    """Every local minimum of the gap along the cable that is below reach."""
    R = np.asarray(reference.rotation(np.asarray(X_WS)[None, 3:]), float)[0]

    def at(x):
        return distance(shape, (curve(lengths, q, x)[0] - X_WS[:3]) @ R)

    grid = np.linspace(0, np.sum(lengths), SAMPLES * len(lengths) + 1)
    phi = at(grid)[0]
    walls = np.concatenate([[np.inf], phi, [np.inf]])
    low = np.flatnonzero((phi <= walls[:-2]) & (phi < walls[2:]))
    out = []
    for i in low:
        around = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
        found = minimize_scalar(lambda x: at(x)[0][0], bounds=around, method="bounded", options={"xatol": 1e-12})
        x = min((found.x, *around), key=lambda x: at(x)[0][0])
        (phi_x,), (g,) = at(x)
        gap, n = phi_x - radius, R @ g
        if gap < reach:
            point = curve(lengths, q, x)[0][0] - n * (radius + gap / 2)
            out.append(Place(x, 0.0, gap, point, n, prominence(phi, i)))
    return out


def prominence(phi, i):
    """Of the minimum at i: the lower of the walls between it and what is lower."""
    walls = [np.inf]
    for side in (phi[:i][::-1], phi[i + 1:]):
        lower = np.flatnonzero(side < phi[i])
        if len(lower):
            walls.append(side[:lower[0]].max(initial=phi[i]) - phi[i])
    return min(walls)


def places_on_cable(a, b, reach, samples=60):
    """Every local minimum of the gap of two cables, each (lengths, q, radius)."""
    grids = [np.linspace(0, np.sum(c[0]), samples * len(c[0]) + 1) for c in (a, b)]
    r = [curve(c[0], c[1], grid)[0] for c, grid in zip((a, b), grids, strict=True)]
    d = np.linalg.norm(r[0][:, None] - r[1], axis=-1)
    walls = np.pad(d, 1, constant_values=np.inf)
    around = [walls[1 + i:1 + i + d.shape[0], 1 + j:1 + j + d.shape[1]]
              for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    least = np.all([d <= w if k < 4 else d < w for k, w in enumerate(around)], axis=0)

    def apart(z):
        return curve(a[0], a[1], z[0])[0][0] - curve(b[0], b[1], z[1])[0][0]

    out = []
    for i, j in np.argwhere(least & (d < a[2] + b[2] + reach + 0.1)):
        box = [(g[max(k - 1, 0)], g[min(k + 1, len(g) - 1)]) for g, k in ((grids[0], i), (grids[1], j))]
        z = minimize(lambda z: apart(z) @ apart(z), (grids[0][i], grids[1][j]), bounds=box, method="L-BFGS-B",
                     options={"ftol": 1e-16, "gtol": 1e-12}).x
        w = apart(z)
        gap = np.linalg.norm(w) - a[2] - b[2]
        if gap < reach:
            n = w / np.linalg.norm(w)
            out.append(Place(*z, gap, curve(a[0], a[1], z[0])[0][0] - n * (a[2] + gap / 2), n))
    return out
