"""Describes any FMI 2.0 FMU from its file, also FMUs of other tools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from contactlib.fmu.archive import read_archive


@dataclass(frozen=True)
class Variables:
    """A group of variables that differ only in their last index, such as ``peg.r[1]`` to ``peg.r[3]``."""

    name: str
    count: int
    unit: str
    description: str

    def __str__(self) -> str:
        size = f"[{self.count}]" if self.count > 1 else ""
        return f"{self.name + size:<36} {self.unit:<8} {self.description}".rstrip()


@dataclass(frozen=True)
class FmuInfo:
    """Name, GUID, platforms and variables of an FMU; ``str()`` returns them as a table."""

    path: Path
    name: str
    guid: str
    generation_tool: str
    size: int
    files: dict[str, int]
    platforms: tuple[str, ...]
    inputs: tuple[Variables, ...]
    outputs: tuple[Variables, ...]
    parameters: tuple[Variables, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.name}  ({self.path.name}, {self.size / 1024:.0f} KiB)",
            f"  guid       {self.guid}",
            f"  made by    {self.generation_tool}",
            f"  platforms  {', '.join(self.platforms) or 'none'}",
        ]
        lines += [f"  {size:>9} B  {name}" for name, size in self.files.items()]
        for title in ("inputs", "outputs", "parameters"):
            groups: tuple[Variables, ...] = getattr(self, title)
            lines.append(f"{sum(group.count for group in groups)} {title}")
            lines += [f"  {group}" for group in groups]
        return "\n".join(lines)


def describe_fmu(path: str | Path) -> FmuInfo:
    """Read the description of an FMU: its name, GUID, platforms, files and variables.

    Parameters
    ----------
    path
        The ``.fmu`` file.

    Returns
    -------
    FmuInfo
        The description; print it to see a table.

    Raises
    ------
    ValueError
        If the file is not an FMU, exceeds the limits of `contactlib.fmu.archive`, or has an unreadable description.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> from contactlib.fmu.export import export_fmu
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fmu = export_fmu(contactlib.load("peg_in_hole").compile(), f"{folder}/peg.fmu")
    ...     describe_fmu(fmu).name
    'peg_in_hole'
    """
    path = Path(path)
    try:
        root, files = read_archive(path)
    except ValueError as error:
        raise ValueError(f"{path} is not an FMU: {error}") from None
    platforms = {name.split("/")[1] for name in files if name.startswith("binaries/") and name.count("/") > 1}
    return FmuInfo(
        path=path,
        name=root.get("modelName", ""),
        guid=root.get("guid", ""),
        generation_tool=root.get("generationTool", "unknown"),
        size=path.stat().st_size,
        files=files,
        platforms=tuple(sorted(platforms)),
        inputs=_grouped(root, "input"),
        outputs=_grouped(root, "output"),
        parameters=_grouped(root, "parameter"),
    )


def _grouped(root: Element, causality: str) -> tuple[Variables, ...]:
    groups: dict[str, Variables] = {}
    types = {simple.get("name"): simple for simple in root.iterfind("TypeDefinitions/SimpleType")}
    for variable in root.iterfind("ModelVariables/ScalarVariable"):
        if variable.get("causality", "local") != causality:
            continue
        name = variable.get("name", "").partition("[")[0]
        known = groups.get(name)
        groups[name] = Variables(
            name, known.count + 1 if known else 1, _unit(variable, types), variable.get("description", "")
        )
    return tuple(groups.values())


def _unit(variable: Element, types: dict[str | None, Element]) -> str:
    """Return the unit of a real variable, or the items of an enumeration, joined by a bar."""
    typed = next(iter(variable), None)
    if typed is None:
        return ""
    simple = types.get(typed.get("declaredType"))
    if simple is not None and typed.tag == "Enumeration":
        return "|".join(item.get("name", "") for item in simple.iter("Item"))
    return typed.get("unit", "")
