"""The latch: its linkage against closed form, its motor, what touches its links, and what is refused."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from contactlib.elements.drive import Drive
from contactlib.elements.latch import Latch
from contactlib.model.parts import Body, BodyShape, Law, Pair
from contactlib.model.spec import Spec
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.shapes.shapes import Sphere

DATA = Path(__file__).parents[2] / "validation_data" / "four_bar" / "four_bar.csv"
BARS = (0.120, 0.060, 0.110, 0.090)  # m: ground, crank, coupler, rocker
TIP = np.array([0.190, 0.030, 0.0])  # m, on the coupler

# 24 V, 0.05 N m/A, 1.2 ohm, 2e-5 kg m2 behind a gear of 1000 with 0.6: 0.48 rad/s without load, 600 N m at a stall
MOTOR = Drive("motor", start=1.0, low=0.0, high=3.1, inertia=20.0, gear=1000.0, torque_constant=0.05, resistance=1.2,
              current_limit=100.0, efficiency=0.6)
LATCH = Latch("latch", "ring", *BARS, motor=MOTOR, brake=False)
STIFF = 1e5  # N/m


def scene(latch: Latch = LATCH, target: Body | None = None, ring: str = "fixed", **keys: Any) -> Spec:
    """A latch on a ring; a ball at its tip touches the target's ball."""
    block = (2.0, 0, 0), (0, 2.0, 0), (0, 0, 2.0)
    bodies = [Body("ring", motion=ring, mass=30.0, inertia=block)]
    for name in (latch.crank_body, latch.coupler_body, latch.rocker_body):
        if name is not None:
            tip = (BodyShape("tip", Sphere(0.01), "metal", r=tuple(TIP)),) if name == latch.coupler_body else ()
            bodies.append(Body(name, motion="driven", shapes=tip))
    law = Law("law", ("metal", "metal"), "kelvin_voigt", (STIFF, 50.0))
    pairs = () if target is None else (Pair(("link", "target")),)
    return Spec("latch", bodies=(*bodies, *(() if target is None else (target,))),
                laws=() if target is None else (law,), pairs=pairs, elements=(latch,), **{"step_size": 1e-3, **keys})


def target(at: Any, motion: str = "fixed") -> Body:
    inertia = (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)
    return Body("target", motion=motion, mass=5.0, inertia=inertia, state=(*at, 1, 0, 0, 0, *[0] * 6),
                shapes=(BodyShape("ball", Sphere(0.02), "metal"),))


def closed_form(angle: float) -> tuple[complex, complex]:
    """Where crank and coupler, and coupler and rocker meet: two circles, in the plane of complex numbers."""
    g, a, b, c = BARS
    B = a * np.exp(1j * angle)
    way = g - B
    D = abs(way)
    x = (b * b - c * c + D * D) / (2 * D)
    return B, B + way / D * complex(x, np.sqrt(b * b - x * x))


def test_linkage_is_that_of_the_table():
    table = np.genfromtxt(DATA, delimiter=",", names=True)
    assert len(table) == 13
    for row in table:
        t2 = np.radians(row["theta2_deg"])
        pose = engine.four_bar((*BARS, 1.0), t2)
        assert np.degrees(pose[:2]) == pytest.approx([row["theta3_deg"], row["theta4_deg"]], abs=6e-10)
        assert pose[2:] == pytest.approx([row["dtheta3_dtheta2"], row["dtheta4_dtheta2"]], abs=2e-12)


@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_linkage_closes(branch):
    """To 1e-12 by geometry, and Freudenstein's equation; rates by central differences, whose error is 1e-9."""
    g, a, b, c = BARS
    for t2 in np.linspace(0.01, 6.27, 211):
        t3, t4, w3, w4 = engine.four_bar((*BARS, branch), t2)
        assert abs(a * np.exp(1j * t2) + b * np.exp(1j * t3) - g - c * np.exp(1j * t4)) < 1e-15
        k = g / a * np.cos(t4) - g / c * np.cos(t2) + (g * g + a * a - b * b + c * c) / (2 * a * c) - np.cos(t2 - t4)
        assert abs(k) < 1e-13
        if branch == 1.0:
            B, C = closed_form(t2)
            assert abs(np.exp(1j * t3) - (C - B) / b) < 1e-12
        ahead, behind = (engine.four_bar((*BARS, branch), t2 + step) for step in (1e-5, -1e-5))
        differences = np.angle(np.exp(1j * (np.array(ahead[:2]) - behind[:2]))) / 2e-5
        assert [w3, w4] == pytest.approx(differences, abs=1e-8)


