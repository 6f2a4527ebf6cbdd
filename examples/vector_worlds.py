"""64 wheels at a rock, each with its own drive torque: python examples/vector_worlds.py.

The pull at the axles grows until a wheel leaves the ground. That pull is recorded, and its world starts again.
"""

from __future__ import annotations

import time

import numpy as np

import contactlib
from panels import Panel, draw

WORLDS = 64
STEP = 2e-3  # s; each has four steps of the scene
RATE = 8.0  # N/s: slow, so that no swing carries a wheel over the rock
PULL = 20.0  # N, at the start: presses the wheel against the rock
WEIGHT, RADIUS, ROCK, FACE = 20.0 * 3.71, 0.25, 0.08, 0.5  # N, m, m, m
LEVER = np.sqrt(2 * RADIUS * ROCK - ROCK**2)  # m, of the axle from the rock's edge


def lifting_pulls(torque: np.ndarray) -> np.ndarray:
    """Return the pull (n,) in N at which each wheel leaves the ground, with a drive torque (n,) in N m."""
    worlds = contactlib.VectorSimulation(contactlib.load("rover_wheel").compile(), len(torque))
    start = {"wheel": {"r": (FACE - LEVER, 0.0, RADIUS), "v": (0.0, 0.0, 0.0), "w": (0.0, 0.0, 0.0)}}
    worlds.reset(states=start)
    found = np.full(len(torque), np.nan)
    while np.isnan(found).any():
        ramp = np.minimum(1.0, worlds.time)  # the torque grows for one second, then the pull
        pull = PULL + RATE * np.maximum(0.0, worlds.time - 1.0)
        worlds.set({"wheel.f_ext[1]": pull, "wheel.t_ext[2]": ramp * torque})
        worlds.step(STEP)
        lifted = (worlds.time > 1.0) & (worlds.states[:, 0, 2] > RADIUS + 1e-4)
        found = np.where(lifted & np.isnan(found), pull, found)
        if lifted.any():
            worlds.reset(lifted, start)
    return found


if __name__ == "__main__":
    torques = np.linspace(0.0, 8.0, WORLDS)
    begun = time.perf_counter()
    pulls = lifting_pulls(torques)
    expected = (WEIGHT * LEVER - torques) / (RADIUS - ROCK)  # moments about the edge of the rock
    print(f"{WORLDS} wheels in {time.perf_counter() - begun:.1f} s")
    for torque, pull, value in list(zip(torques, pulls, expected, strict=True))[::9]:
        print(f"  torque {torque:4.2f} N m: pull {pull:5.1f} N, by moments about the edge {value:5.1f} N")
    worst = np.abs(pulls / expected - 1.0).max()
    print(f"largest difference {100 * worst:.1f} %")
    draw("vector_worlds", Panel("64 wheels at a rock of 80 mm", "drive torque  [N m]", "pull that lifts  [N]", {
        "measured": (torques, pulls), "moments about the edge": (torques, expected)}),
        Panel("Measured over expected", "drive torque  [N m]", "difference  [%]",
              {"difference": (torques, 100 * (pulls / expected - 1.0))}))
    # the pull goes on growing by 8 N/s while a wheel rises by 0.1 mm, and contacts are compressed by 0.7 mm
    raise SystemExit(0 if worst < 0.03 else 1)
