"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.common.options import INTEGRATORS

SCENE = "A scene.toml, its folder, or the name of a scene that ships."
METHODS = f"How bodies are moved: {' or '.join(INTEGRATORS)}."
Scene = Annotated[str, typer.Argument(metavar="SCENE", help=SCENE)]
Out = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the results, else out/NAME.")]
Duration = Annotated[float | None, typer.Option(help="Length of the run, s, else what SCENE or FILE says.")]
Dt = Annotated[float | None, typer.Option(help="Length of a step, s, else what SCENE or FILE says.")]
Method = Annotated[str | None, typer.Option("--integrator", help=METHODS)]
Still = typer.Option("--fixed", metavar="BODY", help="A body that stands still; may be repeated.")
Fixed = Annotated[list[str] | None, Still]
TRUST = "Run the Python modules that the scene names; read them first."
Trust = Annotated[bool, typer.Option("--trust", help=TRUST)]
Anywhere = Annotated[bool, typer.Option("--outside", help="Read files that lie outside the scene's folder, too.")]
