"""One relative pose in any frame, and from either side: the same contacts to 1e-9 of the size, for solids on meshes."""

import numpy as np
import pytest

import contactlib
from contactlib.shapes.shapes import SHAPES
from tests.mesh import mesh_truth, truth_meshes
from tests.mesh.truth_solids import unit
from tests.support.scenes import body, law, scene

MOTIONS = 200
ROCK = truth_meshes.rock(3, 20)
SOLIDS = {
    "sphere": {"kind": "sphere", "radius": 0.15},
    "capsule": {"kind": "capsule", "radius": 0.08, "length": 0.4},
    "triangle": {"kind": "triangle", "corners": [[-0.2, -0.15, 0], [0.2, -0.15, 0], [0, 0.25, 0]]},
    "ellipsoid": {"kind": "ellipsoid", "semi_axes": [0.1, 0.2, 0.15]},
    "box": {"kind": "box", "size": [0.3, 0.25, 0.2]},
    "cylinder": {"kind": "cylinder", "radius": 0.12, "length": 0.3},
    "polyhedron": {"kind": "polyhedron", "corners": (0.5 * ROCK.vertices).tolist()},
    "mesh": {"kind": "mesh", "vertices": (0.5 * ROCK.vertices).tolist(), "triangles": ROCK.triangles.tolist()},
}
MESHES = ["cube", "ball1280", "rock", "slab", "torus", "bumpy", "corner"]
DEPTHS = [1e-4, 1e-3, 0.02, 0.07]  # m


def made(keys):
    return SHAPES[keys["kind"]](**{k: v for k, v in keys.items() if k != "kind"})


def motions(rng):
    return [(mesh_truth.rotation(rng), rng.uniform(-1, 1, 3)) for _ in range(MOTIONS)]


def moved(g, t, X):
    R = g @ mesh_truth.matrix(X[3:])
    return np.array([*(g @ X[:3] + t), *mesh_truth.quaternion(R)])


def contacts(A, B, X_A, X_B):
    """In A's frame, of each row: points, normals, depths times shares, and depths (N, K, 8), sorted by place."""
    m = contactlib.manifolds(A, B, X_A, X_B, max_contacts=64)
    R = np.array([mesh_truth.matrix(q) for q in X_A[:, 3:]])
    point = np.einsum("nji,nkj->nki", R, m.point - X_A[:, None, :3])
    normal = np.einsum("nji,nkj->nki", R, m.normal)
    rows = np.concatenate([point, normal, (m.depth * m.load_share)[..., None], m.depth[..., None]], axis=2)
    return m.count, np.where((np.arange(rows.shape[1]) < m.count[:, None])[..., None], rows, 0.0)


def differences(rows):
    """How far each row's contacts (N, K, 8) are from the nearest ones of the first row, the worst of all."""
    apart = np.linalg.norm(rows[:, :, None] - rows[None, 0, None], axis=3)
    return max(apart.min(2).max(), apart.min(1).max())


def placements(rng, A, mesh):
    return [mesh_truth.random_pose(rng, A, mesh, depth) for depth in DEPTHS for _ in range(2)]


#: seeds with a pose in which a whole area is equally deep: rounding must not choose the place of the contact there
EQUALLY_DEEP = [("box", "slab", 305), ("box", "slab", 316), ("box", "corner", 303), ("box", "corner", 307),
                ("polyhedron", "corner", 318)]


@pytest.mark.parametrize(("solid", "mesh", "seed"),
                         [*((solid, mesh, 3) for mesh in MESHES for solid in SOLIDS), *EQUALLY_DEEP])
