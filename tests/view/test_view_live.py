"""Live pages in headless Chromium: the bits of Python, a body that is pulled or placed, parameters, refusals.

Truth is the Python module on the same scene. The module for web pages is that of tests/platforms/test_web.py, which is
built once for the present sources.
"""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.fmu import web_page
from contactlib.model.closed_loop import closed_loop
from contactlib.results.fabric import fabrics
from contactlib.view import bundle, write_live_page
from tests.platforms import builds
from tests.platforms.cases import Unavailable
from tests.support.every_element import SPECS
from tests.view.runs import data_of
from tests.view.view_browser import View, browser, missing, open_page

#: scene, options of the closed loop, steps until there are contacts or the fabric is pressed
RUNS = {"peg_in_hole": ({}, 15300), "trampoline": ({}, 120), "gripper": ({"moved": ["palm"]}, 400),
        "lee_snare": ({}, 60)}
HEX = "Array.from(new Uint8Array(numbers.slice().buffer), (x) => x.toString(16).padStart(2, '0')).join('')"


@dataclass
class Live:
    """A live page in the browser, and the scene that it runs."""

    view: View
    spec: contactlib.Spec

    def simulation(self):
        return contactlib.Simulation(self.spec.compile())

    def step(self, count):
        self.view.do(f"viewer.player.step({count})")
        assert self.view.do("viewer.player.problem") == ""

    def hex(self, what):
        """The numbers of all bodies, as the bytes of their doubles."""
        return self.view.do(f"(() => {{ const numbers = viewer.recording.numbers('{what}'); return {HEX}; }})()")

    def states(self):
        return np.frombuffer(bytes.fromhex(self.hex("states"))).reshape(-1, 13)

    def has_bits_of(self, simulation):
        assert self.hex("states") == simulation.states.tobytes().hex()
        assert self.hex("wrenches") == simulation.wrenches.tobytes().hex()

    def pixel(self, body):
        """Where the middle of a body is in the window, px."""
        number = [item.name for item in self.spec.rigid_bodies].index(body)
        return self.view.do(f"""(() => {{
            viewer.stage.camera.updateMatrixWorld();
            const p = viewer.bodies.list[{number}].object.position.clone().project(viewer.stage.camera);
            const box = viewer.stage.holder.getBoundingClientRect();
            return [box.left + (1 + p.x) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height];
        }})()""")

    def press(self, body):
        """Press on a body at a pixel that shows it, near its middle."""
        number = [item.name for item in self.spec.rigid_bodies].index(body)
        x, y = self.pixel(body)
        for shift in range(0, 120, 6):
            for dx, dy in ((0, shift), (0, -shift), (shift, 0), (-shift, 0)):
                self.view.page.mouse.move(x + dx, y + dy)
                self.view.page.mouse.down()
                if self.view.do("viewer.grip.held?.body ?? -1") == number:
                    return x + dx, y + dy
                self.view.page.mouse.up()
        raise AssertionError(f"no pixel near ({x}, {y}) shows {body}")


@pytest.fixture(scope="module")
def opened():
    if reason := missing():
        pytest.skip(reason)
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Returns the file of a scene's live page, and the scene."""
    if not (bundle.BUNDLE / bundle.CODE).is_file():
        pytest.skip("the page's code is not bundled: make viewer")
    folder = tmp_path_factory.mktemp("live")
    with pytest.MonkeyPatch.context() as patch:
        try:
            patch.setattr(web_page, "WASM", builds.wasm())
        except Unavailable as error:
            pytest.skip(str(error))
        yield lambda name: _page(name, folder)


def _page(name, folder):
    scene = SPECS[name]() if name in SPECS else contactlib.load(name)
    spec = closed_loop(scene, [], None, None, None, **RUNS.get(name, ({}, 0))[0])
    path = folder / f"{name}.html"
    return path if path.is_file() else write_live_page(spec, path), spec


