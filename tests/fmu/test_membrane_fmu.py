"""A membrane as an FMU: the same bits as in Python, winches as inputs, outputs, roll-back, and the command line."""

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.fmu.export import export_fmu
from contactlib.fmu.master import ContactFmu, couple
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.shapes.importers import load_mesh
from tests.support.fmu_cases import Slave, named, of, run_fmu, run_python
from tests.support.scenes import caught_box

SCENE = """
[scene]
name = "catch"
duration = 0.4
step_size = 2e-3

[[body]]
name = "rock"
state = { r = [0, 0, 0.3], v = [0, 0, -1] }
[[body.shape]]
name = "hull"
kind = "box"
size = [0.5, 0.5, 0.5]
density = 300
material = "stone"

[[body]]
name = "ship"
mass = 200
inertia = [50, 50, 80]

[[membrane]]
name = "net"
body = "rock"
carrier = "ship"
suspension_points = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]
stiffness = 300
damping = 15
friction = { stone = 0.3 }
"""

H = 7e-3  # three sub-steps and a half


def swinging(model, steps):
    """Inputs that press the box into the net and rub it there, with winches that work."""
    inputs = of(model, "input")
    rows = np.tile([model.variables[i].start for i in inputs], (steps, 1))
    t = H * np.arange(steps)
    column = {model.variables[i].name: k for k, i in enumerate(inputs)}
    rows[:, column["rock.r[3]"]] = 0.2 - 0.4 * np.sin(4.0 * t)
    rows[:, column["rock.v[3]"]] = -1.6 * np.cos(4.0 * t)
    rows[:, column["rock.w[3]"]] = np.sin(9.0 * t)
    rows[:, column["ring.r[1]"]] = 0.1 * np.sin(3.0 * t)
    rows[:, column["ring.v[1]"]] = 0.3 * np.cos(3.0 * t)
    for k in range(1, 7):
        rows[:, column[f"net.reel[{k}]"]] = 0.05 * (1.0 + np.sin(k + 5.0 * t))
    return rows


@pytest.mark.parametrize("options", [{}, {"wrench_output": "mean", "resolve_in": "body"}, {"integrator": "rk4"}])
@pytest.mark.parametrize("export", [export_fmu, export_pythonfmu])
def test_fmu_gives_the_bits_of_the_python_module(tmp_path, export, options):
    model = caught_box("external", "external", **options).compile()
    rows = swinging(model, 120)
    expected = run_python(model, rows, H)
    force = expected[:, of(model, "output").index(named(model, "net.friction_force")[0])]
    assert (force > 1.0).mean() > 0.2 and (force == 0.0).any()
    with Slave(export(model, tmp_path / "net.fmu"), tmp_path / "net", model) as slave:
        assert run_fmu(slave.start(), rows, H).tobytes() == expected.tobytes()


def test_fmu_takes_commands_rates_and_parameters(tmp_path):
    model = caught_box("external").compile()
    reel = named(model, "net.reel")
    with Slave(export_fmu(model, tmp_path / "net.fmu"), tmp_path / "net", model) as slave:
        slave.start().exitInitializationMode()
        data = contactlib.Simulation(model).data
        for k in range(30):
            slave.setReal(reel, [0.01 * k] * 6)
            slave.setRealInputDerivatives(reel, [1] * 6, [0.01 / H] * 6)
            slave.setReal(named(model, "net.stiffness", "net.rest_area"), [300.0 + k, 8.0])
            slave.doStep(k * H, H)
            for i in reel:
                data.set(i, 0.01 * k)
                data.set_rate(i, 0.01 / H)
            data.set(named(model, "net.stiffness")[0], 300.0 + k)
            data.set(named(model, "net.rest_area")[0], 8.0)
            data.accept_inputs()
            data.advance(H)
        outputs = of(model, "output")
        assert slave.getReal(outputs) == [data.get(i) for i in outputs]
        assert slave.getReal(named(model, "net.supplied_energy"))[0] != 0.0
        touching = named(model, "net.touching")
        assert slave.getInteger(touching) == [int(data.get(touching[0]))] and slave.getInteger(touching)[0] > 0


