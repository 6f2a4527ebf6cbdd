"""A tripod stands on a plane, is pushed, and slides: python examples/tripod.py.

Closed loop: the bodies move by the built-in integrator under the contact wrenches, gravity and a push.
"""

from __future__ import annotations

import numpy as np

import contactlib
from panels import Panel, draw
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


def picture() -> None:
    """Draw the displacement and the force along the push: half a second at rest, then both pushes."""
    simulation = contactlib.Simulation(contactlib.load("tripod").compile())
    parts = []
    for force in (0.0, 0.25 * WEIGHT, 0.6 * WEIGHT):
        push(simulation, force)
        parts.append(simulation.run(duration=0.5, dt=1e-3))
    time = np.concatenate([part.time for part in parts])
    moved = np.concatenate([1e3 * part.body("tripod")[:, 0] for part in parts])
    friction = np.concatenate([-part.wrench("tripod")[:, 0] for part in parts])
    draw("tripod", Panel("Pushed from 0.5 s, harder from 1 s on", "time  [s]", "displacement  [mm]",
                         {"tripod": (time, moved)}),
         Panel("Friction of the three legs", "time  [s]", "force  [N]", {"friction": (time, friction)},
               {"mu_static W": 0.5 * WEIGHT, "mu_kinetic W": 0.4 * WEIGHT}))


if __name__ == "__main__":
    picture()
    conclude("tripod", run())
