"""What a result file holds: the bits of the run, scene, contacts, cables, membranes; readable without contactlib."""

import json
import zipfile

import numpy as np
import pandas
import pytest

import contactlib
from contactlib import ResultWriter, Simulation, read_result
from contactlib.model.spec import SCENES
from contactlib.results import recover
from contactlib.results.scene_of_model import scene_of_model
from contactlib.results.scene_text import known_classes, read_scene, write_scene
from contactlib.shapes.shapes import SHAPES
from tests.support.scenes import body, law, scene

SPRING = {"kind": "kelvin_voigt", "stiffness": 2e4, "damping": 20.0}


def bouncing(**options):
    """Two balls that roll and bounce on a plane."""
    balls = [body(f"ball_{k}", "free", [{"name": "skin", "kind": "sphere", "radius": 0.1, "material": "a"}], mass=2.0,
                  inertia=[0.008] * 3, state={"r": [0.3 * k, 0.0, 0.11], "v": [0.5, 0.1, -0.2], "w": [1.0, -3.0, 2.0]})
             for k in range(2)]
    ground = body("ground", "fixed", [{"name": "top", "kind": "plane", "material": "b"}])
    return scene([*balls, ground], [law("touch", ["a", "b"], SPRING)], [["ball_0", "ground"], ["ball_1", "ground"]],
                 gravity=[0.0, 0.0, -9.81], step_size=1e-3, **options)


def recorded(spec, path, duration=0.05, every=1, **options):
    """The trajectory and the result of one run."""
    simulation = Simulation(spec.compile())
    with ResultWriter(path, simulation.model, scene=spec, **options) as writer:
        run = simulation.run(duration, spec.longest_step, every=every, results=writer)
    return run, read_result(path)


def test_a_file_returns_the_bits_of_the_run(tmp_path):
    run, result = recorded(bouncing(), tmp_path / "r.clr", every=3)
    assert len(result) == len(run.time) == 18
    for name in ("time", "states", "wrenches"):
        assert getattr(result, name).tobytes() == getattr(run, name).tobytes(), name
    again = result.trajectory
    for name in ("contact_count", "deep", "max_depth", "energy_dissipated", "energy_stored", "energy_error"):
        assert getattr(again, name).tobytes() == getattr(run, name).tobytes(), name
    assert result.bodies == run.body_names and result.incomplete == "" and run.contact_count.any()
    assert list(tmp_path.iterdir()) == [tmp_path / "r.clr"]  # the folder of the run is gone


def test_contacts_are_those_of_each_step(tmp_path):
    spec = bouncing()
    simulation = Simulation(spec.compile())
    seen = []
    with ResultWriter(tmp_path / "r.clr", simulation.model, scene=spec, interval=0.0) as writer:
        for _ in range(40):
            simulation.step(1e-3)
            writer.record(simulation)
            seen.append((simulation.contacts.copy(), simulation.states.copy()))
    result = read_result(tmp_path / "r.clr")
    assert len(result.contacts["frame"]) == sum(len(contacts) for contacts, _ in seen) > 10
    for frame, (contacts, states) in enumerate(seen):
        rows = result.contacts_of(frame)
        assert rows["f_W"].tobytes() == np.ascontiguousarray(contacts["f_B_W"]).tobytes()
        assert rows["n_W"].tobytes() == np.ascontiguousarray(contacts["n_AB_W"]).tobytes()
        assert rows["depth"].tolist() == contacts["depth"].tolist()
        assert rows["shape_a"].tolist() == contacts.names("shape_a")
        assert rows["body_b"].tolist() == contacts.names("body_b") and rows["law"].tolist() == contacts.names("law")
        np.testing.assert_allclose(rows["r_W"], states[contacts["body_b"], :3] + contacts["p_BC_W"], atol=1e-15)


