"""Ray casts: the first point of a shape that a sensor, a camera or a laser range finder measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common.arguments import thread_count
from contactlib.shapes.shapes import Shape
from contactlib.simulation.manifolds import core_shape, finite_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RayHits:
    """The hits of N rays on a shape.

    hit (N,); distance (N,) in m, infinite without a hit; normal (N, 3), unit, outwards, world axes; feature (N,), the
    place on the shape as core/geometry/ray/ray.hpp numbers them, -1 without a hit.
    """

    hit: NDArray[np.bool_]
    distance: Floats
    normal: Floats
    feature: NDArray[np.int32]


def cast_rays(shape: Shape, X_WS: ArrayLike, origins: ArrayLike, directions: ArrayLike, *, longest: float = np.inf,
              num_threads: int | None = None) -> RayHits:
    """Find the first point of a shape that each of N rays hits.

    Parameters
    ----------
    shape : any shape; a ray that starts inside a solid has the distance 0.
    X_WS : (N, 7) or (1, 7) poses of the shape: position (m), unit quaternion scalar first.
    origins, directions : (N, 3) in m, world; directions of any length but zero. One row is used for all.
    longest : length of the rays, m.
    num_threads : None or 1: one thread, -1: all cores. The bits of the result do not depend on it.

    Raises
    ------
    ValueError : values not finite or of another shape, a direction of zero, longest not positive.

    Examples
    --------
    >>> import contactlib
    >>> hits = contactlib.cast_rays(contactlib.Sphere(0.5), [0, 0, 0, 1, 0, 0, 0], [[-2.0, 0, 0]], [[1.0, 0, 0]])
    >>> float(hits.distance[0])
    1.5
    """
    if not longest > 0:
        raise ValueError(f"longest = {longest}: must be greater than zero")
    poses = finite_rows("X_WS", X_WS, 7)
    starts, along = finite_rows("origins", origins, 3), finite_rows("directions", directions, 3)
    length = np.linalg.norm(along, axis=1, keepdims=True)
    if not (length > 0).all():
        raise ValueError(f"directions: row {int(np.argmin(length))} is zero: must have a length greater than zero")
    sizes = {len(poses), len(starts), len(along)} - {1}
    if len(sizes) > 1:
        raise ValueError(f"X_WS, origins and directions have {len(poses)}, {len(starts)} and {len(along)} rows: "
                         "must be as many, or one for all")
    n = sizes.pop() if sizes else 1
    starts, units = (np.ascontiguousarray(np.broadcast_to(x, (n, 3))) for x in (starts, along / length))
    hit, distance, normal, feature, bad = engine.rays(core_shape(shape), poses, starts, units, float(longest),
                                                      thread_count(num_threads))
    if bad >= 0:
        raise ValueError(f"X_WS: row {bad} must be finite, with a quaternion of length 1 within 1e-3")
    return RayHits(hit.astype(bool), distance, normal, feature)
