"""The overview of the credibility of scenes: one row for each, as in docs/credibility.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contactlib.credibility.coverage import coverage
from contactlib.credibility.definition import FACTS_FILE, Facts, read_facts
from contactlib.credibility.sensitivity import SENSITIVITY_FILE, read_sensitivity
from contactlib.credibility.sheet import kinds
from contactlib.model.spec import SCENES, Spec
from contactlib.report.document import Table
from contactlib.validation.cases import Case


def overview(cases: Sequence[Case]) -> Table:
    """Return the table of all shipped scenes that have a sheet, from what is stored; nothing is run.

    Parameters
    ----------
    cases : the validation cases, from `contactlib.validation.find_cases`.
    """
    scenes = sorted(path.parent.name for path in SCENES.glob(f"*/{FACTS_FILE}"))
    return Table(["scene", "inputs", "assumed", "chosen, derived", "recalled", "published, measured",
                  "cases of the whole, with outside truth", "parts with a case", "most influential inputs"],
                 [_row(read_facts(name), cases) for name in scenes], range(1, 6))


def _row(facts: Facts, cases: Sequence[Case]) -> tuple[str, ...]:
    found, covered = kinds(facts), coverage(Spec.from_toml(facts.scene), cases)
    truth = Counter(case.kind for case in covered.evidence)
    return (f"`{facts.name}`", str(len(facts.inputs)), str(found["assumed"]), str(found["chosen"] + found["derived"]),
            str(found["recalled"]), str(found["published"] + found["measured"]),
            ", ".join(f"{n} {kind}" for kind, n in truth.items()) or "none",
            f"{len(covered.parts) - len(covered.uncovered)} of {len(covered.parts)}", _influential(facts))


def _influential(facts: Facts) -> str:
    """Return for each quantity of interest the inputs that matter most."""
    path = facts.scene.parent / SENSITIVITY_FILE
    if not path.is_file():
        return "no study"
    study = read_sensitivity(path)
    return "; ".join(f"{name}: {', '.join(study.influential(name)) or 'none'}" for name in facts.metrics)
