"""Convex solids in batches: many searches side by side, against the kernel that scenes call for one pair."""

import itertools

import numpy as np
import pytest

import contactlib
from tests.poses.poses_frames import directions, quaternions

NAMES = ("count", "point", "normal", "depth", "feature", "load_share")
CORNERS = directions(np.random.default_rng(4), 50) * [0.04, 0.05, 0.06]
SOLIDS = {  # in the order of the pair table
    "triangle": contactlib.Triangle(((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0))),
    "box": contactlib.Box(size=(0.08, 0.06, 0.1)),
    "rounded": contactlib.Box(size=(0.06, 0.06, 0.06), rounding=0.01),
    "cylinder": contactlib.Cylinder(radius=0.03, length=0.08),
    "hull": contactlib.Polyhedron(CORNERS),
    "pyramid": contactlib.Polyhedron([[0.05, 0, 0], [-0.02, 0.04, 0], [-0.02, -0.04, 0], [0, 0, 0.06]]),
    "spindle": contactlib.Polyhedron([[0, 0, 0.08], [0, 0, -0.08],  # twelve edges meet at both ends
                                      *([0.03 * np.cos(a), 0.03 * np.sin(a), 0.0] for a in np.arange(12) * np.pi / 6)]),
}
QUARTERS = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0.5, 0.5, 0.5, 0.5], [0.5**0.5, 0, 0, 0.5**0.5]])


def placed(n, seed=1):
    """Poses (n, 7) of A and B: anywhere near each other, or with parallel faces at offsets of a grid, also the same."""
    rng = np.random.default_rng(seed)
    X_WA, X_WB = (np.hstack([rng.uniform(-1, 1, (n, 3)), quaternions(rng, n)]) for _ in range(2))
    X_WB[:, :3] = X_WA[:, :3] + rng.uniform(0, 0.09, (n, 1)) * directions(rng, n)
    square = rng.random(n) < 0.4
    X_WA[square, :3] = 0.0
    X_WB[square, :3] = 0.02 * rng.integers(-4, 5, (square.sum(), 3))
    for X in (X_WA, X_WB):
        X[square, 3:] = QUARTERS[rng.integers(0, 4, square.sum())]
    return X_WA, X_WB


def bits(m):
    return [getattr(m, name).tobytes() for name in NAMES]


@pytest.mark.parametrize("a, b", list(itertools.combinations_with_replacement(SOLIDS, 2)))
def test_side_by_side_as_one_by_one(a, b):
    """A batch with hints, here zeros, goes to the kernel pair by pair, one without goes to the loop: the same bits."""
    X_WA, X_WB = placed(1003)  # not a multiple of any block
    batch = contactlib.manifolds(SOLIDS[a], SOLIDS[b], X_WA, X_WB)
    alone = contactlib.manifolds(SOLIDS[a], SOLIDS[b], X_WA, X_WB, hints=np.zeros((len(X_WA), 3)))
    assert 0.1 < (batch.count > 0).mean() < 0.95
    assert bits(batch) == bits(alone)
