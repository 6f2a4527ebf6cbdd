"""Balls and sweeps on a mesh against the oracle; of every shape, names of contacts and memory from step to step.

Other solids touch a mesh by patches of overlap, which tests/mesh/test_mesh_truth_*.py hold.
"""

import numpy as np
import pytest

import contactlib
from tests.oracle import reference_mesh
from tests.oracle.reference_surface import surface
from tests.poses import poses_mesh
from tests.poses.poses_pairs import place, quaternions
from tests.support import meshes
from tests.support.compare import shape
from tests.support.compare_mesh import ROOM, compare
from tests.support.scenes import body, law, scene

EXACT = 1e-12  # m; what the project promises for depths, points and normals
STILL = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
# axes and edges that cross at a small angle: where they do hangs on the last digits of the pose
SLIDING = ("segment", "capsule")
FEW = {"point": 10, "sphere": 10, "big": 10}  # poses of one region: of --poses one in so many, one in thirty of others


#: a point cannot be in the box around a flat sheet, which has no thickness
NOTHING = ("point_on_plane",)


OF_THE_ORACLE = [region for region in poses_mesh.REGIONS if region.split("_")[0] in ("big", *reference_mesh.PAIRS)]


@pytest.mark.parametrize("region", [region for region in OF_THE_ORACLE if region not in NOTHING])
def test_against_the_oracle(region, poses_per_region):
    kind = region.split("_")[0]
    n = max(60, poses_per_region // FEW.get(kind, 30))
    A, B, X_WA, X_WB = poses_mesh.REGIONS[region](np.random.default_rng(11), n)
    found = compare(A, B, X_WA, X_WB)
    assert found.contacts > 0.1 * n
    assert found.ambiguous < 0.03
    assert list(found.other) == []
    assert found.depth.max() < EXACT
    assert np.quantile(found.point, 0.99) < EXACT
    assert np.quantile(found.normal, 0.99) < EXACT
    sliding = 1e-16 * n**2 if kind in SLIDING else 0
    assert found.point.max() < max(1e-11, sliding)
    assert found.normal.max() < max(1e-11, sliding)
    assert found.conditions.max() < EXACT
    # nearly parallel normals hardly tell how they share, all that counts is the push: the conditions above. the library
    # takes 1e-12 off c_ij, which moves shares by 1e-12/(1 - cos 0.04) in the flattest valley here
    assert np.quantile(found.load_share, 0.99, method="lower") < 2e-9


@pytest.mark.parametrize("region", NOTHING)
def test_nothing_is_under_a_flat_sheet(region):
    A, B, X_WA, X_WB = poses_mesh.REGIONS[region](np.random.default_rng(11), 60)
    assert (contactlib.manifolds(shape(A), shape(B), X_WA, X_WB).count == 0).all()
    assert (reference_mesh.manifold(A, B, X_WA, X_WB).count == 0).all()


@pytest.mark.parametrize("name", poses_mesh.ON_PLANE)
def test_mesh_on_a_plane(name, poses_per_region):
    A, B, X_WA, X_WB = poses_mesh.ON_PLANE[name](np.random.default_rng(5), max(60, poses_per_region // 30))
    found = compare(A, B, X_WA, X_WB)
    assert list(found.other) == []
    assert found.depth.max() < EXACT
    assert max(found.point.max(), found.normal.max()) < EXACT


def test_convex_corners_of_rough_ground():
    """All of them, when the plane is above it all; many are nearly flat, and some hardly saddles."""
    for seed in range(40):
        ground = meshes.terrain(5, 0.1, 0.02, seed=seed)
        below = [[0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0]]
        found = contactlib.manifolds(shape(ground.shape), contactlib.Plane(), below, STILL, max_contacts=ROOM)
        convex = np.nonzero(surface(ground.shape[1]).convex_corner)[0]
        assert len(convex) < ROOM
        np.testing.assert_array_equal(np.sort(found.feature[0, : found.count[0]]), convex)


# ---- rooms and names -----------------------------------------------------------------------------


@pytest.mark.parametrize("region", ["sphere_on_terrain", "capsule_on_l", "box_on_bowl", "mesh_l_on_terrain"])
def test_a_small_room_holds_the_deepest(region):
    A, B, X_WA, X_WB = poses_mesh.REGIONS[region](np.random.default_rng(2), 300)
    one, other = (contactlib.manifolds(shape(A), shape(B), X_WA, X_WB, max_contacts=k) for k in (64, 8))
    np.testing.assert_array_equal(other.count, np.minimum(one.count, 8))
    deepest = -np.sort(-np.where(np.arange(64) < one.count[:, None], one.depth, 0), axis=1)[:, :8]
    np.testing.assert_array_equal(-np.sort(-np.where(other.feature >= 0, other.depth, 0), axis=1), deepest)


@pytest.mark.parametrize("region", poses_mesh.REGIONS)
def test_features_are_places(region):
    """32 or more: friction memory follows the place, not the triangle. Shares are positive.

    That of a patch is the squared slope of its depth, 1 where it keeps its form as it grows. Where one contact passes
    into several, the force of the weight adds to it: 1.64 is the most seen, of a patch of 0.4 mm with three normals.
    """
    A, B, X_WA, X_WB = poses_mesh.REGIONS[region](np.random.default_rng(2), 50)
    m = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB)
    there = np.arange(m.depth.shape[1]) < m.count[:, None]
    assert (m.feature[there] >= 32).all()
    assert (m.feature[~there] == -1).all()
    assert (m.load_share[there] > 0).all() and (m.load_share[there] <= 1.7).all()


def test_threads_change_nothing():
    A, B, X_WA, X_WB = poses_mesh.REGIONS["capsule_on_terrain"](np.random.default_rng(2), 1000)
    one, other = (contactlib.manifolds(shape(A), shape(B), X_WA, X_WB, num_threads=k) for k in (1, 3))
    for name in ("count", "point", "normal", "depth", "feature", "load_share"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


# ---- triangulation -------------------------------------------------------------------------------

RESTING = {
    "sphere": ("sphere", {"radius": 0.05}),
    "capsule": ("capsule", {"radius": 0.05, "length": 0.2}),
    "box": ("box", {"size": (0.2, 0.3, 0.1)}),
    "triangle": ("triangle", {"corners": [(-0.1, -0.1, -0.05), (0.1, -0.1, -0.05), (0.0, 0.2, -0.05)]}),
    "cylinder": ("cylinder", {"radius": 0.1, "length": 0.1}),
    "ellipsoid": ("ellipsoid", {"semi_axes": (0.1, 0.08, 0.05)}),
    "polyhedron": ("polyhedron", {"corners": np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1)
                                                       for z in (-0.05, 0.05)])}),
    "mesh": meshes.cube(0.1).shape,
}  # fmt: skip


