"""The table of platforms: one row for each folder that FMI 2.0 defines below ``binaries/`` and that we build for."""

from __future__ import annotations

import platform
from dataclasses import dataclass

LIBRARY = "contactlib"


@dataclass(frozen=True)
class Platform:
    """One platform: where its binary lies, how zig builds it, and what the binary may need from the system.

    Attributes
    ----------
    name
        The folder below ``binaries/``.
    suffix
        The end of the library's name.
    system, machines
        Values of ``platform.system()`` and ``platform.machine()``, in lower case, of computers that load the binary.
    targets
        What zig compiles for, one for each architecture in the file.
    link
        The flags of the linker for this format, for zig and for the compiler of the host alike. ``{exports}`` is the
        file with the names that the library exports.
    flags, sources
        Flags of the compiler and sources that only this platform has.
    libraries
        The system's own libraries, which the binary may load. A final ``*`` stands for any ending.
    glibc
        The newest version of glibc whose symbols the binary may import, where glibc is used at all.
    """

    name: str
    suffix: str
    system: str
    machines: tuple[str, ...]
    targets: tuple[str, ...]
    link: tuple[str, ...]
    libraries: tuple[str, ...]
    glibc: tuple[int, int] | None = None
    flags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def architectures(self) -> tuple[str, ...]:
        """The architectures of the file, as readers of its format name them."""
        names = [target.partition("-")[0] for target in self.targets]
        return tuple("arm64" if name == "aarch64" and self.system == "darwin" else name for name in names)

    @property
    def library(self) -> str:
        """The library's file below the folder ``binaries``."""
        return f"{self.name}/{LIBRARY}{self.suffix}"

    @property
    def tuples(self) -> tuple[str, ...]:
        """The folders below ``binaries`` in FMI 3.0, one for each architecture of the file: ``("x86_64-linux",)``."""
        return tuple(f"{target.partition('-')[0]}-{self.system}" for target in self.targets)


# masters load many FMUs into one process: the binary exports only the functions of FMI and of contactlib.h; all
# symbols are bound when it is loaded, so that a missing one is found before the first step
ELF_LINK = ("-Wl,--version-script={exports}", "-Wl,--no-undefined", "-Wl,--gc-sections", "-Wl,-z,relro", "-Wl,-z,now")
PE_LINK = ("-Wl,--gc-sections", "-Wl,--dynamicbase", "-Wl,--nxcompat", "-Wl,--high-entropy-va")
MACHO_LINK = ("-Wl,-dead_strip", f"-Wl,-install_name,@rpath/{LIBRARY}.dylib")
#: names for a linker of ELF files
VERSION_SCRIPT = "{ global: fmi2*; fmi3*; contactlib_*; local: *; };\n"
# of glibc; newer versions of it have all of them in libc.so.6
ELF_LIBRARIES = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-*")

PLATFORMS = {
    row.name: row
    for row in (
        Platform(
            name="linux64",
            suffix=".so",
            system="linux",
            machines=("x86_64", "amd64"),
            targets=("x86_64-linux-gnu.2.17",),
            link=ELF_LINK,
            libraries=ELF_LIBRARIES,
            glibc=(2, 17),
        ),
        Platform(
            name="aarch64-linux",
            suffix=".so",
            system="linux",
            machines=("aarch64", "arm64"),
            targets=("aarch64-linux-gnu.2.17",),
            link=ELF_LINK,
            libraries=ELF_LIBRARIES,
            glibc=(2, 17),
        ),
        Platform(
            name="win64",
            suffix=".dll",
            system="windows",
            machines=("x86_64", "amd64"),
            targets=("x86_64-windows-gnu",),
            link=PE_LINK,
            libraries=("kernel32.dll", "ntdll.dll", "api-ms-win-crt-*"),
        ),
        Platform(
            name="darwin64",
            suffix=".dylib",
            system="darwin",
            machines=("x86_64", "arm64"),
            targets=("x86_64-macos.11.0", "aarch64-macos.11.0"),
            link=MACHO_LINK,
            libraries=("/usr/lib/libSystem.B.dylib",),
            flags=("-fvisibility-global-new-delete=source",),
            sources=("platforms/hidden_new.cpp",),
        ),
    )
}


def platform_folder(system: str | None = None, machine: str | None = None) -> str:
    """Return the folder below ``binaries/`` that FMI 2.0 defines for a platform, by default for this platform.

    Parameters
    ----------
    system, machine
        The values of ``platform.system()`` and ``platform.machine()``.

    Raises
    ------
    ValueError
        If no folder is known for the platform.

    Examples
    --------
    >>> platform_folder("Linux", "x86_64")
    'linux64'
    """
    system = system or platform.system()
    machine = machine or platform.machine()
    for row in PLATFORMS.values():
        if row.system == system.lower() and machine.lower() in row.machines:
            return row.name
    raise ValueError(f"There is no FMU binary for {system} on {machine}; must be one of {', '.join(PLATFORMS)}.")


def find_platform(name: str) -> Platform:
    """Return the row of a platform.

    Raises
    ------
    ValueError
        If there is no such platform; the message names those that exist.

    Examples
    --------
    >>> find_platform("win64").library
    'win64/contactlib.dll'
    """
    if name not in PLATFORMS:
        raise ValueError(f"platform '{name}': must be one of {', '.join(PLATFORMS)}")
    return PLATFORMS[name]
