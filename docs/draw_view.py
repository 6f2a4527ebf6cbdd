"""Draws the pictures of docs/view.md, and measures the page, in headless Chromium with software rendering.

    python -m docs.draw_view             # writes docs/images/view.png, view_phone.png, view_live.png, view_pressure.png
    python -m docs.draw_view --measure   # size, time to load, images per second at 800 x 600
    python -m docs.draw_view --measure lee.clr

Needs Chromium, the packages playwright and pyarrow, the bundle of the page (`make viewer`), and for the live page the
wasm32 binary (docs/view.md#live).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import contactlib
from contactlib.model.closed_loop import closed_loop
from contactlib.view import Page, write_live_page, write_page
from tests.view.view_browser import View, browser, missing, open_page

IMAGES = Path(__file__).parent / "images"
#: rows of the recorded run: one in ten steps, so that 20 s have 2001 frames
EVERY = 10
#: steps of the live page of peg_in_hole, until pins touch their holes
STEPS = 15300
#: s of the wall clock over which images are counted
SPAN = 10.0


def page_of(result: Path | None, folder: Path) -> Page:
    """Write the page of a result, by default of the capture in the scene lee_snare."""
    run = contactlib.read_result(result) if result else contactlib.record("lee_snare", folder / "lee.clr", every=EVERY)
    return write_page(run, folder / "page.html")


def on_hills(path: Path) -> Page:
    """Write the page of a box and a cylinder that have come to rest on hills, at its end."""
    x = np.linspace(-np.pi, np.pi, 25)
    heights = 0.02 * np.cos(x)[:, None] * np.cos(x)[None, :]
    hills = {"kind": "mesh", "heights": heights.tolist(), "spacing": [0.04, 0.04], "thickness": 0.2}
    solids = {"box": {"kind": "box", "size": [0.3, 0.24, 0.12], "density": 500.0},
              "can": {"kind": "cylinder", "radius": 0.06, "length": 0.2, "density": 500.0}}
    starts = {"box": {"r": [-0.06, -0.05, 0.1]}, "can": {"r": [0.24, 0.16, 0.09], "q": [0.5, 0.5, 0.5, 0.5]}}
    spec = contactlib.Spec.from_dict({
        "scene": {"name": "box_and_can_on_hills", "gravity": [0.0, 0.0, -9.81], "step_size": 1e-4},
        "body": [{"name": "hills", "motion": "fixed", "shape": [{"name": "ground", "material": "m", **hills}]},
                 *({"name": name, "motion": "free", "state": starts[name],
                    "shape": [{"name": "skin", "material": "m", **solid}]} for name, solid in solids.items())],
        "law": [{"name": "m", "materials": ["m", "m"],
                 "normal": {"kind": "kelvin_voigt", "stiffness": 5e4, "damping": 300.0},
                 "friction": {"kind": "bristle", "mu_static": 0.6, "mu_kinetic": 0.6, "tangential_stiffness": 5e4,
                              "tangential_damping": 300.0}}],
        "pair": [{"bodies": ["hills", name]} for name in solids]})
    run = contactlib.record(spec, path.with_suffix(".clr"), duration=0.8, every=40)
    return write_page(run, path)


def draw_pressure(view: View, path: Path) -> None:
    """Save a picture of solids at rest, with the pressure below them."""
    view.do("viewer.player.seek(viewer.recording.end), viewer.stage.fit()")
    view.page.mouse.move(380, 300)
    for _ in range(8):
        view.page.mouse.wheel(0, -100)
        view.page.wait_for_timeout(100)
    view.page.wait_for_timeout(1500)
    view.drawn()
    view.page.screenshot(path=path)


def measure(view: View, page: Page) -> str:
    """Return size, time to load, and images per second while the run plays."""
    load = view.do("viewer.loaded") / 1e3
    view.do("viewer.player.play()")
    first = view.do("[viewer.stage.images, performance.now()]")
    view.page.wait_for_timeout(1000 * SPAN)
    last = view.do("[viewer.stage.images, performance.now()]")
    rate = (last[0] - first[0]) / (last[1] - first[1]) * 1e3
    level = view.do("document.getElementById('quality').textContent") or "full quality"
    return (f"{page.size / 1e6:.1f} MB, {page.frames} frames; {load:.1f} s from the start of the code to the first "
            f"view; {rate:.1f} images/s over {SPAN:g} s ({level})")


def draw(view: View, path: Path) -> None:
    """Save a picture of the page at the capture: the end effector as glass, the payload's fixture selected."""
    view.do("viewer.player.seek(5.2), viewer.bodies.glass(0, true), viewer.stage.fit()")
    view.page.wait_for_timeout(1500)
    view.drawn()
    path.parent.mkdir(exist_ok=True)
    view.page.screenshot(path=path)


def draw_live(view: View, path: Path) -> None:
    """Save a picture of a live page when pins touch."""
    view.do(f"viewer.player.step({STEPS})")
    view.page.wait_for_timeout(1500)
    view.drawn()
    view.page.screenshot(path=path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="?", type=Path, help="a result file; default: lee_snare is run")
    parser.add_argument("--measure", action="store_true", help="print figures, and draw nothing")
    options = parser.parse_args()
    if missing():
        raise SystemExit(missing())
    with tempfile.TemporaryDirectory() as name, browser() as opened:
        page = page_of(options.result, Path(name))
        if options.measure:
            print(measure(open_page(opened, page.path, 800, 600), page))
            return
        draw(open_page(opened, page.path, 1280, 800), IMAGES / "view.png")
        draw(open_page(opened, page.path, 390, 844), IMAGES / "view_phone.png")
        spec = closed_loop(contactlib.load("peg_in_hole"), [], None, None, None)
        draw_live(open_page(opened, write_live_page(spec, Path(name) / "live.html"), 1100, 700),
                  IMAGES / "view_live.png")
        draw_pressure(open_page(opened, on_hills(Path(name) / "hills.html").path, 1100, 700),
                      IMAGES / "view_pressure.png")


if __name__ == "__main__":
    main()
