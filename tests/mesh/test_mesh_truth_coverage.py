"""Closed solids that overlap have a contact, as deep as they are: every solid on meshes of all sizes and finenesses.

Truth is bare geometry (mesh_truth.py). The deepest contact is within a factor of 2 of the bounds of the penetration, up
to a tenth of the smaller thickness; the bounds of convex pairs agree to 1e-4. An edge whose own solid has the extent
field is as deep as the other surface gets into that solid from its faces: less, where it is sharp. CONTACTLIB_SOAK
multiplies the poses.
"""

import os

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth, truth_meshes
from tests.support import meshes

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))
CONVEX = ["cube", "cube_fine", "ball80", "ball320", "ball1280", "ball5120", "ball20480", "rock", "slab"]
CURVED = ["torus", "bumpy", "corner"]
KINDS = ["sphere", "capsule", "triangle", "box", "cylinder", "ellipsoid", "polyhedron", "mesh"]
POSES = 8  # of one size of the solid; on each convex mesh once, of SOAK sizes each


def solid(rng, kind):
    """Of random proportions, 1 cm to 5 m large; meshes are about 1 m."""
    size = 10 ** rng.uniform(-2, 0.7)
    a, b, c = size * rng.uniform(0.1, 1, 3)
    if kind == "sphere":
        return contactlib.Sphere(size / 2)
    if kind == "capsule":
        return contactlib.Capsule(a / 2, b)
    if kind == "triangle":
        return contactlib.Triangle(size * rng.uniform(-1, 1, (3, 3)))
    if kind == "box":
        return contactlib.Box((a, b, c))
    if kind == "cylinder":
        return contactlib.Cylinder(a / 2, b)
    if kind == "ellipsoid":
        return contactlib.Ellipsoid((a / 2, b / 2, c / 2))
    if kind == "polyhedron":
        hull = truth_meshes.rock(int(rng.integers(1000)), int(rng.integers(4, 40)))
        return contactlib.Polyhedron(tuple(map(tuple, (size * hull.vertices).tolist())))
    makers = [lambda: meshes.cube(1.0), lambda: truth_meshes.ball(2), lambda: truth_meshes.ball(3),
              lambda: truth_meshes.rock(int(rng.integers(1000))), lambda: truth_meshes.slab(2)]
    mesh = makers[rng.integers(len(makers))]()
    return contactlib.Mesh(size * mesh.vertices, mesh.triangles)


def deepest(A, B, X_A, X_B):
    m = contactlib.manifolds(A, B, X_A, X_B, max_contacts=64)
    return np.where(m.count > 0, np.where(np.isnan(m.depth), -1, m.depth).max(1), 0.0)


def thickness(A, mesh):
    return min(mesh_truth.as_solid(A).thickness, mesh_truth.mesh_solid(mesh).thickness)


def report(kind, wrong):
    """Fail with the first of the poses that are wrong, if any is."""
    rows = [f"{kind} {A if A.kind == 'mesh' else np.array(A.numbers()).tolist()} on {mesh}: depth {d:.3e}, truth "
            f"{low:.3e} to {high:.3e}, X_A = {X_A.tolist()}, X_B = {X_B.tolist()}"
            for A, mesh, d, low, high, X_A, X_B in wrong[:4]]  # fmt: skip
    if wrong:
        pytest.fail(f"{len(wrong)} wrong:\n" + "\n".join(rows), pytrace=False)


def judged(kind, mesh, rng, count):
    """Poses of one solid on one mesh whose deepest contact is off by more than a factor of 2."""
    A = solid(rng, kind)
    depths = thickness(A, mesh) * 10 ** rng.uniform(-5, -1, count)
    X_A, X_B, low, high = mesh_truth.random_poses(rng, A, mesh, depths)
    found = deepest(A, mesh_truth.as_shape(mesh), X_A, X_B)
    bad = (found < low / 2) | (found > 2 * high)
    return [(A, mesh, found[i], low[i], high[i], X_A[i], X_B[i]) for i in np.nonzero(bad)[0]
            if not is_greatest_extent(found[i], A, mesh, X_A[i], X_B[i])]


def is_greatest_extent(depth, A, mesh, X_A, X_B):
    """Whether a depth is that of one surface in the other solid to 1e-6, of convex solids with plane faces."""
    A, B = mesh_truth.as_solid(A), mesh_truth.as_solid(mesh)
    if not (isinstance(A, truth_meshes.MeshSolid) and A.convex and B.convex):
        return False
    R, p = mesh_truth.relative(X_A, X_B)
    of_both = mesh_truth.greatest_extent(A, B, R, p), mesh_truth.greatest_extent(B, A, R.T, -R.T @ p)
    return any(abs(depth - extent) <= 1e-6 * extent for extent in of_both)


@pytest.mark.parametrize("kind", KINDS)
def test_convex_meshes(kind):
    """No miss, no phantom depth: within a factor of 2 of the least translation."""
    rng = np.random.default_rng(KINDS.index(kind))
    wrong = [w for mesh in CONVEX for _ in range(SOAK) for w in judged(kind, mesh, rng, POSES)]
    report(kind, wrong)


