"""No cable goes through what it is pulled against, or through another cable: pulled until it breaks, at ten times the
working speed of a snare (0.5 m/s at the ring).

On which side a cable of a pin is: the angle that it goes round the pin's axis, from one held end to the other. It tells
sides apart as long as no end passes the pin; a cable that went through would be off by 2 pi.
"""

import math
import os

import numpy as np
import pytest

from tests.support.snares import simulate

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
BREAK_LOAD = 7830.0  # N, of a 1/8 in 7x19 rope
CABLE = {"radius": 1.6e-3, "axial_stiffness": 3.98e5, "bending_stiffness": 1.08e-2, "line_density": 0.0347,
         "elements": 10, "axial_damping": 1e-4, "bending_damping": 2e-3, "mass_damping": 1.0}
SPEED = 0.5  # m/s, ten times the working speed
REACH = 0.1  # m, how far ends are from the pin

PINS = {
    "cylinder": {"kind": "cylinder", "radius": 0.0127, "length": 2.0},
    "capsule": {"kind": "capsule", "radius": 0.0127, "length": 2.0},
    "box": {"kind": "box", "size": [0.02, 0.02, 2.0]},
}


def curve(nodes, length, per_element=20):
    """Points (n, 3) of the cubics through nodes (positions and slopes) of a cable of elements of equal length."""
    r, t = nodes[:, :3], nodes[:, 3:6]
    each = length / (len(nodes) - 1)
    x = np.linspace(0, 1, per_element, endpoint=False)[:, None]
    parts = [(1 - 3 * x**2 + 2 * x**3) * r[k] + each * (x - 2 * x**2 + x**3) * t[k]
             + (3 * x**2 - 2 * x**3) * r[k + 1] + each * (x**3 - x**2) * t[k + 1] for k in range(len(nodes) - 1)]
    return np.vstack([*parts, r[-1:]])


def winding(points, axis, through):
    """Angle (rad) that points go about an axis."""
    axis = axis / np.linalg.norm(axis)
    e = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    e /= np.linalg.norm(e)
    p = points - through
    angle = np.arctan2(p @ np.cross(axis, e), p @ e)
    return float(np.diff(np.unwrap(angle)).sum())


def test_the_side_test_sees_a_cable_on_the_other_side():
    arc = np.column_stack([np.cos(np.linspace(0, np.pi, 50)), np.sin(np.linspace(0, np.pi, 50)), np.zeros(50)])
    z, nowhere = np.array([0, 0, 1.0]), np.zeros(3)
    assert winding(arc, z, nowhere) == pytest.approx(math.pi)
    assert winding(arc * [1, -1, 1], z, nowhere) == pytest.approx(-math.pi)


def puller(name, r, v):
    return {"name": name, "motion": "external", "state": {"r": list(map(float, r)), "v": list(map(float, v))}}


def draw(simulation, h=1e-3):
    """A step in which pullers go on from where they are."""
    simulation.step(h, simulation.states)


def pin(kind, r, q):
    shape = {"name": kind, "material": "steel", **PINS[kind]}
    return {"name": "pin", "motion": "fixed", "state": {"r": list(map(float, r)), "q": list(map(float, q))},
            "shape": [shape]}


def tilted(rng, most):
    """A quaternion that tilts z by up to `most` rad, and turns about it by anything."""
    a, b, c = rng.uniform(0, 2 * np.pi), rng.uniform(0, most), rng.uniform(0, 2 * np.pi)
    tilt = np.array([math.cos(b / 2), math.sin(b / 2) * math.cos(a), math.sin(b / 2) * math.sin(a), 0.0])
    w, x, y, z = tilt
    C, S = math.cos(c / 2), math.sin(c / 2)
    return np.array([w * C - z * S, x * C + y * S, y * C - x * S, z * C + w * S])


def axis_of(q):
    w, x, y, z = q
    return np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])


@pytest.mark.parametrize("seed", range(2 * SOAK))
@pytest.mark.parametrize("friction", [0.0, 0.15])
@pytest.mark.parametrize("kind", PINS)
def test_a_loop_on_a_pin(kind, friction, seed):
    """Laid over a pin, and both ends drawn down at 0.5 m/s each."""
    rng = np.random.default_rng([20261122, seed, sorted(PINS).index(kind)])
    wide = rng.uniform(0.045, 0.065)
    ends = [np.array([side * wide, -0.05, rng.uniform(-0.02, 0.02)]) for side in (-1, 1)]
    ways = [np.array([side * rng.uniform(-0.2, 0.3), -1.0, rng.uniform(-0.1, 0.1)]) for side in (-1, 1)]
    q, at = tilted(rng, 0.3), rng.uniform(-0.008, 0.002, 3)
    simulation = simulate(
        [pin(kind, at, q), *(puller(name, r, SPEED * v / np.linalg.norm(v))
                             for name, r, v in zip("ab", ends, ways, strict=True))],
        cables=[{"name": "rope", "cable": CABLE, "length": 0.22, "bow": [0, 1, 0], "first_body": "a",
                 "last_body": "b", "first_points": [[0, 0, 0]], "last_points": [[0, 0, 0]], "touches": ["pin"],
                 "friction": friction, "break_load": BREAK_LOAD, "max_touches": 128}])
    rope = simulation.elements["rope"]
    for _ in range(1000):
        draw(simulation)
        if rope.broken[0]:
            break
        points = curve(simulation.cable_nodes("rope")[0], 0.22)
        assert winding(points, axis_of(q), at) < 0.0
        assert rope.overlap < CABLE["radius"], "its centre line stays outside"
    assert rope.broken[0] and rope.tension[0] > BREAK_LOAD


