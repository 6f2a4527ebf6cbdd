"""Writes the reference of a case again: python -m contactlib.validation.reference CASE...

A case whose numbers are computed has reference.py beside them. Its function `values` returns numbers by the names of
the quantities, for reference.csv; `series` returns titles and rows by the names of CSV files. reference.py imports
nothing of contactlib.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from contactlib.common.files import write_text
from contactlib.validation.cases import data_folder
from contactlib.validation.run import load_program

PROGRAM = "reference.py"


def reference_files(folder: Path) -> dict[str, str]:
    """Return name and content of the files that reference.py of a case makes.

    Examples
    --------
    >>> sorted(reference_files(data_folder() / "adhesion"))
    ['curve.csv', 'reference.csv']
    """
    module = load_program(folder / PROGRAM)
    files = {}
    if hasattr(module, "values"):
        rows = [[name, repr(float(value))] for name, value in module.values().items()]
        files["reference.csv"] = _text([["quantity", "value"], *rows])
    if hasattr(module, "series"):
        for name, (titles, table) in module.series().items():
            files[name] = _text([list(titles), *([f"{float(x):.12g}" for x in row] for row in table)])
    return files


def _text(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def main(names: Sequence[str]) -> None:
    """Write the files of some cases, or of all that have reference.py."""
    root = data_folder()
    for folder in sorted(path.parent for path in root.glob(f"*/{PROGRAM}")):
        if not names or folder.name in names:
            for name, text in reference_files(folder).items():
                print(f"wrote {write_text(folder / name, text)}")


if __name__ == "__main__":
    main(sys.argv[1:])
