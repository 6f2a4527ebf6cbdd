"""Calls of one state: what Python and FMI add to the core, how long programs start, and the memory of instances.

Run it with ``python -m benchmarks.calls --json OUT.json``. README.md tells what each figure means.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import contactlib
from benchmarks import common
from benchmarks.common import MISSING, Bar, Floats, Report, measure
from benchmarks.native_fmu import NativeFmu
from contactlib import Simulation
from contactlib.simulation.ensemble import run_ensemble

BARS = (
    Bar("compute_us", 3.0, 2.0),
    Bar("step_us", 3.5, 2.5),
    Bar("get_number_us", 0.4, 0.2),
    Bar("fmu_dostep_over_kernel_us", 0.5, 0.1),
    Bar("fmu_empty_dostep_us", 1.0, 0.3),
    Bar("import_s", 0.3, 0.15),
    Bar("help_s", 0.4, 0.2),
    Bar("instance_kb", 100.0, 50.0),
)
CALLS, REPETITIONS, PROCESSES = 500, 40, 12
TOUCHING = {"interface": {"r": (0.0, 0.0003, 0.03)}}
HELP = "from contactlib.cli.main import app; app(['--help'])"


# ---- Python --------------------------------------------------------------------------------------


def repeated(call: Callable[[], object]) -> None:
    for _ in range(CALLS):
        call()


def times(calls: dict[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Median and least time of each call, us, without the loop around it."""
    empty, *found = measure(partial(repeated, lambda: None), *(partial(repeated, call) for call in calls.values()),
                            repetitions=REPETITIONS)
    return {name: ((each.median - empty.median) / CALLS * 1e6, (each.least - empty.least) / CALLS * 1e6)
            for name, each in zip(calls, found, strict=True)}


def in_python(report: Report) -> None:
    """The calls of a Simulation of peg_in_hole, its pins in front of their holes."""
    simulation = Simulation(contactlib.load("peg_in_hole").compile())
    h, states, saved = simulation.model.step_size, simulation.states.copy(), simulation.save()
    moved = {"interface": {"v": (0.0, 0.0, 0.0)}}
    found = times({
        "compute(states)": lambda: simulation.compute(states), "step(h, states)": lambda: simulation.step(h, states),
        'get("interface.f[3]")': lambda: simulation.get("interface.f[3]"),
        "compute()": simulation.compute, "step(h)": lambda: simulation.step(h),
        "compute of a dict": lambda: simulation.compute(moved),
        'compute(states).wrench("interface")': lambda: simulation.compute(states).wrench("interface"),
        "states": lambda: simulation.states, "wrenches": lambda: simulation.wrenches,
        "contacts": lambda: simulation.contacts, "time": lambda: simulation.time,
        'get("interface.f")': lambda: simulation.get("interface.f"),
        'set("pin_hole.stiffness", 1e5)': lambda: simulation.set("pin_hole.stiffness", 1e5),
        "save()": simulation.save, "restore(saved)": lambda: simulation.restore(saved),
        "data.evaluate(): the core, with one call from Python": simulation.data.evaluate,
        "data.advance(h): the core, with one call from Python": lambda: simulation.data.advance(h),
    })
    for key, name in (("compute_us", "compute(states)"), ("step_us", "step(h, states)"),
                      ("get_number_us", 'get("interface.f[3]")')):
        report.set(key, found[name][0], f"Simulation.{name} of peg_in_hole, apart, with its result")
    report.extras |= {f"{name}, least of {REPETITIONS} [us]": least for name, (_, least) in found.items()}
    long, = measure(partial(simulation.run, 1000 * h, h, every=1000), repetitions=REPETITIONS)
    report.extras[f"run of 1000 steps, a step, least of {REPETITIONS} [us]"] = long.least * 1e3
    touching = Simulation(simulation.model)
    count = len(touching.compute(TOUCHING).contacts)
    (_, least), = times({"compute()": touching.compute}).values()
    report.extras[f"compute() with {count} contacts, least of {REPETITIONS} [us]"] = least


# ---- FMU -----------------------------------------------------------------------------------------


def dostep(model: contactlib.Model, n: int = 2000) -> tuple[float, float, float]:
    """Times of a step (us) on held inputs: doStep called from C, the step of the engine, doStep by FMPy from Python."""
    h, start = model.step_size, Simulation(model).states[None]
    runs = [partial(run_ensemble, model, [], duration=k * h, dt=h, every=k, starts=start, num_threads=1)
            for k in (n, 1)]
    with NativeFmu(model, np.repeat(start, n, axis=0), h) as fmu:
        def by_fmpy() -> None:
            for _ in range(n):
                fmu.fmu.doStep(fmu.time[0], h)
                fmu.time[0] += h
        alone, python, many, one = measure(fmu.steps_alone, by_fmpy, *runs, repetitions=REPETITIONS)
    return alone.median / n * 1e6, float(np.median(many.all - one.all)) / (n - 1) * 1e6, python.median / n * 1e6


