"""Execution: hands the runs that are missing to a pool, part by part, and stores each part as it comes back."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path

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

#: s that a part takes: short against what a kill may cost, long against what storing it costs
PART_SECONDS = 1.0
MOST_IN_PART = 4096
#: parts that wait for each worker, so that none has to wait for us
AHEAD = 2
#: so often a single run may be given back by a pool whose workers died before it is said to have failed
CHANCES = 2

Progress = Callable[[int, int], None]


def run_campaign(campaign: Campaign | str | Path, folder: str | Path, *, num_threads: int | None = -1,
                 scheduler: str | None = None, progress: Progress | None = None) -> Results:
    """Run a campaign into a new folder.

    Parameters
    ----------
    campaign : what `load_campaign` gave, or the path of a campaign.toml.
    folder : where results go as they come; it must not hold a campaign yet.
    num_threads : as scipy's `workers`; all cores by default.
    scheduler : address of a Dask scheduler, whose workers then do the runs.
    progress : is told how many runs are done, and of how many, after each part.

    Raises
    ------
    ValueError, OSError, ImportError : before the first run, in one sentence. A run that fails is a row of the results.
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
    """Do the runs that a folder's campaign still misses; arguments and errors as `run_campaign`."""
    with _pool(num_threads, scheduler) as pool:
        store = Store.open(Path(folder))
        with store.locked():
            return _finished(store, pool, progress)


def _pool(num_threads: int | None, scheduler: str | None) -> AbstractContextManager[Pool]:
    return pools.dask(scheduler) if scheduler is not None else pools.threads(thread_count(num_threads))


def _finished(store: Store, pool: Pool, progress: Progress | None) -> Results:
    """All results, once the missing runs are done. Only for the one who has the lock of the folder."""
    store.sweep()
    store.results()  # a damaged part is told before hours of work
    missing = np.flatnonzero(~store.done()).tolist()
    Execution(store, pool, missing, progress or (lambda done, runs: None)).go()
    store.finish()
    return store.results()


class Execution:
    """The runs that are missing, on their way through a pool."""

    def __init__(self, store: Store, pool: Pool, missing: list[int], progress: Progress) -> None:
        self.store, self.pool, self.progress = store, pool, progress
        self.waiting = _spans(missing)
        self.left = len(missing)
        self.seconds_per_run: float | None = None
        self.pending: dict[Future[Part], list[int]] = {}
        self.given_back: dict[int, int] = {}

    def go(self) -> None:
        while self.waiting or self.pending:
            self.progress(self.store.campaign.runs - self.left, self.store.campaign.runs)
            while self.waiting and len(self.pending) < AHEAD * self.pool.width():
                runs = self._take()
                values = {run: self.store.values(run) for run in runs}
                source = self.store.campaign.source
                self.pending[self.pool.submit(run_part, source, contactlib.__version__, values)] = runs
            for future in wait(self.pending, return_when=FIRST_COMPLETED).done:
                self._receive(future, self.pending.pop(future))
        self.progress(self.store.campaign.runs, self.store.campaign.runs)

    def _take(self) -> list[int]:
        """The next runs: one while nothing is known of how long one takes, then about PART_SECONDS of them."""
        share = 1 + self.left // (AHEAD * self.pool.width())
        wished = PART_SECONDS / self.seconds_per_run if self.seconds_per_run else 1
        runs = self.waiting.pop(0)
        count = int(max(1, min(wished, share, MOST_IN_PART)))
        if runs[count:]:
            self.waiting.insert(0, runs[count:])
        return runs[:count]

    def _receive(self, future: Future[Part], runs: list[int]) -> None:
        try:
            part = future.result()
        except CancelledError:
            raise ValueError(f"the pool of workers was lost; {self.store.campaign.runs - self.left} of "
                             f"{self.store.campaign.runs} runs are done, resume goes on from there") from None
        except self.pool.died:
            self._given_back(runs)
            return
        now = part.seconds / len(runs)
        self.seconds_per_run = now if self.seconds_per_run is None else (self.seconds_per_run + now) / 2
        self._keep(part.outcomes)

    def _given_back(self, runs: list[int]) -> None:
        """Runs of which one may have killed its workers: each for itself once more, until it is found."""
        for run in runs:
            self.given_back[run] = self.given_back.get(run, 0) + (len(runs) == 1)
            if self.given_back[run] < CHANCES:
                self.waiting.insert(0, [run])
            else:
                self._keep({run: Outcome({}, "the workers that were given this run died")})

    def _keep(self, outcomes: dict[int, Outcome]) -> None:
        self.store.write(outcomes)
        self.left -= len(outcomes)


def _spans(runs: list[int]) -> list[list[int]]:
    """Runs that follow on each other, together.

    >>> _spans([0, 1, 2, 5, 6])
    [[0, 1, 2], [5, 6]]
    """
    if not runs:
        return []
    cuts = [i for i, (a, b) in enumerate(pairwise(runs), start=1) if b != a + 1]
    return [runs[a:b] for a, b in pairwise([0, *cuts, len(runs)])]
