"""Positions of a ring's parts in cylindrical coordinates about its axis z, and the tables of shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.elementary import cos, sin
from contactlib.common.vectors import norm, unit

Floats = NDArray[np.float64]
Table = dict[str, Any]
DIGITS = 10  # decimals of lengths in m and of quaternions, so that every machine writes equal files
AXIS = np.array([0.0, 0.0, 1.0])


def radial(angle: float) -> Floats:
    """Return the unit vector away from the axis at an angle (rad)."""
    return np.array([cos(angle), sin(angle), 0.0])


def point(radius: float, angle: float, height: float) -> Floats:
    """Return the point with these cylindrical coordinates (m, rad, m) in the ring's axes, m."""
    result: Floats = radius * radial(angle) + height * AXIS
    return result


def evenly(count: int, first: float) -> list[float]:
    """Return equally spaced angles (rad) on the whole circle; the first angle is given in degrees."""
    return [math.radians(first + 360.0 * k / count) for k in range(count)]


def about_axis(angle: float) -> tuple[float, ...]:
    """Return the quaternion of the axes radial, tangential, z at an angle (rad)."""
    return (cos(angle / 2), 0.0, 0.0, sin(angle / 2))


def leaning(angle: float, lean: float) -> tuple[float, ...]:
    """Return the quaternion of `about_axis` with z tilted outwards by `lean` (rad)."""
    c, s, cl, sl = cos(angle / 2), sin(angle / 2), cos(lean / 2), sin(lean / 2)
    return (c * cl, -s * sl, c * sl, s * cl)


def along(direction: Floats) -> tuple[float, ...]:
    """Return the quaternion of the smallest rotation from z to a direction."""
    d = unit(direction)
    if d[2] < -1.0 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    q = np.array([1.0 + d[2], -d[1], d[0], 0.0])
    return tuple(unit(q).tolist())


def of_axes(x: Floats, y: Floats, z: Floats) -> tuple[float, ...]:
    """Return the quaternion of a frame with these axes."""
    m = np.column_stack([x, y, z])
    # 4 q q^T; the row of the largest component has the least rounding errors (S. W. Shepperd, J. Guidance and Control
    # 1 (1978) 223-224)
    products = np.array([
        [1.0 + m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], 1.0 + m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
        [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], 1.0 - m[0, 0] + m[1, 1] - m[2, 2], m[2, 1] + m[1, 2]],
        [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]]])
    return tuple(unit(products[int(np.argmax(np.diag(products)))]).tolist())


def rounded(values: Sequence[float] | Floats) -> list[float]:
    return [round(float(x), DIGITS) + 0.0 for x in values]


def shape(name: str, kind: str, material: str, r: Floats | None = None, q: Sequence[float] | None = None,
          **sizes: Any) -> Table:
    """Return a table [[body.shape]] of a scene file; sizes are lengths or lists of lengths."""
    table: Table = {"name": name, "kind": kind, "material": material}
    for key, value in sizes.items():
        table[key] = rounded(value) if isinstance(value, Sequence) else round(float(value), DIGITS) + 0.0
    if r is not None:
        table["r"] = rounded(r)
    if q is not None and rounded(q) != [1.0, 0.0, 0.0, 0.0]:
        table["q"] = rounded(q)
    return table


def rod(name: str, material: str, start: Floats, end: Floats, radius: float) -> Table:
    """Return the table of a capsule between two points."""
    return shape(name, "capsule", material, 0.5 * (start + end), along(end - start), radius=radius,
                 length=float(norm(end - start)))
