"""Every shipped scene with a validation case: its closed-loop example measures what it should."""

import importlib
from pathlib import Path

import pytest

import contactlib
from contactlib.model import spec
from validation import expected

ROOT = Path(__file__).parents[2]

CASES = sorted(path.parent.name for path in (ROOT / "validation_data").glob("*/expected.csv"))


@pytest.mark.parametrize("case", CASES)
def test_the_example_meets_its_validation_case(case):
    measured = importlib.import_module(case).run()
    rows = expected(case)
    assert rows and {row.quantity for row in rows} == set(measured)
    for row in rows:
        assert measured[row.quantity] == pytest.approx(row.value, abs=row.tolerance), (row.quantity, row.reason)


def test_both_trampolines_of_the_asteroid_are_one():
    """The scene for dynamics elsewhere and the whole capture hold the same asteroid, bus and membrane."""
    alone, whole = contactlib.load("trampoline"), contactlib.load("trampoline_capture")
    for one, other in zip(alone.bodies, whole.bodies[:2], strict=True):
        assert (one.name, one.shapes, one.mass, one.inertia) == (other.name, other.shapes, other.mass, other.inertia)
        assert one.state == other.state
    assert alone.elements == whole.elements[:1]


@pytest.mark.parametrize("path", sorted(spec.SCENES.glob("*/scene.toml")), ids=lambda path: path.parent.name)
def test_a_shipped_scene_is_complete(path):
    name = path.parent.name
    assert contactlib.load(name).name == name
    text = (path.parent / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {name}\n") and f"contactlib run {name}" in text
    assert (ROOT / "examples" / f"{name}.py").exists()
    assert name in (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
