"""LuGre at constant speed: steady force g(v) + s2 v, and the rise g (1 - exp(-s0 v t/g)) of the bristles; N = 1 N."""

from __future__ import annotations

import math

MU_S, MU_K, VS, S0, S2 = 0.6, 0.4, 1e-2, 1e5, 0.1


def g(v):
    return MU_K + (MU_S - MU_K) * math.exp(-((v / VS) ** 2))


def series():
    speeds = [1e-3 * 1.06**k for k in range(98)]
    steady = [(v, g(v) + S2 * v) for v in speeds]
    v = 2e-3
    rise = [(x := 0.5e-6 * k, g(v) * (1 - math.exp(-S0 * x / g(v)))) for k in range(1, 61)]
    return {"steady.csv": (("speed", "drag"), steady), "rise.csv": (("slip", "drag"), rise)}
