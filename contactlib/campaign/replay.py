"""Replay: repeat one run of a campaign and write it as a scene of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from contactlib.campaign.limited import run_limited, too_long
from contactlib.campaign.outcome import Outcome
from contactlib.campaign.runner import Runner, one_line
from contactlib.campaign.scene_file import standalone
from contactlib.campaign.store import Store
from contactlib.model.spec import Spec
from contactlib.simulation.ensemble import run_ensemble


@dataclass(frozen=True)
class Replay:
    """A repeated run: its drawn values, its scene, its new outcome and its stored outcome.

    `spec` is the scene with bodies free and fixed as in the run; its duration ends before a step that failed.
    `recorded` is None for a run that the campaign has not done yet.
    """

    run: int
    values: dict[str, Any]
    scene: dict[str, Any]
    spec: Spec | None
    outcome: Outcome
    recorded: Outcome | None

    @property
    def differences(self) -> list[str]:
        """Sentences on the bitwise differences from the stored outcome; empty if the run is not recorded."""
        return [] if self.recorded is None else list(self.recorded.differences(self.outcome))

    @property
    def same(self) -> bool:
        """True if the new outcome is bitwise equal to the stored one."""
        return self.recorded is not None and not self.differences


def replay(store: Store, run: int) -> Replay:
    """Repeat one run of a stored campaign. ValueError if there is no such run.

    The run uses a model of its own, while the campaign may share one model between runs. So equal results are a real
    check, and `same` reports it.
    """
    campaign, values = store.campaign, store.values(run)
    scene = whole_scene(store, values)
    recorded = _recorded(store, run)
    limit = campaign.time_limit
    if limit is not None and (recorded is None or recorded.error == too_long(limit)):
        outcome = run_limited(campaign.source, values, limit)
        if outcome.error == too_long(limit):
            return Replay(run, values, scene, None, outcome, recorded)
    try:
        spec = campaign.spec_of(values)
        ensemble = run_ensemble(spec.compile(), campaign.names, every=campaign.every, num_threads=1)
        outcome = Runner(campaign).reduce(ensemble)
    except Exception as error:  # as in the campaign, where it is a row of the results
        return Replay(run, values, scene, None, Outcome({}, one_line(error)), recorded)
    if ensemble.errors[0] is not None:
        ends = float(np.nanmax(ensemble.time[0], initial=0.0))
        return Replay(run, values, scene, replace(spec, duration=ends) if ends > 0 else None, outcome, recorded)
    return Replay(run, values, scene, spec, outcome, recorded)


def _recorded(store: Store, run: int) -> Outcome | None:
    results = store.results()
    found = np.flatnonzero(results.run == run)
    if not found.size:
        return None
    error = results.errors[found[0]]
    metrics = {} if error else {metric.name: float(results.columns[metric.name][found[0]])
                                for metric in store.campaign.metrics}
    return Outcome(metrics, error)


def whole_scene(store: Store, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of one run's scene, complete with motions, step, duration and absolute file paths."""
    campaign = store.campaign
    scene = dict(campaign.scene_of(values))
    try:
        spec = campaign.closed(campaign.read(scene))
    except (ValueError, OSError):
        return scene  # the drawn values make no valid scene: show them unchanged
    return standalone(scene, spec, Path(campaign.source.folder))
