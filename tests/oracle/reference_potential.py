"""Surface contacts by brute force: the integral of e^p over one surface inside the other solid, by refinement.

Shapes are (kind, sizes) as in reference.py. Convex solids only; a mesh is (kind "mesh", corners of a convex hull). A
rounded box or polyhedron is its core, which is met as far away as its rounding.
No part of a surface is cut: cells of its patches are halved until a Gauss rule on them and on their quarters agree.
"""

from functools import cache, lru_cache
from math import cos, factorial, pi, radians
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection

from contactlib.shapes import quaternion

# Lobatto's six nodes of -1/2 to 1/2: an edge between two faces that cuts a cell has one of its corners behind it
P5 = np.polynomial.legendre.Legendre.basis(5)
NODES = np.array([-1.0, *np.sort(P5.deriv().roots()), 1.0]) / 2
WEIGHTS = 1 / (15 * P5(2 * NODES) ** 2) / 2
LEVELS = 12  # halvings of a cell at most
ROUND = ("capsule", "ellipsoid", "cylinder")


# ---- solids --------------------------------------------------------------------------------------


class Solid(NamedTuple):
    """A polytope: planes n.x <= d of its faces, triangles (K, 3, 3) of its surface, areas of its faces, thickness."""

    n: np.ndarray
    d: np.ndarray
    triangles: np.ndarray
    areas: np.ndarray
    thickness: float
    volume: float


def rounding_of(shape):
    return shape[1].get("rounding", 0.0)


def corners_of(shape):
    """Of the core."""
    (kind, sizes), r = shape, rounding_of(shape)
    if kind == "box":
        return np.array(np.meshgrid(*([-1, 1],) * 3)).reshape(3, -1).T * (np.array(sizes["size"]) / 2 - r)
    corners = np.asarray(sizes["corners"], float)
    if r == 0.0:
        return corners
    planes = ConvexHull(corners).equations
    found = HalfspaceIntersection(planes + np.array([0, 0, 0, r]), corners.mean(0)).intersections
    return np.unique(found.round(14), axis=0)


@lru_cache
def hull(numbers):
    """The solid of corners, given as a tuple of tuples."""
    corners = np.array(numbers)
    found = ConvexHull(corners)
    planes, face = np.unique(found.equations.round(9), axis=0, return_inverse=True)
    triangles = corners[found.simplices]
    twice = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    areas = np.bincount(face.ravel(), twice / 2)
    first = np.array([found.equations[face.ravel() == k][0] for k in range(len(planes))])
    thickness = min(np.ptp(corners, axis=0).min(), 6 * found.volume / areas.sum())
    return Solid(first[:, :3], -first[:, 3], triangles, areas, thickness, found.volume)


def solid(shape):
    return hull(tuple(map(tuple, corners_of(shape).tolist())))


def seat_area(shape):
    """m2, of the largest flat face; faces within 20 degrees of it count in part."""
    kind, sizes = shape
    if kind == "cylinder":
        return pi * sizes["radius"] ** 2
    if kind == "triangle":
        a, b, c = corners_of(shape)
        return np.linalg.norm(np.cross(b - a, c - a)) / 2
    if kind == "plane":
        return np.inf
    n, _, _, areas, *_ = solid(shape)
    parts = ((n @ n.T - cos(radians(20))) / (1 - cos(radians(20)))).clip(0)
    assert ((parts == 0) | (parts > 1 - 1e-9)).all()  # else the direction of the seat must be searched for
    return areas.max()


def border(shape):
    """m, around the largest face of a polytope."""
    faces = solid(shape)
    k = faces.areas.argmax()
    corners, in_plane = corners_of(shape), np.linalg.svd(faces.n[k : k + 1])[2][1:].T
    around = corners[np.abs(corners @ faces.n[k] - faces.d[k]) < 1e-9]
    return ConvexHull(around @ in_plane).area  # of a hull in a plane: its border


def thickness(shape):
    """Which of two solids has the field: the thicker, and of two alike the larger one."""
    kind, sizes = shape
    if kind in ("plane", "triangle"):
        return (np.inf, np.inf) if kind == "plane" else (0.0, 0.0)
    if kind == "cylinder":
        r, length = sizes["radius"], sizes["length"]
        return min(2 * r, length), pi * r * r * length
    return solid(shape).thickness, solid(shape).volume


