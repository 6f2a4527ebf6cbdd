"""Runs on the membrane against published cases and closed formulas."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.oracle.reference_membrane import rotation
from tests.support.membranes import FIXED, Case, Run, at, box, hexagon, hull_of, read_table, to_world

DATA = Path(__file__).parents[2] / "validation_data"
G = 9.80665
A0 = 146.14178688862404
STATE = ("{}x", "{}y", "{}z", "{}q0", "{}q1", "{}q2", "{}q3", "{}vx", "{}vy", "{}vz", "{}wx_b", "{}wy_b", "{}wz_b")


def weight(mass):
    def applied(_t, _state):
        wrenches = np.zeros((2, 6))
        wrenches[1, 2] = -mass * G
        return wrenches
    return applied


def read_body(folder, name):
    vertices = np.loadtxt(DATA / folder / f"{name}_body_vertices.csv", delimiter=",")
    faces = np.loadtxt(DATA / folder / f"{name}_body_faces.csv", delimiter=",", dtype=np.int32)
    return vertices, faces


def columns(table, prefix=""):
    return np.column_stack([table[name.format(prefix)] for name in STATE])


def assert_meets(states, table, prefix, tolerance):
    """Position, attitude, velocity and spin (in the body's axes) of one body, relative to the largest of each."""
    wanted = columns(table, prefix)
    found = states.copy()
    for row in found:
        row[10:] = rotation(row[3:7]).T @ row[10:]
    found[:, 3:7] *= np.sign((found[:, 3:7] * wanted[:, 3:7]).sum(axis=1))[:, None]
    for part in (slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)):
        scale = np.linalg.norm(wanted[:, part], axis=1).max()
        assert np.abs(found[:, part] - wanted[:, part]).max() < tolerance * scale, part


@pytest.mark.parametrize(("file", "mu"), [("earth_bounce_nofriction", 0.0), ("earth_bounce_mu0.2", 0.2)])
def test_earth_bounce(file, mu):
    table = read_table(DATA / "membrane_earth_bounce" / f"{file}.csv")
    case = Case(hexagon(), *read_body("membrane_earth_bounce", "earth"), push=True)
    run = Run(case, (30.0, 1.5, A0, mu, 0.02), (None, 100.0), ((1, 1, 1), (91.6, 135.05, 159.05)), weight(100.0))
    first = np.argmax(table["contact"] > 0) - 1
    last = first + np.argmax(table["contact"][first + 1:] == 0)
    table = {name: values[first:last + 1] for name, values in table.items()}
    start = np.stack([FIXED, to_world(columns(table)[0])])
    states = run.states(start, 2e-3, last - first, 10)
    assert_meets(states[:, 1], table, "", 1e-4)
    rows = case.rows(run.parameters, states)[0]
    for name, prefix in (("f_normal_W", "FN"), ("f_friction_W", "Ff")):
        wanted = np.column_stack([table[prefix + axis] for axis in "xyz"])
        # the force of a corner that lies 0.1 mm deeper: k (dA/dx)^2 x 1e-4 is 1e-3 of the largest
        assert np.abs(rows[name] - wanted).max() <= 1e-3 * max(1.0, np.abs(wanted).max())
    assert np.abs(rows["area"] - table["A"]).max() < 1e-4 * 22.66


