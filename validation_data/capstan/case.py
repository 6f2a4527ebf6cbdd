"""A rope round a drum that turns slowly under it: tension of the held end over that of the weight, 40 elements."""

import csv
import math
from pathlib import Path

import numpy as np

import contactlib
from contactlib.validation import building

RADIUS, TENSION, SIDE, SLIP = 0.0127, 100.0, 0.015, 0.02  # m, N, m, m/s
ELEMENTS, H = 40, 1e-3
ROPE = {"radius": 4e-4, "axial_stiffness": 1e4, "axial_damping": 1e-2, "bending_damping": 1e-2,
        "bending_stiffness": 1e-5, "line_density": 0.0347, "capsules": 1, "elements": ELEMENTS}


def nodes(phi):
    """Nodes (n + 1, 6) of a rope that comes in straight, winds about z, and leaves straight; its length."""
    radius = RADIUS + ROPE["radius"]
    length = radius * phi + 2 * SIDE
    rows = []
    for s in np.linspace(0, length, ELEMENTS + 1):
        a = (s - SIDE) / radius
        b = min(max(a, 0.0), phi)
        t = np.array([-math.sin(b), math.cos(b), 0.0])
        rows.append([*(radius * np.array([math.cos(b), math.sin(b), 0.0]) + (a - b) * radius * t), *t])
    return np.array(rows), length


def ratio(mu, phi):
    rope, length = nodes(phi)
    seen = rope.copy()
    seen[:, :3] -= rope[0, :3]
    drum = building.body("drum", "external", [building.shape("cylinder", "steel", radius=RADIUS, length=1.0)],
                         state={"w": [0, 0, -SLIP / (RADIUS + ROPE["radius"])]})
    weight = building.body("weight", "free", mass=0.1, inertia=[0.01] * 3, state={"r": rope[0, :3].tolist()})
    holder = building.body("holder", "fixed", mass=0.1, inertia=[0.01] * 3, state={"r": rope[-1, :3].tolist()})
    cables = {"name": "rope", "cable": ROPE, "first_body": "weight", "last_body": "holder", "length": length,
              "first_points": [[0, 0, 0]], "last_points": [[0, 0, 0]], "nodes": [seen.tolist()], "touches": ["drum"],
              "friction": mu, "max_touches": 256}
    scene = building.scene([drum, weight, holder], elements={"cables": [cables]}, step_size=H)
    simulation = contactlib.Simulation(scene.compile())
    simulation.apply("weight", -TENSION * rope[0, 3:])
    found = []
    for _ in range(400):
        simulation.step(H)
        found.append((simulation.elements["rope"].last_force[0], simulation.elements["rope"].first_force[0]))
    last, first = np.mean(found[200:], axis=0)
    return last / first


def run(runner):
    with (Path(__file__).parent / "capstan.csv").open(encoding="utf-8", newline="") as file:
        table = [(float(row["mu"]), float(row["phi_rad"])) for row in csv.DictReader(file)]
    wanted = [(mu, phi) for mu, phi in table if mu * phi < 1.6 and phi < 6.0]
    return {f"tension ratio, mu {mu:g}, {math.degrees(phi):.0f} deg": ratio(mu, phi) for mu, phi in wanted}