def test_fmu_rolls_back_and_discards(tmp_path):
    model = caught_box("external", "external").compile()
    rows = swinging(model, 60)
    with Slave(export_fmu(model, tmp_path / "net.fmu"), tmp_path / "net", model) as slave:
        run_fmu(slave.start(), rows[:30], H)
        state, content = slave.getFMUstate(), slave.everything()
        first = run_fmu(slave, rows[30:], H, start=30)
        slave.setFMUstate(state)
        assert slave.everything() == content
        slave.setReal(named(model, "net.reel"), [2.5] * 6)
        before = slave.everything()
        with pytest.raises(FMICallException) as caught:
            slave.doStep(30 * H, H)
        assert caught.value.status == 2 and slave.everything() == before
        assert "element 'net' cannot go on: suspension point 1 is reeled in" in slave.last()
        slave.setFMUstate(state)
        assert run_fmu(slave, rows[30:], H, start=30).tobytes() == first.tobytes()


def test_a_coupled_run_knows_elements(tmp_path):
    """The master on the other side records their outputs and counts their energies."""
    spec = caught_box("external", "external", step_size=1e-3)
    run = couple(export_fmu(spec.compile(), tmp_path / "net.fmu"), duration=0.5, dt=1e-3)
    assert run.trajectory.output("net.touching").max() >= 4 and run.trajectory.output("net.stored_energy").max() > 10.0
    assert run.trajectory.output("net.dissipated_energy")[-1] > 10.0
    assert abs(run.energy_error) < 0.02 and run.balance.linear_error < 1e-12


def test_the_command_line_runs_and_exports(tmp_path):
    spec = tmp_path / "scene.toml"
    spec.write_text(SCENE)
    for arguments in (["show", spec], ["run", spec, "-o", tmp_path / "run"],
                      ["fmu", "export", spec, "-o", tmp_path / "net.fmu"], ["fmu", "info", tmp_path / "net.fmu"],
                      ["fmu", "run", tmp_path / "net.fmu", "-o", tmp_path / "fmu"]):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output
    header, *rows = (tmp_path / "run" / "trajectory.csv").read_text().splitlines()
    column = header.split(",").index("net.dissipated_energy")
    assert float(rows[-1].split(",")[column]) > 0.1
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Energy dissipated by net" in page and "net stored" in page


def test_another_mesh_in_one_command(tmp_path):
    """The shipped FMU with a body from a file: an octahedron, 10 m across, in the place of the asteroid."""
    corners = 5.0 * np.vstack([np.eye(3), -np.eye(3)])
    faces = [(i, j, k) if (i < 3) + (j < 3) + (k < 3) in (1, 3) else (i, k, j)
             for i in (0, 3) for j in (1, 4) for k in (2, 5)]
    file, fmu = tmp_path / "rock.obj", tmp_path / "net.fmu"
    file.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners)
                    + "".join(f"f {i + 1} {j + 1} {k + 1}\n" for i, j, k in faces))
    export = ["fmu", "export", "trampoline", "-o", str(fmu), "--mesh"]
    result = CliRunner().invoke(app, [*export, f"asteroid.surface={file}"])
    assert result.exit_code == 0, result.output
    spec = contactlib.load("trampoline").with_shape("asteroid.surface", load_mesh(file))
    with ContactFmu(fmu) as inside:
        assert inside.model.hash == spec.compile().hash
    states = np.array([body.state for body in spec.rigid_bodies])
    states[0, :7] = 0, 0, 12.5, 1, 0, 0, 0  # a corner half a metre below the frame
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute(states)
    assert simulation.elements["net"].depth == pytest.approx(0.5)
    for text, sentence in [("asteroid.surface", "must be BODY.SHAPE=FILE"),
                           (f"rock.surface={file}", "no shape 'rock.surface'"),
                           (f"asteroid.surface={tmp_path / 'no.stl'}", "no.stl")]:
        result = CliRunner().invoke(app, [*export, text])
        assert result.exit_code == 1 and sentence in result.output
