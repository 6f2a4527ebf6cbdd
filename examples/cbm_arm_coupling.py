"""A complete berthing in co-simulation: python examples/cbm_arm_coupling.py integrates the module and the arm.

This script integrates the module of 13 t and its arm, in place of a user's own dynamics. The scene returns the wrench
on the module over communication steps of 2, 5 and 10 ms, with `coupling = "jacobi"` and with constant wrenches. The run
takes two minutes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import contactlib
from cbm import BERTHED, CAPTURED, FAULT, LIGHT, an_arm, corner
from contactlib.fmu import master
from contactlib.simulation import rigid_body
from panels import Panel, draw

MOST, PARTS = 50.0, 10  # s; steps of the module in a communication step


def berth(kind: str, H: float) -> tuple[dict[str, float], np.ndarray]:
    """From a corner of the envelope, at communication steps of H s.

    Return the figures, and time (s), gap (m) and force (N) after each step, (T, 3).
    """
    spec = contactlib.load("cbm").with_motion("fixed", "active")
    elements = tuple(replace(e, command="automatic") if e.kind == "berthing" else e for e in spec.elements)
    model = replace(spec, elements=elements, coupling=kind).compile()
    simulation, arm, state = contactlib.Simulation(model), an_arm(LIGHT), corner(45.0, 60.0)
    masses = rigid_body.Masses.of([master.mass_properties(model)["passive"]])
    simulation.compute({"passive": state})
    control, body = simulation.elements["berthing"], model.body_names.index("passive")
    wrench, about, rows = np.zeros(6), None, []
    while simulation.time < MOST and control.phase not in (BERTHED, FAULT):
        load = np.concatenate(arm.wrench(state, H))
        simulation.step(H, {"passive": state})
        seen, moved = state[None, :3] + H * state[None, 7:10], state[None]
        for _ in range(PARTS):
            moved = rigid_body.rk4(masses, moved, (wrench + load)[None], about, H / PARTS)
        state, wrench = moved[0], np.array(simulation.wrenches[body])
        about = seen if kind == "none" else None  # a held wrench belongs to where the module was seen
        rows.append((simulation.time, state[2], float(np.linalg.norm(wrench[:3]))))
        arm.limp = arm.limp or control.phase in (CAPTURED, BERTHED)
    series = np.array(rows)
    figures = {"phase": control.phase, "after [s]": simulation.time, "gap [mm]": 1e3 * state[2],
               "most force [N]": float(series[:, 2].max())}
    return figures, series


if __name__ == "__main__":
    runs = {}
    for kind, H in (("jacobi", 2e-3), ("jacobi", 5e-3), ("jacobi", 10e-3), ("none", 10e-3)):
        measured, runs[f"{kind}, {1e3 * H:g} ms"] = berth(kind, H)
        text = ", ".join(f"{name} {value:.4g}" for name, value in measured.items())
        print(f"{kind:<8} {1e3 * H:4.0f} ms: {text}", flush=True)
    draw("cbm_arm_coupling", Panel("A berthing in co-simulation", "time  [s]", "gap of the rings  [mm]", {
        name: (series[:, 0], 1e3 * series[:, 1]) for name, series in runs.items()}),
        Panel("Force on the module", "time  [s]", "force  [N]", {
            name: (series[:, 0], np.maximum(series[:, 2], 1.0)) for name, series in runs.items()},
            scales=("linear", "log")))
