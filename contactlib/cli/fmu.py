"""`contactlib fmu export`, `fmu info` and `fmu run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import contactlib
from contactlib.cli.common import ROWS, Progress, one_sentence, out_folder, silent_warnings, write_run
from contactlib.cli.options import Anywhere, Dt, Duration, Fixed, Method, Out, Scene, Trust
from contactlib.common.options import INTEGRATORS
from contactlib.fmu import master
from contactlib.model.spec import Spec, load
from contactlib.report import run_report
from contactlib.simulation import rigid_body
from contactlib.simulation.external_links import with_external_links

fmu_app = typer.Typer(
    help="Make FMUs of scenes, look into them, run them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="An .fmu file.")]
NewFile = Annotated[Path | None, typer.Option("-o", "--out", help="The file, else NAME.fmu.")]
Flat = Annotated[bool, typer.Option("--flat", help="Names such as peg_r_1, for Simulink.")]
Swap = typer.Option("--mesh", metavar="BODY.SHAPE=FILE", help="A mesh in the place of a shape; may be repeated.")
Swapped = Annotated[list[str] | None, Swap]
LINKS = "Latches as drives only, held by so many N m/rad: links are inputs."
Outside = Annotated[float | None, typer.Option("--external-links", metavar="STIFFNESS", help=LINKS)]
InPython = Annotated[bool, typer.Option("--pythonfmu", help="The flavour that runs in Python.")]


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
