"""Depths in a hole of radius R about z: a body goes into the wall by the distance of its outermost point less R.

R = 17.5 mm, the hole is 50 mm deep and ends in a half ball. All solids lie at half depth with their axes along z.
"""

from __future__ import annotations

import math

R, H = 17.5, 50.0  # mm


def values():
    corner = math.hypot(12.0 + 2.0, 10.0)  # of a box of 24 x 20 mm, 2 mm beside the axis
    return {
        "point in the wall": 18.0 - R,
        "sphere in the wall": 5.0 + 13.0 - R,
        "sphere in the cap": 3.0 + 15.0 - R,
        "sphere on the rim": 10.0 - math.hypot(R - 12.0, 6.0),
        "segment in the wall": 18.0 - R,
        "capsule in the wall": 1.0 + 17.0 - R,
        "triangle in the wall": 18.2 - R,
        "ellipsoid in the wall": 5.0 + 13.0 - R,
        "box in the wall": math.hypot(14.0, 12.0) - R,
        "cylinder in the wall": 2.0 + 16.0 - R,
        "polyhedron in the wall": corner + 0.8 - R,
        "mesh in the wall": corner + 0.8 - R,
        "socket in the wall": math.hypot(14.0, 12.0) - R,
    }
