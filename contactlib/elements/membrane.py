"""The membrane: a fabric between suspension points that catches a body (docs/membrane.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.common.vectors import dot, unit
from contactlib.elements.base import Design, Kind, body_of, fail, path_of, start_pose
from contactlib.shapes.polytopes import Mesh, Polyhedron, rows_of_three
from contactlib.shapes.quaternion import rotate
from contactlib.shapes.shapes import Box, Shape, rounding_of

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody
    from contactlib.model.parts import BodyShape


Floats = NDArray[np.float64]
Points = tuple[tuple[float, ...], ...]
Curve = tuple[tuple[float, float], ...]

#: in the order of the core's enum (core/element/membrane/membrane.hpp)
SPREADS = ("bisector", "pseudo_inverse", "complementarity")

#: keys of the profiles, and the quantity of their first column
PROFILES = {"elastic": "growth", "extending": "rate", "retracting": "rate"}

UP: tuple[float, ...] = (0.0, 0.0, 1.0)

_FAULTS = {
    "not_finite": "must be finite",
    "coincident": "lies where the next one lies",
    "not_plane": "does not lie in the plane of the others",
    "not_convex": "the points do not go once around a convex frame: it lies on or inside the line of its neighbours",
}


class Hull(NamedTuple):
    """Corners (V, 3) in m and triangles (T, 3) of a convex hull."""

    corners: Floats
    triangles: NDArray[np.int32]


@dataclass(frozen=True)
class Membrane(Kind):
    """A fabric that catches a body. Tension k (A - A0) + c A', with the area A of the hull of body and frame.

    Parameters
    ----------
    name : name of the element; its variables are `name.area` and so on.
    body : name of the caught body.
    suspension_points : m, carrier axes, counter-clockwise as seen from the caught body.
    stiffness, damping : k in N/m3 and c in N s/m3; of a two-dimensional membrane in N/m and N s/m.
    carrier : name of the body with the points; None is the world.
    shape : name of the shape of the caught body; required if it has several.
    rest_area : A0, m2 (two-dimensional: a length, m); None is the area of the flat membrane.
    friction : coefficient of friction of the fabric on each material of the caught shape; () is no friction.
    slip_speed : m/s, below which the friction decreases to 0.
    spread : distribution of the normal forces over the corners in contact, one of `SPREADS`.
    push : True: the tension may be negative, where the damping exceeds the elastic tension.
    dimension : 3, or 2 for a band between two points that catches a body in the plane of the band and `up`.
    up : direction towards the caught body, carrier axes; only for dimension 2.
    elastic, extending, retracting : curves instead of k and c: points (increase of the area, tension), (rate of
        increase, tension), (rate of decrease, tension).

    Examples
    --------
    >>> Membrane("net", "rock", ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)), stiffness=30.0, damping=1.5).summary()
    "4 points on the world catch 'rock', k 30, c 1.5, no friction"
    """

    name: str
    body: str
    suspension_points: Points
    stiffness: float = 0.0
    damping: float = 0.0
    carrier: str | None = None
    shape: str | None = None
    rest_area: float | None = None
    friction: tuple[tuple[str, float], ...] = ()
    slip_speed: float = 0.02
    spread: str = "bisector"
    push: bool = False
    dimension: int = 3
    up: tuple[float, ...] = UP
    elastic: Curve = ()
    extending: Curve = ()
    retracting: Curve = ()
    kind: ClassVar[str] = "membrane"

    @property
    def row(self) -> str:
        """Name of the row in the core: units differ with the dimension."""
        return "membrane" if self.dimension == 3 else "membrane_2d"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[membrane]] of a scene file. A ValueError has the key's path."""
        del folder
        dimension = table.take("dimension", tables.integer(2, 3), 3)
        elastic, extending, retracting = (_curve(table, key, x) for key, x in PROFILES.items())
        at_least_zero = tables.number(0.0)
        result = cls(
            name=table.take("name", tables.name),
            body=table.take("body", tables.text),
            suspension_points=table.take("suspension_points", _points(dimension)),
            stiffness=table.take("stiffness", at_least_zero, *([0.0] if elastic else [])),
            damping=table.take("damping", at_least_zero, *([0.0] if extending or retracting else [])),
            carrier=table.take("carrier", tables.text, None),
            shape=table.take("shape", tables.text, None),
            rest_area=table.take("rest_area", at_least_zero, None),
            friction=_friction(table.table("friction")),
            slip_speed=table.take("slip_speed", tables.number(0.0, above=True), 0.02),
            spread=table.take("spread", tables.choice(SPREADS), "bisector"),
            push=table.take("push", tables.boolean, False),
            dimension=dimension,
            up=table.take("up", tables.vector(3), UP) if dimension == 2 else UP,
            elastic=elastic,
            extending=extending,
            retracting=retracting,
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return its frame, the hull of the caught shape, and the coefficients of friction."""
        caught = body_of(self, "body", self.body, bodies)
        if self.carrier is not None:
            body_of(self, "carrier", self.carrier, bodies)
        if self.carrier == self.body:
            fail(self, "carrier", self.carrier, "must be another body than the one that is caught")
        shape = self._shape_of(caught)
        points, up, hull = self._points(), rows_of_three(path_of(self, "up"), [self.up]), self._hull(shape)
        if self.dimension == 2:
            hull = hull._replace(corners=self._in_plane(hull.corners, points, up[0], bodies))
        curves = self.elastic, self.extending, self.retracting
        made = engine.Membrane(self.dimension, points, up[0], hull.corners, hull.triangles, curves)
        self._raise_if(made.fault, made.index, shape)
        return Design(
            bodies=(self.body, self.carrier),
            parameters={
                "stiffness": self.stiffness,
                "damping": self.damping,
                "rest_area": made.outline if self.rest_area is None else self.rest_area,
                "friction": self._friction_of(shape),
                "slip_speed": self.slip_speed,
            },
            commands={"reel": 0.0},
            ports=len(points),
            numbers=[*points.ravel(), *up[0], *hull.corners.ravel(), *chain(*chain(*curves))],
            integers=[self.dimension, self._spread_number(), int(self.push), len(hull.corners), len(hull.triangles),
                      *hull.triangles.ravel().tolist(), *map(len, curves)],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        holder = "the world" if self.carrier is None else f"'{self.carrier}'"
        rubs = ", ".join(f"mu {mu:g} on '{material}'" for material, mu in self.friction) or "no friction"
        k = "elastic profile" if self.elastic else f"k {self.stiffness:g}"
        c = "damping profile" if self.extending or self.retracting else f"c {self.damping:g}"
        area = "" if self.rest_area is None else f", rest area {self.rest_area:g}"
        return f"{len(self.suspension_points)} points on {holder} catch '{self.body}', {k}, {c}{area}, {rubs}"

    def _points(self) -> Floats:
        points = rows_of_three(path_of(self, "suspension_points"), self.suspension_points)
        least = 3 if self.dimension == 3 else 2
        if len(points) < least or (self.dimension == 2 and len(points) > 2):
            fail(self, "suspension_points", self.suspension_points,
                       f"must be {'three or more points' if least == 3 else 'two points in two dimensions'}")
        return points

    def _spread_number(self) -> int:
        return SPREADS.index(tables.choice(SPREADS)(path_of(self, "spread"), self.spread))

    def _shape_of(self, caught: FlatBody) -> BodyShape:
        names = [shape.name for shape in caught.shapes]
        if self.shape is None:
            if len(names) != 1:
                raise ValueError(f"{path_of(self)}: body '{self.body}' has {len(names)} shapes; shape must name the "
                                 f"one that is caught ({tables.hint('', names)})")
            return caught.shapes[0]
        if self.shape not in names:
            fail(self, "shape", self.shape, f"body '{self.body}' has no such shape; {tables.hint(self.shape, names)}")
        return caught.shapes[names.index(self.shape)]

    def _friction_of(self, shape: BodyShape) -> float:
        known = dict(self.friction)
        if known and shape.material not in known:
            raise ValueError(f"{path_of(self)}: friction has no coefficient for '{shape.material}', which shape "
                             f"'{shape.name}' is made of; {tables.hint(shape.material, known)}")
        return known.get(shape.material, 0.0)

    def _hull(self, shape: BodyShape) -> Hull:
        where = f"{path_of(self)}: shape '{shape.name}' of body '{self.body}'"
        try:
            vertices, loops, counts = _solid(shape.shape).surface()
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        corners = np.array([np.array(shape.r) + rotate(np.array(shape.q), vertex) for vertex in vertices])
        fans = [np.column_stack([np.full(len(face) - 2, face[0]), face[1:-1], face[2:]])
                for face in np.split(loops, np.cumsum(counts)[:-1])]
        triangles = np.concatenate(fans).astype(np.int32)
        return Hull(corners, triangles if self.dimension == 3 else triangles[:0])

    def _in_plane(self, corners: Floats, points: Floats, up: Floats, bodies: Mapping[str, FlatBody]) -> Floats:
        """Project the corners (V, 3) of the body to the initial plane: forces off the plane would rotate the body."""
        X_WB, X_WC = (start_pose(name, bodies) for name in (self.body, self.carrier))
        across = np.cross(points[1] - points[0], up)
        if not across.any():
            return corners  # `up` is refused
        n_B = rotate(X_WB[3:] * [1, -1, -1, -1], rotate(X_WC[3:], unit(across)))
        frame_W = X_WC[:3] + rotate(X_WC[3:], points[0])
        frame_B = rotate(X_WB[3:] * [1, -1, -1, -1], frame_W - X_WB[:3])
        return corners - np.outer(dot(corners - frame_B, n_B), n_B)

    def _raise_if(self, fault: str, index: int, shape: BodyShape) -> None:
        """Return the message for a fault of the design that the core found."""
        if fault in _FAULTS:
            fail(self, f"suspension_points[{index}]", self.suspension_points[index], _FAULTS[fault])
        if fault == "up":
            fail(self, "up", self.up, "must be finite, and point out of the line of the suspension points")
        if fault == "profile":
            raise ValueError(f"{path_of(self)}: a profile must have values that grow from above zero, and tensions "
                             "that are not negative and do not fall at the end")
        if fault != "none":
            raise ValueError(f"{path_of(self)}: the hull of shape '{shape.name}' is not a closed convex surface "
                             f"({fault})")


def _solid(shape: Shape) -> Polyhedron:
    """Return the convex hull of a shape with corners."""
    if rounding_of(shape):
        raise ValueError(f"the {shape.kind} is rounded: a membrane catches corners; leave out its rounding")
    if isinstance(shape, Polyhedron):
        return shape
    if isinstance(shape, Box):
        half = np.array(shape.size) / 2
        return Polyhedron(half * np.array(np.meshgrid(*[[-1, 1]] * 3)).T.reshape(-1, 3))
    if not isinstance(shape, Mesh):
        raise ValueError(f"it is a {shape.kind}: a membrane catches a mesh, a polyhedron or a box; make it one")
    if not shape.closed:
        raise ValueError(f"the mesh is not closed ({np.count_nonzero(shape.edges.border)} edges have one triangle): a "
                         "membrane catches closed bodies; repair 'holes' fills plane holes")
    return Polyhedron.hull_of(shape.vertices)


def _points(dimension: int) -> tables.Reader[Points]:
    def read(path: str, value: Any) -> Points:
        points = tables.listing(tables.vector(3))(path, value)
        if dimension == 3 and len(points) < 3:
            tables.fail(path, value, "must be three or more points")
        if dimension == 2 and len(points) != 2:
            tables.fail(path, value, "must be two points, as dimension = 2")
        return points

    return read


def _friction(table: Table) -> tuple[tuple[str, float], ...]:
    """Read the coefficients by material; a material can have any name."""
    found = tuple((tables.name(table.path, key), tables.number(0.0)(table.at(key), value))
                  for key, value in table.values.items())
    return found


def _curve(table: Table, key: str, x: str) -> Curve:
    """Read the points (x, tension) of a curve after (0, 0); () if the key is missing."""
    if key not in table.values:
        table.taken.append(key)
        return ()
    inner = table.table(key)
    along = inner.take(x, tables.listing(tables.number(0.0, above=True)))
    tension = inner.take("tension", tables.listing(tables.number(0.0)))
    inner.finish()
    if not along or any(a >= b for a, b in pairwise(along)):
        tables.fail(inner.at(x), list(along), "must have values that grow")
    if len(tension) != len(along) or tension[-1] < (0.0, *tension)[-2]:
        tables.fail(inner.at("tension"), list(tension),
                    f"must have {len(along)} values, as {x}, and not fall at the end")
    return tuple(zip(along, tension, strict=True))
