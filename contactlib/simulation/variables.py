"""Access to the variables of a running simulation by name, with the names and checks of the FMU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.common import tables

if TYPE_CHECKING:
    from contactlib._core import engine
    from contactlib.model.model import Model, Variable

Floats = NDArray[np.float64]


class Variables:
    """Reads and sets rows of the variable table of one simulation."""

    def __init__(self, model: Model, data: engine.Data) -> None:
        self._model, self._data = model, data
        self._found: dict[str, list[int]] | None = None

    @property
    def _rows(self) -> dict[str, list[int]]:
        """Table rows by full names, such as "net.reel[1]", and by names without index."""
        if self._found is None:
            self._found = {}
            for row, variable in enumerate(self._model.variables):
                self._found[variable.name] = [row]
                name, bracket, _ = variable.name.partition("[")
                if bracket:
                    self._found.setdefault(name, []).append(row)
        return self._found

    def _named(self, name: str) -> list[int]:
        if name not in self._rows:
            raise ValueError(f"there is no variable '{name}'; {tables.hint(name, self._rows)}")
        return self._rows[name]

    def get(self, name: str) -> float | Floats:
        """Return one number, or an array for a name of several variables."""
        rows = self._named(name)
        values = np.array([self._data.get(row) for row in rows])
        return float(values[0]) if self._model.variables[rows[0]].name == name else values

    def set(self, values: Mapping[str, ArrayLike]) -> None:
        """Set all values, or none of them if a ValueError is raised."""
        rows = [(row, number) for name, value in values.items() for row, number in self._numbers(name, value)]
        with self._data:
            self._data.set_all([row for row, _ in rows], [number for _, number in rows])
            self._data.accept_commands()

    def _numbers(self, name: str, value: ArrayLike) -> list[tuple[int, float]]:
        """Return table rows with their new numbers, after all checks except the range of the value."""
        rows = self._named(name)
        variable = self._model.variables[rows[0]]
        if reason := self._refusal(variable):
            raise ValueError(f"{name}: {reason}")
        if variable.items and isinstance(value, str):
            value = 1 + variable.items.index(tables.choice(variable.items)(name, value))
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} = {value!r}: must be a number") from None
        shape = () if variable.name == name else (len(rows),)
        if numbers.shape not in (shape, ()):
            raise ValueError(f"{name} has shape {numbers.shape}, must be {shape}")
        return list(zip(rows, np.broadcast_to(numbers, len(rows)).tolist(), strict=True))

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
