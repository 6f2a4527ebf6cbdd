"""Rules for ModelVariables: names, value references, allowed combinations, start values, limits, units."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from contactlib.fmu.check.description import number, unit_problems
from contactlib.fmu.check.fmu_file import FmuFile, Variable

#: FMI 2.0.4, section 2.2.7: allowed `initial` of causality and variability, the default first; () allows none
INITIAL: dict[tuple[str, str], tuple[str, ...]] = {
    ("parameter", "fixed"): ("exact",),
    ("parameter", "tunable"): ("exact",),
    ("calculatedParameter", "fixed"): ("calculated", "approx"),
    ("calculatedParameter", "tunable"): ("calculated", "approx"),
    ("input", "discrete"): (),
    ("input", "continuous"): (),
    ("output", "constant"): ("exact",),
    ("output", "discrete"): ("calculated", "exact", "approx"),
    ("output", "continuous"): ("calculated", "exact", "approx"),
    ("local", "constant"): ("exact",),
    ("local", "fixed"): ("calculated", "approx"),
    ("local", "tunable"): ("calculated", "approx"),
    ("local", "discrete"): ("calculated", "exact", "approx"),
    ("local", "continuous"): ("calculated", "exact", "approx"),
    ("independent", "continuous"): (),
}
_IDENTIFIER = r"(?:[A-Za-z_]\w*|'(?:[^'\\]|\\.)+')"
_INDEX = r"(?:\[\d+(?:,\d+)*\])?"
#: FMI 2.0.4, section 2.2.9
STRUCTURED = re.compile(rf"(?:der\()?{_IDENTIFIER}{_INDEX}(?:\.{_IDENTIFIER}{_INDEX})*(?:,\d+\)|\))?", re.ASCII)
INTEGER = range(-(2**31), 2**31)


def names(fmu: FmuFile) -> Iterator[str]:
    """Names are unique and follow the naming convention; each variable has a description."""
    for name, count in Counter(variable.name for variable in fmu.variables).items():
        if count > 1:
            yield f"the variable name {name} is used {count} times: names must be unique; rename all but one"
    structured = fmu.root.get("variableNamingConvention", "flat") == "structured"
    for variable in fmu.variables:
        name = variable.element.get("name", "")
        if structured and not STRUCTURED.fullmatch(name):
            yield (
                f"the variable name {variable.name}: must be structured, such as peg.r[1], because "
                f"variableNamingConvention is 'structured'; rename it or set 'flat'"
            )
        if not variable.element.get("description", "").strip():
            yield f"variable {variable.name} has no description: give one that can be read alone"


def references(fmu: FmuFile) -> Iterator[str]:
    """Variables of one type that share a value reference are aliases, and at most one of them can be set."""
    groups: dict[tuple[str, str], list[Variable]] = defaultdict(list)
    for variable in fmu.variables:
        kind = "Integer" if variable.type == "Enumeration" else variable.type
        groups[kind, variable.element.get("valueReference", "")].append(variable)
    for (_, reference), group in groups.items():
        settable = [variable for variable in group if variable.causality in ("parameter", "input")]
        if len(settable) > 1:
            yield (
                f"variables {' and '.join(v.name for v in settable)} have the value reference {reference}: of aliases, "
                f"at most one can be set; give each its own"
            )
        units = {fmu.attribute(variable, "unit") for variable in group}
        if len(group) > 1 and len(units) > 1:
            yield (
                f"variables {' and '.join(v.name for v in group)} have the value reference {reference}: aliases must "
                f"have one unit; give each its own value reference"
            )


def combinations(fmu: FmuFile) -> Iterator[str]:
    """Causality, variability, initial and type that FMI allows together."""
    for variable in fmu.variables:
        pair = (variable.causality, variable.variability)
        if pair not in INITIAL:
            allowed = ", ".join(v for c, v in INITIAL if c == variable.causality) or "no causality of this name"
            yield (
                f"variability = '{pair[1]}' of variable {variable.name} with causality '{pair[0]}': must be one of "
                f"{allowed}; change it"
            )
            continue
        if pair[1] == "continuous" and variable.type != "Real":
            yield (
                f"variability = 'continuous' of variable {variable.name}: must be discrete, because its type is "
                f'{variable.type}; write variability="discrete"'
            )
        initial = variable.element.get("initial")
        if initial is not None and initial not in INITIAL[pair]:
            allowed = " or ".join(INITIAL[pair])
            rule = f"must be {allowed}" if allowed else "must not be given"
            yield (
                f"initial = '{initial}' of variable {variable.name} with causality '{pair[0]}' and variability "
                f"'{pair[1]}': {rule}; correct it"
            )


def starts(fmu: FmuFile) -> Iterator[str]:
    """A start value is there exactly where FMI wants one, and is a value of its type."""
    for variable in fmu.variables:
        allowed = INITIAL.get((variable.causality, variable.variability), ())
        initial = variable.element.get("initial", allowed[0] if allowed else None)
        start = variable.typed.get("start")
        if start is None:
            if variable.causality == "input" or initial in ("exact", "approx"):
                yield f"variable {variable.name} has no start value: {initial or variable.causality} needs one; give it"
        elif initial == "calculated" or variable.causality == "independent":
            yield f"start = '{start}' of variable {variable.name}: must not be given for a calculated value; remove it"
        elif problem := _type_problem(fmu, variable, start):
            yield f"start = '{start}' of variable {variable.name}: {problem}; correct it"


def _type_problem(fmu: FmuFile, variable: Variable, start: str) -> str:
    if variable.type == "Boolean":
        return "" if start in ("true", "false", "0", "1") else "must be true or false"
    if variable.type == "String":
        return ""
    value = number(start)
    if value is None:
        return "must be a finite number"
    if variable.type == "Real":
        return ""
    if value != int(value) or int(value) not in INTEGER:
        return "must be an integer of 32 bits"
    items = [item.get("value") for item in fmu.types.get(variable.typed.get("declaredType", ""), ())]
    if variable.type == "Enumeration" and str(int(value)) not in items:
        return f"must be the value of an Item of its type, which are {', '.join(map(str, items)) or 'none'}"
    return ""


def limits(fmu: FmuFile) -> Iterator[str]:
    """Minimum <= start <= maximum, and nominal values that are greater than zero."""
    for variable in fmu.variables:
        low, high, start, nominal = (
            number(fmu.attribute(variable, name)) for name in ("min", "max", "start", "nominal")
        )
        if low is not None and high is not None and low > high:
            yield f"min = {low:g} of variable {variable.name}: must be at most max = {high:g}; change one of them"
        if start is not None and low is not None and start < low:
            yield f"start = {start:g} of variable {variable.name}: must be at least min = {low:g}; change one of them"
        if start is not None and high is not None and start > high:
            yield f"start = {start:g} of variable {variable.name}: must be at most max = {high:g}; change one of them"
        given = fmu.attribute(variable, "nominal")
        if given is not None and (nominal is None or nominal <= 0.0):
            yield f"nominal = '{given}' of variable {variable.name}: must be greater than 0; correct it"


def types(fmu: FmuFile) -> Iterator[str]:
    """Declared types exist and are of the variable's type; units and display units are defined."""
    for variable in fmu.variables:
        declared = variable.typed.get("declaredType")
        if declared is not None and declared not in fmu.types:
            yield (
                f"declaredType = '{declared}' of variable {variable.name}: must be the name of a SimpleType in "
                f"TypeDefinitions; define it"
            )
        elif declared is not None and fmu.types[declared].tag != variable.type:
            yield (
                f"declaredType = '{declared}' of variable {variable.name}: must be a type of {variable.type}, "
                f"it is one of {fmu.types[declared].tag}; choose another"
            )
        if variable.type == "Real":
            unit, display = fmu.attribute(variable, "unit"), fmu.attribute(variable, "displayUnit")
            if unit is None:
                yield f"variable {variable.name} has no unit: a Real needs one, '1' without dimension; give it"
            yield from unit_problems(fmu, f"variable {variable.name}", unit, display)


RULES = (names, references, combinations, starts, limits, types)
