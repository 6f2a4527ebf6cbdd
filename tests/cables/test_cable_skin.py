"""Where cables touch shapes and each other, against dense samples of their cubics."""

import numpy as np
import pytest

import contactlib
from contactlib._core import engine
from contactlib.simulation.manifolds import core_shape
from tests.cables.cables import arc, compiled, design, straight
from tests.oracle import reference_skin as oracle
from tests.support import compare

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


# ---- shapes -----------------------------------------------------------------------------------------

# the oracle's gap is the same formula in other order; of triangles, ellipsoids and polyhedra it searches to 1e-9 m
GAP = 1e-9
# a touch is exact as long as the centre line is outside of the shape
OUTSIDE = -0.9 * RADIUS
CAPSULES = 4  # of elements of 40 mm: each is about as long as thick
REACH = 0.01
SAMPLES = 21  # of a capsule


def check_places(lengths, q, found, shape, X_WS, capsules=CAPSULES):
    """Gap and normal are those of the curve where the touch is, and no part of the curve is much nearer.

    With phi the distance at the same place, |phi(curve) - phi(chord)| <= sag: the least on the chord is at most one sag
    above the curve's, and its place on the curve one more. One that gave way did so to a smaller gap half a capsule
    away, which may have done so again.
    """
    x = np.array([along(lengths, touch["a"]) for touch in found])
    if len(found):
        gap, normal = oracle.gaps(lengths, q, RADIUS, shape, X_WS, x)
        outside = gap > OUTSIDE
        assert found["gap"][outside] == pytest.approx(gap[outside], abs=GAP)
        # an ellipsoid's or an edge's normal turns by GAP over the least distance, 1 mm
        assert found["n_W"][outside] == pytest.approx(normal[outside], abs=2e-6)
        r = oracle.curve(lengths, q, x)[0] - found["n_W"] * (RADIUS + found["gap"] / 2)[:, None]
        assert found["p_OC"] == pytest.approx(r, abs=1e-12)
        assert (found["gap"] < REACH).all()
    checked = 0
    parts = oracle.parts(lengths, capsules)
    samples = np.linspace(*parts.T, SAMPLES, axis=1)
    leasts = oracle.gaps(lengths, q, RADIUS, shape, X_WS, samples.ravel())[0].reshape(samples.shape).min(1)
    for part, least in zip(parts, leasts, strict=True):
        if not OUTSIDE < least < REACH:
            continue
        bound = 2 * oracle.sag(lengths, q, part) + GAP
        if not least < REACH - bound:
            continue
        beside = part[1] - part[0]
        near = (x > part[0] - beside) & (x < part[1] + beside)
        assert near.any() and found["gap"][near].min() <= least + bound, (part, least, found)
        checked += 1
    return checked


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape(kind):
    rng = np.random.default_rng(RNG)
    shape = core_shape(compare.shape((kind, SHAPES[kind])))
    lengths, checked = [0.04] * 10, 0
    for _ in range(25):
        q, X_WS = waves(rng, 10, 0.4, 0.02), pose(rng, 0.05)
        found = touches([(lengths, q)], [shape], X_WS[None], REACH, CAPSULES)
        assert len({*found["key"]}) == len(found)
        checked += check_places(lengths, q, found, (kind, SHAPES[kind]), X_WS)
    assert checked >= 5


def test_a_mesh_is_like_the_box_that_it_is_of():
    rng = np.random.default_rng(RNG)
    shape = core_shape(compare.as_mesh("box", SHAPES["box"]))
    lengths, checked = [0.04] * 10, 0
    for _ in range(25):
        q, X_WS = waves(rng, 10, 0.4, 0.02), pose(rng, 0.05)
        found = touches([(lengths, q)], [shape], X_WS[None], REACH, CAPSULES)
        checked += check_places(lengths, q, found, ("box", SHAPES["box"]), X_WS)
    assert checked >= 5


