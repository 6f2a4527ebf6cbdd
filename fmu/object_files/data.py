"""What the readers of object files share: checked access to bytes, and the description that they return."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

#: most entries of a table in an object file; a damaged file may claim billions
MAX_ENTRIES = 1 << 20


@dataclass(frozen=True)
class ObjectFile:
    """What an object file is for, exports and imports.

    Attributes
    ----------
    format
        ``"ELF"``, ``"PE"`` or ``"Mach-O"``.
    machine
        The architecture, such as ``"x86_64"``.
    system
        The oldest system that can load the file, such as ``"glibc 2.17"`` or ``"macOS 11"``; empty if the file does
        not say it.
    exports, imports
        Names of symbols, without the underscore that Mach-O puts before them.
    libraries
        Names of the libraries that the system loads with the file.
    versions
        Versions of symbols that the file imports, such as ``"GLIBC_2.17"``; only ELF has them.
    folders
        Folders that the file names for the search of libraries (RPATH, RUNPATH).
    binds_now
        Whether all imported symbols are bound when the file is loaded.
    hardened
        Whether the loader may place the file at random addresses and its data cannot be executed.
    """

    format: str
    machine: str
    system: str = ""
    exports: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    libraries: tuple[str, ...] = ()
    versions: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    binds_now: bool = True
    hardened: bool = True


@dataclass(frozen=True)
class Bytes:
    """The content of a file; reading behind its end is a ValueError."""

    content: bytes
    order: str = "<"

    def numbers(self, form: str, at: int) -> tuple[Any, ...]:
        """Numbers in a format of `struct`, without its byte order."""
        try:
            return struct.unpack_from(self.order + form, self.content, at)
        except struct.error:
            raise ValueError(f"the file ends before byte {at + struct.calcsize(self.order + form)}") from None

    def number(self, form: str, at: int) -> int:
        return int(self.numbers(form, at)[0])

    def text(self, at: int) -> str:
        """The text that begins here and ends before a zero byte."""
        end = self.content.find(b"\0", at) if 0 <= at < len(self.content) else -1
        if end < 0:
            raise ValueError(f"the file has no text at byte {at}")
        return self.content[at:end].decode("utf-8", "backslashreplace")

    def table(self, form: str, at: int, count: int) -> list[tuple[Any, ...]]:
        """Records of equal size that follow one another."""
        if count > MAX_ENTRIES:
            raise ValueError(f"a table of the file has {count} entries: at most {MAX_ENTRIES} are allowed")
        size = struct.calcsize(self.order + form)
        return [self.numbers(form, at + i * size) for i in range(count)]
