"""Statistics of many runs: a proportion with its confidence interval, and percentiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PERCENTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class Proportion:
    """`count` of `runs` runs as a proportion, with its confidence bounds `low` and `high` (0 to 1)."""

    count: int
    runs: int
    low: float
    high: float

    def __str__(self) -> str:
        if not self.runs:
            return "0 of 0"
        return (f"{self.count} of {self.runs}, {self.count / self.runs:.1%} "
                f"({self.low:.1%} to {self.high:.1%} at 95 % confidence)")


def wilson(count: int, runs: int, z: float = 1.959963984540054) -> Proportion:
    """A proportion with Wilson's score interval (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927); z = 1.96 for 95 %.

    Its bounds are the proportions p with |count/runs - p| = z sqrt(p (1 - p) / runs).

    >>> proportion = wilson(10, 10)
    >>> proportion.high, round(proportion.low, 3)    # ten of ten do not prove that all succeed
    (1.0, 0.722)
    """
    if runs == 0:
        return Proportion(0, 0, 0.0, 1.0)
    p, n = count / runs, z * z / runs
    middle, half = (p + n / 2) / (1 + n), z / (1 + n) * math.sqrt(p * (1 - p) / runs + n / (4 * runs))
    return Proportion(count, runs, 0.0 if count == 0 else middle - half, 1.0 if count == runs else middle + half)


def percentiles(values: Floats) -> list[float]:
    """Return the least value, the PERCENTILES and the greatest value, without interpolation: each of them occurred.

    An infinite time stays infinite.

    >>> percentiles(np.array([1.0, 2.0, 3.0, np.inf, np.nan]))
    [1.0, 1.0, 1.0, 2.0, 3.0, inf, inf]
    """
    found = values[~np.isnan(values)]
    if not found.size:
        return [math.nan] * (len(PERCENTILES) + 2)
    between = np.percentile(found, PERCENTILES, method="inverted_cdf")
    return [float(found.min()), *between.tolist(), float(found.max())]
