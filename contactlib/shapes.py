"""The shapes of the pair table, each in its own frame, and the mass properties of solid ones.

The frames are drawn in docs/manifolds.md. Sizes are in metres.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from contactlib.options import RIM_METHODS

Vector3 = tuple[float, float, float]


@dataclass(frozen=True)
class MassProperties:
    """Mass (kg), centre of mass (m, shape or body frame) and inertia (kg m2, about it, 3 x 3)."""

    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]

    def moved(self, R: NDArray[np.float64], p: NDArray[np.float64]) -> MassProperties:
        """The same body seen from a frame in which this one is turned by R and shifted by p."""
        return MassProperties(self.mass, R @ self.com + p, R @ self.inertia @ R.T)

    def __add__(self, other: MassProperties) -> MassProperties:
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass
        inertia = sum((part.inertia + part.mass * steiner(part.com - com) for part in (self, other)), np.zeros((3, 3)))
        return MassProperties(mass, com, inertia)

    def __sub__(self, hole: MassProperties) -> MassProperties:
        return self + MassProperties(-hole.mass, hole.com, -hole.inertia)


def steiner(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inertia of a unit mass at d about the origin: |d|^2 1 - d d^T (m2)."""
    return np.asarray(d @ d * np.eye(3) - np.outer(d, d), dtype=np.float64)


def _along_z(mass: float, z: float, across: float, axial: float) -> MassProperties:
    return MassProperties(mass, np.array([0.0, 0.0, z]), np.diag([across, across, axial]))


def _ball(r: float, density: float) -> MassProperties:
    mass = density * 4 / 3 * np.pi * r**3
    return _along_z(mass, 0.0, 0.4 * mass * r**2, 0.4 * mass * r**2)


def _cylinder(r: float, length: float, z: float, density: float) -> MassProperties:
    mass = density * np.pi * r**2 * length
    return _along_z(mass, z, mass * (r**2 / 4 + length**2 / 12), mass * r**2 / 2)


def _half_ball(r: float, z: float, sign: float, density: float) -> MassProperties:
    """Flat side at z, dome towards sign z. About its own centre of mass I = (2/5 - 9/64) m r^2 across."""
    mass = density * 2 / 3 * np.pi * r**3
    return _along_z(mass, z + sign * 3 * r / 8, 83 / 320 * mass * r**2, 0.4 * mass * r**2)


def _block(size: Vector3, z: float, density: float) -> MassProperties:
    a, b, c = size
    mass = density * a * b * c
    inertia = mass / 12 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])
    return MassProperties(mass, np.array([0.0, 0.0, z]), inertia)


@dataclass(frozen=True)
class Point:
    """A point: the tip of a probe, a landing foot."""

    kind: ClassVar[str] = "point"

    def numbers(self) -> tuple[float, ...]:
        return ()

    def mass_properties(self, density: float) -> MassProperties:
        raise ValueError("a point has no volume: give the body's mass and inertia instead of a density")


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin."""

    radius: float
    kind: ClassVar[str] = "sphere"

    def numbers(self) -> tuple[float, ...]:
        return (self.radius,)

    def mass_properties(self, density: float) -> MassProperties:
        return _ball(self.radius, density)


@dataclass(frozen=True)
class Capsule:
    """A cylinder of `length` along z with half balls on both ends (the RWTH paper's CylSphere)."""

    radius: float
    length: float
    kind: ClassVar[str] = "capsule"

    def numbers(self) -> tuple[float, ...]:
        return (self.radius, self.length)

    def mass_properties(self, density: float) -> MassProperties:
        r, half = self.radius, self.length / 2
        return (_cylinder(r, self.length, 0.0, density) + _half_ball(r, half, 1.0, density)
                + _half_ball(r, -half, -1.0, density))


@dataclass(frozen=True)
class Box:
    """A box of full side lengths `size` about the origin."""

    size: Vector3
    kind: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", tuple(self.size))

    def numbers(self) -> tuple[float, ...]:
        return tuple(self.size)

    def mass_properties(self, density: float) -> MassProperties:
        return _block(self.size, 0.0, density)


@dataclass(frozen=True)
class Socket:
    """A box with a capped hole that opens at its top z = 0 (the RWTH paper's CylSphereHole).

    `size` are the box's side lengths, `radius` that of the hole, `length` that of the hole's cylinder. `rim` chooses
    how the rim is searched: "exact", or the paper's eight-point "subdivision" with `rim_levels` levels (interval ends
    among the points; "subdivision_open": without them).
    """

    size: Vector3
    radius: float
    length: float
    rim: str = "exact"
    rim_levels: int = 4
    kind: ClassVar[str] = "socket"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", tuple(self.size))

    def numbers(self) -> tuple[float, ...]:
        return (*self.size, self.radius, self.length, float(self.rim_levels))

    def mass_properties(self, density: float) -> MassProperties:
        """Equations (1)-(10) of the RWTH paper, with the centres of mass on the z axis and any floor under the hole."""
        block = _block(self.size, -self.size[2] / 2, density)
        cylinder = _cylinder(self.radius, self.length, -self.length / 2, density)
        return block - cylinder - _half_ball(self.radius, -self.length, -1.0, density)


@dataclass(frozen=True)
class Plane:
    """The half space z <= 0."""

    kind: ClassVar[str] = "plane"

    def numbers(self) -> tuple[float, ...]:
        return ()

    def mass_properties(self, density: float) -> MassProperties:
        raise ValueError("a plane has no bounds: give the body's mass and inertia instead of a density")


Shape = Point | Sphere | Capsule | Box | Socket | Plane
SHAPES: dict[str, type[Shape]] = {s.kind: s for s in (Point, Sphere, Capsule, Box, Socket, Plane)}


def check_shape(shape: Shape) -> None:
    """Raise ValueError if a size is not positive and finite, or a hole does not fit its box."""
    for name in ("radius", "length", "size"):
        value = getattr(shape, name, None)
        if value is None:
            continue
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
        smallest_ok = (numbers >= 0).all() if name == "length" else (numbers > 0).all()
        if not np.isfinite(numbers).all() or not smallest_ok:
            allowed = "zero or more" if name == "length" else "greater than zero"
            raise ValueError(f"{shape.kind}.{name} = {value}: must be finite and {allowed}")
        if name == "size" and numbers.shape != (3,):
            raise ValueError(f"{shape.kind}.size = {value}: must be three lengths")
    if not isinstance(shape, Socket):
        return
    if shape.rim not in RIM_METHODS:
        raise ValueError(f"socket.rim = {shape.rim!r}: must be one of {', '.join(RIM_METHODS)}")
    if not 1 <= shape.rim_levels <= 64:
        raise ValueError(f"socket.rim_levels = {shape.rim_levels}: must be from 1 to 64")
    a, b, c = shape.size
    if min(a, b) <= 2 * shape.radius:
        raise ValueError(f"socket.radius = {shape.radius}: the hole must be narrower than the box, size = {shape.size}")
    if c < shape.length + shape.radius:
        raise ValueError(f"socket.size[2] = {c}: must be at least length + radius = {shape.length + shape.radius}")
