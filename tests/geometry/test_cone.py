"""Cones and frustums: masses, places and contacts against closed forms of the round solid."""

from __future__ import annotations

import numpy as np
import pytest

import contactlib
from contactlib import cone
from contactlib.model.spec import Spec

STILL = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(("bottom", "top", "length"), [(0.3, 0.0, 1.0), (0.0, 0.2, 0.5), (0.4, 0.25, 0.3)])
def test_mass_and_centre_are_those_of_the_round_solid(bottom, top, length):
    """V = pi h (a^2 + a b + b^2)/3; the centre is at (a^2 + 2 a b + 3 b^2)/(4 (a^2 + a b + b^2)) of the height."""
    found = cone(bottom, length, top).mass_properties(density=500.0)
    squares = bottom**2 + bottom * top + top**2
    assert found.mass == pytest.approx(500.0 * np.pi * length * squares / 3, rel=1e-12)
    height = length * (bottom**2 + 2 * bottom * top + 3 * top**2) / (4 * squares) - length / 2
    np.testing.assert_allclose(found.com, [0, 0, height], atol=1e-12)


def test_the_inertia_of_a_tip_converges_to_that_of_a_cone():
    """I_z = 3/10 m r^2, I_x = 3/20 m r^2 + 3/80 m h^2 about the centre of mass; second order in the width of a side."""
    r, h, errors = 0.3, 1.0, []
    for sides in (32, 64):
        found = cone(r, h, sides=sides).mass_properties(density=1000.0)
        exact = found.mass * np.array([0.15 * r * r + 0.0375 * h * h] * 2 + [0.3 * r * r])
        errors.append(np.abs(np.diag(found.inertia) / exact - 1.0).max())
    assert errors[1] < 2e-6
    assert errors[0] / errors[1] > 3.5


def test_a_ball_on_the_flank():
    """The depth along the flank's normal, off by no more than the flat sides are: (pi/sides)^2/3 of the radius."""
    r, h, ball = 0.3, 0.5, 0.05
    slope = np.arctan2(r, h)
    rng = np.random.default_rng(1)
    for sides in (64, 256):
        for angle in rng.uniform(0, 2 * np.pi, 30):
            out = np.array([np.cos(slope) * np.cos(angle), np.cos(slope) * np.sin(angle), np.sin(slope)])
            spot = np.array([0.5 * r * np.cos(angle), 0.5 * r * np.sin(angle), 0.0])
            centre = spot + (ball - 5e-3) * out
            m = contactlib.manifolds(contactlib.Sphere(ball), cone(r, h, sides=sides), [*centre, *STILL[3:]], STILL)
            assert m.count[0] == 1
            assert m.depth[0, 0] == pytest.approx(5e-3, abs=(np.pi / sides) ** 2 / 3 * 0.5 * r)
            assert m.normal[0, 0] @ -out > np.cos(2 * np.pi / sides)


def test_a_tip_on_the_ground():
    m = contactlib.manifolds(cone(0.2, 0.6, top_radius=0.0), contactlib.Plane(), [0, 0, 0.29, 0, 1.0, 0, 0], STILL)
    assert m.count[0] == 1
    assert m.depth[0, 0] == pytest.approx(0.01, abs=1e-15)
    np.testing.assert_allclose(m.point[0, 0, :2], 0, atol=1e-12)
    assert -0.01 < m.point[0, 0, 2] < 0
    np.testing.assert_allclose(m.normal[0, 0], [0, 0, -1], atol=1e-12)


def test_a_scene_may_have_cones():
    shape = {"name": "nose", "kind": "cone", "radius": 0.2, "length": 0.5, "material": "m", "density": 1000.0}
    table = {"scene": {"name": "s"}, "body": [{"name": "probe", "motion": "free", "shape": [shape]}]}
    found = Spec.from_dict(table).body("probe").shapes[0].shape
    assert len(found.corners) == 65
    np.testing.assert_array_equal(found.corners, cone(0.2, 0.5).corners)
    with pytest.raises(ValueError, match=r"body\[0\]\.shape\[0\]\.length is missing"):
        Spec.from_dict({**table, "body": [{**table["body"][0], "shape": [
            {k: v for k, v in shape.items() if k != "length"}]}]})


@pytest.mark.parametrize(("arguments", "sentence"), [
    ((0.0, 1.0), "radius = 0, top_radius = 0: one of them must be greater than 0"),
    ((-0.1, 1.0), r"radius = -0\.1: must be a finite number of at least 0"),
    ((0.1, 0.0), r"length = 0\.0: must be a finite number greater than 0"),
    ((0.1, 1.0, float("nan")), "top_radius = nan: must be a finite number of at least 0"),
    ((0.1, 1.0, 0.0, 2), "sides = 2: must be an integer from 3 to 1024"),
    ((0.1, 1.0, 0.0, 8.0), r"sides = 8\.0: must be an integer from 3 to 1024"),
])
def test_what_is_no_cone_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        cone(*arguments)
