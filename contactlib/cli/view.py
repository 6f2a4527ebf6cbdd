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
from contactlib.common.options import PAGE_LIMIT
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec, load
from contactlib.results import Result, ResultWriter, read_result
from contactlib.results.format import PART, SUFFIX
from contactlib.simulation.simulation import Simulation

Run = Annotated[str, typer.Argument(metavar="RESULT|SCENE", help="A result file (.clr); or a scene, which is run.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the page to FILE; open no browser.")]
Limit = Annotated[float, typer.Option(metavar="MB", help="Largest size of the page; frames are left out to fit.")]
Every = Annotated[int | None, typer.Option(metavar="N", min=1, help="Show each N-th frame, whatever the size.")]
Live = Annotated[bool, typer.Option("--live", help="The page runs the scene itself: pull bodies, change parameters.")]
External = Annotated[list[str] | None, typer.Option(
    "--external", metavar="BODY", help="With --live: the pointer places this body; may be repeated.")]
Follow = Annotated[str | None, typer.Option(metavar="BODY", help="Body at whose position the origin is.")]


@one_sentence
def view(
    run: Run,
    html: Html = None,
    limit: Limit = PAGE_LIMIT,
    every: Every = None,
    follow: Follow = None,
    live: Live = False,
    external: External = None,
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
    are for scenes only. With --live, the page contains the scene and the core, and runs it in the browser.
    """
    if live:
        _refuse(f"{run} is a recorded run: name a scene", {"--live": is_result(run)})
        _refuse("a live page has no recorded frames",
                {"--limit": limit != PAGE_LIMIT, "--every": every, "--follow": follow})
    else:
        _refuse("only a page of --live places bodies", {"--external": external})
    if is_result(run):
        for name, value in (("--dt", dt), ("--duration", duration), ("--integrator", integrator), ("--fixed", fixed)):
            if value is not None:
                raise ValueError(f"{name}: {run} is a recorded run: leave out {name}, or name a scene")
        show(read_result(run), html, limit, every, follow)
        return
    spec = load(run, trust=trust, outside=outside)
    spec = closed_loop(spec, fixed or [], dt, duration, integrator, external or [])
    if live:
        from contactlib.view.live import write_live_page

        opened(write_live_page(spec, html or page_of(spec.name)), html)
        return
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


def _refuse(reason: str, options: dict[str, object]) -> None:
    for name, value in options.items():
        if value:
            raise ValueError(f"{name}: {reason}, or leave out {name}")


def page_of(name: str) -> Path:
    """Return the file of a page for which the command names none."""
    return out_folder(None, name) / "view.html"


def show(result: Result, html: Path | None, limit: float, every: int | None, follow: str | None) -> None:
    """Write the page, and open it if no file was named."""
    from contactlib.view.page import write_page

    path = html or page_of(result.scene.name)
    page = write_page(result, path, limit=limit, every=every, follow=follow)
    opened(path, html, str(page))


def opened(path: Path, html: Path | None, text: str = "") -> None:
    """Say what was written, and open it if no file was named."""
    typer.echo(f"wrote {text or f'{path} ({path.stat().st_size / 1e6:.1f} MB)'}")
    if html is None and not webbrowser.open(path.resolve().as_uri()):
        typer.echo(f"contactlib: no browser was found: open {path.resolve()} in one", err=True)
