"""The berthing rings: what a step of the complete scene costs, and how evenly.

Run it with ``python -m benchmarks.cbm --json OUT.json``; ``--steps 1000000`` for as many steps as the bar names.
README.md tells what each figure means.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace

import numpy as np

import contactlib
from benchmarks import common
from benchmarks.common import Bar, Floats, Report
from benchmarks.native_fmu import instance

BARS = (
    Bar("cbm_step_us", 100, 40),
    Bar("cbm_realtime_factor", 10, 25, at_least=True),
    Bar("cbm_worst_over_median", 5, 2),
)
SCENE, H = "cbm", 1e-3
GAP = 0.13  # m, between the rings at the start
ARM = (-400.0, 2e4)  # N along the axis, N s/m: what brings the module, and damps it
MOST, SETTLING = 40.0, 3.0  # s, until it has to be berthed, and from then to rest
SHAKE, BLOCK = 300.0, 2500  # N along and across, and how many steps it stays the same way
STEPS = 30_000  # of a module that is berthed and shaken
COMMUNICATION = 1e-2  # s, of the FMU


def spec() -> contactlib.Spec:
    """The complete scene: the active ring still, the module free, the control told to go on by itself."""
    found = contactlib.load(SCENE)
    elements = tuple(replace(each, command="automatic") if each.kind == "berthing" else each for each in found.elements)
    bodies = tuple(replace(body, state=(0.0, 0.0, GAP, 1.0, *[0.0] * 9)) if body.name == "passive" else body
                   for body in found.bodies)
    return replace(found, elements=elements, bodies=bodies)


def least_times(simulation: contactlib.Simulation, steps: int, repetitions: int = 3) -> Floats:
    """Processor times (steps,), s: of each step the least of runs from the same state, which all do the same work."""
    start = simulation.save()
    rows = np.zeros((repetitions, steps))
    for row in rows:
        simulation.restore(start)
        for k in range(steps):
            begun = time.thread_time()
            simulation.data.advance(H)
            row[k] = time.thread_time() - begun
    return np.asarray(rows.min(axis=0))


def berth(simulation: contactlib.Simulation) -> Floats:
    """Times of steps of the core, each the mean of ten, s, until the module is berthed and has come to rest."""
    push, damping = ARM
    control, spent, rest = simulation.elements["berthing"], [], SETTLING
    while rest > 0.0:
        velocity = simulation.states[simulation.model.body_names.index("passive"), 7:10]
        simulation.apply("passive", tuple(-damping * velocity + [0.0, 0.0, 0.0 if control.captured else push]))
        begun = time.thread_time()
        simulation.data.advance(10.0 * H)
        spent.append((time.thread_time() - begun) / 10.0)
        rest -= 10.0 * H if control.berthed else 0.0
        if simulation.time > MOST:
            raise RuntimeError(f"the module is in phase {control.phase:g}, not berthed: these are not the steps meant")
    return np.array(spent)


def berthed_and_shaken(simulation: contactlib.Simulation, steps: int) -> Floats:
    """The times of steps of a berthed module, in blocks of one direction of the force each."""
    random, parts = np.random.default_rng(1), []
    for begin in range(0, steps, BLOCK):
        simulation.apply("passive", tuple(random.uniform(-SHAKE, SHAKE, 3)), tuple(random.uniform(-SHAKE, SHAKE, 3)))
        parts.append(least_times(simulation, min(BLOCK, steps - begin)))
    return np.concatenate(parts)


def steps(report: Report, count: int) -> None:
    simulation = contactlib.Simulation(spec().with_motion("fixed", "active").with_motion("free", "passive").compile())
    latching, control = berth(simulation), simulation.elements["berthing"]
    spent = berthed_and_shaken(simulation, count)
    if not control.berthed:
        raise RuntimeError("the module was shaken loose")
    contacts, median = simulation.data.contact_count, float(np.median(spent))
    what = f"median of {count} steps of 1 ms, module berthed and shaken, {contacts} contacts, with latches and control"
    report.set("cbm_step_us", 1e6 * median, what)
    report.set("cbm_realtime_factor", H / float(spent.mean()), "1 ms over the mean of these steps")
    report.set("cbm_worst_over_median", float(spent.max()) / median, "of these, each the least of three equal runs")
    took = f"{10.0 * H * len(latching):.3g} s"
    report.extras[f"mean step of the berthing before that, {took}, us"] = 1e6 * float(latching.mean())
    report.extras["shapes"] = float(sum(len(body.shapes) for body in spec().rigid_bodies))


def fmu(report: Report) -> None:
    """doStep of 10 ms with 10 steps of the core, in FMPy: rings apart, then berthed."""
    model = spec().compile()
    place = [variable.name for variable in model.variables]
    with tempfile.TemporaryDirectory() as folder:
        slave = instance(model, folder)
        height, at, spent = place.index("passive.r[3]"), 0.0, {}
        for name, gap, seconds in (("apart", 0.088, 10.5), ("berthed", 0.0012, 4.0)):
            slave.setReal([height], [gap])
            times = []
            for _ in range(round(seconds / COMMUNICATION)):
                begun = time.thread_time()
                slave.doStep(at, COMMUNICATION)
                times.append(time.thread_time() - begun)
                at += COMMUNICATION
            spent[name] = times[len(times) // 2:]
        count = slave.getInteger([place.index("contact.count")])[0]
        slave.terminate()
        slave.freeInstance()
    for name, times in spent.items():
        report.extras[f"doStep of 10 ms, 10 steps, {name}, us"] = 1e6 * float(np.median(times))
    report.extras["contacts of the last doStep"] = float(count)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--steps", type=int, default=STEPS)
    arguments, sys.argv[1:] = parser.parse_known_args()
    common.run(Report(BARS), [lambda report: steps(report, arguments.steps), fmu], __doc__ or "")
