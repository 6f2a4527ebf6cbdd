"""What moves one coordinate: a motor behind a gear, with friction, a brake and stops, or a rate that is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Kind

#: in the order in which the core numbers them (core/element/drive.hpp)
MODES = ("none", "motor", "rate")
MOTOR = ("inertia", "gear", "torque_constant", "resistance", "current_limit", "efficiency", "friction", "brake")


@dataclass(frozen=True)
class Drive:
    """How an angle (rad, N m) or a way (m, N) is moved, such as a ring, a carriage or a crank.

    Parameters
    ----------
    mode : "none" stands still; "motor": a dc motor through a gear; "rate": as the command says.
    start, low, high : where it starts, and its stops.
    inertia : kg m2 or kg, of what moves and of the motor through its gear.
    gear : angle of the motor for each rad or m.
    torque_constant, resistance, current_limit : N m/A, ohm, A.
    efficiency : of the gear.
    friction, brake : N m or N, that the gear and the brake hold.
    """

    mode: str = "none"
    start: float = 0.0
    low: float = 0.0
    high: float = 0.0
    inertia: float = 0.0
    gear: float = 0.0
    torque_constant: float = 0.0
    resistance: float = 0.0
    current_limit: float = 0.0
    efficiency: float = 1.0
    friction: float = 0.0
    brake: float = 0.0

    @classmethod
    def read(cls, table: Table) -> Self:
        """From a sub-table of a scene file; ValueError with the key's path."""
        if not table.values:
            return cls()
        mode = table.take("mode", tables.choice(MODES))
        start = table.take("start", tables.number(), 0.0)
        low, high = table.take("low", tables.number(), start), table.take("high", tables.number(), start)
        if not low <= start <= high:
            tables.fail(table.at("start"), start, f"must lie between the stops low = {low:g} and high = {high:g}")
        positive, at_least_zero = tables.number(0.0, above=True), tables.number(0.0)
        readers = dict.fromkeys(MOTOR, positive) | {"friction": at_least_zero, "brake": at_least_zero}
        motor = {key: table.take(key, reader, *([] if reader is positive else [0.0]))
                 for key, reader in readers.items()} if mode == "motor" else {}
        table.finish()
        return cls(mode, start, low, high, **motor)

    def check(self, path: str) -> None:
        """ValueError, naming the key, for what `read` would refuse: a drive may be made in Python."""
        keys = {"none": (), "rate": ("mode", "start", "low", "high")}.get(self.mode, self.__dataclass_fields__)
        self.read(Table({key: getattr(self, key) for key in keys}, path))

    def check_motor(self, path: str) -> None:
        """As `check`, and ValueError for what is no motor."""
        self.check(path)
        if self.mode != "motor":
            tables.fail(f"{path}.mode", self.mode, "must be 'motor'")

    def numbers(self) -> list[float]:
        """What the core reads after the mode."""
        return [self.start, self.low, self.high, *(getattr(self, key) for key in MOTOR)]


#: what does not move
STILL = Drive()


@dataclass(frozen=True, kw_only=True)
class Motorised(Kind):
    """An element whose only drive is a motor with a brake.

    Parameters
    ----------
    motor : mode "motor".
    voltage, power, brake : commands at the start.
    """

    motor: Drive
    voltage: float = 0.0
    power: bool = False
    brake: bool = True

    @staticmethod
    def taken(table: Table) -> dict[str, Any]:
        """These keys of a table of a scene file; ValueError with the key's path."""
        return {
            "motor": Drive.read(table.table("motor")),
            "voltage": table.take("voltage", tables.number(), 0.0),
            "power": table.take("power", tables.boolean, False),
            "brake": table.take("brake", tables.boolean, True),
        }

    def commands(self) -> dict[str, float]:
        """Start values of the commands of the row."""
        return {"voltage": self.voltage, "power": float(self.power), "brake": float(self.brake)}
