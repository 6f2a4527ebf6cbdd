"""The reference for triangle, ellipsoid, cylinder and polyhedron: poses with a known answer, and its definition."""

import numpy as np
import pytest

from tests.oracle import reference as ref
from tests.oracle import reference_least as least
from tests.oracle.reference import contacts
from tests.poses import poses_convex as poses
from tests.poses.poses_frames import BOX, PLANE, directions, near, pose

EXACT = 1e-16
AT_ORIGIN = pose([0, 0, 0])
UP, DOWN = (0, 0, 1), (0, 0, -1)
HALF = 0.5**0.5
EIGHTH_X = (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0)  # a turn by 45 degrees
EIGHTH_Y = (np.cos(np.pi / 8), 0, np.sin(np.pi / 8), 0)
EIGHTH_Z = (np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8))
QUARTER_X, QUARTER_Y = (HALF, HALF, 0, 0), (HALF, 0, HALF, 0)
CUBE = ("box", {"size": (0.04, 0.04, 0.04)})
BAR = ("cylinder", {"radius": 0.01, "length": 0.08})
FLAG = ("triangle", {"corners": np.array([[-0.03, 0.0, 0.0], [0.03, 0.0, 0.0], [0.0, 0.06, 0.0]])})  # in the xy plane
ROD = ("capsule", {"radius": 0.004, "length": 0.06})
SEGMENT = ("segment", {"length": 0.06})
EGG = ("ellipsoid", {"semi_axes": (0.03, 0.02, 0.01)})


def as_polyhedron(box):
    """A polyhedron with the corners of a box."""
    signs = np.array([[2 * (k >> i & 1) - 1 for i in range(3)] for k in range(8)])
    return ("polyhedron", {"corners": signs * np.array(box[1]["size"]) / 2})


def places(m, i=0):
    """Points of pose i, sorted."""
    return np.array(sorted(tuple(np.round(x.astype(float), 15)) for x in m.point[i, : m.count[i]]))


# ---- hand-computed poses: A, B, position and quaternion of A, points, normal, depths ---------------

