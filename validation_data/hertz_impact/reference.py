"""Hertz's impact without damping: K = 4/3 E sqrt(R), depth (5 m v^2/(4 K))^(2/5), duration by the beta function."""

from __future__ import annotations

import math

E, NU, DENSITY, RADIUS, SPEED = 200e9, 0.3, 7800.0, 0.01, 1.0  # steel: Pa, 1, kg/m3; m, m/s


def impact(modulus, radius, mass):
    """Largest force (N), depth (m), duration (s)."""
    K = 4 / 3 * modulus * math.sqrt(radius)
    depth = (5 * mass * SPEED**2 / (4 * K)) ** 0.4
    # 2 int_0^1 dx/sqrt(1 - x^(5/2)) = 4/5 B(2/5, 1/2)
    beta = math.gamma(0.4) * math.gamma(0.5) / math.gamma(0.9)
    return K * depth**1.5, depth, 0.8 * beta * depth / SPEED


def values():
    mass, strain = DENSITY * 4 / 3 * math.pi * RADIUS**3, E / (1 - NU**2)
    found = {}
    for name, case in (("ball on a rigid plane", (strain, RADIUS, mass)),
                       ("two equal balls", (strain / 2, RADIUS / 2, mass / 2))):
        force, depth, duration = impact(*case)
        found |= {f"{name}: largest force": force, f"{name}: largest depth": 1e6 * depth,
                  f"{name}: duration": 1e6 * duration, f"{name}: restitution": 1.0}
    return found
