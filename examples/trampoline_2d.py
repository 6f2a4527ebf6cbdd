"""A box falls onto a band between two points: python examples/trampoline_2d.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from contactlib.simulation.results import Trajectory
from panels import Panel, draw
from validation import conclude

STEP = 1e-3  # s


def fallen(*, push: bool, friction: bool) -> Trajectory:
    """The fall; the reference knows no friction and lets the band push where its damping outweighs its tension."""
    spec = contactlib.load("trampoline_2d")
    elements = [replace(e, push=push, friction=e.friction if friction else ()) for e in spec.elements]
    return contactlib.Simulation(replace(spec, elements=tuple(elements)).compile()).run(duration=spec.duration, dt=STEP)


def run() -> dict[str, float]:
    """Lets it fall as the reference does, and as the scene says; returns what was measured."""
    path = fallen(push=True, friction=False)
    box = path.body("box")
    lowest = int(np.argmin(box[:, 1]))
    rubbed = fallen(push=False, friction=True)
    return {
        "first touch": path.time[np.argmax(path.output("band.touching") > 0)],
        "lowest": box[lowest, 1],
        "time of the lowest": path.time[lowest],
        "largest tension": path.output("band.tension").max(),
        "out of the plane": float(np.abs(rubbed.body("box")[:, [2, 4, 5, 9, 10, 11]]).max()),
        "least tension with friction, where it may not push": rubbed.output("band.tension").min(),
    }


def picture() -> None:
    """Draw the height of the box and the tension of the band, as the reference has it and as the scene says."""
    runs = {"as the reference: no friction": fallen(push=True, friction=False),
            "as the scene: friction 0.3": fallen(push=False, friction=True)}
    draw("trampoline_2d", Panel("A box falls onto a band", "time  [s]", "height of its middle  [m]",
                                {name: (run.time, run.body("box")[:, 1]) for name, run in runs.items()}),
         Panel("Tension of the band", "time  [s]", "force  [N]",
               {name: (run.time, run.output("band.tension")) for name, run in runs.items()}))


if __name__ == "__main__":
    picture()
    conclude("trampoline_2d", run())
