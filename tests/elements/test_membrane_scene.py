"""Membranes in scenes: what may be written, that the scene's wrench is the kernel's, and runs as a whole."""

from dataclasses import replace

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from contactlib.report.run_report import join
from contactlib.simulation import rigid_body
from tests.support.fmu_cases import named
from tests.support.scenes import HEXAGON, body, caught_box, net, scene

CUBE = {"kind": "mesh", "vertices": [[x, y, z] for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.3, 0.3)],
        "triangles": [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
                      [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]}
BOX = {"kind": "box", "size": [1.0, 0.8, 0.6]}


def with_shapes(*shapes, **keys):
    shapes = [{"name": f"s{i}", "material": "stone", **shape} for i, shape in enumerate(shapes)]
    return scene([body("rock", "external", shapes)], [], [], {"membrane": [net(**keys)]})


# ---- what may be written -------------------------------------------------------------------------


@pytest.mark.parametrize(("keys", "message"), [
    ({"suspension_points": HEXAGON[:2]}, r"membrane\[0\].suspension_points = .*: must be three or more"),
    ({"suspension_points": [[0, 0], [1, 0], [0, 1]]}, r"suspension_points\[0\] = \[0, 0\]: must be a list of 3"),
    ({"suspension_points": [[0, 0, 0], [1, 0, 0], [0, float("nan"), 0]]}, r"suspension_points\[2\]\[1\] = nan: "),
    ({"suspension_points": HEXAGON[:3], "dimension": 2}, "must be two points, as dimension = 2"),
    ({"dimension": 4}, r"membrane\[0\].dimension = 4: must be an integer from 2 to 3"),
    ({"stiffness": -1.0}, r"membrane\[0\].stiffness = -1.0: must be a finite number of at least 0"),
    ({"damping": "much"}, r"membrane\[0\].damping = 'much': must be a finite number of at least 0"),
    ({"rest_area": float("inf")}, r"membrane\[0\].rest_area = inf: must be a finite number"),
    ({"slip_speed": 0.0}, r"membrane\[0\].slip_speed = 0.0: must be a finite number greater than 0"),
    ({"friction": {"stone": -0.1}}, r"membrane\[0\].friction.stone = -0.1: must be a finite number of at least 0"),
    ({"friction": 0.3}, r"membrane\[0\].friction = 0.3: must be a table"),
    ({"spread": "bisecter"}, r"membrane\[0\].spread = 'bisecter': must be one of .*did you mean 'bisector'"),
    ({"push": 1}, r"membrane\[0\].push = 1: must be true or false"),
    ({"up": [0, 0, 1]}, r"membrane\[0\].up is not a known key"),
    ({"sides": 6}, r"membrane\[0\].sides is not a known key"),
    ({"elastic": {"growth": [1.0, 0.5], "tension": [1, 2]}}, r"membrane\[0\].elastic.growth = .*values that grow"),
    ({"extending": {"rate": [1.0], "tension": [1, 2]}}, r"membrane\[0\].extending.tension = .*1 values, as rate"),
    ({"retracting": {"rate": [1, 2], "tension": [2, 1]}}, "retracting.tension = .*not fall at the end"),
])
def test_bad_keys(keys, message):
    with pytest.raises(ValueError, match=message):
        with_shapes(BOX, **keys)


def test_missing_keys():
    for key in ("name", "body", "suspension_points", "stiffness", "damping"):
        table = {name: value for name, value in net().items() if name != key}
        with pytest.raises(ValueError, match=rf"membrane\[0\].{key} is missing"):
            scene([], [], [], {"membrane": [table]})


