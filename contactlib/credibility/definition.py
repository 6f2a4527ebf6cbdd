"""Reads credibility.toml: what a scene is for, where its numbers are from, and what its results depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contactlib.campaign.definition import Campaign, Source, read_campaign, scene_path
from contactlib.common import tables
from contactlib.common.files import read_toml
from contactlib.common.tables import Table
from contactlib.credibility.inputs import Input, matches, parameter_inputs, scene_inputs

#: where a number is from, the best first
PEDIGREES = {
    "measured": "measured on the real thing, by a named source",
    "published": "printed by a named source",
    "recalled": "quoted from memory of a named source, not checked again",
    "derived": "computed from other inputs",
    "chosen": "a setting of the run or of the frames; no property of a real thing",
    "assumed": "a guess without a source",
}
#: pedigrees that need a source of the table [source]
SOURCED = ("measured", "published", "recalled")
FACTS_FILE = "credibility.toml"
#: keys of a campaign that a study passes on
_STUDY_KEYS = ("duration", "step", "integrator", "every", "fixed", "time_limit")


@dataclass(frozen=True)
class Pedigree:
    """Where the inputs of a pattern are from.

    Parameters
    ----------
    pattern : form of their paths (`contactlib.credibility.inputs.matches`).
    kind : one of `PEDIGREES`.
    source : key of the source; "" if there is none.
    text : what more there is to say, such as the page, or the reason of an assumption.
    """

    pattern: str
    kind: str
    source: str
    text: str


@dataclass(frozen=True)
class Study:
    """How the runs for sensitivity and convergence are made; the keys are those of a campaign."""

    trajectories: int
    seed: int
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Facts:
    """What credibility.toml says of a scene; immutable. `read_facts` makes one.

    Parameters
    ----------
    name, scene : name of the scene, and path of its file.
    use, not_for, limits, not_validated : sentences.
    sources : texts of the sources by key.
    pedigrees : where the inputs are from.
    parameters : file from which the scene file is generated; its inputs stand for those of the scene. None if there is
        none.
    draws, metrics : tables of a campaign: inputs with ranges, and quantities of interest.
    reasons : reason of the range of each draw, and why each metric matters, by name.
    study : how they are studied.
    """

    name: str
    scene: Path
    use: str
    not_for: tuple[str, ...]
    limits: tuple[str, ...]
    not_validated: tuple[str, ...]
    sources: Mapping[str, str]
    pedigrees: tuple[Pedigree, ...]
    parameters: Path | None
    draws: Mapping[str, Mapping[str, Any]]
    metrics: Mapping[str, Mapping[str, str]]
    reasons: Mapping[str, str]
    study: Study
    inputs: tuple[Input, ...] = field(default=())

    def pedigree(self, given: Input) -> Pedigree:
        """Return where an input is from: what its own file says, or else the one entry that fits its path."""
        return _stated(given) or next(each for each in self.pedigrees if matches(each.pattern, given.path))

    def campaign(self, **changes: Any) -> Campaign:
        """Return the campaign of the sensitivity, with changed keys of its table [campaign]."""
        head = {"name": f"{self.name}_sensitivity", "scene": self.scene.name, **self.study.options,
                "runs": self.study.trajectories * (len(self.draws) + 1), "sampling": "morris",
                "seed": self.study.seed, **changes}
        metrics = {name: {"is": row["is"], "unit": row["unit"]} for name, row in self.metrics.items()}
        draws = self.draws if head["sampling"] == "morris" else {}
        top = {"campaign": head, "draw": {name: dict(row) for name, row in draws.items()}, "metric": metrics}
        return read_campaign(Source(top, read_toml(self.scene), str(self.scene.parent.resolve())))


def read_facts(scene: str | Path) -> Facts:
    """Read the credibility.toml beside a scene, and the inputs of the scene.

    Parameters
    ----------
    scene : a scene.toml, its folder, or the name of a shipped scene.

    Raises
    ------
    ValueError : with the key's path, the value and what is allowed; also if an input of the scene has no pedigree or
        more than one, or a pedigree fits no input.
    OSError : there is no credibility.toml.

    Examples
    --------
    >>> facts = read_facts("tripod")
    >>> facts.pedigree(facts.inputs[0]).kind
    'chosen'
    """
    file = scene_path(str(scene), Path(), "SCENE")
    path = file.parent / FACTS_FILE
    top = Table(read_toml(path), "")
    try:
        facts = _facts(file, top)
        _check_pedigrees(facts)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return facts


def _facts(scene: Path, top: Table) -> Facts:
    sentences = tables.listing(tables.text)
    sources = {key: tables.text(f"source.{key}", value) for key, value in top.table("source").values.items()}
    parameters = top.take("parameters", tables.text, None)
    file = scene.parent / parameters if parameters is not None else None
    draws, draw_reasons = _draws(top)
    metrics, metric_reasons = _metrics(top)
    facts = Facts(
        name=tables.text("scene.name", read_toml(scene).get("scene", {}).get("name")), scene=scene,
        use=top.take("use", tables.text), not_for=top.take("not_for", sentences),
        limits=top.take("limits", sentences), not_validated=top.take("not_validated", sentences),
        sources=sources, pedigrees=_pedigrees(top, sources), parameters=file, draws=draws, metrics=metrics,
        reasons=draw_reasons | metric_reasons, study=_study(top.table("study")),
        inputs=tuple(parameter_inputs(file) if file is not None else scene_inputs(scene)))
    top.finish()
    return facts


def _pedigrees(top: Table, sources: Mapping[str, str]) -> tuple[Pedigree, ...]:
    table = top.table("pedigree")
    return tuple(_pedigree(table.at(f'"{pattern}"'), pattern, value, sources)
                 for pattern, value in table.values.items())


def _pedigree(at: str, pattern: str, value: Any, sources: Mapping[str, str]) -> Pedigree:
    """Read "kind", "kind: text", or "kind: SOURCE, text"."""
    kind, _, rest = tables.text(at, value).partition(":")
    if kind not in PEDIGREES:
        tables.fail(at, value, f"must begin with one of {', '.join(PEDIGREES)}{tables.question(kind, PEDIGREES)}")
    if kind not in SOURCED:
        return Pedigree(pattern, kind, "", rest.strip())
    source, _, text = rest.strip().partition(",")
    if source not in sources:
        tables.fail(at, value, f"must name a source of [source] after '{kind}:'; {tables.hint(source, sources)}")
    return Pedigree(pattern, kind, source, text.strip())


def _draws(top: Table) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the tables [draw.NAME] of a campaign without their reasons, and the reasons."""
    found, reasons = {}, {}
    for name, value in top.table("draw").values.items():
        table = Table(value, f"draw.{name}")
        reasons[name] = table.take("reason", tables.text)
        found[name] = table.values
    return found, reasons


