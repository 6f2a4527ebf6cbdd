"""Checks the binaries that FMUs contain: what they export, need, and tell about the machine that built them.

``python -m contactlib.fmu.object_files.check [FILE...]`` checks files below a folder ``binaries``, by default all that
this package has, and prints what each needs and imports.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from contactlib.fmu.object_files import macho
from contactlib.fmu.object_files.data import ObjectFile
from contactlib.fmu.object_files.elf import newest_glibc
from contactlib.fmu.object_files.read import needs, read_object_file
from contactlib.fmu.platforms.sources import C_HEADER, FMU, default_core, eigen_include
from contactlib.fmu.platforms.table import PLATFORMS, Platform

BINARIES = FMU / "binaries"
# FMI 2.0.4, section 2.1 for all FMUs and 4.2.1 for co-simulation
NAMES = """
    GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment EnterInitializationMode
    ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean GetString SetReal SetInteger SetBoolean
    SetString GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate
    GetDirectionalDerivative SetRealInputDerivatives GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus
    GetIntegerStatus GetBooleanStatus GetStringStatus
"""
# all functions of FMI 3.0: masters such as FMPy look for those of other interfaces too
NAMES_3 = """
    GetVersion SetDebugLogging InstantiateModelExchange InstantiateCoSimulation InstantiateScheduledExecution
    FreeInstance EnterInitializationMode ExitInitializationMode EnterEventMode Terminate Reset
    GetFloat32 GetFloat64 GetInt8 GetUInt8 GetInt16 GetUInt16 GetInt32 GetUInt32 GetInt64 GetUInt64 GetBoolean GetString
    GetBinary GetClock SetFloat32 SetFloat64 SetInt8 SetUInt8 SetInt16 SetUInt16 SetInt32 SetUInt32 SetInt64 SetUInt64
    SetBoolean SetString SetBinary SetClock GetNumberOfVariableDependencies GetVariableDependencies GetFMUState
    SetFMUState FreeFMUState SerializedFMUStateSize SerializeFMUState DeserializeFMUState GetDirectionalDerivative
    GetAdjointDerivative EnterConfigurationMode ExitConfigurationMode GetIntervalDecimal GetIntervalFraction
    GetShiftDecimal GetShiftFraction SetIntervalDecimal SetIntervalFraction SetShiftDecimal SetShiftFraction
    EvaluateDiscreteStates UpdateDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime
    SetContinuousStates GetContinuousStateDerivatives GetEventIndicators GetContinuousStates
    GetNominalsOfContinuousStates GetNumberOfEventIndicators GetNumberOfContinuousStates EnterStepMode
    GetOutputDerivatives DoStep ActivateModelPartition
"""
C_NAMES = re.findall(r"^CONTACTLIB_API .*?(contactlib_\w+)\(", C_HEADER.read_text(encoding="utf-8"), re.MULTILINE)
FMI_FUNCTIONS = frozenset([*(f"fmi2{name}" for name in NAMES.split()), *(f"fmi3{name}" for name in NAMES_3.split())])
FUNCTIONS = FMI_FUNCTIONS | frozenset(C_NAMES)
TRANSCENDENTAL = """
    acos asin atan atan2 cos sin sincos tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 log log10 log1p log2 pow
    cbrt hypot erf erfc tgamma lgamma