@pytest.mark.parametrize(("keys", "message"), [
    ({"body": "rok"}, "membrane 'net': body = 'rok': there is no such body; did you mean 'rock'"),
    ({"carrier": "ring"}, "membrane 'net': carrier = 'ring': there is no such body; known: rock"),
    ({"carrier": "rock"}, "membrane 'net': carrier = 'rock': must be another body than the one that is caught"),
    ({"shape": "skin"}, "membrane 'net': shape = 'skin': body 'rock' has no such shape; known: s0"),
    ({"friction": {"ston": 0.3}}, "friction has no coefficient for 'stone', which shape 's0' is made of; did you mean "
                                  "'ston'"),
    ({"suspension_points": [[0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0]]},
     r"suspension_points\[1\] = .*: lies where the next one lies"),
    ({"suspension_points": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}, "membrane 'net': .*(line|convex)"),
    ({"suspension_points": [[0, 0, 0], [1, 0, 0.1], [1, 1, 0], [0, 1, 0]]}, "does not lie in the plane of the others"),
    ({"suspension_points": [[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]]}, "do not go once around a convex frame"),
    ({"suspension_points": [[0, 0, 0], [0, 0, 2]], "dimension": 2},
     "membrane 'net': up = .*: must be finite, and point out of the line of the suspension points"),
])
def test_what_does_not_fit(keys, message):
    with pytest.raises(ValueError, match=message):
        with_shapes(BOX, **keys).compile()


@pytest.mark.parametrize(("shapes", "message"), [
    ([{"kind": "sphere", "radius": 1.0}], "shape 's0' of body 'rock': it is a sphere: a membrane catches a mesh, a"),
    ([{"kind": "plane"}], "it is a plane"),
    ([{**CUBE, "triangles": CUBE["triangles"][1:]}], r"the mesh is not closed \(3 edges have one triangle\)"),
    ([BOX, BOX], r"body 'rock' has 2 shapes; shape must name the one that is caught \(known: s0, s1\)"),
    ([], "body 'rock' has 0 shapes"),
])
def test_what_cannot_be_caught(shapes, message):
    with pytest.raises(ValueError, match=message):
        with_shapes(*shapes).compile()


def test_a_membrane_that_was_not_read_from_a_file_is_checked_too():
    spec = with_shapes(BOX)
    good = spec.elements[0]
    for change, message in [
        ({"suspension_points": ((0, 0, 0), (1, 0, 0))}, "must be three or more points"),
        ({"suspension_points": ((0, 0, 0), (1, 0, 0), (0, float("nan"), 0))}, r"points\[2\] = .*must be finite"),
        ({"stiffness": -1.0}, "membrane 'net': stiffness = -1.0: must be a finite number of at least 0 N/m\\^3"),
        ({"slip_speed": float("nan")}, "membrane 'net': slip_speed = nan: must be a finite number greater than 0 m/s"),
        ({"spread": "even"}, "membrane 'net': spread = 'even': must be one of"),
        ({"elastic": ((1.0, 2.0), (0.5, 3.0))}, "membrane 'net': a profile must have values that grow"),
        ({"name": "a b"}, "element.name = 'a b': must be a name"),
    ]:
        with pytest.raises(ValueError, match=message):
            replace(spec, elements=(replace(good, **change),)).compile()


def test_shapes_that_are_one_body_are_one_membrane():
    """The same solid as box, mesh and polyhedron, and as one of two shapes, at a place of its own in the body."""
    place = {"r": [0.1, 0.0, 0.0], "q": [0.8, 0.0, 0.0, 0.6]}
    corners = {"kind": "polyhedron", "corners": CUBE["vertices"]}
    state = {"rock": {"r": (0.1, 0.0, 0.1), "q": (0.8, 0.6, 0.0, 0.0)}}
    wrenches = [contactlib.Simulation(spec.compile()).compute(state).wrench("rock") for spec in (
        with_shapes({**BOX, **place}), with_shapes({**CUBE, **place}), with_shapes({**corners, **place}),
        with_shapes(CUBE, {**BOX, **place}, shape="s1"))]
    assert np.linalg.norm(wrenches[0]) > 10.0
    for wrench in wrenches[1:]:
        assert wrench == pytest.approx(wrenches[0], rel=1e-12, abs=1e-9)


