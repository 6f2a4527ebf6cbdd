"""Runs of a campaign: from drawn values to metrics, one run after the other, in a thread or a worker process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import contactlib
from contactlib.campaign.definition import Campaign, Source, read_campaign
from contactlib.campaign.limited import run_limited
from contactlib.campaign.outcome import Outcome
from contactlib.campaign.template import Template
from contactlib.model.model import Model
from contactlib.simulation.ensemble import Ensemble, run_ensemble


class Runner:
    """Does runs of a campaign.

    If only initial states of bodies and parameters of laws are drawn, all runs share one model. Otherwise each run has
    a model of its own. Both ways compute the same bits.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.template = Template(campaign)
        self.shared: Model | None = None
        if self.template.only_starts:
            self.shared = campaign.closed(self.template.written).compile()

    def run(self, values: Mapping[str, Any]) -> Outcome:
        """Do one run with these drawn values. An error of the run is part of its outcome."""
        try:
            return self.reduce(self.record(values))
        except Exception as error:  # the other runs of the campaign go on
            return Outcome({}, one_line(error))

    def record(self, values: Mapping[str, Any]) -> Ensemble:
        """Do one run and record the variables that the metrics read."""
        names, every = self.campaign.names, self.campaign.every
        spec = self.template.spec(values)
        if self.shared is None:
            return run_ensemble(spec.compile(), names, every=every, num_threads=1)
        starts = np.array([[body.state for body in spec.bodies]])
        parameters = {name: [value] for name, value in self.template.parameters(spec).items()}
        return run_ensemble(self.shared, names, every=every, starts=starts, parameters=parameters, num_threads=1)

    def reduce(self, ensemble: Ensemble) -> Outcome:
        """Compute the metrics of a recorded run. ValueError if a metric is not a number."""
        if ensemble.errors[0] is not None:
            return Outcome({}, ensemble.errors[0])
        signals = dict(zip(ensemble.names, ensemble.values[0], strict=True)) | {"time": ensemble.time[0]}
        return Outcome({metric.name: metric.of(signals) for metric in self.campaign.metrics})


def one_line(error: Exception) -> str:
    """Return an exception as one line; an unexpected exception is preceded by its type."""
    text = " ".join(str(error).split())
    expected = isinstance(error, ValueError | OSError | ArithmeticError | MemoryError)
    return text if expected and text else f"{type(error).__name__}: {text}".removesuffix(": ")


@dataclass(frozen=True)
class Part:
    """Outcomes of some runs by their numbers, and the seconds that they took."""

    outcomes: dict[int, Outcome]
    seconds: float


def run_part(source: Source, version: str, values: Mapping[int, Mapping[str, Any]]) -> Part:
    """Do some runs, given by their numbers and drawn values; threads and remote workers call this function."""
    if version != contactlib.__version__:
        raise ValueError(f"a worker has contactlib {contactlib.__version__}, and the campaign {version}: "
                         f"they must be the same: install contactlib {version} on the worker")
    begin = time.perf_counter()
    runner = _runner(_Key(source))
    limit = runner.campaign.time_limit
    outcomes = {run: runner.run(drawn) if limit is None else run_limited(source, drawn, limit)
                for run, drawn in values.items()}
    return Part(outcomes, time.perf_counter() - begin)


class _Key:
    """A source as a cache key: equal sources are equal keys."""

    def __init__(self, source: Source) -> None:
        self.source, self.text = source, repr(source)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@lru_cache(maxsize=2)
def _runner(key: _Key) -> Runner:
    return Runner(read_campaign(key.source))
