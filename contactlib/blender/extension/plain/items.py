"""The objects of a .blend file as plain data: what the extension reads from Blender, and what it makes there.

An Item is one marked object. Its `keys` are those of its table in scene.toml, with all digits; its pose and its
vertices are what Blender shows, in 32-bit floats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .frames import Floats

BODY, GROUP, SHAPE = "body", "group", "shape"
ROLES = (BODY, GROUP, SHAPE)
#: custom property of an object that holds its mark: a JSON text, so that numbers keep all digits
MARK = "contact"
#: custom property of a mesh that holds the exact coordinates of its vertices, if 32-bit floats do not
EXACT = "contact_vertices"
#: name of the text in a .blend file that holds the tables of a scene other than its bodies
TEXT = "contact_scene.toml"
#: position in the order of the scene of an object that has none yet
LAST = 1_000_000


@dataclass
class Geometry:
    """Vertices (n, 3) in m, polygons, triangles (m, 3), and whether the polygons are still to be made: the hull."""

    vertices: Floats
    faces: list[tuple[int, ...]] = field(default_factory=list)
    triangles: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    edges: list[tuple[int, int]] = field(default_factory=list)
    hull: bool = False


@dataclass
class Item:
    """A marked object with those below it.

    Attributes
    ----------
    label : name of the object in Blender, which error messages use.
    role : "body", "group" or "shape".
    keys : its keys in scene.toml with all digits, without shapes and groups.
    X : pose in the parent item, or in the world (4 x 4, m), as Blender shows it.
    geometry : of a shape.
    material : name of the Blender material of a shape; None without one.
    marked_as : name that the object had when it was marked, with the key `name` for it.
    order : position among its siblings in the scene file.
    faults : sentences on what Blender has and a scene cannot hold, such as constraints.
    """

    label: str
    role: str
    keys: dict[str, Any] = field(default_factory=dict)
    X: Floats = field(default_factory=lambda: np.eye(4))
    geometry: Geometry | None = None
    material: str | None = None
    marked_as: str | None = None
    order: int = LAST
    children: list[Item] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name in the scene: that of its key while the object keeps its name, else the object's name."""
        if "name" in self.keys and self.marked_as in (None, self.label):
            return str(self.keys["name"])
        return as_name(self.label)

    @property
    def kind(self) -> str:
        return str(self.keys.get("kind", ""))

    def walk(self) -> Iterator[Item]:
        """Yield the item and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def sorted_children(self, *roles: str) -> list[Item]:
        return sorted((child for child in self.children if child.role in roles), key=lambda c: (c.order, c.label))


def as_name(text: str) -> str:
    """Return a text as a name of a scene: letters, digits and _.

    >>> as_name("pin.001"), as_name("2nd ring")
    ('pin_001', '_2nd_ring')
    """
    base = re.sub(r"[^A-Za-z0-9_]", "_", text) or "_"
    return f"_{base}" if base[0].isdigit() else base


@dataclass(frozen=True)
class Problem:
    """A sentence on an object of a .blend file: what is wrong and what to do. A `warning` does not stop an export."""

    label: str
    sentence: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{'warning: ' if self.warning else ''}object '{self.label}' {self.sentence}"


class ExportError(ValueError):
    """Objects that make no scene: a line for each problem."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