# how many times the plane's springs they have: a triangle's patch has four where the plane has three corners
MORE = {"triangle": 4 / 3}
# of an ellipsoid: its patch keeps its form as it grows but for a part like depth over radius, 0.02 at most here. of the
# depth 8.4e-4 (height), 3.4e-4 (depth) and 1.4e-3 (share) were seen. across the normal it is symmetric to Gauss's rule
HEIGHT = 1.5e-3
CURVED = 2e-3


@pytest.mark.parametrize("turned", [False, True], ids=["along_the_grid", "anyhow"])
@pytest.mark.parametrize("kind", RESTING)
def test_a_triangulated_plane_is_a_plane(kind, turned):
    """Feet on corners, edges and diagonals of the grid, exactly or not: never two contacts, never none."""
    rng = np.random.default_rng(1)
    n, cell = 2000, 1 / 16
    X_WA = np.zeros((n, 7))
    X_WA[:, :2] = rng.integers(-4, 5, (n, 2)) * cell / 2 + rng.choice([0, 0, 1e-17, 1e-12, 1e-6], (n, 2))
    X_WA[:, 2], X_WA[:, 3] = 0.05 - rng.uniform(1e-6, 1e-3, n), 1
    if kind == "capsule":
        X_WA[:, 3:] = rng.choice([[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]], n)  # axis along y or x
    X_WB = np.array(STILL)
    if turned:
        _, _, X_WB, _ = place(rng, None, None, np.zeros((n, 3)), quaternions(rng, n))
        X_WA = combined(X_WB, X_WA)
    sheet = meshes.flat(16, 1.0)
    ours = contactlib.manifolds(shape(RESTING[kind]), shape(sheet.shape), X_WA, X_WB)
    plane = contactlib.manifolds(shape(RESTING[kind]), contactlib.Plane(), X_WA, X_WB)
    more = MORE.get(kind, 1)
    np.testing.assert_array_equal(ours.count, np.round(more * plane.count))
    for name in ("depth", "load_share"):
        ours_sum, plane_sum = (getattr(m, name).sum(1) for m in (ours, plane))
        rtol = CURVED if kind == "ellipsoid" else 1e-9
        np.testing.assert_allclose(ours_sum, more * plane_sum, rtol=rtol, atol=2e-15)
    # springs stand anywhere as long as their middle is the plane's: of a cylinder, anywhere on its rim
    both = (ours, plane)
    middle, normal = ([getattr(m, name).sum(1) / m.count[:, None] for m in both] for name in ("point", "normal"))
    np.testing.assert_allclose(*normal, atol=1e-12)
    off = middle[0] - middle[1]
    along = (off * normal[1]).sum(1)
    assert np.abs(along).max() < 1e-12 or (kind == "ellipsoid" and (np.abs(along) < HEIGHT * plane.depth[:, 0]).all())
    assert np.linalg.norm(off - along[:, None] * normal[1], axis=1).max() < (1e-11 if kind == "ellipsoid" else 1e-12)
    if kind == "cylinder":
        from_middle = np.linalg.norm(ours.point[:, :4] - middle[0][:, None], axis=2)
        np.testing.assert_allclose(from_middle, RESTING[kind][1]["radius"], atol=1e-12)


