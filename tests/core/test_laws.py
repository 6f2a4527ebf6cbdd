"""Normal laws, adhesion and rolling against their closed forms; energy and momentum with every law."""

import numpy as np
import pytest
from scipy.optimize import brentq

import contactlib
from contactlib.shapes import quaternion
from tests.support.law_scenes import (
    BRISTLE,
    FLOOR,
    GRAINED,
    LUGRE,
    RATE,
    SPRING,
    STIFF,
    G,
    ball_on_floor,
    lead,
    tip_on_floor,
    touch,
)
from tests.support.scenes import body, scene

# ---- normal laws ---------------------------------------------------------------------------------

STEEL = {"E": 200e9, "nu": 0.3, "density": 7800.0}


def plane_strain(E, nu):
    return E / (1 - nu**2)


def follow_impact(simulation, gap_speed, duration, steps):
    """Largest force and depth, time from touch (at t = 0) to parting, and the speed after."""
    force, depth = [], []
    for _ in range(steps):
        simulation.step(duration / steps)
        contacts = simulation.contacts
        force.append(contacts["normal_force"].sum())
        depth.append(contacts["depth"].sum())
    gap, speed = gap_speed(simulation.states)
    assert len(simulation.contacts) == 0
    return max(force), max(depth), simulation.time - gap / speed, speed


def test_hertz_sphere_on_a_rigid_plane():
    """Steel, R = 10 mm, 1 m/s: F = 2256.45601 N, depth 18.0994907 um, contact 53.2717818 us."""
    R = 0.01
    mass = STEEL["density"] * 4 / 3 * np.pi * R**3
    normal = {"kind": "hertz", "modulus": plane_strain(STEEL["E"], STEEL["nu"]), "radius": R, "damping": 0.0}
    simulation = ball_on_floor(normal, R, mass, {"r": [0.0, 0.0, R], "v": [0.0, 0.0, -1.0]}, step_size=1e-7,
                               integrator="rk4")
    force, depth, time, speed = follow_impact(simulation, lambda s: (s[0, 2] - R, s[0, 9]), 6e-5, 600)
    assert force == pytest.approx(2256.45601, rel=1e-5)
    assert depth == pytest.approx(1.80994907e-5, rel=1e-5)
    assert time == pytest.approx(5.32717818e-5, rel=1e-5)
    assert speed == pytest.approx(1.0, rel=1e-7)


def test_hertz_two_spheres():
    """Two of them at 1 m/s: half the modulus, half the radius; F = 982.179525 N, contact 61.1932081 us."""
    R = 0.01
    mass = STEEL["density"] * 4 / 3 * np.pi * R**3
    normal = {"kind": "hertz", "modulus": plane_strain(STEEL["E"], STEEL["nu"]) / 2, "radius": R / 2, "damping": 0.0}
    balls = [body(name, "free", mass=mass, inertia=[0.4 * mass * R**2] * 3, state={"r": [0, 0, z], "v": [0, 0, v]},
                  shapes=[{"name": "ball", "kind": "sphere", "radius": R, "material": material}])
             for name, material, z, v in (("low", "a", 0.0, 0.5), ("high", "b", 2 * R, -0.5))]
    simulation = contactlib.Simulation(
        scene(balls, [touch(normal)], [["low", "high"]], step_size=1e-7, integrator="rk4").compile())
    force, _, time, speed = follow_impact(
        simulation, lambda s: (s[1, 2] - s[0, 2] - 2 * R, s[1, 9] - s[0, 9]), 7e-5, 700)
    assert force == pytest.approx(982.179525, rel=1e-5)
    assert time == pytest.approx(6.11932081e-5, rel=1e-5)
    assert speed == pytest.approx(1.0, rel=1e-7)


CURVE = {"kind": "curve", "depth": [1e-3, 2e-3, 5e-3], "force": [10.0, 15.0, 60.0], "damping": 0.0}


