"""Manifolds of single pairs of shapes in batches, and the rim of a hole, without a scene."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.options import RIM_METHODS
from contactlib.shapes import Shape, Socket, check_shape
from contactlib.simulation import thread_count

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Manifolds:
    """Manifolds of N placements. Row i holds `count[i]` contacts in no fixed order; the rest is empty.

    count (N,); point (N, 8, 3) in m, world; normal (N, 8, 3) from A to B, world; depth (N, 8) in m;
    feature (N, 8), -1 where empty. docs/manifolds.md defines them all.
    """

    count: NDArray[np.int32]
    point: Floats
    normal: Floats
    depth: Floats
    feature: NDArray[np.int32]


def manifolds(shape_a: Shape, shape_b: Shape, X_WA: ArrayLike, X_WB: ArrayLike, *,
              num_threads: int | None = None, out: Manifolds | None = None) -> Manifolds:
    """Contacts between two shapes at N placements.

    Parameters
    ----------
    shape_a, shape_b : shapes, the simpler one first (point, sphere, capsule, box, socket, plane).
    X_WA, X_WB : (N, 7) poses: position (m), unit quaternion scalar first; one row is used for all.
    num_threads : None or 1 is one thread, -1 all cores; the result has the same bits.
    out : an earlier result for as many placements, to be overwritten and returned: saves allocating it again.

    Raises
    ------
    ValueError : a pair that is not defined, poses not finite or of another shape, |q| off 1 by more than 1e-3.

    Examples
    --------
    >>> import contactlib
    >>> ball, floor = contactlib.Sphere(radius=0.1), contactlib.Plane()
    >>> m = contactlib.manifolds(ball, floor, [[0, 0, 0.09, 1, 0, 0, 0]], [[0, 0, 0, 1, 0, 0, 0]])
    >>> round(float(m.depth[0, 0]), 12)
    0.01
    """
    a, b = _defined_pair(shape_a, shape_b)
    poses_a, poses_b = _poses("X_WA", X_WA), _poses("X_WB", X_WB)
    if len(poses_a) != len(poses_b) and 1 not in (len(poses_a), len(poses_b)):
        raise ValueError(f"X_WA has {len(poses_a)} rows and X_WB {len(poses_b)}: must be as many, or one for all")
    n = 0 if 0 in (len(poses_a), len(poses_b)) else max(len(poses_a), len(poses_b))
    if out is None:
        count, point, normal, depth, feature = engine.empty_manifolds(n)
        out = Manifolds(count, point.swapaxes(0, 1), normal.swapaxes(0, 1), depth.T, feature.T)
    elif [array.shape for array in (out.count, out.point, out.normal, out.depth, out.feature)] != [
            (n,), (n, 8, 3), (n, 8, 3), (n, 8), (n, 8)]:
        raise ValueError(f"out is for {len(out.count)} placements or cut to pieces, must be a result for {n}")
    if n == 0:
        return out
    memory = (out.count, out.point.swapaxes(0, 1), out.normal.swapaxes(0, 1), out.depth.T, out.feature.T)
    bad = engine.manifolds(a, _rim(shape_a), _size(shape_a), b, _rim(shape_b), _size(shape_b), poses_a, poses_b,
                           memory, thread_count(num_threads))
    if bad >= 0:
        raise ValueError(f"row {bad}: poses must be finite, with quaternions of length 1 within 1e-3")
    return out


@lru_cache(maxsize=256)
def _defined_pair(shape_a: Shape, shape_b: Shape) -> tuple[int, int]:
    """Kinds of two valid shapes that stand in a cell of the pair table."""
    for shape in (shape_a, shape_b):
        check_shape(shape)
    kinds, table = list(engine.shape_kinds()), engine.pair_table()
    a, b = kinds.index(shape_a.kind), kinds.index(shape_b.kind)
    if not table[a, b]:
        other_way = " (the other way round it is)" if table[b, a] else ""
        raise ValueError(f"the pair {shape_a.kind}-{shape_b.kind} is not defined{other_way}")
    return a, b


def rim_nearest(radius: float, Q: ArrayLike, d: ArrayLike) -> tuple[NDArray[np.int32], Floats]:
    """Points of a circle (m, about the origin, normal z) that are locally nearest to the lines through Q along d.

    Returns the count (N,), 1 or 2, and the points (N, 2, 3), nearest first, NaN where there is no second one.
    """
    points, directions = _lines(Q, d)
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    if (length == 0).any():
        raise ValueError("d must not be zero")
    return engine.rim_line(_positive(radius), points, directions / length)


def rim_nearest_subdivision(radius: float, Q: ArrayLike, d: ArrayLike | None = None, *, levels: int = 4,
                            include_ends: bool = True) -> Floats:
    """The RWTH paper's eight-point search for the rim point nearest to lines (Q, d), or to points Q without d."""
    if not 1 <= levels <= 64:
        raise ValueError(f"levels = {levels}: must be from 1 to 64")
    points, directions = _lines(Q, np.zeros_like(np.asarray(Q, dtype=np.float64)) if d is None else d)
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    units = np.divide(directions, length, out=np.zeros_like(directions), where=length > 0)
    return engine.rim_search(_positive(radius), points, units, levels, include_ends)


def _positive(radius: float) -> float:
    if not (np.isfinite(radius) and radius > 0):
        raise ValueError(f"radius = {radius}: must be finite and greater than zero")
    return float(radius)


def _lines(Q: ArrayLike, d: ArrayLike) -> tuple[Floats, Floats]:
    points, directions = (np.ascontiguousarray(np.atleast_2d(np.asarray(x, dtype=np.float64))) for x in (Q, d))
    if points.shape != directions.shape or points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"Q {points.shape} and d {directions.shape} must both have the shape (N, 3)")
    if not (np.isfinite(points).all() and np.isfinite(directions).all()):
        raise ValueError("Q and d must be finite")
    return points, directions


def _poses(name: str, X: ArrayLike) -> Floats:
    poses = np.ascontiguousarray(np.atleast_2d(np.asarray(X, dtype=np.float64)))
    if poses.ndim != 2 or poses.shape[1] != 7:
        raise ValueError(f"{name} has shape {poses.shape}, must be (N, 7): position, quaternion")
    return poses


def _rim(shape: Shape) -> int:
    return RIM_METHODS.index(shape.rim) if isinstance(shape, Socket) else 0


def _size(shape: Shape) -> list[float]:
    numbers = list(shape.numbers())
    return numbers + [0.0] * (6 - len(numbers))