def test_rest_area_is_that_of_the_flat_fabric():
    model = with_shapes(BOX).compile()
    start = {v.name: v.start for v in model.variables}
    assert start["net.rest_area"] == pytest.approx(6.0 * np.sqrt(3.0), rel=1e-14)  # 3 sqrt(3)/2 R^2, R = 2 m


def test_friction_is_picked_by_the_material():
    spec = with_shapes({**BOX, "material": "ice"}, friction={"stone": 0.5, "ice": 0.05})
    assert {v.name: v.start for v in spec.compile().variables}["net.friction"] == 0.05
    assert {v.name: v.start for v in with_shapes(BOX, friction={}).compile().variables}["net.friction"] == 0.0


def test_the_hash_follows_every_number():
    spec = with_shapes(BOX)
    changes = [{}, {"stiffness": 301.0}, {"push": True}, {"spread": "pseudo_inverse"}, {"rest_area": 9.0},
               {"elastic": ((1.0, 20.0),)}, {"suspension_points": tuple(map(tuple, HEXAGON[1:]))}]
    specs = [replace(spec, elements=(replace(spec.elements[0], **change),)) for change in changes]
    assert len({s.compile().hash for s in specs}) == len(changes)
    assert spec.compile().hash == with_shapes(BOX).compile().hash


# ---- the wrench is the kernel's ------------------------------------------------------------------


def kernel_of(spec):
    """The element's design as the kernel takes it without a scene, and its parameters."""
    (element,) = spec.elements
    design = element.design({b.name: b for b in spec.rigid_bodies})
    points = np.array(element.suspension_points, dtype=float)
    corners, count = design.integers[3], design.integers[4]
    numbers = np.array(design.numbers)
    up, rest = numbers[points.size:points.size + 3], numbers[points.size + 3:]
    hull = rest[:3 * corners].reshape(-1, 3)
    triangles = np.array(design.integers[5:5 + 3 * count], dtype=np.int32).reshape(-1, 3)
    membrane = engine.Membrane(element.dimension, points, up, hull, triangles, spread=design.integers[1],
                               push=bool(design.integers[2]))
    assert membrane.fault == "none"
    return membrane, [design.parameters[k] for k in ("stiffness", "damping", "rest_area", "friction", "slip_speed")]


def random_states(n, seed=1):
    random = np.random.default_rng(seed)
    states = np.zeros((n, 2, 13))
    states[..., :3] = random.uniform(-0.3, 0.3, (n, 2, 3)) + np.array([7e6, -3e6, 1e6])
    q = random.normal(size=(n, 2, 4))
    q[:, 1] = np.array([1.0, 0.0, 0.0, 0.0]) + 0.2 * q[:, 1]
    states[..., 3:7] = q / np.linalg.norm(q, axis=2, keepdims=True)
    states[..., 7:10] = random.normal(size=(n, 2, 3)) + np.array([7000.0, 2000.0, -500.0])
    states[..., 10:] = 0.3 * random.normal(size=(n, 2, 3))
    return states


def test_what_the_winches_hold():
    """Without friction the pulls carry the body, and reeling in works against them: dU/dreel_k = -a dA/ds_k . out_k."""
    spec = caught_box("external", "external", {"friction": {}, "damping": 0.0})
    simulation = contactlib.Simulation(spec.compile())
    view, reel, h = simulation.elements["net"], np.full(6, 0.1), 1e-5
    for state in random_states(30):
        view.set(reel=reel)
        simulation.compute(state)
        pulls = np.array(view.pull)
        assert np.linalg.norm(simulation.wrenches[0, :3]) <= pulls.sum() * (1 + 1e-12)
        energies = np.zeros((6, 2))
        for k, j in np.ndindex(6, 2):
            view.set(reel=reel + (2 * j - 1) * h * (np.arange(6) == k))
            simulation.compute(state)
            energies[k, j] = view.stored_energy
        slope = np.abs(np.diff(energies, axis=1)[:, 0]) / (2 * h)
        # the point is drawn to the middle, the fabric pulls it a little aside
        assert np.all(slope <= pulls * (1 + 1e-6) + 1e-6) and np.all(slope >= 0.5 * pulls - 1e-6)