def test_a_cable_in_the_bore_of_a_socket():
    rng = np.random.default_rng(RNG)
    bore = {"radius": 0.025}
    socket = core_shape(contactlib.Socket((0.2, 0.2, 1.0), 0.025, 0.8))
    lengths, checked, X_WS = [0.04] * 5, 0, np.array([0, 0, 0.4, 1, 0, 0, 0])
    for _ in range(20):
        q = waves(rng, 5, 0.2, 0.01)[:, [1, 2, 0, 4, 5, 3]]
        q[:, :2] += rng.uniform(-0.007, 0.007, 2)
        found = touches([(lengths, q)], [socket], X_WS[None], REACH, CAPSULES)
        checked += check_places(lengths, q, found, ("bore", bore), X_WS)
    assert checked >= 50


def exact_between(cables, found, lengths):
    """Of two cables, gap and normal are those of the curves where the touches are."""
    for touch in found:
        w = np.subtract(*(oracle.curve(lengths, q, along(lengths, touch[name]))[0][0]
                          for (_, q), name in zip(cables, "ab", strict=True)))
        assert touch["gap"] == pytest.approx(np.linalg.norm(w) - 2 * RADIUS, abs=GAP)
        assert touch["n_W"] == pytest.approx(w / np.linalg.norm(w), abs=1e-9)


def test_cables_that_cross():
    """Three steps of Newton's method: nearly always the nearest to a ten thousandth of the radius."""
    rng = np.random.default_rng(RNG)
    lengths, errors, reach = [0.04] * 6, [], 0.01
    for _ in range(60):
        cables = []
        for _ in range(2):
            R = np.asarray(oracle.reference.rotation(pose(rng, 0)[None, 3:]), float)[0]
            q = (waves(rng, 6, 0.24, 0.02).reshape(-1, 3) @ R.T).reshape(-1, 6)
            q[:, :3] += 0.02 * rng.normal(size=3)
            cables.append((lengths, q))
        found = touches(cables, reach=reach, capsules=CAPSULES)
        exact_between(cables, found, lengths)
        wanted = oracle.places_on_cable(*((lengths, q, RADIUS) for _, q in cables), reach)
        capsule = lengths[0] / CAPSULES
        parts = oracle.parts(lengths, CAPSULES)
        bound = 2 * sum(max(oracle.sag(lengths, q, part) for part in parts) for _, q in cables)
        for place in wanted:
            near = [t["gap"] for t in found
                    if max(abs(along(lengths, t["a"]) - place.x), abs(along(lengths, t["b"]) - place.y)) < capsule]
            if place.gap < reach - bound:
                assert near and min(near) <= place.gap + bound
                errors.append(min(near) - place.gap)
    assert len(errors) > 20
    assert np.quantile(errors, 0.9) < 1e-4 * RADIUS


# ---- where capsules end -----------------------------------------------------------------------------


def cylinder(radius, length):
    return core_shape(compare.shape(("cylinder", {"radius": radius, "length": length})))


UP = np.array([[0, 0, 0, 1, 0, 0, 0.0]])  # z is the axis


@pytest.mark.parametrize("capsules", [1, 2, 3, 7])
@pytest.mark.parametrize("x", [-0.04, -0.03, -0.01, 0.0, 0.013])
def test_a_straight_cable_past_a_pin(capsules, x):
    """Nearest at the foot, wherever capsules end (x = -0.04 and 0 are nodes), and maybe where its neighbours begin."""
    q = straight(5, 0.2)
    q[:, :3] -= [0.08 + x, 0.0599, 0]
    found = touches([([0.04] * 5, q)], [cylinder(0.05, 0.2)], UP, 0.0, capsules)
    assert 1 <= len(found) <= 3
    least = found[found["gap"].argmin()]
    assert along([0.04] * 5, least["a"]) == pytest.approx(0.08 + x, abs=1e-9)
    assert least["gap"] == pytest.approx(-0.0001, abs=1e-15)
    assert least["n_W"] == pytest.approx([0, -1, 0], abs=1e-8)
    S, q = least["a"]["S"], q.reshape(-1, 2, 3)[least["a"]["element"]:][:2].reshape(4, 3)
    assert S @ q == pytest.approx([0, -0.0599, 0], abs=1e-9)


