"""A tripod stands on a plane, is pushed, and slides: python examples/tripod.py.

Closed loop: the bodies move by the built-in integrator under the contact wrenches, gravity and a push.
"""

from __future__ import annotations

import numpy as np

import contactlib
from validation import conclude

WEIGHT = 30.0 * 9.80665  # N
ASIDE = 0.02  # m, y of the centre of mass


def push(simulation: contactlib.Simulation, force: float) -> None:
    """A force along x, N, at ground level below the centre of mass: it neither tips nor turns the tripod."""
    simulation.apply("tripod", force=(force, 0.0, 0.0), torque=(0.0, 0.0, -ASIDE * force))


def run() -> dict[str, float]:
    """Let the tripod settle, push with 0.5 and then with 1.2 of the friction limit; return the measured values."""
    simulation = contactlib.Simulation(contactlib.load("tripod").compile())
    simulation.run(duration=3.0, dt=1e-3)
    legs = simulation.contacts["normal_force"]

    push(simulation, 0.25 * WEIGHT)
    simulation.run(duration=2.0, dt=1e-3)
    before = simulation.states[0, 0]
    simulation.run(duration=1.0, dt=1e-3)
    drift = simulation.states[0, 0] - before

    push(simulation, 0.6 * WEIGHT)
    simulation.run(duration=0.5, dt=1e-3)
    start = simulation.states[0, 7]
    simulation.run(duration=0.5, dt=1e-3)
    return {
        **{f"force on leg {k + 1}": float(np.abs(force)) for k, force in enumerate(legs)},
        "drift under a push of half of mu W": float(drift) * 1e6,
        "acceleration beyond mu W": float(simulation.states[0, 7] - start) / 0.5,
    }


if __name__ == "__main__":
    conclude("tripod", run())