def _metrics(top: Table) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    found, reasons = {}, {}
    for name, value in top.table("metric").values.items():
        table = Table(value, f"metric.{name}")
        reasons[name] = table.take("why", tables.text)
        found[name] = {"is": table.take("is", tables.text), "unit": table.take("unit", tables.text)}
        table.finish()
    if not found:
        raise ValueError("metric is missing: name at least one quantity of interest, such as peak_force = { is = "
                         "\"max(norm(BODY.f))\", unit = \"N\", why = \"...\" }")
    return found, reasons


def _study(table: Table) -> Study:
    trajectories = table.take("trajectories", tables.integer(2, 10_000), 10)
    seed = table.take("seed", tables.integer(0, 2**63 - 1), 0)
    options: dict[str, Any] = {key: table.values.pop(key) for key in _STUDY_KEYS if key in table.values}
    table.taken += _STUDY_KEYS
    table.finish()
    return Study(trajectories, seed, options)


def _stated(given: Input) -> Pedigree | None:
    """Return the pedigree that the file of an input states itself, if it is one without a source."""
    kind = given.stated.partition(":")[0].partition(",")[0].partition(" ")[0]
    if kind not in PEDIGREES or kind in SOURCED:
        return None
    return Pedigree(given.path, kind, "", given.stated[len(kind):].lstrip(":, "))


def _check_pedigrees(facts: Facts) -> None:
    """Raise ValueError unless each input has exactly one pedigree, and each pedigree an input."""
    used: set[str] = set()
    for given in facts.inputs:
        fitting = [each.pattern for each in facts.pedigrees if matches(each.pattern, given.path)]
        used.update(fitting)
        if len(fitting) + (_stated(given) is not None) != 1:
            raise ValueError(f"pedigree: {given.path} of the scene has {_how_many(fitting, given)}: each input needs "
                             f"exactly one")
    for each in facts.pedigrees:
        if each.pattern not in used:
            raise ValueError(f"pedigree.\"{each.pattern}\" fits no input of the scene: remove it, or correct it; "
                             f"{tables.hint(each.pattern, [given.path for given in facts.inputs][:2000])[:200]}")


def _how_many(fitting: Sequence[str], given: Input) -> str:
    if not fitting:
        return "no entry"
    own = [f"its own ('{given.stated}')"] if _stated(given) else []
    return f"{len(fitting) + len(own)} entries, {', '.join([*(f'{chr(34)}{each}{chr(34)}' for each in fitting), *own])}"
