"""The surfaces of a model's shapes as polygons, read from the model itself: for pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine
from contactlib.common.elementary import cos, sin
from contactlib.model.model_file import read_section
from contactlib.shapes.quaternion import rotation_matrix

if TYPE_CHECKING:
    from contactlib.model.model import Model

Floats = NDArray[np.float64]
#: numbers of sections in core/model/format.hpp
SHAPES, SURFACES, VERTICES, COUNTS, LOOPS = 3, 8, 9, 10, 11
POINTS = 24  # on a circle
TURN = [2.0 * 3.141592653589793 * k / POINTS for k in range(POINTS)]
CIRCLE = np.array([[cos(t), sin(t), 0.0] for t in TURN])


@dataclass(frozen=True)
class Solid:
    """A shape in world axes.

    Attributes
    ----------
    body : index of its body.
    faces : corners of each flat face, (n, 3) m each, counterclockwise from outside; None for a solid that is drawn by
        its outline alone.
    points : points (n, 3) on its surface, m; the outline is their convex hull.
    plane : whether it is a plane, which has no bounds; then `points` are its origin and the end of its unit normal.
    radius : of a ball, m; 0 for all others.
    """

    body: int
    faces: tuple[Floats, ...] | None
    points: Floats
    plane: bool = False
    radius: float = 0.0


def solids(model: Model, states: Floats) -> list[Solid]:
    """Return the shapes of a model in world axes.

    Parameters
    ----------
    model : the compiled scene.
    states : states of all bodies, (bodies, 13): positions m, quaternions, and velocities, which do not count.

    Examples
    --------
    >>> import contactlib
    >>> model = contactlib.load("tripod").compile()
    >>> len(solids(model, contactlib.Simulation(model).data.states()))
    4
    """
    content, kinds = model.to_bytes(), engine.shape_kinds()
    surfaces = [_surface(content, row) for row in read_section(content, SURFACES, "surface")]
    found = []
    for row in read_section(content, SHAPES, "shape"):
        kind = kinds[int(row["kind"])]
        faces, points = surfaces[int(row["surface"])] if row["surface"] >= 0 else SURFACE[kind](row["size"])
        state = states[int(row["body"])]

        def place(x: Floats, row: np.void = row, state: Floats = state) -> Floats:
            return _moved(_moved(x, row["q"], row["p"]), state[3:7], state[:3])

        placed = None if faces is None else tuple(place(face) for face in faces)
        radius = float(row["size"][0]) if kind == "sphere" else 0.0
        found.append(Solid(int(row["body"]), placed, place(points), kind == "plane", radius))
    return found


def _moved(x: Floats, q: Floats, p: Floats) -> Floats:
    R = rotation_matrix(q.tolist())
    return np.asarray((x[:, None, :] * R[None, :, :]).sum(axis=-1) + p)


def _surface(content: bytes, row: np.void) -> tuple[tuple[Floats, ...], Floats]:
    vertices = _numbers(content, VERTICES, "<f8", 3)[int(row["first_vertex"]) :][: int(row["vertex_count"])]
    counts = _numbers(content, COUNTS, "<i4")[int(row["first_face"]) :][: int(row["face_count"])]
    loops = _numbers(content, LOOPS, "<i4")[int(row["first_loop"]) :][: int(row["loop_count"])]
    ends = np.cumsum(counts)
    return tuple(vertices[loops[end - count : end]] for end, count in zip(ends, counts, strict=True)), vertices


def _numbers(content: bytes, tag: int, kind: str, width: int = 1) -> NDArray[Any]:
    records = engine.record_types()
    section = np.frombuffer(content, records["section"], tag + 1, records["header"].itemsize)[tag]
    size = int(section["count"]) * int(section["record_size"]) // np.dtype(kind).itemsize
    numbers = np.frombuffer(content, kind, size, int(section["offset"]))
    return numbers.reshape(-1, width) if width > 1 else numbers


Surface = tuple[tuple[Floats, ...] | None, Floats]


def _ball(radius: float) -> Floats:
    rings = [CIRCLE * cos(t) + np.array([0.0, 0.0, sin(t)]) for t in TURN[: POINTS // 4 + 1] + TURN[-POINTS // 4 :]]
    return radius * np.concatenate(rings)


def _tube(radius: float, half: float, top: float) -> Floats:
    return np.concatenate([radius * CIRCLE + np.array([0.0, 0.0, z]) for z in (top - 2 * half, top)])


def _block(size: Floats, top: float) -> tuple[Floats, ...]:
    """The six faces of a box whose upper face lies at z = `top`."""
    x, y, low = size[0] / 2, size[1] / 2, top - size[2]
    a, b, c, d, e, f, g, h = (
        np.array([sx * x, sy * y, z]) for z in (low, top) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )
    loops = ((a, d, c, b), (e, f, g, h), (a, b, f, e), (b, c, g, f), (c, d, h, g), (d, a, e, h))
    return tuple(np.array(loop) for loop in loops)


def _box(size: Floats) -> Surface:
    faces = _block(size, size[2] / 2)
    return faces, np.concatenate(faces)


def _socket(size: Floats) -> Surface:
    """The block, and the rim of its hole as a face that lies on the upper one."""
    faces = _block(size, 0.0)
    return (*faces, size[3] * CIRCLE), np.concatenate(faces)


def _cylinder(size: Floats) -> Surface:
    points = _tube(size[0], size[1] / 2, size[1] / 2)
    low, top = points[:POINTS], points[POINTS:]
    sides = [np.array([low[k - 1], low[k], top[k], top[k - 1]]) for k in range(POINTS)]
    return (low[::-1], top, *sides), points


def _capsule(size: Floats) -> Surface:
    ends = np.array([[0.0, 0.0, -size[1] / 2], [0.0, 0.0, size[1] / 2]])
    return None, np.concatenate([_ball(size[0]) + end for end in ends])


def _triangle(size: Floats) -> Surface:
    corners = np.array(size).reshape(3, 3)
    return (corners, corners[::-1]), corners


SURFACE: dict[str, Callable[[Floats], Surface]] = {
    "point": lambda size: (None, np.zeros((1, 3))),
    "sphere": lambda size: (None, size[0] * np.concatenate([np.eye(3), -np.eye(3)])),
    "segment": lambda size: (None, np.array([[0.0, 0.0, -size[1] / 2], [0.0, 0.0, size[1] / 2]])),
    "capsule": _capsule,
    "triangle": _triangle,
    "ellipsoid": lambda size: (None, _ball(1.0) * size[:3]),
    "box": _box,
    "cylinder": _cylinder,
    "socket": _socket,
    "plane": lambda size: (None, np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])),
}