def combined(X_WB, X_BA):
    """Poses of A in the world, from those in B's frame."""
    from tests.poses.poses_pairs import multiply, turn

    q = multiply(X_WB[:, 3:], X_BA[:, 3:])
    return np.hstack([X_WB[:, :3] + turn(X_WB[:, 3:], X_BA[:, :3]), q / np.linalg.norm(q, axis=1, keepdims=True)])


# ---- friction memory -----------------------------------------------------------------------------

SPRING = {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 0.0}
BRISTLE = {"kind": "bristle", "mu_static": 0.9, "mu_kinetic": 0.9, "tangential_stiffness": 1e4,
           "tangential_damping": 0.0}


def dragged(solid, floor, steps=200):
    """Forces on a body that is led over the floor, 1 mm deep, across several cells and back again."""
    kind, sizes = solid
    sizes = {key: np.asarray(value).tolist() for key, value in sizes.items()}
    tip = body("tip", "external", shapes=[{"name": "tip", "kind": kind, "material": "a", **sizes}],
               state={"r": [0.0, 0.0, 0.049]})
    ground = body("floor", "fixed", shapes=[{"name": "floor", "material": "b", **floor}])
    spec = scene([tip, ground], [law("touch", ["a", "b"], SPRING, BRISTLE)], [["tip", "floor"]], step_size=1e-3)
    simulation = contactlib.Simulation(spec.compile())
    forces = []
    for k in range(steps):
        v = np.array([0.03, 0.011, 0.0]) * (1 if k < steps // 2 else -1) * (5 if k > 20 else 0.1)
        r = simulation.states[0, :3]
        forces.append(simulation.step(1e-3, {"tip": {"r": r, "v": v}}).wrench("tip"))
    return np.array(forces)


@pytest.mark.parametrize("kind", [kind for kind in RESTING if kind not in ("capsule", "mesh")])
def test_memory_crosses_edges(kind):
    """Sticking, slipping and back again, over edges and corners of a triangulated plane, is as on a plane. It has a
    bottom: of what is below the box around a sheet, as a triangle is, the search for pairs sees nothing."""
    sheet = meshes.terrain(40, 1.0, 0.0)
    mesh = {"kind": "mesh", "vertices": sheet.vertices.tolist(), "triangles": sheet.triangles.tolist()}
    over_mesh, over_plane = dragged(RESTING[kind], mesh), dragged(RESTING[kind], {"kind": "plane"})
    assert np.abs(over_plane[:, 0]).max() > 1.0
    over_mesh /= MORE.get(kind, 1)  # springs of one law each
    exact = 100 * CURVED if kind == "ellipsoid" else 1e-9  # N, of a load of 100 N
    np.testing.assert_allclose(over_mesh[:, :3], over_plane[:, :3], rtol=1e-9, atol=exact)
    # the torque's lever may be off by the height of an ellipsoid's contact, 1 mm deep
    size = np.linalg.norm(over_plane[:, :3], axis=1, keepdims=True)
    lever = HEIGHT * 1e-3 + 0.1 * CURVED if kind == "ellipsoid" else 0.0  # semi-axes of 0.1 m
    assert (np.abs(over_mesh - over_plane)[:, 3:] <= 1e-9 + 1e-9 * np.abs(over_plane[:, 3:]) + lever * size).all()