@pytest.fixture
def live(opened, pages):
    found = []

    def page_of(name):
        path, spec = pages(name)
        found.append(open_page(opened, path))
        assert found[-1].notice() == ""
        return Live(found[-1], spec)

    yield page_of
    for view in found:
        view.page.close()


@pytest.mark.parametrize("name", RUNS)
def test_the_run_has_the_bits_of_python(live, name):
    page = live(name)
    simulation = page.simulation()
    page.has_bits_of(simulation)
    h, done = page.spec.longest_step, 0
    for steps in (1, 37, RUNS[name][1]):
        page.step(steps - done)
        simulation.run((steps - done) * h, h, every=steps)
        page.has_bits_of(simulation)
        done = steps
    assert page.view.do("viewer.recording.contactCount") == len(simulation.contacts)
    assert page.view.requests == [] and page.view.problems == []
    assert np.abs(simulation.wrenches).max() > 0.0, "the run must reach contacts"


def test_a_live_page_is_one_file_that_loads_nothing(pages):
    path, spec = pages("peg_in_hole")
    text = path.read_text()
    assert "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'" in text
    header, arrays = data_of(text)
    assert arrays["model"].tobytes() == spec.compile().to_bytes()
    assert arrays["wasm"].tobytes() == web_page.WASM.read_bytes()
    assert header["live"]["step"] == spec.longest_step


def test_contacts_and_fabric_are_those_of_python(live):
    page = live("trampoline")
    simulation = page.simulation()
    page.step(120)
    simulation.run(12.0, 0.1, every=120)
    [net] = fabrics(simulation.model)
    vertices, triangles = net.at(simulation.states, [0.0] * len(net.points))
    drawn = np.array(page.view.do("Array.from(viewer.recording.soft.get('membrane_0').now)")).reshape(-1, 3)
    origin = np.array(page.view.do("Array.from(viewer.recording.arrays.origin)"))
    assert np.abs(drawn + origin - vertices).max() < 1e-12 * np.abs(vertices).max()
    first = page.view.do("Array.from(viewer.recording.arrays.membrane_0_first)")
    shown = page.view.do("Array.from(viewer.recording.arrays.membrane_0_triangles)")[:3 * first[1]]
    assert shown == triangles.ravel().tolist() and len(triangles) > len(net.points)


def test_contact_points_and_forces_are_those_of_python(live):
    page = live("tripod")
    simulation = page.simulation()
    page.step(600)
    simulation.run(0.6, 0.001, every=600)
    contacts = simulation.contacts
    assert len(contacts) >= 3
    points = simulation.states[contacts["body_a"], :3] + contacts["p_AC_W"]
    for name, expected in (("point", points), ("force", contacts["f_B_W"])):
        shown = np.array(page.view.do(f"Array.from(viewer.recording.arrays.contact_{name})")).reshape(3, -1).T
        assert np.abs(shown - expected).max() < 1e-12 * np.abs(expected).max()


def test_contacts_of_cables_are_those_of_python(live):
    """A ball on two ropes that cross: sides, points and forces of all contacts, and a dot for each."""
    page = live("cables")
    simulation, h = page.simulation(), page.spec.longest_step
    page.step(60)
    simulation.run(60 * h, h, every=60)
    page.has_bits_of(simulation)
    contacts = simulation.cable_contacts("ropes")
    bodies, on_cable = len(simulation.states), contacts["shape"] < 0
    assert on_cable.any() and not on_cable.all() and len(simulation.contacts) == 0
    assert page.view.do("viewer.recording.contactCount") == len(contacts)
    assert page.view.do("viewer.contacts.points.count") == len(contacts)
    sides = np.array(page.view.do("Array.from(viewer.recording.arrays.contact_side)")).reshape(2, -1)
    assert sides[0].tolist() == np.where(on_cable, bodies + contacts["other_cable"], contacts["body"]).tolist()
    assert sides[1].tolist() == (bodies + contacts["cable"]).tolist()
    origin = np.array(page.view.do("Array.from(viewer.recording.arrays.origin)"))
    for name, expected in (("point", contacts["p_WC"] - origin), ("force", contacts["f_W"])):
        shown = np.array(page.view.do(f"Array.from(viewer.recording.arrays.contact_{name})")).reshape(3, -1).T
        assert np.abs(shown - expected).max() < 1e-12 * np.abs(contacts["f_W"]).max()
    for card, select in (("card-body", "select(0)"), ("card-soft", "selectSoft(viewer.soft[1])")):
        page.view.do(f"viewer.inspector.{select}")
        assert "Contacts with ropes[1] (" in page.view.page.inner_text(f"#{card}")
    assert page.view.problems == []


