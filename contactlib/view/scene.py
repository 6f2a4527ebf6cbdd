"""The scene of a page: bodies with groups, shapes and volumes, and the surfaces of all different shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.exports.drawing import Drawing
from contactlib.model.groups import FlatBody
from contactlib.model.parts import BodyShape
from contactlib.shapes.shapes import Mesh, Plane, Shape, Socket
from contactlib.shapes.surfaces import Triangles
from contactlib.view.volumes import volumes_of

Arrays = dict[str, NDArray[Any]]


class Geometries:
    """The surfaces of all different shapes, each once."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._numbers: dict[Shape, int] = {}
        self.surfaces: list[Triangles] = []

    def number(self, shape: BodyShape) -> int:
        """Return the number of a shape's surface."""
        if shape.shape not in self._numbers:
            self._numbers[shape.shape] = len(self.surfaces)
            self.surfaces.append(self._drawing.surface(shape))
        return self._numbers[shape.shape]

    def vertices(self, shape: BodyShape) -> NDArray[np.float64]:
        """Return the vertices of a shape's surface, m, in the frame of the shape."""
        return self.surfaces[self.number(shape)].vertices

    def arrays(self) -> Arrays:
        """Return vertices and triangles of all surfaces as the page needs them."""
        found: Arrays = {}
        for k, (vertices, triangles) in enumerate(self.surfaces):
            small = np.uint16 if len(vertices) < 1 << 16 else np.uint32
            found[f"geometry_{k}_vertices"] = vertices.astype(np.float32)
            found[f"geometry_{k}_triangles"] = triangles.astype(small)
        return found


def bodies_of(drawing: Drawing) -> tuple[list[dict[str, Any]], Arrays]:
    """Return the bodies in the order of the result, and the arrays of their surfaces."""
    geometries = Geometries(drawing)
    flat = {body.name: body for body in drawing.result.scene.rigid_bodies}
    return [_body(flat[name], geometries) for name in drawing.result.bodies], geometries.arrays()


def _body(body: FlatBody, geometries: Geometries) -> dict[str, Any]:
    properties = body.mass_properties()
    shapes = [{"name": shape.name, "kind": shape.shape.kind, "text": describe(shape.shape), "material": shape.material,
               "r": list(map(float, shape.r)), "q": list(map(float, shape.q)), "group": group,
               "geometry": -1 if isinstance(shape.shape, Plane) else geometries.number(shape)}
              for shape, group in zip(body.shapes, body.group_of, strict=True)]
    groups = [{"name": group.name, "parent": group.parent, "volume": group.volume} for group in body.groups]
    return {"name": body.name, "motion": body.motion, "mass": None if properties is None else float(properties.mass),
            "shapes": shapes, "groups": groups, "volumes": volumes_of(body, geometries.vertices)}


def describe(shape: Shape) -> str:
    """Return the kind and the sizes of a shape in words.

    >>> from contactlib.shapes.shapes import Box, Capsule
    >>> describe(Box((0.2, 0.1, 0.05), rounding=0.01)), describe(Capsule(0.01, 0.3))
    ('box 0.2 x 0.1 x 0.05 m, rounding 0.01 m', 'capsule, radius 0.01 m, length 0.3 m')
    """
    if isinstance(shape, Mesh):
        return f"mesh of {len(shape.triangles)} triangles"
    text: str = shape.kind
    sides = getattr(shape, "size", getattr(shape, "semi_axes", None))
    if sides is not None:
        text += f" {' x '.join(f'{side:g}' for side in sides)} m"
    what = "hole of radius" if isinstance(shape, Socket) else "radius"
    for name, words in (("rounding", "rounding"), ("radius", what), ("length", "length")):
        value = getattr(shape, name, 0.0)
        if value:
            text += f", {words} {value:g} m"
    return text
