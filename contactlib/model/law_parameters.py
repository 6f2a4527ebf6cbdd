"""Parameters of a law by their names, whatever part of it they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.options import LAW_PARTS
from contactlib.model.parts import Law

Value = float | Sequence[float]


def with_parameters(law: Law, values: Mapping[str, Value]) -> Law:
    """The law with some parameters changed; ValueError if it has none of a name, or a value is not allowed."""
    known = [name for part in LAW_PARTS for name in dict.fromkeys(_names(law, part))]
    for name in values:
        if name not in known:
            raise ValueError(f"law '{law.name}' has no parameter '{name}'; {tables.hint(name, known)}")
    changed: dict[str, Any] = {f"{part}_parameters": _changed(law, part, values) for part in LAW_PARTS}
    law = replace(law, **changed)
    check_together(f"law '{law.name}'", named_parameters(law))
    return law


def named_parameters(law: Law) -> dict[str, tuple[float, ...]]:
    """The parameters of a law by name, a direction with three numbers."""
    found: dict[str, tuple[float, ...]] = {}
    for part in LAW_PARTS:
        for name, value in zip(_names(law, part), getattr(law, f"{part}_parameters"), strict=False):
            found[name] = (*found.get(name, ()), value)
    return found


def _rows(law: Law, part: str) -> tuple[Any, ...]:
    rows: dict[str, tuple[Any, ...]] = dict(engine.law_tables()[part])
    return rows[tables.choice(rows)(f"law '{law.name}'.{part}.kind", getattr(law, part))]


def _names(law: Law, part: str) -> list[str]:
    """Of each number of a part the name of its parameter: v[1], v[2], v[3] are all v."""
    return [row[0].partition("[")[0] for row in _rows(law, part)]


def _changed(law: Law, part: str, values: Mapping[str, Value]) -> tuple[float, ...]:
    names, rows = _names(law, part), _rows(law, part)
    numbers = list(getattr(law, f"{part}_parameters"))
    for name, value in values.items():
        places = [k for k, known in enumerate(names) if known == name]
        if not places:
            continue
        path = f"law '{law.name}'.{name}"
        _, _, minimum, above, *_ = rows[places[0]]
        reader = tables.number(minimum, above=above)
        given = (reader(path, value),) if len(places) == 1 else tables.vector(len(places), reader)(path, value)
        for k, number in zip(places, given, strict=True):
            numbers[k] = number
    return tuple(numbers)


def check_together(path: str, named: Mapping[str, tuple[float, ...]]) -> None:
    """ValueError for a mu_kinetic above mu_static or a zero direction (core/model/reader/parameters.hpp)."""
    static, kinetic = (named.get(name, (0.0,))[0] for name in ("mu_static", "mu_kinetic"))
    if kinetic > static:
        tables.fail(f"{path}.mu_kinetic", kinetic, f"must not exceed mu_static = {static:g}")
    if not any(named.get("direction", (1.0,))):
        tables.fail(f"{path}.direction", named["direction"], "must not be zero")
