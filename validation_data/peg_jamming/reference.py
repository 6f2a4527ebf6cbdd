"""The load at which a peg jams between two contacts: Whitney's formula, and the statics with the peg's tilt.

A peg of the radius r leans in a hole of the radius R. At the depth d its side lies on the rim, and the edge of its foot
on the opposite wall. Loads act on the middle of its foot: Fx across the hole, Fz into it, and the moment M in the plane
of the tilt. Whitney (1982) neglects the tilt: M/(r Fz) = lambda + mu (1 + lambda) Fx/Fz, lambda = d/(2 r mu).
"""

from __future__ import annotations

import math

import numpy as np

RADIUS, HOLE = 0.02, 0.02005  # m
#: coefficient of friction, depth (m)
CASES = ((0.3, 0.03), (0.5, 0.05), (0.1, 0.03))
#: mu Fx/Fz; from -1 to 1 both contacts are closed
ACROSS = (-0.5, 0.0, 0.5)


def rows():
    """Name, coefficient of friction, depth (m) and Fx/Fz of each load."""
    return [(f"mu {mu:g}, depth {1e3 * d:.0f} mm, mu Fx/Fz {across:g}", mu, d, across / mu)
            for mu, d in CASES for across in ACROSS]


def tilt(d):
    """Tilt (rad) at which 2 r cos t + d sin t = 2 R."""
    return math.atan2(d, 2 * RADIUS) - math.acos(2 * HOLE / math.hypot(2 * RADIUS, d))


def whitney(mu, d, ratio):
    """M/(r Fz) at which the peg jams, without tilt; ratio = Fx/Fz."""
    slope = d / (2 * RADIUS * mu)
    return slope + mu * (1 + slope) * ratio


def leaning(mu, d, ratio):
    """M/(r Fz) with the tilt: both contacts slide, and forces and moments about the middle of the foot are balanced.

    Across (x) and up (z): the side's normal and axis turn with the peg, the wall's do not.
    """
    t = tilt(d)
    across, axis = np.array([math.cos(t), -math.sin(t)]), np.array([math.sin(t), math.cos(t)])
    on_side, on_foot = -across + mu * axis, np.array([1.0, mu])  # forces on the peg per normal force
    normals = np.linalg.solve(np.column_stack([on_side, on_foot]), [-ratio, 1.0])
    arms = RADIUS * across + d * axis, -RADIUS * across
    moments = [p[1] * f[0] - p[0] * f[1] for p, f in zip(arms, (on_side, on_foot), strict=True)]
    return -float(normals @ moments) / RADIUS


def values():
    found = {}
    for name, mu, d, ratio in rows():
        found[f"{name}: Whitney"] = whitney(mu, d, ratio)
        found[f"{name}: with the tilt"] = leaning(mu, d, ratio)
    return found
