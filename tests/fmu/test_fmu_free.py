"""Bodies that an FMU moves itself: where they start, what loads them, and what a master may tell it wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from fmpy import read_model_description
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.coupling import couple
from contactlib.fmu.export import export_fmu
from contactlib.fmu.units import base_units
from contactlib.model.model import Model
from contactlib.shapes import quaternion
from tests.support.fmu_cases import DISCARD, ERROR, Slave, named, of, refused
from tests.support.scenes import BRISTLE, body, law, scene

MASS, INERTIA = 2.0, [0.3, 0.4, 0.5]
Q = [0.8, 0.0, 0.6, 0.0]
TURN = quaternion.rotation_matrix(tuple(Q))  # body to world


def lone(**options: object) -> Model:
    """One free body in nothing, turned, its centre of mass in its origin."""
    ball = body("ball", mass=MASS, inertia=INERTIA, state={"q": Q})
    return scene([ball], [], [], step_size=1e-4, **options).compile()


def rolling() -> contactlib.Spec:
    """A ball that lands on a fixed plane with spin: contact, sliding, sticking."""
    ball = body("ball", mass=MASS, inertia=[0.008] * 3, shapes=[{"name": "s", "kind": "sphere", "radius": 0.1,
                                                                "material": "a"}],
                state={"r": [0.0, 0.0, 0.101], "v": [0.5, 0.1, -0.2], "w": [1.0, -3.0, 2.0]})
    ground = body("ground", "fixed", [{"name": "p", "kind": "plane", "material": "b"}])
    normal = {"kind": "kelvin_voigt", "stiffness": 2e4, "damping": 20.0}
    return scene([ball, ground], [law("touch", ["a", "b"], normal, BRISTLE)], [["ball", "ground"]],
                 gravity=[0.0, 0.0, -9.81], step_size=1e-3)


Start = Callable[[Model], Slave]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Makes a model's FMU, and an instance of it in initialization mode."""
    with ExitStack() as stack:
        yield lambda model: stack.enter_context(Slave(
            export_fmu(model, tmp_path / f"{model.hash[:8]}.fmu"), tmp_path / model.hash[:8], model)).start()


def values(slave: Slave, *names: str) -> np.ndarray:
    return np.array(slave.getReal(named(slave.model, *names)))


def test_it_flies_with_the_bits_of_a_python_run(start: Start) -> None:
    spec = rolling()
    slave = start(spec.compile())
    slave.exitInitializationMode()
    rows = [values(slave, "ball.r", "ball.q", "ball.v", "ball.w")]
    for k in range(300):
        slave.doStep(k * 2e-3, 2e-3)
        rows.append(values(slave, "ball.r", "ball.q", "ball.v", "ball.w"))
    run = contactlib.Simulation(spec.compile()).run(0.6, 2e-3)
    assert np.array(rows).tobytes() == run.body("ball").tobytes()
    assert run.contact_count.max() == 1


def test_loads_that_change_in_every_step_give_the_bits_of_python(start: Start) -> None:
    """Set during contact with slip, where a second evaluation would round differently."""
    spec = rolling()
    slave, simulation = start(spec.compile()), contactlib.Simulation(spec.compile())
    slave.exitInitializationMode()
    load = named(slave.model, "ball.f_ext", "ball.t_ext")
    touched = 0
    for k, row in enumerate(np.random.default_rng(1).normal(0.0, [3.0] * 3 + [0.3] * 3, (600, 6))):
        slave.setReal(load, row)
        slave.doStep(k * 1e-3, 1e-3)
        simulation.set({"ball.f_ext": row[:3], "ball.t_ext": row[3:]})
        simulation.step(1e-3)
        assert values(slave, "ball.r", "ball.q", "ball.v", "ball.w").tobytes() == simulation.states[0].tobytes()
        touched += len(simulation.contacts)
    assert 100 < touched < 600


@pytest.mark.parametrize("frame", ["world", "body"])
def test_a_load_from_outside_moves_it_as_newton_and_euler_say(start: Start, frame: str) -> None:
    """A constant force, and a torque about a principal axis; in the body's axes or in the world's."""
    slave = start(lone(resolve_in=frame))
    force, torque = np.array([3.0, -1.0, 2.0]), np.array([0.0, 0.2, 0.0])  # q turns about y: that axis is in both
    slave.setReal(named(slave.model, "ball.f_ext", "ball.t_ext"), [*force, *torque])
    slave.exitInitializationMode()
    slave.doStep(0.0, 1e-4)
    np.testing.assert_allclose(values(slave, "ball.v"), 1e-4 / MASS * (TURN @ force if frame == "body" else force),
                               rtol=1e-12)
    np.testing.assert_allclose(values(slave, "ball.w"), 1e-4 * torque / INERTIA[1], rtol=1e-12, atol=1e-20)


