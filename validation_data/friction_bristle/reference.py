"""Coulomb on a slope, and the lag of a bristle that is led in a circle: sin(lag) = mu N/(k radius)."""

from __future__ import annotations

import math

G, MU = 9.80665, 0.5
RADII = (6e-6, 20e-6, 1e-3)  # m
LENGTH = 5e-6  # m, mu N/k


def values():
    a = math.radians(35.0)
    found = {"acceleration on a slope of 35 deg": G * (math.sin(a) - MU * math.cos(a)),
             "speed on a slope of 10 deg": 0.0, "force while sliding in a circle": MU}
    return found | {f"lag in a circle of {1e6 * radius:g} um": math.degrees(math.asin(LENGTH / radius))
                    for radius in RADII}
