"""Checks of common arguments; each error names the argument, its value and what is allowed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.common.tables import hint

Floats = NDArray[np.float64]
MAX_THREADS = 256  # OpenMP ends the process if it cannot start the requested number of threads
MAX_STEPS = 1_000_000_000


def index_of(names: Sequence[str], name: str, what: str = "body") -> int:
    """Return the index of a name. ValueError, with the nearest known name, for an unknown name."""
    if name not in names:
        raise ValueError(f"there is no {what} '{name}'; {hint(name, names)}")
    return names.index(name)


def numbers(name: str, values: ArrayLike, length: int) -> Floats:
    """Return an array of `length` numbers. ValueError for any other shape."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length,):
        raise ValueError(f"{name} has shape {array.shape}, must be ({length},)")
    return array


def whole(name: str, value: Any, least: int) -> int:
    """Return an integer of at least `least`. ValueError for any other value."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} = {value!r}: must be an integer of at least {least}")
    return int(value)


def thread_count(num_threads: int | None) -> int:
    """Return the number of threads: None is 1, -1 all cores of this process, -2 all but one.

    ValueError for 0 and for more than MAX_THREADS.
    """
    if num_threads is None:
        return 1
    allowed = f"must be an integer from 1 to {MAX_THREADS}, or -1 for all cores"
    if isinstance(num_threads, bool) or not isinstance(num_threads, Integral):
        raise ValueError(f"num_threads = {num_threads!r}: {allowed}")
    num_threads = int(num_threads)
    if num_threads == 0 or num_threads > MAX_THREADS:
        raise ValueError(f"num_threads = {num_threads}: {allowed}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return num_threads if num_threads > 0 else max(1, cores + 1 + num_threads)


def step_count(duration: float, dt: float) -> int:
    """Return the number of steps of a run. ValueError if duration or dt is not allowed."""
    if not (np.isfinite(duration) and np.isfinite(dt) and duration > 0 and dt > 0):
        raise ValueError(f"duration = {duration}, dt = {dt}: both must be finite and greater than zero")
    if duration / dt > MAX_STEPS:
        raise ValueError(f"duration = {duration:g}, dt = {dt:g}: {duration / dt:.3g} steps, more than {MAX_STEPS} "
                         f"steps are not allowed: choose a shorter duration or longer steps")
    if dt > duration * (1.0 + 1e-9):  # more than the rounding of a product of steps
        raise ValueError(f"dt = {dt:g}: must not be longer than the whole run, duration = {duration:g}")
    return max(1, round(duration / dt))
