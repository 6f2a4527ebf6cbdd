"""Rules for the other files: paths, documentation, licence, icon, and the scene of contactlib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element

from contactlib.fmu.check.fmu_file import FmuFile
from contactlib.fmu.package.icon import PNG

#: FMI 2.0.4, section 2.3
FOLDERS = ("binaries", "documentation", "resources", "sources")
LICENSES = (
    "documentation/licenses/license.txt",
    "documentation/licenses/license.html",
    "documentation/license.txt",
    "documentation/license.html",
    "documentation/_licenses/license.txt",
)
MODEL = "resources/model.bin"


def paths(fmu: FmuFile) -> Iterator[str]:
    """Files lie in the folders of the standard, and differ in more than the case of letters."""
    for name in fmu.files:
        folder, slash, _ = name.partition("/")
        if slash and folder not in FOLDERS:
            yield f"the file {name} lies in the folder {folder}: must be one of {', '.join(FOLDERS)}; move it"
    folded: dict[str, str] = {}
    for name in fmu.files:
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            yield f"the files {other} and {name} differ in case only: Windows has one of them; rename one"


def documentation(fmu: FmuFile) -> Iterator[str]:
    """The entry page, the licence, and the icon."""
    if not fmu.files.get("documentation/index.html"):
        yield "the file documentation/index.html is missing or empty: tools show it as the documentation; add it"
    if not any(fmu.files.get(name) for name in LICENSES):
        yield f"there is no licence: one of {', '.join(LICENSES[:2])} must have a text; add it"
    if "model.png" not in fmu.files:
        yield "the file model.png is missing: tools show it as the icon; add it"
        return
    with suppress(ValueError):  # `readable` reports a damaged file
        if not fmu.read("model.png").startswith(PNG):
            yield "the file model.png is no PNG image: must be one, such as of 128 x 128 pixels; write it again"


def readable(fmu: FmuFile) -> Iterator[str]:
    """Every file can be unpacked: sizes and checksums are right."""
    for name in fmu.files:
        try:
            fmu.read(name)
        except ValueError as error:
            yield f"the file {name} cannot be unpacked: {error}; export the FMU again"


def scene(fmu: FmuFile) -> Iterator[str]:
    """The scene of an FMU of contactlib: it can be read, and it belongs to the description."""
    made_here = fmu.root.get("generationTool", "").startswith("contactlib")
    if MODEL not in fmu.files:
        if made_here:
            yield f"the file {MODEL} is missing: it is the scene, without which the FMU cannot start; export it again"
        return
    if not made_here:
        return
    from contactlib.model.model import Model

    try:
        model = Model.from_bytes(fmu.read(MODEL))
    except ValueError as error:
        yield f"the scene {MODEL} cannot be used: {error}; export the FMU again"
        return
    guid = fmu.root.get("guid")
    interface = fmu.root.find("CoSimulation")
    in_python = interface is not None and interface.get("needsExecutionTool") == "true"
    if guid != model.guid and not in_python:
        yield (f"guid = '{guid}': must be {model.guid}, which follows from {MODEL}; export the FMU again")
    elif not _same_variables(fmu, model.variables):
        yield (
            f"the variables of modelDescription.xml differ from those of {MODEL}: value references would differ; "
            f"export the FMU again"
        )


def _same_variables(fmu: FmuFile, table: object) -> bool:
    """Return whether types and causalities are those of the scene's variable table, in its order."""
    from contactlib.model.model import Variable

    rows: list[Variable] = list(table)  # type: ignore[call-overload]
    elements: list[Element] = [variable.element for variable in fmu.variables]
    found = [
        (e.get("valueReference"), v.causality, v.type.lower()) for v, e in zip(fmu.variables, elements, strict=True)
    ]
    return found == [(str(i), row.causality, row.type) for i, row in enumerate(rows)]


RULES = (paths, documentation, readable, scene)
