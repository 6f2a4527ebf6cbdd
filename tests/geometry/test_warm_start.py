"""Two convex solids that follow the normal of their last point contact find what they find without it."""

import numpy as np
import pytest

import contactlib
from tests.poses import poses_frames as frames
from tests.support.compare import point_contacts

SIZE = 0.1  # m, about
EXACT = 1e-15  # m and of unit vectors: some digits of rounding


def bipyramid(corners):
    """Both tips have that many spokes: more than eight are looked at one by one."""
    angle = 2 * np.pi * np.arange(corners) / corners
    rim = 0.05 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    return contactlib.Polyhedron(np.vstack([rim, [[0, 0, 0.06], [0, 0, -0.04]]]))


def hull():
    return contactlib.Polyhedron(frames.directions(np.random.default_rng(4), 50) * [0.04, 0.05, 0.06])


TRIANGLE = contactlib.Triangle(((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0)))
BOX = contactlib.Box((0.1, 0.08, 0.06))
PAIRS = {
    "hulls": (hull(), hull()),
    "tips of 8 and of 9 spokes": (bipyramid(8), bipyramid(9)),
    "tips and hull": (bipyramid(12), hull()),
    "boxes": (BOX, BOX),
    "box and hull": (BOX, hull()),
    "triangle and tips": (TRIANGLE, bipyramid(12)),
    "triangles": (TRIANGLE, TRIANGLE),
}


def touching(a, b, n):
    """Poses of both, and what touches there without a hint."""
    rng = np.random.default_rng(1)
    X_WA, X_WB = (np.hstack([np.zeros((n, 3)), frames.quaternions(rng, n)]) for _ in range(2))
    X_WB[:, :3] = frames.directions(rng, n) * rng.uniform(0.3 * SIZE, SIZE, (n, 1))
    found = point_contacts(a, b, X_WA, X_WB).count > 0
    assert found.sum() > n / 10
    return X_WA[found], X_WB[found]


@pytest.mark.parametrize("name", PAIRS)
def test_the_last_normal_leads_to_the_same_contacts(name):
    a, b = PAIRS[name]
    X_WA, X_WB = touching(a, b, 1000)
    cold = point_contacts(a, b, X_WA, X_WB)
    warm = point_contacts(a, b, X_WA, X_WB, hints=cold.normal[:, 0])
    assert (warm.count == cold.count).all()
    for one, other in ((warm.point, cold.point), (warm.normal, cold.normal), (warm.depth, cold.depth)):
        assert np.abs(one - other).max() < EXACT


@pytest.mark.parametrize("name", PAIRS)
def test_a_normal_nearby_leads_to_a_minimum(name):
    """To that of all or, where two are nearly as low, to the other one: never to less than the least depth."""
    a, b = PAIRS[name]
    X_WA, X_WB = touching(a, b, 1000)
    cold = point_contacts(a, b, X_WA, X_WB)
    hints = cold.normal[:, 0] + 1e-3 * frames.directions(np.random.default_rng(2), len(X_WA))
    warm = point_contacts(a, b, X_WA, X_WB, hints=hints / np.linalg.norm(hints, axis=1, keepdims=True))
    more = warm.depth.max(1) - cold.depth.max(1)
    assert more.min() > -EXACT
    assert np.mean(np.abs(more) < EXACT) > 0.95
