"""Checks an FMU for FMI 2.0 without running it: archive, description, variables, structure, binaries, resources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from contactlib.fmu.check import binaries, contents, description, schema, structure, variables
from contactlib.fmu.check.fmu_file import FmuFile

Rule = Callable[[FmuFile], Iterator[str]]
#: all rules, in the order of their findings
RULES: tuple[Rule, ...] = (
    *schema.RULES,
    *description.RULES,
    *variables.RULES,
    *structure.RULES,
    *binaries.RULES,
    *contents.RULES,
)


def check_fmu(path: str | Path) -> list[str]:
    """Return what is wrong with an FMU, one sentence for each defect; an empty list if nothing is.

    Nothing is unpacked to the disk, and no code of the FMU runs. The rules are those of the FMI 2.0 standard, its XML
    schema, and of what tools need beyond them: documentation, licence, units, nominal values, dates, safe paths.

    Parameters
    ----------
    path
        The ``.fmu`` file, of any tool.

    Raises
    ------
    OSError
        If there is no such file.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> from contactlib.fmu.export import export_fmu
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_fmu(export_fmu(contactlib.load("tripod").compile(), f"{folder}/tripod.fmu"))
    []
    """
    try:
        fmu = FmuFile.open(Path(path))
    except ValueError as error:
        return [f"the archive cannot be used: {error}; export the FMU again"]
    version = fmu.root.get("fmiVersion")
    if version != "2.0":
        return [f"fmiVersion = '{version}': must be '2.0'; this command checks no other version of FMI"]
    return list(dict.fromkeys(sentence for rule in RULES for sentence in rule(fmu)))