DEEP = 0.001
KNOWN = {
    "cube on box": (CUBE, BOX, [0.01, 0, 0.059], None,
                    [(x, y, 0.0395) for x in (-0.01, 0.03) for y in (-0.02, 0.02)], DOWN, [DEEP] * 4),
    "cube half over the edge": (CUBE, BOX, [0.05, 0, 0.059], None,
                                [(x, y, 0.0395) for x in (0.03, 0.05) for y in (-0.02, 0.02)], DOWN, [DEEP] * 4),
    "equal boxes": (BOX, BOX, [0, 0, 0.079], None,
                    [(x, y, 0.0395) for x in (-0.05, 0.05) for y in (-0.03, 0.03)], DOWN, [DEEP] * 4),
    "edge on face": (CUBE, BOX, [0, 0, 0.04 + 0.04 * HALF - DEEP], EIGHTH_X,
                     [(x, 0, 0.0395) for x in (-0.02, 0.02)], DOWN, [DEEP] * 2),
    "polyhedron below": (CUBE, as_polyhedron(BOX), [0.01, 0, 0.059], None,
                         [(x, y, 0.0395) for x in (-0.01, 0.03) for y in (-0.02, 0.02)], DOWN, [DEEP] * 4),
    "cylinder upright on a box": (BOX, BAR, [0, 0, -0.079], None,
                                  [(0.01, 0, -0.0395), (0, 0.01, -0.0395), (-0.01, 0, -0.0395), (0, -0.01, -0.0395)],
                                  UP, [DEEP] * 4),
    "cylinder lying on a box": (BOX, BAR, [0, 0.049, 0], QUARTER_X, [(0, 0.0095, z) for z in (-0.03, 0.03)],
                                (0, -1, 0), [DEEP] * 2),
    "crossed cylinders": (BAR, BAR, [0.019, 0, 0.01], QUARTER_X, [(0.0095, 0, 0.01)], (-1, 0, 0), [DEEP]),
    "cylinders side by side": (BAR, BAR, [0.019, 0, 0.03], None, [(0.0095, 0, z) for z in (-0.01, 0.04)], (-1, 0, 0),
                               [DEEP] * 2),
    "edge along a cylinder": (CUBE, BAR, [0.01 + 0.04 * HALF - DEEP, 0, 0.03], EIGHTH_Z,
                              [(0.0095, 0, z) for z in (0.01, 0.04)], (-1, 0, 0), [DEEP] * 2),
    "egg on a box": (EGG, BOX, [0.01, 0.02, 0.049], None, [(0.01, 0.02, 0.0395)], DOWN, [DEEP]),
    "egg end to end": (EGG, EGG, [0.059, 0, 0], None, [(0.0295, 0, 0)], (-1, 0, 0), [DEEP]),
    "egg beside a cylinder": (EGG, BAR, [0.039, 0, 0.01], None, [(0.0095, 0, 0.01)], (-1, 0, 0), [DEEP]),
    "egg under a sheet": (FLAG, EGG, [0, -0.01, 0.009], None, [(0, 0, 0.0095)], DOWN, [DEEP]),
    "a flag's tip in a box": (FLAG, BOX, [0, 0, 0.099], (HALF, -HALF, 0, 0), [(0, 0, 0.0395)], DOWN, [DEEP]),
    "flag on a box": (FLAG, BOX, [0, 0, 0.039], None,
                      [(-0.03, 0, 0.0395), (0.03, 0, 0.0395), (-0.015, 0.03, 0.0395), (0.015, 0.03, 0.0395)],
                      DOWN, [DEEP] * 4),
    "a flag's tip through another": (FLAG, FLAG, [0, -0.02, 0.001], None, [], None, []),
    "flag through flag": (FLAG, FLAG, [0, 0.02, 0.059], (HALF, -HALF, 0, 0), [(0, 0.02, -0.0005)], DOWN, [DEEP]),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_known_poses(name):
    """Upright bodies that overlap by 1 mm; C lies 0.5 mm inside either surface."""
    a, b, p, q, points, normal, depths = KNOWN[name]
    m = ref.manifold(a, b, pose(p, (1, 0, 0, 0) if q is None else q), AT_ORIGIN)
    assert m.count[0] == len(points)
    if not points:
        return
    np.testing.assert_allclose(places(m), sorted(np.round(points, 15).tolist()), atol=2e-15)
    np.testing.assert_allclose(m.depth[0, : m.count[0]].astype(float), depths, atol=2e-17)
    np.testing.assert_allclose(m.normal[0, 0].astype(float), normal, atol=1e-15)


def test_a_tilted_pad_under_a_cylinder():
    """The chord of its face below the deepest line: both ends, each with its own depth."""
    m = ref.manifold(CUBE, BAR, pose([0.029, 0, 0], (np.cos(0.005), 0, np.sin(0.005), 0)), AT_ORIGIN)
    assert m.count[0] == 2
    x, z = np.cos(0.01) * 0.02 - np.array([1, -1]) * np.sin(0.01) * 0.02, np.sin(0.01) * 0.02
    np.testing.assert_allclose(m.depth[0, :2].astype(float), 0.01 - 0.029 + x[::-1], atol=1e-16)
    np.testing.assert_allclose(m.point[0, :2, 2].astype(float), np.array([-1, 1]) * 0.02 * np.cos(0.01) + z, atol=1e-16)


def test_crossed_edges():
    """A cube on its lower edge across another's upper edge: one contact where they cross."""
    X_WB = pose([0, 0, 0], EIGHTH_Y)
    m = ref.manifold(CUBE, CUBE, pose([0.003, 0.005, 0.04 * HALF * 2 - DEEP], EIGHTH_X), X_WB)
    assert m.count[0] == 1
    np.testing.assert_allclose(m.point[0, 0].astype(float), [0, 0.005, 0.02 * 2**0.5 - DEEP / 2], atol=1e-16)
    np.testing.assert_allclose(m.normal[0, 0].astype(float), DOWN, atol=1e-15)
    assert m.depth[0, 0] == pytest.approx(DEEP, abs=1e-16)


def test_more_than_eight_corners():
    """A small cylinder on a large one: the 16-gon around its end, every other corner of it."""
    disc = ("cylinder", {"radius": 0.05, "length": 0.02})
    m = ref.manifold(BAR, disc, pose([0, 0, 0.049]), AT_ORIGIN)
    assert m.count[0] == 8
    assert m.ambiguous[0]  # all are equally deep
    np.testing.assert_allclose(ref.norm(m.point[0, :, :2] @ np.eye(2, 3)), 0.01 / np.cos(np.pi / 16), atol=1e-15)
    np.testing.assert_allclose(m.depth[0].astype(float), DEEP, atol=1e-16)


def test_eight_of_ten_corners_around():
    """Numbers floor(k 10/8) from the deepest on, 0 1 2 3 5 6 7 8, around the outward normal of the incident face: a
    prism of ten sides, tilted by 0.1 rad about y, under a box."""
    prism, sine = poses.frustum(10, 0.02, 0.02, 0.02), np.sin(0.1)
    m = ref.manifold(BOX, prism, pose([0, 0, 0.047]), pose([0, 0, 0], (np.cos(0.05), 0, np.sin(0.05), 0)))
    x = 0.02 * np.cos(2 * np.pi * np.arange(10) / 10 + 0.3)  # of its upper corners, highest where x is least
    around = np.roll(x, -x.argmin())[[0, 1, 2, 3, 5, 6, 7, 8]]
    assert m.count[0] == 8 and not m.ambiguous[0]
    height = np.sort(0.01 * np.cos(0.1) - around * sine)
    np.testing.assert_allclose(np.sort(m.depth[0].astype(float)), height - 0.007, atol=1e-15)


# ---- balls, sweeps and planes --------------------------------------------------------------------

SINGLE = {
    "ball over a triangle": (("sphere", {"radius": 0.005}), FLAG, [0, 0.02, 0.004], [(0, 0.02, -0.0005)], DOWN, DEEP),
    "ball at its side": (("sphere", {"radius": 0.005}), FLAG, [0, -0.004, 0], [(0, 0.0005, 0)], (0, 1, 0), DEEP),
    "ball on an egg": (("sphere", {"radius": 0.005}), EGG, [0, 0, 0.014], [(0, 0, 0.0095)], DOWN, DEEP),
    "point in an egg": (("point", {}), EGG, [0, 0, 0.009], [(0, 0, 0.0095)], DOWN, DEEP),
    "point in a cylinder": (("point", {}), BAR, [0.009, 0, 0.02], [(0.0095, 0, 0.02)], (-1, 0, 0), DEEP),
    "ball on a cylinder": (("sphere", {"radius": 0.005}), BAR, [0, 0.004, 0.044], [(0, 0.004, 0.0395)], DOWN, DEEP),
    "point in a polyhedron": (("point", {}), as_polyhedron(BOX), [0.01, 0, 0.039], [(0.01, 0, 0.0395)], DOWN, DEEP),
    "point in a ball": (("point", {}), ("sphere", {"radius": 0.02}), [0, 0, 0.019], [(0, 0, 0.0195)], DOWN, DEEP),
    "ball on a segment": (("sphere", {"radius": 0.005}), SEGMENT, [0.004, 0, 0.01], [(-0.0005, 0, 0.01)], (-1, 0, 0),
                          DEEP),
    "capsule on an egg": (ROD, EGG, [0, 0.023, 0], [(0, 0.0195, 0)], (0, -1, 0), DEEP),
    "egg on a plane": (EGG, PLANE, [0, 0, 0.009], [(0, 0, -0.0005)], DOWN, DEEP),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE)
def test_single_contacts(name):
    """One millimetre deep; C lies half a millimetre inside either surface."""
    a, b, p, points, normal, depth = SINGLE[name]
    m = ref.manifold(a, b, pose(p), AT_ORIGIN)
    assert m.count[0] == len(points)
    np.testing.assert_allclose(places(m), sorted(points), atol=1e-16)
    np.testing.assert_allclose(m.normal[0, 0].astype(float), normal, atol=1e-15)
    assert m.depth[0, 0] == pytest.approx(depth, abs=EXACT)


# solid, centre of the rod, its direction, {feature: depth}; the rod is 60 mm long and 4 mm thick
SWEPT = {
    "flat on a triangle": (ROD, FLAG, [0, 0.02, 0.003], [1, 0, 0], {4: None}),
    "short on a triangle": (("capsule", {"radius": 0.004, "length": 0.01}), FLAG, [0, 0.02, 0.003], [1, 0, 0],
                            {0: DEEP, 1: DEEP}),
    "beside an edge": (ROD, FLAG, [0, -0.003, 0], [0, 0, 1], {4: DEEP}),
    "beside a corner": (ROD, FLAG, [0, 0.063, 0], [1, 0, 0], {18: DEEP}),
    "through a sheet": (SEGMENT, FLAG, [0, 0.02, 0.028], [0, 0, 1], {24: 0.002}),
    "through near the edge": (SEGMENT, FLAG, [0, 0.002, 0.01], [0, 0, 1], {24: 0.002}),
    "thick, through a sheet": (ROD, FLAG, [0, 0.02, 0.01], [0, 0, 1], None),
    "across a cylinder": (ROD, BAR, [0, 0.013, 0.01], [1, 0, 0], {40: DEEP}),
    "along a cylinder": (ROD, BAR, [0, 0.013, 0.01], [0, 0, 1], {0: DEEP, 1: DEEP}),
    "along, beyond both ends": (("capsule", {"radius": 0.004, "length": 0.1}), BAR, [0, 0.013, 0], [0, 0, 1],
                                {32: DEEP, 34: DEEP}),
    "end on an end": (ROD, BAR, [0, 0.002, 0.073], [0, 0, 1], {0: DEEP}),
    "across the upper rim": (ROD, BAR, [0, 0.013, 0.04], [1, 0, 0], None),
    "end on the side": (ROD, BAR, [0.043, 0, 0.01], [1, 0, 0], {0: DEEP}),
    "segment into the side": (SEGMENT, BAR, [0.039, 0, 0.01], [1, 0, 0], {0: DEEP}),
    "through a cylinder": (SEGMENT, BAR, [0, 0.002, 0.01], [1, 0, 0], {40: 0.008}),
    "through its axis, standing": (("segment", {"length": 0.1}), BAR, [0, 0.002, 0], [0, 0, 1], {24: 0.008}),
    "segment in a box": (SEGMENT, as_polyhedron(BOX), [0, 0, 0.069], [0, 0, 1], {0: DEEP}),
    "segment through a box": (("segment", {"length": 0.2}), as_polyhedron(BOX), [0.01, 0, 0.03], [0, 1, 0], {24: 0.01}),
}  # fmt: skip


@pytest.mark.parametrize("name", SWEPT)
def test_rules_of_sweeps(name):
    a, b, p, t, depths = SWEPT[name]
    half = {2: (1, 0, 0, 0), 0: QUARTER_Y, 1: (HALF, -HALF, 0, 0)}[int(np.argmax(np.abs(t)))]
    found = contacts(ref.manifold(a, b, pose(p, half), AT_ORIGIN))
    if name == "flat on a triangle":  # 40 mm of it over the sheet: two sides, 3 mm above them
        assert sorted(found) == [5, 6]
        assert found[5][2] == pytest.approx(DEEP, abs=EXACT)
    elif name == "thick, through a sheet":  # the least way out is up
        assert set(found) == {0} or set(found) == {24}
    elif name == "across the upper rim":  # in the plane of the end: side and rim are at its border
        assert max(depth for *_, depth in found.values()) == pytest.approx(DEEP, abs=EXACT)
    else:
        assert set(found) == set(depths)
        for feature, depth in depths.items():
            assert found[feature][2] == pytest.approx(depth, abs=EXACT)


PLANES = [
    (FLAG, [0, 0, -DEEP], None, dict.fromkeys((0, 1, 2), DEEP)),
    (BAR, [0, 0, 0.039], None, dict.fromkeys((32, 33, 34, 35), DEEP)),
    (BAR, [0, 0, 0.009], QUARTER_X, {32: DEEP, 36: DEEP}),
    (SEGMENT, [0, 0, 0.029], None, {0: DEEP}),
    (("socket", {"size": (0.1, 0.1, 0.08), "radius": 0.02, "length": 0.05}), [0, 0, 0.079], None,
     dict.fromkeys((0, 1, 2, 3), DEEP)),
    (as_polyhedron(BOX), [0, 0, 0.039], None, dict.fromkeys((0, 1, 2, 3), DEEP)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "p", "q", "depths"), PLANES, ids=lambda a: a[0] if isinstance(a, tuple) else "")
def test_planes(a, p, q, depths):
    found = contacts(ref.manifold(a, PLANE, pose(p, (1, 0, 0, 0) if q is None else q), AT_ORIGIN))
    assert found.keys() == depths.keys()
    for feature, depth in depths.items():
        assert found[feature][2] == pytest.approx(depth, abs=EXACT)
        assert found[feature][0][2] == pytest.approx(-depth / 2, abs=EXACT)


# ---- against parts of the reference that share nothing with it -------------------------------------


def same_contacts(one, other, rows, atol=1e-13):
    """Same number, places, normals and depths, whatever their features."""
    np.testing.assert_array_equal(one.count[rows], other.count[rows])
    for m in (one, other):
        assert (m.count[rows] > 0).any()
    for i in np.nonzero(rows)[0]:
        both = [np.hstack([m.point[i], m.normal[i], m.depth[i, :, None]])[: m.count[i]] for m in (one, other)]
        np.testing.assert_allclose(*(sorted(v.astype(float).tolist()) for v in both), atol=atol)


@pytest.mark.parametrize("other", ["triangle", "ellipsoid", "box", "cylinder", "polyhedron"])
def test_a_round_ellipsoid_is_a_ball(other):
    """One contact of depth r - phi; the ball is found by the signed distance, the ellipsoid among all directions."""
    r, solid = 0.01, poses.SOLIDS[other][0]
    ball, egg = ("sphere", {"radius": r}), ("ellipsoid", {"semi_axes": (r, r, r)})
    if solid[0] == "ellipsoid":
        solid = ("ellipsoid", {"semi_axes": (0.03, 0.02, 0.025)})
    _, _, X_WA, X_WB = near(ball, solid, poses.extent(solid) + r)(np.random.default_rng(3), 150)
    expected = ref.manifold(ball, solid, X_WA, X_WB)
    if other == "triangle":  # which comes first
        found = ref.manifold(solid, egg, X_WB, X_WA)
        found = found._replace(normal=-found.normal)
    else:
        found = ref.manifold(egg, solid, X_WA, X_WB)
    same_contacts(found, expected, ~found.ambiguous & (np.abs(expected.depth[:, 0] - r) > 1e-6))


@pytest.mark.parametrize("first", ["triangle", "ellipsoid", "box"])
def test_a_polyhedron_like_a_box_is_that_box(first):
    _, _, X_WA, X_WB = poses.touching(poses.SOLIDS[first][0], BOX)(np.random.default_rng(3), 150)
    a = poses.SOLIDS[first][0]
    found, expected = (ref.manifold(a, b, X_WA, X_WB) for b in (as_polyhedron(BOX), BOX))
    same_contacts(found, expected, ~(found.ambiguous | expected.ambiguous))


@pytest.mark.parametrize("sweep", [poses.PEG, poses.LINE, poses.POINT, poses.DOT], ids=lambda a: a[0])
def test_sweeps_and_balls_see_a_box_in_a_polyhedron(sweep):
    """Unless the axis is inside: a box asks for the opposite faces there, a polyhedron for the nearest face; and of two
    faces equally near to a deepest point (24) either is right. A box counts all edges at once: of several contacts of a
    capsule only the deepest is the same."""
    _, _, X_WA, X_WB = near(sweep, BOX, 0.06)(np.random.default_rng(3), 300)
    found, expected = (ref.manifold(sweep, b, X_WA, X_WB) for b in (as_polyhedron(BOX), BOX))
    inner = (expected.feature >= 4) & (expected.feature < 16) & (expected.depth > ref.thickness(sweep[1]))
    alike, several = ~(inner | (expected.feature == 24)).any(1), (expected.count > 1) & (sweep[0] == "capsule")
    assert np.abs(found.depth.max(1) - expected.depth.max(1))[alike].max() < EXACT
    same_contacts(found, expected, alike & ~several)


def test_a_sweep_on_a_round_ellipsoid_is_a_capsule_on_a_ball():
    r = 0.01
    ball, egg = ("sphere", {"radius": r}), ("ellipsoid", {"semi_axes": (r, r, r)})
    _, _, X_WA, X_WB = near(ROD, egg, 0.03)(np.random.default_rng(3), 300)
    found, expected = ref.manifold(ROD, egg, X_WA, X_WB), ref.manifold(ball, ROD, X_WB, X_WA)
    same_contacts(found, expected._replace(normal=-expected.normal), ~found.ambiguous)


# ---- the definition ------------------------------------------------------------------------------


SOLIDS = [poses.TRIANGLE, poses.ELLIPSOID, poses.LENTIL, poses.CYLINDER, poses.CRYSTAL, poses.NUT]


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda s: s[0])
def test_signed_distance(shape):
    """No other surface point is nearer than S, which is on the surface; the sign is that of the solid."""
    rng = np.random.default_rng(4)
    cloud, _ = poses.anywhere_on(rng, 8000, shape)
    x = 1.5 * poses.extent(shape) * rng.uniform(-1, 1, (250, 3))
    phi, g, _ = ref.signed_distance(shape, x)
    assert np.abs(ref.norm(g) - 1).max() < EXACT
    assert np.abs(ref.signed_distance(shape, x - phi[:, None] * g)[0]).max() < EXACT
    nearest = np.array([ref.norm(cloud - point).min() for point in x])
    assert (nearest - np.abs(phi)).min() > -1e-15
    assert np.median(nearest - np.abs(phi)) < 1e-3  # the cloud comes near
    assert shape[0] == "triangle" or (phi < 0).any()
    n = directions(rng, 2000)
    highest = (cloud @ n.T).max(0)
    outside = (x @ n.T > highest + 1e-12).any(1)
    assert (phi[outside] > 0).all()
    assert not outside[phi < 0].any()


