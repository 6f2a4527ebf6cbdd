"""Scenes whose masses are wrong: mass, inertia and centre of mass of every body that a master moves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import contactlib
from benchmarks import stable_steps
from benchmarks.common import Report
from contactlib.fmu import master
from contactlib.fmu.export import export_fmu
from contactlib.shapes.mass import MassProperties

ORDERS = ("jacobi", "gauss_seidel")
KINDS = ("mass", "inertia", "centre", "all")
DIRECTION = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)  # in which the centre of mass is wrong, body axes


def wrong_spec(spec: contactlib.Spec, factor: float, kind: str) -> contactlib.Spec:
    """The scene with `factor` times the true values; the centre by factor - 1 radii of gyration."""
    return replace(spec, bodies=tuple(_wrong(body, factor, kind) if body.mass else body for body in spec.bodies))


def _wrong(body: contactlib.Body, factor: float, kind: str) -> contactlib.Body:
    true = body.mass_properties()
    assert true is not None
    radius = np.sqrt(np.trace(true.inertia) / (2.0 * true.mass))
    mass, inertia, com = true.mass, true.inertia, true.com
    if kind in ("mass", "all"):
        mass = factor * mass
    if kind in ("inertia", "all"):
        inertia = factor * inertia
    if kind in ("centre", "all"):
        com = com + (factor - 1.0) * radius * DIRECTION
    return replace(body, mass=mass, com=tuple(com), inertia=tuple(map(tuple, inertia)))


def true_masses(case: stable_steps.Case) -> dict[str, MassProperties]:
    found = {body.name: body.mass_properties() for body in case.spec.bodies if body.mass}
    return {name: true for name, true in found.items() if true is not None and name not in case.fixed}


def run(case: stable_steps.Case, order: str, h: float, factor: float, kind: str = "all") -> master.CoupledRun | None:
    """A coupled run in which the plant has the true masses; None if the FMU ends it as unstable."""
    model = replace(wrong_spec(case.spec, factor, kind), coupling=order).compile()
    with tempfile.TemporaryDirectory() as folder:
        path = export_fmu(model, Path(folder) / "scene.fmu")
        try:
            return master.couple(path, duration=case.duration, dt=h, integrator="rk4", fixed=case.fixed,
                                 masses=true_masses(case))
        except master.CouplingError:
            return None


def good(case: stable_steps.Case, order: str, h: float, factor: float, kind: str = "all") -> bool:
    done = run(case, order, h, factor, kind)
    return done is not None and case.good(done)


@cache
def held_step(name: str) -> float:
    """s, the largest step that held wrenches bear; it does not depend on the masses of the scene."""
    return stable_steps.largest_step(getattr(stable_steps, name)(), "none")


def variants(error: float) -> Iterator[tuple[str, float, str]]:
    for order in ORDERS:
        for factor in (1.0 - error, 1.0 + error):
            for kind in KINDS:
                yield order, factor, kind


def stable_gain(name: str, error: float, first: float, last: float) -> float:
    """The largest of the steps, `first` to `last` times the one of held wrenches, up to which all are good; else 0."""
    case, held, gain, found = getattr(stable_steps, name)(), held_step(name), first, 0.0
    while gain <= last * (1.0 + 1e-9) and all(good(case, o, gain * held, f, k) for o, f, k in variants(error)):
        found, gain = gain, gain * np.sqrt(2.0)
    return float(found)


def gains(report: Report) -> None:
    """With masses wrong by 30 %, up to the goal; those with 50 % are in the extras."""
    for name, (least, goal) in {"peg": (20.0, 80.0), "cbm": (5.0, 20.0), "lee": (5.0, 20.0)}.items():
        what = "mass, inertia, centre, and all of them wrong by +-30 %, both orders; steps by factors of sqrt(2)"
        report.set(f"stable_step_gain_{name}_mass30", stable_gain(name, 0.3, least, goal), what)
        half = stable_gain(name, 0.5, least / 2, least)
        report.extras[f"{name}: gain of the stable step, masses wrong by 50 %"] = half
