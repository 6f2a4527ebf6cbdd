"""Limits of the work of a step: max_sub_steps and max_iterations hold, and are told when they act."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.fmu.export import export_fmu
from tests.step.auto_scenes import drop, hertz, hooke
from tests.support.coupled import Master, balls
from tests.support.fmu_cases import Slave, named
from tests.support.scenes import BRISTLE, two_free_bodies

COUNT = "contact.sub_step_limit_reached"
REACHED = "snare.iteration_limit_reached"


def impact(limit: int, stiffness: float = 1e6, steps: int = 20, **keys: object) -> tuple[contactlib.Simulation, int]:
    """A ball falls on a plane in steps of 2 ms, and the most trials of a step."""
    simulation = contactlib.Simulation(drop(hooke(stiffness), **keys).compile())
    simulation.set("max_sub_steps", limit)
    most = 0
    for _ in range(steps):
        simulation.step(2e-3)
        report = simulation.step_report
        most = max(most, report.sub_steps + report.refused)
        assert report.mean * report.sub_steps == pytest.approx(2e-3, rel=1e-12), "the whole step is computed"
    return simulation, most


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("keys", [{}, {"integrator": "rk4"}], ids=["verlet", "rk4"])
def test_no_step_has_more_sub_steps(limit: int, keys: dict[str, object]):
    simulation, most = impact(limit, **keys)
    assert 1 <= most <= limit
    assert simulation.get(COUNT) >= 1
    (warning,) = (w for w in simulation.warnings if "max_sub_steps" in w)
    assert warning.startswith("at t = 0.0") and f"max_sub_steps = {limit} made a sub-step of " in warning
    assert "increase max_sub_steps, make the step (dt, a master's communication step) shorter" in warning


def test_a_limit_that_does_not_act_changes_no_bits():
    free, most = impact(0)
    limited, _ = impact(most)
    assert most > 20
    assert free.states.tobytes() == limited.states.tobytes()
    assert limited.get(COUNT) == 0 and not any("max_sub_steps" in w for w in limited.warnings)


def test_more_sub_steps_are_more_accurate():
    """An elastic impact keeps its speed, 1 m/s."""
    errors = [abs(impact(limit, 1e5)[0].states[0, 9] - 1.0) for limit in (2, 8, 32)]
    assert errors[2] < 2e-3, "as accurate as without a limit (docs/simulation.md)"
    assert errors[0] > 5.0 * errors[1] > 5.0 * errors[2]


def test_equal_steps_have_the_limit_too():
    simulation = contactlib.Simulation(drop(hooke(1e4)).compile())
    simulation.set({"auto_step": 1, "step_size": 1e-4, "max_sub_steps": 4})
    simulation.step(1e-3)
    assert simulation.step_report.sub_steps == 4 and simulation.get(COUNT) == 1
    simulation.step(4e-4)
    assert simulation.step_report.sub_steps == 4 and simulation.get(COUNT) == 1


def test_a_saved_state_has_the_limit():
    first, _ = impact(5, steps=8)
    second = contactlib.Simulation(first.model)
    second.restore(first.save())
    for simulation in (first, second):
        simulation.step(4e-3)
    assert second.get("max_sub_steps") == 5 and first.save() == second.save()


@pytest.mark.parametrize("mode", ["jacobi", "gauss_seidel"])
def test_with_coupling_each_run_has_the_limit(mode: str):
    """Of a step and of its predictions; momentum is conserved as without a limit."""
    limit, most = 10, 0
    master = Master(balls(mode, step_size="auto"), 1e-2)
    master.simulation.set("max_sub_steps", limit)
    for _ in range(30):
        master.run(1)
        report = master.simulation.step_report
        most = max(most, report.sub_steps + report.refused)
    assert 1 < most <= 2 * limit and master.simulation.get(COUNT) > 0
    _, linear, angular = master.momenta(np.array(master.rows))
    assert np.abs(linear).max() < 1e-9 and np.abs(angular).max() < 1e-9


def test_the_fmu_has_the_limit(tmp_path: Path):
    model = replace(two_free_bodies(BRISTLE), step_size="auto").compile()
    simulation = contactlib.Simulation(model)
    simulation.set("max_sub_steps", 6)
    outputs = [i for i, v in enumerate(model.variables) if v.causality == "output" and v.type == "real"]
    with Slave(export_fmu(model, tmp_path / "c.fmu"), tmp_path / "c", model) as slave:
        slave.start()
        slave.setInteger(named(model, "max_sub_steps"), [6])
        slave.exitInitializationMode()
        for k in range(10):
            slave.doStep(k * 0.02, 0.02)
            simulation.step(0.02)
            assert slave.getReal(outputs) == [simulation.data.get(i) for i in outputs]
            assert slave.getInteger(named(model, COUNT)) == [simulation.get(COUNT)]
    assert simulation.get(COUNT) > 0


@pytest.mark.parametrize("name", ["max_sub_steps", "max_iterations"])
def test_what_is_wrong_is_told(name: str):
    model = replace(contactlib.load("lee_snare"), step_size="auto").compile()
    simulation = contactlib.Simulation(model)
    for value, says in ((-1, "must be at least 0"), (2.5, "must be an integer")):
        with pytest.raises(ValueError, match=f"{name} = {value}: {says}"):
            simulation.set(name, value)


def test_scenes_without_a_solver_have_no_limit_of_iterations():
    names = {v.name for v in drop(hertz(1e9)).compile().variables}
    assert "max_iterations" not in names
    assert "max_iterations" in {v.name for v in contactlib.load("lee_snare").compile().variables}


# ---- iterations --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def closing() -> contactlib.Simulation:
    """A snare whose cables tighten around the pin: the next steps take up to 29 iterations."""
    spec = contactlib.load("lee_snare").with_motion("fixed", "lee").with_motion("free", "grapple")
    simulation = contactlib.Simulation(spec.compile())
    simulation.elements["snare"].set(command=1)
    simulation.run(4.95, 1e-3, every=4950)
    return simulation


def tighten(saved: contactlib.Simulation, limit: int) -> tuple[contactlib.Simulation, list[float]]:
    simulation = contactlib.Simulation(saved.model)
    simulation.restore(saved.save())
    simulation.set("max_iterations", limit)
    iterations = []
    for _ in range(260):
        simulation.step(1e-3)
        iterations.append(simulation.get("snare.iterations"))
    return simulation, iterations


@pytest.mark.parametrize("limit", [1, 4, 10])
def test_no_step_has_more_iterations(closing: contactlib.Simulation, limit: int):
    """The result is the best found: forces stay in their cones, and the cables stay where they are."""
    simulation, iterations = tighten(closing, limit)
    free, most = tighten(closing, 0)
    assert max(iterations) <= limit < max(most)
    reached = simulation.get(REACHED)
    assert 0 < reached <= 260 and free.get(REACHED) == 0
    (warning,) = (w for w in simulation.warnings if "reached its limit" in w)
    assert warning.startswith(f"the solver of element 'snare' has reached its limit in {reached:.3g} steps so far")
    assert warning.endswith("increase max_iterations or make the step (dt, step_size) shorter")
    contacts = simulation.cable_contacts("snare")
    assert len(contacts) > 0
    normal = np.einsum("ij,ij->i", contacts["f_W"], contacts["n_W"])
    across = np.linalg.norm(contacts["f_W"] - normal[:, None] * contacts["n_W"], axis=1)
    friction = max(simulation.get("snare.friction"), simulation.get("snare.cable_friction"))
    assert (across <= friction * np.abs(normal) * (1.0 + 1e-9) + 1e-12).all()
    # m: a pin of 5 cm that swings at 3 cm/s for a quarter of a second
    assert np.abs(simulation.states[:, :3] - free.states[:, :3]).max() < 5e-3


def test_iterations_that_are_enough_change_no_bits(closing: contactlib.Simulation):
    free, _ = tighten(closing, 0)
    limited, _ = tighten(closing, 100_000)
    assert limited.get(REACHED) == 0 and limited.states.tobytes() == free.states.tobytes()
