"""A thruster across the spin axis: v = F/(m w) (sin w t, 1 - cos w t); one beside the centre of mass turns the body."""

from __future__ import annotations

import math

MASS, W, FORCE, START, INERTIA, ARM = 2.0, 3.0, 5.0, 0.5, 1.0, 0.2


def values():
    return {"spin after 1 s of a thruster 0.2 m beside the centre of mass": FORCE * ARM / INERTIA * (1.0 - START)}


def series():
    def v(t):
        a, s = W * START, W * max(t, START)
        return FORCE / MASS / W * (math.sin(s) - math.sin(a)), FORCE / MASS / W * (math.cos(a) - math.cos(s))

    return {"velocity.csv": (("t", "vx", "vy"), [(0.05 * k, *v(0.05 * k)) for k in range(41)])}
