"""Deviations of simulated from measured series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration.measured import Measured
from contactlib.calibration.runs import Block
from contactlib.calibration.series import Series

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Deviations:
    """Residuals (m,), which are deviations over sigma, in blocks: by series, measured quantity and component."""

    measured: Sequence[Measured]
    series: Sequence[Series]
    blocks: Sequence[Block]
    residuals: Floats

    def rms(self, measured: int, series: int | None = None) -> float:
        """Return the root mean square deviation of a measured quantity, in its unit, of one or of all series.

        It is that of the vector: squares of components are added. NaN if no series has the quantity.
        """
        each = self.measured[measured]
        parts = [self.residuals[block.begin:block.end] / math.sqrt(self.series[block.series].weight)
                 for block in self.blocks if block.measured == measured and series in (None, block.series)]
        if not parts:
            return math.nan
        squares = float(sum(float(part @ part) for part in parts))
        return each.sigma * math.sqrt(squares * len(each.components) / sum(map(len, parts)))

    def by_series(self) -> dict[str, dict[str, float | None]]:
        """Return the root mean square deviations by series and measured quantity; None where a series lacks it."""
        return {each.name: {name.name: finite(self.rms(k, i)) for k, name in enumerate(self.measured)}
                for i, each in enumerate(self.series)}

    def by_quantity(self) -> dict[str, dict[str, float | str | None]]:
        """Return the root mean square deviations of all series by measured quantity, with their units."""
        return {each.name: {"value": finite(self.rms(k)), "unit": each.unit} for k, each in enumerate(self.measured)}


def finite(value: float) -> float | None:
    """Return a number, or None in the place of NaN and infinity, which JSON does not have."""
    return value if math.isfinite(value) else None
