"""Store: the folder of a campaign. Whatever is killed at whatever time, it holds whole files of finished runs.

    campaign.json         the campaign and its scene, with their hash, and the checksum of draws.parquet
    draws.parquet         the drawn values, one row a run
    parts/A-B-C.parquet   metrics and errors of the runs A to B; C is the checksum of the file
    results.parquet       all of it together, once every run is done
    lock                  whose process works on the folder
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.campaign.definition import Campaign, Source, read_campaign
from contactlib.campaign.lock import locked
from contactlib.campaign.outcome import Outcome
from contactlib.common.files import UNFINISHED, read_text, write_bytes
from contactlib.common.parquet import pyarrow_parquet, read_table, table_file

FORMAT = 2
_PART = re.compile(r"(\d+)-(\d+)-([0-9a-f]{16})\.parquet")


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
        """Lay down what the runs start from; ValueError if the folder holds a campaign, or results of one, already."""
        pyarrow_parquet()
        if (folder / "campaign.json").exists():
            raise ValueError(f"{folder} holds a campaign already: go on with `contactlib campaign resume {folder}`, "
                             f"or choose another folder")
        store = cls(folder, campaign, campaign.values)
        if any(store.parts.glob("*.parquet")):
            raise ValueError(f"{store.parts} holds results of another campaign, whose campaign.json is missing: choose "
                             f"another folder")
        store.parts.mkdir(parents=True, exist_ok=True)
        draws = _draws_file(campaign)
        write_bytes(folder / "draws.parquet", draws)
        manifest = {"format": FORMAT, "contactlib": contactlib.__version__, "hash": campaign.hash(store.draws),
                    "draws": _checksum(draws), **campaign.source._asdict()}
        write_bytes(folder / "campaign.json", json.dumps(manifest, indent=1).encode())
        return store

    @classmethod
    def open(cls, folder: Path) -> Store:
        """A folder as it was left; ValueError if it is none, or if what it was begun with is not what is here now."""
        manifest = _manifest(folder)
        try:
            campaign = read_campaign(Source(*(manifest[key] for key in Source._fields)))
        except ValueError as error:
            raise ValueError(f"{folder}: {error}") from None
        draws = _draws(folder / "draws.parquet", manifest["draws"], campaign)
        store = cls(folder, campaign, draws)
        if {*draws} != {draw.name for draw in campaign.draws} or campaign.hash(draws) != manifest["hash"]:
            raise ValueError(f"{folder}: the drawn values, the campaign or a file of its scene have changed since it "
                             f"began; results of both would not belong together")
        return store

    def locked(self) -> AbstractContextManager[None]:
        """For one process at a time: `contactlib.campaign.lock.locked` of the folder."""
        return locked(self.folder)

    def sweep(self) -> None:
        """Remove what a process that was killed had begun to write. Only for the one who has the lock."""
        for folder in (self.folder, self.parts):
            for left in folder.glob(f"*{UNFINISHED}"):
                left.unlink(missing_ok=True)

    def done(self) -> NDArray[np.bool_]:
        """For each run, whether a part holds it; ValueError if two parts hold the same one."""
        done = np.zeros(self.campaign.runs, dtype=bool)
        for path, first, last, _ in self._ranges():
            if not 0 <= first <= last < self.campaign.runs or done[first:last + 1].any():
                raise ValueError(f"{path}: this part does not belong here, another holds the same runs")
            done[first:last + 1] = True
        return done

    def _ranges(self) -> list[tuple[Path, int, int, str]]:
        """Each part with its first and last run and its checksum; ValueError if a file is no part."""
        found = []
        for path in self.parts.glob("*.parquet"):
            match = _PART.fullmatch(path.name)
            if match is None:
                raise ValueError(f"{path}: this file does not belong here, its name is no part's: move it away")
            found.append((path, int(match[1]), int(match[2]), match[3]))
        return sorted(found, key=lambda part: part[1])

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
        content = table_file({"run": runs, **metrics, "error": [outcomes[run].error for run in runs]})
        write_bytes(self.parts / f"{runs[0]:08d}-{runs[-1]:08d}-{_checksum(content)}.parquet", content)

    def results(self) -> Results:
        """All finished runs; ValueError naming a part that is damaged."""
        self.done()
        names = [metric.name for metric in self.campaign.metrics]
        gathered: dict[str, list[Any]] = {name: [] for name in ("run", *names, "error")}
        for path, first, last, checksum in self._ranges():
            part = self._part(path, checksum)
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

    def _part(self, path: Path, checksum: str) -> dict[str, list[Any]]:
        """The columns of a part; ValueError with the cure if a bit of it is not as it was written."""
        content = path.read_bytes()
        if _checksum(content) != checksum:
            raise ValueError(f"{path} is damaged, for its content has another checksum than its name: delete it and "
                             f"resume with `contactlib campaign resume {self.folder}`, to do its runs again")
        return read_table(path, content)

    def finish(self) -> Path:
        """All results in one file, the same to the byte however they came about."""
        return write_bytes(self.folder / "results.parquet", _whole(self.results()))

    def stale(self) -> str | None:
        """What is wrong with results.parquet, if it is there: it must hold what the parts hold."""
        path = self.folder / "results.parquet"
        if not path.exists():
            return None
        columns = read_table(self.folder / "results.parquet", _whole(self.results()))
        try:
            same = repr(read_table(path)) == repr(columns)
        except Exception:  # a damaged file may break its reader in any way
            same = False
        return None if same else (f"{path} does not hold what the parts of the campaign hold: `contactlib campaign "
                                  f"resume {self.folder}` writes it again")


def _whole(results: Results) -> bytes:
    """The content of results.parquet."""
    return table_file({"run": results.run, **results.columns, "error": list(results.errors)})


def _checksum(content: bytes) -> str:
    """Of a file: the first 16 digits of its SHA-256."""
    return hashlib.sha256(content).hexdigest()[:16]


def _draws_file(campaign: Campaign) -> bytes:
    return table_file({"run": list(range(campaign.runs)), **campaign.values})


def _draws(path: Path, checksum: str, campaign: Campaign) -> dict[str, list[Any]]:
    """The drawn values of a stored campaign; where their file is missing they are drawn again."""
    if not path.exists():
        write_bytes(path, _draws_file(campaign))
    content = path.read_bytes()
    if _checksum(content) != checksum:
        raise ValueError(f"{path} is damaged or has changed since the campaign began, for its checksum is not that in "
                         f"campaign.json: delete it, and it is made again")
    draws = read_table(path, content)
    draws.pop("run", None)
    return draws


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "campaign.json"
    if not path.is_file():
        raise ValueError(f"{folder} holds no campaign: there is no campaign.json in it")
    try:
        manifest: dict[str, Any] = json.loads(read_text(path))
        known = {key: manifest[key] for key in ("format", "contactlib")}
        if known == {"format": FORMAT, "contactlib": contactlib.__version__}:
            known |= {key: manifest[key] for key in ("hash", "draws", *Source._fields)}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    if known["format"] != FORMAT or known["contactlib"] != contactlib.__version__:
        raise ValueError(f"{folder} was begun by contactlib {known['contactlib']}, this is {contactlib.__version__}: "
                         f"results of both would not belong together")
    return known
