"""The command line: `contactlib show`, `run`, `fmu export`, `fmu info`, `fmu run`."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar

import typer

import contactlib
from contactlib import cost, coupling, plot, report, rigid, summary, tables
from contactlib.options import INTEGRATORS
from contactlib.simulation import Simulation, Trajectory
from contactlib.spec import Spec, load

P = ParamSpec("P")
T = TypeVar("T")
#: rows of a recorded run, unless told otherwise
ROWS = 4000

app = typer.Typer(
    help="Contact between bodies in space robotics: look at scenes, run them, make FMUs of them.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
fmu_app = typer.Typer(
    help="Make FMUs of scenes, look into them, run them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(fmu_app, name="fmu")

SCENE = "A scene.toml, its folder, or the name of a scene that ships."
METHODS = f"How bodies are moved: {' or '.join(INTEGRATORS)}."
Scene = Annotated[str, typer.Argument(metavar="SCENE", help=SCENE)]
File = Annotated[Path, typer.Argument(metavar="FILE", help="An .fmu file.")]
Out = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the results, else out/NAME.")]
Duration = Annotated[float | None, typer.Option(help="Length of the run, s, else what SCENE or FILE says.")]
Dt = Annotated[float | None, typer.Option(help="Length of a step, s, else what SCENE or FILE says.")]
Method = Annotated[str | None, typer.Option("--integrator", help=METHODS)]
Still = typer.Option("--fixed", metavar="BODY", help="A body that stands still; may be repeated.")
Fixed = Annotated[list[str] | None, Still]
Costs = Annotated[bool, typer.Option("--cost", help="Compare the kinds of bounding volume.")]
Along = Annotated[Path | None, typer.Option(help="The trajectory.csv of a run, for --cost.")]
NewFile = Annotated[Path | None, typer.Option("-o", "--out", help="The file, else NAME.fmu.")]
Flat = Annotated[bool, typer.Option("--flat", help="Names such as peg_r_1, for Simulink.")]
InPython = Annotated[bool, typer.Option("--pythonfmu", help="The flavour that runs in Python.")]
Version = Annotated[bool, typer.Option("--version", help="Print the version and end.")]


def one_sentence(command: Callable[P, T]) -> Callable[P, T]:
    """A user's mistake ends in one sentence on stderr and exit code 1, not in a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:  # the reader, such as head, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except OSError as error:
            named = error.filename and error.strerror
            reason = f"{error.filename}: {error.strerror}" if named else str(error)
        except (ValueError, ImportError, coupling.CouplingError) as error:
            reason = str(error)
        typer.echo(f"contactlib: {' '.join(reason.split())}", err=True)
        raise typer.Exit(1)

    return wrapped


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