@pytest.mark.parametrize("spread", ["bisector", "pseudo_inverse", "complementarity"])
def test_the_wrench_is_the_kernels(spread):
    spec = caught_box("external", "external", {"spread": spread})
    states = random_states(200)
    membrane, parameters = kernel_of(spec)
    reel = np.random.default_rng(2).uniform(0.0, 0.2, 6)
    out = np.zeros(len(states), dtype=engine.MEMBRANE_DTYPE)
    engine.membrane_wrenches(membrane, parameters, np.ascontiguousarray(states[:, ::-1]),
                             np.tile(reel, (len(states), 1)), np.zeros((0, 6)), out, 1)
    assert (out["touching"] > 0).mean() > 0.5
    simulation = contactlib.Simulation(spec.compile())
    view = simulation.elements["net"]
    view.set(reel=reel)
    for state, expected in zip(states, out, strict=True):
        def close(*keys, expected=expected):  # quaternions are normalised twice on the one way, once on the other
            return pytest.approx(np.hstack([expected[key] for key in keys]), rel=1e-12, abs=1e-10)

        wrenches = simulation.compute(state).wrenches
        assert wrenches[0] == close("f_B_W", "t_B_W") and wrenches[1] == close("f_C_W", "t_C_W")
        assert [view.area, view.area_rate, view.depth] == close("area", "area_rate", "depth")
        assert [view.tension, view.max_edge_tension, view.stored_energy] == close("tension", "edge_tension", "stored")
        assert (view.touching, view.outside, view.illegal) == tuple(
            expected[k] for k in ("touching", "outside", "illegal"))
        assert view.normal_force == pytest.approx(np.linalg.norm(expected["f_normal_W"]), rel=1e-12, abs=1e-10)
        assert view.friction_force == pytest.approx(np.linalg.norm(expected["f_friction_W"]), rel=1e-12, abs=1e-10)


def test_profiles_reach_the_kernel():
    """A profile that is the straight line k x is the stiffness k, and one that is c x the damping c."""
    line = {"elastic": {"growth": [1.0, 2.0], "tension": [300.0, 600.0]},
            "extending": {"rate": [1.0], "tension": [15.0]}, "retracting": {"rate": [2.0], "tension": [30.0]}}
    table = {k: v for k, v in net().items() if k not in ("stiffness", "damping")}
    plain = caught_box()
    curved = replace(plain, elements=contactlib.Spec.from_dict(
        {"scene": {"name": "x"}, "membrane": [{**table, **line}]}).elements)
    a, b = (contactlib.Simulation(s.compile()) for s in (plain, curved))
    for _ in range(10):
        wrench = a.step(0.05).wrenches
        assert b.step(0.05).wrenches == pytest.approx(wrench, rel=1e-9, abs=1e-9)
    assert a.elements["net"].dissipated_energy > 1.0


def test_in_two_dimensions():
    """A thread of 2 m under a bar's middle edge at depth d: two straight halves of sqrt(1 + d^2)."""
    rock = body("rock", "external", [{"name": "s", "kind": "box", "size": [1e-6, 1.0, 1.0], "material": "stone"}])
    thread = net(dimension=2, suspension_points=[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], friction={})
    simulation = contactlib.Simulation(scene([rock], [], [], {"membrane": [thread]}).compile())
    force = simulation.compute({"rock": {"r": (0.0, 0.0, 0.25)}}).wrench("rock")[:3]
    view = simulation.elements["net"]
    length = 2.0 * np.hypot(1.0, 0.25)
    assert view.area == pytest.approx(length, abs=2e-6)  # the bar is 1e-6 m thick
    assert view.tension == pytest.approx(300.0 * (length - 2.0), abs=300 * 2e-6)
    assert force == pytest.approx([0.0, 0.0, 2.0 * view.tension * 0.25 / np.hypot(1.0, 0.25)], abs=1e-3)
    units = {v.name: v.unit for v in simulation.model.variables}
    assert (units["net.stiffness"], units["net.area"]) == ("N/m", "m")