CONVEX = {name: generate for name, generate in (poses.PAIRS | poses.DEGENERATE).items()
          if {shape[0] for shape in generate(np.random.default_rng(0), 1)[:2]} <= set(ref.CONVEX)}  # fmt: skip


def bodies(a, b, X_WA, X_WB):
    """Both solids in the frame of B."""
    R_WA, R_WB = (ref.rotation(X[:, 3:].astype(ref.LD)) for X in (X_WA, X_WB))
    R_BW = R_WB.swapaxes(1, 2)
    p = ref.rotate(R_BW, (X_WA[:, :3] - X_WB[:, :3]).astype(ref.LD))
    still = np.broadcast_to(np.eye(3, dtype=ref.LD), (len(p), 3, 3))
    return least.body(*a, p, R_BW @ R_WA), least.body(*b, 0 * p, still)


def lowest_overlap(A, B, rng, tries=8, steps=120):
    """Least overlap of two solids by random search in doubles: never below the least, and mostly near it."""
    A, B = least.rough(A), least.rough(B)
    n = np.broadcast_to(directions(rng, 800), (len(A.c), 800, 3))
    value = least.overlap(A, B, n)
    start = np.argpartition(value, tries, axis=1)[:, :tries]
    n, value = np.take_along_axis(n, start[..., None], 1), np.take_along_axis(value, start, 1)
    reach = np.full(value.shape, 0.1)
    for _ in range(steps):
        m = n + reach[..., None] * rng.normal(size=n.shape)
        m /= np.linalg.norm(m, axis=-1, keepdims=True)
        other = least.overlap(A, B, m)
        better = other < value
        n, value = np.where(better[..., None], m, n), np.where(better, other, value)
        reach = np.where(better, 1.5 * reach, 0.85 * reach)
    return value.min(1)