def test_a_run_in_pieces_and_in_body_axes_has_world_axes(tmp_path):
    world, _ = recorded(bouncing(), tmp_path / "world.clr")
    spec = bouncing(resolve_in="body")
    simulation = Simulation(spec.compile())
    with ResultWriter(tmp_path / "body.clr", simulation.model) as writer:
        for _ in range(5):
            simulation.run(0.01, 1e-3, results=writer)
    result = read_result(tmp_path / "body.clr")
    assert len(result) == 51 and (np.diff(result.time) > 0).all()
    np.testing.assert_allclose(result.states, world.states, atol=1e-12)
    np.testing.assert_allclose(result.wrenches, world.wrenches, atol=1e-9)  # N; rotated and back


def test_cables_are_the_nodes_of_the_simulation(tmp_path):
    spec = contactlib.load("lee_snare")
    simulation = Simulation(spec.compile())
    with ResultWriter(tmp_path / "r.clr", simulation.model, scene=spec) as writer:
        nodes = []
        for _ in range(3):
            simulation.step(1e-3)
            writer.record(simulation)
            nodes.append(simulation.cable_nodes("snare"))
    result = read_result(tmp_path / "r.clr")
    assert list(result.cables) == [f"snare[{k + 1}]" for k in range(len(nodes[0]))]
    for k, name in enumerate(result.cables):
        assert result.cables[name].tobytes() == np.array([row[k][:, :3] for row in nodes]).tobytes()
        assert result.cable_slopes[name].tobytes() == np.array([row[k][:, 3:6] for row in nodes]).tobytes()


def test_the_fabric_of_a_membrane_has_the_area_that_its_element_computes(tmp_path):
    spec = contactlib.load("trampoline_bounce")
    result = contactlib.record(spec, tmp_path / "r.clr", every=40)
    [name] = result.membranes
    assert (result.outputs[f"{name}.depth"] > 0).sum() > 10
    for frame in range(len(result)):
        vertices, triangles = result.membrane(name, frame)
        p = vertices[triangles]
        area = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1).sum() / 2
        assert area == pytest.approx(result.outputs[f"{name}.area"][frame], rel=1e-12)  # sums of a few triangles


def test_pandas_reads_a_file_without_contactlib(tmp_path):
    run, _ = recorded(bouncing(), tmp_path / "r.clr")
    with zipfile.ZipFile(tmp_path / "r.clr") as file:
        states = pandas.read_parquet(file.open("states.parquet"), columns=["time", "ball_1.r[3]"])
        contacts = pandas.read_parquet(file.open("contacts.parquet"))
    assert states["ball_1.r[3]"].to_numpy().tobytes() == run.body("ball_1")[:, 2].tobytes()
    assert set(contacts["body_a"]) | set(contacts["body_b"]) == {"ball_0", "ball_1", "ground"}
    assert contacts.groupby("frame").size().sum() == run.contact_count.sum()


@pytest.mark.parametrize("name", sorted(path.parent.name for path in SCENES.glob("*/scene.toml")))
def test_the_scene_comes_back_equal(name):
    spec = contactlib.load(name, trust=None)
    text, arrays = write_scene(spec)
    again = read_scene(text, [np.array(array) for array in arrays])
    assert again == spec
    assert json.loads(text)["class"] == "Spec"


def test_a_scene_runs_no_code_and_names_what_it_does_not_know():
    assert not any(name in known_classes() for name in ("ContactModel", "Path", "Simulation"))
    text = write_scene(bouncing())[0]
    for old, new, sentence in (
            ('"class": "Spec"', '"class": "Secret"', "a Secret, which this version"),
            ('"gravity"', '"levity"', r"the key Spec\.levity, which this version"),
            ('{"class": "Spec"', '[{"class": "Spec"', "damaged")):
        changed = text.replace(old, new, 1) + ("]" if new.startswith("[") else "")
        with pytest.raises(ValueError, match=sentence):
            read_scene(changed, [])


