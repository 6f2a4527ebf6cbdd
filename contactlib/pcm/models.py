"""The models of contact that a .pcm file may name, with their parameters: the law tables, and a few names beside them.

A model by the name of a normal law takes that law's parameters; the keys `friction`, `adhesion` and `rolling` add rows
of the other tables, whose parameters then stand beside them, for no two rows of a law share a name. A row of the table
`model` is one by itself. Whatever joins the tables is here without another word. An `Alias` is a model under a name of
its own, which sets the parameters of rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.options import LAW_PARTS

#: a law as one flat table: the rows by part, and the values of all their parameters by name
Flat = dict[str, Any]
#: the tables whose rows are models, and what adds to the first of them
FIRST, WHOLE = "normal", "model"
ALONE = tuple(part for part in LAW_PARTS if part in (FIRST, WHOLE))
ADDED = tuple(part for part in LAW_PARTS if part not in ALONE)


@dataclass(frozen=True)
class Key:
    """A parameter: what it takes, its unit ("1" for a pure number), and its default; None if it must be given.

    `length` is that of a list, 0 for a list of any length, None for what is no list; a `choice` is a text.
    """

    name: str
    unit: str
    meaning: str
    minimum: float = float("-inf")
    above: bool = False
    default: Any = None
    length: int | None = None
    choice: tuple[str, ...] = ()
    file: bool = False

    @property
    def kind(self) -> str:
        """What a value must be, for a sentence."""
        if self.choice or self.file:
            return "a text in quotes"
        unit = "" if self.unit == "1" else f" in {self.unit}"
        if self.length is None:
            return f"a number{unit}"
        return f"a list of {f'{self.length} ' if self.length else ''}numbers{unit}, such as (1, 2, 3)"

    def read(self, value: float | tuple[float, ...] | str) -> Any:
        """The value, if it is one; ValueError with the key, the value and what is allowed."""
        if self.file:
            return tables.file_name(self.name, value)
        if self.choice:
            return tables.choice(self.choice)(self.name, value)
        number = tables.number(self.minimum, above=self.above)
        if self.length is None:
            return number(self.name, value)
        return list(tables.listing(number, self.length or None)(self.name, value))


#: what every contact takes, whatever its model
COMMON = (
    Key("LogFile", "1", "record this contact in a file of that name", default="", file=True),
    Key("Resolution", "s", "how often, 0 for every step", 0.0, default=0.0),
)


@dataclass(frozen=True)
class Model:
    """A model of contact: its keys, those that a choice adds, and how their values become rows with parameters."""

    name: str
    meaning: str
    keys: tuple[Key, ...]
    added: Callable[[Mapping[str, Any]], Iterable[Key]]
    flat: Callable[[Flat], Flat]


@cache
def row_keys(part: str, kind: str) -> tuple[Key, ...]:
    """The parameters of a row of a law table. name[1], name[2], name[3] are one list."""
    keys = []
    table: dict[str, Sequence[Sequence[Any]]] = dict(engine.law_tables()[part])
    for name, group in groupby(table[kind], key=lambda row: row[0].partition("[")[0]):
        rows = list(group)
        _, unit, minimum, above, meaning, *_ = rows[0]
        defaults = tuple(default for row in rows for default in row[5:] if default is not None and default == default)
        if len(rows) == 1:
            keys.append(Key(name, unit, meaning, minimum, above, *defaults))
        else:
            meaning = re.sub(r"(:|,)? x$", "", meaning)
            keys.append(Key(name, unit, meaning, minimum, above, defaults or None, len(rows)))
    if part == FIRST and engine.needs_curve(kind):
        keys += [Key("depth", "m", "depths of the points, growing", 0.0, True, length=0),
                 Key("force", "N", "force at each", 0.0, length=0)]
    return tuple(keys)


def _choices() -> tuple[Key, ...]:
    """What adds a row to a normal law."""
    rows = engine.law_tables()
    return tuple(Key(part, "1", f"row of the {part} laws, whose parameters join", default="none",
                     choice=tuple(name for name, _ in rows[part])) for part in ADDED)


def _added(values: Mapping[str, Any]) -> Iterable[Key]:
    return (key for part in ADDED if part in values for key in row_keys(part, values[part]))


def _row_model(part: str, kind: str) -> Model:
    """A row under its own name."""
    choices = _choices() if part == FIRST else ()
    return Model(kind, "", (*row_keys(part, kind), *choices), _added, lambda values: {part: kind, **values})


@dataclass(frozen=True)
class Alias:
    """A model under another name than its rows': keys of its own, and what they set."""

    name: str
    meaning: str
    rows: Mapping[str, str]
    keys: Callable[[], tuple[Key, ...]]
    sets: Callable[[Flat], Flat]


    def absent(self) -> str:
        """The row that this build's law tables do not have, as part="row"; nothing if all are there."""
        known = {(part, kind) for part, rows in engine.law_tables().items() for kind, _ in rows}
        return ", ".join(f'{part}="{kind}"' for part, kind in self.rows.items() if (part, kind) not in known)


