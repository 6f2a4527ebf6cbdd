"""The reference against published numbers, independent series and poses with a known answer."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.oracle import reference as ref
from tests.oracle.reference import contacts
from tests.poses import poses_pairs as poses
from tests.poses.poses_pairs import pose

DATA = Path(__file__).parents[2] / "validation_data"
R_HOLE, R_PEG = 0.0175, 0.0173
LINE = ("Qx", "Qy", "Qz", "dx", "dy", "dz")
# Rounding of numbers of a few metres in extended precision is 2e-19; some hundred operations stay below this.
EXACT = 1e-16
AT_ORIGIN = np.array([[0, 0, 0, 1, 0, 0, 0]], np.longdouble)


def read(case, name):
    """Rows of a series of validation_data, numbers as float."""
    with open(DATA / case / name, newline="") as file:
        return [{k: v if k == "mode" else float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def about_y(angle):
    """Quaternion of a turn about y; it leans the z axis towards +x."""
    return np.cos(np.longdouble(angle) / 2), 0, np.sin(np.longdouble(angle) / 2), 0


# ---- the rim and a line --------------------------------------------------------------------------


def test_circle_line_minima_match_the_series():
    rows = read("circle_line", "circle_line_reference.csv")
    for line in {tuple(row[k] for k in LINE) for row in rows}:
        expected = [row for row in rows if row["is_min"] and line == tuple(row[k] for k in LINE)]
        expected.sort(key=lambda row: row["dist"])
        d = np.array(line[3:], np.longdouble)
        theta, distance = (v[0] for v in ref.circle_line_minima(R_HOLE, line[:3], d / np.sqrt(d @ d)))
        assert np.isfinite(distance).sum() == len(expected)
        for row, angle, found in zip(expected, theta, distance, strict=False):
            assert found == pytest.approx(row["dist"], abs=1e-15, rel=0)  # 15 printed digits of a double
            P = R_HOLE * np.array([np.cos(angle), np.sin(angle), 0])
            np.testing.assert_allclose(P.astype(float), [row["Px"], row["Py"], row["Pz"]], atol=1e-14, rtol=0)


def quartic_minima(R, Q, d):
    """Sorted distances of the minima, from the roots of modulus one of the quartic in exp(i theta)."""
    (p, q), (du, dv) = (-Q + (Q @ d) * d)[:2], d[:2]
    al, be, ga, de = -p, q, -R * (dv**2 - du**2) / 2, -R * du * dv
    z = np.roots([de - 1j * ga, be - 1j * al, 0, be + 1j * al, de + 1j * ga])
    theta = np.angle(z[np.abs(np.abs(z) - 1) < 1e-5])  # np.roots loses half the digits where two roots meet
    curvature = al * np.cos(theta) - be * np.sin(theta)
    curvature += 2 * (ga * np.cos(2 * theta) - de * np.sin(2 * theta))
    w = R * np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=1) - Q
    w -= (w @ d)[:, None] * d
    return np.sort(np.linalg.norm(w, axis=1)[curvature > 0])


def test_circle_line_minima_match_the_quartic():
    """Random lines, about a third of which have two minima; the two methods share nothing but the rim."""
    rng = np.random.default_rng(11)
    Q, d = rng.uniform(-0.02, 0.02, (2000, 3)), poses.directions(rng, 2000)
    _, distance = ref.circle_line_minima(R_HOLE, Q, d)
    two = 0
    for i in range(len(Q)):
        found = distance[i][np.isfinite(distance[i])].astype(float)
        expected = quartic_minima(R_HOLE, Q[i], d[i])
        assert len(found) == len(expected)
        # At a minimum the error of np.roots (1e-13 rad in general position) enters squared.
        np.testing.assert_allclose(found, expected, atol=1e-14, rtol=0)
        two += len(found) == 2
    assert two > 200


def test_a_minimum_about_to_vanish_is_found():
    """Shift a line with two minima until the quartic has lost one: just before, the minimum and a maximum are
    closer together than the samples of the reference, which must see them all the same."""
    d = np.array([10, 2, 5]) / np.sqrt(129)

    def line(y):
        return np.array([0, y, 0.01])

    low, high = 0.004, 0.03  # two minima, one minimum
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if len(quartic_minima(R_HOLE, line(middle), d)) == 2 else (low, middle)
    # np.roots tells a pair of roots from none to about 1e-10
    for y, count in ((low - 1e-9, 2), (high + 1e-9, 1)):
        _, distance = ref.circle_line_minima(R_HOLE, line(y), d)
        assert np.isfinite(distance).sum() == count


# ---- the eight-point search ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def pegs():
    """4000 points near the mouth, directions within 0.2 rad of the axis, and their exact rim distances."""
    Q, d = poses.lines_through_mouth(np.random.default_rng(5), 4000)
    to_line = np.nanmin(ref.circle_line_minima(R_HOLE, Q, d)[1], axis=1)
    return Q, d, np.hypot(np.hypot(Q[:, 0], Q[:, 1]) - R_HOLE, Q[:, 2]), to_line


LEVELS = read("rim_subdivision", "rim_subdivision_accuracy.csv")


@pytest.mark.parametrize("row", LEVELS, ids=lambda row: f"{row['mode']}{row['level']:.0f}")
def test_rim_subdivision_matches_the_series(pegs, row):
    Q, d, to_point, to_line = pegs
    levels, ends = int(row["level"]), row["mode"] == "incl"
    assert 45 * (2 / (7 if ends else 9)) ** (levels - 1) == pytest.approx(row["spacing_deg"], rel=1e-12)

    theta, distance = ref.rim_subdivision(R_HOLE, Q, levels, ends)
    turn = theta - np.arctan2(Q[:, 1], Q[:, 0])
    angle = np.degrees(np.abs((turn + np.pi) % (2 * np.pi) - np.pi))
    # the worst of 4000 pegs comes within 1 % of the bound
    assert angle.max() == pytest.approx(row["pt_max_angle_err_deg"], rel=0.01)

    line = ref.rim_subdivision(R_HOLE, (Q, d), levels, ends)[1] - to_line
    for error, key in ((distance - to_point, "pt"), (line, "line")):
        assert error.min() > -1e-16  # no search beats the exact minimum, but for rounding of doubles
        # The pegs of the series were others: a factor of two, see validation_data/rim_subdivision/README.md.
        assert 0.5 < error.max() / row[f"{key}_maxerr_m"] < 2
        assert 0.5 < error.mean() / row[f"{key}_meanerr_m"] < 2


# ---- inertia -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "radius", "length", "density", "mass", "height", "moments"),
    [
        ((0.10, 0.12, 0.0675), 0.0175, 0.05, 2700, 2.0268082271, 0.0335303800719,
         (3.389551512451e-3, 2.587651512451e-3, 4.423298772918e-3)),
        ((0.06, 0.06, 0.10), 0.02, 0.08, 1000, 0.242713874266, 0.0484467673322,
         (3.083914446382e-4, 3.083914446382e-4, 1.932129812860e-4)),
    ],
)  # fmt: skip
def test_socket_inertia(size, radius, length, density, mass, height, moments):
    """Published values have 11 to 13 digits and count heights from the bottom of the box."""
    m, z, principal = ref.socket_inertia(size, radius, length, density)
    assert m == pytest.approx(mass, rel=2e-11)
    assert z == pytest.approx(height - size[2], rel=2e-12)
    np.testing.assert_allclose(principal, moments, rtol=2e-12)


def test_capsule_inertia():
    m, z, principal = ref.capsule_inertia(0.0173, 0.06, 7850)
    assert m == pytest.approx(0.6131101684371, rel=2e-13)  # 13 published digits
    assert abs(z) < 1e-17
    np.testing.assert_allclose(principal, [4.058742500205e-4] * 2 + [8.665334797440e-5], rtol=2e-13)


# ---- poses with a known answer -------------------------------------------------------------------


@pytest.mark.parametrize("tilt", [0.16, 0.3, 0.7])
def test_centred_tilted_peg_touches_the_rim_twice(tilt):
    """depth = r - R cos(tilt) at both +R and -R; the contact lies half the depth inside the rim."""
    peg = ("capsule", {"radius": R_PEG, "length": 0.08})
    found = contacts(ref.manifold(peg, poses.SOCKET, pose([0, 0, 0], about_y(tilt)), AT_ORIGIN))
    depth = np.longdouble(R_PEG) - np.longdouble(R_HOLE) * np.cos(np.longdouble(tilt))
    assert {32, 33} <= found.keys()
    for point, normal, found_depth in (found[32], found[33]):  # equally near: either may be the first
        side = np.sign(point[0])
        assert abs(found_depth - depth) < EXACT
        n = side * np.array([np.cos(tilt), 0, -np.sin(tilt)])
        np.testing.assert_allclose(normal.astype(float), n, atol=1e-15)  # n is rounded to double
        on_rim = (point - normal * depth / 2).astype(float)
        np.testing.assert_allclose(on_rim, [side * R_HOLE, 0, 0], atol=EXACT)


@pytest.mark.parametrize(
    ("radius", "cap_depth", "tilt"),
    [(0.0173, 0.01, 0.038685361), (0.0173, 0.02, 0.019827348), (0.0173, 0.04, 0.009978137),
     (0.0174, 0.01, 0.019661106), (0.0174, 0.02, 0.009956546), (0.0174, 0.04, 0.004994533)],
)  # fmt: skip
def test_jam_tilt(radius, cap_depth, tilt):
    """At the two-point tilt the cap touches the wall while the body touches the rim: a peg fatter by delta
    penetrates both by delta. The tilt has 9 decimals: 5e-10 rad over 20 to 45 mm."""
    delta, length = 5e-5, 0.06
    tip = np.array([-(R_HOLE - radius), 0, -cap_depth])
    p = tip + length / 2 * np.array([np.sin(tilt), 0, np.cos(tilt)])
    peg = ("capsule", {"radius": radius + delta, "length": length})
    found = contacts(ref.manifold(peg, poses.SOCKET, pose(p, about_y(tilt)), AT_ORIGIN))
    assert found.keys() == {0, 32}
    assert found[0][2] == pytest.approx(delta, abs=1e-16)
    assert found[32][2] == pytest.approx(delta, abs=3e-11)


def test_the_wall_is_touched_on_the_near_side():
    """A ball 0.8 mm off the axis touches the wall beside it, (+R, 0), not (-R, 0) as eq. 17 of the paper."""
    m = ref.manifold(("sphere", {"radius": R_PEG}), poses.SOCKET, pose([0.0008, 0, -0.03]), AT_ORIGIN)
    point, normal, depth = contacts(m)[0]
    assert abs(depth - (np.longdouble(0.0008) - (np.longdouble(R_HOLE) - np.longdouble(R_PEG)))) < EXACT
    np.testing.assert_allclose((point - normal * depth / 2).astype(float), [R_HOLE, 0, -0.03], atol=EXACT)


DOWN = (0, 0, -1)
SIMPLE = [
    (poses.POINT, poses.PLANE, [0.3, 0.2, -0.001], {0: ([0.3, 0.2, -0.0005], DOWN)}),
    (poses.BALL, poses.PLANE, [0.3, 0.2, 0.019], {0: ([0.3, 0.2, -0.0005], DOWN)}),
    (poses.PEG, poses.PLANE, [0, 0, 0.03 + 0.0163], {0: ([0, 0, -0.0005], DOWN)}),
    (poses.BOX, poses.PLANE, [0, 0, 0.039], {
        0: ([-0.05, -0.03, -0.0005], DOWN), 1: ([0.05, -0.03, -0.0005], DOWN),
        2: ([-0.05, 0.03, -0.0005], DOWN), 3: ([0.05, 0.03, -0.0005], DOWN)}),
    (poses.BALL, poses.MARBLE, [0.026, 0, 0], {0: ([0.0065, 0, 0], (-1, 0, 0))}),
    (poses.MARBLE, poses.PEG, [0, 0, 0.03 + 0.0233], {0: ([0, 0, 0.03 + 0.0168], DOWN)}),
    (poses.MARBLE, poses.PEG, [0, 0.0233, 0.01], {0: ([0, 0.0168, 0.01], (0, -1, 0))}),
    (poses.MARBLE, poses.BOX, [0, 0.036, 0.01], {0: ([0, 0.0295, 0.01], (0, -1, 0))}),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "p", "expected"), SIMPLE, ids=[f"{s[0][0]}-{s[1][0]}" for s in SIMPLE])
def test_simple_pairs_one_millimetre_deep(a, b, p, expected):
    """Upright bodies that overlap by 1 mm; C lies 0.5 mm inside either surface."""
    found = contacts(ref.manifold(a, b, pose(p), AT_ORIGIN))
    assert found.keys() == expected.keys()
    for feature, (point, normal) in expected.items():
        np.testing.assert_allclose(found[feature][0].astype(float), point, atol=EXACT)
        np.testing.assert_array_equal(found[feature][1].astype(float), normal)
        assert found[feature][2] == pytest.approx(0.001, abs=EXACT)


@pytest.mark.parametrize(
    ("p", "features", "depth"),
    [
        ([0, 0, -0.0215], {0}, 0.0013),  # end 1.5 mm below P0: 1.5 - 0.2 mm into the cap
        ([0.04, 0, 0.03 + 0.0163], {0}, 0.001),  # on the top face
        ([0.05 + 0.0165, 0, -0.04], {0, 1}, 0.0008),  # along the side face x = 50 mm
        ([0.05 + 0.0125, 0.06 + 0.0125, -0.04], set(), 0),  # past the vertical edge by 17.7 mm
        ([0, 0, -0.08 - 0.017 - 0.03], {1}, 0.0003),  # under the bottom
    ],
)
def test_upright_peg_on_the_socket(p, features, depth):
    found = contacts(ref.manifold(poses.PEG, poses.SOCKET, pose(p), AT_ORIGIN))
    assert found.keys() == features
    for _, _, found_depth in found.values():
        assert found_depth == pytest.approx(depth, abs=EXACT)


PLATE, UPRIGHT_PLATE = ("box", {"size": (0.10, 0.06, 0.004)}), ("box", {"size": (0.004, 0.06, 0.10)})
# m, in the socket's wall at the place (x, 0, x - 19.5 mm) of the axis: hypot(x, x + 30.5 mm) - 17.5 mm = x + 50 mm
FAR_WALL = 0.05 + 0.037 - (0.037**2 + 0.003626) ** 0.5
RULES = [
    # flat over the whole box: its ends hang over the edges, the body rests on both
    ("over", poses.BOX, [0, 0, 0.043], [1, 0, 0], 0.5, {10: 0.001, 11: 0.001}),
    # one end over the top face, then down through the edge: 4/sqrt(5) mm inside it
    ("end and edge", poses.BOX, [0.04, 0, 0.043], [2, 0, -1], 0, {0: 0.001, 11: 0.004 + 0.004 / 5**0.5}),
    # axis inside the material, 1 mm below both faces that meet in the edge, or the rim; and on through the wall across
    # the hole, deepest where the cap is as near as the outer face
    ("inside an edge", poses.BOX, [0.049, 0, 0.039], [1, 0, -1], 0.5, {11: 0.004 + 0.001 * 2**0.5}),
    ("inside the rim", poses.SOCKET, [0.0185, 0, -0.001], [1, 0, 1], 0.5,
     {32: 0.004 + 0.001 * 2**0.5, 24: 0.004 + FAR_WALL}),
    ("inside, reversed", poses.SOCKET, [0.0185, 0, -0.001], [-1, 0, -1], 0.5,
     {32: 0.004 + 0.001 * 2**0.5, 24: 0.004 + FAR_WALL}),
    # below the middle of a thin plate: no edge any more, but out through the nearer face
    ("through a plate", PLATE, [0.04875, 0, -0.0005], [2, 0, -1], 0.5, {24: 0.004 + 0.002}),
    ("through a wall", UPRIGHT_PLATE, [-0.0005, 0, 0.04875], [-1, 0, 2], 0.5, {24: 0.004 + 0.002}),
    # past a corner, and over the top face cutting the corner off: then the two edges stand for it
    ("corner", poses.BOX, [0.052, 0.032, 0.041], [1, -1, 0], 0.5, {23: 0.001}),
    ("corner cut off", poses.BOX, [0.049, 0.029, 0.042], [1, -1, 0], 0.5, {7: 0.002, 11: 0.002}),
    # an end beside an edge counts while the axis leads away from it; else the body stands for it
    ("leaving an edge", poses.BOX, [0.051, 0, 0.042], [1, 0, 1], 0, {0: 0.004 - 0.001 * 5**0.5}),
    ("nearing an edge", poses.BOX, [0.051, 0, 0.042], [1, 0, -1], 0, {11: 0.004 - 0.003 / 2**0.5}),
]


@pytest.mark.parametrize(("name", "solid", "p", "t", "at", "depths"), RULES, ids=[rule[0] for rule in RULES])
def test_rules_of_the_swept_ball(name, solid, p, t, at, depths):
    """A rod of radius 4 mm whose axis passes p along t at the fraction `at` of its length."""
    t = np.array(t) / np.linalg.norm(t)
    rod, length = poses.ROD, poses.ROD[1]["length"]
    q = poses.pointing(np.random.default_rng(0), t[None])[0]
    found = contacts(ref.manifold(rod, solid, pose(p + (0.5 - at) * length * t, q), AT_ORIGIN))
    assert found.keys() == depths.keys()
    for feature, depth in depths.items():
        assert found[feature][2] == pytest.approx(depth, abs=1e-15)  # poses are doubles here: 4e-17 of 0.3 m


def test_parallel_capsules_rest_on_both_ends():
    """Side by side, shifted by a quarter: one end of each, equally deep, and no closest pair besides."""
    p, r, length = [0.007, 0, 0.075], poses.ROD[1]["radius"], poses.ROD[1]["length"]
    found = contacts(ref.manifold(poses.ROD, poses.ROD, pose(p), AT_ORIGIN))
    assert found.keys() == {1, 4}
    for feature, z in ((1, 0.075 - length / 2), (4, length / 2)):
        np.testing.assert_allclose(found[feature][0].astype(float), [0.0035, 0, z], atol=EXACT)
        assert found[feature][2] == pytest.approx(2 * r - 0.007, abs=EXACT)
