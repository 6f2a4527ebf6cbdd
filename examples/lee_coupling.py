"""The teeth of an end effector centre a payload that is pressed onto them: python examples/lee_coupling.py."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import contactlib
from contactlib.simulation import rigid_body
from contactlib.simulation.results import Trajectory
from panels import Panel, draw

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


def press(scene: str, offset: float, roll: float, duration: float = 20.0) -> Trajectory:
    """The payload, without the snare, under load; it comes in `offset` (m) off, rolled by `roll` (degrees)."""
    simulation = contactlib.Simulation(alone(scene).compile())
    half = np.radians(roll) / 2
    simulation.compute({"grapple": {"r": (offset, 0.0, START), "q": (np.cos(half), 0.0, 0.0, np.sin(half)),
                                    "v": (0.0, 0.0, -CLOSING)}})
    simulation.apply("grapple", force=(0.0, 0.0, -LOAD))
    return simulation.run(duration=duration, dt=STEP, every=50)


def alone(scene: str) -> contactlib.Spec:
    """The scene without the snare, its end effector held."""
    return replace(contactlib.load(scene).with_motion("fixed", "lee").with_motion("free", "grapple"), elements=())


def pressed(scene: str, offset: float, roll: float, duration: float = 20.0) -> Seated:
    """Return how the payload sits after `press`."""
    return seated(scene, press(scene, offset, roll, duration))


def seated(scene: str, trajectory: Trajectory) -> Seated:
    """Return how the payload sits at the end of a run."""
    state = trajectory.states[-1, 1]
    grapple = next(body for body in alone(scene).bodies if body.name == "grapple")
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


def picture(runs: dict[str, Trajectory]) -> None:
    """Draw offset, roll and height above the seat over time."""
    states = {name: (run.time, run.states[:, 1]) for name, run in runs.items()}
    draw("lee_coupling", Panel("Off the axis", "time  [s]", "offset  [mm]", {
        name: (time, 1e3 * np.hypot(s[:, 0], s[:, 1])) for name, (time, s) in states.items()}),
        Panel("Roll", "time  [s]", "roll  [deg]", {
            name: (time, 2.0 * np.degrees(np.arctan2(s[:, 6], s[:, 3]))) for name, (time, s) in states.items()}),
        Panel("Above the seat", "time  [s]", "height  [mm]", {
            name: (time, 1e3 * (s[:, 2] - SEAT)) for name, (time, s) in states.items()}))


if __name__ == "__main__":
    print("came in                  offset      gap      roll      tilt   energy gained")
    runs = {}
    for offset, roll in ((0.005, 4.0), (0.0, 9.0), (0.02, 0.0)):
        run = press("lee_snare", offset, roll, duration=40.0)
        runs[f"{offset * 1e3:g} mm off, {roll:g} deg"] = run
        s = seated("lee_snare", run)
        print(f"{offset * 1e3:4.0f} mm off, {roll:3.0f} deg   {s.offset * 1e3:8.3f} mm {s.gap * 1e3:6.3f} mm"
              f" {s.roll:6.3f} deg {s.tilt:6.3f} deg {s.gained:8.3f} J")
    picture(runs)
