"""Ring and carriage of a snare: motor, gear, brake and stops, against exact solutions of the step; energies."""

import math

import numpy as np
import pytest

from tests.support.snares import CONTROL, MOTOR, ROPE, free, simulate

VOLTS, K = 24.0, 1000.0 * 0.05  # V, V s/rad: of mathematics with N Kt
NO_LOAD, STALL = VOLTS / K, 0.6 * K * VOLTS / 1.2  # 0.48 rad/s, 600 N m
TAU = 20.0 * 1.2 / (0.6 * K**2)  # s: J R/(eta (N Kt)^2) with the inertia behind the gear
# a cable so light and slack that it pulls with less than 1e-9 of what the motor can
SLACK = {"radius": 1e-4, "axial_stiffness": 1.0, "bending_stiffness": 0.0, "line_density": 1e-12, "elements": 2}


def alone(h=1e-3, base=None, **keys):
    """A ring with its motor, and a cable that does not matter."""
    base = base or {"name": "base", "motion": "fixed"}
    return simulate([base], h, snare=[
        {"name": "snare", "base": "base", "cable": SLACK, "fixed_points": [[0.1, 0, 0]], "length": 1.0,
         "moving_points": [[0, 0, 0.01]], "ring": {**MOTOR, **keys}}])


def turn(simulation, steps, h=1e-3, voltage=None):
    """ring_rate_now after each step."""
    snare = simulation.elements["snare"]
    if voltage is not None:
        snare.set(ring_voltage=voltage)
    rates = []
    for _ in range(steps):
        simulation.step(h)
        rates.append(snare.ring_rate_now)
    return np.array(rates)


def test_numbers_of_the_motor():
    found = [NO_LOAD, STALL, TAU]
    assert found == pytest.approx([0.48, 600.0, 0.016])


@pytest.mark.parametrize("h", [1e-4, 1e-3, 1e-2])
def test_running_up(h):
    """Implicit euler of J s'' = B (U/K - s'): s' = s0' (1 - 1/(1 + h/tau)^n). The voltage counts one step late: what is
    told in a step moves the drives of the next."""
    rates = turn(alone(h), 300, h, VOLTS)
    n = np.arange(300)
    assert rates == pytest.approx(NO_LOAD * (1 - (1 + h / TAU) ** -n.astype(float)), abs=1e-9)


def test_current_limit():
    """At 2 A the torque is eta N Kt i = 60 N m until the back voltage takes over."""
    rates = turn(alone(current_limit=2.0), 100, voltage=VOLTS)
    assert np.diff(rates[:50]) == pytest.approx(0.6 * K * 2.0 / 20.0 * 1e-3, rel=1e-9)
    assert alone(current_limit=2.0).elements["snare"].ring_current == 0.0


def test_torque_of_the_current():
    simulation = alone(current_limit=2.0)
    turn(simulation, 10, voltage=VOLTS)
    assert simulation.elements["snare"].ring_current == pytest.approx(2.0, rel=1e-9)
    simulation = alone()
    turn(simulation, 400, voltage=VOLTS)
    assert simulation.elements["snare"].ring_current == pytest.approx(0.0, abs=1e-8), "at no-load speed"


def test_friction_of_the_gear():
    """It slows the ring by friction R/(eta K^2), and holds it against less torque than its own."""
    rates = turn(alone(friction=100.0), 400, voltage=VOLTS)
    assert rates[-1] == pytest.approx(NO_LOAD - 100.0 * 1.2 / (0.6 * K**2), rel=1e-9)
    simulation = alone(friction=100.0)
    rates = turn(simulation, 400, voltage=VOLTS * 99.0 / STALL)
    assert abs(rates).max() < 1e-15 and abs(simulation.elements["snare"].ring_angle) < 1e-15  # rad/s; rounding


def test_stops():
    """The ring comes to its stop without going past it, stays there under full voltage, and leaves when told to."""
    simulation = alone(low=-0.05, high=0.1)
    angles = []
    for voltage in (VOLTS, -VOLTS, VOLTS):
        for _ in range(500):
            turn(simulation, 1, voltage=voltage)
            angles.append(simulation.elements["snare"].ring_angle)
    angles = np.array(angles)
    assert angles.max() < 0.1 + 1e-12 and angles.min() > -0.05 - 1e-12
    assert angles[[499, 999, 1499]] == pytest.approx([0.1, -0.05, 0.1], abs=1e-12)


# ---- a spring to pull against ------------------------------------------------------------------------


def strained(h=1e-3, base=None, control=None, tension=1000.0, point=(0.3, -0.1, 0.0), **keys):
    """A ring that a taut cable pulls on at 0.1 m across: about `tension` times 0.1 m."""
    chord = math.dist(point, (0.1, -0.1, 0.0))
    length = chord / (1 + tension / 1e5)
    cable = {**ROPE, "axial_stiffness": 1e5, "strain": "engineering", "axial_damping": 1e-3}
    snare = {"name": "snare", "base": "base", "cable": cable, "fixed_points": [list(point)], "length": length,
             "moving_points": [[0.1, -0.1, 0.0]], "ring": {**MOTOR, **keys}}
    return simulate([base or {"name": "base", "motion": "fixed"}], h,
                    snare=[{**snare, "control": control} if control else snare])


