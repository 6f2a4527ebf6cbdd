"""What all benchmarks share: timing, the table of figures with their bars, loops without Python."""

from __future__ import annotations

import argparse
import ctypes
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine

Floats = NDArray[np.float64]
HERE = Path(__file__).parent
MISSING = "missing"


# ---- timing --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Times:
    """Times of one call, s, in the order in which they were taken."""

    all: Floats

    @property
    def median(self) -> float:
        return float(np.median(self.all))

    @property
    def least(self) -> float:
        return float(self.all.min())


def measure(
    *calls: Callable[[], object], repetitions: int, clock: Callable[[], float] = time.thread_time
) -> list[Times]:
    """Time the calls in turn, so that what else the machine does meets all of them; one round warms up.

    The default clock is the processor time of this thread: a call with threads needs `time.perf_counter`.
    """
    rows = np.zeros((repetitions + 1, len(calls)))
    for row in rows:
        for k, call in enumerate(calls):
            start = clock()
            call()
            row[k] = clock() - start
    return [Times(column) for column in rows[1:].T]


def step_times(data: engine.Data, dt: float, steps: int, repetitions: int) -> Floats:
    """Times (steps,) of one thread, s, of each step of a run: the median of runs from the same state."""
    start = data.save()
    rows = np.zeros((repetitions + 1, steps))
    for row in rows:
        data.restore(start)
        for k in range(steps):
            begun = time.thread_time()
            data.advance(dt)
            row[k] = time.thread_time() - begun
    return np.median(rows[1:], axis=0)


# ---- figures -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """What a figure must reach, at most or `at_least`, and what would be near the limit."""

    key: str
    bar: float
    goal: float
    at_least: bool = False

    def verdict(self, value: float | str) -> str:
        if isinstance(value, str):
            return value
        sign = 1.0 if self.at_least else -1.0
        if sign * value >= sign * self.goal:
            return "goal"
        return "ok" if sign * value >= sign * self.bar else "missed"


@dataclass
class Report:
    """The figures of one benchmark as they come in, and the lines beside them."""

    bars: tuple[Bar, ...]
    figures: dict[str, float | str] = field(default_factory=dict)
    what: dict[str, str] = field(default_factory=dict)
    extras: dict[str, float | str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def set(self, key: str, value: float | str, what: str) -> None:
        self.figures[key], self.what[key] = value, what

    def table(self) -> str:
        """One line per figure, then the extras."""
        width = max(len(bar.key) for bar in self.bars)
        head = f"{'figure':{width}} {'measured':>10} {'bar':>8} {'goal':>8}  {'':7} what was measured"
        lines = [head, "-" * 118]
        for bar in self.bars:
            value = self.figures.get(bar.key, MISSING)
            sign = ">=" if bar.at_least else "<="
            numbers = f"{_short(value):>10} {sign + _short(bar.bar):>8} {_short(bar.goal):>8}"
            lines.append(f"{bar.key:{width}} {numbers}  {bar.verdict(value):7} {self.what.get(bar.key, '')}")
        lines += ["", *(f"  {name:68} {_short(value)}" for name, value in self.extras.items())]
        return "\n".join(lines)

    def write(self, path: Path) -> None:
        content = {
            "figures": {bar.key: self.figures.get(bar.key, MISSING) for bar in self.bars},
            "extras": self.extras,
            "machine": machine(),
            "versions": versions() | self.versions,
        }
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def shares(counts: NDArray[np.int32]) -> str:
    """How often each count occurs: "0: 20 %, 1: 80 %"."""
    return ", ".join(f"{k}: {100 * np.mean(counts == k):.0f} %" for k in range(int(counts.max()) + 1))


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def machine() -> dict[str, str | int | float]:
    """The processor as far as the system tells, its cores, and how busy they are now."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return {"system": platform.platform(), "processor": _processor(), "cores": cores, "load": round(load, 2)}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown")


def versions() -> dict[str, str]:
    """Versions of Python and of the installed packages that the benchmarks run."""
    found = {"python": platform.python_version()}
    for package in ("contactlib", "numpy", "fmpy", "mujoco"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def run(report: Report, parts: Sequence[Callable[[Report], None]], description: str) -> None:
    """The command line of a benchmark: measure all parts, print the table, write the JSON file."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write the figures to this file too")
    arguments = parser.parse_args()
    start = time.perf_counter()
    for part in parts:
        part(report)
    print(report.table())
    state = machine()
    took = time.perf_counter() - start
    print(f"\n  {took:.0f} s on {state['processor']}, {state['cores']} cores, load {state['load']}")
    if arguments.json:
        report.write(arguments.json)


# ---- loops without Python ------------------------------------------------------------------------


def compiled_loops() -> ctypes.CDLL | None:
    """loops.c, compiled for this process; None without a C compiler."""
    names = (os.environ.get("CC", "cc"), "gcc", "clang")
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "loops.so"
        command = [compiler, "-O2", "-shared", "-fPIC", str(HERE / "loops.c"), "-o", str(library)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            return None
        return ctypes.CDLL(str(library))


def address(array: NDArray[np.generic]) -> ctypes.c_void_p:
    """Where a contiguous array lies, for C. Keep the array alive meanwhile."""
    return ctypes.c_void_p(array.ctypes.data)
