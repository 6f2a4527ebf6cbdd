"""Berthing rings: made from their parameters, guided from the corners of the envelope, at rest on their springs."""

import copy
import importlib
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib import berthing
from contactlib.berthing.parameters import SCHEMA, parameters
from contactlib.spec import SCENES

sys.path.append(str(Path(__file__).parent.parent / "examples"))
cbm = importlib.import_module("cbm")

FOLDER = SCENES / "cbm"
GIVEN = tomllib.loads((FOLDER / "parameters.toml").read_text(encoding="utf-8"))
RING = berthing.read_parameters(FOLDER / "parameters.toml")


def test_the_scene_is_what_its_parameters_make():
    assert (FOLDER / "scene.toml").read_text(encoding="utf-8") == berthing.scene_text(RING)
    assert tomllib.loads(berthing.scene_text(RING)) == berthing.ring_scene(RING)


def test_every_parameter_says_where_it_is_from():
    for part, name, _, _, source in RING.rows():
        assert source, f"{part}.{name}"
    assert {part for part, *_ in RING.rows()} == set(SCHEMA)


def test_it_is_as_large_as_it_should_be():
    spec = contactlib.load("cbm")
    assert sum(len(body.shapes) for body in spec.rigid_bodies) >= 1500
    assert [element.name for element in spec.elements] == [
        *(f"{kind}{i}" for kind in ("latch", "indicator", "plunger") for i in range(1, 5)), "berthing", "seal_load"]


def changed(part, name, value):
    given = copy.deepcopy(GIVEN)
    given[part][name]["value"] = value
    return given


def test_another_ring_is_another_file():
    """A ring of three latches and 1.2 m, its parts drawn in by 0.3 m."""
    given = changed("latch", "count", 3)
    given["control"]["latches_needed"]["value"] = 3
    for part, names in {"ring": ("outer_radius", "face_inner", "face_outer"), "standoff": ("radius",),
                        "seal": ("radius",), "pin": ("circle",), "fitting": ("edge",), "indicator": ("pivot_radius",),
                        "plunger": ("circle",)}.items():
        for name in names:
            given[part][name]["value"] -= 0.3
    spec = contactlib.Spec.from_dict(berthing.ring_scene(parameters(given)))
    assert sum(element.kind == "latch" for element in spec.elements) == 3
    simulation = contactlib.Simulation(spec.compile())
    assert len(simulation.contacts) == 0


@pytest.mark.parametrize(("part", "name", "value", "sentence"), [
    ("ring", "outer_radius", -1.0, r"ring.outer_radius.value = -1.0: must be a finite number greater than 0"),
    ("ring", "face_outer", 0.95, "must grow in this order"),
    ("seal", "depths", [0.001], "must have the same number of values"),
    ("guide", "heights", [0.0, 0.04, 0.03, 0.11, 0.1325, 0.155, 0.175], "guide.heights = .*must grow"),
    ("latch", "count", 0, "whole number from 1"),
])
def test_parameters_that_cannot_be_are_refused(part, name, value, sentence):
    with pytest.raises(ValueError, match=sentence):
        parameters(changed(part, name, value))


def test_a_file_says_what_it_lacks():
    given = copy.deepcopy(GIVEN)
    del given["seal"]["radius"]["source"]
    with pytest.raises(ValueError, match=r"seal.radius.source is missing"):
        parameters(given)
    del given["seal"]["radius"]
    with pytest.raises(ValueError, match=r"seal.radius is missing"):
        parameters(given)
    given = copy.deepcopy(GIVEN)
    given["seal"]["radius"]["unit"] = "mm"
    with pytest.raises(ValueError, match=r"seal.radius.unit = 'mm': must be one of m"):
        parameters(given)
    given = copy.deepcopy(GIVEN)
    given["seal"]["radios"] = given["seal"].pop("radius")
    with pytest.raises(ValueError, match=r"seal.radius is missing"):
        parameters(given)


def test_latches_draw_the_rings_together():
    """From 85 mm, centred and free: hooks over the fittings, home, and held at the dead point."""
    run = cbm.berth(cbm.start(gap=0.13))
    assert run.ready < run.berthed < 40.0
    z = run.states[-1, 2]
    assert RING["latch", "closed_gap"] < z < 1.6e-3
    assert np.hypot(*run.states[-1, :2]) < 1e-5
