"""Contacts as a structured array with one row per contact; docs/contacts.md lists the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine
from contactlib.common import tables

if TYPE_CHECKING:
    from contactlib.model.model import Model

#: fields that are numbers of named things
NAMED = ("body_a", "body_b", "shape_a", "shape_b", "law", "phase")


class ContactArray(np.ndarray[Any, np.dtype[np.void]]):
    """The contacts of one instant, a structured array: `contacts["depth"]` is a column, `contacts[0]` a row.

    A slice or a masked part keeps the names. docs/contacts.md lists the fields with units and frames.

    >>> import contactlib
    >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    >>> contacts = simulation.compute({"interface": {"r": (0.0, 0.0003, 0.03)}}).contacts
    >>> contacts.names("law")[0], contacts[contacts["depth"] > 0].names("shape_a")[0]
    ('pin_hole', 'interface.pin_1')
    """

    _model: Model | None = None

    @classmethod
    def of(cls, rows: NDArray[np.void], model: Model) -> ContactArray:
        """Make an array from the rows of `engine.Data.contacts`, with the names of their model."""
        contacts = rows.view(cls)
        contacts._model = model
        return contacts

    def __array_finalize__(self, other: object) -> None:
        if isinstance(other, ContactArray):
            self._model = other._model

    def names(self, field: str) -> list[str]:
        """Return the name behind the number of each contact: of a body, a shape (as "body.shape"), a law or a phase.

        Raises ValueError if the field has no names.
        """
        if field not in NAMED or self._model is None:
            raise ValueError(f"field = '{field}': has no names; {tables.hint(field, NAMED)}")
        known = {"body": self._model.body_names, "shape": names_of_shapes(self._model),
                 "law": self._model.law_names, "phase": engine.PHASES}[field.partition("_")[0]]
        return [known[i] for i in np.atleast_1d(self[field]).tolist()]

    def table(self) -> dict[str, Any]:
        """Return all fields as columns, with names in place of numbers, for example for `pandas.DataFrame`.

        A vector becomes three columns: "f_B_W_x", "f_B_W_y", "f_B_W_z".
        """
        columns: dict[str, Any] = {}
        for name in self.dtype.names or ():
            values = np.asarray(self[name])
            if name in NAMED:
                columns[name] = self.names(name)
            elif values.ndim == 2:
                columns |= {f"{name}_{axis}": values[:, i] for i, axis in enumerate("xyz")}
            else:
                columns[name] = values
        return columns


def names_of_shapes(model: Model) -> tuple[str, ...]:
    """Return "body.shape" for every shape. A model from bytes has no names of shapes; there it is "body.kind"."""
    kinds = engine.shape_kinds()
    return model.shape_names or tuple(f"{model.body_names[body]}.{kinds[kind]}" for body, kind in model.core.shapes)
