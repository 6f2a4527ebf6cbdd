"""Runs of a campaign: from drawn values to metrics, one run after the other, wherever it is told to."""

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
    """Runs draws of a campaign.

    Where only starts of bodies and parameters of laws are drawn, one model serves all runs; otherwise each run has its
    own. Both give the same bits.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.template = Template(campaign)
        self.shared: Model | None = None
        if self.template.only_starts:
            self.shared = campaign.closed(self.template.written).compile()

    def run(self, values: Mapping[str, Any]) -> Outcome:
        """One run with these drawn values; whatever goes wrong in it is in its outcome."""
        try:
            return self.reduce(self.record(values))
        except Exception as error:  # the other runs of the campaign go on
            return Outcome({}, told(error))

    def record(self, values: Mapping[str, Any]) -> Ensemble:
        """The variables of one run that the metrics read."""
        names, every = self.campaign.names, self.campaign.every
        spec = self.template.spec(values)
        if self.shared is None:
            return run_ensemble(spec.compile(), names, every=every, num_threads=1)
        starts = np.array([[body.state for body in spec.bodies]])
        parameters = {name: [value] for name, value in self.template.parameters(spec).items()}
        return run_ensemble(self.shared, names, every=every, starts=starts, parameters=parameters, num_threads=1)

    def reduce(self, ensemble: Ensemble) -> Outcome:
        """The metrics of a recorded run; ValueError if one is not a number."""
        if ensemble.errors[0] is not None:
            return Outcome({}, ensemble.errors[0])
        signals = dict(zip(ensemble.names, ensemble.values[0], strict=True)) | {"time": ensemble.time[0]}
        return Outcome({metric.name: metric.of(signals) for metric in self.campaign.metrics})


def told(error: Exception) -> str:
    """An exception in one sentence; one that is no refusal of the program's own goes with its kind."""
    text = " ".join(str(error).split())
    refused = isinstance(error, ValueError | OSError | ArithmeticError | MemoryError)
    return text if refused and text else f"{type(error).__name__}: {text}".removesuffix(": ")


@dataclass(frozen=True)
class Part:
    """Outcomes of some runs by their numbers, and the seconds that they took."""

    outcomes: dict[int, Outcome]
    seconds: float


def run_part(source: Source, version: str, values: Mapping[int, Mapping[str, Any]]) -> Part:
    """Some runs by their numbers: what threads and workers elsewhere are given to do."""
    if version != contactlib.__version__:
        raise ValueError(f"a worker has contactlib {contactlib.__version__}, and the campaign {version}: "
                         f"they must be the same")
    begin = time.perf_counter()
    runner = _runner(_Key(source))
    limit = runner.campaign.time_limit
    outcomes = {run: runner.run(drawn) if limit is None else run_limited(source, drawn, limit)
                for run, drawn in values.items()}
    return Part(outcomes, time.perf_counter() - begin)


class _Key:
    """A source that is known again by its content."""

    def __init__(self, source: Source) -> None:
        self.source, self.text = source, repr(source)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@lru_cache(maxsize=2)
def _runner(key: _Key) -> Runner:
    return Runner(read_campaign(key.source))
