"""A wheel at a rock, and on a slope, on Mars: python examples/rover_wheel.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from panels import Panel, draw
from validation import conclude

STEP = 5e-4  # s
MARS = 3.71  # m/s2
WEIGHT = 20.0 * MARS  # N
RADIUS, ROCK = 0.25, 0.08  # m, the rock's height
FACE = 0.5  # m, where the rock begins
SLOPE = np.radians(15.0)
LEVER = np.sqrt(2 * RADIUS * ROCK - ROCK**2)  # m, of the axle's height over the rock's edge
CLIMB = WEIGHT * LEVER / (RADIUS - ROCK)  # N, the pull that lifts the wheel


def at(x: float, gravity: tuple[float, float, float]) -> contactlib.Simulation:
    """The wheel at rest on the ground."""
    simulation = contactlib.Simulation(replace(contactlib.load("rover_wheel"), gravity=gravity).compile())
    simulation.compute({"wheel": {"r": (x, 0.0, RADIUS), "v": (0.0, 0.0, 0.0), "w": (0.0, 0.0, 0.0)}})
    return simulation


def pulled(fraction: float) -> contactlib.Simulation:
    """Return the wheel at the rock, after the pull at its axle has grown to this fraction of the lifting force."""
    simulation = at(FACE - LEVER, (0.0, 0.0, -MARS))
    for part in np.linspace(0.0, fraction, 101):  # slowly, so that no swing carries the wheel over the rock
        simulation.apply("wheel", force=(part * CLIMB, 0.0, 0.0))
        simulation.run(duration=0.02, dt=STEP)
    return simulation


def held(fraction: float) -> float:
    """Return the speed of the axle (m/s) under a constant pull, after settling."""
    simulation = pulled(fraction)
    simulation.run(duration=8.0, dt=STEP)
    before = simulation.states[0, :3]
    simulation.run(duration=0.5, dt=STEP)
    return float(np.linalg.norm(simulation.states[0, :3] - before)) / 0.5


def climbed(fraction: float) -> float:
    """Return the axle's height above the ground (m) 0.2 to 0.5 m behind the rock's edge, else the greatest height."""
    states = pulled(fraction).run(duration=1.5, dt=STEP).body("wheel")
    on_top = (states[:, 0] > FACE + 0.2) & (states[:, 0] < FACE + 0.5)
    return float(states[on_top, 2].mean() if on_top.any() else states[:, 2].max())


def rolled() -> tuple[float, float]:
    """Gain of speed per time down a slope (m/s2), and speed over rate of turn (m)."""
    simulation = at(-5.0, (MARS * np.sin(SLOPE), 0.0, -MARS * np.cos(SLOPE)))
    simulation.run(duration=1.0, dt=STEP)
    before = simulation.states[0]
    simulation.run(duration=1.0, dt=STEP)
    after = simulation.states[0]
    return float(after[7] - before[7]), float(after[7] / after[11])


def run() -> dict[str, float]:
    """Pulls at the rock, less and more than lifts the wheel, and lets it roll; returns what was measured."""
    acceleration, lever = rolled()
    return {
        "drift at 0.95 of the pull that lifts": held(0.95) * 1e6,
        "height of the axle after 1.05 of it": climbed(1.05) * 1e3,
        "acceleration down a slope of 15 degrees": acceleration,
        "speed over rate of turn": lever * 1e3,
    }


def picture() -> None:
    """Draw the path of the axle at the rock with less and with more than the pull that lifts the wheel."""
    runs = {f"{fraction:g} of the pull that lifts": pulled(fraction).run(duration=1.5, dt=STEP, every=5)
            for fraction in (0.95, 1.05)}
    draw("rover_wheel", Panel("A wheel pulled over a rock of 80 mm", "time  [s]", "height of the axle  [mm]", {
        name: (run.time - run.time[0], 1e3 * run.body("wheel")[:, 2]) for name, run in runs.items()},
        {"on the ground": 1e3 * RADIUS, "on the rock": 1e3 * (RADIUS + ROCK)}),
        Panel("Speed of the axle", "time  [s]", "speed along x  [m/s]", {
            name: (run.time - run.time[0], run.body("wheel")[:, 7]) for name, run in runs.items()}))


if __name__ == "__main__":
    picture()
    conclude("rover_wheel", run())