def test_curve_goes_through_its_points():
    """Straight between the points, from zero at zero, on with the last slope."""
    simulation = ball_on_floor(CURVE, motion="external")
    for depth, expected in ((0.5e-3, 5.0), (1e-3, 10.0), (1.5e-3, 12.5), (2e-3, 15.0), (3e-3, 30.0), (5e-3, 60.0),
                            (7e-3, 90.0)):
        force = simulation.compute({"ball": {"r": (0.0, 0.0, 0.1 - depth)}}).wrench("ball")[2]
        assert force == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("change", "message"), [
    ({"depth": [1e-3, 1e-3, 2e-3]}, "normal.depth"),
    ({"depth": [0.0, 1e-3, 2e-3]}, r"normal.depth\[0\]"),
    ({"force": [1.0, 2.0]}, "normal.force"),
    ({"force": [1.0, -2.0, 3.0]}, r"normal.force\[1\]"),
    ({"force": [1.0, 3.0, 2.0]}, "normal.force"),
    ({"depth": [], "force": []}, "normal.depth"),
])
def test_curves_that_are_none(change, message):
    with pytest.raises(ValueError, match=message):
        ball_on_floor({**CURVE, **change})


DAMPED = {
    "hunt_crossley": {"kind": "hunt_crossley", "stiffness": 1e5, "exponent": 1.5},
    "hertz": {"kind": "hertz", "modulus": 1e6, "radius": 0.1},
    "curve": {**CURVE, "depth": [1e-3, 2e-3, 1e-2], "force": [10.0, 25.0, 300.0]},
}


@pytest.mark.parametrize("normal", [*DAMPED.values(), SPRING], ids=lambda normal: normal["kind"])
def test_stored_energy_is_the_area_under_the_force(normal):
    simulation = ball_on_floor({**normal, "damping": 0.0}, motion="external")
    depths = np.linspace(0.0, 5e-3, 5001)[1:]
    forces = [simulation.compute({"ball": {"r": (0.0, 0.0, 0.1 - x)}}).wrench("ball")[2] for x in depths]
    area = np.trapezoid([0.0, *forces], [0.0, *depths])
    assert simulation.energy_stored == pytest.approx(area, rel=1e-5)


def rebound(normal, h=1e-5):
    """Speed of a unit mass after it met the plane at 1 m/s."""
    simulation = ball_on_floor(normal, state={"r": [0.0, 0.0, 0.1], "v": [0.0, 0.0, -1.0]}, step_size=h,
                               integrator="rk4")
    run = simulation.run(0.1, h, every=10000)
    assert run.contact_count[-1] == 0
    return run.body("ball")[-1, 9]


@pytest.mark.parametrize("name", DAMPED)
@pytest.mark.parametrize(("nominal", "expected"), [(0.1, 0.5158326164), (0.5, 0.6629622), (0.8, 0.832869792266)])
def test_effective_restitution(name, nominal, expected):
    """F(x) (1 + lambda x'): lambda v (1 + e) = ln((1 + lambda v)/(1 - lambda v e)), whatever F is.

    `expected` is what Hunt and Crossley's lambda = 3 (1 - e)/(2 v) makes of a nominal e.
    """
    lam = 1.5 * (1 - nominal)
    e = brentq(lambda e: lam * (1 + e) - np.log((1 + lam) / (1 - lam * e)), 1e-3, min(1.0, 1 / lam) - 1e-12)
    assert e == pytest.approx(expected, abs=1e-9)
    assert rebound({**DAMPED[name], "damping": lam}) == pytest.approx(e, abs=2e-5)


@pytest.mark.parametrize("normal", [*({**law, "damping": 0.5} for law in DAMPED.values()), {**STIFF, "damping": 100.0}],
                         ids=lambda normal: normal["kind"])
def test_normal_laws_book_their_energy(normal):
    """What an impact takes from the ball is stored or dissipated; heat adds up to it and is never negative."""
    h = 2e-5
    simulation = ball_on_floor(normal, state={"r": [0.0, 0.0, 0.1], "v": [0.0, 0.0, -1.0]}, step_size=h)
    heat = 0.0
    for _ in range(4000):
        simulation.step(h)
        contacts = simulation.contacts
        assert (contacts["heat"] >= 0.0).all()
        heat += h * contacts["heat"].sum()
        balance = 0.5 * simulation.states[0, 9] ** 2 + simulation.energy_stored + simulation.energy_dissipated
        assert balance - simulation.energy_error == pytest.approx(0.5, abs=1e-12)
    assert len(contacts) == 0
    assert heat == pytest.approx(simulation.energy_dissipated, rel=1e-12)  # the trapezoid rule, nothing at both ends
    assert simulation.energy_dissipated == pytest.approx(0.5 - 0.5 * simulation.states[0, 9] ** 2, rel=5e-3)


