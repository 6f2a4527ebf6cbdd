"""Every kernel of point contacts against the oracle in tests/oracle/reference.py, and what each manifold must have.

A capsule on faces is here with its points, as cables have them.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.shapes import quaternion
from tests.oracle import reference
from tests.poses import poses_pairs as poses
from tests.poses import poses_socket
from tests.poses.poses_socket import GRAZING
from tests.support.compare import compare, manifolds, of_points, shape

DATA = Path(__file__).parents[2] / "validation_data"
#: m; what the project promises for depths, points and normals
EXACT = 1e-12

# axes at small angles to an edge or to another axis: where they cross hangs on the last digits of the pose
SLIDING = GRAZING | {"outer_edges", "capsule_on_box_edge", "capsules_a_degree_apart"}
# axes that pass close to the rim or to an edge: the direction between the two does; or to where an ellipsoid's kinks
# end: the normal turns by 3e5 rad/m there (seen once in 10000), so that the rounding of the place turns it by 1e-11
CLOSE = {"body_on_rim", "rod_through_socket", "needle_in_ellipsoid"}

REGIONS, DEGENERATE = of_points(poses.REGIONS | poses.PAIRS), of_points(poses.DEGENERATE)
ROUND_AT_SOCKET = {name for name in (*poses_socket.PAIRS, *poses_socket.DEGENERATE)
                    if name.startswith(("cylinder", "ellipsoid", "round", "coin", "cup"))}


def iterated(A, B):
    """Two convex solids of which one is round: their normal is found by iteration."""
    solids = {"triangle", "ellipsoid", "box", "cylinder", "polyhedron"}
    kinds = {A[0], B[0]}
    return kinds <= solids and bool(kinds & {"ellipsoid", "cylinder"})


def fewer(region, poses_per_region):
    """How many poses of a region: of round solids at the socket, whose circles the oracle samples, a quarter."""
    slow = region in ROUND_AT_SOCKET
    return max(200, poses_per_region // 4) if slow else poses_per_region


@pytest.mark.parametrize("region", REGIONS)
def test_against_the_oracle(region, poses_per_region):
    n = fewer(region, poses_per_region)
    A, B, X_WA, X_WB = REGIONS[region](np.random.default_rng(11), n)
    found = compare(A, B, X_WA, X_WB)
    assert found.contacts > 0.1 * n
    assert found.other_contacts == 0
    assert found.depth < EXACT
    # among n random poses the smallest distance to a surface, and the smallest angle to an edge, is about 1/n of the
    # usual: there rounding turns a normal by 1e-16 n, and slides a crossing along its edge by 1e-16 n^2. so it does a
    # rim's point where the normal is nearly along the axis, and the normal where the overlap is nearly flat
    sliding, close = 1e-16 * n**2 * (100 if region in GRAZING else 1), max(10 * EXACT, 1e-15 * n)
    slides = region in SLIDING or iterated(A, B)
    assert found.point.max() < (sliding if slides else EXACT)
    assert found.normal.max() < (sliding if slides else close if region in CLOSE else max(EXACT, 1e-16 * n))
    for error in (found.point, found.normal):
        assert np.quantile(error, 0.999) < (10 * EXACT if region in SLIDING | CLOSE else EXACT)


@pytest.mark.parametrize("name", DEGENERATE)
def test_nearly_degenerate_poses(name, poses_per_region):
    """Parallel lines: which point touches hangs on the last digit, how deep does not."""
    A, B, X_WA, X_WB = DEGENERATE[name](np.random.default_rng(5), fewer(name, poses_per_region))
    assert compare(A, B, X_WA, X_WB).deepest < EXACT


# ---- the rim -------------------------------------------------------------------------------------


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_rim_against_the_reference_points():
    """Minima of the circle-line distance to 1e-12 m (validation_data/circle_line, 25-digit roots of the quartic)."""
    table = [{key: float(value) for key, value in row.items()} for row in
             rows(DATA / "circle_line" / "circle_line_reference.csv")]
    lines = {tuple(row[key] for key in ("Qx", "Qy", "Qz", "dx", "dy", "dz")) for row in table}
    for line in lines:
        expected = [(row["dist"], row["Px"], row["Py"], row["Pz"]) for row in table if row["is_min"]
                    and tuple(row[key] for key in ("Qx", "Qy", "Qz", "dx", "dy", "dz")) == line]
        count, points = contactlib.rim_nearest(0.0175, [line[:3]], [line[3:]])
        assert count[0] == len(expected)
        for (distance, *point), found in zip(sorted(expected), points[0], strict=False):
            np.testing.assert_allclose(found, point, atol=EXACT)
            w = found - line[:3]
            assert np.linalg.norm(w - w @ line[3:] * np.array(line[3:])) == pytest.approx(distance, abs=EXACT)


def test_rim_points_are_stationary_and_complete(poses_per_region):
    """For random lines of every tilt: as many minima as the oracle finds, at the same distances."""
    rng = np.random.default_rng(3)
    n = poses_per_region
    Q = rng.normal(size=(n, 3)) * 0.0175 * rng.choice([1e-4, 1e-2, 1.0], (n, 1))
    d = rng.normal(size=(n, 3)) * np.array([1, 1, 0]) * rng.choice([1e-3, 0.03, 1.0], (n, 1))
    d[:, 2] = rng.choice([1.0, -1.0, 0.1], n)
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    count, points = contactlib.rim_nearest(0.0175, Q, d)
    theta, distance = reference.circle_line_minima(0.0175, Q, d)[:2]
    np.testing.assert_array_equal(count, np.isfinite(theta).sum(1))
    w = points - Q[:, None]
    ours = np.linalg.norm(w - (w * d[:, None]).sum(-1, keepdims=True) * d[:, None], axis=-1)
    np.testing.assert_allclose(np.sort(ours, 1), np.sort(distance.astype(float), 1), atol=1e-15, equal_nan=True)


@pytest.mark.parametrize("include_ends", [True, False])
def test_the_papers_subdivision(include_ends):
    """Error of the eight-point search per level against the exact rim, within the reference's worst over 4000 pegs."""
    R = 0.0175
    Q, d = poses.lines_through_mouth(np.random.default_rng(1), 4000)

    def distance(E, line):
        w = E - Q
        return np.linalg.norm(w - (w * d).sum(1, keepdims=True) * d if line else w, axis=1)

    _, exact = contactlib.rim_nearest(R, Q, d)
    rho = np.hypot(Q[:, 0], Q[:, 1])
    nearest = {True: distance(exact[:, 0], True), False: np.hypot(rho - R, Q[:, 2])}
    mode = "incl" if include_ends else "excl"
    for row in rows(DATA / "rim_subdivision" / "rim_subdivision_accuracy.csv"):
        if row["mode"] != mode:
            continue
        for line, key in ((True, "line_maxerr_m"), (False, "pt_maxerr_m")):
            found = contactlib.rim_nearest_subdivision(R, Q, d if line else None, levels=int(row["level"]),
                                                       include_ends=include_ends)
            error = (distance(found, line) - nearest[line]).max()
            # other pegs than the reference's: the worst of 4000 draws agrees within a factor of three
            assert float(row[key]) / 3 < error + 1e-14 < 3 * float(row[key]) + 1e-14


