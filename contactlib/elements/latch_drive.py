"""The drive of a latch whose links move elsewhere: crank in, torque out (docs/berthing_control.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from contactlib import tables
from contactlib.elements.base import Design, OneRow, fail, path_of
from contactlib.elements.drive import MODES, Drive
from contactlib.groups import FlatBody
from contactlib.tables import Table


@dataclass(frozen=True)
class LatchDrive(OneRow):
    """Motor, gear and brake of a latch whose linkage is in the user's own multibody model.

    Angle and rate of the crank are inputs, `torque` on it is the output; links are external bodies with shapes. The
    inertia of the motor and the crank's stops are the other model's; `start`, `low` and `high` of the motor only say
    where the crank is at the start, and where its stops are.

    Parameters
    ----------
    name : of the element; its variables are `name.torque` and so on.
    motor : mode "motor"; `start` in rad.
    stiffness : N m/rad, by which gear and brake hold the crank until they slip.
    voltage, power, brake : commands at the start.

    Examples
    --------
    >>> LatchDrive("latch1", Drive("motor", gear=1000.0, torque_constant=0.05, resistance=1.2, inertia=20.0,
    ...                            current_limit=20.0, friction=5.0, brake=500.0), stiffness=1e5).summary()
    'gear 1000, holds 505 N m by 100000 N m/rad'
    """

    name: str
    motor: Drive
    stiffness: float
    voltage: float = 0.0
    power: bool = False
    brake: bool = True
    kind: ClassVar[str] = "latch_drive"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """From a table [[latch_drive]] of a scene file; ValueError with the key's path."""
        del folder
        result = cls(
            name=table.take("name", tables.name),
            motor=Drive.read(table.table("motor")),
            stiffness=table.take("stiffness", tables.number(0.0, above=True)),
            voltage=table.take("voltage", tables.number(), 0.0),
            power=table.take("power", tables.boolean, False),
            brake=table.take("brake", tables.boolean, True),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Its motor."""
        del bodies
        self.motor.check(path_of(self, "motor"))
        if self.motor.mode != "motor":
            fail(self, "motor.mode", self.motor.mode, "must be 'motor'")
        return Design(
            bodies=(),
            parameters={"stiffness": self.stiffness},
            commands={"voltage": self.voltage, "power": float(self.power), "brake": float(self.brake),
                      "angle": self.motor.start},
            ports=0,
            numbers=self.motor.numbers(),
            integers=[MODES.index(self.motor.mode)],
        )

    def summary(self) -> str:
        """What it is, on one line."""
        return (f"gear {self.motor.gear:g}, holds {self.motor.friction + self.motor.brake:g} N m by "
                f"{self.stiffness:g} N m/rad")
