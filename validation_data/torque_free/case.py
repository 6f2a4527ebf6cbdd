"""Two bodies that turn freely for 10 s, by both integrators, and the order of their steps."""

from pathlib import Path

import numpy as np

from contactlib.validation import building
from contactlib.validation.compare import read_columns

G = 9.80665
BODIES = {"top": ([2.0, 2.0, 3.0], [0.3, 0.0, 2.0]), "body": ([1.0, 2.0, 3.0], [1.0, 0.0, 1.5])}
NAMES = ["ship.w[1]", "ship.w[2]", "ship.w[3]", "ship.r[3]"]


def turn(runner, name, integrator, h, gravity=0.0):
    """Angular velocity (T, 3) in body axes, and height (T,), each 0.1 s."""
    moments, spin = BODIES[name]
    ship = building.body("ship", "free", mass=2.0, inertia=moments, state={"w": spin})
    scene = building.scene([ship], integrator=integrator, step_size=h, resolve_in="body", gravity=[0, 0, -gravity])
    found = runner.run(scene, 10.0 if not gravity else 1.0, 0.1, NAMES)
    return found["time"], np.column_stack([found[key] for key in NAMES[:3]]), found["ship.r[3]"]


def run(runner):
    results = {}
    for name in BODIES:
        time, w, _ = turn(runner, name, "rk4", 0.01)
        results |= {f"w{k + 1} of the {name}, rk4": (time, w[:, k]) for k in range(3)}
    time, w, _ = turn(runner, "body", "semi_implicit_euler", 1e-3)
    results |= {f"w{k + 1} of the body, semi_implicit_euler": (time, w[:, k]) for k in range(3)}
    table = read_columns((Path(__file__).parent / "body.csv").read_text())
    exact = np.column_stack([table[f"w{k}"] for k in (1, 2, 3)])
    for integrator, h in (("rk4", 0.025), ("semi_implicit_euler", 1e-3)):
        coarse, fine = (np.abs(turn(runner, "body", integrator, step)[1] - exact).max() for step in (h, h / 2))
        results[f"order of {integrator} in rotation"] = float(np.log2(coarse / fine))
        results[f"height after 1 s of free fall, {integrator}"] = turn(runner, "top", integrator, 1e-3, G)[2][-1]
    return results
