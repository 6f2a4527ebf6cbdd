"""Runs of a calibration: all series for many parameter vectors in one ensemble, and their residuals."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration.definition import Calibration
from contactlib.calibration.measured import Measured, at_times
from contactlib.calibration.motion import states_of_steps
from contactlib.calibration.parameters import Change
from contactlib.calibration.series import Series
from contactlib.campaign import paths
from contactlib.campaign.template import REDUCED, is_parameter, is_start
from contactlib.model.model import Model
from contactlib.simulation.ensemble import run_ensemble

Floats = NDArray[np.float64]
T = TypeVar("T")
#: most recorded numbers of one ensemble: 160 MB; more runs are done in several ensembles
MOST_NUMBERS = 20_000_000
#: initial states that are kept, so that they are read once
MOST_STARTS = 100_000
#: models that are kept from one evaluation to the next
MOST_MODELS = 100


@dataclass(frozen=True)
class Block:
    """The residuals of one component of one measured quantity in one series: rows `begin` to `end` of the vector."""

    series: int
    measured: int
    component: int
    begin: int
    end: int


@dataclass(frozen=True)
class Outcome:
    """Residuals (m,) of one parameter vector, or the error that prevented them."""

    residuals: Floats | None
    error: str | None = None


@dataclass(frozen=True)
class _Run:
    """One run: keys of its model and its initial states, parameters by name, and the series whose length it has."""

    model: Hashable
    start: Hashable
    tuned: tuple[tuple[str, float], ...]
    series: int


def blocks_of(calibration: Calibration) -> list[Block]:
    """Return the blocks of the residuals: series by series, in them quantity by quantity."""
    blocks: list[Block] = []
    end = 0
    for i, series in enumerate(calibration.series):
        for k, measured in enumerate(calibration.measured):
            if measured.name in series.values:
                for component in range(len(measured.components)):
                    blocks.append(Block(i, k, component, end, end + len(series.time)))
                    end = blocks[-1].end
    return blocks


class Runs:
    """Computes residuals. Equal models are compiled once, equal runs are done once, all in one ensemble.

    Initial states and parameters of laws need no model of their own: the ensemble sets them. The bits are those of a
    scene that is compiled with these values.
    """

    def __init__(self, calibration: Calibration, num_threads: int | None = -1) -> None:
        self.calibration, self.num_threads = calibration, num_threads
        first = calibration.spec_of(calibration.changes(
            {each.name: each.start for each in calibration.parameters}, calibration.series[0]))
        self.step = first.longest_step
        #: the initial states of bodies may differ between the runs of one model, unless elements depend on them
        self.shares = len(first.rigid_bodies) == len(first.bodies) and (
            {*calibration.source.scene} <= {"scene", "pair", *REDUCED})
        names = [variable.name for variable in first.compile().variables]
        #: none if two parts of a law have parameters of one name
        self.variables = names if self.shares and len({*names}) == len(names) else []
        self.tunable: dict[tuple[paths.Steps, str], str | None] = {}
        self.steps = [self._steps(each) for each in calibration.series]
        self.names = list(dict.fromkeys(name for each in calibration.measured for name in each.variables))
        self.blocks = blocks_of(calibration)
        self.size = self.blocks[-1].end
        self.starts: dict[Hashable, Floats] = {}
        self.models: dict[Hashable, Model | str] = {}
        self.moved: dict[int, dict[str, Floats]] = {}
        self.count = 0

    def _steps(self, series: Series) -> int:
        return max(1, math.ceil(float(series.time[-1]) / self.step - 1e-6))

    def outcomes(self, vectors: Sequence[Floats]) -> list[Outcome]:
        """Return the residuals of many positions of the parameters, each (n,)."""
        models = self._kept()
        wanted: dict[_Run, None] = {}
        table = []
        for vector in vectors:
            values = self.values(vector)
            row = [self._run(values, i, models) for i in range(len(self.calibration.series))]
            table.append(row)
            if all(isinstance(run, _Run) for run in row):
                wanted.update(dict.fromkeys(run for run in row if isinstance(run, _Run)))
        found = self._simulated(list(wanted), models, self.weighted)
        return [self._outcome(row, found) for row in table]

    def values(self, vector: Floats) -> dict[str, float]:
        """Return the parameters by name."""
        return {each.name: each.value(float(u)) for each, u in zip(self.calibration.parameters, vector, strict=True)}

    def _run(self, values: Mapping[str, float], number: int, models: dict[Hashable, Model | str]) -> _Run | str:
        """Return a run of one series, with its model and initial states made; or the error of the scene."""
        changes = self.calibration.changes(values, self.calibration.series[number])
        starts = [change for change in changes if self.shares and is_start(change.steps)]
        named = [(self._variable(change), change) for change in changes]
        tuned = tuple((name, float(change.value)) for name, change in named if name is not None)
        others = [change for name, change in named if name is None and change not in starts]
        model, start = (tuple(change.key for change in part) for part in (others, starts))
        try:
            if model not in models:
                models[model] = self.calibration.spec_of(others).compile()
            if start not in self.starts:
                self.starts[start] = self._states(changes)
        except (ValueError, OSError) as error:
            models.setdefault(model, str(error))
            return str(error)
        made = models[model]
        return made if isinstance(made, str) else _Run(model, start, tuned, number)

    def _kept(self) -> dict[Hashable, Model | str]:
        """Return the models of the last evaluations: if all evaluations share one model, it is compiled once."""
        if len(self.models) > MOST_MODELS:
            self.models.clear()
        return self.models

    def _variable(self, change: Change) -> str | None:
        """Return the variable that a change of a law sets; None if the scene must be read anew."""
        key = change.steps, change.how
        if key not in self.tunable:
            self.tunable[key] = self._find_variable(change)
        return self.tunable[key]

    def _find_variable(self, change: Change) -> str | None:
        steps = change.steps
        if change.how != "value" or not is_parameter(steps, self.variables):
            return None
        row = next(row for row in self.calibration.source.scene["law"] if row["name"] == steps[1])
        # from these, reading the scene computes the damping, or the modulus
        if {"restitution", "youngs_modulus"} & row.get(str(steps[2]), {}).keys():
            return None
        return f"{steps[1]}.{steps[3]}{f'[{steps[4]}]' if len(steps) > 4 else ''}"

    def _parameters(self, runs: Sequence[_Run], models: dict[Hashable, Any]) -> dict[str, list[float]]:
        """Return the values (N,) of all variables that one of the runs sets; the others have those of their models."""
        names = dict.fromkeys(name for run in runs for name, _ in run.tuned)
        values: dict[str, list[float]] = {name: [] for name in names}
        for run in runs:
            given = dict(run.tuned)
            if len(given) < len(names):
                given = {each.name: each.start for each in models[run.model].variables if each.name in names} | given
            for name, column in values.items():
                column.append(given[name])
        return values

    def _states(self, changes: list[Change]) -> Floats:
        """Return the initial states (bodies, 13) of a scene with these changes; only those of the states matter."""
        if len(self.starts) >= MOST_STARTS:
            self.starts.clear()
        if not self.shares:  # those of the model
            return np.zeros((0, 13))
        return np.array([body.state for body in self.calibration.spec_of(changes).bodies])

    def _simulated(self, runs: list[_Run], models: dict[Hashable, Any],
                   reduce: Callable[[int, Floats, Floats], T]) -> dict[_Run, T | str]:
        """Return what `reduce` makes of the series' number, the times and the rows (K, T) of each run, or its error."""
        found: dict[_Run, T | str] = {}
        rows = [2 + self.steps[run.series] // self.calibration.every for run in runs]
        begin = 0
        while begin < len(runs):
            end, most = begin + 1, rows[begin]
            while end < len(runs) and (end + 1 - begin) * max(most, rows[end]) * (1 + len(self.names)) <= MOST_NUMBERS:
                most = max(most, rows[end])
                end += 1
            found.update(self._ensemble(runs[begin:end], models, reduce))
            begin = end
        self.count += len(runs)
        return found

    def _ensemble(self, runs: list[_Run], models: dict[Hashable, Any],
                  reduce: Callable[[int, Floats, Floats], T]) -> dict[_Run, T | str]:
        starts = np.array([self.starts[run.start] for run in runs]) if self.shares else None
        done = run_ensemble(
            [models[run.model] for run in runs], self.names, dt=self.step, every=self.calibration.every, starts=starts,
            parameters=self._parameters(runs, models), motions=self._motions(runs), num_threads=self.num_threads,
            duration=[self.steps[run.series] * self.step for run in runs])
        found: dict[_Run, T | str] = {}
        for i, run in enumerate(runs):
            error = done.errors[i]
            found[run] = error if error is not None else reduce(run.series, done.time[i], done.values[i])
        return found

    def _motions(self, runs: Sequence[_Run]) -> dict[str, list[Floats]]:
        """Return the states of the moved bodies at the steps of each run; each series is interpolated once."""
        for number in {run.series for run in runs} - {*self.moved}:
            self.moved[number] = {body: states_of_steps(rows, self.steps[number], self.step)
                                  for body, rows in self.calibration.series[number].motion.items()}
        return {each.body: [self.moved[run.series][each.body] for run in runs] for each in self.calibration.motions}

    def weighted(self, number: int, time: Floats, rows: Floats) -> Floats:
        """Return the residuals of a run with rows (K, T): deviations over sigma, by the root of the series' weight."""
        series = self.calibration.series[number]
        parts = [measured.deviation(self.sampled(measured, series, time, rows), series.values[measured.name])
                 * (math.sqrt(series.weight) / measured.sigma)
                 for measured in self.calibration.measured if measured.name in series.values]
        return np.concatenate([part.ravel() for part in parts])

    def sampled(self, measured: Measured, series: Series, time: Floats, rows: Floats) -> Floats:
        """Return the simulated values of a quantity at the measured times, (K, n)."""
        kept = np.isfinite(time)
        chosen = rows[[self.names.index(name) for name in measured.variables]][:, kept]
        return at_times(time[kept], chosen, series.time, measured.turns)

    def curves(self, values: Mapping[str, float], numbers: Sequence[int]) -> list[dict[str, Floats]]:
        """Return the simulated values (K, n) of some series at the measured times, by the measured quantities' names.

        ValueError if a run fails.
        """
        models = self._kept()
        runs = [self._run(values, number, models) for number in numbers]
        found = self._simulated([run for run in runs if isinstance(run, _Run)], models, self._curves)
        result = []
        for number, run in zip(numbers, runs, strict=True):
            curves = run if isinstance(run, str) else found[run]
            if isinstance(curves, str):
                raise ValueError(f"series '{self.calibration.series[number].name}': {curves}")
            result.append(curves)
        return result

    def _curves(self, number: int, time: Floats, rows: Floats) -> dict[str, Floats]:
        series = self.calibration.series[number]
        return {measured.name: self.sampled(measured, series, time, rows)
                for measured in self.calibration.measured if measured.name in series.values}

    def _outcome(self, row: Sequence[_Run | str], found: dict[_Run, Floats | str]) -> Outcome:
        parts = []
        for series, run in zip(self.calibration.series, row, strict=True):
            part = run if isinstance(run, str) else found[run]
            if isinstance(part, str):
                return Outcome(None, f"series '{series.name}': {part}")
            parts.append(part)
        residuals = np.concatenate(parts)
        if not np.isfinite(residuals).all():
            return Outcome(None, "a residual is not a finite number")
        return Outcome(residuals)
