"""Bounding volumes of groups, from the drawn surfaces of their shapes, in the axes of their body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.model.groups import FlatBody
from contactlib.model.parts import BodyShape
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.shapes.shapes import Plane

Floats = NDArray[np.float64]
IDENTITY = (1.0, 0.0, 0.0, 0.0)


def volumes_of(body: FlatBody, vertices_of: Callable[[BodyShape], Floats]) -> list[dict[str, Any]]:
    """Return the volume of each group: a sphere, or a box along the axes of the body ("aabb") or the group ("obb").

    Parameters
    ----------
    body : a body with its groups.
    vertices_of : returns the vertices (N, 3) in m of a shape's surface, in the frame of the shape.

    Returns
    -------
    list
        A dict per group that has shapes: kind, group, centre (m), and radius (m), or half sides (m) and quaternion.
        A group with the volume "auto" is drawn as a box along the body's axes.
    """
    found = []
    for number, group in enumerate(body.groups):
        below = _below(body, number)
        points = [_in_body(shape, vertices_of(shape)) for shape, owner in zip(body.shapes, body.group_of, strict=True)
                  if owner in below and not isinstance(shape.shape, Plane)]
        if points:
            kind, q = group.volume, group.q if group.volume == "obb" else IDENTITY
            found.append({"group": number, "kind": kind, **_volume(np.vstack(points), kind, q)})
    return found


def _below(body: FlatBody, number: int) -> set[int]:
    """Return a group and the groups below it; parents stand before their children."""
    below = {number}
    for k, group in enumerate(body.groups):
        if group.parent in below:
            below.add(k)
    return below


def _in_body(shape: BodyShape, vertices: Floats) -> Floats:
    return np.asarray(shape.r) + vertices @ rotation_matrix(shape.q).T


def _volume(points: Floats, kind: str, q: tuple[float, ...]) -> dict[str, Any]:
    R = rotation_matrix(q)
    turned = points @ R
    low, high = turned.min(axis=0), turned.max(axis=0)
    centre = R @ (0.5 * (low + high))
    if kind == "sphere":
        radius = float(np.sqrt(((points - centre) ** 2).sum(axis=1).max()))
        return {"centre": centre.tolist(), "radius": radius}
    return {"centre": centre.tolist(), "half": (0.5 * (high - low)).tolist(), "q": list(q)}
