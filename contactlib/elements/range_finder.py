"""The range finder: rays from a body, and where they hit the shapes of all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.common.vectors import norm, unit
from contactlib.elements.base import Design, Kind, body_of, fail, path_of
from contactlib.shapes.polytopes import rows_of_three

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


Rows = tuple[tuple[float, ...], ...]

MAX_RAYS = 256


@dataclass(frozen=True)
class RangeFinder(Kind):
    """Rays that measure the distance to the nearest shape of another body. A range finder applies no force.

    The hits are those of `contactlib.cast_rays`: a ray that starts inside a solid has the distance 0, and points and
    segments are never hit. Shapes of its own body are not hit.

    Parameters
    ----------
    name : name of the element; its variables are `name.distance[1]` and so on, one for each ray.
    directions : (N, 3), of any length except zero, in the axes of the body; up to 256 rays.
    body : name of the body that carries it; None is the world.
    points : (N, 3), m, where the rays start, in the axes of the body; one point is used for all.
    range : m, length of the rays, and the distance without a hit.

    Examples
    --------
    >>> RangeFinder("lidar", ((1, 0, 0), (1, 0.1, 0)), body="chaser", range=20.0).summary()
    "2 rays of 'chaser', up to 20 m"
    """

    name: str
    directions: Rows
    body: str | None = None
    points: Rows = ((0.0, 0.0, 0.0),)
    range: float = 1e3
    kind: ClassVar[str] = "range_finder"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[range_finder]] of a scene file. A ValueError has the key's path."""
        del folder
        rows = tables.listing(tables.vector(3))
        result = cls(
            name=table.take("name", tables.name),
            directions=table.take("directions", rows),
            body=table.take("body", tables.text, None),
            points=table.take("points", rows, ((0.0, 0.0, 0.0),)),
            range=table.take("range", tables.number(0.0, above=True), 1e3),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the starts and directions of its rays."""
        if self.body is not None:
            body_of(self, "body", self.body, bodies)
        count = len(self.directions)
        if not 1 <= count <= MAX_RAYS:
            fail(self, "directions", self.directions, f"must be 1 to {MAX_RAYS} rays")
        directions = rows_of_three(path_of(self, "directions"), self.directions)
        points = rows_of_three(path_of(self, "points"), self.points)
        if len(points) not in (1, count):
            fail(self, "points", self.points, f"must be one point, or one for each of the {count} rays")
        for row in directions:
            if not (np.isfinite(row).all() and norm(row) > 0.0):
                fail(self, "directions", row.tolist(), "must be finite and not zero")
        starts = np.broadcast_to(points, (count, 3))
        return Design(
            bodies=(self.body,),
            parameters={"range": self.range},
            commands={},
            ports=count,
            numbers=[x for p, d in zip(starts, directions, strict=True) for x in (*p.tolist(), *unit(d).tolist())],
            integers=[],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        holder = "the world" if self.body is None else f"'{self.body}'"
        return f"{len(self.directions)} rays of {holder}, up to {self.range:g} m"
