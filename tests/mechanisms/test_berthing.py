"""Berthing in a scene: latches led by indicators, in one step and in a fixed order; saved, resumed, and as FMUs."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from contactlib.elements.berthing import COMMANDS
from contactlib.elements.gauge import Gauge
from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.model.spec import Spec
from tests.support.fmu_cases import Slave, named, of, run_fmu, run_python
from tests.support.rings import BERTHING, CONTROL, MOTOR, STEP, STEPS, H, berth, latch, scene, state_of


def test_a_berthing_in_automatic():
    simulation = contactlib.Simulation(scene().compile())
    e, phases, pull = simulation.elements, [1.0], 0.0
    for k in range(STEPS):
        berth(simulation, k, k + 1)
        if e["berthing"].phase != phases[-1]:
            phases.append(e["berthing"].phase)
        if e["berthing"].berthed:
            pull = max(pull, e["latch1"].force)
            # the plate stands 0.5 mm in the seal, of 1e5 N/m; where they are flush a rim as wide as the depth yields
            assert e["seal_load"].load == pytest.approx(1e5 * 0.5e-3, rel=2 * 0.5e-3 / 0.3)
            assert e["seal_load"].touching == 1 and e["seal_load"].depth == pytest.approx(0.5e-3, rel=1e-9)
    assert phases == [1, 2, 3, 4, 5, 6, 0]
    assert pull > 100.0 and e["berthing"].failed.tolist() == [0, 0] and not e["berthing"].captured
    assert e["latch1"].angle == pytest.approx(-0.4, abs=0.02)


def test_the_order_of_elements_is_the_cores_own():
    """In whatever order a scene lists them, latches and indicators come before what leads them."""
    spec = scene()
    here = contactlib.Simulation(spec.compile())
    there = contactlib.Simulation(replace(spec, elements=spec.elements[1:] + spec.elements[:1]).compile())
    assert here.model.element_names == there.model.element_names and here.model.element_names[-1] == "berthing"
    assert here.model.hash == there.model.hash


def test_an_order_acts_in_the_very_next_step():
    """The control sees the end of a step; the latch moves in the next one, and stops in the one after it arrives."""
    numbers = CONTROL | {"ready_time": 0.0}
    simulation = contactlib.Simulation(scene(replace(BERTHING, control=tuple(numbers.items()))).compile())
    ready = {"passive": state_of(0.9)}
    latch, control = simulation.elements["latch1"], simulation.elements["berthing"]
    while control.phase < 2:
        simulation.step(H, ready)
    assert latch.rate == 0.0 and latch.current == 0.0
    simulation.step(H, ready)
    assert latch.rate > 0.0 and latch.current > 0.0
    while control.phase == 2:
        simulation.step(H, ready)
    assert latch.angle >= CONTROL["capture_angle"] - CONTROL["angle_tolerance"] and latch.current > 0.0
    rate = latch.rate
    simulation.step(H, ready)
    assert latch.current == 0.0 and latch.rate < 0.9 * rate  # its brake


def test_a_latch_that_is_led_obeys_its_own_inputs_in_manual_only():
    simulation = contactlib.Simulation(scene(replace(BERTHING, command="hold")).compile())
    first, second = simulation.elements["latch1"], simulation.elements["latch2"]
    first.set(voltage=20.0, power=1, brake=0)
    simulation.step(0.5)
    assert first.angle == -0.4 and first.current == 0.0  # from the first step on
    simulation.elements["berthing"].set(command=COMMANDS.index("manual"))
    simulation.step(0.2)
    assert first.angle > -0.1 and second.angle == -0.4
    first.set(voltage=0.0, power=0, brake=1)
    simulation.step(0.1)
    where = first.angle
    second.set(voltage=-20.0, power=1, brake=0)
    simulation.step(0.1)
    assert first.angle == where and second.angle < -0.45
    simulation.elements["berthing"].set(command=COMMANDS.index("open"))
    simulation.step(1.0)
    assert simulation.elements["berthing"].phase == 0
    assert first.angle == pytest.approx(-0.4, abs=0.02) and second.angle < -0.45


@pytest.mark.parametrize(("motor", "flag"), [({"friction": 500.0}, "stalled"), ({"resistance": 1e9}, "late")])
def test_a_latch_that_does_not_move(motor, flag):
    """Jammed, it takes all of its current; dead, none. The other one goes on, and which one failed is shown."""
    spec = scene(replace(BERTHING, command="capture"))
    elements = (spec.elements[0], spec.elements[1], latch(2, motor=replace(MOTOR, **motor)), *spec.elements[3:])
    simulation = contactlib.Simulation(replace(spec, elements=elements).compile())
    berth(simulation, 0, 100)
    simulation.step(4.0, {"passive": state_of(0.9)})
    e = simulation.elements
    assert e["berthing"].phase == 8 and getattr(e["berthing"], flag) == 1 and e["berthing"].failed.tolist() == [0, 1]
    assert e["latch1"].angle == pytest.approx(CONTROL["capture_angle"], abs=0.02) and e["latch2"].angle == -0.4


def test_resumed_in_the_middle_of_a_stroke():
    """Of closing, of drawing in, and of opening: the same bits from there on, in the same instance and in another."""
    model = scene().compile()
    simulation, other = contactlib.Simulation(model), contactlib.Simulation(model)
    whole = berth(simulation)
    for k in (80, 150, 260, 400):
        for each in (simulation, other):
            each.restore(whole[k - 1])
            assert each.elements["latch1"].rate != 0.0
            assert berth(each, k, k + 40) == whole[k:k + 40]


def rows_of(model: contactlib.Model) -> np.ndarray:
    inputs = [model.variables[i].name for i in of(model, "input")]
    rows = np.tile([model.variables[i].start for i in of(model, "input")], (STEPS, 1))
    first = inputs.index("passive.r[1]")
    rows[:, first:first + 13] = [state_of(k * STEP) for k in range(STEPS)]
    return rows


@pytest.mark.parametrize("export", [export_fmu, export_pythonfmu])
def test_fmu_gives_the_bits_of_the_python_module(tmp_path, export):
    """All of a berthing, up to where it would open; then back into the middle of a stroke."""
    model = scene().compile()
    rows = rows_of(model)[:330]
    expected = run_python(model, rows, STEP)
    loads = expected[:, of(model, "output").index(named(model, "latch1.load")[0])]
    assert np.abs(loads[-30:]).min() > 1.0
    with Slave(export(model, tmp_path / "rings.fmu"), tmp_path / "rings", model) as slave:
        assert run_fmu(slave.start(), rows[:200], STEP).tobytes() == expected[:201].tobytes()
        content = slave.everything()
        assert run_fmu(slave, rows[200:], STEP, start=200).tobytes() == expected[201:].tobytes()
        assert slave.getInteger(named(model, "berthing.berthed"))[0] == 1
        slave.take(content)
        assert run_fmu(slave, rows[200:], STEP, start=200).tobytes() == expected[201:].tobytes()


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(("change", "sentence"), [
    ({"latches": ("latch1", "latch3")}, r"berthing 'berthing': latches has 'latch3': there is no such latch; .*latch"),
    ({"latches": ("latch1", "indicator1")}, "there is no such latch"),
    ({"latches": ("latch1", "latch1")}, "only once"),
    ({"indicators": ("latch1", "indicator1")}, "there is no such indicator"),
    ({"latches": ()}, "from 1 to 8"),
    ({"control": tuple((CONTROL | {"latches_needed": 3.0}).items())}, "latches_needed must be an integer from 1 to"),
    ({"control": tuple(CONTROL.items())[1:]}, "capture_voltage is missing"),
    ({"command": "go"}, "must be one of"),
])
def test_bad_berthing_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        scene(replace(BERTHING, **change)).compile()


def test_a_latch_has_one_leader():
    spec = scene()
    second = replace(BERTHING, name="second")
    with pytest.raises(ValueError, match="must be led by one control only, and 'berthing' leads it"):
        replace(spec, elements=(*spec.elements, second)).compile()


def test_bad_gauge_is_refused():
    gauge = Gauge("gauge", "active", "seal", (0.0, 0.0, 1.0))
    for change, sentence in (({}, "no shape of 'active' is made of it"),
                             ({"body": "actives"}, "no such body"), ({"axis": (0.0, 0.0, 0.0)}, "must not be zero")):
        with pytest.raises(ValueError, match=sentence):
            scene(elements=(replace(gauge, **change),)).compile()


def test_scene_file_has_them():
    numbers = "\n".join(f"{key} = {value}" for key, value in CONTROL.items())
    text = f"""
