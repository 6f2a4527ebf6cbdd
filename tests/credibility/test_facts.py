"""What credibility.toml says: every number of every shipped scene has one pedigree, and mistakes are named."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from contactlib.berthing import read_parameters
from contactlib.credibility import read_facts
from contactlib.credibility.definition import PEDIGREES, SOURCED
from contactlib.credibility.inputs import matches, scene_inputs
from contactlib.credibility.units import unit_of
from contactlib.model.spec import SCENES

NAMES = sorted(path.parent.name for path in SCENES.glob("*/scene.toml"))


def count_numbers(value: Any) -> int:
    """All numbers of the tables of a file, by another way than the library: through the text of its values."""
    if isinstance(value, dict):
        return sum(map(count_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(count_numbers, value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(SCENES / "tripod", tmp_path / "tripod")
    return tmp_path / "tripod"


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_shipped_scene_has_exactly_one_pedigree(name):
    """`read_facts` refuses all else; here the numbers are counted again, so that none is overlooked."""
    facts = read_facts(name)
    if facts.parameters is None:
        files = [path for path in (SCENES / name).glob("*.toml") if path.name != "credibility.toml"]
        expected = sum(count_numbers(tomllib.loads(path.read_text(encoding="utf-8"))) for path in files)
        assert sum(given.numbers for given in facts.inputs) == expected
    assert facts.name == name and [given.path for given in facts.inputs if not given.unit] == []
    used = {facts.pedigree(given).source for given in facts.inputs} - {""}
    said = " ".join([*(each.text for each in facts.pedigrees), *facts.limits, *facts.not_validated])
    assert all(key in used or re.search(rf"\b{key}\b", said) for key in facts.sources), "a source that nothing names"


@pytest.mark.parametrize("name", NAMES)
def test_a_sheet_has_use_limits_ranges_and_quantities(name):
    facts = read_facts(name)
    assert facts.use and facts.not_for and facts.limits and facts.not_validated
    assert len(facts.metrics) >= 3 and len(facts.draws) >= 3 and all(facts.reasons.values())


def test_the_scene_of_the_berthing_mechanism_has_five_numbers_that_are_not_assumed():
    """Of 141 parameters, as its file says: four are published, and one is chosen for speed."""
    facts = read_facts("cbm")
    kinds = [facts.pedigree(given).kind for given in facts.inputs]
    rows = [row for row in read_parameters(SCENES / "cbm" / "parameters.toml").rows() if not isinstance(row[2], str)]
    assert len(kinds) == len(rows) == 141
    assert kinds.count("assumed") == sum(row[4].startswith("assumed") for row in rows) == 136
    assert (kinds.count("published"), kinds.count("chosen")) == (4, 1)


def test_files_of_objects_count_once():
    """Both rings of the scene are one file."""
    paths = [given.path for given in scene_inputs(SCENES / "docking_ring" / "scene.toml")]
    assert len(paths) == len(set(paths)) and sum(path == "ring.toml:object.mass" for path in paths) == 1


@pytest.mark.parametrize(("pattern", "path", "fits"), [
    ("body.*.mass", "body.rock.mass", True), ("body.*.mass", "body.rock.arm.mass", False),
    ("law.**", "law.a.normal.stiffness", True), ("law.*.mu_{static,kinetic}", "law.a.mu_static", True),
    ("scene.gravity", "scene.gravity[3]", False), ("a.b", "axb", False), ("pair[1].x", "pair[1].x", True)])
def test_patterns(pattern, path, fits):
    assert matches(pattern, path) is fits


@pytest.mark.parametrize(("path", "unit"), [
    ("scene.gravity", "m/s2"), ("body.a.shape.b.radius", "m"), ("law.a.normal.stiffness", "N/m"),
    ("law.a.friction.mu_static", "1"), ("tether.line.stiffness", "N/m"), ("hinge.left.drive_limit", "N m"),
    ("snare.snare.ring.friction", "N m"), ("snare.snare.carriage.friction", "N"), ("snare.snare.friction", "1"),
    ("snare.snare.control.close_voltage", "V"), ("membrane.net.stiffness", "N/m3"), ("thruster.engine.force", "N"),
    ("x.toml:object.mass", "kg"), ("something.else", "")])
def test_units(path, unit):
    assert unit_of(path) == unit


def test_a_membrane_in_a_plane_has_other_units():
    found = {given.path: given.unit for given in scene_inputs(SCENES / "trampoline_2d" / "scene.toml")}
    assert found["membrane.band.stiffness"] == "N/m"


def test_pedigrees_with_a_source_name_it():
    for name in NAMES:
        for each in read_facts(name).pedigrees:
            assert each.kind in PEDIGREES and bool(each.source) == (each.kind in SOURCED), (name, each)


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"body.tripod.state.r" = "chosen"\n', "", "pedigree: body.tripod.state.r of the scene has no entry: each input "
                                               "needs exactly one"),
    ('"body.tripod.state.r"', '"body.tripod.{state.r,mass}"', "body.tripod.mass of the scene has 2 entries"),
    ('"body.tripod.state.r" = "chosen"', '"body.tripod.state.r" = "chosen"\n"body.tripod.spin" = "assumed"',
     'pedigree."body.tripod.spin" fits no input of the scene'),
    ('state.r" = "chosen"', 'state.r" = "guessed"', "must begin with one of measured, published"),
    ('state.r" = "chosen"', 'state.r" = "published: S9, page 3"', "must name a source of [source] after 'published:'"),
    ("reason = ", "cause = ", "reason is missing"),
    ("why = ", "because = ", "why is missing"),
    ("use = ", "usage = ", "use is missing"),
])
def test_mistakes_are_named(copied, old, new, message):
    file = copied / "credibility.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_facts(copied)
    assert str(file) in str(error.value)


def test_a_scene_without_facts_is_an_error_of_its_file(copied):
    (copied / "credibility.toml").unlink()
    with pytest.raises(OSError, match=r"credibility\.toml"):
        read_facts(copied)


def test_a_number_that_is_new_in_the_scene_needs_a_pedigree(copied):
    scene = copied / "scene.toml"
    scene.write_text(scene.read_text(encoding="utf-8") + "\n[[thruster]]\nname = \"jet\"\nbody = \"tripod\"\n"
                     "direction = [1.0, 0.0, 0.0]\nforce = 1.0\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"thruster\.jet\.direction of the scene has no entry"):
        read_facts(copied)
