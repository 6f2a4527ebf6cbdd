"""The command line: single commands, such as `show`, `run` and `validate`; the groups `fmu`, `pcm`, `campaign`,
`result`, `blender`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

import typer

import contactlib
from contactlib.cli.blender import blender_app
from contactlib.cli.calibrate import calibrate
from contactlib.cli.campaign import campaign_app
from contactlib.cli.common import Progress, one_sentence, out_folder, record_run
from contactlib.cli.credibility import credibility
from contactlib.cli.fmu import fmu_app
from contactlib.cli.hashes import hash_scenes
from contactlib.cli.importing import import_file
from contactlib.cli.library import library
from contactlib.cli.options import Anywhere, Dt, Duration, Fixed, Method, Out, Scene, Trust
from contactlib.cli.pcm import pcm_app
from contactlib.cli.result import result_app
from contactlib.cli.validate import validate
from contactlib.cli.view import view
from contactlib.cli.web import web
from contactlib.common import tables
from contactlib.common.files import write_text
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec, load
from contactlib.report import scene_summary, volume_cost
from contactlib.simulation.contact_log import FORMATS, ContactLog
from contactlib.simulation.simulation import Simulation

app = typer.Typer(
    help="Contact between bodies in space robotics: show scenes, run them, export them as FMUs.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(fmu_app, name="fmu")
app.add_typer(campaign_app, name="campaign")
app.add_typer(pcm_app, name="pcm")
app.add_typer(result_app, name="result")
app.add_typer(blender_app, name="blender")
app.command("hash")(hash_scenes)
app.command("import")(import_file)
app.command()(calibrate)
app.command()(credibility)
app.command()(web)
app.command()(library)
app.command()(validate)
app.command()(view)

LogEvery = Annotated[float | None, typer.Option(help="Also log all contacts, with this interval, s; 0: each step.")]
LogFormat = Annotated[str, typer.Option(help="Format of the logs of contacts: csv or parquet.")]
Costs = Annotated[bool, typer.Option("--cost", help="Compare the cost of the kinds of bounding volumes.")]
Along = Annotated[Path | None, typer.Option(help="Measure --cost along this trajectory.csv of a run.")]
Parameters = Annotated[Path, typer.Argument(metavar="PARAMETERS", help="The .toml file of parameters.")]
Scenefile = Annotated[Path | None, typer.Option("-o", "--out", help="File to write; default: NAME.toml.")]
Version = Annotated[bool, typer.Option("--version", help="Print the version and exit.")]


@app.callback(invoke_without_command=True)
def main(context: typer.Context, version: Version = False) -> None:
    if version:
        typer.echo(f"contactlib {contactlib.__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
@one_sentence
def show(scene: Scene, costs: Costs = False, along: Along = None, outside: Anywhere = False) -> None:
    """Show the contents of a scene.

    The command prints objects with their groups and shapes, laws, pairs, the stiffness of surface contacts,
    variables, the time of a step, and the hash of the compiled model. Python modules of the scene are not
    run. With --cost, the command also
    counts the tests that each kind of bounding volume needs: along the recorded motion of --along, or at the
    initial state.
    """
    spec = load(scene, trust=None, outside=outside)
    typer.echo(scene_summary.describe(spec))
    if costs or along:
        for law in spec.laws:
            if law.python and not law.python.trusted:
                raise ValueError(f"--cost: the contact model '{law.python.kind}' of law '{law.name}' is written in "
                                 f"Python, which `show` does not run: leave out --cost for this scene")
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
    """Run a scene on its own.

    Bodies with a mass fly freely, all other bodies are fixed. The command writes result.clr,
    trajectory.csv, trajectory.png and report.html, and in the folder contacts the logs that the scene's
    laws request.
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
