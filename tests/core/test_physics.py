"""Whole scenes against what theory says: stick, stick-slip, momentum, energy, frames."""

import csv
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.shapes import quaternion
from tests.support.scenes import BRISTLE, body, law, momentum, scene, two_free_bodies

DATA = Path(__file__).parents[2] / "validation_data"
G = 9.80665


def read_csv(path):
    with path.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


# ---- friction ------------------------------------------------------------------------------------


def block_on_slope(degrees, friction, feet=((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)), **options):
    """A 10 kg block on four points on a plane tilted about y; starts a little above its equilibrium."""
    angle = np.radians(degrees)
    q = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
    R = quaternion.rotation_matrix(q)
    block = body("block", "free", mass=10.0, inertia=[0.1, 0.1, 0.1], com=[0.0, 0.0, 0.05],
                 shapes=[{"name": f"foot_{i}", "kind": "point", "material": "block", "r": [x, y, 0.0]}
                         for i, (x, y) in enumerate(feet)],
                 state={"r": list(R @ [0.0, 0.0, -5e-5]), "q": list(q)})
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "floor"}],
                 state={"q": list(q)})
    normal = {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3}
    laws = [law("touch", ["block", "floor"], normal, friction)]
    return scene([block, floor], laws, [["block", "floor"]], gravity=[0.0, 0.0, -G], **options), R


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_true_stick(integrator):
    """10 degree slope, mu 0.5, 10 s: no drift. (Regularised friction creeps at hundreds of um/s here.)"""
    bristle = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e5,
               "tangential_damping": 1e3}
    spec, _ = block_on_slope(10.0, bristle, integrator=integrator)
    run = contactlib.Simulation(spec.compile()).run(10.0, 1e-3, every=1000)
    r = run.body("block")[:, :3]
    assert np.linalg.norm(r[-1] - r[-2]) / 1.0 < 1e-9  # m/s over the last second
    assert np.linalg.norm(run.body("block")[-1, 7:10]) < 1e-9
    assert run.contact_count[-1] == 4


def test_slides_above_the_friction_angle():
    """35 degrees, mu 0.5: a = g (sin - mu cos) = 1.608294662 m/s2; below atan(mu_s) it stays."""
    bristle = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e6,
               "tangential_damping": 1e3}
    spec, R = block_on_slope(35.0, bristle)
    simulation = contactlib.Simulation(spec.compile())
    v1 = simulation.run(1.0, 1e-3, every=1000).body("block")[-1, 7:10]
    v2 = simulation.run(1.0, 1e-3, every=1000).body("block")[-1, 7:10]
    downhill = R @ [1.0, 0.0, 0.0]
    assert (v2 - v1) @ downhill == pytest.approx(1.608294662, rel=1e-6)  # settled: only the law is left


def test_crossing_a_slope_at_the_friction_angle():
    """Coulomb in two dimensions: with mu = tan(slope), |v| + v_y stays, and the sidewise speed dies out.

    Reference: validation_data/incline_2d. The bristle slides by its radial return, which lags by z0/speed; that lag,
    z0 = mu N/k = 1e-5 m, bounds the error.
    """
    mu = np.tan(np.radians(20.0))
    friction = {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": 9e5,
                "tangential_damping": 0.0}
    spec, R = block_on_slope(20.0, friction, feet=[(0.0, 0.0)], step_size=1e-5)
    m, N = 10.0, 10.0 * G * np.cos(np.radians(20.0))
    ref = read_csv(DATA / "incline_2d" / "incline_2d_coulomb.csv")
    t, vx, vy = (ref[key].astype(float) for key in ("t", "vx", "vy"))
    across, down = R @ [0.0, 1.0, 0.0], R @ [1.0, 0.0, 0.0]

    # one foot without rotation: the plant is three lines of python, the contact force comes from the engine
    simulation = contactlib.Simulation(spec.with_motion("external", "block").compile())
    depth = N / 1e5
    r, v, h = R @ [0.0, 0.0, -depth], 1.0 * across, 1e-4
    found = []
    quaternion = spec.body("block").state[3:7]
    for k in range(round(t[-1] / h) + 1):
        if k % round((t[1] - t[0]) / h) == 0:
            found.append((v @ across, v @ down))
        force = simulation.step(h, {"block": {"r": r, "q": quaternion, "v": v}}).wrench("block")[:3]
        v = v + h * (force / m + np.array([0.0, 0.0, -G]))
        v -= (v @ R[:, 2]) * R[:, 2]
        r = r + h * v
    found = np.array(found)
    assert np.abs(found[:, 0] - vx).max() < 2e-3
    assert np.abs(found[:, 1] - vy).max() < 2e-3


