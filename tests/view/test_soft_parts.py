"""A click on a cable or a membrane selects it; its card has the recorded outputs and its length.

Truth: recorded nodes and outputs, the projection of the camera, lengths of curves in closed form.
"""

import math
import re

import numpy as np
import pytest

from contactlib.view import bundle, write_page
from contactlib.view.recording import cable_length
from tests.support.every_element import SPECS
from tests.view.runs import data_of, recorded
from tests.view.view_browser import browser, missing, open_page

if reason := missing():
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("soft")
    return {name: recorded(SPECS[name](), folder / f"{name}.clr", duration=0.06) for name in ("cables", "membranes")}


@pytest.fixture(scope="module")
def views(runs):
    if not (bundle.BUNDLE / bundle.CODE).is_file():
        pytest.skip("the page's code is not bundled: make viewer")
    with browser() as opened:
        yield {name: open_page(opened, write_page(result, result.path.with_suffix(".html")).path)
               for name, result in runs.items()}


def click(view, point, right=0.0):
    """Click where a point of the world is on the screen, px to the right of it, and return the name on the card."""
    view.page.keyboard.press("Escape")
    view.drawn()
    x, y = view.do(f"""(() => {{
        viewer.stage.camera.updateMatrixWorld();
        const o = viewer.recording.origin(0), box = viewer.stage.holder.getBoundingClientRect();
        const p = viewer.stage.camera.position.clone().set({", ".join(f"{x!r} - o[{k}]" for k, x in enumerate(point))})
            .project(viewer.stage.camera);
        return [box.left + (1 + p.x) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
    }})()""")
    view.page.mouse.click(x + right, y)
    return view.page.inner_text("#card-name") if view.page.is_visible("#card") else ""


def shown(view):
    """The rows of the card: name, and the numbers now and at most."""
    rows = view.page.locator("#card-soft tr").all_inner_texts()[1:]
    cells = [row.replace("\u2212", "-").split("\t") for row in rows]
    return {name: (float(now), float(largest)) for name, now, largest, *_ in cells}


def test_a_click_on_a_cable_shows_its_outputs(runs, views):
    result, view = runs["cables"], views["cables"]
    frame = len(result) - 1
    view.do(f"viewer.player.seek({result.time[frame]}), viewer.stage.look('front', false)")
    for cable, name in ((0, "ropes[1]"), (1, "ropes[2]")):
        node = result.cables[name][frame, 1].tolist()
        if cable == 1:
            view.do("viewer.stage.look('left', false)")
        assert click(view, node) == name
        values = shown(view)
        for output in ("tension", "first_force", "last_force"):
            series = result.outputs[f"ropes.{output}[{cable + 1}]"]
            largest = series[np.argmax(np.abs(series))]
            assert values[output.replace("_", " ")] == pytest.approx((series[frame], largest), rel=6e-4)  # four digits
        assert values["length"][0] == pytest.approx(cable_length(result.cables[name], result.cable_slopes[name])[frame],
                                                    rel=6e-4)
    assert view.problems == []


def test_a_cable_is_selected_by_a_few_pixels_only(runs, views):
    result, view = runs["cables"], views["cables"]
    view.do(f"viewer.player.seek({result.time[-1]}), viewer.stage.look('left', false)")
    node = result.cables["ropes[1]"][-1, 0].tolist()  # the ropes cross: this one is seen along its line
    radius = view.do("viewer.soft[0].entry.radius")
    assert click(view, node) == "ropes[1]" and radius > 0.0
    across = result.cables["ropes[2]"][-1, 1].tolist()
    assert click(view, across) == "ropes[2]"
    # below the rope nothing is drawn
    depth = [across[0], across[1], across[2] - 0.05]
    assert click(view, depth) == ""


