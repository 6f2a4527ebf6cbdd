"""The base of all kinds of elements, and the sections of the model file that hold elements (core/model/format.hpp)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.tables import Table

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody
    from contactlib.model.spec import Spec


#: value of a parameter or command, or one value for each port
Value = float | Sequence[float]


class Stage(IntEnum):
    """Position of a kind in the stepping order of the core. Within a stage, the order of the file counts."""

    LOADS = 0
    LEADERS = 1  # they read and lead elements of the first stage
    JOINTS = 2  # they hold against all other loads


@dataclass(frozen=True)
class Design:
    """The content of an element for the core.

    bodies : names of the bodies on which it acts; None is the world.
    parameters, commands : start values of the variables of its row; a missing command starts at zero.
    ports : number of ports: parts with variables of their own.
    numbers, integers : the record that `read` of the row reads, in its order.
    others : lists of names of other elements, which the core steps first; written after the integers.
    """

    bodies: tuple[str | None, ...]
    parameters: Mapping[str, Value]
    commands: Mapping[str, Value]
    ports: int
    numbers: Sequence[float]
    integers: Sequence[int]
    others: Sequence[Sequence[str]] = ()


class Element(Protocol):
    """A frozen dataclass for one table of a scene file; `kind` names the table, `row` the row of the core."""

    kind: ClassVar[str]
    stage: ClassVar[Stage]

    @property
    def name(self) -> str:
        """Name, unique among bodies, laws and elements. Variables are `name.variable`."""

    @property
    def row(self) -> str:
        """Name of the row in the core."""

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table of a scene file. A ValueError has the key's path."""

    def check_with(self, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        """Raise ValueError if the element contradicts another element of the scene, or an option of it."""

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return its content for the core; `bodies` are the rigid bodies by name. ValueError if it does not fit."""

    def summary(self) -> str:
        """Return a description on one line."""


class Kind:
    """Base of a kind: one row of the core with the name of the kind, first stage, no condition on other elements."""

    kind: ClassVar[str]
    stage: ClassVar[Stage] = Stage.LOADS

    @property
    def row(self) -> str:
        """Name of the row in the core."""
        return self.kind

    def check_with(self, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        """Accept all scenes."""
        del spec, bodies


def path_of(element: Element, key: str = "") -> str:
    """Return the start of an error message: "membrane 'net': key"."""
    path = f"{element.kind} '{element.name}'"
    return f"{path}: {key}" if key else path


def fail(element: Element, key: str, value: object, allowed: str) -> NoReturn:
    """Raise ValueError with the key, its value and the allowed values."""
    tables.fail(path_of(element, key), value, allowed)


def body_of(element: Element, key: str, name: str, bodies: Mapping[str, FlatBody]) -> FlatBody:
    """Return the rigid body that a key names. ValueError with the most similar name if it does not exist."""
    if name not in bodies:
        raise ValueError(f"{path_of(element, key)} = '{name}': there is no such body; {tables.hint(name, bodies)}")
    return bodies[name]


def driven_body(element: Element, key: str, name: str | None, others: list[str | None],
                bodies: Mapping[str, FlatBody]) -> int:
    """Append a driven body to those of an element, after the `others`. Returns its number; -1 without a body.

    Raises ValueError if the body is not driven, or if it is one of the `others`.
    """
    if name is None:
        return -1
    motion = body_of(element, key, name, bodies).motion
    if motion != "driven" or name in others:
        fail(element, key, name, f"must be a body of its own that is driven, it is {motion}")
    others.append(name)
    return len(others) - 1


def start_pose(name: str | None, bodies: Mapping[str, FlatBody]) -> NDArray[np.float64]:
    """Return the initial position (m) and quaternion of a body; None is the world."""
    return np.array(bodies[name].state[:7] if name is not None else (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))


class Sections:
    """The sections elements, numbers and integers of the model file."""

    def __init__(self) -> None:
        self.records: list[tuple[str, str, dict[str, int]]] = []  # name, row, and fields of the record
        self.numbers: list[float] = []
        self.integers: list[int] = []
        self.order: dict[str, int] = {}

    def add(self, element: Element, bodies: Mapping[str, FlatBody]) -> None:
        """Append an element."""
        parameters, commands, _ = {name: variables for name, *variables in engine.element_table()}[element.row]
        design = element.design(bodies)
        order = {body: i for i, body in enumerate(bodies)}
        numbers = [*_start_values(element, parameters, design.parameters, design.ports),
                   *_start_values(element, commands, design.commands, design.ports), *design.numbers]
        integers = [len(design.bodies), *(-1 if body is None else order[body] for body in design.bodies),
                    *design.integers]
        for names in design.others:
            integers += [len(names), *(self.order[other] for other in names)]
        self.order[element.name] = len(self.order)
        self.records.append((element.name, element.row, {
            "ports": design.ports, "first_number": len(self.numbers), "number_count": len(numbers),
            "first_integer": len(self.integers), "integer_count": len(integers)}))
        self.numbers += numbers
        self.integers += integers


def _start_values(element: Element, variables: engine.ElementVariables, given: Mapping[str, Value],
                  ports: int) -> Iterable[float]:
    """Return values in the order of the row. ValueError if one is out of its range."""
    for (name, unit, minimum, above, _), each in variables:
        values = np.atleast_1d(np.asarray(given.get(name, 0.0), dtype=np.float64))
        if each and values.shape == (1,):
            values = np.full(ports, values[0])
        if values.shape != (ports if each else 1,):
            raise ValueError(f"{path_of(element, name)} has {len(values)} values, must have {ports if each else 1}")
        for value in values.tolist():
            if not math.isfinite(value) or value < minimum or (above and value == minimum):
                allowed = "" if minimum == -math.inf else f" {'greater than' if above else 'of at least'} {minimum:g}"
                fail(element, name, value, f"must be a finite number{allowed}{'' if unit == '1' else ' ' + unit}")
        yield from values.tolist()
