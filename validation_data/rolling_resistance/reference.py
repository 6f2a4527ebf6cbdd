"""A solid ball that rolls or spins: mu_r N and mu_s N against it; a Hertz patch holds 3 pi/16 mu N a."""

from __future__ import annotations

import math

G, RADIUS, STIFFNESS, MU_R, MU_S, MU_PATCH = 9.80665, 0.1, 1e5, 1e-3, 2e-3, 0.4  # m/s2, m, N/m, m, m, 1
INERTIA = 0.4 * RADIUS**2  # kg m2; the mass is 1 kg
DEPTH = G / STIFFNESS


def values():
    lever = RADIUS - DEPTH / 2  # the contact lies midway between the surfaces
    patch = 3 * math.pi / 16 * MU_PATCH * G * math.sqrt(RADIUS * DEPTH)
    return {
        "deceleration of a rolling ball": MU_R * G / (lever + INERTIA / lever),
        "deceleration of a spinning ball": MU_S * G / INERTIA,
        "spin of a patch under 0.95 of its limit": 0.0,
        "acceleration of a patch under 1.5 of its limit": 0.5 * patch / INERTIA,
        "speed on a slope of 0.9 mu_r/R": 0.0,
    }
