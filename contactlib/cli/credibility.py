"""`contactlib credibility`: writes the credibility sheet of a scene."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contactlib.cli.campaign import ProgressBar
from contactlib.cli.common import Progress, one_sentence
from contactlib.cli.options import SCENE
from contactlib.common import tables
from contactlib.common.files import write_text
from contactlib.model.spec import Spec

if TYPE_CHECKING:
    from contactlib.credibility import Coverage, Facts, Sensitivity
    from contactlib.validation.cases import Case
    from contactlib.validation.compare import Outcome

_FORMATS = (".html", ".md")
Scene = Annotated[str | None, typer.Argument(metavar="[SCENE]", help=f"{SCENE} Default: an overview of all shipped "
                                                                     "scenes.")]
OutFile = Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE.html|FILE.md",
                                              help="The sheet to write; default: Markdown on the screen.")]
Anew = Annotated[bool, typer.Option("--sensitivity", help="Make the sensitivity study anew, and write it to "
                                                          "sensitivity.csv beside the scene.")]
Verdicts = Annotated[Path | None, typer.Option(metavar="FILE", help="Read the verdicts of the cases from this file of "
                                                                    "`contactlib validate --json`, and run no case.")]
Data = Annotated[Path | None, typer.Option(help="Folder of the validation cases; default: validation_data of the "
                                                "source tree. Programs of the cases in it are run.")]
Threads = Annotated[int, typer.Option(help="Number of threads and processes; -1: one for each core.")]


@one_sentence
def credibility(scene: Scene = None, out: OutFile = None, sensitivity: Anew = False, verdicts: Verdicts = None,
                data: Data = None, threads: Threads = -1) -> None:
    """Write the credibility sheet of a scene: use, inputs with their sources, verification, validation, sensitivity.

    The scene needs a credibility.toml beside it. The command runs the scene at three step sizes and the validation
    cases that concern it. The sensitivity is read from the file beside the scene.
    """
    from contactlib.credibility import Evidence, credibility_sheet, measure_convergence, overview, read_facts
    from contactlib.credibility.coverage import read_verdicts
    from contactlib.report.document import html, markdown, markdown_part
    from contactlib.validation import data_folder, find_cases
    from contactlib.validation.environment import versions

    if scene is None:
        typer.echo(markdown_part(overview(find_cases(data_folder(data)))))
        return
    if out is not None and out.suffix not in _FORMATS:
        tables.fail("--out", str(out), f"must end with {' or '.join(_FORMATS)}")
    given = read_verdicts(verdicts) if verdicts else None  # what is wrong with a file is said before the runs
    facts = read_facts(scene)
    study = _study(facts, sensitivity, threads)
    progress = Progress(f"{facts.name} at three steps")
    convergence = measure_convergence(facts, progress)
    progress.done()
    covered = _coverage(facts, data)
    cases = list(dict.fromkeys((*covered.whole, *(case for found in covered.parts.values() for case in found)))
                 ) if covered else []
    found = _run(cases, threads) if given is None else given
    document = credibility_sheet(facts, Evidence(convergence, covered, found, study, versions()))
    if out is None:
        typer.echo(markdown(document), nl=False)
    else:
        typer.echo(f"wrote {write_text(out, html(document) if out.suffix == '.html' else markdown(document))}")


def _study(facts: Facts, anew: bool, threads: int) -> Sensitivity | None:
    from contactlib.credibility import read_sensitivity, run_sensitivity, write_sensitivity
    from contactlib.credibility.sensitivity import SENSITIVITY_FILE

    path = facts.scene.parent / SENSITIVITY_FILE
    if not anew:
        return read_sensitivity(path) if path.is_file() else None
    bar = ProgressBar(f"sensitivity of {facts.name}")
    study = run_sensitivity(facts, threads, bar)
    bar.done()
    typer.echo(f"wrote {write_sensitivity(path, study)}", err=True)
    return study


def _coverage(facts: Facts, data: Path | None) -> Coverage | None:
    """Return the cases of the scene; None where no folder is named and there is no source tree."""
    from contactlib.credibility import coverage
    from contactlib.validation import data_folder, find_cases

    try:
        folder = data_folder(data)
    except ValueError:
        if data is not None:
            raise
        return None
    return coverage(Spec.from_toml(facts.scene), find_cases(folder))


def _run(cases: Sequence[Case], threads: int) -> dict[str, str]:
    """Run cases and return their verdicts by name."""
    from contactlib.validation import run_cases

    progress, verdicts = Progress("validation cases"), dict[str, str]()

    def finished(outcome: Outcome) -> None:
        verdicts[outcome.case.name] = outcome.verdict
        progress(len(verdicts) / len(cases))

    run_cases(cases, jobs=threads if threads > 0 else os.cpu_count() or 1, progress=finished)
    progress.done()
    return verdicts
