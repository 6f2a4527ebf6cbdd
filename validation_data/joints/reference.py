"""Pendulums with the period of their amplitude, oscillators, friction, a weld, and what a drive holds."""

from __future__ import annotations

import math

from scipy.special import ellipk

G, LENGTH, MASS, INERTIA, ANGLE = 9.81, 2.0, 3.0, 4.0, 1.0  # the stick of the pendulums
M, K, C = 2.0, 200.0, 4.0  # the mass on a slider


def values():
    period = 4 * math.sqrt((INERTIA + MASS * LENGTH**2) / (MASS * G * LENGTH)) * ellipk(math.sin(ANGLE / 2) ** 2)
    return {
        "angle of a hinge after one period": ANGLE,
        "angle of a ball joint after one period": ANGLE,
        "period": period,
        "order of a hinge pendulum": 2.0,
        "acceleration of a slider with friction below the weight": (20.0 - 15.0) / M,
        "creep of a slider with friction above the weight": 0.0,
        "acceleration of two welded bodies": 10.0 / (3.0 + 2.0),
        "spin of two welded bodies about their common centre": 10.0 * 0.4 / (0.1 + 0.1 + 3.0 * 2.0 / 5.0),
        "torque of a drive that holds a weight": 2.0 * 9.81 * 0.5,
    }


def series():
    w, decay = math.sqrt(K / M), C / (2 * M)
    d = math.sqrt(w * w - decay * decay)
    rows = [(t := 0.01 * k, math.sin(w * t) / w, math.exp(-decay * t) * math.sin(d * t) / d) for k in range(101)]
    return {"oscillators.csv": (("t", "slider", "damped"), rows)}
