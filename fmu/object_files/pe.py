"""Reads libraries of Windows. Source: Microsoft, "PE Format"."""

from __future__ import annotations

from contactlib.fmu.object_files.data import MAX_ENTRIES, Bytes, ObjectFile

MAGIC = b"MZ"
MACHINES = {0x14C: "i386", 0x8664: "x86_64", 0xAA64: "aarch64"}
SYSTEMS = {(6, 0): "Windows Vista", (6, 1): "Windows 7", (6, 2): "Windows 8", (6, 3): "Windows 8.1"}
HARDENED = 0x0040 | 0x0100  # any address, no execution of data
WIDE = 0x20B


class PeFile:
    """The tables of a PE file, whose places are given relative to where it is loaded."""

    def __init__(self, content: bytes) -> None:
        self.data = Bytes(content)
        header = self.data.number("I", 0x3C)
        if content[header : header + 4] != b"PE\0\0":
            raise ValueError("the file is a program of DOS, not a library of Windows")
        self.machine, count, self.date = self.data.numbers("HHI", header + 4)
        self.optional = header + 24
        self.wide = self.data.number("H", self.optional) == WIDE
        sections = self.optional + self.data.number("H", header + 20)
        rows = self.data.table("8sIIII16x", sections, count)
        self.sections = [(address, max(size, stored), offset) for _, size, address, stored, offset in rows]

    def place(self, address: int) -> int:
        """Return the place in the file of an address."""
        for start, size, offset in self.sections:
            if start <= address < start + size:
                return int(address - start + offset)
        raise ValueError(f"the file has nothing at address {address:#x}")

    def directory(self, number: int) -> int:
        """Return the place of a table, or 0 if the file has none."""
        tables = self.optional + (112 if self.wide else 96)
        if number >= self.data.number("I", tables - 4):
            return 0
        address = self.data.number("I", tables + 8 * number)
        return self.place(address) if address else 0

    def exports(self) -> frozenset[str]:
        at = self.directory(0)
        if not at:
            return frozenset()
        count, names = self.data.number("I", at + 24), self.data.number("I", at + 32)
        rows = self.data.table("I", self.place(names), count) if count else []
        return frozenset(self.data.text(self.place(address)) for (address,) in rows)

    def imports(self) -> dict[str, frozenset[str]]:
        """Return the imported names of each library."""
        at, found = self.directory(1), dict[str, frozenset[str]]()
        while at and len(found) < MAX_ENTRIES:
            names, _date, _chain, library, bound = self.data.numbers("IIIII", at)
            if not library:
                break
            text = self.data.text(self.place(library))
            found[text] = found.get(text, frozenset()) | self._names(self.place(names or bound))
            at += 20
        return found

    def _names(self, at: int) -> frozenset[str]:
        found, size = set[str](), 8 if self.wide else 4
        while entry := self.data.number("Q" if self.wide else "I", at):
            by_number = entry >> (8 * size - 1)
            found.add(f"#{entry & 0xFFFF}" if by_number else self.data.text(self.place(entry) + 2))
            at += size
        return frozenset(found)


def read_pe(content: bytes) -> tuple[ObjectFile, ...]:
    """Describe a PE file."""
    file = PeFile(content)
    imports = file.imports()
    flags = file.data.number("H", file.optional + 70)
    return (
        ObjectFile(
            "PE",
            MACHINES.get(file.machine, f"machine {file.machine:#x}"),
            system=_system(file, tuple(imports)),
            exports=file.exports(),
            imports=frozenset(name for names in imports.values() for name in names),
            libraries=tuple(imports),
            hardened=flags & HARDENED == HARDENED,
        ),
    )


def _system(file: PeFile, libraries: tuple[str, ...]) -> str:
    """The universal C runtime (UCRT) comes with Windows 10; older systems do not have it by themselves."""
    if any(name.lower().startswith(("api-ms-win-crt-", "ucrtbase")) for name in libraries):
        return "Windows 10 (UCRT)"
    version: tuple[int, ...] = file.data.numbers("HH", file.optional + 48)
    return "Windows 10" if version >= (10, 0) else SYSTEMS.get((version[0], version[1]), "Windows")
