"""The native FMU behind FMPy: what a master may rely on, and what it gets when it does something wrong."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.fmi2 import fmi2LastSuccessfulTime

from contactlib.fmu.export import export_fmu
from contactlib.model.model import Model
from tests.support.fmu_cases import DISCARD, ERROR, WARNING, H, Slave, named, of, peg_model, rattling, refused, run_fmu


def test_runs_without_any_input_connected(fmu: Path) -> None:
    result = simulate_fmu(str(fmu), stop_time=0.05, output_interval=0.01, output=["interface.f[3]"])
    assert result["time"][-1] == pytest.approx(0.05)
    assert np.all(result["interface.f[3]"] == 0.0)  # the pins start above the holes


def test_outputs_follow_the_inputs_during_initialization_and_hold_between_steps(
    slave: Slave, model: Model
) -> None:
    inputs = of(model, "input")
    outputs = named(model, "interface.f", "interface.t", "target.f", "target.t")
    rows = rattling(model, 30, H)
    apart = slave.getReal(outputs)
    slave.setReal(inputs, rows[25])
    touching = slave.getReal(outputs)
    assert not any(apart) and any(touching)
    slave.exitInitializationMode()
    assert slave.getReal(outputs) == touching
    slave.setReal(inputs, rows[26])
    assert slave.getReal(outputs) == touching
    slave.doStep(0.0, H)
    assert slave.getReal(outputs) != touching


def test_bad_inputs_discard_the_step_and_change_nothing(touching: Slave, model: Model) -> None:
    position, attitude, velocity = (
        named(model, "interface.r"),
        named(model, "interface.q"),
        named(model, "target.v"),
    )
    before = touching.everything()
    for values in ([math.nan, 0.0, 0.0], [0.0, math.inf, 0.0], [0.0, 0.0, -math.inf]):
        refused(DISCARD, touching.setReal, position, values)
        assert "interface.r[" in touching.last() and "finite" in touching.last()
        assert touching.everything() == before

    good = touching.getReal(attitude)
    touching.setReal(attitude, [1.01, 0.0, 0.0, 0.0])
    set_wrong = touching.everything()
    refused(DISCARD, touching.doStep, 40 * H, H)
    assert "quaternion" in touching.last() and "interface" in touching.last()
    assert touching.everything() == set_wrong
    touching.setReal(attitude, good)

    speed = touching.getReal(velocity)
    touching.setReal(velocity, [1e308, 0.0, 0.0])
    set_wrong = touching.everything()
    refused(DISCARD, touching.doStep, 40 * H, 1e3)
    assert touching.everything() == set_wrong
    touching.setReal(velocity, speed)
    touching.doStep(40 * H, H)


def test_a_small_deviation_of_a_quaternion_is_normalised(slave: Slave, model: Model) -> None:
    row = rattling(model, 30, H)[25]
    inputs, outputs, attitude = of(model, "input"), of(model, "output"), named(model, "interface.q")
    slave.setReal(inputs, row)
    exact = np.array(slave.getReal(outputs))
    slave.setReal(attitude, 1.0005 * np.array(slave.getReal(attitude)))
    assert np.array(slave.getReal(outputs)) == pytest.approx(exact, rel=1e-9, abs=1e-9)


def test_wrong_references_types_and_causalities_are_named(slave: Slave, model: Model) -> None:
    count = len(model.variables)
    refused(ERROR, slave.getReal, [count])
    assert str(count) in slave.last()
    refused(ERROR, slave.setReal, [0, 2**32 - 1], [1.0, 1.0])
    assert str(2**32 - 1) in slave.last() and slave.getReal([0]) != [1.0]
    refused(ERROR, slave.getReal, named(model, "contact.count"))
    refused(ERROR, slave.getInteger, named(model, "interface.r"))
    refused(ERROR, slave.setReal, named(model, "interface.f"), [0.0] * 3)
    assert "interface.f[1]" in slave.last() and "output" in slave.last()
    refused(ERROR, slave.getBoolean, [0])
    refused(ERROR, slave.getString, [0])
    refused(ERROR, slave.getDirectionalDerivative, [0], [1], [1.0])
    refused(ERROR, slave.getRealOutputDerivatives, named(model, "interface.f[1]"), [1])
    refused(ERROR, slave.cancelStep)


def test_parameters(slave: Slave, model: Model) -> None:
    stiffness, frame = named(model, "pin_hole.stiffness"), named(model, "resolve_in")
    refused(DISCARD, slave.setReal, stiffness, [-1.0])
    refused(DISCARD, slave.setReal, named(model, "step_size"), [0.0])
    refused(DISCARD, slave.setInteger, frame, [3])
    refused(DISCARD, slave.setInteger, frame, [0])
    assert slave.getInteger(frame) == [1]
    slave.setInteger(frame, [2])
    assert slave.getInteger(frame) == [2]
    slave.setInteger(frame, [1])
    rows = rattling(model, 40, H)
    run_fmu(slave, rows, H)
    refused(ERROR, slave.setInteger, frame, [2])
    assert "fixed parameter" in slave.last() and "resolve_in" in slave.last()
    before = slave.everything()
    soft = run_fmu(slave, rows[30:], H, start=40)
    slave.take(before)
    slave.setReal(stiffness, [2 * value for value in slave.getReal(stiffness)])
    stiff = run_fmu(slave, rows[30:], H, start=40)
    assert np.abs(stiff).max() > 1.2 * np.abs(soft).max()


def test_wrench_in_body_axes_is_the_turned_one(slave: Slave, model: Model) -> None:
    row, inputs = rattling(model, 30, H)[25], of(model, "input")
    turn = np.array([math.cos(0.7), 0.0, math.sin(0.7), 0.0])  # about y
    row[3:7] = row[16:20] = turn
    c, s = math.cos(1.4), math.sin(1.4)
    R_WB = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    row[0:3] = row[13:16] + R_WB @ [3e-4, -2e-4, 0.03]
    row[10:13] = row[23:26] = 0.0
    slave.setReal(inputs, row)
    in_world = np.array(slave.getReal(named(model, "target.f", "target.t"))).reshape(2, 3)
    slave.setInteger(named(model, "resolve_in"), [2])
    in_body = np.array(slave.getReal(named(model, "target.f", "target.t"))).reshape(2, 3)
    assert np.abs(in_world).max() > 1.0
    np.testing.assert_allclose(in_body, in_world @ R_WB, rtol=0, atol=1e-12 * np.abs(in_world).max())


def test_mean_output_is_the_mean_of_the_cores_steps(fmu: Path, slave: Slave, model: Model) -> None:
    """Five steps of one core step each give the wrenches whose mean one step of five gives."""
    force = named(model, "interface.f", "interface.t")
    rows = rattling(model, 26, H)
    rows[25, 10:13] = rows[25, 23:26] = 0.0  # without turning, the positions in between are known here
    fine = []
    with Slave(fmu, fmu.with_suffix(""), model, "mean") as mean:
        mean.start().setInteger(named(model, "wrench_output"), [2])
        run_fmu(mean, rows[:25], H)
        run_fmu(slave, rows[:25], H)
        mean.setReal(of(model, "input"), rows[25])
        mean.doStep(25 * H, H)
        moving = rows[25].copy()
        for k in range(5):
            for body in (0, 13):
                moving[body : body + 3] = (
                    rows[25, body : body + 3] + k * H / 5 * rows[25, body + 7 : body + 10]
                )
            slave.setReal(of(model, "input"), moving)
            slave.doStep(25 * H + k * H / 5, H / 5)
            fine.append(slave.getReal(force))
        expected = np.mean(fine, axis=0)
        np.testing.assert_allclose(mean.getReal(force), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("h", [1e-6, 1e-3, 3.7e-3, 0.1])
def test_any_positive_step_is_taken(slave: Slave, model: Model, h: float) -> None:
    slave.setReal(of(model, "input"), rattling(model, 1, H)[0])
    slave.exitInitializationMode()
    for k in range(20):
        slave.doStep(k * h, h)
    assert not slave.messages
    assert slave.getRealStatus(fmi2LastSuccessfulTime) == pytest.approx(20 * h)
    assert np.isfinite(slave.getReal(of(model, "output"))).all()


@pytest.mark.parametrize("h", [0.0, -1e-3, math.nan, math.inf])
def test_other_steps_are_refused(touching: Slave, h: float) -> None:
    before = touching.everything()
    refused(ERROR, touching.doStep, 40 * H, h)
    assert "positive" in touching.last()
    assert touching.everything() == before


def test_times_are_compared_with_tolerance_and_a_jump_is_remarked_on(fmu: Path, model: Model) -> None:
    with Slave(fmu, fmu.with_suffix(""), model) as slave:
        slave.start(logging=True)
        run_fmu(slave, rattling(model, 5, H), H)
        slave.messages.clear()
        slave.doStep(5 * H * (1 + 1e-12), H)
        assert not slave.messages
        slave.doStep(1000.0, H)  # FMPy takes a warning as success
        assert slave.messages[0].status == WARNING and "1000" in slave.last()
        slave.doStep(1000.0 + H, H)
        assert len(slave.messages) == 1


def test_calls_in_the_wrong_mode_are_refused(fmu: Path, model: Model) -> None:
    with Slave(fmu, fmu.with_suffix(""), model) as slave:
        slave.start(initialize=False)
        refused(ERROR, slave.doStep, 0.0, H)
        assert slave.last() == "fmi2DoStep is not allowed before initialization."
        refused(ERROR, slave.exitInitializationMode)
        refused(ERROR, slave.terminate)
        slave.enterInitializationMode()
        refused(ERROR, slave.setupExperiment)
        refused(ERROR, slave.enterInitializationMode)
        slave.exitInitializationMode()
        slave.doStep(0.0, H)
        slave.terminate()
        refused(ERROR, slave.doStep, H, H)
        refused(ERROR, slave.setReal, [0], [0.0])
        slave.getReal([0])


def test_bad_attitude_keeps_the_fmu_in_initialization(slave: Slave, model: Model) -> None:
    attitude = named(model, "target.q")
    slave.setReal(attitude, [0.0] * 4)
    refused(ERROR, slave.exitInitializationMode)
    assert "quaternion" in slave.last() and "target" in slave.last()
    refused(ERROR, slave.getReal, named(model, "target.f"))
    slave.setReal(attitude, [1.0, 0.0, 0.0, 0.0])
    slave.exitInitializationMode()


def test_reset_starts_over(touching: Slave, model: Model, fmu: Path) -> None:
    rows = rattling(model, 30, H, seed=4)
    touching.reset()
    touching.setupExperiment()
    touching.enterInitializationMode()
    with Slave(fmu, fmu.with_suffix(""), model, "fresh") as fresh:
        assert run_fmu(touching, rows, H).tobytes() == run_fmu(fresh.start(), rows, H).tobytes()


def test_instances_do_not_touch_each_other(fmu: Path, model: Model, tmp_path: Path) -> None:
    """Three instances of two scenes in turn, in one process, against each alone."""
    other_model = peg_model(wrench_output="mean", step_size=2e-3)
    other_fmu = export_fmu(other_model, tmp_path / "other.fmu")
    cases = [
        (fmu, fmu.with_suffix(""), model, 1),
        (fmu, fmu.with_suffix(""), model, 2),
        (other_fmu, tmp_path / "other", other_model, 3),
    ]
    alone = []
    for path, folder, scene, seed in cases:
        with Slave(path, folder, scene) as slave:
            alone.append(run_fmu(slave.start(), rattling(scene, 30, H, seed), H)[1:])
    slaves = [Slave(path, folder, scene, f"{seed}").start() for path, folder, scene, seed in cases]
    rows = [rattling(scene, 30, H, seed) for _, _, scene, seed in cases]
    results: list[list[np.ndarray]] = [[], [], []]
    for k in range(30):
        for slave, row, result in zip(slaves, rows, results, strict=True):
            result.append(run_fmu(slave, row[k : k + 1], H, start=k)[-1])
    for slave in slaves:
        slave.freeInstance()
    for result, expected in zip(results, alone, strict=True):
        assert np.array(result).tobytes() == expected.tobytes()


def test_instances_run_side_by_side_in_threads(fmu: Path, model: Model) -> None:
    """Made on one thread, stepped on others; ctypes lets them run at the same time."""
    rows = [rattling(model, 200, H, seed) for seed in range(4)]
    slaves = [Slave(fmu, fmu.with_suffix(""), model, f"{seed}").start() for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda slave, row: run_fmu(slave, row, H), slaves, rows))
    for slave, row, result in zip(slaves, rows, together, strict=True):
        slave.reset()
        slave.enterInitializationMode()
        assert run_fmu(slave, row, H).tobytes() == result.tobytes()
        slave.freeInstance()


def test_input_derivatives_move_the_bodies_and_end_with_a_new_value(slave: Slave, model: Model) -> None:
    """A velocity with its derivative makes a parabola, here of pins that come down on the holes' floors."""
    velocity, depth = named(model, "interface.v[3]"), named(model, "contact.max_depth")
    slave.setReal(named(model, "interface.r"), [0.0, 0.0, 0.0097])  # 0.1 mm into the floors
    slave.setReal(named(model, "interface.q"), [1.0, 0.0, 0.0, 0.0])
    slave.setReal(velocity, [0.0])
    slave.exitInitializationMode()
    start = slave.everything()

    def depth_after(rate: float, *, set_again: bool = False) -> float:
        slave.take(start)
        slave.setRealInputDerivatives(velocity, [1], [rate])
        if set_again:
            slave.setReal(velocity, [0.0])
        slave.doStep(0.0, 0.1)
        return float(slave.getReal(depth)[0])

    without, slow, fast = depth_after(0.0), depth_after(-0.1), depth_after(-0.2)
    assert fast - slow == pytest.approx(0.5 * 0.1 * 0.1**2, rel=1e-9)
    assert without == depth_after(-0.2, set_again=True)