def test_a_key_stays_while_a_touch_slides_within_a_capsule():
    keys = []
    for x in (0.001, 0.005, 0.009, 0.011, 0.019):
        q = straight(5, 0.2)
        q[:, :3] -= [0.08 + x, 0.0599, 0]
        found = touches([([0.04] * 5, q)], [cylinder(0.05, 0.2)], UP, 0.0, 4)
        keys.append(found[found["gap"].argmin()]["key"])
    assert len({*keys[:3]}) == 1 and keys[3] == keys[4] != keys[0]


@pytest.mark.parametrize(("kind", "tilt"), [("box", 0.0), ("box", 1e-4), ("plane", 0.0), ("plane", -1e-4),
                                            ("cylinder", 0.0)])
def test_a_cable_that_lies_along_a_shape_touches_at_every_end_of_a_capsule(kind, tilt):
    """A tilt that over a capsule of 20 mm is a fiftieth of what still counts as along."""
    sizes = {"box": {"size": (1.0, 1.0, 0.2)}, "plane": {}, "cylinder": {"radius": 0.1, "length": 1.0}}[kind]
    X_WS = np.array([[0, 0, -0.1, 1, 0, 0, 0.0]])
    if kind == "plane":
        X_WS[0, 2] = 0
    elif kind == "cylinder":
        X_WS[0, 3:] = [np.sqrt(0.5), 0, np.sqrt(0.5), 0]
    q = straight(5, 0.2, (np.cos(tilt), 0, np.sin(tilt)))
    q[:, :3] += [-0.1, 0, 0.009]
    found = touches([([0.04] * 5, q)], [core_shape(compare.shape((kind, sizes)))], X_WS, 0.0, 2)
    x = np.sort([along([0.04] * 5, touch["a"]) for touch in found])
    assert x == pytest.approx(np.linspace(0, 0.2, 11), abs=1e-9)
    assert len({*found["key"]}) == len(found)
    assert found["n_W"] == pytest.approx(np.tile([0, 0, 1], (11, 1)), abs=2e-4)


def helix(R, n, turns, pitch, shift=0.0):
    s = np.linspace(0, 2 * np.pi * turns, n + 1) + shift
    speed = np.hypot(R, pitch)
    r = np.column_stack([R * np.cos(s), R * np.sin(s), pitch * (s - s.mean())])
    t = np.column_stack([-R * np.sin(s), R * np.cos(s), np.full(n + 1, pitch)]) / speed
    return [speed * (s[1] - s[0])] * n, np.hstack([r, t])


@pytest.mark.parametrize("capsules", [1, 2, 3])
def test_every_capsule_of_a_cable_around_a_pin_holds(capsules):
    """About one place each, also where the pin is not quite in the middle of the helix."""
    rng = np.random.default_rng(RNG)
    R, n = 0.1, 20
    lengths, q = helix(R, n, 1.5, 0.02)
    parts = oracle.parts(lengths, capsules)
    for _ in range(10):
        X_WS = UP + np.append(1e-4 * rng.normal(size=2), np.zeros(5))
        found = touches([(lengths, q)], [cylinder(R - RADIUS, 2.0)], X_WS, 0.002, capsules)
        x = np.sort([along(lengths, touch["a"]) for touch in found])
        assert 0.8 * n * capsules <= len(found) <= 1.2 * n * capsules
        assert (np.diff(x) < 2 * (parts[0, 1] - parts[0, 0])).all()
        assert x[0] < parts[0, 1] and x[-1] > parts[-1, 0]


# ---- two cables -------------------------------------------------------------------------------------


def crossing(offset):
    one, other = straight(4, 0.2), straight(4, 0.2, (0, 1, 0))
    one[:, 0] -= 0.09
    other[:, 1] -= 0.11
    other[:, 2] += offset
    return [([0.05] * 4, one), ([0.05] * 4, other)]


def test_swapped_cables_touch_alike():
    cables = crossing(0.015)
    one, other = touches(cables)[0], touches(cables[::-1])[0]
    assert one["gap"] == pytest.approx(-0.005, abs=1e-15) and one["gap"] == other["gap"]
    assert one["n_W"] == pytest.approx([0, 0, -1]) and other["n_W"] == pytest.approx([0, 0, 1])
    assert one["p_OC"] == pytest.approx(other["p_OC"], abs=1e-15)
    for name in ("element", "xi"):
        assert one["a"][name] == other["b"][name] and one["b"][name] == other["a"][name]


