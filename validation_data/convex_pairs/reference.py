"""Depths of two convex shapes by brute force over directions: min over unit n of h_A(n) + h_B(-n) - n.(B - A).

The depth of two overlapping convex solids is the shortest translation that parts them. For each direction n, the
translation that parts them along n is the sum of their supports. 5000 directions find the regions of the least one.
From the best four that are 0.15 rad apart, Nelder and Mead's method refines it, again and again with simplexes of
other sizes. All poses of a pair are computed together. No algorithm is shared with the library.
"""

from __future__ import annotations

import random
import tomllib
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

SHAPES = tomllib.loads((Path(__file__).parent / "shapes.toml").read_text(encoding="utf-8"))
ALL = tuple(combinations_with_replacement(SHAPES, 2))
FACES = ("triangle", "box", "cylinder", "polyhedron")
#: pairs with contacts in points; the others have one contact by a potential, in ../surface_pairs
PAIRS = tuple(pair for pair in ALL if pair == ("triangle", "triangle") or not (
    pair[0] in ("capsule", *FACES) and pair[1] in FACES))
ROUND = ("sphere", "capsule")
POSES, TRIED, STARTS, EVEN = 1000, 20000, 4, 5000
LEAST = 5e-5  # m; a touch of less is left out
SIZES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5)  # rad, of simplexes


def support(kind, n):
    """Support h(n) (...) of a shape in its own axes for directions n (..., 3)."""
    size = SHAPES[kind]
    if kind == "sphere":
        return np.full(n.shape[:-1], size["radius"])
    if kind == "capsule":
        return size["radius"] + np.abs(n[..., 2]) * size["length"] / 2
    if kind == "ellipsoid":
        return np.sqrt(((n * size["semi_axes"]) ** 2).sum(axis=-1))
    if kind == "box":
        return np.abs(n) @ np.array(size["size"]) / 2
    if kind == "cylinder":
        return np.hypot(n[..., 0], n[..., 1]) * size["radius"] + np.abs(n[..., 2]) * size["length"] / 2
    return (n @ np.array(size["corners"]).T).max(axis=-1)


def rotations(q):
    """Rotation matrices (N, 3, 3) of unit quaternions (N, 4), B to A."""
    w, x, y, z = q.T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1).reshape(-1, 3, 3)


def parting(a, b, poses, n):
    """Translations (N, K) of B along n (N, K, 3) that part it from A; B has the poses (N, 7) in A."""
    return support(a, n) + support(b, -n @ rotations(poses[:, 3:])) - (n @ poses[:, :3, None])[..., 0]


def directions():
    """EVEN unit vectors, evenly spread (Fibonacci)."""
    k = np.arange(EVEN)
    z, angle = 1 - (2 * k + 1) / EVEN, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z])


EVENLY = directions()


def starts(a, b, poses):
    """The best directions (N, STARTS, 3) among EVEN that are 0.15 rad apart, and the least translations (N,)."""
    found, least = [], []
    for pose in poses:
        values = parting(a, b, pose[None], EVENLY[None])[0]
        least.append(values.min())
        chosen = []
        for _ in range(STARTS):
            chosen.append(EVENLY[np.argmin(values)])
            values[EVENLY @ chosen[-1] > np.cos(0.15)] = np.inf
        found.append(chosen)
    return np.array(found), np.array(least)


def depths(a, b, poses, n):
    """The least translations (N,), m, from the starts (N, STARTS, 3)."""
    poses, n = np.repeat(poses, STARTS, axis=0), n.reshape(-1, 3)
    values = parting(a, b, poses, n[:, None])[:, 0]
    for k, size in enumerate(SIZES * 2):
        n, values = simplex_search(a, b, poses, n, values, size, 0.7 * k)
        if k % len(SIZES) == 2:  # the best start of each pose is enough after some rounds
            n, values, poses = best(n, values, poses)
    return best(n, values, poses)[1]


def best(n, values, poses):
    """Of the rows of one pose, which stand together, that with the least value."""
    each = len(poses) // len(np.unique(poses, axis=0))
    rows = np.arange(0, len(poses), each) + np.argmin(values.reshape(-1, each), axis=1)
    return n[rows], values[rows], poses[rows]


