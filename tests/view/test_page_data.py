"""The data of a page are those of the result, to the digits of its numbers; what is left out is said."""

import base64

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.shapes.shapes import Plane
from contactlib.shapes.surfaces import surface
from contactlib.view import bundle, pressure, write_page
from contactlib.view.container import encode, quantise
from contactlib.view.page import fill
from contactlib.view.pressure import Pressures
from tests.view.runs import data_of, gallery, recorded, resting

#: relative resolution of 4-byte numbers, with a margin for one rounding more
SINGLE = 2.0 ** -23


@pytest.fixture(scope="module", autouse=True)
def built():
    if not (bundle.BUNDLE / bundle.CODE).is_file():
        pytest.skip("the page's code is not bundled: make viewer")


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return recorded(gallery(), tmp_path_factory.mktemp("view") / "gallery.clr")


def page_of(result, path, **options):
    written = write_page(result, path, **options)
    return written, *data_of(path.read_text())


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u1", "u2", "u4"])
def test_arrays_return_from_the_container(dtype):
    random = np.random.default_rng(1)
    values = np.frombuffer(random.bytes(7 * 5 * 8), dtype=f"<{dtype}")[:35].reshape(7, 5)
    text = base64.b64encode(encode({"name": "x"}, {"a": values, "b": values[:0]})).decode()
    header, arrays = data_of(fill(code="", style="", title="", data=text))
    assert header["name"] == "x" and arrays["a"].tobytes() == values.tobytes() and arrays["b"].shape == (0, 5)


def test_quantised_points_are_within_half_a_step_and_a_rounding():
    points = np.random.default_rng(2).normal(size=(50, 30, 3)) + np.array([100.0, 0.0, 0.0])
    centre, offsets, step = quantise(points)
    error = np.abs(centre.T[:, None] + step * offsets.transpose(2, 0, 1) - points).max()
    assert error <= 0.5 * step * (1.0 + 1e-6) and step < 2.0 * np.ptp(points) / 65000


def test_states_wrenches_and_contacts_are_those_of_the_result(result, tmp_path):
    written, header, arrays = page_of(result, tmp_path / "page.html")
    assert written.frames == written.all_frames == len(result)
    assert written.size == (tmp_path / "page.html").stat().st_size
    assert [body["name"] for body in header["bodies"]] == list(result.bodies)
    assert arrays["time"].tobytes() == result.time.tobytes()
    shown = np.concatenate([arrays["r"], arrays["q"], arrays["v"], arrays["w"]], axis=1).transpose(2, 0, 1)
    shown = shown.astype(float)
    shown[:, :, :3] += arrays["origin"]
    largest = max(np.abs(result.states).max(), np.abs(arrays["origin"]).max())
    assert np.abs(shown - result.states).max() <= SINGLE * largest
    wrenches = np.concatenate([arrays["f"], arrays["t"]], axis=1).transpose(2, 0, 1)
    assert np.abs(wrenches - result.wrenches).max() <= SINGLE * np.abs(result.wrenches).max()
    rows = result.contacts
    assert len(rows["frame"]) > 20
    assert np.diff(arrays["contact_first"]).tolist() == np.bincount(rows["frame"], minlength=len(result)).tolist()
    assert np.abs(arrays["contact_force"].T - rows["f_W"]).max() <= SINGLE * np.abs(rows["f_W"]).max()
    assert np.abs(arrays["contact_point"].T + arrays["origin"] - rows["r_W"]).max() <= SINGLE * largest
    names = np.array(result.bodies)[arrays["contact_side"]]
    assert names.tolist() == [rows["body_a"].tolist(), rows["body_b"].tolist()]


def surfaces(arrays, frame):
    """Places (T, 3, 3) of the triangles of a frame, and the third roots (T, 3) of their pressures in Pa."""
    (corner, corner_end), (triangle, triangle_end) = arrays["pressure_first"][:, frame:frame + 2]
    rows = arrays["pressure_corner"][:, triangle:triangle_end].T
    assert (arrays["pressure_power"] == 3).all()
    return (arrays["pressure_x"][:, corner:corner_end].T.astype(float)[rows],
            arrays["pressure_root"][corner:corner_end].astype(float)[rows])


