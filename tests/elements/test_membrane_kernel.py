"""The membrane's kernel against scipy's hull, finite differences, conservation laws and closed formulas."""

import numpy as np
import pytest

from tests.oracle.reference_membrane import membrane, rotation
from tests.support import membranes
from tests.support.membranes import FIXED, Case, at, box, hexagon, hull_of, quaternion, random_case, state_near

VECTORS = ("f_B_W", "t_B_W", "f_C_W", "t_C_W", "f_normal_W", "f_friction_W")
SCALARS = ("area", "area_rate", "tension", "stored", "heat_damping", "heat_friction", "winch_power", "edge_tension",
           "depth")
COUNTS = ("touching", "outside")

#: forces of 1e4 N are sums of some hundred terms of that size with 1e-16 of rounding, torques have levers of 10 m
AGREE = 1e-11


def assert_agrees(found, oracle):
    force = max(1.0, np.abs(oracle["f_B_W"]).max(), oracle["tension"] * 10)  # where nothing touches, the rim's cancel
    scales = {name: force * (10 if name[0] == "t" else 1) for name in VECTORS}
    for name in VECTORS + SCALARS:
        scale = scales.get(name, max(1.0, abs(np.max(oracle[name]))))
        assert np.abs(found[name] - oracle[name]).max() < AGREE * scale, name
    for name in COUNTS:
        assert found[name] == oracle[name], name


KINDS = ("above", "through", "below", "outside")


def kind_of(oracle):
    if oracle["outside"]:
        return "outside"
    if not oracle["touching"]:
        return "above"
    return "below" if (oracle["scene"].heights < 0).all() else "through"


# ---- against the oracle -----------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("reeled", [False, True])
def test_random_frames_bodies_and_poses(spread, reeled):
    rng = np.random.default_rng(1)
    seen = []
    for _ in range(120):
        case = random_case(rng)
        state, n = state_near(rng, case, spread), len(case.design["p_CS"])
        reel, rate = (rng.uniform(-0.3, 0.3, n), rng.normal(size=n)) if reeled else (None, None)
        parameters = case.parameters(rest=0.9)
        oracle = membrane(case.design, parameters, state, reel, rate)
        assert_agrees(case.one(parameters, state, reel, rate), oracle)
        seen.append(kind_of(oracle))
    assert {0.5: {"through"}, 2.0: {"above", "through", "outside"}}.get(spread, set(KINDS)) <= set(seen)


@pytest.mark.parametrize("turn", [0.0, np.pi / 4, np.pi / 6])
@pytest.mark.parametrize("sides", [3, 4, 6])
def test_ties(sides, turn):
    """A box whose edges and corners are level with each other and with the sides of the frame."""
    angles = np.arange(sides) * 2 * np.pi / sides
    rim = 5 * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(sides)])
    case = Case(rim, *hull_of(box(2.0, 2.0, 2.0)))
    for tilt in (0.0, np.pi / 4, np.arccos(1 / np.sqrt(3))):
        for x, z in ((0.0, 0.5), (1.0, 0.0), (0.0, -0.5), (1.0, -1.0), (0.0, -3.0), (-1.5, 1.0)):
            q = [np.cos(turn / 2) * np.cos(tilt / 2), np.cos(turn / 2) * np.sin(tilt / 2),
                 np.sin(turn / 2) * np.sin(tilt / 2), np.sin(turn / 2) * np.cos(tilt / 2)]
            state = np.stack([FIXED, at((x, 0, z), q, (0.1, 0.2, -0.3), (0.3, 0.1, 0.2))])
            parameters = case.parameters()
            found, oracle = case.one(parameters, state), membrane(case.design, parameters, state)
            # where four points lie in one plane, which lines the fabric has is a matter of choice
            for name in ("area", "tension", "f_B_W", "t_B_W", "heat_friction", "area_rate"):
                assert np.abs(found[name] - oracle[name]).max() < 1e-10 * max(1, np.abs(oracle[name]).max()), name


