"""The command `contactlib library`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import one_sentence
from contactlib.cli.options import SCENE, Anywhere
from contactlib.model.spec import load

Scenes = Annotated[list[str] | None, typer.Argument(metavar="[SCENE]...", help=SCENE)]
Folder = Annotated[Path, typer.Option("-o", "--out", help="Folder to write.")]
Machine = Annotated[str | None, typer.Option("--platform", help="Such as win64; default: this machine's.")]


@one_sentence
def library(scenes: Scenes = None, out: Folder = Path("out/library"), platform: Machine = None,
            outside: Anywhere = False) -> None:
    """Write the C header, the library, and compiled scenes.

    A program in C, C++, Fortran or Julia links the library, loads NAME.bin, and calls the functions of contactlib.h.
    """
    from contactlib.fmu.library import export_library

    models = [load(scene, outside=outside).compile() for scene in scenes or []]
    paths = export_library(out, models, platform=platform)
    typer.echo(f"wrote {', '.join(path.name for path in paths)} to {out}")
