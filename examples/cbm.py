"""A module is berthed: a compliant arm moves it into the guides, and four latches draw it to its seat.

python examples/cbm.py runs modules of 13 t and 100 t from a corner of the envelope. Further runs have failures: a dead
latch, a jammed latch, a blind indicator, and latches that were closed too early.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

import contactlib
from berthing_arm import Arm
from contactlib import berthing
from contactlib.elements.indicator import Indicator
from contactlib.elements.latch import Latch
from contactlib.model.parts import Body
from contactlib.model.spec import SCENES, Spec

Floats = NDArray[np.float64]
PARAMETERS = berthing.read_parameters(SCENES / "cbm" / "parameters.toml")
STEP, PATIENCE = 1e-3, 60.0  # s
START, SPEED = 0.26, 0.02  # m between the faces, m/s of the arm
LIGHT, HEAVY = 13e3, 100e3  # kg
HOLD, CAPTURE, MANUAL, AUTOMATIC = 0.0, 1.0, 4.0, 5.0  # commands of the control
IDLE, WAITING, CAPTURING, CAPTURED, BERTHED, FAULT = 0, 1, 2, 3, 5, 8  # its phases
FLAGS = ("not_ready", "stalled", "late", "missed", "lost")
Change = Callable[[Spec], Spec]


@dataclass
class Run:
    """A berthing: times of events (s, infinite: never), final phase, time series of passive ring and contact."""

    simulation: contactlib.Simulation
    rows: list[tuple[float, Floats, float]] = field(default_factory=list)
    ready: float = np.inf  # enough indicators show
    berthed: float = np.inf

    @property
    def time(self) -> Floats:
        return np.array([row[0] for row in self.rows])

    @property
    def states(self) -> Floats:
        """(T, 13), of the passive ring."""
        return np.array([row[1] for row in self.rows])

    @property
    def force(self) -> Floats:
        """N, on the active ring, (T,)."""
        return np.array([row[2] for row in self.rows])

    @property
    def flags(self) -> str:
        """The flags that the control has raised."""
        control = self.simulation.elements["berthing"]
        return ", ".join(name for name in FLAGS if getattr(control, name))

    @property
    def why(self) -> str:
        """Sentences on fittings that the latches do not reach; empty if they reach all."""
        states = self.simulation.states
        return "; ".join(berthing.reach(PARAMETERS, states[0], states[1]).missing)


def start(lateral: float = 0.0, towards: float = 0.0, tilt: float = 0.0, about: float = 0.0, roll: float = 0.0,
          gap: float = START) -> Floats:
    """State of the passive ring: offset (m) in a direction, tilt about an axis in the plane, roll (rad)."""
    w, x, y = np.cos(tilt / 2), np.sin(tilt / 2) * np.cos(about), np.sin(tilt / 2) * np.sin(about)
    c, s = np.cos(roll / 2), np.sin(roll / 2)
    q = [w * c, x * c + y * s, y * c - x * s, w * s]  # the tilt after the roll
    return np.array([lateral * np.cos(towards), lateral * np.sin(towards), gap, *q, *[0.0] * 6])


def corner(towards: float = 0.0, about: float = 0.0, side: float = 1.0, fraction: float = 1.0) -> Floats:
    """A start at a fraction of the envelope, 1 for its corner: directions in degrees, side of the roll +1 or -1."""
    envelope = PARAMETERS.part("envelope")
    return start(fraction * envelope["lateral"], np.radians(towards), fraction * np.radians(envelope["tilt"]),
                 np.radians(about), side * fraction * np.radians(envelope["roll"]))


def heavy(spec: Spec, mass: float) -> Spec:
    """The scene with a module of another mass and the same shape, kg."""
    def changed(body: Body) -> Body:
        if body.name != "passive" or body.mass is None or body.inertia is None:
            return body
        factor = mass / body.mass
        return replace(body, mass=mass, inertia=tuple(tuple(factor * x for x in row) for row in body.inertia))

    return replace(spec, bodies=tuple(changed(body) for body in spec.bodies))


def an_arm(mass: float) -> Arm:
    """An arm that pushes with 200 N and has an equal damping ratio for every mass (kg) of the module."""
    grown = np.sqrt(mass / LIGHT)
    return Arm(damping=1.2e4 * grown, turning_damping=1e5 * grown, command=np.array([0.0, 0.0, -SPEED]))


def prepared(state: Floats, mass: float = LIGHT, change: Change = lambda spec: spec) -> Run:
    """The scene with a free module, before the first step."""
    spec = heavy(contactlib.load("cbm"), mass).with_motion("fixed", "active").with_motion("free", "passive")
    run = Run(contactlib.Simulation(change(spec).compile()))
    run.simulation.compute({"passive": state})
    return run


def advance(run: Run, arm: Arm, step: float) -> None:
    """Record one step with the arm, which pushes until the latches have closed and then releases the module."""
    simulation, control = run.simulation, run.simulation.elements["berthing"]
    simulation.apply("passive", *arm.wrench(simulation.states[1], step))
    simulation.step(step)
    run.rows.append((simulation.time, simulation.states[1], float(np.linalg.norm(simulation.wrenches[0, :3]))))
    if run.ready == np.inf and control.phase == CAPTURING:
        run.ready = simulation.time
    arm.limp = arm.limp or control.phase in (CAPTURED, BERTHED)
    if run.berthed == np.inf and control.phase == BERTHED:
        run.berthed = simulation.time


def berth(state: Floats, mass: float = LIGHT, *, change: Change = lambda spec: spec, patience: float = PATIENCE,
          step: float = STEP, until: int = BERTHED) -> Run:
    """Push until the control is ready and closes its latches, up to a phase, a fault, or for `patience` seconds."""
    run, arm = prepared(state, mass, change), an_arm(mass)
    control = run.simulation.elements["berthing"]
    control.set(command=AUTOMATIC)
    while run.simulation.time < patience and control.phase not in (until, FAULT):
        advance(run, arm, step)
    return run


def with_latch(name: str, **motor: float) -> Change:
    """A change of one latch's motor."""
    def change(spec: Spec) -> Spec:
        return replace(spec, elements=tuple(
            replace(e, motor=replace(e.motor, **motor)) if isinstance(e, Latch) and e.name == name else e
            for e in spec.elements))

    return change


