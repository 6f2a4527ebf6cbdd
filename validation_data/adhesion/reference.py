"""k x - P min(1, x/range): pull-off P - k range, the curve, and the work; an impact without damping returns all."""

from __future__ import annotations

PULL, RANGE, STIFFNESS = 2.0, 1e-5, 1e4  # N, m, N/m


def values():
    return {"largest tension": PULL - STIFFNESS * RANGE, "restitution without damping": 1.0}


def series():
    depths = [1e-6 * k for k in range(1, 401)]
    return {"curve.csv": (("depth", "force"), [(x, STIFFNESS * x - PULL * min(1.0, x / RANGE)) for x in depths])}
