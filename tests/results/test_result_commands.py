"""Result files of commands, of FMUs and of campaigns."""

import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib import read_result
from contactlib.cli.main import app
from contactlib.fmu.export import export_fmu
from contactlib.fmu.master import couple
from tests.results.test_result_files import bouncing, recorded
from tests.support.scenes import body, law, scene


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def tables_of(result):
    return {name: result.table(name) for name in result.tables}


def test_the_run_of_an_fmu_has_the_tables_of_the_run_in_python(tmp_path):
    """The FMU moves free bodies itself, with the bits of Python."""
    spec = bouncing()
    _, expected = recorded(spec, tmp_path / "python.clr", duration=0.05)
    fmu = export_fmu(spec.compile(), tmp_path / "bouncing.fmu")
    couple(fmu, duration=0.05, dt=1e-3, results=lambda model: contactlib.ResultWriter(
        tmp_path / "fmu.clr", model, scene=spec))
    found = read_result(tmp_path / "fmu.clr")
    assert len(found.contacts["frame"]) > 10
    assert tables_of(found) == tables_of(expected) and found.scene == spec


def test_the_run_of_an_fmu_has_the_states_of_its_master(tmp_path):
    spec = contactlib.load("peg_in_hole")
    fmu = export_fmu(spec.compile(), tmp_path / "peg.fmu")
    coupled = couple(fmu, duration=0.05, results=tmp_path / "fmu.clr").trajectory
    result = read_result(tmp_path / "fmu.clr")
    assert result.states.tobytes() == coupled.states.tobytes()  # both bodies are external, in the order of the scene
    assert result.wrenches.tobytes() == coupled.wrenches.tobytes()
    assert np.bincount(result.contacts["frame"], minlength=len(result)).tolist() == coupled.contact_count.tolist()
    shapes = {name for body in result.scene.rigid_bodies for name in (f"{body.name}.{s.name}" for s in body.shapes)}
    assert set(result.contacts["shape_a"]) <= shapes  # without the scene, shapes are named by their kinds


def test_commands_write_a_result_file_and_check_it(tmp_path):
    done = run("run", "tripod", "-o", tmp_path / "tripod")
    assert done.exit_code == 0 and f"wrote {tmp_path / 'tripod' / 'result.clr'}" in done.stdout
    checked = run("result", "check", tmp_path / "tripod" / "result.clr")
    assert checked.exit_code == 0 and "result.clr: whole" in checked.stdout
    result = read_result(tmp_path / "tripod" / "result.clr")
    table = np.genfromtxt(tmp_path / "tripod" / "trajectory.csv", delimiter=",", names=True, deletechars="")
    assert table["time"] == pytest.approx(result.time, rel=1e-9)
    assert result.scene.name == "tripod" and result.manifest["source"].startswith("contactlib")


def test_the_command_recovers_and_names_what_is_missing(tmp_path):
    recorded(bouncing(), tmp_path / "r.clr", duration=0.02)
    (tmp_path / "r.clr").write_bytes((tmp_path / "r.clr").read_bytes()[:-70])
    failed = run("result", "check", tmp_path / "r.clr")
    assert failed.exit_code == 1 and f"21 frames can be saved by `contactlib result recover {tmp_path}" in failed.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", contactlib.IncompleteWarning)
        done = run("result", "recover", tmp_path / "r.clr", "-o", tmp_path / "s.clr")
    assert done.exit_code == 0 and "s.clr: INCOMPLETE: the file was damaged or cut short" in done.stdout


def test_a_run_that_fails_keeps_its_frames(tmp_path):
    """A ball in a gap of 1 mm, at steps of half a period: each wall sends it back faster."""
    skin = {"name": "skin", "kind": "sphere", "radius": 0.05, "material": "a"}
    ball = body("ball", "free", [skin], mass=1.0, inertia=[0.1] * 3, state={"r": [0, 0, 0.0502], "v": [0, 0, -0.01]})
    walls = [body(name, "fixed", [{"name": "top", "kind": "plane", "material": "a"}], state=state)
             for name, state in (("floor", {}), ("roof", {"r": [0, 0, 0.101], "q": [0, 1, 0, 0]}))]
    spring = {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 0.0}
    unstable = scene([ball, *walls], [law("touch", ["a", "a"], spring)], [["ball", "floor"], ["ball", "roof"]],
                     step_size=1e-2)
    with pytest.raises(ValueError, match="unstable at t = ") as caught:
        contactlib.record(unstable, tmp_path / "r.clr", duration=100.0)
    assert "contactlib result recover" in caught.value.__notes__[0]
    with pytest.warns(contactlib.IncompleteWarning, match="the run did not end"):
        assert len(read_result(contactlib.results.recover(tmp_path / "r.clr.part"))) > 1
