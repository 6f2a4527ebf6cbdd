"""Results in Blender: deforming meshes against closed forms, and poses and vertices in Blender against the result."""

from __future__ import annotations

import json
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.blender import host
from contactlib.blender.extension.plain.checks import open_edges
from contactlib.blender.extension.plain.deforming import SIDES, arrows, fabric, tubes
from contactlib.blender.extension.plain.frames import rotation
from contactlib.blender.response import Film, write_response
from contactlib.cli.main import app
from tests.support.every_element import SPECS

pytest.importorskip("pyarrow", reason="result files need pyarrow: pip install 'contactlib[results]'")
INSIDE = Path(__file__).with_name("inside")


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> contactlib.results.Result:
    """The asteroid that falls into the membrane: three free bodies and a fabric that changes its triangles."""
    path = tmp_path_factory.mktemp("capture") / "capture.clr"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", contactlib.StepWarning)
        return contactlib.record("trampoline_capture", path, duration=20.0, every=4)


def test_a_tube_has_the_surface_of_its_cable():
    """A helix of two turns: every vertex is one radius from its node, normal to the cable; no corner is lost."""
    t = np.linspace(0.0, 4.0 * np.pi, 60)
    nodes = np.stack([np.column_stack([np.cos(t), np.sin(t), 0.1 * t]), np.column_stack([t, 0.0 * t, 0.0 * t])])
    vertices, faces = tubes(nodes, 0.02)
    assert vertices.shape == (2, 60 * SIDES, 3) and faces.shape == (59 * SIDES, 4)
    arms = vertices.reshape(2, 60, SIDES, 3) - nodes[:, :, None]
    assert np.linalg.norm(arms, axis=3) == pytest.approx(np.full((2, 60, SIDES), 0.02))
    along = np.gradient(nodes, axis=1)
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    assert np.abs((arms * along[:, :, None]).sum(axis=3)).max() < 1e-15
    assert open_edges(faces) == 2 * SIDES  # the two ends


def test_an_arrow_ends_at_its_point_and_is_as_long_as_its_force():
    tips = [np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), np.array([[4.0, 0.0, 0.0]]), np.zeros((0, 3))]
    vectors = [np.array([[0.0, 0.0, 2.0], [3.0, 0.0, 0.0]]), np.array([[0.0, -1.0, 0.0]]), np.zeros((0, 3))]
    vertices, faces = arrows(tips, vectors)
    each = vertices.reshape(3, 2, -1, 3)
    assert open_edges(faces) == 2 * SIDES  # the tip is a ring of corners at one point, for each arrow
    for frame, k in ((0, 0), (0, 1), (1, 0)):
        direction = vectors[frame][k] / np.linalg.norm(vectors[frame][k])
        behind = (each[frame, k] - tips[frame][k]) @ direction
        assert behind.max() == pytest.approx(0.0, abs=1e-12)
        assert behind.min() == pytest.approx(-np.linalg.norm(vectors[frame][k]))
    assert np.ptp(each[1, 1], axis=0).max() == 0.0 and np.ptp(each[2], axis=(0, 1)).max() == 0.0


def test_fabric_keeps_its_triangles_and_hides_those_that_are_absent():
    vertices = np.arange(24.0).reshape(2, 4, 3) ** 2
    triangles = np.array([[[0, 1, 2], [1, 3, 2]], [[0, 1, 3], [-1, -1, -1]]])
    moved, faces = fabric(vertices, triangles)
    assert faces.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.array_equal(moved[0].reshape(2, 3, 3), vertices[0][triangles[0]])
    assert np.array_equal(moved[1][:3], vertices[1][triangles[1, 0]])
    assert np.ptp(moved[1][3:], axis=0).max() == 0.0


def test_frames_of_a_film():
    time = np.linspace(0.0, 10.0, 1001)
    assert Film(rate=25, speed=2.0).numbers(time).tolist() == [8 * k for k in range(126)]
    assert len(Film().numbers(time)) == 250
    assert Film(rate=10, speed=0.5).numbers(np.array([0.0, 0.1, 1.0])).tolist()[:4] == [0, 0, 1, 1]
    assert Film().numbers(np.array([3.0])).tolist() == [0]


