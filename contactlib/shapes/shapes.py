"""The shapes of the pair table, each in its own frame, and the mass properties of solid ones.

The frames are drawn in docs/manifolds.md. Sizes are in metres, densities in kg/m3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from contactlib.common.options import RIM_METHODS
from contactlib.shapes import mass, rounding
from contactlib.shapes.mass import MassProperties as MassProperties
from contactlib.shapes.polytopes import Mesh as Mesh
from contactlib.shapes.polytopes import Polyhedron as Polyhedron
from contactlib.shapes.polytopes import check_finite, is_flat, rows_of_three

Vector3 = tuple[float, float, float]

NO_VOLUME = "a {} has no volume: give the body's mass and inertia instead of a density"


@dataclass(frozen=True)
class Point:
    """A point: the tip of a probe, a landing foot."""

    kind: ClassVar[str] = "point"

    def numbers(self) -> tuple[float, ...]:
        return ()

    def mass_properties(self, density: float) -> MassProperties:
        raise ValueError(NO_VOLUME.format(self.kind))


@dataclass(frozen=True)
class Sphere:
    """A ball about the origin."""

    radius: float
    kind: ClassVar[str] = "sphere"

    def numbers(self) -> tuple[float, ...]:
        return (self.radius,)

    def mass_properties(self, density: float) -> MassProperties:
        return mass.ball(self.radius, density)


@dataclass(frozen=True)
class Segment:
    """A straight line of `length` (m) along z, its middle at the origin: a wire, the edge of a blade."""

    length: float
    kind: ClassVar[str] = "segment"

    def numbers(self) -> tuple[float, ...]:
        return (0.0, self.length)

    def mass_properties(self, density: float) -> MassProperties:
        raise ValueError(NO_VOLUME.format(self.kind))


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
        return (mass.cylinder(r, self.length, 0.0, density) + mass.half_ball(r, half, 1.0, density)
                + mass.half_ball(r, -half, -1.0, density))


@dataclass(frozen=True)
class Triangle:
    """A sheet of no thickness between three `corners` (m), with two sides.

    >>> Triangle(((0, 0, 0), (1, 0, 0), (0, 1, 0))).numbers()
    (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    """

    corners: tuple[Vector3, Vector3, Vector3]
    kind: ClassVar[str] = "triangle"

    def __post_init__(self) -> None:
        rows = rows_of_three("triangle.corners", self.corners)
        if len(rows) != 3:
            raise ValueError(f"triangle.corners: there are {len(rows)}, must be three")
        object.__setattr__(self, "corners", tuple(tuple(row) for row in rows.tolist()))

    def numbers(self) -> tuple[float, ...]:
        return tuple(x for corner in self.corners for x in corner)

    def mass_properties(self, density: float) -> MassProperties:
        raise ValueError(NO_VOLUME.format(self.kind))


@dataclass(frozen=True)
class Ellipsoid:
    """`(x/a)^2 + (y/b)^2 + (z/c)^2 <= 1` with the `semi_axes` a, b, c (m)."""

    semi_axes: Vector3
    kind: ClassVar[str] = "ellipsoid"

    def __post_init__(self) -> None:
        object.__setattr__(self, "semi_axes", tuple(self.semi_axes))

    def numbers(self) -> tuple[float, ...]:
        return tuple(self.semi_axes)

    def mass_properties(self, density: float) -> MassProperties:
        return mass.ellipsoid(self.semi_axes, density)


@dataclass(frozen=True)
class Box:
    """A box of full side lengths `size` about the origin, its edges and corners rounded with the radius `rounding` (m).

    >>> round(Box((0.2, 0.2, 0.2), rounding=0.01).mass_properties(density=1000.0).mass, 4)    # 8 kg with sharp edges
    7.9498
    """

    size: Vector3
    rounding: float = 0.0
    kind: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", tuple(self.size))

    def numbers(self) -> tuple[float, ...]:
        if self.rounding == 0.0:
            return self.size
        return (*(side - 2.0 * self.rounding for side in self.size), self.rounding)  # of the core

    def mass_properties(self, density: float) -> MassProperties:
        if self.rounding == 0.0:
            return mass.block(self.size, 0.0, density)
        return rounding.rounded_block(self.size, self.rounding, density)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder of `radius` and full `length` (m) along z, its middle at the origin."""

    radius: float
    length: float
    kind: ClassVar[str] = "cylinder"

    def numbers(self) -> tuple[float, ...]:
        return (self.radius, self.length)

    def mass_properties(self, density: float) -> MassProperties:
        return mass.cylinder(self.radius, self.length, 0.0, density)


@dataclass(frozen=True)
class Socket:
    """A box with a capped hole that opens at its top z = 0 (the RWTH paper's CylSphereHole).

    `size` are the box's side lengths, `radius` is the hole's radius, `length` the length of the hole's cylinder. `rim`
    is the method for nearest points of the rim: "exact", or the paper's eight-point "subdivision" with `rim_levels`
    levels. "subdivision" includes the ends of the interval, "subdivision_open" excludes them.
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
        """Return the mass properties: equations (1)-(10) of the RWTH paper, with any floor under the hole."""
        block = mass.block(self.size, -self.size[2] / 2, density)
        cylinder = mass.cylinder(self.radius, self.length, -self.length / 2, density)
        return block - cylinder - mass.half_ball(self.radius, -self.length, -1.0, density)


@dataclass(frozen=True)
class Plane:
    """The half space z <= 0."""

    kind: ClassVar[str] = "plane"

    def numbers(self) -> tuple[float, ...]:
        return ()

    def mass_properties(self, density: float) -> MassProperties:
        raise ValueError("a plane has no bounds: give the body's mass and inertia instead of a density")


Shape = Point | Sphere | Segment | Capsule | Triangle | Ellipsoid | Box | Cylinder | Polyhedron | Socket | Mesh | Plane
SHAPES: dict[str, type[Shape]] = {s.kind: s for s in (
    Point, Sphere, Segment, Capsule, Triangle, Ellipsoid, Box, Cylinder, Polyhedron, Socket, Mesh, Plane)}


def check_shape(shape: Shape) -> None:
    """Raise ValueError if a size is not positive and finite, a hole does not fit its box, or faces make no surface."""
    for name in ("radius", "length", "size", "semi_axes"):
        if hasattr(shape, name):
            _check_sizes(shape, name, getattr(shape, name))
    if isinstance(shape, Socket):
        _check_socket(shape)
    elif isinstance(shape, Box):
        _check_rounding(shape)
    elif isinstance(shape, Triangle):
        corners = np.array(shape.corners)
        check_finite("triangle.corners", corners)
        if is_flat(corners[None])[0]:
            raise ValueError(f"triangle.corners = {shape.corners}: must not lie in a line")
    elif isinstance(shape, Polyhedron | Mesh):
        shape.surface()
        if isinstance(shape, Polyhedron) and shape.rounding:
            shape.core.surface()


def rounding_of(shape: Shape) -> float:
    """Return the radius (m) with which the edges of a box or a polyhedron are rounded; 0 for all other shapes."""
    return shape.rounding if isinstance(shape, Box | Polyhedron) else 0.0


def is_sheet(shape: Shape) -> bool:
    """Return whether a shape has no inside: a triangle or an open mesh."""
    return shape.kind == "triangle" or (isinstance(shape, Mesh) and not shape.closed)


def why_undefined(a: Shape, b: Shape) -> str:
    """Return why two shapes have no contacts although their kinds have; empty if they have."""
    for rounded, other in ((a, b), (b, a)):
        if rounding_of(rounded) and other.kind == "socket":
            return f"a rounded {rounded.kind} has no contacts with a {other.kind}: leave out its rounding"
    if is_sheet(a) and is_sheet(b) and "mesh" in (a.kind, b.kind):
        kinds = " and ".join(f"an open {s.kind}" if s.kind == "mesh" else f"a {s.kind}" for s in (a, b))
        return f"{kinds} have no contacts, as neither has an inside: close the mesh"
    return ""


def _check_rounding(shape: Box) -> None:
    if not 0.0 <= 2.0 * shape.rounding < min(shape.size):
        raise ValueError(f"box.rounding = {shape.rounding}: must be zero or more, and below half of the shortest side, "
                         f"{min(shape.size) / 2:g} m")


def _check_sizes(shape: Shape, name: str, value: float | Vector3) -> None:
    numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    zero_allowed = name == "length" and isinstance(shape, Capsule | Socket)
    if not np.isfinite(numbers).all() or not ((numbers > 0) | ((numbers == 0) & zero_allowed)).all():
        allowed = "zero or more" if zero_allowed else "greater than zero"
        raise ValueError(f"{shape.kind}.{name} = {value}: must be finite and {allowed}")
    if name in ("size", "semi_axes") and numbers.shape != (3,):
        raise ValueError(f"{shape.kind}.{name} = {value}: must be three lengths")


def _check_socket(shape: Socket) -> None:
    if shape.rim not in RIM_METHODS:
        raise ValueError(f"socket.rim = {shape.rim!r}: must be one of {', '.join(RIM_METHODS)}")
    if not 1 <= shape.rim_levels <= 64:
        raise ValueError(f"socket.rim_levels = {shape.rim_levels}: must be from 1 to 64")
    a, b, c = shape.size
    if min(a, b) <= 2 * shape.radius:
        raise ValueError(f"socket.radius = {shape.radius}: the hole must be narrower than the box, size = {shape.size}")
    if c < shape.length + shape.radius:
        raise ValueError(f"socket.size[2] = {c}: must be at least length + radius = {shape.length + shape.radius}")
