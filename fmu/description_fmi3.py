"""Translates the description of an FMU for FMI 2.0 into that for FMI 3.0, with arrays instead of numbered scalars."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import takewhile
from xml.etree.ElementTree import Element, SubElement

from contactlib.fmu.description import flat_name

#: attributes of the root that both versions have
SHARED = ("modelName", "description", "author", "version", "copyright", "license", "generationTool",
          "generationDateAndTime")
#: types of variables by their names in FMI 2.0; fmu/fmi3.cpp has functions for these alone
TYPES = {"Real": "Float64", "Integer": "Int32"}
#: attributes of CoSimulation by their names in FMI 2.0
CAPABILITIES = {
    "modelIdentifier": "modelIdentifier",
    "needsExecutionTool": "needsExecutionTool",
    "canBeInstantiatedOnlyOncePerProcess": "canBeInstantiatedOnlyOncePerProcess",
    "canGetAndSetFMUstate": "canGetAndSetFMUState",
    "canSerializeFMUstate": "canSerializeFMUState",
    "canHandleVariableCommunicationStepSize": "canHandleVariableCommunicationStepSize",
    "maxOutputDerivativeOrder": "maxOutputDerivativeOrder",
}
#: which of the values of all elements is that of the array
EXTREMES = {"min": min, "max": max}


@dataclass(frozen=True)
class Array:
    """Variables ``x[1]`` to ``x[n]`` of FMI 2.0 that are the variable ``x`` of FMI 3.0, or a scalar.

    Attributes
    ----------
    name
        The name in FMI 3.0.
    first
        The value reference of the first element, which is that of the array.
    elements
        The elements ``ScalarVariable``.
    is_array
        False for a scalar.
    """

    name: str
    first: int
    elements: tuple[Element, ...]
    is_array: bool


def fmi3_description(root: Element, *, flat_names: bool = False) -> Element:
    """Translate a model description of FMI 2.0 into one of FMI 3.0.

    Parameters
    ----------
    root
        What `contactlib.fmu.description.model_description` returned, with structured names.
    flat_names
        Write ``peg_r`` instead of ``peg.r``.

    Returns
    -------
    Element
        The root element for FMI 3.0. Value references of arrays are those of their first elements; the independent
        variable ``time`` comes after all others.

    Examples
    --------
    >>> import contactlib
    >>> from contactlib.fmu.description import model_description
    >>> root = fmi3_description(model_description(contactlib.load("peg_in_hole").compile()))
    >>> variable = root.find("ModelVariables/Float64[@name='interface.r']")
    >>> variable.get("unit"), variable.find("Dimension").get("start")
    ('m', '3')
    """
    arrays = _arrays(root.findall("ModelVariables/ScalarVariable"))
    new = Element("fmiModelDescription", fmiVersion="3.0")
    new.attrib.update({name: root.attrib[name] for name in SHARED if name in root.attrib})
    new.set("instantiationToken", root.attrib["guid"])
    new.set("variableNamingConvention", "flat" if flat_names else "structured")
    _co_simulation(new, root)
    for part in ("UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment"):
        if (old := root.find(part)) is not None:
            new.append(_types(old) if part == "TypeDefinitions" else deepcopy(old))
    _variables(new, arrays, flat_names)
    _structure(new, root, arrays)
    return new


def _co_simulation(new: Element, root: Element) -> None:
    old = root.find("CoSimulation")
    assert old is not None
    SubElement(new, "CoSimulation",
               {name: old.attrib[known] for known, name in CAPABILITIES.items() if known in old.attrib})


def _types(definitions: Element) -> Element:
    new = Element(definitions.tag)
    for simple in definitions:
        (old,) = simple
        SubElement(new, f"{TYPES[old.tag]}Type", {**simple.attrib, **old.attrib}).extend(deepcopy(list(old)))
    return new


def _arrays(scalars: Sequence[Element]) -> list[Array]:
    """Group the variables by the rule of fmu/fmi3.cpp: consecutive names that count from [1]."""
    found: list[Array] = []
    for scalar in scalars:
        name, last = scalar.attrib["name"], found[-1] if found else None
        if last is not None and last.is_array and name == f"{last.name}[{len(last.elements) + 1}]":
            found[-1] = Array(last.name, last.first, (*last.elements, scalar), True)
        else:
            first = int(scalar.attrib["valueReference"])
            found.append(Array(name.removesuffix("[1]"), first, (scalar,), name.endswith("[1]")))
    return found


def _variables(new: Element, arrays: Sequence[Array], flat: bool) -> None:
    variables = SubElement(new, "ModelVariables")
    for array in arrays:
        variables.append(_variable(array, flat))
    after = arrays[-1].first + len(arrays[-1].elements)
    SubElement(variables, "Float64", name="time", valueReference=str(after), description="time",
               causality="independent", variability="continuous", unit="s")


def _variable(array: Array, flat: bool) -> Element:
    typed = [element[0] for element in array.elements]
    variable = Element(TYPES[typed[0].tag], name=flat_name(array.name) if flat else array.name,
                       valueReference=str(array.first))
    variable.set("description", merged_description([element.get("description", "") for element in array.elements]))
    variable.attrib.update({name: array.elements[0].attrib[name] for name in ("causality", "variability", "initial")
                            if name in array.elements[0].attrib})
    variable.attrib.update(typed[0].attrib)
    for name, extreme in EXTREMES.items():
        if name in variable.attrib:
            variable.set(name, extreme((own.attrib[name] for own in typed), key=float))
    if "start" in variable.attrib:
        variable.set("start", " ".join(own.attrib["start"] for own in typed))
    if array.is_array:
        SubElement(variable, "Dimension", start=str(len(array.elements)))
    return variable


def merged_description(texts: Sequence[str]) -> str:
    """Merge the descriptions of an array's elements into one, with the words that differ in brackets.

    Examples
    --------
    >>> merged_description(["position x of the origin", "position y of the origin"])
    'position [x; y] of the origin'
    """
    words = [text.split(" ") for text in texts]
    if len(set(texts)) == 1:
        return texts[0]
    before = _common(words)
    after = min(_common([own[::-1] for own in words]), min(map(len, words)) - before)
    middles = [" ".join(own[before:len(own) - after]).strip(",") for own in words]
    return " ".join([*words[0][:before], f"[{'; '.join(middles)}]", *words[0][len(words[0]) - after:]])


def _common(lists: Sequence[Sequence[str]]) -> int:
    """Count the first words that all lists share."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*lists, strict=False)))


def _structure(new: Element, root: Element, arrays: Sequence[Array]) -> None:
    """Write outputs and initial unknowns; an array depends on all on which one of its elements depends."""
    owners = [array for array in arrays for _ in array.elements]
    structure = SubElement(new, "ModelStructure")
    for kind, name in (("Outputs", "Output"), ("InitialUnknowns", "InitialUnknown")):
        merged: dict[int, set[int] | None] = {}
        for unknown in root.iterfind(f"ModelStructure/{kind}/Unknown"):
            owner, text = owners[int(unknown.attrib["index"]) - 1].first, unknown.get("dependencies")
            known = None if text is None else {owners[int(index) - 1].first for index in text.split()}
            so_far = merged.get(owner, set())
            merged[owner] = None if known is None or so_far is None else so_far | known
        for owner, known in merged.items():
            element = SubElement(structure, name, valueReference=str(owner))
            if known is not None:
                element.set("dependencies", " ".join(map(str, sorted(known))))
