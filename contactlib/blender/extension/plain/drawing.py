"""Vertices and polygons that show a shape of a scene, in the shape's own frame (docs/scenes.md).

The vertices of a drawing tell whether an object is still what a scene file says: `export.py` compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .frames import Floats

#: corners around the circle of a sphere, capsule, cylinder or hole
SIDES = 24
#: half side of the square that shows a plane, m
PLANE = 0.5

Face = tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """Vertices (n, 3) in m, polygons and loose edges by the numbers of their vertices.

    `hull` says that the polygons are those of the convex hull, which Blender makes.
    """

    vertices: Floats
    faces: tuple[Face, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    hull: bool = False


def draw(kind: str, keys: Mapping[str, Any]) -> Drawing | None:
    """Return the drawing of a shape with these keys of a scene file; None if the keys do not say its size.

    >>> draw("box", {"size": [0.2, 0.4, 0.6]}).vertices.max(axis=0).tolist()
    [0.1, 0.2, 0.3]
    >>> draw("box", {}) is None
    True
    """
    try:
        return _DRAWINGS[kind](keys)
    except KeyError:
        return None


def _point(keys: Mapping[str, Any]) -> Drawing:
    return Drawing(np.zeros((1, 3)))


def _segment(keys: Mapping[str, Any]) -> Drawing:
    half = 0.5 * keys["length"]
    return Drawing(np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]), edges=((0, 1),))


def _triangle(keys: Mapping[str, Any]) -> Drawing:
    return Drawing(np.array(keys["corners"], dtype=np.float64), ((0, 1, 2),))


def _plane(keys: Mapping[str, Any]) -> Drawing:
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    return Drawing(PLANE * np.array(corners, dtype=np.float64), ((0, 1, 2, 3),))


def _box(keys: Mapping[str, Any]) -> Drawing:
    return _block(np.asarray(keys["size"], dtype=np.float64), 0.0)


def _block(size: Floats, middle: float) -> Drawing:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    corners[:, 2] += middle
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return Drawing(corners, faces)


def circle(radius: float, sides: int = SIDES) -> Floats:
    """Return corners (sides, 2) on a circle; the first is on x, and one is on each half axis if 4 divides `sides`."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def revolved(profile: list[tuple[float, float]], sides: int = SIDES) -> Drawing:
    """Return the surface of revolution about z of a profile of (radius, z) from below; radius 0 is a tip."""
    vertices: list[NDArray[Any]] = []
    rings: list[list[int]] = []
    count = 0
    for radius, z in profile:
        corners = circle(radius, sides) if radius > 0.0 else np.zeros((1, 2))
        vertices.append(np.column_stack([corners, np.full(len(corners), z)]))
        rings.append(list(range(count, count + len(corners))))
        count += len(corners)
    faces: list[Face] = []
    for low, high in pairwise(rings):
        faces += _band(low, high)
    if len(rings[0]) > 1:
        faces.insert(0, tuple(reversed(rings[0])))
    if len(rings[-1]) > 1:
        faces.append(tuple(rings[-1]))
    return Drawing(np.concatenate(vertices), tuple(faces))


def _band(low: list[int], high: list[int]) -> list[Face]:
    """Return the polygons between two rings, seen from outside; a ring of one corner is a tip."""
    n = max(len(low), len(high))
    if len(low) == 1:
        return [(low[0], high[(k + 1) % n], high[k]) for k in range(n)]
    if len(high) == 1:
        return [(low[k], low[(k + 1) % n], high[0]) for k in range(n)]
    return [(low[k], low[(k + 1) % n], high[(k + 1) % n], high[k]) for k in range(n)]


def _arc(radius: float, middle: float, low: float, high: float) -> list[tuple[float, float]]:
    """Return a profile on a circle about (0, middle) from one latitude to another, in steps of the side's angle."""
    steps = max(1, round((high - low) / (2.0 * np.pi / SIDES)))
    angles = low + (high - low) * np.arange(steps + 1) / steps
    return [(0.0 if abs(abs(a) - np.pi / 2) < 1e-9 else radius * float(np.cos(a)), middle + radius * float(np.sin(a)))
            for a in angles]