[scene]
name = "berthing"
[[body]]
name = "ring"
motion = "fixed"
[[body]]
name = "pin"
motion = "driven"
[[body.shape]]
name = "seal"
kind = "sphere"
radius = 0.1
material = "rubber"
[[latch_drive]]
name = "a"
stiffness = 1e5
[latch_drive.motor]
mode = "motor"
inertia = 20.0
gear = 1000.0
torque_constant = 0.05
resistance = 1.2
current_limit = 100.0
efficiency = 0.6
[[indicator]]
name = "b"
base = "ring"
body = "pin"
motion = "plunger"
axis = [0, 0, 1]
travel = 0.1
stiffness = 10.0
inertia = 1.0
switch_on = 0.05
[[gauge]]
name = "c"
body = "pin"
material = "rubber"
axis = [0, 0, 2]
[[berthing]]
name = "d"
latches = ["a"]
indicators = ["b"]
command = "automatic"
[berthing.control]
{numbers}
"""
    text = text.replace("indicators_needed = 2.0", "indicators_needed = 1").replace("latches_needed = 2.0",
                                                                                "latches_needed = 1")
    spec = Spec.from_dict(tomllib.loads(text))
    model = spec.compile()
    assert set(model.element_names) == {"a", "b", "c", "d"}
    assert [element.summary() for element in spec.elements if element.kind == "berthing"] == [
        "1 of 1 latches, ready by 1 of 1 indicators"]
    with pytest.raises(ValueError, match=r"berthing\[0\].control.stall_time is missing"):
        Spec.from_dict(tomllib.loads(text.replace("stall_time = 0.2", "")))
    with pytest.raises(ValueError, match=r"berthing\[0\].control: open_angle must be finite|open_angle"):
        Spec.from_dict(tomllib.loads(text.replace("open_angle = -0.4", "open_angle = nan")))


def test_the_page_lists_the_numbers_of_the_control():
    """Each with its unit, its meaning and what it may be, as the core has them."""
    page = (Path(__file__).parents[2] / "docs" / "berthing_control.md").read_text()
    for name, unit, meaning, allowed in engine.berthing_rows():
        assert f"| `{name}` | {unit} | {meaning} | {allowed} |" in page
    for k, name in enumerate(engine.BERTHING_PHASES):
        assert f"| {k} `{name}` |" in page
    for k, name in enumerate(COMMANDS):
        assert f"{k} `{name}`" in page