# ---- adhesion ------------------------------------------------------------------------------------

STICKY = {"kind": "pull_off", "pull_off": 2.0, "adhesion_range": 1e-5}
FAINT = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0}


def test_pull_off_force_and_work():
    """Drawn off slowly: the greatest tension is P - F(range), and the work is that of both curves."""
    simulation = ball_on_floor(FAINT, motion="external", adhesion=STICKY)
    depths = np.linspace(1e-3, 0.0, 20001)[:-1]
    forces = np.array([simulation.compute({"ball": {"r": (0.0, 0.0, 0.1 - x)}}).wrench("ball")[2] for x in depths])
    assert forces.min() == pytest.approx(-(2.0 - 1e4 * 1e-5), rel=1e-9)
    np.testing.assert_allclose(forces, 1e4 * depths - 2.0 * np.minimum(1.0, depths / 1e-5), atol=1e-9)
    simulation.compute({"ball": {"r": (0.0, 0.0, 0.1 - 1e-3)}})
    stored = simulation.energy_stored
    assert stored == pytest.approx(0.5 * 1e4 * 1e-6 - 2.0 * (1e-3 - 0.5e-5), rel=1e-12)
    assert np.trapezoid(forces, -depths) == pytest.approx(stored, rel=1e-3)


@pytest.mark.parametrize(("mass", "falls"), [(0.9 * 1.9 / G, False), (1.1 * 1.9 / G, True)])
def test_hanging_by_adhesion(mass, falls):
    """A ball below a ceiling hangs if its weight is below P - F(range) = 1.9 N."""
    ceiling = {**FLOOR, "state": {"r": [0.0, 0.0, 0.2 - 2e-4 + mass * G / 1e4], "q": [0.0, 1.0, 0.0, 0.0]}}
    damped = {**FAINT, "damping": 10.0}
    simulation = ball_on_floor(damped, mass=mass, gravity=G, floor=ceiling, adhesion=STICKY, step_size=1e-4)
    simulation.run(1.0, 1e-3)
    assert (len(simulation.contacts) == 0) is falls


def test_adhesive_impact():
    """Without damping adhesion gives back what it takes: e = 1. With little damping a slow ball stays."""
    def impact(v, damping):
        simulation = ball_on_floor({**FAINT, "damping": damping}, state={"r": [0.0, 0.0, 0.1], "v": [0.0, 0.0, -v]},
                                   adhesion=STICKY, step_size=1e-5, integrator="rk4")
        run = simulation.run(0.5, 1e-5, every=500)
        assert (np.diff(run.energy_dissipated) >= 0.0).all()
        return run.body("ball")[-1, 9] / v, len(simulation.contacts)

    bounce, contacts = impact(0.1, 0.0)
    assert (bounce, contacts) == (pytest.approx(1.0, abs=1e-4), 0)
    _, contacts = impact(5e-3, 10.0)
    assert contacts == 1


def test_friction_of_what_clings():
    """Friction sees the compression, F = load + P: a clinging tip that nothing presses rubs with mu P."""
    h, depth = 1e-3, 2.0 / 1e4  # F = P: no net force
    simulation = tip_on_floor({**BRISTLE, "tangential_damping": 0.0}, h, FAINT, adhesion=STICKY)
    force = lead(simulation, h, (0.1, 0.0, 0.0), 20, (0.0, 0.0, -depth))
    np.testing.assert_allclose(force, (-0.5 * 2.0, 0.0, 0.0), atol=1e-9)


# ---- rolling -------------------------------------------------------------------------------------

ROLLING = {"kind": "rolling", "mu_rolling": 1e-3, "mu_spinning": 2e-3, "rolling_stiffness": 50.0,
           "rolling_damping": 0.5}
GRIP = {"kind": "bristle", "mu_static": 0.8, "mu_kinetic": 0.8, "tangential_stiffness": 1e6, "tangential_damping": 1e3}
SETTLED = [0.0, 0.0, 0.1 - G / 1e5]


