"""The page in headless Chromium: no request, play, scrub, pick, hide, themes, phone, keys, damage.

Truth is the recorded result, and the projection of a sphere.
"""

import math

import numpy as np
import pytest

from contactlib.view import bundle, write_page
from tests.view.runs import BALL_RADIUS, gallery, recorded, resting
from tests.view.view_browser import browser, missing, open_page, pixels

if reason := missing():
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return recorded(gallery(), tmp_path_factory.mktemp("view") / "gallery.clr")


@pytest.fixture(scope="module")
def path(result):
    if not (bundle.BUNDLE / bundle.CODE).is_file():
        pytest.skip("the page's code is not bundled: make viewer")
    write_page(result, result.path.with_suffix(".html"))
    return result.path.with_suffix(".html")


@pytest.fixture(scope="module")
def opened():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def view(opened, path):
    return open_page(opened, path)


def place(view, body, result):
    """Position of a body in the world, as the page draws it."""
    number = result.bodies.index(body)
    return np.array(view.do(f"""(() => {{
        const p = viewer.bodies.list[{number}].object.position, o = viewer.recording.origin(0);
        return [p.x + o[0], p.y + o[1], p.z + o[2]];
    }})()"""))


def screen(view, body, result):
    """Where the middle of a body is in the window, px."""
    number = result.bodies.index(body)
    return view.do(f"""(() => {{
        viewer.stage.camera.updateMatrixWorld();
        const p = viewer.bodies.list[{number}].object.position.clone().project(viewer.stage.camera);
        const box = viewer.stage.holder.getBoundingClientRect();
        return [box.left + (1 + p.x) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
    }})()""")


def test_it_loads_without_a_request(view):
    assert view.notice() == "" and view.requests == [] and view.problems == []
    assert view.do("document.title") == "test: contactlib"


def test_it_plays_and_stops(view):
    view.do("viewer.player.setSpeed(0.01), viewer.player.seek(0)")
    images = view.do("viewer.stage.images")
    view.page.click("#play")
    view.wait("viewer.player.time > 0.001")
    view.page.click("#play")
    assert view.do("viewer.stage.images") > images
    time = view.do("viewer.player.time")
    view.page.wait_for_timeout(300)
    assert view.do("viewer.player.time") == time


@pytest.mark.parametrize("frame", [0, 37, 100])
def test_scrubbing_shows_the_recorded_state(view, result, frame):
    view.do(f"(() => {{ const s = document.getElementById('scrub'); s.value = {frame};"
            "s.dispatchEvent(new Event('input')); })()")
    view.drawn()
    # numbers of 4 bytes
    assert np.abs(place(view, "ball", result) - result.states[frame, 0, :3]).max() < 1e-6
    assert view.do("viewer.contacts.points.count") == np.count_nonzero(result.contacts["frame"] == frame)


def test_between_frames_bodies_are_interpolated(view, result):
    view.do(f"viewer.player.seek({0.5 * (result.time[10] + result.time[11])})")
    view.drawn()
    middle = 0.5 * (result.states[10, 0, :3] + result.states[11, 0, :3])
    assert np.abs(place(view, "ball", result) - middle).max() < 1e-6


def test_arrows_are_as_long_as_their_forces(view, result):
    frame = int(result.contacts["frame"][np.argmax(np.linalg.norm(result.contacts["f_W"], axis=1))])
    view.do(f"viewer.player.seek({result.time[frame]})")
    view.drawn()
    tip = np.array(view.do("""(() => {
        const m = viewer.contacts.arrows.heads.instanceMatrix.array;
        return [m[12] + m[4], m[13] + m[5], m[14] + m[6]];
    })()"""))
    row = int(np.flatnonzero(result.contacts["frame"] == frame)[0])
    origin = np.array(view.do("viewer.recording.origin(0)"))
    expected = result.contacts["r_W"][row] - origin + view.do("viewer.contacts.scale") * result.contacts["f_W"][row]
    assert np.abs(tip - expected).max() < 1e-5 * np.abs(expected).max()


def test_a_click_selects_a_body_with_its_state_and_wrench(view, result):
    view.do(f"viewer.player.seek({result.time[50]}), viewer.stage.look('iso', false)")
    view.drawn()
    view.page.mouse.click(*screen(view, "ball", result))
    assert view.page.inner_text("#card-name") == "ball" and "skin" in view.page.inner_text("#card-about")
    shown = [[float(x.replace("\u2212", "-")) for x in view.page.locator(f"#card .{part} span").all_inner_texts()]
             for part in "rqvwft"]
    expected = np.concatenate([result.states[50, 0], result.wrenches[50, 0]])
    assert np.concatenate(shown) == pytest.approx(expected, rel=6e-4, abs=1e-9)  # four digits


