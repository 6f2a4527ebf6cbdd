"""The journal of a running result: a line for each flush, from which a killed run is recovered.

A line is the CRC-32 of its text, a space, and JSON: the frames so far, and of each table its rows, its bytes and the
CRC-32 of the bytes since the line before. The first line has the CRC-32 of the other files, as "files". The last line
of a whole run has the key "end".
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from contactlib.results.stream import Piece

NAME = "journal.jsonl"


@dataclass(frozen=True)
class Entry:
    """A line of the journal."""

    frames: int
    tables: dict[str, Piece]
    end: bool = False
    files: dict[str, int] = field(default_factory=dict)

    def line(self) -> bytes:
        """Return the line as bytes.

        >>> Entry(2, {"frames": Piece(2, 640, 17)}).line()
        b'72089fea {"frames": 2, "tables": {"frames": [2, 640, 17]}}\\n'
        """
        content = {"frames": self.frames, "tables": {name: list(piece) for name, piece in self.tables.items()}}
        more = {key: value for key, value in (("end", self.end), ("files", self.files)) if value}
        text = json.dumps({**content, **more}).encode()
        return b"%08x " % zlib.crc32(text) + text + b"\n"


class Journal:
    """Writes the lines of a journal; each is in the file before the next flush begins."""

    def __init__(self, folder: Path) -> None:
        self._file: BinaryIO = (folder / NAME).open("xb", buffering=0)

    def write(self, entry: Entry) -> None:
        self._file.write(entry.line())

    def close(self) -> None:
        self._file.close()


def read_journal(folder: Path) -> list[Entry]:
    """Return the lines of a journal up to the first that is incomplete or damaged."""
    entries = []
    for line in (folder / NAME).read_bytes().split(b"\n")[:-1]:
        crc, _, text = line.partition(b" ")
        if crc != b"%08x" % zlib.crc32(text):
            break
        content = json.loads(text)
        entries.append(Entry(content["frames"], {name: Piece(*piece) for name, piece in content["tables"].items()},
                             content.get("end", False), content.get("files", {})))
    return entries


def whole_entries(folder: Path) -> list[Entry]:
    """Return the lines of a journal up to the first whose rows are damaged in the files of their tables.

    There are none if another file of the folder is damaged.
    """
    entries = read_journal(folder)
    if not entries:
        return []
    for name, crc in entries[0].files.items():
        if not (folder / name).is_file() or zlib.crc32((folder / name).read_bytes()) != crc:
            return []
    files = {name: (folder / f"{name}.arrows").open("rb") for name in entries[0].tables}
    try:
        ends = dict.fromkeys(files, 0)
        for k, entry in enumerate(entries):
            for name, piece in entry.tables.items():
                content = files[name].read(piece.size - ends[name])
                if len(content) < piece.size - ends[name] or zlib.crc32(content) != piece.crc:
                    return entries[:k]
                ends[name] = piece.size
    finally:
        for file in files.values():
            file.close()
    return entries
