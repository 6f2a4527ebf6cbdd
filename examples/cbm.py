"""A module is berthed: a compliant arm brings it into the guides, four latches draw it home: python examples/cbm.py."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from berthing_arm import Arm
from numpy.typing import NDArray

import contactlib
from contactlib import berthing
from contactlib.elements.berthing import COMMANDS
from contactlib.spec import SCENES, Body, Spec

Floats = NDArray[np.float64]
PARAMETERS = berthing.read_parameters(SCENES / "cbm" / "parameters.toml")
STEP, PATIENCE = 1e-3, 60.0  # s
START, SPEED = 0.26, 0.02  # m between the faces, m/s of the arm


@dataclass
class Berthing:
    """A run: what happened when, and how it ended."""

    simulation: contactlib.Simulation
    time: Floats
    states: Floats  # (T, 13), of the passive ring
    force: Floats  # N, on the active ring
    ready: float = np.inf  # s, when all indicators showed
    berthed: float = np.inf  # s, when the control said so and all plungers showed

    @property
    def why(self) -> str:
        """What is missing to be ready, "" if nothing is."""
        states = self.simulation.states
        return "; ".join(berthing.reach(PARAMETERS, states[0], states[1]).missing)


def start(lateral: float = 0.0, towards: float = 0.0, tilt: float = 0.0, about: float = 0.0, roll: float = 0.0,
          gap: float = START) -> Floats:
    """State of the passive ring: offset (m) in a direction, tilt about an axis in the plane, roll (rad)."""
    tip = np.array([np.cos(tilt / 2), np.sin(tilt / 2) * np.cos(about), np.sin(tilt / 2) * np.sin(about), 0.0])
    w, x, y, _ = tip
    c, s = np.cos(roll / 2), np.sin(roll / 2)  # tip after roll
    q = [w * c, x * c + y * s, y * c - x * s, w * s]
    return np.array([lateral * np.cos(towards), lateral * np.sin(towards), gap, *q, *[0.0] * 6])


def heavy(spec: Spec, mass: float) -> Spec:
    """The scene with a module of another mass and the same shape, kg."""
    def changed(body: Body) -> Body:
        if body.name != "passive" or body.mass is None or body.inertia is None:
            return body
        factor = mass / body.mass
        return replace(body, mass=mass, inertia=tuple(tuple(factor * x for x in row) for row in body.inertia))

    return replace(spec, bodies=tuple(changed(body) for body in spec.bodies))


def berth(state: Floats, mass: float = 13e3, *, latches: bool = True, patience: float = PATIENCE,
          step: float = STEP) -> Berthing:
    """Push until all indicators show, then, if `latches`, let go and latch."""
    spec = heavy(contactlib.load("cbm"), mass).with_motion("fixed", "active").with_motion("free", "passive")
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute({"passive": state})
    scale = mass / 13e3
    arm = Arm(damping=1.2e4 * np.sqrt(scale), turning_damping=1e5 * np.sqrt(scale))
    arm.command = np.array([0.0, 0.0, -SPEED])
    control = simulation.elements["berthing"]
    shows = [e for name, e in simulation.elements.items() if name.startswith("indicator")]
    seats = [e for name, e in simulation.elements.items() if name.startswith("plunger")]
    rows: list[tuple[float, Floats, float]] = []
    run = Berthing(simulation, *np.empty((3, 0)))
    while simulation.time < patience and run.berthed == np.inf:
        simulation.apply("passive", *arm.wrench(simulation.states[1], step))
        simulation.step(step)
        rows.append((simulation.time, simulation.states[1], float(np.linalg.norm(simulation.wrenches[0, :3]))))
        if run.ready == np.inf and all(e.switched for e in shows):
            run.ready, arm.limp = simulation.time, latches
            arm.command = np.zeros(3)
            if not latches:
                break
            control.set(command=COMMANDS.index("automatic"))
        elif run.ready < np.inf and control.berthed and all(e.switched for e in seats):
            run.berthed = simulation.time
    run.time, run.states, run.force = (np.array(column) for column in zip(*rows, strict=True))
    return run


def run() -> dict[str, float]:
    """A berthing from a corner of the envelope; what was measured."""
    envelope = PARAMETERS.part("envelope")
    corner = start(envelope["lateral"], np.pi / 4, np.radians(envelope["tilt"]), 1.0, np.radians(envelope["roll"]))
    whole = berth(corner)
    end = whole.states[-1]
    return {
        "ready to latch after [s]": whole.ready,
        "berthed after [s]": whole.berthed,
        "most force on the active ring [N]": float(whole.force.max()),
        "gap berthed [mm]": 1e3 * end[2],
        "offset berthed [mm]": 1e3 * float(np.hypot(*end[:2])),
        "tilt berthed [mdeg]": 2e3 * float(np.degrees(np.hypot(*end[4:6]))),
        "roll berthed [mdeg]": 2e3 * float(np.degrees(abs(end[6]))),
    }


if __name__ == "__main__":
    for name, value in run().items():
        print(f"{name:<36} {value:10.4g}")
