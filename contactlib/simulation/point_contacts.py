"""Clouds: many points of one body on a plane, in many states at once, for footprints, cushions and brushes."""

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
class CloudResult:
    """What a plane does to the points of a body in M states.

    wrench (M, 6): force (N) and torque (N m) on the body about its origin, world axes; touching (M,): how many points
    are below the plane; depth (M,): of the deepest, m; stored (M,): J in the springs and bristles; heat (M,): W that
    they lose.
    """

    wrench: Floats
    touching: NDArray[np.int64]
    depth: Floats
    stored: Floats
    heat: Floats


def press_points(points: ArrayLike, states: ArrayLike, normal: Mapping[str, Any], *,
                 friction: Mapping[str, Any] | None = None, h: float = 0.0, bristles: Floats | None = None,
                 X_WP: ArrayLike = REST, num_threads: int | None = None) -> CloudResult:
    """The wrench of a plane at rest on a body that touches it with many points, with friction if wanted.

    The same forces as a scene with as many shapes of kind `point` gives, in some 3 ns a point, or 12 ns with bristles,
    instead of 220 ns: no contact is stored, nothing is looked up, and the points are taken in blocks. The call itself
    takes some 50 us, so give many states at once where you can.

    Friction remembers how far each point has pulled its bristle. That memory is an array of yours, zero at first: give
    it at every step, with the time h since the last one, and it is brought up to date in place. A point that leaves the
    plane forgets. The bristles keep to the plane's axes, so they follow a plane that is turned from step to step.

    Parameters
    ----------
    points : (N, 3) in m, in the body's axes.
    states : (M, 13) or (13,) of the body: r_WB (m), q_WB (scalar first), v_WB (m/s), w_WB (rad/s), world axes.
    normal : a row of the table of normal laws with its parameters, as the key `normal` of a law in a scene.
    friction : a row of the table of friction laws, likewise; a grain's direction is in the plane's axes.
    h : s, at least 0: since the bristles were written; 0 evaluates them as they are.
    bristles : (M, N, 3), or (N, 3) for one state, float64 and contiguous: for each point how far its bristle is bent
        along the plane's axes x and y (m), and whether it slips (1 or 0). Without it all are new, and h must be 0.
    X_WP : (7,) pose of the plane, which is the half space z <= 0 of its axes.
    num_threads : None or 1 is one thread, -1 all cores; the result has the same bits.

    Raises
    ------
    ValueError : a value that is not finite or of another shape, a quaternion of another length than 1 (within 1e-3),
        an unknown law or parameter, or one that is missing; bristles or h without friction, h without bristles. The
        bristles are then as they were.

    Examples
    --------
    >>> import contactlib
    >>> feet = [[1, 0, 0], [-1, 1, 0], [-1, -1, 0]]
    >>> state = [0, 0, -0.001, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> found = contactlib.press_points(feet, state, {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0})
    >>> found.wrench[0].round(9).tolist()
    [0.0, 0.0, 30.0, 0.0, 10.0, 0.0]

    Slid by 1 mm/s for 1 ms, before it slips:

    >>> import numpy as np
    >>> state[7] = 0.001
    >>> rub = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.4, "tangential_stiffness": 1e6,
    ...        "tangential_damping": 0}
    >>> bristles = np.zeros((3, 3))
    >>> found = contactlib.press_points(feet, state, {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0},
    ...                                 friction=rub, h=1e-3, bristles=bristles)
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
    return CloudResult(wrench, touching.astype(np.int64), depth, stored, heat)


def _law(part: str, given: Mapping[str, Any]) -> tuple[int, tuple[float, ...], tuple[Any, ...]]:
    """A row of a law table by its number, its parameters, and the points of a curve."""
    kind, parameters, curve = law_part(Table({part: given}, "press_points"), part, required=True)
    return [name for name, _ in engine.law_tables()[part]].index(kind), parameters, curve


def _memory(bristles: Floats | None, rubs: bool, h: float, shape: tuple[int, int, int]) -> Floats:
    """The caller's own memory with an axis of states; of length 0 if there is none."""
    if not (np.isfinite(h) and h >= 0):
        raise ValueError(f"h = {h}: must be finite and not negative")
    if not rubs and (h or bristles is not None):
        raise ValueError("h and bristles are for friction, and no law for it is given")
    if bristles is None:
        if h:
            raise ValueError(f"h = {h} needs bristles, which remember what friction did in that time; zero at first")
        return np.zeros((0, 0, 3))
    wanted = (shape, shape[1:]) if shape[0] == 1 else (shape,)
    if not isinstance(bristles, np.ndarray) or bristles.dtype != np.float64 or bristles.shape not in wanted:
        raise ValueError(f"bristles must be an array of float64 of shape {wanted[-1]}, one row for each point")
    if not (bristles.flags.c_contiguous and bristles.flags.writeable):
        raise ValueError("bristles must be contiguous and writeable, for they are brought up to date in place")
    if not np.isfinite(bristles).all():
        raise ValueError("bristles must be finite")
    return bristles.reshape(shape)


def _half_space(X_WP: Floats) -> Floats:
    """The plane's axes x, y and z in the world, and where it lies along z, m."""
    r, q = X_WP[:3], X_WP[3:]
    length = float(np.linalg.norm(q))
    if abs(length - 1) > 1e-3:
        raise ValueError(f"X_WP: its quaternion has length {length:g}, must be 1 within 1e-3")
    axes = rotation_matrix(tuple(q / length)).T
    return np.array([*axes.ravel(), axes[2] @ r])
