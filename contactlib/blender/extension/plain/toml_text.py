"""Writes tables as the text of a TOML file: any tables that tomllib reads, with all digits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

#: most characters of a table or a list of numbers that is written in one line
WIDTH = 110
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(tables: Mapping[str, Any], comment: str = "") -> str:
    """Return the text of a file with these tables, below a comment.

    >>> print(toml_text({"scene": {"name": "a"}, "body": [{"name": "b", "shape": [{"kind": "point"}]}]}), end="")
    [scene]
    name = "a"
    <BLANKLINE>
    [[body]]
    name = "b"
    <BLANKLINE>
    [[body.shape]]
    kind = "point"
    """
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += _table(tables, "")
    return "\n".join(lines).strip("\n") + "\n"


def _table(table: Mapping[str, Any], path: str) -> list[str]:
    """Return the lines of a table: its own keys first, then its tables, then its lists of tables."""
    own = {key: value for key, value in table.items() if not _is_block(value, path)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in own.items()]
    for key, value in table.items():
        if key in own:
            continue
        inner = f"{path}.{_key(key)}" if path else _key(key)
        rows, brackets = (value, "[[{}]]") if isinstance(value, list) else ([value], "[{}]")
        for row in rows:
            lines += ["", brackets.format(inner), *_table(row, inner)]
    return lines


def _is_block(value: Any, path: str) -> bool:
    """Return whether a value is written as tables with headers: a table that is long or on top, a list of tables."""
    if isinstance(value, Mapping):
        return not path or len(_value(value)) > WIDTH
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    """Return a text in quotes; the escapes of JSON are also those of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return _list([_value(item) for item in value])
    if isinstance(value, bool):
        return "true" if value else "false"
    return _string(value) if isinstance(value, str) else repr(value)


def _list(items: list[str]) -> str:
    """Return a list in one line, or in lines of several items each."""
    text = "[" + ", ".join(items) + "]"
    if len(text) <= WIDTH:
        return text
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) > WIDTH - 4:
            lines.append(line)
            line = ""
        line += f" {item}," if line else f"    {item},"
    return "\n".join(["[", *lines, line, "]"])
