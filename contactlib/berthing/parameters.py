"""The parameters of a berthing ring: a TOML file that states the unit and the source of each number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contactlib.common import tables
from contactlib.common.files import read_toml
from contactlib.common.tables import Reader, Table

_POSITIVE = tables.number(0.0, above=True)
_ANY = tables.number()
_COUNT = tables.integer(1, 10_000)
_LIST = tables.listing(_POSITIVE)
_AT_LEAST_ZERO = tables.listing(tables.number(0.0))
_CONTACT = "N/m, N s/m, 1, N/m, N s/m"

#: part: parameter: unit and reader; the meaning of each stands in scenes/cbm/parameters.toml and docs/cbm.md
SCHEMA: dict[str, dict[str, tuple[str, Reader[Any]]]] = {
    "scene": {"name": ("1", tables.name), "step_size": ("s", _POSITIVE), "duration": ("s", _POSITIVE)},
    "module": {"mass": ("kg", _POSITIVE), "center": ("m", _ANY), "inertia": ("kg m2", tables.vector(3, _POSITIVE)),
               "gap": ("m", _ANY), "speed": ("m/s", _ANY)},
    "ring": {"outer_radius": ("m", _POSITIVE), "face_inner": ("m", _POSITIVE), "face_outer": ("m", _POSITIVE),
             "thickness": ("m", _POSITIVE), "segments": ("1", _COUNT), "sectors": ("1", _COUNT),
             "edge_radius": ("m", _POSITIVE), "edge_height": ("m", _ANY), "edge_points": ("1", _COUNT),
             "rim_heights": ("m", _LIST), "rim_points": ("1", tables.listing(_COUNT))},
    "guide": {"count": ("1", _COUNT), "first": ("deg", _ANY), "heights": ("m", _AT_LEAST_ZERO),
              "clearances": ("m", _LIST), "half_angle_root": ("deg", _POSITIVE), "half_angle_tip": ("deg", _POSITIVE),
              "columns": ("1", _COUNT), "thickness": ("m", _POSITIVE), "web": ("m", _POSITIVE),
              "fin_radius": ("m", _POSITIVE), "fin_length": ("m", _POSITIVE), "fin_reach": ("m", _ANY),
              "fin_offsets": ("m", _LIST), "fin_clearance": ("m", _POSITIVE)},
    "bumper": {"count": ("1", _COUNT), "first": ("deg", _ANY), "radius": ("m", _POSITIVE),
               "height": ("m", _ANY), "clearance": ("m", _POSITIVE)},
    "standoff": {"angles": ("deg", tables.listing(_ANY)), "radius": ("m", _POSITIVE), "head_radius": ("m", _POSITIVE),
                 "stiffness": ("N/m", _POSITIVE), "stroke": ("m", _POSITIVE), "stop_stiffness": ("N/m", _POSITIVE),
                 "damping": ("s/m", tables.number(0.0)), "plate": ("m", tables.vector(3, _POSITIVE))},
    "seal": {"radius": ("m", _POSITIVE), "bead_radius": ("m", _POSITIVE), "proud": ("m", _POSITIVE),
             "points": ("1", _COUNT), "depths": ("m", _LIST), "line_forces": ("N/m", _LIST),
             "damping": ("s/m", tables.number(0.0))},
    "pin": {"count": ("1", _COUNT), "first": ("deg", _ANY), "circle": ("m", _POSITIVE), "radius": ("m", _POSITIVE),
            "height": ("m", _POSITIVE), "clearance": ("m", _POSITIVE), "socket_depth": ("m", _POSITIVE),
            "socket_width": ("m", _POSITIVE)},
    "latch": {"count": ("1", _COUNT), "first": ("deg", _ANY), "links": ("m", tables.vector(4, _POSITIVE)),
              "bar": ("m", tables.vector(2)), "elbow": ("m", tables.vector(2)), "bar_radius": ("m", _POSITIVE),
              "bar_length": ("m", _POSITIVE), "arm_radius": ("m", _POSITIVE), "pivot_offset": ("m", _ANY),
              "open_angle": ("deg", _ANY), "near": ("deg", _ANY), "over_center": ("deg", tables.number(0.0)),
              "closed_gap": ("m", _ANY), "gear": ("1", _POSITIVE), "torque_constant": ("N m/A", _POSITIVE),
              "resistance": ("ohm", _POSITIVE), "current_limit": ("A", _POSITIVE), "efficiency": ("1", _POSITIVE),
              "inertia": ("kg m2", _POSITIVE), "friction": ("N m", tables.number(0.0)),
              "brake": ("N m", tables.number(0.0))},
    "control": {"berthed_over": ("deg", _POSITIVE), "capture_angle": ("deg", _ANY),
                "angle_tolerance": ("deg", tables.number(0.0)),
                **dict.fromkeys(("capture_voltage", "berth_voltage", "open_voltage"), ("V", _ANY)),
                **dict.fromkeys(("indicators_needed", "seats_needed", "latches_needed"), ("1", _COUNT)),
                "stall_current": ("A", _POSITIVE), "stall_rate": ("rad/s", tables.number(0.0)),
                **dict.fromkeys(("ready_time", "settle_time"), ("s", tables.number(0.0))),
                **dict.fromkeys(("lost_time", "stall_time", "wait_time", "capture_time", "berth_time", "open_time"),
                                ("s", _POSITIVE))},
    "fitting": {"edge": ("m", _POSITIVE), "width": ("m", _POSITIVE), "height": ("m", _POSITIVE)},
    "indicator": {"count": ("1", _COUNT), "first": ("deg", _ANY), "pivot_radius": ("m", _POSITIVE),
                  "pivot_depth": ("m", _ANY), "length": ("m", _POSITIVE), "lean": ("deg", _ANY),
                  "bar_radius": ("m", _POSITIVE), "travel": ("deg", _POSITIVE), "ready_gap": ("m", _POSITIVE),
                  "ready_play": ("deg", tables.number(0.0)), "stiffness": ("N m/rad", _POSITIVE),
                  "preload": ("N m", tables.number(0.0)), "damping": ("N m s/rad", tables.number(0.0)),
                  "inertia": ("kg m2", _POSITIVE), "plate": ("m", tables.vector(3, _POSITIVE))},
    "plunger": {"count": ("1", _COUNT), "first": ("deg", _ANY), "circle": ("m", _POSITIVE),
                "head_radius": ("m", _POSITIVE), "height": ("m", _POSITIVE), "seated_gap": ("m", _POSITIVE),
                "seated_play": ("m", tables.number(0.0)), "stiffness": ("N/m", _POSITIVE),
                "preload": ("N", tables.number(0.0)), "damping": ("N s/m", tables.number(0.0)),
                "inertia": ("kg", _POSITIVE), "plate": ("m", tables.vector(3, _POSITIVE))},
    "contact": {**dict.fromkeys(("metal", "guide", "hook", "paddle"), (_CONTACT, tables.vector(5, tables.number(0.0)))),
                **dict.fromkeys(("standoff_friction", "seal_friction"),
                                ("1, N/m, N s/m", tables.vector(3, tables.number(0.0))))},
    "envelope": {"lateral": ("m", _POSITIVE), "tilt": ("deg", _POSITIVE), "roll": ("deg", _POSITIVE),
                 "reach_axial": ("m", _POSITIVE), "reach_lateral": ("m", _POSITIVE)},
}


@dataclass(frozen=True)
class Parameters:
    """Values with their sources, by part and name: `parameters["seal", "points"]`.

    `append` holds additional tables for the scene file by kind, such as `[[append.thruster]]`. They are copied
    unchanged.
    """

    values: Mapping[tuple[str, str], Any]
    sources: Mapping[tuple[str, str], str]
    append: Mapping[str, Any]

    def __getitem__(self, key: tuple[str, str]) -> Any:
        return self.values[key]

    def part(self, part: str) -> dict[str, Any]:
        """Return all values of a part by name."""
        return {name: self.values[part, name] for name in SCHEMA[part]}

    def rows(self) -> Iterator[tuple[str, str, Any, str, str]]:
        """Yield part, name, value, unit and source of each parameter."""
        for (part, name), value in self.values.items():
            yield part, name, value, SCHEMA[part][name][0], self.sources[part, name]


def read_parameters(path: str | Path) -> Parameters:
    """Read the parameters of a ring.

    A ValueError has the key's path, the value and what is allowed. OSError if there is no such file.

    >>> from contactlib.model.spec import SCENES
    >>> read_parameters(SCENES / "cbm" / "parameters.toml")["latch", "count"]
    4
    """
    path = Path(path)
    given = read_toml(path)
    try:
        return parameters(given)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def parameters(given: Mapping[str, Any]) -> Parameters:
    """Read parameters from the tables of a parameter file."""
    top = Table(given, "")
    values: dict[tuple[str, str], Any] = {}
    sources: dict[tuple[str, str], str] = {}
    for part, rows in SCHEMA.items():
        table = top.table(part)
        for name, (unit, reader) in rows.items():
            if name not in table.values:
                raise ValueError(f"{table.at(name)} is missing")
            entry = table.table(name)
            values[part, name] = entry.take("value", reader)
            sources[part, name] = entry.take("source", tables.text)
            entry.take("unit", tables.choice([unit]), *(["1"] if unit == "1" or part == "scene" else []))
            entry.finish()
        table.finish()
    append = top.table("append").values
    for kind, rows in append.items():
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            tables.fail(f"append.{kind}", rows, f"must be an array of tables, [[append.{kind}]]")
    top.finish()
    _check(values)
    return Parameters(values, sources, append)


def _check(values: Mapping[tuple[str, str], Any]) -> None:
    """Raise ValueError if parameters contradict each other."""
    for one, other in ((("guide", "heights"), ("guide", "clearances")), (("seal", "depths"), ("seal", "line_forces")),
                       (("ring", "rim_heights"), ("ring", "rim_points"))):
        if len(values[one]) != len(values[other]):
            raise ValueError(f"{'.'.join(one)} and {'.'.join(other)} must have the same number of values, they have "
                             f"{len(values[one])} and {len(values[other])}")
    if len(values["guide", "heights"]) < 2:
        tables.fail("guide.heights", values["guide", "heights"], "must be two or more")
    for key in (("guide", "heights"), ("seal", "depths")):
        if list(values[key]) != sorted(set(values[key])):
            tables.fail(".".join(key), values[key], "must grow")
    radii = [values["ring", key] for key in ("face_inner", "face_outer", "outer_radius")]
    if radii != sorted(set(radii)):
        raise ValueError("ring: face_inner, face_outer and outer_radius must grow in this order, they are "
                         f"{', '.join(f'{r:g}' for r in radii)} m")
