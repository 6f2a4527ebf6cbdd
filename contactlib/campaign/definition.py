"""Reads a campaign: the file campaign.toml and the tables of its scene (docs/campaigns.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from contactlib.campaign import paths
from contactlib.campaign.criteria import Criterion, read_criterion
from contactlib.campaign.draws import DISTRIBUTIONS, SAMPLINGS, Draw, read_draw, sample
from contactlib.campaign.metrics import SIGNAL, Metric, read_metric
from contactlib.campaign.morris import RANGES
from contactlib.common import tables
from contactlib.common.arguments import step_count
from contactlib.common.files import SceneFolder, read_toml
from contactlib.common.options import INTEGRATORS
from contactlib.common.tables import Table
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import SCENES, Spec
from contactlib.pcm.diagnostics import PcmError
from contactlib.simulation.ensemble import check_recording

MAX_RUNS = 1_000_000
#: number of draws that are tried as a scene before the campaign is refused
MAX_ATTEMPTS = 20


class Source(NamedTuple):
    """A campaign as plain tables: the store keeps them beside the results, and workers receive them.

    `folder` is the folder of the scene's files; `outside` allows the scene to name files outside that folder.
    """

    campaign: dict[str, Any]
    scene: dict[str, Any]
    folder: str
    outside: bool = False


@dataclass(frozen=True)
class Campaign:
    """A scene to be run many times, with drawn values; immutable. `load_campaign` and `read_campaign` make one.

    `names` are the variables that the runs record.
    """

    source: Source
    name: str
    runs: int
    seed: int
    sampling: str
    every: int
    draws: tuple[Draw, ...]
    metrics: tuple[Metric, ...]
    criteria: tuple[Criterion, ...]
    fixed: tuple[str, ...]
    duration: float | None
    step: float | None
    integrator: str | None
    time_limit: float | None

    @property
    def names(self) -> list[str]:
        return sorted(frozenset[str]().union(*(metric.node.reads for metric in self.metrics)) - {"time"})

    @cached_property
    def values(self) -> dict[str, list[Any]]:
        """The drawn values of all runs: for each draw a list with one value per run."""
        return sample(self.draws, self.runs, self.sampling, self.seed)

    def scene_of(self, values: Mapping[str, Any], scene: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the scene's tables with one run's drawn values written into them."""
        changed: Any = self.source.scene if scene is None else scene
        for draw in self.draws:
            changed = draw.applied(changed, values[draw.name])
        turned: dict[str, Any] = paths.turned(changed)
        return turned

    def spec_of(self, values: Mapping[str, Any]) -> Spec:
        """Return the scene of one run: bodies with a mass are free, all others are fixed."""
        return self.closed(self.read(self.scene_of(values)))

    def read(self, scene: Mapping[str, Any]) -> Spec:
        """Read a scene from its tables, without running the Python modules that the tables name."""
        return Spec.from_dict(scene, folder=self.source.folder, trust=None, outside=self.source.outside)

    def closed(self, spec: Spec) -> Spec:
        """Return the scene as the campaign runs it. Raise ValueError if the scene has a contact model in Python."""
        for law in spec.laws:
            if law.python:
                raise ValueError(f"law '{law.name}' has the contact model '{law.python.kind}' in Python: a campaign "
                                 f"runs compiled laws only, and does not run {law.python.module}.py: choose a "
                                 f"compiled law")
        return closed_loop(spec, list(self.fixed), self.step, self.duration, self.integrator)

    def limited(self, seconds: float | None) -> Campaign:
        """Return this campaign with another time limit (s) for each run; None keeps the present limit."""
        if seconds is None:
            return self
        values = dict(self.source.campaign)
        values["campaign"] = {**values["campaign"], "time_limit": seconds}
        return read_campaign(self.source._replace(campaign=values))

    def hash(self, values: Mapping[str, Any]) -> str:
        """Return the SHA-256 of the campaign, its scene, the files that both name, and the drawn values."""
        named = {*paths.files(self.source.scene), *(str(value) for draw in self.draws for value in values[draw.name]
                                                    if any(steps[-1] == "file" for steps in draw.steps))}
        digest = hashlib.sha256(_canonical([self.source.campaign, self.source.scene, values]))
        place = SceneFolder.of(self.source.folder, outside=self.source.outside)
        for file in sorted(named):
            digest.update(hashlib.sha256(place.file(file).read_bytes()).digest())
        return digest.hexdigest()


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def load_campaign(path: str | Path, *, outside: bool = False) -> Campaign:
    """Read a campaign file and its scene.

    Parameters
    ----------
    path : the campaign.toml.
    outside : True lets the scene name files that lie outside its folder.

    Raises
    ------
    ValueError : with the key's path, the value and what is allowed.
    OSError : there is no such file.
    """
    path = Path(path)
    values = read_toml(path)
    scene_name = values.get("campaign", {}).get("scene") if isinstance(values.get("campaign"), dict) else None
    try:
        scene = scene_path(tables.text("campaign.scene", scene_name), path.parent) if scene_name is not None else None
        if scene is None:
            raise ValueError("campaign.scene is missing")
        return read_campaign(Source(values, read_toml(scene), str(scene.parent.resolve()), outside))
    except PcmError:  # names its own file
        raise
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def scene_path(scene: str, folder: Path, key: str = "campaign.scene") -> Path:
    """Return the path of the scene file: a path relative to `folder`, or the name of a shipped scene.

    A ValueError names the key that has the path.
    """
    path = folder / scene
    path = path / "scene.toml" if path.is_dir() else path
    shipped = {file.parent.name: file for file in sorted(SCENES.glob("*/scene.toml"))}
    if path.is_file():
        return path
    if scene in shipped:
        return shipped[scene]
    return tables.fail(key, scene, f"no such file and no shipped scene; {tables.hint(scene, shipped)}")


