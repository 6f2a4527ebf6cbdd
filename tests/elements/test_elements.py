"""The element table: its contract, by an element of the tests' own, and what a scene and a simulation make of it."""

import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from contactlib.elements import ELEMENTS
from contactlib.fmu.build import default_core, eigen_include, find_compiler
from contactlib.report.scene_summary import describe
from tests.support.scenes import body, caught_box, net, scene

CORE = default_core()


def test_contract(sanitized_core):
    """States, driven bodies, commands with rates, energies, roll-back, failures, no allocation: element_probe.cpp."""
    program = sanitized_core.program(Path(__file__).with_name("element_probe.cpp"))
    result = subprocess.run([program], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == "done\n"


def test_every_row_says_what_its_variables_are():
    for name, parameters, commands, outputs in engine.element_table():
        rows = [row for row, _ in (*parameters, *commands, *outputs)]
        names = [row[0] for row in rows]
        assert len(set(names)) == len(names), name
        assert all(unit and meaning for _, unit, _, _, meaning in rows)
        own = {"stored_energy", "dissipated_energy", "supplied_energy", "set"}
        assert own.isdisjoint(names), f"{name}: every element has these, or its view in Python does"


def test_every_kind_has_its_rows():
    rows = {row for row, *_ in engine.element_table()}
    assert all(kind == of.kind for kind, of in ELEMENTS.items())
    assert {"membrane", "membrane_2d"} <= rows


@pytest.mark.parametrize(("old", "new"), [
    ("", ""),
    ('  {damping,   {"damping"', '  {stiffness, {"damping"'),
    ('  {length,    {"length"', '  // {length,    {"length"'),
    ('enum Output : int { tension, distance', 'enum Output : int { distance, tension'),
], ids=["as it is", "another enumerator", "one left out", "swapped in the enum"])
def test_a_table_that_differs_from_its_enum_does_not_compile(tmp_path, old, new):
    text = (CORE / "element" / "tether.cpp").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "tether.cpp").write_text(text.replace(old, new, 1).replace('"elements.hpp"', '"element/elements.hpp"'))
    command = [*find_compiler(), "-std=c++17", "-DEIGEN_DONT_VECTORIZE", "-fsyntax-only", f"-I{CORE}",
               f"-I{eigen_include()}", "tether.cpp"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode == 0) is (old == "")
    assert old == "" or "table_does_not_match_its_enum" in result.stderr


# ---- in a scene ----------------------------------------------------------------------------------


def test_variables():
    table = {v.name: v for v in caught_box().compile().variables}
    reel = [table[f"net.reel[{k}]"] for k in range(1, 7)]
    assert all((v.causality, v.unit, v.start, v.minimum) == ("input", "m", 0.0, 0.0) for v in reel)
    assert [(table[f"net.{x}"].unit, table[f"net.{x}"].start) for x in ("stiffness", "damping", "friction")] == [
        ("N/m^3", 300.0), ("N.s/m^3", 15.0), ("1", 0.3)]
    assert all(table[f"net.{x}"].tunable for x in ("stiffness", "damping", "rest_area", "friction", "slip_speed"))
    assert (table["net.area"].causality, table["net.touching"].type) == ("output", "integer")
    energies = [table[f"net.{x}_energy"] for x in ("stored", "dissipated", "supplied")]
    assert all((v.causality, v.unit) == ("output", "J") for v in energies)


def test_names_are_unique():
    rock = {"name": "s", "kind": "box", "size": [1, 1, 1], "material": "stone"}
    for elements, message in [
        ([net(name="rock")], "'rock' names a body and an element: variables could not tell them apart"),
        ([net(), net()], "element 'net' is defined twice"),
        ([net(name="contact")], "the name 'contact' is reserved"),
    ]:
        spec = scene([body("rock", "external", [rock])], [], [], {"membrane": elements})
        with pytest.raises(ValueError, match=message):
            spec.compile()


