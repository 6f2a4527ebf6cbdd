"""Two small rings with two latches, two indicators and a control, and an arm that berths them: for the tests."""

from typing import Any

import numpy as np

import contactlib
from contactlib.elements.berthing import COMMANDS, Berthing
from contactlib.elements.drive import Drive
from contactlib.elements.gauge import Gauge
from contactlib.elements.indicator import Indicator
from contactlib.elements.latch import Latch
from contactlib.model.parts import Body, BodyShape, Law, Pair
from contactlib.model.spec import Spec
from contactlib.shapes.shapes import Box, Sphere
from tests.support.berthing_plant import NUMBERS

H = 1e-3
MOTOR = Drive("motor", start=-0.4, low=-0.5, high=2.3, inertia=0.5, gear=200.0, torque_constant=0.05, resistance=2.0,
              current_limit=8.0, efficiency=0.7, friction=0.5, brake=200.0)
#: the tip is beside the ring's edge at -0.4 rad, over it from 0 on, and has drawn it in at 2
CONTROL = NUMBERS | {
    "capture_voltage": 20.0, "berth_voltage": 12.0, "open_voltage": -20.0, "open_angle": -0.4, "capture_angle": 0.05,
    "berthed_angle": 2.0, "indicators_needed": 2.0, "seats_needed": 0.0, "latches_needed": 2.0, "stall_current": 5.0,
    "stall_rate": 1e-3, "ready_time": 0.05, "settle_time": 0.1, "stall_time": 0.2, "lost_time": 0.2, "wait_time": 2.0,
    "capture_time": 3.0, "berth_time": 3.0, "open_time": 4.0,
}
ONE = (1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)


def latch(k: int, **keys: Any) -> Latch:
    """On either side of the ring, turned about z so that both close inwards."""
    attitude = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)) if k == 1 else (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    side = 1.0 if k == 1 else -1.0
    motor = keys.pop("motor", MOTOR)
    return Latch(f"latch{k}", "active", 0.120, 0.060, 0.110, 0.090, motor=motor, position=(0.39 * side, 0.0, -0.097),
                 attitude=attitude, coupler_body=f"link{k}", **keys)


def indicator(k: int) -> Indicator:
    side = 1.0 if k == 1 else -1.0
    return Indicator(f"indicator{k}", "active", f"pin{k}", "plunger", (0, 0, -1), travel=0.06, stiffness=200.0,
                     damping=40.0, inertia=0.1, switch_on=0.01, position=(0.1 * side, 0.0, 0.05))


BERTHING = Berthing("berthing", ("latch1", "latch2"), ("indicator1", "indicator2"), tuple(CONTROL.items()),
                    command="automatic")


def scene(berthing: Berthing = BERTHING, **keys: Any) -> Spec:
    """Two rings; the passive one comes down on two plungers, and two latches' tips meet its edge."""
    tip = BodyShape("tip", Sphere(0.015), "metal", r=(0.19, 0.03, 0.0))
    top = BodyShape("top", Box((0.04, 0.04, 0.04)), "metal", r=(0.0, 0.0, -0.02))
    plate = BodyShape("plate", Box((0.5, 0.3, 0.02)), "metal")
    rest = BodyShape("rest", Box((0.3, 0.3, 0.02)), "rubber", r=(0.0, 0.0, -0.01))
    bodies = (
        Body("active", motion="external", shapes=(rest,)),
        Body("passive", motion="external", mass=200.0, inertia=ONE, shapes=(plate,),
             state=(0.0, 0.0, 0.07, 1, 0, 0, 0, *[0] * 6)),
        *(Body(f"link{k}", motion="driven", shapes=(tip,)) for k in (1, 2)),
        *(Body(f"pin{k}", motion="driven", shapes=(top,)) for k in (1, 2)),
    )
    laws = (Law("law", ("metal", "metal"), "kelvin_voigt", (1e5, 200.0), "bristle", (0.2, 0.2, 1e5, 50.0)),
            Law("seal", ("rubber", "metal"), "kelvin_voigt", (1e5, 500.0)))
    pairs = (*(Pair((name, "passive")) for name in ("link1", "link2", "pin1", "pin2")), Pair(("active", "passive")))
    elements = (berthing, latch(1), latch(2), indicator(1), indicator(2),
                Gauge("seal_load", "active", "rubber", (0.0, 0.0, 1.0)))
    return Spec("rings", bodies=bodies, laws=laws, pairs=pairs, step_size=H, **{"elements": elements} | keys)


STEP, STEPS = 1e-2, 480  # s; ten steps of the core each
OPENS = 3.3  # s


def smooth(t: float, begin: float, end: float) -> tuple[float, float]:
    """From 0 to 1 and its rate, 1/s."""
    x = min(max((t - begin) / (end - begin), 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / (end - begin)


def state_of(t: float) -> np.ndarray:
    """Of the passive ring, by an arm that does not yield: it comes to the indicators, waits, is drawn in, and trembles
    by 1 mm, so that latches slide on it."""
    near, rate = smooth(t, 0.0, 1.0)
    home, speed = smooth(t, 0.95, 1.6)
    z, v = 0.07 - 0.025 * near - 0.0355 * home, -0.025 * rate - 0.0355 * speed
    x, u = 1e-3 * np.sin(9.0 * t), 9e-3 * np.cos(9.0 * t)
    return np.array([x, 0.0, z, 1, 0, 0, 0, u, 0.0, v, 0, 0, 0])


def berth(simulation: contactlib.Simulation, begin: int = 0, end: int = STEPS) -> list[bytes]:
    """The whole state after each step: automatic, and told to open at OPENS."""
    seen = []
    for k in range(begin, end):
        if k == round(OPENS / STEP):
            simulation.elements["berthing"].set(command=COMMANDS.index("open"))
        simulation.step(STEP, {"passive": state_of(k * STEP)})
        seen.append(simulation.save())
    return seen
