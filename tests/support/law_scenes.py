"""A ball and a point on a plane, that show one law at a time."""

import numpy as np

import contactlib
from tests.support.scenes import body, scene

G = 9.80665
STIFF = {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3}
SPRING = {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}
FLOOR = body("floor", "fixed", shapes=[{"name": "plane", "kind": "plane", "material": "b"}])

BRISTLE = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e5,
           "tangential_damping": 1e3}
RATE = {"kind": "rate_bristle", "mu_slow": 0.25, "mu_fast": 0.8, "transition_speed": 0.5, "tangential_stiffness": 1e5,
        "tangential_damping": 1e3}
LUGRE = {"kind": "lugre", "mu_static": 0.6, "mu_kinetic": 0.4, "stribeck_velocity": 1e-2, "sigma_0": 1e5,
         "sigma_1": 300.0, "sigma_2": 0.1}
GRAINED = {"kind": "anisotropic", "mu_along": 0.25, "mu_across": 0.5, "tangential_stiffness": 1e5,
           "tangential_damping": 1e3, "direction": [1.0, 0.0, 0.0]}


def touch(normal, **parts):
    return {"name": "touch", "materials": ["a", "b"], "normal": normal, **parts}


def ball_on_floor(normal, radius=0.1, mass=1.0, state=None, gravity=0.0, motion="free", inertia=None, floor=FLOOR,
                  **options):
    """A ball above the plane z = 0; `options` with a dict are parts of the law, the others of the scene."""
    parts = {key: value for key, value in options.items() if isinstance(value, dict)}
    rest = {key: value for key, value in options.items() if key not in parts}
    ball = body("ball", motion, mass=mass, inertia=inertia or [0.4 * mass * radius**2] * 3,
                shapes=[{"name": "ball", "kind": "sphere", "radius": radius, "material": "a"}],
                state=state or {"r": [0.0, 0.0, radius]})
    return contactlib.Simulation(scene([ball, floor], [touch(normal, **parts)], [["ball", "floor"]],
                                       gravity=[0.0, 0.0, -gravity], **rest).compile())


def tip_on_floor(friction, h, normal=SPRING, floor=FLOOR, **parts):
    """A point that is led over the plane z = 0, 1 mm deep: N = 1 N."""
    tip = body("tip", "external", shapes=[{"name": "tip", "kind": "point", "material": "a"}],
               state={"r": [0.0, 0.0, -1e-3]})
    return contactlib.Simulation(scene([tip, floor], [touch(normal, friction=friction, **parts)], [["tip", "floor"]],
                                       step_size=h).compile())


def lead(simulation, h, velocity, steps, start=(0.0, 0.0, -1e-3)):
    """Force on the tip (3,) at the end, led at a constant velocity."""
    r, v = np.array(start), np.array(velocity, float)
    for k in range(steps):
        result = simulation.step(h, {"tip": {"r": r + k * h * v, "v": v}})
    return result.wrench("tip")[:3]
