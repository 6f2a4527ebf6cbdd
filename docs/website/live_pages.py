"""Live pages of some scenes (docs/view.md): the site holds them as they are, and the pages of the scenes link them."""

from __future__ import annotations

import contactlib
from contactlib.fmu.web_page import WASM
from contactlib.model.closed_loop import closed_loop
from contactlib.view import bundle, write_live_page
from docs.website.reports import EXTRA

SCENES = ("peg_in_hole", "trampoline")
FOLDER = "live"


def write() -> dict[str, str]:
    """Write the live pages, and return links by scenes; none, and print the reason, where something is missing."""
    needed = {WASM: "python -m contactlib.fmu.build --platform wasm32", bundle.BUNDLE / bundle.CODE: "make viewer"}
    missing = [f"{path} is missing: {remedy}" for path, remedy in needed.items() if not path.is_file()]
    for sentence in missing:
        print(f"no live pages of scenes: {sentence}", flush=True)
    for name in SCENES:
        path = EXTRA / FOLDER / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if not missing:
            write_live_page(closed_loop(contactlib.load(name), [], None, None, None), path)
    return {} if missing else {name: link(name) for name in SCENES}


def link(name: str) -> str:
    """The line of a scene's page that opens its live page."""
    return (f'<a href="../{FOLDER}/{name}.html">Run this scene in the browser</a>: pull its bodies and change its '
            "parameters.")
