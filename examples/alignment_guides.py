"""Trunnions slide down their V guides, or stick on them: python examples/alignment_guides.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from panels import Panel, draw
from validation import conclude

STEP = 5e-4  # s
DOWN = np.array([-np.cos(np.radians(50.0)), 0.0, -np.sin(np.radians(50.0))])  # along the right guides


def guides(mu: float) -> contactlib.Simulation:
    """The scene with this coefficient of friction."""
    spec = contactlib.load("alignment_guides")
    law = spec.laws[0]
    law = replace(law, friction_parameters=(mu, mu, *law.friction_parameters[2:]))
    return contactlib.Simulation(replace(spec, laws=(law,)).compile())


def gained(simulation: contactlib.Simulation, settle: float, duration: float) -> float:
    """Return the mean acceleration down the guides over `duration` (s), after `settle` (s) to settle (m/s2)."""
    simulation.run(duration=settle, dt=STEP)
    before = simulation.states[0, 7:10] @ DOWN
    simulation.run(duration=duration, dt=STEP)
    return float(simulation.states[0, 7:10] @ DOWN - before) / duration


def drift(simulation: contactlib.Simulation) -> float:
    """Return the mean speed along the guides over half a second, after two seconds to settle (m/s)."""
    simulation.run(duration=2.0, dt=STEP)
    before = simulation.states[0, :3]
    simulation.run(duration=0.5, dt=STEP)
    return float((simulation.states[0, :3] - before) @ DOWN) / 0.5


def run() -> dict[str, float]:
    """Slide with little friction to the middle, and stick with much friction; return the measured values."""
    sliding = guides(0.1)
    acceleration = gained(sliding, 0.3, 0.4)
    sliding.run(duration=3.0, dt=STEP)
    x, _, z = sliding.states[0, :3]
    return {
        "acceleration down the guide, mu 0.1": acceleration,
        "acceleration down the guide, mu 0.6": gained(guides(0.6), 0.3, 0.4),
        "seat beside the middle of the V": float(x) * 1e6,
        "seat above the bottom of the V": float(z) * 1e3,
        "drift on the guide, mu 1.25": drift(guides(1.25)) * 1e6,
    }


def picture() -> None:
    """Draw where the trunnions are over time, with three coefficients of friction."""
    runs = {f"friction {mu:g}": guides(mu).run(duration=2.5, dt=STEP, every=20) for mu in (0.1, 0.6, 1.25)}
    across = {name: (run.time, 1e3 * run.body("payload")[:, 0]) for name, run in runs.items()}
    along = {name: (run.time, run.body("payload")[:, 7:10] @ DOWN) for name, run in runs.items()}
    draw("alignment_guides", Panel("Trunnions in V guides", "time  [s]", "beside the middle of the V  [mm]", across),
         Panel("Speed down the right guide", "time  [s]", "speed  [m/s]", along))


if __name__ == "__main__":
    picture()
    conclude("alignment_guides", run())
