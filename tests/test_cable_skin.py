"""Where cables touch shapes and each other, against dense samples of their cubics."""

import numpy as np
import pytest

import compare
import reference_skin as oracle
from cables import arc, compiled, design, straight
from contactlib._core import engine
from contactlib.geometry import core_shape

RNG = 20260301
RADIUS = 0.01
NOWHERE = np.zeros((0, 7))

CUBE = [(x, y, z) for x in (-0.05, 0.05) for y in (-0.04, 0.04) for z in (-0.03, 0.03)]
SHAPES = {
    "point": {},
    "sphere": {"radius": 0.05},
    "segment": {"length": 0.1},
    "capsule": {"radius": 0.03, "length": 0.1},
    "triangle": {"corners": [(-0.06, -0.05, 0.0), (0.07, -0.04, 0.0), (0.0, 0.08, 0.0)]},
    "ellipsoid": {"semi_axes": (0.06, 0.04, 0.03)},
    "box": {"size": (0.1, 0.07, 0.05)},
    "cylinder": {"radius": 0.04, "length": 0.15},
    "polyhedron": {"corners": CUBE},
    "plane": {},
}


def pose(rng, spread):
    quaternion = rng.normal(size=4)
    return np.concatenate([spread * rng.normal(size=3), quaternion / np.linalg.norm(quaternion)])


def waves(rng, n, length, depth):
    """A cable along x with waves across it, slopes of about unit length."""
    x = np.linspace(-length / 2, length / 2, n + 1)
    k, phase = rng.uniform(2, 8, (2, 3)) * np.pi / length, rng.uniform(0, 2 * np.pi, (2, 3))
    r = np.column_stack([x, *(depth * np.sin(x[:, None] * k[i] + phase[i]).mean(1) for i in range(2))])
    t = np.column_stack([x * 0 + 1, *(depth * (k[i] * np.cos(x[:, None] * k[i] + phase[i])).mean(1) for i in range(2))])
    return np.hstack([r, t])


def touches(cables, shapes=(), X_WS=NOWHERE, reach=0.0, capsules=2, itself=False, capacity=1024, radius=RADIUS):
    """Of cables given as (lengths, q)."""
    made = [compiled(design(len(lengths), sum(lengths))) for lengths, _ in cables]
    out, count = engine.cable_touches(made, [q for _, q in cables], [(radius, capsules, itself)] * len(made),
                                      shapes, np.asarray(X_WS), reach, capacity)
    assert count == len(out)
    return out


def along(lengths, place):
    return np.concatenate([[0], np.cumsum(lengths)])[place["element"]] + place["xi"] * np.asarray(lengths)[0]


def slope_of(lengths, q, touch):
    """Of the gap along the cable."""
    t = oracle.curve(lengths, q, along(lengths, touch["a"]))[1][0]
    return touch["n_W"] @ t / np.linalg.norm(t)


# ---- shapes -----------------------------------------------------------------------------------------

# the search ends where the slope of the gap is below 1e-9: of curvatures up to 1 m (a cable nearly along a face) that
# leaves 1e-9 m along the cable, of the gap its square. the samples' own search leaves 1e-8 m along the cable, and an
# ellipsoid's distance 1e-9 m.
ALONG, GAP = 1e-7, 1e-8
# a touch is exact as long as the centre line is outside of the shape
OUTSIDE = -0.9 * RADIUS
CAPSULES = 4  # of elements of 40 mm: each is about as long as thick


def compare_places(lengths, q, found, wanted):
    """Every clear minimum is found, and what is found is a minimum, or an end of a capsule that lies along the shape."""
    x = np.array([along(lengths, touch["a"]) for touch in found])
    checked = 0
    for place in wanted:
        if place.gap < OUTSIDE or place.prominence < 0.01 * RADIUS:
            continue
        near = np.flatnonzero(np.abs(x - place.x) < ALONG)
        assert len(near) == 1, (place, x)
        touch = found[near[0]]
        assert touch["gap"] == pytest.approx(place.gap, abs=GAP)
        assert touch["n_W"] == pytest.approx(place.normal, abs=1e-5)  # turns by ALONG over an edge 1 mm away: 1e-4 rad
        assert touch["p_OC"] == pytest.approx(place.point, abs=2e-5 * RADIUS + ALONG)
        checked += 1
    for touch in found[found["gap"] > OUTSIDE]:
        minimum = any(abs(along(lengths, touch["a"]) - place.x) < ALONG for place in wanted)
        lies = abs(slope_of(lengths, q, touch)) * lengths[0] / CAPSULES <= 0.01 * RADIUS * (1 + 1e-9)
        assert minimum or (lies and (touch["a"]["xi"] * CAPSULES) % 1 == 0), touch
    return checked


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape(kind):
    rng = np.random.default_rng(RNG)
    shape = core_shape(compare.shape((kind, SHAPES[kind])))
    lengths, checked = [0.04] * 10, 0
    for _ in range(40):
        q, X_WS = waves(rng, 10, 0.4, 0.02), pose(rng, 0.05)
        found = touches([(lengths, q)], [shape], X_WS[None], 0.01, CAPSULES)
        wanted = oracle.places_on_shape(lengths, q, RADIUS, (kind, SHAPES[kind]), X_WS, 0.01)
        checked += compare_places(lengths, q, found, wanted)
    assert checked >= 3


def test_cables_that_cross():
    rng = np.random.default_rng(RNG)
    lengths, checked = [0.04] * 6, 0
    for _ in range(60):
        cables = []
        for _ in range(2):
            R = np.asarray(oracle.reference.rotation(pose(rng, 0)[None, 3:]), float)[0]
            q = (waves(rng, 6, 0.24, 0.02).reshape(-1, 3) @ R.T).reshape(-1, 6)
            q[:, :3] += 0.02 * rng.normal(size=3)
            cables.append((lengths, q))
        found = touches(cables, reach=0.01, capsules=CAPSULES)
        wanted = oracle.places_on_cable(*((lengths, q, RADIUS) for _, q in cables), 0.01)
        for place in wanted:
            near = [t for t in found if abs(along(lengths, t["a"]) - place.x) + abs(along(lengths, t["b"]) - place.y) < 1e-5]
            assert len(near) == 1, (place, found)
            assert near[0]["gap"] == pytest.approx(place.gap, abs=GAP)
            checked += 1
        assert len(found) == len(wanted)
    assert checked > 20
