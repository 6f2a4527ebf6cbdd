"""A module slides into its slot, or jams: python examples/worksite.py."""

from __future__ import annotations

import numpy as np

import contactlib
from panels import Panel, draw
from validation import conclude

STEP = 1e-4  # s
PUSH = 20.0  # N, along the slot
OFFSET = 0.075  # m, of the push from the axis: the robot holds the module by a bracket at its side


def pushed(depth: float, offset: float, force: float = PUSH) -> contactlib.Simulation:
    """The module in its slot, some depth in (m): first turned as far as it can, then pushed beside its axis."""
    simulation = contactlib.Simulation(contactlib.load("worksite").compile())
    simulation.compute({"module": {"r": (depth, 0.0, 0.0), "v": (0.0, 0.0, 0.0)}})
    for along in (0.0, force):
        simulation.apply("module", force=(along, 0.0, 0.0), torque=(0.0, 0.0, -offset * force))
        if along == 0.0:
            simulation.run(duration=0.3, dt=STEP)
    return simulation


def drift(simulation: contactlib.Simulation) -> float:
    """Return the mean speed into the slot over half a second (m/s)."""
    # the module rocks between its two contacts before it rests
    simulation.run(duration=6.0, dt=STEP)
    before = simulation.states[0, 0]
    simulation.run(duration=0.5, dt=STEP)
    return float(simulation.states[0, 0] - before) / 0.5


def gained(simulation: contactlib.Simulation, start: float, end: float) -> float:
    """Kinetic energy (J) that the module gains along x between two depths (m)."""
    states = simulation.run(duration=0.4, dt=STEP).body("module")
    states = states[: states[:, 0].argmax()]  # until it meets the back plate
    speed = np.interp([start, end], states[:, 0], states[:, 7])
    return float(5.0 / 2 * (speed[1] ** 2 - speed[0] ** 2))


def run() -> dict[str, float]:
    """Pushes straight, beside the axis where it jams, and beside it where it does not; returns what was measured."""
    straight = pushed(0.03, 0.0)
    straight.run(duration=0.2, dt=STEP)
    return {
        "acceleration pushed straight": float(straight.states[0, 7]) / 0.2,
        "drift pushed 75 mm off the axis, 60 mm deep": drift(pushed(0.06, OFFSET)) * 1e6,
        "drift pushed ten times harder": drift(pushed(0.06, OFFSET, 10 * PUSH)) * 1e6,
        "energy gained from 160 to 220 mm, 75 mm off": gained(pushed(0.12, OFFSET), 0.16, 0.22),
    }


def picture() -> None:
    """Draw the depth over time: pushed straight, and 75 mm off the axis from 60 and from 120 mm deep."""
    starts = {"straight, from 30 mm": (0.03, 0.0), "75 mm off, from 60 mm": (0.06, OFFSET),
              "75 mm off, from 120 mm": (0.12, OFFSET)}
    runs = {name: pushed(*start).run(duration=0.6, dt=STEP, every=10) for name, start in starts.items()}
    early = 300  # rows, 0.3 s
    draw("worksite", Panel("A module pushed into its slot with 20 N", "time  [s]", "depth  [mm]", {
        name: (run.time - run.time[0], 1e3 * run.body("module")[:, 0]) for name, run in runs.items()},
        {"back plate": 250.0}),
        Panel("Friction before the back plate", "time  [s]", "contact force along the slot  [N]", {
            name: ((run.time - run.time[0])[:early], run.wrench("module")[:early, 0]) for name, run in runs.items()}))


if __name__ == "__main__":
    picture()
    conclude("worksite", run())
