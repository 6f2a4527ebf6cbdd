"""Berthing rings: made from their parameters, guided from the corners of the envelope, at rest on their springs."""

import copy
import os
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

import cbm
import contactlib
from contactlib import berthing
from contactlib.berthing.mechanisms import bar_at
from contactlib.berthing.parameters import SCHEMA, parameters
from contactlib.cli.main import app
from contactlib.model.spec import SCENES
from tests.oracle.reference_potential import potential

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
    ("latch", "count", 0, "integer from 1"),
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


DIRECTIONS = [(0, 90, 1), (45, 45, -1), (90, 0, 1), (225, 180, -1)]  # deg, deg, side
SOAK = [(towards, about, side) for towards in range(0, 360, 45) for about in range(0, 360, 90) for side in (-1, 1)]


@pytest.mark.parametrize("corner", SOAK if "CONTACTLIB_SOAK" in os.environ else DIRECTIONS)
def test_guides_bring_every_corner_into_reach(corner):
    """All of the envelope's lateral offset, tilt and roll at once; the arm pushes with 200 N."""
    run = cbm.berth(cbm.corner(*corner), until=cbm.CAPTURING, patience=40.0, step=2e-3)
    assert run.ready < 40.0 and run.simulation.elements["berthing"].ready >= RING["control", "indicators_needed"]
    for _ in range(2000):  # the arm pushes on while the hooks set out
        if berthing.reach(RING, *run.simulation.states[:2]):
            break
        cbm.advance(run, cbm.an_arm(cbm.LIGHT), 2e-3)
    assert run.why == ""


@pytest.mark.parametrize(("start", "sentence"), [
    (cbm.start(lateral=0.12), "mm away, the latch reaches 114 mm"),
    (cbm.start(roll=np.radians(8.0)), "mm away, the latch reaches 114 mm"),
])
def test_outside_of_it_they_do_not_and_it_says_why(start, sentence):
    """The ring stands on the tips of the petals: too few indicators show, the control waits, the fittings are away."""
    run = cbm.berth(start, patience=16.0, step=2e-3)
    control = run.simulation.elements["berthing"]
    assert (control.phase, control.captured) == (cbm.WAITING, 0) and run.ready == np.inf
    assert control.ready < RING["control", "indicators_needed"]
    assert sentence in run.why and run.force.max() > 50.0


def frictionless(spec):
    return replace(spec, laws=tuple(replace(law, friction="none", friction_parameters=()) for law in spec.laws))


def paddle_lift(simulation):
    """Axial force (N) of the paddles on their strikers; each holds the torque of its spring about its pivot."""
    lift = 0.0
    for i in range(1, 5):
        body = simulation.model.body_names.index(f"paddle{i}")
        (contact,) = simulation.contacts[simulation.contacts["body_a"] == body]
        torque = np.linalg.norm(np.cross(contact["p_AC_W"], contact["f_B_W"]) + contact["t_B_W"])
        assert torque == pytest.approx(simulation.elements[f"indicator{i}"].load, rel=1e-6)
        lift += contact["f_B_W"][2]
    return lift


def hook_pull(angle, pivot, z):
    """Axial force (N) of a hook's bar on its fitting, by the brute force of the oracle: it overhangs the fitting."""
    middle, fitting, ring = bar_at(RING, angle), RING.part("fitting"), RING.part("ring")
    bar = ("capsule", {"radius": RING["latch", "bar_radius"], "length": RING["latch", "bar_length"]})
    block = ("box", {"size": (ring["face_inner"] - fitting["edge"], fitting["width"], fitting["height"])})
    at = fitting["edge"] - RING["latch", "pivot_offset"] - middle.imag, 0.0, pivot + middle.real
    under = (ring["face_inner"] + fitting["edge"]) / 2, 0.0, z + fitting["height"] / 2
    tangential = np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0
    found = potential(bar, block, (*at, *tangential), (*under, 1.0, 0.0, 0.0, 0.0), tolerance=1e-5)
    return -RING["contact", "hook"][0] * found.force[2]


def plunger_lift(z):
    """Axial force (N) of a plunger: its spring and its contact in series."""
    p, stiff = RING.part("plunger"), RING["contact", "paddle"][0]
    return (p["stiffness"] * (p["height"] - z) + p["preload"]) / (1.0 + p["stiffness"] / stiff)


