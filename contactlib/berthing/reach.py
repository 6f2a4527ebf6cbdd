"""Checks whether the latches of a berthing ring reach their fittings, and reports the missing distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.berthing.parameters import Parameters
from contactlib.berthing.place import evenly, point
from contactlib.common.elementary import hypot
from contactlib.common.vectors import dot
from contactlib.shapes.quaternion import rotation_matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reach:
    """Distances of the fittings from the latches: gap along the active ring's axis (m) and lateral offset (m) of each.

    missing : one sentence for each latch that does not reach its fitting; () if all latches reach.
    """

    gaps: tuple[float, ...]
    offsets: tuple[float, ...]
    missing: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.missing


def reach(p: Parameters, active: ArrayLike, passive: ArrayLike) -> Reach:
    """Compute the distances between fittings and latches from the states (13 numbers) of both rings.

    >>> from contactlib.berthing import read_parameters
    >>> from contactlib.model.spec import SCENES
    >>> p = read_parameters(SCENES / "cbm" / "parameters.toml")
    >>> away = [0, 0, 0.2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    >>> reach(p, [0, 0, 0, 1, *[0] * 9], away).missing[0]
    'latch1: its fitting is 200 mm away, the latch reaches 114 mm'
    """
    a, b = np.asarray(active, dtype=np.float64), np.asarray(passive, dtype=np.float64)
    R_WA, R_WB = rotation_matrix(tuple(a[3:7])), rotation_matrix(tuple(b[3:7]))
    gaps, offsets, missing = [], [], []
    axial, lateral = p["envelope", "reach_axial"], p["envelope", "reach_lateral"]
    for i, angle in enumerate(evenly(p["latch", "count"], p["latch", "first"]), 1):
        home = point(p["fitting", "edge"], angle, 0.0)
        off = dot(R_WA.T, b[:3] - a[:3] + dot(R_WB, home)) - home
        gap, offset = float(off[2]), hypot(off[0], off[1])
        gaps.append(gap)
        offsets.append(offset)
        if gap > axial:
            missing.append(f"latch{i}: its fitting is {1e3 * gap:.0f} mm away, the latch reaches {1e3 * axial:.0f} mm")
        elif offset > lateral:
            missing.append(f"latch{i}: its fitting is {1e3 * offset:.0f} mm to the side, the latch reaches "
                           f"{1e3 * lateral:.0f} mm")
    return Reach(tuple(gaps), tuple(offsets), tuple(missing))