def test_rolling_slows_down():
    """A solid ball that rolls: a = 5/7 mu_r g/R; the lever of its friction is shorter by half the depth."""
    simulation = ball_on_floor(STIFF, state={"r": SETTLED, "v": [1.0, 0.0, 0.0], "w": [0.0, 10.0, 0.0]}, gravity=G,
                               friction=GRIP, rolling=ROLLING, step_size=1e-4)
    v = simulation.run(2.0, 1e-3, every=1000).body("ball")[:, 7]
    lever = 0.1 - 0.5 * G / 1e5
    assert v[1] - v[2] == pytest.approx(1e-3 * G / (lever + 0.4 * 0.1**2 / lever), rel=1e-6)
    assert v[1] - v[2] == pytest.approx(5 / 7 * 1e-3 * G / 0.1, rel=1e-3)


def test_spinning_slows_down():
    """On the spot, about the normal: I w' = -mu_s N; then it stands."""
    simulation = ball_on_floor(STIFF, state={"r": SETTLED, "w": [0.0, 0.0, 10.0]}, gravity=G, friction=GRIP,
                               rolling=ROLLING, step_size=1e-4)
    rate = 2e-3 * G / (0.4 * 0.1**2)
    run = simulation.run(3.0, 1e-3)
    w = run.body("ball")[:, 12]
    assert (w[500] - w[1500]) / 1.0 == pytest.approx(rate, rel=1e-6)
    assert abs(w[-1]) < 1e-9  # 10/4.9 s, and the ringing of the spring has died
    assert np.abs(run.body("ball")[-1, 7:12]).max() < 1e-9


@pytest.mark.parametrize(("part", "holds"), [(0.9, True), (1.1, False)])
def test_spinning_is_held(part, holds):
    """A torque about the normal below mu_s N turns the ball by its spring alone, without creep; above, it spins."""
    simulation = ball_on_floor(STIFF, state={"r": SETTLED}, gravity=G, friction=GRIP, rolling=ROLLING, step_size=2e-4)
    simulation.apply("ball", (0.0, 0.0, 0.0), (0.0, 0.0, part * 2e-3 * G))
    spin = abs(simulation.run(2.0, 1e-3, every=1000).body("ball")[-1, 12])
    assert spin < 1e-9 if holds else spin == pytest.approx(0.1 * 2e-3 * G / (0.4 * 0.1**2) * 2.0, rel=0.1)


PATCH = {"kind": "hertz_patch", "mu_patch": 0.4, "patch_radius": 0.1, "rolling_stiffness": 50.0, "rolling_damping": 0.5}


@pytest.mark.parametrize(("part", "holds"), [(0.95, True), (1.05, False)])
def test_a_contact_patch_holds_what_hertz_pressure_can(part, holds):
    """3 pi/16 mu N a with a^2 = R x: the sum of mu p(r) r over the patch, here added up ring by ring."""
    a = np.sqrt(0.1 * G / 1e5)
    r = (np.arange(1000000) + 0.5) / 1000000 * a
    pressure = 1.5 * G / (np.pi * a * a) * np.sqrt(1.0 - (r / a) ** 2)
    most = float((0.4 * pressure * r * 2 * np.pi * r).sum() * a / 1000000)
    simulation = ball_on_floor(STIFF, state={"r": SETTLED}, gravity=G, friction=GRIP, rolling=PATCH, step_size=2e-4)
    simulation.apply("ball", (0.0, 0.0, 0.0), (0.0, 0.0, part * most))
    spin = abs(simulation.run(2.0, 1e-3, every=1000).body("ball")[-1, 12])
    assert spin < 1e-9 if holds else spin == pytest.approx(0.05 * most / (0.4 * 0.1**2) * 2.0, rel=0.1)


@pytest.mark.parametrize(("sine", "holds"), [(0.9e-2, True), (1.1e-2, False)])
def test_a_ball_rests_on_a_slope(sine, holds):
    """Rolling resistance holds a ball on a slope below mu_r/R = tan(slope), without creep, and not above."""
    slope = np.arctan(sine)
    q = [np.cos(slope / 2), 0.0, np.sin(slope / 2), 0.0]
    R = quaternion.rotation_matrix(q)
    simulation = ball_on_floor(STIFF, state={"r": list(R @ SETTLED)}, gravity=G, friction=GRIP, rolling=ROLLING,
                               floor={**FLOOR, "state": {"q": q}}, step_size=2e-4)
    run = simulation.run(8.0, 1e-3, every=1000)
    drift = np.linalg.norm(run.body("ball")[-1, :3] - run.body("ball")[-2, :3])
    assert drift < 1e-9 if holds else drift > 1e-2


