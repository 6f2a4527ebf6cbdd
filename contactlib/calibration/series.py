"""Measured series: CSV files with a time column, their time windows, and the initial states of their runs."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration.measured import Measured
from contactlib.calibration.motion import Motion, check_rows
from contactlib.calibration.parameters import Change
from contactlib.campaign import paths
from contactlib.common import tables
from contactlib.common.files import read_text
from contactlib.common.tables import Table

Floats = NDArray[np.float64]
#: a measured quaternion whose length differs more from 1 is a column in the wrong place, not rounding
LENGTH_ERROR = 0.01


@dataclass(frozen=True)
class Series:
    """One measured run.

    Attributes
    ----------
    name : name for reports.
    time : (n,) time since the start of the run, s, rising, at least 0.
    values : (K, n) measured values by the names of the measured quantities, in the order of their variables.
    changes : what the run changes in the scene before it starts, such as the initial state.
    weight : factor on the squared residuals.
    fitted : False for a series that is only compared with the result.
    motion : measured motions (m, 8) by the names of the moved bodies: time since the start of the run, s; position, m;
        quaternion, scalar first.
    """

    name: str
    time: Floats
    values: Mapping[str, Floats]
    changes: tuple[Change, ...] = ()
    weight: float = 1.0
    fitted: bool = True
    motion: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, time: Floats, values: Mapping[str, Floats], start: Mapping[str, Any] | None = None,
           weight: float = 1.0, fitted: bool = True, motion: Mapping[str, Floats] | None = None) -> Series:
        """Return a series from arrays. `start` has values of the scene's paths, such as "body.cube.state.r".

        Raises
        ------
        ValueError : a time or a value is not finite, the time does not rise, there are no rows, or a motion does not
            cover the run.

        Examples
        --------
        >>> fall = Series.of("fall", np.array([0.0, 0.1]), {"ball.r[3]": np.array([[1.0, 0.95]])},
        ...                  {"body.ball.state.r": [0.0, 0.0, 1.0]})
        >>> len(fall.changes)
        1
        """
        time = np.asarray(time, dtype=np.float64)
        values = {key: np.atleast_2d(np.asarray(each, dtype=np.float64)) for key, each in values.items()}
        _check(f"series {name}", time, values)
        changes = tuple(_change(f"series {name}", path, value) for path, value in _flat(start or {}, ""))
        paths_of = {body: check_rows(f"series {name}", body, rows) for body, rows in (motion or {}).items()}
        _check_end(name, time, paths_of)
        return cls(name, time, values, changes, weight, fitted, paths_of)


def _check_end(name: str, time: Floats, motion: Mapping[str, Floats]) -> None:
    for body, rows in motion.items():
        if rows[-1, 0] < time[-1] - 1e-9:
            raise ValueError(f"series {name}: the motion of {body} ends at t = {rows[-1, 0]:g} s, before the last "
                             f"compared row at {time[-1]:g} s: set `until`")


def _change(where: str, path: str, value: Any) -> Change:
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return Change(paths.parse(f"{where}, start", path), "value", value, f"{where}, start")


def _flat(table: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of nested tables with their dotted paths: a quoted path and nested tables mean one thing."""
    for key, value in table.items():
        at = f"{path}.{key}" if path else key
        if isinstance(value, Mapping):
            yield from _flat(value, at)
        else:
            yield at, value


def _check(where: str, time: Floats, values: Mapping[str, Floats]) -> None:
    if not len(time):
        raise ValueError(f"{where}: has no row in its time window: a series needs at least one row after the start")
    if not np.isfinite(time).all() or (np.diff(time) <= 0).any() or time[0] < 0:
        raise ValueError(f"{where}: time must be finite and rise from row to row, and not begin before the start of "
                         f"the run")
    if time[-1] <= 0:
        raise ValueError(f"{where}: has no row after the start of the run, at t = 0")
    for name, rows in values.items():
        if rows.shape[1] != len(time):
            raise ValueError(f"{where}: {name} has {rows.shape[1]} rows, time has {len(time)}")
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=0))
        if bad.size:
            raise ValueError(f"{where}: {name} is not a finite number at t = {time[bad[0]]:g} s: delete rows without a "
                             f"measurement")


