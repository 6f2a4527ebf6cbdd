"""The contact models that a .pcm file may name, with their parameters: the law tables and some aliases.

A model with the name of a normal law has this law's parameters. The keys `friction`, `adhesion` and `rolling` add rows
of the other tables with their parameters; names of parameters are unique within a law. Each row of the table `model` is
a complete model. New rows of the tables need no change here. An `Alias` is a model with its own name and keys, which
sets the parameters of rows.
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
from contactlib.common.elementary import power
from contactlib.common.options import LAW_PARTS

#: a law as one flat table: the rows by part, and the values of all their parameters by name
Flat = dict[str, Any]
#: the tables whose rows are models, and the tables that add to a row of the first
FIRST, WHOLE = "normal", "model"
ALONE = tuple(part for part in LAW_PARTS if part in (FIRST, WHOLE))
ADDED = tuple(part for part in LAW_PARTS if part not in ALONE)


@dataclass(frozen=True)
class Key:
    """A parameter of a contact type: unit ("1" for a pure number), allowed values, and default (None: required).

    `length` is the length of a list: 0 for a list of any length, None for a single value. A `choice` is a text. With
    `most`, the value is an integer from `minimum` to `most`.
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
    most: int | None = None

    @property
    def kind(self) -> str:
        """The kind of a valid value, for error messages."""
        if self.choice or self.file:
            return "a text in quotes"
        if self.most is not None:
            return f"an integer from {self.minimum:g} to {self.most}"
        unit = "" if self.unit == "1" else f" in {self.unit}"
        if self.length is None:
            return f"a number{unit}"
        return f"a list of {f'{self.length} ' if self.length else ''}numbers{unit}, such as (1, 2, 3)"

    def read(self, value: float | tuple[float, ...] | str) -> Any:
        """Return a checked value. A ValueError has the key, the value and what is allowed."""
        if self.file:
            return tables.file_name(self.name, value)
        if self.choice:
            return tables.choice(self.choice)(self.name, value)
        if self.most is not None:
            whole = int(value) if isinstance(value, float) and value.is_integer() else value
            return tables.integer(int(self.minimum), self.most)(self.name, whole)
        number = tables.number(self.minimum, above=self.above)
        if self.length is None:
            return number(self.name, value)
        return list(tables.listing(number, self.length or None)(self.name, value))


#: keys of every contact type
COMMON = (
    Key("LogFile", "1", "name of the file to which contacts of this type are logged", default="", file=True),
    Key("Resolution", "s", "interval between logged rows, 0 for every step", 0.0, default=0.0),
    # 0: the usual one of the model
    Key("Sharpness", "1", "power of the depth in a contact of faces", 2, default=0, most=16),
)


@dataclass(frozen=True)
class Model:
    """A contact model: its keys, the keys that a choice adds, and the function from their values to rows of laws."""

    name: str
    meaning: str
    keys: tuple[Key, ...]
    added: Callable[[Mapping[str, Any]], Iterable[Key]]
    flat: Callable[[Flat], Flat]


@cache
def row_keys(part: str, kind: str) -> tuple[Key, ...]:
    """Return the parameters of a row of a law table. The names name[1], name[2], name[3] become one list."""
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
    """Return the keys that add rows to a normal law."""
    rows = engine.law_tables()
    return tuple(Key(part, "1", f"row of the {part} laws, whose parameters join", default="none",
                     choice=tuple(name for name, _ in rows[part])) for part in ADDED)


def _added(values: Mapping[str, Any]) -> Iterable[Key]:
    return (key for part in ADDED if part in values for key in row_keys(part, values[part]))


def _row_model(part: str, kind: str) -> Model:
    """Return the model of a single row, with the name of the row."""
    choices = _choices() if part == FIRST else ()
    return Model(kind, "", (*row_keys(part, kind), *choices), _added, lambda values: {part: kind, **values})


