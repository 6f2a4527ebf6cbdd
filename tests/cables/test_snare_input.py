"""Bad input to cables and snares: sentences instead of numbers that mean nothing, and starts that are not in order."""

import numpy as np
import pytest

from tests.support.snares import ROPE, free, simulate


def rope(cable=(), **keys):
    return {"name": "rope", "cable": {**ROPE, **dict(cable)}, "first_points": [[0, 0, 0]], "last_points": [[1, 0, 0]],
            **keys}


def ring(**keys):
    return {"name": "snare", "base": "b", "cable": dict(ROPE), "fixed_points": [[0.1, 0, 0]],
            "moving_points": [[0, 0.1, 0]], "length": 0.2, **keys}


MOTOR = {"mode": "motor", "low": -1.0, "high": 1.0, "inertia": 20.0, "gear": 1000.0, "torque_constant": 0.05,
         "resistance": 1.2, "current_limit": 2.0, "efficiency": 0.6}
NODES = [[0.1 * k, 0, 0, 1, 0, 0] for k in range(11)]


@pytest.mark.parametrize(("table", "sentence"), [
    (rope(length=0.0), r"cables\[0\].length = 0.0: must be a finite number greater than 0"),
    (rope(first_points=[[1, 0, 0]]), r"last_points\[0\] = 0.0: a cable must have a length above zero"),
    (rope({"elements": 1}), r"cable.elements = 1: must be"),
    (rope({"radius": 0.0}), r"cable.radius = 0.0: must be"),
    (rope({"axial_stiffness": 0.0}), r"cable.axial_stiffness = 0.0: must be a finite number greater than 0"),
    (rope({"axial_stiffness": -1.0}), r"cable.axial_stiffness = -1.0: must be a finite number greater than 0"),
    (rope({"axial_stiffness": float("nan")}), r"cable.axial_stiffness = nan: must be a finite number"),
    (rope({"bending_stiffness": -1e-9}), r"cable.bending_stiffness = -1e-09: must be a finite number of at least 0"),
    (rope({"bending_stiffness": float("inf")}), r"cable.bending_stiffness = inf: must be a finite number"),
    (rope({"line_density": 0.0}), r"cable.line_density = 0.0: must be"),
    (rope({"axial_damping": -1.0}), r"cable.axial_damping = -1.0: must be"),
    (rope({"stiffness": 1.0}), r"cables\[0\].cable.stiffness is not a known key"),
    (rope(friction=-0.1), r"friction = -0.1: must be"),
    (rope(break_load=-1.0), r"break_load = -1.0: must be"),
    (rope(max_touches=0), r"max_touches = 0: must be"),
    (rope(first_body="c"), r"body = 'c': there is no such body; known: b"),
    (rope(touches=["c"]), r"touches = 'c': there is no such body; known: b"),
    (rope(touches=["b"]), r"touches = 'b'.* must be a body with shapes"),
    (rope(last_points=[[1, 0, 0], [2, 0, 0]]), r"last_points = .* must have a point for each of the 1 first_points"),
    (rope(first_points=[], last_points=[]), r"first_points: has the shape \(0,\), must be rows of three numbers"),
    (rope(length=[1.0, 1.0]), r"length = .*: must be one number or one for each of the 1 cables"),
    (rope(nodes=[NODES[:3]]), r"nodes must hold 1 cables of 11 nodes of 6 numbers"),
    (rope(nodes=[NODES, NODES]), r"nodes must hold 1 cables of 11 nodes of 6 numbers"),
    (rope(nodes=[[*NODES[:-1], [1, 0, 0, 1, 0, float("nan")]]]), r"finite"),
])
def test_bad_cables(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        simulate([free("b")], cables=[table])


@pytest.mark.parametrize(("table", "sentence"), [
    (ring(base="c"), r"body = 'c': there is no such body; known: b"),
    (ring(moving_points=[[0, 0.1, 0]] * 2), r"moving_points = .*: must have a point for each of the 1 fixed_points"),
    (ring(axis=[0, 0, 0]), r"axis = .*: must not be zero"),
    (ring(ring={"mode": "spin"}), r"ring.mode = .*spin.*: must be"),
    (ring(ring={**MOTOR, "resistance": 0.0}), r"ring.resistance = 0.0: must be"),
    (ring(ring={**MOTOR, "low": 0.5}), r"ring.start = 0.0: must lie between the stops low = 0.5 and high = 1"),
    (ring(ring={key: value for key, value in MOTOR.items() if key != "gear"}), r"ring.*gear"),
    (ring(carriage={"mode": "rate", "gear": 2.0}), r"carriage.gear is not a known key"),
    (ring(control={"supply_voltage": 24.0}), r"control"),
])
def test_bad_snares(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        simulate([free("b")], snare=[table])


def test_too_stiff_for_numbers():
    """Numbers that are allowed one by one, but not together: the step says so, and the state stays as it was."""
    simulation = simulate([free("b", (1, 0, 0))], cables=[rope({"axial_stiffness": 1e300}, last_body="b",
                                                                last_points=[[0, 0, 0]])])
    before = simulation.save()
    with pytest.raises(ValueError, match="element 'rope' cannot go on"):
        simulation.step(1e-3)
    assert simulation.save() == before


def test_a_cable_that_is_a_point_at_the_start():
    with pytest.raises(ValueError, match="element 'rope' cannot go on"):
        simulate([], cables=[rope(nodes=[[[0, 0, 0, 0, 0, 0]] * 11])])


def test_too_many_places():
    """A cable along a plate, and room for one place."""
    plate = {"name": "plate", "motion": "fixed", "shape": [
        {"name": "top", "kind": "box", "size": [2.0, 1.0, 0.1], "material": "steel", "r": [0.5, 0, -0.0516]}]}
    simulation = simulate([plate], cables=[rope(touches=["plate"], max_touches=1)])
    with pytest.raises(ValueError, match="more places than it has capacity for"):
        simulation.step(1e-3)


def test_rk4_is_refused():
    with pytest.raises(ValueError, match="cables 'rope': integrator = 'rk4': cables move by implicit steps"):
        simulate([], scene={"integrator": "rk4"}, cables=[rope()])
    with pytest.raises(ValueError, match="snare 'snare': integrator = 'rk4'"):
        simulate([free("b")], scene={"integrator": "rk4"}, snare=[ring()])


JOINT = {"name": "joint", "arms": ["b"], "base_points": [[0, 0, 0]], "arm_points": [[0, 0, 0]]}


@pytest.mark.parametrize("tables", [
    {"cables": [rope(last_body="b")]},
    {"cables": [rope(first_body="b")]},
    {"snare": [ring()]},
    {"cables": [rope(touches=["b"])]},
])
def test_cables_on_bodies_with_joints_are_refused(tables):
    shape = {"name": "s", "kind": "sphere", "radius": 0.1, "material": "steel"}
    with pytest.raises(ValueError, match=r"'(rope|snare)' and ball_joints 'joint' both act on 'b', which is free"):
        simulate([{**free("b"), "shape": [shape]}], ball_joints=[JOINT], **tables)


def test_cables_beside_joints():
    """A fixed base may have both, and other bodies joints."""
    bodies = [{"name": "base", "motion": "fixed"}, free("b"), free("c", (1, 0, 0))]
    simulation = simulate(bodies, ball_joints=[{**JOINT, "base": "base"}],
                          cables=[rope(first_body="base", last_body="c", last_points=[[0, 0, 0]])])
    simulation.step(0.01)
    assert np.isfinite(simulation.states).all()


def test_break_load():
    """Tension goes above it: the cable comes off its last end, and the body flies on without force."""
    simulation = simulate([free("b", (1, 0, 0), v=[1.0, 0, 0])], 1e-4, cables=[
        rope(last_body="b", last_points=[[0, 0, 0]], break_load=500.0)])
    seen = []
    for _ in range(60):
        simulation.step(1e-4)
        e = simulation.elements["rope"]
        seen.append((e.broken[0], e.tension[0], e.last_force[0], simulation.states[0, 7]))
    broken, tension, force, speed = np.array(seen).T
    k = int(np.argmax(broken))
    assert k > 0 and tension[:k].max() < 500.0 < tension[k]
    assert broken[k:].all() and not force[k + 1:].any()
    assert np.ptp(speed[k:]) == 0.0


def test_a_pin_within_a_cable_at_the_start():
    """An overlap is taken back by a fifth in a step, so no faster than 0.2 depth/h: nothing is thrown."""
    depth, h = 1e-3, 1e-3
    pin = {**free("pin", (0.5, -0.0101 - 1.6e-3 + depth + 1e-4, 0), mass=1.0),
           "shape": [{"name": "pin", "kind": "cylinder", "radius": 0.01, "length": 0.2, "material": "steel"}]}
    simulation = simulate([pin], h, cables=[rope({"axial_damping": 1e-3}, touches=["pin"], length=0.999)])
    rope_ = simulation.elements["rope"]
    overlaps, speeds = [], []
    for _ in range(200):
        simulation.step(h)
        overlaps.append(rope_.overlap)
        nodes = simulation.cable_nodes("rope")[0]
        speeds.append(max(np.abs(simulation.states[0, 7:10]).max(), np.abs(nodes[:, 6:9]).max()))
    assert overlaps[0] == pytest.approx(depth, rel=1e-3)
    assert overlaps[40] < 1e-3 * depth
    assert max(speeds) < 0.2 * depth / h * 1.5
