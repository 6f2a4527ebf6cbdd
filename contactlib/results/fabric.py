"""The fabric of a scene's membranes at the state of a simulation: vertices and triangles, world axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine
from contactlib.elements.membrane import Membrane
from contactlib.model.model import Model
from contactlib.model.model_file import read_section
from contactlib.shapes.quaternion import rotation_matrix

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
#: sections of the model file (core/model/format.hpp)
ELEMENTS, NUMBERS, INTEGERS = 12, 13, 14
#: rows of the core for membranes in space and in a plane
ROWS = (Membrane.kind, f"{Membrane.kind}_2d")
WORLD = np.array([0.0, 0.0, 0.0, 1.0, *(0.0 for _ in range(9))])


@dataclass(frozen=True)
class Fabric:
    """A membrane of a model: suspension points in the carrier's axes, corners in those of the caught body, m.

    `caught` and `carrier` are numbers of bodies, -1 for the world. `rows` are the places of the commands `reel` in the
    table of variables.
    """

    name: str
    dimension: int
    caught: int
    carrier: int
    points: Floats
    corners: Floats
    rows: tuple[int, ...]
    membrane: engine.Membrane
    parameters: tuple[float, float, float, float, float]

    @property
    def vertex_count(self) -> int:
        """Number of vertices: the suspension points, followed by the corners of the caught body."""
        return len(self.points) + len(self.corners)

    def at(self, states: Floats, reel: Sequence[float]) -> tuple[Floats, Indices]:
        """Return the vertices (V, 3) in m and the triangles (T, 3) of the fabric at states (bodies, 13) in world axes.

        Where the body does not press on the fabric, the fabric is flat: a fan between the suspension points.
        """
        carrier = WORLD if self.carrier < 0 else states[self.carrier]
        caught = states[self.caught]
        drawn = np.asarray(reel, dtype=np.float64)
        out = self.points - self.points.mean(axis=0)
        points = self.points - drawn[:, None] * out / np.linalg.norm(out, axis=1)[:, None]
        vertices = np.vstack([_placed(carrier, points), _placed(caught, self.corners)])
        if self.dimension == 2:
            return vertices, np.zeros((0, 3), dtype=np.int32)
        pair = np.ascontiguousarray(np.stack([carrier, caught]))
        triangles = engine.membrane_fabric(self.membrane, self.parameters, pair, drawn)[0]
        return vertices, triangles if len(triangles) else _fan(len(self.points))


def _placed(state: Floats, points: Floats) -> Floats:
    return np.asarray(state[:3] + points @ rotation_matrix(tuple(state[3:7].tolist())).T)


def _fan(count: int) -> Indices:
    around = np.arange(1, count - 1, dtype=np.int32)
    return np.column_stack([np.zeros(count - 2, np.int32), around, around + 1])


def fabrics(model: Model) -> list[Fabric]:
    """Return the membranes of a model.

    >>> import contactlib
    >>> [net] = fabrics(contactlib.load("trampoline").compile())
    >>> net.name, net.dimension
    ('net', 3)
    """
    content = model.to_bytes()
    records = read_section(content, ELEMENTS, "element")
    numbers, integers = read_section(content, NUMBERS, "number"), read_section(content, INTEGERS, "index")
    at = {variable.name: row for row, variable in enumerate(model.variables)}
    counts = {name: (parameters, commands) for name, parameters, commands, _ in engine.element_table()}
    found = []
    for (name, row, ports, _), record in zip(model.core.elements, records, strict=True):
        if row not in ROWS:
            continue
        skipped = sum(ports if each else 1 for part in counts[row] for _, each in part)
        first, whole = int(record["first_number"]), int(record["first_integer"])
        rows = tuple(at[f"{name}.reel[{k + 1}]"] for k in range(ports))
        found.append(_fabric(name, ports, rows, numbers[first:first + int(record["number_count"])], skipped,
                             integers[whole:whole + int(record["integer_count"])]))
    return found


def _fabric(name: str, ports: int, rows: tuple[int, ...], numbers: Floats, skipped: int, integers: Indices) -> Fabric:
    """Read the record of a membrane, as core/element/membrane/row.cpp does."""
    count, *bodies = integers[:3].tolist()
    dimension, spread, push, corner_count, triangle_count = integers[count + 1:count + 6].tolist()
    triangles = integers[count + 6:count + 6 + 3 * triangle_count].reshape(-1, 3)
    ends = np.cumsum([skipped, 3 * ports, 3, 3 * corner_count])
    points, up, corners = (numbers[a:b] for a, b in pairwise(ends))
    curves = _curves(numbers[ends[-1]:], integers[count + 6 + 3 * triangle_count:].tolist())
    points, corners = points.reshape(-1, 3).copy(), corners.reshape(-1, 3).copy()
    made = engine.Membrane(dimension, points, up.copy(), corners, triangles.astype(np.int32), curves, spread,
                           bool(push))
    stiffness, damping, rest_area, friction, slip_speed = numbers[:5].tolist()
    return Fabric(name, dimension, bodies[0], bodies[1], points, corners, rows, made,
                  (stiffness, damping, rest_area, friction, slip_speed))


def _curves(numbers: Floats, counts: Sequence[int]) -> tuple[engine.Curve, engine.Curve, engine.Curve]:
    pieces = np.split(numbers, np.cumsum([2 * count for count in counts])[:-1])
    elastic, extending, retracting = (piece.reshape(-1, 2).tolist() for piece in pieces)
    return elastic, extending, retracting