def test_two_elements_add_up():
    """Two nets of half the stiffness hold like one."""
    one = caught_box(keys={"friction": {}})
    half = {"stiffness": 150.0, "damping": 7.5, "friction": {}}
    both = dataclasses.replace(one, elements=tuple(
        dataclasses.replace(element, name=name) for name in ("left", "right")
        for element in caught_box(keys=half).elements))
    a, b = (contactlib.Simulation(spec.compile()) for spec in (one, both))
    a.step(0.3), b.step(0.3)
    assert np.linalg.norm(a.wrenches[0, :3]) > 10.0
    assert b.wrenches == pytest.approx(a.wrenches, rel=1e-9)  # rounding, grown over 150 steps
    assert b.elements["left"].stored_energy == pytest.approx(a.elements["net"].stored_energy / 2, rel=1e-9)


def test_the_summary_lists_them():
    text = describe(caught_box("external"))
    assert "  net            membrane, 6 points on 'ring' catch 'rock', k 300, c 15, mu 0.3 on 'stone'" in text
    assert "\nelements\n" not in describe(contactlib.load("peg_in_hole"))


# ---- in a simulation -----------------------------------------------------------------------------


@pytest.fixture
def simulation():
    simulation = contactlib.Simulation(caught_box().compile())
    simulation.step(0.2)
    return simulation


def test_a_view_shows_every_variable(simulation):
    view = simulation.elements["net"]
    model = simulation.model
    for i, variable in enumerate(model.variables):
        if variable.name.startswith("net.") and "[" not in variable.name:
            assert getattr(view, variable.name[4:]) == simulation.data.get(i)
    assert view.touching >= 1 and view.area > 10.0 and view.reel.tolist() == [0.0] * 6
    assert {"area", "reel", "stiffness"} <= set(dir(view))


def test_commands_and_parameters(simulation):
    view = simulation.elements["net"]
    view.set(reel=0.01, stiffness=100.0)
    assert view.reel.tolist() == [0.01] * 6 and view.stiffness == 100.0
    view.set(reel=[0.0, 0.01, 0.0, 0.02, 0.0, 0.0])
    assert view.reel[3] == 0.02
    before = view.area
    simulation.compute()
    assert view.area != before  # outputs follow with the next look


@pytest.mark.parametrize(("values", "message"), [
    ({"rel": 0.1}, "net.rel is neither a command nor a parameter; did you mean 'reel'"),
    ({"area": 1.0}, "net.area is neither a command nor a parameter"),
    ({"reel": [0.1, 0.2]}, r"net.reel has shape \(2,\), must be \(6,\)"),
    ({"stiffness": [1.0, 2.0]}, r"net.stiffness has shape \(2,\), must be \(\)"),
    ({"stiffness": 5.0, "reel": -0.1}, r"net.reel\[1\] = -0.1: must be at least 0 m"),
    ({"slip_speed": 0.0}, "net.slip_speed = 0: must be greater than 0 m/s"),
    ({"damping": float("nan")}, "net.damping = nan: must be finite"),
])
def test_bad_commands_change_nothing(simulation, values, message):
    before = simulation.save()
    with pytest.raises(ValueError, match=message):
        simulation.elements["net"].set(**values)
    assert simulation.save() == before


def test_a_view_is_read_only(simulation):
    with pytest.raises(AttributeError, match=r"reel is read here; set\(reel=...\)"):
        simulation.elements["net"].reel = 0.1
    with pytest.raises(AttributeError, match="element 'net' has no 'aera'; did you mean 'area'"):
        simulation.elements["net"].aera  # noqa: B018


def test_a_run_records_outputs():
    run = contactlib.Simulation(caught_box().compile()).run(0.1, 0.01)
    assert run.outputs.shape == (11, len(run.output_names)) and "net.area" in run.output_names
    assert run.output("net.area")[0] > 0.0
    with pytest.raises(ValueError, match=r"there is no output 'net\.aera'; did you mean 'net\.area'"):
        run.output("net.aera")
    assert (run.energy_of_elements("stored_energy") == run.output("net.stored_energy")).all()


def test_what_elements_do_is_not_booked_on_contacts():
    run = contactlib.Simulation(caught_box().compile()).run(0.3, 0.01)
    assert run.output("net.dissipated_energy")[-1] > 1.0
    assert not run.energy_dissipated.any() and not run.contact_count.any()
