"""A reader finds for each measured figure of README and docs the command that measures it.

A table or a paragraph with a measured time, ratio, error or share names its command: in its own section (from one
heading to the next), or there in a comment `<!-- figures: make bench -->`. Each command that a page names exists.
"""

import re

import pytest

from contactlib.cli.main import app
from tests.repository.doc_blocks import ROOT, pages, prose, text_of

PAGES = ["README.md", *(page for page in pages() if re.fullmatch(r"docs/\w+\.md", page))]
CLI = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
CLI |= {group.name for group in app.registered_groups}
MAKE = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
#: `make bench`, `python -m benchmarks.lee`, `python -m docs.draw_view`, `tests/core/test_energy.py`,
#: `contactlib validate ...`, a validation case
COMMAND = re.compile(
    r"`(?:make (?P<make>[a-z]+)|python -m (?P<module>(?:benchmarks|docs|tests)\.[\w.]+)|python (?P<script>[\w/.]+\.py)"
    r"|(?P<file>(?:tests|benchmarks|examples|validation_data)/[\w/.]*\w)/?(?:::\w+)?`|contactlib (?P<cli>[a-z]+))"
    r"|<!-- figures: (?P<comment>[^>]*) -->")
#: words of a measurement, and a number with a unit of time, length, force, energy or a share
MEASURED = re.compile(r"\b(measured(?! along| with one)|took|takes? \d|costs? \d|lost \d|loses? \d|gains? \d)")
NUMBER = re.compile(r"\d[\d.,]*(?:e-?\d+)?\s?(?:%|ns|us|µs|ms|s|um|µm|mm|m|N|J|times|rad|degrees)\b|\d(?:\.\d+)?e-\d+")


def sections(page: str) -> list[list[str]]:
    """The paragraphs of each section of a page."""
    parts = re.split(r"^#{1,6} .*$", prose(page), flags=re.MULTILINE)
    return [[text for text in re.split(r"\n\s*\n", part) if text.strip()] for part in parts]


def without_command(page: str) -> list[str]:
    """The paragraphs with measured figures in whose section no command is named."""
    found = []
    for section in sections(page):
        if not any(COMMAND.search(text) for text in section):
            found += [text for text in section if MEASURED.search(text) and NUMBER.search(text)]
    return found


def exists(found: re.Match[str]) -> bool:
    """Whether the target, the module or the file of a command exists."""
    if found["make"]:
        return found["make"] in MAKE
    if found["module"]:
        path = ROOT / found["module"].replace(".", "/")
        return path.with_suffix(".py").is_file() or path.is_dir()
    if found["script"] or found["file"]:
        name = found["script"] or found["file"]
        return name == "examples/NAME.py" or (ROOT / name).exists()  # NAME stands for the name of a scene
    if found["comment"]:
        return all(_comment_exists(name.strip()) for name in found["comment"].split(","))
    return found["cli"] in CLI


def _comment_exists(name: str) -> bool:
    """A benchmark, `make TARGET`, or the path of a test."""
    target = re.fullmatch(r"make ([a-z]+)", name)
    if target:
        return target[1] in MAKE
    return (ROOT / "benchmarks" / f"{name}.py").is_file() or (ROOT / name).exists()


@pytest.mark.parametrize("page", PAGES)
def test_commands_exist(page: str):
    text = text_of(page)
    missing = [found[0] for found in COMMAND.finditer(text) if not exists(found)]
    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_figures_have_a_command(page: str):
    assert without_command(page) == []


def test_figures_without_a_command_are_seen(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.repository.doc_blocks.ROOT", tmp_path)
    text = "# A\n\nA step took 3 us.\n\n# B\n\n`make bench`: a step took 3 us.\n\n# C\n\nIt is measured along x.\n"
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert [found.strip() for found in without_command("page.md")] == ["A step took 3 us."]