# ---- energy --------------------------------------------------------------------------------------

LAWS = {
    "none": {},
    "coulomb": {"friction": {"kind": "coulomb", "mu_static": 0.4, "mu_kinetic": 0.3, "slip_velocity": 1e-2}},
    "bristle": {"friction": {**BRISTLE, "mu_kinetic": 0.3, "tangential_damping": 10.0}},
    "rate_bristle": {"friction": {**RATE, "tangential_damping": 10.0}},
    "lugre": {"friction": {**LUGRE, "sigma_1": 10.0}},
    "anisotropic": {"friction": {**GRAINED, "tangential_damping": 10.0}},
    "pull_off": {"adhesion": {"kind": "pull_off", "pull_off": 20.0, "adhesion_range": 1e-3}},
    "rolling": {"friction": BRISTLE, "rolling": {**ROLLING, "mu_rolling": 1e-2}},
    "hertz_patch": {"friction": BRISTLE, "rolling": PATCH},
}


def thrown_ball(parts):
    """A spinning ball thrown flat at the side of a free box."""
    ball = body("ball", "free", mass=2.0, inertia=[0.02, 0.02, 0.02],
                shapes=[{"name": "ball", "kind": "sphere", "radius": 0.1, "material": "a"}],
                state={"r": [0.0, 0.0, 0.31], "v": [0.4, 0.2, -1.0], "w": [1.0, -2.0, 3.0]})
    box = body("box", "free", mass=5.0, inertia=[0.1, 0.2, 0.15],
               shapes=[{"name": "box", "kind": "box", "size": [0.6, 0.5, 0.4], "material": "b"}],
               state={"w": [0.1, 0.2, -0.3]})
    normal = {"kind": "hunt_crossley", "stiffness": 1e6, "exponent": 1.5, "damping": 0.3}
    return scene([ball, box], [touch(normal, **parts)], [["ball", "box"]], step_size=2e-5)


def mechanics(spec, states):
    """Linear and angular momentum, and kinetic energy, of bodies whose centres of mass are their origins."""
    P, L, E = np.zeros(3), np.zeros(3), 0.0
    for part, s in zip(spec.bodies, states, strict=True):
        R = quaternion.rotation_matrix(s[3:7])
        m, spin = part.mass, R @ np.array(part.inertia) @ R.T @ s[10:13]
        P += m * s[7:10]
        L += np.cross(s[:3], m * s[7:10]) + spin
        E += 0.5 * m * s[7:10] @ s[7:10] + 0.5 * s[10:13] @ spin
    return P, L, E


@pytest.mark.parametrize("parts", LAWS.values(), ids=LAWS)
def test_energy_and_momentum(parts):
    """Kinetic + stored + dissipated energy stays but for the error, which is small; heat is never negative."""
    spec = thrown_ball(parts)
    simulation = contactlib.Simulation(spec.compile())
    P0, L0, E0 = mechanics(spec, simulation.states)
    h, heat, met, last, worst = 2e-5, 0.0, 0, 0.0, 0.0
    for _ in range(2000):
        simulation.step(h)
        contacts = simulation.contacts
        met += len(contacts)
        assert (contacts["heat"] >= 0.0).all()
        heat += h * contacts["heat"].sum()
        *_, E = mechanics(spec, simulation.states)
        lost = simulation.energy_dissipated
        worst = max(worst, abs(E + simulation.energy_stored + lost - simulation.energy_error - E0))
        assert lost >= last
        last = lost
    P, L, E = mechanics(spec, simulation.states)
    assert met > 100
    assert len(contacts) == 0  # and parted again
    assert worst < 1e-4 * E0
    assert heat == pytest.approx(simulation.energy_dissipated, rel=1e-9)
    assert abs(simulation.energy_error) < 2e-3 * E0
    assert np.abs(P - P0).max() < 1e-12 * 2.0
    assert np.abs(L - L0).max() < 1e-12 * 2.0
