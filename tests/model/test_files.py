"""Files: written whole or not at all, read with a byte order mark, kept below their scene's folder, modules trusted."""

import errno
import json
import multiprocessing
import os
import resource
import stat
import sys
import threading
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib import pcm
from contactlib.berthing import read_parameters
from contactlib.campaign import load_campaign
from contactlib.cli.main import app
from contactlib.common import files
from contactlib.common.files import write_text, write_whole
from contactlib.model.spec import SCENES, Spec
from contactlib.report import volume_cost
from contactlib.report.volume_cost import read_states
from contactlib.shapes.importers import load_mesh
from tests.campaign.campaign_cases import WHEEL

BOM = b"\xef\xbb\xbf"
#: a ball that falls onto a floor, with a law that logs
BALL = """
[scene]
name = "ball"
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
state = { r = [0, 0, 0.1001] }
[[body.shape]]
name = "s"
kind = "sphere"
radius = 0.1
material = "a"
[[body]]
name = "floor"
[[body.shape]]
name = "p"
kind = "plane"
material = "b"
[[law]]
name = "law"
materials = ["a", "b"]
log = "log"
log_interval = 0.01
normal = { kind = "kelvin_voigt", stiffness = 1e4, damping = 10.0 }
[[pair]]
bodies = ["ball", "floor"]
"""


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def command(*arguments, size=None, without=()):
    """The command line in a child process: at most `size` bytes for each file, and no packages `without`."""
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    child = os.fork()  # quicker than a new Python
    if child == 0:
        try:
            if size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            sys.modules.update(dict.fromkeys(without))
            result = CliRunner().invoke(app, [*map(str, arguments)])
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                theirs.send(Done(-1, "", "Traceback: " + repr(result.exception)))
            else:
                theirs.send(Done(result.exit_code, result.stdout, result.stderr))
        finally:
            os._exit(0)
    theirs.close()
    done = ours.recv()
    os.waitpid(child, 0)
    return done


