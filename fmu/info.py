"""Describes any FMU for FMI 2.0 or 3.0 from its file, also FMUs of other tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from contactlib.fmu.archive import read_archive, read_file
from contactlib.fmu.object_files.read import needs, read_object_file

LIBRARIES = (".so", ".dll", ".dylib")


@dataclass(frozen=True)
class Variables:
    """Variables that differ only in their last index, such as ``peg.r[1]`` to ``peg.r[3]``, or an array of FMI 3.0."""

    name: str
    count: int
    unit: str
    description: str

    def __str__(self) -> str:
        size = f"[{self.count}]" if self.count > 1 else ""
        return f"{self.name + size:<36} {self.unit:<8} {self.description}".rstrip()


@dataclass(frozen=True)
class FmuInfo:
    """Name, GUID, platforms and variables of an FMU; ``str()`` returns them as a table.

    `needs` says for each platform what its binary needs from a computer, as the binary itself states it.
    """

    path: Path
    name: str
    guid: str
    generation_tool: str
    size: int
    files: dict[str, int]
    platforms: tuple[str, ...]
    needs: dict[str, str]
    inputs: tuple[Variables, ...]
    outputs: tuple[Variables, ...]
    parameters: tuple[Variables, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.name}  ({self.path.name}, {self.size / 1024:.0f} KiB)",
            f"  guid       {self.guid}",
            f"  made by    {self.generation_tool}",
        ]
        named = [f"{name}: {self.needs[name]}" if self.needs.get(name) else name for name in self.platforms]
        lines += [f"  {'' if i else 'platforms':<9}  {text}" for i, text in enumerate(named or ["none"])]
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
    identifiers = {kind.get("modelIdentifier", "") for tag in ("CoSimulation", "ModelExchange")
                   for kind in root.iterfind(tag)}
    return FmuInfo(
        path=path,
        name=root.get("modelName", ""),
        guid=root.get("guid", "") or root.get("instantiationToken", ""),
        generation_tool=root.get("generationTool", "unknown"),
        size=path.stat().st_size,
        files=files,
        platforms=tuple(sorted(platforms)),
        needs={name: _needs(path, name, files, identifiers) for name in sorted(platforms)},
        inputs=_grouped(root, "input"),
        outputs=_grouped(root, "output"),
        parameters=_grouped(root, "parameter"),
    )


def _needs(path: Path, platform: str, files: Iterable[str], identifiers: set[str]) -> str:
    """Return what the platform's binaries need; there are two if model exchange has a binary of its own."""
    found = []
    for name in map(PurePosixPath, files):
        if name.parts[:2] != ("binaries", platform) or len(name.parts) != 3:
            continue
        if name.suffix in LIBRARIES and name.stem in identifiers:
            try:
                found.append(needs(read_object_file(read_file(path, str(name)))))
            except ValueError as error:
                found.append(f"{name.name} cannot be read: {error}")
    return "; ".join(dict.fromkeys(found))


def _grouped(root: Element, causality: str) -> tuple[Variables, ...]:
    groups: dict[str, Variables] = {}
    types = {own.get("name"): own for own in root.iterfind("TypeDefinitions/*")}
    for variable in root.iterfind("ModelVariables/*"):
        if variable.get("causality", "local") != causality:
            continue
        name = variable.get("name", "").partition("[")[0]
        count = prod(int(dimension.get("start", "1")) for dimension in variable.iterfind("Dimension"))
        known = groups.get(name)
        groups[name] = Variables(
            name, known.count + count if known else count, _unit(variable, types), variable.get("description", "")
        )
    return tuple(groups.values())


def _unit(variable: Element, types: dict[str | None, Element]) -> str:
    """Return the unit of a real variable, the items of an enumeration, or the range of an integer."""
    typed = next(iter(variable), None) if variable.tag == "ScalarVariable" else variable  # in FMI 3.0 its own element
    if typed is None:
        return ""
    simple = types.get(typed.get("declaredType"))
    if simple is not None and typed.tag == "Enumeration":
        return "|".join(item.get("name", "") for item in simple.iter("Item"))
    if typed.tag in ("Integer", "Int32") and typed.get("max"):
        return f"{typed.get('min', '')}..{typed.get('max')}"
    return typed.get("unit", "")
