"""Runs an FMU in FMPy with the inputs of a case, and compares the outputs with a reference.

A case is a folder in the layout of the FMI cross-check (https://github.com/modelica/fmi-cross-check): ``NAME_in.csv``,
``NAME_ref.csv`` and ``NAME_ref.opt``, or the same without ``NAME_``.

- ``in.csv``: the column ``time`` and inputs or parameters. The first row gives start values. It may be missing.
- ``ref.csv``: the column ``time`` and outputs, at any times of the run. A column may also be a sum, such as
  ``a.f[1] + b.f[1]`` or ``2000 * a.v[1] - 10 * b.v[1]``: a conserved quantity has a reference too.
  An empty cell is not compared.
- ``ref.opt``: lines ``key, value``. StartTime, StopTime, StepSize (s) and RelTol are those of the cross-check. RelTol
  is a share of the largest magnitude of a column. ``AbsTol`` adds a tolerance in the unit of the column, and
  ``AbsTol COLUMN`` gives one column its own. Text after ``#`` is a remark.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.files import read_text
from contactlib.fmu.archive import read_archive

Floats = NDArray[np.float64]
REQUIRED = ("StartTime", "StopTime", "StepSize", "RelTol")
TERM = re.compile(r"\s*(?P<sign>[+-]?)\s*(?:(?P<factor>\d[\d.eE+-]*)\s*\*\s*)?(?P<name>[^\s*]+)")


@dataclass(frozen=True)
class Column:
    """A column of the reference: a sum of outputs with factors."""

    title: str
    terms: tuple[tuple[float, str], ...]
    values: Floats

    @property
    def magnitude(self) -> float:
        """The largest magnitude of its values."""
        return float(np.nanmax(np.abs(self.values)))


@dataclass(frozen=True)
class Case:
    """Inputs, reference and tolerances of a run. `inputs` is a structured array with the field time, or None."""

    inputs: NDArray[np.void] | None
    times: Floats
    columns: tuple[Column, ...]
    options: dict[str, float]

    def tolerance(self, column: Column) -> float:
        """Return the largest allowed deviation of a column, in its unit."""
        absolute = self.options.get(f"AbsTol {column.title}", self.options.get("AbsTol", 0.0))
        return self.options["RelTol"] * column.magnitude + absolute


@dataclass(frozen=True)
class Deviation:
    """The comparison of one column: largest deviation, its time (s), and the largest that is allowed."""

    title: str
    largest: float
    time: float
    allowed: float
    magnitude: float

    @property
    def passed(self) -> bool:
        return self.largest <= self.allowed


@dataclass(frozen=True)
class Comparison:
    """The comparison of a run; ``str()`` returns it as a table."""

    deviations: tuple[Deviation, ...]

    @property
    def passed(self) -> bool:
        return all(one.passed for one in self.deviations)

    def __str__(self) -> str:
        width = max(len("output"), *(len(one.title) for one in self.deviations))
        lines = [f"{'output':<{width}} {'magnitude':>12} {'deviation':>12} {'allowed':>12} {'at t, s':>10}"]
        lines += [
            f"{one.title:<{width}} {one.magnitude:>12.6g} {one.largest:>12.3g} {one.allowed:>12.3g} {one.time:>10.6g}"
            f"{'' if one.passed else '  OUT OF TOLERANCE'}"
            for one in self.deviations
        ]
        return "\n".join(lines)


def read_case(folder: str | Path, name: str = "") -> Case:
    """Read a case.

    Parameters
    ----------
    folder
        The folder with the files.
    name
        The name of the model: ``NAME_ref.csv`` counts before ``ref.csv``, and this before the only other one.

    Raises
    ------
    ValueError
        If a file is missing or not valid; the message names the file, the value and what is allowed.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"--case = {folder}: there is no such folder; give one with ref.csv and ref.opt")
    prefix = _prefix(folder, name)
    reference = folder / f"{prefix}ref.csv"
    table = _read_table(reference, gaps=True)
    titles = table.dtype.names or ()
    columns = tuple(Column(title, _terms(reference, title), np.array(table[title])) for title in titles[1:])
    if not columns:
        raise ValueError(f"{reference}: has no column besides time: name at least one output")
    inputs = folder / f"{prefix}in.csv"
    given = _read_table(inputs) if inputs.is_file() else None
    options = _read_options(folder / f"{prefix}ref.opt", titles)
    return Case(given, np.array(table["time"]), columns, options)


