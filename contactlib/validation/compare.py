"""The comparison of what was computed with the reference of a case: one `Check` for each quantity or series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.validation.cases import Case, Quantity, Series

Floats = NDArray[np.float64]
#: what a program returns for each quantity or series: a number, or x and y of a series
Result: TypeAlias = float | tuple[Floats, Floats]


@dataclass(frozen=True)
class Curve:
    """Ours and the reference over the same x, for the plot; the axis has the label `x_label`."""

    x_label: str
    x: Floats
    ours: Floats
    reference: Floats


@dataclass(frozen=True)
class Check:
    """The comparison of one quantity or series. Of a series, `reference` and `ours` are those of its worst row.

    Parameters
    ----------
    name, unit : what it is, and its unit.
    reference, ours, tolerance : in the unit; the tolerance is absolute.
    reason : why the tolerance has this size.
    curve : the whole series; None for a number.
    """

    name: str
    unit: str
    reference: float
    ours: float
    tolerance: float
    reason: str
    curve: Curve | None = None

    @property
    def deviation(self) -> float:
        """Distance of ours from the reference, in the unit; infinite if ours is no number."""
        distance = abs(self.ours - self.reference)
        return distance if math.isfinite(distance) else math.inf

    @property
    def passed(self) -> bool:
        return self.deviation <= self.tolerance

    @property
    def used(self) -> float:
        """Share of the tolerance that the deviation uses."""
        if self.tolerance > 0.0:
            return self.deviation / self.tolerance
        return 0.0 if self.deviation == 0.0 else math.inf


@dataclass(frozen=True)
class Outcome:
    """The result of one case.

    Parameters
    ----------
    case : the case.
    checks : its comparisons; empty if it failed to run.
    seconds : how long it ran, s.
    error : why it failed to run, or "".
    missing : what is not installed, so that it was not run, in a sentence, or "".
    """

    case: Case
    checks: tuple[Check, ...] = ()
    seconds: float = 0.0
    error: str = ""
    through: str = field(default="python")
    missing: str = ""

    @property
    def was_run(self) -> bool:
        """Whether all that it needs is installed, so that it has run or failed."""
        return not self.missing

    @property
    def passed(self) -> bool:
        return not self.error and bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def worst(self) -> Check | None:
        """The comparison that uses the largest share of its tolerance."""
        return max(self.checks, key=lambda check: check.used, default=None)

    @property
    def verdict(self) -> str:
        """One of ok, MISSED, ERROR, not run; of an own recording same or CHANGED."""
        if self.missing:
            return "not run"
        if self.error:
            return "ERROR"
        if self.case.is_evidence:
            return "ok" if self.passed else "MISSED"
        return "same" if self.passed else "CHANGED"


def all_hold(outcomes: Sequence[Outcome]) -> bool:
    """Return whether all cases that were run hold; False if none was run."""
    run = [outcome for outcome in outcomes if outcome.was_run]
    return bool(run) and all(outcome.passed for outcome in run)


def compare(case: Case, results: Mapping[str, Result]) -> tuple[Check, ...]:
    """Compare what a program returned with the quantities and series of its case.

    Raises
    ------
    ValueError : a name is missing, or a name is not in case.toml: all that is computed must have a reference.
    """
    names = [quantity.name for quantity in case.quantities] + [series.name for series in case.series]
    for name in results:
        if name not in names:
            raise ValueError(f"the program returns '{name}', which has no reference; {tables.hint(name, names)}")
    for name in names:
        if name not in results:
            raise ValueError(f"the program returns no '{name}'; it returns {', '.join(results)}")
    checks = [_number(quantity, results[quantity.name]) for quantity in case.quantities]
    return (*checks, *(_series(series, results[series.name]) for series in case.series))


def _number(quantity: Quantity, result: Result) -> Check:
    if isinstance(result, tuple):
        raise ValueError(f"the program returns a series for '{quantity.name}', which must be a number")
    return Check(quantity.name, quantity.unit, quantity.value, float(result), quantity.tolerance, quantity.reason)


def _series(series: Series, result: Result) -> Check:
    if not isinstance(result, tuple):
        raise ValueError(f"the program returns a number for '{series.name}', which must be a series (x, y)")
    table = read_columns(series.file.read_text(encoding="utf-8"))
    for column in (series.x, series.y):
        if column not in table:
            raise ValueError(f"{series.file.name}: there is no column '{column}'; {tables.hint(column, table)}")
    x, reference = table[series.x], table[series.y]
    kept = (x <= series.end * (1.0 + 1e-12)) & np.isfinite(reference)
    return of_series(series.name, series.unit, f"{series.x} [{series.x_unit}]", x[kept], reference[kept], result,
                     series.tolerance, series.reason)


def of_series(name: str, unit: str, x_label: str, x: Floats, reference: Floats, result: tuple[Floats, Floats],
              tolerance: float, reason: str) -> Check:
    """Compare a series with a reference at the rows of the reference; linear between the rows of ours.

    Rows beyond the ends of ours are not a number, so that a series that ends early is a miss.
    """
    ours_x, ours_y = (np.asarray(part, dtype=np.float64) for part in result)
    if len(ours_x) == 0 or len(x) == 0:
        return Check(name, unit, math.nan, math.nan, tolerance, reason)
    slack = 1e-9 * max(1.0, float(np.abs(x).max()))  # rounding of sums of steps
    ours = np.interp(x, ours_x, ours_y)
    ours[(x < ours_x[0] - slack) | (x > ours_x[-1] + slack)] = math.nan
    distance = np.abs(ours - reference)
    distance[~np.isfinite(distance)] = math.inf
    worst = int(np.argmax(distance))
    return Check(name, unit, float(reference[worst]), float(ours[worst]), tolerance, reason,
                 Curve(x_label, x, ours, reference))


def read_columns(text: str) -> dict[str, Floats]:
    """Return the columns of a CSV text by their titles; cells that are no number are NaN, and # before titles is cut.

    Examples
    --------
    >>> read_columns("# t,x\\n0,1\\n1,slip\\n")["x"].tolist()
    [1.0, nan]
    """
    lines = [line for line in text.splitlines() if line.strip()]
    titles = [title.strip() for title in lines[0].lstrip("# ").split(",")]
    rows = [[_cell(cell) for cell in line.split(",")] for line in lines[1:] if not line.startswith("#")]
    return dict(zip(titles, np.array(rows).T, strict=True))


def _cell(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