@pytest.mark.parametrize("name", CONVEX)
def test_no_direction_parts_them_sooner(name):
    """The least translation is the least of all, and the deepest contact is that deep."""
    a, b, X_WA, X_WB = CONVEX[name](np.random.default_rng(7), 25)
    n, depth, _ = least.least_translation(*bodies(a, b, X_WA, X_WB))
    lowest = lowest_overlap(*bodies(a, b, X_WA, X_WB), np.random.default_rng(1))
    touching = depth > 1e-15
    np.testing.assert_array_less(lowest[~touching], 1e-4)  # clear of each other, or found to be nearly so
    assert (depth - lowest)[touching].max() < 1e-15
    assert np.median((lowest - depth)[touching]) < 1e-4
    assert np.abs(ref.norm(n) - 1).max() < EXACT
    m = ref.manifold(a, b, X_WA, X_WB)
    assert np.abs(m.depth.max(1) - depth)[touching].max() < 1e-15


@pytest.mark.parametrize("name", CONVEX)
def test_contacts_are_on_both_surfaces(name):
    """One of the two surface points is on its solid's surface, the other too but for the 16-gon around a circle."""
    a, b, X_WA, X_WB = CONVEX[name](np.random.default_rng(8), 25)
    m = ref.manifold(a, b, X_WA, X_WB)
    off = []
    for shape, X, sign in ((a, X_WA, 1), (b, X_WB, -1)):
        x = m.point + sign * m.normal * m.depth[..., None] / 2 - X[:, None, :3]
        x = ref.rotate(ref.rotation(X[:, 3:].astype(ref.LD)).swapaxes(1, 2), x)
        off.append(np.abs(ref.signed_distance(shape, x)[0])[(m.feature >= 0) & ~m.ambiguous[:, None]])
    exact = 1e-12 if "aligned" in name else 1e-15  # normals of poses in a plane of symmetry are good to 1e-9
    assert np.minimum(*off).max(initial=0) < 1e-15
    margin = max(shape[1]["radius"] for shape in (a, b) if shape[0] == "cylinder") if "cylinder" in (a[0], b[0]) else 0
    assert np.maximum(*off).max(initial=0) < exact + 0.02 * margin


@pytest.mark.parametrize("kind", poses.SOLIDS)
def test_swapping_the_solids_turns_the_normal(kind):
    a, b, X_WA, X_WB = poses.touching(*poses.SOLIDS[kind])(np.random.default_rng(5), 100)
    one, other = ref.manifold(a, b, X_WA, X_WB), ref.manifold(b, a, X_WB, X_WA)
    assert np.abs(one.depth.max(1) - other.depth.max(1)).max() < EXACT
    sure = ~one.ambiguous & ~other.ambiguous & (one.count > 0)
    assert sure.any()
    assert np.abs(one.normal[:, 0] + other.normal[:, 0])[sure].max() < 1e-13


@pytest.mark.parametrize("name", poses.PAIRS)
def test_poses_touch(name):
    m = ref.manifold(*poses.PAIRS[name](np.random.default_rng(11), 100))
    assert (m.count > 0).mean() > 0.1
    assert name.startswith(("segment_ell", "needle_in_ell")) or m.ambiguous.mean() < 0.05