def test_five_hundred_corners():
    rng = np.random.default_rng(2)
    case = Case(hexagon(), *hull_of(membranes.ball(rng, 500) * [5.7, 4.5, 4.0]))
    for _ in range(12):
        state = np.stack([FIXED, at(rng.normal((0, 0, 1.5)), quaternion(rng), *rng.normal(size=(2, 3)) / 10)])
        parameters = case.parameters()
        assert_agrees(case.one(parameters, state), membrane(case.design, parameters, state))


# ---- mechanics --------------------------------------------------------------------------------------


def moved(state, body, twist, step):
    """The state after `step` s along a twist (v, w) of one of its bodies."""
    state = state.copy()
    angle = np.linalg.norm(twist[3:]) * step
    axis = twist[3:] / max(np.linalg.norm(twist[3:]), 1e-300)
    a, u = np.cos(angle / 2), np.sin(angle / 2) * axis
    b, v = state[body, 3], state[body, 4:7]
    state[body, :3] += step * twist[:3]
    state[body, 3:7] = [a * b - u @ v, *(a * v + b * u + np.cross(u, v))]
    return state


def test_the_force_is_the_gradient_of_the_stored_energy():
    rng = np.random.default_rng(3)
    step = 2e-5  # error: a fifth derivative times step^4, 1e-19, and rounding, 1e-12 J over step
    checked = 0
    while checked < 150:
        case = random_case(rng)
        state, parameters = state_near(rng, case, 1.0), case.parameters(damping=0.0, friction=0.0)
        found = case.one(parameters, state)
        if not found["touching"] or found["outside"]:
            continue
        checked += 1
        for body, (f, t) in enumerate((("f_C_W", "t_C_W"), ("f_B_W", "t_B_W"))):
            twist = rng.normal(size=6)
            points = np.stack([moved(state, body, twist, h * step) for h in (-2, -1, 1, 2)])
            slope = case.rows(parameters, points)[0]["stored"] @ [1, -8, 8, -1] / (12 * step)
            power = np.concatenate([found[f], found[t]]) @ twist
            scale = np.linalg.norm(found[f]) + np.linalg.norm(found[t])
            assert abs(slope + power) < 1e-8 * scale + 1e-9


def test_work_along_a_path_over_which_the_hull_changes():
    """A tumbling body is drawn through the membrane: the work is the energy, though corners join and leave."""
    rng = np.random.default_rng(4)
    case = Case(hexagon(), *hull_of(membranes.ball(rng, 40) * [2.2, 1.7, 1.3]))
    parameters = case.parameters(damping=0.0, friction=0.0)
    twist = np.array([0.3, 0.2, -1.5, 0.6, 0.5, -0.3])
    start = np.stack([FIXED, at((0, 0, 0.5), quaternion(rng))])

    def error(steps):
        path = np.stack([moved(start, 1, twist, t) for t in np.linspace(0, 2, steps + 1)])
        rows = case.rows(parameters, path)[0]
        power = np.concatenate([rows["f_B_W"], rows["t_B_W"]], axis=1) @ twist
        assert len(set(rows["touching"])) > 5
        return np.trapezoid(power, dx=2 / steps) / (rows["stored"][-1] - rows["stored"][0]) + 1

    # trapezia: order 2 for a force that is continuous with kinks, order 1 where it jumps
    assert abs(error(20000)) < 1e-8
    assert abs(error(400)) > 1e-7


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("push", [False, True])
def test_energy_and_momentum(friction, push):
    rng = np.random.default_rng(5)
    for _ in range(200):
        case = random_case(rng, push=push)
        n = len(case.design["p_CS"])
        state, reel, rate = state_near(rng, case), rng.uniform(-0.2, 0.2, n), rng.normal(size=n)
        parameters = case.parameters(friction=friction, damping=15.0)
        found = case.one(parameters, state, reel, rate)
        x = found["area"] - parameters[2]
        stored_rate = parameters[0] * x * found["area_rate"] if x > 0 or push else 0.0
        power = sum(found[f] @ state[i, 7:10] + found[t] @ state[i, 10:13]
                    for i, f, t in ((0, "f_C_W", "t_C_W"), (1, "f_B_W", "t_B_W")))
        heat = found["heat_damping"] + found["heat_friction"]
        scale = abs(stored_rate) + heat + abs(found["winch_power"]) + np.abs(found["f_B_W"]).max() + 1.0
        assert abs(stored_rate + power + heat - found["winch_power"]) < 1e-9 * scale
        assert found["heat_damping"] >= 0 and found["heat_friction"] >= 0
        if push or (found["tension"] > 0 and x > 0):
            assert found["tension"] == pytest.approx(parameters[0] * x + 15.0 * found["area_rate"], rel=1e-12)
            assert found["heat_damping"] == pytest.approx(15.0 * found["area_rate"] ** 2, rel=1e-9, abs=1e-12)
        assert (found["heat_friction"] > 0) == (friction > 0 and found["touching"] > 0 and found["tension"] > 0)
        force = np.abs(found["f_B_W"]).max() + 1e-300
        about = found["t_B_W"] + found["t_C_W"] + np.cross(state[1, :3] - state[0, :3], found["f_B_W"])
        assert np.abs(found["f_B_W"] + found["f_C_W"]).max() <= 1e-12 * force
        assert np.abs(about).max() < 1e-12 * force * 30


