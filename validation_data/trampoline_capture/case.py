"""What the paper observes of the capture, by the shipped scene: friction, flat spin, moments of the drives."""

from dataclasses import replace

import numpy as np

import contactlib
from contactlib.shapes.quaternion import rotate

STEP, LIMIT, Z = 0.1, 1765.0, np.array([0.0, 0.0, 1.0])  # s, N m


def captured(mu, turning, duration):
    spec = contactlib.load("trampoline_capture")
    elements = [replace(e, friction=(("rock", mu),)) if e.kind == "membrane" else e for e in spec.elements]
    bodies = [body if turning or body.name == "asteroid" else
              replace(body, state=(*body.state[:7], 0.0, 0.0, 0.05, 0.0, 0.0, 0.0)) for body in spec.bodies]
    scene = replace(spec, bodies=tuple(bodies), elements=tuple(elements))
    return contactlib.Simulation(scene.compile()).run(duration=duration, dt=STEP)


def catch_up(mu):
    """Of a spacecraft that arrives without spin: time until a tenth of the slip is left (s), and its angle (deg)."""
    run = captured(mu, False, 170.0)
    asteroid, bus = run.body("asteroid"), run.body("bus")
    axis = np.array([rotate(q, Z) for q in bus[:, 3:7]])
    rate = np.abs(((bus - asteroid)[:, 10:] * axis).sum(axis=1))[int(np.argmax(run.output("net.touching") > 0)):]
    return float(np.argmax(rate < 0.1 * rate[0]) * STEP), float(np.degrees(rate.sum() * STEP))


def run(runner):
    (quick, little), (slow, much) = catch_up(1.0), catch_up(0.1)
    long = captured(1.0, True, 600.0)
    state = long.body("bus")[-1]
    off = np.degrees(np.arccos(abs(state[10:] @ rotate(state[3:7], Z)) / np.linalg.norm(state[10:])))
    bending = max(long.output("sada.bending[1]").max(), long.output("sada.bending[2]").max())
    return {"catching up is faster with mu 1.0 than with mu 0.1": float(quick < slow),
            "slip is smaller with mu 1.0 than with mu 0.1": float(little < much),
            "spin axis off the spacecraft's own axis after 600 s, of 90 deg": float(off),
            "greatest bending of a solar array drive, of its limit": bending / LIMIT}
