"""The package of a result: a zip file of uncompressed members. Its last 64 bytes are the SHA-256 of all before them."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from contactlib.common.files import write_whole
from contactlib.results.format import FORMAT, MARK, MARK_TEXT, SUFFIX, ResultError, require_pyarrow
from contactlib.results.stream import batch_rows

#: date of the members: equal runs make equal tables
EPOCH = (1980, 1, 1, 0, 0, 0)
#: length of a SHA-256 in hexadecimal digits
DIGEST = 64
CHUNK = 1 << 20


def write_parquet(path: Path, schema: Any, batches: Iterable[Any]) -> int:
    """Write batches as a Parquet file; return the number of rows. Pages have checksums, numbers are split by bytes."""
    arrow = require_pyarrow()
    names = [field.name for field in schema if arrow.types.is_dictionary(field.type)]
    numbers = [field.name for field in schema if field.name not in names]
    rows = 0
    with arrow.parquet.ParquetWriter(
            path, schema, compression="zstd", use_dictionary=names, use_byte_stream_split=numbers,
            write_page_checksum=True, write_statistics=False, store_schema=True) as writer:
        for table in _groups(schema, batches):
            writer.write_table(table)
            rows += table.num_rows
    return rows


def _groups(schema: Any, batches: Iterable[Any]) -> Iterator[Any]:
    """Join batches to row groups of at least `batch_rows` rows."""
    arrow = require_pyarrow()
    waiting: list[Any] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= batch_rows(schema):
            yield arrow.Table.from_batches(waiting, schema)
            waiting, count = [], 0
    if waiting:
        yield arrow.Table.from_batches(waiting, schema)


def footer(content: bytes | Path) -> bytes:
    """Return the footer of a Parquet file: metadata, their length, and a mark.

    A result file has a copy of each footer, because without it no row of a table that was cut can be read.
    """
    with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as file:
        file.seek(-8, os.SEEK_END)
        size = int.from_bytes(file.read(4), "little") + 8
        file.seek(-size, os.SEEK_END)
        return file.read()


def read_parquet(source: Any) -> Any:
    """Open a Parquet file whose page checksums are verified on reading. ArrowException or OSError if it is damaged."""
    arrow = require_pyarrow()
    return arrow.parquet.ParquetFile(source, page_checksum_verification=True)


def write_package(path: Path, members: Mapping[str, bytes | Path]) -> Path:
    """Write a result file atomically: the mark, then the members in their order."""
    return write_whole(path, lambda file: _write(file, members))


def _write(file: BinaryIO, members: Mapping[str, bytes | Path]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr(zipfile.ZipInfo(MARK, EPOCH), MARK_TEXT)
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            if isinstance(content, bytes):
                archive.writestr(entry, content)
                continue
            entry.file_size = content.stat().st_size
            with content.open("rb") as source, archive.open(entry, "w") as target:
                while chunk := source.read(CHUNK):
                    target.write(chunk)
        archive.comment = b"0" * DIGEST
    file.seek(0)
    digest = _digest(file, file.seek(0, os.SEEK_END) - DIGEST)
    file.seek(-DIGEST, os.SEEK_END)
    file.write(digest)


def _digest(file: BinaryIO, size: int) -> bytes:
    """Return the SHA-256 of the first bytes of a file as hexadecimal digits."""
    sha = hashlib.sha256()
    file.seek(0)
    while size > 0 and (chunk := file.read(min(CHUNK, size))):
        sha.update(chunk)
        size -= len(chunk)
    return sha.hexdigest().encode()


def is_package(path: Path) -> bool:
    """Return whether a file begins as a result file of any version does, or has its suffix."""
    with path.open("rb") as file:
        head = file.read(30 + len(MARK) + len(MARK_TEXT))
    return path.suffix == SUFFIX or f"{MARK}{FORMAT}".encode() in head


def is_whole(path: Path) -> bool:
    """Return whether the checksum at the end of a result file is that of its content."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END) - DIGEST
        if size <= 0:
            return False
        digest = _digest(file, size)
        file.seek(size)
        return file.read() == digest


class Package:
    """A whole result file, opened for reading its members."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                entries = archive.infolist()
        except zipfile.BadZipFile as error:
            raise ResultError(f"{path} is no result file: {error}") from None
        for entry in entries:
            if entry.compress_type != zipfile.ZIP_STORED:  # a few bytes could become many
                raise ResultError(f"{path} is no result file: its member {entry.filename!r} is compressed")
        self.sizes = {entry.filename: entry.file_size for entry in entries}

    def read(self, name: str) -> bytes:
        """Return the content of a member. ResultError if it is missing or damaged."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                return archive.read(name)
        except KeyError:
            raise ResultError(f"{self.path} has no {name}") from None
        except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
            raise ResultError(f"{self.path}: {name} is damaged: {error}") from None
