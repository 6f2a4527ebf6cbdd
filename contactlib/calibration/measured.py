"""The measured variables: their columns, their standard deviations, and the residuals of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.report.plot import rotation_vectors
from contactlib.simulation import rigid_body

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """A measured quantity: one variable, all elements of a vector, or a quaternion.

    Attributes
    ----------
    name : as in the file, such as "cube.r", "cube.v[3]" or "cube.q".
    variables : names of the scene's variables.
    columns : titles of the columns, in the order of the variables.
    sigma : standard deviation of the measurement, in the variable's unit; rad for a quaternion.
    unit : unit, for reports.
    """

    name: str
    variables: tuple[str, ...]
    columns: tuple[str, ...]
    sigma: float
    unit: str = ""

    @property
    def turns(self) -> bool:
        """True for a quaternion, which is compared as a rotation vector."""
        return self.variables[0].endswith(".q[1]") and len(self.variables) == 4

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the residuals; those of a quaternion are the three elements of a rotation vector."""
        return tuple(f"{self.name}, about {axis}" for axis in "xyz") if self.turns else self.variables

    def deviation(self, simulated: Floats, measured: Floats) -> Floats:
        """Return simulated minus measured, (components, rows), in the unit of sigma.

        The deviation of quaternions is the rotation vector, in world axes, that turns the measured attitude into the
        simulated one; its length is at most pi.

        Examples
        --------
        >>> q = Measured("b.q", ("b.q[1]", "b.q[2]", "b.q[3]", "b.q[4]"), (), 0.01)
        >>> still = np.array([[1.0], [0.0], [0.0], [0.0]])
        >>> turned = np.array([[np.cos(0.1)], [0.0], [0.0], [-np.sin(0.1)]])
        >>> bool(abs(q.deviation(turned, still) - [[0.0], [0.0], [-0.2]]).max() < 1e-12)
        True
        """
        if not self.turns:
            return simulated - measured
        inverse = measured.T * (1.0, -1.0, -1.0, -1.0)
        return rotation_vectors(rigid_body.product(simulated.T, inverse)).T


def at_times(times: Floats, rows: Floats, wanted: Floats, turns: bool) -> Floats:
    """Return rows (K, T) of a run at other times (n), by linear interpolation, (K, n).

    Quaternions are interpolated on one half of the sphere, and normalised.
    """
    after = np.clip(np.searchsorted(times, wanted), 1, len(times) - 1)
    a, b = rows[:, after - 1], rows[:, after]
    part = np.clip((wanted - times[after - 1]) / (times[after] - times[after - 1]), 0.0, 1.0)
    if turns:
        b = np.where((a * b).sum(axis=0) < 0, -b, b)
    found = a + part * (b - a)
    return np.asarray(found / np.linalg.norm(found, axis=0) if turns else found)


def read_measured(table: Table, known: Mapping[str, str]) -> tuple[Measured, ...]:
    """Read the table [measured]. `known` has the unit of each of the scene's variables by name."""
    found = tuple(_read(table, name, known) for name in table.values.copy())
    if not found:
        raise ValueError('measured is missing: name the measured variables and their standard deviations, such as '
                         '"cube.r" = { sigma = 1e-3 }')
    seen: dict[str, str] = {}
    for each in found:
        for variable in each.variables:
            if variable in seen:
                raise ValueError(f'{table.at(each.name)}: {variable} is part of measured.{seen[variable]}, too: name '
                                 f'each variable once')
            seen[variable] = each.name
    return found


def _read(table: Table, name: str, known: Mapping[str, str]) -> Measured:
    value = table.values[name]
    inner = Table({"sigma": value} if isinstance(value, int | float) else value, table.at(name))
    variables = variables_of(table.at(name), name, known)
    sigma = inner.take("sigma", tables.number(0.0, above=True))
    columns = inner.take("columns", tables.listing(tables.text, len(variables)), variables)
    turns = variables[0].endswith(".q[1]") and len(variables) == 4
    unit = inner.take("unit", tables.text, "rad" if turns else known[variables[0]])
    inner.finish()
    return Measured(name, variables, columns, sigma, unit)


def variables_of(path: str, name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the variables that a name stands for: itself, or all its elements; a part of a quaternion is refused."""
    names = [*known]
    found = (name,) if name in names else tuple(
        each for each in names if re.fullmatch(rf"{re.escape(name)}\[[0-9]+\]", each))
    if not found:
        raise ValueError(f"{path}: the scene has no variable '{name}'; {tables.hint(name, names)}")
    if len(found) == 1 and re.search(r"\.q\[[1-4]\]$", name):
        raise ValueError(f"{path}: an attitude is compared as a whole: name '{name[:-3]}', not one of its elements")
    return found
