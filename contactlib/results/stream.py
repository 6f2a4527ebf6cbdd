"""A table that grows on the disk: an Arrow IPC stream, to which each flush appends a batch of rows."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from contactlib.results.format import require_pyarrow

Column = NDArray[Any]
#: rows of a table: its columns, or one array (rows, columns)
Rows = Sequence[Column] | NDArray[np.float64]
#: numbers of a batch, and of a row group of a Parquet file: 16 MiB
BATCH = 1 << 21


def batch_rows(schema: Any) -> int:
    """Return the most rows of a batch of a table."""
    return max(1024, BATCH // len(schema))


class Piece(NamedTuple):
    """The end of a stream after a flush: rows and bytes so far, and the CRC-32 of the bytes since the last flush."""

    rows: int
    size: int
    crc: int


class _Sink:
    """A file without a buffer of its own, so that what is written survives the end of the process."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("xb", buffering=0)
        self.size = self.crc = 0
        self.closed = False

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        written = 0
        while written < len(view):
            written += self.file.write(view[written:]) or 0
        self.size += written
        self.crc = zlib.crc32(view, self.crc)
        return written

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def close(self) -> None:
        self.file.close()
        self.closed = True


class TableStream:
    """A table that grows. `append` keeps rows in memory; `flush` writes them to the file.

    `names` are the names behind the numbers of each column of names.
    """

    def __init__(self, path: Path, schema: Any, names: dict[str, list[str]]) -> None:
        arrow = require_pyarrow()
        self.schema, self.rows, self.waiting = schema, 0, 0
        self._pieces: list[Rows] = []
        self._names = {column: arrow.array(known, arrow.string()) for column, known in names.items()}
        self._sink = _Sink(path)
        options = arrow.ipc.IpcWriteOptions(compression="zstd")
        self._writer = arrow.ipc.new_stream(arrow.PythonFile(self._sink, mode="w"), schema, options=options)

    def append(self, rows: Rows) -> None:
        """Add rows: an array (rows, columns), or one array for each column. Numbers stand for names.

        All calls for a table use one of both forms.
        """
        count = len(rows) if isinstance(rows, np.ndarray) else len(rows[0])
        if count:
            self._pieces.append(rows)
            self.waiting += count

    def flush(self) -> Piece:
        """Write the waiting rows. OSError if the file cannot be written."""
        arrow = require_pyarrow()
        if self._pieces:
            whole = self._columns()
            most = batch_rows(self.schema)
            for start in range(0, self.waiting, most):
                columns = [self._array(field, column[start:start + most])
                           for field, column in zip(self.schema, whole, strict=True)]
                self._writer.write_batch(arrow.record_batch(columns, schema=self.schema))
            self.rows += self.waiting
            self._pieces, self.waiting = [], 0
        return self._piece()

    def close(self) -> Piece:
        """Write the waiting rows and the end of the stream."""
        before = self.flush()
        self._sink.crc = before.crc
        self._writer.close()
        piece = self._piece()
        self._sink.close()
        return piece

    def abandon(self) -> None:
        """Close the file without the end of a stream."""
        self._sink.close()

    def _columns(self) -> list[Column]:
        """Join the waiting rows to columns."""
        if isinstance(self._pieces[0], np.ndarray):
            return list(np.concatenate(self._pieces).T)
        return [np.concatenate(column) for column in zip(*self._pieces, strict=True)]

    def _piece(self) -> Piece:
        piece = Piece(self.rows, self._sink.size, self._sink.crc)
        self._sink.crc = 0
        return piece

    def _array(self, field: Any, values: Column) -> Any:
        arrow = require_pyarrow()
        if field.name in self._names:
            numbers = arrow.array(np.ascontiguousarray(values, dtype=np.int32))
            return arrow.DictionaryArray.from_arrays(numbers, self._names[field.name])
        return arrow.array(np.ascontiguousarray(values, dtype=field.type.to_pandas_dtype()))


def read_stream(path: Path, size: int, schema: Any) -> Iterator[Any]:
    """Yield the batches in the first `size` bytes of a stream, which may lack its end. ValueError for other columns."""
    arrow = require_pyarrow()
    if size == 0:
        return
    with arrow.memory_map(str(path)) as file:
        reader = arrow.ipc.open_stream(arrow.BufferReader(file.read_buffer(size)))
        if not reader.schema.equals(schema):
            raise ValueError(f"{path}: its columns are not those of the run")
        yield from reader
