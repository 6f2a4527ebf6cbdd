"""What all exports draw of a result: surfaces of shapes by body, chosen frames, a common origin, sizes and colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from contactlib.common.arguments import index_of, whole
from contactlib.model.parts import BodyShape
from contactlib.results.result import Result
from contactlib.shapes.shapes import Plane
from contactlib.shapes.surfaces import Triangles, size_of, surface

Floats = NDArray[np.float64]
#: colours of materials (sRGB), in the order of their names
COLOURS = ((0xB0, 0xB9, 0xC3), (0xE0, 0x7B, 0x39), (0x3A, 0x9A, 0x6B), (0x1F, 0x6F, 0xB4), (0x9A, 0x5F, 0xB0),
           (0xC0, 0x50, 0x4D), (0x7A, 0x7A, 0x3A))


@dataclass(frozen=True)
class Drawing:
    """A result with the choices of an export.

    every : draw each `every`-th frame, and the last one.
    follow : name of the body at whose position the origin is in every frame; by default the origin is where the bodies
        are in the first frame. Exports have numbers of 4 bytes, which are too short for positions in orbit.
    segments : number of segments around a circle.
    """

    result: Result
    every: int = 1
    follow: str | None = None
    segments: int = 32

    @cached_property
    def frames(self) -> NDArray[np.intp]:
        """Numbers of the drawn frames."""
        last = len(self.result) - 1
        return np.unique([*range(0, last + 1, whole("every", self.every, 1)), last])

    @cached_property
    def origin(self) -> Floats:
        """Position of the export's origin in each drawn frame, m, world axes, (T, 3)."""
        states = self.result.states
        if self.follow is not None:
            return states[self.frames, index_of(self.result.bodies, self.follow), :3]
        middle = states[0, :, :3].mean(axis=0) if states[0, :, :3].any() else np.zeros(3)
        near = np.abs(states[0, :, :3]).max(initial=0.0) < FAR * self.size
        return np.broadcast_to(np.zeros(3) if near else middle, (len(self.frames), 3))

    @cached_property
    def size(self) -> float:
        """Diagonal of the largest shape, m; 1 without shapes."""
        return max((size_of(shape.shape) for shapes in self.shapes for shape in shapes), default=0.0) or 1.0

    @cached_property
    def shapes(self) -> list[tuple[BodyShape, ...]]:
        """The shapes of each body, in the order of the result's bodies."""
        known = {body.name: body.shapes for body in self.result.scene.rigid_bodies}
        return [known.get(name, ()) for name in self.result.bodies]

    @cached_property
    def materials(self) -> list[str]:
        """The names of the materials, sorted."""
        return sorted({shape.material for shapes in self.shapes for shape in shapes})

    def colour(self, material: str) -> tuple[int, int, int]:
        """Return the colour of a material."""
        return COLOURS[self.materials.index(material) % len(COLOURS)]

    def surface(self, shape: BodyShape) -> Triangles:
        """Return the surface of a shape in its own frame; planes, points and segments have sizes that fit the scene."""
        size = self.size
        patch = 4.0 * size if isinstance(shape.shape, Plane) else 1.0
        return surface(shape.shape, segments=self.segments, patch=patch, thickness=0.02 * size)

    def radius(self, cable: str) -> float:
        """Radius of a cable's tube, m: that of the scene, or a hundredth of the largest shape."""
        name = cable.rpartition("[")[0]
        for element in self.result.scene.elements:
            if element.name == name:
                radius = getattr(getattr(element, "cable", None), "radius", None)
                return float(radius) if radius else 0.01 * self.size
        return 0.01 * self.size

    def contacts(self) -> Iterator[dict[str, NDArray[np.float64]]]:
        """Yield `contacts_of` of each drawn frame, with points relative to the origin."""
        for frame, origin in zip(self.frames.tolist(), self.origin, strict=True):
            rows = contacts_of(self.result, frame)
            yield rows | {"r_W": rows["r_W"] - origin}


def contacts_of(result: Result, frame: int) -> dict[str, NDArray[np.float64]]:
    """Return points r_W (m), normals n_W, forces f_W (N) and depths (m) of a frame, of bodies and then of cables.

    Normal and force are those on body B, or on the cable.
    """
    parts = (result.contacts_of(frame), result.cable_contacts_of(frame))
    return {name: np.concatenate([part[name] for part in parts]) for name in ("r_W", "n_W", "f_W", "depth")}


#: positions beyond this multiple of the largest shape are given relative to the bodies
FAR = 1e4
