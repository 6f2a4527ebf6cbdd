"""The result of a calibration: estimates with intervals, warnings in sentences, and the deviations that remain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.calibration.definition import Calibration
from contactlib.calibration.deviations import Deviations, finite
from contactlib.calibration.fit import Evaluator, Optimum
from contactlib.calibration.parameters import Parameter
from contactlib.calibration.runs import Block, Runs
from contactlib.calibration.statistics import Spread, correlations, influence, neighbours, quantile, spread

Floats = NDArray[np.float64]
#: a parameter closer to its bound, in standard errors, is at its bound
AT_BOUND = 0.01
#: and also if it is closer in parts of the range
NEAR = 1e-6
#: derivatives that change more when the step of the differences is doubled are not smooth
ROUGH = 0.1
#: residuals below this part of sigma are numerical errors of a series without noise
NOISELESS = 1e-3
#: correlations of neighbouring residuals, and of parameters, that deserve a warning
CORRELATED, ENTANGLED = 0.2, 0.99


@dataclass(frozen=True)
class Estimate:
    """One fitted parameter.

    Attributes
    ----------
    parameter, value : what was fitted, and the result.
    error : standard error in the parameter's unit; NaN without an interval.
    low, high : ends of the confidence interval; NaN without an interval.
    note : why there is no interval: "at its lower bound", "at its upper bound", "not determined"; else "".
    """

    parameter: Parameter
    value: float
    error: float
    low: float
    high: float
    note: str = ""

    def __str__(self) -> str:
        unit = f" {self.parameter.unit}" if self.parameter.unit else ""
        if self.note:
            return f"{self.value:.6g}{unit}, {self.note}: no interval"
        return f"{self.value:.6g}{unit}, {self.low:.6g} to {self.high:.6g}"


@dataclass(frozen=True)
class Fit:
    """The result of a calibration.

    Attributes
    ----------
    calibration : what was fitted.
    estimates : one for each parameter.
    u : (n,) positions of the parameters between their bounds.
    cost : half the sum of the squared residuals, or of their robust loss.
    fitted : deviations of the fitted series.
    checks : deviations of the series that were not fitted; None if there are none.
    correlation : (n, n) correlations of the estimates; NaN without an interval.
    warnings : sentences on bounds, on parameters that the data do not determine, and on residuals.
    starts : cost and values at the end of each start, the best first.
    converged, message : whether and why the fit ended.
    runs : number of runs that this call did.
    """

    calibration: Calibration
    estimates: tuple[Estimate, ...]
    u: Floats
    cost: float
    fitted: Deviations
    checks: Deviations | None
    correlation: Floats
    warnings: tuple[str, ...]
    starts: tuple[tuple[float, dict[str, float]], ...]
    converged: bool
    message: str
    runs: int

    @property
    def values(self) -> dict[str, float]:
        """The fitted values by name."""
        return {each.parameter.name: each.value for each in self.estimates}

    def estimate(self, name: str) -> Estimate:
        """Return the estimate of one parameter. ValueError for an unknown name."""
        for each in self.estimates:
            if each.parameter.name == name:
                return each
        raise ValueError(f"there is no parameter '{name}'; known: {', '.join(self.values)}")

    def as_tables(self) -> dict[str, Any]:
        """Return the result as tables for a JSON file; missing numbers are None."""
        options = self.calibration.options
        return {
            "name": self.calibration.name, "contactlib": contactlib.__version__, "hash": self.calibration.hash,
            "converged": self.converged, "message": self.message, "cost": self.cost,
            "residuals": len(self.fitted.residuals),
            "loss": options.loss, "intervals": options.intervals, "confidence": options.confidence,
            "parameters": {each.parameter.name: {
                "value": each.value, "unit": each.parameter.unit, "standard_error": finite(each.error),
                "low": finite(each.low), "high": finite(each.high), "note": each.note,
                "lower_bound": each.parameter.low, "upper_bound": each.parameter.high} for each in self.estimates},
            "correlation": [[finite(float(x)) for x in row] for row in self.correlation],
            "warnings": list(self.warnings),
            "rms": self.fitted.by_quantity(), "series": self.fitted.by_series(),
            "rms_of_checks": self.checks.by_quantity() if self.checks else None,
            "checks": self.checks.by_series() if self.checks else {},
            "starts": [{"cost": cost, "values": values} for cost, values in self.starts],
        }


def conclude(evaluator: Evaluator, optima: list[Optimum]) -> Fit:
    """Return the result of a fit: statistics at the best optimum. The derivatives are checked with a doubled step."""
    calibration, runs = evaluator.runs.calibration, evaluator.runs
    best, options = optima[0], calibration.options
    J = evaluator.jacobian(best.u)
    psi, slope = influence(options.loss, options.loss_scale, best.residuals)
    rough = roughness(J, evaluator.jacobian(best.u, 2.0))
    groups = _groups(runs.blocks, runs.size) if options.intervals == "series" else None
    local = np.array([len(each.series) == 1 and len(calibration.series) > 1 for each in calibration.parameters])
    free = np.ones(len(best.u), dtype=bool)
    while True:  # a bound is near in standard errors, which depend on the parameters that are at bounds
        found = spread(J, psi, slope, free, groups, local, float(rough[free].max(initial=0.0)) / 3.0)
        errors = np.sqrt(np.diag(found.covariance))
        near = np.maximum(NEAR, np.where(np.isnan(errors), 0.0, AT_BOUND * errors))
        bound = free & (np.minimum(best.u, 1.0 - best.u) <= near)
        if not bound.any():
            break
        free = free & ~bound
    estimates = tuple(_estimate(each, float(best.u[k]), bool(free[k]), float(errors[k]),
                                quantile(options.confidence, float(found.degrees[k])))
                      for k, each in enumerate(calibration.parameters))
    correlation = correlations(found.covariance)
    values = runs.values(best.u)
    warnings = [*_ends(best, options.max_evaluations), *_bounds(estimates), *_flat(found, calibration, values),
                *_wide(estimates), *_entangled(correlation, calibration), *_rough(rough, calibration, free),
                *_dependent(best.residuals, runs.blocks, options.intervals)]
    return Fit(calibration, estimates, best.u, best.cost,
               Deviations(calibration.measured, calibration.series, tuple(runs.blocks), best.residuals),
               _checked(evaluator, best.u), correlation,
               tuple(warnings), tuple((each.cost, runs.values(each.u)) for each in optima), best.converged,
               best.message, runs.count)


def _checked(evaluator: Evaluator, u: Floats) -> Deviations | None:
    """Return the deviations of the series that were not fitted. ValueError if one of their runs fails."""
    calibration = evaluator.runs.calibration
    if not calibration.checks:
        return None
    runs = Runs(replace(calibration, series=calibration.checks, checks=()), evaluator.runs.num_threads)
    outcome = runs.outcomes([u])[0]
    if outcome.residuals is None:
        raise ValueError(f"a series that was not fitted cannot be compared: {outcome.error}")
    return Deviations(calibration.measured, calibration.checks, tuple(runs.blocks), outcome.residuals)


def roughness(once: Floats, twice: Floats) -> Floats:
    """Return (n,) how much each column of a Jacobian changes with the step of the differences, over its length."""
    length = np.sqrt((once * once).sum(axis=0))
    change = np.sqrt(((twice - once) ** 2).sum(axis=0))
    return np.asarray(np.divide(change, length, out=np.zeros_like(change), where=length > 0))


def _groups(blocks: list[Block], size: int) -> NDArray[np.int64]:
    groups = np.empty(size, dtype=np.int64)
    for block in blocks:
        groups[block.begin:block.end] = block.series
    return groups


def _estimate(parameter: Parameter, u: float, free: bool, error: float, t: float) -> Estimate:
    """An interval is symmetric in the position; on a logarithmic scale its ends are factors of the value."""
    value = parameter.value(u)
    if not free:
        u = round(u)
        return Estimate(parameter, parameter.value(float(u)), math.nan, math.nan, math.nan,
                        f"at its {'upper' if u else 'lower'} bound")
    if math.isnan(error):
        return Estimate(parameter, value, math.nan, math.nan, math.nan, "not determined")
    slope = value * math.log(parameter.high / parameter.low) if parameter.scale == "log" else (
        parameter.high - parameter.low)
    low, high = (_beyond(parameter, u + side * t * error) for side in (-1.0, 1.0))
    return Estimate(parameter, value, slope * error, low, high)


def _beyond(parameter: Parameter, u: float) -> float:
    """Return the value at a position that may lie far outside the bounds."""
    try:
        return parameter.value(u)
    except OverflowError:
        return math.inf


def _ends(best: Optimum, limit: int) -> Iterator[str]:
    if not best.converged:
        yield (f"The fit did not converge within {limit} evaluations; its values and intervals are preliminary: raise "
               f"max_evaluations and continue with --resume.")


def _bounds(estimates: tuple[Estimate, ...]) -> Iterator[str]:
    for each in estimates:
        if each.note.startswith("at its"):
            yield (f"{each.parameter.name} is {each.note}, {each.value:g} {each.parameter.unit}".rstrip()
                   + ": it has no interval, and the intervals of the other parameters hold for this value.")


def _flat(found: Spread, calibration: Calibration, values: dict[str, float]) -> Iterator[str]:
    """Name the parameters of each direction along which the residuals do not change."""
    for direction in found.flat:
        involved = [k for k in range(len(direction)) if direction[k] != 0.0]
        names = [calibration.parameters[k].name for k in involved]
        if len(names) == 1:
            yield (f"The data do not determine {names[0]}: its value has no effect on the measured variables. Fix it, "
                   f"or add series in which it acts.")
            continue
        moves = " and ".join(_move(calibration.parameters[k], values, float(direction[k] / direction[involved[0]]))
                             for k in involved)
        yield (f"The data do not determine {', '.join(names[:-1])} and {names[-1]} apart: {moves} together leave all "
               f"series almost as they are. Fix one of them, or add series in which they act differently.")


def _move(parameter: Parameter, values: dict[str, float], part: float) -> str:
    """Say how far a parameter moves along a direction: in percent of its value, where it has one."""
    value = values[parameter.name]
    du = 1e-4 * part
    change = parameter.value(parameter.position(value) + du) - value
    text = f"{100 * change / abs(value):+.2g} %" if value else f"{change:+.2g} {parameter.unit}".rstrip()
    return f"{parameter.name} {text}"


def _wide(estimates: tuple[Estimate, ...]) -> Iterator[str]:
    for each in estimates:
        one = each.parameter
        if not each.note and each.low <= one.low and each.high >= one.high:
            yield (f"The data hardly determine {one.name}: its interval is wider than the range between its bounds, "
                   f"{one.low:g} to {one.high:g} {one.unit}".rstrip() + ". Fix it, or add series in which it acts.")


def _entangled(correlation: Floats, calibration: Calibration) -> Iterator[str]:
    names = [each.name for each in calibration.parameters]
    for i in range(len(names)):
        for k in range(i):
            if abs(correlation[i, k]) > ENTANGLED:
                yield (f"{names[k]} and {names[i]} have the correlation {correlation[i, k]:+.4f}: the data determine "
                       f"mainly one combination of them.")


def _rough(rough: Floats, calibration: Calibration, free: NDArray[np.bool_]) -> Iterator[str]:
    found = [k for k in range(len(rough)) if free[k] and rough[k] > ROUGH]
    if found:
        names = ", ".join(f"{calibration.parameters[k].name} ({100 * rough[k]:.0f} %)" for k in found)
        yield (f"The residuals are not smooth: derivatives change by more than {100 * ROUGH:.0f} % if the step of the "
               f"differences is doubled, by {names}. These intervals are approximate: a greater `difference` averages "
               f"over jumps.")


def _dependent(residuals: Floats, blocks: list[Block], intervals: str) -> Iterator[str]:
    r = neighbours(residuals, [(block.begin, block.end) for block in blocks])
    if math.sqrt(float(residuals @ residuals) / len(residuals)) < NOISELESS:
        return
    if intervals == "rows" and r > max(CORRELATED, 3.0 / math.sqrt(len(residuals))):
        factor = math.sqrt((1.0 + r) / (1.0 - min(r, 1.0 - 1e-9)))
        yield (f"Residuals of neighbouring rows have the correlation {r:.2f}, and the intervals take them as "
               f"independent: they may be too narrow by a factor of about {factor:.1f}. With many series, use "
               f'intervals = "series".')
