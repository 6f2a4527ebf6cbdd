"""Quantities, display units and nominal values of FMI variables: they follow from the unit in the variable table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contactlib.model.model import Variable


@dataclass(frozen=True)
class Quantity:
    """The type of all variables with one unit.

    Attributes
    ----------
    name : of the quantity and of the type, as in the package Modelica.Units.SI.
    nominal : the order of magnitude in a contact between machines, in the unit. A tool scales tolerances with it.
    display : the unit that tools show to people, such as mm; empty for the unit itself.
    factor : value in the display unit / value in the unit.
    """

    name: str
    nominal: float
    display: str = ""
    factor: float = 1.0


DEGREES = 57.29577951308232  # per radian
#: the rows that have no entry, such as N/m^n, have a unit whose meaning depends on another parameter
QUANTITIES = {
    "1": Quantity("Dimensionless", 1.0),
    "kg": Quantity("Mass", 1.0),
    "kg.m^2": Quantity("MomentOfInertia", 1.0),
    "m": Quantity("Length", 1e-3, "mm", 1e3),
    "m^2": Quantity("Area", 1e-3, "mm2", 1e6),
    "m^2/s": Quantity("AreaRate", 1e-2),
    "s": Quantity("Time", 1e-3, "ms", 1e3),
    "1/s": Quantity("Rate", 1.0),
    "Hz": Quantity("Frequency", 1.0),
    "s/m": Quantity("InverseVelocity", 1.0),
    "m/s": Quantity("Velocity", 1e-2, "mm/s", 1e3),
    "m/s2": Quantity("Acceleration", 1.0),
    "rad": Quantity("Angle", 1e-2, "deg", DEGREES),
    "rad/s": Quantity("AngularVelocity", 1e-2, "deg/s", DEGREES),
    "N": Quantity("Force", 1e2),
    "N.s": Quantity("Impulse", 1.0),
    "Pa": Quantity("Pressure", 1e3, "kPa", 1e-3),
    "N.m": Quantity("Torque", 1e1),
    "N.m.s": Quantity("AngularImpulse", 1.0),
    "N/m": Quantity("TranslationalSpringConstant", 1e4, "N/mm", 1e-3),
    "N.s/m": Quantity("TranslationalDampingConstant", 1e2),
    "N.m/rad": Quantity("RotationalSpringConstant", 1e3, "N.m/deg", 1.0 / DEGREES),
    "N.m.s/rad": Quantity("RotationalDampingConstant", 1e1),
    "N/m^3": Quantity("MembraneStiffness", 1.0),
    "N.s/m^3": Quantity("MembraneDamping", 1.0),
    "J": Quantity("Energy", 1.0),
    "W": Quantity("Power", 1.0),
    "A": Quantity("ElectricCurrent", 1.0),
    "V": Quantity("ElectricPotential", 1e1),
}


def type_name(unit: str) -> str:
    """Return the name of the SimpleType of a unit; empty if the unit has no quantity.

    Examples
    --------
    >>> type_name("rad/s"), type_name("N/m^n")
    ('AngularVelocity_type', '')
    """
    return f"{QUANTITIES[unit].name}_type" if unit in QUANTITIES else ""


def nominal_of(variable: Variable) -> float | None:
    """Return the nominal value of a real variable where it differs from that of its type: a parameter's own start."""
    if variable.type != "real" or variable.causality != "parameter" or variable.start == 0.0:
        return None
    quantity = QUANTITIES.get(variable.unit)
    nominal = abs(variable.start)
    return nominal if quantity is None or nominal != quantity.nominal else None
