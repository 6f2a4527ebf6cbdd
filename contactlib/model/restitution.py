"""Damping of a normal law from the coefficient of restitution of an impact: closed forms of one mass on the law.

With the mass m, the speed v when contact begins and e v when it ends:

    kelvin_voigt      e = exp(-2 zeta acos(zeta)/sqrt(1 - zeta^2)),  c = 2 zeta sqrt(k m)
    all other laws    (1 + e) lambda v = ln((1 + lambda v)/(1 - e lambda v)), whatever mass, stiffness and exponent

The first is the damped oscillation up to where its force is zero (Brach, Mechanical Impact Dynamics, 1991). The second
is the energy balance m x' dx' = -F(x) (1 + lambda x') dx, integrated from contact to separation (Gonthier, McPhee,
Lange and Piedboeuf, Multibody System Dynamics 11, 2004).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from contactlib.common.elementary import acos, log

LEAST = 1e-3  # below it damping would be without end


def damping_of_oscillator(restitution: float, stiffness: float, mass: float) -> float:
    """Return the damping c (N s/m) of kelvin_voigt: stiffness in N/m, mass in kg, m1 m2/(m1 + m2) of two bodies.

    >>> round(damping_of_oscillator(0.5, 1e4, 2.0), 6)
    72.202854
    """
    zeta = _root(lambda zeta: _exponent(zeta) + log(restitution), 0.0, 1e6)
    return 2.0 * zeta * math.sqrt(stiffness * mass)


def damping_at_speed(restitution: float, speed: float) -> float:
    """Return the damping lambda (s/m) of the laws F(x) (1 + lambda x'), for impacts at a speed in m/s.

    >>> round(damping_at_speed(0.5, 0.1), 6)
    14.327505
    """
    if restitution == 1.0:
        return 0.0
    e = restitution
    # the curve falls from 0 to its minimum at (1 - e)/e, and rises through the root to infinity at 1/e
    x = _root(lambda x: log((1.0 + x) / (1.0 - e * x)) - (1.0 + e) * x, (1.0 - e) / e, 1.0 / e)
    return x / speed


def _exponent(zeta: float) -> float:
    """2 zeta acos(zeta)/sqrt(1 - zeta^2), and its continuation beyond 1: it grows."""
    if abs(zeta - 1.0) < 1e-9:
        return 2.0
    if zeta < 1.0:
        return 2.0 * zeta * acos(zeta) / math.sqrt(1.0 - zeta * zeta)
    root = math.sqrt(zeta * zeta - 1.0)
    return 2.0 * zeta * log(zeta + root) / root


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Bisect down to neighbouring numbers; the function is below zero at `low` and above it at `high`."""
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if function(middle) < 0.0 else (low, middle)
    return low
