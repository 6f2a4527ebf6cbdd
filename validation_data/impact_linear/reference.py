"""m x'' = -k x - c x' until the force is zero: Schwager and Poeschel, Granular Matter 9 (2007) 465, equation 21."""

from __future__ import annotations

import math

STIFFNESS, SPEED = 1e4, 1.0  # N/m, m/s; the mass is 1 kg
RATIOS = (0.1, 0.2, 0.5)  # of critical damping
SHOWN = 0.2  # the ratio whose motion is a series


def oscillator(ratio):
    """Rate of decay, rate of the damped oscillation (1/s), and the time when the force is zero (s)."""
    decay = ratio * math.sqrt(STIFFNESS)
    w = math.sqrt(STIFFNESS - decay**2)
    return decay, w, (math.pi - math.atan2(2 * decay * w, w**2 - decay**2)) / w


def values():
    found = {}
    for ratio in RATIOS:
        decay, _, end = oscillator(ratio)
        e = math.exp(-decay * end)
        found[f"restitution, {ratio} of critical damping"] = e
        found[f"heat, {ratio} of critical damping"] = 0.5 * SPEED**2 * (1 - e**2)
    return found


def series():
    decay, w, end = oscillator(SHOWN)
    times = [1e-3 * k for k in range(int(end / 1e-3) + 1)]
    return {"motion.csv": (("t", "depth", "force"), [
        (t, x := SPEED / w * math.exp(-decay * t) * math.sin(w * t),
         STIFFNESS * x + 2 * decay * (SPEED * math.exp(-decay * t) * math.cos(w * t) - decay * x)) for t in times])}
