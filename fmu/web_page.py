"""Writes a scene as a web page: a folder that any web server can serve. No compiler is needed."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

from contactlib.common.files import write_bytes
from contactlib.fmu.export import BINARIES

if TYPE_CHECKING:
    from contactlib.model.model import Model

WEB = Path(__file__).parent / "web"
WASM = BINARIES / "wasm32" / "contactlib.wasm"
TITLE = "{{scene}}"


def export_page(model: Model, folder: str | Path) -> Path:
    """Write a page that runs a scene: ``index.html``, ``contactlib.mjs``, ``contactlib.wasm`` and ``model.bin``.

    A page of your own needs the last three files.

    Parameters
    ----------
    model
        The compiled scene.
    folder
        The folder to write; it is created where it is missing.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    FileNotFoundError
        If the prebuilt module is missing.
    ValueError
        If a contact model of the scene is written in Python.

    Examples
    --------
    >>> import contactlib
    >>> export_page(contactlib.load("tripod").compile(), "page")  # doctest: +SKIP
    PosixPath('page/index.html')
    """
    runnable(model)
    module = wasm_module()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / "model.bin", model.to_bytes())
    write_bytes(folder / "contactlib.wasm", module)
    write_bytes(folder / "contactlib.mjs", (WEB / "contactlib.mjs").read_bytes())
    page = (WEB / "index.html").read_text(encoding="utf-8").replace(TITLE, html.escape(model.name))
    return write_bytes(folder / "index.html", page.encode())


def runnable(model: Model) -> None:
    """Refuse a model that no web page can run: ValueError if one of its contact models is written in Python."""
    if model.core.user_laws:
        kinds = " and ".join(f"law '{name}'" for _, name, *_ in model.core.user_laws)
        raise ValueError(f"the contact model of {kinds} is written in Python, which a web page cannot run")


def wasm_module() -> bytes:
    """Return the WebAssembly module. FileNotFoundError says how to build it where it is missing."""
    if not WASM.is_file():
        raise FileNotFoundError(
            f"there is no {WASM}: build it with `python -m contactlib.fmu.build --platform wasm32`, which needs the "
            f"package ziglang"
        )
    return WASM.read_bytes()
