"""A rope over a pin: what holds does not move, and what exceeds the limit slides. The limits are closed forms.

Two loads on a light rope hold up to T2 = exp(mu phi) T1. A heavy rope lies on the upper half of a horizontal pin. Where
friction is at its limit its tension obeys dT/da = mu T + w R (cos a + mu sin a), with the angle a from the light side,
the radius R of the centre line and the weight w per length. So it holds as long as its heavy side is no longer than
h2 = exp(mu pi) h1 + R 2 mu/(1 + mu^2) (exp(mu pi) + 1).
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

ROPES = tomllib.loads((Path(__file__).parent / "rope.toml").read_text(encoding="utf-8"))


def longest_side(mu):
    """h2 (m) of the heavy rope at the limit."""
    rope, grow = ROPES["heavy"], math.exp(mu * math.pi)
    radius = rope["pin_radius"] + rope["radius"]
    return grow * rope["light_side"] + radius * 2 * mu / (1 + mu * mu) * (grow + 1)


def values():
    heavy, light = ROPES["heavy"], ROPES["light"]
    names = [(f"heavy rope, mu {run['mu']:g}", run) for run in heavy["run"]]
    names += [(f"two loads, mu {mu:g}, {angle} deg", light) for mu in light["mu"] for angle in light["angles"]]
    found = {}
    for name, run in names:
        found[f"{name}: creep at {run['holds']:g} of the limit"] = 0.0
        found[f"{name}: slides at {run['slides']:g}"] = 1.0
    return found
