"""Shapes that are defined by corners and faces: the convex polyhedron and the mesh."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.common.vectors import dot, norm
from contactlib.shapes import hull, mass, rounding
from contactlib.shapes.mass import MassProperties
from contactlib.shapes.welding import same_places

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]


#: tolerance relative to a mesh's size: vertices of the border that are nearer than this are welded
WELDED = 1e-9


class Surface(NamedTuple):
    """Corners (V, 3) in m; corner indices of all faces in a row, counter-clockwise; number of corners of each face."""

    vertices: Floats
    loops: Indices
    counts: Indices


class Edges(NamedTuple):
    """Edges of triangles.

    corners (E, 2), the lower first; number of triangles at each edge; number of triangles that traverse the edge from
    the lower to the higher corner, minus the number of the others.
    """

    corners: NDArray[np.int64]
    uses: NDArray[np.intp]
    balance: NDArray[np.intp]

    @property
    def border(self) -> NDArray[np.bool_]:
        return np.equal(self.uses, 1)

    @property
    def non_manifold(self) -> NDArray[np.bool_]:
        return np.greater(self.uses, 2)

    @property
    def same_direction(self) -> NDArray[np.bool_]:
        """Edges that two triangles traverse in the same direction: one of these triangles is flipped."""
        return np.asarray((self.uses == 2) & (self.balance != 0))


class _ByContent:
    """A shape of read-only arrays; equal arrays make equal shapes."""

    @cached_property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), *(array.tobytes() for array in self._arrays)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _ByContent) or type(self) is not type(other):
            return NotImplemented
        return self is other or all(map(np.array_equal, self._arrays, other._arrays))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arrays


@dataclass(frozen=True, eq=False, repr=False)
class Polyhedron(_ByContent):
    """The convex hull of `corners` (K, 3) in m. Every row must be a corner, because features are numbered by rows.

    With a `rounding` (m), edges and corners are rounded: the solid is all balls of this radius that fit into the hull.

    `surface` and `check_shape` raise ValueError for corners without volume, and for corners inside the hull of the
    others; `hull_of` removes such corners. Corners closer than 1e-9 of the size are equal.

    >>> wedge = Polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)])
    >>> wedge.surface().counts.tolist()
    [4, 3, 4, 4, 3]
    >>> round(wedge.mass_properties(density=1000).mass, 9)
    500.0
    """

    corners: Floats
    rounding: float = 0.0
    kind: ClassVar[str] = "polyhedron"

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", rows_of_three("polyhedron.corners", self.corners))
        object.__setattr__(self, "rounding", np.float64(self.rounding))
        if not (np.isfinite(self.rounding) and self.rounding >= 0.0):
            raise ValueError(f"polyhedron.rounding = {self.rounding:g}: must be zero or more")

    @classmethod
    def hull_of(cls, points: ArrayLike, rounding: float = 0.0) -> Polyhedron:
        """Make the hull of any points (N, 3) in m, such as the corners of a mesh.

        Points that protrude from a face by less than 1e-9 of the size are removed (up to 1e-6 for coordinates with few
        digits). ValueError if the points have no volume.

        >>> len(Polyhedron.hull_of([(x, y, z) for x in (0, 1) for y in (0, 1, 2) for z in (0, 1, 2, 3)]).corners)
        8
        """
        rows = rows_of_three("points", points)
        check_finite("points", rows)
        try:
            return cls(rows[hull.hull_corners(rows)], rounding)
        except ValueError as error:
            raise ValueError(f"points: {error}") from None

    def __repr__(self) -> str:
        return f"Polyhedron({len(self.corners)} corners{f', rounding {self.rounding:g}' if self.rounding else ''})"

    def numbers(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0, float(self.rounding)) if self.rounding else ()

    def surface(self) -> Surface:
        """Return the given corners and the plane faces between them, before the edges are rounded."""
        return self._surface

    @cached_property
    def core(self) -> Polyhedron:
        """The middles of all balls of the radius `rounding` that fit into the hull; without rounding, the hull itself.

        ValueError if there is no such ball.
        """
        if not self.rounding:
            return self
        vertices, loops, counts = self.surface()
        faces = [vertices[face] for face in np.split(loops, np.cumsum(counts)[:-1])]
        areas = np.array([np.cross(face, np.roll(face, -1, axis=0)).sum(axis=0) for face in faces])
        normals = areas / norm(areas)[:, None]
        offsets = np.array([dot(face, n).mean() for face, n in zip(faces, normals, strict=True)])
        try:
            return Polyhedron.hull_of(rounding.inner_corners(normals, offsets, float(self.rounding)))
        except ValueError as error:
            raise ValueError(f"polyhedron.{error}") from None

    @cached_property
    def _surface(self) -> Surface:
        check_finite("polyhedron.corners", self.corners)
        rows = hull.distinct(self.corners)
        try:
            faces = hull.hull_faces(self.corners[rows])
        except ValueError as error:
            raise ValueError(f"polyhedron.corners: {error}: Polyhedron.hull_of selects corners from points") from None
        loops = np.concatenate(faces)
        inside = np.delete(rows, np.unique(loops))
        if len(inside):
            raise ValueError(f"polyhedron.corners: {len(inside)} of {len(rows)} lie inside the hull or in its faces "
                             f"({first_of(inside)}): Polyhedron.hull_of removes such points")
        return Surface(_fixed(self.corners[rows]), _fixed(loops.astype(np.int32)),
                       _fixed(np.array([len(face) for face in faces], dtype=np.int32)))

    def mass_properties(self, density: float) -> MassProperties:
        if self.rounding:
            raise ValueError("the mass of a rounded polyhedron is not computed from a density: give the body's mass "
                             "and inertia instead")
        vertices, loops, counts = self.surface()
        fans = [np.column_stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]])
                for f in np.split(loops, np.cumsum(counts)[:-1])]
        return mass.enclosed(vertices, np.concatenate(fans), density)


@dataclass(frozen=True, eq=False, repr=False)
class Mesh(_ByContent):
    """A surface of `triangles` (T, 3), each three rows of `vertices` (V, 3, in m), counter-clockwise from outside.

    Two triangles are neighbours if they share two vertices. Border vertices at equal positions, to 1e-9 of the mesh's
    size, are welded: the first of them replaces the others in `triangles`. Vertices and triangles keep their numbers; a
    replaced vertex belongs to no triangle. Closed parts that touch have no border and are not welded.

    ValueError for indices out of range; `surface` and `check_shape` raise ValueError for an invalid surface.
    `contactlib.shapes.importers.load_mesh` reads files, and `check_mesh` there reports what is wrong with a
    mesh.

    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> tetrahedron = Mesh(corners, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    >>> tetrahedron, round(tetrahedron.mass_properties(density=600).mass, 9)
    (Mesh(4 vertices, 4 triangles), 100.0)

    >>> three_each = tetrahedron.vertices[tetrahedron.triangles].reshape(-1, 3)
    >>> unwelded = Mesh(three_each, [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)])
    >>> unwelded.closed, unwelded.triangles.tolist()
    (True, [[0, 1, 2], [0, 2, 5], [2, 1, 5], [1, 0, 5]])
    """

    vertices: Floats
    triangles: NDArray[np.integer[Any]]
    kind: ClassVar[str] = "mesh"

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", rows_of_three("mesh.vertices", self.vertices))
        object.__setattr__(self, "triangles", _index_rows(self.triangles, len(self.vertices)))
        self._weld()

    def _weld(self) -> None:
        border = np.unique(self.edges.corners[self.edges.border])
        if not len(border) or not np.isfinite(self.vertices).all() or not np.isfinite(self.diagonal):
            return
        first = same_places(self.vertices[border], WELDED * self.diagonal)
        if (first == np.arange(len(first))).all():
            return
        replacement = np.arange(len(self.vertices), dtype=np.int32)
        replacement[border] = border[first]
        object.__setattr__(self, "triangles", _fixed(replacement[self.triangles]))
        for name in ("edges", "flat"):
            self.__dict__.pop(name, None)

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.triangles)} triangles)"

    def numbers(self) -> tuple[float, ...]:
        return ()

    def surface(self) -> Surface:
        """Return the triangles as faces.

        ValueError for an invalid surface: a vertex that is not finite, a triangle without area, a repeated triangle, an
        edge with more than two triangles, or an edge that two triangles traverse in the same direction. A border, which
        is an edge with one triangle, is allowed.
        """
        return self._surface

    @cached_property
    def _surface(self) -> Surface:
        check_finite("mesh.vertices", self.vertices)
        edges = self.edges
        broken = edges.non_manifold.any() or edges.same_direction.any()
        faults = (
            ("triangles without area", self.flat),
            ("triangles that repeat an earlier one", self.repeated[:len(self.triangles) * broken]),
            ("edges with more than two triangles", edges.corners[edges.non_manifold]),
            ("edges whose two triangles have opposite winding", edges.corners[edges.same_direction]),
        )
        found = "; ".join(f"{len(rows)} {what} ({first_of(rows)})" for what, rows in faults if len(rows))
        if found or not len(self.triangles):
            raise ValueError(f"mesh.triangles: {found or 'there are none'}; "
                             "contactlib.shapes.importers.check_mesh reports what is wrong, and repair_mesh repairs "
                             "some mistakes")
        loops = np.asarray(self.triangles.reshape(-1), dtype=np.int32)
        return Surface(self.vertices, loops, _fixed(np.full(len(self.triangles), 3, dtype=np.int32)))

    @cached_property
    def edges(self) -> Edges:
        """The edges, sorted by their corners."""
        ends = self.triangles.astype(np.int64)
        start, end = ends.ravel(), np.roll(ends, -1, axis=1).ravel()
        size = max(len(self.vertices), 1)
        keys = np.sort((np.minimum(start, end) * size + np.maximum(start, end)) * 2 + (start < end))
        first = np.flatnonzero(np.diff(keys >> 1, prepend=-1))
        count = np.diff(first, append=len(keys))
        up = np.add.reduceat(keys & 1, first) if len(keys) else count
        return Edges(np.column_stack(np.divmod(keys[first] >> 1, size)), count, 2 * up - count)

    @cached_property
    def flat(self) -> NDArray[np.intp]:
        """Triangles without area: their corners are collinear, to 1e-12 of the longest side."""
        return np.flatnonzero(is_flat(self.vertices[self.triangles]))

    @property
    def repeated(self) -> NDArray[np.intp]:
        """Triangles with the three corners of an earlier triangle, with either winding."""
        corners = np.sort(self.triangles, axis=1)
        order = np.lexsort(corners.T[::-1])  # stable: equal triangles keep their order
        again = (np.diff(corners[order], axis=0) == 0).all(axis=1)
        return np.sort(order[1:][again])

    @cached_property
    def extent(self) -> Floats:
        """Sides of the axis-aligned bounding box of the triangles, m; zero without triangles."""
        corners = self.vertices[np.unique(self.triangles)]
        return np.asarray(np.ptp(corners, axis=0) if len(corners) else np.zeros(3))

    @property
    def diagonal(self) -> float:
        """Diagonal of the axis-aligned bounding box, m."""
        return float(norm(self.extent))

    @property
    def closed(self) -> bool:
        """Whether every edge has two triangles that traverse it in opposite directions."""
        return bool(((self.edges.uses == 2) & (self.edges.balance == 0)).all())

    @property
    def volume(self) -> float:
        """Volume within closed triangles, m3: negative if they face inwards; meaningless for an open mesh."""
        return mass.volume(self.vertices, self.triangles)

    def mass_properties(self, density: float) -> MassProperties:
        if not self.closed:
            raise ValueError(f"the mesh encloses no volume ({np.count_nonzero(self.edges.border)} edges have one "
                             "triangle): close it, or give the body's mass and inertia instead of a density")
        return mass.enclosed(self.vertices, self.triangles, density)


def rows_of_three(name: str, values: object) -> Floats:
    """Return a read-only copy of rows of three numbers. ValueError for anything else."""
    try:
        rows = np.array(values, dtype=np.float64, order="C") + 0.0  # removes -0.0, which equals 0.0 but has other bytes
    except (TypeError, ValueError):
        raise ValueError(f"{name}: must be rows of three numbers") from None
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError(f"{name}: has the shape {rows.shape}, must be rows of three numbers")
    return _fixed(rows)


def check_finite(name: str, rows: Floats) -> None:
    """Raise ValueError, with the first bad rows, if rows have a NaN or an infinity."""
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise ValueError(f"{name}: {len(bad)} of {len(rows)} are not finite ({first_of(bad)})")


def is_flat(triangles: Floats) -> NDArray[np.bool_]:
    """Return which triangles (T, 3, 3) have no area: their height is at most 1e-12 of their longest side."""
    sides = triangles - np.roll(triangles, 1, axis=1)
    area = norm(np.cross(sides[:, 0], sides[:, 1]))
    return np.asarray(area <= 1e-12 * dot(sides, sides).max(axis=1))


def first_of(numbers: NDArray[Any], most: int = 5) -> str:
    """Return the first numbers of a list as "3, 5, 8, ...", or the first pairs as "3-5, 8-9"."""
    shown = [str(n) if np.ndim(n) == 0 else "-".join(map(str, n)) for n in numbers[:most].tolist()]
    return ", ".join(shown + ["..."] * (len(numbers) > most))


def _index_rows(values: object, count: int) -> Indices:
    try:
        rows = np.asarray(values)
    except ValueError:
        rows = np.zeros(1)
    rows = rows.reshape(-1, 3).astype(np.int32) if rows.size == 0 else rows
    if rows.dtype.kind not in "iu" or rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError("mesh.triangles: must be rows of three integers")
    bad = np.flatnonzero(((rows < 0) | (rows >= count)).any(axis=1))
    if len(bad):
        raise ValueError(f"mesh.triangles: {len(bad)} of {len(rows)} ({first_of(bad)}) name a missing vertex, "
                         f"must be from 0 to {count - 1}")
    return _fixed(rows.astype(np.int32))


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