def _prefix(folder: Path, name: str) -> str:
    found = sorted(path.name.removesuffix("ref.csv") for path in folder.glob("*ref.csv"))
    for prefix in (f"{name}_", ""):
        if prefix in found:
            return prefix
    if len(found) == 1:
        return found[0]
    wanted = f"{name}_ref.csv" if name else "NAME_ref.csv"
    there = f"there are {', '.join(f'{prefix}ref.csv' for prefix in found)}" if found else "there is none"
    raise ValueError(f"{folder}: must have one file ref.csv or {wanted}; {there}; rename or add it")


def _read_table(path: Path, *, gaps: bool = False) -> NDArray[np.void]:
    """Read a table of finite numbers; with `gaps`, an empty cell is NaN."""
    try:
        rows = [row for row in csv.reader(read_text(path).splitlines()) if row]
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}; add the file") from None
    if len(rows) < 2 or rows[0][0] != "time":
        raise ValueError(f"{path}: must have a header that begins with time, and at least one row of numbers")
    width = len(rows[0])
    if len(set(rows[0])) < width:
        raise ValueError(f"{path}: has a column twice in its header {', '.join(rows[0])}; remove one of them")
    numbers = []
    for line, row in enumerate(rows[1:], start=2):
        try:
            values = [math.nan if gaps and not cell.strip() else float(cell) for cell in row]
        except ValueError as error:
            raise ValueError(f"{path}, line {line}: {error}; write a number") from None
        if len(values) != width or any(math.isinf(x) or (math.isnan(x) and not gaps) for x in values):
            raise ValueError(f"{path}, line {line}: must have {width} finite numbers, one for each column; correct it")
        numbers.append(tuple(values))
    table = np.array(numbers, dtype=[(title, np.float64) for title in rows[0]])
    if not (np.diff(table["time"]) >= 0.0).all():
        raise ValueError(f"{path}: the times must be numbers that do not fall; sort the rows")
    for title in rows[0]:
        if np.isnan(table[title]).all():
            raise ValueError(f"{path}: column '{title}' has no number; give one or remove the column")
    return table


def _read_options(path: Path, titles: Sequence[str]) -> dict[str, float]:
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}; it must give {', '.join(REQUIRED)}") from None
    allowed = {*REQUIRED, "AbsTol", "OutputIntervalLength", *(f"AbsTol {title}" for title in titles[1:])}
    options: dict[str, float] = {}
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        key, _, value = (part.strip() for part in text.rpartition(","))
        if key not in allowed:
            raise ValueError(
                f"{path}, line {number}: key '{key}': must be one of {', '.join(sorted(allowed))}; correct it"
            )
        try:
            options[key] = float(value)
        except ValueError:
            raise ValueError(f"{path}, line {number}: {key} = '{value}': must be a number; correct it") from None
    missing = [key for key in REQUIRED if key not in options]
    if missing:
        raise ValueError(f"{path}: has no {' and no '.join(missing)}: must give {', '.join(REQUIRED)}; add the line")
    _check_options(path, options)
    return options


def _check_options(path: Path, options: dict[str, float]) -> None:
    if not options["StopTime"] > options["StartTime"]:
        raise ValueError(
            f"{path}: StopTime = {options['StopTime']:g}: must be later than StartTime = "
            f"{options['StartTime']:g}; change one of them"
        )
    if not options["StepSize"] > 0.0:
        raise ValueError(f"{path}: StepSize = {options['StepSize']:g}: must be greater than 0; change it")
    for key, value in options.items():
        if "Tol" in key and not value >= 0.0:
            raise ValueError(f"{path}: {key} = {value:g}: must be at least 0; change it")


