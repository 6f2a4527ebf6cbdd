"""Friction laws against their closed forms: what holds, what slips where, and what it costs."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import contactlib
from contactlib.shapes import quaternion
from tests.support.law_scenes import BRISTLE, FLOOR, GRAINED, LUGRE, RATE, SPRING, STIFF, G, lead, tip_on_floor, touch
from tests.support.scenes import body, scene


def block_on_slope(friction, degrees, towards=0.0, pull=None):
    """Largest drift over the last of 10 s of a 10 kg block on four feet; `pull(t)` is a force on it along the slope."""
    tilt = np.radians(degrees)
    q = (np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0)
    turn = np.radians(towards)  # the grain of the slope, turned in its plane
    w, x, y, z = q
    c, s = np.cos(turn / 2), np.sin(turn / 2)
    q_floor = (w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s)
    R = quaternion.rotation_matrix(q)
    block = body("block", "free", mass=10.0, inertia=[0.1, 0.1, 0.1], com=[0.0, 0.0, 0.05],
                 shapes=[{"name": f"foot_{i}", "kind": "point", "material": "a", "r": [x, y, 0.0]}
                         for i, (x, y) in enumerate(((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)))],
                 state={"r": list(R @ [0.0, 0.0, -5e-5]), "q": list(q)})
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}],
                 state={"q": list(q_floor)})
    simulation = contactlib.Simulation(scene([block, floor], [touch(STIFF, friction=friction)], [["block", "floor"]],
                                             gravity=[0.0, 0.0, -G]).compile())
    places = []
    for k in range(10000):
        if pull is not None:
            simulation.apply("block", R @ [pull(k * 1e-3), 0.0, 0.0])
        simulation.step(1e-3)
        if k % 1000 == 999:
            places.append(simulation.states[0, :3])
    return np.linalg.norm(places[-1] - places[-2])


@pytest.mark.parametrize("friction", [BRISTLE, RATE, LUGRE, GRAINED], ids=lambda friction: friction["kind"])
def test_held_on_a_slope_without_creep(friction):
    """10 degrees, below every coefficient: nothing moves in the last of 10 s."""
    assert block_on_slope(friction, 10.0, towards=30.0) < 1e-9


def test_creep_under_a_swinging_load():
    """The bristle and the grained bristle are springs while they hold: a swinging load leaves no drift. LuGre drifts,
    as is known of it (Dupont et al. 2002): its bristles slip a little at every speed."""
    def swing(t):
        return 10.0 * np.sin(2 * np.pi * 10 * t)

    grained = {**GRAINED, "mu_along": 0.5, "mu_across": 0.6}
    assert block_on_slope(BRISTLE, 10.0, pull=swing) < 1e-9
    assert block_on_slope(grained, 10.0, towards=30.0, pull=swing) < 1e-9
    assert 1e-9 < block_on_slope(LUGRE, 10.0, pull=swing) < 1e-3


@pytest.mark.parametrize("friction", [BRISTLE, LUGRE, GRAINED], ids=lambda friction: friction["kind"])
def test_a_contact_begins_in_motion(friction):
    """The damper of a bristle takes no more than the bristle holds, however fast the tip is that comes down."""
    most = friction.get("mu_static", 0.25)
    force = tip_on_floor(friction, 1e-3).compute({"tip": {"v": (-30.0, 0.0, 0.0)}}).wrench("tip")[:2]
    np.testing.assert_allclose(force, (most + 30.0 * friction.get("sigma_2", 0.0), 0.0), atol=1e-12)


@pytest.mark.parametrize("mu_fast", [0.8, 0.05], ids=["rising", "falling"])
def test_friction_over_the_speed(mu_fast):
    """A block of 1 kg slides to rest from 2 m/s on friction that depends on its speed:

        m v' = -mu(v) m g   =>   g t = (v0 - v)/b + vt (1 - a/b)/b ln((a vt + b v0)/(a vt + b v))

    with a = mu_slow and b = mu_fast.
    """
    a, b, vt, v0 = RATE["mu_slow"], mu_fast, RATE["transition_speed"], 2.0
    block = body("block", "free", mass=1.0, inertia=[1e6, 1e6, 1e6],
                 shapes=[{"name": "foot", "kind": "point", "material": "a"}],
                 state={"r": [0.0, 0.0, -G / 1e5], "v": [v0, 0.0, 0.0]})
    simulation = contactlib.Simulation(scene([block, FLOOR], [touch(STIFF, friction={**RATE, "mu_fast": b})],
                                             [["block", "floor"]], gravity=[0.0, 0.0, -G], step_size=1e-4).compile())
    run = simulation.run(0.3, 1e-4, every=10)
    v = run.body("block")[:, 7]
    t = ((v0 - v) / b + vt * (1 - a / b) / b * np.log((a * vt + b * v0) / (a * vt + b * v))) / G
    assert v[-1] < 1.8
    # sliding starts after the bristle is loaded, over mu N/k = 8e-5 m at 2 m/s: 40 us, a part of a step
    np.testing.assert_allclose(t, run.time, atol=2e-4)


def test_looking_does_not_change():
    """`compute` after a step that slipped or held gives the force of that step, as often as it is asked."""
    friction = {**BRISTLE, "mu_kinetic": 0.3, "tangential_damping": 0.0}
    for steps, slips in ((3, 0), (20, 1)):
        simulation = tip_on_floor(friction, 1e-3)
        force = lead(simulation, 1e-3, (1e-3, 0.0, 0.0), steps)
        for _ in range(2):
            result = simulation.compute()
            np.testing.assert_allclose(result.wrench("tip")[:3], force, atol=1e-15)
            assert result.contacts["slipping"] == [slips]


def lugre_rise(h, speed=2e-3, length=20e-6):
    """Error of the bristles' force after `length` of sliding from rest, of N = 1 N."""
    law = {**LUGRE, "sigma_1": 0.0, "sigma_2": 0.0}
    v = speed / np.sqrt(2) * np.array([1.0, -1.0, 0.0])
    force = lead(tip_on_floor(law, h), h, v, round(length / speed / h))
    assert force[0] == pytest.approx(-force[1])
    mu = 0.4 + 0.2 * np.exp(-(speed / 1e-2) ** 2)
    return np.linalg.norm(force[:2]) - mu * (1 - np.exp(-1e5 * length / mu))