def test_a_body_hides_a_cable_unless_it_is_glass(runs, views):
    """From above, the ball covers the place where it lies on the ropes."""
    result, view = runs["cables"], views["cables"]
    view.do(f"viewer.player.seek({result.time[-1]}), viewer.stage.look('top', false)")
    ball = result.states[-1, 0, :3].tolist()
    assert click(view, ball) == "b"
    assert view.page.is_visible("#card-body") and not view.page.is_visible("#card-soft")
    view.do("viewer.bodies.glass(0, true)")
    assert click(view, ball).startswith("ropes[")
    assert view.page.is_visible("#card-soft") and not view.page.is_visible("#card-body")
    view.do("viewer.bodies.glass(0, false)")
    view.page.keyboard.press("Escape")
    assert not view.page.is_visible("#card")


def arrows_of(view):
    """Foot and tip (n, 2, 3) of the arrows that are drawn, from their matrices."""
    return np.array(view.do("""(() => {
        const { shafts, heads } = viewer.contacts.arrows;
        return Array.from({ length: heads.count }, (_, k) => {
            const m = heads.instanceMatrix.array.slice(16 * k, 16 * k + 16), s = shafts.instanceMatrix.array;
            return [[s[16 * k + 12], s[16 * k + 13], s[16 * k + 14]], [m[12] + m[4], m[13] + m[5], m[14] + m[6]]];
        });
    })()""")).reshape(-1, 2, 3)


def test_contacts_of_cables_are_drawn_as_recorded(runs, views):
    """In every fifth frame: a dot for each row of the file, and an arrow from it, as long as the force on the cable."""
    result, view = runs["cables"], views["cables"]
    assert len(result.contacts["frame"]) == 0, "all contacts are those of cables"
    origin, drawn = np.array(view.do("viewer.recording.origin(0)")), 0
    scale, radius = view.do("viewer.contacts.scale"), view.do("viewer.stage.bounds.radius")
    for frame in range(0, len(result), 5):
        view.do(f"viewer.player.seek({result.time[frame]})")
        rows = result.cable_contacts_of(frame)
        assert view.do("viewer.contacts.points.count") == len(rows["depth"])
        seen = scale * np.linalg.norm(rows["f_W"], axis=1) > 1e-3 * radius  # shorter ones are left out
        feet = rows["r_W"][seen] - origin
        arrows, expected = arrows_of(view), np.stack([feet, feet + scale * rows["f_W"][seen]], axis=1)
        assert arrows.shape == expected.shape
        assert np.abs(arrows - expected).max(initial=0.0) < 1e-5 * radius  # numbers of 4 bytes
        drawn += len(arrows)
    assert drawn > 5


def test_cards_name_the_contacts_of_cables(runs, views):
    result, view = runs["cables"], views["cables"]
    frame = len(result) - 1
    view.do(f"viewer.player.seek({result.time[frame]})")
    rows = result.cable_contacts_of(frame)
    sides = np.where(rows["body"] == "", rows["touched"], rows["body"])
    for name in ("b", "ropes[1]", "ropes[2]"):
        view.page.keyboard.press("Escape")
        view.page.click("#tab-bodies")
        view.page.click(f"#bodies button.name >> text=/^{name.replace('[', '.').replace(']', '.')}$/")
        card = view.page.inner_text("#card-body" if name == "b" else "#card-soft").replace("\u2212", "-")
        others = np.concatenate([rows["cable"][sides == name], sides[rows["cable"] == name]])
        assert len(others) and ("No contacts" in card) is False
        for other in set(others):
            both = ((sides == name) & (rows["cable"] == other)) | ((sides == other) & (rows["cable"] == name))
            total = np.linalg.norm(rows["f_W"][both], axis=1).sum()
            shown = rf"{re.escape(other)} \((\d+), sum of forces ([\d.]+) (m?N)\)"
            count, force, unit = re.search(shown, card).groups()
            assert int(count) == both.sum()
            assert float(force) * (1e-3 if unit == "mN" else 1.0) == pytest.approx(total, rel=6e-3)  # three digits
    view.page.keyboard.press("Escape")
    assert view.problems == []


