"""Shared parts of the commands: errors in one sentence, progress, and the files of a recorded run."""

from __future__ import annotations

import functools
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import typer

import contactlib
from contactlib.fmu import master
from contactlib.model.mesh_checks import SceneWarning
from contactlib.model.model import Model
from contactlib.model.spec import Spec
from contactlib.pcm.diagnostics import PcmError
from contactlib.report import plot, run_report
from contactlib.results import ResultWriter
from contactlib.simulation import rigid_body
from contactlib.simulation.contact_log import ContactLog
from contactlib.simulation.results import StepWarning, Trajectory
from contactlib.simulation.simulation import Simulation

P = ParamSpec("P")
T = TypeVar("T")
#: default number of rows of a recorded run, approximately
ROWS = 4000


def one_sentence(command: Callable[P, T]) -> Callable[P, T]:
    """Report a user's error as one sentence on stderr with exit code 1, without a traceback.

    A warning about the scene is also one sentence on stderr; repeated warnings are printed once.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with warnings_in_sentences():
                return command(*args, **kwargs)
        except BrokenPipeError:  # the reader of the output, such as head, has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except PcmError as error:  # a sentence and a line of the file for each mistake
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from None
        except OSError as error:
            named = error.filename and error.strerror
            reason = _with_notes(f"{error.filename}: {error.strerror}" if named else str(error), error)
        except (ValueError, ImportError, master.CouplingError) as error:
            reason = _with_notes(str(error), error)
        typer.echo(f"contactlib: {' '.join(reason.split())}", err=True)
        raise typer.Exit(1)

    return wrapped


def _with_notes(reason: str, error: BaseException) -> str:
    """Add the notes of an error, such as where the frames before it are."""
    return "; ".join([reason, *getattr(error, "__notes__", [])])


@contextmanager
def warnings_in_sentences() -> Iterator[None]:
    """Print each SceneWarning of the block once to stderr, as "contactlib: warning: ...", without a code line."""
    printed: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            text = " ".join(str(message).split())
            if not issubclass(category, SceneWarning):
                usual(message, category, *where, **more)
            elif text not in printed:
                printed.add(text)
                typer.echo(f"contactlib: warning: {text}", err=True)

        warnings.showwarning = show
        warnings.simplefilter("always", SceneWarning)
        yield


class Progress:
    """Shows the progress of a run on stderr, if the run takes longer than a second."""

    def __init__(self, what: str) -> None:
        self.what, self.start, self.shown = what, time.monotonic(), 0.0

    def __call__(self, fraction: float) -> None:
        elapsed = time.monotonic() - self.start
        live = sys.stderr.isatty()
        if elapsed - self.shown < (0.2 if live else 5.0) or elapsed < 1.0:
            return
        self.shown = elapsed
        line = f"{self.what}: {fraction:4.0%}, about {elapsed * (1 / max(fraction, 1e-9) - 1):.0f} s left"
        sys.stderr.write(f"\r{line:<70}" if live else f"{line}\n")
        sys.stderr.flush()

    def done(self) -> None:
        if self.shown and sys.stderr.isatty():
            sys.stderr.write(f"\r{'':<70}\r")


def out_folder(out: Path | None, name: str) -> Path:
    folder = out or Path("out") / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def silent_warnings() -> Iterator[None]:
    """Suppress StepWarning: the summary of the run contains its sentences."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        yield


def result_writer(path: Path, model: Model, scene: Spec | None, source: str) -> ResultWriter | None:
    """Begin a result file; without pyarrow, say on stderr that there will be none and return None."""
    try:
        return ResultWriter(path, model, scene=scene, source=source)
    except ImportError as error:
        typer.echo(f"contactlib: no result file is written: {error}", err=True)
        return None


