"""Indicators: paddles and plungers against closed forms, their switches, momentum and energy, and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import contactlib
from contactlib.elements.indicator import Indicator
from contactlib.model.parts import Body, BodyShape, Law, Pair
from contactlib.model.spec import Spec
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.shapes.shapes import Box, Sphere

PLUNGER = Indicator("plunger", "ring", "pin", "plunger", (0, 0, -1), travel=0.02, stiffness=400.0, preload=2.0,
                    damping=3.0, inertia=0.25, switch_on=0.015, switch_off=0.012, position=(0, 0, 0.1))
PADDLE = Indicator("paddle", "ring", "pin", "paddle", (0, 1, 0), travel=0.5, stiffness=1.5, damping=0.02,
                   inertia=0.004, switch_on=0.3, position=(0.1, 0, 0.1), pivot=(0, 0, 0.1))
STIFF, DAMPED = 2e4, 20.0  # N/m, N s/m
ONE = (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)


def scene(indicator: Indicator, ball: Any = (0, 0, 0.2), ring: str = "fixed", speed: float = -0.4, **keys: Any) -> Spec:
    """A pin with a flat top on a ring, and a ball above it that comes down."""
    bodies = (
        Body("ring", motion=ring, mass=4.0, inertia=ONE),
        Body("pin", motion="driven", shapes=(BodyShape("top", Box((0.04, 0.04, 0.04)), "metal", r=(0, 0, -0.02)),)),
        Body("ball", motion="free", mass=2.0, inertia=ONE, state=(*ball, 1, 0, 0, 0, 0, 0, speed, 0, 0, 0),
             shapes=(BodyShape("ball", Sphere(0.03), "metal"),)),
    )
    law = Law("law", ("metal", "metal"), "kelvin_voigt", (STIFF, DAMPED))
    return Spec("indicator", bodies=bodies, laws=(law,), pairs=(Pair(("pin", "ball")),), elements=(indicator,),
                **{"step_size": 1e-4, **keys})


def test_rests_where_the_springs_balance():
    """Under a load F: k s + f0 = F, and the ball's own spring bears the same; to 1e-6 of it."""
    load, indicator = 5.0, replace(PLUNGER, damping=45.0)
    simulation = contactlib.Simulation(scene(indicator, (0, 0, 0.129), step_size=1e-3).compile())
    simulation.apply("ball", (0, 0, -load))
    simulation.step(20.0)
    e = simulation.elements["plunger"]
    assert simulation.result.wrench("ball")[2] == pytest.approx(load, rel=1e-6)
    assert e.travel == pytest.approx((load - indicator.preload) / indicator.stiffness, rel=1e-6)
    assert e.load == pytest.approx(load, rel=1e-6)
    assert e.rate == pytest.approx(0.0, abs=1e-9)


def test_paddle_turns_by_the_moment_of_what_presses_it():
    """A ball held 0.1 m beside the pivot, a little deep: k s + f0 is the moment of its force about the pivot."""
    indicator = replace(PADDLE, preload=0.01)
    spec = scene(indicator, (0.1, 0, 0.12), speed=0.0, step_size=1e-3).with_motion("fixed", "ball")
    simulation = contactlib.Simulation(spec.compile())
    simulation.step(5.0)
    e = simulation.elements["paddle"]
    (contact,) = simulation.contacts
    force, at = -simulation.result.wrench("ball")[:3], contact["p_AC_W"] + simulation.states[contact["body_a"], :3]
    assert e.travel > 0.05
    assert e.load == pytest.approx(np.cross(at - np.array(indicator.pivot), force)[1], rel=1e-9)
    assert indicator.stiffness * e.travel + indicator.preload == pytest.approx(e.load, rel=1e-6)


def test_free_plunger_swings_as_a_damped_oscillator():
    """Let go at 8 mm: s'' + 2 d s' + w^2 s = -f0/m, to the order of the step."""
    m, k, c = 0.25, 400.0, 1.0
    free = replace(PLUNGER, preload=0.0, damping=c, travel=1.0, switch_on=0.9, switch_off=0.8, position=(0, 0, -5.0))
    errors = []
    for h in (1e-4, 5e-5):
        spec = replace(scene(free, (0, 0, -4.97 + 0.02)), step_size=h)  # the ball strikes it, once, and flies off
        simulation = contactlib.Simulation(spec.compile())
        series = []
        for _ in range(3000):
            simulation.step(1e-4)
            e = simulation.elements["plunger"]
            series.append((e.travel, e.rate, e.load))
        s = np.array(series)
        begin = np.flatnonzero(s[:, 2] != 0).max() + 2 if (s[:, 2] != 0).any() else 0
        x0, v0 = s[begin, 0], s[begin, 1]
        assert v0 != 0.0
        t = 1e-4 * np.arange(100)
        d, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
        exact = np.exp(-d * t) * (x0 * np.cos(w * t) + (v0 + d * x0) / w * np.sin(w * t))
        inside = (exact > 0).cumprod() > 0  # until it is back at its stop
        assert inside.sum() > 10
        errors.append(np.abs(s[begin:begin + 100, 0] - exact)[inside].max() / np.abs(exact[inside]).max())
    assert errors[0] < 0.02
    assert errors[1] < 0.7 * errors[0]


