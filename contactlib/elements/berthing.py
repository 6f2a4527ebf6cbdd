"""The control of a berthing mechanism: leads latches, looks at indicators (docs/berthing_control.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Design, Element, OneRow, fail, path_of

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


#: in the order in which the core numbers them (core/element/berthing/control.hpp)
COMMANDS = engine.BERTHING_COMMANDS
LATCHES, INDICATORS = ("latch", "latch_drive"), ("indicator",)


@dataclass(frozen=True)
class Berthing(OneRow):
    """The command sequence of berthing: ready to latch, capture, hold, berth, hold, open.

    At the end of each step it looks at its latches and indicators, and tells each latch what to do in the next one. A
    latch that it leads obeys its own inputs in `manual` only.

    Parameters
    ----------
    name : of the element; its variables are `name.command`, `name.phase` and so on.
    latches : names of the latches that it leads, and of nobody else's; from 1 to 8, `[[latch]]` or `[[latch_drive]]`.
    indicators : names of the indicators whose switches it reads: the other ring is near.
    seats : of those that show that it is drawn in, besides.
    control : its numbers, by name.
    command : at the start, one of `COMMANDS`.
    """

    name: str
    latches: tuple[str, ...]
    indicators: tuple[str, ...]
    control: tuple[tuple[str, float], ...]
    seats: tuple[str, ...] = ()
    command: str = "hold"
    kind: ClassVar[str] = "berthing"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """From a table [[berthing]] of a scene file; ValueError with the key's path."""
        del folder
        names = tables.listing(tables.text)
        latches, indicators = tuple(table.take("latches", names)), tuple(table.take("indicators", names))
        seats = tuple(table.take("seats", names, tuple[str, ...]()))
        result = cls(
            name=table.take("name", tables.name),
            latches=latches,
            indicators=indicators,
            control=_control(table.table("control"), (latches, indicators, seats)),
            seats=seats,
            command=table.take("command", tables.choice(COMMANDS), "hold"),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Its numbers, and whom it leads and watches."""
        del bodies
        tables.choice(COMMANDS)(path_of(self, "command"), self.command)
        others = (self.latches, self.indicators, self.seats)
        control = _control(Table(dict(self.control), path_of(self, "control")), others)
        return Design(
            bodies=(),
            parameters={},
            commands={"command": float(COMMANDS.index(self.command))},
            ports=len(self.latches),
            numbers=[value for _, value in control],
            integers=[],
            others=others,
        )

    def summary(self) -> str:
        """What it is, on one line."""
        numbers = dict(self.control)
        return (f"{numbers['latches_needed']:g} of {len(self.latches)} latches, ready by "
                f"{numbers['indicators_needed']:g} of {len(self.indicators)} indicators")


def check_leads(elements: Sequence[Element]) -> None:
    """ValueError unless each berthing control names latches and indicators, and no latch is named twice."""
    kinds = {element.name: element.kind for element in elements}
    leaders: dict[str, str] = {}
    for element in elements:
        if not isinstance(element, Berthing):
            continue
        for key, allowed in (("latches", LATCHES), ("indicators", INDICATORS), ("seats", INDICATORS)):
            names = getattr(element, key)
            for name in names:
                known = [other for other, kind in kinds.items() if kind in allowed]
                if name not in known:
                    raise ValueError(f"{path_of(element, key)} has '{name}': there is no such {allowed[0]}; "
                                     f"{tables.hint(name, known)}")
                if names.count(name) > 1:
                    fail(element, key, name, "must name each only once")
                if key == "latches" and leaders.setdefault(name, element.name) != element.name:
                    fail(element, key, name, f"must be led by one only, and '{leaders[name]}' leads it")


def _control(table: Table, others: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, float], ...]:
    """All numbers of the control logic in the core's order; ValueError with key and value."""
    found = tuple((name, table.take(name, tables.number())) for name, *_ in engine.berthing_rows())
    table.finish()
    try:
        engine.Berthing([value for _, value in found], *map(len, others))
    except ValueError as error:
        raise ValueError(f"{table.path}: {error}") from None
    return found
