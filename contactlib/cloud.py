"""Clouds: many points of one body on a plane, in many states at once, for footprints, cushions and brushes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.geometry import finite_rows
from contactlib.scene_file import law_part
from contactlib.simulation import thread_count
from contactlib.tables import Table

Floats = NDArray[np.float64]
REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class CloudResult:
    """What a plane does to the points of a body in M states.

    wrench (M, 6): force (N) and torque (N m) on the body about its origin, world axes; touching (M,): how many points
    are below the plane; depth (M,): of the deepest, m; stored (M,): J in the springs; heat (M,): W that they lose.
    """

    wrench: Floats
    touching: NDArray[np.int64]
    depth: Floats
    stored: Floats
    heat: Floats


def press_points(points: ArrayLike, states: ArrayLike, normal: Mapping[str, Any], *, X_WP: ArrayLike = REST,
                 num_threads: int | None = None) -> CloudResult:
    """The wrench of a plane at rest on a body that touches it with many points, without friction.

    The same forces as a scene with as many shapes of kind `point` gives, at a hundredth of its cost: no contact is
    stored, nothing is looked up, and the points are taken in blocks.

    Parameters
    ----------
    points : (N, 3) in m, in the body's axes.
    states : (M, 13) or (13,) of the body: r_WB (m), q_WB (scalar first), v_WB (m/s), w_WB (rad/s), world axes.
    normal : a row of the table of normal laws with its parameters, as the key `normal` of a law in a scene.
    X_WP : (7,) pose of the plane, which is the half space z <= 0 of its axes.
    num_threads : None or 1 is one thread, -1 all cores; the result has the same bits.

    Raises
    ------
    ValueError : a value that is not finite or of another shape, a quaternion of another length than 1 (within 1e-3),
        an unknown law or parameter, or one that is missing.

    Examples
    --------
    >>> import contactlib
    >>> feet = [[1, 0, 0], [-1, 1, 0], [-1, -1, 0]]
    >>> state = [0, 0, -0.001, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> found = contactlib.press_points(feet, state, {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0})
    >>> found.wrench[0].round(9).tolist()
    [0.0, 0.0, 30.0, 0.0, 10.0, 0.0]
    """
    table = Table({"normal": normal}, "press_points")
    kind, parameters, curve = law_part(table, "normal", required=True)
    where, rows = finite_rows("points", points, 3), finite_rows("states", states, 13)
    plane = finite_rows("X_WP", X_WP, 7)
    if len(plane) != 1:
        raise ValueError(f"X_WP has {len(plane)} rows, must be one pose")
    row = [name for name, _ in engine.law_tables()["normal"]].index(kind)
    found = engine.press(np.ascontiguousarray(where.T), rows, _half_space(plane[0]), row, parameters,
                         np.reshape(np.array(curve, dtype=np.float64), (-1, 2)), thread_count(num_threads))
    wrench, touching, depth, stored, heat, bad = found
    if bad >= 0:
        raise ValueError(f"states: row {bad} must have a quaternion of length 1 within 1e-3")
    return CloudResult(wrench, touching.astype(np.int64), depth, stored, heat)


def _half_space(X_WP: Floats) -> Floats:
    """Normal of the plane in the world, and where it lies along that, m."""
    r, q = X_WP[:3], X_WP[3:]
    length = float(np.linalg.norm(q))
    if abs(length - 1) > 1e-3:
        raise ValueError(f"X_WP: its quaternion has length {length:g}, must be 1 within 1e-3")
    w, x, y, z = q / length
    n = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    return np.array([*n, n @ r])