def test_a_brake_holds_exactly():
    """100 N m of the cable against 200 N m of the brake: not the last bit moves; against 50 N m the ring goes."""
    for brake, holds in ((200.0, True), (50.0, False)):
        simulation = strained(brake=brake, control=CONTROL)
        rates = turn(simulation, 500)
        assert simulation.elements["snare"].phase == 0
        if holds:
            assert simulation.elements["snare"].ring_torque == pytest.approx(100.0, rel=0.01)
            assert abs(rates).max() < 1e-15 and abs(simulation.elements["snare"].ring_angle) < 1e-15
        else:
            assert rates.max() > 0.01


def test_stall():
    """A motor at its current limit swings on the stretched cable about eta N Kt i = 60 N m; what the gear's friction of
    10 N m and the cable's damping leave of the swing holds between 50 and 70 N m. The brake is off."""
    simulation = strained(tension=10.0, current_limit=2.0, friction=10.0)
    rates = turn(simulation, 3000, voltage=-VOLTS)
    snare = simulation.elements["snare"]
    assert snare.ring_current == pytest.approx(-2.0, rel=1e-9)
    assert 50.0 < snare.ring_torque < 70.0
    assert abs(rates[-100:]).max() < 1e-12, "stalled"


def energies(simulation, masses):
    """Kinetic of the bodies; stored, turned to heat, and supplied in the snare, J."""
    snare = simulation.elements["snare"]
    kinetic = sum(0.5 * m * s[7:10] @ s[7:10] + 0.5 * inertia * s[10:] @ s[10:]
                  for s, (m, inertia) in zip(simulation.states, masses, strict=True))
    return kinetic, snare.stored_energy, snare.dissipated_energy, snare.supplied_energy


def balance(simulation, masses, voltages, steps=300):
    """Total and heat after each step, and supply at the end, J."""
    turn(simulation, 1)
    rows = []
    for voltage in voltages:
        simulation.elements["snare"].set(ring_voltage=voltage)
        for _ in range(steps):
            simulation.step(1e-3)
            rows.append(energies(simulation, masses))
    kinetic, stored, heat, supply = np.array(rows).T
    return kinetic + stored + heat - supply, kinetic, heat, supply


def test_the_balance_of_energy():
    """What the motor supplies is in the ring, in the cable, or has become heat, in damping and in the gear; heat never
    comes back. Here no body moves but by rounding: cables pull a base at both of their ends."""
    simulation = strained(base=free("base", mass=5.0, inertia=(0.1, 0.1, 0.1)), tension=10.0, friction=5.0)
    total, _, heat, supply = balance(simulation, [(5.0, 0.1)], (-6.0, 12.0, 0.0))
    assert supply[-1] > 0.5 and heat[-1] > 0.1
    assert total == pytest.approx(np.full(900, total[0]), abs=1e-12)
    assert np.diff(heat).min() > -1e-14


def closing(friction, offset=(0.02, 0.0, 0.0)):
    """Three cables that close round a free ball."""
    angles = [2 * math.pi * k / 3 for k in range(3)]
    ball = {**free("ball", offset, mass=8.0, inertia=(0.2, 0.2, 0.2)),
            "shape": [{"name": "ball", "kind": "sphere", "radius": 0.015, "material": "steel"}]}
    cable = {**ROPE, "bending_stiffness": 1e-3, "axial_damping": 1e-4, "bending_damping": 1e-3}

    def ring(angle, z):
        return [0.1 * math.cos(angle), 0.1 * math.sin(angle), z]

    return simulate(
        [free("base", mass=20.0, inertia=(0.5, 0.5, 0.5)), ball],
        snare=[{"name": "snare", "base": "base", "touches": ["ball"], "cable": cable, "length": 0.20944,
                "fixed_points": [ring(a, -0.0075) for a in angles], "friction": friction, "cable_friction": friction,
                "moving_points": [ring(a + 2 * math.pi / 3, 0.0075) for a in angles], "max_touches": 128,
                "ring": {**MOTOR, "current_limit": 2.0, "low": -0.1, "high": 1.75}}])


@pytest.mark.parametrize("friction", [0.0, 0.15])
def test_the_balance_of_energy_round_a_ball(friction):
    """Base and ball float; both are balls, so that torque times the mean rate is what they gain. What an overlap that
    is taken back puts in is less than what the step takes: heat does not come back with contacts either."""
    simulation = closing(friction)
    voltages = (VOLTS, VOLTS, VOLTS, VOLTS, -VOLTS)
    total, kinetic, heat, supply = balance(simulation, [(20.0, 0.5), (8.0, 0.2)], voltages, 1000)
    assert supply[-1] > 1.0 and kinetic.max() > 1e-3
    assert total == pytest.approx(np.full(len(total), total[0]), abs=1e-12)
    assert np.diff(heat).min() > -1e-14