def run_in_pieces(simulation: Simulation, spec: Spec, progress: Progress, every: int | None = None,
                  log: ContactLog | None = None, results: ResultWriter | None = None) -> Trajectory:
    """Do a whole run in pieces, to show its progress in between; record at most about ROWS rows by default."""
    steps = max(1, round(spec.duration / spec.longest_step))
    every = every or max(1, round(steps / ROWS))
    piece = every * max(1, 20_000 // every)
    parts = []
    with silent_warnings():
        for start in range(0, steps, piece):
            length = min(piece, steps - start)
            parts.append(simulation.run(length * spec.longest_step, spec.longest_step, every=every, log=log,
                                        results=results))
            progress((start + length) / steps)
    progress.done()
    return run_report.join(parts)


def record_run(spec: Spec, folder: Path, progress: Progress, every: int | None = None, *,
               log: ContactLog | None = None, form: str = "csv") -> None:
    """Run a closed-loop scene and write result.clr, trajectory.csv, trajectory.png and report.html.

    Logs of contacts are written to the folder contacts, as "csv" or "parquet". The default `log` holds the logs of the
    scene's laws.
    """
    simulation = Simulation(spec.compile())
    log = log or ContactLog(spec)
    writer = result_writer(folder / "result.clr", simulation.model, spec, command_line())
    with writer or nullcontext():
        trajectory = run_in_pieces(simulation, spec, progress, every, log, writer)
        if writer:
            writer.close(trajectory.warnings)
    logs = log.write(folder / "contacts", form)
    flying = {b.name: b.mass_properties() for b in spec.rigid_bodies if b.motion == "free"}
    masses = {name: properties for name, properties in flying.items() if properties is not None}
    balance = rigid_body.balance(trajectory, masses) if spec.resolve_in == "world" else None
    weightless = not any(spec.gravity)
    # an element between a body and the world, or on one body alone, is an external force
    external_force = any(-1 in bodies or len(bodies) == 1 for *_, bodies in simulation.model.core.elements)
    facts = run_report.key_figures(
        trajectory,
        balance,
        stored=simulation.energy_stored,
        weightless=weightless,
        closed=weightless and len(masses) == len(spec.rigid_bodies) and not external_force,
    )
    not_free = [body.name for body in spec.rigid_bodies if body.motion != "free"]
    setting = (
        f"Scene {spec.name} ({spec.source}), hash of the compiled model {simulation.model.hash}; free: "
        f"{', '.join(masses)}; fixed or driven: {', '.join(not_free) or 'none'}; {spec.integrator}, step "
        f"{spec.step_text}; contactlib {contactlib.__version__}."
    )
    write_run(
        folder,
        spec.name,
        trajectory,
        balance if weightless else None,
        facts,
        setting,
        writer.path if writer else None,
    )
    for path in logs:
        typer.echo(f"wrote {path}")


def command_line() -> str:
    """Return the command that runs now."""
    return " ".join(["contactlib", *sys.argv[1:]])


def write_run(
    folder: Path,
    name: str,
    trajectory: Trajectory,
    balance: rigid_body.Balance | None,
    facts: list[run_report.Fact],
    setting: str,
    result: Path | None,
) -> None:
    """Write CSV, figure and report; print a summary of the run and the names of the files, with the result file."""
    summary = run_report.summary(trajectory)
    written = [result] if result else []
    written.append(run_report.write_csv(folder / "trajectory.csv", trajectory))
    figures = []
    try:
        figure = plot.plot_trajectory(trajectory, balance=balance, title=name)
        written.append(run_report.write_figure(folder / "trajectory.png", figure))
        figures.append((written[-1], "The run over time."))
    except ImportError as error:
        typer.echo(f"contactlib: no figure was made: {error}", err=True)
    written.append(
        run_report.write_report(
            folder / "report.html",
            title=name,
            summary=summary,
            facts=facts,
            setting=setting,
            commands=command_line(),
            figures=figures,
        )
    )
    typer.echo(f"{summary}\n")
    for fact in facts:
        typer.echo(f"  {fact.name + ' ':.<72} {fact}")
    typer.echo("")
    for path in written:
        typer.echo(f"wrote {path}")