def test_a_sheet_parallel_to_a_face_of_many_triangles():
    """Its distance from the face is, but for rounding, the greatest depth that is possible: all of it counts."""
    corners = [[0.044690927473449146, 0.23908965561118886, -0.1970184542330054],
               [0.15841331505562764, 0.12086742096648474, -0.17984075210470116],
               [-0.10723824359285906, -0.03375561735182532, 0.09387930972190628]]
    X_A = np.array([0.731062311693089, 0.3909631596698957, -0.19122924061214475, 0.16314057761515405,
                    -0.3666470861579673, -0.8744919059380338, 0.2724315925074233])
    X_B = np.array([0.8418674202486982, 0.40304252516303185, 0.34385082908121833, 0.8034276174073735,
                    -0.4502973742123817, -0.19929018248525787, 0.3346935337432408])
    R, p = mesh_truth.relative(X_A, X_B)
    deep = (0.5 - np.abs(np.array(corners) @ R.T + p)).min()
    sheet = contactlib.Triangle(corners)
    assert deepest(sheet, mesh_truth.as_shape("cube_fine"), X_A[None], X_B[None])[0] == pytest.approx(deep, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_curved_meshes(kind):
    """Saddles, dents and a concave corner: within a factor of 2 of what no translation below clears."""
    rng = np.random.default_rng(100 + KINDS.index(kind))
    wrong = [w for mesh in CURVED for _ in range(SOAK) for w in judged(kind, mesh, rng, 2)]
    report(kind, wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_solid_as_a_polyhedron(kind):
    """A convex mesh and the polyhedron of its corners: that pair's least translation, within a factor of 2."""
    rng, wrong = np.random.default_rng(200 + KINDS.index(kind)), []
    for mesh in ("cube", "ball80", "ball320", "rock") * SOAK:
        A = solid(rng, kind)
        B = contactlib.Polyhedron(tuple(map(tuple, mesh_truth.mesh_solid(mesh).vertices.tolist())))
        depths = thickness(A, mesh) * 10 ** rng.uniform(-5, -1, POSES)
        poses = np.array([mesh_truth.random_pose(rng, A, mesh, d) for d in depths])
        X_A, X_B = poses[:, 0], poses[:, 1]
        right = deepest(A, B, X_A, X_B) if kind != "mesh" else deepest(B, A, X_B, X_A)
        found = deepest(A, mesh_truth.as_shape(mesh), X_A, X_B)
        bad = (found < right / 2) | (found > 2 * right)
        wrong += [(A, mesh, found[i], right[i], right[i], X_A[i], X_B[i]) for i in np.nonzero(bad)[0]]
    report(kind, wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_deep_overlaps_have_a_contact(kind):
    """From a tenth of the smaller thickness to all of it: something is reported."""
    rng, wrong = np.random.default_rng(300 + KINDS.index(kind)), []
    for mesh in CONVEX * SOAK:
        A = solid(rng, kind)
        depths = thickness(A, mesh) * rng.uniform(0.1, 1.0, POSES)
        X_A, X_B, low, high = mesh_truth.random_poses(rng, A, mesh, depths)
        found = deepest(A, mesh_truth.as_shape(mesh), X_A, X_B)
        wrong += [(A, mesh, found[i], low[i], high[i], X_A[i], X_B[i]) for i in np.nonzero(found <= 0)[0]]
    report(kind, wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_no_contact_where_they_are_apart(kind):
    """By 1e-6 of the smaller thickness at least, as a plane between them shows; on curved meshes by 1e-3."""
    rng, wrong = np.random.default_rng(400 + KINDS.index(kind)), []
    for mesh in (CONVEX + CURVED) * SOAK:
        A, convex = solid(rng, kind), mesh in CONVEX
        gaps = thickness(A, mesh) * 10 ** rng.uniform(-6 if convex else -3, -0.5, POSES)
        poses = np.array([mesh_truth.random_pose(rng, A, mesh, -gap) for gap in gaps])
        X_A, X_B = poses[:, 0], poses[:, 1]
        bounds = np.array([mesh_truth.truth_depth(A, a, mesh, b, limit=0.0) for a, b in poses])
        apart = bounds[:, 1] < 0 if convex else bounds[:, 1] == 0
        assert apart.mean() > 0.2 or not convex
        found = deepest(A, mesh_truth.as_shape(mesh), X_A, X_B)
        wrong += [(A, mesh, found[i], *bounds[i], X_A[i], X_B[i]) for i in np.nonzero(apart & (found > 0))[0]]
    report(kind, wrong)


# ---- the truth itself ----------------------------------------------------------------------------


@pytest.mark.parametrize("mesh", ["rock", "torus", "bumpy", "corner"])
def test_the_sign_of_the_truth_is_the_winding_number(mesh):
    B = mesh_truth.mesh_solid(mesh)
    x = np.random.default_rng(5).uniform(-1, 1, (200, 3)) * np.abs(B.vertices).max(0)
    np.testing.assert_array_equal(B.phi(x) < 0, B.winding_number(x) > 0.5)


def test_the_bounds_of_a_ball_and_a_box_are_known():
    """At a face, an edge and a corner of the cube: r minus the distance of the centre, by both ways of computing it."""
    ball, cube = contactlib.Sphere(0.2), mesh_truth.mesh_solid("cube")
    as_any = mesh_truth.MeshSolid(cube.vertices, cube.triangles, thickness=1.0)  # not told that it is convex
    for side in ([1, 0, 0], [1, 1, 0], [1, 1, 1]):
        n = np.array(side) / np.linalg.norm(side)
        X_A = np.array([*(0.5 * np.array(side) + 0.19 * n), 1, 0, 0, 0])
        for B in (cube, as_any):
            low, high = mesh_truth.truth_depth(ball, X_A, B, [0, 0, 0, 1, 0, 0, 0])
            assert low <= 0.01 * (1 + 1e-9)
            assert high >= 0.01 * (1 - 1e-3)
            assert high - low < 1e-2 * 0.01
