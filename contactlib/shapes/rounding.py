"""Rounded solids: all balls of one radius that fit into a solid. Their middles fill its core."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from contactlib.shapes.mass import MassProperties

Floats = NDArray[np.float64]


def inner_corners(normals: Floats, offsets: Floats, radius: float) -> Floats:
    """Return the corners of the core of a polyhedron: the points at least `radius` (m) behind all its faces.

    normals (F, 3) are unit vectors out of the solid, and a face is `n . x = offset` (m). ValueError if no ball of this
    radius fits into the solid with room around it.
    """
    from scipy.optimize import linprog
    from scipy.spatial import HalfspaceIntersection

    # the largest ball inside: maximise t, with n.x + t <= offset
    found = linprog([0.0, 0.0, 0.0, -1.0], A_ub=np.column_stack([normals, np.ones(len(normals))]), b_ub=offsets,
                    bounds=[(None, None)] * 3 + [(0.0, None)])
    middle, largest = found.x[:3], float(found.x[3])
    if not radius < 0.999 * largest:
        raise ValueError(f"rounding = {radius:g}: must be below 0.999 of the radius of the largest ball inside, "
                         f"{largest:g} m; a solid that is only a ball is a sphere")
    planes = np.column_stack([normals, radius - offsets])
    return np.asarray(HalfspaceIntersection(planes, middle).intersections)


def rounded_block(size: tuple[float, ...], radius: float, density: float) -> MassProperties:
    """Return the mass properties of a block about the origin whose edges and corners are rounded with `radius`.

    The solid is a ball of radius r swept over a core of half lengths h. It has the core, six slabs, twelve quarter
    cylinders and eight eighths of a ball; with u from 0 to r across a core's side, for the axis x,

        V       = 8 hx hy hz + 8 r (hx hy + hy hz + hz hx) + 2 pi r^2 (hx + hy + hz) + 4/3 pi r^3
        int x^2 = hx^2/3 (8 hx hy hz + 8 r hx (hy + hz) + 2 pi r^2 hx)               over |x| <= hx
                  + 8 hy hz int (hx + u)^2                                             slabs across x
                  + 2 (hy + hz) int_disc (hx + |u|)^2 + int_ball (hx + |u|)^2          edges across x, and corners
    """
    r, r2 = radius, radius * radius
    disc, ball = math.pi * r2, 4 / 3 * math.pi * r2 * r
    h = [side / 2 - r for side in size]
    second = []
    for axis in range(3):
        x, y, z = h[axis], h[(axis + 1) % 3], h[(axis + 2) % 3]
        within = x * x / 3 * (8 * x * y * z + 8 * r * x * (y + z) + 2 * disc * x)
        slabs = 8 * y * z * (x * x * r + x * r2 + r2 * r / 3)
        edges = 2 * (y + z) * (disc * x * x + 8 / 3 * x * r2 * r + disc * r2 / 4)
        corners = ball * x * x + disc * x * r2 + ball * r2 / 5
        second.append(density * (within + slabs + edges + corners))
    x, y, z = h
    volume = 8 * x * y * z + 8 * r * (x * y + y * z + z * x) + 2 * disc * (x + y + z) + ball
    a, b, c = second
    return MassProperties(density * volume, np.zeros(3), np.diag([b + c, a + c, a + b]))