def stick_slip(p0, h):
    """A block (m = 1) on a plane, pulled by a spring (k = 2) whose other end moves at 0.1 m/s; Fs = 1.5, Fc = 1 N."""
    K = 1.0 / p0
    friction = {"kind": "bristle", "mu_static": 1.5, "mu_kinetic": 1.0, "tangential_stiffness": K,
                "tangential_damping": np.sqrt(K)}
    point = body("block", "external", shapes=[{"name": "foot", "kind": "point", "material": "a"}])
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])
    normal = {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}
    spec = scene([point, floor], [law("touch", ["a", "b"], normal, friction)], [["block", "floor"]], step_size=h)
    simulation = contactlib.Simulation(spec.compile())
    data = simulation.data
    names = [v.name for v in simulation.model.variables]
    index = {name: names.index(name) for name in ("block.r[1]", "block.r[3]", "block.v[1]")}
    force = names.index("block.f[1]")
    data.set(index["block.r[3]"], -1e-3)  # N = 1 N
    x = v = f = 0.0
    rows = []
    for k in range(round(20.0 / h)):
        t = k * h
        v += h * (2.0 * (0.1 * t - x) + f)
        data.set(index["block.r[1]"], x)
        data.set(index["block.v[1]"], v)
        data.accept_inputs()
        data.advance(h)
        x += h * v
        f = data.get(force)
        rows.append((t, x, v, 2.0 * (0.1 * t - x)))
    return np.array(rows)


def slip_starts(t, v):
    slipping = v > 0.05
    return t[1:][slipping[1:] & ~slipping[:-1]]


def test_stick_slip_series():
    """Haessig and Friedland's block on a moving spring against the series of their reset integrator, p0 = 1e-4 m.

    In the contact plane the bristle breaks at mu_s N/k = 1.5 p0 instead of p0, so slips come up to 20 ms apart; at
    0.47 m/s and 2 N/m that is 1 cm and 0.02 N.
    """
    t, x, _, spring = stick_slip(1e-4, 1e-3).T
    series = read_csv(DATA / "stickslip" / "stickslip_reset_integrator.csv")
    reference = series["t"].astype(float)
    for key, values, tolerance in (("x", x, 1e-2), ("F_spring", spring, 2e-2)):
        error = np.interp(reference, t, values) - series[key].astype(float)
        assert np.abs(error[reference < t[-1]]).max() < tolerance


def test_stick_slip_tends_to_the_closed_form():
    """With stiffer bristles the period tends to 7.611259 s, v_max to 0.467423 m/s, the spring to 1 +- sqrt(0.27) N."""
    errors = []
    for p0 in (1e-4, 1e-5):
        t, _, v, spring = stick_slip(p0, 1e-4).T
        period = np.diff(slip_starts(t, v))[0]
        errors.append([abs(period - 7.6112592541), abs(v.max() - 0.467423461417),
                       abs(spring.max() - 1 - np.sqrt(0.27)), abs(spring[t > 9].min() - 1 + np.sqrt(0.27))])
    exact = read_csv(DATA / "stickslip" / "stickslip_exact.csv")
    reference = exact["t"].astype(float)
    error = np.interp(reference, t, spring) - exact["F_spring"].astype(float)
    assert np.abs(error[reference < t[-1]]).max() < 1e-2  # slips 10 ms apart, 0.9 N/s while slipping
    coarse, fine = np.array(errors)
    assert (coarse < [2e-2, 2e-3, 2e-3, 2e-3]).all()  # of order p0
    assert (fine < coarse / 3).all()


