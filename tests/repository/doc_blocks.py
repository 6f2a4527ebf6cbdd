"""The code blocks, links and anchors of the Markdown pages of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("*.md", "docs/*.md", "docs/website/pages/*.md", "contactlib/scenes/*/README.md", "examples/**/*.md",
           "benchmarks/*.md", "validation_data/*/README.md", "fmu/**/*.md")
FENCE = re.compile(r"^(`{3,})([\w{}-]*)\s*$")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A code block: fenced with a language ('' for none), or indented ("indented")."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """All pages, as paths from the root."""
    found = {path.relative_to(ROOT).as_posix() for pattern in FOLDERS for path in ROOT.glob(pattern)}
    return sorted(found)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """The code blocks of a page, in their order."""
    return [block for block in _parts(page) if block.language != "prose"]


def prose(page: str) -> str:
    """The text of a page without its code blocks; line numbers are kept."""
    lines = text_of(page).split("\n")
    for block in blocks(page):
        for k in range(block.line - 1, block.line - 1 + block.text.count("\n") + 1):
            if k < len(lines):
                lines[k] = ""
    return "\n".join(lines)


def _parts(page: str) -> Iterator[Block]:
    lines = text_of(page).split("\n")
    k = 0
    while k < len(lines):
        fence = FENCE.match(lines[k])
        if fence:
            end = next((j for j in range(k + 1, len(lines)) if lines[j].rstrip() == fence[1]), len(lines))
            yield Block(page, k + 2, fence[2], "\n".join(lines[k + 1:end]))
            k = end + 1
        elif lines[k].startswith("    ") and _begins_block(lines, k):
            end = k
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            yield Block(page, k + 1, "indented", "\n".join(line[4:] for line in lines[k:end]))
            k = end
        else:
            k += 1


def _begins_block(lines: list[str], k: int) -> bool:
    """Whether an indented line begins a code block: after an empty line, and not within a list."""
    if k == 0 or lines[k - 1].strip():
        return False
    before = next((line for line in reversed(lines[:k]) if line.strip() and not line.startswith(" ")), "")
    return not re.match(r"([-*+]|\d+\.) ", before)


def links(page: str) -> list[tuple[str, str]]:
    """The links of a page that lead to files or headings: (path or '', anchor or '')."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    targets = [target for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)]
    return [(target.partition("#")[0], target.partition("#")[2]) for target in targets]


def anchors(page: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub and GitLab make them."""
    found: dict[str, int] = {}
    names = set()
    for line in prose(page).split("\n"):
        heading = re.match(r"#{1,6} (.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            number = found.get(slug, 0)
            found[slug] = number + 1
            names.add(f"{slug}-{number}" if number else slug)
    return names
