"""The tether: a massless line with a spring and a damper between two points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Design, Kind, body_of, fail, path_of

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


ORIGIN: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Tether(Kind):
    """Line between points of two bodies that pulls if it is longer than `length`.

    The tension is T = max(0, k s + c ds/dt) with the elongation s > 0, and 0 where the line is slack.

    Parameters
    ----------
    name : name of the element; its variables are `name.tension` and so on.
    first_body, last_body : names of two different bodies; None for one of them is the world.
    stiffness, damping : k in N/m and c in N s/m.
    length : m, distance of the two points up to which the tether is slack.
    first_point, last_point : m, the attachment points in body axes; in world axes for the world.

    Examples
    --------
    >>> Tether("line", "tug", "capsule", stiffness=2e3, damping=50.0, length=10.0).summary()
    "'tug' to 'capsule', slack up to 10 m, stiffness 2000 N/m, damping 50 N s/m"
    """

    name: str
    first_body: str | None
    last_body: str | None
    stiffness: float
    damping: float = 0.0
    length: float = 0.0
    first_point: tuple[float, ...] = ORIGIN
    last_point: tuple[float, ...] = ORIGIN
    kind: ClassVar[str] = "tether"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[tether]] of a scene file. A ValueError has the key's path."""
        del folder
        at_least_zero = tables.number(0.0)
        result = cls(
            name=table.take("name", tables.name),
            first_body=table.take("first_body", tables.text, None),
            last_body=table.take("last_body", tables.text, None),
            stiffness=table.take("stiffness", at_least_zero),
            damping=table.take("damping", at_least_zero, 0.0),
            length=table.take("length", at_least_zero, 0.0),
            first_point=table.take("first_point", tables.vector(3), ORIGIN),
            last_point=table.take("last_point", tables.vector(3), ORIGIN),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the two bodies and the attachment points."""
        names = (self.first_body, self.last_body)
        for key, name in zip(("first_body", "last_body"), names, strict=True):
            if name is not None:
                body_of(self, key, name, bodies)
        if self.first_body == self.last_body:
            fail(self, "last_body", self.last_body, "must differ from first_body; leave out one of them for the world")
        points = (tables.vector(3)(path_of(self, key), list(point))
                  for key, point in (("first_point", self.first_point), ("last_point", self.last_point)))
        return Design(
            bodies=names,
            parameters={"stiffness": self.stiffness, "damping": self.damping, "length": self.length},
            commands={},
            ports=0,
            numbers=[x for point in points for x in point],
            integers=[],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        first, last = ("the world" if body is None else f"'{body}'" for body in (self.first_body, self.last_body))
        return (f"{first} to {last}, slack up to {self.length:g} m, stiffness {self.stiffness:g} N/m, "
                f"damping {self.damping:g} N s/m")