def _terms(path: Path, title: str) -> tuple[tuple[float, str], ...]:
    """Split the title of a column into factors and names of outputs."""
    at = 0
    terms: list[tuple[float, str]] = []
    while at < len(title.rstrip()):
        match = TERM.match(title, at)
        if match is None or (terms and not match["sign"]):
            raise ValueError(
                f"{path}: column '{title}': must be an output or a sum, such as 2 * a.f[1] + b.f[1]; correct it"
            )
        factor = float(match["factor"] or 1.0)
        terms.append((-factor if match["sign"] == "-" else factor, match["name"]))
        at = match.end()
    return tuple(terms)


def model_name(path: str | Path) -> str:
    """Return the modelName of an FMU. ValueError if the file is none."""
    try:
        root, _ = read_archive(Path(path))
    except ValueError as error:
        raise ValueError(f"{path} is not an FMU: {error}") from None
    return root.get("modelName", "")


def check_case(path: str | Path, case: Case) -> Comparison:
    """Run an FMU in FMPy and compare its outputs with the reference of a case.

    Parameters
    ----------
    path
        The ``.fmu`` file.
    case
        The case, from `read_case`.

    Raises
    ------
    ValueError
        If the FMU has no variable of a name in the case, or fails.
    """
    import fmpy

    options = case.options
    model_name(path)  # the archive is safe to unpack
    described = fmpy.read_model_description(str(path), validate=False)
    known = {variable.name: variable for variable in described.modelVariables}
    outputs = list(dict.fromkeys(name for column in case.columns for _, name in column.terms))
    given = list(case.inputs.dtype.names or ())[1:] if case.inputs is not None else []
    _check_names(path, known, outputs, ("output", "local"), "ref.csv")
    _check_names(path, known, given, ("input", "parameter"), "in.csv")
    starts = {} if case.inputs is None else {name: _start(known[name], float(case.inputs[name][0])) for name in given}
    messages: list[str] = []
    try:
        result = fmpy.simulate_fmu(
            str(path), validate=False, start_time=options["StartTime"], stop_time=options["StopTime"],
            step_size=options["StepSize"], output_interval=options["StepSize"], start_values=starts,
            input=_signals(case.inputs, known), output=outputs, fmi_type="CoSimulation",
            logger=lambda *given: messages.append(given[4].decode(errors="replace")))  # fmt: skip
    except Exception as error:  # fmpy raises its own classes, and those of ctypes
        raise ValueError(f"{path}: the run failed: {messages[-1] if messages else error}") from None
    return Comparison(tuple(_deviation(case, column, result) for column in case.columns))


def _check_names(
    path: str | Path, known: dict[str, Any], names: Iterable[str], causalities: tuple[str, ...], file: str
) -> None:
    for name in names:
        if name not in known:
            raise ValueError(
                f"{file}: column '{name}': the FMU {path} has no such variable; `contactlib fmu info` lists all"
            )
        if known[name].causality not in causalities:
            raise ValueError(
                f"{file}: column '{name}': its causality is {known[name].causality}, must be "
                f"{' or '.join(causalities)}; remove the column"
            )


def _start(variable: Any, value: float) -> float | int:
    return value if variable.type == "Real" else int(value)


def _signals(inputs: NDArray[np.void] | None, known: dict[str, Any]) -> NDArray[np.void] | None:
    """The variables that a master sets during a run: all inputs, and the tunable parameters that change."""
    if inputs is None:
        return None
    given = inputs.dtype.names or ()
    names = [
        name
        for name, variable in known.items()
        if variable.causality == "input"
        or (name in given and variable.variability == "tunable" and np.ptp(inputs[name]) > 0.0)
    ]
    signals = np.zeros(len(inputs), dtype=[(name, np.float64) for name in ("time", *names)])
    for name in ("time", *names):  # an input without a column keeps its start value
        signals[name] = inputs[name] if name in given else float(known[name].start)
    return signals if names else None


def _deviation(case: Case, column: Column, result: NDArray[np.void]) -> Deviation:
    found = sum(factor * np.asarray(result[name], dtype=np.float64) for factor, name in column.terms)
    errors = np.abs(np.interp(case.times, result["time"], found) - column.values)
    errors[np.isnan(errors) & ~np.isnan(column.values)] = math.inf  # the FMU returned NaN
    worst = int(np.nanargmax(errors))
    return Deviation(
        column.title, float(errors[worst]), float(case.times[worst]), case.tolerance(column), column.magnitude
    )