def test_pressures_are_those_of_the_recorded_contacts(tmp_path):
    result = recorded(resting(), tmp_path / "box.clr", duration=0.6)
    _, header, arrays = page_of(result, tmp_path / "page.html")
    counts = np.diff(arrays["pressure_first"])
    touching = np.array([len(result.contacts_of(frame)["depth"]) for frame in range(len(result))])
    np.testing.assert_array_equal(counts[1] > 0, touching > 0)
    assert 0 < (touching > 0).sum() < len(result) and any("pressures" in fact for fact in header["facts"])
    x, roots = surfaces(arrays, len(result) - 1)
    assert x[:, :, 2].min() > 0.0985 and x[:, :, 2].max() == pytest.approx(0.1)  # 1 mm below the face of the lower box
    area = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
    # All pressures act along the lower box's normal, also those of the walls. The integral of a linear function to the
    # third power is area/10 times the sum of all products of three values.
    products = sum(roots[:, i] * roots[:, j] * roots[:, k] for i in range(3) for j in range(i, 3) for k in range(j, 3))
    force = abs(result.contacts_of(len(result) - 1)["f_W"][0, 2])
    assert (area * products).sum() / 10 == pytest.approx(force, rel=100 * SINGLE)
    assert set(map(tuple, arrays["pressure_side"].T.tolist())) in ({(0, 1)}, {(1, 0)})


def test_pressures_are_left_out_before_frames(tmp_path):
    result = recorded(resting(), tmp_path / "box.clr", duration=0.6)
    whole, _, arrays = page_of(result, tmp_path / "page.html")
    smaller, header, without = page_of(result, tmp_path / "small.html", limit=(whole.size - 1000) / 1e6)
    assert arrays["pressure_root"].size > 0 and without["pressure_root"].size == 0 and header["pressure"] == 0.0
    assert smaller.frames == smaller.all_frames and any("--limit" in fact for fact in header["facts"])


def refusing(model):
    raise ValueError("contact models in Python, and their modules are missing")


def test_pressures_of_contacts_that_the_run_did_not_have_are_not_shown(tmp_path, monkeypatch):
    """As of a run in which an element has moved a group, which its states do not tell: here by another depth."""
    result = recorded(resting(), tmp_path / "box.clr", duration=0.6)
    last = len(result) - 1
    assert Pressures(result).at(last) is not None
    frame = result.contacts_of(last)
    moved = {**frame, "depth": frame["depth"] * (1.0 + 1e-6)}
    of_another_stiffness = {**frame, "f_W": frame["f_W"] * 1.1}
    for other in (moved, of_another_stiffness):
        monkeypatch.setattr(type(result), "contacts_of", lambda self, frame, other=other: other)
        assert Pressures(result).at(last) is None
    monkeypatch.undo()
    monkeypatch.setattr(pressure, "Simulation", refusing)
    assert Pressures(result).at(last) is None


def test_all_shapes_are_drawn_as_their_surfaces(result, tmp_path):
    _, header, arrays = page_of(result, tmp_path / "page.html")
    drawn = {shape["kind"]: shape for body in header["bodies"] for shape in body["shapes"]}
    assert len(drawn) == 12
    for flat in result.scene.rigid_bodies:
        for shape in flat.shapes:
            if isinstance(shape.shape, Plane):
                continue
            vertices = arrays[f"geometry_{drawn[shape.shape.kind]['geometry']}_vertices"]
            if shape.shape.kind not in ("point", "segment", "sphere"):  # of another size than the ball on the shelf
                expected = surface(shape.shape, segments=48).vertices
                assert np.abs(vertices - expected).max() <= SINGLE * np.abs(expected).max()
            assert arrays[f"geometry_{drawn[shape.shape.kind]['geometry']}_triangles"].max() == len(vertices) - 1


def test_volumes_hold_their_groups(result, tmp_path):
    """By brute force over the vertices of all shapes below a group; spheres and boxes touch them."""
    _, header, _ = page_of(result, tmp_path / "page.html")
    [shelf] = [body for body in header["bodies"] if body["name"] == "shelf"]
    flat = next(body for body in result.scene.rigid_bodies if body.name == "shelf")
    assert [volume["kind"] for volume in shelf["volumes"]] == ["sphere", "obb"]
    for volume in shelf["volumes"]:
        points = np.vstack([np.array(s.r) + surface(s.shape, segments=48, thickness=0.001).vertices
                            @ rotation_matrix(s.q).T for s, g in zip(flat.shapes, flat.group_of, strict=True)
                            if g == volume["group"]]) - volume["centre"]
        if volume["kind"] == "sphere":
            reach = np.linalg.norm(points, axis=1).max() / volume["radius"]
        else:
            reach = (np.abs(points @ rotation_matrix(tuple(volume["q"]))) / volume["half"]).max()
        # the tubes of points and segments on the page are thicker than those here
        assert 0.9 < reach <= 1.0 + 1e-9


