"""The bounce as a scene: one free body under gravity, the membrane on the world; RK4 at 1 ms, up to lift-off."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from contactlib.validation import building
from contactlib.validation.compare import read_columns

HERE = Path(__file__).parent
G = 9.80665  # m/s2
LIFT_OFF = {"0.0": 1.98, "0.2": 1.9}  # s
VARIABLES = [f"body.{part}[{k}]" for part, count in (("r", 3), ("q", 4), ("v", 3), ("w", 3))
             for k in range(1, count + 1)]
STATE = ("x", "y", "z", "q0", "q1", "q2", "q3", "vx", "vy", "vz", "wx_b", "wy_b", "wz_b")
PARTS = {"position": slice(0, 3), "attitude": slice(3, 7), "velocity": slice(7, 10), "spin": slice(10, 13)}


def bounce(mu):
    """A body that falls from 10 m with a spin; it returns angular velocities in its own axes."""
    corners = np.loadtxt(HERE / "earth_body_vertices.csv", delimiter=",").tolist()
    rock = building.body("body", "free", [building.shape("polyhedron", "rock", corners=corners)], mass=100.0,
                         inertia=[91.6, 135.05, 159.05], state={"r": [0.0, 0.0, 10.0], "w": [0.5, 1.0, -0.2]})
    angles = np.arange(6) * np.pi / 3
    points = np.column_stack([7.5 * np.cos(angles), 7.5 * np.sin(angles), np.zeros(6)]).tolist()
    net = {"name": "net", "body": "body", "suspension_points": points, "stiffness": 30.0, "damping": 1.5,
           "push": True, "slip_speed": 0.02, **({"friction": {"rock": mu}} if mu else {})}
    return building.scene([rock], elements={"membrane": [net]}, integrator="rk4", step_size=1e-3,
                          gravity=[0.0, 0.0, -G], resolve_in="body")


def run(runner):
    results = {}
    for mu, file in (("0.0", "earth_bounce_nofriction.csv"), ("0.2", "earth_bounce_mu0.2.csv")):
        table = read_columns((HERE / file).read_text())
        first = int(np.argmax(table["contact"] > 0))
        last = first + int(np.argmax(table["contact"][first:] == 0)) - 1  # lift-off comes before the next row
        found = runner.run(bounce(float(mu)), 0.02 * last, 0.02, [*VARIABLES, "net.area", "net.normal_force"])
        ours = np.column_stack([found[name] for name in VARIABLES])
        theirs = np.column_stack([table[name] for name in STATE])[:last + 1]
        ours[:, 3:7] *= np.sign((ours[:, 3:7] * theirs[:, 3:7]).sum(axis=1))[:, None]
        for part, columns in PARTS.items():
            size = np.linalg.norm(theirs[:, columns], axis=1).max()
            results[f"{part}, mu {mu}"] = float(np.abs(ours - theirs)[:, columns].max() / size)
        results[f"height, mu {mu}"] = (found["time"], found["body.r[3]"])
        results[f"area, mu {mu}"] = (found["time"], found["net.area"])
    return results
