"""The membrane as an FMU, its two bodies moved by FMPy: python examples/trampoline.py."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import contactlib
from contactlib.coupling import CoupledRun, couple
from contactlib.fmu.export import export_fmu
from contactlib.simulation.results import Trajectory
from panels import Panel, draw
from validation import conclude

DURATION = 40.0  # s: the touch at 4.8 s and the push back
STEPS = 0.1, 0.05, 0.025  # s


def couplings() -> tuple[list[CoupledRun], Trajectory]:
    """Couple both bodies with the FMU at three steps, and run them in the core."""
    spec = contactlib.load("trampoline")
    with tempfile.TemporaryDirectory() as folder:
        fmu = export_fmu(spec.compile(), Path(folder) / "trampoline.fmu")
        coupled = [couple(fmu, duration=DURATION, dt=step, integrator="rk4") for step in STEPS]
    alone = contactlib.Simulation(spec.with_motion("free", *coupled[0].masses).compile()).run(DURATION, 0.025)
    return coupled, alone


def run() -> dict[str, float]:
    """Return what was measured of the couplings."""
    return measured(*couplings())


def measured(coupled: list[CoupledRun], alone: Trajectory) -> dict[str, float]:
    """Compare the couplings with the run in the core."""
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


def picture(coupled: list[CoupledRun], alone: Trajectory) -> None:
    """Draw the distance of both bodies over time, and the error at the end over the step."""
    gap = alone.body("asteroid")[:, 2] - alone.body("bus")[:, 2]
    errors = np.array([distance(one, alone.states[-1]) for one in coupled])
    steps = 1e3 * np.array(STEPS)
    second = errors[0] * (steps / steps[0])**2
    draw("trampoline", Panel("Asteroid and spacecraft", "time  [s]", "distance along z  [m]",
                             {"core": (alone.time, gap)}),
         Panel("Error of the coupling after 40 s", "communication step  [ms]", "error  [mm]",
               {"through the FMU": (steps, 1e3 * errors), "second order": (steps, 1e3 * second)},
               marks="o-", scales=("log", "log")))


if __name__ == "__main__":
    result = couplings()
    picture(*result)
    conclude("trampoline", measured(*result))
