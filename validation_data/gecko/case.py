"""A pad is dragged along a wall and lifted until it detaches: the angle of the last force; model gecko."""

import csv
from pathlib import Path

import numpy as np

from contactlib.validation import building

K, DEPTH, STEP, H = 1e4, 1e-5, 1e-6, 1e-3  # N/m, m, m, s


def angle(runner, alpha, shear):
    model = {"kind": "gecko", "stiffness": K, "shear_limit": 1e9, "detachment_angle": float(np.radians(alpha)),
             "mu": 0.2}
    foot = building.body("foot", "external", [building.shape("point")], state={"r": [0, 0, -DEPTH]})
    scene = building.scene([foot, building.floor()], {"model": model}, [("foot", "floor")], step_size=H)
    drag = round(shear / K / STEP)
    inputs = {"foot.r[1]": lambda t: STEP * min(round(t / H), drag),
              "foot.v[1]": lambda t: STEP / H if round(t / H) < drag else 0.0,
              "foot.r[3]": lambda t: STEP * max(0, round(t / H) - drag) - DEPTH,
              "foot.v[3]": lambda t: 0.0 if round(t / H) < drag else STEP / H}
    found = runner.run(scene, (drag + 3000) * H, H, ["foot.f[1]", "foot.f[3]"], inputs)
    last = np.flatnonzero(found["foot.f[3]"] < 0)[-1]
    return float(np.degrees(np.arctan2(-found["foot.f[3]"][last], -found["foot.f[1]"][last])))


def run(runner):
    with (Path(__file__).parent / "angles.csv").open(encoding="utf-8", newline="") as file:
        rows = [tuple(row) for row in list(csv.reader(file))[1:]]
    return {f"detachment angle, {name}": angle(runner, float(alpha), float(shear)) for name, alpha, shear, *_ in rows}