def snapshot(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---- whole or not at all -------------------------------------------------------------------------


@pytest.mark.parametrize("flavour", [(), ("--pythonfmu",)], ids=["native", "pythonfmu"])
def test_an_fmu_that_does_not_fit_leaves_the_old_one(tmp_path, flavour):
    fmu = tmp_path / "tripod.fmu"
    export = ("fmu", "export", "tripod", "-o", fmu, *flavour)
    assert command(*export).returncode == 0
    before = snapshot(tmp_path)
    # the FMU in Python has no binary of ours in it, but a large one of pythonfmu
    failed = command(*export, size=20_000)
    assert failed.returncode == 1 and "Traceback" not in failed.stderr
    assert str(fmu) in failed.stderr and os.strerror(errno.EFBIG) in failed.stderr
    assert snapshot(tmp_path) == before and zipfile.is_zipfile(fmu)


def test_results_that_do_not_fit_leave_the_old_ones(tmp_path):
    """The first file that is too large is named; it and all behind it are as before. Frames of a result are kept."""
    (tmp_path / "scene.toml").write_text(BALL)
    run = ("run", tmp_path, "-o", tmp_path / "out", "--duration", "0.05", "--dt")
    assert command(*run, "1e-3").returncode == 0
    before = snapshot(tmp_path)
    order = [*map(Path, ("out/result.clr", "out/contacts/log.csv", "out/trajectory.csv", "out/trajectory.png",
                         "out/report.html"))]
    result, log, table, picture, page = (len(before[path]) for path in order)
    assert {Path("scene.toml"), *order} == {*before}
    assert 4 * log < 2 * table < result < picture / 2 < page / 2
    # the log and the table are smaller than the result: only without pyarrow are they the first that is too large
    for dt, first, size, without in ((5e-4, 1, log // 2, ("pyarrow",)), (4e-4, 2, table // 2, ("pyarrow",)),
                                     (2.5e-4, 3, picture // 2, ()), (2e-4, 4, picture + 5000, ()),
                                     (1.25e-4, 0, result // 2, ())):
        failed = command(*run, f"{dt}", size=size, without=without)
        assert failed.returncode == 1, first
        assert f"{tmp_path / order[first]}: {os.strerror(errno.EFBIG)}" in failed.stderr
        after = snapshot(tmp_path)
        kept = {path for path in after if Path("out/result.clr.part") in path.parents}
        assert bool(kept) == (first == 0) == (f"result recover {tmp_path / 'out/result.clr.part'}" in failed.stderr)
        assert {*after} - kept == {*order, Path("scene.toml")}
        assert [after[path] == before[path] for path in order[first:]] == [True] * (5 - first)
        assert first < 2 or after[order[first - 1]] != before[order[first - 1]]
        before = after


def test_templates_and_forms_that_do_not_fit_leave_the_old_ones(tmp_path):
    ring, feet = tmp_path / "ring.toml", tmp_path / "feet.pcm"
    ring.write_text("old")
    feet.write_text("SurfacePair A*B->C;" + "# remark\n" * 100)
    before = snapshot(tmp_path)
    for arguments in (("ring", SCENES / "cbm" / "parameters.toml", "-o", ring), ("pcm", "format", feet),
                      ("pcm", "write", "tripod", "-o", ring)):
        failed = command(*arguments, size=100)
        assert failed.returncode == 1 and str(arguments[-1]) in failed.stderr and snapshot(tmp_path) == before


def test_a_writer_that_fails_or_is_stopped_leaves_nothing(tmp_path):
    path = tmp_path / "a.bin"
    for error in (RuntimeError("no"), KeyboardInterrupt()):
        def write(file, error=error):
            file.write(b"half")
            raise error

        with pytest.raises(type(error)):
            write_whole(path, write)
        assert not list(tmp_path.iterdir())


def test_readers_see_the_old_file_or_the_new_one(tmp_path):
    """A file that is written again and again while it is read: always whole."""
    path, contents = tmp_path / "a.txt", {letter * 300_000 for letter in "abc"}
    write_text(path, min(contents))
    writer = threading.Thread(target=lambda: [write_text(path, text) for _ in range(10) for text in contents])
    writer.start()
    while writer.is_alive():
        assert path.read_text() in contents
    writer.join()
    assert [found.name for found in tmp_path.iterdir()] == ["a.txt"]


def test_links_permissions_and_devices(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink() and target.read_text() == "new" and stat.S_IMODE(target.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        write_text(tmp_path / "fresh.txt", "")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "fresh.txt").stat().st_mode) == 0o640
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    write_text("/dev/null", "gone")
    assert read == ["through"] and stat.S_ISFIFO(pipe.stat().st_mode) and stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(IsADirectoryError) as error:
        write_text(tmp_path, "")
    assert error.value.filename == str(tmp_path)


# ---- byte order marks ----------------------------------------------------------------------------


def marked(path, content):
    path.write_bytes(BOM + content.encode())
    return path


def test_a_byte_order_mark_is_accepted(tmp_path):
    scene = marked(tmp_path / "scene.toml", BALL)
    assert Spec.from_toml(scene).bodies == Spec.from_dict(files.read_toml(scene)).bodies
    marked(tmp_path / "wheel.toml", WHEEL)
    assert load_campaign(tmp_path / "wheel.toml").runs == 24
    original = SCENES / "cbm" / "parameters.toml"
    assert read_parameters(marked(tmp_path / "p.toml", original.read_text("utf-8"))) == read_parameters(original)
    assert len(pcm.load(marked(tmp_path / "feet.pcm", pcm.written(contactlib.load("tripod")))).laws) == 1
    for name in ("scene.toml", "ring.toml"):
        marked(tmp_path / name, (SCENES / "docking_ring" / name).read_text("utf-8"))
    assert contactlib.load(tmp_path).compile().hash == contactlib.load("docking_ring").compile().hash
    header = ",".join(["time", *(f"a.{part}" for part in volume_cost.PARTS)])
    states = read_states(marked(tmp_path / "t.csv", f"{header}\n0{',1' * 13}\n"), ["a"])
    np.testing.assert_array_equal(states, np.ones((1, 1, 13)))


def test_what_is_not_utf_8_is_named(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_bytes(BALL.encode("utf-16"))
    with pytest.raises(ValueError, match=r"scene\.toml: not a TOML file: 'utf-8' codec can't decode"):
        Spec.from_toml(path)


# ---- modules are run where they are trusted ------------------------------------------------------

FEET = """
from pathlib import Path
from contactlib import ContactModel

Path(__file__.strip("<>") and {mark!r}).write_text("was here")


class Pad(ContactModel):
    def update(self, contacts):
        return 1e4 * contacts.depth[:, None] * contacts.normal
"""
LAW = BALL[BALL.index('log = "log"'):BALL.index("[[pair]]")]


@pytest.fixture
def hostile(tmp_path):
    """A scene, a .pcm file and a campaign whose module writes a file when it is run."""
    mark = tmp_path / "mark"
    folder = tmp_path / "scene"
    folder.mkdir()
    (folder / "feet.py").write_text(FEET.format(mark=str(mark)))
    (folder / "scene.toml").write_text(BALL.replace(LAW, 'model = { kind = "feet:Pad" }\n'))
    (folder / "pcm.toml").write_text(BALL[:BALL.index("[[law]]")].replace("gravity", 'contacts = "feet.pcm"\ngravity'))
    (folder / "feet.pcm").write_text("ContactType C = feet:Pad;\nObjectPair ball * floor -> C;\n")
    (folder / "campaign.toml").write_text(
        '[campaign]\nname = "c"\nscene = "scene.toml"\nruns = 2\n[metric]\ndeep = "max(contact.max_depth)"\n'
        '[draw.x]\npath = "body.ball.state.r[3]"\ndistribution = "constant"\nvalue = 0.1\n')
    return folder, mark


def test_no_module_is_run_unasked(hostile):
    folder, mark = hostile
    for scene in ("scene.toml", "pcm.toml"):
        with pytest.raises(ValueError, match=r"runs the Python module .*feet\.py with all your rights: .*trust=True"):
            contactlib.load(folder / scene)
        spec = contactlib.load(folder / scene, trust=None)
        with pytest.raises(ValueError, match=r"was read without running its module feet\.py: .*trust=True"):
            spec.compile()
    with pytest.raises(ValueError, match="law 'law' has the contact model 'feet:Pad' in Python: a campaign"):
        load_campaign(folder / "campaign.toml")
    with pytest.raises(pcm.PcmError, match=r"runs the Python module .*--trust"):
        pcm.load(folder / "feet.pcm")
    assert not mark.exists()
    deep = contactlib.load(folder / "scene.toml", trust=True).compile()
    assert mark.exists() and contactlib.load(folder / "pcm.toml", trust=True).laws[0].python is not None
    assert contactlib.Simulation(deep).model.python_models


@pytest.mark.parametrize("scene", ["scene.toml", "pcm.toml"])
def test_commands_ask_first(hostile, tmp_path, scene):
    folder, mark = hostile
    path = folder / scene
    shown = command("show", path)
    assert shown.returncode == 0 and "feet:Pad, in Python" in shown.stdout and "not compiled" in shown.stdout
    if scene == "pcm.toml":
        assert command("pcm", "check", folder / "feet.pcm", "--scene", path).returncode == 0
    assert command("pcm", "write", path).stdout.startswith("ContactType")
    fmu, campaign = tmp_path / "a.fmu", folder / "campaign.toml"
    refusals = [command("run", path, "-o", tmp_path / "out"), command("fmu", "export", path, "-o", fmu),
                command("show", path, "--cost"), command("campaign", "run", campaign, "-o", tmp_path / "c")]
    for refused in refusals:
        assert refused.returncode == 1 and "Traceback" not in refused.stderr and "Python" in refused.stderr
    assert all("--trust" in refused.stderr for refused in refusals[:2])
    assert not mark.exists()
    assert command("fmu", "export", path, "-o", fmu, "--trust").returncode == 0 and mark.exists()
    mark.unlink()
    assert command("fmu", "info", fmu).returncode == 0 and not mark.exists()
    run = command("run", path, "-o", tmp_path / "out", "--duration", "0.01", "--trust")
    assert run.returncode == 0 and mark.exists()


# ---- paths stay below the folder of the scene ----------------------------------------------------

STL = "solid s\n" + "".join(
    f"facet normal 0 0 0\nouter loop\n{''.join(f'vertex {x} {y} {z}' + chr(10) for x, y, z in triangle)}endloop\n"
    "endfacet\n" for triangle in (
        ((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1)), ((0, 0, 0), (0, 0, 1), (0, 1, 0)),
        ((1, 0, 0), (0, 1, 0), (0, 0, 1)))) + "endsolid s\n"
OBJECT = '[object]\n[[object.shape]]\nname = "m"\nkind = "mesh"\nfile = {file!r}\nmaterial = "a"\n'


def scenes_that_name(file, folder):
    """A mesh, an object and a .pcm file by this path, and a mesh of an object in a folder below."""
    mesh = BALL.replace('kind = "sphere"\nradius = 0.1', f'kind = "mesh"\nfile = "{file}.stl"')
    thing = BALL[:BALL.index("[[body]]")] + f'[[object]]\nname = "ball"\nfile = "{file}.toml"\n'
    text = BALL.replace('name = "ball"\ngravity', f'name = "ball"\ncontacts = "{file}.pcm"\ngravity')
    inner = BALL[:BALL.index("[[body]]")] + '[[object]]\nname = "ball"\nfile = "below/thing.toml"\n'
    (folder / "below").mkdir(exist_ok=True)
    (folder / "below" / "thing.toml").write_text(OBJECT.format(file=f"../{file}.stl"))
    return [mesh, thing, text, inner]


@pytest.mark.parametrize("where", ["../outside", "{root}/outside", "link"])
def test_a_scene_reads_below_its_folder(tmp_path, where):
    folder = tmp_path / "scene"
    folder.mkdir()
    for root in (tmp_path, folder):
        (root / "outside.stl").write_text(STL)
        (root / "outside.toml").write_text(OBJECT.format(file="outside.stl"))
        (root / "outside.pcm").write_text("ContactType C = DefaultContact;\n")
    for kind in ("stl", "toml", "pcm"):
        (folder / f"link.{kind}").symlink_to(tmp_path / f"outside.{kind}")
    for text in scenes_that_name(where.format(root=tmp_path), folder):
        (folder / "scene.toml").write_text(text)
        if "below" in text and where.startswith("{"):
            (folder / "below" / "thing.toml").write_text(OBJECT.format(file=f"{tmp_path}/outside.stl"))
        with pytest.raises(ValueError, match=r"lies outside the scene's folder .*--outside .*outside=True"):
            contactlib.load(folder)
        assert contactlib.load(folder, outside=True).bodies
    for text in scenes_that_name("outside", folder):  # the files of these names that are inside
        (folder / "scene.toml").write_text(text)
        assert contactlib.load(folder).bodies


def gltf(folder, uri, content):
    """A tetrahedron whose buffer is a file, as the standard has it."""
    (folder / "mesh.gltf").write_text(json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                      {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48},
                        {"buffer": 0, "byteOffset": 48, "byteLength": 48}],
        "buffers": [{"uri": uri, "byteLength": len(content)}]}))
    return folder / "mesh.gltf"


def test_a_mesh_file_reads_below_its_folder(tmp_path):
    folder = tmp_path / "meshes"
    folder.mkdir()
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype="<f4")
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], dtype="<u4")
    content = corners.tobytes() + faces.tobytes()
    (tmp_path / "secret.bin").write_bytes(content)
    (folder / "mesh.bin").write_bytes(content)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    assert len(load_mesh(gltf(folder, "mesh.bin", content)).triangles) == 4
    for uri in ("../secret.bin", str(tmp_path / "secret.bin"), "link.bin", "x/../../secret.bin"):
        path = gltf(folder, uri, content)
        (folder / "x").mkdir(exist_ok=True)
        with pytest.raises(ValueError, match=r"mesh\.gltf: it names the file .*, which lies outside the folder"):
            load_mesh(path)
        assert len(load_mesh(path, outside=True).triangles) == len(load_mesh(path, root=tmp_path).triangles) == 4
    scene = BALL.replace('kind = "sphere"\nradius = 0.1', 'kind = "mesh"\nfile = "meshes/mesh.gltf"')
    (tmp_path / "scene.toml").write_text(scene)
    assert contactlib.load(tmp_path).bodies  # below the scene's own folder, though not below the mesh's
    (folder / "scene.toml").write_text(scene.replace("meshes/", ""))
    with pytest.raises(ValueError, match=r"it names the file .*secret\.bin, which lies outside"):
        contactlib.load(folder)


def test_materials_of_an_obj_are_read_below_its_folder(tmp_path, monkeypatch):
    """OBJ names a file of materials, which names pictures; contact needs neither, and the mesh is read without."""
    folder = tmp_path / "meshes"
    folder.mkdir()
    (tmp_path / "secret.mtl").write_text("newmtl m\nmap_Kd ../secret.png\n")
    obj = "mtllib ../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl m\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (folder / "a.obj").write_text(obj)
    opened = []
    real = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *rest, **more: (opened.append(self), real(self, *rest, **more))[1])
    monkeypatch.setattr("builtins.open", lambda file, *rest, _open=open, **more: (opened.append(file), _open(
        file, *rest, **more))[1])
    assert len(load_mesh(folder / "a.obj").triangles) == 4
    assert not any("secret" in str(path) for path in opened) and any("a.obj" in str(path) for path in opened)
