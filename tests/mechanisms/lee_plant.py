"""A simple plant for the control logic of the latching end effector: drives without inertia, cables as springs."""

import numpy as np

from contactlib._core import engine
from tests.support.control_plant import ControlPlant, H

#: all assumed; closes in 3 s, draws in for some 25 s, to 4893 N (1100 lbf, recalled of the Shuttle's end effector)
NUMBERS = {
    "supply_voltage": 24.0, "close_voltage": 20.0, "open_voltage": -20.0, "fast_voltage": -24.0, "slow_voltage": -6.0,
    "extend_voltage": 24.0, "open_angle": 0.0, "closed_angle": 3.6, "snag_angle": 2.0, "angle_tolerance": 0.01,
    "extended_position": 0.0, "retracted_position": -0.1, "position_tolerance": 1e-4, "slack_tension": 5.0,
    "capture_tension": 300.0, "snag_tension": 500.0, "snag_ratio": 2.0, "contact_load": 200.0, "rigidize_load": 4893.0,
    "lost_load": 1000.0, "ring_stall_current": 4.0, "carriage_stall_current": 4.0, "ring_stall_rate": 0.01,
    "carriage_stall_rate": 1e-5,
    "capture_time": 0.2, "snag_time": 0.05, "stall_time": 0.5, "lost_time": 1.0, "close_time": 6.0,
    "retract_time": 30.0, "rigidize_time": 30.0, "extend_time": 30.0, "open_time": 6.0,
}
NAMES = [row[0] for row in engine.control_rows()]
CABLES = 3


class Plant(ControlPlant):
    """Ring and carriage that follow their voltage at once, cables and a pin that are springs, and the logic."""

    COMMANDS = engine.LEE_COMMANDS

    def __init__(self, **changed):
        super().__init__()
        numbers = NUMBERS | changed
        self.control = engine.Control([numbers[name] for name in NAMES])
        self.state, self.sense = np.zeros(engine.LEE_STATE_WIDTH), dict.fromkeys(engine.LEE_SENSES, 0.0)
        self.voltages = 0.0, 0.0
        self.contact_angle, self.weights, self.grip, self.stiffness = 3.0, np.ones(CABLES), 0.07, 5e5
        self.jammed_ring = self.jammed_carriage = False
        self.forced = {}

    def look(self):
        s = self.sense
        tension = 5e3 * max(0.0, s["ring_angle"] - self.contact_angle) * self.weights
        pulled = max(0.0, -s["carriage_position"] - self.grip)
        s["load"] = self.stiffness * pulled if tension.max() > 0.0 else 0.0
        s["max_tension"], s["mean_tension"], s["min_tension"] = tension.max(), tension.mean(), tension.min()
        return np.array(list((s | self.forced).values()))

    def step(self):
        sense = self.look()
        self.drive = self.control.step(np.array([self.order, *self.voltages], dtype=float), sense, H, self.state)
        voltages, on, brakes, phase, self.flags = self.drive
        assert brakes == (not on[0], not on[1])
        self.saw(phase)
        s = self.sense
        s["ring_rate"] = 0.0 if self.jammed_ring else 0.055 * voltages[0]
        s["carriage_rate"] = 0.0 if self.jammed_carriage else 1.7e-4 * voltages[1]
        s["ring_current"] = 5.0 if self.jammed_ring and on[0] else 0.5 * on[0]
        s["carriage_current"] = 5.0 if self.jammed_carriage and on[1] else 0.5 * on[1]
        s["ring_angle"] += H * s["ring_rate"]
        s["carriage_position"] += H * s["carriage_rate"]

    def caught(self):
        self.run("close", "captured")
        return self

    def rigid(self):
        self.caught().run("rigidize", "rigidized")
        return self