def test_the_rate_of_area_is_how_it_changes():
    rng = np.random.default_rng(6)
    step = 2e-6  # areas of 150 m2 are rounded to 3e-14
    for _ in range(100):
        case = random_case(rng)
        n = len(case.design["p_CS"])
        state, reel, rate = state_near(rng, case), rng.uniform(-0.2, 0.2, n), rng.normal(size=n)
        parameters = case.parameters()
        found = case.one(parameters, state, reel, rate)
        areas = []
        for h in (-step, step):
            later = moved(moved(state, 0, state[0, 7:], h), 1, state[1, 7:], h)
            areas.append(case.one(parameters, later, reel + h * rate)["area"])
        if not found["outside"]:
            assert (areas[1] - areas[0]) / (2 * step) == pytest.approx(found["area_rate"], rel=1e-8, abs=1e-7)


def test_no_jump_where_corners_join_and_leave():
    """Between neighbours on a path the force differs by as much less as they are nearer."""
    rng = np.random.default_rng(7)
    case = Case(hexagon(), *hull_of(membranes.ball(rng, 60) * [2.2, 1.7, 1.3]))
    twist = np.array([0.3, 0.2, -1.0, 0.9, 0.5, -0.7])
    start = np.stack([FIXED, at((0, 0, 2.3), quaternion(rng), (0.1, 0.2, -1), (0.2, 0.1, 0.4))])

    def most(steps):
        path = np.stack([moved(start, 1, twist, t) for t in np.linspace(0, 3, steps + 1)])
        rows = case.rows(case.parameters(slip_speed=0.5), path)[0]
        assert rows["touching"][0] == 0 and (np.diff(rows["touching"]) < 0).any() and rows["touching"].max() > 4
        names = ("f_B_W", "t_B_W", "f_friction_W")
        return [np.linalg.norm(np.diff(rows[name], axis=0), axis=1).max() for name in names]

    coarse, fine = most(8000), most(32000)
    assert all(4 * b < 1.3 * a for a, b in zip(coarse, fine, strict=True))


def test_far_away_is_the_same():
    """Positions that a double holds exactly, moved by 2^23 m and 8 km/s: the same bits."""
    rng = np.random.default_rng(8)
    case = random_case(rng)
    state = state_near(rng, case)
    state[:, [0, 1, 2, 7, 8, 9]] = np.round(state[:, [0, 1, 2, 7, 8, 9]] * 2**20) / 2**20
    far = state.copy()
    far[:, :3] += 2**23
    far[:, 7:10] += 8192
    near, away = (case.one(case.parameters(), s) for s in (state, far))
    assert near["touching"] > 0 and near.tobytes() == away.tobytes()


