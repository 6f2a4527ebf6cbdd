"""An elastic foundation of the modulus K = E/h: f = K int e dA, E = K/2 int e^2 dA, e the depth below the plane."""

from __future__ import annotations

import math

import numpy as np

K = 5e6 / 2e-3  # Pa/m: rubber of 5 MPa, 2 mm
A, B, C = 0.1, 0.06, 0.04  # m, sides of the block
RADIUS, LENGTH, MASS = 0.05, 0.08, 2.0  # m, m, kg
TILT, DEPTH = 1e-4, 1e-5  # rad, m
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def over(low, high, function):
    """int function(x) dx by Gauss's rule."""
    x = (low + high) / 2 + (high - low) / 2 * NODES
    return (high - low) / 2 * float(WEIGHTS @ function(x))


def block(tilt):
    """Force (N), moment about the middle of the block (N m) and energy (J): its face, and its walls below the plane."""
    s, c = math.sin(tilt), math.cos(tilt)

    def depth(x, z):  # of a place in the block's axes
        return DEPTH + s * x - c * (z + C / 2)

    def lever(x, z):
        return c * x + s * z

    sums = np.zeros(3)

    def add(area, e, arm):
        sums[:] += np.array([e, -arm * e, e * e / 2]) * area

    for x, w in zip(A / 2 * NODES, A / 2 * WEIGHTS, strict=True):
        add(w * B, depth(x, -C / 2), lever(x, -C / 2))
        high = depth(x, -C / 2) / c  # of the part of both long walls that is below the plane
        for z, v in zip(-C / 2 + high / 2 * (1 + NODES), high / 2 * WEIGHTS, strict=True):
            add(2 * w * v, depth(x, z), lever(x, z))
    for x in (-A / 2, A / 2):
        high = depth(x, -C / 2) / c
        for z, v in zip(-C / 2 + high / 2 * (1 + NODES), high / 2 * WEIGHTS, strict=True):
            add(B * v, depth(x, z), lever(x, z))
    return K * sums


def roller():
    """Force on a lying cylinder: its side, and the two segments of its ends."""
    half = math.acos(1 - DEPTH / RADIUS)
    side = over(-half, half, lambda t: LENGTH * RADIUS * (DEPTH - RADIUS * (1 - np.cos(t))))
    # a chord that is R (cos t - cos half) deep is 2 R sin(t) wide; two ends
    ends = over(0.0, half, lambda t: 4 * RADIUS**3 * np.sin(t) ** 2 * (np.cos(t) - math.cos(half)))
    return K * (side + ends)


def values():
    flat, tilted = block(0.0), block(TILT)
    # f = K (A B d + (A + B) d^2) at the sag
    weight = 9.81 * MASS / K
    sag = 2 * weight / (A * B + math.sqrt((A * B) ** 2 + 4 * (A + B) * weight))
    stiffness = K * (A * B + 2 * (A + B) * sag)
    return {"flat block: force": flat[0], "flat block: energy": 1e3 * flat[2],
            "tilted block: force": tilted[0], "tilted block: moment": tilted[1],
            "roller: force": roller(), "block: period of bouncing": 2e3 * math.pi * math.sqrt(MASS / stiffness)}