def has_field(A, B):
    """Whether it is A: round and rounded solids on meshes and capsules always have it."""
    if B[0] == "mesh" and rounding_of(A) > 0:
        return True
    return A[0] in ROUND[: 3 if B[0] == "mesh" else 1] or thickness(A) >= thickness(B)


# ---- extent fields: x (..., 3) -> e (...) and its gradient (..., 3) ---------------------------------


def field_of(shape, rounding=0.0):
    """The rounding is that of both solids."""
    kind, sizes = shape
    if kind == "plane":
        return lambda x: (rounding - x[..., 2], np.broadcast_to([0.0, 0.0, -1.0], x.shape))
    if kind == "cylinder":
        return lambda x: in_cylinder(x, sizes["radius"], sizes["length"] / 2)
    if kind == "capsule":
        return lambda x: in_capsule(x, sizes["radius"] + rounding, sizes["length"] / 2)
    if kind == "ellipsoid":
        return lambda x: in_ellipsoid(x, np.array(sizes["semi_axes"]))
    faces = solid(shape)
    if rounding > 0:
        return lambda x: in_rounded(x, faces, rounding)
    return lambda x: in_polytope(x, faces.n, faces.d)


def in_polytope(x, n, d):
    """The distance to the nearest face."""
    heights = d - x @ n.T
    k = heights.argmin(-1)
    return np.take_along_axis(heights, k[..., None], -1)[..., 0], -n[k]


def in_rounded(x, core, r):
    """The rounding less the distance to the core, the nearest of its triangles; in the core that of its faces and more.

    Further than r from the plane of a face, e is that of the face: below zero, and not below the true one.
    """
    inside, down = in_polytope(x, core.n, core.d)
    e, gradient = r + inside, down.copy()
    beside = (inside < 0) & (e > 0)
    away = np.stack([x[beside] - foot_in_triangle(x[beside], *corners) for corners in core.triangles])
    squared = (away * away).sum(-1)
    w = np.take_along_axis(away, squared.argmin(0)[None, :, None], 0)[0]
    distance = np.sqrt(squared.min(0))
    e[beside], gradient[beside] = r - distance, -w / distance[:, None]
    return e, gradient


def foot_in_triangle(x, a, b, c):
    """The point of a triangle that is the nearest to x: of its plane, or else of its sides."""
    n = np.cross(b - a, c - a) / np.linalg.norm(np.cross(b - a, c - a))
    sides = [(a, b), (b, c), (c, a)]
    within = np.all([((x - p) @ np.cross(n, q - p)) >= 0 for p, q in sides], axis=0)
    feet = [p + np.clip((x - p) @ (q - p) / ((q - p) @ (q - p)), 0, 1)[..., None] * (q - p) for p, q in sides]
    nearest = np.argmin([((x - foot) ** 2).sum(-1) for foot in feet], axis=0)
    on_side = np.choose(nearest[..., None], feet)
    return np.where(within[..., None], x - ((x - a) @ n)[..., None] * n, on_side)


def in_cylinder(x, r, h):
    """(r^2 - rho^2)/(2 r) from the side, the distance from an end."""
    side, end = (r * r - x[..., 0] ** 2 - x[..., 1] ** 2) / (2 * r), h - np.abs(x[..., 2])
    from_side = side < end
    across, along = -x / r * [1, 1, 0], -np.sign(x[..., 2:]) * [0, 0, 1]
    return np.where(from_side, side, end), np.where(from_side[..., None], across, along)


def in_capsule(x, r, h):
    """As in a ball about the nearest point of the axis: (r^2 - rho^2)/(2 r)."""
    w = x - np.clip(x[..., 2:], -h, h) * [0, 0, 1]
    return (r * r - (w * w).sum(-1)) / (2 * r), -w / r


