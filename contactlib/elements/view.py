"""Elements of a running simulation by name: their outputs and their inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.common import tables

if TYPE_CHECKING:
    from contactlib._core import engine
    from contactlib.model.model import Model

Floats = NDArray[np.float64]


@dataclass
class _Place:
    """Rows of an element's variable in the variable table. `each`: there is one row per port."""

    rows: list[int]
    each: bool
    causality: str


class ElementView:
    """One element of a simulation: its outputs, parameters and commands are attributes.

    A variable of every port is an array. Outputs are those of the last `compute` or `step`.
    """

    def __init__(self, data: engine.Data, name: str, places: dict[str, _Place]) -> None:
        self._data = data
        self._name = name
        self._places = places

    def __getattr__(self, variable: str) -> float | Floats:
        if variable not in self.__dict__.get("_places", {}):
            raise AttributeError(f"element '{self._name}' has no '{variable}'; {tables.hint(variable, self._places)}")
        place = self._places[variable]
        return self._data.get_all(place.rows) if place.each else self._data.get(place.rows[0])

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"element '{self._name}': {name} is read here; set({name}=...) gives commands and "
                                 "parameters new values")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._places]

    def set(self, **values: ArrayLike) -> None:
        """Set commands or parameters for the next `compute` or `step`.

        A variable of every port accepts an array, or one number for all. Raises ValueError, and changes nothing, for a
        name that is no command or parameter, a wrong number of values, or a value out of its range.
        """
        with self._data:
            pieces = [piece for name, value in values.items() for piece in self._numbers(name, value)]
            self._data.set_all([row for row, _ in pieces], [number for _, number in pieces])
            self._data.accept_commands()

    def _numbers(self, name: str, value: ArrayLike) -> list[tuple[int, float]]:
        """Return the rows of a variable and the new value of each."""
        known = [variable for variable, place in self._places.items() if place.causality != "output"]
        if name not in known:
            raise ValueError(f"{self._name}.{name} is neither a command nor a parameter; {tables.hint(name, known)}")
        place = self._places[name]
        numbers = np.asarray(value, dtype=np.float64)
        shape = (len(place.rows),) if place.each else ()
        if numbers.shape not in (shape, ()):
            raise ValueError(f"{self._name}.{name} has shape {numbers.shape}, must be {shape}")
        return list(zip(place.rows, np.broadcast_to(numbers, len(place.rows)).tolist(), strict=True))


def views(model: Model, data: engine.Data) -> dict[str, ElementView]:
    """Return a view of every element of the model, by name."""
    found: dict[str, dict[str, _Place]] = {name: {} for name in model.element_names}
    for row, variable in enumerate(model.variables) if found else ():
        element, _, name = variable.name.rpartition(".")
        if element in found:
            name, bracket, _ = name.partition("[")
            place = found[element].setdefault(name, _Place([], bool(bracket), variable.causality))
            place.rows.append(row)
    return {name: ElementView(data, name, places) for name, places in found.items()}