@app.callback(invoke_without_command=True)
def main(context: typer.Context, version: Version = False) -> None:
    if version:
        typer.echo(f"contactlib {contactlib.__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
@one_sentence
def show(scene: Scene, costs: Costs = False, along: Along = None) -> None:
    """Show what a scene consists of.

    Objects with their groups and shapes, laws, pairs, variables, what a step costs, and the hash of the
    compiled model. With --cost also the tests that every kind of bounding volume needs: along the recorded
    motion of --along, or else at the start.
    """
    spec = load(scene)
    typer.echo(summary.describe(spec))
    if costs or along:
        simulation = Simulation(spec.compile())
        names = simulation.model.body_names
        states = cost.read_states(along, names) if along else simulation.states[None]
        typer.echo(f"\ncost of bounding volumes over {len(states)} states")
        typer.echo(cost.table(cost.compare(spec, states)))


@app.command()
@one_sentence
def run(
    scene: Scene,
    out: Out = None,
    dt: Dt = None,
    duration: Duration = None,
    integrator: Method = None,
    fixed: Fixed = None,
) -> None:
    """Run a scene by itself.

    Bodies with a mass fly freely, the others stand still. Writes trajectory.csv, trajectory.png and
    report.html.
    """
    spec = closed_loop(load(scene), fixed or [], dt, duration, integrator)
    simulation = Simulation(spec.compile())
    folder = _folder(out, spec.name)
    progress = Progress(f"running {spec.name}")
    trajectory = _run(simulation, spec, progress)
    flying = {b.name: b.mass_properties() for b in spec.rigid_bodies if b.motion == "free"}
    masses = {name: properties for name, properties in flying.items() if properties is not None}
    balance = rigid.balance(trajectory, masses) if spec.resolve_in == "world" else None
    weightless = not any(spec.gravity)
    facts = report.key_figures(
        trajectory,
        balance,
        stored=simulation.energy_stored,
        weightless=weightless,
        closed=weightless and len(masses) == len(spec.rigid_bodies),
    )
    held = [body.name for body in spec.rigid_bodies if body.motion != "free"]
    setting = (
        f"Scene {spec.name} ({spec.source}), hash of the compiled model {simulation.model.hash}; free: "
        f"{', '.join(masses)}; fixed or driven: {', '.join(held) or 'none'}; {spec.integrator}, step "
        f"{spec.step_size:g} s; contactlib {contactlib.__version__}."
    )
    _write(
        folder,
        spec.name,
        trajectory,
        balance if weightless else None,
        facts,
        setting,
        " ".join(["contactlib", *sys.argv[1:]]),
    )


def closed_loop(
    spec: Spec, fixed: list[str], dt: float | None, duration: float | None, integrator: str | None
) -> Spec:
    """The scene with every external body that has a mass made free, and the others fixed.

    Examples
    --------
    >>> spec = closed_loop(load("peg_in_hole"), ["target"], None, None, None)
    >>> [body.motion for body in spec.bodies]
    ['free', 'fixed']
    """
    for name, value in (("dt", dt), ("duration", duration)):
        if value is not None and not 0 < value < float("inf"):
            raise ValueError(f"{name} = {value:g}: must be finite and greater than zero")
    if integrator is not None and integrator not in INTEGRATORS:
        raise ValueError(
            f"integrator = '{integrator}': must be one of {', '.join(INTEGRATORS)}; "
            f"{tables.hint(integrator, INTEGRATORS)}"
        )
    known = [body.name for body in spec.rigid_bodies]
    for name in fixed:
        if name not in known:
            raise ValueError(f"there is no body '{name}'; {tables.hint(name, known)}")
    movable = [b for b in spec.rigid_bodies if b.motion in ("external", "free") and b.name not in fixed]
    free = [b.name for b in movable if b.mass_properties() is not None]
    still = [b.name for b in movable if b.name not in free]
    if not free:
        raise ValueError(f"{spec.name}: nothing can move: a body needs mass and inertia, and not to be fixed")
    spec = spec.with_motion("free", *free).with_motion("fixed", *still, *fixed)
    return replace(
        spec,
        step_size=dt or spec.step_size,
        duration=duration or spec.duration,
        integrator=integrator or spec.integrator,
    )


def _run(simulation: Simulation, spec: Spec, progress: Progress) -> Trajectory:
    """The whole run in pieces, so that its progress can be shown; at most about ROWS rows."""
    steps = max(1, round(spec.duration / spec.step_size))
    every = max(1, round(steps / ROWS))
    piece = every * max(1, 20_000 // every)
    parts = []
    for start in range(0, steps, piece):
        length = min(piece, steps - start)
        parts.append(simulation.run(length * spec.step_size, spec.step_size, every=every))
        progress((start + length) / steps)
    progress.done()
    return report.join(parts)


def _folder(out: Path | None, name: str) -> Path:
    folder = out or Path("out") / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write(
    folder: Path,
    name: str,
    trajectory: Trajectory,
    balance: rigid.Balance | None,
    facts: list[report.Fact],
    setting: str,
    command: str,
) -> None:
    """CSV, figure and report; says what happened and where things are."""
    story = report.story(trajectory)
    written = [report.write_csv(folder / "trajectory.csv", trajectory)]
    figures = []
    try:
        plot.plot_trajectory(trajectory, balance=balance, title=name).savefig(
            folder / "trajectory.png", dpi=130
        )
        written.append(folder / "trajectory.png")
        figures.append((written[-1], "The run over time."))
    except ImportError as error:
        typer.echo(f"contactlib: no picture was made: {error}", err=True)
    written.append(
        report.write_report(
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


@fmu_app.command()
@one_sentence
def export(scene: Scene, out: NewFile = None, flat: Flat = False, pythonfmu: InPython = False) -> None:
    """Write a scene as an FMU. No compiler is needed."""
    from contactlib.fmu.export import export_fmu
    from contactlib.fmu.python_slave import export_pythonfmu

    if flat and pythonfmu:
        raise ValueError("--flat and --pythonfmu do not go together: only the native FMU can have flat names")
    model = load(scene).compile()
    path = out or Path(f"{model.name}.fmu")
    if path.suffix != ".fmu":
        raise ValueError(f"--out = {path}: the name of an FMU must end in .fmu")
    path = export_pythonfmu(model, path) if pythonfmu else export_fmu(model, path, flat_names=flat)
    typer.echo(f"wrote {path} ({path.stat().st_size / 1024:.0f} KiB), model {model.hash[:12]}")


@fmu_app.command()
@one_sentence
def info(file: File) -> None:
    """Show what an FMU consists of: platforms, files, variables with units."""
    from contactlib.fmu.info import describe_fmu

    typer.echo(str(describe_fmu(file)))


@fmu_app.command("run")
@one_sentence
def fmu_run(
    file: File,
    out: Out = None,
    dt: Dt = None,
    duration: Duration = None,
    integrator: Method = None,
    fixed: Fixed = None,
) -> None:
    """Run an FMU in FMPy with free-flying bodies.

    Bodies with a mass fly freely under the FMU's wrenches, which are held over a step (Jacobi); the others
    stand still. Writes trajectory.csv, trajectory.png and report.html.
    """
    folder = _folder(out, file.stem)
    progress = Progress(f"running {file.name}")
    coupled = coupling.couple(
        file,
        duration=duration,
        dt=dt,
        fixed=fixed or [],
        progress=progress,
        integrator=integrator or INTEGRATORS[0],
    )
    progress.done()
    whole = coupled.trajectory
    every = max(1, round(len(whole.time) / ROWS))
    trajectory = report.thin(whole, every)
    facts = report.key_figures(
        whole,
        coupled.balance,
        stored=float(coupled.energy_stored[-1]),
        closed=len(coupled.masses) == len(whole.body_names),
    )
    held = [name for name in whole.body_names if name not in coupled.masses]
    setting = (
        f"FMU {file} in FMPy; free: {', '.join(coupled.masses)}; fixed: {', '.join(held) or 'none'}; "
        f"communication step {whole.time[1]:g} s; contactlib {contactlib.__version__}."
    )
    _write(
        folder,
        file.stem,
        trajectory,
        rigid.balance(trajectory, coupled.masses),
        facts,
        setting,
        " ".join(["contactlib", *sys.argv[1:]]),
    )
