"""Tables as Parquet files, by pyarrow, which is imported only when one is written or read."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from contactlib.common.files import write_bytes


def pyarrow_parquet() -> Any:
    """The module pyarrow.parquet; ImportError with the cure in one sentence, where it is missing."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet files are written with pyarrow: pip install contactlib[campaign]") from None
    return pyarrow.parquet


def write_table(path: Path, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> Path:
    """A Parquet file that is there whole or not at all."""
    return write_bytes(path, table_file(columns))


def table_file(columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> bytes:
    """The content of a Parquet file."""
    parquet = pyarrow_parquet()
    import pyarrow

    types = {"error": pyarrow.string()}  # a part without errors has the type of one with them
    table = pyarrow.table({name: pyarrow.array(column, type=types.get(name)) for name, column in columns.items()})
    content = io.BytesIO()
    parquet.write_table(table, content)
    return content.getvalue()


def read_table(path: Path, content: bytes | None = None) -> dict[str, list[Any]]:
    """Columns of a Parquet file, or of its content that was read before; ValueError if it is damaged."""
    parquet = pyarrow_parquet()
    import pyarrow

    try:
        # as one file: the folder's name is no column
        table = parquet.ParquetFile(path if content is None else pyarrow.BufferReader(content)).read()
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    return {name: table[name].to_pylist() for name in table.column_names}
