"""Friction mu(v) = mu_slow + (mu_fast - mu_slow) v/(v + vt) at N = 1 N, over the speed."""

from __future__ import annotations

MU_SLOW, MU_FAST, VT = 0.2, 0.6, 0.5


def series():
    speeds = [0.01 * 1000 ** (k / 59) for k in range(60)]
    return {"friction.csv": (("speed", "drag"), [(v, MU_SLOW + (MU_FAST - MU_SLOW) * v / (v + VT)) for v in speeds])}
