"""The box on the band as a scene in the plane z = 0; RK4 at 1 ms."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from contactlib.validation import building
from contactlib.validation.compare import read_columns

MASS, SIDES, G = 50.0, (1.6, 0.8), 9.80665  # kg, m, m/s2
COLUMNS = {"x": "box.r[1]", "y": "box.r[2]", "vx": "box.v[1]", "vy": "box.v[2]", "omega": "box.w[3]"}


def fall(table):
    half = table["theta"][0] / 2
    inertia = MASS * (SIDES[0] ** 2 + SIDES[1] ** 2) / 12
    box = building.body("box", "free", [building.shape("box", "skin", size=[*SIDES, 0.2])], mass=MASS,
                        inertia=[inertia, inertia, inertia], state={
        "r": [table["x"][0], table["y"][0], 0.0], "q": [np.cos(half), 0.0, 0.0, np.sin(half)],
        "w": [0.0, 0.0, table["omega"][0]]})
    band = {"name": "band", "body": "box", "dimension": 2, "suspension_points": [[-3, 0, 0], [3, 0, 0]],
            "up": [0, 1, 0], "stiffness": 4000.0, "damping": 100.0, "push": True}
    return building.scene([box], elements={"membrane": [band]}, integrator="rk4", step_size=1e-3,
                          gravity=[0.0, -G, 0.0])


def run(runner):
    table = read_columns((Path(__file__).parent / "box.csv").read_text())
    names = [*COLUMNS.values(), "box.q[1]", "box.q[4]"]
    found = runner.run(fall(table), 0.02 * (len(table["t"]) - 1), 0.02, names)
    results = {name: (found["time"], found[variable]) for name, variable in COLUMNS.items()}
    results["theta"] = (found["time"], np.unwrap(2 * np.arctan2(found["box.q[4]"], found["box.q[1]"])))
    return results
