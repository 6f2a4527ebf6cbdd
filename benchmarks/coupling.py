"""Coupling at large communication steps: the energy of an elastic impact, stable steps of scenes, what a step costs.

Two bodies of 10 kg meet at 2 m/s and part again; contact lasts 70 ms. The contact FMU is run by a Jacobi master,
with `coupling = "gauss_seidel"` by one that steps the contact first; bodies move exactly under the wrench they get.
Run it with ``python -m benchmarks.coupling --json OUT.json``; it needs the FMU binary (`make fmus`).
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import contactlib
from benchmarks import changing_steps, stable_steps, wrong_masses
from benchmarks.common import Bar, Report, run
from contactlib.common.options import COUPLINGS
from contactlib.fmu import master
from contactlib.fmu.export import export_fmu
from contactlib.shapes.mass import MassProperties

STEPS = (20e-3, 10e-3, 5e-3, 2e-3, 1e-3)
MASS, STIFFNESS, SPEED, GAP = 10.0, 1e4, 1.0, 0.1
DURATION = 0.3
PHASES = 5  # where in a step contact begins

BARS = (
    Bar("energy_error_20ms", 0.05, 0.02),
    Bar("energy_error_10ms", 0.01, 0.002),
    Bar("energy_error_5ms", 0.001, 0.0005),
    Bar("energy_error_10ms_mass30", 0.02, 0.005),
    Bar("stable_step_gain_peg", 5, 20, at_least=True),
    Bar("stable_step_gain_cbm", 5, 20, at_least=True),
    Bar("stable_step_gain_lee", 5, 20, at_least=True),
    Bar("fmpy_step_us", 5, 3),
    Bar("stable_step_gain_peg_mass30", 20, 100, at_least=True),
    Bar("stable_step_gain_cbm_mass30", 5, 20, at_least=True),
    Bar("stable_step_gain_lee_mass30", 5, 20, at_least=True),
    Bar("variable_steps_2_20", 0.02, 0.005),
    Bar("variable_steps_gain", 0.02, 0),
    Bar("order_swapped_told", 1, 1, at_least=True),
)


def impact(mode: str, factor: float = 1.0, gap: float = GAP) -> contactlib.Spec:
    """Two balls that meet head on, elastic; `factor` is what the scene believes of their masses."""
    def ball(name: str, side: float) -> dict[str, object]:
        shape = {"name": "ball", "kind": "sphere", "radius": 0.1, "material": "steel"}
        state = {"r": [side * (0.1 + gap / 2), 0.0, 0.0], "v": [-side * SPEED, 0.0, 0.0]}
        return {"name": name, "mass": factor * MASS, "inertia": [factor * 0.04] * 3, "state": state, "shape": [shape]}

    normal = {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": 0.0}
    return contactlib.Spec.from_dict({
        "scene": {"name": "impact", "coupling": mode, "step_size": 1e-4, "duration": DURATION},
        "body": [ball("left", -1.0), ball("right", 1.0)],
        "law": [{"name": "touch", "materials": ["steel", "steel"], "normal": normal}],
        "pair": [{"bodies": ["left", "right"]}],
    })


def energy_gain(mode: str, h: float, factor: float, phase: float) -> float:
    """E/E0 - 1 when the bodies have parted. The master's bodies have their true mass."""
    gap = GAP + 2 * SPEED * h * phase
    true = MassProperties(MASS, np.zeros(3), 0.04 * np.eye(3))
    with tempfile.TemporaryDirectory() as folder:
        path = export_fmu(impact(mode, factor, gap).compile(), Path(folder) / "impact.fmu")
        result = master.couple(path, duration=DURATION, dt=h, integrator="rk4",
                                 masses={"left": true, "right": true})
    if result.trajectory.contact_count[-1] or not result.trajectory.contact_count.any():
        raise RuntimeError(f"{mode} at {h} s: the bodies have not met and parted")
    kinetic = result.balance.kinetic
    return float(kinetic[-1] / kinetic[0] - 1.0)


@cache
def worst(mode: str, h: float, factor: float = 1.0) -> float:
    """The largest error over the phases, with its sign."""
    gains = [energy_gain(mode, h, factor, k / PHASES) for k in range(PHASES)]
    return max(gains, key=abs)


def energies(report: Report) -> None:
    for h in STEPS[:3]:
        key = f"energy_error_{1e3 * h:.0f}ms"
        report.set(key, abs(worst("jacobi", h)), f"|E/E0 - 1|, Jacobi master, worst of {PHASES} phases")
    wrong = max(abs(worst("jacobi", 10e-3, factor)) for factor in (0.7, 1.3))
    report.set("energy_error_10ms_mass30", wrong, "the same, masses wrong by 30 %")


def table(report: Report) -> None:
    """E/E0 - 1 of every mode, step and error of the masses."""
    print(f"{'E/E0 - 1':22}" + "".join(f"{1e3 * h:>9.0f} ms" for h in STEPS))
    for mode in COUPLINGS:
        for factor in (1.0, 1.3, 0.7) if mode != "none" else (1.0,):
            name = mode + ("" if factor == 1.0 else f", mass x {factor:g}")
            gains = [worst(mode, h, factor) for h in STEPS]
            print(f"{name:22}" + "".join(f"{gain:>+12.6f}" for gain in gains))
            for h, gain in zip(STEPS, gains, strict=True):
                report.extras[f"{name}, {1e3 * h:.0f} ms: E/E0 - 1"] = gain


PARTS = (energies, table, stable_steps.gains, stable_steps.fmpy_steps, wrong_masses.gains,
         changing_steps.variable_steps, changing_steps.swapped)

if __name__ == "__main__":
    run(Report(BARS), PARTS,
        "The energy error of a coupled impact over the communication step, and the largest stable steps of scenes.")