def in_ellipsoid(x, s):
    """(1 - Y) sqrt(Y)/(2 N),  Y = x.g,  N = |g|,  g = x/s^2."""
    g = x / s**2
    Y, N = (x * g).sum(-1), np.linalg.norm(g, axis=-1)
    e = (1 - Y) * np.sqrt(Y) / (2 * N)
    dY = (1 - 3 * Y) / (2 * np.sqrt(Y) * 2 * N)
    return e, dY[..., None] * 2 * g - (e / N**2)[..., None] * g / s**2


# ---- surfaces: patches over the unit square, (u, v) -> x (..., 3) and |dx/du x dx/dv| ---------------


def triangle_patch(a, b, c):
    twice = np.linalg.norm(np.cross(b - a, c - a))
    return lambda u, v: (a + u[..., None] * (b - a) + (u * v)[..., None] * (c - b), u * twice)


def side_patch(r, h):
    def patch(u, v):
        angle = 2 * pi * u
        return np.stack([r * np.cos(angle), r * np.sin(angle), h * (2 * v - 1)], -1), np.full(u.shape, 4 * pi * r * h)

    return patch


def disc_patch(r, z):
    def patch(u, v):
        rho, angle = r * v, 2 * pi * u
        return np.stack([rho * np.cos(angle), rho * np.sin(angle), np.full(u.shape, z)], -1), 2 * pi * r * rho

    return patch


def square_patch(middle, half):
    def patch(u, v):
        return middle + half * np.stack([2 * u - 1, 2 * v - 1, 0 * u], -1), np.full(u.shape, 4 * half * half)

    return patch


def patches_of(shape, about, reach):
    """`about`, `reach`: a ball around all that can be inside, for planes."""
    kind, sizes = shape
    if kind == "plane":
        return [square_patch(about * [1, 1, 0], reach)]
    if kind == "cylinder":
        r, h = sizes["radius"], sizes["length"] / 2
        return [side_patch(r, h), disc_patch(r, -h), disc_patch(r, h)]
    triangles = [corners_of(shape)] if kind == "triangle" else solid(shape).triangles
    return [triangle_patch(*corners) for corners in triangles]


# ---- the integral --------------------------------------------------------------------------------


class Cells(NamedTuple):
    """Squares of one patch: a corner (N, 2), a Gauss sum (N, C), the highest e, one that bounds e, and the area."""

    corner: np.ndarray
    sums: np.ndarray
    highest: np.ndarray
    bound: np.ndarray
    area: np.ndarray

    def pick(self, rows):
        return Cells(*(column[rows] for column in self))


def evaluate(patch, integrand, corner, size):
    u, v = (corner[:, None, None, k] + size * (0.5 + NODES.reshape((-1, 1) if k == 0 else (1, -1))) for k in (0, 1))
    x, area = patch(*np.broadcast_arrays(u, v))
    e, values = integrand(x)
    weight = area * size * size * WEIGHTS[:, None] * WEIGHTS
    radius = np.sqrt(((x - x.mean((1, 2), keepdims=True)) ** 2).sum(-1)).max((1, 2))
    highest = e.max((1, 2))  # the slope of e is at most about 1
    return Cells(corner, (weight[..., None] * values).sum((1, 2)), highest, highest + radius, weight.sum((1, 2)))


def integrate(patches, integrand, p, tolerance):
    """Sum of integrand(x) -> (e (...), values (..., C)) over patches; tolerance: of a cell, relative to the sum.

    The first two columns are e^p and p e^(p-1).
    """
    size, total = 1 / 8, 0.0
    grid = np.stack(np.meshgrid(*(np.arange(8) / 8,) * 2), -1).reshape(-1, 2)
    work = [evaluate(patch, integrand, grid, size) for patch in patches]
    for level in range(LEVELS):
        allowed = tolerance * (total + sum(cells.sums.sum(0) for cells in work))[:2]
        size /= 2
        for k, patch in enumerate(patches):
            cells = work[k]
            large = p * cells.area * cells.bound.clip(0) ** (p - 1) > allowed[1]
            cells = cells.pick((cells.highest > 0) | (cells.bound > 0) & large)
            if not len(cells.corner):
                work[k] = cells
                continue
            quarters = cells.corner[:, None] + size * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
            fine = evaluate(patch, integrand, quarters.reshape(-1, 2), size)
            sums = fine.sums.reshape(len(quarters), 4, -1).sum(1)
            close = (np.abs(sums - cells.sums)[:, :2] <= allowed).all(1)
            done = close & (fine.highest.reshape(-1, 4) > 0).any(1) & (level > 4)
            total = total + sums[done].sum(0)
            work[k] = fine.pick(np.repeat(~done, 4))
    return total + sum(cells.sums.sum(0) for cells in work)


