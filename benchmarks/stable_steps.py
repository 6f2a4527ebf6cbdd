"""The largest communication step at which a scene behaves, with held wrenches and with `coupling`; steps of FMPy."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import contactlib
from benchmarks.common import Floats, Report, measure
from contactlib.elements.latch import Latch
from contactlib.fmu import master
from contactlib.fmu.export import export_fmu

RATIO = np.sqrt(2.0)  # between the steps that are tried
FEWEST = 20  # steps in a run
MODES = ("none", "jacobi", "gauss_seidel")


@dataclass(frozen=True)
class Case:
    """A scene whose free bodies a master moves; `good` judges a run, and `first` (s) is where the search begins."""

    name: str
    spec: contactlib.Spec
    duration: float  # s
    fixed: tuple[str, ...]
    first: dict[str, float]
    good: Callable[[master.CoupledRun], bool]
    what: str


def peg() -> Case:
    """Ten kilograms dock into the four holes of a hundred at 20 mm/s."""

    def good(run: master.CoupledRun) -> bool:
        energy = run.balance.kinetic + run.energy_stored
        return bool(energy.max() < 1.05 * energy[0])  # nothing drives the bodies: they can only slow down

    first = {"none": 0.5e-3, "jacobi": 8e-3, "gauss_seidel": 8e-3}
    return Case("peg", contactlib.load("peg_in_hole"), 6.0, (), first, good,
                "peg_in_hole, never more energy than at the start")


def cbm() -> Case:
    """A module of 13 t hangs in closed latches, 0.5 mm off its rest and moving at 1 mm/s; no arm holds it."""
    spec, duration = contactlib.load("cbm"), 2.0
    state = (0.0, 0.0, 2e-3, 1.0, *[0.0] * 5, -1e-3, *[0.0] * 3)
    elements = tuple(replace(e, motor=replace(e.motor, start=e.motor.high)) if isinstance(e, Latch) else e
                     for e in spec.elements)
    bodies = tuple(replace(body, state=state) if body.name == "passive" else body for body in spec.bodies)
    spec = replace(spec, elements=elements, bodies=bodies)
    together = spec.with_motion("fixed", "active").with_motion("free", "passive").compile()
    most = 2.0 * speeds(contactlib.Simulation(together).run(duration, spec.longest_step)).max()

    def good(run: master.CoupledRun) -> bool:
        speed = speeds(run.trajectory)
        return bool(speed.max() < most and speed[run.trajectory.time > 0.9 * duration].max() < 0.05 * most)

    first = {"none": 2.5e-3, "jacobi": 10e-3, "gauss_seidel": 20e-3}
    return Case("cbm", spec, duration, (), first, good,
                "cbm berthed, 13 t: calm after 2 s, never twice as fast as with one solver")


def speeds(trajectory: contactlib.Trajectory) -> Floats:
    return np.asarray(np.linalg.norm(trajectory.body("passive")[:, 7:10], axis=1))


def tension(trajectory: contactlib.Trajectory) -> float:
    return max(float(trajectory.output(f"snare.tension[{k}]").max()) for k in (1, 2, 3))


def lee() -> Case:
    """A snare on a fixed base closes on the pin of a payload of 500 kg, a fortieth of the scene's, and holds it."""
    spec, duration = contactlib.load("lee_snare"), 7.0
    heavy = spec.bodies[1]
    inertia = tuple(np.asarray(heavy.inertia) * 500.0 / heavy.mass)
    base = replace(spec.bodies[0], mass=None, inertia=None, com=None)  # with a mass its motion would be predicted
    spec = replace(spec, bodies=(base, replace(heavy, mass=500.0, inertia=inertia)))
    together = spec.with_motion("fixed", "lee").with_motion("free", "grapple").compile()
    most = 1.25 * tension(contactlib.Simulation(together).run(duration, spec.longest_step))

    def good(run: master.CoupledRun) -> bool:
        trajectory = run.trajectory
        return bool(trajectory.output("snare.captured")[-1] == 1 and tension(trajectory) < most)

    first = {"none": 2e-3, "jacobi": 8e-3, "gauss_seidel": 16e-3}
    return Case("lee", spec, duration, ("lee",), first, good,
                "lee_snare with 500 kg: captured, with no more than 1.25 times the tension of one solver")


def largest_step(case: Case, mode: str) -> float:
    """s; each step of the ladder from `first` up to it is good, the next is not, or leaves fewer than FEWEST."""
    with tempfile.TemporaryDirectory() as folder:
        path = export_fmu(replace(case.spec, coupling=mode).compile(), Path(folder) / "scene.fmu")

        def good(h: float) -> bool:
            try:
                run = master.couple(path, duration=case.duration, dt=h, integrator="rk4", fixed=case.fixed)
            except master.CouplingError:
                return False
            return case.good(run)

        h = case.first[mode]
        if good(h):
            while h * RATIO <= case.duration / FEWEST and good(h * RATIO):
                h *= RATIO
            return h
        while not good(h):
            h /= RATIO
            if h < 1e-5:
                raise RuntimeError(f"{case.name}, {mode}: no step is small enough")
        return h


def gains(report: Report) -> None:
    """With the same master, Jacobi's, as all can be; what one that steps the contact first gains is in the extras."""
    for case in (peg(), cbm(), lee()):
        steps = {mode: largest_step(case, mode) for mode in MODES}
        report.set(f"stable_step_gain_{case.name}", steps["jacobi"] / steps["none"], case.what)
        for mode, h in steps.items():
            report.extras[f"{case.name}, {mode}: largest stable step, ms"] = 1e3 * h


def fmpy_steps(report: Report, steps: int = 2000) -> None:
    """The scene's four pins in their holes: all inputs set at once and one step, from Python."""
    spec = contactlib.load("peg_in_hole")
    with tempfile.TemporaryDirectory() as folder:
        path = export_fmu(spec.compile(), Path(folder) / "scene.fmu")
        docked = master.couple(path, duration=3.0, dt=5e-4).trajectory
        states: Floats = docked.states[docked.contact_count.argmax()]
        with master.ContactFmu(path) as fmu:
            fmu.start(states)
            now, h = [0.0], spec.longest_step

            def run() -> None:
                for _ in range(steps):
                    fmu.step(now[0], h, states)
                    now[0] += h

            (times,) = measure(run, repetitions=15)
            if fmu.read()[1] == 0:
                raise RuntimeError("no pin touches")
    report.set("fmpy_step_us", 1e6 * times.median / steps, "peg_in_hole, four pins in holes: set 26 inputs, doStep")
