"""The exposed pallet slides like a drawer, and jams when pushed off axis: python examples/exposed_pallet.py."""

from __future__ import annotations

import numpy as np

import contactlib
from contactlib.simulation.results import Trajectory
from panels import Panel, draw
from validation import conclude

PUSH = 200.0  # N, along the rails


def push(offset: float, force: float = PUSH) -> Trajectory:
    """Seven seconds of a push beside the axis, from rest."""
    simulation = contactlib.Simulation(contactlib.load("exposed_pallet").compile())
    state = simulation.states[0].copy()
    state[7:] = 0.0
    simulation.compute({"pallet": state})
    simulation.apply("pallet", force=(force, 0.0, 0.0), torque=(0.0, 0.0, -offset * force))
    return simulation.run(duration=7.0, dt=5e-4, every=100)


def pushed(offset: float, force: float = PUSH) -> tuple[float, float]:
    """Speed along the rails (m/s) after 6 s and after 7 s of a push beside the axis, from rest."""
    run = push(offset, force)
    before = int(np.abs(run.time - 6.0).argmin())
    return float(run.body("pallet")[before, 7]), float(run.body("pallet")[-1, 7])


def run() -> dict[str, float]:
    """Pushes on the axis, beside it, and too far beside it; returns what was measured."""
    free, slow, jammed, hard = pushed(0.0), pushed(0.8), pushed(1.2), pushed(1.2, 10 * PUSH)
    return {
        "acceleration pushed on the axis": free[1] - free[0],
        "acceleration pushed 0.8 m off the axis": slow[1] - slow[0],
        "drift pushed 1.2 m off the axis": jammed[1] * 1e6,
        "drift pushed ten times harder 1.2 m off the axis": hard[1] * 1e6,
    }


def picture() -> None:
    """Draw the way along the rails for pushes at three distances from the axis, with the closed form."""
    runs = {offset: push(offset) for offset in (0.0, 0.8, 1.2)}
    ways = {f"pushed {offset:g} m off the axis": (run.time, run.body("pallet")[:, 0]) for offset, run in runs.items()}
    turns = {f"pushed {offset:g} m off the axis": (run.time, 2e3 * np.arcsin(run.body("pallet")[:, 6]))
             for offset, run in runs.items()}
    draw("exposed_pallet", Panel("A push of 200 N along the rails", "time  [s]", "path along the rails  [m]", ways),
         Panel("Rotation until rollers meet the walls", "time  [s]", "rotation  [mrad]", turns))


if __name__ == "__main__":
    picture()
    conclude("exposed_pallet", run())
