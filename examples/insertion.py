"""A square peg stands in its hole, leans, and holds when pulled: python examples/insertion.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from panels import Panel, draw
from validation import conclude

WIDTH = 0.05  # m, of the peg; its hole is 51 mm wide
LEAN = 0.002  # N m, turns the peg about y
HOLD = 2 * 0.3 * LEAN / 0.035  # N, 2 mu N of the peg that leans 35 mm deep
STEP = 2e-4  # s


def leaning(depth: float) -> contactlib.Simulation:
    """The peg without weight, some depth below the rim (m), straight, with a torque about y that turns it."""
    spec = replace(contactlib.load("insertion"), gravity=(0.0, 0.0, 0.0))
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute({"peg": {"r": (0.0, 0.0, -depth)}})
    simulation.apply("peg", force=(0.0, 0.0, 0.0), torque=(0.0, LEAN, 0.0))
    return simulation


def lean(depth: float) -> contactlib.Simulation:
    """The peg after it has come to lean in its hole."""
    simulation = leaning(depth)
    simulation.run(duration=1.2, dt=STEP)
    return simulation


def spanned(simulation: contactlib.Simulation) -> float:
    """w cos t + d sin t (m), with the tilt t and the depth d along the peg's side, from its foot to the rim."""
    x, z, qw, qy = simulation.states[0, [0, 2, 3, 5]]
    t = 2.0 * np.arctan2(qy, qw)
    foot = np.array([x - WIDTH / 2 * np.cos(t), z + WIDTH / 2 * np.sin(t)])  # the corner that meets the left wall
    rim = np.array([0.0255, 0.0])
    depth = (rim - foot) @ np.array([np.sin(t), np.cos(t)])
    return float(WIDTH * np.cos(t) + depth * np.sin(t))


def drift(simulation: contactlib.Simulation, pull: float) -> float:
    """Speed out of the hole (m/s), half a second after a pull (N) along its axis through the middle of its foot."""
    simulation.apply("peg", force=(0.0, 0.0, pull), torque=(0.0, LEAN, 0.0))
    simulation.run(duration=0.5, dt=STEP)
    before = simulation.states[0, 2]
    simulation.run(duration=0.5, dt=STEP)
    return float(simulation.states[0, 2] - before) / 0.5


def run() -> dict[str, float]:
    """Lets the peg drop, then leans it at two depths and pulls; returns what was measured."""
    standing = contactlib.Simulation(contactlib.load("insertion").compile())
    standing.run(duration=0.6, dt=STEP)
    legs = np.sort(standing.contacts["normal_force"])
    shallow, deep = lean(0.020), lean(0.035)
    return {
        "force on each leg far from the centre of mass": float(legs[:2].mean()),
        "force on each leg near it": float(legs[2:].mean()),
        "w cos t + d sin t, leaning 20 mm deep": spanned(shallow) * 1e3,
        "w cos t + d sin t, leaning 35 mm deep": spanned(deep) * 1e3,
        "drift pulled with 0.9 of what friction holds": drift(deep, 0.9 * HOLD) * 1e6,
    }


def picture() -> None:
    """Draw how the peg drops, and how it comes to lean at two depths."""
    dropped = contactlib.Simulation(contactlib.load("insertion").compile()).run(duration=0.3, dt=STEP, every=5)
    runs = {f"{1e3 * depth:g} mm deep": leaning(depth).run(duration=1.2, dt=STEP, every=20) for depth in (0.020, 0.035)}
    draw("insertion", Panel("The peg drops to the floor of its hole", "time  [s]", "height of its foot  [mm]",
                            {"foot": (dropped.time, 1e3 * dropped.body("peg")[:, 2])}, {"floor": -40.0}),
         Panel("The peg leans under 2 N mm", "time  [s]", "tilt  [deg]", {
             name: (run.time, 2.0 * np.degrees(np.arctan2(*run.body("peg")[:, [5, 3]].T)))
             for name, run in runs.items()}))


if __name__ == "__main__":
    picture()
    conclude("insertion", run())
