"""Many worlds in one call: two threads beside one, and beside a loop over separate simulations.

Run it with ``python -m benchmarks.vector_worlds --json OUT.json``. README.md tells what each figure means.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

import contactlib
from benchmarks import common
from benchmarks.common import Bar, Floats, Report, measure
from contactlib.model.model import Model

BARS = (
    Bar("worlds_speedup_two_threads", 1.9, 1.97, at_least=True),
    Bar("worlds_step_us", 4.0, 1.5),
)
WORLDS, REPETITIONS = 512, 101


def pins_in_holes() -> tuple[Model, Floats]:
    """The four-pin scene, and states (n, 2, 13) in which the pins are in their holes and touch them."""
    model = contactlib.load("peg_in_hole").compile()
    states = np.repeat(contactlib.Simulation(model).states[None], WORLDS, axis=0)
    around = np.linspace(0.0, 2 * np.pi, WORLDS)
    states[:, 0, 0], states[:, 0, 1], states[:, 0, 2] = 3e-4 * np.cos(around), 3e-4 * np.sin(around), 0.03
    states[:, 0, 7:10] = 0.0
    return model, states


def steps(report: Report) -> None:
    model, states = pins_in_holes()
    worlds = [contactlib.VectorSimulation(model, WORLDS, num_threads=threads) for threads in (1, 2)]
    calls = [partial(each.step, model.step_size, states) for each in worlds]
    one, two = measure(*calls, repetitions=REPETITIONS, clock=time.perf_counter)
    if worlds[0].save() != worlds[1].save() or not (worlds[0].get("contact.count") > 0).all():
        raise SystemExit("the worlds of one and of two threads differ, or do not touch")
    report.set("worlds_speedup_two_threads", float(np.median(one.all / two.all)),
               f"{WORLDS} worlds of four pins in contact, states in, wrenches out; median of {REPETITIONS} ratios")
    report.set("worlds_step_us", 1e6 * one.median / WORLDS,
               f"a step of {1e3 * model.step_size:g} ms of one of them, one thread")
    report.extras["shortest time of one thread over that of two, also on a busy machine"] = one.least / two.least
    loop(report, model, states, one.median / WORLDS)


def loop(report: Report, model: Model, states: Floats, ours: float) -> None:
    """The same steps in a Python loop over Simulations."""
    alone = [contactlib.Simulation(model) for _ in range(256)]
    [times] = measure(lambda: [each.step(model.step_size, state) for each, state in zip(alone, states, strict=False)],
                      repetitions=REPETITIONS, clock=time.perf_counter)
    per_step = times.median / len(alone)
    report.extras["a loop over Simulations in Python, us per step"] = 1e6 * per_step
    report.extras["the same over a step of one call, one thread"] = per_step / ours


if __name__ == "__main__":
    common.run(Report(BARS), (steps,), __doc__)
