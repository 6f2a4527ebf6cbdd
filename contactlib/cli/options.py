"""Arguments and options of several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.common.options import INTEGRATORS

SCENE = "A scene.toml, its folder, or the name of a shipped scene."
METHODS = f"Integrator of the bodies' motion: {' or '.join(INTEGRATORS)}; an FMU with `coupling` has rk4 by default."
Scene = Annotated[str, typer.Argument(metavar="SCENE", help=SCENE)]
Out = Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the results; default: out/NAME.")]
Duration = Annotated[float | None, typer.Option(help="Duration of the run, s; default: that of SCENE or FILE.")]
Dt = Annotated[float | None, typer.Option(help="Step size, s; default: that of SCENE or FILE.")]
Method = Annotated[str | None, typer.Option("--integrator", help=METHODS)]
FIXED = typer.Option("--fixed", metavar="BODY", help="Keep this body fixed; may be repeated.")
Fixed = Annotated[list[str] | None, FIXED]
TRUST = "Run the Python modules that the scene names; read these modules first."
Trust = Annotated[bool, typer.Option("--trust", help=TRUST)]
Anywhere = Annotated[bool, typer.Option("--outside", help="Allow files outside the scene's folder.")]
