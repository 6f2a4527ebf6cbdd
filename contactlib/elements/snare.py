"""The snare: cables between a fixed and a rotating ring, on a carriage (docs/snare.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.elementary import cos, sin
from contactlib.common.tables import Table
from contactlib.common.vectors import dot, norm, unit
from contactlib.elements.base import Design, driven_body, fail, path_of
from contactlib.elements.cable import Anchor, Cable, Points, Touching, arc, length_reader, lengths_of, record
from contactlib.elements.drive import FIXED_DRIVE, MODES, Drive
from contactlib.shapes.polytopes import rows_of_three
from contactlib.shapes.quaternion import rotate

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


#: in the order of the core's enum (core/element/snare/control.hpp)
COMMANDS = engine.LEE_COMMANDS

AXIS: tuple[float, ...] = (0.0, 0.0, 1.0)
ORIGIN: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Snare(Touching):
    """Cables between fixed points and points of a rotating ring. A carriage on a base moves all points.

    Parameters
    ----------
    name : name of the element; its variables are `name.ring_angle` and so on.
    base : name of the body with ring and carriage.
    cable : material and discretisation of the cables.
    fixed_points, moving_points : m, base axes with ring and carriage at 0: first end of each cable, and last end, on
        the ring.
    length : m, without load, one for all or one for each.
    axis, center : axis (of any length except zero) and centre (m) of the ring, base axes; the carriage moves along the
        axis.
    ring, carriage : their drives.
    carriage_body : name of a driven body that moves with the carriage; it coincides with the base at 0.
    control : parameters of the control logic by name (docs/lee.md); without them, commands are voltages.
    command : initial command of the control, one of `COMMANDS`.
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
    ring: Drive = FIXED_DRIVE
    carriage: Drive = FIXED_DRIVE
    carriage_body: str | None = None
    control: tuple[tuple[str, float], ...] = ()
    command: str = "hold"
    kind: ClassVar[str] = "snare"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[snare]] of a scene file. A ValueError has the key's path."""
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
        """Name of the base."""
        return (self.base,)

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return ring, carriage, their drives, contact shapes and initial nodes."""
        self.cable.check(path_of(self, "cable"))
        fixed, moving = (rows_of_three(path_of(self, key), points) for key, points in
                         (("fixed_points", self.fixed_points), ("moving_points", self.moving_points)))
        if len(fixed) < 1 or len(moving) != len(fixed):
            fail(self, "moving_points", self.moving_points, f"must have a point for each of the {len(fixed)} "
                 "fixed_points")
        axis = np.array(tables.vector(3)(path_of(self, "axis"), list(self.axis)))
        if not norm(axis) > 0.0:
            fail(self, "axis", self.axis, "must not be zero")
        axis = unit(axis)
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
        turn = np.array([cos(half), *(sin(half) * axis)])
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
            nodes = arc(begins[k], ends[k], length, out - dot(out, axis) * axis, self.cable.elements)
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
        """Return a description on one line."""
        control = "with its control" if self.control else "without control"
        return (f"{len(self.fixed_points)} cables on '{self.base}', {self.cable.elements} elements each, ring by "
                f"{self.ring.mode}, carriage by {self.carriage.mode}, {control}, on {self.touched}")


def _control(table: Table) -> tuple[tuple[str, float], ...]:
    """Return all parameters of the control logic in the order of the core, or none. ValueError with key and value."""
    if not table.values:
        return ()
    found = tuple((name, table.take(name, tables.number())) for name, *_ in engine.control_rows())
    table.finish()
    try:
        engine.Control([value for _, value in found])
    except ValueError as error:
        raise ValueError(f"{table.path}: {error}") from None
    return found