def test_preloads_at_rest_are_the_static_balance():
    """Berthed and braked, without friction: hooks, seal, stand-offs, paddles and plungers, solved for the gap.

    1e-5: the tolerance of the oracle for the hooks. The motion has died out, and four_bar is exact to 1e-15.
    """
    run = cbm.berth(cbm.start(gap=0.12), change=frictionless, patience=30.0, step=2e-3)
    assert run.berthed < 30.0
    simulation = run.simulation
    simulation.apply("passive", (0.0, 0.0, 0.0))
    simulation.run(duration=8.0, dt=2e-3, every=1000)
    latches = [simulation.elements[f"latch{i}"] for i in range(1, 5)]
    assert [e.angle for e in latches] == pytest.approx([latches[0].angle] * 4, abs=1e-9)
    pivot = next(e.position[2] for e in contactlib.load("cbm").elements if e.name == "latch1")
    depths, line = [0.0, *RING["seal", "depths"]], [0.0, *RING["seal", "line_forces"]]
    length = 2.0 * np.pi * RING["seal", "radius"]
    paddles = paddle_lift(simulation)

    def seal(z):
        return length * np.interp(RING["seal", "proud"] - z, depths, line)

    def standoffs(z):
        return len(RING["standoff", "angles"]) * RING["standoff", "stiffness"] * (RING["standoff", "stroke"] - z)

    def hooks(z):
        return 4.0 * hook_pull(latches[0].angle, pivot, z)

    def balance(z):
        return seal(z) + standoffs(z) + paddles + 4.0 * plunger_lift(z) - hooks(z)

    gap = brentq(balance, 1.5e-3, 2e-3, xtol=1e-10)
    assert simulation.states[1, 2] == pytest.approx(gap, rel=1e-5)
    assert simulation.elements["seal_load"].load == pytest.approx(seal(gap), rel=1e-5)
    assert sum(e.force for e in latches) == pytest.approx(hooks(gap), rel=1e-5)
    names = [law.name for law in contactlib.load("cbm").laws]
    heads = simulation.contacts[simulation.contacts["law"] == names.index("standoff_metal")]
    assert len(heads) == 8
    assert np.abs(heads["f_B_W"][:, 2]).sum() == pytest.approx(standoffs(gap), rel=1e-5)


def test_latches_draw_the_rings_together():
    """From a corner of the envelope, 100 t: guided, hooked and drawn home onto pins, seal and stand-offs."""
    run = cbm.berth(cbm.corner(45.0, 60.0), cbm.HEAVY, step=2e-3)
    assert run.ready < run.berthed < 45.0
    x, y, z = run.states[-1, :3]
    assert RING["latch", "closed_gap"] < z < 3e-3
    assert np.hypot(x, y) < 2e-3  # what pins in sockets leave: 0.5 mm of clearance, and what they give way


@pytest.mark.parametrize(("what", "phase", "flags", "failed"), [
    ("one latch dead", cbm.FAULT, "late", [0, 1, 0, 0]),
    ("one latch jammed", cbm.FAULT, "stalled", [0, 0, 1, 0]),
    ("one indicator blind", cbm.BERTHED, "", [0, 0, 0, 0]),
    ("two indicators blind", cbm.WAITING, "", [0, 0, 0, 0]),
])
def test_off_nominal(what, phase, flags, failed):
    """Four latches and three indicators are needed."""
    run = cbm.berth(cbm.start(gap=0.12), change=cbm.OFF_NOMINAL[what], patience=26.0, step=2e-3)
    control = run.simulation.elements["berthing"]
    assert (control.phase, run.flags, list(control.failed)) == (phase, flags, failed)


def test_latches_that_were_closed_too_early_are_no_berthing():
    """Cranks are where they should be and paddles show, but hooks stand in the way: the ring springs off them."""
    run = cbm.closed_too_early()
    control = run.simulation.elements["berthing"]
    assert control.seated == 0 and run.ready == np.inf and run.states[:, 2].min() > 0.03
    assert (control.phase, run.flags) == (cbm.FAULT, "missed")


def test_further_tables_are_copied():
    given = copy.deepcopy(GIVEN)
    given["append"] = {"thruster": [{"name": "jet", "body": "passive", "direction": [0, 0, 1], "force": 10.0}]}
    scene = berthing.ring_scene(parameters(given))
    assert contactlib.Spec.from_dict(scene).elements[-1].name == "jet"
    given["append"] = {"thruster": 1}
    with pytest.raises(ValueError, match=r"append.thruster = 1: must be an array of tables"):
        parameters(given)


def test_the_command_writes_the_scene(tmp_path):
    runner, file = CliRunner(), tmp_path / "ring.toml"
    result = runner.invoke(app, ["ring", str(FOLDER / "parameters.toml"), "-o", str(file)])
    assert result.exit_code == 0 and "parameters are assumed" in result.output
    assert file.read_text(encoding="utf-8") == (FOLDER / "scene.toml").read_text(encoding="utf-8")
    file.write_text("[ring]\n", encoding="utf-8")
    result = runner.invoke(app, ["ring", str(file)])
    assert result.exit_code == 1 and "scene.name is missing" in result.output
