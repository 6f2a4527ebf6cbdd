"""Extension of Sphinx for docstrings.

|q| of a docstring is an absolute value. The classes of a scene, whose fields are keys of scene files, get a list of
their fields with the text and the unit of docs/scenes.md.
"""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from typing import Any

from contactlib.elements import ELEMENTS
from docs.website.staging import ROOT

#: sections of docs/scenes.md whose keys are the fields of a class
SECTIONS: dict[str, tuple[str, ...]] = {
    "Spec": ("[scene]",), "Body": ("[[body]]",), "Group": ("[[body.group]]", "[[body]]"),
    "BodyShape": ("[[body.shape]]",), "Law": ("[[law]]",), "Pair": ("[[pair]]",),
    **{of.__name__: (f"[[{kind}]]",) for kind, of in ELEMENTS.items()}}
#: fields that hold all tables of a key
PLURALS = {"shapes": "shape", "groups": "group"}
#: an absolute value, which reStructuredText takes for a substitution
MAGNITUDE = re.compile(r"(?<![`\\|])\|(\w+)\|")
ROW = re.compile(r"^\| (?P<keys>`[^|]*`) (?:\|(?P<unit>[^|]*))?\|(?P<default>[^|]*)\| (?P<text>.*) \|$", re.MULTILINE)


@cache
def rows(section: str) -> dict[str, str]:
    """The keys of a section of docs/scenes.md: meaning and unit."""
    page = (ROOT / "docs" / "scenes.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.*)$", page, flags=re.MULTILINE)
    found: dict[str, str] = {}
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        if f"`{section}`" not in heading:
            continue
        for match in ROW.finditer(text):
            meaning = re.sub(r"[,;]?\s*\((?:see )?\[[^]]*\]\([^)]*\)\)", "", match["text"])
            meaning = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", meaning)
            unit = (match["unit"] or "").strip()
            for key in re.findall(r"`(\w+)`", match["keys"]):
                found.setdefault(key, meaning + (f" ({unit})" if unit not in ("", "1") else ""))
    return found


def texts(of: type) -> dict[str, str]:
    """The fields of a class that are keys of a scene, with their texts."""
    known: dict[str, str] = {}
    for section in reversed(SECTIONS.get(of.__name__, ())):
        known |= rows(section)
    names = [field.name for field in dataclasses.fields(of)] if dataclasses.is_dataclass(of) else []
    return {name: known[PLURALS.get(name, name)] for name in names if PLURALS.get(name, name) in known}


def describe(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep absolute values as they stand, and list the fields of a class of a scene."""
    lines[:] = [MAGNITUDE.sub(r"\|\1\|", line) for line in lines]
    found = texts(obj) if what == "class" else {}
    if found:
        lines += ["", ".. rubric:: Fields that are keys of a scene file", ""]
        lines += [f"- ``{field}``: " + re.sub("`([^`]*)`", r"``\1``", text) for field, text in found.items()]
        lines.append("")


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx; after numpydoc, which would take the list for a section of its own."""
    app.connect("autodoc-process-docstring", describe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
