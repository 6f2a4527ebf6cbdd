"""A block on a slope below and above the friction angle, and a tip that is led in circles; law bristle."""

import numpy as np

from contactlib.validation import building

G = 9.80665  # m/s2
STEPS = 20000  # of a circle


def on_slope(runner, degrees, stiffness):
    """Speeds (m/s) along the slope, each second."""
    half = np.radians(degrees) / 2
    tilted = [float(np.cos(half)), 0.0, float(np.sin(half)), 0.0]
    friction = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": stiffness,
                "tangential_damping": 1e3}
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3}, "friction": friction}
    feet = [building.shape("point", name=f"foot{k}", r=[x, y, 0.0]) for k, (x, y) in
            enumerate(((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)))]
    block = building.body("block", "free", feet, mass=10.0, inertia=[0.1] * 3, com=[0, 0, 0.05], state={"q": tilted})
    scene = building.scene([block, building.floor(q=tilted)], law, [("block", "floor")], gravity=[0, 0, -G],
                           step_size=1e-3)
    found = runner.run(scene, 6.0, 1.0, ["block.v[1]", "block.v[3]"])
    return found["block.v[1]"] * np.cos(2 * half) - found["block.v[3]"] * np.sin(2 * half)


def circle(runner, radius):
    """Lag (deg) of the force behind the velocity, and the force (N), at the end of the second turn."""
    friction = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e5,
                "tangential_damping": 0.0}
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e3, "damping": 0.0}, "friction": friction}
    h = 2 * np.pi / STEPS
    tip = building.body("tip", "external", [building.shape("point")], state={"r": [radius, 0, -1e-3]})
    scene = building.scene([tip, building.floor()], law, [("tip", "floor")], step_size=h)

    def chord(t, part):
        return (part(t + h) - part(t)) / h * radius

    inputs = {"tip.r[1]": lambda t: radius * np.cos(t), "tip.r[2]": lambda t: radius * np.sin(t), "tip.r[3]": -1e-3,
              "tip.v[1]": lambda t: chord(t, np.cos), "tip.v[2]": lambda t: chord(t, np.sin)}
    found = runner.run(scene, 2 * STEPS * h, h, ["tip.f[1]", "tip.f[2]"], inputs)
    force = -np.array([found["tip.f[1]"][-1], found["tip.f[2]"][-1]])
    lag = np.arctan2(force[0], force[1])  # the velocity points along y
    return float(np.degrees(lag)), float(np.linalg.norm(force))


def run(runner):
    stuck, sliding = on_slope(runner, 10.0, 1e5), on_slope(runner, 35.0, 1e6)
    results = {"speed on a slope of 10 deg": 1e9 * stuck[-1],
               "acceleration on a slope of 35 deg": sliding[-1] - sliding[-2]}
    for radius in (6e-6, 20e-6, 1e-3):
        lag, force = circle(runner, radius)
        results[f"lag in a circle of {1e6 * radius:g} um"] = lag
    return {**results, "force while sliding in a circle": force}