def test_every_kind_of_shape_comes_back_from_a_model():
    """Of an FMU only the model is known."""
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.2, 0.2)]
    cone = contactlib.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    shapes = [contactlib.Point(), contactlib.Sphere(0.1), contactlib.Segment(0.2), contactlib.Capsule(0.1, 0.2),
              contactlib.Triangle(((0, 0, 0), (1, 0, 0), (0, 1, 0))), contactlib.Ellipsoid((0.1, 0.2, 0.3)),
              contactlib.Box((0.1, 0.2, 0.3)), contactlib.Cylinder(0.1, 0.2), contactlib.Polyhedron(corners),
              contactlib.Socket((0.1, 0.1, 0.1), 0.02, 0.03), cone, contactlib.Plane()]
    assert {shape.kind for shape in shapes} == set(SHAPES)
    from contactlib.model.parts import Body, BodyShape
    spec = contactlib.Spec("all", bodies=tuple(
        Body(f"body_{k}", "fixed", (BodyShape("s", shape, "m", r=(0.1, 0.2, 0.3)),)) for k, shape in enumerate(shapes)))
    again = scene_of_model(contactlib.Model.from_bytes(spec.compile().to_bytes()))
    assert [body.shapes[0].shape for body in again.bodies] == shapes
    assert all(body.shapes[0].r == (0.1, 0.2, 0.3) for body in again.bodies)
    rounded = contactlib.Spec("one", bodies=(Body("b", "fixed", (
        BodyShape("s", contactlib.Polyhedron(corners, rounding=0.02), "m"),)),))
    shape = scene_of_model(rounded.compile()).bodies[0].shapes[0].shape
    assert np.sort(np.abs(shape.corners), axis=0) == pytest.approx(np.sort(np.abs(corners), axis=0), abs=1e-12)
    assert shape.rounding == 0.02


def test_the_model_of_a_file_continues_the_run(tmp_path):
    spec = bouncing()
    _, result = recorded(spec, tmp_path / "r.clr", duration=0.02)
    assert result.model.hash == spec.compile().hash and result.scene == spec
    run = Simulation(result.model).run(0.02, 1e-3)
    assert run.states.tobytes() == result.states.tobytes()


def test_an_old_file_stays_until_the_new_run_is_whole(tmp_path):
    spec, path = bouncing(), tmp_path / "r.clr"
    _, old = recorded(spec, path)
    before = path.read_bytes()
    simulation = Simulation(spec.compile())
    with pytest.raises(RuntimeError) as caught, ResultWriter(path, simulation.model, scene=spec) as writer:
        simulation.run(0.01, 1e-3, results=writer)
        raise RuntimeError("the user's program fails")
    assert path.read_bytes() == before and len(read_result(path)) == len(old)
    assert caught.value.__notes__ == [f"the frames before are in {path}.part: contactlib result recover {path}.part"]
    with ResultWriter(path, simulation.model, scene=spec) as writer:  # the rows of the failed run are not overwritten
        assert writer.folder.name == "r.clr.part2"
        simulation.run(0.01, 1e-3, results=writer)
    with pytest.warns(contactlib.IncompleteWarning, match="its first 11 frames are here"):
        read_result(recover(f"{path}.part", tmp_path / "saved.clr"))


@pytest.mark.parametrize(("change", "sentence"), [
    ({"path": "run.zip"}, "path = run.zip: the name of a result file must end in .clr"),
    ({"interval": -1.0}, "interval = -1.0: must be a finite number")])
def test_bad_arguments_are_named(tmp_path, monkeypatch, change, sentence):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=sentence):
        ResultWriter(**{"path": "r.clr", "model": bouncing().compile(), **change})
    assert list(tmp_path.iterdir()) == []


def test_a_writer_refuses_a_second_run(tmp_path):
    simulation = Simulation(bouncing().compile())
    with ResultWriter(tmp_path / "r.clr", simulation.model) as writer:
        simulation.run(0.01, 1e-3, results=writer)
        simulation.reset()
        with pytest.raises(ValueError, match=r"the simulation went back from 0\.01 s to 0 s"):
            writer.record(simulation)
    with pytest.raises(ValueError, match="is closed"):
        writer.record(simulation)


def test_without_pyarrow_the_sentence_names_the_extra(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: read_result(tmp_path / "r.clr"), lambda: contactlib.record("tripod", tmp_path / "r.clr")):
        with pytest.raises(ImportError, match=r"result files need pyarrow: pip install contactlib\[results\]"):
            call()
