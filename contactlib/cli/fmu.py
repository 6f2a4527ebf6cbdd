"""The commands `contactlib fmu export`, `fmu info`, `fmu check` and `fmu run`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import contactlib
from contactlib.cli.common import (
    ROWS,
    Progress,
    command_line,
    one_sentence,
    out_folder,
    result_writer,
    silent_warnings,
    write_run,
)
from contactlib.cli.options import Anywhere, Dt, Duration, Fixed, Method, Out, Scene, Trust
from contactlib.common import tables
from contactlib.common.options import COUPLINGS
from contactlib.fmu import master
from contactlib.model.model import Model
from contactlib.model.spec import Spec, load
from contactlib.report import run_report
from contactlib.results import ResultWriter
from contactlib.simulation import rigid_body
from contactlib.simulation.external_links import with_external_links

fmu_app = typer.Typer(
    help="Export scenes as FMUs, describe FMUs, run FMUs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="The .fmu file.")]
NewFile = Annotated[Path | None, typer.Option("-o", "--out", help="File to write; default: NAME.fmu, or NAME.ssp.")]
Flat = Annotated[bool, typer.Option("--flat", help="Write flat variable names, such as peg_r_1, for Simulink.")]
MESH = typer.Option("--mesh", metavar="BODY.SHAPE=FILE", help="Replace a shape by a mesh; may be repeated.")
Meshes = Annotated[list[str] | None, MESH]
LINKS = "Simulate only the drives of latches, with this stiffness, N m/rad; the states of their links become inputs."
Outside = Annotated[float | None, typer.Option("--external-links", metavar="STIFFNESS", help=LINKS)]
ONE = "Include the binary of this platform only; may be repeated. Default: all that are there."
PLATFORM = typer.Option("--platform", metavar="NAME", help=ONE)
Platforms = Annotated[list[str] | None, PLATFORM]
FmiVersion = Annotated[
    str, typer.Option("--fmi-version", metavar="VERSION", help="Version of FMI: 2.0, or 3.0 with arrays.")
]
SSP = "Write a system for SSP 1.0: the contact's FMU, and an FMU for each body with a mass that is not --fixed."
AsSystem = Annotated[bool, typer.Option("--ssp", help=SSP)]
Author = Annotated[str | None, typer.Option("--author", help="Author of the scene, for the FMU's description.")]
Version = Annotated[str | None, typer.Option("--model-version", help="Version of the scene. Default: contactlib's.")]
License = Annotated[str | None, typer.Option("--license", help="Licence of the scene in a few words. Default: MIT.")]
CASE = "Run the FMU with in.csv of this folder, and compare with ref.csv and the tolerances of ref.opt."
CaseFolder = Annotated[Path | None, typer.Option("--case", metavar="FOLDER", help=CASE)]
Coupled = Annotated[
    str | None,
    typer.Option("--coupling", metavar="ORDER",
                 help="Start value of the parameter coupling: none, jacobi or gauss_seidel. Default: the scene's."),
]
SCENE = "The scene of the FMU, for the names of shapes and the elements in the result file."
SceneOfFmu = Annotated[str | None, typer.Option("--scene", metavar="SCENE", help=SCENE)]
InPython = Annotated[bool, typer.Option("--pythonfmu", help="Write the FMU that runs in Python.")]


def replace_shapes(spec: Spec, given: list[str]) -> Spec:
    """Return the scene with some shapes replaced by meshes from files, given as BODY.SHAPE=FILE."""
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
    mesh: Meshes = None,
    external_links: Outside = None,
    platform: Platforms = None,
    fmi_version: FmiVersion = "2.0",
    ssp: AsSystem = False,
    fixed: Fixed = None,
    dt: Dt = None,
    coupling: Coupled = None,
    author: Author = None,
    model_version: Version = None,
    license: License = None,
    trust: Trust = False,
    outside: Anywhere = False,
) -> None:
    """Write a scene as an FMU, with the binaries of all platforms that are there. No compiler is needed.

    A scene with contact models in Python becomes an FMU that runs in Python and contains their modules.
    """
    from contactlib.fmu.export import VERSIONS, export_fmu
    from contactlib.fmu.package.metadata import Metadata
    from contactlib.fmu.python_slave import export_pythonfmu

    if flat and pythonfmu:
        raise ValueError("--flat and --pythonfmu exclude each other: only the native FMU can have flat names")
    if fmi_version not in VERSIONS:
        raise ValueError(f"--fmi-version = {fmi_version}: must be one of {', '.join(VERSIONS)}")
    spec = replace_shapes(load(scene, trust=trust, outside=outside), mesh or [])
    if external_links is not None:
        spec = with_external_links(spec, external_links)
    if coupling is not None:
        spec = replace(spec, coupling=tables.choice(COUPLINGS)("--coupling", coupling))
    if ssp:
        if flat or pythonfmu or fmi_version != "2.0":
            raise ValueError("--ssp excludes --flat, --pythonfmu and --fmi-version: its FMUs are native, of FMI 2.0")
        _export_ssp(spec, out, fixed or [], dt, platform)
        return
    if fixed or dt is not None:
        raise ValueError("--fixed and --dt need --ssp: the FMU alone moves no external body and has no step of its own")
    model = spec.compile()
    if pythonfmu or model.modules:
        _check_python_fmu(platform, fmi_version)
    if model.modules and not flat:
        pythonfmu = True
        files = ", ".join(f"{module}.py" for module in model.modules)
        typer.echo(f"this FMU runs in Python and contains {files}, because the scene has contact models in Python")
    path = out or Path(f"{model.name}.fmu")
    if path.suffix != ".fmu":
        raise ValueError(f"--out = {path}: the name of an FMU must end in .fmu")
    given = {"description": spec.description, "author": author, "version": model_version, "license": license}
    metadata = Metadata(**{key: value for key, value in given.items() if value})
    if pythonfmu:
        path = export_pythonfmu(model, path, metadata=metadata)
    else:
        path = export_fmu(model, path, flat_names=flat, platforms=platform or None, fmi_version=fmi_version,
                          metadata=metadata)
    typer.echo(f"wrote {path} ({path.stat().st_size / 1024:.0f} KiB), model {model.hash[:12]}")


def _check_python_fmu(platform: list[str] | None, fmi_version: str) -> None:
    if platform:
        raise ValueError("--platform is for native binaries: this FMU runs in Python and has none to choose from")
    if fmi_version != "2.0":
        raise ValueError(f"--fmi-version = {fmi_version}: an FMU that runs in Python has FMI 2.0 only")


def _export_ssp(
    spec: Spec, out: Path | None, fixed: list[str], step: float | None, platforms: list[str] | None
) -> None:
    """Write the system of a scene, and say what it contains."""
    from contactlib.fmu.ssp import export_ssp

    path = out or Path(f"{spec.name}.ssp")
    if path.suffix != ".ssp":
        raise ValueError(f"--out = {path}: the name of a system for SSP must end in .ssp")
    path = export_ssp(spec, path, fixed=fixed, step=step, platforms=platforms or None)
    typer.echo(f"wrote {path} ({path.stat().st_size / 1024:.0f} KiB)")


@fmu_app.command()
@one_sentence
def info(file: File) -> None:
    """Show the contents of an FMU: platforms with what each needs, files, variables with units."""
    from contactlib.fmu.info import describe_fmu

    typer.echo(str(describe_fmu(file)))


@fmu_app.command()
@one_sentence
def check(file: File, case: CaseFolder = None) -> None:
    """Check an FMU of any tool against FMI 2.0, or its results against a reference. Exits with 1 on a defect.

    Without --case, no code of the FMU runs: the command checks archive, description, structure and libraries.
    """
    if case is None:
        from contactlib.fmu.check.static import check_fmu

        found = check_fmu(file)
        for sentence in found:
            typer.echo(f"  {sentence}")
        typer.echo(f"{file}: {len(found) or 'no'} defect{'' if len(found) == 1 or not found else 's'}")
        failed = bool(found)
    else:
        from contactlib.fmu.check.case import check_case, model_name, read_case

        comparison = check_case(file, read_case(case, model_name(file)))
        typer.echo(str(comparison))
        out = sum(not one.passed for one in comparison.deviations)
        typer.echo(f"{file}: {out or 'no'} output{'' if out == 1 else 's'} out of tolerance")
        failed = not comparison.passed
    if failed:
        raise typer.Exit(1)


@fmu_app.command("run")
@one_sentence
def fmu_run(
    file: File,
    out: Out = None,
    dt: Dt = None,
    duration: Duration = None,
    integrator: Method = None,
    fixed: Fixed = None,
    scene: SceneOfFmu = None,
    trust: Trust = False,
    outside: Anywhere = False,
) -> None:
    """Run an FMU in FMPy with free-flying bodies.

    Bodies with a mass fly freely under the FMU's wrenches, which are constant over a step (Jacobi coupling).
    The FMU itself moves its free bodies. All other bodies are fixed. The command writes result.clr,
    trajectory.csv, trajectory.png and report.html.
    """
    folder = out_folder(out, file.stem)
    progress = Progress(f"running {file.name}")
    spec = None if scene is None else load(scene, trust=trust, outside=outside)
    writers: list[ResultWriter | None] = []

    def results(model: Model) -> ResultWriter | None:
        if spec is not None and spec.compile().hash != model.hash:
            raise ValueError(f"--scene = {scene}: is not the scene of {file}, whose model has the hash {model.hash}")
        writers.append(result_writer(folder / "result.clr", model, spec, command_line()))
        return writers[0]

    with silent_warnings():
        coupled = master.couple(file, duration=duration, dt=dt, fixed=fixed or [], progress=progress,
                                integrator=integrator, results=results)
    progress.done()
    whole = coupled.trajectory
    every = max(1, round(len(whole.time) / ROWS))
    trajectory = run_report.thin(whole, every)
    facts = run_report.key_figures(whole, coupled.balance, weightless=coupled.weightless, closed=coupled.closed)
    not_free = [name for name in whole.body_names if name not in coupled.masses]
    setting = (
        f"FMU {file} in FMPy; free: {', '.join(coupled.masses)}; fixed: {', '.join(not_free) or 'none'}; "
        f"communication step {whole.time[1]:g} s; contactlib {contactlib.__version__}."
    )
    write_run(
        folder,
        file.stem,
        trajectory,
        rigid_body.balance(trajectory, coupled.masses) if coupled.weightless else None,
        facts,
        setting,
        writers[0].path if writers[0] else None,
    )