def with_blind_indicators(*names: str) -> Change:
    """A change of the scene: the switches of these indicators never close."""
    def change(spec: Spec) -> Spec:
        return replace(spec, elements=tuple(
            replace(e, switch_on=e.travel, switch_off=None) if isinstance(e, Indicator) and e.name in names else e
            for e in spec.elements))

    return change


#: failures, and the changes of the scene that cause them
OFF_NOMINAL: dict[str, Change] = {
    "one latch dead": with_latch("latch2", current_limit=1e-6),
    "one latch jammed": with_latch("latch3", high=float(np.radians(-60.0))),
    "one indicator blind": with_blind_indicators("indicator1"),
    "two indicators blind": with_blind_indicators("indicator1", "indicator2"),
}


def closed_too_early(patience: float = 60.0) -> Run:
    """Close the latches by command while the ring is away, then move the arm; no plunger switch ever closes."""
    run, arm = prepared(start()), an_arm(LIGHT)
    control = run.simulation.elements["berthing"]
    control.set(command=MANUAL)
    for k in range(1, 5):
        run.simulation.elements[f"latch{k}"].set(voltage=24.0, power=1.0, brake=0.0)
    arm.command = np.zeros(3)
    while run.simulation.time < 14.0:
        advance(run, arm, STEP)
    control.set(command=HOLD)
    advance(run, arm, STEP)
    control.set(command=AUTOMATIC)
    arm.command = np.array([0.0, 0.0, -SPEED])
    while run.simulation.time < patience and control.phase not in (BERTHED, FAULT):
        advance(run, arm, STEP)
    return run


def figures(run: Run) -> dict[str, float]:
    """Return the key figures of a complete berthing."""
    end = run.states[-1]
    return {
        "ready to latch after [s]": run.ready,
        "berthed after [s]": run.berthed,
        "most force on the active ring before [N]": float(run.force[run.time < run.ready].max()),
        "most force on the active ring [N]": float(run.force.max()),
        "gap berthed [mm]": 1e3 * end[2],
        "offset berthed [mm]": 1e3 * float(np.hypot(*end[:2])),
        "tilt berthed [mdeg]": 2e3 * float(np.degrees(np.hypot(*end[4:6]))),
        "roll berthed [mdeg]": 2e3 * float(np.degrees(abs(end[6]))),
        "seal load [N]": float(run.simulation.elements["seal_load"].load),
    }


def run() -> dict[str, float]:
    """Berth both modules from a corner of the envelope; return the key figures."""
    return {f"{mass / 1e3:g} t: {name}": value
            for mass in (LIGHT, HEAVY) for name, value in figures(berth(corner(45.0, 60.0), mass)).items()}


if __name__ == "__main__":
    for name, value in run().items():
        print(f"{name:<48} {value:10.4g}")
    for name, change in OFF_NOMINAL.items():
        outcome = berth(start(), change=change, patience=50.0)
        print(f"{name:<24} phase {outcome.simulation.elements['berthing'].phase:.0f}, flags: {outcome.flags or 'none'}")
    outcome = closed_too_early()
    print(f"{'closed too early':<24} phase {outcome.simulation.elements['berthing'].phase:.0f}, flags: {outcome.flags}")
