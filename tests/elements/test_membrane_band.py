"""The membrane in 2-D: a band over two suspension points, against its oracle and closed formulas."""

import numpy as np
import pytest

from tests.elements.test_membrane_kernel import KINDS, assert_agrees, kind_of, moved
from tests.oracle.reference_membrane import membrane, pushes_of, rotation
from tests.support import membranes
from tests.support.membranes import FIXED, Case, at, quaternion

ENDS = np.array([[-3.0, 0, 0], [3.0, 0, 0]])
UP = np.array([0.0, 1.0, 0.0])


def polygon(rng, count=None):
    """Corners of a flat body in the plane z = 0; those inside its hull change nothing."""
    angles = np.sort(rng.uniform(0, 2 * np.pi, count or rng.integers(3, 20)))
    points = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]) * rng.uniform(0.3, 1.5, 3)
    return points + np.array([0.2, 0.1, 0])


def band(rng, **design):
    return Case(ENDS + rng.normal(size=3), polygon(rng), dimension=2, up_C=UP, **design)


def flat_state(rng, case, spread):
    """Both bodies in one plane, which lies anywhere in the world."""
    middle = case.design["p_CS"].mean(axis=0)
    angle = rng.uniform(0, 2 * np.pi)
    q = [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]
    offset = rng.normal(middle, [spread, spread, 0.0])
    turn = quaternion(rng)
    R = rotation(turn)
    product = [turn[0] * q[0] - turn[3] * q[3], turn[1] * q[0] + turn[2] * q[3], turn[2] * q[0] - turn[1] * q[3],
               turn[0] * q[3] + turn[3] * q[0]]
    carrier = at(rng.normal(size=3), turn, R @ [*rng.normal(size=2), 0], R @ [0, 0, rng.normal()])
    return np.stack([carrier, at(carrier[:3] + R @ offset, product, R @ [*rng.normal(size=2), 0],
                                 R @ [0, 0, rng.normal()])])


@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("way", ["bisector", "pseudo_inverse"])
def test_against_the_oracle(spread, way):
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(150):
        case = band(rng, spread=way)
        state, reel, rate = flat_state(rng, case, spread), rng.uniform(-0.5, 0.5, 2), rng.normal(size=2)
        parameters = case.parameters(rest=0.8)
        oracle = membrane(case.design, parameters, state, reel, rate)
        found = case.one(parameters, state, reel, rate)
        if way == "pseudo_inverse":  # a solution of equations whose condition is that of the body's shape
            assert found["f_friction_W"] == pytest.approx(oracle["f_friction_W"], rel=1e-7, abs=1e-6)
        else:
            assert_agrees(found, oracle)
        seen.add(kind_of(oracle))
    assert seen >= (set(KINDS) if spread > 0.5 else {"through"})


def test_a_solid_body_seen_from_the_side():
    """A body with volume, turned out of the plane: its outline counts, and forces are the energy's gradient."""
    rng = np.random.default_rng(2)
    step, touching = 1e-5, 0
    for _ in range(80):
        case = Case(ENDS, membranes.ball(rng, 20) * [1.3, 0.9, 0.7], dimension=2, up_C=UP)
        state = np.stack([FIXED, at(rng.normal((0, 0, 1), (0.5, 0.5, 0)), quaternion(rng), *rng.normal(size=(2, 3)))])
        parameters = case.parameters(stiffness=2000.0, damping=0.0, friction=0.0)
        found = case.one(parameters, state)
        assert_agrees(found, membrane(case.design, parameters, state))
        touching += found["touching"] > 0
        for body, f, t in ((0, "f_C_W", "t_C_W"), (1, "f_B_W", "t_B_W")):
            twist = rng.normal(size=6)
            rows = case.rows(parameters, np.stack([moved(state, body, twist, h) for h in (-step, step)]))[0]
            power = np.concatenate([found[f], found[t]]) @ twist
            scale = np.linalg.norm(found[f]) + np.linalg.norm(found[t])
            assert abs((rows["stored"][1] - rows["stored"][0]) / (2 * step) + power) < 1e-7 * (scale + 1)
    assert touching > 40


