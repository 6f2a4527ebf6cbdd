"""The command `contactlib web`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from contactlib.cli.common import one_sentence
from contactlib.cli.options import Anywhere, Scene
from contactlib.model.spec import load

Folder = Annotated[Path | None, typer.Option("-o", "--out", help="Folder to write; default: out/NAME_page.")]


@one_sentence
def web(scene: Scene, out: Folder = None, outside: Anywhere = False) -> None:
    """Write a web page that runs a scene: the page, the module, its class in JavaScript, and the model.

    Browsers load modules from a server only: `python -m http.server --directory FOLDER` is one.
    """
    from contactlib.fmu.web_page import export_page

    model = load(scene, outside=outside).compile()
    page = export_page(model, out or Path("out") / f"{model.name}_page")
    typer.echo(f"wrote {page}, model {model.hash[:12]}; serve it with: python -m http.server --directory {page.parent}")
