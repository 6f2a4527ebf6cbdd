"""What an example measured beside what it should be: validation_data/<scene>/expected.csv."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "validation_data"


@dataclass(frozen=True)
class Expected:
    """A quantity of a validation case; `tolerance` is absolute, in the same unit."""

    quantity: str
    unit: str
    value: float
    tolerance: float
    reason: str


def expected(case: str) -> list[Expected]:
    """The rows of validation_data/<case>/expected.csv."""
    with (DATA / case / "expected.csv").open(newline="", encoding="utf-8") as file:
        return [Expected(row["quantity"], row["unit"], float(row["value"]), float(row["tolerance"]), row["reason"])
                for row in csv.DictReader(file)]


def report(case: str, measured: Mapping[str, float]) -> str:
    """A table: measured, expected, tolerance, and whether it holds."""
    lines = [f"{'quantity':<52} {'measured':>14} {'expected':>14} {'tolerance':>10}"]
    for row in expected(case):
        value = measured[row.quantity]
        verdict = "ok" if _met(row, value) else "NOT MET"
        lines.append(f"{row.quantity + ' [' + row.unit + ']':<52} {value:>14.7g} {row.value:>14.7g} "
                     f"{row.tolerance:>10.2g} {verdict}")
    return "\n".join(lines)


def conclude(case: str, measured: Mapping[str, float]) -> None:
    """Print the table, and end the program with exit code 1 if one of its lines is not met."""
    print(report(case, measured))
    missed = [row.quantity for row in expected(case) if not _met(row, measured[row.quantity])]
    if missed:
        sys.exit(f"{case}: the validation case is not met: {', '.join(missed)}")


def _met(row: Expected, value: float) -> bool:
    return abs(value - row.value) <= row.tolerance  # false for nan
