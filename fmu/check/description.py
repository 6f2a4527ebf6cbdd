"""Rules for the head of modelDescription.xml: identity, date, default experiment, units and types."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from contactlib.fmu.check.fmu_file import FmuFile
from contactlib.fmu.package.identifier import is_identifier

DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ")


def number(text: str | None) -> float | None:
    """Return the number of an attribute; None if it is missing or none, or not finite."""
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def identity(fmu: FmuFile) -> Iterator[str]:
    """The names, the GUID, the date and the authors."""
    root = fmu.root
    for name in ("modelName", "guid", "description", "author", "version", "license", "generationTool"):
        if not root.get(name, "").strip():
            yield f"the attribute {name} of fmiModelDescription is missing or empty: give it a text"
    date = root.get("generationDateAndTime", "")
    if not DATE.fullmatch(date):
        yield (
            f"generationDateAndTime = '{date}': must be a date and time in UTC, such as 2026-01-31T12:00:00Z; write "
            f"it so"
        )
    if root.get("numberOfEventIndicators", "0") != "0" and root.find("ModelExchange") is None:
        yield (
            f"numberOfEventIndicators = '{root.get('numberOfEventIndicators')}': must be 0 for co-simulation; set it "
            f"to 0"
        )


def interfaces(fmu: FmuFile) -> Iterator[str]:
    """CoSimulation or ModelExchange, and the modelIdentifier."""
    if not fmu.interfaces:
        yield "the element CoSimulation is missing: there must be CoSimulation or ModelExchange; add one"
    for element in fmu.interfaces:
        identifier = element.get("modelIdentifier", "")
        if not is_identifier(identifier):
            yield (
                f"modelIdentifier = '{identifier}' of {element.tag}: must be an identifier of C and the name of a file "
                f"on every system, such as peg_in_hole; rename it and the libraries"
            )


def experiment(fmu: FmuFile) -> Iterator[str]:
    """The default experiment."""
    element = fmu.root.find("DefaultExperiment")
    if element is None:
        yield "the element DefaultExperiment is missing: give startTime, stopTime, stepSize and tolerance"
        return
    values = {}
    for name in ("startTime", "stopTime", "stepSize", "tolerance"):
        values[name] = number(element.get(name))
        if values[name] is None:
            yield f"{name} = '{element.get(name)}' of DefaultExperiment: must be a finite number; write one"
    start, stop = values["startTime"], values["stopTime"]
    if start is not None and stop is not None and stop <= start:
        yield f"stopTime = {stop:g} of DefaultExperiment: must be later than startTime = {start:g}; change one of them"
    for name in ("stepSize", "tolerance"):
        value = values[name]
        if value is not None and value <= 0.0:
            yield f"{name} = {value:g} of DefaultExperiment: must be greater than 0; change it"


def units(fmu: FmuFile) -> Iterator[str]:
    """Units and display units: unique names, factors other than zero."""
    yield from _twice("Unit", [unit.get("name", "") for unit in fmu.root.iterfind("UnitDefinitions/Unit")])
    for name, unit in fmu.units.items():
        yield from _twice(
            f"DisplayUnit of unit '{name}'", [one.get("name", "") for one in unit.iterfind("DisplayUnit")]
        )
        for one in (*unit.iterfind("BaseUnit"), *unit.iterfind("DisplayUnit")):
            if number(one.get("factor", "1")) in (None, 0.0):
                yield (
                    f"factor = '{one.get('factor')}' of a {one.tag} of unit '{name}': must be finite, not 0; correct it"
                )


def types(fmu: FmuFile) -> Iterator[str]:
    """Simple types: unique names, defined units, positive nominal values, items of enumerations."""
    names = [simple.get("name", "") for simple in fmu.root.iterfind("TypeDefinitions/SimpleType")]
    yield from _twice("SimpleType", names)
    for name in sorted(set(names) & {variable.element.get("name", "") for variable in fmu.variables}):
        yield f"'{name}' names a SimpleType and a variable: their names must differ; rename the type"
    for name, typed in fmu.types.items():
        yield from unit_problems(fmu, f"type '{name}'", typed.get("unit"), typed.get("displayUnit"))
        yield from _twice(
            f"value of an Item of type '{name}'", [item.get("value", "") for item in typed.iterfind("Item")]
        )


def unit_problems(fmu: FmuFile, where: str, unit: str | None, display: str | None) -> Iterator[str]:
    """Yield what is wrong with the unit and the display unit of a type or a variable."""
    if unit is not None and unit not in fmu.units:
        yield f"unit = '{unit}' of {where}: must be the name of a Unit in UnitDefinitions; define it"
    if display is None:
        return
    if unit is None:
        yield f"displayUnit = '{display}' of {where}: must not stand without a unit; give the unit"
    elif unit in fmu.units and display not in {one.get("name") for one in fmu.units[unit].iterfind("DisplayUnit")}:
        yield f"displayUnit = '{display}' of {where}: must be a DisplayUnit of the unit '{unit}'; define it there"


def _twice(what: str, names: list[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{what} '{name}' is defined {count} times: names must be unique; remove or rename all but one"


RULES = (identity, interfaces, experiment, units, types)