def test_the_same_bits_at_any_number_of_threads_and_in_any_order():
    rng = np.random.default_rng(9)
    case = random_case(rng)
    states = np.stack([state_near(rng, case, 2.0) for _ in range(200)])
    rows = [case.rows(case.parameters(), states, num_threads=k)[0].tobytes() for k in (1, 2, 3)]
    assert rows[0] == rows[1] == rows[2]
    assert case.rows(case.parameters(), states[::-1])[0][::-1].tobytes() == rows[0]


# ---- normal forces ----------------------------------------------------------------------------------


def touching_case(rng, **design):
    """A body without faces of four corners, which can be cut into triangles in two ways."""
    while True:
        case = Case(membranes.frame(rng), *hull_of(membranes.ball(rng, 30) * rng.uniform(0.5, 3, 3)), **design)
        state, parameters = state_near(rng, case), case.parameters()
        found = case.one(parameters, state)
        if found["touching"] and not found["outside"] and found["tension"] > 0:
            return case, state, parameters, found


def test_bisector_forces_hold_every_corner():
    """sum_t F n = -a dA/dx_i, corner by corner, and none is negative."""
    rng = np.random.default_rng(10)
    for _ in range(100):
        case, state, parameters, found = touching_case(rng)
        oracle = membrane(case.design, parameters, state)
        _, corners, normals, forces = case.fabric(parameters, state)
        sums = np.zeros_like(case.design["p_BV"])
        np.add.at(sums, corners, normals * forces[:, None])
        gradient = oracle["gradient"][oracle["scene"].n:] @ rotation(state[1, 3:7])
        # on the body's own edges and at the border alike; a push out of the body is the fabric's pull into it
        pull = -found["tension"] * gradient
        assert np.abs(sums + pull).max() < 1e-12 * found["tension"] * 10
        assert (forces >= 0).all() and found["illegal"] == 0


@pytest.mark.parametrize("spread", membranes.SPREADS)
def test_every_spread_holds_the_body(spread):
    rng = np.random.default_rng(11)
    illegal = 0
    for _ in range(150):
        case, state, parameters, found = touching_case(rng, spread=spread)
        oracle = membrane(case.design, parameters, state)
        _, corners, normals, forces = case.fabric(parameters, state)
        R, x = rotation(state[1, 3:7]), case.design["p_BV"][corners]
        force = -R @ (normals * forces[:, None]).sum(axis=0)
        torque = -R @ np.cross(x, normals * forces[:, None]).sum(axis=0)
        scale = np.linalg.norm(found["f_normal_W"])
        assert np.abs(force - found["f_normal_W"]).max() < 1e-9 * scale
        gradient = oracle["gradient"][oracle["scene"].n:]
        wanted = np.cross(oracle["scene"].x_B, -found["tension"] * gradient).sum(axis=0)
        assert np.abs(torque - wanted).max() < 1e-8 * scale * 10
        assert found["illegal"] == (forces < -1e-12 * np.abs(forces).max()).sum()
        illegal += found["illegal"]
        if spread == "complementarity":
            assert (forces > 0).sum() <= 6
        else:
            mine = sorted(forces)
            theirs = sorted(push[2] for push in oracle["pushes"])
            assert np.abs(np.subtract(mine, theirs)).max() < 1e-8 * scale
    assert (illegal > 0) == (spread == "pseudo_inverse")


# ---- closed formulas --------------------------------------------------------------------------------


def test_hexagon_and_single_corner():
    """A0 of circumradius 7.5 m, and A = 3 R sqrt(h^2 + d^2) under one corner in the middle, h = R cos 30."""
    R, h = 7.5, 7.5 * np.cos(np.pi / 6)
    spike = hull_of([[0, 0, 0], [0.1, 0, 1], [-0.1, 0.1, 1], [-0.1, -0.1, 1]])
    case = Case(hexagon(), *spike)
    assert case.membrane.outline == pytest.approx(146.14178688862404, rel=1e-15)
    for d in (0.01, 0.3, 1.0, 4.0):
        found = case.one(case.parameters(damping=0.0, friction=0.0), np.stack([FIXED, at((0, 0, -d))]))
        area = 3 * R * np.hypot(h, d)
        assert found["area"] == pytest.approx(area, rel=1e-14)
        # F = k (A - A0) dA/dd
        force = 30 * (area - 3 * R * h) * 3 * R * d / np.hypot(h, d)
        assert found["f_B_W"] == pytest.approx([0, 0, force], rel=1e-9, abs=1e-9 * force)


