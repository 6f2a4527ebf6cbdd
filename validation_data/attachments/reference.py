"""Limits of the contact models: of the spring, of the claw's hook and angle, and of the gecko."""

from __future__ import annotations

import math

STIFFNESS, PRESSED = 1e4, 1e-5  # N/m, m: depth when the foot attaches


def values():
    return {
        "spring: force along x at which it breaks": 20.0,
        "spring: force along y at which it breaks": 30.0,
        "spring: tension at which it breaks": 10.0,
        "claw: force after 0.1 mm along its direction": 1.0,
        "claw: force against its direction": 0.0,
        "claw: angle of the pull at which it unhooks": 45.0,
        "gecko: shear at which it slides": 5.0 + 0.2 * STIFFNESS * PRESSED,
        "gecko: friction against its direction": 0.2 * STIFFNESS * PRESSED,
        "period of a mass on a spring": 1e3 * 2 * math.pi / math.sqrt(STIFFNESS),
    }
