"""Draws a picture and a film of each shipped scene into docs/images/scenes, in headless Chromium.

    python -m docs.draw_scenes                 # all scenes, in a quarter of an hour
    python -m docs.draw_scenes tripod gripper  # some

Each scene runs in closed loop, is recorded, and is shown on the page of `contactlib view`; the script saves what the
page draws, without its panels. `FILMS` in docs/scene_films.py has the start, the span and the camera of each film.

Needs Chromium, the packages playwright, pyarrow and pillow, and the bundle of the page (`make viewer`).
"""

from __future__ import annotations

import argparse
import base64
import io
import math
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import contactlib
from contactlib.elements.membrane import Membrane
from contactlib.elements.tether import Tether
from contactlib.model.closed_loop import closed_loop
from contactlib.results import Result
from contactlib.shapes.quaternion import rotate
from contactlib.view import write_page
from docs.scene_films import FILMS, Film
from tests.view.view_browser import View, browser, missing, open_page

IMAGES = Path(__file__).parent / "images" / "scenes"
#: images of a film, ms that each is shown, and the last one
FRAMES, SHOWN, LAST = 48, 80, 1200
#: recorded rows for each image: impacts are short
ROWS = 20
#: pixels of a film and of a picture; the page draws with twice as many, so that edges become smooth
FILM, PICTURE = (480, 300), (720, 450)
#: colours of a picture's palette
COLOURS = 256
#: qualities of a film, of 100: the first whose file has at most so many bytes
QUALITIES, MOST_FILM = (55, 45, 35), 400_000
INK = "#5b6b79"
#: nodes of the line of a band in a plane, and its drawn width, m
NODES, BAND = 121, 0.5
#: the camera: all bodies of the film's span in view, then nearer, then onto the given centre
CAMERA = """({times, direction, zoom, centre, arrows, glass, hidden, grid}) => {
  const {stage, bodies, contacts, player, recording} = viewer;
  const number = (name) => recording.header.bodies.findIndex((body) => body.name === name);
  for (const name of hidden) bodies.show(number(name), false);
  for (const name of glass) bodies.glass(number(name), true);
  const box = stage.box.clone().makeEmpty();
  for (const time of times) { player.seek(time); box.union(bodies.box()); }
  stage.setBounds(box);
  bodies.setSize(stage.bounds.radius);
  stage.bounds.radius /= zoom;
  if (centre) stage.bounds.center.set(...centre);
  contacts.factor = Math.abs(arrows);
  const {contact_force: force} = recording.arrays;
  if (arrows < 0) for (let k = 0; k < force.length; ++k) force[k] = -force[k];
  stage.showGrid(grid);
  stage.lookFrom(stage.bounds.center.clone().set(...direction), false);
}"""
#: the view covers the page, so that its canvas has the size of the window
WHOLE = "viewer.stage.holder.style.cssText = 'position: fixed; inset: 0; z-index: 9'"
#: the canvas as it is drawn at each time; a canvas can be read only in the task that has drawn it
IMAGES_AT = """(times) => {
  const {stage, player} = viewer, {renderer} = stage;
  return times.map((time) => {
    player.seek(time);
    renderer.render(stage.scene, stage.camera);
    return renderer.domElement.toDataURL("image/jpeg", 0.97);
  });
}"""
#: images that the page returns at a time
AT_ONCE = 8


def recorded(name: str, film: Film, folder: Path) -> Result:
    """Run a scene in closed loop from the start of its film, and record at least `ROWS` rows for each image."""
    spec = contactlib.load(name)
    for body, state in film.states.items():
        spec = spec.with_state(body, **state)
    spec = closed_loop(spec, film.fixed, None, film.end, None)
    every = max(1, int((film.end - film.begin) / spec.longest_step / (ROWS * FRAMES)))
    return contactlib.record(spec, folder / f"{name}.clr", every=every)


def with_props(result: Result, film: Film) -> Result:
    """Add what only the drawing has: shapes of bodies without surfaces, tethers and bands. The run is not changed."""
    known = [body.name for body in result.scene.bodies]
    absent = [name for name in film.props if name not in known]
    if absent:
        raise ValueError(f"props: the scene has no body '{absent[0]}'; its bodies are {', '.join(known)}")
    bodies = [replace(body, shapes=(*body.shapes, *(
        replace(prop, material=body.shapes[0].material if body.shapes else "prop")
        for prop in film.props.get(body.name, ())))) for body in result.scene.bodies]
    lines = dict([*tethers_of(result), *bands_of(result)])
    result.scene = replace(result.scene, bodies=tuple(bodies))
    result.cables = {**result.cables, **lines}
    return result


def tethers_of(result: Result) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield each tether as a cable of two nodes, (T, 2, 3), m, world axes: straight, whether it is slack or not."""
    for element in result.scene.elements:
        if isinstance(element, Tether):
            ends = [place(result, element.first_body, element.first_point),
                    place(result, element.last_body, element.last_point)]
            yield f"{element.name}[1]", np.stack(ends, axis=1)


def bands_of(result: Result) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield both edges of each membrane in a plane as cables, (T, n, 3), m: the page draws only triangles.

    The band is taut. It is the lower convex hull of its suspension points and of the body's corners, in the plane
    z = 0: y(x) is the least y at x of all straight lines from one of these points to another.
    """
    for element in result.scene.elements:
        if isinstance(element, Membrane) and element.dimension == 2:
            points = result.membranes[element.name][:, :, :2]
            (first, _), (last, _) = sorted(point[:2] for point in element.suspension_points)
            x = np.linspace(first, last, NODES)
            a, b = (points[:, k, None, :] for k in np.triu_indices(points.shape[1], 1))
            a, b = np.where(a[..., :1] <= b[..., :1], a, b), np.where(a[..., :1] <= b[..., :1], b, a)
            along = (x - a[..., 0]) / np.maximum(b[..., 0] - a[..., 0], 1e-9)
            y = np.where((along >= 0) & (along <= 1), a[..., 1] + along * (b[..., 1] - a[..., 1]), np.inf).min(axis=1)
            for k, z in enumerate((-BAND / 2, BAND / 2), 1):
                yield f"{element.name}[{k}]", np.stack([np.broadcast_to(x, y.shape), y, np.full(y.shape, z)], axis=2)


