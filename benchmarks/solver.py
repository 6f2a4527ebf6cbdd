"""The complementarity solver: time of one solution over the number of rows, without and with friction.

Run it with ``python -m benchmarks.solver --json OUT.json``. It has no bars: what it costs in a scene counts there.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.common import machine, measure, versions
from contactlib._core import engine

ROWS = (6, 12, 24, 48, 99, 198)
MU = 0.3


def problems(n: int, count: int) -> tuple[engine.Floats, ...]:
    """A, b, lo, hi of random rows that push one way: A of condition 30 or so."""
    rng = np.random.default_rng(n)
    J = rng.normal(size=(count, n, 2 * n)) / np.sqrt(2 * n)
    return J @ J.transpose(0, 2, 1), rng.normal(size=(count, n)), np.zeros((count, n)), np.full((count, n), np.inf)


class Solver:
    """All problems of one size, from nothing, with friction or without."""

    def __init__(self, n: int, friction: bool) -> None:
        self.count = max(8, 3000 // n)
        self.given = problems(n, self.count)
        self.normals = np.arange(0, n, 3, dtype=np.int32)
        self.mu = np.full((self.count, len(self.normals)), MU)
        self.friction = friction
        self.reports = np.zeros(0, dtype=engine.SOLVE_DTYPE)

    def run(self) -> None:
        states, z = np.full(self.given[1].shape, -1, dtype=np.int8), np.zeros(self.given[1].shape)
        if self.friction:
            self.reports = engine.solve_friction(*self.given, self.normals, self.mu, states, z)
        else:
            self.reports = engine.solve_mcp(*self.given, states, z)


def ladder(friction: bool) -> list[dict[str, float]]:
    solvers = [Solver(n, friction) for n in ROWS]
    times = measure(*(solver.run for solver in solvers), repetitions=7)
    rows = []
    for n, solver, time in zip(ROWS, solvers, times, strict=True):
        seconds, reports = time.median / solver.count, solver.reports
        rows.append({
            "rows": n,
            "us": 1e6 * seconds,
            "ns_per_n3": 1e9 * seconds / n**3,
            "pivots_mean": float(reports["pivots"].mean()),
            "pivots_max": float(reports["pivots"].max()),
            "iterations_mean": float(reports["iterations"].mean()),
            "not_solved": float((reports["code"] != 0).sum()),
        })
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    out = parser.parse_args().json
    tables = {"mixed": ladder(friction=False), "friction": ladder(friction=True)}
    for name, rows in tables.items():
        print(f"{name}\n" + "".join(f"{key:>16}" for key in rows[0]))
        for row in rows:
            print("".join(f"{value:16.4g}" for value in row.values()))
    if out:
        out.write_text(json.dumps({**tables, "machine": machine(), "versions": versions()}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