def test_batches_are_the_single_looks_at_any_number_of_threads():
    spec = caught_box("external", "external")
    states = random_states(64)
    simulation = contactlib.Simulation(spec.compile())
    singles = np.array([simulation.compute(state).wrenches for state in states])
    for threads in (1, 2, 3, 8):
        assert simulation.compute_batch(states, num_threads=threads).wrenches.tobytes() == singles.tobytes()


# ---- whole runs ----------------------------------------------------------------------------------


def energies(integrator, h, carrier=None, stop=0.6, **keys):
    """Largest departure of the sum of all energies, relative to that of the start; momentum errors; the run."""
    spec = caught_box(carrier, keys=keys, integrator=integrator, step_size=h)
    run = contactlib.Simulation(spec.compile()).run(stop, h)
    balance = rigid_body.balance(run, {b.name: b.mass_properties() for b in spec.rigid_bodies})
    total = balance.kinetic + run.energy_taken_by_elements
    return np.abs(total / total[0] - 1.0).max(), balance, run


@pytest.mark.parametrize("carrier", [None, "free"])
def test_energies_add_up(carrier):
    """To the integrator's error: of first order by Euler's rule; by rk4 next to nothing, but where a corner lands."""
    coarse, fine = (energies("semi_implicit_euler", h, carrier)[0] for h in (2e-3, 1e-3))
    assert 1.6 < coarse / fine < 2.4 and fine < 3e-3
    error, _, run = energies("rk4", 1e-3, carrier)
    assert error < 1e-5  # 2e-6 found; a corner that lands within a step breaks the order
    heat = run.output("net.dissipated_energy")
    assert (np.diff(heat) >= 0.0).all() and heat[-1] > 20.0 and run.output("net.friction_force").max() > 10.0


def test_momentum_is_kept():
    _, balance, run = energies("semi_implicit_euler", 1e-3, "free")
    assert run.output("net.normal_force").max() > 100.0
    assert balance.linear_error < 1e-13 and balance.angular_error < 1e-12  # rounding of 600 steps


def test_without_damping_and_friction_nothing_is_lost():
    error, balance, run = energies("rk4", 1e-3, "free", damping=0.0, friction={})
    assert not run.output("net.dissipated_energy").any() and error < 1e-5
    assert run.output("net.stored_energy").max() > 0.3 * balance.kinetic[0]


def test_winches_work():
    """Reeling in at a constant speed under a body at rest: what they supply is stored or turned into heat."""
    h, speed, stop = 1e-3, 0.05, 0.4
    spec = caught_box(None, "external", {"friction": {}}, integrator="rk4", step_size=h)
    model = spec.compile()
    data = contactlib.Simulation(model).data
    reel, supplied = named(model, "net.reel"), named(model, "net.supplied_energy")[0]
    stored, dissipated = (named(model, f"net.{x}_energy")[0] for x in ("stored", "dissipated"))
    for i in named(model, "rock.v", "rock.w"):
        data.set(i, 0.0)
    data.set(named(model, "rock.r[3]")[0], 0.0)
    data.set(named(model, "net.rest_area")[0], 8.0)
    for i in reel:
        data.set_rate(i, speed)
    data.accept_inputs()
    data.evaluate()
    start = data.get(stored)
    for k in range(round(stop / h)):
        for i in reel:
            data.set(i, speed * k * h)
            data.set_rate(i, speed)
        data.accept_inputs()
        data.advance(h)
    assert abs(data.get(supplied)) > 5.0
    # both sides are integrals by the same rule; the rest is that a rule of order four integrates smooth work
    assert data.get(stored) - start + data.get(dissipated) == pytest.approx(data.get(supplied), rel=1e-9)


