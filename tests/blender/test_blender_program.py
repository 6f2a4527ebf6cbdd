"""The extension in Blender itself: the tutorial, every operator, real bad models, four scenes, a large mesh."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from benchmarks import blender_round_trip
from contactlib.blender import host
from contactlib.blender.archive import FOLDER, write_extension
from contactlib.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "blender.md"
INSIDE = Path(__file__).with_name("inside")


@pytest.fixture(scope="module")
def tutorial(program: host.Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all steps of the tutorial were run, with the extension installed from its zip file."""
    folder = tmp_path_factory.mktemp("tutorial")
    write_extension(folder / "contactlib_blender.zip")
    own = {"BLENDER_USER_RESOURCES": str(folder / "resources")}
    steps = host.run_script(program, INSIDE / "blender_tutorial_steps.py", str(PAGE), str(folder), environment=own)
    assert steps[0] == "Install" and steps[-1] == "4. Check and export"
    return folder


def test_the_tutorial_has_every_step_as_a_block():
    """A step that the text describes has a block that does the same."""
    section = PAGE.read_text(encoding="utf-8").partition("## A docking")[2].partition("\n## ")[0]
    assert section.count("```python") >= 8
    for button in ("mark_body", "add_shape", "fit", "set_law", "add_pair", "set_scene", "check", "export_scene"):
        assert f"bpy.ops.contactlib.{button}(" in section


def test_the_forces_of_the_tutorial_are_right(tutorial: Path):
    """Against closed forms: k x below the bottom of the hole on the axis, k (d - clearance) beside the axis."""
    spec = contactlib.load(tutorial / "docking")
    simulation = contactlib.Simulation(spec.compile())
    k, pin, hole, depth, tip = 5e4, 0.0173, 0.0175, 0.05 + 0.0175, 0.06 + 0.0173
    for x in (1e-4, 5e-4):
        wrenches, _ = simulation.compute({"chaser": {"r": (0.0, 0.0, tip - depth - x), "v": (0.0, 0.0, 0.0)}})
        force = wrenches[simulation.model.body_names.index("chaser")]
        assert force[:3] == pytest.approx([0.0, 0.0, k * x], rel=1e-9, abs=1e-6)
        assert force[3:] == pytest.approx(np.zeros(3), abs=1e-6)
    for d in (3e-4, 8e-4):
        wrenches, contacts = simulation.compute({"chaser": {"r": (d, 0.0, 0.03), "v": (0.0, 0.0, 0.0)}})
        force = wrenches[simulation.model.body_names.index("chaser")]
        assert len(contacts) > 0
        assert force[:3] == pytest.approx([-len(contacts) * k * (d - (hole - pin)), 0.0, 0.0], rel=1e-6, abs=1e-6)


def test_the_chaser_of_the_tutorial_docks(tutorial: Path):
    """The pin slides into the hole to its bottom, and the run creates no energy."""
    spec = contactlib.load(tutorial / "docking")
    simulation = contactlib.Simulation(spec.compile())
    run = simulation.run(spec.duration, 1e-4, every=100)
    chaser = simulation.model.body_names.index("chaser")
    z = run.states[:, chaser, 2]
    kinetic = 0.5 * 10.0 * (run.states[:, chaser, 7:10] ** 2).sum(axis=1)
    assert z.min() < 0.06 + 0.0173 - 0.05 - 0.0175 + 1e-3  # m: the tip has come to the bottom of the hole
    assert kinetic[-1] < kinetic[0]
    assert np.hypot(run.states[-1, chaser, 0], run.states[-1, chaser, 1]) < 2e-3


