"""A changed scene as a file of its own: with the motions, step and duration of a run, and absolute paths of files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from contactlib.model.spec import Spec


def standalone(scene: Mapping[str, Any], spec: Spec, folder: Path) -> dict[str, Any]:
    """Return the tables of a scene with the motions, steps, duration and integrator of a spec made from them.

    Files that the tables name are sought from `folder`; the result has their absolute paths.
    """
    motions = {body.name: body.motion for body in spec.rigid_bodies}
    limit = {"max_step_size": spec.max_step_size} if spec.max_step_size is not None else {}
    scene = {**scene, "scene": {**scene["scene"], "step_size": spec.step_size, **limit, "duration": spec.duration,
                                "integrator": spec.integrator}}
    for key in ("body", "object"):
        if key in scene:
            scene[key] = [_with_motion(row, row["name"], motions) for row in scene[key]]
    whole: dict[str, Any] = _with_files(scene, folder)
    return whole


def _with_motion(row: Mapping[str, Any], path: str, motions: Mapping[str, str]) -> dict[str, Any]:
    """Return a body or group with its motion of the run, and likewise its movable groups."""
    result = dict(row)
    if path in motions:
        result["motion"] = motions[path]
    if "group" in row:
        result["group"] = [_with_motion(group, f"{path}.{group['name']}", motions) for group in row["group"]]
    return result


def _with_files(tree: Any, folder: Path) -> Any:
    if isinstance(tree, Mapping):
        return {key: str((folder / value).resolve()) if key in ("file", "contacts") else _with_files(value, folder)
                for key, value in tree.items()}
    return [_with_files(element, folder) for element in tree] if isinstance(tree, list) else tree


def toml(tables: Mapping[str, Any]) -> str:
    """Write tables as the text of a TOML file.

    >>> print(toml({"a": 1, "body": [{"name": "x", "r": [0.5, 1e-20]}]}).strip())
    a = 1
    <BLANKLINE>
    [[body]]
    name = "x"
    r = [0.5, 1e-20]
    """
    return "\n".join(_lines(tables, ())) + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping) or _is_rows(value)}
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        name = ".".join(map(_key, (*path, key)))
        for row in [value] if isinstance(value, Mapping) else value:
            yield f"\n[{name}]" if isinstance(value, Mapping) else f"\n[[{name}]]"
            yield from _lines(row, (*path, key))


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)  # enough digits of a number to restore every bit
