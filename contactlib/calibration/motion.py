"""Measured motions: bodies that a calibration moves along a measured path, such as the tool of a robot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from contactlib.common import tables
from contactlib.common.tables import Table

Floats = NDArray[np.float64]
_PARTS = ("r[1]", "r[2]", "r[3]", "q[1]", "q[2]", "q[3]", "q[4]")


@dataclass(frozen=True)
class Motion:
    """A body whose measured pose moves it.

    Attributes
    ----------
    body : name of the body.
    columns : titles of the seven columns: position in m, and quaternion, scalar first, both in world axes.
    """

    body: str
    columns: tuple[str, ...]


def read_motions(table: Table, bodies: Iterable[str]) -> tuple[Motion, ...]:
    """Read the table [motion]. `bodies` are the names of the scene's bodies that may be moved."""
    known = tuple(bodies)
    return tuple(_read(table, name, known) for name in table.values.copy())


def _read(table: Table, name: str, known: tuple[str, ...]) -> Motion:
    if name not in known:
        raise ValueError(f"{table.at(name)}: the scene has no body '{name}' that can be moved; "
                         f"{tables.hint(name, known)}")
    inner = Table(table.values[name], table.at(name))
    usual = tuple(f"{name}.{each}" for each in _PARTS)
    columns = inner.take("columns", tables.listing(tables.text, len(_PARTS)), usual)
    inner.finish()
    return Motion(name, columns)


def check_rows(where: str, name: str, rows: Floats) -> Floats:
    """Return the rows (n, 8) of a motion with normalised quaternions: time (s), r (m), q.

    ValueError if they are no motion from t = 0 on.
    """
    rows = np.array(rows, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 8 or len(rows) < 2:
        raise ValueError(f"{where}: the motion of {name} has the shape {rows.shape}, must have two rows at least, and "
                         f"eight columns: time, r, and q")
    if not np.isfinite(rows).all() or (np.diff(rows[:, 0]) <= 0).any():
        raise ValueError(f"{where}: the motion of {name} must have finite numbers, and a time that rises from row to "
                         f"row")
    if rows[0, 0] > 1e-9:
        raise ValueError(f"{where}: the motion of {name} begins {rows[0, 0]:g} s after the start of the run: it needs "
                         f"a row at the start or before it")
    length = np.linalg.norm(rows[:, 4:], axis=1)
    off = np.abs(length - 1.0) > 1e-2
    if off.any():
        raise ValueError(f"{where}: the attitude of {name} at t = {rows[off][0, 0]:g} s has the length "
                         f"{length[off][0]:.3g}, must be a unit quaternion, scalar first")
    rows[:, 4:] /= length[:, None]
    return rows


def states_at(rows: Floats, times: Floats) -> Floats:
    """Return the states (T, 13) of a motion (n, 8) at the times (T,): r, q, v and w in world axes.

    Positions are cubic splines. Attitudes are splines of rotations with a continuous angular acceleration
    (scipy.spatial.transform.RotationSpline). Velocities are their derivatives. After the last row, the body stays.

    Examples
    --------
    >>> quarter = [[0.0, 1, 2, 3, 1, 0, 0, 0], [0.5, 2, 2, 3, 0.5**0.5, 0, 0, 0.5**0.5]]
    >>> states_at(np.array(quarter), np.array([0.25]))[0].round(3).tolist()
    [1.5, 2.0, 3.0, 0.924, 0.0, 0.0, 0.383, 2.0, 0.0, 0.0, 0.0, 0.0, 3.142]
    """
    inside = np.clip(times, rows[0, 0], rows[-1, 0])
    place = CubicSpline(rows[:, 0], rows[:, 1:4], bc_type="natural")
    turn = RotationSpline(rows[:, 0], Rotation.from_quat(rows[:, [5, 6, 7, 4]]))
    rotation = turn(inside)
    out = np.column_stack([place(inside), rotation.as_quat()[:, [3, 0, 1, 2]], place(inside, 1),
                           rotation.apply(turn(inside, 1))])  # the spline's angular velocity is in body axes
    out[times > rows[-1, 0] + 1e-12, 7:] = 0.0
    return out


def states_of_steps(rows: Floats, steps: int, h: float) -> Floats:
    """Return the states (steps + 1, 13) at the start of each step of h (s), from which the twist leads to its end.

    Within a step, a body moves along its twist. Pose and twist at the end of a step are those of the motion:

        r = r(t + h) - h v(t + h),   q = exp(-h w(t + h)) q(t + h)

    From the motion at the start, the pose at the end would be off by h^2/2 times the acceleration.
    """
    out = states_at(rows, np.arange(1, steps + 2, dtype=np.float64) * h)
    out[:, :3] -= h * out[:, 7:10]
    back = Rotation.from_rotvec(-h * out[:, 10:]) * Rotation.from_quat(out[:, [4, 5, 6, 3]])
    out[:, 3:7] = back.as_quat()[:, [3, 0, 1, 2]]
    return out