@pytest.mark.parametrize("turn", [0, 1])
def test_centre_lines_that_meet(turn):
    """The normal is across both; of cables one on the other it is across them."""
    cables = crossing(0.0) if turn else [([0.05] * 4, straight(4, 0.2))] * 2
    for touch in touches(cables):
        assert touch["gap"] == pytest.approx(-2 * RADIUS, abs=1e-15)
        assert np.linalg.norm(touch["n_W"]) == pytest.approx(1, abs=1e-12)
        assert abs(touch["n_W"][0]) < 1e-12 and (not turn or abs(touch["n_W"][1]) < 1e-12)
    assert len(touches(cables)) >= 1


def test_a_loop_touches_itself_and_a_bend_does_not():
    q = arc(20, 0.4, 2.2 * np.pi)
    q[:, 2] += np.linspace(0, 0.018, 21)
    lengths = [0.02] * 20
    assert len(touches([(lengths, q)], itself=False)) == 0
    found = touches([(lengths, q)], itself=True)
    assert len(found) >= 1
    for touch in found:
        assert along(lengths, touch["b"]) - along(lengths, touch["a"]) > np.pi * RADIUS
    assert len(touches([(lengths, arc(20, 0.4, 1.5 * np.pi))], itself=True, radius=0.02)) == 0


# ---- anything ---------------------------------------------------------------------------------------


def test_turned_together_touches_turn():
    rng = np.random.default_rng(RNG)
    shape = core_shape(compare.shape(("box", SHAPES["box"])))
    q, X_WS, X = waves(rng, 10, 0.4, 0.02), np.array([0, 0.01, -0.03, 1, 0, 0, 0]), pose(rng, 0.1)
    R = np.asarray(oracle.reference.rotation(X[None, 3:]), float)[0]
    moved = (q.reshape(-1, 3) @ R.T).reshape(-1, 6)
    moved[:, :3] += X[:3]
    there = np.concatenate([R @ X_WS[:3] + X[:3], X[3:]])
    lengths = [0.04] * 10
    one, other = (touches([(lengths, a)], [shape], b[None], 0.01) for a, b in ((q, X_WS), (moved, there)))
    assert len(one) == len(other) > 0
    assert (one["key"] == other["key"]).all()
    assert other["gap"] == pytest.approx(one["gap"], abs=1e-12)
    assert other["n_W"] == pytest.approx(one["n_W"] @ R.T, abs=1e-7)


def test_what_is_not_finite_touches_nothing():
    lengths, shapes = [0.04] * 5, [cylinder(0.05, 0.2), core_shape(compare.shape(("plane", {})))]
    for bad in (np.nan, np.inf, -np.inf):
        for column in range(6):
            q = straight(5, 0.2)
            q[2, column] = bad
            assert len(touches([(lengths, q), (lengths, straight(5, 0.2))], shapes[:1], UP, 0.1)) <= 10
            assert not (touches([(lengths, q)], shapes, np.tile(UP, (2, 1)), 0.1)["a"]["cable"] == 0).any()


def test_more_touches_than_room_are_counted():
    cable = compiled(design(5, 0.2))
    q = straight(5, 0.2)
    plane = core_shape(compare.shape(("plane", {})))
    out, count = engine.cable_touches([cable], [q], [(RADIUS, 2, False)], [plane], UP, 0.0, 3)
    assert len(out) == 3 and count >= 11


@pytest.mark.parametrize(("skin", "message"), [
    ((0.0, 1, False), r"skins\[0\].radius must be positive"), ((np.inf, 1, False), r"skins\[0\].radius"),
    ((0.01, 0, False), r"skins\[0\].capsules must be 1 to 64, not 0"),
])
def test_bad_skins(skin, message):
    with pytest.raises(ValueError, match=message):
        engine.cable_touches([compiled(design(5, 0.2))], [straight(5, 0.2)], [skin], [], NOWHERE, 0.0)
