"""Berthing in a scene: latches led by indicators, in one step and in a fixed order; saved, resumed, and as FMUs."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contactlib
from berthing_plant import NUMBERS
from contactlib._core import engine
from contactlib.elements import Berthing, Drive, Gauge, Indicator, Latch, LatchDrive
from contactlib.elements.berthing import COMMANDS
from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.links import with_external_links
from contactlib.shapes import Box, Sphere
from contactlib.spec import Body, BodyShape, Law, Pair, Spec
from fmu_cases import Slave, named, of, run_fmu, run_python

H = 1e-3
MOTOR = Drive("motor", start=-0.4, low=-0.5, high=2.3, inertia=0.5, gear=200.0, torque_constant=0.05, resistance=2.0,
              current_limit=8.0, efficiency=0.7, friction=0.5, brake=200.0)
#: the tip is beside the ring's edge at -0.4 rad, over it from 0 on, and has drawn it in at 2
CONTROL = NUMBERS | {
    "capture_voltage": 20.0, "berth_voltage": 12.0, "open_voltage": -20.0, "open_angle": -0.4, "capture_angle": 0.05,
    "berthed_angle": 2.0, "indicators_needed": 2.0, "latches_needed": 2.0, "stall_current": 5.0, "stall_rate": 1e-3,
    "ready_time": 0.05, "settle_time": 0.1, "stall_time": 0.2, "lost_time": 0.2, "wait_time": 2.0, "capture_time": 3.0,
    "berth_time": 3.0, "open_time": 4.0,
}
ONE = (1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)


def latch(k: int, **keys: Any) -> Latch:
    """On either side of the ring, turned about z so that both close inwards."""
    attitude = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)) if k == 1 else (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    side = 1.0 if k == 1 else -1.0
    motor = keys.pop("motor", MOTOR)
    return Latch(f"latch{k}", "active", 0.120, 0.060, 0.110, 0.090, motor=motor, position=(0.39 * side, 0.0, -0.097),
                 attitude=attitude, coupler_body=f"link{k}", **keys)


def indicator(k: int) -> Indicator:
    side = 1.0 if k == 1 else -1.0
    return Indicator(f"indicator{k}", "active", f"pin{k}", "plunger", (0, 0, -1), travel=0.06, stiffness=200.0,
                     damping=40.0, inertia=0.1, switch_on=0.01, position=(0.1 * side, 0.0, 0.05))


BERTHING = Berthing("berthing", ("latch1", "latch2"), ("indicator1", "indicator2"), tuple(CONTROL.items()),
                    command="automatic")


def scene(berthing: Berthing = BERTHING, **keys: Any) -> Spec:
    """Two rings; the passive one comes down on two plungers, and two latches' tips meet its edge."""
    tip = BodyShape("tip", Sphere(0.015), "metal", r=(0.19, 0.03, 0.0))
    top = BodyShape("top", Box((0.04, 0.04, 0.04)), "metal", r=(0.0, 0.0, -0.02))
    plate = BodyShape("plate", Box((0.5, 0.3, 0.02)), "metal")
    rest = BodyShape("rest", Box((0.3, 0.3, 0.02)), "rubber", r=(0.0, 0.0, -0.01))
    bodies = (
        Body("active", motion="external", shapes=(rest,)),
        Body("passive", motion="external", mass=200.0, inertia=ONE, shapes=(plate,),
             state=(0.0, 0.0, 0.07, 1, 0, 0, 0, *[0] * 6)),
        *(Body(f"link{k}", motion="driven", shapes=(tip,)) for k in (1, 2)),
        *(Body(f"pin{k}", motion="driven", shapes=(top,)) for k in (1, 2)),
    )
    laws = (Law("law", ("metal", "metal"), "kelvin_voigt", (1e5, 200.0), "bristle", (0.2, 1e5, 50.0, 0.0)),
            Law("seal", ("rubber", "metal"), "kelvin_voigt", (1e5, 500.0)))
    pairs = (*(Pair((name, "passive")) for name in ("link1", "link2", "pin1", "pin2")), Pair(("active", "passive")))
    elements = (berthing, latch(1), latch(2), indicator(1), indicator(2),
                Gauge("seal_load", "active", "rubber", (0.0, 0.0, 1.0)))
    return Spec("rings", bodies=bodies, laws=laws, pairs=pairs, step_size=H, **{"elements": elements} | keys)


