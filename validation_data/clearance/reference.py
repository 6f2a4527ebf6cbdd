"""Distances by elementary geometry of a ball of 0.1 m at the origin, of a peg in its hole, and of two crossed beams."""

from __future__ import annotations

import math


def values():
    corner = 1.5 * math.sqrt(3.0)
    return {"ball": 3.0 - 0.5 - 0.1, "face of a box": 1.0 - 0.1, "corner of a box": corner - 0.1, "plane": 4.0 - 0.1,
            "mesh of a cube": 1.5 - 0.1, "cylinder": 2.0 - 0.3 - 0.1, "peg in its hole": 0.3 - 0.2 - 0.05,
            "crossed edges": 1.0 - math.sqrt(0.5) * (0.4 + 0.2), "nearest of all": 0.9, "ball, 0.5 m nearer": 1.9,
            "direction to the corner, y": 1.0 / math.sqrt(3.0),
            "nearest point of the probe to the corner, z": 0.1 / math.sqrt(3.0), "number of the nearest body": 3.0}
