"""What a user changes in a scene and in a running simulation, by the names of the FMU, and what contacts are called."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from contactlib.fmu.export import export_fmu
from tests.fmu.test_fmu_free import rolling
from tests.support.fmu_cases import H, Slave, named, of, peg_model, rattling, run_fmu
from tests.support.scenes import caught_box

PAGE = Path(__file__).parents[2] / "docs" / "contacts.md"


def test_a_changed_parameter_gives_the_bits_of_the_fmu(tmp_path: Path) -> None:
    model = peg_model()
    rows = rattling(model, 60, H)
    simulation = contactlib.Simulation(model)
    found = []
    for k, row in enumerate(rows):
        if k == 30:
            simulation.set("pin_hole.stiffness", 5e4)
            simulation.set({"pin_hole.mu_static": 0.1, "pin_hole.mu_kinetic": 0.05})
        simulation.step(H, row.reshape(2, 13))
        found.append(simulation.wrenches.ravel())
    with Slave(export_fmu(model, tmp_path / "peg.fmu"), tmp_path / "peg", model) as slave:
        run_fmu(slave.start(), rows[:30], H)
        slave.setReal(named(model, "pin_hole.stiffness", "pin_hole.mu_static", "pin_hole.mu_kinetic"), [5e4, 0.1, 0.05])
        slave.setReal(of(model, "input"), rows[30])
        slave.doStep(30 * H, H)
        wrenches = named(model, "interface.f", "interface.t", "target.f", "target.t")
        assert np.array(slave.getReal(wrenches)).tobytes() == found[30].tobytes()
        assert np.abs(found[30]).max() > 0.0


def test_stiffness_counts_at_once() -> None:
    """A ball that rests d deep: the force is k d."""
    simulation = contactlib.Simulation(rolling().compile())
    at = {"ball": {"r": (0.0, 0.0, 0.099), "v": (0.0, 0.0, 0.0), "w": (0.0, 0.0, 0.0)}}
    assert simulation.compute(at).wrench("ball")[2] == pytest.approx(2e4 * 1e-3)
    simulation.set("touch.stiffness", 5e4)
    assert simulation.get("touch.stiffness") == 5e4
    assert simulation.compute().wrench("ball")[2] == pytest.approx(5e4 * 1e-3)


def test_elements_commands_and_loads_by_name() -> None:
    simulation = contactlib.Simulation(caught_box().compile())
    simulation.set({"net.stiffness": 200.0, "net.reel": 0.01, "rock.f_ext": [0.0, 0.0, 490.5]})
    assert simulation.get("net.stiffness") == simulation.elements["net"].stiffness == 200.0
    assert np.array_equal(simulation.get("net.reel"), [0.01] * 6)
    assert simulation.get("net.reel[2]") == 0.01 and np.array_equal(simulation.get("rock.f_ext"), [0.0, 0.0, 490.5])


@pytest.mark.parametrize(("values", "says"), [
    ({"touch.stifness": 1.0}, "did you mean 'touch.stiffness'?"),
    ({"touch.damping": 5.0, "touch.stiffness": 0.0}, "touch.stiffness = 0: must be greater than 0 N/m"),
    ({"touch.stiffness": float("nan")}, "must be finite"),
    ({"touch.stiffness": "hard"}, "touch.stiffness = 'hard': must be a number"),
    ({"touch.stiffness": [1.0, 2.0]}, "has shape (2,), must be ()"),
    ({"touch.mu_kinetic": 0.9}, "touch.mu_kinetic = 0.9: must not exceed touch.mu_static = 0.4"),
    ({"ball.f[1]": 1.0}, "is an output"),
    ({"resolve_in": 2}, "is fixed"),
    ({"ball.r_start[1]": 2.0}, "is fixed"),
    ({"coupling": "jacobbi"}, "must be one of none, jacobi, gauss_seidel; did you mean 'jacobi'?"),
])
def test_what_cannot_be_set_changes_nothing(values: dict[str, float], says: str) -> None:
    simulation = contactlib.Simulation(rolling().compile())
    before = simulation.save()
    with pytest.raises(ValueError, match=re.escape(says)):
        simulation.set(values)
    assert simulation.save() == before


def test_a_state_is_not_a_variable_to_set() -> None:
    simulation = contactlib.Simulation(peg_model())
    with pytest.raises(ValueError, match=re.escape("interface.r[1]: is a state: give it to compute or step")):
        simulation.set("interface.r[1]", 0.1)


# ---- specs ------------------------------------------------------------------------------------------


def test_with_law_changes_parameters() -> None:
    spec = rolling()
    changed = spec.with_law("touch", stiffness=5e4, mu_static=0.2, mu_kinetic=0.1)
    assert changed.laws[0].normal_parameters == (5e4, 20.0)
    assert changed.laws[0].friction_parameters[:2] == (0.2, 0.1)
    assert spec.laws[0].normal_parameters == (2e4, 20.0)
    harder = spec.with_law("touch", replace(spec.laws[0], friction="none", friction_parameters=()), stiffness=9e4)
    assert contactlib.Simulation(harder.compile()).get("touch.stiffness") == 9e4
    assert harder.laws[0].friction == "none"


@pytest.mark.parametrize(("name", "values", "says"), [
    ("tuch", {}, "there is no law 'tuch'; did you mean 'touch'?"),
    ("touch", {"stifness": 1.0}, "law 'touch' has no parameter 'stifness'; did you mean 'stiffness'?"),
    ("touch", {"stiffness": 0.0}, "must be a finite number greater than 0"),
    ("touch", {"mu_kinetic": 0.5}, "must not exceed mu_static = 0.4"),
])
def test_with_law_refuses(name: str, values: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        rolling().with_law(name, **values)


def test_with_state_starts_elsewhere() -> None:
    spec = rolling().with_state("ball", r=(1.0, 2.0, 3.0), q=(0.0, 2.0e-4, 0.0, 1.0))
    state = contactlib.Simulation(spec.compile()).states[0]
    assert state[:3].tolist() == [1.0, 2.0, 3.0] and state[7:10].tolist() == [0.5, 0.1, -0.2]
    assert np.linalg.norm(state[3:7]) == pytest.approx(1.0, abs=1e-15)
    assert rolling().with_state("ball", spec.body("ball").state).body("ball").state == spec.body("ball").state
    for arguments, says in (({"r": (1.0, 2.0)}, "ball.r"), ({"q": (2.0, 0.0, 0.0, 0.0)}, "unit quaternion"),
                            ({"v": (float("inf"), 0.0, 0.0)}, "ball.v[0]")):
        with pytest.raises(ValueError, match=re.escape(says)):
            rolling().with_state("ball", **arguments)
    with pytest.raises(ValueError, match="did you mean 'ball'"):
        rolling().with_state("bal")


# ---- contacts ---------------------------------------------------------------------------------------


def test_contacts_have_names() -> None:
    spec = contactlib.load("peg_in_hole")
    contacts = contactlib.Simulation(spec.compile()).compute({"interface": {"r": (0.0, 0.0003, 0.03)}}).contacts
    assert set(contacts.names("law")) == {"pin_hole"}
    assert {*contacts.names("body_a"), *contacts.names("body_b")} == {"interface", "target"}
    known = {f"{each.name}.{shape.name}" for each in spec.bodies for shape in each.shapes}
    assert set(contacts.names("shape_a")) <= known and contacts[:1].names("shape_a") == contacts.names("shape_a")[:1]
    columns = contacts.table()
    assert columns["law"] == contacts.names("law") and np.array_equal(columns["f_B_W_z"], contacts["f_B_W"][:, 2])
    with pytest.raises(ValueError, match="has no names"):
        contacts.names("depth")


def test_the_page_has_every_field_once() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*)\|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == list(engine.CONTACT_DTYPE.names or ())


# ---- numbers that are no numbers of what is counted -------------------------------------------------


@pytest.mark.parametrize("count", [1.5, "2", True, float("nan"), 0, 1000])
def test_thread_counts_that_cannot_be(count: object) -> None:
    with pytest.raises(ValueError, match=r"num_threads = .*: must be an integer from 1 to 256, or -1"):
        contactlib.Simulation(peg_model(), num_threads=count)  # type: ignore[arg-type]


@pytest.mark.parametrize("every", [0, 1.5, True])
def test_rows_are_counted_in_whole_numbers(every: object) -> None:
    simulation = contactlib.Simulation(peg_model())
    with pytest.raises(ValueError, match=r"every = .*: must be an integer of at least 1"):
        simulation.run(0.01, 1e-3, every=every)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"every = .*: must be an integer of at least 1"):
        contactlib.run_ensemble(peg_model(), [], duration=0.01, every=every)  # type: ignore[arg-type]


def test_choices_are_listed_once() -> None:
    with pytest.raises(ValueError) as caught:
        contactlib.Spec.from_dict({"scene": {"name": "x", "coupling": "zzz"}})
    assert str(caught.value) == "scene.coupling = 'zzz': must be one of none, jacobi, gauss_seidel"
