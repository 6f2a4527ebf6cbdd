"""Depths of two convex shapes by brute force over directions: min over unit n of h_A(n) + h_B(-n) - n.(B - A).

The depth of two overlapping convex solids is the shortest translation that parts them. For each direction n, the
translation that parts them along n is the sum of their supports. 20000 directions find the region of the least one,
and a search that zooms in refines it from the four best. Nelder and Mead's method polishes the best of these. No
algorithm is shared with the library.
"""

from __future__ import annotations

import tomllib
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

SHAPES = tomllib.loads((Path(__file__).parent / "shapes.toml").read_text(encoding="utf-8"))
ROUND = ("sphere", "capsule")
POSES = 12


def support(kind, n):
    """Support h(n) (N,) of a shape in its own axes for directions n (N, 3)."""
    size = SHAPES[kind]
    if kind == "sphere":
        return np.full(len(n), size["radius"])
    if kind == "capsule":
        return size["radius"] + np.abs(n[:, 2]) * size["length"] / 2
    if kind == "ellipsoid":
        return np.linalg.norm(n * size["semi_axes"], axis=1)
    if kind == "box":
        return np.abs(n) @ np.array(size["size"]) / 2
    if kind == "cylinder":
        return np.hypot(n[:, 0], n[:, 1]) * size["radius"] + np.abs(n[:, 2]) * size["length"] / 2
    return (n @ np.array(size["corners"]).T).max(axis=1)


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def parting(a, b, pose, n):
    """Translation (N,) of B along n that parts it from A; B has the pose (position, quaternion) in A."""
    R = rotation(pose[3:])
    return support(a, n) + support(b, -n @ R) - n @ pose[:3]


def directions():
    """20000 unit vectors, evenly spread (Fibonacci)."""
    k = np.arange(20000)
    z, angle = 1 - (2 * k + 1) / 20000, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z])


EVENLY = directions()


def depth(a, b, pose):
    """The least translation, m, and its direction."""
    rough = parting(a, b, pose, EVENLY)
    starts = [refine(a, b, pose, EVENLY[start], rough[start]) for start in np.argsort(rough)[:4]]
    value, n = min(starts, key=lambda pair: pair[0])
    for k, size in enumerate((3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-2) * 5):
        value, n = polish(a, b, pose, n, value, size, 0.7 * k)
    return value, n


def polish(a, b, pose, n, value, size, turn):
    """Nelder and Mead in the plane across n: a simplex stretches along a valley where a curved side meets an edge."""
    t = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    t /= np.linalg.norm(t)
    s = np.cross(n, t)

    def at(x):
        tried = n + x[0] * t + x[1] * s
        return tried / np.linalg.norm(tried)

    c, d = np.cos(turn), np.sin(turn)
    simplex = size * np.array([[0.0, 0.0], [c, d], [-d, c]])
    found = minimize(lambda x: parting(a, b, pose, at(x)[None])[0], np.zeros(2), method="Nelder-Mead",
                     options={"initial_simplex": simplex, "xatol": 1e-13, "fatol": 1e-17, "maxiter": 400})
    return (found.fun, at(found.x)) if found.fun < value else (value, n)


def refine(a, b, pose, n, value):
    """Zoom in: the best of 300 directions in a cap about the best so far, twice at each radius."""
    k = np.arange(300)
    spread, turns = np.sqrt((k + 0.5) / 300), np.pi * (1 + 5**0.5) * k
    disc = np.column_stack([spread * np.cos(turns), spread * np.sin(turns)])
    radius = 0.03
    while radius > 1e-12:
        for _ in range(2):
            t = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
            t /= np.linalg.norm(t)
            tried = n + radius * (disc @ np.array([t, np.cross(n, t)]))
            tried /= np.linalg.norm(tried, axis=1)[:, None]
            values = parting(a, b, pose, tried)
            k = int(np.argmin(values))
            if values[k] < value:
                n, value = tried[k], values[k]
        radius *= 0.7
    return value, n


def poses(a, b, rng):
    """POSES poses of B in A that overlap: shallow for round shapes, whose middle line must stay outside the other."""
    found = []
    while len(found) < POSES:
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        touch = support(a, n[None])[0] + support(b, -n[None] @ rotation(q))[0]
        pose = np.r_[n * touch * rng.uniform(0.75, 0.98) + rng.normal(size=3) * 2e-3, q]
        rough = parting(a, b, pose, EVENLY).min()
        limit = min([SHAPES[kind]["radius"] for kind in (a, b) if kind in ROUND], default=1.0)
        if 1e-4 < rough < 0.8 * limit and depth(a, b, pose)[0] > 5e-5:
            found.append(pose)
    return found


def series():
    rng = np.random.default_rng(2026)
    depths, rows = {"pose": list(range(POSES))}, []
    for pair, (a, b) in enumerate(combinations_with_replacement(SHAPES, 2)):
        placed = poses(a, b, rng)
        rows += [(pair, k, *pose) for k, pose in enumerate(placed)]
        # poses are rounded as they are printed, before their depths are taken
        depths[f"{a}-{b}"] = [1e3 * depth(a, b, np.array([float(f"{x:.12g}") for x in pose]))[0] for pose in placed]
    return {"poses.csv": (("pair", "pose", "x", "y", "z", "qw", "qx", "qy", "qz"), rows),
            "depths.csv": (tuple(depths), list(zip(*depths.values(), strict=True)))}
