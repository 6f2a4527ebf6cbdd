"""Cables between bodies, which touch shapes and each other (docs/snare.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Design, fail, path_of, start_pose
from contactlib.elements.cable import Cable, CableEnd, Floats, Points, Touching, arc, length_reader, lengths_of, record
from contactlib.shapes.polytopes import rows_of_three
from contactlib.shapes.quaternion import rotate

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


FREE_ENDS = ("none", "first", "last", "both")
BOW: tuple[float, ...] = (0.0, 0.0, -1.0)


@dataclass(frozen=True)
class Cables(Touching):
    """Cables between points of two bodies, with contact on shapes and on each other.

    Parameters
    ----------
    name : name of the element; its variables are `name.tension[1]` and so on.
    cable : material and discretisation of all cables.
    first_points, last_points : m, body axes, attachment points of the first and last end of each cable.
    length : m, without load, one for all or one for each; None: the initial distance of the points.
    first_body, last_body : names of the bodies with the points; None is the world.
    free_ends : ends without attachment, one of `FREE_ENDS`.
    bow : direction towards which a cable longer than the distance of its ends curves at the start, axes of
        `first_body`.
    nodes : instead of arcs, initial positions (m) and slopes of the nodes of each cable, axes of `first_body`.
    touches, friction, cable_friction, break_load, max_touches : see `Touching`.

    Examples
    --------
    >>> rope = Cable(radius=1.6e-3, axial_stiffness=4e5, bending_stiffness=0.01, line_density=0.035)
    >>> Cables("ropes", rope, ((0, 0, 0),), ((1, 0, 0),), length=1.2, touches=("drum",)).summary()
    "1 cable from the world to the world, 10 elements each, on 'drum'"
    """

    name: str
    cable: Cable
    first_points: Points
    last_points: Points
    length: float | tuple[float, ...] | None = None
    first_body: str | None = None
    last_body: str | None = None
    free_ends: str = "none"
    bow: tuple[float, ...] = BOW
    nodes: tuple[tuple[tuple[float, ...], ...], ...] | None = None
    kind: ClassVar[str] = "cables"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[cables]] of a scene file. A ValueError has the key's path."""
        del folder
        points, body = tables.listing(tables.vector(3)), tables.text
        result = cls(
            name=table.take("name", tables.name),
            cable=Cable.read(table.table("cable")),
            first_points=table.take("first_points", points),
            last_points=table.take("last_points", points),
            length=table.take("length", length_reader, None),
            first_body=table.take("first_body", body, None),
            last_body=table.take("last_body", body, None),
            free_ends=table.take("free_ends", tables.choice(FREE_ENDS), "none"),
            bow=table.take("bow", tables.vector(3), BOW),
            nodes=table.take("nodes", tables.listing(tables.listing(tables.vector(6))), None),
            **cls.taken(table),
        )
        table.finish()
        return result

    def holders(self) -> tuple[str | None, ...]:
        """Names of the bodies at the first and last ends."""
        return (self.first_body, self.last_body)

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return attachments, contact shapes and initial nodes."""
        self.cable.check(path_of(self, "cable"))
        firsts, lasts = (rows_of_three(path_of(self, key), points) for key, points in
                         (("first_points", self.first_points), ("last_points", self.last_points)))
        count = len(firsts)
        if count < 1 or len(lasts) != count:
            fail(self, "last_points", self.last_points, f"must have a point for each of the {count} first_points")
        names = self.bodies_with((self.first_body, self.last_body), bodies)
        X_WF, X_WL = start_pose(self.first_body, bodies), start_pose(self.last_body, bodies)
        ends = np.array([_seen_from(X_WF, X_WL[:3] + rotate(X_WL[3:], last)) for last in lasts])
        lengths = lengths_of(self, self.length, firsts, ends)
        integers, numbers = self.contact_integers(bodies), []
        for k in range(count):
            first = CableEnd(0, firsts[k].tolist(), free=self.free_ends in ("first", "both"))
            last = CableEnd(names.index(self.last_body), lasts[k].tolist(), free=self.free_ends in ("last", "both"))
            of_cable = record(self.cable, first, last, lengths[k], self._nodes(k, firsts[k], ends[k], lengths[k]))
            integers += of_cable[0]
            numbers += of_cable[1]
        return Design(
            bodies=tuple(names),
            parameters=self.parameters(),
            commands={},
            ports=count,
            numbers=numbers,
            integers=integers,
        )

    def summary(self) -> str:
        """Return a description on one line."""
        count = len(self.first_points)
        first, last = ("the world" if body is None else f"'{body}'" for body in (self.first_body, self.last_body))
        return (f"{count} cable{'s' if count > 1 else ''} from {first} to {last}, {self.cable.elements} elements each, "
                f"on {self.touched}")

    def _nodes(self, k: int, first: Floats, last: Floats, length: float) -> Floats:
        if self.nodes is None:
            return arc(first, last, length, self.bow, self.cable.elements)
        given = np.array(self.nodes[k] if k < len(self.nodes) else (), dtype=np.float64)
        if len(self.nodes) != len(self.first_points) or given.shape != (self.cable.elements + 1, 6):
            raise ValueError(f"{path_of(self, 'nodes')} must hold {len(self.first_points)} cables of "
                             f"{self.cable.elements + 1} nodes of 6 numbers")
        if not np.isfinite(given).all():
            raise ValueError(f"{path_of(self, 'nodes')}[{k}] must hold finite numbers")
        return given


def _seen_from(X_WB: Floats, p_W: Floats) -> Floats:
    """Return a point of the world in the axes of a body."""
    return np.asarray(rotate(X_WB[3:] * [1, -1, -1, -1], p_W - X_WB[:3]))