def test_play_pause_reset_and_plots(live):
    page = live("tripod")
    page.view.page.click("#play")
    page.view.wait("viewer.recording.scene.time > 0.1")
    page.view.page.click("#play")
    steps = page.view.do("viewer.recording.history.steps")
    page.view.page.wait_for_timeout(300)
    assert page.view.do("viewer.recording.history.steps") == steps
    simulation = page.simulation()
    simulation.run(steps * 1e-3, 1e-3, every=steps)
    page.has_bits_of(simulation)
    every = page.view.do("viewer.recording.history.every")
    assert page.view.do("viewer.recording.history.frames") == steps // every + 1
    page.view.page.click("#reset")
    page.has_bits_of(page.simulation())
    assert page.view.do("viewer.recording.history.frames") == 1


def test_a_pulled_body_follows_the_pointer_as_in_python(live):
    """The page's loads, step by step, given to Python: the same bits."""
    page = live("peg_in_hole")
    page.view.do("""(() => {
        const run = viewer.recording, act = run.beforeStep;
        globalThis.log = [];
        run.beforeStep = (h) => {
            act(h);
            log.push([...run.scene.get('interface.f_ext'), ...run.scene.get('interface.t_ext')]);
        };
        viewer.player.setSpeed(0.1), viewer.stage.look('front', false);
    })()""")
    before = page.states()
    x, y = page.press("interface")
    held = page.view.do("viewer.grip.held.p.toArray()")
    page.view.do("viewer.player.play()")  # while it is paused, a drag would place the body
    page.view.page.mouse.move(x + 60, y - 40, steps=4)
    target = np.array(page.view.do("viewer.grip.held.target.toArray()"))
    page.view.wait("log.length > 2500")
    page.view.do("viewer.player.pause()")
    point = np.array(page.view.do(
        "viewer.bodies.list[viewer.grip.held.body].object.localToWorld(viewer.grip.held.p_B.clone()).toArray()"))
    page.view.page.mouse.up()
    distance = np.linalg.norm(target - held)
    assert np.linalg.norm(target - point) < 0.7 * distance
    assert not np.array_equal(page.states(), before)
    page.step(10)
    simulation = page.simulation()
    names = [f"interface.{kind}_ext[{k + 1}]" for kind in "ft" for k in range(3)]
    loads = page.view.do("log")
    assert loads[-1] == [0.0] * 6 and np.abs(loads).max() > 0.0
    for load in loads:
        simulation.set(dict(zip(names, load, strict=True)))
        simulation.step(page.spec.longest_step)
    page.has_bits_of(simulation)


@pytest.mark.parametrize("keys", [(), ("Shift",)], ids=["moved", "turned"])
def test_a_body_that_is_placed_while_paused_has_the_wrench_of_compute(live, keys):
    page = live("peg_in_hole")
    page.view.do("viewer.stage.look('front', false)")
    before = page.states()
    for key in keys:
        page.view.page.keyboard.down(key)
    x, y = page.press("interface")
    page.view.page.mouse.move(x + 3, y + 60, steps=6)
    page.view.page.mouse.up()
    for key in keys:
        page.view.page.keyboard.up(key)
    states = page.states()
    part = slice(3, 7) if keys else slice(0, 3)
    assert np.abs(states[0, part] - before[0, part]).max() > 1e-3
    assert np.array_equal(states[1, :3], before[1, :3]) and page.view.do("viewer.recording.scene.time") == 0.0
    expected = page.simulation().compute(states).wrenches
    assert np.frombuffer(bytes.fromhex(page.hex("wrenches"))).reshape(-1, 6) == pytest.approx(expected, rel=1e-12)
    if not keys:
        assert np.abs(expected).max() > 1.0, "the body must be pressed into the other"


