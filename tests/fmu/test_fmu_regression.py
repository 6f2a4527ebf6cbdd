"""The shipped scene's FMU, driven by FMPy along a recorded motion, gives the recorded wrenches.

`python -m tests.fmu.test_fmu_regression` records anew: do that only when the scene or the mathematics was meant to
change.
"""

import numpy as np

from tests.support.recorded import Recorded, state_names, wrench_names

STEP, STEPS = 1e-3, 300


def motion(t):
    """Pins half way in, led in a circle of 0.3 mm (the clearance is 0.2 mm) and tilted to and fro by 2 mrad."""
    w = 2 * np.pi / (STEP * STEPS)
    r = np.array([3e-4 * np.cos(w * t), 3e-4 * np.sin(w * t), 0.03])
    v = np.array([-3e-4 * w * np.sin(w * t), 3e-4 * w * np.cos(w * t), 0.0])
    angle, rate = 2e-3 * np.sin(2 * w * t), 4e-3 * w * np.cos(2 * w * t)
    return np.array([*r, np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0, *v, rate, 0.0, 0.0])


CASE = Recorded("peg_in_hole_fmu", "peg_in_hole", state_names("interface"),
                [*wrench_names("interface"), "contact.count", "contact.max_depth"], motion, STEP, STEPS)


def test_recorded_wrenches(tmp_path):
    # the same mathematics: sin and cos of another C library may differ in the last bit, and sliding remembers it
    expected = CASE.check(tmp_path)
    assert expected["contact.count"].max() >= 6


if __name__ == "__main__":
    CASE.record()
