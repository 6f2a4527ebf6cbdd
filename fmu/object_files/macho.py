"""Reads libraries of macOS. Source: Apple, mach-o/loader.h, mach-o/fat.h and mach-o/nlist.h."""

from __future__ import annotations

from contactlib.fmu.object_files.data import Bytes, ObjectFile
from contactlib.fmu.object_files.export_trie import read_exports

THIN, FAT = b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"
PROCESSORS = {0x01000007: "x86_64", 0x0100000C: "arm64", 7: "i386"}
# load commands; the high bit says that the loader must know the command
SYMBOLS, SIGNATURE, MINIMUM_VERSION, BUILD_VERSION = 0x2, 0x1D, 0x24, 0x32
LIBRARIES = (0xC, 0x80000018, 0x8000001F)  # needed, weak, re-exported
RUN_PATH, OLD_INFO, DYLD_INFO, EXPORTS = 0x8000001C, 0x22, 0x80000022, 0x80000033
DEBUG, TYPE = 0xE0, 0x0E  # bits of a symbol's kind; a type of zero means imported
BIND_AT_LOAD, STACK_EXECUTION = 0x8, 0x20000  # flags of a file
MAX_ARCHITECTURES, MAX_COMMANDS = 16, 10_000
Command = tuple[int, int]  # its kind and its place


def read_macho(content: bytes) -> tuple[ObjectFile, ...]:
    """Describe a Mach-O file, or each of the files in a fat one."""
    return tuple(_read_thin(part) for part in slices(content))


def slices(content: bytes) -> list[bytes]:
    """Return the thin files in a Mach-O file: itself, or those in a fat one."""
    if content[:4] == THIN:
        return [content]
    header = Bytes(content, ">")
    count = header.number("I", 4)
    if count > MAX_ARCHITECTURES:  # a class file of Java begins with the same four bytes
        raise ValueError(f"the file has {count} architectures: at most {MAX_ARCHITECTURES} are allowed")
    rows = header.table("IIIII", 8, count)
    return [content[offset : offset + size] for _, _, offset, size, _ in rows]


def _read_thin(content: bytes) -> ObjectFile:
    if content[:4] != THIN:
        raise ValueError("the file contains something else than 64-bit Mach-O files")
    data = Bytes(content)
    processor, _kind, _type, count, _size, flags = data.numbers("IIIIII", 4)
    commands = _commands(data, count)
    return ObjectFile(
        "Mach-O",
        PROCESSORS.get(processor, f"processor {processor:#x}"),
        system=_system(data, commands),
        exports=_exports(data, commands),
        imports=_imports(data, commands),
        libraries=_names(data, commands, LIBRARIES),
        folders=_names(data, commands, (RUN_PATH,)),
        binds_now=bool(flags & BIND_AT_LOAD) or _lazy_size(data, commands) == 0,
        hardened=not flags & STACK_EXECUTION,
    )


def has_signature(content: bytes) -> bool:
    """Return whether a thin Mach-O file has a code signature, without which macOS loads no file for arm64."""
    data = Bytes(content)
    return any(kind == SIGNATURE for kind, _ in _commands(data, data.number("I", 16)))


def _commands(data: Bytes, count: int) -> list[Command]:
    if count > MAX_COMMANDS:
        raise ValueError(f"the file has {count} load commands: at most {MAX_COMMANDS} are allowed")
    found, at = [], 32
    for _ in range(count):
        kind, size = data.numbers("II", at)
        found.append((kind, at))
        at += size
    return found


def _names(data: Bytes, commands: list[Command], kinds: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(data.text(at + data.number("I", at + 8)) for kind, at in commands if kind in kinds)


def _imports(data: Bytes, commands: list[Command]) -> frozenset[str]:
    found = set[str]()
    for kind, at in commands:
        if kind == SYMBOLS:
            first, count, strings = data.numbers("III", at + 8)
            rows = data.table("IBBHQ", first, count)
            found.update(data.text(strings + name) for name, type_, *_ in rows if type_ & (DEBUG | TYPE) == 0 and name)
    return frozenset(name.removeprefix("_") for name in found)


def _exports(data: Bytes, commands: list[Command]) -> frozenset[str]:
    """Names in the trie of exports, which has a load command of its own or is part of the instructions for dyld."""
    found = set[bytes]()
    for kind, at in commands:
        if kind in (OLD_INFO, DYLD_INFO, EXPORTS):
            first, size = data.numbers("II", at + (8 if kind == EXPORTS else 40))
            found |= read_exports(data.content[first : first + size]).keys() if size else set()
    return frozenset(name.decode("utf-8", "backslashreplace").removeprefix("_") for name in found)


def _system(data: Bytes, commands: list[Command]) -> str:
    for kind, at in commands:
        if kind in (MINIMUM_VERSION, BUILD_VERSION):
            version = data.number("I", at + (8 if kind == MINIMUM_VERSION else 12))
            major, minor = version >> 16, version >> 8 & 0xFF
            return f"macOS {major}.{minor}" if minor else f"macOS {major}"
    return ""


def _lazy_size(data: Bytes, commands: list[Command]) -> int:
    """Bytes of the instructions for symbols that are bound at their first call."""
    return sum(data.number("I", at + 36) for kind, at in commands if kind in (OLD_INFO, DYLD_INFO))