def test_lugre_at_constant_speed():
    """z rises as 1 - exp(-s0 |v| t/g) to g/s0; then the force is mu(v) N + sigma_2 N v, at any step."""
    errors = np.abs([lugre_rise(h) for h in (2e-5, 1e-5, 5e-6)])
    assert errors[-1] < 5e-3
    np.testing.assert_allclose(errors[:-1] / errors[1:], 2.0, rtol=0.05)  # an implicit step: of first order
    for speed in (1e-3, 1e-2, 0.3):
        mu = 0.4 + 0.2 * np.exp(-(speed / 1e-2) ** 2)
        for h in (1e-3, 1e-1):
            force = lead(tip_on_floor(LUGRE, h), h, (speed, 0.0, 0.0), 300)
            assert force[0] == pytest.approx(-(mu + 0.1 * speed), rel=1e-9)


def test_lugre_gives_nothing_back():
    """However strong the damper: the bristles stay within mu_s N and give no more power than they have stored.

    The published equations would, where bristles that are stretched to mu_s N are torn into fast sliding.
    """
    simulation = tip_on_floor({**LUGRE, "sigma_1": 1e3, "sigma_2": 0.0}, 1e-4)
    rng = np.random.default_rng(5)
    r, stored = np.zeros(2), simulation.energy_stored
    for k in range(600):
        h, speed = (1e-4, 1e-3) if k % 300 < 290 else (1e-7, 10.0 ** rng.uniform(-2, 1))
        v = speed * np.array([0.6, 0.8])
        result = simulation.step(h, {"tip": {"r": (*r, -1e-3), "v": (*v, 0.0)}})
        force = result.wrench("tip")[:2]
        assert np.linalg.norm(force) < 0.6 * (1 + 1e-12)
        assert -force @ v * h > simulation.energy_stored - stored - 1e-15
        assert (result.contacts["heat"] >= 0.0).all()
        r, stored = r + h * v, simulation.energy_stored