def test_switch_has_two_points():
    spec = scene(replace(PLUNGER, preload=0.0))
    simulation = contactlib.Simulation(spec.compile())
    seen = []
    for depth in np.concatenate([np.linspace(0, 0.018, 60), np.linspace(0.018, 0.0, 60)]):
        for _ in range(40):  # held there until the plunger has followed
            state = simulation.states.copy()
            state[2] = (0, 0, 0.13 - depth, 1, 0, 0, 0, *[0] * 6)
            simulation.compute(state)
            simulation.step(1e-3)
        e = simulation.elements["plunger"]
        seen.append((e.travel, e.switched))
    travel, on = np.array(seen).T
    rising, falling = on[:60], on[60:]
    assert travel[:60][rising == 1].min() == pytest.approx(0.015, abs=4e-4)
    assert travel[60:][falling == 1].min() == pytest.approx(0.012, abs=4e-4)
    assert travel.max() <= 0.02


@pytest.mark.parametrize("indicator", [PLUNGER, PADDLE])
def test_momentum_and_energy(indicator):
    """Two free bodies and the spring between them: momentum and spin to rounding, energy by the order of the step."""
    errors = []
    for h in (2e-4, 1e-4, 5e-5):
        spec = scene(replace(indicator, travel=0.9), (indicator.position[0], 0, 0.135), ring="free", step_size=h)
        simulation = contactlib.Simulation(spec.compile())
        run = simulation.run(duration=0.3, dt=2e-4)
        bodies = [(4.0, run.states[:, 0]), (2.0, run.states[:, 2])]
        momentum = sum(m * s[:, 7:10] for m, s in bodies)
        spin = sum(m * np.cross(s[:, :3], s[:, 7:10]) + 0.1 * s[:, 10:] for m, s in bodies)
        assert np.ptp(momentum, axis=0).max() < 1e-13
        assert np.ptp(spin, axis=0).max() < 1e-13
        kinetic = sum(0.5 * m * (s[:, 7:10] ** 2).sum(1) + 0.05 * (s[:, 10:] ** 2).sum(1) for m, s in bodies)
        end = kinetic[-1] + run.energy_dissipated[-1] + simulation.energy_stored + run.energy_taken_by_elements[-1]
        assert run.outputs[:, run.output_names.index(f"{indicator.name}.travel")].max() > 1e-3
        errors.append(abs(end - kinetic[0]) / kinetic[0])
    assert errors[0] < 5e-3
    assert errors[2] < 0.5 * errors[0] or errors[2] < 1e-5


def test_body_stands_and_moves_with_its_travel():
    """On a ring that flies and turns: the pose follows the travel, the velocity is its change."""
    for indicator in (PLUNGER, PADDLE):
        spec = scene(indicator, (indicator.position[0], 0, 0.14), ring="free")
        simulation = contactlib.Simulation(spec.compile())
        state = simulation.states.copy()
        state[0, 7:] = 0.1, -0.2, 0.05, 0.3, 0.2, -0.4
        simulation.compute(state)
        while simulation.elements[indicator.name].travel == 0.0:
            simulation.step(1e-3)
        before = simulation.states
        simulation.step(1e-6)
        after, e = simulation.states, simulation.elements[indicator.name]
        R = rotation_matrix(tuple(after[0, 3:7]))
        if indicator is PLUNGER:
            in_base = np.array([0, 0, 0.1 - e.travel])
        else:
            in_base = np.array([0.1 * np.cos(e.travel), 0, 0.1 - 0.1 * np.sin(e.travel)])
        assert after[1, :3] == pytest.approx(after[0, :3] + R @ in_base, abs=1e-14)
        assert after[1, 7:10] == pytest.approx((after[1, :3] - before[1, :3]) / 1e-6, abs=1e-5)


@pytest.mark.parametrize(("keys", "sentence"), [
    ({"motion": "slider"}, "must be one of"),
    ({"axis": (0, 0, 0)}, "must not be zero"),
    ({"body": "ring"}, "must be a body of its own that is driven"),
    ({"base": "rings"}, "there is no such body"),
    ({"travel": 0.0}, "greater than 0"),
    ({"switch_on": 0.05}, "must lie between"),
    ({"switch_off": 0.017}, "must lie between"),
    ({"inertia": 0.0}, "greater than 0"),
    ({"stiffness": -1.0}, "of at least 0"),
])
def test_bad_indicator_is_refused(keys, sentence):
    with pytest.raises(ValueError, match=sentence):
        scene(replace(PLUNGER, **keys)).compile()
