"""Two fingers on parallel linkages grip a floating box: python examples/gripper.py."""

from __future__ import annotations

import numpy as np

import contactlib
from panels import Panel, draw
from validation import conclude

STEP = 2e-4  # s
PULL = 10.0  # N on the box along y, half of what friction holds
TOO_MUCH = 30.0  # N
RAMP = 2.0  # m/s2, of the palm along y


def gripped() -> contactlib.Simulation:
    """The gripper one second after it began to close: it holds the box."""
    simulation = contactlib.Simulation(contactlib.load("gripper").compile())
    simulation.run(duration=1.0, dt=STEP, every=5000)
    return simulation


def pressed(simulation: contactlib.Simulation) -> float:
    """Normal force of the right finger on the box, N."""
    contacts = simulation.contacts
    bodies = zip(contacts.names("body_a"), contacts.names("body_b"), strict=True)
    return float(contacts["normal_force"][["right_finger" in pair for pair in bodies]].sum())


def creep(simulation: contactlib.Simulation) -> float:
    """How far the box moves in a minute while it is pulled, after a second to settle, m."""
    simulation.apply("box", force=(0.0, PULL, 0.0))
    simulation.run(duration=1.0, dt=STEP, every=5000)
    before = simulation.states[1, :3].copy()
    simulation.run(duration=60.0, dt=STEP, every=50000)
    return float(np.linalg.norm(simulation.states[1, :3] - before))


def slip(simulation: contactlib.Simulation) -> float:
    """Mean acceleration of the box over 40 ms while it is pulled too hard, m/s2."""
    simulation.apply("box", force=(0.0, TOO_MUCH, 0.0))
    simulation.run(duration=0.02, dt=STEP)
    before = simulation.states[1, 8]
    simulation.run(duration=0.04, dt=STEP)
    return float(simulation.states[1, 8] - before) / 0.04


def accelerated(simulation: contactlib.Simulation) -> tuple[float, float]:
    """The palm accelerates along y for half a second: force on it (N), and the largest gap of a hinge (m)."""
    start = simulation.time

    def palm(time: float) -> dict[str, dict[str, tuple[float, ...]]]:
        t = time - start
        return {"palm": {"r": (0.0, 0.5 * RAMP * t * t, 0.0), "v": (0.0, RAMP * t, 0.0)}}

    run = simulation.run(duration=0.5, dt=STEP, inputs=palm)
    force = run.wrenches[-100:, 0, 1].mean()
    return float(force), max(float(hinge.gap) for hinge in simulation.elements.values())


def run() -> dict[str, float]:
    """Grips, pulls for a minute, pulls too hard, and moves the palm; returns what was measured."""
    simulation = gripped()
    grip, held, sliding = pressed(simulation), creep(simulation), slip(simulation)
    force, gap = accelerated(gripped())
    return {
        "normal force of the right finger": grip,
        "creep of the box in a minute under 10 N": 1e9 * held,
        "acceleration of the box under 30 N": sliding,
        "force on the palm at 2 m/s2": force,
        "largest gap of a hinge": 1e9 * gap,
    }


def picture() -> None:
    """Draw how the fingers close on the box, and how it moves under two pulls."""
    pulls = {}
    for force in (PULL, TOO_MUCH):
        simulation = gripped()
        simulation.apply("box", force=(0.0, force, 0.0))
        run = simulation.run(duration=0.1, dt=STEP)
        pulls[f"pulled with {force:g} N"] = (run.time - run.time[0], 1e3 * run.body("box")[:, 1])
    closing = contactlib.Simulation(contactlib.load("gripper").with_motion("fixed", "palm").compile())
    run = closing.run(duration=0.3, dt=STEP, every=5)
    fingers = {name: (run.time, 1e3 * run.body(f"{name}_finger")[:, 0]) for name in ("right", "left")}
    box = {"box": (run.time, 1e3 * run.body("box")[:, 0])}
    draw("gripper", Panel("The fingers close on the box", "time  [s]", "position across  [mm]", fingers | box),
         Panel("Friction holds the box, or not", "time  [s]", "path of the box  [mm]", pulls))


if __name__ == "__main__":
    picture()
    conclude("gripper", run())
