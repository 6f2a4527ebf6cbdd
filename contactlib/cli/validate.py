"""`contactlib validate`: runs the validation cases, prints a table, and writes the report."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contactlib.cli.common import one_sentence
from contactlib.common.files import write_text

if TYPE_CHECKING:
    from contactlib.validation.compare import Outcome

_FAST = 3.0  # s, on one core
Names = Annotated[list[str] | None, typer.Argument(metavar="[CASE...]", help="Cases to run; default: all.")]
Data = Annotated[Path | None, typer.Option(help="Folder of the cases; default: validation_data of the source tree. "
                                                "Programs of the cases in it are run.")]
Report = Annotated[Path, typer.Option("-o", "--out", help="The HTML report to write.")]
Figures = Annotated[Path | None, typer.Option("--json", help="Also write all numbers to this file.")]
Fmu = Annotated[bool, typer.Option("--fmu", help="Run the exported FMUs in FMPy; cases that no FMU can run are "
                                                 "left out.")]
Only = Annotated[bool, typer.Option("--list", help="List the cases and run none.")]
Every = Annotated[bool, typer.Option("--all", help="Print every comparison with the whole reason of its tolerance.")]
Fast = Annotated[bool, typer.Option("--fast", help=f"Leave out cases that take more than {_FAST:g} s.")]
Jobs = Annotated[int, typer.Option(min=0, help="Number of processes; 0: one for each processor.")]


@one_sentence
def validate(
    names: Names = None,
    data: Data = None,
    out: Report = Path("out/validation.html"),
    figures: Figures = None,
    fmu: Fmu = False,
    only: Only = False,
    every: Every = False,
    fast: Fast = False,
    jobs: Jobs = 0,
) -> None:
    """Run the validation cases and compare them with their references.

    The command prints a table, writes a self-contained HTML report, and exits with 1 if a reference is not met. A case
    whose packages are not installed is not run, and the table names them.
    Own recordings guard against change; they are not counted as evidence. With --all, each comparison has its line.
    """
    from contactlib.validation import comparison_table, data_folder, find_cases, run_cases, write_validation_report
    from contactlib.validation.compare import all_hold
    from contactlib.validation.environment import command, machine, versions
    from contactlib.validation.table import case_list, sentences

    cases = find_cases(data_folder(data), names or ())
    if fast:
        cases = [case for case in cases if case.seconds <= _FAST]
    if only:
        typer.echo(case_list(cases))
        return
    if fmu and not any(case.has_fmu_run for case in cases):
        raise ValueError("--fmu: no FMU can run these cases; `contactlib validate --list` marks those that it can run")
    for path in filter(None, (out, figures)):
        _check_writable(path)
    outcomes = run_cases(cases, fmu, jobs or os.cpu_count() or 1, _Progress(len(cases)))
    typer.echo(comparison_table(outcomes, shutil.get_terminal_size((200, 50)).columns, every))
    typer.echo("")
    for sentence in sentences(outcomes, fmu):
        typer.echo(sentence)
    write_validation_report(out, outcomes, versions=versions(), machine=machine(), command=command(), fmu=fmu)
    typer.echo(f"wrote {out}")
    if figures is not None:
        write_text(figures, json.dumps(as_figures(outcomes), indent=1) + "\n")
        typer.echo(f"wrote {figures}")
    if not all_hold(outcomes):
        raise typer.Exit(1)


def _check_writable(path: Path) -> None:
    """Make the folder of a file; OSError, before the cases run, if the file cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder: name a file", str(path))
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "no file can be written in this folder", str(path.parent))


class _Progress:
    """Counts finished cases on stderr, on a terminal only."""

    def __init__(self, count: int) -> None:
        self.count, self.done = count, 0

    def __call__(self, outcome: Outcome) -> None:
        self.done += 1
        if sys.stderr.isatty():
            last = self.done == self.count
            text = "" if last else f"validating: {self.done} of {self.count}, {outcome.case.name}"
            sys.stderr.write(f"\r{text:<70}" + ("\r" if last else ""))
            sys.stderr.flush()


def as_figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the numbers of outcomes for a file: figures, machine, versions and the cases with all comparisons."""
    from contactlib.validation.environment import machine, versions

    evidence = [outcome for outcome in outcomes if outcome.case.is_evidence and outcome.was_run]
    return {
        "figures": {
            "cases": len(evidence),
            "cases_met": sum(outcome.passed for outcome in evidence),
            "comparisons": sum(len(outcome.checks) for outcome in evidence),
            "own_recordings": sum(outcome.was_run for outcome in outcomes) - len(evidence),
            "not_run": sum(not outcome.was_run for outcome in outcomes),
            "seconds": round(sum(outcome.seconds for outcome in outcomes), 1),
        },
        "machine": machine(),
        "versions": versions(),
        "cases": {
            outcome.case.name: {
                "kind": outcome.case.kind, "source": outcome.case.source, "verdict": outcome.verdict,
                "seconds": round(outcome.seconds, 2), "through": outcome.through,
                "error": outcome.error or outcome.missing,
                "checks": [{"quantity": check.name, "unit": check.unit, "reference": _number(check.reference),
                            "ours": _number(check.ours), "deviation": _number(check.deviation),
                            "tolerance": check.tolerance, "reason": check.reason, "passed": check.passed}
                           for check in outcome.checks],
            }
            for outcome in outcomes
        },
    }


def _number(value: float) -> float | None:
    """JSON has no infinity and no NaN."""
    return value if math.isfinite(value) else None