def test_links_stand_where_the_linkage_is():
    """Also on a ring that flies and turns; velocities are those of the motion, to the order of the step."""
    latch = replace(LATCH, crank_body="crank", coupler_body="link", rocker_body="rocker", power=True, voltage=24.0,
                    position=(0.1, -0.2, 0.3), attitude=tuple(np.array([1, 2, -1, 0.5]) / 2.5))
    spec = scene(latch, ring="free")
    simulation = contactlib.Simulation(spec.compile())
    q = np.array([0.5, -0.5, 0.1, 0.7])
    q /= np.linalg.norm(q)
    given = {"ring": np.array([1.0, 2, 3, *q, 0.1, 0.2, -0.3, 0.4, -0.2, 0.3])}
    simulation.compute(given)
    for _ in range(50):
        simulation.step(1e-3)
    before = simulation.states.copy()
    simulation.step(1e-6)
    after = simulation.states
    e = simulation.elements["latch"]
    assert e.rate > 0.4  # the motor has run up
    B, C = closed_form(e.angle)
    where = {"crank": (0, e.angle), "link": (B, e.coupler), "rocker": (BARS[0], e.rocker)}
    ring = after[0]
    for i, name in enumerate(simulation.model.body_names):
        if name not in where:
            continue
        p, angle = where[name]
        in_base = np.array(latch.position) + rotation_matrix(latch.attitude) @ [np.real(p), np.imag(p), 0]
        assert after[i, :3] == pytest.approx(ring[:3] + rotation_matrix(tuple(ring[3:7])) @ in_base, abs=1e-14)
        along = rotation_matrix(tuple(ring[3:7])) @ rotation_matrix(latch.attitude) @ [np.cos(angle), np.sin(angle), 0]
        assert rotation_matrix(tuple(after[i, 3:7]))[:, 0] == pytest.approx(along, abs=1e-14)
        assert after[i, 7:10] == pytest.approx((after[i, :3] - before[i, :3]) / 1e-6, abs=1e-6)
        turned = rotation_matrix(tuple(after[i, 3:7])) @ rotation_matrix(tuple(before[i, 3:7])).T
        spin = np.array([turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]) / 2e-6
        assert after[i, 10:] == pytest.approx(spin, abs=1e-5)
    assert abs(C - BARS[0]) == pytest.approx(BARS[3], abs=1e-15)


def test_motor_runs_up_as_a_dc_motor_does():
    """w = w0 (1 - exp(-t/tau)), w0 = 0.48 rad/s, tau = I R/(eta K^2) = 9.6 ms/eta; implicit Euler exactly."""
    tau, w0 = 20.0 * 1.2 / (0.6 * 50.0**2), 24.0 / 50.0
    assert w0 == pytest.approx(0.48)
    for h in (1e-3, 1e-2, 0.1):
        simulation = contactlib.Simulation(scene(replace(LATCH, power=True, voltage=24.0), step_size=h).compile())
        for k in range(1, 6):
            simulation.step(h)
            assert simulation.elements["latch"].rate == pytest.approx(w0 * (1 - (1 + h / tau) ** -k), rel=1e-12)


def test_stall_limit_and_stops():
    """600 N m at a stall, less at the current's limit; at its stop the crank stands still."""
    for limit, torque in ((100.0, 600.0), (5.0, 150.0)):
        motor = replace(MOTOR, start=3.09, current_limit=limit)
        simulation = contactlib.Simulation(scene(replace(LATCH, motor=motor, power=True, voltage=24.0)).compile())
        for _ in range(2000):
            simulation.step(1e-3)
        e = simulation.elements["latch"]
        assert e.angle == pytest.approx(MOTOR.high, abs=1e-12)
        assert e.rate == pytest.approx(0.0, abs=1e-12)
        assert e.torque == pytest.approx(torque, rel=1e-9)
        assert e.current == pytest.approx(min(limit, 20.0), rel=1e-9)


def pressed(angle: float, **keys: Any) -> contactlib.Simulation:
    """The tip 0.5 mm deep in a fixed ball below it."""
    t3 = engine.four_bar((*BARS, 1.0), angle)[0]
    B, _ = closed_form(angle)
    tip = B + complex(*TIP[:2]) * np.exp(1j * t3)
    depth = 0.5e-3
    motor = replace(MOTOR, start=angle, **keys.pop("motor", {}))
    latch = replace(LATCH, coupler_body="link", motor=motor, **keys)
    below = target((tip.real, tip.imag - 0.03 + depth, 0.0))
    return contactlib.Simulation(scene(latch, below).compile())


