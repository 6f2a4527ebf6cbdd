"""Contact manifolds of pairs of shapes in batches, and nearest points of a hole's rim, without a scene."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common.arguments import thread_count
from contactlib.common.options import RIM_METHODS
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import Shape, Socket, check_shape, why_undefined

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Manifolds:
    """Manifolds of N placements. Row i holds `count[i]` contacts in any order; its other entries are empty.

    count (N,); point (N, K, 3) in m, world; normal (N, K, 3) from A to B, world; depth (N, K) in m;
    feature (N, K), -1 where empty; share (N, K) of the force, mostly 1, 0 where empty.
    docs/manifolds.md defines them all.
    """

    count: NDArray[np.int32]
    point: Floats
    normal: Floats
    depth: Floats
    feature: NDArray[np.int32]
    load_share: Floats


def manifolds(shape_a: Shape, shape_b: Shape, X_WA: ArrayLike, X_WB: ArrayLike, *,
              hints: ArrayLike | None = None, max_contacts: int | None = None, num_threads: int | None = None,
              out: Manifolds | None = None) -> Manifolds:
    """Contacts between two shapes at N placements.

    Parameters
    ----------
    shape_a, shape_b : shapes, the simpler one first, in the order of the pair table (docs/manifolds.md).
    X_WA, X_WB : (N, 7) poses: position (m), unit quaternion scalar first; one row is used for all.
    hints : (N, 3) normals (world axes) of the last contact of each placement, zero for none. A pair of convex solids
        warm-starts at this normal.
    max_contacts : K, capacity for the contacts of one placement; the deepest contacts are kept. Default 8, for meshes
    64;
        at most 64.
    num_threads : None or 1: one thread, -1: all cores. The bits of the result do not depend on it.
    out : an earlier result for N placements, which is overwritten and returned; this saves the allocation.

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
    k = _capacity(shape_a, shape_b, max_contacts)
    if out is None:
        count, *slots = engine.empty_manifolds(n, k)
        out = Manifolds(count, *(array.swapaxes(0, 1) for array in slots))
    elif [array.shape for array in (out.count, out.point, out.normal, out.depth, out.feature, out.load_share)] != [
            (n,), (n, k, 3), (n, k, 3), (n, k), (n, k), (n, k)]:
        raise ValueError(f"out is for {len(out.count)} placements or cut to pieces, must be a result for {n}")
    if n == 0:
        return out
    memory = (out.count, *(x.swapaxes(0, 1) for x in (out.point, out.normal, out.depth, out.feature, out.load_share)))
    bad = engine.manifolds(a, b, poses_a, poses_b, _hints(hints, n), memory, thread_count(num_threads))
    if bad >= 0:
        raise ValueError(f"row {bad}: poses must be finite, with quaternions of length 1 within 1e-3")
    return out


def _capacity(shape_a: Shape, shape_b: Shape, wanted: int | None) -> int:
    usual = 64 if "mesh" in (shape_a.kind, shape_b.kind) else engine.MAX_MANIFOLD
    if wanted is None:
        return usual
    if not engine.MAX_MANIFOLD <= wanted <= 64:
        raise ValueError(f"max_contacts = {wanted}: must be from {engine.MAX_MANIFOLD} to 64")
    return wanted


def _hints(hints: ArrayLike | None, n: int) -> Floats:
    if hints is None:
        return np.zeros((0, 3))
    normals = np.ascontiguousarray(hints, dtype=np.float64)
    if normals.shape != (n, 3) or not np.isfinite(normals).all():
        raise ValueError(f"hints has shape {normals.shape}, must be ({n}, 3) and finite: one normal for each placement")
    return normals


@lru_cache(maxsize=256)
def _defined_pair(shape_a: Shape, shape_b: Shape) -> tuple[engine.Shape, engine.Shape]:
    """Return the core's objects of two valid shapes whose pair the pair table defines."""
    forms = core_shape(shape_a), core_shape(shape_b)
    kinds, table = list(engine.shape_kinds()), engine.pair_table()
    a, b = kinds.index(shape_a.kind), kinds.index(shape_b.kind)
    if not table[a, b]:
        hint = f": use {shape_b.kind}-{shape_a.kind}, with exchanged shapes" if table[b, a] else ""
        raise ValueError(f"the pair {shape_a.kind}-{shape_b.kind} is not defined{hint}")
    if problem := why_undefined(shape_a, shape_b):
        raise ValueError(problem)
    return forms


@lru_cache(maxsize=256)
def core_shape(shape: Shape) -> engine.Shape:
    """Return the core's object of a checked shape. Objects are cached, because a large mesh takes long to build."""
    check_shape(shape)
    solid = shape.core if isinstance(shape, Polyhedron) else shape
    surface = solid.surface() if isinstance(solid, Polyhedron | Mesh) else None
    rim = RIM_METHODS.index(shape.rim) if isinstance(shape, Socket) else 0
    numbers = list(shape.numbers())
    return engine.Shape(engine.shape_kinds().index(shape.kind), rim, numbers + [0.0] * (9 - len(numbers)), surface)


def finite_rows(name: str, values: ArrayLike, width: int) -> Floats:
    """Return a contiguous copy of shape (N, width); a single row may be given without the first axis."""
    rows = np.ascontiguousarray(np.atleast_2d(np.asarray(values, dtype=np.float64)))
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"{name} has shape {rows.shape}, must be (N, {width})")
    if not np.isfinite(rows).all():
        raise ValueError(f"{name} must be finite")
    return rows


def rim_nearest(radius: float, Q: ArrayLike, d: ArrayLike) -> tuple[NDArray[np.int32], Floats]:
    """Return the points of a circle that are locally nearest to the lines through Q along d.

    The circle has the radius `radius` (m), its centre at the origin and the normal z. Returns the count (N,), 1 or 2,
    and the points (N, 2, 3), nearest first; a missing second point is NaN.
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
