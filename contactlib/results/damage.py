"""What can be saved of a result file that was cut or changed, and of the folder of a run that did not end."""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from contactlib.results.format import MANIFEST, PER_FRAME, require_pyarrow
from contactlib.results.journal import NAME, Entry, whole_entries
from contactlib.results.package import is_package, read_parquet

#: head of a member in a zip file: signature, ..., CRC-32, two sizes, lengths of name and extra field
HEAD = struct.Struct("<4s5H3I2H")
#: a size in a head that is larger than this multiple of the file is wrong
MOST = 1000
#: names of the members of a result file
MEMBER = re.compile(r"FORMAT|manifest\.json|model\.bin|scene\.json|scene/\d+\.npy|[a-z_]+\.(parquet|footer)")


@dataclass
class Remains:
    """What is whole in a damaged result file.

    members : content of the members that have the right checksum.
    tables : the row groups of the tables, up to the first that is damaged. A damaged column of real numbers is nan.
    columns : the names of these columns, such as "states.box.r[1]".
    """

    members: dict[str, bytes] = field(default_factory=dict)
    tables: dict[str, Any] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)

    @property
    def frames(self) -> int:
        """Number of the frames of which all tables that are there have their rows; 0 if nothing can be shown."""
        scene = {"model.bin", "scene.json", MANIFEST} <= self.members.keys()
        if not scene or not {"frames", "states"} <= self.tables.keys():
            return 0
        counts = [len(self.tables[name]) for name in PER_FRAME if name in self.tables]
        whole = json.loads(self.members[MANIFEST])["rows"]
        for name in self.tables.keys() - set(PER_FRAME):
            if len(self.tables[name]) < whole[name]:  # the last frame may lack rows
                column = self.tables[name].column("frame")
                counts.append(column[-1].as_py() if len(column) else 0)
        return int(min(counts))


def remains(path: Path) -> Remains:
    """Search a damaged result file for members that are whole; its directory at the end may be missing."""
    content = path.read_bytes()
    found = Remains()
    damaged: dict[str, bytes] = {}
    for match in re.finditer(re.escape(b"PK\x03\x04"), content):
        member = _member(content, match.start())
        if member is not None:
            name, data, whole = member
            (found.members if whole else damaged).setdefault(name, data)
    for name in dict.fromkeys([*found.members, *damaged]):
        table = name.removesuffix(".parquet")
        if table == name:
            continue
        data = found.members.get(name) or _with_footer(damaged[name], found.members.get(f"{table}.footer", b""))
        rows, columns = _row_groups(data)
        if rows is not None:
            found.tables[table] = rows
            found.columns += [f"{table}.{column}" for column in columns]
    return found


def _member(content: bytes, at: int) -> tuple[str, bytes, bool] | None:
    """Return name and content of the member at a place, and whether it is whole; None if there is none.

    What is missing at the end of the file is zeros.
    """
    if at + HEAD.size > len(content):
        return None
    *_, crc, _, size, name_length, extra_length = HEAD.unpack_from(content, at)
    start = at + HEAD.size + name_length + extra_length
    name = content[at + HEAD.size:at + HEAD.size + name_length].decode(errors="replace")
    if not MEMBER.fullmatch(name):
        return None
    if size == 0xFFFFFFFF and extra_length >= 20:  # zip64: the sizes are in the extra field
        size = struct.unpack_from("<Q", content, start - extra_length + 4)[0]
    if size > MOST * max(1, len(content)):  # the size itself is damaged
        return None
    data = content[start:start + size].ljust(size, b"\0")
    return name, data, zlib.crc32(data) == crc


def _with_footer(content: bytes, footer: bytes) -> bytes:
    """Return a damaged Parquet file with the copy of its footer in its place."""
    return content[:len(content) - len(footer)] + footer if len(footer) < len(content) else content


def _row_groups(content: bytes) -> tuple[Any, list[str]]:
    """Return the rows of a Parquet file up to the first lost row group, and its damaged columns.

    The rows are None if the footer is lost.
    """
    arrow = require_pyarrow()
    try:
        file = read_parquet(arrow.BufferReader(content))
        schema, count = file.schema_arrow, file.num_row_groups
    except (arrow.ArrowException, OSError, ValueError):
        return None, []
    groups, damaged = [], []
    for group in range(count):
        columns = {name: _column(file, group, name) for name in schema.names}
        lost = [name for name, column in columns.items() if column is None]
        if any(name == "time" or schema.field(name).type != arrow.float64() for name in lost):
            break
        rows = file.metadata.row_group(group).num_rows
        nan = arrow.array(np.full(rows, np.nan))
        groups.append(arrow.table([nan if column is None else column for column in columns.values()], schema=schema))
        damaged += lost
    return arrow.concat_tables(groups) if groups else schema.empty_table(), sorted(set(damaged))


def _column(file: Any, group: int, name: str) -> Any:
    """Return a column of a row group; None if it is damaged, also if it has fewer rows than the group says."""
    arrow = require_pyarrow()
    try:
        column = file.read_row_group(group, columns=[name]).column(0)
        return column if len(column) == file.metadata.row_group(group).num_rows else None
    except (arrow.ArrowException, OSError, ValueError, IndexError):
        return None


def last_entry(folder: Path) -> Entry | None:
    """Return the last line of the journal of a run's folder whose rows are whole; None if there is none."""
    entries = whole_entries(folder)
    return entries[-1] if entries else None


def is_run_folder(path: Path) -> bool:
    """Return whether a path is the folder of a run that did not end."""
    return (path / NAME).is_file()


def explain(path: Path) -> str:
    """Say what is wrong with a path that is no whole result file, and what can be saved."""
    if path.is_dir():
        if not is_run_folder(path):
            return f"{path} is a folder, must be a result file"
        entry = last_entry(path)
        if entry is None or entry.frames == 0:
            return f"{path} is the folder of a run that did not end, and no frame can be saved of it"
        return (f"{path} is the folder of a run that did not end: {entry.frames} frames can be saved by "
                f"`contactlib result recover {path}`")
    if not is_package(path):
        return f"{path} is no result file of contactlib"
    frames = remains(path).frames
    saved = f"{frames} frames can be saved by `contactlib result recover {path}`" if frames else "no frame can be saved"
    return f"{path} is damaged or was cut short, because its checksum is wrong: {saved}"
