"""The exposed pallet slides like a drawer, and jams when pushed off axis: python examples/exposed_pallet.py."""

from __future__ import annotations

import contactlib
from validation import conclude

PUSH = 200.0  # N, along the rails


def pushed(offset: float, force: float = PUSH) -> tuple[float, float]:
    """Speed along the rails (m/s) after 6 s and after 7 s of a push beside the axis, from rest."""
    simulation = contactlib.Simulation(contactlib.load("exposed_pallet").compile())
    state = simulation.states[0].copy()
    state[7:] = 0.0
    simulation.compute({"pallet": state})
    simulation.apply("pallet", force=(force, 0.0, 0.0), torque=(0.0, 0.0, -offset * force))
    speeds = []
    for duration in (6.0, 1.0):
        simulation.run(duration=duration, dt=5e-4)
        speeds.append(float(simulation.states[0, 7]))
    return speeds[0], speeds[1]


def run() -> dict[str, float]:
    """Pushes on the axis, beside it, and too far beside it; returns what was measured."""
    free, slow, jammed, hard = pushed(0.0), pushed(0.8), pushed(1.2), pushed(1.2, 10 * PUSH)
    return {
        "acceleration pushed on the axis": free[1] - free[0],
        "acceleration pushed 0.8 m off the axis": slow[1] - slow[0],
        "drift pushed 1.2 m off the axis": jammed[1] * 1e6,
        "drift pushed ten times harder 1.2 m off the axis": hard[1] * 1e6,
    }


if __name__ == "__main__":
    conclude("exposed_pallet", run())
