"""Writes the tables of a scene as the text of a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WIDTH = 118  # most characters in a line of the text


def toml_text(tables: Mapping[str, Any], comment: str = "") -> str:
    """Return the text of a file with these tables, below a comment; each table of a list within a table is one line.

    >>> print(toml_text({"scene": {"name": "a"}, "body": [{"name": "b", "mass": 1.0}]}, "made by hand"), end="")
    # made by hand
    <BLANKLINE>
    [scene]
    name = "a"
    <BLANKLINE>
    [[body]]
    name = "b"
    mass = 1.0
    """
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    for kind, rows in tables.items():
        many = isinstance(rows, list)
        for row in rows if many else [rows]:
            lines += ["", f"[[{kind}]]" if many else f"[{kind}]", *_lines(row, kind)]
    return "\n".join(lines) + "\n"


def _lines(row: Mapping[str, Any], path: str) -> list[str]:
    """Return the lines of a table; its groups follow as tables of their own."""
    lines = [_line(key, value) for key, value in row.items() if key != "group"]
    for group in row.get("group", []):
        lines += ["", f"[[{path}.group]]", *_lines(group, f"{path}.group")]
    return lines


def _line(key: str, value: Any) -> str:
    """Return a key with its value: one line, or one line per table of a list, or one per key of a wide table."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "\n".join([f"{key} = [", *(f"  {_value(row)}," for row in value), "]"])
    text = f"{key} = {_value(value)}"
    if isinstance(value, dict) and len(text) > WIDTH:
        return "\n".join(f"{key}.{name} = {_value(item)}" for name, item in value.items())
    return text


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)
