"""Cones and frustums: convex solids with flat sides around a circle."""

from __future__ import annotations

import math

import numpy as np

from contactlib.common.elementary import cos, sin
from contactlib.shapes.polytopes import Polyhedron

MOST_SIDES = 1024


def cone(radius: float, length: float, top_radius: float = 0.0, sides: int = 64) -> Polyhedron:
    """Return a cone, or a frustum, as a polyhedron with flat sides.

    It lies along z, with its bottom at z = -length/2 and its top at z = length/2. The polygons of bottom and top have
    the areas of their circles, so that volume and mass are exact. Its surface is off by at most (pi/sides)^2/3 of the
    radius: 8e-4 with 64 sides.

    Parameters
    ----------
    radius, top_radius : m, at the bottom and at the top; one of them may be 0, which is a tip.
    length : m.
    sides : number of flat sides, 3 to 1024.

    Raises
    ------
    ValueError : a radius below zero, both zero, a length that is not greater than zero, too few or too many sides.

    Examples
    --------
    >>> tip = cone(0.3, 1.0)
    >>> tip, bool(abs(tip.mass_properties(density=1000.0).mass - 1000.0 * np.pi * 0.3**2 / 3) < 1e-9)
    (Polyhedron(65 corners), True)
    """
    for name, value in (("radius", radius), ("top_radius", top_radius)):
        if not (np.isfinite(value) and value >= 0.0):
            raise ValueError(f"{name} = {value}: must be a finite number of at least 0")
    if not max(radius, top_radius) > 0.0:
        raise ValueError("radius = 0, top_radius = 0: one of them must be greater than 0")
    if not (np.isfinite(length) and length > 0.0):
        raise ValueError(f"length = {length}: must be a finite number greater than 0")
    if isinstance(sides, bool) or not isinstance(sides, int) or not 3 <= sides <= MOST_SIDES:
        raise ValueError(f"sides = {sides!r}: must be an integer from 3 to {MOST_SIDES}")
    step = 2.0 * math.pi / sides
    wider = math.sqrt(step / sin(step))  # corners outside the circle, so that the areas are equal
    circle = [(wider * cos(k * step), wider * sin(k * step)) for k in range(sides)]
    corners: list[tuple[float, float, float]] = []
    for r, z in ((radius, -0.5 * length), (top_radius, 0.5 * length)):
        corners += [(r * x, r * y, z) for x, y in circle] if r > 0.0 else [(0.0, 0.0, z)]
    return Polyhedron(np.array(corners))
