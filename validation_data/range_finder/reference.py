"""Distances along rays by elementary geometry: a ball of 0.5 m 3 m away along x, a box, a plane, a cylinder, a mesh."""

from __future__ import annotations

import math


def values():
    along, aside = 3.0, 0.4
    across = 3.0 * aside / math.hypot(along, aside)  # of the ball's middle from the slanted ray
    slanted = 9.0 / math.hypot(along, aside) - math.sqrt(0.25 - across**2)
    return {"ball": 2.5, "ball, slanted ray": slanted, "box": 1.0, "plane": 4.0,
            "plane, ray at 45 deg": 4 * math.sqrt(2), "nothing": 1000.0, "ball that has moved by 0.5 m": 3.0,
            "normal of the ball at the slanted ray, y": (
                slanted * aside / math.hypot(along, aside) / 0.5),
            "mesh of a cube": 1.5, "cylinder": 2.0 - 0.3, "ellipsoid": 2.0 - 0.4, "capsule, from above": 5.0 - 0.7,
            "hits": 9.0}
