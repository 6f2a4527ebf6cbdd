"""Recognises the format of an object file and says in a few words what the file needs."""

from __future__ import annotations

from fnmatch import fnmatchcase

from contactlib.fmu.object_files import elf, macho, pe
from contactlib.fmu.object_files.data import ObjectFile

#: libraries of the system, which nobody has to install
SYSTEM_LIBRARIES = {
    "ELF": ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "ld-linux*"),
    "PE": ("kernel32.dll", "kernelbase.dll", "ntdll.dll", "user32.dll", "advapi32.dll", "shell32.dll", "ws2_32.dll",
           "msvcrt.dll", "ucrtbase.dll", "api-ms-win-*"),
    "Mach-O": ("/usr/lib/*", "/System/*"),
}


def read_object_file(content: bytes) -> tuple[ObjectFile, ...]:
    """Describe a library of Linux, Windows or macOS.

    Parameters
    ----------
    content
        The whole file, from anywhere: it may be damaged.

    Returns
    -------
    tuple of ObjectFile
        One for each architecture in the file.

    Raises
    ------
    ValueError
        If the file has none of the formats, or is damaged.

    Examples
    --------
    >>> read_object_file(b"hello")
    Traceback (most recent call last):
    ValueError: the file is neither ELF (Linux) nor PE (Windows) nor Mach-O (macOS)
    """
    if content.startswith(elf.MAGIC):
        return elf.read_elf(content)
    if content.startswith(pe.MAGIC):
        return pe.read_pe(content)
    if content.startswith((macho.THIN, macho.FAT)):
        return macho.read_macho(content)
    raise ValueError("the file is neither ELF (Linux) nor PE (Windows) nor Mach-O (macOS)")


def needs(files: tuple[ObjectFile, ...]) -> str:
    """Return what a computer must have to load the file: architecture, system, and libraries to be installed.

    Examples
    --------
    >>> needs((ObjectFile("ELF", "x86_64", "glibc 2.17", libraries=("libm.so.6", "libgfortran.so.5")),))
    'x86_64, glibc 2.17, libgfortran.so.5'
    """
    machines = " and ".join(file.machine for file in files)
    systems = dict.fromkeys(file.system for file in files if file.system)
    more = dict.fromkeys(name for file in files for name in file.libraries if not of_system(file.format, name))
    return ", ".join([machines, *systems, *more])


def of_system(form: str, library: str) -> bool:
    """Return whether a library comes with the system."""
    name = library.lower() if form == "PE" else library
    return any(fnmatchcase(name, pattern) for pattern in SYSTEM_LIBRARIES[form])