def place(result: Result, body: str | None, point: tuple[float, ...]) -> NDArray[np.float64]:
    """Return where a point of a body, or of the world, is in all frames, (T, 3), m."""
    if body is None:
        return np.broadcast_to(np.array(point), (len(result), 3))
    states = result.states[:, result.bodies.index(body)]
    return np.array([state[:3] + rotate(state[3:7], np.array(point)) for state in states])


def moments(result: Result, film: Film) -> NDArray[np.float64]:
    """Return the times of the picture and of the film's images, s, (1 + FRAMES,).

    Impacts last less long than an image is shown. Each image shows the moment of the largest sum of contact forces
    since the image before; without contact, the end of that time. The picture is of such a moment before `film.still`.
    """
    forces = np.linalg.norm(result.contacts["f_W"], axis=1)
    load = np.bincount(result.contacts["frame"], forces, len(result))
    ends = np.linspace(film.begin, film.end, FRAMES)
    spans = [(film.still - (ends[1] - ends[0]), film.still), (film.begin, film.begin), *pairwise(ends)]
    found = []
    for start, end in spans:
        rows = np.flatnonzero((result.time > start) & (result.time <= end))
        found.append(float(result.time[rows[load[rows].argmax()]]) if len(rows) and load[rows].any() else end)
    return np.array(found)


def images(view: View, times: NDArray[np.float64], size: tuple[int, int], decimals: int) -> Iterator[Image.Image]:
    """Yield the drawing at each time, with the time in its corner."""
    view.page.set_viewport_size({"width": 2 * size[0], "height": 2 * size[1]})
    view.do(WHOLE)
    view.wait(f"viewer.stage.renderer.domElement.width === {2 * size[0]}")
    view.drawn()
    font = ImageFont.load_default(size=size[0] / 36)
    for some in batched(times.tolist(), AT_ONCE):
        for time, data in zip(some, view.page.evaluate(IMAGES_AT, some), strict=True):
            drawn = Image.open(io.BytesIO(base64.b64decode(data.partition(",")[2])))
            image = drawn.convert("RGB").resize(size, Image.Resampling.LANCZOS)
            ImageDraw.Draw(image).text((0.02 * size[0], size[1] - 0.02 * size[0]), f"{time:.{decimals}f} s", INK, font,
                                       anchor="ls")
            yield image


def batched(times: list[float], number: int) -> list[list[float]]:
    """Return the times in lists of at most `number`."""
    return [times[k:k + number] for k in range(0, len(times), number)]


def digits(film: Film) -> int:
    """Return the digits after the point by which the times of a film's images differ."""
    return max(0, round(-math.log10((film.end - film.begin) / FRAMES)))


def draw(view: View, name: str, film: Film, times: NDArray[np.float64]) -> str:
    """Save the picture and the film of a scene at the given times, s, and say how large they are."""
    chosen = {key: asdict(film)[key] for key in ("direction", "zoom", "centre", "arrows", "glass", "hidden", "grid")}
    view.page.evaluate(CAMERA, {"times": times[1::4].tolist(), **chosen})
    IMAGES.mkdir(parents=True, exist_ok=True)
    picture, moving = IMAGES / f"{name}.png", IMAGES / f"{name}.webp"
    [still] = images(view, times[:1], PICTURE, digits(film))
    # an octree keeps rare colours, such as those of thin arrows; the median cut loses them
    still.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(picture, optimize=True)
    first, *others = images(view, times[1:], FILM, digits(film))
    for quality in QUALITIES:
        first.save(moving, save_all=True, append_images=others, duration=[SHOWN] * len(others) + [LAST], loop=0,
                   quality=quality, method=4)
        if moving.stat().st_size <= MOST_FILM:
            break
    return f"{name}: picture {picture.stat().st_size / 1e3:.0f} kB, film {moving.stat().st_size / 1e3:.0f} kB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="shipped scenes; default: all", default=list(FILMS))
    names = parser.parse_args().scenes
    if unknown := [name for name in names if name not in FILMS]:
        raise SystemExit(f"there is no film of '{unknown[0]}'; films are those of {', '.join(FILMS)}")
    if missing():
        raise SystemExit(missing())
    with tempfile.TemporaryDirectory() as folder, browser() as opened:
        for name in names:
            result = with_props(recorded(name, FILMS[name], Path(folder)), FILMS[name])
            page = write_page(result, Path(folder) / f"{name}.html", every=1, follow=FILMS[name].follow)
            view = open_page(opened, page.path)
            print(draw(view, name, FILMS[name], moments(result, FILMS[name])), flush=True)
            view.page.context.close()


if __name__ == "__main__":
    main()
