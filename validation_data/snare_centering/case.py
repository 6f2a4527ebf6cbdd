"""Three snare cables close on a displaced pin: tensions and the force on the pin."""

import csv
import math
from pathlib import Path

import numpy as np

import contactlib
from contactlib.validation import building

RING, EFFECTIVE, LENGTH, EA, PSI, OPEN = 0.1, 0.0145, 0.2, 5e4, math.radians(190), math.radians(120)
LAYER, THICK, ELEMENTS = 0.005, 1.6e-3, 24


def on_ring(angle, z):
    return [RING * math.cos(angle), RING * math.sin(angle), z]


def closed(offset):
    """Force (3,) on the pin and tensions (3,) of the fixed ends, after the ring has turned from 120 to 190 degrees."""
    starts, layers = [2 * math.pi * k / 3 for k in range(3)], [LAYER * (k - 1) for k in range(3)]
    pin = building.body("pin", "fixed", [building.shape("cylinder", "steel", radius=EFFECTIVE - THICK, length=0.2)],
                        state={"r": [offset, 0, 0]})
    snare = {"name": "snare", "base": "base", "touches": ["pin"], "length": LENGTH, "max_touches": 256,
             "cable": {"radius": THICK, "axial_stiffness": EA, "bending_stiffness": 1e-5, "line_density": 0.0347,
                       "elements": ELEMENTS, "capsules": 2, "axial_damping": 1e-2, "mass_damping": 50.0,
                       "strain": "engineering"},
             "fixed_points": [on_ring(a, z) for a, z in zip(starts, layers, strict=True)],
             "moving_points": [on_ring(a + OPEN, z) for a, z in zip(starts, layers, strict=True)],
             "ring": {"mode": "rate", "high": 2.0}, "carriage": {"mode": "rate", "high": 0.1}}
    scene = building.scene([building.body("base", "fixed"), pin], elements={"snare": [snare]}, step_size=1e-3)
    simulation = contactlib.Simulation(scene.compile())
    element = simulation.elements["snare"]
    element.set(ring_rate=(PSI - OPEN) / 0.5)
    for _ in range(500):
        simulation.step(1e-3)
    element.set(ring_rate=0.0)
    forces, tensions = [], []
    for _ in range(300):
        simulation.step(1e-3)
        forces.append(simulation.wrenches[1, :3])
        tensions.append(element.first_force)
    return np.mean(forces[100:], axis=0), np.mean(tensions[100:], axis=0)


def run(runner):
    with (Path(__file__).parent / "snare_centering.csv").open(encoding="utf-8", newline="") as file:
        offsets = np.array([float(row["offset_x"]) for row in csv.DictReader(file)])
    found = [closed(offset) for offset in offsets]
    forces, tensions = (np.array(part) for part in zip(*found, strict=True))
    return {**{f"tension {k + 1}": (offsets, tensions[:, k]) for k in range(3)},
            "force on the pin along x": (offsets, forces[:, 0]), "force on the pin along y": (offsets, forces[:, 1])}
