"""A dc motor behind a gear, a four-bar linkage under load, springs of indicators, a gauge under a weight, a brake."""

from __future__ import annotations

import cmath
import math

INERTIA, GEAR, KT, OHM, EFFICIENCY, VOLTS = 20.0, 1000.0, 0.05, 1.2, 0.6, 24.0
GROUND, CRANK, COUPLER, ROCKER = 0.120, 0.060, 0.110, 0.090  # m
TIP = 0.190 + 0.030j  # m, on the coupler
G = 9.80665


def coupler(angle):
    """Angle of the coupler: two circles meet, in the plane of complex numbers."""
    B = CRANK * cmath.exp(1j * angle)
    way = GROUND - B
    D = abs(way)
    x = (COUPLER**2 - ROCKER**2 + D * D) / (2 * D)
    C = B + way / D * complex(x, math.sqrt(COUPLER**2 - x * x))
    return cmath.phase((C - B) / COUPLER)


def tip(angle):
    return CRANK * cmath.exp(1j * angle) + TIP * cmath.exp(1j * coupler(angle))


def values():
    h = 1e-6
    lever = (tip(1.0 + h) - tip(1.0 - h)).imag / (2 * h)  # m/rad, how far the tip rises
    return {
        "latch: torque at a stall": EFFICIENCY * GEAR * KT * VOLTS / OHM,
        "latch: torque of 50 N on its tip": 50.0 * lever,
        "latch_drive: torque of the brake": 51.0,
        "latch_drive: torque before it slips": 1e4 * 2e-3,
        "plunger: travel under 5 N": 1e3 * (5.0 - 2.0) / 400.0,
        "plunger: load": 5.0,
        "paddle: spring over the moment of the load": 1.0,
        "gauge: load of a ball of 3 kg": 3.0 * G,
        "gauge: contacts": 1.0,
    }


def series():
    tau, top = INERTIA * OHM / (EFFICIENCY * (GEAR * KT) ** 2), VOLTS / (GEAR * KT)
    return {"run_up.csv": (("t", "rate"), [(1e-3 * k, top * (1 - math.exp(-1e-3 * k / tau))) for k in range(101)])}
