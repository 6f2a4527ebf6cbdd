"""Pools of workers that do the runs of a campaign: threads of this process, or the workers of a Dask cluster."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

#: s to wait for a scheduler, and for its first worker
TIMEOUT = 30


@dataclass(frozen=True)
class Pool:
    """A pool of workers.

    `submit` starts a function and returns its future. `width` returns how many parts the pool can do at a time. A
    future raises `died` if several workers died while they did its work.
    """

    submit: Callable[..., Future[Any]]
    width: Callable[[], int]
    died: type[Exception] | tuple[()] = ()


@contextmanager
def threads(count: int) -> Iterator[Pool]:
    """Threads of this process; a run releases Python's global interpreter lock."""
    with ThreadPoolExecutor(count, thread_name_prefix="campaign") as executor:
        try:
            yield Pool(executor.submit, lambda: count)
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def dask(address: str) -> Iterator[Pool]:
    """The workers of a Dask cluster by its scheduler's address, such as tcp://10.0.0.1:8786.

    Workers may join, leave or be killed: other workers repeat their unfinished parts.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ImportError("--scheduler needs dask and distributed: pip install contactlib[campaign]") from None
    client, failure = None, ""
    try:
        client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        failure = str(error)
    if client is None:
        # the garbage collector closes the rest of the failed client: if that happens while a new client starts, both
        # hang
        gc.collect()
        raise ValueError(f"no Dask scheduler answers at '{address}': {failure}: check the address, or start a "
                         f"scheduler")
    with client:
        try:
            client.wait_for_workers(1, timeout=TIMEOUT)
        except TimeoutError:
            raise ValueError(f"the scheduler at {address} has no worker: start one with `dask worker {address}`"
                             ) from None
        executor: Executor = client.get_executor(pure=False)
        yield Pool(executor.submit, lambda: max(1, sum(client.nthreads().values())), distributed.KilledWorker)
