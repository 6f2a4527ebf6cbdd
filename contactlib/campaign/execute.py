"""Execution of a campaign: a pool of workers does the missing runs in parts, and each finished part is stored."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue

import numpy as np

import contactlib
from contactlib.campaign import pools
from contactlib.campaign.definition import Campaign, load_campaign
from contactlib.campaign.lock import locked
from contactlib.campaign.outcome import Outcome
from contactlib.campaign.pools import Pool
from contactlib.campaign.runner import Part, run_part
from contactlib.campaign.store import Results, Store
from contactlib.common.arguments import thread_count
from contactlib.common.parquet import pyarrow_parquet

#: target time of one part, s: little work is lost with a killed process, and storing costs little in comparison
PART_SECONDS = 1.0
MAX_IN_PART = 4096
#: parts that are submitted per worker, so that no worker waits for this process
PARTS_PER_WORKER = 2
#: attempts at a single run whose workers died, before the run counts as failed
MAX_ATTEMPTS = 2

Progress = Callable[[int, int], None]


def run_campaign(campaign: Campaign | str | Path, folder: str | Path, *, num_threads: int | None = -1,
                 scheduler: str | None = None, progress: Progress | None = None) -> Results:
    """Run a campaign into a new folder.

    Parameters
    ----------
    campaign : a campaign from `load_campaign`, or the path of a campaign.toml.
    folder : folder for the results; it must not hold a campaign yet. Each part is written there when it is finished.
    num_threads : number of threads, like scipy's `workers`; all cores by default.
    scheduler : address of a Dask scheduler, whose workers then do the runs.
    progress : called with the number of finished runs and the number of all runs, after each part.

    Raises
    ------
    ValueError, OSError, ImportError : the campaign cannot start. A run that fails raises nothing: its error is stored.
    """
    campaign = campaign if isinstance(campaign, Campaign) else load_campaign(campaign)
    folder = Path(folder)
    pyarrow_parquet()
    with _pool(num_threads, scheduler) as pool:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            return _finished(Store.create(folder, campaign), pool, progress)


def resume_campaign(folder: str | Path, *, num_threads: int | None = -1, scheduler: str | None = None,
                    progress: Progress | None = None) -> Results:
    """Do the missing runs of the campaign in a folder. Arguments and errors are those of `run_campaign`."""
    with _pool(num_threads, scheduler) as pool:
        store = Store.open(Path(folder))
        with store.locked():
            return _finished(store, pool, progress)


def _pool(num_threads: int | None, scheduler: str | None) -> AbstractContextManager[Pool]:
    return pools.dask(scheduler) if scheduler is not None else pools.threads(thread_count(num_threads))


def _finished(store: Store, pool: Pool, progress: Progress | None) -> Results:
    """Do the missing runs and return all results. The caller must hold the folder's lock."""
    store.remove_unfinished()
    store.results()  # raises if a part is damaged, before hours of work
    missing = np.flatnonzero(~store.done()).tolist()
    Execution(store, pool, missing, progress or (lambda done, runs: None)).run()
    store.finish()
    return store.results()


class Execution:
    """Sends the missing runs through a pool of workers and stores their outcomes."""

    def __init__(self, store: Store, pool: Pool, missing: list[int], progress: Progress) -> None:
        self.store, self.pool, self.progress = store, pool, progress
        self.waiting = _spans(missing)
        self.left = len(missing)
        self.seconds_per_run: float | None = None
        self.pending: dict[Future[Part], list[int]] = {}
        # an interrupt within concurrent.futures.wait() may leave futures locked: their workers would wait for ever
        self.done: SimpleQueue[Future[Part]] = SimpleQueue()
        self.attempts: dict[int, int] = {}

    def run(self) -> None:
        while self.waiting or self.pending:
            self.progress(self.store.campaign.runs - self.left, self.store.campaign.runs)
            while self.waiting and len(self.pending) < PARTS_PER_WORKER * self.pool.width():
                runs = self._next_part()
                values = {run: self.store.values(run) for run in runs}
                source = self.store.campaign.source
                future = self.pool.submit(run_part, source, contactlib.__version__, values)
                self.pending[future] = runs
                future.add_done_callback(self.done.put)
            future = self.done.get()
            self._receive(future, self.pending.pop(future))
        self.progress(self.store.campaign.runs, self.store.campaign.runs)

    def _next_part(self) -> list[int]:
        """Return the runs of the next part: one run until the time per run is known, then about PART_SECONDS."""
        even_part = 1 + self.left // (PARTS_PER_WORKER * self.pool.width())
        wanted = PART_SECONDS / self.seconds_per_run if self.seconds_per_run else 1
        runs = self.waiting.pop(0)
        count = int(max(1, min(wanted, even_part, MAX_IN_PART)))
        if runs[count:]:
            self.waiting.insert(0, runs[count:])
        return runs[:count]

    def _receive(self, future: Future[Part], runs: list[int]) -> None:
        try:
            part = future.result()
        except CancelledError:
            raise ValueError(f"the pool of workers was lost; {self.store.campaign.runs - self.left} of "
                             f"{self.store.campaign.runs} runs are done: continue with "
                             f"`contactlib campaign resume {self.store.folder}`") from None
        except self.pool.died:
            self._retry(runs)
            return
        now = part.seconds / len(runs)
        self.seconds_per_run = now if self.seconds_per_run is None else (self.seconds_per_run + now) / 2
        self._store_outcomes(part.outcomes)

    def _retry(self, runs: list[int]) -> None:
        """Repeat runs whose workers died, each run in a part of its own: that finds the run that kills its workers."""
        for run in runs:
            self.attempts[run] = self.attempts.get(run, 0) + (len(runs) == 1)
            if self.attempts[run] < MAX_ATTEMPTS:
                self.waiting.insert(0, [run])
            else:
                self._store_outcomes({run: Outcome({}, "the workers of this run died")})

    def _store_outcomes(self, outcomes: dict[int, Outcome]) -> None:
        self.store.write(outcomes)
        self.left -= len(outcomes)


def _spans(runs: list[int]) -> list[list[int]]:
    """Group runs with consecutive numbers.

    >>> _spans([0, 1, 2, 5, 6])
    [[0, 1, 2], [5, 6]]
    """
    if not runs:
        return []
    cuts = [i for i, (a, b) in enumerate(pairwise(runs), start=1) if b != a + 1]
    return [runs[a:b] for a, b in pairwise([0, *cuts, len(runs)])]
