"""The commands `contactlib blender ...`: the Blender toolkit without a window (docs/blender.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.blender import host
from contactlib.blender.archive import write_extension
from contactlib.cli.common import one_sentence
from contactlib.cli.options import Scene
from contactlib.model.spec import load

blender_app = typer.Typer(help="Blender: scenes from .blend files and back, and the extension.", no_args_is_help=True)

PROGRAM = (f"Python with bpy, or Blender; default: the variable {host.VARIABLE}, the environment {host.ENVIRONMENT}, "
           "or the command blender.")
Python = Annotated[str | None, typer.Option("--python", help=PROGRAM)]
Blend = Annotated[Path, typer.Argument(metavar="FILE", help="A .blend file with marked objects.")]
Folder = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for scene.toml; default: the name of FILE.")]
NewBlend = Annotated[Path | None, typer.Option("-o", "--out", help="File to write; default: NAME.blend.")]
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
def extension(out: Zip = Path("contactlib_blender.zip")) -> None:
    """Write the extension as a zip file, for Edit, Preferences, Get Extensions, Install from Disk in Blender."""
    typer.echo(f"wrote {write_extension(out)}")