def test_a_winch_that_jumps_has_worked():
    """Reeling in by a staircase, as a simulation without rates does it: what each step stores more is supplied."""
    simulation = contactlib.Simulation(caught_box("free", integrator="rk4", step_size=1e-3).compile())
    view = simulation.elements["net"]
    masses = {b.name: b.mass_properties() for b in caught_box("free").rigid_bodies}
    runs = [simulation.run(0.1, 1e-3)]
    for k in range(1, 40):
        view.set(reel=0.002 * k, rest_area=8.0) if k == 1 else view.set(reel=0.002 * k)
        simulation.compute()  # a look between the jump and the step changes nothing
        runs.append(simulation.run(0.01, 1e-3))
    supplied = runs[-1].output("net.supplied_energy")[-1]
    assert abs(supplied) > 5.0
    run = join(runs[2:])  # from after the change of the rest area, which is no command
    total = rigid_body.balance(run, masses).kinetic + run.energy_taken_by_elements
    jumps = np.abs(np.diff(run.output("net.stored_energy"))).max()
    assert jumps > 0.1 and np.ptp(total[10::10]) < 1e-3 * jumps


def test_what_is_set_before_the_first_step_is_where_it_starts():
    simulation = contactlib.Simulation(caught_box().compile())
    simulation.elements["net"].set(reel=0.1)
    simulation.step(1e-3)
    assert simulation.elements["net"].supplied_energy == 0.0


def test_rk4_evaluates_the_membrane_at_every_stage():
    """Order four while the same corners touch: the error falls by about 16 from step to half the step."""
    def end(h):
        spec = caught_box(keys={"friction": {}}, integrator="rk4", step_size=h)
        rock = replace(spec.bodies[0], state=(0.1, 0.2, -0.4, 1.0, *[0.0] * 6, 0.1, 0.2, -0.1))
        simulation = contactlib.Simulation(replace(spec, bodies=(rock,)).compile())
        run = simulation.run(0.16, h)
        assert np.ptp(run.output("net.touching")) == 0 and run.output("net.touching")[0] > 0
        return simulation.states[0]

    exact = end(1e-3)
    errors = [np.abs(end(h) - exact).max() for h in (0.04, 0.02)]
    assert 10.0 < errors[0] / errors[1] < 24.0


def test_runs_repeat_to_the_bit():
    simulation = contactlib.Simulation(caught_box("free").compile())
    simulation.step(0.15)
    saved = simulation.save()
    simulation.step(0.2)
    first = simulation.save()
    for _ in range(2):
        simulation.restore(saved)
        simulation.step(0.2)
        assert simulation.save() == first
    other = contactlib.Simulation(simulation.model, num_threads=2)
    other.restore(saved)
    other.step(0.2)
    assert other.save() == first


def test_a_failed_step_changes_nothing():
    simulation = contactlib.Simulation(caught_box("free").compile())
    simulation.step(0.15)
    simulation.elements["net"].set(reel=[0, 0, 0, 2.5, 0, 0])
    before = simulation.save()
    with pytest.raises(ValueError, match="element 'net' cannot go on: suspension point 4 is reeled in to"):
        simulation.step(0.1)
    assert simulation.save() == before
    simulation.elements["net"].set(reel=0.0)
    simulation.step(0.1)


@pytest.mark.parametrize("place", [
    (0.0, 0.0, 50.0), (0.0, 0.0, -50.0), (50.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, -0.3),
    (0.0, 0.0, 0.3), (1e9, 0.0, -1.0),
])
def test_wherever_the_body_is_nothing_is_nan(place):
    simulation = contactlib.Simulation(caught_box("external", "external").compile())
    result = simulation.compute({"rock": {"r": place, "q": (1.0, 0.0, 0.0, 0.0)}, "ring": {"r": (0.0, 0.0, 0.0)}})
    assert np.isfinite(result.wrenches).all()
    view = simulation.elements["net"]
    assert all(np.isfinite(getattr(view, x)).all() for x in dir(view) if not x.startswith("_") and x != "set")
