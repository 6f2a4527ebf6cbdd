"""The command `contactlib view`."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import Progress, command_line, one_sentence, out_folder, run_in_pieces
from contactlib.cli.options import Anywhere, Dt, Duration, Fixed, Method, Trust
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec, load
from contactlib.results import Result, ResultWriter, read_result
from contactlib.results.format import PART, SUFFIX
from contactlib.simulation.simulation import Simulation
from contactlib.view.page import LIMIT, write_page

Run = Annotated[str, typer.Argument(metavar="RESULT|SCENE", help="A result file (.clr); or a scene, which is run.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the page to FILE; open no browser.")]
Limit = Annotated[float, typer.Option(metavar="MB", help="Largest size of the page; frames are left out to fit.")]
Every = Annotated[int | None, typer.Option(metavar="N", min=1, help="Show each N-th frame, whatever the size.")]
Follow = Annotated[str | None, typer.Option(metavar="BODY", help="Body at whose position the origin is.")]


@one_sentence
def view(
    run: Run,
    html: Html = None,
    limit: Limit = LIMIT,
    every: Every = None,
    follow: Follow = None,
    dt: Dt = None,
    duration: Duration = None,
    integrator: Method = None,
    fixed: Fixed = None,
    trust: Trust = False,
    outside: Anywhere = False,
) -> None:
    """Show a run as a 3-D timeline in the browser.

    The page is one file that needs no network. Without --html, the command writes out/NAME/view.html and opens the
    page. A scene is run first, in closed loop as `contactlib run` does; --dt, --duration, --integrator and --fixed
    are for scenes only.
    """
    if is_result(run):
        for name, value in (("--dt", dt), ("--duration", duration), ("--integrator", integrator), ("--fixed", fixed)):
            if value is not None:
                raise ValueError(f"{name}: {run} is a recorded run: leave out {name}, or name a scene")
        show(read_result(run), html, limit, every, follow)
        return
    spec = closed_loop(load(run, trust=trust, outside=outside), fixed or [], dt, duration, integrator)
    with recorded(spec) as result:
        show(result, html, limit, every, follow)


def is_result(run: str) -> bool:
    """Return whether the argument names a result file, or the folder of a run that has not ended."""
    name = Path(run).name
    return name.endswith(SUFFIX) or SUFFIX + PART in name


@contextmanager
def recorded(spec: Spec) -> Iterator[Result]:
    """Run a closed-loop scene, and return its result, whose file is removed afterwards."""
    simulation = Simulation(spec.compile())
    with tempfile.TemporaryDirectory(prefix="contactlib_view_") as folder:
        path = Path(folder) / f"run{SUFFIX}"
        with ResultWriter(path, simulation.model, scene=spec, source=command_line()) as writer:
            trajectory = run_in_pieces(simulation, spec, Progress(f"running {spec.name}"), results=writer)
            writer.close(trajectory.warnings)
        yield read_result(path)


def show(result: Result, html: Path | None, limit: float, every: int | None, follow: str | None) -> None:
    """Write the page, and open it if no file was named."""
    path = html or out_folder(None, result.scene.name) / "view.html"
    page = write_page(result, path, limit=limit, every=every, follow=follow)
    typer.echo(f"wrote {page}")
    if html is None and not webbrowser.open(path.resolve().as_uri()):
        typer.echo(f"contactlib: no browser was found: open {path.resolve()} in one", err=True)