def read_campaign(source: Source) -> Campaign:
    """Read a campaign from its tables. A ValueError has the key's path, the value and what is allowed."""
    top = Table(source.campaign, "")
    head = top.table("campaign")
    head.take("scene", tables.text)
    nobody: tuple[str, ...] = ()
    options: dict[str, Any] = {
        "name": head.take("name", tables.name),
        "runs": head.take("runs", tables.integer(1, MAX_RUNS)),
        "seed": head.take("seed", tables.integer(0, 2**63 - 1), 0),
        "sampling": head.take("sampling", tables.choice(SAMPLINGS), SAMPLINGS[0]),
        "every": head.take("every", tables.integer(1, 1 << 31), 1),
        "fixed": head.take("fixed", tables.listing(tables.text), nobody),
        "duration": head.take("duration", tables.number(0.0, above=True), None),
        "step": head.take("step", tables.number(0.0, above=True), None),
        "integrator": head.take("integrator", tables.choice(INTEGRATORS), None),
        "time_limit": head.take("time_limit", tables.number(0.0, above=True), None),
    }
    head.finish()
    tables_of_draws = _each(top, "draw")
    if options["sampling"] == "morris":
        _check_ranges(tables_of_draws)
    draws = tuple(read_draw(name, table) for name, table in tables_of_draws)
    metrics, success = top.table("metric"), top.table("success")
    top.finish()
    _check_draws(draws)
    campaign = Campaign(source, draws=draws, metrics=(), criteria=(), **options)
    variables = {variable.name: SIGNAL for variable in _first_model(campaign).variables}
    read = tuple(read_metric(name, *_metric(metrics, name), variables) for name in metrics.values.copy())
    if not read:
        raise ValueError("metric is missing: a campaign has at least one, such as deepest = \"max(contact.max_depth)\"")
    for metric in read:
        tables.name(f"metric.{metric.name}", metric.name)
        if metric.name in {draw.name for draw in draws} | {"draw", "error", "success"}:
            raise ValueError(f"metric.{metric.name}: a draw has this name, or the name is reserved (draw, error and "
                             f"success are): choose another name")
    columns = [metric.name for metric in read]
    columns += [name for name, values in campaign.values.items() if type(values[0]) in (int, float)]
    criteria = tuple(read_criterion(name, tables.text(f"success.{name}", text), columns)
                     for name, text in success.values.items())
    return replace(campaign, metrics=read, criteria=criteria)


def _each(top: Table, key: str) -> list[tuple[str, Table]]:
    table = top.table(key)
    return [(name, Table(value, table.at(name))) for name, value in table.values.items()]


def _metric(metrics: Table, name: str) -> tuple[str, str]:
    """Return the expression and the unit of NAME = "..." or NAME = { is = "...", unit = "..." }."""
    value = metrics.values[name]
    if isinstance(value, str):
        return value, ""
    table = Table(value, metrics.at(name))
    text, unit = table.take("is", tables.text), table.take("unit", tables.text, "")
    table.finish()
    return text, unit


def _check_ranges(draws: list[tuple[str, Table]]) -> None:
    """Raise ValueError if a draw has no range: the levels of the sampling "morris" include both of its ends."""
    for _, table in draws:
        kind = table.values.get("distribution")
        if kind in (*DISTRIBUTIONS, "constant") and kind not in RANGES:
            tables.fail(table.at("distribution"), kind, f"must be one of {', '.join(RANGES)} with sampling = 'morris', "
                        f"which needs a range with two ends")


def _check_draws(draws: tuple[Draw, ...]) -> None:
    seen: dict[paths.Steps, str] = {}
    for draw in draws:
        if draw.name in ("draw", "error", "success"):
            raise ValueError(f"draw.{draw.name}: the names draw, error and success are reserved: choose another name")
        for steps in draw.steps:
            if steps in seen:
                raise ValueError(f"draw.{draw.name}.path: draw.{seen[steps]} has the same path: keep one of these "
                                 f"draws")
            seen[steps] = draw.name


def _first_model(campaign: Campaign) -> Any:
    """Return the compiled scene of the first valid draw. Raise the first draw's error if MAX_ATTEMPTS draws fail."""
    refusal: Exception | None = None
    for run in range(min(campaign.runs, MAX_ATTEMPTS)):
        try:
            spec = campaign.spec_of({name: column[run] for name, column in campaign.values.items()})
            check_recording(1, step_count(spec.duration, spec.longest_step), campaign.every, 1)
            return spec.compile()
        except (ValueError, OSError) as error:
            refusal = refusal or error
    assert refusal is not None
    raise ValueError(f"no draw makes a scene that can be run; the first draw: {refusal}") from None
