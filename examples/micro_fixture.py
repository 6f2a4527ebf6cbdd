"""Two V jaws close on a stem, centre themselves, hold and slip: python examples/micro_fixture.py."""

from __future__ import annotations

import numpy as np

import contactlib
from panels import Panel, draw
from validation import conclude

STEP = 1e-4  # s
SQUEEZE = 100.0  # N, of each jaw
HOLD = 2 * 0.2 * SQUEEZE / np.sin(np.radians(45.0))  # N along the stem: 2 mu N, N what both plates of a jaw press with
LEVER = 0.03 + 0.015 * np.cos(np.radians(45.0))  # m, from a jaw's origin to where its plates touch


def load(simulation: contactlib.Simulation, pull: float) -> None:
    """Squeezes, and shares a pull along the stem (N) between the jaws: it acts where the plates touch."""
    for name, sign in (("jaw_right", -1.0), ("jaw_left", 1.0)):
        torque = (0.0, sign * LEVER * pull / 2, 0.0)
        simulation.apply(name, force=(sign * SQUEEZE, 0.0, pull / 2), torque=torque)


def closing(offset: float) -> contactlib.Simulation:
    """The jaws before they close, some offset beside the stem (m)."""
    simulation = contactlib.Simulation(contactlib.load("micro_fixture").compile())
    states = simulation.states.copy()
    states[1:, 1] = offset
    simulation.compute(states)
    load(simulation, 0.0)
    return simulation


def closed(offset: float) -> contactlib.Simulation:
    """The jaws after they closed, from some offset beside the stem (m)."""
    simulation = closing(offset)
    simulation.run(duration=0.4, dt=STEP)
    return simulation


def middle(simulation: contactlib.Simulation) -> float:
    """Where the middle of the right V is beside the stem, m."""
    r, q = simulation.states[1, :3], simulation.states[1, 3:7]
    turned = 2.0 * np.arctan2(q[3], q[0])
    return float(r[1] + 0.03 * np.sin(turned))


def run() -> dict[str, float]:
    """Closes off centre and on it, pulls with 0.95 and 1.05 of what friction holds; returns what was measured."""
    off_centre, simulation = closed(0.002), closed(0.0)
    load(simulation, 0.95 * HOLD)
    simulation.run(duration=0.3, dt=STEP)
    before = simulation.states[1:, 2].mean()
    simulation.run(duration=0.2, dt=STEP)
    drift = (simulation.states[1:, 2].mean() - before) / 0.2

    load(simulation, 1.05 * HOLD)
    simulation.run(duration=0.05, dt=STEP)
    before = simulation.states[1:, 9].mean()
    simulation.run(duration=0.1, dt=STEP)
    pressed = simulation.contacts["normal_force"].sum() / 2
    slipping = (simulation.states[1:, 9].mean() - before) / 0.1
    return {
        "force of the two plates of a slipping jaw": float(pressed),
        "drift pulled with 0.95 x 2 mu N": float(drift) * 1e6,
        "acceleration pulled with 1.05 x 2 mu N": float(slipping),
        "middle of the V beside the stem, closed off centre": middle(off_centre) * 1e6,
    }


def picture() -> None:
    """Draw how the right jaw centres itself, and how both slip along the stem under two pulls."""
    run = closing(0.002).run(duration=0.1, dt=STEP, every=2)
    jaw = run.body("jaw_right")
    beside = jaw[:, 1] + 0.03 * np.sin(2.0 * np.arctan2(jaw[:, 6], jaw[:, 3]))
    slips = {}
    for fraction in (0.95, 1.05):
        simulation = closed(0.0)
        load(simulation, fraction * HOLD)
        pulled = simulation.run(duration=0.2, dt=STEP, every=10)
        along = 0.5 * (pulled.body("jaw_right") + pulled.body("jaw_left"))[:, 2]
        slips[f"{fraction:g} of 2 mu N"] = (pulled.time - pulled.time[0], 1e3 * (along - along[0]))
    draw("micro_fixture", Panel("Jaws close 2 mm off centre", "time  [s]", "middle of the V, beside the stem  [mm]",
                                {"right jaw": (run.time, 1e3 * beside)}),
         Panel("Pulled along the stem", "time  [s]", "path of the jaws  [mm]", slips))


if __name__ == "__main__":
    picture()
    conclude("micro_fixture", run())
