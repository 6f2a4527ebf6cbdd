"""The group tree: movable groups, instances of objects from files, volumes of every kind, pools and threads."""

import re
from dataclasses import replace

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from contactlib.common.options import VOLUMES
from contactlib.model.groups import flat_bodies
from contactlib.report import volume_cost
from tests.support.scenes import law, scene

LINE = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0}
LATCH = """
[object]
motion = "external"

[[object.group]]
name = "frame"
r = [0.0, 0.0, 0.5]

[[object.group.shape]]
name = "beam"
kind = "sphere"
radius = 0.1
material = "steel"

[[object.group]]
name = "hook"
movable = true
r = [1.0, 0.0, 0.0]

[[object.group.shape]]
name = "tip"
kind = "sphere"
radius = 0.1
material = "steel"
"""


def balls(name, places, group=4, volume="auto", **keys):
    """A body of balls of radius 0.1 at these places, in groups of a few."""
    groups = []
    for k in range(0, len(places), group):
        shapes = [{"name": f"b{k + i}", "kind": "sphere", "radius": 0.1, "material": "m", "r": list(map(float, place))}
                  for i, place in enumerate(places[k:k + group])]
        groups.append({"name": f"g{k}", "volume": volume, "shape": shapes, "q": [0.8, 0.0, 0.6, 0.0]})
        for shape in shapes:  # the group is turned; its shapes stay where they are
            x, y, z = shape["r"]
            shape["r"] = [0.28 * x - 0.96 * z, y, 0.96 * x + 0.28 * z]
    return {"name": name, "group": groups, **keys}


def grid(n, step=0.19):
    return [(step * i, step * j, 0.0) for i in range(n) for j in range(n)]


def two_grids(n=5, volumes=("auto", "auto"), **keys):
    floor = balls("floor", grid(n), volume=volumes[0], state={"r": [0.0, 0.0, -0.15]})
    return scene([balls("lid", grid(n), volume=volumes[1]), floor], [law("l", ["m", "m"], LINE)], [["lid", "floor"]],
                 **keys)


def write_latches(folder):
    (folder / "latch.toml").write_text(LATCH, encoding="utf-8")
    (folder / "scene.toml").write_text("""
[scene]
name = "latches"

[[object]]
name = "left"
file = "latch.toml"

[[object]]
name = "right"
file = "latch.toml"
state = { r = [0.0, 0.15, 0.0], w = [0.0, 0.0, 2.0] }

[[law]]
name = "touch"
materials = ["steel", "steel"]
normal = { kind = "kelvin_voigt", stiffness = 1000.0, damping = 0.0 }

[[pair]]
bodies = ["left", "right"]
""", encoding="utf-8")
    return contactlib.load(folder)


def test_instances_of_one_file(tmp_path):
    """Two instances of an object, each with its own bodies, states and wrenches; only paired objects meet."""
    simulation = contactlib.Simulation(write_latches(tmp_path).compile())
    assert simulation.model.body_names == ("left", "left.hook", "right", "right.hook")
    np.testing.assert_allclose(simulation.states[3, :3], [1.0, 0.15, 0.0])
    np.testing.assert_allclose(simulation.states[3, 7:10], [0.0, 2.0, 0.0])  # carried along by the start
    wrenches, contacts = simulation.compute()
    assert len(contacts) == 2  # frame on frame, hook on hook
    np.testing.assert_allclose(wrenches[:, 1], [-50.0, -50.0, 50.0, 50.0], rtol=1e-12)
    moved = simulation.compute({"right.hook": {"r": (1.0, 0.3, 0.0)}})
    np.testing.assert_allclose(moved.wrench("right.hook")[:3], 0.0)
    np.testing.assert_allclose(moved.wrench("right")[1], 50.0)
    assert "left.hook.r[1]" in [v.name for v in simulation.model.variables]


def test_a_movable_group_is_a_body_of_its_own(tmp_path):
    spec = write_latches(tmp_path)
    flat = {body.name: body for body in flat_bodies(spec)}
    assert [shape.name for shape in flat["left"].shapes] == ["beam"]
    np.testing.assert_allclose(flat["left"].shapes[0].r, [0.0, 0.0, 0.5])
    held = spec.with_motion("fixed", "left.hook")
    assert contactlib.Simulation(held.compile()).model.motions == ("external", "fixed", "external", "external")


def test_show_draws_the_tree(tmp_path):
    from contactlib.report.scene_summary import describe

    text = describe(write_latches(tmp_path))
    for part in ("hook*", "movable group, external", "frame", "tip", "tests of bounding volumes"):
        assert part in text


