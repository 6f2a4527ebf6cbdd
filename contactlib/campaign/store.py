"""The store of a campaign: a folder that holds only complete files of finished runs, even after a process was killed.

    campaign.json         the campaign and its scene, with their hash, and the checksum of draws.parquet
    draws.parquet         the drawn values, one row a run
    parts/A-B-C.parquet   metrics and errors of the runs A to B; C is the checksum of the file
    results.parquet       draws, metrics and errors of all runs, once every run is done
    lock                  the process that works on the folder
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
    """Finished runs by rising number: drawn values and metrics by name, and for each run its error or None.

    `columns` holds arrays (N,): draws, metrics (NaN for a run that failed), and booleans for every criterion and for
    "success". A run has success if it fulfils all criteria.
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
        """Write the campaign and its draws. ValueError if the folder already holds a campaign or results of one."""
        pyarrow_parquet()
        if (folder / "campaign.json").exists():
            raise ValueError(f"{folder} holds a campaign already: continue with `contactlib campaign resume {folder}`, "
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
        """Open a campaign's folder. ValueError if it holds no campaign, or if the campaign or its scene has changed."""
        manifest = _manifest(folder)
        try:
            campaign = read_campaign(Source(*(manifest[key] for key in Source._fields)))
        except ValueError as error:
            raise ValueError(f"{folder}: {error}") from None
        draws = _draws(folder / "draws.parquet", manifest["draws"], campaign)
        store = cls(folder, campaign, draws)
        if {*draws} != {draw.name for draw in campaign.draws} or campaign.hash(draws) != manifest["hash"]:
            raise ValueError(f"{folder}: the drawn values, the campaign or a file of its scene have changed since the "
                             f"campaign began; old and new results must not be mixed: restore the files, or start a "
                             f"new "
                             f"campaign in another folder")
        return store

    def locked(self) -> AbstractContextManager[None]:
        """Lock the folder for this process (`contactlib.campaign.lock.locked`)."""
        return locked(self.folder)

    def remove_unfinished(self) -> None:
        """Remove files that a killed process left half written. The caller must hold the lock."""
        for folder in (self.folder, self.parts):
            for left in folder.glob(f"*{UNFINISHED}"):
                left.unlink(missing_ok=True)

    def done(self) -> NDArray[np.bool_]:
        """Return for each run whether a part holds it. ValueError if two parts hold the same run."""
        done = np.zeros(self.campaign.runs, dtype=bool)
        for path, first, last, _ in self._ranges():
            if not 0 <= first <= last < self.campaign.runs or done[first:last + 1].any():
                raise ValueError(f"{path}: this part does not belong here, another part holds the same runs: move one "
                                 f"away")
            done[first:last + 1] = True
        return done

    def _ranges(self) -> list[tuple[Path, int, int, str]]:
        """Return each part with its first run, last run and checksum. ValueError for a file that is not a part."""
        found = []
        for path in self.parts.glob("*.parquet"):
            match = _PART.fullmatch(path.name)
            if match is None:
                raise ValueError(f"{path}: this file does not belong here, its name is not that of a part: move it "
                                 f"away")
            found.append((path, int(match[1]), int(match[2]), match[3]))
        return sorted(found, key=lambda part: part[1])

    def values(self, run: int) -> dict[str, Any]:
        """Return the drawn values of one run."""
        if not 0 <= run < self.campaign.runs:
            raise ValueError(f"there is no run {run}: they are numbered from 0 to {self.campaign.runs - 1}")
        return {name: column[run] for name, column in self.draws.items()}

    def write(self, outcomes: Mapping[int, Outcome]) -> None:
        """Write one part: outcomes of runs with consecutive numbers."""
        runs = sorted(outcomes)
        metrics = {metric.name: [outcomes[run].metrics.get(metric.name, float("nan")) for run in runs]
                   for metric in self.campaign.metrics}
        content = table_file({"run": runs, **metrics, "error": [outcomes[run].error for run in runs]})
        write_bytes(self.parts / f"{runs[0]:08d}-{runs[-1]:08d}-{_checksum(content)}.parquet", content)

    def results(self) -> Results:
        """Return all finished runs. ValueError names a damaged part."""
        self.done()
        names = [metric.name for metric in self.campaign.metrics]
        gathered: dict[str, list[Any]] = {name: [] for name in ("run", *names, "error")}
        for path, first, last, checksum in self._ranges():
            part = self._part(path, checksum)
            if {*part} != {*gathered} or part["run"] != list(range(first, last + 1)):
                raise ValueError(f"{path}: this part holds other runs than its name says: delete the part and resume "
                                 f"with "
                                 f"`contactlib campaign resume {self.folder}`")
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
        """Return the columns of a part. ValueError, with what to do, if its checksum is wrong."""
        content = path.read_bytes()
        if _checksum(content) != checksum:
            raise ValueError(f"{path} is damaged: its content has another checksum than its name: delete it and "
                             f"resume with `contactlib campaign resume {self.folder}`, which repeats its runs")
        return read_table(path, content)

    def finish(self) -> Path:
        """Write all results to one file; its bytes do not depend on workers or interruptions."""
        return write_bytes(self.folder / "results.parquet", _whole(self.results()))

    def stale(self) -> str | None:
        """Return what is wrong with results.parquet, which must hold the content of all parts; None if it is right."""
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
    """Return the content of results.parquet."""
    return table_file({"run": results.run, **results.columns, "error": list(results.errors)})


def _checksum(content: bytes) -> str:
    """Return the first 16 digits of the SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()[:16]


def _draws_file(campaign: Campaign) -> bytes:
    return table_file({"run": list(range(campaign.runs)), **campaign.values})


def _draws(path: Path, checksum: str, campaign: Campaign) -> dict[str, list[Any]]:
    """Return the drawn values of a stored campaign; if their file is missing, draw them again."""
    if not path.exists():
        write_bytes(path, _draws_file(campaign))
    content = path.read_bytes()
    if _checksum(content) != checksum:
        raise ValueError(f"{path} is damaged or has changed since the campaign began: its checksum is not that in "
                         f"campaign.json: delete the file, and the next command writes it again")
    draws = read_table(path, content)
    draws.pop("run", None)
    return draws


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "campaign.json"
    if not path.is_file():
        raise ValueError(f"{folder} holds no campaign: the file campaign.json is missing: give the folder of a "
                         f"campaign")
    try:
        manifest: dict[str, Any] = json.loads(read_text(path))
        known = {key: manifest[key] for key in ("format", "contactlib")}
        if known == {"format": FORMAT, "contactlib": contactlib.__version__}:
            known |= {key: manifest[key] for key in ("hash", "draws", *Source._fields)}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    if known["format"] != FORMAT or known["contactlib"] != contactlib.__version__:
        raise ValueError(f"{folder} was begun by contactlib {known['contactlib']}, this is {contactlib.__version__}: "
                         f"results of two versions must not be mixed: use the old version, or start a new campaign")
    return known
