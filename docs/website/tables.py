"""Markdown tables and links of generated pages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, or "None." if it has no rows."""
    lines = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    if not lines:
        return "None.\n"
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *lines]) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def moved_links(text: str, old: str, new: str) -> str:
    """The text of the page `old` with its relative links as they must be on the page `new`; both from the root."""

    def link(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        path = PurePosixPath(os.path.normpath(PurePosixPath(old).parent / target))
        return f"]({os.path.relpath(path, PurePosixPath(new).parent)}{anchor})"

    return re.sub(r"\]\(((?![a-z]+:)[^)#\s]+)(#[^)]*)?\)", link, text)
