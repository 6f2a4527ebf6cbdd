"""The indicator: a paddle or a plunger with a spring, stops and a switch (docs/latch.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.common.vectors import norm, unit
from contactlib.elements.base import Design, Kind, body_of, driven_body, fail, path_of

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


MOTIONS = ("paddle", "plunger")
ORIGIN: tuple[float, ...] = (0.0, 0.0, 0.0)
UPRIGHT: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Indicator(Kind):
    """A driven body on a spring, with a switch that closes from a given travel on.

    Parameters
    ----------
    name : name of the element; its variables are `name.travel` and so on.
    base : name of the body on which it is mounted.
    body : name of the driven body whose shapes are pressed.
    motion : "paddle" rotates about `axis` through `pivot`; "plunger" slides along `axis` when pressed.
    axis : base axes, of any length except zero.
    travel : rad or m, from rest to the stop.
    stiffness, preload, damping : spring and damper, N m/rad, N m, N m s/rad, or N/m, N, N s/m.
    inertia : kg m2 about the pivot, or kg.
    switch_on, switch_off : travel above which the switch closes, and below which it opens.
    position, attitude : origin (m) and quaternion of its body at rest, base axes.
    pivot : m, base axes, only of a paddle.

    Examples
    --------
    >>> Indicator("ready", "ring", "pin", "plunger", (0, 0, -1), travel=0.02, stiffness=500.0, inertia=0.1,
    ...           switch_on=0.015).summary()
    "'pin' on 'ring', a plunger of 0.02 m, shows from 0.015 m on"
    """

    name: str
    base: str
    body: str
    motion: str
    axis: tuple[float, ...]
    travel: float
    stiffness: float
    inertia: float
    switch_on: float
    switch_off: float | None = None
    preload: float = 0.0
    damping: float = 0.0
    position: tuple[float, ...] = ORIGIN
    attitude: tuple[float, ...] = UPRIGHT
    pivot: tuple[float, ...] = ORIGIN
    kind: ClassVar[str] = "indicator"

    @property
    def row(self) -> str:
        """Name of the row in the core: units differ with the motion."""
        return self.motion if self.motion in MOTIONS else MOTIONS[0]

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[indicator]] of a scene file. A ValueError has the key's path."""
        del folder
        positive, at_least_zero = tables.number(0.0, above=True), tables.number(0.0)
        result = cls(
            name=table.take("name", tables.name),
            base=table.take("base", tables.text),
            body=table.take("body", tables.text),
            motion=table.take("motion", tables.choice(MOTIONS)),
            axis=table.take("axis", tables.vector(3)),
            travel=table.take("travel", positive),
            stiffness=table.take("stiffness", at_least_zero),
            inertia=table.take("inertia", positive),
            switch_on=table.take("switch_on", at_least_zero),
            switch_off=table.take("switch_off", at_least_zero, None),
            preload=table.take("preload", at_least_zero, 0.0),
            damping=table.take("damping", at_least_zero, 0.0),
            position=table.take("position", tables.vector(3), ORIGIN),
            attitude=table.take("attitude", tables.quaternion, UPRIGHT),
            pivot=table.take("pivot", tables.vector(3), ORIGIN),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return position and travel."""
        tables.choice(MOTIONS)(path_of(self, "motion"), self.motion)
        body_of(self, "base", self.base, bodies)
        names: list[str | None] = [self.base]
        driven_body(self, "body", self.body, names, bodies)
        axis = np.array(tables.vector(3)(path_of(self, "axis"), list(self.axis)))
        if not norm(axis) > 0.0:
            fail(self, "axis", self.axis, "must not be zero")
        travel = tables.number(0.0, above=True)(path_of(self, "travel"), self.travel)
        off = self.switch_on if self.switch_off is None else self.switch_off
        if not off <= self.switch_on <= travel:
            fail(self, "switch_on", self.switch_on, f"must lie between switch_off = {off:g} and travel = {travel:g}")
        position, pivot = (tables.vector(3)(path_of(self, key), list(value))
                           for key, value in (("position", self.position), ("pivot", self.pivot)))
        attitude = np.array(tables.quaternion(path_of(self, "attitude"), list(self.attitude)))
        return Design(
            bodies=tuple(names),
            parameters={"stiffness": self.stiffness, "preload": self.preload, "damping": self.damping,
                        "inertia": self.inertia, "switch_on": self.switch_on,
                        "switch_off": np.nextafter(off, -1.0) if off == self.switch_on else off},
            commands={},
            ports=0,
            numbers=[*pivot, *unit(axis).tolist(), *position,
                     *unit(attitude).tolist(), travel],
            integers=[int(self.motion == "paddle")],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        unit = "rad" if self.motion == "paddle" else "m"
        return (f"'{self.body}' on '{self.base}', a {self.motion} of {self.travel:g} {unit}, shows from "
                f"{self.switch_on:g} {unit} on")
