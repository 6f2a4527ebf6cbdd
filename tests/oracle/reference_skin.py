"""Where cables come nearest to shapes and to each other, slow and obvious.

The distance of a shape wherever it is asked for; of two cables dense samples, then a search around each minimum.
Shapes are (kind, sizes) as in `reference`; a
cable is its elements' lengths and q (nodes, 6).
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from tests.oracle import reference
from tests.oracle.reference_cable import shape as shape_functions


class Place(NamedTuple):
    """Two cables nearest, at x and y (m along the unloaded cables); the normal points to the first."""

    x: float
    y: float
    gap: float
    normal: np.ndarray


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
    if kind == "bore":  # from within, far from its ends
        rho = np.linalg.norm(x_S[..., :2], axis=-1)
        return sizes["radius"] - rho, -x_S * np.array([1, 1, 0]) / rho[..., None]
    if kind in ("sphere", "point", "capsule", "segment"):
        half = 0.5 * sizes.get("length", 0.0)
        w = x_S - np.array([0, 0, 1]) * np.clip(x_S[..., 2:], -half, half)
        d = np.linalg.norm(w, axis=-1)
        return d - sizes.get("radius", 0.0), w / d[..., None]
    phi, g, _ = reference.signed_distance(shape, x_S)
    return np.asarray(phi, float), np.asarray(g, float)


def gaps(lengths, q, radius, shape, X_WS, x):
    """Of the cable at places x along it: gaps to the shape, and normals out of it."""
    R = np.asarray(reference.rotation(np.asarray(X_WS)[None, 3:]), float)[0]
    phi, g = distance(shape, (curve(lengths, q, x)[0] - X_WS[:3]) @ R)
    return phi - radius, g @ R.T


def parts(lengths, capsules):
    """Where the capsules of a cable begin and end along it."""
    ends = np.concatenate([[0], np.cumsum(lengths)])
    cuts = np.linspace(ends[:-1], ends[1:], capsules, endpoint=False).T.ravel()
    return np.column_stack([cuts, np.append(cuts[1:], ends[-1])])


def sag(lengths, q, part):
    """How far the curve may be from the same part of its chord: max |r''| dx^2/8."""
    x = np.linspace(*part, 5)[1:-1]
    step = 1e-3 * (part[1] - part[0])
    r = [curve(lengths, q, x + k * step)[0] for k in (-1, 0, 1)]
    bend = np.linalg.norm(r[0] - 2 * r[1] + r[2], axis=1) / step**2
    # linear over the capsule as a vector: its largest is at an end, half of a quarter's step beyond the samples
    return (bend.max() + np.ptp(bend)) * (part[1] - part[0]) ** 2 / 8


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
    for i, j in np.argwhere(least & (d < a[2] + b[2] + reach + 0.002)):
        box = [(g[max(k - 1, 0)], g[min(k + 1, len(g) - 1)]) for g, k in ((grids[0], i), (grids[1], j))]
        z = minimize(lambda z: apart(z) @ apart(z), (grids[0][i], grids[1][j]), bounds=box, method="L-BFGS-B",
                     options={"ftol": 1e-16, "gtol": 1e-12}).x
        w = apart(z)
        gap = np.linalg.norm(w) - a[2] - b[2]
        if gap < reach:
            out.append(Place(*z, gap, w / np.linalg.norm(w)))
    return out
