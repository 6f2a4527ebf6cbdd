"""The same elements by the cable kernel, relaxed to rest, and let go: strain measure engineering, full quadrature."""

from pathlib import Path

import numpy as np

from contactlib.validation.cable_run import CableRun
from contactlib.validation.compare import read_columns

SHORT = 1e-12  # s: a step so short that the velocity after it is the acceleration


def accelerations(n):
    """Accelerations (n + 1, 4) of the cable that is stretched, bent to an arc and let go, over the largest."""
    curvature, stretch = 2.0, 1.001
    a = curvature * np.linspace(0.0, 1.0, n + 1)
    cable = CableRun(n, 1.0, 1e6, 1.0, 1.0, measure="engineering")
    cable.q[:] = 0.0
    cable.q[0][:, [0, 1, 3, 4]] = stretch * np.column_stack(
        [np.sin(a) / curvature, (1 - np.cos(a)) / curvature, np.cos(a), np.sin(a)])
    cable.step(SHORT)
    found = cable.v[0][:, [0, 1, 3, 4]]
    return found / np.abs(found).max()


def run(runner):
    table = read_columns((Path(__file__).parent / "tips.csv").read_text())
    tips = []
    for n, load in zip(table["elements"].astype(int), table["load"], strict=True):
        forces = np.zeros((n + 1, 6))
        forces[-1, 1] = load
        cable = CableRun(n, 1.0, 1e6, 1.0, 1.0, holds=("direction", "free"), forces=forces, measure="engineering")
        cable.relax(0.1, 600)
        tips.append(cable.q[0, -1])
    tips = np.array(tips)
    moving = np.concatenate([accelerations(4), accelerations(16)])
    rows = np.arange(len(moving), dtype=float)
    return {**{name: (table["row"], tips[:, k]) for name, k in (("x", 0), ("y", 1), ("slope x", 3), ("slope y", 4))},
            **{f"acceleration of {name}": (rows, moving[:, k])
               for k, name in enumerate(("x", "y", "slope x", "slope y"))}}
