"""Reads and writes tables as Parquet files; pyarrow is imported only when a file is read or written."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from contactlib.common.files import write_bytes


def pyarrow_parquet() -> Any:
    """Import pyarrow.parquet. ImportError, with what to do, if pyarrow is missing."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install contactlib[campaign]") from None
    return pyarrow.parquet


def write_table(path: Path, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> Path:
    """Write a Parquet file atomically."""
    return write_bytes(path, table_file(columns))


def table_file(columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> bytes:
    """Return the content of a Parquet file."""
    parquet = pyarrow_parquet()
    import pyarrow

    types = {"error": pyarrow.string()}  # without errors pyarrow would choose another type
    table = pyarrow.table({name: pyarrow.array(column, type=types.get(name)) for name, column in columns.items()})
    content = io.BytesIO()
    parquet.write_table(table, content)
    return content.getvalue()


def read_table(path: Path, content: bytes | None = None) -> dict[str, list[Any]]:
    """Read the columns of a Parquet file, or of its content if given. ValueError if the file is damaged."""
    parquet = pyarrow_parquet()
    import pyarrow

    try:
        # as a single file: otherwise pyarrow makes columns from names of folders
        table = parquet.ParquetFile(path if content is None else pyarrow.BufferReader(content)).read()
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    return {name: table[name].to_pylist() for name in table.column_names}