def test_input_derivatives_that_cannot_be(slave: Slave, model: Model) -> None:
    velocity, position = named(model, "interface.v[1]"), named(model, "interface.r[1]")
    before = slave.everything()
    refused(ERROR, slave.setRealInputDerivatives, velocity, [2], [1.0])
    assert "order 1" in slave.last()
    refused(ERROR, slave.setRealInputDerivatives, named(model, "pin_hole.stiffness"), [1], [1.0])
    assert "not an input" in slave.last()
    refused(DISCARD, slave.setRealInputDerivatives, velocity, [1], [math.nan])
    refused(ERROR, slave.setRealInputDerivatives, [*velocity, 99999], [1, 1], [1.0, 1.0])
    # masters that give the derivatives of all inputs give these, too; v says how r moves
    slave.setRealInputDerivatives([*position, *named(model, "interface.q")], [1] * 5, [1.0] * 5)
    assert slave.everything() == before


def test_a_refused_set_leaves_values_and_derivatives(slave: Slave, model: Model) -> None:
    velocity = named(model, "interface.v")
    slave.setReal(velocity, [1.0, 2.0, 3.0])
    slave.setRealInputDerivatives(velocity, [1] * 3, [4.0, 5.0, 6.0])
    before = slave.everything()
    refused(DISCARD, slave.setReal, velocity, [7.0, 8.0, math.nan])
    assert slave.everything() == before


