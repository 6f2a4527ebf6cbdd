"""A ball on a mesh keeps its deepest contact, and the force stays continuous, where others could do without it."""

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth
from tests.poses.poses_frames import directions

RADIUS = 1.0
HERE = np.array([0, 0, 0, 1.0, 0, 0, 0])


def pads(normals, gaps):
    """Triangles 0.1 m across, each with its middle at the distance `gap` from the origin, facing it along -normal."""
    corners = []
    for n, gap in zip(normals, gaps, strict=True):
        u = np.cross(n, [0.3, 0.5, 0.81])
        u /= np.linalg.norm(u)
        v = np.cross(n, u)
        angle = -2 * np.pi / 3 * np.arange(3)[:, None]
        corners.append(gap * n + 0.1 * (np.cos(angle) * u + np.sin(angle) * v))
    return contactlib.Mesh(np.concatenate(corners), np.arange(3 * len(corners)).reshape(-1, 3))


def around(tilt, count):
    """Unit vectors by `tilt` off -z, all round."""
    angle = 2 * np.pi * np.arange(count) / count
    return np.stack([np.sin(tilt) * np.cos(angle), np.sin(tilt) * np.sin(angle), np.full(count, -np.cos(tilt))], axis=1)


@pytest.mark.parametrize("count, tilt", [(2, 50), (3, 40), (4, 55), (5, 60)])
def test_the_deepest_contact_stays(count, tilt):
    """One pad below, and others around it that are a little less deep and together clear it: d_i = 1 - gap."""
    normals = np.concatenate([[[0.0, 0, -1]], around(np.radians(tilt), count)])
    m = contactlib.manifolds(contactlib.Sphere(RADIUS), pads(normals, [0.8] + [0.82] * count), HERE, HERE)
    assert m.count[0] == count + 1
    assert m.depth[0].max() == pytest.approx(0.2, abs=1e-12)
    assert m.load_share[0, m.depth[0].argmax()] > 1e-4
    assert (m.load_share[0, : m.count[0]] > 0).all()


def test_the_deepest_contact_stays_among_random_ones():
    """Whatever lies around a ball."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        normals = directions(rng, int(rng.integers(3, 9)))
        gaps = rng.uniform(0.5, 0.95, len(normals))
        m = contactlib.manifolds(contactlib.Sphere(RADIUS), pads(normals, gaps), HERE, HERE)
        k = m.depth[0].argmax()
        assert m.depth[0, k] == pytest.approx(RADIUS - gaps.min(), abs=1e-12)
        assert m.load_share[0, k] > 0


def test_the_push_is_continuous_while_the_deepest_contact_changes():
    """One pad rises from far away until it is the deepest: the total push moves no faster than some times the pad."""
    normals = np.concatenate([[[0.0, 0, -1]], around(np.radians(45), 3)])
    sphere, step, before, steps = contactlib.Sphere(RADIUS), 1e-3, None, []
    for gap in np.arange(0.9, 0.7, -step):
        m = contactlib.manifolds(sphere, pads(normals, [gap, 0.8, 0.81, 0.83]), HERE, HERE)
        push = ((m.depth * m.load_share)[0, :, None] * m.normal[0]).sum(0)
        if before is not None:
            steps.append(np.linalg.norm(push - before))
        before = push
    assert max(steps) < 4 * step


def test_two_cylinders_along_each_other_in_either_order():
    """Their sides nearly parallel: both contacts are where they are, whichever cylinder comes first."""
    A, B = contactlib.Cylinder(0.05, 0.4), contactlib.Cylinder(0.08, 0.3)
    for angle in (1e-4, 3e-3, 0.02, 0.07):
        half = angle / 2
        X_WA = [0, 0, 0.1299, 0.5**0.5, 0, 0.5**0.5, 0]
        X_WB = [0.03, 0, 0, *(0.5**0.5 * np.array([np.cos(half), -np.sin(half), np.cos(half), np.sin(half)]))]
        one, other = contactlib.manifolds(A, B, X_WA, X_WB), contactlib.manifolds(B, A, X_WB, X_WA)
        assert one.count[0] == other.count[0] > 0
        here, there = (m.point[0, np.argsort(m.point[0, : m.count[0], 0])] for m in (one, other))
        np.testing.assert_allclose(here, there, atol=1e-12)
        np.testing.assert_allclose(np.sort(one.depth[0]), np.sort(other.depth[0]), atol=1e-14)


@pytest.mark.parametrize("radius", [0.2, 0.4, 0.6])
def test_no_contact_pulls(radius):
    """Where the surface contact of a ball on many facets takes over, the nearest has less force and does not pull."""
    ring = mesh_truth.as_shape("torus")
    rng = np.random.default_rng(1)
    places = ring.vertices[rng.integers(len(ring.vertices), size=3000)]
    outward = directions(rng, len(places))
    X = np.c_[places + rng.uniform(0.5, 1.0, (len(places), 1)) * radius * outward, np.tile(HERE[3:], (len(places), 1))]
    m = contactlib.manifolds(contactlib.Sphere(radius), ring, X, HERE, max_contacts=64)
    assert (m.count > 0).sum() > 1000
    assert m.load_share.min() >= 0.0
