"""A block that crosses a slope of 20 degrees with mu = tan 20 degrees; law bristle; the block is integrated here."""

from pathlib import Path

import numpy as np

import contactlib
from contactlib.validation import building
from contactlib.validation.compare import read_columns

SLOPE, MASS, G, H = np.radians(20.0), 10.0, 9.80665, 1e-4
Q = [float(np.cos(SLOPE / 2)), 0.0, float(np.sin(SLOPE / 2)), 0.0]
DOWN, ACROSS, NORMAL = (np.array([np.cos(SLOPE), 0, -np.sin(SLOPE)]), np.array([0.0, 1.0, 0.0]),
                        np.array([np.sin(SLOPE), 0, np.cos(SLOPE)]))


def run(runner):
    t = read_columns((Path(__file__).parent / "incline_2d_coulomb.csv").read_text())["t"]
    mu = float(np.tan(SLOPE))
    friction = {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": 9e5,
                "tangential_damping": 0.0}
    law = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3}, "friction": friction}
    block = building.body("block", "external", [building.shape("point")])
    scene = building.scene([block, building.floor(q=Q)], law, [("block", "floor")], step_size=1e-5)
    simulation = contactlib.Simulation(scene.compile())
    r, v = -MASS * G * np.cos(SLOPE) / 1e5 * NORMAL, 1.0 * ACROSS
    every, found = round((t[1] - t[0]) / H), []
    for k in range(round(t[-1] / H) + 1):
        if k % every == 0:
            found.append((v @ ACROSS, v @ DOWN))
        force = simulation.step(H, {"block": {"r": r, "q": Q, "v": v}}).wrench("block")[:3]
        v = v + H * (force / MASS + np.array([0.0, 0.0, -G]))
        v -= (v @ NORMAL) * NORMAL  # it stays on the slope, without rotation
        r = r + H * v
    across, down = np.array(found).T
    return {"velocity across the slope": (t, across), "velocity down the slope": (t, down)}