def twisted(half_turns, slack, elements, length):
    """Nodes of two cables along x that go round each other on helices of their own length."""
    s = np.linspace(0, 1, elements + 1)
    angle, rate, along = math.pi * half_turns * s, math.pi * half_turns / length, 1 - slack
    apart = math.sqrt(1 - along**2) / rate
    out = []
    for side in (1, -1):
        r = np.column_stack([along * length * s, side * apart * np.cos(angle), side * apart * np.sin(angle)])
        t = np.column_stack([np.full(len(s), along), -side * apart * rate * np.sin(angle),
                             side * apart * rate * np.cos(angle)])
        out.append(np.hstack([r, t]))
    return out


def turns_round_each_other(a, b):
    """Angle (rad) that b - a turns by about x, between the planes that both reach."""
    x = np.linspace(max(a[0, 0], b[0, 0]), min(a[-1, 0], b[-1, 0]), 400)
    d = [np.interp(x, b[:, 0], b[:, k]) - np.interp(x, a[:, 0], a[:, k]) for k in (1, 2)]
    return float(np.diff(np.unwrap(np.arctan2(d[1], d[0]))).sum())


@pytest.mark.parametrize("seed", range(4 * SOAK))
@pytest.mark.parametrize("friction", [0.0, 0.15])
def test_cables_that_cross(friction, seed):
    """Two cables twisted round each other by two to four half turns, drawn apart at both ends."""
    rng = np.random.default_rng([20261123, seed])
    half_turns, length, elements = int(rng.integers(2, 5)), 0.24, 16
    nodes = twisted(half_turns, rng.uniform(0.02, 0.03), elements, length)
    ends = [np.array([[0, *n[0, 1:3]] for n in nodes]), np.array([[0, *n[-1, 1:3]] for n in nodes])]
    v = np.array([1.0, *rng.uniform(-0.1, 0.1, 2)])
    v *= SPEED / np.linalg.norm(v)
    simulation = simulate(
        [puller("a", (0, 0, 0), -v), puller("b", (nodes[0][-1, 0], 0, 0), v)],
        cables=[{"name": "ropes", "cable": {**CABLE, "elements": elements}, "length": length, "first_body": "a",
                 "last_body": "b", "first_points": ends[0].tolist(), "last_points": ends[1].tolist(),
                 "nodes": [n.tolist() for n in nodes], "cable_friction": friction, "break_load": BREAK_LOAD,
                 "max_touches": 128}])
    ropes, touched = simulation.elements["ropes"], 0.0
    for _ in range(1000):
        draw(simulation)
        if ropes.broken.any():
            break
        curves = [curve(n, length) for n in simulation.cable_nodes("ropes")]
        assert turns_round_each_other(*curves) == pytest.approx(math.pi * half_turns, abs=1.0)
        assert ropes.overlap < 2 * CABLE["radius"], "centre lines do not meet"
        touched = max(touched, ropes.touching)
    assert ropes.broken.any() and touched > 0


@pytest.mark.parametrize("seed", range(3 * SOAK))
@pytest.mark.parametrize("kind", PINS)
def test_a_ring_closes_on_a_pin(kind, seed):
    """Three cables that cross each other, drawn round a pin by a ring that turns at 5 rad/s, 0.5 m/s at its cables."""
    rng = np.random.default_rng([20261124, seed, sorted(PINS).index(kind)])
    angles = [2 * math.pi * k / 3 for k in range(3)]
    offset = np.array([*rng.uniform(-0.03, 0.03, 2), 0.0])
    q, length = tilted(rng, 0.15), 0.20944

    def ring(angle, z):
        return [0.1 * math.cos(angle), 0.1 * math.sin(angle), z]

    simulation = simulate(
        [{"name": "base", "motion": "fixed"}, pin(kind, offset, q)],
        snare=[{"name": "snare", "base": "base", "touches": ["pin"], "cable": CABLE, "length": length,
                "fixed_points": [ring(a, -0.0075) for a in angles], "friction": 0.15, "cable_friction": 0.15,
                "moving_points": [ring(a + 2 * math.pi / 3, 0.0075) for a in angles], "max_touches": 192,
                "break_load": BREAK_LOAD, "ring": {"mode": "rate", "high": 4.0}}])
    snare = simulation.elements["snare"]
    snare.set(ring_rate=SPEED / 0.1)
    for _ in range(700):
        simulation.step(1e-3)
        for nodes, broken in zip(simulation.cable_nodes("snare"), snare.broken, strict=True):
            if not broken:
                assert winding(curve(nodes, length), axis_of(q), offset) > 0.0
        assert snare.overlap < CABLE["radius"]
        if snare.broken.any():
            break
    assert snare.broken.any() and snare.ring_angle > 0.7
