"""Balls and sweeps on a mesh against the oracle; of every shape, the count of contacts and friction across edges.

Other solids touch a mesh by one surface contact, which tests/mesh/test_mesh_truth_*.py hold.
"""

import numpy as np
import pytest

import contactlib
from tests.oracle import reference_mesh
from tests.oracle.reference import rotation
from tests.poses import poses_mesh
from tests.support import meshes
from tests.support.compare import shape
from tests.support.compare_mesh import compare
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
    """One contact where the lowest vertex is below the plane, as deep as that is."""
    A, B, X_WA, X_WB = poses_mesh.ON_PLANE[name](np.random.default_rng(5), max(60, poses_per_region // 30))
    found = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB)
    vertices = np.einsum("nij,vj->nvi", rotation(X_WA[:, 3:]), A[1]["vertices"]) + X_WA[:, None, :3] - X_WB[:, None, :3]
    depth = -(vertices * rotation(X_WB[:, 3:])[:, None, :, 2]).sum(-1).min(1)
    np.testing.assert_array_equal(found.count[np.abs(depth) > EXACT], depth[np.abs(depth) > EXACT] > 0)
    np.testing.assert_allclose(found.depth[:, 0], depth.clip(0), atol=EXACT)


# ---- rooms and names -----------------------------------------------------------------------------


def test_a_small_room_holds_the_deepest():
    A, B, X_WA, X_WB = poses_mesh.REGIONS["big_sphere_on_l"](np.random.default_rng(2), 300)
    one, other = (contactlib.manifolds(shape(A), shape(B), X_WA, X_WB, max_contacts=k) for k in (64, 8))
    np.testing.assert_array_equal(other.count, np.minimum(one.count, 8))
    deepest = -np.sort(-np.where(np.arange(64) < one.count[:, None], one.depth, 0), axis=1)[:, :8]
    np.testing.assert_array_equal(-np.sort(-np.where(other.feature >= 0, other.depth, 0), axis=1), deepest)


POINTS = ("point", "sphere", "big", "segment")
OPEN = ("valley", "flat_valley", "ridge", "plane", "bowl", "open_terrain")
REFUSED = [f"triangle_on_{mesh}" for mesh in OPEN]


@pytest.mark.parametrize("region", REFUSED)
def test_a_sheet_on_an_open_mesh_is_refused(region):
    A, B, X_WA, X_WB = poses_mesh.REGIONS[region](np.random.default_rng(2), 2)
    with pytest.raises(ValueError, match="neither has an inside: close the mesh"):
        contactlib.manifolds(shape(A), shape(B), X_WA, X_WB)


@pytest.mark.parametrize("region", [region for region in poses_mesh.REGIONS if region not in REFUSED])
def test_features_are_places(region):
    """32 or more of points: friction memory follows the place, not the triangle. A surface has one contact, 0."""
    A, B, X_WA, X_WB = poses_mesh.REGIONS[region](np.random.default_rng(2), 50)
    m = contactlib.manifolds(shape(A), shape(B), X_WA, X_WB)
    there = np.arange(m.depth.shape[1]) < m.count[:, None]
    if region.split("_")[0] in POINTS:
        assert (m.feature[there] >= 32).all()
        assert (m.load_share[there] <= 1.7).all()
    else:
        assert (m.count <= 1).all() and (m.feature[there] == 0).all()
    assert (m.feature[~there] == -1).all()
    assert (m.load_share[there] > 0).all() and (m.depth[there] > 0).all()


def test_threads_change_nothing():
    A, B, X_WA, X_WB = poses_mesh.REGIONS["capsule_on_terrain"](np.random.default_rng(2), 1000)
    one, other = (contactlib.manifolds(shape(A), shape(B), X_WA, X_WB, num_threads=k) for k in (1, 3))
    for name in ("count", "point", "normal", "depth", "feature", "load_share"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


# ---- triangulation, friction memory -------------------------------------------------------------------------------

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


# of the force, over that of a plane: below a cylinder's rim depth over radius, as against a mesh it has the field
ALIKE = {"cylinder": 0.05}
#: an ellipsoid touches a plane by a point and a mesh by a surface, a triangle the other way round
OTHER_LAW = ("ellipsoid", "triangle")


@pytest.mark.parametrize("kind", [kind for kind in RESTING if kind not in ("capsule", *OTHER_LAW)])
def test_memory_crosses_edges(kind):
    """Sticking, slipping and back again, over edges and corners of a triangulated plane, is as on a plane. It has a
    bottom: of what is below the box around a sheet, as a triangle is, the search for pairs sees nothing."""
    sheet = meshes.terrain(40, 1.0, 0.0)
    mesh = {"kind": "mesh", "vertices": sheet.vertices.tolist(), "triangles": sheet.triangles.tolist()}
    over_mesh, over_plane = dragged(RESTING[kind], mesh), dragged(RESTING[kind], {"kind": "plane"})
    assert np.abs(over_plane[:, 0]).max() > 1.0
    size = np.linalg.norm(over_plane[:, :3], axis=1).max()
    assert np.abs(over_mesh - over_plane)[:, :3].max() <= ALIKE.get(kind, 1e-9) * size
    assert np.abs(over_mesh - over_plane)[:, 3:].max() <= ALIKE.get(kind, 1e-9) * 0.1 * size
