"""What a case consists of: inputs and references as functions of time, and the texts of its files."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

Rows = Sequence[tuple[float, float]]  # points of a piecewise linear function of time
Series = Mapping[float, float]  # values at times


@dataclass(frozen=True)
class Formulas:
    """The content of a case: inputs as piecewise linear functions, references at times, tolerances."""

    stop: float
    step: float
    references: Mapping[str, Series]
    inputs: Mapping[str, float | Rows] = field(default_factory=dict)
    relative: float = 0.0
    absolute: Mapping[str, float] = field(default_factory=dict)

    def files(self, name: str) -> dict[str, str]:
        """Texts of the three files by their names."""
        found = {f"{name}_ref.csv": self._reference(), f"{name}_ref.opt": self._options()}
        return found | ({f"{name}_in.csv": self._inputs()} if self.inputs else {})

    def _inputs(self) -> str:
        points = {n: [(0.0, v)] if isinstance(v, float) else list(v) for n, v in self.inputs.items()}
        times = sorted({t for rows in points.values() for t, _ in rows})
        rows = [[t, *(float(np.interp(t, *zip(*row, strict=True))) for row in points.values())] for t in times]
        return _text(["time", *points], rows)

    def _reference(self) -> str:
        times = sorted({t for series in self.references.values() for t in series})
        rows = [[t, *(series.get(t, "") for series in self.references.values())] for t in times]
        return _text(["time", *self.references], rows)

    def _options(self) -> str:
        lines = ["StartTime, 0.0", f"StopTime, {self.stop!r}", f"StepSize, {self.step!r}", f"RelTol, {self.relative!r}"]
        lines += [f"AbsTol {column}, {value!r}" for column, value in self.absolute.items()]
        return "\n".join([*lines, ""])


def _text(head: Sequence[str], rows: Sequence[Sequence[float | str]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([[x if isinstance(x, str) else repr(float(x) + 0.0) for x in row] for row in rows])
    return file.getvalue()


def times(start: float, stop: float, step: float) -> list[float]:
    """Multiples of a step within [start, stop]."""
    return [round(k * step, 9) for k in range(math.ceil(start / step - 1e-9), math.floor(stop / step + 1e-9) + 1)]


def held(value: float, start: float, stop: float, step: float) -> dict[float, float]:
    """A constant value from start to stop."""
    return dict.fromkeys(times(start, stop, step), value)


def ramp(*points: tuple[float, float]) -> Rows:
    """A function that jumps within a millisecond to a value at each time; it starts at zero."""
    rows, before = [(0.0, 0.0)], 0.0
    for t, value in points:
        rows += [(t, before), (t + 1e-3, value)]
        before = value
    return rows


def zero(body: str, *names: str) -> dict[str, float]:
    """Start values of a free body that are zero: v_start and w_start."""
    return {f"{body}.{name}[{k}]": 0.0 for name in names for k in (1, 2, 3)}