@pytest.mark.parametrize(("radius", "lag"), [(1.8e-3, 0.985111), (3e-3, 0.523599), (10e-3, 0.150568),
                                             (100e-3, 0.015001)])
def test_circular_sliding(radius, lag):
    """A bristle led in a circle lags by sin(phi) = z0/radius, z0 = mu N/k = 1.5 mm (radial return is exact here)."""
    friction = {"kind": "bristle", "mu_static": 0.3, "mu_kinetic": 0.3, "tangential_stiffness": 200.0,
                "tangential_damping": 0.0}
    point = body("tip", "external", shapes=[{"name": "tip", "kind": "point", "material": "a"}])
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])
    normal = {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}
    spec = scene([point, floor], [law("touch", ["a", "b"], normal, friction)], [["tip", "floor"]], step_size=1.0)
    simulation = contactlib.Simulation(spec.compile())
    turns, steps = 3, 20000
    for k in range(turns * steps):
        angle = 2 * np.pi * k / steps
        r = (radius * np.cos(angle), radius * np.sin(angle), -1e-3)
        v = (-radius * np.sin(angle), radius * np.cos(angle), 0.0)
        if k == 0:
            simulation.compute({"tip": {"r": r, "v": v}})
        names = {"tip": {"r": r, "v": v}}
        result = simulation.step(2 * np.pi / steps, names)
    force = result.wrench("tip")[:2]
    end = 2 * np.pi * (turns * steps) / steps
    direction = np.array([-np.sin(end), np.cos(end)])
    cosine = -force @ direction / np.linalg.norm(force)
    # the engine moves the tip along its twist over one step: first order in the step of 3e-4 rad
    assert np.arccos(np.clip(cosine, -1, 1)) == pytest.approx(lag, abs=2e-3)


def test_friction_memory_turns_with_the_surface():
    """A stuck, stretched contact that is turned as a whole keeps its force in body axes: the law is objective."""
    friction = {"kind": "bristle", "mu_static": 1.0, "mu_kinetic": 1.0, "tangential_stiffness": 1e4,
                "tangential_damping": 0.0}
    ball = body("ball", "external", shapes=[{"name": "ball", "kind": "sphere", "radius": 0.1, "material": "a"}])
    block = body("block", "external", shapes=[{"name": "box", "kind": "box", "size": [1, 1, 1], "material": "b"}])
    normal = {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 0.0}
    spec = scene([ball, block], [law("touch", ["a", "b"], normal, friction)], [["ball", "block"]], step_size=1e-3)
    simulation = contactlib.Simulation(spec.compile())
    p_BA = np.array([0.0, 0.0, 0.599])
    before = simulation.step(1e-3, {"ball": {"r": p_BA, "v": (0.2, 0.1, 0.0)}}).wrench("ball")[:3]
    assert abs(before[0]) == pytest.approx(2.0)  # the bristle is stretched by 0.2 mm
    at_rest = {"v": (0.0, 0.0, 0.0), "w": (0.0, 0.0, 0.0)}
    for k in range(1000):
        q = quaternion_of(np.array([0.7, -1.1, 0.4]) * (k + 1) * 3e-3)
        R = quaternion.rotation_matrix(q)
        after = simulation.step(1e-3, {"ball": {"r": R @ p_BA, "q": q, **at_rest}, "block": {"q": q, **at_rest}})
    # no velocity, no sliding: only the rounding of a thousand rotations of 0.6 m
    np.testing.assert_allclose(R.T @ after.wrench("ball")[:3], before, atol=1e-9)


def quaternion_of(phi):
    angle = np.linalg.norm(phi)
    axis = phi / angle if angle > 0 else phi
    return (np.cos(angle / 2), *(np.sin(angle / 2) * axis))