def test_a_hidden_body_is_not_drawn_and_not_picked(view, result):
    view.page.mouse.click(*screen(view, "ball", result))
    assert view.do("viewer.inspector.selected") == 0
    view.page.keyboard.press("h")
    assert view.do("viewer.bodies.list[0].object.visible") is False
    view.page.mouse.click(*screen(view, "ball", result))
    assert view.do("viewer.inspector.selected") != 0
    view.page.keyboard.press("Shift+H")
    assert view.do("viewer.bodies.list[0].object.visible") is True


def test_the_buttons_above_the_view_work(view, result):
    """The card's buttons, the fit and the world axes, pressed by the mouse."""
    view.do(f"viewer.player.seek({result.time[50]}), viewer.stage.look('iso', false)")
    view.drawn()
    view.page.mouse.click(*screen(view, "ball", result))
    view.page.click("#card-glass")
    assert view.do("viewer.bodies.list[0].glass") is True
    view.page.click("#card-glass")
    assert view.do("viewer.bodies.list[0].glass") is False
    shown = view.do("viewer.plots.shown.length")
    view.page.click("#card .small[title='Plot the velocity']")
    assert view.do("viewer.plots.shown.length") == shown + 1
    view.page.click("#card-hide")
    assert view.do("viewer.bodies.list[0].object.visible") is False and not view.page.is_visible("#card")
    view.page.keyboard.press("Shift+H")
    view.page.mouse.click(*screen(view, "ball", result))
    view.page.click("#card-close")
    assert view.do("viewer.inspector.selected") == -1
    view.page.click("#compass g:has(title:text-is('Look from +x')) circle")
    view.wait("""(() => {
        const { camera, controls } = viewer.stage, d = camera.position.clone().sub(controls.target).normalize();
        return d.x > 1 - 1e-6;
    })()""")
    view.do("viewer.stage.camera.position.multiplyScalar(3)")
    view.page.click("#fit")
    view.wait("Math.abs(viewer.stage.camera.position.distanceTo(viewer.stage.controls.target) * "
              "Math.sin(Math.atan(Math.tan(viewer.stage.camera.fov * Math.PI / 360) * "
              "Math.min(1, viewer.stage.camera.aspect))) / viewer.stage.bounds.radius - 1) < 1e-6")


def test_a_sphere_covers_the_pixels_of_its_projection(view, result):
    """The silhouette of a sphere seen along the line to its middle is a disc of radius f R / sqrt(d^2 - R^2)."""
    view.do("""(() => {
        for (const k of [1, 2]) viewer.inspector.hide(k, true);
        viewer.stage.showGrid(false); viewer.bodies.showAll('edges', false); viewer.inspector.select(-1);
        viewer.contacts.forcesShown = viewer.contacts.pointsShown = false; viewer.player.seek(0);
        viewer.stage.look('front', false); // ends a motion of the camera
        const { camera, controls } = viewer.stage, p = viewer.bodies.list[0].object.position;
        controls.target.copy(p); camera.position.set(p.x, p.y - 1.2, p.z); controls.update();
    })()""")
    view.drawn()
    image = pixels(view)
    covered = (np.abs(image - image[0, 0]).sum(axis=2) > 8).sum()
    half = image.shape[0] / 2 / math.tan(math.radians(view.do("viewer.stage.camera.fov") / 2))
    radius = half * BALL_RADIUS / math.sqrt(1.2**2 - BALL_RADIUS**2)
    # a polygon of 48 corners has 0.3 % less; a pixel of the rim may be counted or not
    assert covered == pytest.approx(math.pi * radius**2, rel=0.003 + 2.0 / radius)
    view.do("""(() => {
        viewer.inspector.showAll(); viewer.stage.showGrid(true); viewer.bodies.showAll('edges', true);
        viewer.contacts.forcesShown = viewer.contacts.pointsShown = true; viewer.stage.look('iso', false);
    })()""")


def test_themes_change_page_and_view(view):
    for theme, bright in (("dark", False), ("light", True)):
        view.do(f"viewer.theme.set('{theme}')")
        view.drawn()
        assert (pixels(view)[0, 0].mean() > 128) == bright
        assert (sum(map(int, view.do("getComputedStyle(document.querySelector('header')).backgroundColor")[4:-1]
                        .split(","))) > 384) is bright