STEP, STEPS = 1e-2, 480  # s; ten steps of the core each
OPENS = 3.3  # s


def smooth(t: float, begin: float, end: float) -> tuple[float, float]:
    """From 0 to 1 and its rate, 1/s."""
    x = min(max((t - begin) / (end - begin), 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / (end - begin)


def state_of(t: float) -> np.ndarray:
    """Of the passive ring, by an arm that does not yield: it comes to the indicators, waits, is drawn in, and trembles
    by 1 mm, so that latches slide on it."""
    near, rate = smooth(t, 0.0, 1.0)
    home, speed = smooth(t, 0.95, 1.6)
    z, v = 0.07 - 0.025 * near - 0.0355 * home, -0.025 * rate - 0.0355 * speed
    x, u = 1e-3 * np.sin(9.0 * t), 9e-3 * np.cos(9.0 * t)
    return np.array([x, 0.0, z, 1, 0, 0, 0, u, 0.0, v, 0, 0, 0])


def berth(simulation: contactlib.Simulation, begin: int = 0, end: int = STEPS) -> list[bytes]:
    """The whole state after each step: automatic, and told to open at OPENS."""
    seen = []
    for k in range(begin, end):
        if k == round(OPENS / STEP):
            simulation.elements["berthing"].set(command=COMMANDS.index("open"))
        simulation.step(STEP, {"passive": state_of(k * STEP)})
        seen.append(simulation.save())
    return seen


def test_a_berthing_in_automatic():
    simulation = contactlib.Simulation(scene().compile())
    e, phases, pull = simulation.elements, [1.0], 0.0
    for k in range(STEPS):
        berth(simulation, k, k + 1)
        if e["berthing"].phase != phases[-1]:
            phases.append(e["berthing"].phase)
        if e["berthing"].berthed:
            pull = max(pull, e["latch1"].force)
            # the plate stands 0.5 mm in the seal, of 1e5 N/m at each of its four corners
            assert e["seal_load"].load == pytest.approx(4 * 1e5 * 0.5e-3, rel=1e-9)
            assert e["seal_load"].touching == 4 and e["seal_load"].depth == pytest.approx(0.5e-3, rel=1e-9)
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


# ---- latches as drives only ----------------------------------------------------------------------


def crank_alone(h: float, voltage: float, seconds: float = 0.3) -> tuple[float, float, float]:
    """Angle, rate and missing energy of a crank with a LatchDrive, which a master moves by semi-implicit Euler."""
    motor = replace(MOTOR, friction=1.0)
    drive = LatchDrive("latch", motor, stiffness=1e4, voltage=voltage, power=True, brake=False)
    simulation = contactlib.Simulation(Spec("drive", bodies=(), elements=(drive,), step_size=h).compile())
    e, angle, rate = simulation.elements["latch"], motor.start, 0.0
    for _ in range(round(seconds / h)):
        e.set(angle=angle, rate=rate)
        simulation.step(h)
        new = rate + h * e.torque / motor.inertia
        rate, angle = new, angle + h * new
    # what was supplied, less what went out through the crank, is wound up or heat
    return angle, rate, e.supplied_energy - e.stored_energy - e.dissipated_energy


def test_a_drive_turns_a_crank_as_the_latch_does():
    """Run-up against friction: the latch's own crank, and one that a master moves, to the order of the step."""
    motor = replace(MOTOR, friction=1.0)
    errors = []
    for h in (1e-4, 5e-5):
        alone = Spec("latch", bodies=(Body("active", motion="fixed"),), step_size=h, elements=(
            Latch("latch", "active", 0.120, 0.060, 0.110, 0.090, motor=motor, voltage=20.0, power=True, brake=False),))
        simulation = contactlib.Simulation(alone.compile())
        simulation.step(0.3)
        angle, rate, missing = crank_alone(h, 20.0)
        assert abs(missing) < 1e-12
        assert rate == pytest.approx(simulation.elements["latch"].rate, rel=1e-3)
        errors.append(abs(angle - simulation.elements["latch"].angle))
    assert errors[0] < 2e-3 and errors[1] < 0.6 * errors[0]


def test_a_drive_that_is_off_holds_by_its_brake():
    """Up to brake and friction, by its stiffness and no further; a torque above them slips it."""
    drive = LatchDrive("latch", replace(MOTOR, brake=50.0, friction=1.0), stiffness=1e4)
    simulation = contactlib.Simulation(Spec("drive", bodies=(), elements=(drive,), step_size=H).compile())
    e = simulation.elements["latch"]
    e.set(rate=1.0)
    for k in range(1, 11):
        simulation.step(H)
        assert e.torque == e.held == pytest.approx(-min(1e4 * H * k, 51.0), rel=1e-9)
    assert e.dissipated_energy > 0.0
    e.set(rate=0.0)
    simulation.step(10.0)
    assert e.torque == pytest.approx(-51.0, rel=1e-12)  # it creeps nowhere


def test_a_scene_with_its_links_outside(tmp_path):
    """Fed with links and cranks of the whole scene it gives the wrenches of that, and the phases of its control."""
    whole, parts = scene(), with_external_links(scene(), stiffness=1e5)
    model = parts.compile()
    assert {"link1", "link2"} <= {name for name, motion in zip(model.body_names, model.motions, strict=True)
                                  if motion == "external"}
    simulation, master = contactlib.Simulation(model), contactlib.Simulation(whole.compile())
    names = list(master.model.body_names)
    assert simulation.states == pytest.approx(master.states, abs=1e-15)
    phases, most = set(), 0.0
    for k in range(330):
        berth(master, k, k + 1)
        states = {name: master.states[names.index(name)] for name in ("passive", "link1", "link2")}
        for name in ("latch1", "latch2"):
            simulation.elements[name].set(angle=master.elements[name].angle, rate=master.elements[name].rate)
        simulation.step(STEP, states)
        simulation.compute(states)
        phases.add(simulation.elements["berthing"].phase)
        most = max(most, np.abs(master.result.wrench("link1")).max())
        # pin and bristle memories aside, a wrench is a function of the states
        assert simulation.result.wrench("link1")[2] == pytest.approx(master.result.wrench("link1")[2], abs=2.0)
    assert phases == {1.0, 2.0, 3.0, 4.0, 5.0} and most > 100.0
    fmu = export_fmu(model, tmp_path / "drives.fmu")
    with Slave(fmu, tmp_path / "drives", model) as slave:
        slave.start().exitInitializationMode()
        slave.doStep(0.0, STEP)
        assert len(named(model, "link1.r", "link1.f", "latch1.angle", "latch1.rate", "latch1.torque")) == 9


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(("change", "sentence"), [
    ({"latches": ("latch1", "latch3")}, r"berthing 'berthing': latches has 'latch3': there is no such latch; .*latch"),
    ({"latches": ("latch1", "indicator1")}, "there is no such latch"),
    ({"latches": ("latch1", "latch1")}, "only once"),
    ({"indicators": ("latch1", "indicator1")}, "there is no such indicator"),
    ({"latches": ()}, "from 1 to 8"),
    ({"control": tuple((CONTROL | {"latches_needed": 3.0}).items())}, "control: latches_needed must be a whole number"),
    ({"control": tuple(CONTROL.items())[1:]}, "capture_voltage is missing"),
    ({"command": "go"}, "must be one of"),
])
def test_bad_berthing_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        scene(replace(BERTHING, **change)).compile()


def test_a_latch_has_one_leader():
    spec = scene()
    second = replace(BERTHING, name="second")
    with pytest.raises(ValueError, match="must be led by one only, and 'berthing' leads it"):
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
    page = (Path(__file__).parent.parent / "docs" / "berthing_control.md").read_text()
    for name, unit, meaning, allowed in engine.berthing_rows():
        assert f"| `{name}` | {unit} | {meaning} | {allowed} |" in page
    for k, name in enumerate(engine.BERTHING_PHASES):
        assert f"| {k} `{name}` |" in page
    for k, name in enumerate(COMMANDS):
        assert f"{k} `{name}`" in page


def test_command_line_exports_drives(tmp_path):
    """The FMU of the same scene with its links outside; a scene without latches says so."""
    from typer.testing import CliRunner

    from contactlib.cli import app

    result = CliRunner().invoke(app, ["fmu", "export", "peg_in_hole", "-o", str(tmp_path / "a.fmu"),
                                      "--external-links", "1e5"])
    assert result.exit_code != 0 and "has no latch" in result.output