def simplex_search(a, b, poses, n, values, size, turn):
    """Nelder and Mead in the planes across n, all rows together: simplexes stretch along narrow valleys."""
    t = np.cross(n, np.eye(3)[np.argmin(np.abs(n), axis=1)])
    t /= np.linalg.norm(t, axis=1)[:, None]
    s = np.cross(n, t)

    def at(x):
        tried = n[:, None] + x[..., :1] * t[:, None] + x[..., 1:] * s[:, None]
        return tried / np.linalg.norm(tried, axis=-1)[..., None]

    c, d = np.cos(turn), np.sin(turn)
    x = np.tile(size * np.array([[0.0, 0.0], [c, d], [-d, c]]), (len(n), 1, 1))
    f = parting(a, b, poses, at(x))
    rows = np.arange(len(n))
    for _ in range(120):
        order = np.argsort(f, axis=1)
        x, f = x[rows[:, None], order], np.take_along_axis(f, order, axis=1)
        if np.abs(x[:, 1:] - x[:, :1]).max() < 1e-13:
            break
        middle, away = 0.5 * (x[:, 0] + x[:, 1]), 0.5 * (x[:, 0] + x[:, 1]) - x[:, 2]
        tried = middle[:, None] + np.array([1.0, 2.0, 0.5, -0.5])[:, None] * away[:, None]
        g = parting(a, b, poses, at(tried))
        pick = np.where(g[:, 0] < f[:, 0], np.where(g[:, 1] < g[:, 0], 1, 0),
                        np.where(g[:, 0] < f[:, 1], 0, np.where(g[:, 0] < f[:, 2], 2, 3)))
        value = g[rows, pick]
        shrinks = value >= np.where(pick == 2, g[:, 0], f[:, 2])
        shrinks &= pick >= 2
        x[:, 2] = np.where(shrinks[:, None], x[:, 2], tried[rows, pick])
        f[:, 2] = np.where(shrinks, f[:, 2], value)
        if shrinks.any():
            x[shrinks, 1:] = 0.5 * (x[shrinks, :1] + x[shrinks, 1:])
            f[shrinks] = parting(a, b, poses[shrinks], at(x)[shrinks])
    lowest = np.argmin(f, axis=1)
    better = f[rows, lowest] < values
    return (np.where(better[:, None], at(x)[rows, lowest], n), np.where(better, f[rows, lowest], values))


def candidates(pair, count):
    """The first candidates (count, 7) of a pair, always alike: Python's random numbers have not changed since 3.2."""
    a, b = PAIRS[pair]
    draw = random.Random(2026 + ALL.index(PAIRS[pair])).random
    u = np.array([[draw() for _ in range(21)] for _ in range(count)])
    # normal deviates by Box and Muller: a quaternion, a direction, a small shift
    normal = np.sqrt(-2 * np.log(1 - u[:, :10])) * np.cos(2 * np.pi * u[:, 10:20])
    q, n = (rows / np.linalg.norm(rows, axis=1)[:, None] for rows in (normal[:, :4], normal[:, 4:7]))
    touch = parting(a, b, np.column_stack([0 * n, q]), n[:, None])[:, 0]
    return np.column_stack([n * ((0.75 + 0.23 * u[:, 20]) * touch)[:, None] + 2e-3 * normal[:, 7:], q])


def accepted(pair):
    """Candidates that overlap, POSES of them, and their depths, m.

    They are shallow for round shapes, whose middle line must stay outside the other.
    """
    a, b = PAIRS[pair]
    limit = 0.8 * min([SHAPES[kind]["radius"] for kind in (a, b) if kind in ROUND], default=1.0)
    tried, rows, n = candidates(pair, TRIED), [], []
    for first in range(0, TRIED, 500):
        begun, rough = starts(a, b, tried[first:first + 500])
        overlap = np.flatnonzero((rough > 1e-4) & (rough < limit))
        rows += (first + overlap).tolist()
        n += begun[overlap].tolist()
        if len(rows) >= 1.3 * POSES:
            break
    rows = np.array(rows)
    found = depths(a, b, tried[rows], np.array(n))
    deep = np.flatnonzero(found > LEAST)[:POSES]
    if len(deep) < POSES:
        raise ValueError(f"{a}-{b}: only {len(deep)} of {TRIED} candidates overlap")
    return rows[deep].tolist(), found[deep].tolist()


def series():
    titles = ("pose", *(f"{a}-{b}" for a, b in PAIRS))
    chosen, found = zip(*(accepted(pair) for pair in range(len(PAIRS))), strict=True)
    rows = range(POSES)
    return {"candidates.csv": (titles, list(zip(rows, *chosen, strict=True))),
            "depths.csv": (titles, [(k, *(1e3 * column[k] for column in found)) for k in rows])}
