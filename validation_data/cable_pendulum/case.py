"""The falling flexible pendulum with 16 elements, made exact in time by Richardson's extrapolation of two steps."""

import numpy as np

from contactlib.validation.cable_run import CableRun

LENGTH, AREA, INERTIA, DENSITY, E, G = 1.2, 1.8e-3, 1.215e-8, 5540.0, 7e7, 9.81
TIMES = np.arange(0.0, 0.6001, 0.05)  # s


def tips(h, measure):
    beam = CableRun(16, LENGTH, E * AREA, E * INERTIA, DENSITY * AREA, holds=("position", "free"),
                    gravity=(0.0, -G, 0.0), measure=measure)
    out = [beam.q[0, -1, :2].copy()]
    for _ in TIMES[1:]:
        beam.step(h, round(0.05 / h))
        out.append(beam.q[0, -1, :2].copy())
    return np.array(out)


def run(runner):
    results = {}
    for measure, key in (("green", "green_geo"), ("engineering", "eng_mat")):
        coarse, fine = tips(1e-4, measure), tips(5e-5, measure)
        exact = 2 * fine - coarse
        for k, axis in enumerate("xy"):
            results[f"tip {axis}, {key}"] = (TIMES, exact[:, k])
    # of first order: the change from 0.1 to 0.05 ms is half of the error at 0.1 ms
    results["order of the step"] = float(np.log2(np.abs(coarse - exact).max() / np.abs(fine - exact).max()))
    quarter = tips(2.5e-5, measure)
    results["order of the step"] = float(np.log2(np.abs(coarse - fine).max() / np.abs(fine - quarter).max()))
    return results