# ---- momentum and energy -------------------------------------------------------------------------


@pytest.mark.parametrize("friction", [{"kind": "none"}, BRISTLE,
                                      {"kind": "coulomb", "mu_static": 0.4, "mu_kinetic": 0.3, "slip_velocity": 1e-3}])
def test_momentum_is_kept(friction):
    """Linear and angular momentum to 1e-12 of their scale, through a collision."""
    spec = two_free_bodies(friction)
    simulation = contactlib.Simulation(spec.compile())
    P0, L0, E0 = momentum(spec, simulation.states)
    run = simulation.run(0.5, 1e-4, every=50)
    assert run.contact_count.max() >= 1  # they did meet
    P, L, E = momentum(spec, simulation.states)
    assert np.abs(P - P0).max() < 1e-12 * 2.0  # 2 kg at 1 m/s
    assert np.abs(L - L0).max() < 1e-12 * 2.0
    assert E < E0


# of the start's energy: what no sum tells, and the error that is told, each 1.2 to 1.7 times what is measured. euler is
# exact but for the rotation, of second order, and its error ripples by w h/2; rk4 is off by the order of its work and
# heat without friction, with it by the bristles that slip at its stages on trial
BALANCE = {("semi_implicit_euler", "none"): (1e-4, 1e-2), ("semi_implicit_euler", "bristle"): (4e-5, 1e-2),
           ("rk4", "none"): (1.5e-8, 2.5e-5), ("rk4", "bristle"): (4.5e-7, 1e-2)}


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("friction", [{"kind": "none"}, BRISTLE])
def test_energy_balance(integrator, friction):
    """What the bodies lose is stored or dissipated, and nothing is gained but the error, which is small."""
    spec = two_free_bodies(friction, integrator)
    simulation = contactlib.Simulation(spec.compile())
    *_, E0 = momentum(spec, simulation.states)
    worst, error = 0.0, 0.0
    for _ in range(500):
        simulation.step(1e-3)
        *_, E = momentum(spec, simulation.states)
        stored, lost = simulation.energy_stored, simulation.energy_dissipated
        # the symplectic step lets the total ripple, of which heat takes the most; rk4 gains nothing
        assert E + stored < E0 * (1 + (2e-4 if integrator == "semi_implicit_euler" else 1e-12))
        worst = max(worst, abs(E + stored + lost - simulation.energy_error - E0) / E0)
        error = max(error, abs(simulation.energy_error) / E0)
    assert simulation.energy_dissipated > 0.01 * E0
    untold, told = BALANCE[integrator, friction["kind"]]
    assert worst < untold
    assert error < told


def test_rk4_energy_without_loss_converges():
    """An elastic, frictionless bounce by RK4: the energy error falls with the step, at least like h^2."""
    normal = {"kind": "hunt_crossley", "stiffness": 1e6, "exponent": 1.5, "damping": 0.0}
    errors = []
    for h in (2e-4, 1e-4, 5e-5):
        spec = two_free_bodies({"kind": "none"}, "rk4", normal)
        spec = contactlib.Spec(**{**spec.__dict__, "step_size": h})
        simulation = contactlib.Simulation(spec.compile())
        *_, E0 = momentum(spec, simulation.states)
        run = simulation.run(0.5, h, every=100)
        assert run.contact_count.max() >= 0
        *_, E = momentum(spec, simulation.states)
        errors.append(abs(E + simulation.energy_stored - E0) / E0)
    assert errors[-1] < errors[0] / 4
    assert errors[-1] < 1e-6


