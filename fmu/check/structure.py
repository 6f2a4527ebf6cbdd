"""Rules for ModelStructure: which variables it lists, in which order, and what they depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from contactlib.fmu.check.fmu_file import FmuFile
from contactlib.fmu.check.text import listed
from contactlib.fmu.check.variables import INITIAL

KINDS = ("dependent", "constant", "fixed", "tunable", "discrete")
#: what an unknown may depend on: FMI 2.0.4, section 2.2.8
OUTPUT_KNOWNS = ("input", "independent", "local")
INITIAL_KNOWNS = ("input", "independent", "local", "parameter", "output")


def lists(fmu: FmuFile) -> Iterator[str]:
    """Outputs lists all outputs; InitialUnknowns lists all that are computed in initialization, in rising order."""
    outputs = {v.index for v in fmu.variables if v.causality == "output"}
    derivatives = {v.index for v in fmu.variables if v.typed.get("derivative") is not None}
    computed = {
        v.index for v in fmu.variables if _is_initial_unknown(v.causality, v.variability, v.element.get("initial"))
    }
    for tag, wanted in (("Outputs", outputs), ("Derivatives", derivatives), ("InitialUnknowns", computed)):
        found = _indexes(fmu, tag)
        known = [index for index in found if 1 <= index <= len(fmu.variables)]
        for index in sorted(set(found) - set(known)):
            yield (
                f"index = '{index}' of an Unknown in {tag}: must be from 1 to {len(fmu.variables)}, the number of "
                f"variables; correct it"
            )
        for index, count in Counter(found).items():
            if count > 1:
                yield f"{tag} lists the index {index} {count} times: must list it once; remove the others"
        if tag == "InitialUnknowns" and known != sorted(known):
            first = next(b for a, b in pairwise(known) if b < a)
            yield f"InitialUnknowns lists the index {first} after a greater one: must be in rising order; sort them"
        yield from _missing(fmu, tag, wanted - set(known), set(known) - wanted - (derivatives if computed else set()))


def _is_initial_unknown(causality: str, variability: str, initial: str | None) -> bool:
    allowed = INITIAL.get((causality, variability), ())
    value = initial or (allowed[0] if allowed else "")
    return causality in ("output", "calculatedParameter") and value in ("approx", "calculated")


def _missing(fmu: FmuFile, tag: str, missing: set[int], surplus: set[int]) -> Iterator[str]:
    what = {"Outputs": "has causality 'output'", "Derivatives": "is a derivative"}.get(
        tag, "is computed in initialization"
    )
    if missing:
        names = [fmu.variables[index - 1].name for index in sorted(missing)]
        yield f"{tag} does not list {listed(names)}: each variable that {what} must be there; add an Unknown for each"
    if surplus:
        names = [fmu.variables[index - 1].name for index in sorted(surplus)]
        yield f"{tag} lists {listed(names)}: must list only a variable that {what}; remove each Unknown"


def _indexes(fmu: FmuFile, tag: str) -> list[int]:
    texts = [unknown.get("index", "") for unknown in fmu.root.iterfind(f"ModelStructure/{tag}/Unknown")]
    return [int(text) for text in texts if text.isdecimal()]  # the schema reports others


def dependencies(fmu: FmuFile) -> Iterator[str]:
    """Dependencies are indexes of variables, rising, each once, of what may be known; kinds are as many."""
    for tag in ("Outputs", "Derivatives", "InitialUnknowns"):
        knowns = INITIAL_KNOWNS if tag == "InitialUnknowns" else OUTPUT_KNOWNS
        for unknown in fmu.root.iterfind(f"ModelStructure/{tag}/Unknown"):
            where = f"of the Unknown {unknown.get('index')} in {tag}"
            given = unknown.get("dependencies")
            if given is None:
                yield f"dependencies {where} are missing: tools then take all variables; name those that count"
                continue
            found = [int(text) for text in given.split() if text.isdecimal()]
            yield from _of_one(fmu, where, found, knowns)
            kinds = unknown.get("dependenciesKind")
            if kinds is not None and len(kinds.split()) != len(given.split()):
                yield (
                    f"dependenciesKind {where} has {len(kinds.split())} values: must have {len(given.split())}; "
                    f"give one for each dependency"
                )


def _of_one(fmu: FmuFile, where: str, found: list[int], knowns: tuple[str, ...]) -> Iterator[str]:
    valid = [index for index in found if 1 <= index <= len(fmu.variables)]
    for index in sorted(set(found) - set(valid)):
        yield f"dependency {index} {where}: must be from 1 to {len(fmu.variables)}, the number of variables; correct it"
    if any(b <= a for a, b in pairwise(found)):
        yield f"dependencies {where} are not in rising order, or name one twice: must rise; sort them"
    for index in valid:
        variable = fmu.variables[index - 1]
        if variable.causality not in knowns:
            yield (
                f"dependency {index} {where} is {variable.name} with causality '{variable.causality}': must be one of "
                f"{', '.join(knowns)}; remove it"
            )


RULES = (lists, dependencies)