def test_every_operator_works_and_bad_models_give_sentences(program: host.Program, tmp_path: Path):
    lines = host.run_script(program, INSIDE / "blender_interface.py", str(tmp_path))
    found = json.loads(lines[-1])
    edit = found["edit"]
    assert edit["point"] == [[[0.5, 1.0, 0.5]], "lander", "shape"]  # corner (1, 0.5, 0.5), turned by 90 degrees, moved
    assert edit["segment"][0] == [[0.5, -1.0, 0.5], [0.5, 1.0, 0.5]]
    assert len(edit["plane"][0]) == 4 and edit["normal"] == [0.0, 0.0, 1.0]
    keys = found["properties"]
    assert keys["body"] == {"motion": "free", "mass": 0.1, "inertia": [0.1, 0.2, 0.3], "com": [0.0, 0.0, 0.7],
                            "state": {"v": [0.1, 0.0, 0.0], "w": [0.0, 0.3, 0.0]}}
    assert keys["group"] == {"movable": True, "volume": "obb"}
    assert keys["box"] == {"kind": "box", "size": [0.1, 0.2, 0.3], "density": 2700.0, "rounding": 0.01, "name": "foot"}
    assert found["overlays"]["shapes"] >= 12 and found["overlays"]["normals"] == 6 and found["overlays"]["volumes"] > 0
    assert found["fits"]["sphere"] == pytest.approx([0.0, 1.0, 1.0, 1.0], abs=1e-5)
    assert found["fits"]["hull"][0] == pytest.approx(0.0, abs=1e-5)
    report, refusal = found["bad"]
    for label, words in (("head", "is not convex"), ("wheel", "has the scale (2, 2, 2)"),
                         ("mast", "has a negative scale"), ("bare", "has no material"), ("bare", "has the constraint")):
        assert re.search(rf"object '{label}' .*{re.escape(words)}", report), report
        assert words in refusal
    assert "custom property 'contact' that is no mark" in found["damaged"][0]
    assert "is no TOML file" in found["damaged"][1]
    assert found["left"] == []


@pytest.mark.parametrize("name", blender_round_trip.SCENES)
def test_wrenches_of_a_scene_through_blender_are_those_of_the_shipped_one(program, name: str, tmp_path: Path):
    """At 1,000 random states, most of which have contacts; the compiled models are the same bytes."""
    extracted = blender_round_trip.through_blender(program, name, tmp_path)
    shipped = contactlib.load(name)
    figures = blender_round_trip.compare(shipped, extracted)
    assert figures["difference"] <= 1e-12
    assert figures["loaded"] > 500
    assert extracted.compile().hash == shipped.compile().hash


def test_a_mesh_of_100000_triangles_is_extracted_whole(program: host.Program, tmp_path: Path):
    """How long this takes is measured by benchmarks/blender_round_trip.py."""
    (triangles,) = host.run_script(program, INSIDE / "blender_large_mesh.py", str(tmp_path / "rock.blend"))
    assert int(triangles) >= 100_000
    host.extract(program, tmp_path / "rock.blend", tmp_path / "rock")
    obj = (tmp_path / "rock" / "meshes" / "rock_rock.obj").read_text()
    assert obj.count("\nf ") == int(triangles)


def test_blender_accepts_the_extension(program: host.Program):
    """Blender's own checker of extensions, which needs no Blender to run."""
    if program.is_blender:
        pytest.skip("Blender's checker of extensions is a file of the package bpy")
    find = "import bpy; print(bpy.utils.resource_path('LOCAL'))"
    done = subprocess.run([str(program.path), "-c", find], capture_output=True, text=True, check=True)
    checker = Path(done.stdout.splitlines()[-1]) / "scripts" / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    done = subprocess.run([str(program.path), str(checker), "validate", str(FOLDER)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- without Blender -----------------------------------------------------------------------------


def test_the_extension_is_the_same_bytes_every_time(tmp_path: Path):
    one, two = write_extension(tmp_path / "a.zip"), write_extension(tmp_path / "b.zip")
    assert one.read_bytes() == two.read_bytes()


def test_the_command_names_the_remedy_where_no_blender_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    result = CliRunner().invoke(app, ["blender", "extract", "a.blend", "--python", str(tmp_path / "missing")])
    assert result.exit_code == 1 and "there is no such program" in result.output and "make blender" in result.output
    plain = CliRunner().invoke(app, ["blender", "extract", str(tmp_path / "a.blend"), "--python", sys.executable])
    assert plain.exit_code == 1 and "bpy" in plain.output
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "blender"))
    with pytest.raises(ValueError, match="--python or by the variable CONTACTLIB_BLENDER"):
        host.find_program()


def test_files_that_are_no_scenes_give_a_sentence(program: host.Program, tmp_path: Path):
    (tmp_path / "bad.blend").write_bytes(b"BLENDER but not really")
    with pytest.raises(ValueError, match=r"bad\.blend is no \.blend file"):
        host.extract(program, tmp_path / "bad.blend", tmp_path / "out")
    with pytest.raises(ValueError, match=r"missing\.blend: No such file"):
        host.extract(program, tmp_path / "missing.blend", tmp_path / "out")
    (tmp_path / "bad.toml").write_text("[scene")
    with pytest.raises(ValueError, match=r"bad\.toml: not a TOML file"):
        host.make(program, tmp_path / "bad.toml", tmp_path / "a.blend")
    assert not (tmp_path / "out").exists()
