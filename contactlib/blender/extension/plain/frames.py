"""Poses as 4 x 4 matrices, unit quaternions (scalar first), and numbers that went through 32-bit floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: relative difference of two numbers that are the same 32-bit float, after a product of a few poses: 8 x 2^-23
FLOAT_TOLERANCE = 1e-6
#: deviation of an axis from length 1, or of two axes from a right angle, that is no scale and no shear
RIGID_TOLERANCE = 1e-5


def rounded(value: float, resolution: float = 0.0) -> float:
    """Return the number with the fewest decimals within a resolution, at least that of a 32-bit float.

    >>> import numpy as np
    >>> float(np.float32(0.1)), rounded(np.float32(0.1)), rounded(0.099999964, 4e-7)
    (0.10000000149011612, 0.1, 0.1)
    """
    exact = float(value)
    tolerance = max(resolution, 0.4999 * float(np.spacing(np.float32(abs(exact)))))
    for decimals in range(-3, 40):
        candidate = round(exact, decimals)
        if abs(candidate - exact) <= tolerance:
            return candidate
    return exact


def rounded_list(values: ArrayLike, resolution: float = 0.0) -> list[float]:
    """Return `rounded` of each number; a number below 1e-7 of the largest one is 0."""
    array = np.asarray(values, dtype=np.float64)
    least = 1e-7 * float(np.abs(array).max(initial=0.0))
    return [0.0 if abs(x) <= least else rounded(x, resolution) for x in array.tolist()]


def agrees(seen: ArrayLike, exact: ArrayLike) -> bool:
    """Return whether numbers seen in Blender are the exact ones, to the precision of 32-bit floats.

    >>> agrees([0.1, 0.2], [0.1000000001, 0.2]), agrees([0.1, 0.2], [0.10001, 0.2])
    (True, False)
    """
    a, b = np.asarray(seen, dtype=np.float64), np.asarray(exact, dtype=np.float64)
    if a.shape != b.shape:
        return False
    scale = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return bool(np.abs(a - b).max(initial=0.0) <= FLOAT_TOLERANCE * scale)


def same_attitude(p: ArrayLike, q: ArrayLike) -> bool:
    """Return whether two unit quaternions are one attitude: q and -q are."""
    a, b = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    return agrees(a, b) or agrees(a, -b)


def rotation(q: Sequence[float]) -> Floats:
    """Return the 3 x 3 matrix of a quaternion of any length, scalar first.

    >>> rotation([1.0, 0.0, 0.0, 1.0]).round(12).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    w, x, y, z = np.asarray(q, dtype=np.float64) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion(R: Floats) -> Floats:
    """Return the unit quaternion of a rotation matrix, with its largest part positive (Shepperd's method)."""
    trace = float(np.trace(R))
    squares = np.array([1 + trace, *(1 - trace + 2 * R[i, i] for i in range(3))])
    k = int(squares.argmax())
    w, x, y, z = ((squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]),
                  (R[2, 1] - R[1, 2], squares[1], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]),
                  (R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], squares[2], R[1, 2] + R[2, 1]),
                  (R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], squares[3]))[k]
    q = np.array([w, x, y, z])
    result: Floats = q / np.linalg.norm(q)
    return result


def pose(r: Sequence[float] = (0.0, 0.0, 0.0), q: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> Floats:
    """Return the 4 x 4 matrix of a position (m) and a quaternion."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation(q), r
    return X


def position_and_attitude(X: Floats) -> tuple[Floats, Floats]:
    """Return the position and the quaternion of a pose; lengths of its axes do not count."""
    R = X[:3, :3] / np.linalg.norm(X[:3, :3], axis=0)
    return X[:3, 3].copy(), quaternion(R)


def applied(X: Floats, points: ArrayLike) -> Floats:
    """Return points (n, 3) moved by a pose."""
    result: Floats = np.asarray(points, dtype=np.float64) @ X[:3, :3].T + X[:3, 3]
    return result


def frame_along(z: ArrayLike) -> Floats:
    """Return a rotation matrix with this direction as its third column; a direction along z gives the identity."""
    axis = np.asarray(z, dtype=np.float64) / np.linalg.norm(z)
    if np.hypot(axis[0], axis[1]) < FLOAT_TOLERANCE:
        return np.diag([1.0, np.sign(axis[2]), np.sign(axis[2])])
    turn = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])  # from z to the axis by the shortest way
    if axis[2] < -0.999999:
        turn = np.array([0.0, -axis[1], axis[0], 0.0])
    return rotation(turn.tolist())


def scale_of(X: Floats) -> Floats:
    """Return the lengths of the axes of a pose; the last one is negative if the pose is mirrored."""
    lengths: Floats = np.linalg.norm(X[:3, :3], axis=0)
    if np.linalg.det(X[:3, :3]) < 0.0:
        lengths[2] = -lengths[2]
    return lengths


def is_sheared(X: Floats) -> bool:
    """Return whether the axes of a pose are not at right angles."""
    R = X[:3, :3] / np.linalg.norm(X[:3, :3], axis=0)
    return bool(np.abs(R.T @ R - np.eye(3)).max() > RIGID_TOLERANCE)
