"""The inputs of a scene: every key of its files that holds numbers, with path, value and unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from contactlib.berthing import read_parameters
from contactlib.common.files import read_toml
from contactlib.credibility.units import unit_of

#: keys whose text is the name of a file with numbers, such as a mesh
FILES = ("file", "contacts")


@dataclass(frozen=True)
class Input:
    """A key of a scene file that holds a number, a list of numbers, or the name of a file with numbers.

    Parameters
    ----------
    path : keys with dots between them; rows of an array of tables by their names, or by their numbers from 1. An input
        of a file that the scene names has the name of that file and a colon before its path.
    value : number, list of numbers, or name of a file.
    unit : "1" for a ratio; "" if it is not known.
    stated : where the file itself says that the value is from; "" if it does not say.
    """

    path: str
    value: Any
    unit: str
    stated: str = ""

    @property
    def numbers(self) -> int:
        """How many numbers the value holds: 1 for a file."""
        return _count(self.value)


def scene_inputs(scene: Path) -> list[Input]:
    """Return the inputs of a scene file and of the object files that it names, each file once.

    Examples
    --------
    >>> from contactlib.model.spec import SCENES
    >>> found = {each.path: each for each in scene_inputs(SCENES / "tripod" / "scene.toml")}
    >>> found["body.tripod.mass"].value, found["body.tripod.mass"].unit
    (30.0, 'kg')
    """
    tables = read_toml(scene)
    found = list(_inputs(tables, ""))
    for name in dict.fromkeys(each.value for each in found if str(each.value).endswith(".toml")):
        prefix = f"{name}:"
        found += [replace(each, path=prefix + each.path) for each in _inputs(read_toml(scene.parent / name), "")]
    return [each for each in found if not str(each.value).endswith(".toml")]


def parameter_inputs(path: Path) -> list[Input]:
    """Return the inputs of a file of parameters of berthing rings, which states the source of each."""
    return [Input(f"{part}.{name}", value, unit, source) for part, name, value, unit, source
            in read_parameters(path).rows() if not isinstance(value, str)]


def _inputs(tree: Mapping[str, Any], at: str) -> Iterator[Input]:
    for key, value in tree.items():
        path = f"{at}.{key}" if at else key
        if _is_numbers(value) or (key in FILES and isinstance(value, str)):
            planar, kind = tree.get("dimension") == 2, str(tree.get("kind", ""))
            yield Input(path, value, unit_of(path, planar=planar, kind=kind) if _is_numbers(value) else "")
        elif isinstance(value, Mapping):
            yield from _inputs(value, path)
        elif isinstance(value, list):
            for number, row in enumerate(value, start=1):
                if isinstance(row, Mapping):
                    yield from _inputs(row, f"{path}.{row['name']}" if "name" in row else f"{path}[{number}]")


def _is_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(_is_numbers, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: Any) -> int:
    return sum(map(_count, value)) if isinstance(value, list | tuple) else 1


def matches(pattern: str, path: str) -> bool:
    """Whether a path has the form of a pattern.

    `*` stands for any part of one name between dots, `**` for anything, and `{a,b}` for one of several texts.

    Examples
    --------
    >>> matches("body.*.shape.{pin,hole}_*.radius", "body.target.shape.hole_2.radius")
    True
    >>> matches("body.*.r", "body.target.shape.hole_2.r")
    False
    """
    return _expression(pattern).fullmatch(path) is not None


@lru_cache(maxsize=4096)
def _expression(pattern: str) -> re.Pattern[str]:
    parts = {"**": ".*", "*": "[^.]*", "{": "(?:", "}": ")", ",": "|"}
    return re.compile("".join(parts.get(part, re.escape(part)) for part in re.split(r"(\*\*|[*{},])", pattern)))
