"""A wheel at a rock, and on a slope, on Mars: python examples/rover_wheel.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from validation import report

import contactlib

STEP = 5e-4  # s
MARS = 3.71  # m/s2
WEIGHT = 20.0 * MARS  # N
RADIUS, ROCK = 0.25, 0.08  # m
FACE = 0.5  # m, where the rock begins
SLOPE = np.radians(15.0)
LEVER = np.sqrt(2 * RADIUS * ROCK - ROCK**2)  # m, of the axle's height over the rock's edge
CLIMB = WEIGHT * LEVER / (RADIUS - ROCK)  # N, the pull that lifts the wheel


def at(x: float, gravity: tuple[float, float, float]) -> contactlib.Simulation:
    """The wheel at rest on the ground."""
    simulation = contactlib.Simulation(replace(contactlib.load("rover_wheel"), gravity=gravity).compile())
    simulation.compute({"wheel": {"r": (x, 0.0, RADIUS), "v": (0.0, 0.0, 0.0), "w": (0.0, 0.0, 0.0)}})
    return simulation


def pulled(share: float) -> contactlib.Simulation:
    """The wheel at the rock, pulled at its axle with this share of what lifts it."""
    simulation = at(FACE - LEVER, (0.0, 0.0, -MARS))
    simulation.run(duration=0.5, dt=STEP)
    simulation.apply("wheel", force=(share * CLIMB, 0.0, 0.0))
    return simulation


def held(share: float) -> tuple[float, float]:
    """Speed of the axle (m/s) after two seconds of the pull, and the force on the rock's edge (N)."""
    simulation = pulled(share)
    simulation.run(duration=2.0, dt=STEP)
    before = simulation.states[0, :3]
    simulation.run(duration=0.5, dt=STEP)
    contacts = simulation.contacts
    edge = contacts["f_B_W"][contacts["shape_b"] != contacts["shape_b"].min()].sum(axis=0)
    return float(np.linalg.norm(simulation.states[0, :3] - before)) / 0.5, float(np.linalg.norm(edge))


def climbed(share: float) -> float:
    """The greatest height of the axle above the ground (m) until it is well over the rock's edge."""
    states = pulled(share).run(duration=6.0, dt=STEP).body("wheel")
    over = states[(states[:, 0] > FACE + 0.2) & (states[:, 0] < FACE + 0.5), 2]
    return float(over.mean()) if len(over) else float(states[:, 2].max())


def rolled() -> tuple[float, float]:
    """Gain of speed per time down a slope (m/s2), and how far the tread slips (m) on the way."""
    simulation = at(-5.0, (MARS * np.sin(SLOPE), 0.0, -MARS * np.cos(SLOPE)))
    simulation.run(duration=1.0, dt=STEP)
    before = simulation.states[0]
    simulation.run(duration=1.0, dt=STEP)
    after = simulation.states[0]
    return float(after[7] - before[7]), float(after[7] / after[11])


def run() -> dict[str, float]:
    return {"a": rolled(), "hold": held(0.95), "climb": climbed(1.05), "98": held(.98), "99":held(.99), "1.0":climbed(1.0), "1.01":climbed(1.01)}


if __name__ == "__main__":
    print(report("rover_wheel", run()))