@dataclass(frozen=True)
class Alias:
    """A model with its own name and keys, which set the parameters of rows of laws."""

    name: str
    meaning: str
    rows: Mapping[str, str]
    keys: Callable[[], tuple[Key, ...]]
    sets: Callable[[Flat], Flat]


    def absent(self) -> str:
        """Return the rows that this build's law tables lack, as part="row"; empty if none is missing."""
        known = {(part, kind) for part, rows in engine.law_tables().items() for kind, _ in rows}
        return ", ".join(f'{part}="{kind}"' for part, kind in self.rows.items() if (part, kind) not in known)


def _default_contact(values: Flat) -> Flat:
    """k = Load/Error^1.5, so that k x^1.5 = Load at x = Error. The bristle has the stiffness Load/Error.

    damping = 14.33 s/m halves the speed of an impact at 0.1 m/s, for any mass. With d = damping * speed, the speeds
    before and after a Hunt-Crossley contact satisfy d_in - ln(1 + d_in) = -d_out - ln(1 - d_out).
    """
    error, load, friction = values["Error"], values["Load"], values["Friction"]
    return {"stiffness": load / power(error, 1.5), "exponent": 1.5, "damping": 14.33, "mu_static": friction,
            "mu_kinetic": friction, "tangential_stiffness": load / error, "tangential_damping": 1e-3 * load / error}


def _default_keys() -> tuple[Key, ...]:
    return (
        Key("Error", "m", "penetration depth of a contact under the force Load", 0.0, True, 1e-3),
        Key("Load", "N", "force of a contact at the penetration depth Error", 0.0, True, 100.0),
        Key("Friction", "1", "coefficient of friction", 0.0, default=0.5),
    )


#: names of the parameters of a spring in RiSE's document
_SPRING = {"stiffness": "K", "damping": "B", "x_limit": "X_Limit", "y_limit": "Y_Limit", "z_limit": "Z_Limit"}


def _spring_keys() -> tuple[Key, ...]:
    return tuple(replace(key, name=_SPRING.get(key.name, key.name)) for key in row_keys(WHOLE, "spring"))


def _spring(values: Flat) -> Flat:
    own = {alias: name for name, alias in _SPRING.items()}
    return {own.get(name, name): value for name, value in values.items()}


ALIASES = (
    Alias("DefaultContact", "hard, with friction; an impact at 0.1 m/s loses half its speed",
          {"normal": "hunt_crossley", "friction": "bristle"}, _default_keys, _default_contact),
    Alias("SpringContact", "a spring at an attachment point, which breaks at its limits",
          {WHOLE: "spring"}, _spring_keys, _spring),
)


def _alias_model(alias: Alias) -> Model:
    return Model(alias.name, alias.meaning, alias.keys(), lambda _: (),
                 lambda values: {**alias.rows, **alias.sets(values)})


def models() -> dict[str, Model]:
    """Return every model by name."""
    found = [_alias_model(alias) for alias in ALIASES if not alias.absent()]
    rows = engine.law_tables()
    found += [_row_model(part, kind) for part in ALONE for kind, _ in rows[part] if part == FIRST or kind != "none"]
    return {model.name: model for model in found}


def absent(name: str) -> str:
    """Return the missing rows of an alias, as `Alias.absent` does; empty for any other name."""
    return next((alias.absent() for alias in ALIASES if alias.name == name), "")


def part_of(name: str) -> str | None:
    """Return the table of added laws with a row of this name, or None."""
    rows = engine.law_tables()
    return next((part for part in ADDED if name != "none" and name in dict(rows[part])), None)


def rows_with(name: str) -> dict[str, list[str]]:
    """Return, by part, the rows that have a parameter of this name."""
    found = {part: [kind for kind, _ in rows if any(key.name == name for key in row_keys(part, kind))]
             for part, rows in engine.law_tables().items()}
    return {part: kinds for part, kinds in found.items() if kinds}
