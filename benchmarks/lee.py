"""The LEE's snare: what its cables cost, beside Exudyn's and MuJoCo's.

Run it with ``python -m benchmarks.lee --json OUT.json``. README.md tells what each figure means.
"""

from __future__ import annotations

import time
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

import contactlib
from benchmarks import common, exudyn_peer, mujoco_peer
from benchmarks.common import MISSING, Bar, Floats, Report, measure
from contactlib._core import engine

BARS = (
    Bar("cable_step_us", 30, 12),
    Bar("ratio_exudyn", 6, 17, at_least=True),
    Bar("lee_step_mean_us", 120, 60),
    Bar("lee_step_worst_us", 400, 200),
    Bar("cost_exponent", 1.1, 1.0),
)
CABLES, LENGTH, H, GRAVITY = 3, 0.20944, 1e-3, 9.81
MATERIAL = (3.98e5, 1.08e-2, 0.0347)  # a loose 7x19 rope of 3.2 mm, assumed: EA N, EI N m2, kg/m
STEPS, SIZES = 300, (10, 30, 100, 300)
SCENE, PARTS = "lee_snare", ((1, 8.6), (2, 13.0))  # command (close, rigidize) and s; without a snare they are missing


class Cables:
    """Three straight cables pinned at both ends, under their weight."""

    def __init__(self, elements: int, **options: Any) -> None:
        rows = np.tile([LENGTH / elements, 0.0, 0.0], (elements, 1))
        self.cable = engine.Cable(rows, (*MATERIAL, 0.0, 0.0, 0.0), **options)
        self.q: Floats = np.zeros((CABLES, elements + 1, 6))
        self.q[:, :, 0] = np.linspace(0, LENGTH, elements + 1)
        self.q[:, :, 3] = 1.0
        self.v, self.reactions = np.zeros_like(self.q), np.zeros((CABLES, 2, 6))
        self.ends = self.q[:, [0, -1]].copy()
        self.forces = np.zeros((0, elements + 1, 6))

    def step(self, steps: int) -> None:
        holds = ("position", "position")
        codes, _, _ = engine.step_cables(self.cable, self.q, self.v, H, steps, (0.0, -GRAVITY, 0.0), self.forces, holds,
                                         self.ends, self.reactions)
        if codes.any():
            raise RuntimeError(f"a cable cannot step: {codes}")


def cost(report: Report) -> None:
    variants: dict[str, dict[str, Any]] = {
        "with the stiffness of tension": {"tension_stiffness": True}, "with 3 + 2 points": {"quadrature": "reduced"},
        "with engineering strains": {"measure": "engineering"},
    }
    calls = [partial(Cables(10, **options).step, STEPS) for options in ({}, *variants.values())]
    times = measure(*calls, repetitions=41)
    report.set("cable_step_us", 1e6 * times[0].median / STEPS, "3 x 10 elements, h = 1 ms, 5 + 3 points, pinned")
    for name, spent in zip(variants, times[1:], strict=True):
        report.extras[f"the same {name}, us"] = 1e6 * spent.median / STEPS


def growth(report: Report) -> None:
    """The slope of log time over log elements."""
    repeats = [STEPS * SIZES[0] // n for n in SIZES]
    times = measure(*(partial(Cables(n).step, k) for n, k in zip(SIZES, repeats, strict=True)), repetitions=41)
    spent = [t.median / k for t, k in zip(times, repeats, strict=True)]
    exponent = float(np.polyfit(np.log(SIZES), np.log(spent), 1)[0])
    report.set("cost_exponent", exponent, f"3 x {SIZES[0]} to 3 x {SIZES[-1]} elements")
    for n, t in zip(SIZES, spent, strict=True):
        report.extras[f"3 x {n} elements, us"] = 1e6 * t


def exudyn(report: Report) -> None:
    if not exudyn_peer.AVAILABLE:
        return
    report.versions["exudyn"] = version("exudyn")
    ours = Cables(10)
    solvers = {name: exudyn_peer.Solver(CABLES, 10, LENGTH, MATERIAL, GRAVITY, H, sparse)
               for name, sparse in (("dense", False), ("sparse", True))}
    rows = []
    for _ in range(9):
        start = time.thread_time()
        ours.step(STEPS)
        rows.append([(time.thread_time() - start) / STEPS, *(solver.step(100) for solver in solvers.values())])
    mine, *theirs = np.median(rows, axis=0)
    what = f"Exudyn's ANCF cables in a plane, generalised alpha: {1e6 * min(theirs):.0f} us"
    report.set("ratio_exudyn", min(theirs) / mine, what)
    for name, spent in zip(solvers, theirs, strict=True):
        report.extras[f"Exudyn, {name} solver, us"] = 1e6 * spent


def mujoco(report: Report) -> None:
    """MuJoCo's rods, which bend and twist but do not stretch: another model, so there is no ratio and no bar."""
    report.extras["mujoco_step_us"] = MISSING
    if not mujoco_peer.HAS_RODS:
        return
    _, EI, density = MATERIAL
    peers = [mujoco_peer.Rods(CABLES, 10, LENGTH, EI, density, GRAVITY, H, solver) for solver in ("CG", "Newton")]
    ours, *theirs = measure(*(partial(each.step, STEPS) for each in (Cables(10), *peers)), repetitions=9)
    # dropped from straight, a beam that nothing damps swings to at most twice its static sag
    if not all(0 < rods.sag() < 2.1 * 5 * density * GRAVITY * LENGTH**4 / (384 * EI) for rods in peers):
        raise RuntimeError("MuJoCo's rods do not hang as beams do")
    report.extras["mujoco_step_us"] = 1e6 * min(each.median for each in theirs) / STEPS
    report.extras["mujoco_step_us over ours in the same turns"] = min(each.median for each in theirs) / ours.median


def snare(report: Report) -> None:
    """Every step of a grapple and latch of the free payload of 20 t: cables, what touches, friction, mechanism."""
    spec = contactlib.load(SCENE)
    if not any(element.kind == "snare" for element in spec.elements):
        return
    simulation = contactlib.Simulation(spec.with_motion("fixed", "lee").with_motion("free", "grapple").compile())
    parts = []
    for command, duration in PARTS:
        simulation.elements["snare"].set(command=command)
        parts.append(common.step_times(simulation.data, H, round(duration / H), repetitions=3))
    spent = np.concatenate(parts)
    if not simulation.elements["snare"].captured:
        raise RuntimeError("the snare has not caught the pin: its steps are not those of a grapple and latch")
    what = f"grapple and latch in {SCENE}, {sum(t for _, t in PARTS):g} s in steps of 1 ms, payload in the solve"
    report.set("lee_step_mean_us", 1e6 * float(spent.mean()), what)
    report.set("lee_step_worst_us", 1e6 * float(spent.max()), "the worst of these steps, its median of three runs")


if __name__ == "__main__":
    common.run(Report(BARS), [cost, growth, exudyn, mujoco, snare], __doc__ or "")
