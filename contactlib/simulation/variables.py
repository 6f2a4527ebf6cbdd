"""Access to the variables of a running simulation by name, with the names and checks of the FMU."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.common import tables

if TYPE_CHECKING:
    from contactlib._core import engine
    from contactlib.model.model import Model, Variable

Floats = NDArray[np.float64]


class VariableNames:
    """Finds rows of a model's variable table by name, and checks new values."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def _known(self) -> dict[str, tuple[list[int], tuple[int, ...]]]:
        """Table rows and shapes by full names, such as "net.reel[1]", and by names without index."""
        found: dict[str, tuple[list[int], tuple[int, ...]]] = {}
        for row, variable in enumerate(self._model.variables):
            found[variable.name] = [row], ()
            name, bracket, _ = variable.name.partition("[")
            if bracket:
                rows = [*found.get(name, ([], ()))[0], row]
                found[name] = rows, (len(rows),)
        return found

    def find(self, name: str) -> tuple[list[int], tuple[int, ...]]:
        """Return table rows and the shape of the variable: (), or (k,) for a name without index of k variables."""
        if name not in self._known:
            raise ValueError(f"there is no variable '{name}'; {tables.hint(name, self._known)}")
        return self._known[name]

    def numbers(self, name: str, value: ArrayLike, worlds: tuple[int, ...] = ()) -> tuple[list[int], Floats]:
        """Return table rows and their new numbers (*worlds, k), after all checks except the range of the value."""
        rows, shape = self.find(name)
        variable = self._model.variables[rows[0]]
        if reason := self._refusal(variable):
            raise ValueError(f"{name}: {reason}")
        if variable.items and isinstance(value, str):
            value = 1 + variable.items.index(tables.choice(variable.items)(name, value))
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} = {value!r}: must be a number") from None
        if numbers.shape not in ((*worlds, *shape), ()):
            raise ValueError(f"{name} has shape {numbers.shape}, must be {(*worlds, *shape)}")
        return rows, np.broadcast_to(numbers if shape else numbers[..., None], (*worlds, len(rows)))

    def _refusal(self, variable: Variable) -> str:
        """Return why a variable cannot be set in a running simulation; empty if it can."""
        if variable.causality == "output":
            return "is an output and cannot be set"
        if variable.causality == "parameter" and not variable.tunable:
            return "is fixed: change the Spec and make another Simulation"
        body, _, part = variable.name.partition("[")[0].rpartition(".")
        if body in self._model.body_names and part in ("r", "q", "v", "w"):
            return "is a state: give it to compute or step"
        return ""


class Variables:
    """Reads and sets rows of the variable table of one simulation."""

    def __init__(self, model: Model, data: engine.Data) -> None:
        self._names, self._data = VariableNames(model), data

    def get(self, name: str) -> float | Floats:
        """Return one number, or an array for a name of several variables."""
        rows, shape = self._names.find(name)
        return self._data.get_all(rows) if shape else self._data.get(rows[0])

    def set(self, values: Mapping[str, ArrayLike]) -> None:
        """Set all values, or none of them if a ValueError is raised."""
        pieces = [self._names.numbers(name, value) for name, value in values.items()]
        with self._data:
            self._data.set_all([row for rows, _ in pieces for row in rows],
                               [number for _, numbers in pieces for number in numbers.tolist()])
            self._data.accept_commands()
