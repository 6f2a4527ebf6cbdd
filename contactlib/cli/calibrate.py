"""`contactlib calibrate`: fits parameters of a scene to measured series."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contactlib.cli.common import one_sentence
from contactlib.cli.options import Anywhere
from contactlib.report import plot

if TYPE_CHECKING:
    from contactlib.calibration.fit import Progress

File = Annotated[Path, typer.Argument(metavar="FILE", help="The calibration.toml.")]
NewDir = Annotated[Path | None, typer.Option("-o", "--out", help="New folder for the results; default: out/NAME.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue in the folder of an interrupted calibration.")]
Threads = Annotated[int, typer.Option(help="Number of threads; -1: one for each core.")]


class ProgressLine:
    """Shows on stderr what the fit has reached, if it takes longer than a second."""

    def __init__(self, name: str) -> None:
        self.name, self.start, self.shown, self.width = name, time.monotonic(), 0.0, 0
        self.live = sys.stderr.isatty()

    def __call__(self, step: Progress) -> None:
        elapsed = time.monotonic() - self.start
        if elapsed < 1.0 or elapsed - self.shown < (0.2 if self.live else 5.0):
            return
        self.shown = elapsed
        which = f"start {step.start} of {step.starts}, " if step.starts > 1 else ""
        values = ", ".join(f"{name} {value:.5g}" for name, value in step.values.items())
        line = f"{self.name}: {which}{step.evaluations} runs, cost {step.cost:.6g}: {values}"
        line = line if len(line) <= 150 else line[:147] + "..."
        sys.stderr.write(f"\r{line:<{self.width}}" if self.live else f"{line}\n")
        sys.stderr.flush()
        self.width = len(line)

    def done(self) -> None:
        if self.live and self.width:
            sys.stderr.write(f"\r{'':<{self.width}}\r")


@one_sentence
def calibrate(file: File, out: NewDir = None, resume: Resume = False, threads: Threads = -1,
              outside: Anywhere = False) -> None:
    """Fit parameters of a scene to measured series.

    The command prints the values with confidence intervals, and warns where the data do not determine a parameter. It
    writes result.json, the fitted scene.toml, residuals, figures and report.html. Each evaluation is stored: after an
    interruption, --resume continues and gives equal results.
    """
    from contactlib.calibration import load_calibration, run_calibration
    from contactlib.calibration.report import describe, write_results

    calibration = load_calibration(file, outside=outside)
    folder = out or Path("out") / calibration.name
    line = ProgressLine(calibration.name)
    try:
        fit = run_calibration(calibration, folder, resume=resume, num_threads=threads, progress=line)
    except KeyboardInterrupt:
        line.done()
        typer.echo(f"contactlib: stopped; finished evaluations are stored, continue with: contactlib calibrate {file} "
                   f"-o {folder} --resume", err=True)
        raise typer.Exit(130) from None
    line.done()
    typer.echo(describe(fit) + "\n")
    for path in write_results(fit, folder, f"contactlib calibrate {file} -o {folder}"):
        typer.echo(f"wrote {path}")
    try:
        plot.require_matplotlib()
    except ImportError as error:
        typer.echo(f"contactlib: no figure was made: {error}", err=True)
