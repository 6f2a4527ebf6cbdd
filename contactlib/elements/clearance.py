"""The clearance: the distance of a body from another one, or from all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Design, Kind, body_of, fail

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


@dataclass(frozen=True)
class Clearance(Kind):
    """Distance between the nearest shapes of two bodies, and the nearest points. A clearance applies no force.

    The distances are those of `contactlib.distances`. Pairs of two sockets or two planes have none and are left out.

    Parameters
    ----------
    name : name of the element; its variables are `name.distance` and so on.
    first_body : name of the body that is watched.
    last_body : name of the other body; None: all other bodies, of which the nearest counts.
    margin : m, a larger distance is not measured, which saves time.

    Examples
    --------
    >>> Clearance("gap", "peg", "hole", margin=0.2).summary()
    "'peg' to 'hole', up to 0.2 m"
    """

    name: str
    first_body: str
    last_body: str | None = None
    margin: float = 1e3
    kind: ClassVar[str] = "clearance"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[clearance]] of a scene file. A ValueError has the key's path."""
        del folder
        result = cls(
            name=table.take("name", tables.name),
            first_body=table.take("first_body", tables.text),
            last_body=table.take("last_body", tables.text, None),
            margin=table.take("margin", tables.number(0.0, above=True), 1e3),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the bodies. A ValueError names a key whose bodies have no distance."""
        first = body_of(self, "first_body", self.first_body, bodies)
        others = [body for body in bodies.values() if body is not first]
        if self.last_body is not None:
            others = [body_of(self, "last_body", self.last_body, bodies)]
            if others[0] is first:
                fail(self, "last_body", self.last_body, "must differ from first_body; leave it out for all others")
        if not any(_has_distance(first, other) for other in others):
            key, value = ("first_body", self.first_body) if self.last_body is None else ("last_body", self.last_body)
            fail(self, key, value, "no pair of shapes has a distance: both bodies need a shape, and two sockets or two "
                                   "planes have no distance")
        return Design(
            bodies=(self.first_body,) if self.last_body is None else (self.first_body, self.last_body),
            parameters={"margin": self.margin},
            commands={},
            ports=0,
            numbers=[],
            integers=[],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        other = "all other bodies" if self.last_body is None else f"'{self.last_body}'"
        return f"'{self.first_body}' to {other}, up to {self.margin:g} m"


def _has_distance(first: FlatBody, other: FlatBody) -> bool:
    kinds = list(engine.shape_kinds())
    return any(engine.has_distance(kinds.index(a.shape.kind), kinds.index(b.shape.kind))
               for a in first.shapes for b in other.shapes)
