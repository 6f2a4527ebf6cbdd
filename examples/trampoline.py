"""The membrane as an FMU, its two bodies moved by FMPy: python examples/trampoline.py."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import contactlib
from contactlib.coupling import CoupledRun, couple
from contactlib.fmu.export import export_fmu
from validation import conclude

DURATION = 40.0  # s: the touch at 4.8 s and the push back
STEPS = 0.1, 0.05, 0.025  # s


def run() -> dict[str, float]:
    """Couples both bodies with the FMU at three steps, and runs them in the core; returns what was measured."""
    spec = contactlib.load("trampoline")
    with tempfile.TemporaryDirectory() as folder:
        fmu = export_fmu(spec.compile(), Path(folder) / "trampoline.fmu")
        coupled = [couple(fmu, duration=DURATION, dt=step, integrator="rk4") for step in STEPS]
    alone = contactlib.Simulation(spec.with_motion("free", *coupled[0].masses).compile()).run(DURATION, 0.025)
    errors = [distance(one, alone.states[-1]) for one in coupled]
    return {
        "elsewhere at steps of 0.1 s": errors[0] * 1e3,
        "order, from 0.1 s to 0.05 s": float(np.log2(errors[0] / errors[1])),
        "order, from 0.05 s to 0.025 s": float(np.log2(errors[1] / errors[2])),
        "linear momentum lost": coupled[0].balance.linear_error,
        "angular momentum lost": coupled[0].balance.angular_error,
    }


def distance(coupled: CoupledRun, states: np.ndarray) -> float:
    """How far off a body ends at most (m)."""
    return float(np.linalg.norm((coupled.trajectory.states[-1] - states)[:, :3], axis=1).max())


if __name__ == "__main__":
    conclude("trampoline", run())
