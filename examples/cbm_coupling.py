"""At which communication steps berthed rings are stable: python examples/cbm_coupling.py.

The module of 13 t hangs in closed, braked latches on seal and stand-offs, 0.5 mm off its rest, moving at 1 mm/s. It
flies freely, and exactly, under the FMU's wrenches, which FMPy holds over each step. Printed: the speed of its ring
two seconds later, mm/s, which is to be near zero. The stiffness is 4e7 N/m along the axis.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import contactlib
from contactlib.elements.latch import Latch
from contactlib.fmu import master
from contactlib.fmu.export import export_fmu
from contactlib.model.spec import Spec
from panels import Panel, draw

STEPS = (1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 30e-3, 40e-3)  # s
DURATION = 2.0  # s
GAP, SPEED = 2e-3, 1e-3  # m, m/s at the start


def berthed(kind: str) -> Spec:
    """The scene with closed latches and the passive ring where they hold it, nearly."""
    spec = contactlib.load("cbm")
    elements = tuple(replace(e, motor=replace(e.motor, start=e.motor.high)) if isinstance(e, Latch) else e
                     for e in spec.elements)
    state = (0.0, 0.0, GAP, 1.0, *[0.0] * 5, -SPEED, *[0.0] * 3)
    bodies = tuple(replace(body, state=state) if body.name == "passive" else body for body in spec.bodies)
    return replace(spec, coupling=kind, elements=elements, bodies=bodies)


def speed_left(kind: str, step: float, folder: Path) -> float:
    """Most speed (m/s) of the passive ring over the last fifth of a second."""
    fmu = export_fmu(berthed(kind).compile(), folder / "cbm.fmu")
    run = master.couple(fmu, duration=DURATION, dt=step, integrator="rk4").trajectory
    speed = np.linalg.norm(run.body("passive")[:, 7:10], axis=1)
    return float(speed[run.time > DURATION - 0.2].max())


def table() -> dict[str, list[float]]:
    """mm/s for each of STEPS; infinite where the FMU or FMPy gave up."""
    rows: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("none", "jacobi", "gauss_seidel"):
            rows[kind] = []
            for step in STEPS:
                try:
                    rows[kind].append(1e3 * speed_left(kind, step, Path(scratch)))
                except master.CouplingError:
                    rows[kind].append(np.inf)
    return rows


if __name__ == "__main__":
    print("coupling      " + "".join(f"{1e3 * step:>10g} ms" for step in STEPS))
    rows = table()
    for kind, speeds in rows.items():
        print(f"{kind:<14}" + "".join(f"{speed:>13.2g}" for speed in speeds))
    draw("cbm_coupling", Panel("Speed left after two seconds", "communication step  [ms]", "speed  [mm/s]", {
        kind: (1e3 * np.array(STEPS), speeds) for kind, speeds in rows.items()}, {"at the start": 1e3 * SPEED},
        marks="o-", scales=("log", "log")))
