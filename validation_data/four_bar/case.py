"""The linkage of the latch through half a turn of its crank."""

from pathlib import Path

import numpy as np

from contactlib._core import engine
from contactlib.validation.compare import read_columns

BARS = (0.120, 0.060, 0.110, 0.090)  # m: ground, crank, coupler, rocker
TIP = 0.190 + 0.030j  # m, on the coupler


def run(runner):
    degrees = read_columns((Path(__file__).parent / "four_bar.csv").read_text())["theta2_deg"]
    angles = np.radians(degrees)
    rows = np.array([engine.four_bar((*BARS, 1.0), angle) for angle in angles])
    tip = BARS[1] * np.exp(1j * angles) + TIP * np.exp(1j * rows[:, 0])
    return {"coupler": (degrees, np.degrees(rows[:, 0])), "rocker": (degrees, np.degrees(rows[:, 1])),
            "rate of the coupler": (degrees, rows[:, 2]), "rate of the rocker": (degrees, rows[:, 3]),
            "tip x": (degrees, tip.real), "tip y": (degrees, tip.imag)}
