"""The command line of campaigns: `contactlib campaign run`, `resume`, `report`, `replay`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from contactlib.campaign import summary
from contactlib.campaign.definition import load_campaign
from contactlib.campaign.execute import resume_campaign, run_campaign
from contactlib.campaign.replay import replay, toml
from contactlib.campaign.store import Results, Store
from contactlib.cli.common import Progress, one_sentence, record_run
from contactlib.common.files import write_text
from contactlib.report import plot

campaign_app = typer.Typer(
    help="Run a scene many times with drawn values: Monte-Carlo campaigns.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A campaign.toml.")]
Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a campaign.")]
Run = Annotated[int, typer.Argument(metavar="RUN", help="The number of a run, as the report names it.")]
NewDir = Annotated[Path | None, typer.Option("-o", "--out", help="A new folder for the results, else out/NAME.")]
Threads = Annotated[int, typer.Option(help="Threads of this machine; -1 is one for each core.")]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Let the workers of this Dask scheduler do the "
                                                                       "runs, such as tcp://10.0.0.1:8786.")]
Limit = Annotated[float | None, typer.Option("--time-limit", metavar="S", help="End a run that takes longer, s of real "
                                                                                "time, else as FILE says.")]
Anywhere = Annotated[bool, typer.Option("--outside", help="Read files that lie outside the scene's folder, too.")]
RunOut = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the run, else DIR/replay/RUN.")]
WIDTH = 24


class Bar:
    """How many runs are done, and how long the others will take, on stderr."""

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
        if done > self.first:  # those of an earlier time took none of this one's
            line += f", about {(now - self.start) / (done - self.first) * (runs - done):.0f} s to go"
        sys.stderr.write(f"\r{line:<90}" if self.live else f"{line}\n")
        sys.stderr.flush()

    def done(self) -> None:
        if self.live and self.shown > self.start:
            sys.stderr.write(f"\r{'':<90}\r")


def _watched(name: str, folder: Path, work: Callable[[Bar], Results]) -> None:
    """Do the runs behind a bar; what came of them, or how to go on."""
    bar = Bar(name)
    try:
        results = work(bar)
    except KeyboardInterrupt:
        bar.done()
        typer.echo(f"contactlib: stopped; what is finished is kept, go on with: contactlib campaign resume {folder}",
                   err=True)
        raise typer.Exit(130) from None
    bar.done()
    typer.echo(summary.describe(results))
    typer.echo(f"\nwrote {folder / 'results.parquet'}; pictures: contactlib campaign report {folder}")


@campaign_app.command("run")
@one_sentence
def campaign_run(file: File, out: NewDir = None, threads: Threads = -1, scheduler: Scheduler = None,
                 time_limit: Limit = None, outside: Anywhere = False) -> None:
    """Run a campaign into a new folder.

    Results are stored as they come: after a kill, `resume` does what is missing. The same seed gives the same results,
    to the bit, with any number of threads or workers.
    """
    campaign = load_campaign(file, outside=outside).limited(time_limit)
    folder = out or Path("out") / campaign.name
    _watched(campaign.name, folder, lambda bar: run_campaign(
        campaign, folder, num_threads=threads, scheduler=scheduler, progress=bar))


@campaign_app.command()
@one_sentence
def resume(folder: Dir, threads: Threads = -1, scheduler: Scheduler = None) -> None:
    """Do the runs that a folder still misses, and none a second time."""
    _watched(folder.name, folder, lambda bar: resume_campaign(
        folder, num_threads=threads, scheduler=scheduler, progress=bar))


@campaign_app.command("report")
@one_sentence
def campaign_report(folder: Dir) -> None:
    """Percentiles, success with its bounds, worst cases and pictures of the runs that are done."""
    results = Store.open(folder).results()
    if not len(results.run):
        raise ValueError(f"{folder}: no run is done yet: contactlib campaign resume {folder}")
    typer.echo(summary.describe(results) + "\n")
    for path in summary.write_report(results, folder):
        typer.echo(f"wrote {path}")
    try:
        plot.require_matplotlib()
    except ImportError as error:
        typer.echo(f"contactlib: no picture was made: {error}", err=True)


@campaign_app.command("replay")
@one_sentence
def campaign_replay(folder: Dir, run: Run, out: RunOut = None) -> None:
    """Run one draw once more: its scene, all recorded rows, a figure and a report.

    What comes out is compared with what is stored: where a bit differs, the command says in what and fails.
    """
    store = Store.open(folder)
    again = replay(store, run)
    target = out or folder / "replay" / str(run)
    target.mkdir(parents=True, exist_ok=True)
    values = "\n".join(f"# {name} = {value!r}" for name, value in again.values.items())
    write_text(target / "scene.toml", f"# run {run} of {folder.name}; files that it names may lie outside this folder: "
               f"contactlib run --outside\n{values}\n\n{toml(again.scene)}")
    for name, value in {**again.values, **again.outcome.metrics}.items():
        typer.echo(f"  {name} = {value if isinstance(value, str) else f'{value:.6g}'}")
    if again.recorded is None:
        typer.echo("not recorded yet")
    elif again.same:
        typer.echo("the same as recorded, to the bit")
    if again.outcome.error:
        typer.echo(f"it fails: {again.outcome.error}")
    typer.echo("")
    if again.spec is not None:
        record_run(again.spec, target, Progress(f"run {run}"), store.campaign.every)
    typer.echo(f"wrote {target / 'scene.toml'}")
    if again.differences:
        raise ValueError(f"run {run} of {folder} is NOT as recorded: {'; '.join(again.differences)}")
    stale = store.stale()
    if stale is not None:
        raise ValueError(stale)
