"""CONTRIBUTING.md says what is so: its files, the names in them, and its commands exist."""

import re
import subprocess
from pathlib import Path

import pytest

import contactlib
from contactlib._core import engine
from contactlib.elements import ELEMENTS
from contactlib.fmu.build import core_sources
from contactlib.shapes.shapes import SHAPES

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
QUOTED = set(re.findall(r"`([^`]+)`", PAGE))
FILES = {name for name in QUOTED if "/" in name or name.endswith(".md")} - {".venv/"}
NAMES = re.findall(r"`([\w>: ]+)` in `([^`]+)`", PAGE)


@pytest.mark.parametrize("file", sorted(FILES))
def test_files(file):
    assert (ROOT / file).exists()
    assert (ROOT / file).is_dir() is file.endswith("/")


@pytest.mark.parametrize(("name", "file"), NAMES)
def test_names(name, file):
    assert re.search(rf"\b{re.escape(name)}\b", (ROOT / file).read_text(encoding="utf-8"))


def test_there_is_something_to_check():
    assert len(FILES) > 25 and len(NAMES) > 12
    for title in ("A pair of shapes", "A law", "An element", "A shape"):
        assert f"## {title} " in PAGE


@pytest.mark.parametrize("command", sorted(name for name in QUOTED if name.startswith("make ")))
def test_commands(command):
    assert subprocess.run([*command.split(), "--dry-run"], cwd=ROOT, capture_output=True).returncode == 0


def test_a_law_needs_no_more_than_its_row():
    """Readers of scenes and the FMU's variables know a law by its row alone: no other file names one."""
    tables = engine.law_tables()
    rows = [row[0] for part in tables for row in tables[part] if row[0] not in ("none", *tables, "curve")]
    for path in (*(ROOT / "contactlib").glob("*.py"), *(ROOT / "fmu").glob("*.[pc]*")):
        text = re.sub(">>> .*", "", path.read_text(encoding="utf-8"))  # examples may
        assert not [row for row in rows if re.search(rf'["\']{row}["\']', text)], path


@pytest.mark.parametrize("part", ["adhesion", "rolling", "model"])
def test_the_first_row_is_no_law(part):
    """The core passes over row 0 of these tables (no_law in core/law/laws.hpp) and never calls it."""
    assert engine.law_tables()[part][0] == ("none", ())


def _outside(*rooms):
    """The core's files in all rooms but these."""
    core = ROOT / "contactlib" / "core"
    return [path for path in core.rglob("*.[ch]pp") if path.relative_to(core).parts[0] not in rooms]


def test_a_pair_is_one_cell():
    """No file of the core but the table and the pair's own names its function."""
    core = ROOT / "contactlib" / "core"
    text = (core / "geometry" / "pairs.cpp").read_text(encoding="utf-8")
    kernels = set(re.findall(r"\b(?:one|two|few|any|follow)\((\w+)", text)) - {"Kernel"}
    assert len(kernels) > 20
    for path in _outside("geometry", "bounding"):
        words = set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
        assert words.isdisjoint(kernels), path


def test_an_element_is_two_files():
    """Only its file in core/element/ and its module in elements/ name a kind; a new kind changes no other source."""
    kinds = {kind for kind, *_ in engine.element_table()} | set(ELEMENTS)
    quoted = re.compile(rf'["\'](?:{"|".join(sorted(kinds))})["\']')
    library = [*_outside("element"), *(ROOT / "contactlib").rglob("*.py"), *(ROOT / "fmu").glob("*.[pc]*"),
               *(ROOT / "contactlib" / "_core").glob("*.p*")]
    # one system writes its own tables
    system = ("contactlib/elements/", "contactlib/berthing/", "contactlib/_core/control.pyx")
    for path in library:
        if not path.relative_to(ROOT).as_posix().startswith(system):
            assert not quoted.search(path.read_text(encoding="utf-8")), path
    naming = {path.name for path in library if "tether" in path.read_text(encoding="utf-8").lower()}
    assert naming == {"tether.py", "__init__.py"}  # the package's docstring gives it as an example


def test_every_shape_of_the_core_has_its_class():
    assert tuple(SHAPES) == engine.shape_kinds()
    assert all(getattr(contactlib, kind.__name__) is kind for kind in SHAPES.values())


def test_every_source_of_the_core_is_built():
    core = ROOT / "contactlib" / "core"
    assert set(core_sources(core)) == set(core.rglob("*.cpp"))