"""
#: functions of the C library whose last bits differ from one library, and one processor, to another
INEXACT = frozenset(TRANSCENDENTAL.split())
#: folders where people and tools keep sources and temporary files
HOMES = re.compile(rb"(?:/home/|/Users/|/root/|/tmp/|/var/folders/|[A-Z]:[\\/]Users[\\/])[\w./\\-]*")


def find_problems(content: bytes, row: Platform, folders: Iterable[Path] = ()) -> list[str]:
    """Return what is wrong with a binary, as sentences; an empty list if it may be shipped.

    Parameters
    ----------
    content
        The library.
    row
        The platform that the library is for.
    folders
        Folders whose names must not be in the file, besides those that `build_folders` returns.

    Raises
    ------
    ValueError
        If the file cannot be read.
    """
    files = read_object_file(content)
    found = [problem for file in files for problem in _file_problems(file, row)]
    machines = tuple(file.machine for file in files)
    if machines != row.architectures:
        found.append(f"it is for {' and '.join(machines)}; it must be for {' and '.join(row.architectures)}")
    if row.system == "darwin":
        found += [f"its part for {machine} has no code signature, which macOS demands"
                  for machine, part in zip(machines, macho.slices(content), strict=True)
                  if machine == "arm64" and not macho.has_signature(part)]
    return [*found, *_path_problems(content, [*build_folders(), *folders])]


def build_folders() -> list[Path]:
    """Folders of this machine that a binary built here could name: sources, packages, home, temporary files."""
    return [default_core().parent, FMU, eigen_include(), Path.home(), Path(tempfile.gettempdir()), Path.cwd(),
            Path(sys.prefix)]


def _file_problems(file: ObjectFile, row: Platform) -> Iterator[str]:
    if missing := FUNCTIONS - file.exports:
        yield f"it does not export {', '.join(sorted(missing))}"
    if more := file.exports - FUNCTIONS:
        yield f"it exports more than the functions of FMI and of contactlib.h: {', '.join(sorted(more))}"
    for library in file.libraries:
        if not any(fnmatchcase(library.lower(), pattern.lower()) for pattern in row.libraries):
            yield f"it needs {library}; it may need only {', '.join(row.libraries)}"
    if row.glibc and (newer := _newer_versions(file, row.glibc)):
        yield f"it imports {', '.join(newer)}; the newest version allowed is {row.glibc[0]}.{row.glibc[1]}"
    if file.folders:
        yield f"it names folders for the search of libraries: {', '.join(file.folders)}"
    if not file.binds_now:
        yield "it binds symbols at their first call; it must bind all when it is loaded"
    if not file.hardened:
        yield "its stack or its data can be executed, or it has a fixed address"
    if file.format != "PE" and "__stack_chk_fail" not in file.imports:  # in a PE file the function has no name
        yield "it has no stack protector"


def _newer_versions(file: ObjectFile, limit: tuple[int, int]) -> list[str]:
    allowed = newest_glibc(frozenset({f"GLIBC_{limit[0]}.{limit[1]}"}))
    return sorted(v for v in file.versions if newest_glibc(frozenset({v, "GLIBC_" + allowed[6:]})) != allowed)


def _path_problems(content: bytes, folders: Iterable[Path]) -> Iterator[str]:
    for folder in dict.fromkeys(map(str, folders)):
        path = os.fsencode(folder)
        if len(path) > 1 and (path + b"/" in content or path + b"\0" in content):
            yield f"it contains the name of the folder {folder}"
    for name in sorted({match[0].decode("ascii", "backslashreplace") for match in HOMES.finditer(content)}):
        yield f"it contains the path {name}"


def main() -> None:
    """Run the command line ``python -m contactlib.fmu.object_files.check``."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="libraries in folders named by platform")
    given = parser.parse_args().files
    wrong = 0
    for path in given or sorted(BINARIES / row.library for row in PLATFORMS.values()):
        if not given and not path.exists():
            print(f"{path.parent.name}: not built")
            continue
        try:
            wrong += _report(path)
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: {error}")
    sys.exit(1 if wrong else 0)


def _report(path: Path) -> int:
    if path.parent.name not in PLATFORMS:
        raise ValueError(f"the file lies in the folder '{path.parent.name}': must be one of {', '.join(PLATFORMS)}")
    content = path.read_bytes()
    files = read_object_file(content)
    print(f"{path.parent.name}: {len(content)} bytes, needs {needs(files)}")
    for file in files:
        print(f"  {file.machine}: libraries {', '.join(file.libraries) or 'none'}")
        print(f"  {file.machine}: imports {', '.join(sorted(file.imports))}")
    problems = find_problems(content, PLATFORMS[path.parent.name])
    for problem in problems:
        print(f"  problem: {problem}")
    return len(problems)


if __name__ == "__main__":
    main()
