"""Elastic work round closed paths of a pose, for all surface contacts: their force is the gradient of an energy.

CONTACTLIB_SOAK multiplies the number of paths; `make soak` takes 10^5 poses a pair.
"""

import os

import numpy as np
import pytest

from tests.surfaces import closed_paths
from tests.surfaces.closed_paths import MODES, PAIRS, SHAPES, pair_scene, wrenches

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
#: the rule of quadrature of round solids (6 to 12 points across a patch) leaves some 1e-5, near tips and rims of thin
#: patches up to 1e-3; flat solids are integrated exactly
WORST, TYPICAL = 1e-3, 1e-5
#: points of a path: of many paths some have kinks that need more
LAST = closed_paths.LAST if SOAK == 1 else 4 * closed_paths.LAST


@pytest.mark.parametrize("pair", PAIRS, ids=" | ".join)
def test_no_work_round_closed_paths(pair):
    found = closed_paths.errors(*pair, range(SOAK), LAST)
    assert len(found) >= 3 * SOAK, "too few paths touch"
    worst = max(found, key=found.__getitem__)
    assert found[worst] < WORST, f"mode and seed {worst}"
    assert np.median(list(found.values())) < TYPICAL, found


def test_every_kind_of_path_meets():
    """The paths of boxes: all modes touch, so that none of them is without effect."""
    assert {mode for mode, _ in closed_paths.errors("box", "box", range(1))} == set(MODES)


@pytest.mark.parametrize("pair", PAIRS, ids=" | ".join)
def test_symmetric_poses_are_finite(pair):
    """Faces, axes and ridges that coincide: directions that nothing tells apart must not become NaN."""
    half = 0.5**0.5
    turns = np.array([[1.0, 0, 0, 0], [half, half, 0, 0], [half, 0, half, 0], [half, 0, 0, half], [0, 1.0, 0, 0]])
    places = np.array([[x, 0.0, z] for x, z in ((0.0, 0.0), (0.0, -0.1), (0.0, 0.2), (0.1, 0.0))])
    simulation = pair_scene(*(SHAPES[name] for name in pair))
    for q in turns:
        for r in places:
            assert np.isfinite(wrenches(simulation, r[None], q[None])).all(), (r, q)
