"""The drive of a latch whose links are in another model: crank angle in, torque out (docs/berthing_control.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.elements.base import Design, path_of
from contactlib.elements.drive import MODES, Motorised

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody



@dataclass(frozen=True)
class LatchDrive(Motorised):
    """Motor, gear and brake of a latch whose linkage is in the user's own multibody model.

    Angle and rate of the crank are inputs, and `torque` on the crank is the output. Links are external bodies with
    shapes. The other model contains the inertia of the motor and the stops of the crank; `start`, `low` and `high` of
    the motor only give the initial angle and the range of the crank.

    Parameters
    ----------
    name : name of the element; its variables are `name.torque` and so on.
    stiffness : N m/rad, of gear and brake until they slip.
    motor, voltage, power, brake : see `Motorised`; `start` of the motor is in rad.

    Examples
    --------
    >>> from contactlib.elements.drive import Drive
    >>> motor = Drive("motor", gear=1000.0, torque_constant=0.05, resistance=1.2, inertia=20.0, current_limit=20.0,
    ...               friction=5.0, brake=500.0)
    >>> LatchDrive("latch1", stiffness=1e5, motor=motor).summary()
    'gear 1000, holds 505 N m by 100000 N m/rad'
    """

    name: str
    stiffness: float
    kind: ClassVar[str] = "latch_drive"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[latch_drive]] of a scene file. A ValueError has the key's path."""
        del folder
        result = cls(
            name=table.take("name", tables.name),
            stiffness=table.take("stiffness", tables.number(0.0, above=True)),
            **cls.taken(table),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return its motor."""
        del bodies
        self.motor.check_motor(path_of(self, "motor"))
        return Design(
            bodies=(),
            parameters={"stiffness": self.stiffness},
            commands=self.commands() | {"angle": self.motor.start},
            ports=0,
            numbers=self.motor.numbers(),
            integers=[MODES.index(self.motor.mode)],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        return (f"gear {self.motor.gear:g}, holds {self.motor.friction + self.motor.brake:g} N m by "
                f"{self.stiffness:g} N m/rad")
