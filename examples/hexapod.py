"""Six feet on uneven ground: forces in balance, and nothing moves: python examples/hexapod.py."""

from __future__ import annotations

import numpy as np

import contactlib
from panels import Panel, draw
from validation import conclude

STEP = 1e-3  # s
MASS = 60.0  # kg
CENTRE = np.array([0.03, 0.02, 0.45])  # m, of mass, in the robot's axes
PUSH = np.array([150.0, 0.0, 0.0])  # N, at the middle of the feet


def drift(simulation: contactlib.Simulation) -> float:
    """Return the mean speed of the robot's origin over one second, after two seconds to settle (m/s)."""
    simulation.run(duration=2.0, dt=STEP)
    before = simulation.states[0, :3]
    simulation.run(duration=1.0, dt=STEP)
    return float(np.linalg.norm(simulation.states[0, :3] - before))


def moment(simulation: contactlib.Simulation) -> float:
    """Return the moment of all contact forces about the centre of mass (N m); wrenches are about the robot's origin."""
    _, q, v = np.split(simulation.states[0, :7], [3, 4])
    turned = CENTRE + 2.0 * np.cross(v, np.cross(v, CENTRE) + q * CENTRE)
    wrench = simulation.wrenches[0]
    return float(np.linalg.norm(wrench[3:] - np.cross(turned, wrench[:3])))


def run() -> dict[str, float]:
    """Let the robot settle, then push it; return the measured values."""
    simulation = contactlib.Simulation(contactlib.load("hexapod").compile())
    at_rest = drift(simulation)
    force = simulation.wrenches[0, :3]
    measured = {
        "feet on the ground": float(len(np.unique(simulation.contacts["shape_a"]))),
        "sum of vertical forces": float(force[2]),
        "sum of horizontal forces": float(np.hypot(*force[:2])),
        "moment about the centre of mass": moment(simulation),
        "drift at rest": at_rest * 1e6,
    }
    simulation.apply("robot", force=PUSH)
    pushed = drift(simulation)
    return measured | {
        "drift under the push": pushed * 1e6,
        "force along the push": float(simulation.wrenches[0, 0]),
    }


def feet(simulation: contactlib.Simulation) -> np.ndarray:
    """Vertical force on each foot (6,), N; a foot over an edge has two contacts."""
    contacts = simulation.contacts
    return np.bincount(contacts["shape_a"], -contacts["f_B_W"][:, 2], 6)  # B is the ground


def picture() -> None:
    """Draw what each foot bears at rest and under the push, and where the robot is over time."""
    simulation = contactlib.Simulation(contactlib.load("hexapod").compile())
    rest = simulation.run(duration=1.0, dt=STEP)
    numbers, at_rest = np.arange(1, 7), feet(simulation)
    simulation.apply("robot", force=PUSH)
    pushed = simulation.run(duration=1.0, dt=STEP)
    moved = [np.concatenate([1e3 * run.body("robot")[:, k] for run in (rest, pushed)]) for k in range(3)]
    time = np.concatenate([rest.time, pushed.time])
    draw("hexapod", Panel("Vertical forces on the feet", "foot", "force  [N]", {
        "at rest": (numbers, at_rest), "pushed with 150 N": (numbers, feet(simulation))}, marks="o"),
        Panel("Settles, and is pushed from 1 s on", "time  [s]", "displacement  [mm]",
              {axis: (time, values) for axis, values in zip("xyz", moved, strict=True)}))


if __name__ == "__main__":
    picture()
    conclude("hexapod", run())
