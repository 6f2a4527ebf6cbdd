"""The latch: a four-bar linkage with a motor at its crank (docs/latch.md)."""

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
from contactlib.common.vectors import unit
from contactlib.elements.base import Design, body_of, driven_body, path_of
from contactlib.elements.drive import MODES, Motorised

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


BRANCHES = ("open", "crossed")
ORIGIN: tuple[float, ...] = (0.0, 0.0, 0.0)
SAMPLES = 721  # angles between the stops at which the linkage is tried


@dataclass(frozen=True)
class Latch(Motorised):
    """Linkage of crank, coupler and rocker on a base. The links are driven bodies whose shapes can touch others.

    The axes of the linkage are fixed to the base: x from the pivot of the crank to that of the rocker, z along both
    pivots. The body of a link has its origin at the first pivot of the link (crank and rocker at the base, coupler at
    the end of the crank), x along the link and the same z. Links have no mass: contact forces on them act on the base
    and the crank.

    Parameters
    ----------
    name : name of the element; its variables are `name.angle` and so on.
    base : name of the body with the pivots.
    ground, crank, coupler, rocker : m, distance of the pivots, and lengths of the links.
    position : m, base axes, pivot of the crank.
    attitude : quaternion of the axes of the linkage, base axes.
    branch : "open" or "crossed": which of the two assemblies of the four-bar linkage (docs/latch.md).
    crank_body, coupler_body, rocker_body : names of the driven bodies of the links; optional for links without shapes.
    motor, voltage, power, brake : see `Motorised`; `start` and the stops of the motor are angles from x, rad.
    """

    name: str
    base: str
    ground: float
    crank: float
    coupler: float
    rocker: float
    position: tuple[float, ...] = ORIGIN
    attitude: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    branch: str = "open"
    crank_body: str | None = None
    coupler_body: str | None = None
    rocker_body: str | None = None
    kind: ClassVar[str] = "latch"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[latch]] of a scene file. A ValueError has the key's path."""
        del folder
        positive, body = tables.number(0.0, above=True), tables.text
        result = cls(
            name=table.take("name", tables.name),
            base=table.take("base", body),
            ground=table.take("ground", positive),
            crank=table.take("crank", positive),
            coupler=table.take("coupler", positive),
            rocker=table.take("rocker", positive),
            position=table.take("position", tables.vector(3), ORIGIN),
            attitude=table.take("attitude", tables.quaternion, (1.0, 0.0, 0.0, 0.0)),
            branch=table.take("branch", tables.choice(BRANCHES), "open"),
            crank_body=table.take("crank_body", body, None),
            coupler_body=table.take("coupler_body", body, None),
            rocker_body=table.take("rocker_body", body, None),
            **cls.taken(table),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return its links. Checks the linkage at every angle between the stops."""
        body_of(self, "base", self.base, bodies)
        self.motor.check_motor(path_of(self, "motor"))
        names: list[str | None] = [self.base]
        links = [driven_body(self, key, getattr(self, key), names, bodies)
                 for key in ("crank_body", "coupler_body", "rocker_body")]
        lengths = (self.ground, self.crank, self.coupler, self.rocker)
        sign = 1.0 if self.branch == "open" else -1.0
        for angle in np.linspace(self.motor.low, self.motor.high, SAMPLES):
            if engine.four_bar((*lengths, sign), angle) is None:
                raise ValueError(f"{path_of(self)}: the linkage of ground {self.ground:g}, crank {self.crank:g}, "
                                 f"coupler {self.coupler:g} and rocker {self.rocker:g} m does not reach, or is "
                                 f"stretched out, at {math.degrees(angle):.4g} deg between its stops")
        attitude = np.array(tables.quaternion(path_of(self, "attitude"), list(self.attitude)))
        attitude = unit(attitude)
        position = tables.vector(3)(path_of(self, "position"), list(self.position))
        return Design(
            bodies=tuple(names),
            parameters={},
            commands=self.commands(),
            ports=0,
            numbers=[*lengths, sign, *position, *attitude.tolist(), *self.motor.numbers()],
            integers=[*links, MODES.index(self.motor.mode)],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        return (f"on '{self.base}': ground {self.ground:g}, crank {self.crank:g}, coupler {self.coupler:g}, rocker "
                f"{self.rocker:g} m, from {math.degrees(self.motor.low):.4g} to "
                f"{math.degrees(self.motor.high):.4g} deg")