def _default_contact(values: Flat) -> Flat:
    """k = Load/Error^1.5, so that k x^1.5 is Load where x is Error; the bristle is as stiff as k is there, Load/Error.

    damping = 14.33 s/m gives back half the speed of an impact at 0.1 m/s, whatever the mass: with d = damping * speed,
    d_in - ln(1 + d_in) = -d_out - ln(1 - d_out) joins both speeds of a Hunt-Crossley contact.
    """
    error, load, friction = values["Error"], values["Load"], values["Friction"]
    return {"stiffness": load / error**1.5, "exponent": 1.5, "damping": 14.33, "mu_static": friction,
            "mu_kinetic": friction, "tangential_stiffness": load / error, "tangential_damping": 1e-3 * load / error}


def _default_keys() -> tuple[Key, ...]:
    return (
        Key("Error", "m", "how deep the surfaces give way under Load", 0.0, True, 1e-3),
        Key("Load", "N", "the force of one contact at that depth", 0.0, True, 100.0),
        Key("Friction", "1", "coefficient of friction", 0.0, default=0.5),
    )


#: the document's names of the parameters of a spring
_SPRING = {"stiffness": "K", "damping": "B", "x_limit": "X_Limit", "y_limit": "Y_Limit", "z_limit": "Z_Limit"}


def _spring_keys() -> tuple[Key, ...]:
    return tuple(replace(key, name=_SPRING.get(key.name, key.name)) for key in row_keys(WHOLE, "spring"))


def _spring(values: Flat) -> Flat:
    own = {alias: name for name, alias in _SPRING.items()}
    return {own.get(name, name): value for name, value in values.items()}


ALIASES = (
    Alias("DefaultContact", "hard, with friction, half elastic at 0.1 m/s",
          {"normal": "hunt_crossley", "friction": "bristle"}, _default_keys, _default_contact),
    Alias("SpringContact", "a spring anchor that breaks at its limits", {WHOLE: "spring"}, _spring_keys, _spring),
)


def _alias_model(alias: Alias) -> Model:
    return Model(alias.name, alias.meaning, alias.keys(), lambda _: (),
                 lambda values: {**alias.rows, **alias.sets(values)})


def models() -> dict[str, Model]:
    """Every model by name."""
    found = [_alias_model(alias) for alias in ALIASES if not alias.absent()]
    rows = engine.law_tables()
    found += [_row_model(part, kind) for part in ALONE for kind, _ in rows[part] if part == FIRST or kind != "none"]
    return {model.name: model for model in found}


def absent(name: str) -> str:
    """Of a model of ALIASES what is not in this build's law tables, as `Alias.absent`; nothing of any other name."""
    return next((alias.absent() for alias in ALIASES if alias.name == name), "")


def part_of(name: str) -> str | None:
    """The table of laws that add to a model, which has a row of that name."""
    rows = engine.law_tables()
    return next((part for part in ADDED if name != "none" and name in dict(rows[part])), None)


def rows_with(name: str) -> dict[str, list[str]]:
    """The rows that have a parameter of that name, by part."""
    found = {part: [kind for kind, _ in rows if any(key.name == name for key in row_keys(part, kind))]
             for part, rows in engine.law_tables().items()}
    return {part: kinds for part, kinds in found.items() if kinds}
