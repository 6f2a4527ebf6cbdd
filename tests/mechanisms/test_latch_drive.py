"""Latches as drives only: a crank that a master moves, a brake that holds, a scene whose links are outside."""

from dataclasses import replace

import numpy as np
import pytest
from fmpy import read_model_description
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.elements.latch import Latch
from contactlib.elements.latch_drive import LatchDrive
from contactlib.fmu.export import export_fmu
from contactlib.model.parts import Body
from contactlib.model.spec import Spec
from contactlib.simulation.external_links import with_external_links
from tests.support.fmu_cases import Slave, named
from tests.support.rings import MOTOR, STEP, H, berth, scene


def crank_alone(h: float, voltage: float, seconds: float = 0.3) -> tuple[float, float, float]:
    """Angle, rate and missing energy of a crank with a LatchDrive, which a master moves by semi-implicit Euler."""
    motor = replace(MOTOR, friction=1.0)
    drive = LatchDrive("latch", motor=motor, stiffness=1e4, voltage=voltage, power=True, brake=False)
    simulation = contactlib.Simulation(Spec("drive", bodies=(), elements=(drive,), step_size=h).compile())
    e, angle, rate = simulation.elements["latch"], motor.start, 0.0
    for _ in range(round(seconds / h)):
        e.set(angle=angle, rate=rate)
        simulation.step(h)
        new = rate + h * e.torque / motor.inertia
        rate, angle = new, angle + h * new
    # what was supplied, less what went out through the crank, is wound up or heat
    missing = e.supplied_energy - e.stored_energy - e.dissipated_energy
    assert simulation.energy_error == pytest.approx(-missing, abs=1e-15)
    return angle, rate, missing


def test_a_drive_turns_a_crank_as_the_latch_does():
    """Run-up against friction: the latch's own crank, and one that a master moves, to the order of the step."""
    motor = replace(MOTOR, friction=1.0)
    errors, lost = [], []
    for h in (1e-4, 5e-5):
        alone = Spec("latch", bodies=(Body("active", motion="fixed"),), step_size=h, elements=(
            Latch("latch", "active", 0.120, 0.060, 0.110, 0.090, motor=motor, voltage=20.0, power=True, brake=False),))
        simulation = contactlib.Simulation(alone.compile())
        simulation.step(0.3)
        angle, rate, missing = crank_alone(h, 20.0)
        lost.append(missing)
        assert rate == pytest.approx(simulation.elements["latch"].rate, rel=1e-3)
        errors.append(abs(angle - simulation.elements["latch"].angle))
    assert errors[0] < 2e-3 and errors[1] < 0.6 * errors[0]
    # the gear's spring is wound up to 1 N m over 1e4 N m/rad in implicit steps, which takes less than what it holds
    assert 0.0 < lost[0] < 0.5 * 1.0**2 / 1e4 and lost[1] < 0.6 * lost[0]


def test_a_drive_that_is_off_holds_by_its_brake():
    """Up to brake and friction, by its stiffness and no further; a torque above them slips it."""
    drive = LatchDrive("latch", motor=replace(MOTOR, brake=50.0, friction=1.0), stiffness=1e4)
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


def test_command_line_exports_drives(tmp_path):
    """The FMU of the same scene with its links outside; a scene without latches says so."""
    def export(scene):
        path = tmp_path / f"{scene}.fmu"
        result = CliRunner().invoke(app, ["fmu", "export", scene, "-o", str(path), "--external-links", "1e5"])
        return path, result

    path, result = export("cbm")
    assert result.exit_code == 0, result.output
    names = {variable.name for variable in read_model_description(str(path)).modelVariables}
    assert {"latch4.torque", "latch4.angle", "hook4.r[1]", "hook4.f[3]", "berthing.phase"} <= names
    _, result = export("peg_in_hole")
    assert result.exit_code != 0 and "has no latch" in result.output
