"""The same elements by the cable kernel, relaxed to rest: strain measure engineering, full quadrature."""

from pathlib import Path

import numpy as np

from contactlib.validation.cable_run import CableRun
from contactlib.validation.compare import read_columns


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
    return {name: (table["row"], tips[:, k]) for name, k in (("x", 0), ("y", 1), ("slope x", 3), ("slope y", 4))}