def test_the_rate_of_a_load_counts_within_a_step(start: Start) -> None:
    """F = F0 + F't gives v = (F0 t + F't^2/2)/m, but for half a step of the core."""
    slave = start(lone())
    along = named(slave.model, "ball.f_ext[1]")
    slave.setReal(along, [3.0])
    slave.setRealInputDerivatives(along, [1], [8.0])
    slave.exitInitializationMode()
    slave.doStep(0.0, 0.5)
    expected = (3.0 * 0.5 + 0.5 * 8.0 * 0.5**2) / MASS
    assert values(slave, "ball.v[1]")[0] == pytest.approx(expected, abs=0.6 * 8.0 * 0.5 * 1e-4 / MASS)


def test_start_states_are_parameters(start: Start) -> None:
    """Started elsewhere it runs as a scene that starts there, to the bit."""
    spec = rolling()
    slave = start(spec.compile())
    r, v, w = (0.3, -0.2, 0.5), (0.0, 0.4, 1.0), (0.1, 0.2, 0.3)
    q = (0.5, 0.5, -0.5, 0.5)
    slave.setReal(named(slave.model, "ball.r_start", "ball.q_start", "ball.v_start", "ball.w_start"), [*r, *q, *v, *w])
    assert values(slave, "ball.r").tolist() == list(r)
    slave.exitInitializationMode()
    for k in range(100):
        slave.doStep(k * 1e-2, 1e-2)
    there = contactlib.Simulation(spec.with_state("ball", r=r, q=q, v=v, w=w).compile())
    run = there.run(1.0, 1e-2)
    assert values(slave, "ball.r", "ball.q", "ball.v", "ball.w").tobytes() == run.body("ball")[-1].tobytes()


def test_start_states_that_cannot_be(start: Start) -> None:
    slave = start(lone())
    attitude = named(slave.model, "ball.q_start")
    slave.setReal(attitude, [2.0, 0.0, 0.0, 0.0])
    refused(ERROR, slave.exitInitializationMode)
    assert "quaternion" in slave.last() and "ball" in slave.last()
    slave.setReal(attitude, Q)
    slave.exitInitializationMode()
    refused(ERROR, slave.setReal, named(slave.model, "ball.r_start[1]"), [1.0])
    assert "fixed parameter" in slave.last()


def test_the_description_tells_causality_and_unit(tmp_path: Path) -> None:
    path = export_fmu(rolling().compile(), tmp_path / "ball.fmu")
    found = {v.name: v for v in read_model_description(str(path)).modelVariables}
    assert (found["ball.f_ext[3]"].causality, found["ball.f_ext[3]"].unit) == ("input", "N")
    assert (found["ball.t_ext[1]"].causality, found["ball.t_ext[1]"].unit) == ("input", "N.m")
    assert (found["ball.w_start[2]"].variability, found["ball.w_start[2]"].unit) == ("fixed", "rad/s")
    assert float(found["ball.r_start[3]"].start) == 0.101


def test_fmu_run_of_a_shipped_scene(tmp_path: Path) -> None:
    path = export_fmu(contactlib.load("rover_wheel").compile(), tmp_path / "wheel.fmu")
    result = CliRunner().invoke(app, ["fmu", "run", str(path), "-o", str(tmp_path / "out"), "--duration", "0.2"])
    assert result.exit_code == 0, result.output
    header = (tmp_path / "out" / "trajectory.csv").read_text().split("\n", 1)[0].split(",")
    assert "wheel.r[3]" in header
    spec = contactlib.load("rover_wheel")
    run = contactlib.Simulation(spec.compile()).run(0.2, spec.step_size)
    flown = couple(path, duration=0.2)
    assert flown.trajectory.body("wheel").tobytes() == run.body("wheel").tobytes()
    assert not flown.weightless and not flown.closed
    with pytest.raises(ValueError, match="the FMU moves this body itself"):
        couple(path, duration=0.2, fixed=["wheel"])


# ---- what a master may tell it wrong ----------------------------------------------------------------