@pytest.mark.parametrize(("force", "depth"), [(475.0, 4.081110660), (467.980296, 4.057495405)])
def test_thrust_on_a_single_corner(force, depth):
    """The note's depths under a steady thrust at k = 1.5."""
    case = Case(hexagon(), *hull_of([[0, 0, 0], [0.1, 0, 9], [-0.1, 0.1, 9], [-0.1, -0.1, 9]]))
    found = case.one(case.parameters(1.5, 0, friction=0), np.stack([FIXED, at((0, 0, -depth))]))
    assert found["f_B_W"][2] == pytest.approx(force, rel=1e-8)  # ten digits of the depth


# ---- profiles and winches ---------------------------------------------------------------------------


def test_profiles():
    """Tension over area and over its rate as tables, against the oracle and against the integral of the force."""
    rng = np.random.default_rng(12)
    tables = (((1.0, 20.0), (4.0, 30.0), (9.0, 300.0)), ((0.5, 5.0), (3.0, 40.0)), ((1.0, 2.0), (2.0, 20.0)))
    for push in (False, True):
        slack = 0
        for _ in range(60):
            case = random_case(rng, tables=tables, push=push)
            state, parameters = state_near(rng, case), case.parameters(rest=rng.uniform(0.9, 1.1))
            oracle = membrane(case.design, parameters, state)
            assert_agrees(case.one(parameters, state), oracle)
            slack += oracle["area"] < parameters[2]
        assert slack > 5


def test_a_winch_does_work():
    """Reeled out, the flat membrane is stretched: the winches' work is what it stores."""
    case = Case(hexagon(), *hull_of(box(1, 1, 1)))
    state = np.stack([FIXED, at((0, 0, 3))])
    reel = np.linspace(0, -0.5, 2001)[:, None] * np.array([1, 0.8, 1.2, 0.9, 1, 1.1])
    rate = np.gradient(reel, axis=0)
    rows = case.rows(case.parameters(damping=0), np.repeat(state[None], len(reel), 0), reel, rate)[0]
    assert rows["stored"][-1] > 100
    assert np.trapezoid(rows["winch_power"]) == pytest.approx(rows["stored"][-1] - rows["stored"][0], rel=1e-6)
    assert np.abs(rows["f_C_W"]).max() == 0  # it pulls on one body alone


def test_drawn_in_it_hangs_loose():
    case = Case(hexagon(), *hull_of(box(1, 1, 1)))
    state = np.stack([FIXED, at((0, 0, 0.3), v=(0, 0, -1))])
    taut, loose = (case.one(case.parameters(), state, np.full(6, reel)) for reel in (0.0, 0.5))
    assert taut["f_B_W"][2] > 0 and taut["touching"] == loose["touching"] == 4
    assert loose["tension"] == loose["stored"] == loose["f_B_W"][2] == 0
    assert loose["area"] < taut["area"]


@pytest.mark.parametrize(("reel", "index"), [(7.5, 2), (4.0, 2), (9.0, 5), (np.nan, None), (np.inf, None)])
def test_a_reel_too_far(reel, index):
    case = Case(hexagon(), *hull_of(box(1, 1, 1)))
    reels = np.zeros((1, 6))
    reels[0, index or 0] = reel
    rows, codes, indices = case.rows(case.parameters(), np.stack([FIXED, at((0, 0, 0))])[None], reels)
    assert membranes.CODES[codes[0]] == ("not_finite" if index is None else "bad_argument")
    assert indices[0] == (-1 if index is None else index)
    assert not rows["f_B_W"].any() and not rows["area"].any()
