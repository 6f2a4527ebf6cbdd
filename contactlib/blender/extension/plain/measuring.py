"""Sizes of a shape from the vertices of an object that is marked as that kind.

A measurement returns the sizes, the pose of the shape's frame in the object's frame, and the largest distance of a
vertex from the surface of the measured shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .frames import Floats, frame_along, pose, rounded, rounded_list
from .least_squares import fit_sphere

#: resolution of a coordinate relative to the largest one: that of 32-bit floats
RESOLUTION = 2.0**-23
#: vertices at this part of the largest distance from an axis lie on the widest circle
WIDEST = 0.999


@dataclass(frozen=True)
class Measured:
    """Keys of a shape in a scene file, the shape's frame in the object's (4 x 4), and the largest deviation (m)."""

    keys: dict[str, Any]
    X: Floats = field(default_factory=lambda: np.eye(4))
    deviation: float = 0.0


Faces = Sequence[tuple[int, ...]] | NDArray[np.integer[Any]]
_Measure = Callable[[Floats, Faces], Measured]


def measure(kind: str, vertices: Floats, faces: Faces) -> Measured:
    """Return the shape of this kind that the vertices (n, 3) show.

    Raises ValueError, with the remedy, if they cannot show one.

    >>> import numpy as np
    >>> corners = np.array([[x, y, z] for x in (0, 2) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    >>> measured = measure("box", corners, [])
    >>> measured.keys, measured.X[:3, 3].tolist()
    ({'size': [2.0, 2.0, 2.0]}, [1.0, 0.0, 0.0])
    """
    if len(vertices) == 0:
        raise ValueError("has no vertices: delete it, or unmark it")
    if not np.isfinite(vertices).all():
        raise ValueError("has vertices that are no numbers: delete them")
    measured = _MEASURES[kind](np.asarray(vertices, dtype=np.float64), faces)
    resolution = RESOLUTION * float(np.abs(vertices).max())
    X = measured.X.copy()
    X[:3, 3] = rounded_list(X[:3, 3], resolution)
    return Measured({key: _rounded(value, resolution) for key, value in measured.keys.items()}, X, measured.deviation)


def _rounded(value: Any, resolution: float) -> Any:
    """Return a size with the fewest digits; an integer, or the corners of a polyhedron, as they are."""
    if isinstance(value, float):
        return rounded(value, resolution)
    if isinstance(value, list) and value and isinstance(value[0], float):
        return rounded_list(value, resolution)
    return value


def _moved(center: Floats) -> Floats:
    return pose(center.tolist())


def _bounds(vertices: Floats) -> tuple[Floats, Floats]:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    center = 0.5 * (low + high)
    center[np.abs(center) < 1e-6 * np.abs(high - low).max()] = 0.0
    return center, high - low


def _needed(vertices: Floats, number: int, what: str) -> None:
    if len(vertices) < number:
        raise ValueError(f"has {len(vertices)} vertices, a {what} needs at least {number}: mark it as another kind")


def _point(vertices: Floats, faces: Faces) -> Measured:
    if len(vertices) != 1:
        raise ValueError(f"has {len(vertices)} vertices, a point has one: select one in edit mode and use "
                         "'Shape from Selection'")
    return Measured({}, _moved(vertices[0]))


def _segment(vertices: Floats, faces: Faces) -> Measured:
    if len(vertices) != 2:
        raise ValueError(f"has {len(vertices)} vertices, a segment has two: select one edge in edit mode and use "
                         "'Shape from Selection'")
    a, b = vertices
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        raise ValueError("has length zero: move one of its two vertices")
    X = _moved(0.5 * (a + b))
    X[:3, :3] = frame_along(b - a)
    return Measured({"length": float(length)}, X)


def _triangle(vertices: Floats, faces: Faces) -> Measured:
    if len(vertices) != 3:
        raise ValueError(f"has {len(vertices)} vertices, a triangle has three: mark it as a mesh")
    if np.linalg.norm(np.cross(vertices[1] - vertices[0], vertices[2] - vertices[0])) == 0.0:
        raise ValueError("has area zero: move one of its corners out of the line of the other two")
    order = list(faces[0]) if len(faces) == 1 else [0, 1, 2]
    return Measured({"corners": [rounded_list(vertices[i]) for i in order]})


def plane_of(vertices: Floats, faces: Faces) -> tuple[Floats, Floats, float]:
    """Return the centre of the vertices, the unit normal, and the largest distance of a vertex from that plane."""
    center = vertices.mean(axis=0)
    _, _, axes = np.linalg.svd(vertices - center, full_matrices=False)
    normal = axes[2] if len(axes) > 2 else np.cross(axes[0], axes[1])
    if len(faces):
        a, b, c = (vertices[i] for i in list(faces[0])[:3])
        if np.dot(np.cross(b - a, c - a), normal) < 0.0:
            normal = -normal
    return center, normal, float(np.abs((vertices - center) @ normal).max())


def _plane(vertices: Floats, faces: Faces) -> Measured:
    _needed(vertices, 3, "plane")
    center, normal, deviation = plane_of(vertices, faces)
    spread = np.linalg.svd(vertices - center, compute_uv=False)
    if spread[1] <= 1e-9 * spread[0]:
        raise ValueError("has area zero: a plane needs three vertices that are not in a line")
    if abs(float(center @ normal)) < 1e-6 * float(np.abs(vertices).max()) and normal[2] > 1.0 - 1e-12:
        return Measured({}, np.eye(4), deviation)
    X = _moved(center)
    X[:3, :3] = frame_along(normal)
    return Measured({}, X, deviation)


def _sphere(vertices: Floats, faces: Faces) -> Measured:
    _needed(vertices, 4, "sphere")
    center, radius, deviation = fit_sphere(vertices)
    center[np.abs(center) < 1e-6 * radius] = 0.0
    return Measured({"radius": float(radius)}, _moved(center), deviation)


def _box(vertices: Floats, faces: Faces) -> Measured:
    _needed(vertices, 8, "box")
    center, size = _bounds(vertices)
    _positive(size, "box")
    outside = np.abs(np.abs(vertices - center) - 0.5 * size)
    deviation = float(np.linalg.norm(outside, axis=1).max()) if len(vertices) == 8 else float(outside.min(axis=1).max())
    return Measured({"size": [*map(float, size)]}, _moved(center), deviation)


def _positive(size: Floats, what: str) -> None:
    if size.min() <= 1e-9 * size.max():
        axis = "xyz"[int(size.argmin())]
        raise ValueError(f"is flat along its {axis} axis, so it is no {what}: give it a thickness")


def _ellipsoid(vertices: Floats, faces: Faces) -> Measured:
    """Fit A x^2 + B y^2 + C z^2 + D x + E y + F z = 1, which is exact for vertices on an ellipsoid along the axes."""
    _needed(vertices, 6, "ellipsoid")
    middle, size = _bounds(vertices)
    _positive(size, "ellipsoid")
    p = (vertices - middle) / size
    solution, *_ = np.linalg.lstsq(np.hstack([p * p, p]), np.ones(len(p)), rcond=None)
    a, b = solution[:3], solution[3:]
    if a.min() <= 0.0:
        raise ValueError("is no ellipsoid along its axes: mark it as a polyhedron or a mesh")
    center = -0.5 * b / a
    axes = np.sqrt((1.0 + float((a * center * center).sum())) / a)
    off = np.abs(np.linalg.norm((p - center) / axes, axis=1) - 1.0).max() * float((axes * size).min())
    offset = middle + center * size
    offset[np.abs(offset) < 1e-6 * size.max()] = 0.0
    return Measured({"semi_axes": [*map(float, axes * size)]}, _moved(offset), float(off))


def circle_fit(xy: Floats) -> tuple[Floats, float]:
    """Return centre and radius of the circle with the smallest sum of squares of (distance^2 - radius^2)."""
    middle = xy.mean(axis=0)
    p = xy - middle
    solution, *_ = np.linalg.lstsq(np.column_stack([2.0 * p, np.ones(len(p))]), (p * p).sum(axis=1), rcond=None)
    center = solution[:2]
    return middle + center, float(np.sqrt(max(0.0, solution[2] + center @ center)))


def _axis(vertices: Floats, what: str) -> tuple[Floats, float, float, float]:
    """Return the point on the axis and the radius of the widest vertices about z, and the lowest and highest z."""
    _needed(vertices, 6, what)
    _, size = _bounds(vertices)
    _positive(size, what)
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))[:2]
    rho = np.linalg.norm(vertices[:, :2] - middle, axis=1)
    center, radius = circle_fit(vertices[rho > WIDEST * rho.max(), :2])
    low, high = float(vertices[:, 2].min()), float(vertices[:, 2].max())
    return center, radius, low, high


def _about_axis(center: Floats, low: float, high: float, size: float) -> Floats:
    place = np.array([*center, 0.5 * (low + high)])
    place[np.abs(place) < 1e-6 * size] = 0.0
    return _moved(place)


def _cylinder(vertices: Floats, faces: Faces) -> Measured:
    center, radius, low, high = _axis(vertices, "cylinder")
    rho = np.linalg.norm(vertices[:, :2] - center, axis=1)
    on_end = np.minimum(vertices[:, 2] - low, high - vertices[:, 2])
    deviation = float(np.maximum(rho - radius, np.minimum(np.abs(rho - radius), on_end)).max())
    return Measured({"radius": float(radius), "length": float(high - low)},
                    _about_axis(center, low, high, max(radius, high - low)), deviation)


def _capsule(vertices: Floats, faces: Faces) -> Measured:
    center, radius, low, high = _axis(vertices, "capsule")
    length = high - low - 2.0 * radius
    if length < -1e-5 * radius:
        raise ValueError("is shorter along its z axis than it is wide, so it is no capsule along z: turn its mesh in "
                         "edit mode, or use 'Fit' with capsule")
    length = max(0.0, length)
    middle = 0.5 * (low + high)
    beyond = np.maximum(0.0, np.abs(vertices[:, 2] - middle) - 0.5 * length)
    rho = np.linalg.norm(vertices[:, :2] - center, axis=1)
    deviation = float(np.abs(np.hypot(rho, beyond) - radius).max())
    return Measured({"radius": float(radius), "length": 0.0 if length <= 1e-6 * radius else float(length)},
                    _about_axis(center, low, high, max(radius, high - low)), deviation)


def _cone(vertices: Floats, faces: Faces) -> Measured:
    """Measure a cone of which the corners lie on two circles, or on one with a tip."""
    _needed(vertices, 4, "cone")
    _, size = _bounds(vertices)
    _positive(size, "cone")
    low, high = vertices[:, 2].min(), vertices[:, 2].max()
    rings = [vertices[np.abs(vertices[:, 2] - z) < 1e-5 * size.max()] for z in (low, high)]
    if sum(map(len, rings)) < len(vertices):
        raise ValueError("has vertices between its bottom and its top, so it is no cone along z: mark it as a "
                         "polyhedron")
    fits = [circle_fit(ring[:, :2]) if len(ring) > 2 else (ring[0, :2], 0.0) for ring in rings]
    sides = max(len(ring) for ring in rings)
    wider = np.sqrt(2.0 * np.pi / sides / np.sin(2.0 * np.pi / sides))
    center = fits[0][0] if fits[0][1] else fits[1][0]
    keys = {"radius": float(fits[0][1] / wider), "top_radius": float(fits[1][1] / wider),
            "length": float(high - low), "sides": sides}
    off = max(float(np.abs(np.linalg.norm(ring[:, :2] - center, axis=1) - fit[1]).max())
              for ring, fit in zip(rings, fits, strict=True))
    X = _about_axis(center, low, high, float(size.max()))
    ring = rings[0] if len(rings[0]) == sides else rings[1]
    first = ring[0, :2] - center
    turn = np.arctan2(first[1], first[0]) % (2.0 * np.pi / sides)
    if min(turn, 2.0 * np.pi / sides - turn) > 1e-5:
        X[:3, :3] = [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
    return Measured(keys, X, off)


def _socket(vertices: Floats, faces: Faces) -> Measured:
    """Measure a block with a round hole from above: the vertices inside its outline are those of the hole."""
    _needed(vertices, 14, "socket")
    _, size = _bounds(vertices)
    _positive(size, "socket")
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle = 0.5 * (low + high)
    inside = (np.abs(vertices - middle)[:, :2] < (0.5 - 1e-4) * size[:2]).all(axis=1) & (
        vertices[:, 2] > low[2] + 1e-5 * size[2])
    if inside.sum() < 6:
        raise ValueError("has no hole in its top: a socket is a block with a round hole that opens along z")
    hole = vertices[inside]
    rho = np.linalg.norm(hole[:, :2] - 0.5 * (hole[:, :2].min(axis=0) + hole[:, :2].max(axis=0)), axis=1)
    center, radius = circle_fit(hole[rho > WIDEST * rho.max(), :2])
    if np.linalg.norm(center - middle[:2]) > 1e-3 * size.max():
        raise ValueError("has its hole out of the middle of its block, which a socket cannot have: cut the block so "
                         "that the hole is in the middle")
    depth = float(high[2] - hole[:, 2].min())
    length = depth - radius
    if length < -1e-4 * radius:
        raise ValueError("has a hole that is less deep than its radius: a socket's hole ends in half a ball")
    length = 0.0 if length <= 1e-6 * radius else length
    rho = np.linalg.norm(hole[:, :2] - center, axis=1)
    below = np.maximum(0.0, high[2] - length - hole[:, 2])
    deviation = float(np.abs(np.hypot(rho, below) - radius).max())
    top = np.array([*middle[:2], high[2]])
    top[np.abs(top) < 1e-6 * size.max()] = 0.0
    keys = {"size": [*map(float, size)], "radius": float(radius), "length": float(length)}
    return Measured(keys, _moved(top), deviation)


def _polyhedron(vertices: Floats, faces: Faces) -> Measured:
    _needed(vertices, 4, "polyhedron")
    return Measured({"corners": [rounded_list(row) for row in vertices]})


def _mesh(vertices: Floats, faces: Faces) -> Measured:
    if len(faces) == 0:
        raise ValueError("has no faces: a mesh needs some, or mark it as points")
    return Measured({})


_MEASURES: dict[str, _Measure] = {
    "point": _point, "segment": _segment, "triangle": _triangle, "plane": _plane, "sphere": _sphere, "box": _box,
    "ellipsoid": _ellipsoid, "cylinder": _cylinder, "capsule": _capsule, "cone": _cone, "socket": _socket,
    "polyhedron": _polyhedron, "mesh": _mesh,
}
