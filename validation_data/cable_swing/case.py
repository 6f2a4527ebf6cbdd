"""The same cables by the kernel's step of second order at 1 ms, and the energy of a steel pendulum over a minute."""

import numpy as np

from contactlib.validation.cable_run import CableRun

N, LENGTH, EA, EI, DENSITY, G = 16, 1.0, 2e3, 0.01, 0.1, 9.81
STEP, SAMPLE = 1e-3, 0.05  # s
WAY, RATE = 0.1, 2.0 * np.pi  # m, rad/s
TIMES = np.arange(0.0, 1.0001, SAMPLE)
THICK, YOUNG, STEEL = 3.2e-3, 2e11, 7850.0  # m, Pa, kg/m3


def cable(EA, EI, density, **options):
    return CableRun(N, LENGTH, EA, EI, density, holds=("position", "free"), gravity=(0.0, -G, 0.0),
                    integrator="second_order", **options)


def tips(driven, h=STEP):
    run = cable(EA, EI, DENSITY, measure="engineering")
    out = [run.q[0, -1, :3].copy()]
    each = round(SAMPLE / h)
    for k in range(1, each * (len(TIMES) - 1) + 1):
        if driven:
            turn = 1.0 - np.cos(RATE * k * h)
            run.ends[0, 0, 1:3] = WAY * 0.25 * turn * turn, WAY * turn
        run.step(h)
        if k % each == 0:
            out.append(run.q[0, -1, :3].copy())
    return np.array(out)


def pendulum(seconds):
    """Energy in units of m g L/2 each 10 ms: kinetic in the middle of a step, the others as means of both its ends."""
    area = np.pi * THICK**2 / 4
    run = cable(YOUNG * area, YOUNG * np.pi * THICK**4 / 64, STEEL * area)
    mass, out, length = STEEL * area * LENGTH, [], LENGTH / N
    for _ in range(round(seconds / (10 * STEP))):
        run.step(STEP, 9)
        before = run.energies()
        run.step(STEP)
        after = run.energies()
        q = run.q[0] - 0.5 * STEP * run.v[0]
        # of a cubic: the mean of its ends, and l/12 of the difference of their slopes
        height = np.mean(0.5 * (q[:-1, 1] + q[1:, 1]) + length / 12 * (q[:-1, 4] - q[1:, 4]))
        out.append(after[0] + 0.5 * (before[1:] + after[1:]).sum() + mass * G * height)
    return np.array(out) / (0.5 * mass * G * LENGTH)


def run(runner):
    fall, driven = tips(False), tips(True)
    energy = pendulum(60.0)
    coarse, fine = tips(False, 1e-4)[:11], tips(False, 5e-5)[:11]
    finest = tips(False, 2.5e-5)[:11]
    return {
        "falling tip x": (TIMES, fall[:, 0]), "falling tip y": (TIMES, fall[:, 1]),
        **{f"driven tip {axis}": (TIMES, driven[:, k]) for k, axis in enumerate("xyz")},
        "order of the step": float(np.log2(np.abs(coarse - fine).max() / np.abs(fine - finest).max())),
        "energy after 60 s": float(energy[-1]),
        "largest gain of energy": float(max(energy.max(), 0.0)),
    }
