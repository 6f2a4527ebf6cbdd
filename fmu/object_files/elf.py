"""Reads shared libraries of Linux. Source: System V ABI, chapters 4 and 5; Linux Standard Base, symbol versions."""

from __future__ import annotations

from contactlib.fmu.object_files.data import MAX_ENTRIES, Bytes, ObjectFile

MAGIC = b"\x7fELF"
MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
DYNAMIC, DYNAMIC_SYMBOLS, VERSIONS_NEEDED = 6, 11, 0x6FFFFFFE  # types of sections
NEEDED, RPATH, RUNPATH, BIND_NOW, FLAGS, FLAGS_1 = 1, 15, 29, 24, 30, 0x6FFFFFFB  # tags of the dynamic section
GNU_STACK, GNU_RELRO = 0x6474E551, 0x6474E552  # types of segments
Section = tuple[int, ...]


def read_elf(content: bytes) -> tuple[ObjectFile, ...]:
    """Describe an ELF file. Of a file of 32 bits only the architecture is read."""
    data = Bytes(content, "<" if content[5:6] == b"\x01" else ">")
    machine = MACHINES.get(data.number("H", 18), f"machine {data.number('H', 18)}")
    if content[4:5] != b"\x02":
        return (ObjectFile("ELF", machine),)
    sections = _sections(data)
    tags = _dynamic(data, sections)
    exports, imports = _symbols(data, sections)
    versions = _versions(data, sections)
    return (
        ObjectFile(
            "ELF",
            machine,
            system=newest_glibc(versions),
            exports=exports,
            imports=imports,
            libraries=tuple(name for tag, name in tags if tag == NEEDED and isinstance(name, str)),
            versions=versions,
            folders=tuple(name for tag, name in tags if tag in (RPATH, RUNPATH) and isinstance(name, str)),
            binds_now=any(_says_now(tag, value) for tag, value in tags),
            hardened=_hardened(data),
        ),
    )


def newest_glibc(versions: frozenset[str]) -> str:
    """Return the version of glibc that has all these versions of symbols, as ``"glibc 2.17"``, or nothing.

    Examples
    --------
    >>> newest_glibc(frozenset({"GLIBC_2.2.5", "GLIBC_2.17", "GCC_3.0"}))
    'glibc 2.17'
    """
    numbers = [tuple(map(int, part)) for v in versions if v.startswith("GLIBC_") for part in [v[6:].split(".")]
               if all(number.isdigit() for number in part)]
    return f"glibc {'.'.join(map(str, max(numbers)))}" if numbers else ""


def _sections(data: Bytes) -> list[Section]:
    """Rows: name, type, flags, address, offset, size, link, info, alignment, size of an entry."""
    size, count = data.numbers("HH", 58)
    if size != 64 and count:
        raise ValueError(f"a section header of the file has {size} bytes: it must have 64")
    return data.table("IIQQQQIIQQ", data.number("Q", 40), count)


def _of_type(sections: list[Section], kind: int) -> Section | None:
    return next((section for section in sections if section[1] == kind), None)


def _strings(sections: list[Section], section: Section) -> int:
    """Where the section's texts begin."""
    if section[6] >= len(sections):
        raise ValueError(f"the file has no section {section[6]}")
    return sections[section[6]][4]


def _dynamic(data: Bytes, sections: list[Section]) -> list[tuple[int, int | str]]:
    section = _of_type(sections, DYNAMIC)
    if section is None:
        return []
    strings = _strings(sections, section)
    rows = data.table("QQ", section[4], section[5] // 16)
    return [(tag, data.text(strings + value) if tag in (NEEDED, RPATH, RUNPATH) else value) for tag, value in rows]


def _says_now(tag: int, value: int | str) -> bool:
    return tag == BIND_NOW or (tag == FLAGS and bool(int(value) & 8)) or (tag == FLAGS_1 and bool(int(value) & 1))


def _symbols(data: Bytes, sections: list[Section]) -> tuple[frozenset[str], frozenset[str]]:
    section = _of_type(sections, DYNAMIC_SYMBOLS)
    if section is None:
        return frozenset(), frozenset()
    strings = _strings(sections, section)
    exports, imports = set[str](), set[str]()
    for name, info, _other, defined, _value, _size in data.table("IBBHQQ", section[4], section[5] // 24):
        if info >> 4 and name:  # not local
            (exports if defined else imports).add(data.text(strings + name))
    return frozenset(exports), frozenset(imports)


def _versions(data: Bytes, sections: list[Section]) -> frozenset[str]:
    """Names in the two linked lists: of libraries, and in each of its versions."""
    section = _of_type(sections, VERSIONS_NEEDED)
    if section is None:
        return frozenset()
    strings, found, at = _strings(sections, section), set[str](), section[4]
    for _ in range(min(section[7], MAX_ENTRIES)):
        _version, count, _file, first, following = data.numbers("HHIII", at)
        entry = at + first
        for _ in range(count):
            _hash, _flags, _other, name, step = data.numbers("IHHII", entry)
            found.add(data.text(strings + name))
            entry += step
        at += following
    return frozenset(found)


def _hardened(data: Bytes) -> bool:
    """Whether the stack cannot be executed and relocated data becomes read-only."""
    rows = data.table("IIQQQQQQ", data.number("Q", 32), data.number("H", 56))
    stack = [flags for kind, flags, *_ in rows if kind == GNU_STACK]
    return stack != [] and not any(flags & 1 for flags in stack) and any(row[0] == GNU_RELRO for row in rows)
