"""The commands `contactlib campaign run`, `resume`, `report` and `replay`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contactlib.cli.common import Progress, one_sentence, record_run
from contactlib.common.files import write_text
from contactlib.report import plot

if TYPE_CHECKING:
    from contactlib.campaign.store import Results

campaign_app = typer.Typer(
    help="Run a scene many times with drawn values: Monte-Carlo campaigns.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The campaign.toml to run.")]
Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a campaign.")]
Run = Annotated[int, typer.Argument(metavar="RUN", help="Number of the run; the report names the runs to examine.")]
NewDir = Annotated[Path | None, typer.Option("-o", "--out", help="New folder for the results; default: out/NAME.")]
Threads = Annotated[int, typer.Option(help="Number of threads on this machine; -1: one for each core.")]
SCHEDULER = "Let the workers of this Dask scheduler do the runs; ADDRESS is, for example, tcp://10.0.0.1:8786."
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help=SCHEDULER)]
LIMIT = "End a run that takes longer than S seconds of real time; default: the limit in FILE."
Limit = Annotated[float | None, typer.Option("--time-limit", metavar="S", help=LIMIT)]
Anywhere = Annotated[bool, typer.Option("--outside", help="Allow files outside the scene's folder.")]
RunOut = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the run; default: DIR/replay/RUN.")]
WIDTH = 24


class ProgressBar:
    """Shows on stderr how many runs are done and how long the other runs will take."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name, self.clock = name, clock
        self.start = self.shown = clock()
        self.first: int | None = None
        self.live = sys.stderr.isatty()

    def __call__(self, done: int, runs: int) -> None:
        now = self.clock()
        self.first = done if self.first is None else self.first
        if now - self.start < 1.0 or now - self.shown < (0.2 if self.live else 5.0):
            return
        self.shown = now
        line = f"{self.name} [{'#' * (WIDTH * done // runs):{WIDTH}}] {done} of {runs} runs"
        if done > self.first:  # runs that were done before this process started took none of its time
            line += f", about {(now - self.start) / (done - self.first) * (runs - done):.0f} s left"
        sys.stderr.write(f"\r{line:<90}" if self.live else f"{line}\n")
        sys.stderr.flush()

    def done(self) -> None:
        if self.live and self.shown > self.start:
            sys.stderr.write(f"\r{'':<90}\r")


def _with_progress_bar(name: str, folder: Path, work: Callable[[ProgressBar], Results]) -> None:
    """Do the runs with a progress bar; then print their summary, or after an interrupt how to continue."""
    from contactlib.campaign import summary

    bar = ProgressBar(name)
    try:
        results = work(bar)
    except KeyboardInterrupt:
        bar.done()
        typer.echo(f"contactlib: stopped; finished runs are stored, continue with: contactlib campaign resume {folder}",
                   err=True)
        raise typer.Exit(130) from None
    bar.done()
    typer.echo(summary.describe(results))
    typer.echo(f"\nwrote {folder / 'results.parquet'}; figures: contactlib campaign report {folder}")


@campaign_app.command("run")
@one_sentence
def campaign_run(file: File, out: NewDir = None, threads: Threads = -1, scheduler: Scheduler = None,
                 time_limit: Limit = None, outside: Anywhere = False) -> None:
    """Run a campaign into a new folder.

    Each finished run is stored. If the process is killed, `resume` does the missing runs. Equal seeds give bitwise
    equal results with any number of threads or workers.
    """
    from contactlib.campaign.definition import load_campaign
    from contactlib.campaign.execute import run_campaign

    campaign = load_campaign(file, outside=outside).limited(time_limit)
    folder = out or Path("out") / campaign.name
    _with_progress_bar(campaign.name, folder, lambda bar: run_campaign(
        campaign, folder, num_threads=threads, scheduler=scheduler, progress=bar))


@campaign_app.command()
@one_sentence
def resume(folder: Dir, threads: Threads = -1, scheduler: Scheduler = None) -> None:
    """Do the missing runs of a campaign; finished runs are not repeated."""
    from contactlib.campaign.execute import resume_campaign

    _with_progress_bar(folder.name, folder, lambda bar: resume_campaign(
        folder, num_threads=threads, scheduler=scheduler, progress=bar))


@campaign_app.command("report")
@one_sentence
def campaign_report(folder: Dir) -> None:
    """Print and draw the results of the finished runs: percentiles, success with its bounds, worst cases."""
    from contactlib.campaign import summary
    from contactlib.campaign.store import Store

    results = Store.open(folder).results()
    if not len(results.run):
        raise ValueError(f"{folder}: no run is done yet: do runs with `contactlib campaign resume {folder}`")
    typer.echo(summary.describe(results) + "\n")
    for path in summary.write_report(results, folder):
        typer.echo(f"wrote {path}")
    try:
        plot.require_matplotlib()
    except ImportError as error:
        typer.echo(f"contactlib: no figure was made: {error}", err=True)


@campaign_app.command("replay")
@one_sentence
def campaign_replay(folder: Dir, run: Run, out: RunOut = None) -> None:
    """Repeat one run and write its scene, all recorded rows, a figure and a report.

    The command compares the new results with the stored results bit by bit. It lists any difference and fails.
    """
    from contactlib.campaign.replay import replay
    from contactlib.campaign.scene_file import toml
    from contactlib.campaign.store import Store

    store = Store.open(folder)
    repeated = replay(store, run)
    target = out or folder / "replay" / str(run)
    target.mkdir(parents=True, exist_ok=True)
    values = "\n".join(f"# {name} = {value!r}" for name, value in repeated.values.items())
    write_text(target / "scene.toml", f"# run {run} of {folder.name}; run this scene with `contactlib run --outside`, "
               f"because its files may lie outside its folder\n{values}\n\n{toml(repeated.scene)}")
    for name, value in {**repeated.values, **repeated.outcome.metrics}.items():
        typer.echo(f"  {name} = {value if isinstance(value, str) else f'{value:.6g}'}")
    if repeated.recorded is None:
        typer.echo("this run is not stored yet")
    elif repeated.same:
        typer.echo("bitwise equal to the stored run")
    if repeated.outcome.error:
        typer.echo(f"the run fails: {repeated.outcome.error}")
    typer.echo("")
    if repeated.spec is not None:
        record_run(repeated.spec, target, Progress(f"run {run}"), store.campaign.every)
    typer.echo(f"wrote {target / 'scene.toml'}")
    if repeated.differences:
        raise ValueError(f"run {run} of {folder} is NOT as recorded: {'; '.join(repeated.differences)}")
    stale = store.stale()
    if stale is not None:
        raise ValueError(stale)
