"""The best sphere, capsule, box or socket of a cloud of vertices, in any attitude, with its largest deviation.

Sphere and capsule minimise the sum of squares of the vertices' distances from their surface (Gauss-Newton steps with
Levenberg's damping). A box is the smallest one around the vertices that a search over attitudes finds. It starts from
the principal axes and from the normals of faces, so that the box of a block is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .frames import Floats, frame_along, pose, rotation
from .least_squares import fit_sphere, minimum
from .measuring import Faces, measure

#: vertices beyond this number are thinned before a search; the deviation counts all of them
MOST = 4000


@dataclass(frozen=True)
class Fit:
    """A shape with its keys of a scene file, its frame (4 x 4), and the largest distance of a vertex from it (m)."""

    kind: str
    keys: dict[str, Any]
    X: Floats
    deviation: float

    def __str__(self) -> str:
        return f"{self.kind}: largest deviation {self.deviation * 1000.0:.3g} mm"


def fit(kind: str, vertices: Floats, faces: Faces) -> Fit:
    """Return the best shape of a kind: "sphere", "capsule", "box" or "socket".

    Parameters
    ----------
    vertices : (n, 3), m.
    faces : polygons; their normals are attitudes that a box or a socket may have.

    Raises
    ------
    ValueError : too few vertices, or vertices in a plane; or no fitted kind.

    Examples
    --------
    >>> import numpy as np
    >>> found = fit("sphere", np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1.0]]) + [5.0, 0.0, 0.0], [])
    >>> round(found.keys["radius"], 9), np.allclose(found.X[:3, 3], [5.0, 0.0, 0.0], rtol=0.0, atol=1e-9)
    (1.0, True)
    """
    if kind not in FITTED:
        raise ValueError(f"kind = {kind!r}: must be one of {', '.join(FITTED)}")
    points = np.asarray(vertices, dtype=np.float64)
    least = {"sphere": 4, "capsule": 6, "box": 4, "socket": 14}[kind]
    if len(points) < least:
        raise ValueError(f"{len(points)} vertices are selected, a {kind} needs at least {least}: select more")
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[-1] <= 1e-9 * spread[0]:
        raise ValueError(f"the selected vertices lie in a plane, a {kind} needs vertices around it: select more")
    return FITTED[kind](points, faces)


def _sphere(points: Floats, faces: Faces) -> Fit:
    center, radius, deviation = fit_sphere(points)
    return Fit("sphere", {"radius": radius}, pose(center.tolist()), deviation)


def _principal_axes(points: Floats) -> Floats:
    """Return the principal axes of a cloud as columns of a rotation matrix, the longest first."""
    _, _, rows = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    axes: Floats = rows.T.copy()
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return axes


def _capsule(points: Floats, faces: Faces) -> Fit:
    middle = points.mean(axis=0)
    p = points - middle
    found = [_capsule_from(p, axis) for axis in _principal_axes(p).T]
    x, deviation = min(found, key=lambda each: each[1])
    a, b, radius = x[:3], x[3:6], float(x[6])
    length = float(np.linalg.norm(b - a))
    X = pose((middle + 0.5 * (a + b)).tolist())
    if length > 1e-9 * radius:
        X[:3, :3] = frame_along(b - a)
    return Fit("capsule", {"radius": radius, "length": length}, X, deviation)


def _capsule_from(p: Floats, axis: Floats) -> tuple[Floats, float]:
    """Return both ends of the axis and the radius, and the largest deviation, from a start along an axis."""
    along = p @ axis
    across = np.linalg.norm(p - np.outer(along, axis), axis=1)
    radius = float(across.max())
    half = max(0.05 * radius, 0.5 * float(along.max() - along.min()) - radius)
    middle = 0.5 * float(along.max() + along.min()) * axis
    start = np.array([*(middle - half * axis), *(middle + half * axis), radius])
    x = minimum(lambda x: _capsule_residual(p, x), start)
    return x, float(np.abs(_capsule_residual(p, x)[0]).max())


def _capsule_residual(p: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return the distances from the capsule's surface and their derivatives by both ends and the radius."""
    a, b = x[:3], x[3:6]
    d = b - a
    t = np.clip((p - a) @ d / max(1e-300, float(d @ d)), 0.0, 1.0)
    arm = a + t[:, None] * d - p
    distance = np.maximum(np.linalg.norm(arm, axis=1), 1e-300)
    n = arm / distance[:, None]
    return distance - x[6], np.hstack([(1.0 - t)[:, None] * n, t[:, None] * n, -np.ones((len(p), 1))])


