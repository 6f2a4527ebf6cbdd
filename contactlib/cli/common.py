"""What the commands share: errors in one sentence, progress, and what a recorded run leaves behind."""

from __future__ import annotations

import functools
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import typer

import contactlib
from contactlib.fmu import master
from contactlib.model.mesh_checks import SceneWarning
from contactlib.model.spec import Spec
from contactlib.pcm.diagnostics import PcmError
from contactlib.report import plot, run_report
from contactlib.simulation import rigid_body
from contactlib.simulation.contact_log import ContactLog
from contactlib.simulation.results import StepWarning, Trajectory
from contactlib.simulation.simulation import Simulation

P = ParamSpec("P")
T = TypeVar("T")
#: rows of a recorded run, unless told otherwise
ROWS = 4000


def one_sentence(command: Callable[P, T]) -> Callable[P, T]:
    """A user's mistake ends in one sentence on stderr and exit code 1, not in a traceback.

    A warning about the scene is one sentence on stderr, too, said once.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with warnings_in_sentences():
                return command(*args, **kwargs)
        except BrokenPipeError:  # the reader, such as head, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except PcmError as error:  # a sentence and a line of the file for each mistake
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from None
        except OSError as error:
            named = error.filename and error.strerror
            reason = f"{error.filename}: {error.strerror}" if named else str(error)
        except (ValueError, ImportError, master.CouplingError) as error:
            reason = str(error)
        typer.echo(f"contactlib: {' '.join(reason.split())}", err=True)
        raise typer.Exit(1)

    return wrapped


@contextmanager
def warnings_in_sentences() -> Iterator[None]:
    """Within it a SceneWarning goes to stderr as "contactlib: warning: ...", each text once, without a code line."""
    said: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            text = " ".join(str(message).split())
            if not issubclass(category, SceneWarning):
                usual(message, category, *where, **more)
            elif text not in said:
                said.add(text)
                typer.echo(f"contactlib: warning: {text}", err=True)

        warnings.showwarning = show
        warnings.simplefilter("always", SceneWarning)
        yield


class Progress:
    """How far a run is, on stderr, if it takes longer than a second."""

    def __init__(self, what: str) -> None:
        self.what, self.start, self.shown = what, time.monotonic(), 0.0

    def __call__(self, fraction: float) -> None:
        elapsed = time.monotonic() - self.start
        live = sys.stderr.isatty()
        if elapsed - self.shown < (0.2 if live else 5.0) or elapsed < 1.0:
            return
        self.shown = elapsed
        line = f"{self.what}: {fraction:4.0%}, about {elapsed * (1 / max(fraction, 1e-9) - 1):.0f} s to go"
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
    """No StepWarning: the story of the run tells it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        yield


def run_in_pieces(simulation: Simulation, spec: Spec, progress: Progress, every: int | None = None,
                  log: ContactLog | None = None) -> Trajectory:
    """The whole run in pieces, so that its progress can be shown; by default at most about ROWS rows."""
    steps = max(1, round(spec.duration / spec.step_size))
    every = every or max(1, round(steps / ROWS))
    piece = every * max(1, 20_000 // every)
    parts = []
    with silent_warnings():
        for start in range(0, steps, piece):
            length = min(piece, steps - start)
            parts.append(simulation.run(length * spec.step_size, spec.step_size, every=every, log=log))
            progress((start + length) / steps)
    progress.done()
    return run_report.join(parts)


def record_run(spec: Spec, folder: Path, progress: Progress, every: int | None = None, *,
               log: ContactLog | None = None, form: str = "csv") -> None:
    """Run a closed-loop scene and write trajectory.csv, trajectory.png and report.html.

    The logs of contacts go to the folder contacts, as "csv" or "parquet"; without a `log` they are those of the laws.
    """
    simulation = Simulation(spec.compile())
    log = log or ContactLog(spec)
    trajectory = run_in_pieces(simulation, spec, progress, every, log)
    logs = log.write(folder / "contacts", form)
    flying = {b.name: b.mass_properties() for b in spec.rigid_bodies if b.motion == "free"}
    masses = {name: properties for name, properties in flying.items() if properties is not None}
    balance = rigid_body.balance(trajectory, masses) if spec.resolve_in == "world" else None
    weightless = not any(spec.gravity)
    # by an element on the world, or on one body alone
    pushed = any(-1 in bodies or len(bodies) == 1 for *_, bodies in simulation.model.core.elements)
    facts = run_report.key_figures(
        trajectory,
        balance,
        stored=simulation.energy_stored,
        weightless=weightless,
        closed=weightless and len(masses) == len(spec.rigid_bodies) and not pushed,
    )
    held = [body.name for body in spec.rigid_bodies if body.motion != "free"]
    setting = (
        f"Scene {spec.name} ({spec.source}), hash of the compiled model {simulation.model.hash}; free: "
        f"{', '.join(masses)}; fixed or driven: {', '.join(held) or 'none'}; {spec.integrator}, step "
        f"{spec.step_size:g} s; contactlib {contactlib.__version__}."
    )
    write_run(
        folder,
        spec.name,
        trajectory,
        balance if weightless else None,
        facts,
        setting,
        " ".join(["contactlib", *sys.argv[1:]]),
    )
    for path in logs:
        typer.echo(f"wrote {path}")


def write_run(
    folder: Path,
    name: str,
    trajectory: Trajectory,
    balance: rigid_body.Balance | None,
    facts: list[run_report.Fact],
    setting: str,
    command: str,
) -> None:
    """CSV, figure and report; says what happened and where things are."""
    story = run_report.story(trajectory)
    written = [run_report.write_csv(folder / "trajectory.csv", trajectory)]
    figures = []
    try:
        figure = plot.plot_trajectory(trajectory, balance=balance, title=name)
        written.append(run_report.write_figure(folder / "trajectory.png", figure))
        figures.append((written[-1], "The run over time."))
    except ImportError as error:
        typer.echo(f"contactlib: no picture was made: {error}", err=True)
    written.append(
        run_report.write_report(
            folder / "report.html",
            title=name,
            story=story,
            facts=facts,
            setting=setting,
            commands=command,
            figures=figures,
        )
    )
    typer.echo(f"{story}\n")
    for fact in facts:
        typer.echo(f"  {fact.name + ' ':.<72} {fact}")
    typer.echo("")
    for path in written:
        typer.echo(f"wrote {path}")
