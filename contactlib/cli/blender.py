"""The commands `contactlib blender ...`: the Blender toolkit without a window (docs/blender.md)."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from contactlib.blender import host
from contactlib.blender.archive import write_extension
from contactlib.cli.common import one_sentence
from contactlib.cli.options import Scene
from contactlib.common import tables
from contactlib.model.spec import load

blender_app = typer.Typer(help="Blender: scenes from .blend files and back, and the extension.", no_args_is_help=True)

ENGINES = ("workbench", "cycles")
PROGRAM = (f"Python with bpy, or Blender; default: the variable {host.VARIABLE}, the environment {host.ENVIRONMENT}, "
           "or the command blender.")
Python = Annotated[str | None, typer.Option("--python", help=PROGRAM)]
Blend = Annotated[Path, typer.Argument(metavar="FILE", help="A .blend file with marked objects.")]
Folder = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for scene.toml; default: the name of FILE.")]
NewBlend = Annotated[Path | None, typer.Option("-o", "--out", help="File to write; default: NAME.blend.")]
ResultFile = Annotated[Path, typer.Argument(metavar="RESULT", help="A result file, NAME.clr.")]
SceneBlend = Annotated[Path, typer.Option("-s", "--scene", help="The .blend file of the scene.")]
Targets = Annotated[list[Path], typer.Option("-o", "--out", help="What to write; may be repeated.")]
Engine = Annotated[str, typer.Option(help="workbench, which is fast, or cycles, for pictures.")]
Size = Annotated[str, typer.Option(help="Width and height in pixels.")]
Samples = Annotated[int, typer.Option(min=1, max=100_000, help="Samples of a pixel, for cycles.")]
Rate = Annotated[int, typer.Option(min=1, max=240, help="Frames per second of the film.")]
Speed = Annotated[float | None, typer.Option(min=1e-9, help="Seconds of the run in a second of the film.")]
Follow = Annotated[str | None, typer.Option(help="Body that stays in the middle.")]
At = Annotated[float | None, typer.Option(help="Time of a picture, s; default: the first frame.")]
Forces = Annotated[bool, typer.Option(help="Show contact forces as arrows.")]
Zip = Annotated[Path, typer.Option("-o", "--out", help="File to write.")]


@blender_app.command()
@one_sentence
def extract(file: Blend, out: Folder = None, python: Python = None) -> None:
    """Write the scene of a .blend file: scene.toml with its mesh files, checked by compiling it."""
    folder = out or Path(file.stem)
    for line in host.extract(host.find_program(python), file, folder):
        typer.echo(line)
    model = load(folder).compile()
    typer.echo(f"{model.name}: {len(model.body_names)} bodies, model {model.hash[:12]}")


@blender_app.command()
@one_sentence
def make(scene: Scene, out: NewBlend = None, python: Python = None) -> None:
    """Write a .blend file of a scene: its bodies, groups and shapes as marked objects, all other tables as a text."""
    spec = load(scene, trust=None)
    assert spec.source is not None
    for line in host.make(host.find_program(python), spec.source, out or Path(f"{spec.name}.blend")):
        typer.echo(line)


@blender_app.command()
@one_sentence
def animate(result: ResultFile, scene: SceneBlend, out: Targets, engine: Engine = "workbench", size: Size = "960x540",
            samples: Samples = 32, rate: Rate = 25, speed: Speed = None, follow: Follow = None, at: At = None,
            forces: Forces = True, python: Python = None) -> None:
    """Show a result with the models of a .blend file: moving bodies, cables, membranes, and arrows of contact forces.

    The end of --out says what is written: .blend, .mp4 (a film), .png (a picture, at --at), or a folder of frames.
    """
    from contactlib.blender.response import Film, write_response
    from contactlib.results import read_result

    tables.choice(ENGINES)("--engine", engine)
    width, height = image_size(size)
    program = host.find_program(python)
    with tempfile.TemporaryDirectory() as folder:
        film = Film(rate=rate, speed=speed, follow=follow, forces=forces)
        arrays = write_response(read_result(result), Path(folder) / "response.npz", film)
        for line in host.show(program, scene, arrays, engine=engine, targets=[str(path) for path in out],
                              size=(width, height), samples=samples, at=at):
            typer.echo(line)


def image_size(text: str) -> tuple[int, int]:
    """Return width and height in pixels; ValueError for another text, or a size that a film cannot have.

    >>> image_size("640x360")
    (640, 360)
    """
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = (int(match[1]), int(match[2])) if match else (0, 0)
    if width % 2 or height % 2 or min(width, height) < 16:
        raise ValueError(f"--size = {text!r}: must be a width and a height in pixels, such as 640x360, both even")
    return width, height


@blender_app.command()
@one_sentence
def extension(out: Zip = Path("contactlib_blender.zip")) -> None:
    """Write the extension as a zip file, for Edit, Preferences, Get Extensions, Install from Disk in Blender."""
    typer.echo(f"wrote {write_extension(out)}")