@pytest.mark.parametrize(("change", "message"), [
    (("[[object.group.shape]]", "[[object.group.group]]\nname = \"x\"\n[[object.group.shape]]"),
     "has groups and shapes"),
    (('name = "hook"', 'name = "frame"'), "group 'frame' is defined twice"),
    (("movable = true", "movable = 1"), "must be true or false"),
    (('name = "hook"', 'name = "hook"\nvolume = "ball"'), "must be one of auto, sphere, aabb, obb"),
    (('motion = "external"', 'motion = "externl"'), "did you mean 'external'"),
    (('[object]', '[objekt]'), "objekt is not a known key"),
])
def test_mistakes_in_an_object_file(tmp_path, change, message):
    write_latches(tmp_path)
    (tmp_path / "latch.toml").write_text(LATCH.replace(*change), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        contactlib.load(tmp_path)


def test_an_object_file_that_is_not_there(tmp_path):
    write_latches(tmp_path)
    (tmp_path / "latch.toml").unlink()
    with pytest.raises(ValueError, match=r"object\[0\].file = 'latch.toml'"):
        contactlib.load(tmp_path)


@pytest.mark.parametrize("one", VOLUMES)
@pytest.mark.parametrize("other", VOLUMES)
def test_volumes_of_all_kinds_leave_the_same_contacts(one, other):
    """Mixed freely on both sides: the tests differ, the contacts and their sum do not."""
    rng = np.random.default_rng(1)
    plain = contactlib.Simulation(two_grids().compile())
    mixed = contactlib.Simulation(two_grids(volumes=(one, other)).compile())
    for _ in range(20):
        q = rng.normal(size=4)
        state = {"r": tuple(rng.uniform(-0.3, 0.3, 3)), "q": tuple(q / np.linalg.norm(q))}
        expected, found = plain.compute({"lid": state}), mixed.compute({"lid": state})
        assert len(expected.contacts) == len(found.contacts)
        np.testing.assert_allclose(found.wrenches, expected.wrenches, atol=1e-9)


def test_volumes_save_work():
    """The kinds differ in the tests that they need; all leave far fewer candidates than there are pairs of shapes."""
    spec = two_grids(n=12)
    states = np.repeat(contactlib.Simulation(spec.compile()).states[None], 20, axis=0)
    tilt = np.linspace(0.0, 1.0, len(states))
    states[:, 0, 3:7] = np.stack([np.cos(tilt), np.sin(tilt), 0 * tilt, 0 * tilt], axis=1)
    costs = {c.volume: c for c in volume_cost.compare(spec, states)}
    assert set(costs) == {"as written", *VOLUMES}
    assert all(c.candidates < 0.15 * 144**2 for c in costs.values())
    assert len({round(c.tests) for c in costs.values()}) > 1
    assert "candidates" in volume_cost.table(costs.values())


def test_a_plane_fits_in_no_volume():
    ground = {"name": "ground", "group": [{"name": "g", "volume": "sphere", "shape": [
        {"name": "p", "kind": "plane", "material": "m"}]}]}
    spec = scene([balls("lid", grid(2)), ground], [law("l", ["m", "m"], LINE)], [["lid", "ground"]])
    with pytest.raises(ValueError, match="a plane is in group 'g' of body 'ground'"):
        spec.compile()


def test_too_many_contacts_are_counted_and_harm_nothing():
    """A pool that is too small: one sentence with the number needed, the state as before, and all is well after."""
    spec = replace(two_grids(n=5), max_contacts=10)
    # they start apart, so that the first look succeeds
    far = replace(spec, bodies=tuple(replace(b, state=(5.0, *b.state[1:])) if b.name == "lid" else b
                                     for b in spec.bodies))
    simulation = contactlib.Simulation(far.compile())
    before = simulation.save()
    with pytest.raises(ValueError, match=r"25 contacts at once, the scene has capacity for 10: set max_contacts"):
        simulation.compute({"lid": {"r": (0.0, 0.0, 0.0)}})
    assert simulation.save() == before
    with pytest.raises(ValueError, match="25 contacts at once"):
        simulation.step(1e-3, {"lid": {"r": (0.0, 0.0, 0.0)}})
    assert simulation.save() == before
    roomy = contactlib.Simulation(replace(far, max_contacts=25).compile())
    assert len(roomy.compute({"lid": {"r": (0.0, 0.0, 0.0)}}).contacts) == 25


@pytest.mark.skipif(not engine.OPENMP, reason="this build has no OpenMP: there is one thread only")
def test_threads_within_a_step_change_nothing():
    """The narrow phase in 1, 2, 3 and 8 threads: the same contacts in the same order, the same bits."""
    model = two_grids(n=20, max_contacts=4000).compile()
    runs = []
    for threads in (1, 2, 3, 8):
        simulation = contactlib.Simulation(model, num_threads=threads)
        for k in range(3):
            simulation.step(1e-3, {"lid": {"r": (0.01 * k, 0.02 * k, 0.0), "v": (1.0, 0.0, 0.1)}})
        assert simulation.data.work()[1] > 256  # enough for threads to be used
        runs.append((simulation.save(), simulation.contacts.tobytes()))
    assert all(run == runs[0] for run in runs)


# ---- pairs of groups --------------------------------------------------------------------------------


def hand(name="hand", *, fingers=("left", "right"), **keys):
    """A palm at the origin with fingers beside it at -0.15, 0.15, ..., which are bodies of their own."""
    ball = {"kind": "sphere", "radius": 0.1, "material": "m"}
    groups = [{"name": "palm", "shape": [{"name": "p", **ball}]}]
    groups += [{"name": finger, "movable": True, "r": [0.0, 0.15 * (2 * i - 1), 0.0],
                "shape": [{"name": f"f_{finger}", **ball}]}
               for i, finger in enumerate(fingers)]
    return {"name": name, "group": groups, **keys}


def touching(pairs, bodies=None):
    """Names of the bodies that touch, with these pairs, each pair in alphabetical order."""
    spec = scene(bodies or [hand(), balls("cup", [(0.0, 0.3, 0.0)])], [law("l", ["m", "m"], LINE)], pairs)
    contacts = contactlib.Simulation(spec.compile()).contacts
    return {tuple(sorted(names)) for names in zip(contacts.names("body_a"), contacts.names("body_b"), strict=True)}


def test_a_pair_may_name_a_movable_group():
    """The right finger is in reach of the cup, 0.15 m away at radii of 0.1 m; palm and left finger are not."""
    assert touching([["hand.right", "cup"]]) == {("cup", "hand.right")}
    assert touching([["hand.left", "cup"]]) == set()
    assert touching([["cup", "hand"]]) == {("cup", "hand.right")}


def test_groups_of_one_object_may_meet():
    """Each finger touches the palm; the fingers, 0.3 m apart, do not touch."""
    assert touching([["hand.left", "hand.right"]]) == set()
    assert touching([["hand", "hand.left"]]) == {("hand", "hand.left")}
    assert touching([["hand.right", "hand"]]) == {("hand", "hand.right")}
    close = [hand(), balls("cup", [(0.0, 9.0, 0.0)])]
    for group, y in zip(close[0]["group"][1:], (0.05, 0.1), strict=True):
        group["r"] = [0.0, y, 0.0]
    assert touching([["hand.left", "hand.right"]], close) == {("hand.left", "hand.right")}


@pytest.mark.parametrize(("pairs", "says"), [
    ([["hand.lft", "cup"]], "there is no body 'hand.lft'; did you mean 'hand.left'?"),
    ([["hand.palm", "cup"]], "there is no body 'hand.palm'"),
    ([["hand.left", "hand.left"]], "must be two different bodies"),
    ([["hand", "hand"]], "must be two different bodies"),
    ([["hand", "cup"], ["hand.left", "cup"]], "'hand.left' and 'cup' are in the pair ['hand', 'cup'] already"),
    ([["hand..left", "cup"]], "must be the name of an object, or of a group of an object"),
])
def test_pairs_of_groups_that_cannot_be(pairs, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        touching(pairs)


# ---- inertia ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("inertia", "good"), [
    ([1.0, 1.0, 2.0], True),  # a flat plate
    ([1.0, 1.0, 2.1], False), ([3.0, 1.0, 1.0], False),
    ([[2.0, 0.9, 0.0], [0.9, 2.0, 0.0], [0.0, 0.0, 4.2]], False),
    ([[2.0, 0.9, 0.0], [0.9, 2.0, 0.0], [0.0, 0.0, 2.0]], True),  # 1.1, 2.9, 2
])
def test_inertias_that_no_body_has_are_refused(inertia, good):
    """Principal moments are integrals of squared distances: A + B - C is twice that of the distance along one axis."""
    one = {"name": "one", "mass": 1.0, "inertia": inertia}
    if good:
        scene([one], [], []).compile()
        return
    with pytest.raises(ValueError, match="none exceeds the sum of the other two"):
        scene([one], [], [])
    spec = scene([{**one, "inertia": [1.0, 1.0, 1.0]}], [], [])
    rows = inertia if isinstance(inertia[0], list) else np.diag(inertia).tolist()
    wrong = replace(spec, bodies=(replace(spec.bodies[0], inertia=tuple(map(tuple, rows))),))
    with pytest.raises(ValueError, match="inertia of body 'one'"):
        wrong.compile()
