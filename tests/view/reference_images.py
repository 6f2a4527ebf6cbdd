"""Images of the gallery, without text and controls, which later versions of the page are compared with.

    python -m tests.view.reference_images    # makes tests/view/surfaces.png and tests/view/everything.png again

Look at the new images before you commit them.
"""

import tempfile
from pathlib import Path

import numpy as np

from contactlib.view import write_page
from tests.view.runs import gallery, recorded
from tests.view.view_browser import browser, missing, open_page, pixels

HERE = Path(__file__).parent
WIDTH, HEIGHT = 480, 360
#: numbers of bodies
BALL, GROUND = 0, 1
#: what is drawn besides the surfaces
LINES = ("edges", "axes", "volumes", "grid", "points", "forces")
IMAGES = {"surfaces": (), "everything": LINES}
#: differences of a channel, of 255: of rounding in shaders and in blending, and above which a pixel has another colour
ROUNDING, OTHER = 2, 16


def image_of(view, time, shown, change=""):
    """The image (HEIGHT, WIDTH, 3) at a time of the run, with some of LINES, after a script that changes the scene."""
    on = {name: str(name in shown).lower() for name in LINES}
    view.do(f"""(() => {{
        const {{ stage, bodies, contacts, player, theme, inspector }} = viewer;
        theme.set("light"); inspector.select(-1); inspector.showAll(); player.seek({time});
        bodies.showAll("edges", {on["edges"]}); bodies.showAll("axes", {on["axes"]});
        bodies.showAll("volumes", {on["volumes"]});
        stage.showGrid({on["grid"]});
        // the contact is inside the ball, its arrow and the grid are below the plane
        inspector.hide({GROUND}, {str(bool(shown)).lower()}); bodies.glass({BALL}, {str(bool(shown)).lower()});
        contacts.pointsShown = {on["points"]}; contacts.forcesShown = {on["forces"]};
        player.seek({time});
    }})()""")
    view.drawn()
    view.do(f"""(() => {{
        const {{ stage, bodies, contacts }} = viewer;
        {change};
        stage.renderer.setPixelRatio(1);
        stage.renderer.setSize({WIDTH}, {HEIGHT}, false);
        stage.camera.aspect = {WIDTH / HEIGHT};
        stage.camera.updateProjectionMatrix();
        stage.look("iso", false);
        stage.camera.position.lerp(stage.controls.target, 0.4);
        stage.controls.update();
    }})()""")
    return pixels(view)


def difference(image, other):
    """The mean difference of a channel, of 255, without rounding, and the share of the pixels with another colour."""
    apart = np.abs(image.astype(float) - other)
    return np.where(apart > ROUNDING, apart, 0.0).mean(), (apart.max(axis=2) > OTHER).mean()


def largest_force(result):
    """Time of the largest contact force, s."""
    return float(result.contacts["time"][np.argmax(np.linalg.norm(result.contacts["f_W"], axis=1))])


def stored(name):
    """A stored image (HEIGHT, WIDTH, 3)."""
    from matplotlib.image import imread

    return np.rint(255.0 * imread(HERE / f"{name}.png")[:, :, :3])


def main():
    from matplotlib.image import imsave

    if missing():
        raise SystemExit(missing())
    with tempfile.TemporaryDirectory() as folder, browser() as opened:
        result = recorded(gallery(), Path(folder) / "gallery.clr")
        view = open_page(opened, write_page(result, Path(folder) / "gallery.html").path)
        for name, shown in IMAGES.items():
            imsave(HERE / f"{name}.png", image_of(view, largest_force(result), shown).astype(np.uint8))
            print(f"wrote {HERE / name}.png")


if __name__ == "__main__":
    main()