@pytest.mark.parametrize("angle", [0.3, 1.0, np.pi / 2, 2.5])
def test_load_is_the_virtual_work_of_the_tip(angle):
    """Held by the brake: load = F . dtip/dt2 (mathematics of mechanisms: tau = -F . dtip/dt2)."""
    simulation = pressed(angle, brake=True, motor={"brake": 1e4})
    for _ in range(3):
        simulation.step(1e-3)
    e = simulation.elements["latch"]
    assert e.angle == angle  # it holds, to the last bit
    t3, _, w3, _ = engine.four_bar((*BARS, 1.0), angle)
    rate = 1j * closed_form(angle)[0] + 1j * w3 * complex(*TIP[:2]) * np.exp(1j * t3)
    assert e.load == pytest.approx(STIFF * 0.5e-3 * rate.imag, rel=1e-9)
    # the ring bears what pushes the tip
    force = simulation.result.wrench("ring")
    assert force[:3] == pytest.approx([0, STIFF * 0.5e-3, 0], abs=1e-9)


def test_without_brake_it_is_driven_back():
    braked, loose = pressed(0.3, brake=True, motor={"brake": 1e4}), pressed(0.3)
    rubbed = pressed(0.3, motor={"friction": 1e4})
    for simulation in (braked, loose, rubbed):
        for _ in range(100):
            simulation.step(1e-3)
    load = braked.elements["latch"].load
    assert abs(load) > 1.0
    assert (loose.elements["latch"].angle - 0.3) * load > 0
    assert rubbed.elements["latch"].angle == 0.3  # friction holds to the last bit too


def test_motor_against_a_load_is_on_its_torque_speed_curve():
    """Torque N eta Kt (U - N Kt w)/R, or at the current's limit, and current to match: at every speed of a run-up."""
    for limit in (100.0, 12.0):
        motor = replace(MOTOR, current_limit=limit, friction=30.0)
        simulation = contactlib.Simulation(scene(replace(LATCH, motor=motor, power=True, voltage=24.0)).compile())
        seen = []
        for _ in range(200):
            simulation.step(1e-3)
            e = simulation.elements["latch"]
            assert e.current == pytest.approx(min((24.0 - 50.0 * e.rate) / 1.2, limit), rel=1e-12)
            assert e.torque == pytest.approx(0.6 * 50.0 * e.current, rel=1e-12)
            seen.append(e.current)
        assert (np.array(seen) == limit).sum() > (0 if limit == 100.0 else 10) - 1
        assert e.current == pytest.approx(1.0, rel=0.05)  # what it takes to turn against friction, 30 N m


DEAD_CENTRE = np.arccos((0.12**2 + 0.17**2 - 0.09**2) / (2 * 0.12 * 0.17))  # crank and coupler in line, 30.4 deg


def pulled(angle: float, force: float = 200.0) -> contactlib.Simulation:
    """A ball in the rocker's end pushes it forward, which is lowest at dead centre; no motor, no brake, no friction."""
    motor = replace(MOTOR, start=angle, low=0.0, high=DEAD_CENTRE + 0.02, inertia=0.2)
    latch = replace(LATCH, rocker_body="rocker", motor=motor)
    t4 = engine.four_bar((*BARS, 1.0), angle)[1]
    end = np.array([0.12 + 0.09 * np.cos(t4), 0.09 * np.sin(t4), 0.0])
    forward = np.array([-np.sin(t4), np.cos(t4), 0.0])
    spec = scene(latch, target(end - (0.03 - force / STIFF) * forward))
    rocker = replace(spec.bodies[1], shapes=(BodyShape("end", Sphere(0.01), "metal", r=(0.09, 0.0, 0.0)),))
    spec = replace(spec, bodies=(spec.bodies[0], rocker, spec.bodies[2]), pairs=(Pair(("rocker", "target")),))
    return contactlib.Simulation(spec.compile())


def test_over_centre_it_locks_and_before_it_is_driven_back():
    """0.6 deg beyond dead centre a pull on the rocker turns the crank up to its stop and is held there; 0.6 deg before
    it the same pull turns it back, and away."""
    for offset, held in ((0.01, True), (-0.01, False)):
        simulation = pulled(DEAD_CENTRE + offset)
        rocker = simulation.elements["latch"].rocker
        simulation.step(2.0)
        e = simulation.elements["latch"]
        if held:
            assert e.angle == pytest.approx(DEAD_CENTRE + 0.02, abs=1e-9)
            assert abs(e.rate) < 1e-9 and e.load > 0.0
            # the rocker has moved by what 0.6 deg of the crank are near dead centre, and by no more
            assert abs(e.rocker - rocker) < 5e-4
        else:
            assert e.angle < DEAD_CENTRE - 0.03


