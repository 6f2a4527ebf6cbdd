"""Contacts of many points of one body with a plane, in many states at once, for footprints, cushions and brushes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common.arguments import thread_count
from contactlib.common.tables import Table
from contactlib.model.toml import law_part
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.simulation.manifolds import finite_rows

Floats = NDArray[np.float64]
REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PointContactsResult:
    """The wrench of a plane on the points of a body, in M states.

    wrench (M, 6): force (N) and torque (N m) on the body about its origin, world axes; touching (M,): number of points
    below the plane; depth (M,): greatest depth, m; stored (M,): energy in springs and bristles, J; heat (M,):
    dissipated power, W.
    """

    wrench: Floats
    touching: NDArray[np.int64]
    depth: Floats
    stored: Floats
    heat: Floats


def press_points(points: ArrayLike, states: ArrayLike, normal: Mapping[str, Any], *,
                 friction: Mapping[str, Any] | None = None, h: float = 0.0, bristles: Floats | None = None,
                 X_WP: ArrayLike = REST, num_threads: int | None = None) -> PointContactsResult:
    """Compute the wrench of a plane at rest on a body with many contact points, with or without friction.

    The forces are those of a scene with a shape of kind `point` for each point. A point needs about 3 ns, or 12 ns with
    bristles, instead of 220 ns in a scene, because contacts are not stored and points are evaluated in blocks. A call
    needs about 50 us, so pass many states at once if possible.

    The bristles are the memory of friction: the deflection of each point. The caller owns this array, which is zero at
    first, and passes it at every step with the time h since the last step. The call updates the array in place. A point
    that leaves the plane loses its deflection. Deflections are in the plane's axes, so they rotate with the plane.

    Parameters
    ----------
    points : (N, 3) in m, in the body's axes.
    states : (M, 13) or (13,) of the body: r_WB (m), q_WB (scalar first), v_WB (m/s), w_WB (rad/s), world axes.
    normal : a row of the table of normal laws with its parameters, as in the key `normal` of a law in a scene.
    friction : a row of the table of friction laws, as in the key `friction`; directions are in the plane's axes.
    h : time since the last update of the bristles, s, at least 0; 0 evaluates the bristles without an update.
    bristles : (M, N, 3), or (N, 3) for one state, float64 and contiguous: deflection of each point along the plane's
        axes x and y (m), and 1 if the point slips, else 0. Without this array all deflections are zero and h must be 0.
    X_WP : (7,) pose of the plane, the half space z <= 0 of its axes.
    num_threads : None or 1: one thread, -1: all cores. The bits of the result do not depend on it.

    Raises
    ------
    ValueError : a value that is not finite or has a wrong shape, |q| off 1 by more than 1e-3, an unknown or missing law
        or parameter, bristles or h without friction, h without bristles. The bristles are then unchanged.

    Examples
    --------
    Three points, 1 mm deep, that move by 1 mm/s for 1 ms before they slip:

    >>> import contactlib, numpy as np
    >>> feet = [[1, 0, 0], [-1, 1, 0], [-1, -1, 0]]
    >>> state = [0, 0, -0.001, 1, 0, 0, 0, 0.001, 0, 0, 0, 0, 0]
    >>> spring = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0}
    >>> rub = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.4, "tangential_stiffness": 1e6,
    ...        "tangential_damping": 0}
    >>> bristles = np.zeros((3, 3))
    >>> found = contactlib.press_points(feet, state, spring, friction=rub, h=1e-3, bristles=bristles)
    >>> found.wrench[0, :3].round(9).tolist(), bristles[0].round(12).tolist()
    ([-3.0, 0.0, 30.0], [1e-06, 0.0, 0.0])
    """
    where, rows = finite_rows("points", points, 3), finite_rows("states", states, 13)
    plane = finite_rows("X_WP", X_WP, 7)
    if len(plane) != 1:
        raise ValueError(f"X_WP has {len(plane)} rows, must be one pose")
    kind, parameters, curve = _law("normal", normal)
    press = kind, parameters, np.reshape(np.array(curve, dtype=np.float64), (-1, 2))
    rub = None if friction is None else _law("friction", friction)[:2]
    memory = _memory(bristles, friction is not None, h, (len(rows), len(where), 3))
    found = engine.press(np.ascontiguousarray(where.T), rows, _half_space(plane[0]), press, rub, float(h), memory,
                         thread_count(num_threads))
    wrench, touching, depth, stored, heat, bad = found
    if bad >= 0:
        raise ValueError(f"states: row {bad} must have a quaternion of length 1 within 1e-3")
    return PointContactsResult(wrench, touching.astype(np.int64), depth, stored, heat)


def _law(part: str, given: Mapping[str, Any]) -> tuple[int, tuple[float, ...], tuple[Any, ...]]:
    """Return the number of a row of a law table, its parameters, and the points of a curve."""
    kind, parameters, curve = law_part(Table({part: given}, "press_points"), part, required=True)
    if part == "normal" and engine.needs_surface(kind):
        raise ValueError(f"press_points.normal.kind = '{kind}': is a pressure, and points have no area; use a law with "
                         f"a stiffness of each point, such as that of the face divided by the number of points")
    return [name for name, _ in engine.law_tables()[part]].index(kind), parameters, curve


def _memory(bristles: Floats | None, rubs: bool, h: float, shape: tuple[int, int, int]) -> Floats:
    """Return the caller's bristles with an axis of states; of length 0 without bristles."""
    if not (np.isfinite(h) and h >= 0):
        raise ValueError(f"h = {h}: must be finite and not negative")
    if not rubs and (h or bristles is not None):
        raise ValueError("h and bristles need a friction law: give `friction`, or leave both out")
    if bristles is None:
        if h:
            raise ValueError(f"h = {h}: needs bristles, the memory of friction: give an array, zero at first")
        return np.zeros((0, 0, 3))
    wanted = (shape, shape[1:]) if shape[0] == 1 else (shape,)
    if not isinstance(bristles, np.ndarray) or bristles.dtype != np.float64 or bristles.shape not in wanted:
        raise ValueError(f"bristles must be an array of float64 of shape {wanted[-1]}, one row for each point")
    if not (bristles.flags.c_contiguous and bristles.flags.writeable):
        raise ValueError("bristles must be contiguous and writeable, because the call updates them in place")
    if not np.isfinite(bristles).all():
        raise ValueError("bristles must be finite")
    return bristles.reshape(shape)


def _half_space(X_WP: Floats) -> Floats:
    """Return the plane's axes x, y and z in world axes, and the plane's position along z, m."""
    r, q = X_WP[:3], X_WP[3:]
    length = float(np.linalg.norm(q))
    if abs(length - 1) > 1e-3:
        raise ValueError(f"X_WP: its quaternion has length {length:g}, must be 1 within 1e-3")
    axes = rotation_matrix(tuple(q / length)).T
    return np.array([*axes.ravel(), axes[2] @ r])
