"""The potential of two solids by brute force: the p-norm of the extent over fine samples of a surface.

A has the extent field e_A, B the surface:  M = sum w e_A(x)^p,  the depth Phi solves S(Phi) = M, E = Phi^2/2. S is the
seat: M of the pair's reference contact at the depth Phi. Nothing here knows how the library integrates.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from tests.mesh import mesh_truth
from tests.mesh.truth_meshes import MeshSolid
from tests.mesh.truth_solids import Ellipsoid, unit
from tests.support import meshes

P = 4  # the sharpness of laws that name none


class Seat(NamedTuple):
    """Its norm at the depth d is  area d^p + line d^(p + 1/2) + ball d^(p + 1)."""

    area: float = 0.0
    line: float = 0.0
    ball: float = 0.0

    def norm(self, d):
        return d**P * (self.area + self.line * d**0.5 + self.ball * d)

    def slope(self, d):
        return d ** (P - 1) * (P * self.area + (P + 0.5) * self.line * d**0.5 + (P + 1) * self.ball * d)


def seat(A, B):
    """Of two shapes: a ball's, a line's with its two ends, or the largest flat face of the one where it is smaller."""
    radius = {"sphere": lambda: A.radius, "capsule": lambda: A.radius,
              "ellipsoid": lambda: np.prod(A.semi_axes) ** (1 / 3)}  # fmt: skip
    if A.kind not in radius:
        return Seat(area=min(flat_area(A), flat_area(B)))
    r = radius[A.kind]()
    x = (np.arange(2000) + 0.5) / 1000 - 1
    line = A.length * (2 * r) ** 0.5 * ((1 - x**2) ** P).mean() * 2 if A.kind == "capsule" else 0.0
    return Seat(line=line, ball=2 * np.pi * r / (P + 1))


@lru_cache
def flat_area(shape):
    """Of faces within 20 degrees of the best direction, with weights that fall to zero there."""
    if shape.kind == "cylinder":
        return np.pi * shape.radius**2
    if shape.kind == "box":
        return np.prod(np.sort(shape.size)[1:])
    solid = mesh_truth.as_solid(shape)
    areas, limit = np.linalg.norm(solid.cross, axis=1) / 2, np.cos(np.radians(20))
    most = 0.0
    for n in unit(np.random.default_rng(0).normal(size=(60, 3))):
        for _ in range(20):
            weighted = areas * ((solid.normals @ n - limit) / (1 - limit)).clip(0)
            if not weighted.any():
                break
            n = unit(weighted @ solid.normals)
        most = max(most, weighted.sum())
    return most


def extent(shape, x):
    """Of points x (N, 3) in the axes of a shape or a solid: e (N,), and minus its gradient (N, 3)."""
    solid = mesh_truth.as_solid(shape)
    if isinstance(solid, MeshSolid):
        point, normal = solid.nearest(x)
        inwards = ((point - x) * normal).sum(1)
        return np.copysign(np.linalg.norm(x - point, axis=1), inwards), normal
    if solid is shape or shape.kind == "box":
        return -solid.phi(x), solid.normal(x)
    step = 1e-6 * np.eye(3)
    slopes = [_round_extent(shape, solid, x - d) - _round_extent(shape, solid, x + d) for d in step]
    return _round_extent(shape, solid, x), np.stack(slopes, axis=1) / 2e-6


def _round_extent(shape, solid, x):
    if isinstance(solid, Ellipsoid):
        g = x / solid.axes**2
        inside = (x * g).sum(1)
        return (1 - inside) * np.sqrt(inside) / (2 * np.linalg.norm(g, axis=1))
    r = shape.radius
    if shape.kind == "cylinder":
        side = (r**2 - x[:, 0] ** 2 - x[:, 1] ** 2) / (2 * r)
        return np.minimum(side, shape.length / 2 - np.abs(x[:, 2]))
    core = solid.core(x) if shape.kind == "capsule" else 0.0
    return (r**2 - ((x - core) ** 2).sum(1)) / (2 * r)


def samples(corners, solid, count=10_000, onto=None):
    """Middles (N, 3) and areas (N,) of so many cells at least of triangles (T, 3, 3): those that reach into a solid.
    `onto` moves their corners (N, 3) onto a smooth surface."""
    while True:
        if onto:
            corners = onto(corners.reshape(-1, 3)).reshape(-1, 3, 3)
        x = corners.mean(1)
        reach = np.linalg.norm(corners - x[:, None], axis=2).max(1)
        near = solid.phi(x) < reach
        corners, x = corners[near], x[near]
        if len(corners) >= count or not len(corners):
            return x, np.linalg.norm(np.cross(*np.moveaxis(corners[:, 1:] - corners[:, :1], 1, 0)), axis=1) / 2
        a, b, c = np.moveaxis(corners, 1, 0)
        d, e, f = (a + b) / 2, (b + c) / 2, (c + a) / 2
        corners = np.concatenate([np.stack(t, axis=1) for t in ((a, d, f), (d, b, e), (f, e, c), (d, e, f))])


def push(shape, samples, reference):
    """Energy, and force and torque (6,) about the origin on a shape that has the field, in its axes; x, w of the other
    surface there."""
    x, w = samples
    e, g = extent(shape, x)
    inside = e > 0
    x, w, e, g = x[inside], w[inside], e[inside], g[inside]
    norm = (w * e**P).sum()
    if not norm > 0:
        return 0.0, np.zeros(6)
    most = 2 * e.max()
    while reference.norm(most) < norm:
        most *= 2
    phi = brentq(lambda d: reference.norm(d) / norm - 1, 0.0, most, xtol=1e-16, rtol=1e-14)
    f = -(phi * P / reference.slope(phi) * w * e ** (P - 1))[:, None] * g
    return phi**2 / 2, np.r_[f.sum(0), np.cross(x, f).sum(0)]


def solid_on_mesh(A, B, X):
    """Energy, and force on A and torque about its origin (6,), of A at the pose X (7,) in the axes of the mesh B. A
    round solid has the field, else the thicker one."""
    R, p, reference = mesh_truth.matrix(X[3:]), X[:3], seat(A, B)
    solid, ground = mesh_truth.as_solid(A), mesh_truth.as_solid(B)
    if A.kind in ("box", "polyhedron", "mesh") and ground.thickness > solid.thickness:
        energy, f = push(B, samples(surface(A) @ R.T + p, ground), reference)
        return energy, np.r_[-f[:3], np.cross(p, f[:3]) - f[3:]]
    energy, f = push(A, samples((ground.corners - p) @ R, solid), reference)
    return energy, np.r_[R @ f[:3], R @ f[3:]]


def surface(shape):
    """Triangles (T, 3, 3) of a box, a polyhedron or a mesh."""
    if shape.kind == "box":
        cube = meshes.cube(1.0)
        return cube.vertices[cube.triangles] * shape.size
    return mesh_truth.as_solid(shape).corners