def test_keys(view, result):
    view.do("viewer.player.seek(0), document.activeElement.blur()")
    for key, frame in (("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("End", 100), ("Home", 0)):
        view.page.keyboard.press(key)
        assert view.do("viewer.player.time") == pytest.approx(result.time[frame], abs=1e-12), key
    view.page.keyboard.press("v")
    assert view.do("viewer.bodies.list[2].volumes.visible") and view.page.is_checked("#show-volumes")
    view.page.keyboard.press("v")
    view.page.keyboard.press("?")
    assert view.page.is_visible("#keys-dialog")
    view.page.click("#keys-close")


def test_pressures_have_their_colours_and_a_key(opened, tmp_path):
    """An even pressure, not far below the greatest of the run, on a face that is seen from above."""
    result = recorded(resting(tilt=0.0), tmp_path / "box.clr", duration=0.6)
    write_page(result, tmp_path / "box.html")
    view = open_page(opened, tmp_path / "box.html")
    view.do("viewer.player.seek(viewer.recording.end), viewer.stage.look('top', false), viewer.theme.set('light')")
    top = view.do("viewer.pressure.top")
    force, area = abs(result.contacts_of(len(result) - 1)["f_W"][0, 2]), 0.2 * 0.1
    assert force / area / 2 < top < 4 * force / area  # the greatest of the impact
    assert "kPa" in view.do("document.getElementById('pressures').textContent")
    coloured, plain = [], []
    for shown in (coloured, plain):
        view.drawn()
        shown.append(pixels(view))
        view.page.keyboard.press("s")
    changed = (coloured[0] != plain[0]).any(axis=2)
    image = changed.nonzero()
    shape = np.ptp(image[0]) / np.ptp(image[1])
    assert min(shape, 1 / shape) == pytest.approx(0.5, rel=0.03)  # the face of the box, from above
    # most of the face has the mean pressure; the colours go by its square root, and cover 0.85
    stops = np.array([list(map(int, colour[4:-1].split())) for colour in view.do("viewer.pressure.colours")])
    part = np.sqrt(force / area / top) * (len(stops) - 1)
    wanted = [np.interp(part, range(len(stops)), channel) for channel in stops.T]
    seen = (np.median(coloured[0][changed], axis=0) - 0.15 * np.median(plain[0][changed], axis=0)) / 0.85
    np.testing.assert_allclose(seen, wanted, atol=5.0)
    view.page.close()


def test_plots_follow_the_time(view, result):
    view.do(f"viewer.player.seek({result.time[60]})")
    charts = view.do("viewer.plots.shown.map(({ plot, chart }) => [plot.title, chart.cursor.idx, chart.legend.idx])")
    assert charts[0][0] == "force on bodies" and len(charts) >= 3
    line = view.do("new DOMMatrix(viewer.plots.shown[0].line.style.transform).m41 / "
                   "viewer.plots.shown[0].chart.over.clientWidth")
    assert line == pytest.approx(result.time[60] / result.time[-1], abs=0.01)  # a pixel of the chart's 200


def test_a_phone_shows_all_without_scrolling_sideways(opened, path):
    view = open_page(opened, path, 390, 844)
    assert view.do("document.documentElement.scrollWidth") <= 390
    stage = view.page.locator("#stage").bounding_box()
    assert stage["width"] == 390 and stage["height"] > 300
    for element in ("#play", "#scrub", "#speed", "#tab-plots", "#tab-view"):
        box = view.page.locator(element).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] >= 14, element
    view.page.close()


@pytest.mark.parametrize("damage", ["cut", "changed", "swapped"])
def test_a_damaged_page_says_so_and_shows_nothing(opened, path, tmp_path, damage):
    text = path.read_text()
    start = text.index('<script id="recording"')
    middle = (start + len(text)) // 2
    damaged = {"cut": text[:middle], "changed": text[:middle] + "#" + text[middle + 1:],
               "swapped": text[:middle] + ("A" if text[middle] != "A" else "B") + text[middle + 1:]}[damage]
    (tmp_path / "page.html").write_text(damaged)
    view = open_page(opened, tmp_path / "page.html")
    assert "damaged" in view.notice() and "contactlib view" in view.notice()
    assert view.do("globalThis.viewer === undefined") and not view.page.is_visible("#stage")
    view.page.close()
