"""Chrono's ANCF cable beam: hinged at one end, turning about it, at Chrono's own step of 0.1 ms."""

import numpy as np

from contactlib.validation.cable_run import CableRun

H, ROWS = 1e-4, 250  # s; a row every 20 steps


def run(runner):
    beam = CableRun(4, 1.0, 40.0, 1e-3 / (4 * np.pi), 0.008, holds=("position", "free"), gravity=(0.0, -9.8, 0.0),
                    tension_stiffness=True)
    beam.v[0, :, 2] = -4.0 * beam.q[0, :, 0]  # the slopes start at rest, as in Chrono
    rows = []
    for _ in range(ROWS):
        beam.step(H, 20)
        q = beam.q[0]
        rows.append([*q[0, 3:6], q[2, 1], q[4, 0], q[4, 2]])
    time = 20 * H * np.arange(1, ROWS + 1)
    names = ("slope_x", "slope_y", "slope_z", "mid_y", "tip_x", "tip_z")
    return {name: (time, column) for name, column in zip(names, np.array(rows).T, strict=True)}
