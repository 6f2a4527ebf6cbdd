"""Units of the keys of scene files: of laws and elements from the tables of the core, of others from the list here."""

from __future__ import annotations

import re
from functools import cache

from contactlib._core import engine
from contactlib.common.options import LAW_PARTS

#: by the last key of a path, for bodies, shapes and the scene
_KEYS = {
    "step_size": "s", "max_step_size": "s", "duration": "s", "gravity": "m/s2",
    "mass": "kg", "inertia": "kg m2", "com": "m", "density": "kg/m3",
    "r": "m", "q": "1", "v": "m/s", "w": "rad/s", "size": "m", "semi_axes": "m", "radius": "m", "length": "m",
    "rounding": "m", "scale": "1", "corners": "m", "vertices": "m", "triangles": "1", "dimension": "1", "up": "1",
    "suspension_points": "m", "base_points": "m", "arm_points": "m", "first_point": "m", "last_point": "m",
    "fixed_points": "m", "moving_points": "m", "point": "m", "center": "m", "axis": "1", "direction": "1",
    "capacity": "1", "max_contacts": "1", "max_touches": "1",
}
#: by the last two keys of a path
_PAIRS = {
    **dict.fromkeys(("hinge.start", "hinge.lower", "hinge.upper", "hinge.target"), "rad"),
    "cable.axial_stiffness": "N", "cable.bending_stiffness": "N m2", "cable.line_density": "kg/m",
    "cable.elements": "1", "cable.capsules": "1", "cable.axial_damping": "s", "cable.bending_damping": "s",
    "ring.low": "rad", "ring.high": "rad", "ring.inertia": "kg m2", "ring.gear": "1", "ring.torque_constant": "N m/A",
    "ring.resistance": "ohm", "ring.current_limit": "A", "ring.efficiency": "1", "ring.friction": "N m",
    "ring.brake": "N m",
    "carriage.low": "m", "carriage.high": "m", "carriage.inertia": "kg", "carriage.gear": "rad/m",
    "carriage.torque_constant": "N m/A", "carriage.resistance": "ohm", "carriage.current_limit": "A",
    "carriage.efficiency": "1", "carriage.friction": "N", "carriage.brake": "N",
}


def unit_of(path: str, *, planar: bool = False, kind: str = "") -> str:
    """Return the unit of a key of a scene file, "1" for a ratio, and "" if it is not known.

    Parameters
    ----------
    path : keys of the scene with dots between them.
    planar : the key is one of a membrane in a plane.
    kind : the row of the law tables that the key is a parameter of, if it is known.

    Examples
    --------
    >>> unit_of("law.pin_hole.normal.stiffness"), unit_of("membrane.net.friction.rock")
    ('N/m', '1')
    """
    steps = path.rpartition(":")[2].split(".")
    last = steps[-1]
    if steps[0] == "law":
        return _row_units().get((kind, last)) or _law_units().get(last, "")
    # a row of an array of tables has its name between kind and key
    for owner in (steps[-2] if len(steps) > 1 else "", steps[0]):
        if f"{owner}.{last}" in _PAIRS:
            return _PAIRS[f"{owner}.{last}"]
    if "friction" in steps[:-1]:  # a coefficient for each material
        return "1"
    if "control" in steps[:-1]:
        return _control_units().get(last, "")
    kind = f"{steps[0]}_2d" if planar else steps[0]
    return _element_units().get((kind, last)) or _KEYS.get(last, "")


@cache
def _law_units() -> dict[str, str]:
    # a curve through points has depth and force, a foundation its layer, and every law its sharpness
    found = {"depth": "m", "force": "N", "sharpness": "1", "youngs_modulus": "Pa", "layer": "m"}
    return found | {name: unit for (_, name), unit in _row_units().items()}


@cache
def _row_units() -> dict[tuple[str, str], str]:
    """Return the units of the parameters by the names of row and parameter."""
    return {(kind, row[0]): _plain(row[1]) for part in LAW_PARTS for kind, parameters in engine.law_tables()[part]
            for row in parameters}


@cache
def _element_units() -> dict[tuple[str, str], str]:
    return {(name, row[0][0]): _plain(row[0][1])
            for name, parameters, commands, _ in engine.element_table() for row in (*parameters, *commands)}


@cache
def _control_units() -> dict[str, str]:
    return {row[0]: _plain(row[1]) for row in (*engine.control_rows(), *engine.berthing_rows())}


def _plain(unit: str) -> str:
    """Return a unit of the core as scene files write it: "N m" for "N.m", "m2" for "m^2"."""
    return re.sub(r"\^(?=\d)", "", unit.replace(".", " "))
