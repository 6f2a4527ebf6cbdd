"""The fit: scipy's least squares in the positions of the parameters, with a Jacobian from one ensemble."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration.definition import Options
from contactlib.calibration.runs import Runs
from contactlib.calibration.statistics import losses, without_effect
from contactlib.calibration.store import Store

Floats = NDArray[np.float64]
#: weight of the rows that give a Jacobian full rank
DAMPING = 1e-6
#: points of a sample in one ensemble
SAMPLES = 64


@dataclass(frozen=True)
class Progress:
    """What the fit has reached: start `start` of `starts`, evaluations so far, its cost and the best values."""

    start: int
    starts: int
    evaluations: int
    cost: float
    values: dict[str, float]


Report = Callable[[Progress], None]


@dataclass(frozen=True)
class Optimum:
    """The end of a fit from one start: position (n,), cost, residuals (m,), and why it ended."""

    u: Floats
    cost: float
    residuals: Floats
    converged: bool
    message: str


class Evaluator:
    """Residuals and Jacobians by position; each is computed once and stored."""

    def __init__(self, runs: Runs, store: Store) -> None:
        self.runs, self.store = runs, store
        self.steps = np.array([each.difference for each in runs.calibration.parameters])
        self.last_error = ""

    def many(self, positions: Sequence[Floats]) -> list[Floats | None]:
        """Return the residuals at several positions; None where a run fails."""
        found = [self.store.find("residuals", u) for u in positions]
        missing = [k for k, value in enumerate(found) if value is None]
        for k, outcome in zip(missing, self.runs.outcomes([positions[k] for k in missing]), strict=True):
            value = outcome.residuals if outcome.residuals is not None else str(outcome.error)
            self.store.keep("residuals", positions[k], value)
            found[k] = value
        self.last_error = next((value for value in found if isinstance(value, str)), "")
        return [None if isinstance(value, str) else value for value in found]

    def residuals(self, u: Floats) -> Floats:
        """Return the residuals (m,); infinite where a run fails, so that the fit takes a shorter step."""
        found = self.many([np.array(u)])[0]
        return np.full(self.runs.size, np.inf) if found is None else found.copy()

    def jacobian(self, u: Floats, factor: float = 1.0) -> Floats:
        """Return the derivatives (m, n) of the residuals by the positions, from central differences.

        At a bound, and where a run fails on one side, the difference is one-sided. ValueError if both sides fail.
        """
        u = np.array(u)
        kind = f"jacobian {factor:g}"
        stored = self.store.find(kind, u)
        if stored is None:
            stored = self._differences(u, factor * self.steps)
            self.store.keep(kind, u, stored)
        assert not isinstance(stored, str)
        return stored.copy()

    def _differences(self, u: Floats, steps: Floats) -> Floats:
        n = len(u)
        sides = np.repeat(u[None], 2 * n, axis=0)
        for k in range(n):
            sides[2 * k, k] = max(0.0, u[k] - steps[k])
            sides[2 * k + 1, k] = min(1.0, u[k] + steps[k])
        outcomes = self.runs.outcomes(list(sides))
        middle = self.many([u])[0]
        columns = []
        for k, parameter in enumerate(self.runs.calibration.parameters):
            ends = [(float(sides[2 * k + side, k]), outcomes[2 * k + side].residuals) for side in (0, 1)]
            usable = [(at, value) for at, value in ends if value is not None]
            if len(usable) < 2 and middle is not None:
                usable.append((float(u[k]), middle))
            usable.sort(key=lambda end: end[0])
            if len(usable) < 2 or usable[0][0] == usable[-1][0]:
                raise ValueError(f"parameter.{parameter.name}: the runs fail on both sides of "
                                 f"{parameter.value(float(u[k])):g}: {outcomes[2 * k].error}: choose other bounds, or "
                                 f"a smaller `difference` than {parameter.difference:g}")
            columns.append((usable[-1][1] - usable[0][1]) / (usable[-1][0] - usable[0][0]))
        return np.stack(columns, axis=1)


def fit(evaluator: Evaluator, options: Options, report: Report) -> list[Optimum]:
    """Fit from every start; the best result is first, and of equal ones the earlier.

    Raises
    ------
    ValueError : the runs fail at the start values.
    """
    starts = _starts(evaluator, options)
    found = []
    for number, u in enumerate(starts, start=1):
        found.append(_fit_one(evaluator, options, u, lambda cost, at, number=number: report(Progress(
            number, len(starts), evaluator.runs.count, cost, evaluator.runs.values(at)))))
    return sorted(found, key=lambda each: each.cost)


def _starts(evaluator: Evaluator, options: Options) -> list[Floats]:
    """Return the start of the file, and the best of a Sobol sample between the bounds."""
    parameters = evaluator.runs.calibration.parameters
    first = np.array([each.position(each.start) for each in parameters])
    if evaluator.many([first])[0] is None:
        raise ValueError(f"the runs fail at the start values: {evaluator.last_error}")
    if options.starts == 1:
        return [first]
    from scipy.stats import qmc

    rng = np.random.default_rng(options.seed)
    power = max(1, (options.samples - 1).bit_length())
    sample = qmc.Sobol(len(parameters), scramble=True, rng=rng).random_base2(power)[:options.samples]
    costs = []
    for begin in range(0, len(sample), SAMPLES):
        costs += [(cost_of(residuals, options), begin + k)
                  for k, residuals in enumerate(evaluator.many(list(sample[begin:begin + SAMPLES])))
                  if residuals is not None]
    return [first, *(sample[k] for _, k in sorted(costs)[:options.starts - 1])]


def _fit_one(evaluator: Evaluator, options: Options, start: Floats, report: Callable[..., None]) -> Optimum:
    from scipy.optimize import least_squares

    n = len(start)

    def residuals_of(u: Floats) -> Floats:
        return np.concatenate([evaluator.residuals(u), np.zeros(n)])

    def jacobian(u: Floats) -> Floats:
        report(cost_of(evaluator.residuals(u), options), u)
        return damped(evaluator.jacobian(u))

    done: Any = least_squares(
        residuals_of, start, jac=jacobian, bounds=(0.0, 1.0), method="trf", x_scale=1.0, loss=options.loss,
        f_scale=options.loss_scale, ftol=options.tolerance, xtol=options.tolerance, gtol=options.tolerance,
        max_nfev=options.max_evaluations)
    residuals = evaluator.residuals(done.x)
    return Optimum(np.array(done.x), float(done.cost), residuals, done.status > 0, str(done.message))


def damped(jacobian: Floats) -> Floats:
    """Return a Jacobian (m + n, n) of full rank: n more rows belong to residuals that are always zero.

    scipy's step for a matrix without full rank is as long as the trust region, also at the minimum: the fit would
    crawl. The rows keep directions that change nothing still. They slow down those whose singular value, with columns
    of unit length, is below DAMPING, and these are reported as not determined. Rounding errors in the column of a
    parameter without effect would send the step to its bound: the column is zero.
    """
    length = np.sqrt((jacobian * jacobian).sum(axis=0))
    dead = without_effect(jacobian)
    rows = np.diag(DAMPING * np.where(dead, max(1.0, float(length.max())), length))
    return np.concatenate([np.where(dead, 0.0, jacobian), rows])


def cost_of(residuals: Floats, options: Options) -> float:
    """Return the cost that the fit minimises: half the sum of the squared residuals, or of their robust loss."""
    scale = options.loss_scale
    return float(0.5 * scale * scale * losses(options.loss, (residuals / scale) ** 2)[0].sum())
