"""The berthing rings as an FMU: a whole berthing in automatic with the same bits as in Python, resumed, recorded.

`python -m tests.fmu.test_cbm_fmu` records validation_data/cbm/ anew: do that only when the scene or the mathematics
were meant to change.
"""

from dataclasses import replace

import numpy as np
import pytest

import contactlib
from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.simulation.external_links import with_external_links
from tests.support.fmu_cases import Slave, named, of, run_fmu, run_python
from tests.support.recorded import Recorded, state_names, wrench_names

H, STEPS = 1e-2, 1860  # s; ten steps of the core each
AUTOMATIC = 5
INPUTS = [*state_names("passive"), "berthing.command"]
OUTPUTS = [*wrench_names("active"), *wrench_names("passive"), "contact.count"]
OUTPUTS += [f"latch{k}.{name}" for k in range(1, 5) for name in ("angle", "torque", "current", "force")]
OUTPUTS += [f"indicator{k}.{name}" for k in range(1, 5) for name in ("travel", "switched")]
OUTPUTS += ["seal_load.load", *(f"berthing.{name}" for name in ("phase", "seated", "captured", "berthed"))]


def smooth(t, begin, end):
    """From 0 to 1 and its rate, 1/s."""
    x = min(max((t - begin) / (end - begin), 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / (end - begin)


def motion(t):
    """An arm that does not yield brings the passive ring to where the indicators show, and home when the latches have
    closed, where hooks and stand-offs load it; it trembles by 0.1 mm, so that contacts slide."""
    near, rate = smooth(t, 0.0, 0.6)
    home, speed = smooth(t, 7.5, 15.5)
    z, v = 0.13 - 0.042 * near - 0.0868 * home, -0.042 * rate - 0.0868 * speed
    x, u = 1e-4 * np.sin(11.0 * t), 1.1e-3 * np.cos(11.0 * t)
    return np.array([x, 0.0, z, 1.0, 0.0, 0.0, 0.0, u, 0.0, v, 0.0, 0.0, 0.0, AUTOMATIC])


BALANCE = [f"active.f[{k}] + passive.f[{k}]" for k in (1, 2, 3)]
CASE = Recorded("cbm", "cbm", INPUTS, OUTPUTS, motion, H, STEPS, BALANCE)


@pytest.fixture(scope="module")
def model():
    """Told to be automatic from the start on."""
    spec = contactlib.load("cbm")
    elements = tuple(replace(element, command="automatic") if element.kind == "berthing" else element
                     for element in spec.elements)
    return replace(spec, elements=elements).compile()


@pytest.fixture(scope="module")
def rows(model):
    inputs = of(model, "input")
    table = np.tile([model.variables[i].start for i in inputs], (STEPS, 1))
    columns = [inputs.index(i) for i in named(model, *INPUTS[:-1])]
    table[:, columns] = [motion(k * H)[:-1] for k in range(STEPS)]
    return table


@pytest.fixture(scope="module")
def berthing(model, rows):
    """All real outputs of a whole berthing, in Python."""
    return run_python(model, rows, H)


@pytest.mark.parametrize("export", [export_fmu, export_pythonfmu])
def test_fmu_gives_the_bits_of_the_python_module(tmp_path, model, rows, berthing, export):
    """All of a berthing: 18 600 steps of the core; and from the middle of a stroke of the latches on, once more, in the
    same instance and, as bytes, in another."""
    middle = 1400
    angle = berthing[:, of(model, "output").index(named(model, "latch3.angle")[0])]
    assert 0.2 < angle[middle] < 0.9 < angle[-1]
    fmu = export(model, tmp_path / "cbm.fmu")
    with Slave(fmu, tmp_path / "cbm", model) as slave, Slave(fmu, tmp_path / "cbm", model, "other") as other:
        assert run_fmu(slave.start(), rows[:middle], H).tobytes() == berthing[:middle + 1].tobytes()
        content = slave.everything()
        assert run_fmu(slave, rows[middle:], H, start=middle).tobytes() == berthing[middle + 1:].tobytes()
        assert [slave.getInteger(named(model, f"berthing.{name}"))[0] for name in ("captured", "berthed", "ready")] == [
            1, 1, 4]
        other.start().exitInitializationMode()
        for each in (slave, other):
            each.take(content)
            assert run_fmu(each, rows[middle:], H, start=middle).tobytes() == berthing[middle + 1:].tobytes()


def test_resumed_in_the_middle_of_a_stroke(model):
    """In Python: the same state block, byte by byte, from the middle of capturing on."""
    simulation, other = contactlib.Simulation(model), contactlib.Simulation(model)

    def go(which, begin, end):
        for k in range(begin, end):
            which.step(H, {"passive": motion(k * H)[:-1]})
        return which.save()

    middle = go(simulation, 0, 400)
    assert abs(simulation.elements["latch1"].rate) > 0.1 and simulation.elements["berthing"].phase == 2
    other.restore(middle)
    assert go(simulation, 400, 500) == go(other, 400, 500)


def test_what_the_fmu_shows(model):
    """Inputs and outputs that a training simulator connects."""
    table = {variable.name: variable for variable in model.variables}
    for name in (*INPUTS, *state_names("active"), *(f"latch{k}.{command}" for k in range(1, 5)
                                                    for command in ("voltage", "power", "brake"))):
        assert table[name].causality == "input"
    for name in OUTPUTS:
        assert table[name].causality == "output" and table[name].description
    units = {"latch1.angle": "rad", "latch1.torque": "N.m", "latch1.current": "A", "latch1.force": "N",
             "indicator1.travel": "rad", "seal_load.load": "N"}
    assert {name: table[name].unit for name in units} == units


def test_the_same_scene_with_latches_as_drives(tmp_path):
    """Links are inputs, torques on the cranks outputs; the control leads the drives."""
    model = with_external_links(contactlib.load("cbm"), 1e5).compile()
    table = {variable.name: variable for variable in model.variables}
    for k in range(1, 5):
        assert table[f"hook{k}.r[1]"].causality == table[f"latch{k}.angle"].causality == "input"
        assert table[f"hook{k}.f[1]"].causality == table[f"latch{k}.torque"].causality == "output"
    with Slave(export_fmu(model, tmp_path / "drives.fmu"), tmp_path / "drives", model) as slave:
        references = named(model, *INPUTS[:-1])
        slave.start().setReal(references, motion(0.0)[:-1])
        slave.exitInitializationMode()
        slave.setInteger(named(model, "berthing.command"), [1])
        for k in range(150):
            slave.setReal(references, motion(k * H)[:-1])
            slave.doStep(k * H, H)
        assert slave.getInteger(named(model, "berthing.phase"))[0] == 2
        # still: at its current's limit, 0.6 * 1000 * 0.05 * 20, less nothing, for the brake is off
        assert slave.getReal(named(model, "latch2.torque"))[0] == pytest.approx(600.0)
        for k in range(150, 300):
            slave.setReal(references, motion(k * H)[:-1])
            slave.doStep(k * H, H)
        assert slave.getInteger(named(model, "berthing.stalled"))[0] == 1  # a crank that never moves is a jam


def test_recorded_berthing(tmp_path):
    # the same mathematics: sin and cos of another C library may differ in the last bit, and sliding remembers it; hooks
    # of 4e6 N/m make 4e-9 N of a difference of 1e-15 m, far below 1e-8 of the forces here
    expected = CASE.check(tmp_path)
    assert expected["berthing.berthed"][-1] == 1 and expected["latch1.force"].max() > 100.0
    assert expected["seal_load.load"][-1] > 100.0 and expected["contact.count"].max() > 100


if __name__ == "__main__":
    CASE.record()
