"""`contactlib pcm check`, `format` and `write`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import one_sentence
from contactlib.common.files import write_bytes, write_text
from contactlib.model.model import Model
from contactlib.model.spec import load

pcm_app = typer.Typer(help="Check, format and write .pcm files, which assign contact models.", no_args_is_help=True,
                      rich_markup_mode=None)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A .pcm file.")]
Beside = Annotated[str | None, typer.Option("--scene", metavar="SCENE", help="The scene that the file is for.")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; fail if the file has another form.")]
Scene = Annotated[str, typer.Argument(metavar="SCENE", help="A scene.toml, its folder, or the name of one that ships.")]
Outside = Annotated[bool, typer.Option("--outside", help="Read files that lie outside the scene's folder, too.")]
Out = Annotated[Path | None, typer.Option("-o", "--out", help="The file, else the screen.")]


@pcm_app.command()
@one_sentence
def check(file: File, scene: Beside = None, outside: Outside = False) -> None:
    """Say what is wrong with a file.

    With --scene also whether its surfaces and objects are in that scene, and whether the whole compiles. Modules of
    contact models in Python are not run, so their classes and arguments are not checked.
    """
    from contactlib import pcm

    spec = None if scene is None else load(scene, trust=None, outside=outside)
    has_read_it = spec is not None and spec.contacts is not None and spec.contacts.resolve() == file.resolve()
    contacts = pcm.load(file, None if has_read_it else spec, trust=None)
    if spec is not None:
        Model.from_spec(spec if has_read_it else contacts.applied_to(spec), outline=True)
    surfaces = sum(len(law.materials) for law in contacts.laws)
    for name in contacts.unused:
        typer.echo(f"{file}: note: the contact type '{name}' is for nothing")
    typer.echo(f"{file}: {len(contacts.laws)} contact types, {surfaces} pairs of surfaces, "
               f"{len(contacts.pairs)} pairs of objects")


@pcm_app.command("format")
@one_sentence
def format_file(file: File, only_check: Check = False) -> None:
    """Give a file the form that all should have: the same statements and comments, evenly laid out."""
    from contactlib import pcm

    content = file.read_bytes()
    text = pcm.format_text(content, str(file))
    if text.encode() == content:
        typer.echo(f"{file}: is in form")
    elif only_check:
        raise ValueError(f"{file}: is not in form: run `contactlib pcm format {file}`")
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
