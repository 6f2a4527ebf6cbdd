"""Cables between bodies, which touch shapes and each other (docs/snare.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from contactlib import tables
from contactlib.elements.base import Design, Element, body_of, fail, path_of, start_pose
from contactlib.elements.cable import MOST_TOUCHES, Anchor, Cable, Floats, Points, arc, length_reader, record, shapes_of
from contactlib.groups import FlatBody, turned
from contactlib.surfaces import rows_of_three
from contactlib.tables import Table

FREE_ENDS = ("none", "first", "last", "both")
BOW: tuple[float, ...] = (0.0, 0.0, -1.0)


@dataclass(frozen=True)
class Cables:
    """Cables that hang between points of two bodies, pull on both, and touch shapes and each other.

    Parameters
    ----------
    name : of the element; its variables are `name.tension[1]` and so on.
    cable : what all of them are made of.
    first_points, last_points : m, in the axes of their bodies: where each cable begins and ends.
    length : m, without load: one for all or one for each; None: as far as the points are apart at the start.
    first_body, last_body : who carries the points; None is the world.
    free_ends : ends that are not held: one of `FREE_ENDS`.
    bow : which way cables that are longer than the way between their ends bend at the start, axes of `first_body`.
    nodes : instead of such arcs, for each cable its nodes' positions (m) and slopes at the start, axes of `first_body`.
    touches : bodies whose shapes the cables touch.
    friction, cable_friction : of cables on these shapes, and on each other.
    break_load : N, tension at which a cable comes off its last end; 0: never.
    max_touches : places of contact that there is room for.

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
    touches: tuple[str, ...] = ()
    friction: float = 0.0
    cable_friction: float = 0.0
    break_load: float = 0.0
    max_touches: int = 64
    kind: ClassVar[str] = "cables"

    @property
    def row(self) -> str:
        """Of the element table."""
        return self.kind

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """From a table [[cables]] of a scene file; ValueError with the key's path."""
        del folder
        points, body, at_least_zero = tables.listing(tables.vector(3)), tables.text, tables.number(0.0)
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
            touches=table.take("touches", tables.listing(body), ()),
            friction=table.take("friction", at_least_zero, 0.0),
            cable_friction=table.take("cable_friction", at_least_zero, 0.0),
            break_load=table.take("break_load", at_least_zero, 0.0),
            max_touches=table.take("max_touches", tables.integer(1, MOST_TOUCHES), 64),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Where it is anchored, what it touches, and where it hangs at the start."""
        self.cable.check(path_of(self, "cable"))
        firsts, lasts = (rows_of_three(path_of(self, key), points) for key, points in
                         (("first_points", self.first_points), ("last_points", self.last_points)))
        count = len(firsts)
        if count < 1 or len(lasts) != count:
            fail(self, "last_points", self.last_points, f"must have a point for each of the {count} first_points")
        names = bodies_of(self, (self.first_body, self.last_body), self.touches, bodies)
        X_WF, X_WL = start_pose(self.first_body, bodies), start_pose(self.last_body, bodies)
        ends = np.array([_seen_from(X_WF, X_WL[:3] + turned(X_WL[3:], last)) for last in lasts])
        lengths = lengths_of(self, self.length, firsts, ends)
        integers, numbers = contact_integers(self.touches, self.max_touches, bodies), []
        for k in range(count):
            first = Anchor(0, firsts[k].tolist(), free=self.free_ends in ("first", "both"))
            last = Anchor(names.index(self.last_body), lasts[k].tolist(), free=self.free_ends in ("last", "both"))
            of_cable = record(self.cable, first, last, lengths[k], self._nodes(k, firsts[k], ends[k], lengths[k]))
            integers += of_cable[0]
            numbers += of_cable[1]
        return Design(
            bodies=tuple(names),
            parameters={"friction": self.friction, "cable_friction": self.cable_friction,
                        "break_load": self.break_load},
            commands={},
            ports=count,
            numbers=numbers,
            integers=integers,
        )

    def summary(self) -> str:
        """What it is, on one line."""
        count = len(self.first_points)
        first, last = ("the world" if body is None else f"'{body}'" for body in (self.first_body, self.last_body))
        touches = ", ".join(f"'{body}'" for body in self.touches)
        return (f"{count} cable{'s' if count > 1 else ''} from {first} to {last}, {self.cable.elements} elements each, "
                f"on {touches or 'nothing'}")

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
    """A point of the world in a body's axes."""
    return np.asarray(turned(X_WB[3:] * [1, -1, -1, -1], p_W - X_WB[:3]))


def bodies_of(element: Element, anchors: tuple[str | None, ...], touches: tuple[str, ...],
              bodies: Mapping[str, FlatBody]) -> list[str | None]:
    """All bodies of an element, each once, those of its anchors first; ValueError where one does not exist."""
    for name in anchors:
        if name is not None:
            body_of(element, "body", name, bodies)
    for name in touches:
        if not body_of(element, "touches", name, bodies).shapes:
            fail(element, "touches", name, "must be a body with shapes")
    return list(dict.fromkeys((*anchors, *touches)))


def lengths_of(element: Element, given: float | tuple[float, ...] | None, firsts: Floats, lasts: Floats) -> list[float]:
    """Of each cable, m; ValueError where one is none."""
    chords = np.linalg.norm(lasts - firsts, axis=1)
    lengths = chords if given is None else np.broadcast_to(given, chords.shape) if np.shape(given) in (
        (), chords.shape) else None
    if lengths is None:
        fail(element, "length", given, f"must be one number or one for each of the {len(chords)} cables")
    for k, (length, chord) in enumerate(zip(lengths, chords, strict=True)):
        if not (np.isfinite(length) and length > 0.0 and chord > 0.0):
            fail(element, "length" if given is not None else f"last_points[{k}]", float(length),
                 "a cable must have a length above zero, and its ends must not be at one place")
    return [float(length) for length in lengths]


def contact_integers(touches: tuple[str, ...], most: int, bodies: Mapping[str, FlatBody]) -> list[int]:
    """Room for contacts, and which shapes cables touch."""
    shapes = shapes_of(touches, bodies)
    return [most, len(shapes), *shapes]