def test_an_external_body_follows_the_pointer(live):
    page = live("gripper")
    before = page.states()[0]
    page.view.do("viewer.player.setSpeed(0.5)")
    x, y = page.press("palm")
    page.view.page.mouse.move(x + 50, y, steps=4)
    target = page.view.do("viewer.grip.held.target.clone().sub(viewer.grip.held.p).toArray()")
    page.view.do("viewer.player.play()")
    page.view.wait("viewer.recording.scene.time > 0.3")
    page.view.do("viewer.player.pause()")
    page.view.page.mouse.up()
    moved = page.states()[0, :3] - before[:3]
    assert np.linalg.norm(moved - target) < 0.3 * np.linalg.norm(target)
    page.step(2)
    still = page.states()[0]
    page.step(2)
    assert np.array_equal(page.states()[0], still)


def test_a_changed_parameter_changes_the_wrench_as_in_python(live):
    page = live("tripod")
    simulation = page.simulation()
    page.step(600)
    simulation.run(0.6, 0.001, every=600)
    name = next(v.name for v in simulation.model.variables if v.name.endswith(".stiffness"))
    before = page.hex("wrenches")
    value = 0.5 * simulation.get(name)
    field = page.view.page.locator(f"[id='set-{name}']")
    field.fill(repr(value))
    field.press("Enter")
    simulation.set(name, value)
    simulation.compute()
    page.has_bits_of(simulation)
    assert page.hex("wrenches") != before
    page.step(50)
    simulation.run(0.05, 0.001, every=50)
    page.has_bits_of(simulation)
    page.view.page.click("#reset")
    fresh = page.simulation()
    fresh.set(name, value)
    page.step(600)
    fresh.run(0.6, 0.001, every=600)
    page.has_bits_of(fresh)  # a reset keeps the value
    page.view.page.click("#defaults")
    assert page.view.do(f"viewer.recording.scene.get({json.dumps(name)})") == 2.0 * value


@pytest.mark.parametrize(("name", "value"), [("pin_hole.stiffness", -1.0), ("pin_hole.mu_kinetic", 0.5)])
def test_a_refused_parameter_is_a_sentence_and_changes_nothing(live, name, value):
    page = live("peg_in_hole")
    simulation = page.simulation()
    before = page.hex("wrenches"), page.view.do(f"viewer.recording.scene.get('{name}')")
    with pytest.raises(ValueError) as refusal:
        simulation.set(name, value)
    field = page.view.page.locator(f"[id='set-{name}']")
    field.fill(str(value))
    field.press("Enter")
    assert page.view.page.inner_text("#refused") == f"{refusal.value}."
    assert (page.hex("wrenches"), page.view.do(f"viewer.recording.scene.get('{name}')")) == before
    page.step(100)
    simulation.run(0.01, 1e-4, every=100)
    page.has_bits_of(simulation)


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["tripod", "--external", "tripod"], "--external"), (["tripod", "--live", "--every", "2"], "--every"),
    (["run.clr", "--live"], "--live"), (["tripod", "--live", "--external", "tripd"], "did you mean 'tripod'"),
])
def test_the_command_refuses_with_a_sentence(tmp_path, arguments, sentence):
    done = CliRunner().invoke(app, ["view", *arguments, "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 1 and sentence in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_without_the_module_the_command_says_how_to_build_it(tmp_path, monkeypatch):
    monkeypatch.setattr(web_page, "WASM", tmp_path / "contactlib.wasm")
    done = CliRunner().invoke(app, ["view", "tripod", "--live", "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 1 and "python -m contactlib.fmu.build --platform wasm32" in done.stderr