def in_fmu(report: Report) -> None:
    """doStep without the core's work: less the engine's step, and of a scene with nothing to compute."""
    alone, kernel, python = dostep(contactlib.load("peg_in_hole").compile())
    report.set("fmu_dostep_over_kernel_us", alone - kernel,
               f"fmi2DoStep of peg_in_hole, apart, less the {kernel:.3g} us of the engine's step in run_ensemble")
    report.extras["fmi2DoStep of peg_in_hole, apart, held inputs, called from C [us]"] = alone
    report.extras["the same by FMPy, from Python [us]"] = python
    nothing = contactlib.Spec.from_dict({"scene": {"name": "nothing"}, "body": [{"name": "alone"}]}).compile()
    alone, kernel, python = dostep(nothing)
    report.set("fmu_empty_dostep_us", alone,
               f"fmi2DoStep of one body without shapes, called from C; the engine's step takes {kernel:.3g} us of it")
    report.extras["doStep of one body without shapes by FMPy, from Python [us]"] = python


# ---- starts --------------------------------------------------------------------------------------


def processor_time(program: str) -> float:
    """Processor time of a new Python that runs a program, s."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = os.times()
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def starts(report: Report) -> None:
    """New processes, from files that the system's cache holds."""
    programs: Sequence[str] = ("pass", "import numpy", "import contactlib", "import typer", HELP)
    rows = [[processor_time(program) for program in programs] for _ in range(PROCESSES + 1)][1:]
    empty, numpy, ours, typer, helped = np.min(rows, axis=0)  # what else the machine does can only add to it
    report.set("import_s", float(ours), f"python -c 'import contactlib', of which Python {empty:.2g} s, NumPy "
                                        f"{numpy - empty:.2g} s")
    report.set("help_s", float(helped), f"contactlib --help, of which Python {empty:.2g} s, typer "
                                       f"{typer - empty:.2g} s")
    report.extras["import contactlib over import numpy, whole processes"] = float(ours / numpy)


# ---- memory --------------------------------------------------------------------------------------


def resident() -> int | None:
    """Memory of this process in the machine, bytes; None where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else None


def growth(model: contactlib.Model, n: int, kept: list[Simulation], states: Floats | None = None) -> float:
    """Bytes per Simulation of n of them that have made a step. `kept` keeps them: freed memory would be used again."""
    before = resident() or 0
    for _ in range(n):
        kept.append(Simulation(model))
        kept[-1].step(model.step_size, states)
    return ((resident() or 0) - before) / n


def of_bodies(bodies: int, shapes: int) -> contactlib.Model:
    """External bodies without a mass, each with so many balls and nothing to touch."""
    balls = [{"kind": "sphere", "radius": 0.1, "material": "a", "name": f"ball_{k}"} for k in range(shapes)]
    return contactlib.Spec.from_dict({
        "scene": {"name": "bodies"}, "body": [{"name": f"body_{i}", "shape": balls} for i in range(bodies)]}).compile()


def memory(report: Report) -> None:
    """Instances of peg_in_hole whose pins touch their holes, and what a contact, a body and a shape add to one."""
    if resident() is None:
        return report.set("instance_kb", MISSING, "/proc/self/statm tells the memory of a process, on Linux only")
    spec, kept = contactlib.load("peg_in_hole"), list[Simulation]()
    first = Simulation(spec.compile())
    count = len(first.compute(TOUCHING).contacts)
    size = growth(first.model, 2000, kept, first.states)
    report.set("instance_kb", size / 1e3, f"resident memory of each of 2000 Simulations of peg_in_hole after a step "
                                          f"with {count} contacts")
    report.extras["100000 of them [GB]"] = size * 1e5 / 1e9
    few, many = (growth(replace(spec, max_contacts=k).compile(), 200, kept) for k in (32, 1032))
    report.extras["a contact that an instance of peg_in_hole has capacity for [bytes]"] = (many - few) / 1000
    one, bodies, shapes = (growth(of_bodies(*numbers), 500, kept) for numbers in ((1, 1), (101, 1), (1, 101)))
    report.extras |= {"an instance of one body with a ball [bytes]": one,
                      "another body with a ball [bytes]": (bodies - one) / 100,
                      "another ball of that body [bytes]": (shapes - one) / 100}


if __name__ == "__main__":
    common.run(Report(BARS), (in_python, in_fmu, starts, memory), __doc__ or "")
