"""The credibility sheet of a scene: what it is for, where its numbers are from, and what shows that it is right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import contactlib
from contactlib.berthing import read_parameters, scene_text
from contactlib.common.files import read_text
from contactlib.credibility.convergence import Convergence, nominal_spec, step_of
from contactlib.credibility.coverage import Coverage
from contactlib.credibility.definition import PEDIGREES, Facts
from contactlib.credibility.inputs import Input
from contactlib.credibility.sensitivity import Sensitivity, study_digest
from contactlib.fmu.hashes import recorded
from contactlib.model.spec import SCENES, Spec
from contactlib.report.document import Bullets, Document, Part, Section, Table
from contactlib.validation.cases import Case

#: numbers of a list that the table of inputs shows; of longer lists it says how many there are
_SHOWN = 4


@dataclass(frozen=True)
class Evidence:
    """What was found out about a scene, beside its facts.

    Parameters
    ----------
    convergence : from `measure_convergence`.
    coverage : from `coverage`; None where the validation cases are not at hand.
    verdicts : verdicts of cases by name; a case without one was not run.
    sensitivity : from `read_sensitivity` or `run_sensitivity`; None where there is none yet.
    versions : of contactlib, Python and packages.
    """

    convergence: Sequence[Convergence]
    coverage: Coverage | None
    verdicts: Mapping[str, str]
    sensitivity: Sensitivity | None
    versions: Mapping[str, str]


def credibility_sheet(facts: Facts, evidence: Evidence) -> Document:
    """Return the sheet of a scene as a document; `contactlib.report.document` writes it as HTML or Markdown."""
    return Document(f"Credibility of the scene {facts.name}", [
        facts.use, f"{_counts(facts)} {_verdict_sentence(evidence)}"], [
        Section("Intended use", ["The scene must not be used for:", Bullets(facts.not_for)]),
        Section("Inputs and their pedigree", _inputs(facts)),
        Section("Verification", _verification(facts, evidence)),
        Section("Validation", _validation(evidence)),
        Section("Uncertainty", _uncertainty(facts, evidence)),
        Section("Sensitivity", _sensitivity(facts, evidence)),
        Section("Limits", [Bullets(facts.limits)]),
        Section("Not validated", [Bullets([*facts.not_validated, *_uncovered(evidence)])]),
        Section("Versions", [Table(["what", "version"], [*evidence.versions.items()])]),
    ])


def kinds(facts: Facts) -> Counter[str]:
    """Return the number of inputs of each pedigree."""
    return Counter(facts.pedigree(given).kind for given in facts.inputs)


def _counts(facts: Facts) -> str:
    found = kinds(facts)
    numbers = sum(given.numbers for given in facts.inputs)
    text = ", ".join(f"{found[kind]} {kind}" for kind in PEDIGREES if found[kind])
    return f"{len(facts.inputs)} inputs with {numbers} numbers: {text}."


def _verdict_sentence(evidence: Evidence) -> str:
    if evidence.coverage is None:
        return "The validation cases are not at hand."
    found = Counter(case.kind for case in evidence.coverage.evidence)
    if not found:
        return "No case with outside truth validates the scene as a whole."
    return f"The scene as a whole has {', '.join(f'{n} {kind}' for kind, n in found.items())} validation case" + (
        "s." if found.total() > 1 else ".")


def _inputs(facts: Facts) -> list[Part]:
    found = kinds(facts)
    parts: list[Part] = [
        Table(["pedigree", "meaning", "inputs"],
              [(kind, meaning, str(found[kind])) for kind, meaning in PEDIGREES.items()], [2])]
    if facts.sources:
        parts.append(Table(["source", "text"], [*facts.sources.items()]))
    if facts.parameters is not None:
        parts.append(f"The scene file is generated from {facts.parameters.name}, whose inputs are listed here.")
    parts.append(Table(["input", "value", "unit", "pedigree", "source", "remark"],
                       [_input_row(facts, given) for given in facts.inputs]))
    return parts


def _input_row(facts: Facts, given: Input) -> tuple[str, ...]:
    pedigree = facts.pedigree(given)
    return (given.path, _value(given), given.unit, pedigree.kind, pedigree.source, pedigree.text)


def _value(given: Input) -> str:
    if isinstance(given.value, str):
        return given.value
    flat = np.atleast_1d(np.array(given.value, dtype=object))
    if flat.ndim == 1 and len(flat) <= _SHOWN:
        return ", ".join(f"{float(x):.7g}" for x in flat)
    return f"{given.numbers} numbers"


def _verification(facts: Facts, evidence: Evidence) -> list[Part]:
    h = step_of(facts)
    rows = [(each.name, each.unit, *(f"{value:.6g}" for value in each.values),
             "none" if math.isnan(each.order) else f"{each.order:.2f}", f"{each.error:.2g}", _share(each))
            for each in evidence.convergence]
    return [
        Bullets([*_recorded(facts), *_generated(facts), *_tests(facts)]),
        f"Convergence of the quantities of interest: runs of {nominal_spec(facts).duration:g} s with the steps "
        f"{h:g}, {h / 2:g} and {h / 4:g} s. An order p means that the error of a quantity falls with step^p. "
        f"Without an order, the error is the largest difference of the three values.",
        Table(["quantity", "unit", "h", "h/2", "h/4", "order", "error at h", "in %"], rows, range(2, 8)),
        Table(["quantity", "definition", "why"],
              [(name, row["is"], facts.reasons[name]) for name, row in facts.metrics.items()])]


def _share(found: Convergence) -> str:
    return f"{100 * found.error / abs(found.values[2]):.2g}" if found.values[2] else ""


def _recorded(facts: Facts) -> list[str]:
    """Return a sentence on the recorded hash of a shipped scene."""
    row = recorded().get(facts.name)
    if row is None or facts.scene.resolve().parent.parent != SCENES.resolve():
        return ["No hash of the scene's outputs is recorded."]
    model = Spec.from_toml(facts.scene).compile()
    same = "as recorded" if model.hash.startswith(row.model) else f"NOT as recorded ({row.model})"
    return [f"The hash of the compiled model, {model.hash[:len(row.model)]}, is {same}. `contactlib hash {facts.name} "
            f"--check` compares the bits of all outputs of 1000 steps, on any platform."]


def _generated(facts: Facts) -> list[str]:
    if facts.parameters is None:
        return []
    same = read_text(facts.scene) == scene_text(read_parameters(facts.parameters))
    return [f"The scene file is {'exactly' if same else 'NOT'} what {facts.parameters.name} generates."]


def _tests(facts: Facts) -> list[str]:
    """Return a sentence on the tests that name a shipped scene; only in the source tree."""
    folder = Path(contactlib.__file__).resolve().parents[1] / "tests"
    names = (f'"{facts.name}"', f"'{facts.name}'")
    found = [path.relative_to(folder.parent).as_posix() for path in sorted(folder.glob("**/test_*.py"))
             if any(name in path.read_text(encoding="utf-8") for name in names)]
    return [f"Tests that name the scene: {', '.join(found)}."] if found else []


def _validation(evidence: Evidence) -> list[Part]:
    if evidence.coverage is None:
        return ["The validation cases are in the source tree, not in the installed package: name their folder with "
                "--data."]
    whole, parts = evidence.coverage.whole, evidence.coverage.parts
    rows = [(case.name, case.kind, case.source, _compared(case), evidence.verdicts.get(case.name, "not run"))
            for case in whole]
    return [
        "Cases of the scene as a whole. An own recording guards against change and is no evidence.",
        Table(["case", "kind of truth", "source", "compared", "verdict"], rows),
        "Cases with outside truth that cover the laws, pairs of shapes, elements and the integrator of the scene:",
        Table(["part", "cases"], [(part, _cases(found, evidence.verdicts) or "none") for part, found in parts.items()])]


def _compared(case: Case) -> str:
    """Return the names of what a case compares; a case of files of inputs and references compares all of them."""
    names = [each.name for each in case.quantities] + [each.name for each in case.series]
    if not names:
        return "the outputs in its files"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _cases(cases: Sequence[Case], verdicts: Mapping[str, str]) -> str:
    return ", ".join(f"{case.name} ({case.kind}, {verdicts.get(case.name, 'not run')})" for case in cases)


def _uncertainty(facts: Facts, evidence: Evidence) -> list[Part]:
    ranges = [(name, ", ".join(_list(row["path"])), row.get("as", "value"), f"{row['low']:g} to {row['high']:g}",
               row.get("unit", ""), row["distribution"], facts.reasons[name]) for name, row in facts.draws.items()]
    parts: list[Part] = ["Inputs whose uncertainty matters, their ranges, and the reason of each range:",
                         Table(["input", "keys of the scene", "as", "range", "unit", "distribution", "reason"], ranges)]
    if evidence.sensitivity is None:
        return [*parts, "The spread of the results is not known: no sensitivity study was made."]
    rows = [(name, row["unit"], *_spread(evidence, name)) for name, row in facts.metrics.items()]
    return [*parts, f"Results of the {evidence.sensitivity.runs} runs of the sensitivity study, over these ranges. The "
            "runs are on levels of a design, and no sample of probabilities.",
            Table(["quantity", "unit", "nominal", "least", "median", "greatest"], rows, range(2, 6))]


def _list(path: str | Sequence[str]) -> Sequence[str]:
    return [path] if isinstance(path, str) else path


def _spread(evidence: Evidence, name: str) -> list[str]:
    nominal = {each.name: each.values[0] for each in evidence.convergence}
    assert evidence.sensitivity is not None
    found = evidence.sensitivity.results[name]
    found = np.sort(found[~np.isnan(found)])
    middle = [found[0], found[(len(found) - 1) // 2], found[-1]] if len(found) else [math.nan] * 3
    return [f"{value:.4g}" for value in (nominal.get(name, math.nan), *middle)]


def _sensitivity(facts: Facts, evidence: Evidence) -> list[Part]:
    study = evidence.sensitivity
    if study is None:
        return [f"No study is stored. `contactlib credibility {facts.name} --sensitivity` makes one."]
    stale = [] if study.study == study_digest(facts) else [
        "The scene, its ranges or its quantities HAVE CHANGED since this study: make it anew with --sensitivity."]
    parts: list[Part] = [
        f"Elementary effects (Morris) over the ranges above, in the unit of the quantity. mu* is the mean of their "
        f"absolute values: the change over the whole range, where the quantity is linear. sigma is their standard "
        f"deviation; it is large where effects are not linear or depend on other inputs. {study.runs} runs, "
        f"{study.failed} of them failed. Made by {study.made}.", *stale]
    for name, row in facts.metrics.items():
        rows = [(each.draw, f"{each.mu_star:.3g}", f"{each.error:.1g}", f"{each.mu:.3g}", f"{each.sigma:.3g}",
                 str(each.count)) for each in study.effects(name)]
        parts.append(Table([f"{name} [{row['unit']}]", "mu*", "its standard error", "mu", "sigma", "effects"], rows,
                           range(1, 6)))
    return parts


def _uncovered(evidence: Evidence) -> list[str]:
    if evidence.coverage is None:
        return []
    found = [f"No case with outside truth covers the part '{part}'." for part in evidence.coverage.uncovered]
    if not evidence.coverage.evidence:
        found.insert(0, "The scene as a whole: no case has outside truth.")
    return found
