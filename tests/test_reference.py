"""The reference itself, against published numbers, independent series and its own definition."""

import csv
from pathlib import Path

import numpy as np
import poses
import pytest
import reference as ref

DATA = Path(__file__).parent.parent / "validation_data"
R_HOLE, R_PEG = 0.0175, 0.0173
# Rounding of numbers of a few metres in extended precision is 2e-19; some hundred operations stay below this.
EXACT = 1e-16
AT_ORIGIN = np.array([[0, 0, 0, 1, 0, 0, 0]], np.longdouble)
ALL_POSES = poses.REGIONS | poses.PAIRS | poses.DEGENERATE
SWEPT = [name for name in ALL_POSES if name in poses.REGIONS or "box" in name and name.startswith(("capsule", "rod"))]


def read(case, name):
    """Rows of a series of validation_data, numbers as float."""
    with open(DATA / case / name, newline="") as file:
        return [{k: v if k == "mode" else float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def pose(p, q=(1, 0, 0, 0)):
    """One pose (1, 7) with its quaternion normalised in extended precision."""
    q = np.array(q, np.longdouble)
    return np.concatenate([np.array(p, np.longdouble), q / np.sqrt(q @ q)])[None]


def about_y(angle):
    """Quaternion of a turn about y; it leans the z axis towards +x."""
    return np.cos(np.longdouble(angle) / 2), 0, np.sin(np.longdouble(angle) / 2), 0


def contacts(m, i=0):
    """{feature: (point, normal, depth)} of pose i."""
    return {int(m.feature[i, k]): (m.point[i, k], m.normal[i, k], m.depth[i, k]) for k in range(m.count[i])}


def scene(name, n, seed=7):
    """Shapes and extended-precision poses of one generator."""
    a, b, X_WA, X_WB = ALL_POSES[name](np.random.default_rng(seed), n)
    return a, b, X_WA.astype(np.longdouble), X_WB.astype(np.longdouble)


# ---- the rim and a line ----------------------------------------------------------------------------------------


def test_circle_line_minima_match_the_series():
    rows = read("circle_line", "circle_line_reference.csv")
    lines = {tuple(row[k] for k in ("Qx", "Qy", "Qz", "dx", "dy", "dz")) for row in rows}
    for line in lines:
        expected = [r for r in rows if r["is_min"] and line == tuple(r[k] for k in ("Qx", "Qy", "Qz", "dx", "dy", "dz"))]
        expected.sort(key=lambda r: r["dist"])
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
    curvature = al * np.cos(theta) - be * np.sin(theta) + 2 * (ga * np.cos(2 * theta) - de * np.sin(2 * theta))
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
    for y, count in ((low - 1e-9, 2), (high + 1e-9, 1)):  # np.roots tells a pair of roots from none to about 1e-10
        _, distance = ref.circle_line_minima(R_HOLE, line(y), d)
        assert np.isfinite(distance).sum() == count


# ---- the eight-point search ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pegs():
    """4000 points near the mouth, directions within 0.2 rad of the axis, and their exact rim distances."""
    rng, n = np.random.default_rng(5), 4000
    rho, z = 0.007 * np.sqrt(rng.uniform(0, 1, n)), rng.uniform(-0.005, 0.005, n)
    Q = rho[:, None] * poses.radial(rng.uniform(0, 2 * np.pi, n)) + z[:, None] * [0, 0, 1]
    d = poses.tilted(rng, n, 0, 0.2)
    to_line = np.nanmin(ref.circle_line_minima(R_HOLE, Q, d)[1], axis=1)
    return Q, d, np.hypot(rho - R_HOLE, z), to_line


@pytest.mark.parametrize("row", read("rim_subdivision", "rim_subdivision_accuracy.csv"), ids=lambda r: f"{r['mode']}{r['level']:.0f}")
def test_rim_subdivision_matches_the_series(pegs, row):
    Q, d, to_point, to_line = pegs
    levels, ends = int(row["level"]), row["mode"] == "incl"
    assert 45 * (2 / (7 if ends else 9)) ** (levels - 1) == pytest.approx(row["spacing_deg"], rel=1e-12)

    theta, distance = ref.rim_subdivision(R_HOLE, Q, levels, ends)
    turn = theta - np.arctan2(Q[:, 1], Q[:, 0])
    angle = np.degrees(np.abs((turn + np.pi) % (2 * np.pi) - np.pi))
    assert angle.max() == pytest.approx(row["pt_max_angle_err_deg"], rel=0.01)  # the worst of 4000 reaches the bound

    line = ref.rim_subdivision(R_HOLE, (Q, d), levels, ends)[1] - to_line
    for error, key in ((distance - to_point, "pt"), (line, "line")):
        assert error.min() > -1e-16  # no search beats the exact minimum; rounding of doubles of 0.02 m is 4e-18
        # The pegs of the series were others: a factor of two, see validation_data/rim_subdivision/README.md.
        assert 0.5 < error.max() / row[f"{key}_maxerr_m"] < 2
        assert 0.5 < error.mean() / row[f"{key}_meanerr_m"] < 2


# ---- inertia ---------------------------------------------------------------------------------------------------


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


# ---- poses with a known answer ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tilt", [0.16, 0.3, 0.7])
def test_centred_tilted_peg_touches_the_rim_twice(tilt):
    """depth = r - R cos(tilt) at both +R and -R; the contact lies half the depth inside the rim."""
    peg = ("capsule", {"radius": R_PEG, "length": 0.08})
    found = contacts(ref.manifold(peg, poses.SOCKET, pose([0, 0, 0], about_y(tilt)), AT_ORIGIN))
    depth = np.longdouble(R_PEG) - np.longdouble(R_HOLE) * np.cos(np.longdouble(tilt))
    for feature, side in ((2, 1), (3, -1)):
        point, normal, found_depth = found[feature]
        assert abs(found_depth - depth) < EXACT
        n = side * np.array([np.cos(tilt), 0, -np.sin(tilt)])
        np.testing.assert_allclose(normal.astype(float), n, atol=1e-15)  # n is rounded to double
        np.testing.assert_allclose((point - normal * depth / 2).astype(float), [side * R_HOLE, 0, 0], atol=EXACT)


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
    assert found.keys() == {0, 2}
    assert found[0][2] == pytest.approx(delta, abs=1e-16)
    assert found[2][2] == pytest.approx(delta, abs=3e-11)


def test_the_wall_is_touched_on_the_near_side():
    """A ball 0.8 mm off the axis touches the wall it is close to: (+R, 0), not (-R, 0) as eq. 17 of the paper."""
    m = ref.manifold(("sphere", {"radius": R_PEG}), poses.SOCKET, pose([0.0008, 0, -0.03]), AT_ORIGIN)
    point, normal, depth = contacts(m)[0]
    assert abs(depth - (np.longdouble(0.0008) - (np.longdouble(R_HOLE) - np.longdouble(R_PEG)))) < EXACT
    np.testing.assert_allclose((point - normal * depth / 2).astype(float), [R_HOLE, 0, -0.03], atol=EXACT)


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


PLATE = ("box", {"size": (0.10, 0.06, 0.004)})
RULES = [
    # flat over the whole box: its ends hang over the edges, the body rests on both
    ("over", poses.BOX, [0, 0, 0.043], [1, 0, 0], 0.5, {10: 0.001, 11: 0.001}),
    # one end over the top face, then down through the edge: 4/sqrt(5) mm inside it
    ("end and edge", poses.BOX, [0.04, 0, 0.043], [2, 0, -1], 0, {0: 0.001, 11: 0.004 + 0.004 / 5**0.5}),
    # axis inside the material, 1 mm below both faces that meet in the edge, or the rim
    ("inside an edge", poses.BOX, [0.049, 0, 0.039], [1, 0, -1], 0.5, {11: 0.004 + 0.001 * 2**0.5}),
    ("inside the rim", poses.SOCKET, [0.0185, 0, -0.001], [1, 0, 1], 0.5, {2: 0.004 + 0.001 * 2**0.5}),
    ("inside, reversed", poses.SOCKET, [0.0185, 0, -0.001], [-1, 0, -1], 0.5, {3: 0.004 + 0.001 * 2**0.5}),
    # below the middle of a thin plate: no edge any more, but out through the nearer face
    ("through a plate", PLATE, [0.04875, 0, -0.0005], [2, 0, -1], 0.5, {24: 0.004 + 0.002}),
    ("corner", poses.BOX, [0.052, 0.032, 0.041], [1, -1, 0], 0.5, {23: 0.001}),
    # an end beside an edge counts while the axis leads away from it; else the body stands for it
    ("leaving an edge", poses.BOX, [0.051, 0, 0.042], [1, 0, 1], 0, {0: 0.004 - 0.001 * 5**0.5}),
    ("nearing an edge", poses.BOX, [0.051, 0, 0.042], [1, 0, -1], 0, {11: 0.004 - 0.003 / 2**0.5}),
]


@pytest.mark.parametrize(("solid", "p", "t", "at", "depths"), [r[1:] for r in RULES], ids=[r[0] for r in RULES])
def test_rules_of_the_swept_ball(solid, p, t, at, depths):
    """A rod of radius 4 mm whose axis passes p along t at the fraction `at` of its length, in the plane y = const."""
    t = np.array(t) / np.linalg.norm(t)
    rod, length = poses.ROD, poses.ROD[1]["length"]
    q = poses.pointing(np.random.default_rng(0), t[None])[0]
    found = contacts(ref.manifold(rod, solid, pose(p + (0.5 - at) * length * t, q), AT_ORIGIN))
    assert found.keys() == depths.keys()
    for feature, depth in depths.items():
        assert found[feature][2] == pytest.approx(depth, abs=1e-15)  # poses are doubles here: 4e-17 of 0.3 m


# ---- the definition, checked on random poses -------------------------------------------------------------------


def local(m, X_WB):
    """Points and normals (N, K, 3) in the frame of B."""
    R_BW = ref.rotation(X_WB[:, 3:]).swapaxes(1, 2)
    return ref.rotate(R_BW, m.point - X_WB[:, None, :3]), ref.rotate(R_BW, m.normal)


def axis_distance(capsule, x_A):
    """Distance of x_A (..., 3) from the axis segment."""
    return ref.norm(x_A - ref.nearest_on_axis(x_A, capsule["length"]))


@pytest.mark.parametrize("name", SWEPT)
def test_swept_ball_contacts_keep_the_definition(name):
    """S = C - n depth/2 lies on the surface of the solid; x = C - n (r - depth/2) lies on the axis."""
    a, b, X_WA, X_WB = scene(name, 400)
    m = ref.manifold(a, b, X_WA, X_WB)
    point, normal = local(m, X_WB)
    x_B = point - normal * (a[1]["radius"] - m.depth / 2)[..., None]
    here = m.feature >= 0
    phi = ref.signed_distance(b, point - normal * m.depth[..., None] / 2)[0]
    assert here.any()
    assert np.abs(phi[here]).max() < EXACT
    x_A = ref.rotate(ref.rotation(X_WA[:, 3:]).swapaxes(1, 2), ref.rotate(ref.rotation(X_WB[:, 3:]), x_B)
                     + (X_WB - X_WA)[:, None, :3])  # fmt: skip
    assert axis_distance(a[1], x_A)[here].max() < EXACT

    # No contact is deeper than the solid is near, unless it pushes out through an edge (r + d).
    limit = a[1]["radius"] - ref.signed_distance(b, x_B)[0]
    through_edge = (m.depth > a[1]["radius"]) & (m.feature >= 2) & (m.feature < 24)
    assert (m.depth - limit)[here & ~through_edge].max() < EXACT


@pytest.mark.parametrize("name", SWEPT)
def test_deepest_contact_is_the_nearest_approach(name):
    """While the axis stays outside the material, no sample of it is nearer to the solid than the deepest contact."""
    (kind, a), b, X_WA, X_WB = scene(name, 400)
    m = ref.manifold((kind, a), b, X_WA, X_WB)
    R_BW = ref.rotation(X_WB[:, 3:]).swapaxes(1, 2)
    s = np.linspace(-0.5, 0.5, 401, dtype=np.longdouble)[:, None] * a["length"]
    x_W = X_WA[:, None, :3] + s * ref.rotation(X_WA[:, 3:])[:, None, :, 2]
    phi = ref.signed_distance(b, ref.rotate(R_BW, x_W - X_WB[:, None, :3]))[0].min(1)
    clear = phi > a["length"] / 800  # phi has slope one: the samples prove the whole axis to be outside
    if name not in ("rod_through_socket", "rod_through_box"):
        assert clear.any()
    assert (a["radius"] - phi - m.depth.max(1))[clear].max(initial=-1) < EXACT


def surface_cloud(shape, n=40000):
    """Points on the surface of a box or socket, found by casting rays from random points along the axes."""
    rng, size = np.random.default_rng(2), np.array(shape[1]["size"])
    centre = np.array([0, 0, -size[2] / 2 if shape[0] == "socket" else 0])
    x = centre + rng.uniform(-0.6, 0.6, (n, 3)) * size
    step = np.eye(3)[rng.integers(0, 3, n)] * 0.6 * rng.choice([-1, 1], (n, 1)) * size
    low, high = np.zeros(n), np.ones(n)
    sign = ref.signed_distance(shape, x)[0] < 0
    crosses = sign != (ref.signed_distance(shape, x + step)[0] < 0)
    for _ in range(60):
        middle = (low + high) / 2
        same = (ref.signed_distance(shape, x + middle[:, None] * step)[0] < 0) == sign
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return (x + high[:, None] * step)[crosses]


def inside(shape, x):
    """Whether x lies in the solid, by its definition as a set."""
    b = shape[1]
    half = np.array(b["size"]) / 2
    if shape[0] == "box":
        return (np.abs(x) <= half).all(1)
    rho, z = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
    hole = (rho < b["radius"]) & (z >= -b["length"]) & (z <= 0)
    cap = (np.hypot(rho, z + b["length"]) < b["radius"]) & (z < -b["length"])
    return (np.abs(x + [0, 0, half[2]]) <= half).all(1) & ~hole & ~cap


@pytest.mark.parametrize("shape", [poses.SOCKET, poses.BOX], ids=lambda s: s[0])
def test_signed_distance(shape):
    """The sign is that of the solid, S is on the surface, no other surface point is nearer, g leads to S."""
    cloud = surface_cloud(shape)
    rng, size = np.random.default_rng(4), np.array(shape[1]["size"])
    x = cloud.mean(0) + rng.uniform(-0.8, 0.8, (3000, 3)) * size
    phi, g, _ = ref.signed_distance(shape, x)
    np.testing.assert_array_equal(phi < 0, inside(shape, x))
    assert np.abs(ref.norm(g) - 1).max() < EXACT
    assert np.abs(ref.signed_distance(shape, x - phi[:, None] * g)[0]).max() < EXACT
    for i in range(len(x)):
        assert ref.norm(cloud - x[i]).min() > abs(phi[i]) - 1e-15  # the cloud is on the surface to 60 halvings


def test_capsule_capsule_deepest_is_the_nearest_approach():
    """No two samples of the axes are nearer than the deepest contact says, and its witnesses are on both axes."""
    a, b, X_WA, X_WB = scene("capsule_capsule", 400)
    m = ref.manifold(a, b, X_WA, X_WB)
    s = np.linspace(-0.5, 0.5, 101)[:, None] * a[1]["length"]
    on_A, on_B = (X[:, None, :3] + s * ref.rotation(X[:, 3:])[:, None, :, 2] for X in (X_WA, X_WB))
    distance = ref.norm(on_A[:, :, None] - on_B[:, None]).min((1, 2))
    touching = distance < 2 * R_PEG
    assert (2 * R_PEG - distance - m.depth.max(1))[touching].max() < EXACT
    here = m.feature >= 0
    for X, side in ((X_WA, -1), (X_WB, 1)):
        x_W = m.point + side * m.normal * (R_PEG - m.depth / 2)[..., None]
        x = ref.rotate(ref.rotation(X[:, 3:]).swapaxes(1, 2), x_W - X[:, None, :3])
        assert axis_distance(a[1], x)[here].max() < EXACT


def test_parallel_capsules_rest_on_both_ends():
    """Side by side and shifted by a quarter: one end of each, the same depth, never the closest pair besides."""
    p, r, length = [0.007, 0, 0.075], poses.ROD[1]["radius"], poses.ROD[1]["length"]
    found = contacts(ref.manifold(poses.ROD, poses.ROD, pose(p), AT_ORIGIN))
    assert found.keys() == {1, 4}
    for feature, z in ((1, 0.075 - length / 2), (4, length / 2)):
        np.testing.assert_allclose(found[feature][0].astype(float), [0.0035, 0, z], atol=EXACT)
        assert found[feature][2] == pytest.approx(2 * r - 0.007, abs=EXACT)


def test_swapping_two_capsules_swaps_their_ends():
    a, b, X_WA, X_WB = scene("capsule_capsule", 300)
    there, back = ref.manifold(a, b, X_WA, X_WB), ref.manifold(b, a, X_WB, X_WA)
    other = {0: 0, 1: 3, 2: 4, 3: 1, 4: 2}
    for i in range(300):
        swapped = contacts(back, i)
        for feature, (point, normal, depth) in contacts(there, i).items():
            point_2, normal_2, depth_2 = swapped.pop(other[feature])
            # Bisection along A or along B stops within rounding of the same pair, divided by the crossing angle^2.
            assert np.abs(point - point_2).max() < 1e-14
            assert np.abs(normal + normal_2).max() < 1e-12
            assert abs(depth - depth_2) < EXACT
        assert not swapped


@pytest.mark.parametrize("name", poses.REGIONS)
def test_turning_the_capsule_end_for_end_moves_no_contact(name):
    """The same solid: the ends swap names, so do the sides of the rim, nothing else changes."""
    a, b, X_WA, X_WB = scene(name, 200)
    X_turned = X_WA.copy()
    X_turned[:, 3:] = poses.multiply(X_WA[:, 3:], np.array([[0, 1, 0, 0]], np.longdouble))
    m, turned = ref.manifold(a, b, X_WA, X_WB), ref.manifold(a, b, X_turned, X_WB)
    np.testing.assert_array_equal(m.count, turned.count)
    for i in range(200):
        key = [np.sort(np.round(v.depth[i].astype(float), 14)) for v in (m, turned)]
        np.testing.assert_allclose(*key, atol=2e-14)  # rounding to 14 decimals only orders nearly equal depths


@pytest.mark.parametrize("name", ALL_POSES)
def test_moving_the_whole_scene_moves_its_contacts(name):
    """One rigid motion of both bodies: same features and depths, moved points and normals."""
    a, b, X_WA, X_WB = scene(name, 200)
    G = pose([1.5, -2, 0.7], [0.3, -0.5, 0.7, 0.2])
    moved = []
    for X in (X_WA, X_WB):
        p = G[:, :3] + ref.rotate(ref.rotation(np.repeat(G[:, 3:], len(X), 0)), X[:, :3])
        moved.append(np.hstack([p, poses.multiply(np.repeat(G[:, 3:], len(X), 0), X[:, 3:])]))
    m, m_G = ref.manifold(a, b, X_WA, X_WB), ref.manifold(a, b, *moved)
    np.testing.assert_array_equal(m.feature, m_G.feature)
    assert np.abs(m.depth - m_G.depth).max() < EXACT

    R_G = ref.rotation(np.repeat(G[:, 3:], len(X_WA), 0))
    unique = (m.feature >= 0) & (m.feature != 24)  # at the deepest point (24) two faces are equally near
    turned = ref.rotate(R_G, m.normal)
    # Normals of nearly concentric spheres, 1e-9 m apart, keep 9 digits fewer; of all others a few fewer.
    assert np.abs(turned - m_G.normal)[unique].max(initial=0) < (1e-8 if "concentric" in name else 1e-12)
    point = ref.rotate(R_G, m.point) + G[:, None, :3]
    assert np.abs(point - m_G.point)[unique].max(initial=0) < (1e-9 if "concentric" in name else 1e-13)


# ---- the pose generators ---------------------------------------------------------------------------------------

AIMED_AT = {
    "cap_on_cap": {0, 1}, "cap_on_wall": {0, 1}, "cap_on_rim": {0, 1}, "body_on_rim": {2, 3}, "two_sided_rim": {2, 3},
    "cap_on_top": {0, 1}, "outer_faces": {0, 1}, "outer_edges": set(range(4, 16)), "outer_corners": set(range(16, 24)),
    "tight_hole_0.05mm": {0, 1}, "tight_hole_0.2mm": {2, 3}, "tight_hole_0.5mm": {0, 1}, "deep": {0, 1},
    "anywhere": {0, 1}, "rod_through_socket": {24},
}  # fmt: skip


@pytest.mark.parametrize("name", poses.REGIONS)
def test_poses_reach_their_region(name):
    """Each generator meets the features it is named after; only `anywhere` is mostly empty space."""
    a, b, X_WA, X_WB = scene(name, 300)
    m = ref.manifold(a, b, X_WA, X_WB)
    hit = np.isin(m.feature, list(AIMED_AT[name])).any(1)
    assert hit.mean() > (0.1 if name == "anywhere" else 0.6)
    assert np.abs((X_WA[:, 3:] ** 2).sum(1) - 1).max() < 1e-15