def test_attitudes_turn_the_short_way_and_stay_the_same(capture, tmp_path: Path):
    path = write_response(capture, tmp_path / "a.npz", Film(speed=2.0))
    with np.load(path) as content:
        q = content["q"]
        assert ((q[1:] * q[:-1]).sum(axis=2) >= 0.0).all()
        chosen = Film(speed=2.0).numbers(capture.time)
        for frame in (0, len(chosen) // 2, -1):
            for body in range(4):
                exact = rotation(capture.states[chosen[frame], body, 3:7])
                assert rotation(q[frame, body]) == pytest.approx(exact, abs=1e-12)


def test_contacts_of_cables_have_arrows(tmp_path: Path):
    """A ball on two ropes: an arrow for each force of a frame, which ends at the contact; equal metres per newton."""
    result = contactlib.record(SPECS["cables"](), tmp_path / "ropes.clr", duration=0.06, every=3)
    assert len(result.contacts["frame"]) == 0 < len(result.cable_contacts["frame"])
    with np.load(write_response(result, tmp_path / "response.npz", Film())) as file:
        meta = json.loads(file["meta"].tobytes())
        [number] = [k for k, mesh in enumerate(meta["meshes"]) if mesh["kind"] == "force"]
        vertices, time, r = file[f"vertices_{number}"].astype(float), file["time"], file["r"]
    assert len(time) == len(result)
    shift, scales = result.states[:, 0, :3] - r[:, 0], []
    most = max(len(result.cable_contacts_of(frame)["depth"]) for frame in range(len(result)))
    each = vertices.reshape(len(result), most, -1, 3)
    for frame in range(len(result)):
        rows = result.cable_contacts_of(frame)
        for k, force in enumerate(rows["f_W"]):
            size = np.linalg.norm(force)
            if size == 0.0:
                assert np.ptp(each[frame, k], axis=0).max() == 0.0
                continue
            behind = (each[frame, k] + shift[frame] - rows["r_W"][k]) @ force / size
            assert behind.max() == pytest.approx(0.0, abs=1e-6)  # m: 32-bit floats
            scales.append((-behind.min() / size, size))
        assert not each[frame, len(rows["depth"]):].any()  # arrows without size
    exact = max(scales, key=lambda row: row[1])[0]
    for scale, size in scales:
        assert scale == pytest.approx(exact, abs=1e-6 / size)
    assert len(scales) > 20


def test_the_film_shows_what_the_result_says(program: host.Program, capture, tmp_path: Path):
    """Poses of all bodies, and vertices of the fabric, at four frames, to the precision of 32-bit floats."""
    source = contactlib.load("trampoline_capture").source
    assert source is not None
    host.make(program, source, tmp_path / "capture.blend")
    film = Film(rate=10, speed=4.0)
    arrays = write_response(capture, tmp_path / "response.npz", film)
    targets = [tmp_path / name for name in ("moved.blend", "frame.png", "film.mp4")]
    lines = host.show(program, tmp_path / "capture.blend", arrays, engine="workbench", samples=1, at=12.0,
                      size=(160, 90), targets=[str(path) for path in targets])
    print(*lines, sep="\n")
    chosen = film.numbers(capture.time)
    frames = [1, 2, len(chosen) // 2, len(chosen)]
    (line,) = host.run_script(program, INSIDE / "blender_response.py", str(targets[0]), json.dumps(frames))
    found = json.loads(line)
    assert found["range"] == [1, len(chosen)] and found["fps"] == 10
    for frame in frames:
        seen = found["frames"][str(frame)]
        number = int(chosen[frame - 1])
        for body, name in enumerate(capture.bodies):
            X, state = np.array(seen[name]), capture.states[number, body]
            assert X[:3, 3] == pytest.approx(state[:3], abs=1e-5)  # m: 32-bit floats near 12 m, and a product of poses
            assert X[:3, :3] == pytest.approx(rotation(state[3:7]), abs=1e-6)
        vertices, triangles = capture.membrane("net", number)
        fabric_seen = np.array(seen["mesh net"])[:3 * len(triangles)].reshape(-1, 3, 3)
        assert fabric_seen == pytest.approx(vertices[triangles], abs=1e-5)
    _check_pictures(targets[1], targets[2], len(chosen))


def _check_pictures(picture: Path, film: Path, frames: int) -> None:
    """The picture shows more than its background, and the film has its frames."""
    import matplotlib.image

    pixels = matplotlib.image.imread(picture)
    assert pixels.shape[:2] == (90, 160)
    assert (np.abs(pixels[..., :3] - pixels[0, 0, :3]).max(axis=2) > 0.05).mean() > 0.02
    if shutil.which("ffprobe") is None:
        assert film.read_bytes()[4:8] == b"ftyp"
        return
    command = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width", "-of", "json"]
    done = subprocess.run([*command, str(film)], capture_output=True, text=True, check=True)
    stream = json.loads(done.stdout)["streams"][0]
    assert (int(stream["nb_read_frames"]), stream["width"]) == (frames, 160)


def test_a_file_of_another_scene_is_refused(program: host.Program, capture, tmp_path: Path):
    source = contactlib.load("peg_in_hole").source
    assert source is not None
    host.make(program, source, tmp_path / "peg.blend")
    arrays = write_response(capture, tmp_path / "response.npz", Film(speed=20.0))
    with pytest.raises(ValueError, match=r"has no body 'asteroid', which the result has; its bodies are interface, t"):
        host.show(program, tmp_path / "peg.blend", arrays, engine="workbench", targets=[], size=(160, 90), samples=1,
                  at=None)


@pytest.mark.parametrize(("options", "words"), [
    (["--engine", "eevee"], "must be one of workbench, cycles"), (["--size", "big"], "such as 640x360"),
    (["--size", "161x90"], "both even"), (["--python", "/no/python"], "there is no such program"),
])
def test_wrong_options_give_a_sentence(options, words):
    result = CliRunner().invoke(app, ["blender", "animate", "a.clr", "-s", "a.blend", "-o", "a.mp4", *options])
    assert result.exit_code == 1
    assert words in result.output