def test_a_scene_in_orbit_keeps_its_digits(tmp_path):
    shift = (7e6, -2e6, 1e5)
    result = recorded(gallery(shift), tmp_path / "far.clr", duration=0.02)
    _, _, arrays = page_of(result, tmp_path / "far.html")
    shown = arrays["r"].astype(float).transpose(2, 0, 1) + arrays["origin"]
    assert np.abs(shown - result.states[:, :, :3]).max() < 4e-9  # two roundings of 7e6 m in double


def test_frames_are_left_out_to_fit_and_the_page_says_so(result, tmp_path):
    whole = write_page(result, tmp_path / "whole.html")
    smallest = write_page(result, tmp_path / "few.html", every=50)
    limit = 0.5 * (whole.size + smallest.size) / 1e6
    written, header, arrays = page_of(result, tmp_path / "thin.html", limit=limit)
    assert written.size <= 1e6 * limit and smallest.frames < written.frames < whole.frames
    assert arrays["time"][[0, -1]].tolist() == result.time[[0, -1]].tolist()
    assert any(f"shows {written.frames} of {len(result)} frames" in fact for fact in header["facts"])
    with pytest.raises(ValueError, match=r"limit = 0\.1: the scene alone needs"):
        write_page(result, tmp_path / "none.html", limit=0.1)
    assert not (tmp_path / "none.html").exists()


def test_a_damaged_result_is_named_and_not_shown(result, tmp_path):
    content = result.path.read_bytes()
    for name, damaged in (("cut.clr", content[:-200]), ("changed.clr", content[:3000] + b"x" + content[3001:])):
        (tmp_path / name).write_bytes(damaged)
        done = CliRunner().invoke(app, ["view", str(tmp_path / name), "--html", str(tmp_path / "page.html")])
        assert done.exit_code == 1 and name in done.stderr and not (tmp_path / "page.html").exists()


def test_a_scene_is_run_and_shown(tmp_path):
    done = CliRunner().invoke(app, ["view", "tripod", "--duration", "0.1", "--html", str(tmp_path / "tripod.html")])
    assert done.exit_code == 0 and f"wrote {tmp_path / 'tripod.html'}" in done.stdout, done.stderr
    header, arrays = data_of((tmp_path / "tripod.html").read_text())
    expected = contactlib.record("tripod", tmp_path / "tripod.clr", duration=0.1)
    assert header["name"] == "tripod" and arrays["time"][-1] == expected.time[-1]
    assert np.abs(arrays["r"][:, :, -1] + arrays["origin"] - expected.states[-1, :, :3]).max() < 1e-6


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["lee_snair"], "no such file and no shipped scene"),
    (["missing.clr"], "missing.clr"),
    (["tripod", "--duration", "0.01", "--follow", "moon"], "moon"),
    (["tripod", "--duration", "0.01", "--limit", "-1"], "limit = -1"),
])
def test_mistakes_are_sentences(arguments, sentence, tmp_path):
    done = CliRunner().invoke(app, ["view", *arguments, "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 1 and sentence in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_a_recorded_run_takes_no_options_of_scenes(result, tmp_path):
    done = CliRunner().invoke(app, ["view", str(result.path), "--dt", "0.1", "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 1 and "leave out --dt" in done.stderr


def test_a_missing_bundle_is_a_sentence(result, tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "BUNDLE", tmp_path / "bundle")
    with pytest.raises(FileNotFoundError, match="make viewer"):
        write_page(result, tmp_path / "page.html")


def test_the_bundle_is_current_and_carries_the_licences():
    code, _ = bundle.read()
    assert bundle.is_current(), "make viewer"
    head = code[:8000]
    assert "three\n" in head and "uplot\n" in head and head.count("Permission is hereby granted") == 2
    assert "</script" not in code