def _sphere(keys: Mapping[str, Any]) -> Drawing:
    return revolved(_arc(keys["radius"], 0.0, -np.pi / 2, np.pi / 2))


def _capsule(keys: Mapping[str, Any]) -> Drawing:
    radius, half = keys["radius"], 0.5 * keys["length"]
    lower, upper = _arc(radius, -half, -np.pi / 2, 0.0), _arc(radius, half, 0.0, np.pi / 2)
    return revolved(lower + (upper if half > 0.0 else upper[1:]))


def _cylinder(keys: Mapping[str, Any]) -> Drawing:
    half = 0.5 * keys["length"]
    return revolved([(keys["radius"], -half), (keys["radius"], half)])


def _cone(keys: Mapping[str, Any]) -> Drawing:
    half, sides = 0.5 * keys["length"], int(keys.get("sides", 64))
    step = 2.0 * np.pi / sides
    wider = np.sqrt(step / np.sin(step))  # the polygons have the areas of their circles
    return revolved([(wider * keys["radius"], -half), (wider * keys.get("top_radius", 0.0), half)], sides)


def _ellipsoid(keys: Mapping[str, Any]) -> Drawing:
    unit = _sphere({"radius": 1.0})
    return Drawing(unit.vertices * np.asarray(keys["semi_axes"], dtype=np.float64), unit.faces)


def _polyhedron(keys: Mapping[str, Any]) -> Drawing:
    return Drawing(np.array(keys["corners"], dtype=np.float64).reshape(-1, 3), hull=True)


def _mesh(keys: Mapping[str, Any]) -> Drawing:
    triangles = tuple(tuple(int(i) for i in row) for row in keys["triangles"])
    return Drawing(np.array(keys["vertices"], dtype=np.float64).reshape(-1, 3), triangles)


def _socket(keys: Mapping[str, Any]) -> Drawing:
    """Return a block below z = 0 with a hole from above: a cylinder with half a ball below."""
    radius, length, size = keys["radius"], keys["length"], np.asarray(keys["size"], dtype=np.float64)
    block = _block(size, -0.5 * float(size[2]))
    hole = revolved([*_arc(radius, -length, -np.pi / 2, 0.0), *([(radius, 0.0)] if length > 0.0 else [])])
    first = len(block.vertices)
    inner = [tuple(first + i for i in reversed(face)) for face in hole.faces[:-1]]  # without the lid
    rim = list(range(first + len(hole.vertices) - SIDES, first + len(hole.vertices)))
    # the top face becomes four polygons between the rim and the edges; corner 1 is (-, -), 5 (+, -), 7 (+, +), 3 (-, +)
    quarter = SIDES // 4
    at = [rim[(SIDES // 8 + k * quarter) % SIDES] for k in range(4)]  # on the diagonals: (+, +), (-, +), (-, -), (+, -)
    corners = (7, 3, 1, 5)
    top: list[Face] = []
    for k in range(4):
        start = rim.index(at[k])
        arc = [rim[(start + j) % SIDES] for j in range(quarter + 1)]
        top.append((corners[k], corners[(k + 1) % 4], *reversed(arc)))
    faces = [face for face in block.faces if set(face) != {1, 3, 5, 7}]
    return Drawing(np.concatenate([block.vertices, hole.vertices]), tuple([*faces, *inner, *top]))


_DRAWINGS: dict[str, Callable[[Mapping[str, Any]], Drawing]] = {
    "point": _point, "segment": _segment, "triangle": _triangle, "plane": _plane, "sphere": _sphere,
    "capsule": _capsule, "cylinder": _cylinder, "cone": _cone, "ellipsoid": _ellipsoid, "box": _box,
    "polyhedron": _polyhedron, "mesh": _mesh, "socket": _socket,
}
#: the kinds of shapes of a scene, in the order of the menus
KINDS = tuple(_DRAWINGS)
