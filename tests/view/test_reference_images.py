"""The drawn view equals stored images of the gallery, to a tolerance that sees a body moved by 2 % of its size.

Software rendering gives equal bits on one machine, whatever the window. Other versions of Chromium round differently:
pixels at the rims of surfaces and along lines may change, and colours by 1 of 255, which `difference` leaves out.
The tolerances lie between two measured changes, which the tests repeat: the field of view by 1e-4 (rounding in the
projection, up to a 40th of a pixel), and the ball by 2 % of its diameter, a pixel. Lines have many rims. Only the
canvas is compared, so fonts and controls do not matter. `python -m tests.view.reference_images` makes the images again.
"""

import pytest

from contactlib.view import bundle, write_page
from tests.view.reference_images import IMAGES, difference, image_of, largest_force, stored
from tests.view.runs import BALL_RADIUS, gallery, recorded
from tests.view.view_browser import browser, missing, open_page

if reason := missing():
    pytest.skip(reason, allow_module_level=True)

#: largest mean difference of a channel, of 255, and largest share of pixels with another colour
TOLERANCE = {"surfaces": (0.04, 3e-4), "everything": (0.15, 1e-3)}
#: takes back what changes and `image_of` leaves
UNDO = """viewer.stage.camera.fov = 35; viewer.contacts.arrows.visible = true;
for (const mesh of viewer.bodies.list[2].meshes) mesh.visible = true; viewer.theme.set("dark");"""


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return recorded(gallery(), tmp_path_factory.mktemp("view") / "gallery.clr")


@pytest.fixture(scope="module")
def view(result):
    if not (bundle.BUNDLE / bundle.CODE).is_file():
        pytest.skip("the page's code is not bundled: make viewer")
    page = write_page(result, result.path.with_suffix(".html"))
    with browser() as opened:
        yield open_page(opened, page.path)


def apart(view, result, name, change=""):
    """Mean difference and share of changed pixels from the stored image, as multiples of their tolerances."""
    image = image_of(view, largest_force(result), IMAGES[name], change)
    view.do(UNDO)
    return [value / most for value, most in zip(difference(image, stored(name)), TOLERANCE[name], strict=True)]


@pytest.mark.parametrize("name", IMAGES)
def test_the_view_is_the_stored_image(view, result, name):
    assert max(apart(view, result, name)) <= 1.0


@pytest.mark.parametrize("name", IMAGES)
def test_rounding_is_tolerated(view, result, name):
    assert 0.0 < max(apart(view, result, name, "stage.camera.fov *= 1.0001")) <= 1.0


@pytest.mark.parametrize(("name", "change"), [
    ("surfaces", f"bodies.list[0].object.position.x += {0.02 * 2 * BALL_RADIUS}"),
    ("everything", f"bodies.list[0].object.position.x += {0.02 * 2 * BALL_RADIUS}"),
    ("surfaces", "bodies.list[2].meshes[1].visible = false"),
    ("surfaces", "bodies.list[0].meshes[0].material.color.multiplyScalar(0.95)"),
    ("surfaces", "stage.scene.background.set('#ffffff')"),
    ("everything", "contacts.arrows.visible = false"),
    ("everything", "bodies.glass(0, false)"),
    ("everything", "bodies.showAll('edges', false)"),
    ("everything", "bodies.showAll('axes', false)"),
    ("everything", "bodies.showAll('volumes', false)"),
    ("everything", "stage.showGrid(false)"),
])
def test_a_change_exceeds_the_tolerance(view, result, name, change):
    assert max(apart(view, result, name, change)) > 1.0