def test_two_sided_rim_contact():
    """A centred peg tilted by 12 degrees touches the rim on both sides, each by r - R cos(tilt)."""
    R, r, tilt = 0.0175, 0.0173, np.radians(12.0)
    peg = contactlib.Capsule(radius=r, length=0.08)
    hole = contactlib.Socket(size=(0.1, 0.1, 0.08), radius=R, length=0.05)
    found = contactlib.manifolds(peg, hole, [0, 0, 0, np.cos(tilt / 2), 0, np.sin(tilt / 2), 0], [0, 0, 0, 1, 0, 0, 0])
    rim = found.feature[0] >= 32
    assert rim.sum() == 2
    np.testing.assert_allclose(found.depth[0][rim], r - R * np.cos(tilt), atol=1e-16)
    sides = found.point[0][rim] - found.normal[0][rim] * found.depth[0][rim, None] / 2  # on the rim
    np.testing.assert_allclose(np.sort(sides[:, 0]), [-R, R], atol=1e-16)


def test_jam_tilt():
    """A capped peg touches two places at once from the tilt (2R - r) cos t - l sin t = r (l: depth of the cap)."""
    R, r = 0.0175, 0.0173
    for depth, tilt in ((0.01, 0.038685361), (0.02, 0.019827348), (0.04, 0.009978137)):
        count = []
        for angle in (tilt - 2e-8, tilt + 2e-8):
            length = 0.1
            # wedged: the lower end rests on the wall at -x, the upper side leans on the rim at +x
            d = np.array([np.sin(angle), 0.0, np.cos(angle)])
            Q0 = np.array([-(R - r), 0.0, -depth])
            middle = Q0 + d * length / 2
            peg, hole = contactlib.Capsule(r, length), contactlib.Socket((0.1, 0.1, 0.09), R, 0.06)
            m = contactlib.manifolds(peg, hole, [*middle, np.cos(angle / 2), 0, np.sin(angle / 2), 0],
                                     [0, 0, 0, 1, 0, 0, 0])
            count.append(int((m.feature[0] >= 32).sum()))
        assert count == [0, 1]


