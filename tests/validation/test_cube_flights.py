"""Centre of mass and gravity from flights alone: bodies thrown by closed form, and the measured cube of the case."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

FOLDER = Path(__file__).parents[2] / "validation_data" / "cube_tosses"


@pytest.fixture(scope="module")
def modules():
    """`case` and `flights` of the case, which import each other by name."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield importlib.import_module("case"), importlib.import_module("flights")
    finally:
        sys.path.remove(str(FOLDER))
        for name in ("case", "flights"):
            sys.modules.pop(name, None)


def thrown(case, rng, c, g, noise):
    """A body that turns steadily about its centre of mass, which flies on a parabola, seen at its origin."""
    n = int(rng.integers(6, 20))
    t = np.arange(n) / case.RATE
    first = Rotation.from_rotvec(rng.normal(0, 1, 3))
    attitude = Rotation.from_rotvec(np.outer(t, rng.normal(0, 6, 3))) * first
    centre = rng.normal(0, 0.2, 3) + np.outer(t, rng.normal(0, 1, 3)) + 0.5 * t[:, None] ** 2 * g
    r = centre - attitude.apply(c) + rng.normal(0, noise, (n, 3))
    return case.Toss(r, attitude, n, attitude[0], np.zeros(3))


@pytest.mark.parametrize("noise, sigmas", [(0.0, None), (1e-4, 4.0)])
def test_known_bodies(modules, noise, sigmas):
    """Exact without noise; with noise of 0.1 mm within four of the standard errors that it tells itself."""
    case, flights = modules
    rng = np.random.default_rng(3)
    c, g = np.array([0.004, -0.002, 0.006]), np.array([0.02, -0.01, -9.6])
    x, error = flights.centre_and_gravity([thrown(case, rng, c, g, noise) for _ in range(60)])
    allowed = sigmas * error if sigmas else 1e-9
    assert np.all(np.abs(x - [*c, *g]) < allowed)
    assert error.max() < 0.02


def test_the_scale_of_the_measured_cube(modules):
    """Gravity is 2.2 % less than 9.81 m/s2 in the scale of the data, and so is half of the published width."""
    case, flights = modules
    known = flights.known(case.read())
    assert known["gravity"] / 9.81 == pytest.approx(known["half_width"] / case.HALF_WIDTH, abs=2e-3)  # 0.1 mm of 52.4
