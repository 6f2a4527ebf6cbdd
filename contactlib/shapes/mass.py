"""Mass, centre of mass and inertia of solids: balls, cylinders, blocks, and solids with a closed surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import dot, matmul, norm, principal

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MassProperties:
    """Mass (kg), centre of mass (m, shape or body frame) and inertia (kg m2, about it, 3 x 3)."""

    mass: float
    com: Floats
    inertia: Floats

    def moved(self, R: Floats, p: Floats) -> MassProperties:
        """Return the mass properties in a frame in which this frame has the rotation R and the position p."""
        return MassProperties(self.mass, dot(R, self.com) + p, matmul(matmul(R, self.inertia), R.T))

    def __add__(self, other: MassProperties) -> MassProperties:
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass
        inertia = sum((part.inertia + part.mass * steiner(part.com - com) for part in (self, other)), np.zeros((3, 3)))
        return MassProperties(mass, com, inertia)

    def __sub__(self, hole: MassProperties) -> MassProperties:
        return self + MassProperties(-hole.mass, hole.com, -hole.inertia)


def impossible_inertia(inertia: Floats) -> str:
    """Return why no rigid body has this inertia, as "must ..."; empty for a possible inertia.

    Principal moments A <= B <= C are integrals of squared distances: A > 0, and A + B >= C (equal for a flat plate).

    >>> impossible_inertia(np.diag([1.0, 1.0, 3.0]))
    'must have principal moments of which none exceeds the sum of the other two; they are 1, 1, 3'
    """
    a, b, c = principal(inertia)[0]
    if not a > 0.0:
        return "must be positive definite"
    if a + b < c * (1.0 - 1e-9):
        return ("must have principal moments of which none exceeds the sum of the other two; they are "
                f"{a:g}, {b:g}, {c:g}")
    return ""


def steiner(d: Floats) -> Floats:
    """Return the inertia of a unit mass at d about the origin: |d|^2 1 - d d^T (m2)."""
    return np.asarray(dot(d, d) * np.eye(3) - np.outer(d, d), dtype=np.float64)


def _along_z(mass: float, z: float, across: float, axial: float) -> MassProperties:
    return MassProperties(mass, np.array([0.0, 0.0, z]), np.diag([across, across, axial]))


def ball(r: float, density: float) -> MassProperties:
    """Return the mass properties of a ball about the origin."""
    mass = density * 4 / 3 * np.pi * r * r * r
    return _along_z(mass, 0.0, 0.4 * mass * r * r, 0.4 * mass * r * r)


def cylinder(r: float, length: float, z: float, density: float) -> MassProperties:
    """Return the mass properties of a cylinder about the z axis with its middle at z."""
    mass = density * np.pi * r * r * length
    return _along_z(mass, z, mass * (r * r / 4 + length * length / 12), mass * r * r / 2)


def half_ball(r: float, z: float, sign: float, density: float) -> MassProperties:
    """Return the mass properties of a half ball: flat side at z, dome towards sign z.

    The inertia across the axis, about the centre of mass, is (2/5 - 9/64) m r^2.
    """
    mass = density * 2 / 3 * np.pi * r * r * r
    return _along_z(mass, z + sign * 3 * r / 8, 83 / 320 * mass * r * r, 0.4 * mass * r * r)


def block(size: tuple[float, float, float], z: float, density: float) -> MassProperties:
    """Return the mass properties of a block along the axes with its middle at z."""
    a, b, c = size
    mass = density * a * b * c
    inertia = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    return MassProperties(mass, np.array([0.0, 0.0, z]), inertia)


def ellipsoid(semi_axes: tuple[float, float, float], density: float) -> MassProperties:
    """Return the mass properties of an ellipsoid about the origin, along the axes."""
    a, b, c = semi_axes
    mass = density * 4 / 3 * np.pi * a * b * c
    inertia = mass / 5 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    return MassProperties(mass, np.zeros(3), inertia)


def enclosed(vertices: Floats, triangles: NDArray[np.integer[Any]], density: float) -> MassProperties:
    """Return the mass properties of the solid within closed triangles (divergence theorem).

    Corners are counter-clockwise from outside. ValueError if the volume is not positive. Each triangle makes a
    tetrahedron with a common point o. With corners a, b, c relative to o and D = a . (b x c), negative if the triangle
    faces o:

        volume = sum D/6,   int x = sum D (a + b + c)/24,
        int x x^T = sum D/120 (a a^T + b b^T + c c^T + (a + b + c)(a + b + c)^T)
    """
    used = vertices[np.unique(triangles)]
    middle, a, b, c, D = _tetrahedra(vertices, triangles)
    s = a + b + c
    volume = float(D.sum() / 6)
    size = float(norm(np.ptp(used, axis=0)))
    if not volume > 1e-14 * size * size * size:
        raise ValueError(f"the volume inside is {volume:g} m3, must be above zero: list corners counter-clockwise")
    com = (D[:, None] * s).sum(axis=0) / (24 * volume)
    second = sum((_squares(D, x) for x in (a, b, c, s)), np.zeros((3, 3))) / 120 - volume * np.outer(com, com)
    second = (second + second.T) / 2
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return MassProperties(density * volume, middle + com, inertia)


def volume(vertices: Floats, triangles: NDArray[np.integer[Any]]) -> float:
    """Return the volume within closed triangles, m3, as in `enclosed`; negative if the triangles face inwards.

    >>> corners = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
    >>> round(volume(corners, np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])), 9)
    0.166666667
    """
    return float(_tetrahedra(vertices, triangles)[-1].sum() / 6)


def _squares(weights: Floats, x: Floats) -> Floats:
    """Return the sum of w x x^T over weights (N,) and vectors (N, 3)."""
    return np.asarray(((weights[:, None] * x)[:, :, None] * x[:, None, :]).sum(axis=0))


def _tetrahedra(vertices: Floats, triangles: NDArray[np.integer[Any]]) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return a common point, the corners a, b, c of all triangles relative to it, and six times the signed volumes."""
    middle = vertices[np.unique(triangles)].mean(axis=0)
    a, b, c = np.moveaxis((vertices - middle)[triangles], 1, 0)
    return middle, a, b, c, (a * np.cross(b, c)).sum(axis=1)
