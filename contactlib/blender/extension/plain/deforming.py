"""Meshes that change their vertices and keep their faces: tubes along cables, fabric of membranes, arrows of forces.

Each function returns vertices (frames, n, 3) in m and triangles or polygons by numbers of vertices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .drawing import circle
from .frames import Floats

Faces = NDArray[np.int64]
#: corners around a cable, and around an arrow
SIDES = 8
#: length of the head of an arrow, and radii of head and shaft, relative to its length
HEAD, HEAD_RADIUS, SHAFT_RADIUS = 0.3, 0.09, 0.03


def tubes(nodes: Floats, radius: float) -> tuple[Floats, Faces]:
    """Return the tube of a radius (m) along a cable with nodes (frames, n, 3), closed at its ends by flat lids."""
    frames, n, _ = nodes.shape
    along = np.gradient(nodes, axis=1)
    along /= np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-300)
    normal = _transported(along)
    binormal = np.cross(along, normal)
    ring = circle(radius, SIDES)
    vertices = (nodes[:, :, None] + ring[:, 0, None] * normal[:, :, None] + ring[:, 1, None] * binormal[:, :, None])
    first = (np.arange(n - 1) * SIDES)[:, None] + np.arange(SIDES)
    turned = (np.arange(n - 1) * SIDES)[:, None] + (np.arange(SIDES) + 1) % SIDES
    sides = np.stack([first, turned, turned + SIDES, first + SIDES], axis=-1).reshape(-1, 4)
    return vertices.reshape(frames, n * SIDES, 3), sides.astype(np.int64)


def _transported(along: Floats) -> Floats:
    """Return unit vectors normal to the directions (frames, n, 3), which turn as little as possible along a cable."""
    normal = np.empty_like(along)
    helper = np.eye(3)[np.argmin(np.abs(along[:, 0]), axis=1)]
    for k in range(along.shape[1]):
        helper = helper - (helper * along[:, k]).sum(axis=1, keepdims=True) * along[:, k]
        length = np.linalg.norm(helper, axis=1, keepdims=True)
        helper = helper / np.maximum(length, 1e-300)
        normal[:, k] = helper
    return normal


def fabric(vertices: Floats, triangles: Faces) -> tuple[Floats, Faces]:
    """Return the fabric of a membrane whose triangles (frames, k, 3) change; rows of -1 are no triangle.

    Each triangle has three vertices of its own, so that the faces stay; one that is absent is a point.
    """
    frames, count, _ = triangles.shape
    number = np.where(triangles >= 0, triangles, 0)
    corners = np.take_along_axis(vertices[:, :, None, :], number.reshape(frames, -1, 1, 1).repeat(3, axis=3), axis=1)
    moved = corners.reshape(frames, count, 3, 3)
    absent = triangles[:, :, 0] < 0
    moved = np.where(absent[:, :, None, None], moved[:, :, :1, :], moved)
    return moved.reshape(frames, 3 * count, 3), np.arange(3 * count, dtype=np.int64).reshape(-1, 3)


def arrows(tips: list[Floats], vectors: list[Floats]) -> tuple[Floats, Faces]:
    """Return arrows that end at tips (n, 3), along and as long as vectors (n, 3), m, for each frame.

    A frame with fewer arrows than another one has arrows without size.
    """
    most = max((len(rows) for rows in tips), default=0)
    template, faces = _arrow()
    vertices = np.zeros((len(tips), most, len(template), 3))
    for frame, (points, ends) in enumerate(zip(tips, vectors, strict=True)):
        for k in range(len(points)):
            length = float(np.linalg.norm(ends[k]))
            vertices[frame, k] = points[k]
            if length > 0.0:
                vertices[frame, k] += length * template @ _frame(ends[k] / length).T
    all_faces = (faces[None] + len(template) * np.arange(most)[:, None, None]).reshape(-1, faces.shape[1])
    return vertices.reshape(len(tips), most * len(template), 3), all_faces


def _frame(z: Floats) -> Floats:
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _arrow() -> tuple[Floats, Faces]:
    """Return an arrow of length 1 along z, with its tip at the origin, and its triangles."""
    rings = [(SHAFT_RADIUS, -1.0), (SHAFT_RADIUS, -HEAD), (HEAD_RADIUS, -HEAD), (0.0, 0.0)]
    vertices = np.concatenate([np.column_stack([circle(radius, SIDES), np.full(SIDES, z)]) for radius, z in rings])
    faces = []
    for ring in range(len(rings) - 1):
        for k in range(SIDES):
            a, b = ring * SIDES + k, ring * SIDES + (k + 1) % SIDES
            faces += [(a, b, b + SIDES), (a, b + SIDES, a + SIDES)]
    faces += [(0, k + 1, k) for k in range(1, SIDES - 1)]
    return vertices, np.array(faces, dtype=np.int64)
