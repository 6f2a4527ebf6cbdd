"""An FMU as the rules see it: the parsed description, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree.ElementTree import Element

from contactlib.fmu.archive import DESCRIPTION, read_archive, read_file

TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration")


@dataclass(frozen=True)
class FmuFile:
    """An FMU whose archive is safe to read: root of modelDescription.xml, and the sizes of the files by name."""

    path: Path
    root: Element
    files: dict[str, int]

    @classmethod
    def open(cls, path: Path) -> FmuFile:
        """Read an FMU; ValueError as `contactlib.fmu.archive.read_archive`."""
        return cls(path, *read_archive(path))

    def read(self, name: str) -> bytes:
        """Return the content of a file; ValueError if it is damaged."""
        return read_file(self.path, name)

    @property
    def description(self) -> bytes:
        """The bytes of modelDescription.xml."""
        return self.read(DESCRIPTION)

    @cached_property
    def interfaces(self) -> list[Element]:
        """The elements CoSimulation and ModelExchange."""
        return [element for tag in ("CoSimulation", "ModelExchange") for element in self.root.iterfind(tag)]

    @cached_property
    def variables(self) -> list[Variable]:
        """The elements ScalarVariable, in their order."""
        elements = self.root.iterfind("ModelVariables/ScalarVariable")
        return [Variable(index, element) for index, element in enumerate(elements, start=1)]

    @cached_property
    def types(self) -> dict[str, Element]:
        """The inner elements of all SimpleType, such as Real, by name."""
        simple = self.root.iterfind("TypeDefinitions/SimpleType")
        return {element.get("name", ""): element[0] for element in simple if len(element)}

    @cached_property
    def units(self) -> dict[str, Element]:
        """The elements Unit by name."""
        return {unit.get("name", ""): unit for unit in self.root.iterfind("UnitDefinitions/Unit")}

    def attribute(self, variable: Variable, name: str) -> str | None:
        """Return an attribute of a variable's inner element, or that of its declared type."""
        declared = self.types.get(variable.typed.get("declaredType", ""))
        own = variable.typed.get(name)
        return own if own is not None or declared is None else declared.get(name)


@dataclass(frozen=True)
class Variable:
    """A ScalarVariable; `index` counts from 1, as in ModelStructure."""

    index: int
    element: Element

    @property
    def name(self) -> str:
        """Its name, in quotes, for sentences."""
        return f"'{self.element.get('name', '')}'"

    @property
    def causality(self) -> str:
        return self.element.get("causality", "local")

    @property
    def variability(self) -> str:
        return self.element.get("variability", "continuous")

    @property
    def typed(self) -> Element:
        """The inner element: Real, Integer, Boolean, String or Enumeration."""
        return next((child for child in self.element if child.tag in TYPES), Element("none"))

    @property
    def type(self) -> str:
        return self.typed.tag
