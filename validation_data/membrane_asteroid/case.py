"""The capture as a scene: two free bodies, the membrane, and the thruster; RK4 at the step of the series."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from contactlib.shapes.quaternion import rotation_matrix
from contactlib.validation import building
from contactlib.validation.compare import read_columns

HERE = Path(__file__).parent
STATE = ("x", "y", "z", "q0", "q1", "q2", "q3", "vx", "vy", "vz", "wx_b", "wy_b", "wz_b")
PARTS = {"position": slice(0, 3), "attitude": slice(3, 7), "velocity": slice(7, 10), "spin": slice(10, 13)}
VARIABLES = [f"{part}[{k}]" for part, count in (("r", 3), ("q", 4), ("v", 3), ("w", 3)) for k in range(1, count + 1)]
STEP = 0.02  # s, of the series


def capture(mu, start):
    """The scene whose bodies start as the first row says; it returns angular velocities in the axes of the bodies."""

    def moving(name, mass, inertia, prefix, shapes=()):
        row = [start[prefix + part][0] for part in STATE]
        w = rotation_matrix(np.array(row[3:7]) / np.linalg.norm(row[3:7])) @ row[10:]  # a scene has it in world axes
        return building.body(name, "free", shapes, mass=mass, inertia=inertia, state={
            "r": row[:3], "q": row[3:7], "v": row[7:10], "w": w.tolist()})

    corners = np.loadtxt(HERE / "asteroid_body_vertices.csv", delimiter=",").tolist()
    rock = building.shape("polyhedron", "rock", corners=corners)
    angles = np.arange(6) * np.pi / 3
    points = np.column_stack([7.5 * np.cos(angles), 7.5 * np.sin(angles), np.full(6, 8.0)]).tolist()
    net = {"name": "net", "carrier": "bus", "body": "asteroid", "suspension_points": points, "stiffness": 1.5,
           "damping": 15.0, "push": True, "slip_speed": 0.02, **({"friction": {"rock": mu}} if mu else {})}
    engine = {"name": "engine", "body": "bus", "direction": [0.0, 0.0, 1.0], "force": 475.0, "start": 5.0}
    return building.scene(
        [moving("asteroid", 1e6, [7405111.611769, 9745914.043587, 10614090.091743], "A", [rock]),
         moving("bus", 15e3, [53437.5, 53437.5, 16875.0], "S")],
        elements={"membrane": [net], "thruster": [engine]}, integrator="rk4", step_size=STEP, resolve_in="body")


def run(runner):
    results = {}
    for label, mu, file in (("mu 0", 0.0, "asteroid_nofriction_h0.02.csv"), ("mu 1", 1.0, "asteroid_mu1_h0.02.csv")):
        table = read_columns((HERE / file).read_text())
        names = [f"{body}.{name}" for body in ("asteroid", "bus") for name in VARIABLES]
        found = runner.run(capture(mu, table), 170.0, 1.0, [*names, "net.normal_force", "net.area"])
        for body, prefix in (("asteroid", "A"), ("bus", "S")):
            ours = np.column_stack([found[f"{body}.{name}"] for name in VARIABLES])
            theirs = np.column_stack([table[prefix + part] for part in STATE])
            ours[:, 3:7] *= np.sign((ours[:, 3:7] * theirs[:, 3:7]).sum(axis=1))[:, None]
            for part, columns in PARTS.items():
                size = np.linalg.norm(theirs[:, columns], axis=1).max()
                results[f"{body}, {part}, {label}"] = float(np.abs(ours - theirs)[:, columns].max() / size)
        results[f"normal force, {label}"] = (found["time"], found["net.normal_force"])
        results[f"area, {label}"] = (found["time"], found["net.area"])
        results[f"spin of the bus about its axis, {label}"] = (found["time"], found["bus.w[3]"])
    return results
