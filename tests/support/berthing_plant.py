"""A simple plant for the control logic of a berthing mechanism: cranks without inertia, indicators that are told."""

import numpy as np

from contactlib._core import engine
from tests.support.control_plant import ControlPlant, H

#: all assumed: half a turn in 20 s to the capture angle, and 10 s on from there
NUMBERS = {
    "capture_voltage": 24.0, "berth_voltage": 12.0, "open_voltage": -24.0, "open_angle": 0.0, "capture_angle": 2.0,
    "berthed_angle": 2.5, "angle_tolerance": 0.01, "indicators_needed": 3.0, "seats_needed": 3.0, "latches_needed": 4.0,
    "stall_current": 8.0, "stall_rate": 1e-3, "ready_time": 0.5, "settle_time": 2.0, "lost_time": 1.0,
    "stall_time": 0.5, "wait_time": 30.0, "capture_time": 40.0, "berth_time": 30.0, "open_time": 60.0,
}
NAMES = [row[0] for row in engine.berthing_rows()]
LATCHES = INDICATORS = SEATS = 4


class Plant(ControlPlant):
    """Cranks that follow their voltage at once; some may be jammed (at their limit) or dead (no current)."""

    COMMANDS = engine.BERTHING_COMMANDS

    def __init__(self, **changed):
        super().__init__()
        numbers = NUMBERS | changed
        self.control = engine.Berthing([numbers[name] for name in NAMES], LATCHES, INDICATORS, SEATS)
        self.state = np.zeros(engine.BERTHING_STATE_WIDTH)
        self.latches = np.zeros((LATCHES, 3))  # angle, rate, current
        self.ready, self.seated = 4.0, 4.0
        self.jammed, self.dead, self.own = set(), set(), 0.0
        self.flags = frozenset()

    def step(self):
        self.orders, phase, self.flags = self.control.step(self.order, self.latches, self.ready, H, self.state,
                                                           self.seated)
        self.saw(phase)
        for k, (voltage, on, own, _) in enumerate(self.orders):
            voltage = self.own if own else voltage
            stuck = k in self.jammed or k in self.dead
            self.latches[k, 1] = 0.0 if stuck else voltage / 240.0
            self.latches[k, 2] = 0.0 if k in self.dead or not (on or own) else 10.0 if k in self.jammed else 1.0
            self.latches[k, 0] += H * self.latches[k, 1]

    @property
    def running(self):
        return [on for _, on, _, _ in self.orders]

    @property
    def failed(self):
        return [failed for *_, failed in self.orders]

    def caught(self):
        self.run("capture", "captured")
        return self

    def firm(self):
        self.caught().run("berth", "berthed")
        return self
