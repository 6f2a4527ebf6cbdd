"""Coupling with steps that change, and in the wrong order: the energy of an impact, and what the FMU tells."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

import contactlib
from benchmarks import stable_steps
from benchmarks.common import Floats, Report
from benchmarks.wrong_masses import ORDERS
from contactlib.simulation import rigid_body

SHORTEST, LONGEST = 2e-3, 20e-3  # s
SEEDS = range(20)
UNTIL = {"peg": 1.5, "cbm": 0.5, "lee": 3.7}  # s, in which each scene has contact


class Master:
    """Moves the external bodies with a mass exactly under the wrench that it holds."""

    def __init__(self, spec: contactlib.Spec, order: str) -> None:
        self.simulation = contactlib.Simulation(spec.compile())
        self.moving = [i for i, body in enumerate(spec.bodies) if body.motion == "external" and body.mass]
        masses = [spec.bodies[i].mass_properties() for i in self.moving]
        self.masses = rigid_body.Masses.of([mass for mass in masses if mass is not None])
        self.order, self.states = order, self.simulation.states.copy()
        self.wrenches = self.simulation.wrenches.copy()

    def announce(self, h: float) -> None:
        self.simulation.set("next_step", h)

    def start(self) -> None:
        self.simulation.compute(self.states)
        self.wrenches = self.simulation.wrenches.copy()

    def step(self, h: float) -> None:
        self.simulation.step(h, self.states)
        new = self.simulation.wrenches.copy()
        held = (new if self.order == "gauss_seidel" else self.wrenches)[self.moving]
        self.states = self.states.copy()
        self.states[self.moving] = rigid_body.rk4(self.masses, self.states[self.moving], held, None, h)
        self.wrenches = new

    @property
    def told(self) -> bool:
        return any("set coupling" in sentence for sentence in self.simulation.warnings)


def impact(spec: contactlib.Spec, seed: int, announced: bool) -> Floats:
    """(E/E0 - 1) after the impact, and the largest there ever was; steps are drawn from SHORTEST to LONGEST."""
    random = np.random.default_rng(seed)
    master = Master(spec, "jacobi")
    speed = master.states[0, 7]
    master.states[:, 0] -= master.states[:, 7] * random.uniform(0.0, LONGEST)
    steps = random.uniform(SHORTEST, LONGEST, 100)
    if announced:
        master.announce(steps[0])
        master.start()
    energies, time = [1.0], 0.0
    for h, following in pairwise(steps):
        if announced:
            master.announce(following)
        master.step(h)
        time += h
        energies.append(float((master.states[:, 7] ** 2).mean() / speed**2))
        if time > 0.4:
            break
    if len(master.simulation.contacts) or min(energies) > 0.9:
        raise RuntimeError(f"seed {seed}: the bodies have not met and parted")
    return np.array([energies[-1], max(energies)]) - 1.0


def variable_steps(report: Report) -> None:
    from benchmarks.coupling import impact as scene

    spec = scene("jacobi")
    known, unknown = (np.array([impact(spec, seed, announced) for seed in SEEDS]) for announced in (True, False))
    report.set("variable_steps_2_20", float(np.abs(known).max()),
               f"|E/E0 - 1|, worst of {len(SEEDS)} draws, jacobi, next_step given")
    report.set("variable_steps_gain", float(max(0.0, unknown[:, 1].max())), "most energy gained without next_step")
    report.extras["most energy lost without next_step"] = float(-unknown[:, 0].min())


def swapped(report: Report) -> None:
    """1 if the wrong order is told in each scene and mode, and never the right one."""
    right = []
    for name, until in UNTIL.items():
        for mode in ORDERS:
            for order in ORDERS:
                master = Master(replace(getattr(stable_steps, name)().spec, coupling=mode), order)
                for _ in range(round(until / 10e-3)):
                    master.step(10e-3)
                right.append(master.told == (mode != order))
    report.set("order_swapped_told", float(all(right)), "steps of 10 ms, told only if the order is wrong")
