"""What `contactlib show` prints of surface contacts, against the forces and warnings of runs."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.report.surface_summary import DEPTH, MOST_ROWS, summary, surface_rows
from tests.support.scenes import body, law, scene

SIDE = 0.1
CUBE = {"name": "cube", "kind": "box", "material": "a", "size": [SIDE] * 3}
GROUND = {"name": "top", "kind": "plane", "material": "b"}
ON_FACE, ON_EDGE = Rotation.identity(), Rotation.from_rotvec([np.pi / 4, 0, 0])
ON_CORNER = Rotation.align_vectors([[0, 0, -1]], [np.ones(3) / 3**0.5])[0]
LINE = {"kind": "kelvin_voigt", "stiffness": 3e5, "damping": 20.0}
LAWS = {
    "line": (LINE, 4), "line, p = 2": (LINE, 2), "line, p = 3": (LINE, 3), "line, p = 16": (LINE, 16),
    "power": ({"kind": "hunt_crossley", "stiffness": 1e8, "exponent": 1.5, "damping": 0.5}, 4),
    "curve": ({"kind": "curve", "depth": [2e-5, 2e-4], "force": [3.0, 90.0], "damping": 0.0}, 8),
    "foundation": ({"kind": "elastic_foundation", "modulus": 2e9, "damping": 0.5}, 2),
}


def spec_of(shape, normal, sharpness=4, motion="external", **options):
    parts = [body("one", motion, [shape], mass=2.0, inertia=[0.01] * 3, state={"r": [0, 0, 1.0]}),
             body("ground", "fixed", [GROUND])]
    touch = {**law("touch", ["a", "b"], normal), "sharpness": sharpness}
    return scene(parts, [touch], [["one", "ground"]], **options)


def only_row(spec):
    (row,) = surface_rows(spec, spec.compile())
    return row


def stiffness(spec, rotation, height):
    """N/m: force over depth of a body whose lowest place is 0.1 mm deep."""
    simulation = contactlib.Simulation(spec.compile())
    pose = {"r": [0, 0, height - DEPTH], "q": rotation.as_quat()[[3, 0, 1, 2]]}
    return simulation.compute({"one": pose}).wrench("one")[2] / DEPTH


@pytest.mark.parametrize("name", LAWS)
def test_face_edge_and_corner_are_those_of_a_cube(name):
    """Of a face but for its walls, of an edge but for its end faces: parts of some d/size of the force."""
    spec = spec_of(CUBE, *LAWS[name])
    row = only_row(spec)
    assert (row.shapes, row.law, row.length) == ("one.cube on ground.top", "touch", SIDE)
    assert row.area == pytest.approx(SIDE**2, rel=1e-12)
    assert row.face == pytest.approx(stiffness(spec, ON_FACE, SIDE / 2), rel=4e-3)
    assert row.edge == pytest.approx(stiffness(spec, ON_EDGE, SIDE * 0.5**0.5), rel=4e-3)
    assert row.corner == pytest.approx(stiffness(spec, ON_CORNER, SIDE * 0.75**0.5), rel=1e-9)
    if "line" in name:
        assert row.face == pytest.approx(3e5, rel=1e-12)


@pytest.mark.parametrize("thickness", [0.02, 0.2])
@pytest.mark.parametrize("name", ["line", "line, p = 2", "line, p = 16"])
def test_edge_and_corner_are_those_of_a_cube_on_a_plate(name, thickness):
    """A thicker plate has the field, on a thinner one the cube."""
    plate = {"name": "plate", "kind": "box", "material": "b", "size": [1.0, 1.0, thickness],
             "r": [0, 0, -thickness / 2]}
    parts = [body("one", "external", [CUBE]), body("ground", "fixed", [plate])]
    normal, sharpness = LAWS[name]
    touch = {**law("touch", ["a", "b"], normal), "sharpness": sharpness}
    spec = scene(parts, [touch], [["one", "ground"]])
    row = only_row(spec)
    assert (row.sharpness, row.length) == (sharpness, SIDE)
    assert row.edge == pytest.approx(stiffness(spec, ON_EDGE, SIDE * 0.5**0.5), rel=4e-3)
    assert row.corner == pytest.approx(stiffness(spec, ON_CORNER, SIDE * 0.75**0.5), rel=1e-9)


@pytest.mark.parametrize("name", ["line", "foundation"])
def test_a_round_solid_has_the_stiffness_of_its_line(name):
    rod = {"name": "rod", "kind": "capsule", "material": "a", "radius": 0.05, "length": 0.2}
    spec = spec_of(rod, *LAWS[name])
    row = only_row(spec)
    assert row.area is row.edge is row.corner is None
    assert row.face == pytest.approx(stiffness(spec, Rotation.from_rotvec([0, np.pi / 2, 0]), 0.05), rel=6e-3)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("name", ["line", "power", "foundation"])
def test_a_longer_step_is_told(name, integrator):
    """A cube that rests at a depth of 0.1 mm: at 0.97 times the step nothing is said, at 1.03 times it is."""
    resting = spec_of(CUBE, *LAWS[name])
    row, weight = only_row(resting), stiffness(resting, ON_FACE, SIDE / 2) * DEPTH
    row = only_row(spec_of(CUBE, *LAWS[name], motion="free", integrator=integrator))
    for part, told in ((0.97, False), (1.03, True)):
        parts = [body("one", "free", [CUBE], mass=2.0, inertia=[0.01] * 3, state={"r": [0, 0, SIDE / 2 - DEPTH]}),
                 body("ground", "fixed", [GROUND])]
        touch = {**law("touch", ["a", "b"], LAWS[name][0]), "sharpness": LAWS[name][1]}
        simulation = contactlib.Simulation(scene(
            parts, [touch], [["one", "ground"]], integrator=integrator, step_size=part * row.step,
            gravity=[0, 0, -weight / 2.0]).compile())
        simulation.step(part * row.step)
        assert len(simulation.contacts) == 1
        assert any("longer than the contact" in sentence for sentence in simulation.warnings) == told, part


def test_two_free_bodies_have_their_reduced_mass():
    """m/2 of two equal masses: a step that is 2^(1/2) times shorter than on the ground."""
    elastic = {**LINE, "damping": 0.0}
    on_ground = only_row(spec_of(CUBE, elastic, motion="free")).step
    assert on_ground == pytest.approx(2 / np.sqrt(3e5 / 2.0), rel=1e-6)
    parts = [body(name, "free", [{**CUBE, "material": name}], mass=2.0, inertia=[0.01] * 3) for name in "ab"]
    both = only_row(scene(parts, [law("touch", ["a", "b"], elastic)], [["a", "b"]]))
    assert both.step == pytest.approx(on_ground / np.sqrt(2), rel=1e-6)
    nobody = spec_of(CUBE, elastic, motion="fixed")
    assert only_row(nobody).step is None


def test_points_have_no_row_and_shapes_that_are_alike_one():
    """Of 30 cubes by a rule and a ball on the ground: one row on the ground, one among each other.

    A rounded box has more, with both.
    """
    cubes = [body(f"cube{i}", "free", [CUBE], mass=1.0, inertia=[0.01] * 3) for i in range(30)]
    ball = {"name": "ball", "kind": "sphere", "material": "a", "radius": 0.1}
    others = [body("ball", "free", [ball], mass=1.0, inertia=[0.01] * 3),
              body("round", "free", [{**CUBE, "rounding": 0.01}], mass=1.0, inertia=[0.01] * 3)]
    laws = [law("touch", ["a", "b"], LINE), law("alike", ["a", "a"], LINE)]
    spec = scene([*cubes, *others, body("ground", "fixed", [GROUND])], laws, [["*", "*"]])
    assert [(row.shapes, row.law) for row in surface_rows(spec, spec.compile())] == [
        ("cube0.cube on cube1.cube", "alike"), ("cube0.cube on round.cube", "alike"),
        ("cube0.cube on ground.top", "touch"), ("round.cube on ground.top", "touch")]
    assert summary(scene(others[:1], [], []), scene(others[:1], [], []).compile()) == []


def test_many_different_shapes_keep_to_a_screen():
    shapes = [{**CUBE, "name": f"s{i}", "size": [0.1, 0.1 + 0.01 * i, 0.1]} for i in range(MOST_ROWS + 7)]
    spec = scene([body("one", "external", shapes), body("ground", "fixed", [GROUND])],
                 [law("touch", ["a", "b"], LINE)], [["one", "ground"]])
    lines = summary(spec, spec.compile())
    assert len(lines) == MOST_ROWS + 6 and lines[-4] == "  and 7 more"


def test_show_prints_the_table():
    text = CliRunner().invoke(app, ["show", "worksite"]).output
    (line,) = [line for line in text.splitlines() if line.startswith("  module.case on slot.wall_left")]
    assert line.split()[6:11] == ["case_slot", "16", "0.03", "1e+06", "1.71e+05"]
    assert "surface contacts: force/depth at a depth of 0.1 mm, N/m" in text
