"""The energy error of the scenes that ship, each in closed loop at its own step, half of it and a quarter of it.

python -m benchmarks.energy_error [SCENE ...] prints the table of docs/energy.md: the error at the end over the energy
turned over, which is what was dissipated and stored at most by contacts and elements.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np

import contactlib
from contactlib.model.closed_loop import closed_loop
from contactlib.model.spec import Spec

#: the bodies that are fixed, and the duration of the run, s
SCENES: dict[str, tuple[list[str], float]] = {
    "alignment_guides": ([], 2.0), "docking_ring": (["target"], 8.0), "exposed_pallet": ([], 2.0),
    "gripper": (["palm"], 2.0), "hexapod": ([], 1.0), "insertion": ([], 1.0), "micro_fixture": ([], 0.3),
    "peg_in_hole": (["target"], 2.0), "rover_wheel": ([], 1.0),
    "trampoline_2d": ([], 2.0), "trampoline_bounce": ([], 2.0), "trampoline_capture": ([], 120.0), "tripod": ([], 2.0),
    "worksite": ([], 2.0),
}


def error_of(spec: Spec, duration: float) -> tuple[float, float]:
    """Energy error at the end, and the energy turned over, J."""
    simulation = contactlib.Simulation(spec.compile())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", contactlib.StepWarning)
        run = simulation.run(duration, spec.longest_step)
    stored = run.energy_stored + run.energy_of_elements("stored_energy")
    heat = run.energy_dissipated[-1] + run.energy_of_elements("dissipated_energy")[-1]
    return float(run.energy_error[-1]), float(heat + np.abs(stored).max())


def rows(names: list[str]) -> Iterator[str]:
    for name in names:
        held, duration = SCENES[name]
        spec = closed_loop(contactlib.load(name), held, None, None, None)
        cells = []
        for part in (1, 2, 4):
            error, turned = error_of(spec.with_longest_step(spec.longest_step / part), duration)
            cells.append(f"{error / turned:+.1e}" if turned > 0.0 else "nothing")
        yield f"| `{name}` | {spec.integrator} | {spec.longest_step:g} | {turned:.3g} | {' | '.join(cells)} |"


if __name__ == "__main__":
    print("| scene | integrator | h (s) | turned over (J) | error at h | h/2 | h/4 |\n|---|---|---|---|---|---|---|")
    for row in rows(sys.argv[1:] or list(SCENES)):
        print(row, flush=True)
