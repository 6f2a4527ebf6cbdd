"""Store: the folder of a campaign. Whatever is killed at whatever time, it holds whole files of finished runs.

    campaign.json     the campaign and its scene, with their hash
    draws.parquet     the drawn values, one row a run
    parts/A-B.parquet metrics and errors of the runs A to B
    results.parquet   all of it together, once every run is done
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.campaign.definition import Campaign, Source, read_campaign
from contactlib.campaign.runner import Outcome

if TYPE_CHECKING:
    import pyarrow

FORMAT = 1
_PART = re.compile(r"(\d+)-(\d+)\.parquet")


@dataclass(frozen=True)
class Results:
    """Finished runs by rising number: drawn values and metrics by name, and the sentence of each that failed or None.

    `columns` holds arrays (N,): draws, metrics (NaN of a run that failed), one of truth for every criterion, and
    "success", which is that all of them hold.
    """

    campaign: Campaign
    run: NDArray[np.int64]
    columns: dict[str, NDArray[Any]]
    errors: tuple[str | None, ...]


class Store:
    """A campaign's folder; make one with `create` or `open`."""

    def __init__(self, folder: Path, campaign: Campaign, draws: dict[str, list[Any]]) -> None:
        self.folder, self.campaign, self.draws = folder, campaign, draws
        self.parts = folder / "parts"

    @classmethod
    def create(cls, folder: Path, campaign: Campaign) -> Store:
        """Lay down what the runs start from; ValueError if the folder holds a campaign already."""
        pyarrow_parquet()
        if (folder / "campaign.json").exists():
            raise ValueError(f"{folder} holds a campaign already: go on with `contactlib campaign resume {folder}`, "
                             f"or choose another folder")
        store = cls(folder, campaign, campaign.values)
        store.parts.mkdir(parents=True, exist_ok=True)
        write_table(folder / "draws.parquet", {"run": list(range(campaign.runs)), **store.draws})
        manifest = {"format": FORMAT, "contactlib": contactlib.__version__, "hash": campaign.hash(store.draws),
                    **campaign.source._asdict()}
        content = json.dumps(manifest, indent=1).encode()
        write_whole(folder / "campaign.json", lambda file: file.write(content))
        return store

    @classmethod
    def open(cls, folder: Path) -> Store:
        """A folder as it was left; ValueError if it is none, or if what it was begun with is not what is here now."""
        manifest = _manifest(folder)
        try:
            campaign = read_campaign(Source(manifest["campaign"], manifest["scene"], manifest["folder"]))
        except ValueError as error:
            raise ValueError(f"{folder}: {error}") from None
        draws = read_table(folder / "draws.parquet")
        draws.pop("run", None)
        store = cls(folder, campaign, draws)
        if {*draws} != {draw.name for draw in campaign.draws} or campaign.hash(draws) != manifest["hash"]:
            raise ValueError(f"{folder}: the drawn values, the campaign or a file of its scene have changed since it "
                             f"began; results of both would not belong together")
        return store

    @contextmanager
    def locked(self) -> Iterator[None]:
        """For one process at a time; the system itself takes the lock from one that is killed."""
        import fcntl

        with (self.folder / "lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(f"{self.folder}: another process runs this campaign now") from None
            for left in self.parts.glob("*.new"):  # by one that was killed while it wrote
                left.unlink()
            yield

    def done(self) -> NDArray[np.bool_]:
        """For each run, whether a part holds it; ValueError if two parts hold the same one."""
        done = np.zeros(self.campaign.runs, dtype=bool)
        for path, first, last in self._ranges():
            if not 0 <= first <= last < self.campaign.runs or done[first:last + 1].any():
                raise ValueError(f"{path}: this part does not belong here, another holds the same runs")
            done[first:last + 1] = True
        return done

    def _ranges(self) -> list[tuple[Path, int, int]]:
        found = [(path, match) for path in self.parts.glob("*.parquet") if (match := _PART.fullmatch(path.name))]
        return sorted(((path, int(match[1]), int(match[2])) for path, match in found), key=lambda part: part[1])

    def values(self, run: int) -> dict[str, Any]:
        """The drawn values of one run."""
        if not 0 <= run < self.campaign.runs:
            raise ValueError(f"there is no run {run}: they are numbered from 0 to {self.campaign.runs - 1}")
        return {name: column[run] for name, column in self.draws.items()}

    def write(self, outcomes: Mapping[int, Outcome]) -> None:
        """A part: outcomes of runs whose numbers follow on each other."""
        runs = sorted(outcomes)
        metrics = {metric.name: [outcomes[run].metrics.get(metric.name, float("nan")) for run in runs]
                   for metric in self.campaign.metrics}
        write_table(self.parts / f"{runs[0]:08d}-{runs[-1]:08d}.parquet",
                    {"run": runs, **metrics, "error": [outcomes[run].error for run in runs]})

    def results(self) -> Results:
        """All finished runs; ValueError naming a part that is damaged."""
        self.done()
        names = [metric.name for metric in self.campaign.metrics]
        gathered: dict[str, list[Any]] = {name: [] for name in ("run", *names, "error")}
        for path, first, last in self._ranges():
            part = read_table(path)
            if {*part} != {*gathered} or part["run"] != list(range(first, last + 1)):
                raise ValueError(f"{path}: this part does not hold what its name says; delete it and resume")
            for name, column in part.items():
                gathered[name] += column
        run = np.array(gathered["run"], dtype=np.int64)
        columns = {name: np.array(column)[run] for name, column in self.draws.items()}
        columns |= {name: np.array(gathered[name], dtype=np.float64) for name in names}
        holds = {criterion.name: criterion.holds(columns) for criterion in self.campaign.criteria}
        success = np.array([error is None for error in gathered["error"]], dtype=bool)
        for each in holds.values():
            success = success & each
        return Results(self.campaign, run, columns | {f"success.{name}": each for name, each in holds.items()}
                       | {"success": success}, tuple(gathered["error"]))

    def finish(self) -> Path:
        """All results in one file, the same to the byte however they came about."""
        results = self.results()
        return write_table(self.folder / "results.parquet", {
            "run": results.run, **results.columns, "error": list(results.errors)})


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "campaign.json"
    if not path.is_file():
        raise ValueError(f"{folder} holds no campaign: there is no campaign.json in it")
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = {key: manifest[key] for key in ("format", "contactlib", "hash", *Source._fields)}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    if known["format"] != FORMAT or known["contactlib"] != contactlib.__version__:
        raise ValueError(f"{folder} was begun by contactlib {known['contactlib']}, this is {contactlib.__version__}: "
                         f"results of both would not belong together")
    return known


def pyarrow_parquet() -> Any:
    """The module pyarrow.parquet; ImportError with the cure in one sentence, where it is missing."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError("Parquet files are written with pyarrow: pip install contactlib[campaign]") from None
    return pyarrow.parquet


def write_table(path: Path, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> Path:
    """A Parquet file that is there whole or not at all."""
    parquet = pyarrow_parquet()
    import pyarrow

    types = {"error": pyarrow.string()}  # a part without errors has the type of one with them
    table = pyarrow.table({name: pyarrow.array(column, type=types.get(name)) for name, column in columns.items()})
    return write_whole(path, lambda file: parquet.write_table(table, file))


def read_table(path: Path) -> dict[str, list[Any]]:
    """Columns of a Parquet file; ValueError if it is damaged."""
    parquet = pyarrow_parquet()
    import pyarrow

    try:
        # as one file: the folder's name is no column
        table: pyarrow.Table = parquet.ParquetFile(path).read()
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    return {name: table[name].to_pylist() for name in table.column_names}


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> Path:
    """Write beside it, let the disk have it, then give it its name: at no time is half a file there."""
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return path
