"""Restitution sets the damping of a normal law: a ball that meets a plane leaves with this part of its speed."""

from __future__ import annotations

import pytest

import contactlib
from contactlib.model.restitution import damping_at_speed, damping_of_oscillator
from tests.support.scenes import body, law, scene

KELVIN = {"kind": "kelvin_voigt", "stiffness": 1e4}
LAWS = {
    "linear": {"kind": "hunt_crossley", "stiffness": 1e4, "exponent": 1.0},
    "hunt_crossley": {"kind": "hunt_crossley", "stiffness": 1e6, "exponent": 1.5},
    "hertz": {"kind": "hertz", "modulus": 1e7, "radius": 0.05},
    "curve": {"kind": "curve", "depth": [1e-3, 5e-2], "force": [20.0, 2000.0]},
}


def rebound(normal: dict[str, object], mass: float, speed: float) -> float:
    """Speed after the impact over speed before it, at 2000 steps or more in contact."""
    ball = body("ball", "free", [{"name": "skin", "kind": "sphere", "radius": 0.1, "material": "m"}], mass=mass,
                inertia=[0.01] * 3, state={"r": [0, 0, 0.1 + 1e-4 * speed], "v": [0, 0, -speed]})
    floor = body("floor", "fixed", [{"name": "top", "kind": "plane", "material": "m"}])
    spec = scene([ball, floor], [law("touch", ["m", "m"], normal)], [["ball", "floor"]], step_size=1e-5)
    simulation = contactlib.Simulation(spec.compile())
    for _ in range(400):
        simulation.step(0.01)
        if simulation.states[0, 9] > 0.0 and not len(simulation.contacts):
            return float(simulation.states[0, 9]) / speed
    raise AssertionError("the ball does not leave")


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("kind", LAWS)
def test_an_impact_at_the_given_speed_has_the_restitution(kind, e):
    normal = {**LAWS[kind], "restitution": e, "impact_speed": 0.5}
    assert rebound(normal, 2.0, 0.5) == pytest.approx(e, abs=2e-3)  # first order in the step


def test_the_mass_does_not_matter_and_slower_impacts_are_more_elastic():
    normal = {**LAWS["hertz"], "restitution": 0.5, "impact_speed": 0.5}
    assert rebound(normal, 0.3, 0.5) == pytest.approx(0.5, abs=2e-3)
    assert rebound(normal, 2.0, 0.05) > 0.85


@pytest.mark.parametrize("e", [0.05, 0.135, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("speed", [0.05, 1.0])
def test_kelvin_voigt_has_it_at_every_speed_of_its_mass(e, speed):
    assert rebound({**KELVIN, "restitution": e, "mass": 2.0}, 2.0, speed) == pytest.approx(e, abs=2e-3)


def test_no_loss_is_no_damping_and_less_restitution_is_more():
    assert damping_at_speed(1.0, 0.3) == 0.0
    assert damping_of_oscillator(1.0, 1e4, 2.0) < 1e-9
    for damping in (lambda e: damping_at_speed(e, 0.1), lambda e: damping_of_oscillator(e, 1e4, 2.0)):
        values = [damping(e) for e in (0.001, 0.01, 0.1, 0.135335283, 0.3, 0.7, 0.999)]
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(("normal", "sentence"), [
    ({**KELVIN, "restitution": 0.5}, r"normal\.mass"),
    ({**KELVIN, "restitution": 0.0, "mass": 1.0}, r"restitution = 0\.0: must be a finite number of at least 0\.001"),
    ({**KELVIN, "restitution": 1.5, "mass": 1.0}, r"restitution = 1\.5: must be a number from 0\.001 to 1"),
    ({**KELVIN, "restitution": 0.5, "damping": 1.0, "mass": 1.0}, r"damping = 1\.0: must be left out: restitution"),
    ({**LAWS["hertz"], "restitution": 0.5}, r"normal\.impact_speed"),
    ({**LAWS["hertz"], "restitution": 0.5, "impact_speed": 0.0}, r"impact_speed = 0\.0: must be a finite number"),
    ({**LAWS["hertz"], "restitution": 0.5, "impact_speed": 1.0, "mass": 1.0}, r"normal\.mass is not a known key"),
    ({"kind": "none", "restitution": 0.5}, r"normal\.restitution is not a known key"),
])
def test_what_does_not_go_together_is_refused(normal, sentence):
    with pytest.raises(ValueError, match=sentence):
        scene([], [law("touch", ["m", "m"], normal)], [])
