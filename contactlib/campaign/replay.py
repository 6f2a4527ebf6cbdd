"""Replay: repeat one run of a campaign and write it as a scene of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from contactlib.campaign.limited import run_limited, too_long
from contactlib.campaign.outcome import Outcome
from contactlib.campaign.runner import Runner, one_line
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
    motions = {body.name: body.motion for body in spec.rigid_bodies}
    limit = {"max_step_size": spec.max_step_size} if spec.max_step_size is not None else {}
    scene["scene"] = {**scene["scene"], "step_size": spec.step_size, **limit, "duration": spec.duration,
                      "integrator": spec.integrator}
    for key in ("body", "object"):
        if key in scene:
            scene[key] = [_with_motion(row, row["name"], motions) for row in scene[key]]
    whole: dict[str, Any] = _with_files(scene, Path(campaign.source.folder))
    return whole


def _with_motion(row: Mapping[str, Any], path: str, motions: Mapping[str, str]) -> dict[str, Any]:
    """Return a body or group with its motion of the run, and likewise its movable groups."""
    result = dict(row)
    if path in motions:
        result["motion"] = motions[path]
    if "group" in row:
        result["group"] = [_with_motion(group, f"{path}.{group['name']}", motions) for group in row["group"]]
    return result


def _with_files(tree: Any, folder: Path) -> Any:
    if isinstance(tree, Mapping):
        return {key: str((folder / value).resolve()) if key in ("file", "contacts") else _with_files(value, folder)
                for key, value in tree.items()}
    return [_with_files(element, folder) for element in tree] if isinstance(tree, list) else tree


def toml(tables: Mapping[str, Any]) -> str:
    """Write tables as the text of a TOML file.

    >>> print(toml({"a": 1, "body": [{"name": "x", "r": [0.5, 1e-20]}]}).strip())
    a = 1
    <BLANKLINE>
    [[body]]
    name = "x"
    r = [0.5, 1e-20]
    """
    return "\n".join(_lines(tables, ())) + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping) or _is_rows(value)}
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        name = ".".join(map(_key, (*path, key)))
        for row in [value] if isinstance(value, Mapping) else value:
            yield f"\n[{name}]" if isinstance(value, Mapping) else f"\n[[{name}]]"
            yield from _lines(row, (*path, key))


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)  # enough digits of a number to restore every bit