def test_contacts_of_hidden_cables_are_left_out_with_their_body(runs, views):
    result, view = runs["cables"], views["cables"]
    view.do(f"viewer.player.seek({result.time[-1]})")
    count = len(result.cable_contacts_of(len(result) - 1)["depth"])
    switch = "viewer.controls.switches.extra0[3]({}), viewer.player.seek(viewer.player.time)"
    view.do(switch.format("false"))
    on_body = np.count_nonzero(result.cable_contacts_of(len(result) - 1)["body"] == "b")
    assert view.do("viewer.contacts.points.count") == on_body < count
    view.do("viewer.inspector.hide(0, true)")
    assert view.do("viewer.contacts.points.count") == 0
    view.do("viewer.inspector.showAll()")
    view.do(switch.format("true"))
    assert view.do("viewer.contacts.points.count") == count


def test_a_click_on_a_membrane_shows_its_outputs(runs, views):
    result, view = runs["membranes"], views["membranes"]
    frame, [name] = len(result) - 1, [name for name in result.membranes if len(result.membrane(name, 0)[1])]
    view.do(f"viewer.player.seek({result.time[frame]}), viewer.stage.look('top', false)")
    view.do("for (const k of viewer.bodies.list.keys()) viewer.inspector.hide(k, true)")
    vertices, triangles = result.membrane(name, frame)
    assert click(view, vertices[triangles[0]].mean(axis=0).tolist()) == name
    values = shown(view)
    assert values["area"][0] == pytest.approx(result.outputs[f"{name}.area"][frame], rel=6e-4)
    view.page.click("#card-soft [title='Plot the depth']")
    assert view.do("viewer.plots.shown.at(-1).plot.title") == f"{name}.depth"
    view.do("viewer.inspector.showAll()")
    assert view.problems == []


def test_the_list_selects_cables_too(runs, views):
    view = views["cables"]
    view.page.click("#tab-bodies")
    view.page.click("#bodies button.name >> text=ropes[2]")
    assert view.page.inner_text("#card-name") == "ropes[2]"
    assert view.do("viewer.soft[1].object.material.color.equals(viewer.soft[0].object.material.color)") is False
    view.page.click("#card-close")
    assert view.do("viewer.soft[1].object.material.color.equals(viewer.soft[0].object.material.color)") is True


def test_the_card_has_the_rows_of_its_cable(runs, views):
    del views
    header, arrays = data_of(runs["cables"].path.with_suffix(".html").read_text())
    for number, entry in enumerate(header["cable_nodes"], 1):
        [tension] = [value for value in entry["values"] if value["name"] == "tension"]
        expected = runs["cables"].outputs[f"ropes.tension[{number}]"]
        assert arrays["signals"][tension["signal"]].tobytes() == expected.astype(np.float32).tobytes()


@pytest.mark.parametrize("pieces", [6, 12, 24])
def test_lengths_of_curves_are_of_fourth_order(pieces):
    """Half a circle, and a period of a sine, whose length is 4 sqrt(2) E(1/2) = 7.64039557805542."""
    t = np.linspace(0.0, math.pi, pieces + 1)
    circle = [np.stack([np.cos(t), np.sin(t), 0 * t], axis=1), np.stack([-np.sin(t), np.cos(t), 0 * t], axis=1)]
    x = 2.0 * t
    sine = [np.stack([x, 0 * x, np.sin(x)], axis=1), np.stack([1 + 0 * x, 0 * x, np.cos(x)], axis=1)]
    for (nodes, slopes), length in ((circle, math.pi), (sine, 7.64039557805542)):
        error = abs(cable_length(nodes[None], slopes[None])[0] / length - 1.0)
        assert error < 0.06 * (6 / pieces) ** 4, error


def test_a_cable_without_load_has_its_length(tmp_path):
    result = recorded(SPECS["snare"](), tmp_path / "snare.clr", duration=0.002)
    for name, nodes in result.cables.items():
        found = cable_length(nodes, result.cable_slopes[name])[0]
        assert found == pytest.approx(0.145, rel=2e-3), name  # three elements for an arc
