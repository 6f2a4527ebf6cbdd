"""The commands `contactlib pcm check`, `format` and `write`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import one_sentence
from contactlib.cli.options import SCENE
from contactlib.common.files import write_bytes, write_text
from contactlib.model.model import Model
from contactlib.model.spec import load

pcm_app = typer.Typer(help="Check, format and write .pcm files, which assign contact models.", no_args_is_help=True,
                      rich_markup_mode=None)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The .pcm file.")]
FOR_SCENE = "Also check the file against this scene."
ForScene = Annotated[str | None, typer.Option("--scene", metavar="SCENE", help=FOR_SCENE)]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; fail if the file is not formatted.")]
Scene = Annotated[str, typer.Argument(metavar="SCENE", help=SCENE)]
Outside = Annotated[bool, typer.Option("--outside", help="Allow files outside the scene's folder.")]
Out = Annotated[Path | None, typer.Option("-o", "--out", help="File to write; default: standard output.")]


@pcm_app.command()
@one_sentence
def check(file: File, scene: ForScene = None, outside: Outside = False) -> None:
    """Report all mistakes in a file.

    With --scene, the command also checks that the scene has the file's surfaces and objects, and that both together
    compile. Modules of contact models in Python are not run, so their classes and arguments are not checked.
    """
    from contactlib import pcm

    spec = None if scene is None else load(scene, trust=None, outside=outside)
    is_loaded = spec is not None and spec.contacts is not None and spec.contacts.resolve() == file.resolve()
    contacts = pcm.load(file, None if is_loaded else spec, trust=None)
    if spec is not None:
        Model.from_spec(spec if is_loaded else contacts.applied_to(spec), outline=True)
    surfaces = sum(len(law.materials) for law in contacts.laws)
    for name in contacts.unused:
        typer.echo(f"{file}: note: no pair uses the contact type '{name}'")
    typer.echo(f"{file}: {len(contacts.laws)} contact types, {surfaces} pairs of surfaces, "
               f"{len(contacts.pairs)} pairs of objects")


@pcm_app.command("format")
@one_sentence
def format_file(file: File, only_check: Check = False) -> None:
    """Rewrite a file in the standard layout; its statements and comments do not change."""
    from contactlib import pcm

    content = file.read_bytes()
    text = pcm.format_text(content, str(file))
    if text.encode() == content:
        typer.echo(f"{file}: is formatted already")
    elif only_check:
        raise ValueError(f"{file}: is not formatted: run `contactlib pcm format {file}`")
    else:
        write_bytes(file, text.encode())
        typer.echo(f"{file}: formatted")


@pcm_app.command()
@one_sentence
def write(scene: Scene, out: Out = None, outside: Outside = False) -> None:
    """Write the laws of a scene as a .pcm file."""
    from contactlib import pcm

    text = pcm.written(load(scene, trust=None, outside=outside))
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)
        typer.echo(f"wrote {out}")
