"""Forces of surface contacts by sampling: the extent field of one solid over the surface of the other one.

The surface is a set of patches, maps of the unit square. Squares where the field may be positive are halved until
there are many, and each of the last ones has two by two Gauss points. No polygon is cut, no integral is in closed form.
"""

from __future__ import annotations

import math
import random
import tomllib
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.spatial import ConvexHull

SHAPES = tomllib.loads((Path(__file__).parent / "shapes.toml").read_text(encoding="utf-8"))
KINDS = tuple(SHAPES)
PAIRS = tuple((a, b) for i, a in enumerate(KINDS) for b in KINDS[i:]
              if a != b or a not in ("capsule", "triangle", "plane"))
THICK = {"triangle": 0.0, "polyhedron": 1.0, "box": 2.0, "cylinder": 3.0, "plane": 4.0, "capsule": 5.0}
POSES, SHARPNESS, CELLS = 10, 4, 16000
LEAST, DEEPEST, ROUND = 5e-4, 6e-3, 0.35  # m, m, and of a capsule's radius: its core is not in contact
GAUSS = 0.5 + np.array([-0.5, 0.5]) / math.sqrt(3)
WIDE = 0.12  # m, half the width of the square that stands for a plane


# ---- shapes: planes of faces, patches of the surface, extent fields, seats


def corners(kind):
    if kind == "box":
        return np.array(np.meshgrid(*([-0.5, 0.5],) * 3)).reshape(3, -1).T * SHAPES["box"]["size"]
    return np.array(SHAPES[kind]["corners"])


def flat(o, s, t, triangle):
    """A parallelogram or a triangle: points and areas at u, v."""
    area = np.linalg.norm(np.cross(s, t))
    if triangle:
        return lambda u, v: (o + u[:, None] * s + (u * v)[:, None] * (t - s), area * u)
    return lambda u, v: (o + u[:, None] * s + v[:, None] * t, np.full(len(u), area))


def patches(kind):
    if kind == "plane":
        return [flat(np.array([-WIDE, -WIDE, 0.0]), np.array([2 * WIDE, 0, 0]), np.array([0, 2 * WIDE, 0]), False)]
    if kind == "cylinder":
        r, h = SHAPES[kind]["radius"], 0.5 * SHAPES[kind]["length"]

        def side(u, v):
            a = 2 * math.pi * u
            x = np.column_stack([r * np.cos(a), r * np.sin(a), h * (2 * v - 1)])
            return x, np.full(len(u), 4 * math.pi * r * h)

        def disc(z):
            def points(u, v):
                a, rho = 2 * math.pi * u, r * v
                return np.column_stack([rho * np.cos(a), rho * np.sin(a), np.full(len(u), z)]), 2 * math.pi * r * rho
            return points

        return [side, disc(h), disc(-h)]
    x = corners(kind)
    faces = [[0, 1, 2]] if kind == "triangle" else ConvexHull(x).simplices
    return [flat(x[i], x[j] - x[i], x[k] - x[i], True) for i, j, k in faces]


def seat(kind):
    """Area of the largest flat face (m2)."""
    if kind == "plane":
        return math.inf
    if kind == "cylinder":
        return math.pi * SHAPES[kind]["radius"] ** 2
    x = corners(kind)
    if kind == "box":
        return np.prod(sorted(SHAPES[kind]["size"])[1:])
    faces = [[0, 1, 2]] if kind == "triangle" else ConvexHull(x).simplices
    return max(0.5 * np.linalg.norm(np.cross(x[j] - x[i], x[k] - x[i])) for i, j, k in faces)


def extent(kind, x):
    """The extent field (N,), > 0 inside, and its gradient (N, 3)."""
    if kind == "plane":
        return -x[:, 2], np.tile([0.0, 0.0, -1.0], (len(x), 1))
    if kind in ("capsule", "cylinder"):
        r, h = SHAPES[kind]["radius"], 0.5 * SHAPES[kind]["length"]
        off = x.copy()
        off[:, 2] = x[:, 2] - np.clip(x[:, 2], -h, h) if kind == "capsule" else 0.0
        e, slope = (r * r - (off**2).sum(axis=1)) / (2 * r), -off / r
        if kind == "cylinder":
            end = h - np.abs(x[:, 2]) < e
            e = np.where(end, h - np.abs(x[:, 2]), e)
            slope[end] = np.column_stack([np.zeros((end.sum(), 2)), -np.sign(x[end, 2])])
        return e, slope
    planes = FACES[kind]
    e = -(x @ planes[:, :3].T + planes[:, 3])
    nearest = e.argmin(axis=1)
    return e[np.arange(len(x)), nearest], -planes[nearest, :3]


FACES = {kind: ConvexHull(corners(kind)).equations for kind in ("box", "polyhedron")}


def distance(kind, x):
    """A number (N,) that is positive inside and has a slope of at most 1, to exclude cells."""
    if kind not in ("capsule", "cylinder"):
        return extent(kind, x)[0]
    r, h = SHAPES[kind]["radius"], 0.5 * SHAPES[kind]["length"]
    aside, along = np.hypot(x[:, 0], x[:, 1]), np.abs(x[:, 2]) - h
    if kind == "capsule":
        return r - np.hypot(aside, np.maximum(along, 0.0))
    return np.minimum(r - aside, -along)


