"""The snare: cables between a fixed and a turning ring, drawn in by a carriage (docs/snare.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Design, driven_body, fail, path_of
from contactlib.elements.cable import Anchor, Cable, Points, Touching, arc, length_reader, lengths_of, record
from contactlib.elements.drive import MODES, STILL, Drive
from contactlib.shapes.polytopes import rows_of_three
from contactlib.shapes.quaternion import rotate

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


#: in the order in which the core numbers them (core/element/snare/control.hpp)
COMMANDS = engine.LEE_COMMANDS

AXIS: tuple[float, ...] = (0.0, 0.0, 1.0)
ORIGIN: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Snare(Touching):
    """Cables between points fixed to a base and points on a ring that turns on it; a carriage moves all of them.

    Parameters
    ----------
    name : of the element; its variables are `name.ring_angle` and so on.
    base : the body that carries ring and carriage.
    cable : what the cables are made of.
    fixed_points, moving_points : m, axes of the base, ring and carriage at 0: where each cable begins, and where it
        ends on the ring.
    length : m, without load: one for all or one for each.
    axis, center : of the ring, axes of the base (of any length but zero; m); the carriage moves along the axis.
    ring, carriage : how they are moved.
    carriage_body : a driven body that stands where the base stands and moves with the carriage: what is pushed by it.
    control : numbers of the control logic, by name (docs/lee.md); none: commands are voltages.
    command : of the control at the start, one of `COMMANDS`.
    touches, friction, cable_friction, break_load, max_touches : see `Touching`.
    """

    name: str
    base: str
    cable: Cable
    fixed_points: Points
    moving_points: Points
    length: float | tuple[float, ...]
    axis: tuple[float, ...] = AXIS
    center: tuple[float, ...] = ORIGIN
    ring: Drive = STILL
    carriage: Drive = STILL
    carriage_body: str | None = None
    control: tuple[tuple[str, float], ...] = ()
    command: str = "hold"
    kind: ClassVar[str] = "snare"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """From a table [[snare]] of a scene file; ValueError with the key's path."""
        del folder
        points = tables.listing(tables.vector(3))
        result = cls(
            name=table.take("name", tables.name),
            base=table.take("base", tables.text),
            cable=Cable.read(table.table("cable")),
            fixed_points=table.take("fixed_points", points),
            moving_points=table.take("moving_points", points),
            length=table.take("length", length_reader),
            axis=table.take("axis", tables.vector(3), AXIS),
            center=table.take("center", tables.vector(3), ORIGIN),
            ring=Drive.read(table.table("ring")),
            carriage=Drive.read(table.table("carriage")),
            carriage_body=table.take("carriage_body", tables.text, None),
            control=_control(table.table("control")),
            command=table.take("command", tables.choice(COMMANDS), "hold"),
            **cls.taken(table),
        )
        table.finish()
        return result

    def holders(self) -> tuple[str | None, ...]:
        """The base of ring and carriage."""
        return (self.base,)

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Its rings, what moves them, what its cables touch, and where they hang at the start."""
        self.cable.check(path_of(self, "cable"))
        fixed, moving = (rows_of_three(path_of(self, key), points) for key, points in
                         (("fixed_points", self.fixed_points), ("moving_points", self.moving_points)))
        if len(fixed) < 1 or len(moving) != len(fixed):
            fail(self, "moving_points", self.moving_points, f"must have a point for each of the {len(fixed)} "
                 "fixed_points")
        axis = np.array(tables.vector(3)(path_of(self, "axis"), list(self.axis)))
        if not np.linalg.norm(axis) > 0.0:
            fail(self, "axis", self.axis, "must not be zero")
        axis = axis / np.linalg.norm(axis)
        center = np.array(tables.vector(3)(path_of(self, "center"), list(self.center)))
        tables.choice(COMMANDS)(path_of(self, "command"), self.command)
        self.ring.check(path_of(self, "ring"))
        self.carriage.check(path_of(self, "carriage"))
        if self.control:
            _control(Table(dict(self.control), path_of(self, "control")))
        names = self.bodies_with((self.base,), bodies)
        carriage_body = driven_body(self, "carriage_body", self.carriage_body, names, bodies)
        begins = fixed + self.carriage.start * axis
        half = 0.5 * self.ring.start
        turn = np.array([math.cos(half), *(math.sin(half) * axis)])
        ends = np.array([center + rotate(turn, p - center) for p in moving]) + self.carriage.start * axis
        lengths = lengths_of(self, self.length, begins, ends)
        integers, numbers = self.contact_integers(bodies), [*center.tolist(), *axis.tolist()]
        for drive in (self.ring, self.carriage):
            integers.append(MODES.index(drive.mode))
            numbers += drive.numbers()
        integers += [carriage_body, int(bool(self.control))]
        numbers += [value for _, value in self.control]
        for k, length in enumerate(lengths):
            out = 0.5 * (begins[k] + ends[k]) - center
            nodes = arc(begins[k], ends[k], length, out - (out @ axis) * axis, self.cable.elements)
            of_cable = record(self.cable, Anchor(0, fixed[k].tolist(), slides=True),
                              Anchor(0, moving[k].tolist(), turns=True, slides=True), length, nodes)
            integers += of_cable[0]
            numbers += of_cable[1]
        return Design(
            bodies=tuple(names),
            parameters=self.parameters(),
            commands={"command": float(COMMANDS.index(self.command))},
            ports=len(lengths),
            numbers=numbers,
            integers=integers,
        )

    def summary(self) -> str:
        """What it is, on one line."""
        control = "with its control" if self.control else "without control"
        return (f"{len(self.fixed_points)} cables on '{self.base}', {self.cable.elements} elements each, ring by "
                f"{self.ring.mode}, carriage by {self.carriage.mode}, {control}, on {self.touched}")


def _control(table: Table) -> tuple[tuple[str, float], ...]:
    """All numbers of the control logic in the core's order, or none; ValueError with key and value."""
    if not table.values:
        return ()
    found = tuple((name, table.take(name, tables.number())) for name, *_ in engine.control_rows())
    table.finish()
    try:
        engine.Control([value for _, value in found])
    except ValueError as error:
        raise ValueError(f"{table.path}: {error}") from None
    return found
