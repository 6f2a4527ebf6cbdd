"""The teeth of an end effector centre a payload that is pressed onto them: python examples/lee_coupling.py."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import contactlib
from contactlib.simulation import rigid_body

STEP = 1e-3  # s
LOAD = 4893.0  # N, 1100 lbf, recalled of the Shuttle's end effector; assumed
CLOSING = 0.02  # m/s
START = 0.19  # m, 29 mm before the fixture is seated
SEAT = 0.1608  # m, the fixture's origin when flanks lie on flanks


@dataclass(frozen=True)
class Seated:
    """How a payload sits: m off the axis and above its seat, degrees of roll and of tilt, J that came from nowhere."""

    offset: float
    gap: float
    roll: float
    tilt: float
    gained: float


def pressed(scene: str, offset: float, roll: float, duration: float = 20.0) -> Seated:
    """The payload, without the snare, under load, after it came in `offset` (m) off, rolled by `roll` (degrees)."""
    spec = contactlib.load(scene).with_motion("fixed", "lee").with_motion("free", "grapple")
    spec = replace(spec, elements=())
    simulation = contactlib.Simulation(spec.compile())
    half = np.radians(roll) / 2
    simulation.compute({"grapple": {"r": (offset, 0.0, START), "q": (np.cos(half), 0.0, 0.0, np.sin(half)),
                                    "v": (0.0, 0.0, -CLOSING)}})
    simulation.apply("grapple", force=(0.0, 0.0, -LOAD))
    trajectory = simulation.run(duration=duration, dt=STEP, every=50)
    state = trajectory.states[-1, 1]
    grapple = next(body for body in spec.bodies if body.name == "grapple")
    kinetic = rigid_body.balance(trajectory, {"grapple": grapple.mass_properties()}).kinetic
    worked = LOAD * (START - trajectory.states[:, 1, 2])
    held = kinetic + trajectory.energy_stored - worked
    return Seated(
        offset=float(np.hypot(state[0], state[1])),
        gap=float(state[2] - SEAT),
        roll=float(np.degrees(2 * np.arctan2(state[6], state[3]))),
        tilt=float(np.degrees(2 * np.arcsin(np.hypot(state[4], state[5])))),
        gained=float((held - held[0]).max()),
    )


if __name__ == "__main__":
    print("came in                  offset      gap      roll      tilt   energy gained")
    for offset, roll in ((0.005, 4.0), (0.0, 9.0), (0.02, 0.0)):
        s = pressed("lee_snare", offset, roll, duration=40.0)
        print(f"{offset * 1e3:4.0f} mm off, {roll:3.0f} deg   {s.offset * 1e3:8.3f} mm {s.gap * 1e3:6.3f} mm"
              f" {s.roll:6.3f} deg {s.tilt:6.3f} deg {s.gained:8.3f} J")