@pytest.mark.parametrize(("mu", "spread", "low", "low_at", "peak", "peak_at", "damping", "friction", "v", "w"), [
    (0.0, "bisector", -1.55006, 1.6405, 8985.5, 1.6025, -5506.97, 0.0,
     (0.0620, -0.1684, 3.1873), (0.4068, 4.9838, 0.9279)),
    (0.2, "bisector", -1.46028, 1.6305, 8485.2, 1.5955, -4621.61, -1431.24,
     (-0.0636, -0.8371, 5.9246), (0.2030, 0.6656, 0.8248)),
    (0.2, "pseudo_inverse", -1.46546, 1.631, 8520.6, 1.596, -4653.29, -1323.93,
     (0.0176, -0.7854, 6.0476), (0.1480, 0.5060, 0.7408)),
])
def test_earth_bounce_in_numbers(mu, spread, low, low_at, peak, peak_at, damping, friction, v, w):
    """Lowest point, peak normal force, works and velocities at the end, to the digits that the makers list."""
    table = read_table(DATA / "membrane_earth_bounce" / "earth_bounce_nofriction.csv")
    case = Case(hexagon(), *read_body("membrane_earth_bounce", "earth"), push=True, spread=spread)
    run = Run(case, (30.0, 1.5, A0, mu, 0.02), (None, 100.0), ((1, 1, 1), (91.6, 135.05, 159.05)), weight(100.0))
    start = np.stack([FIXED, to_world(columns(table)[63])])
    states = run.states(start, 1e-3, 1100, 1)
    rows = case.rows(run.parameters, states)[0]
    t = table["t"][63] + 1e-3 * np.arange(len(states))
    end = np.flatnonzero(rows["touching"])[-1] + 1
    z, force = states[:end, 1, 2], rows["f_normal_W"][:end, 2]
    assert z.min() == pytest.approx(low, abs=2e-5)
    assert t[z.argmin()] == pytest.approx(low_at, abs=1.1e-3)  # samples of 1 ms beside theirs of 0.5 ms
    assert force.max() == pytest.approx(peak, rel=2e-5)
    assert t[force.argmax()] == pytest.approx(peak_at, abs=1.1e-3)
    assert -np.trapezoid(rows["heat_damping"], t) == pytest.approx(damping, rel=2e-5)
    assert -np.trapezoid(rows["heat_friction"], t) == pytest.approx(friction, rel=5e-4, abs=1e-12)
    body = states[end, 1]
    assert body[7:10] == pytest.approx(v, abs=2e-2)  # the moment of the end, 1 ms, is 1 cm/s of falling
    assert rotation(body[3:7]).T @ body[10:] == pytest.approx(w, abs=1e-2)


@pytest.mark.parametrize(("file", "mu"), [("asteroid_nofriction_h0.02", 0.0), ("asteroid_mu1_h0.02", 1.0)])
def test_asteroid(file, mu):
    table = read_table(DATA / "membrane_asteroid" / f"{file}.csv")
    case = Case(hexagon(height=8.0), *read_body("membrane_asteroid", "asteroid"), push=True)
    inertias = ((53437.5, 53437.5, 16875.0), (7405111.611769, 9745914.043587, 10614090.091743))

    def thrust(t, state):
        wrenches = np.zeros((2, 6))
        if t > 5.0 - 1e-9:
            wrenches[0, :3] = 475.0 * rotation(state[0, 3:7])[:, 2]
        return wrenches

    run = Run(case, (1.5, 15.0, A0, mu, 0.02), (15000.0, 1e6), inertias, thrust)
    start = np.stack([to_world(columns(table, "S")[0]), to_world(columns(table, "A")[0])])
    states = run.states(start, 0.1, 170, 10)
    assert_meets(states[:, 0], table, "S", 1e-3)
    assert_meets(states[:, 1], table, "A", 1e-3)


def test_box_on_a_band():
    table = read_table(DATA / "membrane_band" / "box.csv")
    corners = box(1.6, 0.8, 0.0)[::2]
    case = Case([[-3, 0, 0], [3, 0, 0]], corners, dimension=2, up_C=[0, 1, 0], push=True)

    def fall(_t, _state):
        return np.array([[0.0] * 6, [0, -50 * G, 0, 0, 0, 0]])

    run = Run(case, (4000.0, 100.0, 6.0, 0.0, 0.02), (None, 50.0), ((1, 1, 1), [50 * (1.6**2 + 0.8**2) / 12] * 3), fall)
    half = table["theta"][0] / 2
    start = np.stack([FIXED, at((table["x"][0], table["y"][0], 0), (np.cos(half), 0, 0, np.sin(half)),
                                (0, 0, 0), (0, 0, table["omega"][0]))])
    states = run.states(start, 2e-3, len(table["t"]) - 1, 10)[:, 1]
    theta = 2 * np.arctan2(states[:, 6], states[:, 3])
    found = {"x": states[:, 0], "y": states[:, 1], "theta": theta, "vx": states[:, 7], "vy": states[:, 8],
             "omega": states[:, 12]}
    for name, values in found.items():
        assert np.abs(values - table[name]).max() < 1e-4 * np.abs(table[name]).max(), name


