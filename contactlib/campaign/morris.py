"""Elementary effects: how much each drawn value changes each metric, from few runs (the sampling "morris").

A trajectory of k + 1 runs changes one of k draws after the other. With u in [0, 1] for the range of a draw, the
elementary effect of draw i on a metric y is

    d_i = (y(u + D e_i) - y(u)) / D,   u on LEVELS levels,   D = LEVELS / (2 (LEVELS - 1))

It has the unit of y, and is the slope times the whole range where y is linear. Over all trajectories, mu* is the mean
of |d_i|, mu the mean of d_i, and sigma its standard deviation, which is large where an effect is not linear or depends
on other draws. After M. D. Morris, Technometrics 33, 1991; mu* after F. Campolongo, J. Cariboni and A. Saltelli,
Environmental Modelling & Software 22, 2007.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LEVELS = 4
STEP = LEVELS / (2 * (LEVELS - 1))
#: distributions whose range ends at numbers that the campaign names
RANGES = ("uniform", "log_uniform", "constant")


@dataclass(frozen=True)
class Effect:
    """The elementary effects of one draw on one metric, in the unit of the metric.

    `error` is the standard error of mu_star, NaN for a single effect. `count` is the number of effects: trajectories
    without those in which a run failed or had no finite result. Without any effect, all numbers are NaN.
    """

    draw: str
    mu: float
    mu_star: float
    sigma: float
    error: float
    count: int


def trajectories(dimensions: int, runs: int, random: np.random.Generator) -> Floats:
    """Return points (runs, dimensions) in [0, 1]: trajectories of dimensions + 1 rows, one after the other.

    Parameters
    ----------
    dimensions : number k of drawn values.
    runs : number of rows, a multiple of k + 1.
    random : source of the start, the order and the directions of each trajectory.

    Raises
    ------
    ValueError : `runs` is no multiple of k + 1, or there is nothing to vary.

    Examples
    --------
    >>> points = trajectories(2, 6, np.random.default_rng(0))
    >>> [int(np.count_nonzero(step)) for step in np.diff(points[:3], axis=0)]    # one value changes at a time
    [1, 1]
    """
    if dimensions == 0:
        raise ValueError("campaign.sampling = 'morris': there is nothing to vary: add a [draw.NAME] with a range")
    if runs % (dimensions + 1):
        raise ValueError(f"campaign.runs = {runs}: with sampling = 'morris' must be a multiple of {dimensions + 1}: a "
                         f"trajectory has one run more than there are drawn values")
    return np.concatenate([_trajectory(dimensions, random) for _ in range(runs // (dimensions + 1))])


def _trajectory(dimensions: int, random: np.random.Generator) -> Floats:
    # lower ends are the levels from which a step up stays within [0, 1]
    low = random.integers(0, LEVELS // 2, dimensions) / (LEVELS - 1)
    upwards = random.integers(0, 2, dimensions).astype(bool)
    start, end = np.where(upwards, low, low + STEP), np.where(upwards, low + STEP, low)
    points = np.tile(start, (dimensions + 1, 1))
    for row, changed in enumerate(random.permutation(dimensions), start=1):
        points[row:, changed] = end[changed]
    return np.asarray(np.minimum(points, 1.0))


def elementary_effects(drawn: Mapping[str, NDArray[Any]], results: Floats) -> list[Effect]:
    """Return the effect of each drawn value on a result, in the order of `drawn`.

    Parameters
    ----------
    drawn : drawn values (runs,) by name, in rows from `trajectories` through rising functions.
    results : a metric (runs,); NaN or infinity where it has no value.

    Examples
    --------
    >>> u = trajectories(2, 30, np.random.default_rng(0))
    >>> x, y = 10.0 + 4.0 * u[:, 0], u[:, 1]
    >>> [round(each.mu_star, 9) for each in elementary_effects({"x": x, "y": y}, 3.0 * x - 2.0 * y)]
    [12.0, 2.0]
    """
    values = np.stack(list(drawn.values()), axis=1).astype(float)
    rows = np.arange(1, len(values))
    rows = rows[rows % (values.shape[1] + 1) != 0]  # not from the end of one trajectory to the start of the next
    change = values[rows] - values[rows - 1]
    with np.errstate(invalid="ignore"):
        slope = (results[rows] - results[rows - 1]) / STEP
    return [_effect(name, np.sign(change[:, i][change[:, i] != 0]) * slope[change[:, i] != 0])
            for i, name in enumerate(drawn)]


def _effect(name: str, found: Floats) -> Effect:
    found = found[np.isfinite(found)]
    if not found.size:
        return Effect(name, *(math.nan,) * 4, 0)
    several = len(found) > 1
    sigma = float(found.std(ddof=1)) if several else math.nan
    error = float(np.abs(found).std(ddof=1)) / math.sqrt(len(found)) if several else math.nan
    return Effect(name, float(found.mean()), float(np.abs(found).mean()), sigma, error, len(found))
