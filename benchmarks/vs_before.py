"""An older version and this one at the same work: old time over new time, in one run.

``make bench-before`` builds the older version under build/before/ and runs this file. README.md tells what each figure
means. Two processes, one of each version, take turns in short slices on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import common
from benchmarks.common import HERE, Bar, Floats, Report
from benchmarks.version_slices import PAIRS

BARS = tuple(Bar(key, bar, goal, at_least=True) for key, bar, goal in (
    ("capsule_socket", 1.8, 2.5), ("twenty_pairs", 1.8, 2.5), ("point_plane_wrench", 2, 5), ("bristle_update", 2, 4),
    ("sphere_triangle", 1.2, 1.8), ("convex_50_cold", 1.2, 1.5), ("scene_2000_primitives", 1.5, 2),
    ("cbm_step", 1.4, 1.8), ("lee_step_mean", 1.4, 1.8), ("lee_step_worst", 1.4, 1.8), ("compute_call", 1.8, 3)))
BATCHES = {  # slices of each version of work that is the same again and again, and what it is
    "capsule_socket": "manifolds(..., out=) of 20 000 poses",
    "twenty_pairs": "compute_batch of 1000 states of 20 pegs in 20 sockets",
    "point_plane_wrench": "4096 points on a plane, half of them below it",
    "bristle_update": "the law's loop over 4000 points",
    "sphere_triangle": "the pair's loop over 4000 poses",
    "convex_50_cold": "two hulls of 50 corners, 4000 poses, no hint",
    "scene_2000_primitives": "compute_batch of 200 states of two rings",
    "compute_call": "Simulation.compute(states) of peg_in_hole, apart",
}
ROUNDS, CBM_ROUNDS, LEE_SLICES, LEE_RUNS = 41, 30, 108, 5
FOLDER = HERE.parent / "build" / "before"


# ---- two versions --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slice:
    """What one version measured in its turn: processor times, s, and hashes of the inputs and the results."""

    times: Floats
    inputs: str
    results: str


class Version:
    """A process that runs slices of one version, from a folder with its checkout and its Python."""

    def __init__(self, folder: Path, python: Path, core: int | None) -> None:
        self.folder = folder
        command = [python, "-P", HERE / "version_slices.py", *([] if core is None else [str(core)])]
        self.process = subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, name: str) -> Slice:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the version in {self.folder} does not run '{name}': its error stands above")
        answer = json.loads(line)
        return Slice(np.array(answer["times"]), answer["inputs"], answer["results"])

    def close(self) -> None:
        self.process.communicate()


Turn = Callable[[str], Slice]


def before(folder: Path) -> Path:
    """The folder of the older version, named after its commit. FileNotFoundError if there is none with a Python."""
    found = sorted(folder.glob("*/.venv/bin/python"), key=lambda path: path.lstat().st_mtime)
    if not found:
        raise FileNotFoundError(f"there is no older version in {folder}: `make bench-before` builds one, in minutes")
    return found[-1].parents[2]


# ---- ratios --------------------------------------------------------------------------------------


def turns(old: Turn, new: Turn, name: str, rounds: int) -> tuple[Floats, Floats, str]:
    """Times (rounds, steps) of both versions, s, and whether all their results were the same.

    They take turns, and each is first in every second round. RuntimeError if they do not get the same inputs.
    """
    rows: tuple[list[Floats], list[Floats]] = [], []
    same = True
    for k in range(rounds):
        pair = (old(name), new(name)) if k % 2 == 0 else (new(name), old(name))[::-1]
        if k == 0 and pair[0].inputs != pair[1].inputs:
            raise RuntimeError(f"'{name}': the two versions do not get the same inputs, so their times compare nothing")
        same = same and pair[0].results == pair[1].results
        for times, each in zip(rows, pair, strict=True):
            times.append(each.times)
    return np.array(rows[0]), np.array(rows[1]), "same bits" if same else "differ"


def ratio(old: Floats, new: Floats, of: Callable[..., Floats] = np.sum) -> tuple[float, float, float]:
    """The median of the ratios of the rounds, and where its quartiles lie; `of` the times of a round."""
    low, middle, high = np.percentile(of(old, axis=1) / of(new, axis=1), [25, 50, 75])
    return float(middle), float(low), float(high)


def worst_ratio(old: Floats, new: Floats) -> tuple[float, int, int]:
    """The worst step of the old version over that of the new one, each step the median of runs; and where both lie."""
    times = np.median(old, axis=0), np.median(new, axis=0)
    return float(times[0].max() / times[1].max()), int(times[0].argmax()), int(times[1].argmax())


def quartiles(low: float, high: float, rounds: int) -> str:
    return f"half of {rounds} ratios within {low:.2f} to {high:.2f}"


# ---- figures -------------------------------------------------------------------------------------


def batches(report: Report, old: Turn, new: Turn) -> None:
    for name, what in BATCHES.items():
        times = turns(old, new, name, ROUNDS)
        middle, low, high = ratio(*times[:2])
        report.set(name, middle, f"{what}; {quartiles(low, high, ROUNDS)}")
        report.extras[f"{name}, results"] = times[2]
    for name in PAIRS:
        *spent, same = turns(old, new, name, ROUNDS)
        report.extras[f"manifolds of {name}, 20 000 poses, old time over new"] = f"{ratio(*spent)[0]:.2f}, {same}"


def cbm(report: Report, old: Turn, new: Turn) -> None:
    *times, same = turns(old, new, "cbm_step", CBM_ROUNDS)
    middle, low, high = ratio(*times, np.median)
    steps = times[0].shape[1]
    report.set("cbm_step", middle, f"median of {steps} steps, module berthed and shaken; "
               + quartiles(low, high, CBM_ROUNDS))
    report.extras["cbm_step, states"] = same
    for name, rows in zip(("before", "this version"), times, strict=True):
        report.extras[f"cbm_step, {name} [us]"] = 1e6 * float(np.median(rows))


def lee(report: Report, old: Turn, new: Turn) -> None:
    *times, same = turns(old, new, "lee_step", LEE_RUNS * LEE_SLICES)
    runs = [rows.reshape(LEE_RUNS, -1) for rows in times]
    middle, low, high = ratio(*runs)
    count = runs[0].shape[1]
    report.set("lee_step_mean", middle, f"{count} steps of a grapple and latch; {quartiles(low, high, LEE_RUNS)}")
    worst, *at = worst_ratio(*runs)
    report.set("lee_step_worst", worst, f"worst of these steps, each the median of {LEE_RUNS} runs: "
               f"step {at[0]} before, {at[1]} now")
    report.extras["lee_step, states"] = same
    for name, rows in zip(("before", "this version"), runs, strict=True):
        each = np.median(rows, axis=0)
        report.extras[f"lee_step, {name}, mean and worst [us]"] = f"{1e6 * each.mean():.1f}, {1e6 * each.max():.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("--before", type=Path, default=FOLDER, metavar="FOLDER",
                        help="a folder with the checkout and the Python of the older version, named after its commit")
    arguments, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    try:
        folder = before(arguments.before)
    except FileNotFoundError as error:
        sys.exit(str(error))
    core = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    report = Report(BARS, versions={"before": folder.name})
    report.extras["core of both processes"] = "not pinned" if core is None else str(core)
    old = Version(folder, folder / ".venv" / "bin" / "python", core)
    new = Version(HERE.parent, Path(sys.executable), core)
    common.run(report, [partial(part, old=old, new=new) for part in (batches, cbm, lee)], __doc__ or "")
    for version in (old, new):
        version.close()


if __name__ == "__main__":
    main()
