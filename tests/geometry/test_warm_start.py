"""Two convex solids that follow the normal of their last point contact find what they find without it."""

import numpy as np
import pytest

import contactlib
from tests.poses import poses_frames as frames
from tests.support.compare import point_contacts

SIZE = 0.1  # m, about
EXACT = 1e-15  # m and of unit vectors: some digits of rounding
ROUND = 1e-12  # of round solids, whose normal is found by iteration: rounding turns it more


TRIANGLE = contactlib.Triangle(((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0)))
EGG = contactlib.Ellipsoid((0.03, 0.05, 0.04))
PAIRS = {
    "triangles": (TRIANGLE, TRIANGLE),
    "triangle and egg": (TRIANGLE, EGG),
    "egg and box": (EGG, contactlib.Box((0.1, 0.08, 0.06))),
    "box and cylinder": (contactlib.Box((0.1, 0.08, 0.06)), contactlib.Cylinder(0.03, 0.09)),
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
        assert np.abs(one - other).max() < (EXACT if name == "triangles" else ROUND)


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
