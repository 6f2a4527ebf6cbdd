"""A block and a roller on a pad of rubber, 2 mm thick: forces, moments and a period; law elastic_foundation."""

import math

import numpy as np

from contactlib.validation import building

PAD = {"kind": "elastic_foundation", "youngs_modulus": 5e6, "layer": 2e-3, "damping": 0.0}
BLOCK = (0.1, 0.06, 0.04)  # m
RADIUS, LENGTH, MASS = 0.05, 0.08, 2.0  # m, m, kg
TILT, DEPTH = 1e-4, 1e-5  # rad, m
H = 1e-4  # s, between rows


def on_pad(kind, state, motion="external", **keys):
    inertia = {"mass": MASS, "inertia": [0.01] * 3} if motion == "free" else {}
    return [building.body("part", motion, [building.shape(kind, **keys)], state=state, **inertia), building.floor()]


def load_of(runner, bodies):
    names = ["part.f[3]", "part.t[2]", "contact.energy_stored"]
    found = runner.run(building.scene(bodies, {"normal": PAD}, [("part", "floor")]), H, H, names)
    return [float(found[name][0]) for name in names]


def period(runner):
    """Of the block that bounces by a hundredth of its sag, from the crossings of its mean height."""
    weight, stiffness = 9.81 * MASS, 2.5e9 * BLOCK[0] * BLOCK[1]
    sag = weight / stiffness
    state = {"r": [0, 0, BLOCK[2] / 2 - 1.01 * sag]}
    scene = building.scene(on_pad("box", state, "free", size=BLOCK), {"normal": PAD}, [("part", "floor")],
                           gravity=[0, 0, -9.81], step_size=1e-6, integrator="rk4")
    found = runner.run(scene, 0.05, 1e-5, ["part.r[3]"])
    height = found["part.r[3]"] - BLOCK[2] / 2 + sag
    rises = np.flatnonzero((height[:-1] < 0) & (height[1:] >= 0))
    crossings = found["time"][rises] - 1e-5 * height[rises] / (height[rises + 1] - height[rises])
    return 1e3 * float(crossings[-1] - crossings[0]) / (len(crossings) - 1)


def run(runner):
    flat = load_of(runner, on_pad("box", {"r": [0, 0, BLOCK[2] / 2 - DEPTH]}, size=BLOCK))
    q = [math.cos(TILT / 2), 0.0, math.sin(TILT / 2), 0.0]
    # the middle of the face is DEPTH deep
    r = [0.0, 0.0, math.cos(TILT) * BLOCK[2] / 2 - DEPTH]
    tilted = load_of(runner, on_pad("box", {"r": r, "q": q}, size=BLOCK))
    lying = {"r": [0, 0, RADIUS - DEPTH], "q": [0.5**0.5, 0.5**0.5, 0.0, 0.0]}
    roller = load_of(runner, on_pad("cylinder", lying, radius=RADIUS, length=LENGTH))
    return {
        "flat block: force": flat[0],
        "flat block: energy": 1e3 * flat[2],
        "tilted block: force": tilted[0],
        "tilted block: moment": tilted[1],
        "roller: force": roller[0],
        "block: period of bouncing": period(runner),
    }