def test_energy_and_momentum():
    rng = np.random.default_rng(3)
    for friction in (0.0, 0.4):
        for _ in range(150):
            case = band(rng)
            state, reel, rate = flat_state(rng, case, 0.5), rng.uniform(-0.5, 0.3, 2), rng.normal(size=2)
            parameters = case.parameters(friction=friction, damping=15.0)
            found = case.one(parameters, state, reel, rate)
            x = max(0.0, found["area"] - parameters[2])
            power = sum(found[f] @ state[i, 7:10] + found[t] @ state[i, 10:13]
                        for i, f, t in ((0, "f_C_W", "t_C_W"), (1, "f_B_W", "t_B_W")))
            heat = found["heat_damping"] + found["heat_friction"]
            change = parameters[0] * x * found["area_rate"] + power + heat - found["winch_power"]
            assert abs(change) < 1e-9 * (heat + np.abs(found["f_B_W"]).max() + 1)
            assert found["heat_damping"] >= 0 and found["heat_friction"] >= 0
            about = found["t_B_W"] + found["t_C_W"] + np.cross(state[1, :3] - state[0, :3], found["f_B_W"])
            assert np.abs(about).max() <= 1e-12 * (1 + np.abs(found["f_B_W"]).max()) * 10


def test_forces_on_every_corner():
    """F = a tan(delta / 2) on both normals of a corner turns the pull of the two segments round."""
    rng = np.random.default_rng(4)
    illegal = {"pseudo_inverse": 0, "complementarity": 0}
    for _ in range(200):
        case = band(rng)
        state = flat_state(rng, case, 0.5)
        parameters = case.parameters()
        oracle = membrane(case.design, parameters, state)
        if not oracle["touching"] or oracle["outside"] or oracle["tension"] == 0:
            continue
        a, scene = oracle["tension"], oracle["scene"]
        _, corners, normals, forces = case.fabric(parameters, state)
        sums = np.zeros_like(case.design["p_BV"])
        np.add.at(sums, corners, normals * forces[:, None])
        assert np.abs(sums - a * oracle["gradient"][scene.n:] @ rotation(state[1, 3:7])).max() < 1e-12 * a * 10
        assert (forces >= 0).all()
        for spread in illegal:
            other = Case(case.design["p_CS"], case.design["p_BV"], dimension=2, up_C=UP, spread=spread)
            _, corners, normals, others = other.fabric(parameters, state)
            total = (normals * others[:, None]).sum(axis=0)
            assert np.abs(total - (normals * forces[:, None]).sum(axis=0)).max() < 1e-9 * forces.sum()
            illegal[spread] += (others < -1e-9 * forces.max()).any()
    assert illegal["pseudo_inverse"] > 0 == illegal["complementarity"]


def test_one_corner_under_a_string():
    """l = 2 sqrt(b^2 + d^2), F = k (l - l0) 2 d / sqrt(b^2 + d^2); F of each normal is a tan(delta / 2)."""
    case = Case(ENDS, [[0, 0, 0], [0.1, 3, 0], [-0.1, 3, 0]], dimension=2, up_C=UP)
    b, d, k = 3.0, 0.7, 200.0
    slope = np.hypot(b, d)
    state = np.stack([FIXED, at((0, -d, 0))])
    found = case.one(case.parameters(k, 0.0), state)
    tension = k * (2 * slope - 2 * b)
    assert found["area"] == pytest.approx(2 * slope, rel=1e-15)
    assert found["f_B_W"] == pytest.approx([0, tension * 2 * d / slope, 0], rel=1e-12, abs=1e-9)
    *_, forces = case.fabric(case.parameters(k, 0.0), state)
    assert forces == pytest.approx([tension * d / b] * 2, rel=1e-12)  # half the turning angle has the tangent d / b


@pytest.mark.parametrize(("ends", "up", "fault"), [
    (ENDS[:1], UP, "too_few_points"),
    (np.vstack([ENDS, ENDS + 1]), UP, "too_few_points"),
    (ENDS * 0, UP, "coincident"),
    (ENDS, [1, 0, 0], "up"),
    (ENDS, [0, 0, 0], "up"),
    (ENDS, [0, np.nan, 1], "up"),
])
def test_bands_that_are_none(ends, up, fault):
    assert Case(ends, [[0, 0, 0]], dimension=2, up_C=up).membrane.fault == fault


def test_other_dimensions_are_none():
    assert Case(ENDS, [[0, 0, 0]], dimension=1, up_C=UP).membrane.fault == "dimension"
    assert Case(ENDS, np.zeros((0, 3)), dimension=2, up_C=UP).membrane.fault == "hull"


def test_pushes_of_the_oracle_turn_at_corners():
    """Three points in a V: the oracle's own forces hold its one corner."""
    case = Case(ENDS, [[0, 0, 0]], dimension=2, up_C=UP)
    oracle = membrane(case.design, case.parameters(), np.stack([FIXED, at((0.5, -1, 0))]))
    faces = [(("a", "b"), np.array([0.0, -1, 0])), (("b", "c"), np.array([1.0, 0, 0]))]
    assert [push[2] for push in pushes_of(oracle["scene"], faces, 2.0)] == pytest.approx([2.0, 2.0])