@cache
def line_integral(p):
    """int (1 - t^2)^p dt over -1..1."""
    return 4.0**p * 2 * factorial(p) ** 2 / factorial(2 * p + 1)


def depth_in_seat(A, B, M, p):
    """Phi with S(Phi) = M, and 1/S'(Phi)."""
    area = line = ball = 0.0
    if A[0] == "capsule":
        r = A[1]["radius"] + rounding_of(B)
        line, ball = A[1]["length"] * np.sqrt(2 * r) * line_integral(p), 2 * pi * r / (p + 1)
    elif A[0] == "ellipsoid":
        ball = 2 * pi * np.cbrt(np.prod(A[1]["semi_axes"])) / (p + 1)
    else:
        area = min(seat_area(A), seat_area(B))
        F, S, r = *((A, B) if has_field(A, B) else (B, A)), rounding_of(A) + rounding_of(B)
        if r > 0 and seat_area(F) <= seat_area(S):
            line, ball = border(F) / 2 * np.sqrt(2 * r) * line_integral(p), 2 * pi * r / (p + 1)
    low, high = 0.0, 1.0
    for _ in range(200):
        d = (low + high) / 2
        low, high = (low, d) if area * d**p + line * d ** (p + 0.5) + ball * d ** (p + 1) > M else (d, high)
    slope = p * area * d ** (p - 1) + (p + 0.5) * line * d ** (p - 0.5) + (p + 1) * ball * d**p
    return d, 1 / slope


class Potential(NamedTuple):
    """Phi (m) and -d(Phi^2/2): the force on B (N for 1 N/m) and its torque about B's origin, in world axes."""

    phi: float
    force: np.ndarray
    torque: np.ndarray


def radius_about(shape):
    kind, sizes = shape
    if kind in ("box", "polyhedron"):
        return 2 * np.linalg.norm(corners_of(shape), axis=1).max() + rounding_of(shape)
    return sizes["radius"] + sizes["length"] if kind == "capsule" else 2 * max(sizes["semi_axes"])


def potential(A, B, X_WA, X_WB, p=4, tolerance=1e-8):
    """Of two convex shapes in the order of the pair table; the tolerance is relative, of each cell."""
    of_a = has_field(A, B)
    S, F = (B, A) if of_a else (A, B)
    X_S, X_F = (np.asarray(X, float) for X in ((X_WB, X_WA) if of_a else (X_WA, X_WB)))
    R_S, R_F = (np.array(quaternion.rotation_matrix(tuple(X[3:]))) for X in (X_S, X_F))
    R, r = R_F.T @ R_S, R_F.T @ (X_S[:3] - X_F[:3])
    field = field_of(F, rounding_of(A) + rounding_of(B))

    def integrand(x):
        x_F = x @ R.T + r
        e, g = field(x_F)
        inside = np.where(e > 0, e, 0)
        weight = (p * inside ** (p - 1))[..., None]
        return e, np.concatenate([(inside**p)[..., None], weight, weight * g, weight * np.cross(x_F - r, g)], -1)

    about = -R.T @ r  # the field's origin
    reach = radius_about(F) if S[0] == "plane" else 0.0
    patches = patches_of(S, about, reach)
    sums = integrate(patches, integrand, p, tolerance)
    if not np.any(sums):
        return Potential(0.0, np.zeros(3), np.zeros(3))
    phi, by = depth_in_seat(A, B, sums[0], p)
    force, torque = (-phi * by * (R_F @ v) for v in (sums[2:5], sums[5:]))  # on the surface's body, about its origin
    if of_a:
        return Potential(phi, force, torque)
    return Potential(phi, -force, -torque - np.cross(X_S[:3] - np.asarray(X_WB, float)[:3], force))
