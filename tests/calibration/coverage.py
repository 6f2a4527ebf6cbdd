"""How often the intervals of a calibration contain the true values: synthetic series with noise, fitted many times.

    python -m tests.calibration.coverage --runs 500
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration import Series, run_calibration
from tests.calibration.calibration_cases import TRUE, calibration, true_runs

Floats = NDArray[np.float64]
SIGMA = 5e-5  # m
Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]


@dataclass(frozen=True)
class Coverage:
    """Of N fits: whether the intervals hold the truth (N, n), errors over standard errors (N, n), and e^T C^-1 e (N,).

    C is the covariance of the estimates and e their error: the squares of all parameters without their correlations.
    """

    inside: NDArray[np.bool_]
    scaled: Floats
    distance: Floats

    @property
    def part(self) -> Floats:
        return np.asarray(self.inside.mean(axis=0))


def independent(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return SIGMA * rng.standard_normal(shape)


def correlated(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Noise of a slow drift: e_k = 0.9 e_(k-1) + w_k, with the standard deviation SIGMA from the first row on."""
    noise = rng.standard_normal(shape)
    for k in range(1, shape[-1]):
        noise[..., k] = 0.9 * noise[..., k - 1] + np.sqrt(1.0 - 0.81) * noise[..., k]
    return SIGMA * noise


def outliers(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """One value in twenty is ten times as noisy."""
    return SIGMA * rng.standard_normal(shape) * np.where(rng.random(shape) < 0.05, 10.0, 1.0)


#: of each case: number of series, noise, and keys of the calibration
CASES: dict[str, tuple[int, Noise, dict[str, object]]] = {
    "independent noise": (1, independent, {}),
    "outliers, soft_l1": (1, outliers, {"calibration/loss": "soft_l1"}),
    "correlated noise, intervals from rows": (10, correlated, {}),
    "correlated noise, intervals from series": (10, correlated, {"calibration/intervals": "series"}),
}


def coverage(case: str, runs: int, seed: int = 7) -> Coverage:
    """Fit `runs` times to new noise. The fits start at the truth's neighbourhood, as the noise alone is new."""
    count, noise, extra = CASES[case]
    speeds = np.linspace(0.8, 2.0, count)
    time, clean = true_runs(speeds)
    base = calibration(clean[:, :3], time, speeds, {
        "parameter/stiffness/start": 1.9e4, "parameter/damping/start": 42.0, "parameter/friction/start": 0.31,
        "calibration/tolerance": 1e-6, **extra})
    truth = np.array([TRUE[each.name] for each in base.parameters])
    rng = np.random.default_rng(seed)
    inside, scaled, distance = [], [], []
    for _ in range(runs):
        rows = clean[:, :3] + noise(rng, clean[:, :3].shape)
        series = tuple(Series(old.name, old.time, {"ball.r": rows[i]}, old.changes)
                       for i, old in enumerate(base.series))
        fit = run_calibration(replace(base, series=series), num_threads=1)
        assert fit.converged
        low, high = (np.array([getattr(each, end) for each in fit.estimates]) for end in ("low", "high"))
        inside.append((low <= truth) & (truth <= high))
        errors = np.array([(each.value - value) / each.error for each, value in zip(fit.estimates, truth, strict=True)])
        scaled.append(errors)
        distance.append(errors @ np.linalg.solve(fit.correlation, errors))
    return Coverage(np.array(inside), np.array(scaled), np.array(distance))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    print(f"{'case':42}" + "".join(f"{name:>12}" for name in TRUE) + f"{'all':>10}   error over standard error")
    for case in CASES:
        found = coverage(case, arguments.runs, arguments.seed)
        scatter = np.sqrt((found.scaled**2).mean(axis=0))
        print(f"{case:42}" + "".join(f"{100 * part:11.1f}%" for part in found.part)
              + f"{100 * found.inside.mean():9.1f}%   " + " ".join(f"{each:.3f}" for each in scatter), flush=True)


if __name__ == "__main__":
    main()
