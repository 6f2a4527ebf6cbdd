"""Exports: glTF read by trimesh and by the bytes of its accessors, VTK files by their XML, CSV by numpy."""

import base64
import csv
import json
import struct
from xml.etree import ElementTree

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner

import contactlib
from contactlib import ResultWriter, Simulation, read_result
from contactlib.cli.main import app
from contactlib.exports import write_gltf, write_vtk
from contactlib.exports.gltf import _from_z
from contactlib.shapes.quaternion import rotate, rotation_matrix
from tests.results.test_result_files import bouncing, recorded


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return recorded(bouncing(), tmp_path_factory.mktemp("run") / "r.clr", duration=0.04)[1]


def read_glb(path):
    """The JSON of a .glb file and a function that returns the numbers of an accessor, by the glTF 2.0 specification."""
    content = path.read_bytes()
    magic, version, length, json_length, kind = struct.unpack_from("<4sIII4s", content)
    assert (magic, version, length, kind) == (b"glTF", 2, len(content), b"JSON")
    root = json.loads(content[20:20 + json_length])
    size, kind = struct.unpack_from("<I4s", content, 20 + json_length)
    assert kind == b"BIN\0" and 28 + json_length + size == len(content) and json_length % 4 == size % 4 == 0
    buffer = content[28 + json_length:]

    def numbers(index):
        accessor = root["accessors"][index]
        view = root["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        dtype = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        rows = np.frombuffer(buffer, dtype, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        assert view["byteLength"] == rows.nbytes
        for name, limit in (("min", rows.min(axis=0)), ("max", rows.max(axis=0))):
            assert name not in accessor or accessor[name] == limit.tolist()
        return rows

    return root, numbers


def animated(root, numbers):
    """The values of each animated part by name of the node and of the part, with the times."""
    found = {}
    [animation] = root["animations"]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        assert sampler["interpolation"] == "LINEAR"
        name = root["nodes"][channel["target"]["node"]]["name"]
        found[name, channel["target"]["path"]] = numbers(sampler["input"])[:, 0], numbers(sampler["output"])
    return found


def test_gltf_keyframes_are_the_states(result, tmp_path):
    root, numbers = read_glb(write_gltf(result, tmp_path / "r.glb", every=4))
    frames = range(0, 41, 4)
    found = animated(root, numbers)
    assert {name for name, _ in found} == {"ball_0", "ball_1"}  # the ground is fixed
    for k in range(2):
        times, r = found[f"ball_{k}", "translation"]
        assert times == pytest.approx(result.time[frames], abs=1e-7)  # numbers of 4 bytes
        assert r == pytest.approx(result.states[frames, k, :3], abs=1e-7)
        _, q = found[f"ball_{k}", "rotation"]
        assert q == pytest.approx(result.states[frames, k][:, [4, 5, 6, 3]], abs=1e-7)
        assert np.linalg.norm(q, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_gltf_geometry_is_that_of_the_scene(result, tmp_path):
    """trimesh reads the first frame, y upwards."""
    loaded = trimesh.load_scene(write_gltf(result, tmp_path / "r.glb"))
    whole = loaded.to_mesh()
    turn = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # (x, y, z) upwards z to (x, z, -y)
    parts = [part for part in whole.split(only_watertight=False) if len(part.faces) > 2]
    assert len(parts) == 2
    for part, state in zip(sorted(parts, key=lambda part: part.centroid[0]), result.states[0], strict=False):
        assert part.bounds.mean(axis=0) == pytest.approx(turn @ state[:3], abs=1e-6)
        assert part.extents == pytest.approx([0.2, 0.2, 0.2], abs=1e-6)


def test_gltf_of_every_shape_has_normals_outward(tmp_path):
    root, numbers = read_glb(write_gltf(contactlib.record("peg_in_hole", tmp_path / "r.clr", duration=0.01),
                                        tmp_path / "r.glb"))
    assert {mesh["name"] for mesh in root["meshes"]} == {"capsule", "socket"}
    for mesh in root["meshes"]:
        [primitive] = mesh["primitives"]
        p, n = (numbers(primitive["attributes"][name]).astype(float) for name in ("POSITION", "NORMAL"))
        triangles = p[numbers(primitive["indices"]).reshape(-1, 3)]
        faces = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        of_faces = n[numbers(primitive["indices"]).reshape(-1, 3)]
        assert ((faces[:, None] * of_faces).sum(axis=2) > 0).all()
        assert np.linalg.norm(n, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_gltf_cables_are_chains_of_rods(tmp_path):
    spec = contactlib.load("lee_snare")
    simulation = Simulation(spec.compile())
    with ResultWriter(tmp_path / "r.clr", simulation.model, scene=spec) as writer:
        simulation.run(0.004, 1e-3, results=writer)
    result = read_result(tmp_path / "r.clr")
    root, numbers = read_glb(write_gltf(result, tmp_path / "r.glb"))
    found = animated(root, numbers)
    name, nodes = next(iter(result.cables.items()))
    rods = [node for node in root["nodes"] if node["name"].startswith(f"{name}.")]
    assert len(rods) == nodes.shape[1] - 1
    for k, rod in enumerate(rods):
        last = {part: found.get((rod["name"], part), (None, [rod[part]]))[1][-1]
                for part in ("translation", "rotation", "scale")}
        x, y, z, w = last["rotation"]
        half = rotate(np.array([w, x, y, z]), np.array([0.0, 0.0, last["scale"][2] / 2]))
        ends = [last["translation"] - half, last["translation"] + half]
        assert np.array(ends) == pytest.approx(nodes[-1, k:k + 2] - root["extras"]["origin"], abs=2e-7)


def test_rotations_from_z():
    directions = np.array([(0, 0, 1), (0, 0, -1), (1, 0, 0), (0.3, -0.5, 0.2), (1e-12, 0, -1)], dtype=float)
    for d, (x, y, z, w) in zip(directions, _from_z(directions), strict=True):
        assert rotate(np.array([w, x, y, z]), np.array([0, 0, np.linalg.norm(d)])) == pytest.approx(d, abs=1e-9)


def test_the_origin_follows_a_body_in_orbit(tmp_path):
    """Numbers of 4 bytes have 0.5 m at 7e6 m."""
    spec = bouncing()
    for k in range(2):
        spec = spec.with_state(f"ball_{k}", r=(7e6 + 0.3 * k, 0.0, 0.11), v=(8e3 + 0.1 * k, 0.0, 0.0))
    result = recorded(spec, tmp_path / "r.clr", duration=0.01)[1]
    root, numbers = read_glb(write_gltf(result, tmp_path / "r.glb", follow="ball_0"))
    expected = result.states[:, 1, :3] - result.states[:, 0, :3]
    assert animated(root, numbers)["ball_1", "translation"][1] == pytest.approx(expected, abs=1e-7)
    root, _ = read_glb(write_gltf(result, tmp_path / "r.glb"))
    assert root["extras"]["origin"][0] == pytest.approx(result.states[0, :, 0].mean())


def read_vtp(path):
    """The arrays of a .vtp file by name, in the order of the file."""
    found = {}
    for array in ElementTree.parse(path).iter("DataArray"):
        data = base64.b64decode(array.text)
        assert int.from_bytes(data[:4], "little") == len(data) - 4
        rows = np.frombuffer(data[4:], {"Float32": "<f4", "Int32": "<i4"}[array.get("type")])
        found[array.get("Name")] = rows.reshape(-1, int(array.get("NumberOfComponents")))
    return found


def test_vtk_series_has_bodies_and_contacts_of_each_frame(result, tmp_path):
    root = ElementTree.parse(write_vtk(result, tmp_path / "r.pvd", every=10)).getroot()
    rows = [row.attrib for row in root.iter("DataSet")]
    assert [float(row["timestep"]) for row in rows if row["name"] == "bodies"] == result.time[::10].tolist()
    last = {row["name"]: read_vtp(tmp_path / row["file"]) for row in rows[-2:]}
    bodies, contacts = last["bodies"], result.contacts_of(40)
    for k in range(2):
        used = np.unique(bodies["connectivity"].reshape(-1, 3)[bodies["body"][:, 0] == k])
        points = bodies["Points"][used]
        assert points.mean(axis=0) == pytest.approx(result.states[-1, k, :3], abs=1e-6)
        assert np.linalg.norm(points - result.states[-1, k, :3], axis=1) == pytest.approx(0.1, abs=1e-6)
    assert last["contacts"]["Points"] == pytest.approx(contacts["r_W"], abs=1e-7) and len(contacts["depth"])
    assert last["contacts"]["force"] == pytest.approx(contacts["f_W"], rel=1e-6)
    assert last["contacts"]["offsets"][:, 0].tolist() == list(range(1, len(contacts["depth"]) + 1))


def test_vtk_membranes_are_those_of_the_result(tmp_path):
    result = contactlib.record("trampoline_bounce", tmp_path / "r.clr", every=400)
    write_vtk(result, tmp_path / "r.pvd")
    [name] = result.membranes
    for frame in range(len(result)):
        found = read_vtp(tmp_path / "r" / f"membranes_{frame:06d}.vtp")
        vertices, triangles = result.membrane(name, frame)
        assert found["Points"] == pytest.approx(vertices, rel=1e-6, abs=1e-6)
        assert found["connectivity"].reshape(-1, 3).tolist() == triangles.tolist()


def test_the_command_exports_by_the_suffix(result, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(app, ["result", "export", str(result.path), *map(str, arguments)])

    for name in ("r.csv", "r.glb", "r.pvd"):
        assert run("-o", tmp_path / name, "--every", 5).exit_code == 0
    table = np.genfromtxt(tmp_path / "r.csv", delimiter=",", names=True, deletechars="")
    assert table["time"] == pytest.approx(result.time[::5], rel=1e-9)
    assert table["ball_1.r[3]"] == pytest.approx(result.states[::5, 1, 2], rel=1e-9)
    assert run("-o", tmp_path / "c.csv", "--table", "contacts").exit_code == 0
    with (tmp_path / "c.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["depth"]) for row in rows] == result.contacts["depth"].tolist()  # all digits
    assert [row["shape_a"] for row in rows] == result.contacts["shape_a"].tolist()
    for arguments, sentence in (
            (("-o", "r.obj"), "--out = r.obj: must end in .csv, .glb or .pvd"),
            (("-o", "r.glb", "--table", "contacts"), "--table = contacts: is for .csv files"),
            (("-o", "r.csv", "--table", "contact"), "there is no table 'contact'"),
            (("-o", "r.glb", "--follow", "ball"), "there is no body 'ball'"),
            (("-o", "r.glb", "--every", "0"), "every = 0: must be an integer of at least 1")):
        failed = run(*arguments)
        assert failed.exit_code == 1 and sentence in failed.stderr, failed.stderr


def test_exports_need_the_states(result, tmp_path):
    result.states[3, 0, 0] = np.nan
    for write, name in ((write_gltf, "r.glb"), (write_vtk, "r.pvd")):
        with pytest.raises(ValueError, match="some states are missing"):
            write(result, tmp_path / name)
    del result.states
    assert rotation_matrix(tuple(result.states[0, 0, 3:7])).shape == (3, 3)
