"""Sizes of the shapes of a scene: the exact ones of their keys, or those that their vertices show.

Objects that share a mesh are measured once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from .drawing import draw
from .frames import Floats, agrees
from .items import Geometry, Item
from .measuring import measure

#: keys of a shape that say its size; all others are kept when the size changes
SIZE_KEYS = frozenset({
    "radius", "top_radius", "length", "sides", "size", "semi_axes", "corners", "vertices", "triangles", "file", "scale",
    "heights", "spacing", "thickness"})


@dataclass(frozen=True)
class Size:
    """Sizes of a shape.

    Attributes
    ----------
    keys : keys of the scene file that replace the sizes in the shape's mark; None where the mark is still right.
    X : the shape's frame in that of its object (4 x 4, m); None where both are one.
    deviation : largest distance of a vertex from the shape, m.
    """

    keys: dict[str, Any] | None
    X: Floats | None = None
    deviation: float = 0.0


class Sizes:
    """Sizes by shape; a geometry that several shapes share is measured once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str, str], Size] = {}

    def of(self, item: Item) -> Size:
        """Return the sizes of a shape that has vertices. Raises ValueError, with the remedy, if they show none."""
        assert item.geometry is not None
        given = {key: value for key, value in item.keys.items() if key in SIZE_KEYS}
        key = id(item.geometry), item.kind, json.dumps(given)
        if key not in self._known:
            self._known[key] = _size(item, item.geometry)
        return self._known[key]


def _size(item: Item, geometry: Geometry) -> Size:
    drawn = draw(item.kind, item.keys)
    known = drawn is not None and item.kind != "plane" and same_vertices(geometry.vertices, drawn.vertices)
    if known and (item.kind != "mesh" or (drawn is not None and same_faces(drawn.faces, geometry.triangles))):
        return Size(None)
    measured = measure(item.kind, geometry.vertices, geometry.triangles if item.kind == "mesh" else geometry.faces)
    moved = not np.array_equal(measured.X, np.eye(4))
    return Size(measured.keys, measured.X if moved else None, measured.deviation)


def same_vertices(a: Floats, b: Floats) -> bool:
    """Return whether two lists of vertices are the same ones, to the precision of 32-bit floats."""
    return a.shape == b.shape and agrees(a, b)


def same_faces(faces: Any, triangles: Any) -> bool:
    """Return whether two lists of triangles are the same ones, each from any corner on.

    >>> same_faces([(0, 1, 2)], [[1, 2, 0]]), same_faces([(0, 1, 2)], [[1, 0, 2]])
    (True, False)
    """
    one = np.asarray(faces, dtype=np.int64).reshape(-1, 3)
    two = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    return one.shape == two.shape and bool(np.array_equal(_turned(one), _turned(two)))


def _turned(triangles: Any) -> Any:
    """Return triangles that begin with their smallest number."""
    first = triangles.argmin(axis=1)[:, None]
    return np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)
