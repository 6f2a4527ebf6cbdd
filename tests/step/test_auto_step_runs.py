"""step_size = "auto" in scenes, saved states, FMUs, couplings and mechanisms."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contactlib
from contactlib.fmu.export import export_fmu
from contactlib.model.spec import Spec
from tests.step.auto_scenes import FLOOR, drop, hooke, run, sphere
from tests.support.coupled import Master, balls
from tests.support.every_element import ROPE
from tests.support.fmu_cases import DISCARD, Slave, named, refused
from tests.support.scenes import BRISTLE, body, law, scene, two_free_bodies

G = 9.81


def collision() -> Spec:
    return replace(two_free_bodies(BRISTLE), step_size="auto")


# ---- the key ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("keys", "says"), [
    ({"step_size": "outo"}, r"scene.step_size = 'outo': must be a finite number greater than 0, or 'auto'; did you "
                            r"mean 'auto'\?"),
    ({"step_size": "1 ms"}, "scene.step_size = '1 ms': must be a finite number greater than 0, or 'auto'"),
    ({"step_size": -1.0}, "scene.step_size = -1.0: must be a finite number greater than 0"),
    ({"step_size": "auto", "max_step_size": 0.0}, "scene.max_step_size = 0.0: must be a finite number greater than 0"),
    ({"max_step_size": 1e-3}, "scene.max_step_size = 0.001: needs step_size = 'auto'; step_size = 0.001 is already"),
])
def test_what_is_wrong_is_told(keys: dict[str, Any], says: str):
    with pytest.raises(ValueError, match=says):
        scene([], [], [], **keys)
    with pytest.raises(ValueError, match=says):
        Spec("empty", **keys).compile()


def test_scene_and_model():
    spec = scene([], [], [], step_size="auto", max_step_size=2e-3)
    model = spec.compile()
    assert model.auto_step and model.step_size == spec.longest_step == 2e-3
    again = contactlib.Model.from_bytes(model.to_bytes())
    assert again.auto_step and again.hash == model.hash
    assert not replace(spec, step_size=2e-3, max_step_size=None).compile().auto_step
    assert spec.with_longest_step(1e-4).max_step_size == 1e-4 and spec.with_longest_step(1e-4).step_size == "auto"
    gripper = replace(contactlib.load("gripper"), step_size="auto")  # the core has no estimate of its joints
    assert replace(spec, max_step_size=None).longest_step == 1e-2
    assert gripper.longest_step == gripper.compile().step_size == 1e-3


def test_only_scenes_with_auto_have_its_variables():
    names = {v.name for v in drop(hooke(1e6)).compile().variables}
    fixed = {v.name for v in drop(hooke(1e6), step_size=1e-3).compile().variables}
    own = {"auto_step", "max_sub_steps", "contact.sub_steps", "contact.sub_step_limit_reached"}
    assert names - fixed == own and fixed < names


def test_the_parameter_switches_to_equal_steps():
    """With step_size as their length; the same bits as a scene with this step_size."""
    simulation = contactlib.Simulation(drop(hooke(1e5)).compile())
    simulation.set({"auto_step": 1, "step_size": 1e-4})
    fixed = contactlib.Simulation(drop(hooke(1e5), step_size=1e-4).compile())
    for _ in range(5):
        simulation.step(0.005)
        fixed.step(0.005)
        assert simulation.step_report.sub_steps == 50 and simulation.get("contact.sub_steps") == 50
    assert simulation.states.tobytes() == fixed.states.tobytes()
    simulation.set("auto_step", 2)
    simulation.step(0.02)
    assert simulation.step_report.sub_steps == 200, "step_size is the upper limit"
    with pytest.raises(ValueError, match="auto_step = 3: must be an integer from 1 to 2"):
        simulation.set("auto_step", 3)


def test_the_report():
    simulation = contactlib.Simulation(drop(hooke(1e6)).compile())
    assert simulation.step_report == (0, 0, 0.0, 0.0)
    simulation.step(0.02)
    report = simulation.step_report
    assert report.shortest < 1e-4 and report.mean == pytest.approx(0.02 / report.sub_steps) and report.refused > 0
    assert report.sub_steps == simulation.get("contact.sub_steps")


# ---- the same bits ----------------------------------------------------------------------------------------


def test_saved_states_and_copies_repeat_the_run():
    """Before, in and after the impact, with other steps before; with two threads."""
    model = collision().compile()
    for start in (0.05, 0.0712, 0.0716, 0.12):
        first = contactlib.Simulation(model)
        first.step(start)
        second = contactlib.Simulation(model, num_threads=2)
        second.step(0.2)
        second.restore(first.save())
        third = copy.deepcopy(first)
        for dt in (1e-4, 0.013, 0.05):
            for simulation in (first, second, third):
                simulation.step(dt)
            assert first.save() == second.save() == third.save()
            assert first.step_report == second.step_report


def test_a_refused_step_changes_nothing():
    simulation = contactlib.Simulation(collision().compile())
    simulation.step(0.0712)
    before = simulation.save()
    with pytest.raises(ValueError, match="finite"):
        simulation.step(float("nan"))
    assert simulation.save() == before


def test_worlds_of_a_vector_simulation_have_the_bits_of_their_own():
    model = collision().compile()
    worlds = contactlib.VectorSimulation(model, 3)
    alone = contactlib.Simulation(model)
    for _ in range(4):
        worlds.step(0.03)
        alone.step(0.03)
    assert all(state.tobytes() == alone.states.tobytes() for state in worlds.states)


def test_the_fmu_has_the_bits_of_the_python_module(tmp_path: Path):
    """With a step that is rolled back, and variables of their own."""
    model = collision().compile()
    simulation = contactlib.Simulation(model)
    outputs = [i for i, v in enumerate(model.variables) if v.causality == "output" and v.type == "real"]
    with Slave(export_fmu(model, tmp_path / "c.fmu"), tmp_path / "c", model) as slave:
        slave.start().exitInitializationMode()
        for k in range(10):
            if k == 5:
                state = slave.getFMUstate()
                slave.doStep(k * 0.02, 0.01)
                slave.setFMUstate(state)
            slave.doStep(k * 0.02, 0.02)
            simulation.step(0.02)
            assert slave.getReal(outputs) == [simulation.data.get(i) for i in outputs]
            assert slave.getInteger(named(model, "contact.sub_steps")) == [simulation.step_report.sub_steps]
        refused(DISCARD, slave.setInteger, named(model, "auto_step"), [3])


# ---- coupling and mean wrenches -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["jacobi", "gauss_seidel"])
@pytest.mark.parametrize("h", [1e-3, 1e-2])
def test_an_elastic_impact_through_coupling(mode: str, h: float):
    """The plant moves under the wrenches that it gets. Bounds as with fixed sub-steps of 0.1 ms."""
    master = Master(balls(mode, step_size="auto"), h)
    energy, linear, angular = master.momenta(master.run(int(0.3 / h)))
    assert np.abs(energy[-1] / energy[0] - 1.0) < 2e-3 and energy.max() < 1.002 * energy[0]
    assert np.abs(linear).max() < 1e-9 and np.abs(angular).max() < 1e-9
    assert master.states[0, 7] < -0.99


def test_the_mean_wrench_is_the_impulse():
    """Times the step it is the change of momentum of the free body, in sub-steps of any lengths."""
    simulation = contactlib.Simulation(drop(hooke(1e5), wrench_output="mean").compile())
    for dt in (0.0087, 0.0031, 0.0017, 0.01):
        before = simulation.states[0, 9]
        wrenches, _ = simulation.step(dt)
        assert dt * wrenches[0, 2] == pytest.approx(simulation.states[0, 9] - before, abs=1e-13)
    assert simulation.states[0, 9] == pytest.approx(1.0, abs=1e-3)


def test_a_driven_body_gives_the_mean_of_its_contact():
    """A ball of a master that sinks at 1 mm/s to 10 um and back: the mean over its way is k x/2 in each half."""
    ball = sphere("ball", 1.0, [0, 0, 0.05], [0, 0, 0]) | {"motion": "external"}
    spec = scene([ball, FLOOR], [law("touch", ["m", "m"], hooke(1e6))], [["ball", "floor"]], step_size="auto",
                 wrench_output="mean")
    simulation = contactlib.Simulation(spec.compile())
    for z, v in ((0.05, -1e-3), (0.05 - 1e-5, 1e-3)):
        wrenches, _ = simulation.step(0.01, {"ball": {"r": (0, 0, z), "v": (0, 0, v)}})
        assert wrenches[0, 2] == pytest.approx(5.0, rel=1e-9)


# ---- implicit elements --------------------------------------------------------------------------------------


def pendulum(stiffness: float, step_size: float | str, **keys: Any) -> Spec:
    """A bob that swings from the horizontal against a wall at its lowest place."""
    bob = sphere("bob", 1.0, [0.5, 0, 0], [0, 0, 0])
    wall = body("wall", "fixed", [{"name": "top", "kind": "plane", "material": "m"}],
                state={"r": [-0.05, 0, -0.5], "q": [0.5**0.5, 0, 0.5**0.5, 0]})
    return scene([bob, wall], [law("touch", ["m", "m"], hooke(stiffness))], [["bob", "wall"]],
                 {"hinge": [{"name": "joint", "arm": "bob", "point": [0, 0, 0], "axis": [0, 1, 0]}]},
                 gravity=[0, 0, -G], step_size=step_size, **keys)


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e8])
def test_a_pendulum_bounces_from_a_wall(stiffness: float):
    """Twice. An error of the speed of 1e-3 is one of the height of 2e-3, of 0.5 m; 2.5 ms at the top take 3e-5 m."""
    heights, count = [], 0
    simulation = contactlib.Simulation(pendulum(stiffness, "auto", max_step_size=1e-3).compile())
    for _ in range(360):
        simulation.step(5e-3)
        heights.append(simulation.states[0, 2])
        count += simulation.step_report.sub_steps
        assert simulation.elements["joint"].gap < 1e-9
    tops = [z for before, z, after in zip(heights, heights[1:], heights[2:], strict=False) if before < z >= after]
    tops = [z for z in tops if z > -0.1]
    assert len(tops) == 2 and np.abs(tops).max() < 2e-3
    assert count < 2500 and simulation.warnings == ()


def test_a_body_on_a_rope_bounces_from_the_floor():
    """It agrees with fixed steps of 20 us, at a tenth of their number. The rest is the rope, of first order."""
    def caught(step_size: float | str, **keys: Any) -> Spec:
        rope = {"name": "ropes", "first_points": [[-0.3, 0, -0.2]], "last_points": [[0.3, 0, -0.2]], "touches": ["b"],
                "friction": 0.3, "max_touches": 12, "cable": {**ROPE, "elements": 3, "capsules": 2}}
        ball = sphere("b", 0.2, [0, 0, 0.0515], [0, 0, -1.0])
        floor = FLOOR | {"state": {"r": [0, 0, -0.06]}}
        return scene([ball, floor], [law("touch", ["m", "m"], hooke(1e6))], [["b", "floor"]], {"cables": [rope]},
                     step_size=step_size, gravity=[0, 0, -G], **keys)

    auto, fixed = run(caught("auto", max_step_size=2e-4), 0.15, 0.15), run(caught(2e-5), 0.15, 0.15)
    assert auto.state[2] == pytest.approx(fixed.state[2], abs=5e-4)
    assert auto.state[9] == pytest.approx(fixed.state[9], abs=5e-3)
    assert auto.count < 1000 and auto.simulation.warnings == ()