# ---- inertia -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "radius", "length", "density", "mass", "z_from_bottom", "moments"), [
    ((0.10, 0.12, 0.0675), 0.0175, 0.05, 2700.0, 2.0268082271, 0.0335303800719,
     (3.389551512451e-3, 2.587651512451e-3, 4.423298772918e-3)),
    ((0.06, 0.06, 0.10), 0.02, 0.08, 1000.0, 0.242713874266, 0.0484467673322,
     (3.083914446382e-4, 3.083914446382e-4, 1.932129812860e-4)),
])
def test_socket_inertia(size, radius, length, density, mass, z_from_bottom, moments):
    """The paper's equations (1)-(10) as the mathematics corrects them, c = h + r, and the slices of the oracle."""
    found = contactlib.Socket(size, radius, length).mass_properties(density)
    assert found.mass == pytest.approx(mass, rel=1e-9)
    assert found.com[2] + size[2] == pytest.approx(z_from_bottom, rel=1e-11)
    np.testing.assert_allclose(np.diag(found.inertia), moments, rtol=1e-11)
    slices = reference.socket_inertia(size, radius, length, density)
    assert found.mass == pytest.approx(float(slices[0]), rel=1e-12)
    assert found.com[2] == pytest.approx(float(slices[1]), rel=1e-11)
    np.testing.assert_allclose(np.diag(found.inertia), np.asarray(slices[2], dtype=float), rtol=1e-11)


def test_capsule_inertia():
    found = contactlib.Capsule(0.0173, 0.06).mass_properties(7850.0)
    assert found.mass == pytest.approx(0.6131101684371, rel=1e-12)
    np.testing.assert_allclose(np.diag(found.inertia), [4.058742500205e-4] * 2 + [8.665334797440e-5], rtol=1e-11)


# ---- properties ----------------------------------------------------------------------------------


def moved(X, p, q):
    """Poses X moved by the rigid motion (p, q)."""
    R = quaternion.rotation_matrix(tuple(q))
    w, x, y, z = q
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    return np.hstack([X[:, :3] @ R.T + p, X[:, 3:] @ left.T])


@pytest.mark.parametrize("name", ["two_sided_rim", "tight_hole_0.2mm", "capsule_box", "capsule_capsule"])
def test_rigid_motion_changes_nothing(name):
    A, B, X_WA, X_WB = REGIONS[name](np.random.default_rng(2), 500)
    q = np.array([0.3, -0.5, 0.7, 0.4])
    q /= np.linalg.norm(q)
    here = manifolds(A, B, X_WA, X_WB)
    there = manifolds(A, B, moved(X_WA, [3.0, -2.0, 1.0], q), moved(X_WB, [3.0, -2.0, 1.0], q))
    safe = (np.abs(here.depth) > 1e-13).sum(1) == here.count  # not on the verge of contact
    np.testing.assert_allclose(there.depth.max(1)[safe], here.depth.max(1)[safe], atol=2e-15)  # rounding of 4 m


def test_far_from_the_origin():
    """1e7 m away the depth keeps the resolution of the given positions, 2e-9 m."""
    A, B, X_WA, X_WB = poses.REGIONS["tight_hole_0.2mm"](np.random.default_rng(2), 500)
    here = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB).depth.max(1)
    shift = np.array([1e7, -1e7, 1e7, 0, 0, 0, 0])
    there = contactlib.manifolds(shape(A), shape(B), X_WA + shift, X_WB + shift).depth.max(1)
    assert np.abs(there - here).max() < 4e-9  # two positions, each rounded to 2e-9 m


