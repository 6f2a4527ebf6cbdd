"""The command line: `contactlib show`, `run`, `fmu export`, `fmu info`, `fmu run`, `ring`, `pcm` and `campaign`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Annotated

import typer

import contactlib
from contactlib.cli.campaign import campaign_app
from contactlib.cli.common import ROWS, Progress, one_sentence, out_folder, record_run, silent_warnings, write_run
from contactlib.cli.pcm import pcm_app
from contactlib.common import tables
from contactlib.common.files import write_text
from contactlib.common.options import INTEGRATORS
from contactlib.fmu import master
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec, load
from contactlib.report import run_report, scene_summary, volume_cost
from contactlib.simulation import rigid_body
from contactlib.simulation.contact_log import FORMATS, ContactLog
from contactlib.simulation.external_links import with_external_links
from contactlib.simulation.simulation import Simulation

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
app.add_typer(campaign_app, name="campaign")
app.add_typer(pcm_app, name="pcm")

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
LogEvery = Annotated[float | None, typer.Option(help="Log all contacts too, every so many s; 0: each step.")]
LogFormat = Annotated[str, typer.Option(help="Of the logs of contacts: csv, or parquet.")]
Costs = Annotated[bool, typer.Option("--cost", help="Compare the kinds of bounding volume.")]
Along = Annotated[Path | None, typer.Option(help="The trajectory.csv of a run, for --cost.")]
NewFile = Annotated[Path | None, typer.Option("-o", "--out", help="The file, else NAME.fmu.")]
Flat = Annotated[bool, typer.Option("--flat", help="Names such as peg_r_1, for Simulink.")]
Swap = typer.Option("--mesh", metavar="BODY.SHAPE=FILE", help="A mesh in the place of a shape; may be repeated.")
Swapped = Annotated[list[str] | None, Swap]
LINKS = "Latches as drives only, held by so many N m/rad: links are inputs."
Outside = Annotated[float | None, typer.Option("--external-links", metavar="STIFFNESS", help=LINKS)]
Parameters = Annotated[Path, typer.Argument(metavar="PARAMETERS", help="A .toml file.")]
Scenefile = Annotated[Path | None, typer.Option("-o", "--out", help="The file, else NAME.toml.")]
InPython = Annotated[bool, typer.Option("--pythonfmu", help="The flavour that runs in Python.")]
TRUST = "Run the Python modules that the scene names; read them first."
Trust = Annotated[bool, typer.Option("--trust", help=TRUST)]
Anywhere = Annotated[bool, typer.Option("--outside", help="Read files that lie outside the scene's folder, too.")]
Version = Annotated[bool, typer.Option("--version", help="Print the version and end.")]


@app.callback(invoke_without_command=True)
def main(context: typer.Context, version: Version = False) -> None:
    if version:
        typer.echo(f"contactlib {contactlib.__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
@one_sentence
def show(scene: Scene, costs: Costs = False, along: Along = None, outside: Anywhere = False) -> None:
    """Show what a scene consists of.

    Objects with their groups and shapes, laws, pairs, variables, what a step costs, and the hash of the
    compiled model. No Python module of the scene is run. With --cost also the tests that every kind of
    bounding volume needs: along the recorded motion of --along, or else at the start.
    """
    spec = load(scene, trust=None, outside=outside)
    typer.echo(scene_summary.describe(spec))
    if costs or along:
        for law in spec.laws:
            if law.python and not law.python.trusted:
                raise ValueError(f"--cost: the contact model '{law.python.kind}' of law '{law.name}' is written in "
                                 f"Python, which `show` does not run: the cost of this scene cannot be measured")
        simulation = Simulation(spec.compile())
        names = simulation.model.body_names
        states = volume_cost.read_states(along, names) if along else simulation.states[None]
        typer.echo(f"\ncost of bounding volumes over {len(states)} states")
        typer.echo(volume_cost.table(volume_cost.compare(spec, states)))


@app.command()
@one_sentence
def run(
    scene: Scene,
    out: Out = None,
    dt: Dt = None,
    duration: Duration = None,
    integrator: Method = None,
    fixed: Fixed = None,
    log_every: LogEvery = None,
    log_format: LogFormat = "csv",
    trust: Trust = False,
    outside: Anywhere = False,
) -> None:
    """Run a scene by itself.

    Bodies with a mass fly freely, the others stand still. Writes trajectory.csv, trajectory.png and
    report.html, and in the folder contacts the logs that its laws ask for.
    """
    spec = closed_loop(load(scene, trust=trust, outside=outside), fixed or [], dt, duration, integrator)
    tables.choice(FORMATS)("--log-format", log_format)
    log = ContactLog(spec, every=log_every)
    record_run(spec, out_folder(out, spec.name), Progress(f"running {spec.name}"), log=log, form=log_format)


@app.command()
@one_sentence
def ring(parameters: Parameters, out: Scenefile = None, trust: Trust = False, outside: Anywhere = False) -> None:
    """Write the scene of two berthing rings from a file of parameters, such as scenes/cbm/parameters.toml."""
    from contactlib.berthing import read_parameters, scene_text

    read = read_parameters(parameters)
    text = scene_text(read)
    model = Spec.from_dict(tomllib.loads(text), folder=parameters.parent, trust=trust, outside=outside).compile()
    path = write_text(out or Path(f"{model.name}.toml"), text)
    assumed = sum(source.startswith("assumed") for source in read.sources.values())
    typer.echo(f"wrote {path} ({len(text) / 1024:.0f} KiB), model {model.hash[:12]}; {assumed} of {len(read.sources)} "
               "parameters are assumed")


def swapped(spec: Spec, given: list[str]) -> Spec:
    """The scene with meshes from files in the place of some shapes."""
    from contactlib.shapes.importers import load_mesh

    for text in given:
        name, equals, file = text.partition("=")
        if not (name and equals and file):
            raise ValueError(f"--mesh = {text}: must be BODY.SHAPE=FILE")
        spec = spec.with_shape(name, load_mesh(file))
    return spec


@fmu_app.command()
@one_sentence
def export(
    scene: Scene,
    out: NewFile = None,
    flat: Flat = False,
    pythonfmu: InPython = False,
    mesh: Swapped = None,
    external_links: Outside = None,
    trust: Trust = False,
    outside: Anywhere = False,
) -> None:
    """Write a scene as an FMU. No compiler is needed.

    A scene with contact models in Python becomes one that runs in Python, with their modules in it.
    """
    from contactlib.fmu.export import export_fmu
    from contactlib.fmu.python_slave import export_pythonfmu

    if flat and pythonfmu:
        raise ValueError("--flat and --pythonfmu do not go together: only the native FMU can have flat names")
    spec = swapped(load(scene, trust=trust, outside=outside), mesh or [])
    if external_links is not None:
        spec = with_external_links(spec, external_links)
    model = spec.compile()
    if model.modules and not flat:
        pythonfmu = True
        files = ", ".join(f"{module}.py" for module in model.modules)
        typer.echo(f"this FMU runs in Python, with {files} in it, for contact models of the scene are written in it")
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

    Bodies with a mass fly freely under the FMU's wrenches, which are held over a step (Jacobi), and the
    FMU's own free bodies as it moves them; the others stand still. Writes trajectory.csv, trajectory.png
    and report.html.
    """
    folder = out_folder(out, file.stem)
    progress = Progress(f"running {file.name}")
    with silent_warnings():
        coupled = master.couple(
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
    trajectory = run_report.thin(whole, every)
    facts = run_report.key_figures(
        whole,
        coupled.balance,
        weightless=coupled.weightless,
        closed=coupled.closed,
    )
    held = [name for name in whole.body_names if name not in coupled.masses]
    setting = (
        f"FMU {file} in FMPy; free: {', '.join(coupled.masses)}; fixed: {', '.join(held) or 'none'}; "
        f"communication step {whole.time[1]:g} s; contactlib {contactlib.__version__}."
    )
    write_run(
        folder,
        file.stem,
        trajectory,
        rigid_body.balance(trajectory, coupled.masses) if coupled.weightless else None,
        facts,
        setting,
        " ".join(["contactlib", *sys.argv[1:]]),
    )