def test_parameters_that_do_not_go_together_are_refused(start: Start) -> None:
    """In any order they may be set; what is used must hold."""
    slave = start(rolling().compile())
    static, kinetic = named(slave.model, "touch.mu_static"), named(slave.model, "touch.mu_kinetic")
    slave.setReal(kinetic, [0.7])
    refused(ERROR, slave.exitInitializationMode)
    assert "touch.mu_kinetic = 0.7: must not exceed touch.mu_static = 0.4" in slave.last()
    slave.setReal(static, [0.8])
    slave.exitInitializationMode()
    slave.doStep(0.0, 1e-2)
    slave.setReal(static, [0.2])
    before = slave.everything()
    refused(DISCARD, slave.doStep, 1e-2, 1e-2)
    assert "mu_kinetic" in slave.last() and slave.everything() == before
    slave.setReal(kinetic, [0.2])
    slave.doStep(1e-2, 1e-2)


@pytest.mark.parametrize(("name", "value", "says"), [
    ("touch.stiffness", -1.0, "cannot be -1; it must be greater than 0 N/m."),
    ("touch.damping", -2.5, "cannot be -2.5; it must be at least 0 N.s/m."),
    ("touch.stiffness", math.nan, "it must be finite."),
    ("step_size", 0.0, "it must be greater than 0 s."),
])
def test_one_cause_has_one_sentence(start: Start, name: str, value: float, says: str) -> None:
    slave = start(rolling().compile())
    refused(DISCARD, slave.setReal, named(slave.model, name), [value])
    assert slave.last().endswith(says) and len(slave.messages) == 1


def test_a_step_with_an_infinite_output_is_discarded(start: Start) -> None:
    """Two balls press on a block from both sides: forces cancel, and what they store is more than a number holds."""
    ball = [{"name": "s", "kind": "sphere", "radius": 2.0, "material": "a"}]
    block = body("block", "external", [{"name": "s", "kind": "sphere", "radius": 2.0, "material": "b"}])
    left, right = (body(name, "external", ball, state={"r": [x, 0.0, 0.0]}) for name, x in (("l", -9.0), ("r", 9.0)))
    normal = {"kind": "kelvin_voigt", "stiffness": 1e308, "damping": 0.0}
    model = scene([block, left, right], [law("touch", ["a", "b"], normal)], [["block", "l"], ["block", "r"]]).compile()
    slave = start(model)
    slave.exitInitializationMode()
    slave.setReal(named(model, "l.r", "r.r"), [-2.4, 0.0, 0.0, 2.4, 0.0, 0.0])
    before = slave.everything()
    refused(DISCARD, slave.doStep, 0.0, 1e-3)
    assert "not finite" in slave.last() and slave.everything() == before
    slave.setReal(named(model, "l.r[1]"), [-9.0])
    slave.doStep(0.0, 1e-3)
    assert np.isfinite(slave.getReal(of(model, "output"))).all()


def test_log_categories(start: Start) -> None:
    slave = start(rolling().compile())
    slave.exitInitializationMode()

    def heard(on: int, *categories: str) -> list[str]:
        """The categories of what is said to a step at a time that jumps, and to a bad value."""
        slave.setDebugLogging(on, list(categories))
        slave.messages.clear()
        slave.doStep(100.0 * len(heard_so_far), 1e-3)
        refused(DISCARD, slave.setReal, named(slave.model, "touch.stiffness"), [-1.0])
        heard_so_far.append(0)
        return [message.category for message in slave.messages]

    heard_so_far = [0]
    assert heard(0) == ["logStatusDiscard"]
    assert heard(1) == ["logStatusWarning", "logStatusDiscard"]
    assert heard(1, "logStatusWarning") == ["logStatusWarning"]
    assert heard(1, "logStatusDiscard", "logEvents") == ["logStatusDiscard"]
    assert heard(1, "logAll") == ["logStatusWarning", "logStatusDiscard"]
    refused(ERROR, slave.setDebugLogging, 1, ["logNonsense"])
    assert "logNonsense" in slave.last()


def test_every_unit_has_base_units() -> None:
    """V = W/A; N/m^n alone has none that are fixed."""
    watt = base_units("W")
    assert base_units("V") == {**(watt or {}), "A": -1}
    for name in ("lee_snare", "cbm", "trampoline", "peg_in_hole"):
        units = {v.unit for v in contactlib.load(name).compile().variables if v.type == "real"}
        assert [unit for unit in units if base_units(unit) is None and unit != "N/m^n"] == []


def test_the_description_lists_its_log_categories(tmp_path: Path) -> None:
    import zipfile

    path = export_fmu(rolling().compile(), tmp_path / "ball.fmu")
    root = ElementTree.fromstring(zipfile.ZipFile(path).read("modelDescription.xml"))
    assert "logAll" in [each.get("name") for each in root.iter("Category")]
