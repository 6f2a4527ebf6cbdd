"""The control of a berthing mechanism: it commands latches and reads indicators (docs/berthing_control.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Design, Kind, Stage, fail, path_of

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody
    from contactlib.model.spec import Spec


#: in the order of the core's enum (core/element/berthing/control.hpp)
COMMANDS = engine.BERTHING_COMMANDS
LATCHES, INDICATORS = ("latch", "latch_drive"), ("indicator",)


@dataclass(frozen=True)
class Berthing(Kind):
    """Control of a berthing mechanism: wait for the passive ring, capture, hold, berth, hold, open.

    At the end of each step the control reads its latches and indicators, and sets the motor and the brake of each latch
    for the next step. A latch with a control uses its own inputs in the phase `manual` only.

    Parameters
    ----------
    name : name of the element; its variables are `name.command`, `name.phase` and so on.
    latches : names of 1 to 8 elements `latch` or `latch_drive` without another control.
    indicators : names of the indicators whose closed switches mean that the passive ring is near.
    seats : names of the indicators whose closed switches mean that the passive ring is on its seat.
    control : parameters of the control by name (docs/berthing_control.md).
    command : initial command, one of `COMMANDS`.
    """

    name: str
    latches: tuple[str, ...]
    indicators: tuple[str, ...]
    control: tuple[tuple[str, float], ...]
    seats: tuple[str, ...] = ()
    command: str = "hold"
    kind: ClassVar[str] = "berthing"
    stage: ClassVar[Stage] = Stage.LEADERS

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[berthing]] of a scene file. A ValueError has the key's path."""
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

    def check_with(self, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        """Raise ValueError unless each latch and indicator exists, is named once, and has no other control."""
        del bodies
        elements = spec.elements
        for key, allowed in (("latches", LATCHES), ("indicators", INDICATORS), ("seats", INDICATORS)):
            known = [element.name for element in elements if element.kind in allowed]
            names = getattr(self, key)
            for name in names:
                if name not in known:
                    raise ValueError(f"{path_of(self, key)} has '{name}': there is no such {allowed[0]}; "
                                     f"{tables.hint(name, known)}")
                if names.count(name) > 1:
                    fail(self, key, name, "must name each only once")
        others = elements[:[element.name for element in elements].index(self.name)]
        for other in others:
            for name in set(self.latches) & set(other.latches if isinstance(other, Berthing) else ()):
                fail(self, "latches", name, f"must be led by one control only, and '{other.name}' leads it")

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the parameters of the control, and the names of its latches and indicators."""
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
        """Return a description on one line."""
        numbers = dict(self.control)
        return (f"{numbers['latches_needed']:g} of {len(self.latches)} latches, ready by "
                f"{numbers['indicators_needed']:g} of {len(self.indicators)} indicators")


def _control(table: Table, others: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, float], ...]:
    """Return all parameters of the control logic in the order of the core. ValueError with key and value."""
    found = tuple((name, table.take(name, tables.number())) for name, *_ in engine.berthing_rows())
    table.finish()
    try:
        engine.Berthing([value for _, value in found], *map(len, others))
    except ValueError as error:
        raise ValueError(f"{table.path}: {error}") from None
    return found
