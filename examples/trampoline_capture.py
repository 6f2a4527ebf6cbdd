"""An asteroid of 1000 t caught in a membrane, with a picture: python examples/trampoline_capture.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.shapes.quaternion import rotate
from contactlib.simulation.results import Trajectory
from trampoline_figure import draw
from validation import conclude

Floats = NDArray[np.float64]

OUT = Path(__file__).resolve().parent.parent / "out" / "trampoline_capture"
STEP = 0.1  # s, as in the paper
LIMIT = 1765.0  # N m, reported load limit of a solar array drive
Z = np.array([0.0, 0.0, 1.0])


def scene(mu: float = 1.0, *, turning: bool = True) -> contactlib.Spec:
    """The shipped scene with another friction, or with a spacecraft that does not turn with the asteroid."""
    spec = contactlib.load("trampoline_capture")
    elements = [replace(e, friction=(("rock", mu),)) if e.kind == "membrane" else e for e in spec.elements]
    bodies = [body if turning or body.name == "asteroid" else
              replace(body, state=(*body.state[:7], 0.0, 0.0, 0.05, 0.0, 0.0, 0.0)) for body in spec.bodies]
    return replace(spec, bodies=tuple(bodies), elements=tuple(elements))


def captured(spec: contactlib.Spec, duration: float = 170.0) -> Trajectory:
    return contactlib.Simulation(spec.compile()).run(duration=duration, dt=STEP)


def axis_of(states: Floats) -> Floats:
    """Where the spacecraft points (n, 3), world axes."""
    return np.array([rotate(q, Z) for q in states[:, 3:7]])


def touched(run: Trajectory) -> int:
    return int(np.argmax(run.output("net.touching") > 0))


def slip(run: Trajectory) -> Floats:
    """Return the rate (rad/s) of the spacecraft relative to the asteroid about its axis, from the first contact on."""
    asteroid, bus = run.body("asteroid"), run.body("bus")
    return np.abs(((bus - asteroid)[:, 10:] * axis_of(bus)).sum(axis=1))[touched(run):]


def catch_up(mu: float) -> tuple[float, float]:
    """Of a spacecraft that does not turn: time (s) until a tenth of the slip is left, and how far it slips (deg)."""
    rate = slip(captured(scene(mu, turning=False)))
    return float(np.argmax(rate < 0.1 * rate[0]) * STEP), float(np.degrees(rate.sum() * STEP))


def lean(run: Trajectory, time: float) -> float:
    """Angle (deg) between the axis that the spacecraft turns about and its own."""
    state = run.body("bus")[np.searchsorted(run.time, time - STEP / 2)]
    return float(np.degrees(np.arccos(abs(state[10:] @ rotate(state[3:7], Z)) / np.linalg.norm(state[10:]))))


def bending(run: Trajectory) -> Floats:
    """The larger of both drives' moments (N m)."""
    return np.maximum(run.output("sada.bending[1]"), run.output("sada.bending[2]"))


def run() -> dict[str, float]:
    """Catches the asteroid with and without turning along, and holds on; returns what was measured."""
    paper, long = captured(scene()), captured(scene(), 600.0)
    (quick, little), (slow, much) = catch_up(1.0), catch_up(0.1)
    return {
        "first touch": paper.time[touched(paper)],
        "most depth": paper.output("net.depth").max(),
        "most force of the fabric": paper.output("net.normal_force").max(),
        "most bending of a solar array drive": bending(paper).max(),
        "catching up with mu 1.0": quick,
        "catching up with mu 0.1": slow,
        "slip with mu 1.0": little,
        "slip with mu 0.1": much,
        "turning off its axis after 30 s": lean(paper, 30.0),
        "turning off its axis after 170 s": lean(paper, 170.0),
        "turning off its axis after 600 s": lean(long, 600.0),
    }


if __name__ == "__main__":
    conclude("trampoline_capture", run())
    print(f"wrote {draw(captured(scene()), contactlib.load('trampoline_capture'), LIMIT, OUT / 'capture.png')}")
