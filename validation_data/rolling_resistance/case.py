"""A ball of 1 kg on a plane: it rolls, spins, is held on a slope, and is held by a Hertz patch."""

import numpy as np

from contactlib.validation import building

G, RADIUS = 9.80665, 0.1  # m/s2, m
GRIP = {"kind": "bristle", "mu_static": 0.8, "mu_kinetic": 0.8, "tangential_stiffness": 1e6, "tangential_damping": 1e3}
ROLLING = {"kind": "rolling", "mu_rolling": 1e-3, "mu_spinning": 2e-3, "rolling_stiffness": 50.0,
           "rolling_damping": 0.5}
PATCH = {"kind": "hertz_patch", "mu_patch": 0.4, "patch_radius": 0.1, "rolling_stiffness": 50.0,
         "rolling_damping": 0.5}
NAMES = ["ball.v[1]", "ball.v[3]", "ball.w[2]", "ball.w[3]"]


def ball(rolling, slope=0.0, **state):
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3}, "friction": GRIP, "rolling": rolling}
    q = [float(np.cos(slope / 2)), 0.0, float(np.sin(slope / 2)), 0.0]
    out = RADIUS - G / 1e5
    body = building.body("ball", "free", [building.shape("sphere", radius=RADIUS)], mass=1.0,
                         inertia=[0.4 * RADIUS**2] * 3,
                         state={"r": [out * np.sin(slope), 0.0, out * np.cos(slope)], **state})
    return building.scene([body, building.floor(q=q)], law, [("ball", "floor")], gravity=[0, 0, -G], step_size=1e-4)


def run(runner):
    rolls = runner.run(ball(ROLLING, v=[1, 0, 0], w=[0, 1 / RADIUS, 0]), 2.0, 1.0, NAMES)["ball.v[1]"]
    spins = runner.run(ball(ROLLING, w=[0, 0, 10]), 1.5, 0.5, NAMES)["ball.w[3]"]
    limit = 3 * np.pi / 16 * 0.4 * G * np.sqrt(RADIUS * G / 1e5)
    held = runner.run(ball(PATCH), 2.0, 1.0, NAMES, {"ball.t_ext[3]": 0.95 * limit})["ball.w[3]"]
    turns = runner.run(ball(PATCH), 2.0, 1.0, NAMES, {"ball.t_ext[3]": 1.5 * limit})["ball.w[3]"]
    rests = runner.run(ball(ROLLING, slope=float(np.arctan(0.9e-2))), 5.0, 1.0, NAMES)["ball.v[1]"]
    return {
        "deceleration of a rolling ball": rolls[1] - rolls[2],
        "deceleration of a spinning ball": (spins[1] - spins[3]) / 1.0,
        "spin of a patch under 0.95 of its limit": 1e6 * held[-1],
        "acceleration of a patch under 1.5 of its limit": turns[2] - turns[1],
        "speed on a slope of 0.9 mu_r/R": 1e9 * rests[-1],
    }