def test_far_away_at_orbital_speed():
    """The same collision 1e7 m away and at 8 km/s gives the same contact to the resolution of those numbers."""
    near = contactlib.Simulation(two_free_bodies(BRISTLE).compile())
    states = near.states.copy()
    states[0, 2] = 0.36
    here = near.compute(states)
    states[:, 0] += 2.0**23  # 8388608 m: exactly representable, so the given positions lose nothing
    states[:, 7] += 2.0**13
    there = near.compute(states)
    assert len(here.contacts) > 0
    # x of the rod is rounded to 2^-29 m = 2e-9 m at that distance, its speed to 2^-39 m/s
    np.testing.assert_allclose(there.contacts["depth"], here.contacts["depth"], atol=2e-9)
    np.testing.assert_allclose(there.contacts["n_AB_W"], here.contacts["n_AB_W"], atol=1e-7)
    np.testing.assert_allclose(there.contacts["depth_rate"], here.contacts["depth_rate"], atol=1e-7)


# ---- impact laws ---------------------------------------------------------------------------------


def bounce(normal, v=1.0, h=1e-5):
    """Rebound speed of a unit mass that meets a plane at speed v without gravity."""
    ball = body("ball", "free", mass=1.0, inertia=[1.0, 1.0, 1.0],
                shapes=[{"name": "ball", "kind": "sphere", "radius": 0.1, "material": "a"}],
                state={"r": [0.0, 0.0, 0.1 + 1e-9], "v": [0.0, 0.0, -v]})
    floor = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])
    spec = scene([ball, floor], [law("touch", ["a", "b"], normal)], [["ball", "floor"]], step_size=h,
                 integrator="rk4")
    run = contactlib.Simulation(spec.compile()).run(0.08, h, every=100)
    assert run.contact_count[-1] == 0
    return run.body("ball")[-1, 9] / v


def test_kelvin_voigt_restitution():
    """zeta = 0.1, released where the force vanishes (it never pulls): e = 0.7440793977; 0.2: 0.5717400276."""
    k = 1e4
    for zeta, e in ((0.1, 0.7440793977), (0.2, 0.5717400276), (0.5, 0.2984360592)):
        assert bounce({"kind": "kelvin_voigt", "stiffness": k, "damping": 2 * zeta * np.sqrt(k)}) == pytest.approx(
            e, abs=1e-4)  # the damper starts with a jump: first order in 1e-5 s against a contact of 30 ms


def test_hunt_crossley_restitution():
    """Exact: lambda v = 0.3731462034 gives e = 0.8, 1.4327505333 gives 0.5, whatever stiffness and exponent."""
    for lam, e in ((0.3731462034, 0.8), (1.4327505333, 0.5)):
        for exponent, k in ((1.0, 1e4), (1.5, 1e5), (2.0, 1e6)):
            law_ = {"kind": "hunt_crossley", "stiffness": k, "exponent": exponent, "damping": lam}
            assert bounce(law_) == pytest.approx(e, abs=2e-5)


def test_hertz_contact_time():
    """Hunt-Crossley without damping, n = 1.5: depth (5 m v^2 / 4 K)^(2/5), all energy returned."""
    assert bounce({"kind": "hunt_crossley", "stiffness": 1e5, "exponent": 1.5, "damping": 0.0}) == pytest.approx(
        1.0, abs=1e-6)


# ---- loads ---------------------------------------------------------------------------------------


def test_a_load_that_turns_with_its_body():
    """A thruster across the spin axis: v = (F/m) (sin wt, 1 - cos wt)/w; one in world axes adds to it; rk4, order 4."""
    mass, w, force, end = 2.0, 3.0, 5.0, 1.0

    def error(h):
        ship = body("ship", "free", mass=mass, inertia=[1.0, 1.0, 1.0], state={"w": [0.0, 0.0, w]})
        simulation = contactlib.Simulation(scene([ship], [], [], integrator="rk4", step_size=h).compile())
        simulation.apply("ship", (force, 0.0, 0.0), axes="body")
        simulation.apply("ship", (0.0, 0.0, 1.0))
        simulation.step(end)
        v = force / mass / w * np.array([np.sin(w * end), 1.0 - np.cos(w * end)])
        return np.abs(simulation.states[0, 7:10] - [*v, end / mass]).max()

    assert error(0.05) < 1e-6 and 12.0 < error(0.05) / error(0.025) < 20.0
