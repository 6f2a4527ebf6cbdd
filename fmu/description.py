"""Writes modelDescription.xml of a scene from the variable table of its model."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from contactlib.fmu.package.dependencies import initial_dependencies
from contactlib.fmu.package.identifier import model_identifier
from contactlib.fmu.package.metadata import Metadata, tool_version
from contactlib.fmu.package.quantities import QUANTITIES, nominal_of, type_name
from contactlib.fmu.units import base_units

if TYPE_CHECKING:
    from contactlib.model.model import Model, Variable

#: capabilities of the native FMU; those of the Python FMU differ in needsExecutionTool only
CAPABILITIES = {
    "needsExecutionTool": "false",
    "canHandleVariableCommunicationStepSize": "true",
    "canInterpolateInputs": "true",
    "maxOutputDerivativeOrder": "0",
    "canRunAsynchronuously": "false",  # the standard's spelling
    "canBeInstantiatedOnlyOncePerProcess": "false",
    "canNotUseMemoryManagementFunctions": "true",
    "canGetAndSetFMUstate": "true",
    "canSerializeFMUstate": "true",
    "providesDirectionalDerivative": "false",
}
LOG_CATEGORIES = {
    "logEvents": "Events; only with logging on.",
    "logStatusWarning": "Warnings about accepted values and steps; only with logging on.",
    "logStatusDiscard": "Refused values and steps; also with logging off.",
    "logStatusError": "Wrong calls; also with logging off.",
    "logAll": "All log categories.",
}


def model_description(
    model: Model,
    *,
    identifier: str | None = None,
    metadata: Metadata | None = None,
    guid: str | None = None,
    flat_names: bool = False,
    capabilities: dict[str, str] | None = None,
) -> Element:
    """Build the root element of modelDescription.xml for a model.

    Parameters
    ----------
    model
        The compiled scene.
    identifier
        Name of the libraries in the FMU, without their suffix; by default the scene's name as an identifier of C.
    metadata
        Author, version, licence and description of the FMU.
    guid
        The GUID; by default that of the model, which follows from its hash.
    flat_names
        Write ``peg_r_1`` instead of ``peg.r[1]``, for tools that make buses of structured names.
    capabilities
        Attributes of ``CoSimulation`` that differ from `CAPABILITIES`.

    Raises
    ------
    ValueError
        If two variables have equal flat names.

    Examples
    --------
    >>> import contactlib
    >>> model = contactlib.load("peg_in_hole").compile()
    >>> model_description(model).get("guid") == model.guid
    True
    """
    about = metadata or Metadata()
    root = Element("fmiModelDescription")
    root.attrib.update(
        fmiVersion="2.0",
        modelName=model.name,
        guid=guid or model.guid,
        description=about.description or f"Contact wrenches of the scene {model.name}",
        **about.attributes(),
        generationTool=f"contactlib {tool_version()}",
        generationDateAndTime=generation_date(),
        variableNamingConvention="flat" if flat_names else "structured",
        numberOfEventIndicators="0",
    )
    identifier = identifier or model_identifier(model.name)
    SubElement(root, "CoSimulation", {"modelIdentifier": identifier, **CAPABILITIES, **(capabilities or {})})
    _unit_definitions(root, model.variables)
    _type_definitions(root, model.variables)
    _log_categories(root)
    step, stop = repr(model.step_size), repr(model.duration)
    SubElement(root, "DefaultExperiment", startTime="0.0", stopTime=stop, tolerance="1e-06", stepSize=step)
    _model_variables(root, model.variables, variable_names(model, flat_names))
    _model_structure(root, model)
    return root


def to_bytes(root: Element) -> bytes:
    """Return the content of the XML file."""
    indent(root)
    text = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def variable_names(model: Model, flat: bool) -> list[str]:
    """Return the names of all variables in the order of their value references. ValueError if two names are equal."""
    names: dict[str, str] = {}
    for variable in model.variables:
        name = flat_name(variable.name) if flat else variable.name
        if name in names:
            raise ValueError(
                f"'{names[name]}' and '{variable.name}' both have the flat name '{name}'; rename a body or law."
            )
        names[name] = variable.name
    return list(names)


def flat_name(name: str) -> str:
    """Return the flat form of a structured name.

    Examples
    --------
    >>> flat_name("peg.r[1]")
    'peg_r_1'
    """
    return re.sub(r"\W+", "_", name).strip("_")


def generation_date() -> str:
    """Return the present time, or ``SOURCE_DATE_EPOCH`` for reproducible builds, in UTC as ISO 8601 with a Z."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is not None and not epoch.isdecimal():
        raise ValueError(f"SOURCE_DATE_EPOCH is '{epoch}'; it must be a number of seconds since 1970.")
    date = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def _log_categories(root: Element) -> None:
    categories = SubElement(root, "LogCategories")
    for name, text in LOG_CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=text)