@pytest.mark.parametrize("name", ["sphere_sphere", "capsule_capsule"])
def test_swapping_the_bodies_turns_the_normals(name):
    A, B, X_WA, X_WB = poses.PAIRS[name](np.random.default_rng(4), 1000)
    one = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB)
    other = contactlib.manifolds(shape(B), shape(A), X_WB, X_WA)
    np.testing.assert_array_equal(one.count, other.count)
    np.testing.assert_allclose(one.depth.max(1), other.depth.max(1), atol=1e-15)
    single = one.count == 1
    np.testing.assert_allclose(one.normal[single, 0], -other.normal[single, 0], atol=1e-12)
    np.testing.assert_allclose(one.point[single, 0], other.point[single, 0], atol=1e-12)


def test_deepest_depth_is_continuous_along_random_paths():
    """Over the borders of all regions the deepest depth moves no faster than the peg: a path of small steps.

    A step moves no point of the peg by more than `reach`; depth may change by that, never jump. Depth counts from zero.
    """
    rng = np.random.default_rng(9)
    peg = contactlib.Capsule(0.0173, 0.06)
    hole = contactlib.Socket((0.1, 0.1, 0.0725), 0.0175, 0.05)
    steps, paths, crossed = 4000, 40, set()
    for _ in range(paths):
        p0, p1 = (rng.uniform([-0.01, -0.01, -0.04], [0.01, 0.01, 0.06]) for _ in range(2))
        a0, a1 = rng.uniform(-0.15, 0.15, (2, 2))
        u = np.linspace(0, 1, steps)[:, None]
        p, (ax, ay) = p0 + (p1 - p0) * u, (a0 + (a1 - a0) * u).T
        q = np.stack([np.cos(ax / 2) * np.cos(ay / 2), np.sin(ax / 2) * np.cos(ay / 2),
                      np.cos(ax / 2) * np.sin(ay / 2), np.sin(ax / 2) * np.sin(ay / 2)], axis=1)
        m = contactlib.manifolds(peg, hole, np.hstack([p, q]), [0, 0, 0, 1, 0, 0, 0])
        crossed |= {tuple(sorted(set(row[row >= 0]))) for row in m.feature}
        depth = m.depth.max(1)
        reach = np.linalg.norm(p1 - p0) / steps + (0.03 + 0.0173) * np.abs(a1 - a0).sum() / steps
        shallow = (depth[1:] < 0.0173) & (depth[:-1] < 0.0173)  # the axis is outside the material
        assert np.abs(np.diff(depth))[shallow].max() < 1.01 * reach
    assert len(crossed) >= 5  # ends, rim and both together: borders were crossed


def test_threads_change_nothing():
    """The same bits with 1, 2, 3 and 8 threads."""
    A, B, X_WA, X_WB = poses.REGIONS["tight_hole_0.2mm"](np.random.default_rng(2), 2000)
    first = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB)
    for threads in (2, 3, 8):
        other = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB, num_threads=threads)
        for name in ("count", "point", "normal", "depth", "feature"):
            assert getattr(first, name).tobytes() == getattr(other, name).tobytes()


def test_pairs_that_are_not_defined():
    box, plane, point = contactlib.Box((1.0, 1.0, 1.0)), contactlib.Plane(), contactlib.Point()
    still = [0, 0, 0, 1, 0, 0, 0]
    with pytest.raises(ValueError, match="point-point is not defined"):
        contactlib.manifolds(point, point, still, still)
    with pytest.raises(ValueError, match=r"is not defined: use .*, with exchanged shapes"):
        contactlib.manifolds(plane, box, still, still)


@pytest.mark.parametrize("z", [-1e-3, 0.0, 4e-3])
def test_a_peg_in_a_hole_does_not_feel_the_outside_of_a_thin_wall(z):
    """A wall of 0.5 mm, and a capsule 7.45 mm deep in it from within: the outer edge is near, but past the wall."""
    hole = contactlib.Socket(size=(0.1885, 0.1885, 0.10475), radius=0.09375, length=0.01)
    X_AB = np.array([[0.0912, 0.0, z, 1.0, 0.0, 0.0, 0.0]])
    found = contactlib.manifolds(contactlib.Capsule(0.01, 0.01), hole, X_AB, np.array([[0.0, 0, 0, 1, 0, 0, 0]]))
    touching = found.depth[0] > 0
    assert found.depth[0, touching] == pytest.approx([0.00745] * touching.sum(), abs=1e-15)
    assert np.abs(found.normal[0, touching] - [1.0, 0.0, 0.0]).max() < 1e-15