def pulled_block(friction, h, duration):
    """Haessig and Friedland's block: m = 1, N = 1, on a spring of 2 N/m whose end moves at 0.1 m/s. t, x, v, spring."""
    simulation = tip_on_floor(friction, h)
    data = simulation.data
    names = [v.name for v in simulation.model.variables]
    place, speed, force = (names.index(name) for name in ("tip.r[1]", "tip.v[1]", "tip.f[1]"))
    x = v = f = 0.0
    rows = []
    for k in range(round(duration / h)):
        v += h * (2.0 * (0.1 * k * h - x) + f)
        data.set(place, x)
        data.set(speed, v)
        data.accept_inputs()
        data.advance(h)
        x += h * v
        f = data.get(force)
        rows.append((k * h, x, v, 2.0 * (0.1 * k * h - x)))
    return np.array(rows).T


def slip_starts(t, v):
    slipping = v > 0.05
    return t[1:][slipping[1:] & ~slipping[:-1]]


def lugre_stick_slip(s0, s1, vs, duration):
    """The same block by the equations of LuGre, solved to 1e-8."""
    def rates(t, y):
        x, v, z = y
        zdot = v - s0 * abs(v) / (1.0 + 0.5 * np.exp(-(v / vs) ** 2)) * z
        return [v, 2.0 * (0.1 * t - x) - s0 * z - s1 * zdot, zdot]

    t = np.arange(0.0, duration, 1e-3)
    solution = solve_ivp(rates, (0.0, duration), [0.0, 0.0, 0.0], "Radau", t, rtol=1e-8, atol=1e-11, max_step=0.05)
    return t, solution.y[1]


def test_lugre_stick_slip():
    """The published parameters (sigma_2 = 0) against the equations themselves, and against Coulomb's closed form.

    Coulomb with a static coefficient has the period 7.6112592541 s and the peak speed 0.467423461417 m/s. LuGre is not
    that: below breakaway it creeps, and its friction falls over a finite range of speeds, so that the block breaks away
    a little before 1.5 N and stops a little before 0.5 N. With these parameters that shortens the period by 1.5 %.
    """
    s0, s1, vs = 1e5, np.sqrt(1e5), 1e-3
    law = {"kind": "lugre", "mu_static": 1.5, "mu_kinetic": 1.0, "stribeck_velocity": vs, "sigma_0": s0, "sigma_1": s1,
           "sigma_2": 0.0}
    t, _, v, _ = pulled_block(law, 2e-4, 17.0)
    reference_t, reference_v = lugre_stick_slip(s0, s1, vs, 17.0)
    ours, theirs = slip_starts(t, v), slip_starts(reference_t, reference_v)
    assert len(ours) == len(theirs) == 2
    np.testing.assert_allclose(ours, theirs, atol=1e-2)
    assert v.max() == pytest.approx(reference_v.max(), abs=1e-3)
    assert np.diff(ours)[0] == pytest.approx(7.6112592541, rel=2e-2)
    assert v.max() == pytest.approx(0.467423461417, rel=3e-2)


@pytest.mark.parametrize("friction", [BRISTLE, GRAINED], ids=lambda friction: friction["kind"])
@pytest.mark.parametrize("radius", [6e-6, 20e-6, 1e-3])
def test_circular_sliding_lags(friction, radius):
    """Led in a circle, the bristle lags the velocity by sin(phi) = z0/radius, z0 = mu N/k = 5 um (isotropic)."""
    friction = {**friction, "tangential_damping": 0.0, **({"mu_along": 0.5} if friction is GRAINED else {})}
    steps = 5000
    h = 2 * np.pi / steps
    simulation = tip_on_floor(friction, h)
    for k in range(2 * steps):
        # the chord of each step: the tip is on the circle at its ends
        here, there = (radius * np.array([np.cos(a), np.sin(a)]) for a in (k * h, (k + 1) * h))
        v = (there - here) / h
        force = simulation.step(h, {"tip": {"r": (*here, -1e-3), "v": (*v, 0.0)}}).wrench("tip")[:2]
    assert np.linalg.norm(force) == pytest.approx(0.5, rel=1e-12)
    angle = np.arccos(-force @ v / np.linalg.norm(force) / np.linalg.norm(v))
    # the velocity of the chord is half a step late, the return of order h
    assert angle == pytest.approx(np.arcsin(5e-6 / radius), abs=2 * h)


