"""The end effector as an FMU: the same bits as in Python, a grapple that is rolled back, a recorded one, closed loop.

`python -m tests.fmu.test_lee_fmu` records validation_data/lee_snare*/ anew: do that only when the scenes or the
mathematics were meant to change.
"""

from dataclasses import replace

import numpy as np
import pytest

import contactlib
from contactlib.coupling import couple
from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from tests.support.fmu_cases import Slave, named, of, run_fmu, run_python
from tests.support.recorded import Recorded, state_names, wrench_names

SCENES = ("lee_snare", "lee_snare_pdgf")
BALANCE = [f"lee.f[{k}] + grapple.f[{k}]" for k in (1, 2, 3)]
H, STEPS = 1e-2, 240  # s; ten steps of the core each
INPUTS = [*state_names("grapple"), "snare.command"]
OUTPUTS = [*wrench_names("lee"), *wrench_names("grapple")]
OUTPUTS += ["snare.ring_angle", "snare.load", "snare.phase", "snare.touching"]
OUTPUTS += [f"snare.{name}[{k}]" for name in ("tension", "first_force", "last_force") for k in (1, 2, 3)]


def motion(t):
    """A pin 58 mm off its axis that swings, rolls and goes in and out, while the ring closes on it at 1.3 s."""
    r = np.array([-0.058 + 2e-3 * np.sin(5 * t), 3e-3 * np.sin(3 * t), 0.221 + 2e-3 * np.sin(4 * t)])
    v = np.array([1e-2 * np.cos(5 * t), 9e-3 * np.cos(3 * t), 8e-3 * np.cos(4 * t)])
    angle, rate = 0.03 * np.sin(6 * t), 0.18 * np.cos(6 * t)
    command = 1.0 if t < 2.2 else 0.0
    return np.array([*r, np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0, *v, 0.0, rate, 0.0, command])


def rows_of(model, steps=STEPS, h=H):
    inputs = of(model, "input")
    rows = np.tile([model.variables[i].start for i in inputs], (steps, 1))
    columns = [inputs.index(named(model, name)[0]) for name in INPUTS if named(model, name)[0] in inputs]
    given = [k for k, name in enumerate(INPUTS) if named(model, name)[0] in inputs]
    rows[:, columns] = np.array([motion(k * h) for k in range(steps)])[:, given]
    return rows


@pytest.mark.parametrize("export", [export_fmu, export_pythonfmu])
def test_fmu_gives_the_bits_of_the_python_module(tmp_path, export):
    """2400 steps of the core, the last thousand with the pin in a cable."""
    model = contactlib.load("lee_snare").compile()
    rows = rows_of(model)
    expected = run_python(model, rows, H)
    tension = expected[:, of(model, "output").index(named(model, "snare.tension[2]")[0])]
    assert (tension > 100.0).mean() > 0.15
    with Slave(export(model, tmp_path / "lee.fmu"), tmp_path / "lee", model) as slave:
        assert run_fmu(slave.start(), rows, H).tobytes() == expected.tobytes()


def test_a_grapple_is_rolled_back(tmp_path):
    """To the middle of it, in the same instance and, as bytes, in another."""
    model = contactlib.load("lee_snare").compile()
    rows = rows_of(model, 180)
    fmu = export_fmu(model, tmp_path / "lee.fmu")
    with Slave(fmu, tmp_path / "lee", model) as slave, Slave(fmu, tmp_path / "lee", model, "other") as other:
        run_fmu(slave.start(), rows[:150], H)
        state, content = slave.getFMUstate(), slave.everything()
        assert slave.getInteger(named(model, "snare.touching"))[0] > 0
        first = run_fmu(slave, rows[150:], H, start=150)
        slave.setFMUstate(state)
        assert run_fmu(slave, rows[150:], H, start=150).tobytes() == first.tobytes()
        slave.freeFMUstate(state)
        other.start().exitInitializationMode()
        other.take(content)
        assert run_fmu(other, rows[150:], H, start=150).tobytes() == first.tobytes()


def test_in_a_closed_loop(tmp_path):
    """The payload moved by the master, which holds the wrench over each step of 1 ms, is pulled as in one solver."""
    spec = contactlib.load("lee_snare")
    payload = replace(spec.bodies[1], state=(-0.06, 0.0, 0.22, *spec.bodies[1].state[3:]))
    spec = replace(spec, bodies=(spec.bodies[0], payload))
    run = couple(export_fmu(spec.compile(), tmp_path / "lee.fmu"), duration=2.0, dt=1e-3, fixed=("lee",))
    free = spec.with_motion("fixed", "lee").with_motion("free", "grapple")
    alone = contactlib.Simulation(free.compile()).run(2.0, 1e-3)
    assert run.trajectory.output("snare.tension[2]").max() > 500.0
    velocity, other = (trajectory.body("grapple")[-1, 7:10] for trajectory in (run.trajectory, alone))
    # wrenches are held over each step of the master, of 1 ms, in a pull of some 200 ms: half a step of it
    assert velocity[0] > 0.01 and np.linalg.norm(velocity - other) < 0.5e-3 / 0.2 * np.linalg.norm(other)


# ---- a recorded grapple --------------------------------------------------------------------------


def recorded(scene):
    return Recorded(scene, scene, INPUTS, OUTPUTS, motion, H, STEPS, BALANCE)


@pytest.mark.parametrize("scene", SCENES)
def test_recorded_grapple(tmp_path, scene):
    assert recorded(scene).check(tmp_path)["snare.tension[2]"].max() > 500.0


if __name__ == "__main__":
    for each in SCENES:
        recorded(each).record()
