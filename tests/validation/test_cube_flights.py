"""Centre of mass and gravity from flights alone: bodies thrown by closed form, and the measured cube of the case."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "validation_data" / "cube_tosses"
#: a body that turns steadily about its centre of mass, which flies on a parabola, seen at its origin
THROWN = """
import json, sys
import case, flights, numpy as np
from scipy.spatial.transform import Rotation

c, g, noise = json.loads(sys.argv[1])
rng = np.random.default_rng(3)

def thrown():
    n = int(rng.integers(6, 20))
    t = np.arange(n) / case.RATE
    attitude = Rotation.from_rotvec(np.outer(t, rng.normal(0, 6, 3))) * Rotation.from_rotvec(rng.normal(0, 1, 3))
    centre = rng.normal(0, 0.2, 3) + np.outer(t, rng.normal(0, 1, 3)) + 0.5 * t[:, None] ** 2 * np.array(g)
    r = centre - attitude.apply(c) + rng.normal(0, noise, (n, 3))
    return case.Toss(r, attitude, n, attitude[0], np.zeros(3))

print(json.dumps([part.tolist() for part in flights.centre_and_gravity([thrown() for _ in range(60)])]))
"""
MEASURED = "import case, flights, json; print(json.dumps([flights.known(case.read()), case.HALF_WIDTH]))"


def told(program, *arguments):
    """What a program prints that imports the modules of the case, which import each other by name."""
    done = subprocess.run([sys.executable, "-c", program, *arguments], env={**os.environ, "PYTHONPATH": str(FOLDER)},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("noise, sigmas", [(0.0, None), (1e-4, 4.0)])
def test_known_bodies(noise, sigmas):
    """Exact without noise; with noise of 0.1 mm within four of the standard errors that it tells itself."""
    c, g = [0.004, -0.002, 0.006], [0.02, -0.01, -9.6]
    x, error = np.array(told(THROWN, json.dumps([c, g, noise])))
    assert np.all(np.abs(x - [*c, *g]) < (sigmas * error if sigmas else 1e-9))
    assert error.max() < 0.02


def test_the_scale_of_the_measured_cube():
    """Gravity is 2.2 % less than 9.81 m/s2 in the scale of the data, and so is half of the published width."""
    known, half_width = told(MEASURED)
    assert known["gravity"] / 9.81 == pytest.approx(known["half_width"] / half_width, abs=2e-3)  # 0.1 mm of 52.4
