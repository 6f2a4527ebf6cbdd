"""A document of sections with sentences, lists and tables, as one self-contained HTML page or as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from contactlib.report.style import STYLE


@dataclass(frozen=True)
class Table:
    """A table: its heads, its rows of texts, and the numbers of its columns that hold numbers."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    sentences: Sequence[str]


#: a part of a section; a text is a paragraph
Part: TypeAlias = str | Table | Bullets


@dataclass(frozen=True)
class Section:
    """A section with a title."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Document:
    """A document: a title, parts before the first section, and sections."""

    title: str
    parts: Sequence[Part]
    sections: Sequence[Section]


def markdown(document: Document) -> str:
    """Return a document as Markdown.

    Examples
    --------
    >>> print(markdown(Document("Wheel", ["It rolls."], [Section("Mass", [Table(["m"], [["2 kg"]])])])))
    # Wheel
    <BLANKLINE>
    It rolls.
    <BLANKLINE>
    ## Mass
    <BLANKLINE>
    | m |
    |---|
    | 2 kg |
    <BLANKLINE>
    """
    blocks = [f"# {document.title}", *map(markdown_part, document.parts)]
    for section in document.sections:
        blocks += [f"## {section.title}", *map(markdown_part, section.parts)]
    return "\n\n".join(blocks) + "\n"


def markdown_part(part: Part) -> str:
    """Return a part of a document as Markdown."""
    if isinstance(part, str):
        return part
    if isinstance(part, Bullets):
        return "\n".join(f"- {sentence}" for sentence in part.sentences)
    line = "|" + "|".join("---:" if column in part.numbers else "---" for column in range(len(part.heads))) + "|"
    return "\n".join([_markdown_row(part.heads), line, *map(_markdown_row, part.rows)])


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def html(document: Document) -> str:
    """Return a document as an HTML page without links to anything outside.

    Examples
    --------
    >>> html(Document("Wheel", ["m < 3 kg"], [])).splitlines()[-2]
    '<p>m &lt; 3 kg</p></header>'
    """
    head = "\n".join(map(_html_part, document.parts))
    sections = "".join(f"\n<section><h2>{escape(section.title)}</h2>\n{''.join(map(_html_part, section.parts))}"
                       f"</section>" for section in document.sections)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(document.title)}</title>
<style>
{STYLE}</style></head><body><main>
<header><h1>{escape(document.title)}</h1>
{head}</header>{sections}
</main></body></html>
"""


def _html_part(part: Part) -> str:
    if isinstance(part, str):
        return f"<p>{_inline(part)}</p>"
    if isinstance(part, Bullets):
        return f"<ul>{''.join(f'<li>{_inline(sentence)}</li>' for sentence in part.sentences)}</ul>"
    rows = "".join(_html_row(part, row, "td") for row in part.rows)
    return f"<table>{_html_row(part, part.heads, 'th')}{rows}</table>"


def _inline(text: str) -> str:
    """Text for HTML, with `code` as in Markdown."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _html_row(table: Table, cells: Sequence[str], tag: str) -> str:
    inside = "".join(f"<{tag}{' class=n' if column in table.numbers else ''}>{_inline(cell)}</{tag}>"
                     for column, cell in enumerate(cells))
    return f"<tr>{inside}</tr>\n"