def face_normals(vertices: Floats, faces: Faces) -> tuple[Floats, Floats]:
    """Return the unit normals (m, 3) and the areas (m,) of polygons; a polygon without area has the normal 0."""
    if len(faces) == 0:
        return np.empty((0, 3)), np.empty(0)
    if isinstance(faces, np.ndarray):
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        vectors = 0.5 * np.cross(b - a, c - a)
    else:
        vectors = np.array([_area_vector(vertices[list(face)]) for face in faces])
    areas = np.linalg.norm(vectors, axis=1)
    return vectors / np.maximum(areas, 1e-300)[:, None], areas


def _area_vector(corners: Floats) -> Floats:
    p = corners - corners[0]
    total: Floats = 0.5 * np.cross(p[1:-1], p[2:]).sum(axis=0)
    return total


def _attitudes(points: Floats, faces: Faces) -> Iterator[Floats]:
    """Yield attitudes to start a search from: along the axes, the principal axes, and the largest faces."""
    yield np.eye(3)
    yield _principal_axes(points)
    normals, areas = face_normals(points, faces)
    largest = [normals[i] for i in np.argsort(-areas)[:60]]
    for k, first in enumerate(largest[:8]):
        for second in largest[k + 1:]:
            across = second - (second @ first) * first
            if np.linalg.norm(across) > 0.5:
                x = across / np.linalg.norm(across)
                yield np.column_stack([x, np.cross(first, x), first])
                break
        else:
            yield frame_along(first)


def _volume(points: Floats, R: Floats) -> float:
    return float(np.ptp(points @ R, axis=0).prod())


def _thinned(points: Floats) -> Floats:
    return points if len(points) <= MOST else points[:: len(points) // MOST + 1]


def _smallest_box(points: Floats, faces: Faces) -> Floats:
    """Return the attitude of the smallest box: the best start, turned about its axes by smaller and smaller angles."""
    few = _thinned(points)
    R = min(_attitudes(points, faces), key=lambda each: _volume(few, each))
    best, angle = _volume(few, R), 0.2
    while angle > 1e-7:
        turned = [R @ rotation([np.cos(0.5 * s * angle), *(np.sin(0.5 * s * angle) * np.eye(3)[k])])
                  for k in range(3) for s in (-1.0, 1.0)]
        volumes = [_volume(few, each) for each in turned]
        k = int(np.argmin(volumes))
        if volumes[k] < best * (1.0 - 1e-12):
            R, best = turned[k], volumes[k]
        else:
            angle *= 0.5
    return R


def _nearest_to_identity(R: Floats) -> Floats:
    """Return the same box's attitude with axes that are as near as possible to x, y and z."""
    columns: list[Floats] = []
    left = [R[:, k] for k in range(3)]
    for axis in np.eye(3)[:2]:
        k = int(np.argmax([abs(float(column @ axis)) for column in left]))
        column = left.pop(k)
        columns.append(column if column @ axis > 0.0 else -column)
    return np.column_stack([*columns, np.cross(columns[0], columns[1])])


def _box(points: Floats, faces: Faces) -> Fit:
    R = _nearest_to_identity(_smallest_box(points, faces))
    local = points @ R
    low, high = local.min(axis=0), local.max(axis=0)
    inside = np.minimum(local - low, high - local).min(axis=1)
    X = pose((R @ (0.5 * (low + high))).tolist())
    X[:3, :3] = R
    return Fit("box", {"size": (high - low).tolist()}, X, float(inside.max()))


def _socket(points: Floats, faces: Faces) -> Fit:
    """Return the best of the sockets with the axis along one of the six directions of the smallest box."""
    R = _smallest_box(points, faces)
    found: list[Fit] = []
    reasons: list[str] = []
    for k in range(3):
        for sign in (1.0, -1.0):
            z = sign * R[:, k]
            x = R[:, (k + 1) % 3]
            turn = np.column_stack([x, np.cross(z, x), z])
            try:
                measured = measure("socket", points @ turn, [])
            except ValueError as error:
                reasons.append(str(error))
                continue
            X = np.eye(4)
            X[:3, :3] = turn
            found.append(Fit("socket", measured.keys, X @ measured.X, measured.deviation))
    if not found:
        raise ValueError(f"no side of the selection is the top of a socket; along its axes it {reasons[0]}")
    return min(found, key=lambda each: each.deviation)


def depth_below_hull(vertices: Floats, normals: Floats, offsets: Floats) -> float:
    """Return the largest depth of a vertex below the faces of a convex hull, m: the concavity that the hull fills.

    The planes of the hull are normals (m, 3), pointing out, and offsets (m,): normal . x <= offset inside.
    """
    depth = np.full(len(vertices), np.inf)
    for normal, offset in zip(normals, offsets, strict=True):
        depth = np.minimum(depth, offset - vertices @ normal)
    return float(depth.max(initial=0.0))


FITTED: dict[str, Callable[[Floats, Faces], Fit]] = {
    "sphere": _sphere, "capsule": _capsule, "box": _box, "socket": _socket}