def ellipse_force(v, mu=(0.25, 0.5)):
    """Greatest power: f = -N M v/sqrt(v.Mv), M = diag(mu^2)."""
    Mv = np.square(mu) * v
    return -Mv / np.sqrt(v @ Mv)


@pytest.mark.parametrize("grain", [0.0, 40.0])
def test_anisotropic_force(grain):
    """Sliding on a grained plane: the force is that of the ellipse, which is not against the velocity."""
    half = np.radians(grain) / 2
    floor = {**FLOOR, "state": {"q": [np.cos(half), 0.0, 0.0, np.sin(half)]}}
    R = quaternion.rotation_matrix((np.cos(half), 0.0, 0.0, np.sin(half)))[:2, :2]
    for degrees in (0.0, 25.0, 60.0, 90.0, 200.0):
        v = 0.1 * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        force = lead(tip_on_floor(GRAINED, 1e-3, floor=floor), 1e-3, (*v, 0.0), 20)
        np.testing.assert_allclose(force, (*R @ ellipse_force(R.T @ v), 1.0), atol=1e-12)


def test_grain_belongs_to_the_second_material():
    """The direction is in the axes of the shape that is made of the law's second material, wherever it stands."""
    v, q = np.array([0.06, 0.08]), np.array([0.7, 0.1, -0.2, 0.4])
    q /= np.linalg.norm(q)
    direction = quaternion.rotation_matrix(q).T @ [1.0, 0.0, 0.0]
    tip = body("tip", "external", shapes=[{"name": "tip", "kind": "point", "material": "b", "q": list(q)}],
               state={"r": [0.0, 0.0, -1e-3]})
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "a"}])
    law = touch(SPRING, friction={**GRAINED, "direction": list(direction)})
    simulation = contactlib.Simulation(scene([tip, floor], [law], [["tip", "floor"]], step_size=1e-3).compile())
    np.testing.assert_allclose(lead(simulation, 1e-3, (*v, 0.0), 20)[:2], ellipse_force(v), atol=1e-12)


def test_across_its_grain_only():
    """A grain that stands on the surface leaves it isotropic with mu_across; one that leans counts by its shadow."""
    v = np.array([0.06, 0.08])
    upright = lead(tip_on_floor({**GRAINED, "direction": [0.0, 0.0, 2.0]}, 1e-3), 1e-3, (*v, 0.0), 20)
    np.testing.assert_allclose(upright[:2], -0.5 * v / 0.1, atol=1e-12)
    leaning = lead(tip_on_floor({**GRAINED, "direction": [1.0, 0.0, 1.0]}, 1e-3), 1e-3, (*v, 0.0), 20)
    along = np.sqrt((0.25**2 + 0.5**2) / 2)
    np.testing.assert_allclose(leaning, (*ellipse_force(v, (along, 0.5)), 1.0), atol=1e-12)


def test_path_on_a_grained_table():
    """A puck that slides freely: dv/dt = -g M v/sqrt(v.Mv) keeps ln(vx)/mu_x^2 - ln(vy)/mu_y^2, and turns."""
    puck = body("puck", "free", mass=1.0, inertia=[1.0, 1.0, 1.0],
                shapes=[{"name": "foot", "kind": "point", "material": "a"}],
                state={"r": [0.0, 0.0, -G / 1e5], "v": [1.0, 1.0, 0.0]})
    law = touch(STIFF, friction={**GRAINED, "tangential_stiffness": 1e6, "tangential_damping": 0.0})
    simulation = contactlib.Simulation(
        scene([puck, FLOOR], [law], [["puck", "floor"]], gravity=[0.0, 0.0, -G], step_size=1e-4).compile())

    def kept():
        vx, vy = simulation.states[0, 7:9]
        return np.log(vx) / 0.25**2 - np.log(vy) / 0.5**2

    simulation.step(1e-2)
    start = kept()
    for _ in range(20):
        simulation.step(1e-2)
        vx, vy = simulation.states[0, 7:9]
        assert kept() == pytest.approx(start, abs=5e-3)  # Euler: of order h g/v = 5e-3 at the end, times 1/mu^2
    assert vy < 0.75 * vx
