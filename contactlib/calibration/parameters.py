"""The fitted parameters: paths into the scene, bounds and scales."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from contactlib.campaign import paths
from contactlib.campaign.draws import HOW, combined
from contactlib.common import tables
from contactlib.common.tables import Table

SCALES = ("linear", "log")
#: reserved, since they are columns or keys of the result
_RESERVED = ("time", "series", "error")


@dataclass(frozen=True)
class Change:
    """A value that is written into the scene at a path: it replaces the old value, or is its offset or factor."""

    steps: paths.Steps
    how: str
    value: Any
    where: str

    def applied(self, scene: Any) -> Any:
        """Return the changed tables. ValueError, which begins with `where`, if the path does not exist."""
        try:
            return paths.changed(scene, self.steps, lambda old: combined(self.how, old, self.value))
        except ValueError as error:
            raise ValueError(f"{self.where}: {error}") from None

    @property
    def key(self) -> tuple[paths.Steps, str, str]:
        """Equal keys make equal scenes."""
        return self.steps, self.how, repr(self.value)


@dataclass(frozen=True)
class Parameter:
    """A fitted number: `low` <= value <= `high`.

    The fit works with positions u from 0 to 1 between the bounds:
        linear:  value = low + (high - low) u
        log:     value = low (high/low)^u

    Attributes
    ----------
    name, unit : for reports.
    steps : paths of the scene's keys that receive the value (`contactlib.campaign.paths.parse`).
    how : "value", "offset" or "factor", as in a campaign.
    start : value at which the fit starts.
    low, high : bounds.
    scale : "linear" or "log".
    series : names of the series whose runs receive the value; empty stands for all series.
    difference : step of u in the difference quotients.

    Examples
    --------
    >>> path = ("law", "soil", "normal", "stiffness")
    >>> stiffness = Parameter("stiffness", (path,), "value", "N/m", 1e5, 1e4, 1e6, "log")
    >>> round(stiffness.position(1e5), 12), round(stiffness.value(0.5))
    (0.5, 100000)
    """

    name: str
    steps: tuple[paths.Steps, ...]
    how: str
    unit: str
    start: float
    low: float
    high: float
    scale: str = "linear"
    series: tuple[str, ...] = ()
    difference: float = 1e-4

    def value(self, u: float) -> float:
        """Return the value at a position; the bounds are exact. Values outside the bounds have positions, too."""
        if u in (0.0, 1.0):
            return self.high if u else self.low
        return self.low * math.exp(u * math.log(self.high / self.low)) if self.scale == "log" else (
            self.low + (self.high - self.low) * u)

    def position(self, value: float) -> float:
        """Return the position of a value."""
        return math.log(value / self.low) / math.log(self.high / self.low) if self.scale == "log" else (
            (value - self.low) / (self.high - self.low))

    def acts_on(self, series: str) -> bool:
        """Return whether the runs of this series receive the value."""
        return not self.series or series in self.series

    def changes(self, value: float) -> list[Change]:
        """Return what a value changes in the scene."""
        return [Change(steps, self.how, value, f"parameter.{self.name}") for steps in self.steps]


def read_parameter(name: str, table: Table, difference: float) -> Parameter:
    """Read one table [parameter.NAME]. A ValueError has the key's path, the value and what is allowed."""
    tables.name(table.path, name)
    if name in _RESERVED:
        raise ValueError(f"{table.path}: the names {', '.join(_RESERVED)} are reserved: choose another name")
    path = table.take("path", _one_or_many)
    steps = tuple(paths.parse(table.at("path"), one) for one in path)
    if not steps:
        tables.fail(table.at("path"), [], "must be a path into the scene, or a list of them")
    scale = table.take("scale", tables.choice(SCALES), SCALES[0])
    bound = tables.number(0.0, above=True) if scale == "log" else tables.number()
    low, start, high = (table.take(key, bound) for key in ("low", "start", "high"))
    if not low < high:
        tables.fail(table.at("high"), high, f"must be greater than low = {low:g}")
    if not low <= start <= high:
        tables.fail(table.at("start"), start, f"must lie between low = {low:g} and high = {high:g}")
    parameter = Parameter(
        name, steps, table.take("as", tables.choice(HOW), "value"), table.take("unit", tables.text, ""), start, low,
        high, scale, table.take("series", _one_or_many, ()), table.take("difference", step_of_u, difference))
    table.finish()
    return parameter


def step_of_u(path: str, value: Any) -> float:
    """Read the step of a difference quotient, a part of the range between the bounds."""
    step = tables.number(0.0, above=True)(path, value)
    if step > 0.25:
        tables.fail(path, value, "must be at most 0.25: it is a part of the range between low and high")
    return step


def _one_or_many(path: str, value: Any) -> tuple[str, ...]:
    return tables.listing(tables.text)(path, [value] if isinstance(value, str) else value)


def check_parameters(parameters: tuple[Parameter, ...]) -> None:
    """Raise ValueError if two parameters write the same key for the same series."""
    for i, one in enumerate(parameters):
        for other in parameters[:i]:
            both = not one.series or not other.series or {*one.series} & {*other.series}
            if both and {*one.steps} & {*other.steps}:
                raise ValueError(f"parameter.{one.name}.path: parameter.{other.name} has the same path: keep one of "
                                 f"these parameters")
