"""Unit quaternions (scalar first, arrays of four numbers): products, rotated vectors, rotation matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import dot

Floats = NDArray[np.float64]


def product(p: Floats, q: Floats) -> Floats:
    """Return the quaternion product p q, (4,): the rotation q, then p."""
    w, v, x, u = p[0], p[1:], q[0], q[1:]
    return np.array([w * x - dot(v, u), *(w * u + x * v + np.cross(v, u))])


def rotate(q: Floats, v: Floats) -> Floats:
    """Return the vector v (3,) rotated by the unit quaternion q (4,)."""
    t = 2.0 * np.cross(q[1:], v)
    return np.asarray(v + q[0] * t + np.cross(q[1:], t))


def rotation_matrix(q: Sequence[float]) -> Floats:
    """Return the rotation matrix (3, 3) of a unit quaternion.

    >>> rotation_matrix((1.0, 0.0, 0.0, 0.0)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def from_matrix(R: Floats) -> Floats:
    """Return the unit quaternion (4,), scalar part not negative, of a rotation matrix (3, 3).

    Of the four numbers, the one with the greatest square comes from the diagonal, the others from sums and differences.

    >>> from_matrix(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).round(6).tolist()
    [0.707107, 0.0, 0.0, 0.707107]
    """
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    a, b, c = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    t, (i, j, k) = R[0, 0] + R[1, 1] + R[2, 2], np.diag(R)
    rows = [(1 + t, x, y, z), (x, 1 + i - j - k, a, b), (y, a, 1 + j - i - k, c), (z, b, c, 1 + k - i - j)]
    q = np.array(rows[int(np.argmax([row[n] for n, row in enumerate(rows)]))])
    q /= np.sqrt(dot(q, q))
    return -q if q[0] < 0 else q
