"""Dotted paths into a scene's tables, such as "body.wheel.state.v[1]": what a campaign draws, it writes there.

Rows of an array of tables go by their names, elements of a list by their numbers from 1, as in the names of variables.
`turn` beside a `q` is no key of a scene: it is a rotation vector (rad), by which that q is turned in the axes outside.
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
#: what a list holds that a scene leaves out, so that one of its elements can be drawn
_LEFT_OUT = {"r": (0.0,) * 3, "v": (0.0,) * 3, "w": (0.0,) * 3, "com": (0.0,) * 3, "gravity": (0.0,) * 3,
             "turn": (0.0,) * 3, "q": (1.0, 0.0, 0.0, 0.0)}


def parse(where: str, path: str) -> Steps:
    """The steps of a path; ValueError that begins with `where` if it is none.

    >>> parse("path", "body.wheel.state.v[1]")
    ('body', 'wheel', 'state', 'v', 1)
    """
    steps: list[str | int] = []
    for part in path.split("."):
        match = _PART.fullmatch(part)
        if match is None:
            tables.fail(where, path, "must be names with dots between them, as body.NAME.state.v[1]")
        steps += [match[1], *(int(number) for number in re.findall("[0-9]+", match[2]))]
    return tuple(steps)


def changed(tree: Any, steps: Steps, change: Change, at: str = "") -> Any:
    """The tables with what stands at the end of a path changed; all else is shared with the original.

    `change` is given what stands there, None if nothing does. ValueError names the first step that leads nowhere.

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
        raise ValueError(f"{path} leads nowhere: {at} is not a table")
    if not rest:
        return {**tree, step: change(tree.get(step))}
    inner = tree.get(step)
    if inner is None:
        if not at:
            raise ValueError(f"{path} is not in the scene; {tables.hint(step, tree)}")
        inner = list(_LEFT_OUT.get(step, ())) if isinstance(rest[0], int) else {}
    return {**tree, step: changed(inner, rest, change, path)}


def _is_rows(tree: Any) -> TypeGuard[list[Any]]:
    return isinstance(tree, list) and bool(tree) and all(isinstance(row, Mapping) for row in tree)


def _index(tree: Any, step: str | int, at: str, path: str) -> int:
    """Where an element of a list is: by its number from 1, or by its name."""
    if isinstance(step, str):
        names = [row.get("name") for row in tree]
        if step not in names:
            raise ValueError(f"{path} is not in the scene; {tables.hint(step, map(str, names))}")
        return names.index(step)
    if not isinstance(tree, list | tuple) or _is_rows(tree):
        raise ValueError(f"{path} leads nowhere: {at} is not a list of numbers")
    if not 1 <= step <= len(tree):
        raise ValueError(f"{path} leads nowhere: " + (
            f"{at} has elements 1 to {len(tree)}" if tree else f"the scene does not give {at}"))
    return step - 1


def each_number(value: Any, change: Callable[[float], float]) -> Any:
    """A number, or a list of numbers or of such lists, with each number changed."""
    if isinstance(value, list | tuple):
        return [each_number(element, change) for element in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is not a number")
    return change(value)


def turned(tree: Any) -> Any:
    """The tables with every `turn` worked into the `q` beside it."""
    if isinstance(tree, list):
        return [turned(element) for element in tree] if _is_rows(tree) else tree
    if not isinstance(tree, Mapping):
        return tree
    result = {key: turned(value) for key, value in tree.items() if key != "turn"}
    if "turn" in tree:
        turn = tables.vector(3)("turn", tree["turn"])
        result["q"] = list(_product(_quaternion(turn), tables.quaternion("q", tree.get("q", _LEFT_OUT["q"]))))
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
    """Every file that the tables name."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            if key in ("file", "contacts") and isinstance(value, str):
                yield value
            yield from files(value)
    elif _is_rows(tree):
        for row in tree:
            yield from files(row)
