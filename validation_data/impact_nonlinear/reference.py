"""Effective restitution of F(x) (1 + lambda x'): (1 + e) lambda v = ln((1 + lambda v)/(1 - e lambda v)), whatever F is.

The formulas for lambda v are those of the papers in README.md, as functions of the nominal restitution.
"""

from __future__ import annotations

import math

FORMULAS = {
    "HuntCrossley": lambda e: 3 * (1 - e) / 2,
    "LankaraniNikravesh": lambda e: 3 * (1 - e**2) / 4,
    "HerbertMcWhannell": lambda e: 6 * (1 - e) / ((2 * e - 1) ** 2 + 3),
    "LeeWang": lambda e: 3 * (1 - e) / 4,
    "Gonthier": lambda e: (1 - e**2) / e,
    "FloresEtAl": lambda e: 8 * (1 - e) / (5 * e),
    "HuGuo": lambda e: 3 * (1 - e) / (2 * e),
}
NOMINAL = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def effective(damping):
    """Solve for e by bisection; lambda v = `damping`. The root lies between (almost) 0 and min(1, 1/damping)."""
    low, high = 1e-9, min(1.0, 1.0 / damping) * (1 - 1e-15)
    while low < (middle := 0.5 * (low + high)) < high:
        lower = damping * (1 + middle) - math.log((1 + damping) / (1 - damping * middle))
        low, high = (middle, high) if lower > 0.0 else (low, middle)
    return low


def values():
    """Largest depth of 1 kg at 1 m/s without damping, mm: k x^(n+1)/(n+1) = m v^2/2."""
    laws = {"exponent 1": (1.0, 1e4), "exponent 1.5": (1.5, 1e5), "exponent 2.2": (2.2, 3e6)}
    return {f"largest depth of hunt_crossley, {name}": 1e3 * ((n + 1) / (2 * k)) ** (1 / (n + 1))
            for name, (n, k) in laws.items()}


def series():
    rows = [(e, *(effective(formula(e)) for formula in FORMULAS.values())) for e in NOMINAL]
    return {"restitution_effective.csv": (("e_nominal", *FORMULAS), rows)}
