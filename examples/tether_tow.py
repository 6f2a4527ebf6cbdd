"""A tug tows a rocket stage on a tether: python examples/tether_tow.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from contactlib.elements.tether import Tether
from panels import Panel, draw
from validation import conclude

STEP = 1e-3  # s
SPEED = 0.2  # m/s, of the tug away from the stage


def along_a_line(damping: float, thrust: float) -> contactlib.Simulation:
    """The tug at SPEED and the stage at rest, without tumbling, so that all motion lies on one line."""
    spec = contactlib.load("tether_tow")
    elements = tuple(replace(e, damping=damping) if isinstance(e, Tether) else e for e in spec.elements)
    simulation = contactlib.Simulation(replace(spec, elements=elements).compile())
    simulation.elements["engine"].set(throttle=thrust)
    simulation.compute({"stage": {"w": (0.0, 0.0, 0.0)}})
    return simulation


def pulled(damping: float) -> tuple[float, float, float]:
    """One pull without thrust: largest tension (N), time of tension (s), relative speed after it (m/s)."""
    run = along_a_line(damping, 0.0).run(duration=8.0, dt=STEP)
    tension = run.output("line.tension")
    relative = run.body("tug")[:, 7] - run.body("stage")[:, 7]
    return float(tension.max()), float((tension > 0.0).sum() * STEP), float(relative[-1])


def towed() -> tuple[float, float]:
    """Tension (N) and distance of the attachment points (m) under constant thrust, without oscillation."""
    simulation = along_a_line(1000.0, 1.0)
    simulation.run(duration=300.0, dt=5e-3, every=1000)
    line = simulation.elements["line"]
    return float(line.tension), float(line.distance)


def momentum_drift() -> float:
    """The tumbling stage without thrust: largest change of the angular momentum about the origin, relative."""
    simulation = contactlib.Simulation(contactlib.load("tether_tow").compile())
    simulation.elements["engine"].set(throttle=0.0)
    run = simulation.run(duration=60.0, dt=STEP, every=100)
    total = sum(angular_momentum(run, name, mass, inertia) for name, mass, inertia in (
        ("tug", 2000.0, (1000.0, 2000.0, 2000.0)), ("stage", 4000.0, (4500.0, 23600.0, 23600.0))))
    return float(np.abs(total - total[0]).max() / np.linalg.norm(total[0]))


def angular_momentum(run: contactlib.Trajectory, name: str, mass: float, inertia: tuple[float, ...]) -> np.ndarray:
    """r x m v + R I R^T w of a body in all frames."""
    r, q, v, w = np.split(run.body(name), (3, 7, 10), axis=1)
    s, u = q[:, :1], q[:, 1:]
    w_B = w + 2.0 * np.cross(-u, np.cross(-u, w) + s * w)
    L_B = w_B * inertia
    return mass * np.cross(r, v) + L_B + 2.0 * np.cross(u, np.cross(u, L_B) + s * L_B)


def run() -> dict[str, float]:
    """One elastic pull, one damped pull, a steady tow, and a tumbling stage; returns the measured values."""
    largest, taut, rebound = pulled(0.0)
    _, _, damped = pulled(1000.0)
    tension, distance = towed()
    return {
        "largest tension of an elastic pull": largest,
        "time of tension of an elastic pull": taut,
        "relative speed after an elastic pull": rebound,
        "relative speed after a damped pull": damped,
        "tension of a steady tow": tension,
        "distance in a steady tow": distance,
        "drift of the angular momentum": momentum_drift(),
    }


def picture() -> None:
    """Draw tension and relative speed of an elastic and of a damped pull, and of a tow."""
    cases = {"elastic, no thrust": (0.0, 0.0), "damped, no thrust": (1000.0, 0.0), "damped, thrust 60 N": (1000.0, 1.0)}
    runs = {name: along_a_line(*case).run(duration=20.0, dt=STEP, every=10) for name, case in cases.items()}
    draw("tether_tow", Panel("Tension of the tether", "time  [s]", "force  [N]",
                             {name: (run.time, run.output("line.tension")) for name, run in runs.items()}),
         Panel("Speed of the tug away from the stage", "time  [s]", "speed  [m/s]", {
             name: (run.time, run.body("tug")[:, 7] - run.body("stage")[:, 7]) for name, run in runs.items()}))


if __name__ == "__main__":
    picture()
    conclude("tether_tow", run())