def _unit_definitions(root: Element, variables: Sequence[Variable]) -> None:
    definitions = SubElement(root, "UnitDefinitions")
    for unit in sorted({v.unit for v in variables if v.type == "real"}):
        element = SubElement(definitions, "Unit", name=unit)
        exponents = base_units(unit)
        if exponents is not None:
            SubElement(element, "BaseUnit", {base: str(exponent) for base, exponent in exponents.items()})
        if unit in QUANTITIES and QUANTITIES[unit].display:
            quantity = QUANTITIES[unit]
            SubElement(element, "DisplayUnit", name=quantity.display, factor=repr(quantity.factor))


def _type_definitions(root: Element, variables: Sequence[Variable]) -> None:
    definitions = SubElement(root, "TypeDefinitions")
    for unit in sorted({v.unit for v in variables if v.type == "real"} & set(QUANTITIES)):
        quantity = QUANTITIES[unit]
        simple = SubElement(definitions, "SimpleType", name=type_name(unit))
        real = SubElement(simple, "Real", quantity=quantity.name, unit=unit, nominal=repr(quantity.nominal))
        if quantity.display:
            real.set("displayUnit", quantity.display)


def _model_variables(root: Element, variables: Sequence[Variable], names: Sequence[str]) -> None:
    elements = SubElement(root, "ModelVariables")
    for reference, (variable, name) in enumerate(zip(variables, names, strict=True)):
        element = SubElement(elements, "ScalarVariable", name=name, valueReference=str(reference))
        element.attrib.update(
            description=_description(variable), causality=variable.causality, variability=_variability(variable)
        )
        if variable.causality != "input":  # FMI defines the `initial` of inputs
            element.set("initial", "calculated" if variable.causality == "output" else "exact")
        element.append(_typed(variable))


def _description(variable: Variable) -> str:
    items = ", ".join(f"{value} {item}" for value, item in enumerate(variable.items, start=1))
    return f"{variable.description}; {items}" if items else variable.description


def _variability(variable: Variable) -> str:
    if variable.causality == "parameter":
        return "tunable" if variable.tunable else "fixed"
    return "continuous" if variable.type == "real" else "discrete"


def _typed(variable: Variable) -> Element:
    element = Element(variable.type.capitalize())
    if variable.type == "real":
        element.set("unit", variable.unit)
        if type_name(variable.unit):
            element.set("declaredType", type_name(variable.unit))
        if (nominal := nominal_of(variable)) is not None:
            element.set("nominal", repr(nominal))
    if variable.items:  # an Integer, since some masters set no Enumeration
        element.attrib.update(min="1", max=str(len(variable.items)))
    if variable.causality == "output":
        return element
    if variable.type == "real" and variable.minimum > float("-inf"):
        element.set("min", repr(variable.minimum))
    element.set("start", repr(variable.start) if variable.type == "real" else str(int(variable.start)))
    return element


def _model_structure(root: Element, model: Model) -> None:
    """Write dependencies: outputs are constant between steps (no feedthrough); initial outputs as the scene says."""
    found = initial_dependencies(model)
    structure = SubElement(root, "ModelStructure")
    for kind in ("Outputs", "InitialUnknowns"):
        unknowns = SubElement(structure, kind)
        for output, knowns in found.items():
            unknown = SubElement(unknowns, "Unknown", index=str(output + 1))
            if kind == "Outputs":
                unknown.set("dependencies", "")
            elif knowns is not None:  # left out: possibly all
                unknown.set("dependencies", " ".join(str(known + 1) for known in knowns))
