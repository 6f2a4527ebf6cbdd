"""The drive of one coordinate: a motor with gear, friction, brake and stops, or a prescribed rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Kind

#: in the order of the core's enum (core/element/drive.hpp)
MODES = ("none", "motor", "rate")
MOTOR = ("inertia", "gear", "torque_constant", "resistance", "current_limit", "efficiency", "friction", "brake")


@dataclass(frozen=True)
class Drive:
    """Drive of an angle (rad, N m) or a displacement (m, N), such as that of a ring, a carriage or a crank.

    Parameters
    ----------
    mode : "none": fixed; "motor": a dc motor with a gear; "rate": the command is the rate.
    start, low, high : initial value, lower and upper stop.
    inertia : kg m2 or kg, of the moving part, with that of the motor as seen through the gear.
    gear : gear ratio, angle of the motor per rad or m.
    torque_constant, resistance, current_limit : N m/A, ohm, A.
    efficiency : of the gear.
    friction, brake : N m or N, largest torque or force of dry friction in the gear, and of the brake.
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
        """Read a sub-table of a scene file. A ValueError has the key's path."""
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
        """Raise the ValueError of `read` for an invalid drive: one that is made in Python is not checked before."""
        keys = {"none": (), "rate": ("mode", "start", "low", "high")}.get(self.mode, self.__dataclass_fields__)
        self.read(Table({key: getattr(self, key) for key in keys}, path))

    def check_motor(self, path: str) -> None:
        """Raise ValueError as `check` does, and for any mode except "motor"."""
        self.check(path)
        if self.mode != "motor":
            tables.fail(f"{path}.mode", self.mode, "must be 'motor'")

    def numbers(self) -> list[float]:
        """Return the numbers of the record after the mode."""
        return [self.start, self.low, self.high, *(getattr(self, key) for key in MOTOR)]


#: a drive that does not move
FIXED_DRIVE = Drive()


@dataclass(frozen=True, kw_only=True)
class Motorised(Kind):
    """An element whose only drive is a motor with a brake.

    Parameters
    ----------
    motor : mode "motor".
    voltage, power, brake : initial commands.
    """

    motor: Drive
    voltage: float = 0.0
    power: bool = False
    brake: bool = True

    @staticmethod
    def taken(table: Table) -> dict[str, Any]:
        """Read these keys of a table of a scene file. A ValueError has the key's path."""
        return {
            "motor": Drive.read(table.table("motor")),
            "voltage": table.take("voltage", tables.number(), 0.0),
            "power": table.take("power", tables.boolean, False),
            "brake": table.take("brake", tables.boolean, True),
        }

    def commands(self) -> dict[str, float]:
        """Return the start values of the commands of the row."""
        return {"voltage": self.voltage, "power": float(self.power), "brake": float(self.brake)}