def read_series(table: Table, folder: Path, measured: Sequence[Measured],
                motions: Sequence[Motion] = ()) -> list[Series]:
    """Read one table [[series]]: one file, or all files that a pattern matches, in the order of their names."""
    pattern = table.take("file", tables.text)
    name = table.take("name", tables.text, None)
    weight = table.take("weight", tables.number(0.0, above=True), 1.0)
    fitted = table.take("fit", tables.boolean, True)
    column = table.take("time", tables.text, "time")
    begin = table.take("begin", tables.number(), 0.0)
    first = table.take("from", tables.number(), -math.inf)
    last = table.take("until", tables.number(), math.inf)
    known = [each.name for each in measured]
    chosen = table.take("measured", tables.listing(tables.choice(known)), tuple(known))
    start = dict(_flat(table.table("start").values, ""))
    listed = table.take("starts", tables.text, None)
    table.finish()
    files = _matching(table.at("file"), folder, pattern)
    if name is not None and len(files) > 1:
        tables.fail(table.at("name"), name, f"the pattern {pattern} matches {len(files)} files: leave the name out; "
                                            f"each series has the name of its file")
    initial = _read_starts(folder / listed) if listed is not None else {}
    made = []
    for file in files:
        own = name or file.stem
        if listed is not None and own not in initial:
            raise ValueError(f"{folder / listed}: has no row for the series '{own}'; {tables.hint(own, initial)}")
        columns = _read_columns(file)
        time = _column(file, columns, column)
        if not np.isfinite(time).all():
            raise ValueError(f"{file}: the column '{column}' has a cell that is not a number")
        kept = (time >= max(first, begin)) & (time <= last)
        values = {each.name: np.array([_column(file, columns, title)[kept] for title in each.columns])
                  for each in measured if each.name in chosen}
        made.append(_turned(Series.of(own, time[kept] - begin, values, {**start, **initial.get(own, {})}, weight,
                                      fitted, _moved(file, columns, time - begin, motions)),
                            measured, file))
    return made


def _moved(file: Path, columns: Mapping[str, list[str]], time: Floats, motions: Sequence[Motion]) -> dict[str, Floats]:
    """Return the rows of the moved bodies from the last one at or before the start of the run."""
    first = max(0, int(np.searchsorted(time, 1e-9)) - 1)
    return {each.body: np.column_stack([time, *(_column(file, columns, title) for title in each.columns)])[first:]
            for each in motions}


def _turned(series: Series, measured: Sequence[Measured], file: Path) -> Series:
    """Normalise measured quaternions. ValueError if one is far from unit length."""
    values = dict(series.values)
    for each in measured:
        if each.turns and each.name in values:
            length = np.linalg.norm(values[each.name], axis=0)
            off = np.abs(length - 1.0) > LENGTH_ERROR
            if off.any():
                raise ValueError(f"{file}: {each.name} at t = {series.time[off][0]:g} s has the length "
                                 f"{length[off][0]:.3g}, must be a unit quaternion, scalar first")
            values[each.name] = values[each.name] / length
    return replace(series, values=values)


def _matching(path: str, folder: Path, pattern: str) -> list[Path]:
    if any(character in pattern for character in "*?["):
        if Path(pattern).is_absolute():
            tables.fail(path, pattern, "a pattern must be relative to the folder of the calibration")
        files = sorted(folder.glob(pattern))
    else:
        files = [file for file in [folder / pattern] if file.is_file()]
    if not files:
        tables.fail(path, pattern, f"there is no such file in {folder}")
    return files


def _read_columns(file: Path) -> dict[str, list[str]]:
    """Return the cells of a CSV file by the titles of its columns. ValueError names the file and the line."""
    rows = [row for row in csv.reader(read_text(file).splitlines()) if row and not row[0].startswith("#")]
    if not rows:
        raise ValueError(f"{file}: is empty: the first row must have the titles of the columns")
    titles = [title.strip() for title in rows[0]]
    if len({*titles}) != len(titles):
        raise ValueError(f"{file}: two columns have one title: give each column its own title")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(titles):
            raise ValueError(f"{file}: row {number} has {len(row)} cells, must have {len(titles)}, one for each title")
    return {title: [row[i].strip() for row in rows[1:]] for i, title in enumerate(titles)}


def _column(file: Path, columns: Mapping[str, list[str]], title: str) -> Floats:
    if title not in columns:
        raise ValueError(f"{file}: has no column '{title}'; {tables.hint(title, columns)}")
    return np.array([_number(file, title, row, cell) for row, cell in enumerate(columns[title], start=2)])


def _number(file: Path, title: str, row: int, cell: str) -> float:
    try:
        return float(cell or "nan")
    except ValueError:
        raise ValueError(f"{file}: row {row}, column '{title}': {cell!r} is not a number") from None


def _read_starts(file: Path) -> dict[str, dict[str, float]]:
    """Return the initial values by series: a column `series`, and columns whose titles are paths of the scene."""
    columns = _read_columns(file)
    if "series" not in columns:
        raise ValueError(f"{file}: has no column 'series' with the names of the series")
    numbers = {title: _column(file, columns, title) for title in columns if title != "series"}
    for title, values in numbers.items():
        if not np.isfinite(values).all():
            raise ValueError(f"{file}: column '{title}' has a cell that is not a finite number")
    return {name: {title: float(values[i]) for title, values in numbers.items()}
            for i, name in enumerate(columns["series"])}
