"""The berthing rings: what a step of the complete scene costs, and how evenly.

Run it with ``python benchmarks/cbm.py --json OUT.json``; ``--steps 1000000`` for as many steps as the bar names. README.md
tells what each figure means.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave

import common
import contactlib
from common import Bar, Floats, Report
from contactlib.fmu.export import export_fmu

BARS = (
    Bar("cbm_step_us", 100, 40),
    Bar("cbm_realtime_factor", 10, 25, at_least=True),
    Bar("cbm_worst_over_median", 5, 2),
)
SCENE, H = "cbm", 1e-3
PUSH, LATCHING, SETTLING = -20.0, 14.0, 3.0  # N on the module while the latches close, s, and s from then to rest
SHAKE, BLOCK = 300.0, 2500  # N along and across, and how many steps it stays the same way
STEPS = 30_000  # of a module that is berthed and shaken
COMMUNICATION = 1e-2  # s, of the FMU


def spec() -> contactlib.Spec:
    """The complete scene: the active ring still, the module free, the control told to go on by itself."""
    found = contactlib.load(SCENE)
    elements = tuple(replace(each, command="automatic") if each.kind == "berthing" else each for each in found.elements)
    bodies = tuple(replace(body, state=(0.0, 0.0, 0.105, 1.0, *[0.0] * 9)) if body.name == "passive" else body
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


def berthed_and_shaken(simulation: contactlib.Simulation, steps: int) -> Floats:
    """The times of steps of a berthed module, in blocks of one direction of the force each."""
    random, parts = np.random.default_rng(1), []
    for begin in range(0, steps, BLOCK):
        simulation.apply("passive", tuple(random.uniform(-SHAKE, SHAKE, 3)), tuple(random.uniform(-SHAKE, SHAKE, 3)))
        parts.append(least_times(simulation, min(BLOCK, steps - begin)))
    return np.concatenate(parts)


def steps(report: Report, count: int) -> None:
    simulation = contactlib.Simulation(spec().with_motion("fixed", "active").with_motion("free", "passive").compile())
    simulation.apply("passive", (0.0, 0.0, PUSH))
    latching = least_times(simulation, round(LATCHING / H))
    control = simulation.elements["berthing"]
    if not control.berthed:
        raise RuntimeError(f"the module is not berthed (phase {control.phase:g}): its steps are not those of a berthing")
    simulation.step(SETTLING)
    spent = berthed_and_shaken(simulation, count)
    if not control.berthed:
        raise RuntimeError("the module was shaken loose")
    contacts, median = simulation.data.contact_count, float(np.median(spent))
    what = f"median of {count} steps of 1 ms, module berthed and shaken, {contacts} contacts; control, latches, indicators"
    report.set("cbm_step_us", 1e6 * median, what)
    report.set("cbm_realtime_factor", H / float(spent.mean()), "1 ms over the mean of these steps")
    report.set("cbm_worst_over_median", float(spent.max()) / median, "of these, each step the least of three equal runs")
    report.extras["mean step of the berthing before that, 14 s, us"] = 1e6 * float(latching.mean())
    report.extras["its worst step, us"] = 1e6 * float(latching.max())
    report.extras["shapes"] = float(sum(len(body.shapes) for body in spec().rigid_bodies))


def fmu(report: Report) -> None:
    """doStep of 10 ms with 10 steps of the core, in FMPy: rings apart, then berthed."""
    model = spec().compile()
    place = [variable.name for variable in model.variables]
    with tempfile.TemporaryDirectory() as folder:
        path = export_fmu(model, Path(folder) / "cbm.fmu")
        unzipped = fmpy.extract(str(path), unzipdir=str(Path(folder) / "cbm"))
        described = fmpy.read_model_description(unzipped)
        slave = FMU2Slave(guid=described.guid, unzipDirectory=unzipped, instanceName="cbm",
                          modelIdentifier=described.coSimulation.modelIdentifier)
        slave.instantiate()
        slave.setupExperiment()
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        height, at, spent = place.index("passive.r[3]"), 0.0, {}
        for name, gap, seconds in (("apart", 0.105, 10.5), ("berthed", 0.0012, 4.0)):
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
