"""Pictures and films of the shipped scenes, and the pictures of the examples."""

from __future__ import annotations

import ast
import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

import contactlib
from docs.draw_scenes import FILM, FRAMES, IMAGES, MOST_FILM, PICTURE, bands_of, moments, tethers_of
from docs.scene_films import FILMS, Film, rod
from docs.website import gallery, scene_pages
from tests.support.scenes import body, law, scene

#: bytes of a picture, and of all files together
MOST_PICTURE, MOST = 100e3, 6e6
#: images of a film that differ: nothing stands still for longer than half of it
DISTINCT = FRAMES // 2
#: colours of a picture; an empty view has a few shades of its background and grid
SHADES = 40
#: examples without a picture of their own
WITHOUT = {
    "cbm": "cbm_figure.py draws its run",
    "mujoco_side_by_side": "it prints a table of docs/mujoco.md",
    "rwth_robot": "rwth_figure.py draws its experiments",
}


def test_each_shipped_scene_has_a_film_and_no_other():
    assert sorted(FILMS) == scene_pages.names()
    assert sorted(path.name for path in IMAGES.iterdir()) == sorted(
        f"{name}.{kind}" for name in FILMS for kind in ("png", "webp"))
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) <= MOST


@pytest.mark.parametrize("name", FILMS)
def test_the_picture_of_a_scene(name: str):
    path = IMAGES / f"{name}.png"
    assert path.stat().st_size <= MOST_PICTURE
    with Image.open(path) as picture:
        assert picture.size == PICTURE
        assert len(picture.convert("RGB").getcolors(1 << 20)) >= SHADES


@pytest.mark.parametrize("name", FILMS)
def test_the_film_of_a_scene(name: str):
    path = IMAGES / f"{name}.webp"
    assert path.stat().st_size <= MOST_FILM
    with Image.open(path) as film:
        images = [image.convert("RGB").tobytes() for image in ImageSequence.Iterator(film)]
        assert film.size == FILM
    assert len(images) <= FRAMES
    assert len(set(images)) >= DISTINCT


def test_a_rod_joins_its_ends():
    """Its axis z leads from one to the other, and its middle is between them."""
    for start, end in (((0.1, -0.2, 0.3), (0.4, 0.5, -0.6)), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.2))):
        part = rod(start, end, 0.01)
        w, x, y, z = part.q
        along = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z])
        half = along * part.shape.length / 2
        np.testing.assert_allclose([np.array(part.r) - half, np.array(part.r) + half], [start, end], atol=1e-12)


def test_a_tether_is_drawn_between_its_ends(tmp_path: Path):
    """The length of the line is the distance that the element has."""
    run = contactlib.record("tether_tow", tmp_path / "run.clr", duration=10.0, every=50)
    [(name, nodes)] = tethers_of(run)
    assert name == "line[1]"
    np.testing.assert_allclose(np.linalg.norm(nodes[:, 1] - nodes[:, 0], axis=1), run.outputs["line.distance"],
                               rtol=1e-12)


def test_a_band_is_drawn_as_long_as_it_is(tmp_path: Path):
    """The length of the line is the length that the element has, but for the corners that it cuts between nodes."""
    run = contactlib.record("trampoline_2d", tmp_path / "run.clr", duration=1.0, every=50)
    bands = dict(bands_of(run))
    assert list(bands) == ["band[1]", "band[2]"]
    for nodes in bands.values():
        length = np.linalg.norm(np.diff(nodes, axis=1), axis=2).sum(axis=1)
        np.testing.assert_allclose(length, run.outputs["band.area"], rtol=5e-3)


def test_images_show_impacts(tmp_path: Path):
    """A ball touches the ground for 6 ms; the image of that time shows it, and the times increase."""
    ball = body("ball", "free", [{"name": "skin", "kind": "sphere", "radius": 0.1, "material": "m"}], mass=1.0,
                inertia=[0.004] * 3, state={"r": [0.0, 0.0, 0.2], "v": [0.0, 0.0, -1.0]})
    ground = body("ground", "fixed", [{"name": "top", "kind": "plane", "material": "m"}])
    normal = {"kind": "kelvin_voigt", "stiffness": 2.5e5, "damping": 0.0}
    spec = scene([ball, ground], [law("m", ["m", "m"], normal)], [["ball", "ground"]], step_size=1e-4)
    run = contactlib.record(spec, tmp_path / "run.clr", duration=0.4, every=5)
    still, *times = moments(run, Film(end=0.4, still=0.11))
    loads = np.linalg.norm(run.contacts["f_W"], axis=1)
    largest = run.time[run.contacts["frame"][loads.argmax()]]
    assert len(times) == FRAMES
    assert all(a < b for a, b in itertools.pairwise(times))
    assert still == largest
    assert largest in times


@pytest.mark.parametrize("name", gallery.programs())
def test_an_example_draws_a_picture_or_says_why_not(name: str):
    """It calls `draw` of panels.py, or saves a figure, itself or by a module that it imports."""
    sources = [path.read_text(encoding="utf-8") for path in gallery.imported(gallery.EXAMPLES / f"{name}.py")
               if path.stem != "panels"]
    draws = any((isinstance(node, ast.ImportFrom) and node.module == "panels") or
                (isinstance(node, ast.Attribute) and node.attr in ("savefig", "write_results", "draw_forces"))
                for source in sources for node in ast.walk(ast.parse(source)))
    assert draws or name in WITHOUT


def test_an_example_writes_its_picture(tmp_path: Path):
    done = subprocess.run([sys.executable, str(gallery.EXAMPLES / "tripod.py")], cwd=tmp_path, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "out" / "tripod" / "tripod.png") as picture:
        assert len(picture.convert("RGB").getcolors(1 << 20)) >= SHADES


def test_without_matplotlib_an_example_says_so(tmp_path: Path):
    """The program goes on: its figures need the extra `plot`, its table does not."""
    program = ("import sys; sys.modules['matplotlib'] = None; import panels; "
               "panels.draw('x', panels.Panel('t', 'x', 'y', {'a': ([0, 1], [0, 1])})); print('goes on')")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
                          env={"PYTHONPATH": str(gallery.EXAMPLES), "PATH": ""})
    assert done.stdout == "no picture: figures need matplotlib: pip install contactlib[plot]\ngoes on\n", done.stderr
    assert not (tmp_path / "out").exists()
