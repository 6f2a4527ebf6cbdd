"""Sub-steps that follow contact: impacts against closed forms, fast bodies, and what the steps cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contactlib
from contactlib.model.spec import Spec
from tests.core.test_energy_error import restitution
from tests.step import accuracy_table
from tests.step.auto_scenes import FLOOR, RADIUS, drop, hertz, hooke, line, run, sphere
from tests.support.scenes import BRISTLE, body, law, momentum, scene, two_free_bodies

# h w = 0.04: an impact begins and ends with an error of the speed of at most (h w)^2/8 times 1.5^2, 4.5e-4 each
SPEED = 1e-3
PHASES = (0.01, 0.01137, 0.0133, 0.0217)  # m, heights: contact begins anywhere in a step
both = pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])


@both
@pytest.mark.parametrize("stiffness", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("dt", [1.0, 0.1, 0.01, 0.002])
def test_an_elastic_impact_keeps_its_speed(integrator: str, stiffness: float, dt: float):
    for height in PHASES if dt > 0.01 else PHASES[1:2]:
        result = run(drop(hooke(stiffness), height=height, integrator=integrator), max(dt, 0.2), dt)
        assert abs(result.state[9] - 1.0) < SPEED
        assert result.simulation.warnings == ()


@both
@pytest.mark.parametrize("stiffness", [1e4, 1e9])
def test_an_impact_on_a_law_that_stiffens_keeps_its_speed(integrator: str, stiffness: float):
    for height in PHASES:
        assert abs(run(drop(hertz(stiffness), height=height, integrator=integrator), 0.3, 0.3).state[9] - 1.0) < SPEED


@pytest.mark.parametrize("stiffness", [1e4, 1e8])
@pytest.mark.parametrize("ratio", [0.05, 0.4, 1.0])
def test_a_damped_impact_has_its_coefficient_of_restitution(stiffness: float, ratio: float):
    """`ratio` c/sqrt(k m): e from 0.93 to 0.30. Its force begins with a jump c v."""
    damping = ratio * np.sqrt(stiffness)
    for height in PHASES:
        result = run(drop(hooke(stiffness, damping), height=height), 0.2, 0.2)
        assert abs(result.state[9] - restitution(stiffness, damping)) < SPEED


def test_a_damped_impact_on_a_law_that_stiffens_agrees_with_short_steps():
    short = run(drop(hertz(1e7, 1.0), height=1e-5, step_size=2e-7), 0.02, 0.02).state[9]
    for height in PHASES:
        assert abs(run(drop(hertz(1e7, 1.0), height=height), 0.1, 0.1).state[9] - short) < SPEED


@pytest.mark.parametrize("stiffness", [1e3, 1e9])
def test_two_bodies_exchange_their_momentum(stiffness: float):
    result = run(line([1.0, 2.0], [1.0, -0.5], stiffness), 0.5, 0.5)
    assert result.state[7] == pytest.approx(-1.0, abs=SPEED)
    assert result.simulation.states[1, 7] == pytest.approx(0.5, abs=SPEED)
    assert result.simulation.states[:, 7] @ [1.0, 2.0] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("stiffness", [1e4, 1e8])
def test_a_light_body_between_heavy_ones_keeps_the_energy(stiffness: float):
    """It passes the momentum on in hundreds of impacts, at a mass ratio of 1e4."""
    masses = [10.0, 1e-3, 10.0]
    result = run(line(masses, [1.0, 0.0, 0.0], stiffness), 0.5, 0.5)
    energy = 0.5 * np.array(masses) @ (result.simulation.states[:, 7:10] ** 2).sum(1)
    assert energy == pytest.approx(5.0, rel=2e-3)
    assert result.simulation.states[2, 7] > 0.999


@pytest.mark.parametrize("q", [(0.9, 0.3, 0.2, 0.1), (0.88, 0.3, 0.3, 0.1), (0.92388, 0.38268, 0, 0), (1, 0, 0, 0)])
@pytest.mark.parametrize("stiffness", [1e4, 1e9])
def test_a_box_that_falls_on_a_corner_an_edge_or_a_face_keeps_its_energy(q: tuple[float, ...], stiffness: float):
    unit = np.array(q) / np.linalg.norm(q)
    box = body("box", "free", [{"name": "skin", "kind": "box", "size": [0.1] * 3, "material": "m"}], mass=1.0,
               inertia=[1 / 600] * 3, state={"r": [0, 0, 0.12], "v": [0, 0, -1.0], "q": unit.tolist()})
    spec = scene([box, FLOOR], [law("touch", ["m", "m"], hooke(stiffness))], [["box", "floor"]], step_size="auto")
    state = run(spec, 0.3, 0.3).state
    energy = 0.5 * state[7:10] @ state[7:10] + 0.5 / 600 * state[10:13] @ state[10:13]
    assert energy == pytest.approx(0.5, rel=2 * SPEED) and state[9] > 0.0


def test_flight_under_gravity_is_exact_and_cheap():
    """A ball flies 1 s and bounces once: a hundred steps of 10 ms and those of one impact of pi/(w h) = 79."""
    height, g = 1.226, 9.81
    result = run(drop(hooke(1e6), height=height, speed=0.0, gravity=[0, 0, -g]), 1.0, 1.0)
    # linear spring under gravity: from one end of the contact to the other
    w, v = 1e3, np.sqrt(2 * g * height)
    contact = 2 / w * (np.pi - np.arctan(v * w / g))
    left = 1.0 - v / g - contact
    assert result.state[2] == pytest.approx(RADIUS + v * left - 0.5 * g * left**2, abs=2 * SPEED * v * left)
    assert 100 < result.count < 300 and result.refused < 20
    assert run(drop(hooke(1e6), height=5.0, speed=0.0, gravity=[0, 0, -g]), 1.0, 1.0).state[2] == pytest.approx(
        RADIUS + 5.0 - 0.5 * g, abs=1e-13), "to the rounding of a hundred steps"


def test_the_upper_limit_holds():
    result = run(drop(hooke(1e3), max_step_size=1e-3), 0.1, 0.1)
    assert result.count >= 100 and result.shortest <= 1e-3


def test_the_page_has_the_measured_accuracy():
    """The bits are those of every machine, so the figures are, too."""
    page = (Path(__file__).parents[2] / "docs" / "simulation.md").read_text(encoding="utf-8")
    for row in accuracy_table.rows():
        assert row in page


# ---- fast bodies ------------------------------------------------------------------------------------------

CORNERS = [[x, y, z] for x in (-5e-4, 5e-4) for y in (-1, 1) for z in (-1, 1)]
FACES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]
WALLS: dict[str, dict[str, Any]] = {
    "plate of 1 mm": {"kind": "box", "size": [1e-3, 2.0, 2.0]},
    "closed mesh of 1 mm": {"kind": "mesh", "vertices": CORNERS, "triangles": FACES},
    "sheet": {"kind": "mesh", "vertices": [[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]],
              "triangles": [[0, 2, 1], [0, 3, 2]]},
}


def shot(wall: dict[str, Any], speed: float, stiffness: float, step_size: float | str) -> Spec:
    ball = sphere("ball", 0.01, [-1.0, 0.1, 0.0], [speed, 0, 0], radius=0.005)
    plate = body("wall", "fixed", [{"name": "w", "material": "m", **wall}])
    return scene([ball, plate], [law("touch", ["m", "m"], hooke(stiffness))], [["ball", "wall"]], step_size=step_size)


@pytest.mark.filterwarnings("ignore::contactlib.MeshWarning")
@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("speed", [1.0, 100.0, 1000.0])
def test_no_body_passes_a_thin_one_unseen(wall: str, speed: float):
    """A ball of 10 mm bounces from 1 mm: the spring stores its energy in a depth of 1 mm."""
    stiffness = 0.01 * (speed / 1e-3) ** 2
    result = run(shot(WALLS[wall], speed, stiffness, "auto"), 3.0 / speed, 3.0 / speed)
    assert result.state[7] == pytest.approx(-speed, rel=SPEED)
    assert result.simulation.warnings == () and result.count < 3000


def test_a_fixed_step_passes_it_and_the_warning_names_the_remedy():
    simulation = contactlib.Simulation(shot(WALLS["plate of 1 mm"], 100.0, 1e8, 3e-3).compile())
    simulation.step(0.03)
    assert simulation.states[0, 7] == 100.0
    assert any('set step_size = "auto"' in sentence for sentence in simulation.warnings)


def test_two_bodies_in_orbit_take_long_steps():
    """They fly side by side at 8 km/s: only their relative speed counts."""
    balls = [sphere(name, 1.0, [7e6, y, 0.0], [0, 0, 8e3]) for name, y in (("one", 0.0), ("two", 0.2))]
    spec = scene(balls, [law("touch", ["m", "m"], hooke(1e6))], [["one", "two"]], step_size="auto")
    assert run(spec, 1.0, 1.0).count == 100


# ---- friction, many contacts, rest ------------------------------------------------------------------------


@pytest.mark.parametrize("friction", [BRISTLE, {"kind": "coulomb", "slip_velocity": 1e-4}])
def test_a_box_sticks_on_a_slope_or_slides_down(friction: dict[str, Any]):
    """At 10 degrees: with mu = 0.4 it rests, or creeps at less than 1e-4 m/s; with 0.1 it slides by the closed form."""
    a, g = np.radians(10), 9.81
    box = body("box", "free", [{"name": "skin", "kind": "box", "size": [0.1] * 3, "material": "m"}], mass=1.0,
               inertia=[1 / 600] * 3, state={"r": [0, 0, RADIUS - 2.4e-5]})
    for mu in (0.4, 0.1):
        rubs = {**friction, "mu_static": mu, "mu_kinetic": mu}
        spec = scene([box, FLOOR], [law("touch", ["m", "m"], hooke(1e5, 200.0), rubs)], [["box", "floor"]],
                     gravity=[g * np.sin(a), 0, -g * np.cos(a)], step_size="auto")
        state = run(spec, 0.2, 0.1).state
        if mu == 0.4:
            assert abs(state[7]) < 1e-4
        else:
            assert state[7] == pytest.approx(0.2 * g * (np.sin(a) - mu * np.cos(a)), rel=0.01)


@both
def test_momentum_and_the_balance_of_energy_hold_in_an_impact_with_friction(integrator: str):
    """Kinetic + stored + dissipated - error is constant, to second order for bodies that turn."""
    spec = replace(two_free_bodies(BRISTLE, integrator), step_size="auto")
    before = momentum(spec, contactlib.Simulation(spec.compile()).states)
    simulation = run(spec, 0.3, 0.05).simulation
    after = momentum(spec, simulation.states)
    exact = 1e-14 if integrator == "semi_implicit_euler" else 1e-8  # rk4 keeps momentum to its order
    assert np.abs(after[0] - before[0]).max() < exact and np.abs(after[1] - before[1]).max() < exact
    kept = after[2] + simulation.energy_stored + simulation.energy_dissipated - simulation.energy_error
    assert kept == pytest.approx(before[2], abs=1e-5)
    assert abs(simulation.energy_error) < 0.01 and simulation.energy_dissipated > 0.2


def test_rest_without_gravity_costs_nothing():
    touching = run(drop(hooke(1e6), height=0.0, speed=0.0), 1.0, 1.0)
    assert touching.count == 100 and touching.state[2] == RADIUS
    pressed = run(drop(hooke(1e6), height=-1e-5, speed=0.0), 1.0, 1.0)
    assert pressed.state[9] == pytest.approx(1e-5 * 1e3, rel=SPEED) and pressed.count < 200


@pytest.mark.parametrize("speed", [1e-6, 1e4])
@pytest.mark.parametrize("mass", [1e-3, 1e9])
def test_any_speed_and_mass(speed: float, mass: float):
    spec = drop(hooke(1e6 * mass), speed=speed, height=0.013 * speed, mass=mass)
    assert run(spec, 0.1, 0.1).state[9] / speed == pytest.approx(1.0, abs=SPEED)


def test_short_communication_steps_are_kept():
    result = run(drop(hooke(1e6), height=5e-7), 4e-3, 1e-6)
    assert result.count == 4000 and result.refused == 0 and abs(result.state[9] - 1.0) < SPEED


def test_the_shortest_sub_step_is_told():
    """1 mg on 1e6 N/m needs 0.04 us in a step of 1 s: 1e-7 of it is what it gets."""
    simulation = run(drop(hooke(1e6), mass=1e-6), 1.0, 1.0).simulation
    [sentence] = simulation.warnings
    assert "contact needed sub-steps of 4e-08 s, and the core took 1e-07 s" in sentence
    assert "make the step (dt, a master's communication step) shorter" in sentence
