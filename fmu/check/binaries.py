"""Rules for the libraries below binaries/: names, formats, architectures, exported functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from contactlib.fmu.check.fmu_file import FmuFile
from contactlib.fmu.object_files.check import FUNCTIONS
from contactlib.fmu.object_files.read import read_object_file

#: folders of FMI 2.0, with the suffix of the library and the machine that it is for; the last two are in wide use
PLATFORMS = {
    "win32": (".dll", "i386"),
    "win64": (".dll", "x86_64"),
    "linux32": (".so", "i386"),
    "linux64": (".so", "x86_64"),
    "darwin32": (".dylib", "i386"),
    "darwin64": (".dylib", "x86_64"),
    "aarch64-linux": (".so", "aarch64"),
    "aarch64-darwin": (".dylib", "arm64"),
}
#: functions that model exchange and co-simulation share, and the two that a co-simulation cannot do without
NEEDED = {
    "fmi2Instantiate",
    "fmi2FreeInstance",
    "fmi2GetVersion",
    "fmi2SetReal",
    "fmi2GetReal",
    "fmi2DoStep",
} & FUNCTIONS
REBUILD = "build it again or leave the platform out"


def names(fmu: FmuFile) -> Iterator[str]:
    """There is a library or a source; each platform has the library that the modelIdentifier names."""
    folders = sorted(
        {PurePosixPath(name).parts[1] for name in fmu.files if name.startswith("binaries/") and name.count("/") > 1}
    )
    if not folders and not any(name.startswith("sources/") for name in fmu.files):
        yield "there is no library below binaries/ and no source: no tool can run the FMU; add a library"
    for folder in folders:
        if folder not in PLATFORMS:
            yield (
                f"the folder binaries/{folder}: must be one of {', '.join(PLATFORMS)}; rename it or leave the platform "
                f"out"
            )
            continue
        for interface in fmu.interfaces:
            name = f"binaries/{folder}/{interface.get('modelIdentifier')}{PLATFORMS[folder][0]}"
            if name not in fmu.files:
                yield (
                    f"the file {name} is missing: tools load the library that the modelIdentifier of {interface.tag} "
                    f"names; rename the library or the modelIdentifier"
                )


def contents(fmu: FmuFile) -> Iterator[str]:
    """Each library has the format and the machine of its platform, and exports the functions of FMI."""
    needed = NEEDED if fmu.root.find("CoSimulation") is not None else NEEDED - {"fmi2DoStep"}
    identifiers = {interface.get("modelIdentifier") for interface in fmu.interfaces}
    for name in map(PurePosixPath, fmu.files):
        if len(name.parts) != 3 or name.parts[0] != "binaries" or name.parts[1] not in PLATFORMS:
            continue
        suffix, machine = PLATFORMS[name.parts[1]]
        if name.suffix != suffix or name.stem not in identifiers:
            continue  # another file that the library loads
        try:
            found = read_object_file(fmu.read(str(name)))
        except ValueError as error:
            yield f"the library {name} cannot be read: {error}; {REBUILD}"
            continue
        machines = [file.machine for file in found]
        if machine not in machines:
            yield f"the library {name} is for {' and '.join(machines)}: must be for {machine}; {REBUILD}"
        for file in found:
            if missing := needed - file.exports:
                yield (
                    f"the library {name} does not export {', '.join(sorted(missing))}: must export the functions of "
                    f"FMI 2.0; {REBUILD}"
                )


RULES = (names, contents)
