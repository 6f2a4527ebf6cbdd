"""A body of 100 kg falls 10 m into a membrane and bounces: python examples/trampoline_bounce.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from contactlib.shapes.quaternion import rotate
from contactlib.simulation.results import Trajectory
from panels import Panel, draw
from validation import conclude

STEP = 2e-3  # s
G = 9.80665  # m/s2
MASS, INERTIA = 100.0, np.array([91.6, 135.05, 159.05])  # kg, kg m2


def fallen(mu: float, duration: float, step: float = STEP, *, push: bool = True) -> Trajectory:
    """The fall with another friction; the reference let the fabric push where its damping outweighs its tension."""
    spec = contactlib.load("trampoline_bounce")
    elements = [replace(element, friction=(("rock", mu),), push=push) for element in spec.elements]
    return contactlib.Simulation(replace(spec, elements=tuple(elements)).compile()).run(duration=duration, dt=step)


def energy(state: np.ndarray) -> float:
    """Kinetic energy and height (J)."""
    w = rotate(np.array([state[3], *-state[4:7]]), state[10:])
    return float(0.5 * MASS * state[7:10] @ state[7:10] + 0.5 * w @ (INERTIA * w) + MASS * G * state[2])


def run() -> dict[str, float]:
    """Lets it fall with and without friction, and once until it rests; returns what was measured."""
    measured: dict[str, float] = {}
    for mu in (0.0, 0.2):
        path = fallen(mu, 2.6)
        rock, forces = path.body("rock"), path.wrenches[:, 0, 2]
        touching = np.nonzero(path.output("net.touching"))[0]
        measured |= {
            f"first touch, mu {mu}": path.time[touching[0]],
            f"lowest, mu {mu}": rock[:, 2].min(),
            **({f"largest force, mu {mu}": forces.max()} if mu == 0.0 else
               {f"heat, mu {mu}": path.output("net.dissipated_energy")[-1]}),
            f"energy after it, mu {mu}": energy(rock[touching[-1] + 1]),
        }
    rest = fallen(0.2, 60.0, push=False).body("rock")[-1]
    upright = rotate(np.array([rest[3], *-rest[4:7]]), np.array([0.0, 0.0, 1.0]))
    return measured | {"at rest, its shortest axis against the vertical": float(np.degrees(np.arccos(abs(upright[2]))))}


def picture() -> None:
    """Draw height and energy over time, with and without friction."""
    runs = {f"friction {mu:g}": fallen(mu, 8.0, push=False) for mu in (0.0, 0.2)}
    draw("trampoline_bounce", Panel("A body falls into a membrane", "time  [s]", "height of its middle  [m]",
                                    {name: (run.time, run.body("rock")[:, 2]) for name, run in runs.items()}),
         Panel("Energy of the body", "time  [s]", "kinetic and of its height  [kJ]", {
             name: (run.time, [1e-3 * energy(state) for state in run.body("rock")]) for name, run in runs.items()}))


if __name__ == "__main__":
    picture()
    conclude("trampoline_bounce", run())