@pytest.mark.parametrize(("damping", "depth", "time", "contact", "peak", "ratio"), [
    (0.0, 4.426525421346, None, 0.766240899530, 11674.348264, 1.0),
    (1.5, 4.059028495, 0.37239207, 0.862621826, None, 0.603932059),
])
def test_a_corner_falls_in_the_middle(damping, depth, time, contact, peak, ratio):
    """100 kg from 10 m on k = 30 N/m3, one corner in the middle: depth, times, peak force, and speeds out over in.

    The time of the lowest point is from the equation of one coordinate, solved to 1e-12. The fabric may push. What is
    missing to ten digits is the step: depths are the lowest of the parabolas between samples.
    """
    spike = hull_of([[0, 0, 0], [0.1, 0, 20], [-0.1, 0.1, 20], [-0.1, -0.1, 20]])
    case = Case(hexagon(), *spike, push=True)
    run = Run(case, (30.0, damping, A0, 0.0, 0.02), (None, 100.0), ((1, 1, 1), (1, 1, 1)), weight(100.0))
    h, speed = 1e-3, np.sqrt(2 * G * 10)
    assert speed == pytest.approx(14.004749194470, rel=1e-12)
    state = np.stack([FIXED, at((0, 0, 0), v=(0, 0, -speed))])
    path = run.states(state, h, 900, 1)[:, 1]
    z, v = path[:, 2], path[:, 9]
    low = np.argmax(v > 0)
    load_share = v[low - 1] / (v[low - 1] - v[low])  # where v crosses zero; the rest of the way is a parabola
    assert z[low - 1] + v[low - 1] * load_share * h / 2 == pytest.approx(-depth, rel=1e-7)
    if time:
        assert (low - 1 + load_share) * h == pytest.approx(time, abs=5e-7)
    end = np.argmax((z > 0) & (v > 0))
    late = z[end] / v[end]
    assert end * h - late == pytest.approx(contact, abs=2e-6)
    assert (v[end] + G * late) / speed == pytest.approx(ratio, rel=1e-6)
    if peak:
        rows = case.rows(run.parameters, np.stack([FIXED, at((0, 0, -depth))])[None])[0]
        assert rows["f_B_W"][0, 2] == pytest.approx(peak, rel=1e-9)


def test_order_of_convergence():
    """While no corner joins or leaves, the Runge-Kutta method has its order of four on the membrane's forces."""
    case = Case(hexagon(), *read_body("membrane_earth_bounce", "earth"))
    run = Run(case, (30.0, 1.5, A0, 0.2, 0.5), (None, 100.0), ((1, 1, 1), (91.6, 135.05, 159.05)), weight(100.0))
    start = np.stack([FIXED, at((0, 0, 0.3), v=(0.2, 0.1, -6), w=(0.1, 0.2, -0.1))])
    ends = [run.states(start, 0.032 / n, 1, n)[-1, 1] for n in (2, 4, 8)]
    counts = case.rows(run.parameters, run.states(start, 0.004, 8, 1))[0]["touching"]
    assert len(set(counts)) == 1 and counts[0] > 0
    coarse, fine = (np.linalg.norm(a - b) for a, b in pairwise(ends))
    assert np.log2(coarse / fine) == pytest.approx(4.0, abs=0.3)
