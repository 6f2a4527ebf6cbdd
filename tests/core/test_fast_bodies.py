"""Bodies that are so fast that they may pass through each other within a step are told, and no others."""

from __future__ import annotations

from typing import Any

import pytest

import contactlib
from contactlib.model.spec import Spec
from tests.support.scenes import body, law, scene

TOUCH = law("touch", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 10.0})
PLATE = {"name": "plate", "kind": "box", "size": [0.02, 2.0, 2.0], "material": "m"}
BALL = {"name": "ball", "kind": "sphere", "radius": 0.05, "material": "m"}


def thrown(speed: float, step_size: float, *, y: float = 0.0, shape: dict[str, Any] = BALL,
           wall: dict[str, Any] = PLATE, w: tuple[float, ...] = (0, 0, 0), **keys: Any) -> Spec:
    """A ball flies towards a plate of 20 mm, 1 m away."""
    flying = body("ball", "free", [shape], mass=1.0, inertia=[1e-3] * 3,
                  state={"r": [-1.0, y, 0], "v": [speed, 0, 0], "w": list(w)})
    return scene([flying, body("wall", "fixed", [wall])], [TOUCH], [["ball", "wall"]], step_size=step_size, **keys)


def warned(spec: Spec, duration: float = 0.05) -> str:
    simulation = contactlib.Simulation(spec.compile())
    simulation.step(duration)
    return " ".join(simulation.warnings)


def test_a_ball_of_100_m_per_s_that_passes_a_plate_is_told():
    """0.3 m in a step of 3 ms, through 20 mm and 100 mm: no step sees it inside."""
    spec = thrown(100.0, 3e-3)
    simulation = contactlib.Simulation(spec.compile())
    with pytest.warns(contactlib.StepWarning, match=r"bodies 'ball' and 'wall' moved relative to each other by 0\.3 m "
                                                    r"in a step of 0\.003 s, more than .* \(0\.12 m\): they may pass"):
        run = simulation.run(0.03, 3e-3)
    assert run.body("ball")[-1, 0] > 1.0 and run.contact_count.max() == 0, "it passed unseen"


def test_steps_that_see_the_ball_are_not_told():
    """At 1 ms it moves 0.1 m, less than both are thick: some step finds it in the plate."""
    spec = thrown(100.0, 1e-3)
    assert "pass through" not in warned(spec)
    simulation = contactlib.Simulation(spec.compile())
    run = simulation.run(0.03, 1e-3)
    assert run.contact_count.max() > 0


def test_a_ball_that_flies_past_is_not_told():
    assert "pass through" not in warned(thrown(100.0, 3e-3, y=3.0))


def test_bodies_that_fly_together_are_not_told():
    """At 8 km/s in orbit, side by side."""
    bodies = [body(name, "free", [BALL], mass=1.0, inertia=[1e-3] * 3, state={"r": [x, 0, 0], "v": [8e3, 0, 0]})
              for name, x in (("one", 7e6), ("two", 7e6 + 0.2))]
    spec = scene(bodies, [TOUCH], [["one", "two"]], step_size=1e-2)
    assert "pass through" not in warned(spec, 1.0)


def test_a_plane_has_no_other_side():
    plane = {"name": "top", "kind": "plane", "material": "m"}
    wall = body("wall", "fixed", [plane], state={"q": [0.70710678, 0, -0.70710678, 0]})
    flying = body("ball", "free", [BALL], mass=1.0, inertia=[1e-3] * 3, state={"r": [-1.0, 0, 0], "v": [100.0, 0, 0]})
    assert "pass through" not in warned(scene([flying, wall], [TOUCH], [["ball", "wall"]], step_size=3e-3), 0.009)


def test_a_turning_rod_counts_by_its_end():
    """Its ends move by 1 m x 200 rad/s x 1 ms = 0.2 m, through 20 mm of the plate and 40 mm of its own."""
    rod = {"name": "rod", "kind": "capsule", "radius": 0.02, "length": 2.0, "material": "m"}
    assert "pass through" in warned(thrown(0.0, 1e-3, shape=rod, w=(0, 200.0, 0)), 2e-3)
    assert "pass through" not in warned(thrown(0.0, 1e-4, shape=rod, w=(0, 200.0, 0)), 2e-4)


def test_an_open_mesh_is_a_sheet():
    sheet = {"name": "sheet", "kind": "mesh", "vertices": [[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]],
             "triangles": [[0, 1, 2], [0, 2, 3]], "material": "m"}
    with pytest.warns(contactlib.MeshWarning):
        assert "pass through" in warned(thrown(101.0, 3e-3, wall=sheet))
    with pytest.warns(contactlib.MeshWarning):
        assert "pass through" not in warned(thrown(30.0, 3e-3, wall=sheet), 0.027)


def test_the_state_keeps_what_was_told():
    simulation = contactlib.Simulation(thrown(100.0, 3e-3).compile())
    simulation.step(0.02)
    other = contactlib.Simulation(thrown(100.0, 3e-3).compile())
    other.restore(simulation.save())
    assert other.warnings == simulation.warnings != ()
