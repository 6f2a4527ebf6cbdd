"""Dotted paths into a scene's tables, such as "body.wheel.state.v[1]"; a campaign writes its drawn values there.

A path names a row of an array of tables by its name, and an element of a list by its number from 1. Names of variables
use the same numbers. A campaign may write `turn` beside a `q`, although scenes have no such key: a rotation vector
(rad, in the axes of the parent), by which that q is rotated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

from contactlib.common import tables

Steps = tuple[str | int, ...]
Change = Callable[[Any], Any]
_PART = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)((?:\[[0-9]+\])*)")
#: default lists for keys that a scene omits, so that a campaign can draw one of their elements
_DEFAULTS = {"r": (0.0,) * 3, "v": (0.0,) * 3, "w": (0.0,) * 3, "com": (0.0,) * 3, "gravity": (0.0,) * 3,
             "turn": (0.0,) * 3, "scale": (1.0,) * 3, "q": (1.0, 0.0, 0.0, 0.0)}


def parse(where: str, path: str) -> Steps:
    """Return the steps of a path. Raise ValueError, which begins with `where`, if the text is not a path.

    >>> parse("path", "body.wheel.state.v[1]")
    ('body', 'wheel', 'state', 'v', 1)
    """
    steps: list[str | int] = []
    for part in path.split("."):
        match = _PART.fullmatch(part)
        if match is None:
            tables.fail(where, path, "must be names with dots between them, such as body.NAME.state.v[1]")
        steps += [match[1], *(int(number) for number in re.findall("[0-9]+", match[2]))]
    return tuple(steps)


def changed(tree: Any, steps: Steps, change: Change, at: str = "") -> Any:
    """Return the tables with the value at the end of a path changed; all other parts are shared with the original.

    `change` receives the old value, or None if there is none. A ValueError names the first step that does not exist.

    >>> changed({"body": [{"name": "wheel", "mass": 2.0}]}, ("body", "wheel", "mass"), lambda mass: 3 * mass)
    {'body': [{'name': 'wheel', 'mass': 6.0}]}
    """
    step, rest = steps[0], steps[1:]
    path = f"{at}[{step}]" if isinstance(step, int) else f"{at}.{step}".lstrip(".")
    if isinstance(step, int) or _is_rows(tree):
        index = _index(tree, step, at, path)
        inside = changed(tree[index], rest, change, path) if rest else change(tree[index])
        return [*tree[:index], inside, *tree[index + 1:]]
    if not isinstance(tree, Mapping):
        raise ValueError(f"{path} does not exist: {at} is not a table")
    if not rest:
        return {**tree, step: change(tree.get(step))}
    inner = tree.get(step)
    if inner is None:
        if not at:
            raise ValueError(f"{path} is not in the scene; {tables.hint(step, tree)}")
        inner = list(_DEFAULTS.get(step, ())) if isinstance(rest[0], int) else {}
    return {**tree, step: changed(inner, rest, change, path)}


def _is_rows(tree: Any) -> TypeGuard[list[Any]]:
    return isinstance(tree, list) and bool(tree) and all(isinstance(row, Mapping) for row in tree)


def _index(tree: Any, step: str | int, at: str, path: str) -> int:
    """Return the index of a list element from its number (counted from 1) or its name."""
    if isinstance(step, str):
        names = [row.get("name") for row in tree]
        if step not in names:
            raise ValueError(f"{path} is not in the scene; {tables.hint(step, map(str, names))}")
        return names.index(step)
    if not isinstance(tree, list | tuple) or _is_rows(tree):
        raise ValueError(f"{path} does not exist: {at} is not a list of numbers")
    if not 1 <= step <= len(tree):
        raise ValueError(f"{path} does not exist: " + (
            f"{at} has elements 1 to {len(tree)}" if tree else f"{at} is not in the scene"))
    return step - 1


def each_number(value: Any, change: Callable[[float], float]) -> Any:
    """Apply `change` to a number, or to each number in a list or in nested lists."""
    if isinstance(value, list | tuple):
        return [each_number(element, change) for element in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is not a number")
    return change(value)


def turned(tree: Any) -> Any:
    """Return the tables with every `turn` applied to the `q` beside it and removed."""
    if isinstance(tree, list):
        return [turned(element) for element in tree] if _is_rows(tree) else tree
    if not isinstance(tree, Mapping):
        return tree
    result = {key: turned(value) for key, value in tree.items() if key != "turn"}
    if "turn" in tree:
        turn = tables.vector(3)("turn", tree["turn"])
        result["q"] = list(_product(_quaternion(turn), tables.quaternion("q", tree.get("q", _DEFAULTS["q"]))))
    return result


def _quaternion(turn: tuple[float, ...]) -> tuple[float, ...]:
    angle = math.hypot(*turn)
    s = math.sin(angle / 2) / angle if angle > 0 else 0.5
    return math.cos(angle / 2), s * turn[0], s * turn[1], s * turn[2]


def _product(p: tuple[float, ...], q: tuple[float, ...]) -> tuple[float, ...]:
    a, b, c, d = p
    w, x, y, z = q
    return (a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w)


def files(tree: Any) -> Iterator[str]:
    """Yield every file that the tables name."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            if key in ("file", "contacts") and isinstance(value, str):
                yield value
            yield from files(value)
    elif _is_rows(tree):
        for row in tree:
            yield from files(row)
