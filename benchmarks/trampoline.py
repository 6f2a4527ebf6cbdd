"""The trampoline: what the wrench of a membrane costs, beside the hull that Qhull makes for it, and whole captures.

Run it with ``python -m benchmarks.trampoline --json OUT.json``. README.md tells what each figure means.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from scipy.spatial import ConvexHull

import contactlib
from benchmarks import common
from benchmarks.common import Bar, Floats, Report, measure
from contactlib._core import engine
from contactlib.simulation.rigid_body import rotations
from tests.support.membranes import Case, hexagon, hull_of

BARS = (
    Bar("membrane_wrench_us", 12, 4),
    Bar("ratio_qhull", 15, 50, at_least=True),
    Bar("capture_realtime_factor", 2000, 8000, at_least=True),
    Bar("captures_1000_s", 40, 10),
)
CORNERS, BATCH, HULLS, CAPTURES = 500, 2000, 20, 1000
PARAMETERS = (1.5, 15.0, 146.14178688862404, 1.0, 0.02)  # of the paper's capture: k, c, A0, mu; our slip speed
DEEPEST = 3.0  # m: the paper's asteroid sinks in as far as this


def pear(count: int) -> tuple[Floats, engine.Ints]:
    """Corners spread evenly over a sphere, then drawn out to the shape of the asteroid, 13 m long."""
    i = np.arange(count) + 0.5
    z, around = 1 - 2 * i / count, np.pi * (1 + np.sqrt(5)) * i
    ball = np.column_stack([np.sqrt(1 - z * z) * np.cos(around), np.sqrt(1 - z * z) * np.sin(around), z])
    corners, triangles = hull_of(5 * (1 + 0.22 * ball[:, :1]) * ball * [1.15, 0.9, 0.8])
    return corners, triangles


def pressed(corners: Floats, n: int) -> tuple[Floats, Floats]:
    """States (n, 2, 13) with the asteroid any way round, up to 3 m deep, within 0.5 m of the middle; and the depths."""
    rng = np.random.default_rng(1)
    states = np.zeros((n, 2, 13))
    states[:, 0, 3] = 1.0
    q = rng.normal(size=(n, 4))
    states[:, 1, 3:7] = q / np.linalg.norm(q, axis=1, keepdims=True)
    lowest = (corners @ rotations(states[:, 1, 3:7])[:, 2].T).min(axis=0)
    depth = rng.uniform(0, DEEPEST, n)
    states[:, 1, :2] = rng.uniform(-0.5, 0.5, (n, 2))
    states[:, 1, 2] = -lowest - depth
    states[:, 1, 7:] = rng.normal(0, 0.05, (n, 6))
    return states, depth


def wrench(report: Report) -> None:
    case = Case(hexagon(), *pear(CORNERS))
    corners = case.design["p_BV"]
    states, depth = pressed(corners, BATCH)
    rows, _, _ = case.rows(PARAMETERS, states)
    over = rows["outside"] > 0
    smooth = (*PARAMETERS[:3], 0.0, PARAMETERS[4])
    points = np.vstack([hexagon(), corners])
    groups = {"within the frame, up to 1 m deep": states[~over & (depth < 1)],
              "within the frame, 2 to 3 m deep": states[~over & (depth > 2)],
              "over the rim": states[over]}
    calls = [partial(case.rows, PARAMETERS, states), lambda: [ConvexHull(points) for _ in range(HULLS)],
             partial(case.rows, smooth, states), *(partial(case.rows, PARAMETERS, group) for group in groups.values())]
    times = measure(*calls, repetitions=15)
    ours, qhull = 1e6 * times[0].median / BATCH, 1e6 * times[1].median / HULLS
    report.set("membrane_wrench_us", ours, "6 points, 500 corners, friction; any attitude, 0 to 3 m deep")
    report.set("ratio_qhull", qhull / ours, f"hull alone by scipy.spatial.ConvexHull: {qhull:.0f} us")
    report.extras["the same without friction, us"] = 1e6 * times[2].median / BATCH
    for (name, group), taken in zip(groups.items(), times[3:], strict=True):
        load_share = f"{name} ({100 * len(group) / BATCH:.1f} % of the states), us"
        report.extras[load_share] = 1e6 * taken.median / max(1, len(group))
    report.extras["corners that the fabric touches, mean"] = float(rows["touching"].mean())


def captures(report: Report) -> None:
    """The shipped capture, 170 s in steps of 0.1 s: one alone, and 1000 with other approaches in two threads."""
    spec = contactlib.load("trampoline_capture")
    model = spec.compile()
    one, = measure(lambda: contactlib.Simulation(model).step(spec.duration), repetitions=5)
    report.set("capture_realtime_factor", spec.duration / one.median, "one core, rk4 at 0.1 s, four bodies, no records")
    starts = np.tile([body.state for body in spec.rigid_bodies], (CAPTURES, 1, 1))
    starts[:, 0, :2] += np.random.default_rng(2).normal(0.0, 0.3, (CAPTURES, 2))  # where the asteroid is
    begin = time.perf_counter()
    runs = contactlib.run_ensemble(model, ["sada.bending[1]"], starts=starts, num_threads=2)
    report.set("captures_1000_s", (time.perf_counter() - begin) * 1000 / CAPTURES,
               f"{CAPTURES} approaches on two threads, a moment recorded, {sum(map(bool, runs.errors))} failed")


if __name__ == "__main__":
    common.run(Report(BARS), [wrench, captures], __doc__ or "")