# ---- the potential


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def points(patch, field, R, p):
    """Gauss points (N, 3) of a patch where the field may be positive, and their areas (N,)."""
    u = v = np.array([0.0])
    size = 1.0
    while 0 < len(u) < CELLS and size > 1e-6:
        size /= 2
        u, v = (np.concatenate(rows) for rows in ((u, u + size, u, u + size), (v, v, v + size, v + size)))
        middle = patch(u + size / 2, v + size / 2)[0]
        reach = np.max([np.linalg.norm(patch(u + i * size, v + j * size)[0] - middle, axis=1)
                        for i in (0.0, 0.5, 1.0) for j in (0.0, 0.5, 1.0)], axis=0)
        keep = distance(field, middle @ R.T + p) + 1.2 * reach > 0  # a curved cell bulges by less than a fifth
        u, v = u[keep], v[keep]
    x, area = zip(*(patch(u + i * size, v + j * size) for i in GAUSS for j in GAUSS), strict=True)
    return np.concatenate(x) @ R.T + p, np.concatenate(area) * size**2 / 4


def norm_of_seat(field, surface, d):
    """The p-norm S(d) of the reference and its slope; of a capsule, that of a line and a ball on a plane."""
    p = SHARPNESS
    if field != "capsule":
        area = min(seat(field), seat(surface))
        return area * d**p, p * area * d ** (p - 1)
    r, length = SHAPES[field]["radius"], SHAPES[field]["length"]
    nodes, weights = np.polynomial.legendre.leggauss(20)
    line = length * math.sqrt(2 * r) * (weights * (1 - nodes**2) ** p).sum()
    ball = 2 * math.pi * r / (p + 1)
    return line * d ** (p + 0.5) + ball * d ** (p + 1), (p + 0.5) * line * d ** (p - 0.5) + (p + 1) * ball * d**p


def contact(a, b, pose):
    """Greatest extent (m), and force and moment about A's origin on B for a stiffness of 1, in A's axes: m, m2."""
    R, p = rotation(pose[3:]), np.array(pose[:3])
    of_a = THICK[a] >= THICK[b]
    field, surface = (a, b) if of_a else (b, a)
    if not of_a:  # everything in the axes of the field
        R, p = R.T, -R.T @ p
    found = [points(patch, field, R, p) for patch in patches(surface)]
    x, area = (np.concatenate(rows) for rows in zip(*found, strict=True))
    e, slope = extent(field, x)
    x, area, slope, e = x[e > 0], area[e > 0], slope[e > 0], e[e > 0]
    if not len(e):
        return 0.0, np.zeros(3), np.zeros(3)
    norm = (area * e**SHARPNESS).sum()
    phi = brentq(lambda d: norm_of_seat(field, surface, d)[0] / norm - 1, 1e-9, 1.0, xtol=1e-16, rtol=1e-14)
    weights = -phi * SHARPNESS * area * e ** (SHARPNESS - 1) / norm_of_seat(field, surface, phi)[1]
    force, moment = weights @ slope, weights @ np.cross(x, slope)  # on the solid whose surface it is
    if not of_a:  # back to A's axes and on B
        force, moment = -R.T @ force, -R.T @ (moment - np.cross(p, force))
    return e.max(), force, moment


# ---- poses


def reach(kind, n):
    """How far a shape reaches along n (m), nearly."""
    if kind == "plane":
        return 0.0
    if kind == "capsule":
        return SHAPES[kind]["radius"] + abs(n[2]) * SHAPES[kind]["length"] / 2
    if kind == "cylinder":
        return math.hypot(n[0], n[1]) * SHAPES[kind]["radius"] + abs(n[2]) * SHAPES[kind]["length"] / 2
    return (corners(kind) @ n).max()


def candidate(a, b, draw):
    """B in A: turned at random, a little deeper along a random direction than where the shapes touch along it."""
    q, n = (np.array([draw(0, 1) for _ in range(k)]) for k in (4, 3))
    q, n = q / np.linalg.norm(q), n / np.linalg.norm(n)
    if b == "plane":  # A lies on it
        n = -rotation(q)[:, 2]
    deeper = 0.008 * draw(0, 1)
    return [*(n * (reach(a, n) + reach(b, -rotation(q).T @ n) - abs(deeper))), *q]


def accepted(pair):
    """POSES poses of a pair, always alike, and what contact() says."""
    a, b = PAIRS[pair]
    draw = random.Random(4900 + pair).gauss
    limit = ROUND * SHAPES["capsule"]["radius"] if a == "capsule" else DEEPEST
    rows = []
    while len(rows) < POSES:
        pose = [float(f"{x:.12g}") for x in candidate(a, b, draw)]
        deepest, force, moment = contact(a, b, pose)
        if LEAST < deepest < limit:
            rows.append([*pose, *(1e3 * force), *(1e6 * moment)])
    return rows


def series():
    columns = ("x", "y", "z", "qw", "qx", "qy", "qz", "Fx", "Fy", "Fz", "Mx", "My", "Mz")
    found = [accepted(pair) for pair in range(len(PAIRS))]
    titles = ["pose", *(f"{a}-{b} {name}" for a, b in PAIRS for name in columns),
              *(f"{a}-{b}" for a, b in PAIRS)]
    rows = [[k, *(value for rows in found for value in rows[k]),
             *(float(np.linalg.norm(rows[k][7:10])) for rows in found)] for k in range(POSES)]
    return {"forces.csv": (titles, rows)}
