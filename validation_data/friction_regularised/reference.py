"""f = mu(v) N v/sqrt(v^2 + vs^2), mu(v) = mu_k + (mu_s - mu_k) exp(-(v/vs)^2); terminal speed on a slope."""

from __future__ import annotations

import math

MU_S, MU_K, VS, SLOPE = 0.5, 0.3, 0.01, math.radians(10.0)


def drag(v):
    return (MU_K + (MU_S - MU_K) * math.exp(-((v / VS) ** 2))) * v / math.hypot(v, VS)


def values():
    # with mu_s = mu_k = 0.5 the block creeps where 0.5 v/sqrt(v^2 + vs^2) = tan(slope)
    s = math.tan(SLOPE) / 0.5
    return {"creep on a slope of 10 deg": 1e3 * VS * s / math.sqrt(1 - s * s)}


def series():
    speeds = [1e-3 * k for k in range(1, 101)]
    return {"drag.csv": (("speed", "drag"), [(v, drag(v)) for v in speeds])}
