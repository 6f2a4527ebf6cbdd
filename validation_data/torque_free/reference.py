"""Free rotation: Euler's equations, for a symmetric top in circles, else by Jacobi's elliptic functions."""

from __future__ import annotations

import math

from scipy.special import ellipj

SYMMETRIC, W_SYMMETRIC = (2.0, 2.0, 3.0), (0.3, 0.0, 2.0)  # kg m2, rad/s in body axes
MOMENTS, SPIN = (1.0, 2.0, 3.0), (1.0, 0.0, 1.5)  # starts with w2 = 0
G, STEP = 9.80665, 1e-3  # m/s2, s


def jacobi(t):
    """w (3,) of a body with I1 < I2 < I3 and L^2 > 2 E I2 (Landau and Lifshitz, Mechanics, section 37)."""
    I1, I2, I3 = MOMENTS
    E2 = sum(moment * w * w for moment, w in zip(MOMENTS, SPIN, strict=True))
    L2 = sum((moment * w) ** 2 for moment, w in zip(MOMENTS, SPIN, strict=True))
    assert L2 > E2 * I2
    rate = math.sqrt((I3 - I2) * (L2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - L2) / ((I3 - I2) * (L2 - E2 * I1))
    sn, cn, dn, _ = ellipj(rate * t, m)
    return (math.sqrt((E2 * I3 - L2) / (I1 * (I3 - I1))) * cn, math.sqrt((E2 * I3 - L2) / (I2 * (I3 - I2))) * sn,
            math.sqrt((L2 - E2 * I1) / (I3 * (I3 - I1))) * dn)


def values():
    return {"order of semi_implicit_euler in rotation": 1.0, "order of rk4 in rotation": 4.0,
            "height after 1 s of free fall, rk4": -G / 2,
            "height after 1 s of free fall, semi_implicit_euler": -G / 2 * (1 + STEP)}


def series():
    times = [0.1 * k for k in range(101)]
    lag = (SYMMETRIC[2] - SYMMETRIC[0]) / SYMMETRIC[0] * W_SYMMETRIC[2]
    top = [(t, W_SYMMETRIC[0] * math.cos(lag * t), W_SYMMETRIC[0] * math.sin(lag * t), W_SYMMETRIC[2]) for t in times]
    return {"top.csv": (("t", "w1", "w2", "w3"), top), "body.csv": (("t", "w1", "w2", "w3"),
                                                                   [(t, *jacobi(t)) for t in times])}
