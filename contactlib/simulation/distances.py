"""Distances and nearest points of separated shapes, in batches and without a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common.arguments import thread_count
from contactlib.simulation.manifolds import core_shape, finite_rows

if TYPE_CHECKING:
    from contactlib.shapes.shapes import Shape

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Distances:
    """Distances of N placements of two shapes.

    distance (N,) in m: 0 where the shapes touch or overlap, infinite where they are further apart than the margin;
    overlap (N,), True in the first case; point_a, point_b (N, 3) in m, world: the nearest points of A and of B;
    normal (N, 3), unit, from A to B, world: point_b = point_a + distance normal. Points and normals are NaN where
    there is no distance.
    """

    distance: Floats
    overlap: NDArray[np.bool_]
    point_a: Floats
    point_b: Floats
    normal: Floats


def distances(shape_a: Shape, shape_b: Shape, X_WA: ArrayLike, X_WB: ArrayLike, *, margin: float = np.inf,
              num_threads: int | None = None) -> Distances:
    """Find the distance and the nearest points of two separated shapes at N placements.

    Where the shapes overlap, `manifolds` tells the depth. Sheets and open meshes have no inside. Where several pairs of
    points are equally near, one of them is returned.

    Parameters
    ----------
    shape_a, shape_b : any two shapes in any order, except two sockets and two planes.
    X_WA, X_WB : (N, 7) poses: position (m), unit quaternion scalar first; one row is used for all.
    margin : m; a larger distance is not measured, which saves time. By default all distances are.
    num_threads : None or 1: one thread, -1: all cores. The bits of the result do not depend on it.

    Raises
    ------
    ValueError : two sockets or two planes, poses not finite or of another shape, |q| off 1 by more than 1e-3, a margin
        that is not positive.

    Examples
    --------
    >>> import contactlib
    >>> ball, floor = contactlib.Sphere(radius=0.1), contactlib.Plane()
    >>> d = contactlib.distances(ball, floor, [[0, 0, 0.35, 1, 0, 0, 0]], [[0, 0, 0, 1, 0, 0, 0]])
    >>> round(float(d.distance[0]), 12), d.point_b[0].tolist()
    (0.25, [0.0, 0.0, 0.0])
    """
    if not margin > 0:
        raise ValueError(f"margin = {margin}: must be greater than zero")
    forms = core_shape(shape_a), core_shape(shape_b)
    kinds = list(engine.shape_kinds())
    if not engine.has_distance(kinds.index(shape_a.kind), kinds.index(shape_b.kind)):
        raise ValueError(f"the pair {shape_a.kind}-{shape_b.kind} has no distance: two sockets or two planes have "
                         "none, all other pairs do")
    poses_a, poses_b = finite_rows("X_WA", X_WA, 7), finite_rows("X_WB", X_WB, 7)
    if len(poses_a) != len(poses_b) and 1 not in (len(poses_a), len(poses_b)):
        raise ValueError(f"X_WA has {len(poses_a)} rows and X_WB {len(poses_b)}: must be as many, or one for all")
    if 0 in (len(poses_a), len(poses_b)):
        return Distances(np.empty(0), np.empty(0, dtype=bool), *(np.empty((0, 3)) for _ in range(3)))
    overlap, distance, point_a, point_b, normal, bad = engine.distances(*forms, poses_a, poses_b, float(margin),
                                                                        thread_count(num_threads))
    if bad >= 0:
        raise ValueError(f"row {bad}: poses must have quaternions of length 1 within 1e-3")
    return Distances(distance, overlap, point_a, point_b, normal)
