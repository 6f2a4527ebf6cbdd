"""The thruster: a force with a fixed point and direction in its body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from contactlib.common import tables
from contactlib.common.elementary import hypot
from contactlib.common.tables import Table
from contactlib.elements.base import Design, Kind, body_of, fail, path_of

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


ORIGIN: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Thruster(Kind):
    """A force on a body at a fixed point and in a fixed direction of that body, from a start time on.

    Parameters
    ----------
    name : name of the element; its variables are `name.force` and so on.
    body : the body on which the force acts.
    direction : direction of the force in body axes, of any length except zero.
    force : N, at throttle 1; a negative force pulls.
    position : m, point of attack in body axes.
    start : s, time since the start of the scene; the force acts in steps of the core that begin at it or later.
    throttle : ratio of the thrust to `force`, a command.

    Examples
    --------
    >>> Thruster("engine", "tug", (0, 0, 1), 475.0, start=5.0).summary()
    "pushes 'tug' with 475 N from 5 s on"
    """

    name: str
    body: str
    direction: tuple[float, ...]
    force: float
    position: tuple[float, ...] = ORIGIN
    start: float = 0.0
    throttle: float = 1.0
    kind: ClassVar[str] = "thruster"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[thruster]] of a scene file. A ValueError has the key's path."""
        del folder
        result = cls(
            name=table.take("name", tables.name),
            body=table.take("body", tables.text),
            direction=table.take("direction", tables.vector(3)),
            force=table.take("force", tables.number()),
            position=table.take("position", tables.vector(3), ORIGIN),
            start=table.take("start", tables.number(), 0.0),
            throttle=table.take("throttle", tables.number(0.0), 1.0),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return point and direction of the force."""
        body_of(self, "body", self.body, bodies)
        direction, position = (tables.vector(3)(path_of(self, key), list(value))
                               for key, value in (("direction", self.direction), ("position", self.position)))
        length = hypot(*direction)
        if not length > 0.0:
            fail(self, "direction", self.direction, "must not be zero")
        return Design(
            bodies=(self.body,),
            parameters={"force": self.force, "start": self.start},
            commands={"throttle": self.throttle},
            ports=0,
            numbers=[*position, *(x / length for x in direction)],
            integers=[],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        return f"pushes '{self.body}' with {self.force:g} N from {self.start:g} s on"