def test_any_frame(solid, mesh, seed):
    """200 rigid motions of both: points, normals, depths and shares as they were, in A's frame."""
    rng = np.random.default_rng(seed)
    A, B = made(SOLIDS[solid]), mesh_truth.as_shape(mesh)
    for X_A, X_B in placements(rng, A, mesh):
        turns = [(np.eye(3), np.zeros(3)), *motions(rng)]
        poses = np.array([[moved(g, t, X_A), moved(g, t, X_B)] for g, t in turns])
        count, rows = contacts(A, B, poses[:, 0], poses[:, 1])
        assert np.ptp(count) == 0, f"{count.min()} to {count.max()} contacts at {X_A.tolist()}, {X_B.tolist()}"
        rows = rows[:, : max(count[0], 1)]
        off = differences(rows)
        assert off < 1e-9, f"{off:.2e} at {X_A.tolist()}, {X_B.tolist()}"


@pytest.mark.parametrize("mesh", ["cube", "ball1280", "rock", "torus", "corner"])
def test_two_meshes_swapped(mesh):
    """A on B and B on A: the same contacts, from the other side, to 1e-9 of the size."""
    rng = np.random.default_rng(4)
    A, B = made(SOLIDS["mesh"]), mesh_truth.as_shape(mesh)
    for X_A, X_B in placements(rng, A, mesh):
        one, other = (contactlib.manifolds(*pair, max_contacts=64) for pair in ((A, B, X_A, X_B), (B, A, X_B, X_A)))
        assert one.count[0] == other.count[0] > 0, f"{X_A.tolist()}, {X_B.tolist()}"
        for ours, theirs in ((one.depth, other.depth), (one.load_share, other.load_share), (one.point, other.point),
                             (one.normal, -other.normal)):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("mesh", ["cube", "ball1280", "torus"])
@pytest.mark.parametrize("solid", [solid for solid in SOLIDS if solid != "mesh"])
def test_bodies_in_either_order(solid, mesh):
    """In a scene whose bodies and whose pair stand the other way round every wrench is the same."""
    rng = np.random.default_rng(5)
    A, B = made(SOLIDS[solid]), mesh_truth.as_shape(mesh)
    keys = {"kind": "mesh", "vertices": B.vertices.tolist(), "triangles": B.triangles.tolist()}
    one = body("one", "external", [{"name": "s", "material": "m", **SOLIDS[solid]}])
    other = body("other", "external", [{"name": "s", "material": "m", **keys}])
    spring = law("touch", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 0.0})
    runs = [contactlib.Simulation(scene(bodies, [spring], [[b["name"] for b in bodies]]).compile())
            for bodies in ([one, other], [other, one])]
    for X_A, X_B in placements(rng, A, mesh):
        states = {"one": {"r": X_A[:3], "q": X_A[3:]}, "other": {"r": X_B[:3], "q": X_B[3:]}}
        found = [run.compute(states) for run in runs]
        for name in states:
            np.testing.assert_allclose(*(result.wrench(name) for result in found), rtol=0, atol=1e-9)


def test_an_ellipsoid_in_a_socket_in_any_frame():
    """Deep poses, centre inside the material too, of random turns: one depth in four frames each."""
    rng, count = np.random.default_rng(7), 1000
    A, B = contactlib.Ellipsoid((0.0833, 0.183, 0.0875)), contactlib.Socket((0.3, 0.3, 0.3), 0.097, 0.15)
    r = unit(rng.normal(size=(count, 3))) * rng.uniform(0, 0.45, (count, 1))
    poses = [(np.array([0, 0, 0, *unit(rng.normal(size=4))]), np.array([*p, *unit(rng.normal(size=4))])) for p in r]
    deepest = []
    for _ in range(4):
        g, t = mesh_truth.rotation(rng), rng.normal(size=3)
        X = np.array([[moved(g, t, X_A), moved(g, t, X_B)] for X_A, X_B in poses])
        m = contactlib.manifolds(A, B, X[:, 0], X[:, 1])
        deepest.append(np.where(m.count > 0, m.depth.max(1), 0.0))
    spread = np.ptp(deepest, axis=0)
    assert (np.max(deepest, axis=0) > 0).sum() > count / 4
    assert spread.max() < 1e-9, f"{(spread > 1e-9).sum()} poses differ, worst by {spread.max():.3f} m"
