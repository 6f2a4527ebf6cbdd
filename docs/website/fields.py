"""Extension of Sphinx for docstrings.

|q| of a docstring is an absolute value. A field of a dataclass without a text of its own gets the row of docs/scenes.md
with its key.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from docs.website.staging import ROOT

#: sections of docs/scenes.md whose keys are the fields of a class
SECTIONS = {"Spec": ("[scene]",), "Body": ("[[body]]",), "Group": ("[[body.group]]", "[[body]]"),
            "BodyShape": ("[[body.shape]]",), "Law": ("[[law]]",), "Pair": ("[[pair]]",)}
#: fields that hold all tables of a key
PLURALS = {"shapes": "shape", "groups": "group", "bodies": "bodies"}
#: an absolute value, which reStructuredText takes for a substitution
MAGNITUDE = re.compile(r"(?<![`\\|])\|(\w+)\|")
ROW = re.compile(r"^\| (?P<keys>`[^|]*`) (?:\|(?P<unit>[^|]*))?\|(?P<default>[^|]*)\| (?P<text>.*) \|$", re.MULTILINE)


@cache
def rows(section: str) -> dict[str, str]:
    """The keys of a section of docs/scenes.md: unit and meaning."""
    page = (ROOT / "docs" / "scenes.md").read_text(encoding="utf-8")
    text = page.partition(f"## `{section}`")[2].partition("\n## ")[0]
    found = {}
    for match in ROW.finditer(text):
        meaning = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", match["text"]).replace("`", "``")
        unit = (match["unit"] or "").strip()
        for key in re.findall(r"`(\w+)`", match["keys"]):
            found[key] = f"{meaning}" + (f" ({unit})" if unit not in ("", "1") else "")
    return found


def describe(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep absolute values as they stand, and add the row to a field that has no text."""
    lines[:] = [MAGNITUDE.sub(r"\|\1\|", line) for line in lines]
    owner, _, field = name.rpartition(".")
    if what != "attribute" or any(line.strip() for line in lines):
        return
    for section in SECTIONS.get(owner.rpartition(".")[2], ()):
        key = PLURALS.get(field, field)
        if key in rows(section):
            lines[:] = [rows(section)[key], ""]
            return


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("autodoc-process-docstring", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