@pytest.mark.parametrize("scheme", ["file://{}", "file:{}", "file://localhost{}", "FILE://{}/", "{}", "{}/"])
def test_resource_locations(slave: Slave, fmu: Path, model: Model, tmp_path: Path, scheme: str) -> None:
    folder = tmp_path / "größe 100% 场景"
    folder.mkdir()
    (folder / "model.bin").write_bytes(model.to_bytes())
    path = quote(str(folder)) if "{}" not in scheme[:2] else str(folder)
    component = slave.fmi2Instantiate(
        b"x", 1, model.guid.encode(), scheme.format(path).encode(), slave.callbacks, 0, 0
    )
    assert component, slave.last()
    slave.fmi2FreeInstance(component)


def test_instances_that_are_refused(slave: Slave, model: Model, tmp_path: Path) -> None:
    content = model.to_bytes()
    other = peg_model(name="other")

    def attempt(content: bytes | None, guid: str = model.guid) -> str:
        (tmp_path / "model.bin").unlink(missing_ok=True)
        if content is not None:
            (tmp_path / "model.bin").write_bytes(content)
        location = tmp_path.as_uri().encode()
        assert slave.fmi2Instantiate(b"x", 1, guid.encode(), location, slave.callbacks, 0, 0) is None
        assert slave.messages[-1].status == ERROR
        return slave.last()

    assert "cannot be read" in attempt(None)
    assert "GUID" in attempt(content, other.guid)
    assert "GUID" in attempt(content, "")
    assert "GUID" in attempt(other.to_bytes())
    assert "does not start with its mark" in attempt(b"\x89PNG\r\n" + bytes(2000))
    assert "damaged" in attempt(content[:-1] + bytes([content[-1] ^ 1]))
    for length in (0, 1, 11, 55, 200, len(content) - 1):
        assert attempt(content[:length])
    assert slave.getReal([0])  # the instance beside them is well
