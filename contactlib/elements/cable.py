"""Cables of an element: material, start geometry, and the record for the core (docs/cables.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.common import tables
from contactlib.common.elementary import cos, sin
from contactlib.common.tables import Table
from contactlib.common.vectors import dot, norm, unit
from contactlib.elements.ball_joints import BallJoints
from contactlib.elements.base import Element, Kind, body_of, fail, path_of

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody
    from contactlib.model.spec import Spec


Floats = NDArray[np.float64]
Points = tuple[tuple[float, ...], ...]

#: in the order of the core's enum (core/element/cable/cable.hpp)
STRAINS = ("green", "engineering")
QUADRATURES = ("full", "reduced")
INTEGRATORS = ("first_order", "second_order")

MAX_ELEMENTS = 4096
MAX_CAPSULES = 64
MAX_TOUCHES = 512  # a dense matrix of three rows each


@dataclass(frozen=True)
class Cable:
    """Material, discretisation and time step of a cable.

    Parameters
    ----------
    radius : m, of the cross-section.
    axial_stiffness, bending_stiffness, line_density : EA in N, EI in N m2, rho A in kg/m.
    elements : number of elements of equal length.
    axial_damping, bending_damping : s, Kelvin-Voigt; mass_damping : 1/s (Rayleigh's alpha).
    rest_strain, rest_curvature : axial strain, and curvature in 1/m, without load.
    strain, quadrature : one of `STRAINS`, one of `QUADRATURES`.
    tension_stiffness : True: the geometric stiffness of the tension is implicit, so taut cables are stable at large
        steps.
    integrator : one of `INTEGRATORS`. The step of second order needs `tension_stiffness`, and hardly damps swings.
    capsules : number of capsules per element that represent it in the collision detection.
    touches_itself : True: contact between different parts of the same cable is modelled.

    Examples
    --------
    >>> Cable(radius=1.6e-3, axial_stiffness=3.98e5, bending_stiffness=1.08e-2, line_density=0.0347).elements
    10
    """

    radius: float
    axial_stiffness: float
    bending_stiffness: float
    line_density: float
    elements: int = 10
    axial_damping: float = 0.0
    bending_damping: float = 0.0
    mass_damping: float = 0.0
    rest_strain: float = 0.0
    rest_curvature: float = 0.0
    strain: str = "green"
    quadrature: str = "full"
    tension_stiffness: bool = True
    integrator: str = "first_order"
    capsules: int = 2
    touches_itself: bool = False

    @classmethod
    def read(cls, table: Table) -> Self:
        """Read the sub-table `cable` of a scene file; ValueError with the key's path."""
        positive, at_least_zero = tables.number(0.0, above=True), tables.number(0.0)
        result = cls(
            radius=table.take("radius", positive),
            axial_stiffness=table.take("axial_stiffness", positive),
            bending_stiffness=table.take("bending_stiffness", at_least_zero),
            line_density=table.take("line_density", positive),
            elements=table.take("elements", tables.integer(2, MAX_ELEMENTS), 10),
            axial_damping=table.take("axial_damping", at_least_zero, 0.0),
            bending_damping=table.take("bending_damping", at_least_zero, 0.0),
            mass_damping=table.take("mass_damping", at_least_zero, 0.0),
            rest_strain=table.take("rest_strain", tables.number(-0.5, above=True), 0.0),
            rest_curvature=table.take("rest_curvature", at_least_zero, 0.0),
            strain=table.take("strain", tables.choice(STRAINS), "green"),
            quadrature=table.take("quadrature", tables.choice(QUADRATURES), "full"),
            tension_stiffness=table.take("tension_stiffness", tables.boolean, True),
            integrator=table.take("integrator", tables.choice(INTEGRATORS), "first_order"),
            capsules=table.take("capsules", tables.integer(1, MAX_CAPSULES), 2),
            touches_itself=table.take("touches_itself", tables.boolean, False),
        )
        table.finish()
        if result.integrator == "second_order" and not result.tension_stiffness:
            tables.fail(table.at("tension_stiffness"), False, "does not go with integrator = 'second_order', which "
                        "always contains the stiffness of tension; leave it out")
        return result

    def check(self, path: str) -> None:
        """Raise the ValueError of `read` for an invalid cable: one that is made in Python is not checked before."""
        self.read(Table({key: getattr(self, key) for key in self.__dataclass_fields__}, path))

    def integers(self) -> list[int]:
        """Return the numbers of the record before those of the anchors."""
        step = 2 if self.integrator == "second_order" else int(self.tension_stiffness)
        return [STRAINS.index(self.strain), QUADRATURES.index(self.quadrature), step,
                int(self.touches_itself), self.elements, self.capsules]

    def numbers(self, length: float) -> list[float]:
        """Return the numbers of the record after those of the anchors, for a cable of `length` (m)."""
        return [self.axial_stiffness, self.bending_stiffness, self.line_density, self.axial_damping,
                self.bending_damping, self.mass_damping, self.radius,
                *[length / self.elements, self.rest_strain, self.rest_curvature] * self.elements]


class _Touches(Element, Protocol):
    """Type of `self` in the methods of `Touching`."""

    @property
    def touches(self) -> tuple[str, ...]: ...
    @property
    def max_touches(self) -> int: ...
    def holders(self) -> tuple[str | None, ...]: ...


@dataclass(frozen=True, kw_only=True)
class Touching(Kind):
    """Contact parameters of an element with cables.

    Parameters
    ----------
    touches : names of the bodies whose shapes the cables can touch.
    friction, cable_friction : coefficients of cables on these shapes, and of cables on each other.
    break_load : N, tension at which a cable breaks off its last end; 0: never.
    max_touches : capacity for contact points, at most `MAX_TOUCHES`.
    """

    touches: tuple[str, ...] = ()
    friction: float = 0.0
    cable_friction: float = 0.0
    break_load: float = 0.0
    max_touches: int = 64

    @staticmethod
    def taken(table: Table) -> dict[str, Any]:
        """Read these keys of a table of a scene file. A ValueError has the key's path."""
        at_least_zero, nothing = tables.number(0.0), tuple[str, ...]()
        return {
            "touches": table.take("touches", tables.listing(tables.text), nothing),
            "friction": table.take("friction", at_least_zero, 0.0),
            "cable_friction": table.take("cable_friction", at_least_zero, 0.0),
            "break_load": table.take("break_load", at_least_zero, 0.0),
            "max_touches": table.take("max_touches", tables.integer(1, MAX_TOUCHES), 64),
        }

    def holders(self) -> tuple[str | None, ...]:
        """Names of the bodies to which the ends of the cables are attached; None is the world."""
        raise NotImplementedError

    def check_with(self: _Touches, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        """Raise ValueError if a free body with these cables has joints, too: one implicit step moves cables and bodies.

        The forces of the joints could not include the tension of the cables.
        """
        if spec.integrator != "semi_implicit_euler":
            raise ValueError(f"{path_of(self)}: integrator = '{spec.integrator}': cables move by implicit steps, which "
                             "go with 'semi_implicit_euler' only")
        for name in (*self.holders(), *self.touches):
            body = None if name is None else bodies.get(name)
            free = body is not None and body.motion == "free"
            for joint in spec.elements:
                if free and isinstance(joint, BallJoints) and name in (joint.base, *joint.arms):
                    raise ValueError(f"{path_of(self)} and {path_of(joint)} both act on '{name}', which is free: "
                                     "joints do not hold against cables; fix the body, or hold it by cables alone")

    @property
    def touched(self) -> str:
        """Return the names of the bodies for a summary."""
        return ", ".join(f"'{body}'" for body in self.touches) or "nothing"

    def parameters(self) -> dict[str, float]:
        """Return the start values of the parameters of the row."""
        return {"friction": self.friction, "cable_friction": self.cable_friction, "break_load": self.break_load}

    def bodies_with(self: _Touches, anchors: tuple[str | None, ...],
                    bodies: Mapping[str, FlatBody]) -> list[str | None]:
        """Return all bodies once, those of the anchors first. ValueError if one does not exist or has no shapes."""
        for name in anchors:
            if name is not None:
                body_of(self, "body", name, bodies)
        for name in self.touches:
            if not body_of(self, "touches", name, bodies).shapes:
                fail(self, "touches", name, "must be a body with shapes")
        return list(dict.fromkeys((*anchors, *self.touches)))

    def contact_integers(self: _Touches, bodies: Mapping[str, FlatBody]) -> list[int]:
        """Return the capacity for contacts, and the numbers of the shapes that cables can touch."""
        tables.integer(1, MAX_TOUCHES)(path_of(self, "max_touches"), self.max_touches)
        begins = dict(zip(bodies, np.cumsum([0, *(len(body.shapes) for body in bodies.values())]).tolist(),
                          strict=False))
        shapes = [begins[name] + k for name in self.touches for k in range(len(bodies[name].shapes))]
        return [self.max_touches, len(shapes), *shapes]


@dataclass(frozen=True)
class CableEnd:
    """Attachment of an end: number of the body in the element, point (m, body axes), number of the coordinate."""

    body: int
    point: Sequence[float]
    turns: bool = False
    slides: bool = False
    free: bool = False

    def integers(self) -> list[int]:
        """Return the record for the core."""
        return [self.body, int(self.turns), int(self.slides), int(self.free)]


def record(cable: Cable, first: CableEnd, last: CableEnd, length: float,
           nodes: Floats) -> tuple[list[int], list[float]]:
    """Return integers and numbers of one cable. Nodes (elements + 1, 6): position (m) and slope, axes of body 0."""
    integers = [*cable.integers(), *first.integers(), *last.integers()]
    return integers, [*first.point, *last.point, *cable.numbers(length), *nodes.ravel().tolist()]


def arc(first: ArrayLike, last: ArrayLike, length: float, bow: ArrayLike, elements: int) -> Floats:
    """Return the nodes (elements + 1, 6) of a cable on a circular arc between two points (m), curved towards `bow`.

    With phi, half of the angle of the arc: sin(phi)/phi = chord/length. A cable no longer than its chord is straight,
    and under tension if it is shorter.

    Examples
    --------
    >>> nodes = arc((1, 0, 0), (-1, 0, 0), math.pi, (0, 1, 0), 2)
    >>> nodes[1].round(6).tolist()
    [0.0, 1.0, 0.0, -1.0, 0.0, 0.0]
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(last, dtype=np.float64)
    chord = float(norm(b - a))
    s = np.linspace(-1.0, 1.0, elements + 1)[:, None]
    along = (b - a) / chord
    if length <= chord * (1.0 + 1e-9):
        slope = np.broadcast_to(along * (chord / length), (elements + 1, 3))
        return np.hstack([0.5 * (a + b) + 0.5 * chord * s * along, slope])
    out = np.asarray(bow, dtype=np.float64)
    out = out - dot(out, along) * along
    if not norm(out) > 1e-9:
        out = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    out = unit(out)
    phi = half_angle(chord / length)
    radius = 0.5 * length / phi
    sines, cosines = (np.array([function(angle) for angle in phi * s[:, 0]])[:, None] for function in (sin, cos))
    points = 0.5 * (a + b) + radius * (sines * along + (cosines - cos(phi)) * out)
    return np.hstack([points, cosines * along - sines * out])


def half_angle(ratio: float) -> float:
    """Solve sin(phi)/phi = ratio for phi in (0, pi), ratio in (0, 1)."""
    low, high = 0.0, math.pi
    while high - low > 1e-15 * high:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if sin(middle) > ratio * middle else (low, middle)
    return 0.5 * (low + high)


def length_reader(path: str, value: Any) -> float | tuple[float, ...]:
    """Read one length (m) for all cables, or one for each."""
    positive = tables.number(0.0, above=True)
    return tables.listing(positive)(path, value) if isinstance(value, list | tuple) else positive(path, value)


def lengths_of(element: Element, given: float | tuple[float, ...] | None, firsts: Floats, lasts: Floats) -> list[float]:
    """Return the length of each cable, m. ValueError if one is not positive."""
    chords = norm(lasts - firsts)
    lengths = chords if given is None else np.broadcast_to(given, chords.shape) if np.shape(given) in (
        (), chords.shape) else None
    if lengths is None:
        fail(element, "length", given, f"must be one number or one for each of the {len(chords)} cables")
    for k, (length, chord) in enumerate(zip(lengths, chords, strict=True)):
        if not (np.isfinite(length) and length > 0.0 and chord > 0.0):
            fail(element, "length" if given is not None else f"last_points[{k}]", float(length),
                 "a cable must have a length above zero, and its ends must not be at one place")
    return [float(length) for length in lengths]
