"""The gauge: the contact load on the shapes of one material of a body, such as a seal (docs/berthing_control.md)."""

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

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody



@dataclass(frozen=True)
class Gauge(Kind):
    """Sum of the contact forces on the shapes of one material of a body. A gauge applies no force.

    Parameters
    ----------
    name : name of the element; its variables are `name.load` and so on.
    body : name of the body.
    material : material of the shapes.
    axis : body axes, direction out of the shapes, of any length except zero. A compressive load is positive.

    Examples
    --------
    >>> Gauge("seal_load", "active", "seal", (0.0, 0.0, 1.0)).summary()
    "load on the 'seal' of 'active'"
    """

    name: str
    body: str
    material: str
    axis: tuple[float, ...]
    kind: ClassVar[str] = "gauge"

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[gauge]] of a scene file. A ValueError has the key's path."""
        del folder
        result = cls(
            name=table.take("name", tables.name),
            body=table.take("body", tables.text),
            material=table.take("material", tables.text),
            axis=table.take("axis", tables.vector(3)),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the numbers of its shapes in the model."""
        body = body_of(self, "body", self.body, bodies)
        axis = np.array(tables.vector(3)(path_of(self, "axis"), list(self.axis)))
        if not norm(axis) > 0.0:
            fail(self, "axis", self.axis, "must not be zero")
        order = list(bodies)
        first = sum(len(bodies[name].shapes) for name in order[:order.index(self.body)])
        shapes = [first + k for k, shape in enumerate(body.shapes) if shape.material == self.material]
        if not shapes:
            known = {shape.material for shape in body.shapes}
            raise ValueError(f"{path_of(self, 'material')} = '{self.material}': no shape of '{self.body}' is made of "
                             f"it; {tables.hint(self.material, known)}")
        return Design(
            bodies=(self.body,),
            parameters={},
            commands={},
            ports=0,
            numbers=unit(axis).tolist(),
            integers=[len(shapes), *shapes],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        return f"load on the '{self.material}' of '{self.body}'"