def test_over_centre_holds_any_pull():
    """The crank stands still, to the last bit, and the ring bears all of the pull."""
    for force in (10.0, 1000.0):
        simulation = pulled(DEAD_CENTRE + 0.02, force)
        simulation.step(1.0)
        e = simulation.elements["latch"]
        assert e.angle == pytest.approx(DEAD_CENTRE + 0.02, abs=1e-15)
        assert e.force == pytest.approx(force, rel=1e-9)
        assert np.linalg.norm(simulation.result.wrench("ring")[:3]) == pytest.approx(force, rel=1e-9)


def closing(h: float, ring: str = "free") -> tuple[float, float, float, float]:
    """Energy that is missing and the error that is told, of what the motor gave; momentum and spin of a free ring."""
    latch = replace(LATCH, coupler_body="link", power=True, voltage=12.0)
    spec = scene(latch, target((0.2, 0.17, 0.0), "free"), ring=ring, step_size=h)
    simulation = contactlib.Simulation(spec.compile())
    run = simulation.run(duration=1.0, dt=max(h, 1e-4))
    assert run.contact_count.max() == 1
    ring_states, ball = run.states[:, 0], run.states[:, 2]
    mass, inertia = np.array([30.0 * (ring == "free"), 5.0]), np.array([2.0 * (ring == "free"), 0.1])
    kinetic = sum(0.5 * m * (s[:, 7:10] ** 2).sum(1) + 0.5 * i * (s[:, 10:] ** 2).sum(1)
                  for m, i, s in zip(mass, inertia, (ring_states, ball), strict=True))
    assert kinetic[-1] > 1e-3
    spin = sum(m * np.cross(s[:, :3], s[:, 7:10]) + i * s[:, 10:]
               for m, i, s in zip(mass, inertia, (ring_states, ball), strict=True))
    momentum = sum(m * s[:, 7:10] for m, s in zip(mass, (ring_states, ball), strict=True))
    supplied = run.energy_of_elements("supplied_energy")[-1]
    released = run.energy_stored[0] - run.energy_stored[-1]  # the ball begins in contact
    missing = kinetic[-1] + run.energy_dissipated[-1] - released + run.energy_taken_by_elements[-1]
    error = simulation.energy_error
    return (missing - error) / supplied, error / supplied, np.abs(momentum).max(), np.abs(spin).max()


def test_energy_and_momentum_close():
    """Motor, linkage, contact and bodies in an impact of ten steps of 1 ms: energy, momentum and spin to rounding.

    All turn about one axis, so that euler's balance is exact. The error is of the first order, as the damper's force is
    that of a step's start: 2.5e-3 of what the motor gave at most, and from 0.25 ms on it falls with the step.
    """
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5):
        missing, error, momentum, spin = closing(h)
        errors.append(abs(error))
        assert abs(missing) < 1e-12
        assert momentum < 1e-12
        assert spin < 1e-12
    assert max(errors) < 3e-3
    assert errors[2] / errors[3] > 1.7 and errors[3] / errors[4] > 1.7, f"not of first order: {errors}"
    missing, error, _, _ = closing(1e-3, "fixed")
    assert abs(missing) < 1e-12 and abs(error) < 3e-3


@pytest.mark.parametrize(("keys", "sentence"), [
    ({"motor": replace(MOTOR, mode="rate")}, "must be 'motor'"),
    ({"coupler": 0.3}, "does not reach"),
    ({"coupler_body": "ring"}, "must be a body of its own that is driven"),
    ({"coupler_body": "nobody"}, "there is no such body"),
    ({"base": "nobody"}, "there is no such body"),
    ({"attitude": (0.0, 0.0, 0.0, 0.0)}, "attitude"),
])
def test_bad_latch_is_refused(keys, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(scene(), elements=(replace(LATCH, **keys),)).compile()


def test_scene_file_has_it():
    text = """
[scene]
name = "one_latch"
[[body]]
name = "ring"
motion = "fixed"
[[latch]]
name = "latch"
base = "ring"
ground = 0.12
crank = 0.06
coupler = 0.11
rocker = 0.09
[latch.motor]
mode = "motor"
start = 1.0
low = 0.0
high = 3.1
inertia = 20.0
gear = 1000.0
torque_constant = 0.05
resistance = 1.2
current_limit = 100.0
efficiency = 0.6
"""
    (latch,) = Spec.from_dict(tomllib.loads(text)).elements
    assert latch == replace(LATCH, brake=True)
    with pytest.raises(ValueError, match=r"latch\[0\].motor.gear is missing"):
        Spec.from_dict(tomllib.loads(text.replace("gear = 1000.0", "")))
