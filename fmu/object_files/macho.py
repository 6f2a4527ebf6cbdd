"""Reads libraries of macOS. Source: Apple, mach-o/loader.h, mach-o/fat.h and mach-o/nlist.h."""

from __future__ import annotations

from contactlib.fmu.object_files.data import Bytes, ObjectFile

THIN, FAT = b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"
PROCESSORS = {0x01000007: "x86_64", 0x0100000C: "arm64", 7: "i386"}
# load commands; the high bit says that the loader must know the command
SYMBOLS, DYNAMIC_SYMBOLS, SIGNATURE, MINIMUM_VERSION, BUILD_VERSION = 0x2, 0xB, 0x1D, 0x24, 0x32
LIBRARIES = (0xC, 0x80000018, 0x8000001F)  # needed, weak, re-exported
RUN_PATH, OLD_INFO, DYLD_INFO = 0x8000001C, 0x22, 0x80000022
EXTERNAL, TYPE = 0x01, 0x0E  # bits of a symbol's kind
NO_STACK_EXECUTION = 0x20000
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
    exports, imports = _symbols(data, commands)
    return ObjectFile(
        "Mach-O",
        PROCESSORS.get(processor, f"processor {processor:#x}"),
        system=_system(data, commands),
        exports=exports,
        imports=imports,
        libraries=_names(data, commands, LIBRARIES),
        folders=_names(data, commands, (RUN_PATH,)),
        binds_now=_lazy_size(data, commands) == 0,
        hardened=not flags & NO_STACK_EXECUTION,
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


def _symbols(data: Bytes, commands: list[Command]) -> tuple[frozenset[str], frozenset[str]]:
    exports, imports = set[str](), set[str]()
    for kind, at in commands:
        if kind != SYMBOLS:
            continue
        first, count, strings = data.numbers("III", at + 8)
        for name, type_, _section, _description, _value in data.table("IBBHQ", first, count):
            if type_ & EXTERNAL and not type_ & 0x10 and type_ < 0x20:  # not private, not for debuggers
                (exports if type_ & TYPE else imports).add(data.text(strings + name).removeprefix("_"))
    return frozenset(exports), frozenset(imports)


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
