"""Cases: a folder of validation_data/ with case.toml, README.md, the reference and, where there is one, case.py."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import contactlib
from contactlib.common import tables
from contactlib.common.files import read_text
from contactlib.common.tables import Table
from contactlib.model.spec import SCENES

#: where the truth of a case comes from
KINDS = ("analytic", "published", "measured", "cross-code", "own recording")
#: the kind that guards against change and is evidence of nothing
OWN = "own recording"
CASE_FILE = "case.toml"
_MISSING = ("the validation data are in the source tree, not in the installed package: download the source package "
            "(pip download --no-binary contactlib --no-deps contactlib) or clone the repository, and name its folder "
            "validation_data with --data")


@dataclass(frozen=True)
class Quantity:
    """A number of a case.

    Parameters
    ----------
    name, unit : what it is, and its unit ("1" for a ratio).
    value : the reference, in the unit.
    tolerance : largest allowed absolute deviation, in the unit.
    reason : why the tolerance has this size.
    """

    name: str
    unit: str
    value: float
    tolerance: float
    reason: str


@dataclass(frozen=True)
class Series:
    """A series of a case: a column of a CSV file over another column.

    Parameters
    ----------
    name, unit : what it is, and its unit.
    file, x, y : the CSV file in the folder of the case, and its columns.
    x_unit : unit of the column x.
    tolerance, reason : as of `Quantity`; the tolerance holds at every row.
    end : rows with a larger x are not compared.
    """

    name: str
    unit: str
    file: Path
    x: str
    y: str
    x_unit: str
    tolerance: float
    reason: str
    end: float


@dataclass(frozen=True)
class Case:
    """A validation case.

    Parameters
    ----------
    name, folder : its name, which is that of its folder.
    title, kind, source : what it shows; one of `KINDS`; who says so.
    made_by : how the numbers of the reference were made: the name of a script beside them, or a sentence.
    covers : what it covers, such as "law kelvin_voigt" or "pair sphere-plane".
    seconds : duration of its run on one core, s, approximately.
    program : case.py, which runs it; None if it has no program.
    fmu : the program uses nothing but `runner.run`, so that FMUs can run it too.
    example : name of the example that runs it; "" if there is none.
    scene : name of the shipped scene whose recorded inputs and references stand in NAME_ref.csv; "" if none.
    needs : packages that are not among contactlib's own, without which it cannot run, such as "mujoco".
    quantities, series : what is compared.
    """

    name: str
    folder: Path
    title: str
    kind: str
    source: str
    made_by: str
    covers: tuple[str, ...]
    seconds: float
    program: Path | None
    fmu: bool
    example: str
    scene: str
    needs: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    series: tuple[Series, ...]

    @property
    def is_evidence(self) -> bool:
        """Whether its truth comes from outside this project."""
        return self.kind != OWN

    @property
    def has_fmu_run(self) -> bool:
        """Whether it can run through an FMU."""
        return self.fmu or bool(self.scene)

    @property
    def scenes(self) -> tuple[str, ...]:
        """Names of the shipped scenes that it runs as wholes."""
        shipped = {path.parent.name for path in SCENES.glob("*/scene.toml")}
        return tuple(name for name in dict.fromkeys((self.scene, self.example)) if name in shipped)

    @property
    def readme(self) -> str:
        """The text of its README.md."""
        return read_text(self.folder / "README.md")


def data_folder(given: Path | None = None) -> Path:
    """Return the folder of the cases: the given one, or that of the source tree beside the package.

    Raises
    ------
    ValueError : there is no such folder, or it has no case.
    """
    folder = given if given is not None else Path(contactlib.__file__).resolve().parents[1] / "validation_data"
    if not folder.is_dir():
        what = f"--data = {given}: there is no such folder; " if given is not None else ""
        raise ValueError(what + _MISSING)
    if not any(folder.glob(f"*/{CASE_FILE}")):
        raise ValueError(f"--data = {folder}: has no case, which is a folder with {CASE_FILE}; {_MISSING}")
    return folder


def find_cases(folder: Path, names: Iterable[str] = ()) -> list[Case]:
    """Read the cases of a folder, or those with the given names, in the order of their names.

    Raises
    ------
    ValueError : a name is not that of a case, or a case.toml is not valid. The message names file, key and value.

    Examples
    --------
    >>> [case.name for case in find_cases(data_folder(), ["tripod"])]
    ['tripod']
    """
    known = sorted(path.parent.name for path in folder.glob(f"*/{CASE_FILE}"))
    wanted = list(dict.fromkeys(names)) or known
    for name in wanted:
        if name not in known:
            raise ValueError(f"CASE = '{name}': there is no such case in {folder}; {tables.hint(name, known)}; "
                             f"`contactlib validate --list` lists all")
    return [read_case(folder / name) for name in sorted(wanted)]


def read_case(folder: Path) -> Case:
    """Read the case of a folder. ValueError if its case.toml is not valid."""
    path = folder / CASE_FILE
    try:
        table = Table(tomllib.loads(read_text(path)), "")
        return _case(folder, table)
    except (ValueError, KeyError, OSError) as error:  # tomllib's error is a ValueError
        raise ValueError(f"{path}: {error}") from None


def _case(folder: Path, table: Table) -> Case:
    strings = tables.listing(tables.text)
    title, source = table.take("title", tables.text), table.take("source", tables.text)
    kind, made_by = table.take("kind", tables.choice(KINDS)), table.take("made_by", tables.text)
    nothing: tuple[str, ...] = ()
    covers, seconds = table.take("covers", strings, nothing), table.take("seconds", tables.number(0.0), 1.0)
    example, scene = table.take("example", tables.text, ""), table.take("scene", tables.text, "")
    needs = table.take("needs", strings, nothing)
    fmu = table.take("fmu", tables.boolean, False)
    program = folder / "case.py"
    values = _read_values(folder / "reference.csv")
    quantities = tuple(_quantity(row, values) for row in table.tables("quantity"))
    series = tuple(_series(row, folder) for row in table.tables("series"))
    table.finish()
    if example and not program.exists():
        quantities += _expected(folder / "expected.csv")
    if not (folder / "README.md").is_file():
        raise ValueError("README.md is missing beside it: describe the case and its source there")
    if not (program.exists() or example or scene):
        raise ValueError("nothing runs this case: add case.py, or the key example or scene")
    if (program.exists() or example) and not (quantities or series):
        raise ValueError("has no [[quantity]] and no [[series]]: add at least one")
    return Case(folder.name, folder, title, kind, source, made_by, covers, seconds,
                program if program.exists() else None, fmu, example, scene, needs, quantities, series)


def _quantity(row: Table, values: dict[str, float]) -> Quantity:
    name = row.take("name", tables.text)
    found = row.take("value", tables.number(), values.get(name))
    if found is None:
        raise ValueError(f"{row.at('value')} is missing: give the reference of '{name}' here or in reference.csv")
    result = Quantity(name, row.take("unit", tables.text), found, row.take("tolerance", tables.number(0.0)),
                      row.take("reason", tables.text))
    row.finish()
    return result


def _series(row: Table, folder: Path) -> Series:
    result = Series(
        row.take("name", tables.text), row.take("unit", tables.text), folder / row.take("file", tables.file_name),
        row.take("x", tables.text), row.take("y", tables.text), row.take("x_unit", tables.text, "s"),
        row.take("tolerance", tables.number(0.0)), row.take("reason", tables.text),
        row.take("end", tables.number(), float("inf")))
    row.finish()
    if not result.file.is_file():
        raise ValueError(f"{row.at('file')} = '{result.file.name}': there is no such file in {folder}")
    return result


def _read_values(path: Path) -> dict[str, float]:
    """Return the columns quantity and value of reference.csv; empty if there is no such file."""
    if not path.is_file():
        return {}
    return {row["quantity"]: float(row["value"]) for row in csv.DictReader(read_text(path).splitlines())}


def _expected(path: Path) -> tuple[Quantity, ...]:
    """Return the rows of expected.csv, which the examples read too."""
    return tuple(Quantity(row["quantity"], row["unit"], float(row["value"]), float(row["tolerance"]), row["reason"])
                 for row in csv.DictReader(read_text(path).splitlines()))
