"""Nonlinear least squares, and the sphere that fits vertices best."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .frames import Floats


def fit_sphere(points: Floats) -> tuple[Floats, float, float]:
    """Return centre, radius and largest deviation of the best sphere."""
    middle = points.mean(axis=0)
    p = points - middle
    rows = np.column_stack([2.0 * p, np.ones(len(p))])
    solution, *_ = np.linalg.lstsq(rows, (p * p).sum(axis=1), rcond=None)
    start = np.array([*solution[:3], np.sqrt(max(1e-300, solution[3] + solution[:3] @ solution[:3]))])

    def residual(x: Floats) -> tuple[Floats, Floats]:
        arm = x[:3] - p
        distance = np.maximum(np.linalg.norm(arm, axis=1), 1e-300)
        return distance - x[3], np.column_stack([arm / distance[:, None], -np.ones(len(p))])

    best = minimum(residual, start)
    return middle + best[:3], float(best[3]), float(np.abs(residual(best)[0]).max())


def minimum(residual: Callable[[Floats], tuple[Floats, Floats]], x: Floats, steps: int = 60) -> Floats:
    """Return the minimum of the sum of squares from a start, by Levenberg's method."""
    damping = 1e-6
    error, slope = residual(x)
    for _ in range(steps):
        normal = slope.T @ slope
        move = np.linalg.solve(normal + damping * np.trace(normal) / len(x) * np.eye(len(x)), slope.T @ error)
        new_error, new_slope = residual(x - move)
        if new_error @ new_error <= error @ error:
            x, error, slope, damping = x - move, new_error, new_slope, 0.1 * damping
            if np.abs(move).max() <= 1e-14 * max(1e-300, float(np.abs(x).max())):
                break
        else:
            damping = max(10.0 * damping, 1e-12)
            if damping > 1e9:
                break
    return x
