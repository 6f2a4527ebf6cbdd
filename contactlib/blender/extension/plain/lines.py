"""Lines of the overlays: outlines of shapes, bounding volumes of groups, normals of faces, all in world axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .drawing import circle, draw
from .fitting import face_normals
from .frames import Floats, applied
from .items import BODY, GROUP, SHAPE, Item
from .sizes import Sizes

#: length of a drawn normal relative to the size of its shape
NORMAL = 0.15


def placed(items: Sequence[Item]) -> list[tuple[Item, Floats]]:
    """Return all items with their poses in the world."""
    found: list[tuple[Item, Floats]] = []

    def visit(item: Item, above: Floats) -> None:
        X = above @ item.X
        found.append((item, X))
        for child in item.children:
            visit(child, X)

    for item in items:
        visit(item, np.eye(4))
    return found


def shape_lines(item: Item, X: Floats, sizes: Sizes) -> Floats:
    """Return the ends (n, 2, 3) of the edges of a shape as it is exported; none if it cannot be measured."""
    if item.geometry is None or item.role != SHAPE:
        return np.empty((0, 2, 3))
    try:
        size = sizes.of(item)
    except (ValueError, KeyError):
        return np.empty((0, 2, 3))
    drawing = None if item.kind in ("mesh", "polyhedron") else draw(item.kind, {**item.keys, **(size.keys or {})})
    faces = item.geometry.faces if drawing is None else drawing.faces
    vertices = item.geometry.vertices if drawing is None else drawing.vertices
    edges = {(min(a, b), max(a, b)) for face in faces for a, b in zip(face, (*face[1:], face[0]), strict=True)}
    edges |= set(drawing.edges if drawing else [])
    place = X if size.X is None else X @ size.X
    numbers = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    return applied(place, vertices)[numbers]


def normal_lines(item: Item, X: Floats) -> Floats:
    """Return lines (n, 2, 3) from the middles of a shape's faces along their normals."""
    if item.geometry is None or not item.geometry.faces:
        return np.empty((0, 2, 3))
    vertices = item.geometry.vertices
    normals, areas = face_normals(vertices, item.geometry.faces)
    middles = np.array([vertices[list(face)].mean(axis=0) for face in item.geometry.faces])[areas > 0.0]
    length = NORMAL * float(np.ptp(vertices, axis=0).max())
    ends = np.stack([middles, middles + length * normals[areas > 0.0]], axis=1)
    return applied(X, ends.reshape(-1, 3)).reshape(-1, 2, 3)


def volume_lines(item: Item, X: Floats, X_body: Floats) -> Floats:
    """Return the lines (n, 2, 3) of the bounding volume of a group: "aabb" lies along the axes of its body.

    The volume "auto" is the smaller of the box along the group's axes and the sphere.
    """
    points = [applied(pose, each.geometry.vertices) for each, pose in _below(item, X) if each.geometry is not None]
    if not points or item.role not in (GROUP, BODY):
        return np.empty((0, 2, 3))
    cloud = np.concatenate(points)
    frame = X_body if item.keys.get("volume") == "aabb" else X
    local = (cloud - frame[:3, 3]) @ frame[:3, :3]
    low, high = local.min(axis=0), local.max(axis=0)
    center = 0.5 * (low + high)
    radius = float(np.linalg.norm(local - center, axis=1).max())
    kind = item.keys.get("volume", "auto")
    ball = 4.0 / 3.0 * np.pi * radius**3
    if kind == "sphere" or (kind == "auto" and ball < float((high - low).prod())):
        return applied(frame, (center + _sphere_lines(radius)).reshape(-1, 3)).reshape(-1, 2, 3)
    box = draw("box", {"size": high - low})
    assert box is not None
    edges = {(min(a, b), max(a, b)) for face in box.faces for a, b in zip(face, (*face[1:], face[0]), strict=True)}
    lines: Floats = applied(frame, box.vertices + center)[np.array(sorted(edges))]
    return lines


def _below(item: Item, X: Floats) -> list[tuple[Item, Floats]]:
    return [(item, X), *(pair for child in item.children for pair in _below(child, X @ child.X))]


def _sphere_lines(radius: float) -> Floats:
    """Return three great circles as lines."""
    xy = circle(radius, 48)
    rings = []
    for k in range(3):
        ring = np.zeros((len(xy), 3))
        ring[:, k], ring[:, (k + 1) % 3] = xy[:, 0], xy[:, 1]
        rings.append(np.stack([ring, np.roll(ring, -1, axis=0)], axis=1))
    return np.concatenate(rings)
