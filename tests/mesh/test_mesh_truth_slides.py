"""Along paths over closed curved meshes the force has no jumps, and closed paths exchange no energy.

A jump shows when the steps of a path are made shorter: the largest change of force then no longer falls with the step.
The work of a force that has a potential is zero around a closed path, whatever the potential.
"""

import os

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth, truth_meshes
from tests.mesh.truth_solids import unit
from tests.support import meshes

STILL = [0, 0, 0, 1.0, 0, 0, 0]
ROCK = truth_meshes.rock(3, 20)
SMALL = truth_meshes.ball(2, 0.15)
SOLIDS = {
    "sphere": contactlib.Sphere(0.15),
    "capsule": contactlib.Capsule(0.08, 0.4),
    "box": contactlib.Box((0.3, 0.25, 0.2)),
    "cylinder": contactlib.Cylinder(0.12, 0.3),
    "ellipsoid": contactlib.Ellipsoid((0.1, 0.2, 0.15)),
    "polyhedron": contactlib.Polyhedron(tuple(map(tuple, (0.5 * ROCK.vertices).tolist()))),
    "mesh": contactlib.Mesh(SMALL.vertices, SMALL.triangles),
    "triangle": contactlib.Triangle(((-0.2, -0.15, 0), (0.2, -0.15, 0), (0, 0.25, 0))),
}


def egg_crate(cells=48, size=1.0, peaks=5, height=0.012):
    """A closed block whose top is a field of peaks * peaks smooth hills."""
    side = np.linspace(-size / 2, size / 2, cells + 1)
    wave = np.pi * peaks / size
    top = meshes.grid(side, side, lambda x, y: height * np.cos(2 * wave * x) * np.cos(2 * wave * y))
    return meshes.underpinned(top, cells, -0.3)


# ---- slides ---------------------------------------------------------------------------------------


def along(name, rng, s):
    """Places and normals of a smooth path over a surface, s in (0, 1), about 0.4 m long."""
    u, v = rng.uniform(0, 2 * np.pi, 2)
    a, b = u + 0.5 * s, v + 0.4 * s
    if name == "torus":
        e = np.column_stack([np.cos(a), np.sin(a), 0 * a])
        n = np.cos(b)[:, None] * e + np.sin(b)[:, None] * [0, 0, 1]
        return 0.35 * e + 0.15 * n, n
    n = np.column_stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)])
    radius = truth_meshes.bumpy_radius(n) if name.startswith("bumpy") else np.full(len(n), 0.5)
    return radius[:, None] * n, n


def slide(rng, name, A, count):
    """Poses (count, 7): a random feature of A about 8 mm deep, going up and down, A turning slowly about its place."""
    s = np.linspace(0, 1, count)
    t, m = along(name, rng, s)
    a, n = mesh_truth.as_solid(A).feature(rng)
    twist, tilt, lift = rng.uniform(0, 2 * np.pi), unit(rng.normal(size=3)), rng.uniform(0, 2 * np.pi)
    rows = []
    for i in range(count):
        R = (mesh_truth.about(m[i], twist + 0.5 * s[i]) @ mesh_truth.about(tilt, 0.15 * np.sin(6 * s[i]))
             @ mesh_truth.carrying(n, -m[i]))  # fmt: skip
        depth = 0.008 + 0.006 * np.sin(lift + 8 * s[i])
        rows.append([*(t[i] - depth * m[i] - R @ a), *mesh_truth.quaternion(R)])
    return np.array(rows)


def push(A, mesh, X_A):
    """Force on B of unit springs (N, 3), torque about A's origin (N, 3), and the deepest depth (N,)."""
    m = contactlib.manifolds(A, mesh, X_A, STILL, max_contacts=64)
    f = m.normal * (m.depth * m.load_share * (m.depth > 0))[..., None]
    return f.sum(1), np.cross(m.point - X_A[:, None, :3], f).sum(1), np.where(m.count > 0, m.depth.max(1), 0.0)


@pytest.mark.parametrize("solid", [name for name in SOLIDS if name != "triangle"])
@pytest.mark.parametrize("mesh", ["ball1280", "ball5120", "torus", "bumpy"])
def test_no_jumps(mesh, solid):
    """The largest change in one step falls with the step: to less than a third where the steps are an eighth.

    Not of a triangle, whose force is not continuous: it leaves above, below or sideways, by the shortest of three ways,
    and changes from one to another at once (docs/manifolds.md, "What is continuous, and what is not").
    """
    rng = np.random.default_rng(17)
    A, B = SOLIDS[solid], mesh_truth.as_shape(mesh)
    for _ in range(2):
        X_A = slide(rng, mesh, A, 6401)
        force, torque, depth = push(A, B, X_A)
        assert depth.max() > 2e-3
        for what, values in (("force", force), ("torque", torque), ("depth", depth[:, None])):
            fine = np.linalg.norm(np.diff(values, axis=0), axis=1).max()
            coarse = max(np.linalg.norm(np.diff(values[k::8], axis=0), axis=1).max() for k in range(8))
            at = np.linalg.norm(np.diff(values, axis=0), axis=1).argmax()
            if fine > max(coarse / 3, 1e-9):
                pytest.fail(f"{what} jumps by {fine:.3e} (greatest depth {depth.max():.3e}) between {X_A[at].tolist()} "
                            f"and {X_A[at + 1].tolist()}", pytrace=False)


# ---- closed paths ----------------------------------------------------------------------------------


def loop(rng, A, height, count=1500):
    """A closed path (count, 7) over the egg crate, about 0.3 m across, with A tilting."""
    s = 2 * np.pi * np.arange(count) / count
    c = rng.uniform(-0.08, 0.08, 2)
    k = rng.normal(size=(3, 2, 2)) * [[[0.08], [0.02]], [[0.08], [0.02]], [[0.0015], [0.0015]]]
    waves = np.array([[np.cos(s), np.sin(s)], [np.cos(2 * s), np.sin(2 * s)]])
    r = np.einsum("kij,ijs->sk", k, waves)
    R0 = mesh_truth.rotation(rng) if A.kind in ("sphere", "ellipsoid", "polyhedron", "mesh") else np.eye(3)
    R0 = mesh_truth.about(np.array([0, 0, 1.0]), rng.uniform(0, 6)) @ R0
    low = (mesh_truth.as_solid(A).support((R0.T @ [0, 0, -1.0])[None])[0] @ R0.T)[2]
    axis, lean = unit(rng.normal(size=3)), rng.uniform(0, 6)
    turned = [mesh_truth.about(axis, 0.03 * np.sin(phase + lean)) @ R0 for phase in s]
    return np.column_stack([r + np.array([*c, height - low]), [mesh_truth.quaternion(R) for R in turned]])


def work(X, force, torque):
    """Of force and torque on A along a closed path: of each step, by the mean of both ends."""
    after = np.roll(X, -1, axis=0)
    R = np.array([mesh_truth.matrix(q) for q in X[:, 3:]])
    D = np.roll(R, -1, axis=0) @ R.transpose(0, 2, 1)
    turn = np.column_stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]]) / 2
    f, t = (force + np.roll(force, -1, axis=0)) / 2, (torque + np.roll(torque, -1, axis=0)) / 2
    return (f * (after[:, :3] - X[:, :3])).sum(1) + (t * turn).sum(1)


def exchanged(A, B, paths):
    """Of each closed path: the work gained, as a part of that exchanged (half the sum of the steps' sizes)."""
    ratios = []
    for X in paths:
        force, torque, depth = push(A, B, X)
        w = work(X, -force, -torque)
        assert depth.max() > 5e-4
        ratios.append(abs(w.sum()) / (np.abs(w).sum() / 2))
    return np.array(ratios)


def round_a_ball(rng, A, count=400):
    """A closed path (count, 7) on a ball of radius 0.5 m, whose patch stays one: a feature 1 to 3 cm deep, tilting."""
    s = 2 * np.pi * np.arange(count) / count
    a, n = mesh_truth.as_solid(A).feature(rng)
    top = unit(rng.normal(size=3))
    e = unit(np.cross(top, [0.3, 0.5, -0.8]))
    f = np.cross(top, e)
    spots = unit(top + 0.1 * ((np.cos(s) + 0.3 * np.cos(2 * s))[:, None] * e + np.sin(s)[:, None] * f))
    twist, lean, axis = rng.uniform(0, 6), rng.uniform(0, 6), unit(rng.normal(size=3))
    still = mesh_truth.about(top, twist) @ mesh_truth.carrying(n, -top)
    rows = []
    for phase, m in zip(s, spots, strict=True):
        R = mesh_truth.about(axis, 0.05 * np.sin(phase + lean)) @ still
        depth = 0.02 + 0.01 * np.sin(2 * phase + twist)
        rows.append([*((0.5 - depth) * m - R @ a), *mesh_truth.quaternion(R)])
    return np.array(rows)


#: of the work exchanged. The goal is 0.01 for all. Depth and normal of a patch are exact for one form that grows, but
#: a corner or edge that tilts on a ball changes its patch's form, and its force has no potential
ONE_PATCH = ("sphere", "capsule", "ellipsoid", "box", "cylinder", "polyhedron", "mesh")


@pytest.mark.parametrize("solid", ONE_PATCH)
def test_closed_loops_on_one_patch(solid):
    """A fine ball mesh and a patch that is some ten triangles wide: no more than 1 % of the work exchanged is gained or
    lost; 0.44 % is the most seen, of a polyhedron."""
    A, B, rng = SOLIDS[solid], mesh_truth.as_shape("ball20480"), np.random.default_rng(5)
    ratio = exchanged(A, B, [round_a_ball(rng, A) for _ in range(3)])
    assert ratio.max() <= 0.01, f"{ratio.round(4).tolist()} of the work exchanged"


#: solid, seed and number of its loops; a capsule or a mesh has one contact for all peaks of a patch
OVER_PEAKS = [(solid, seed, 12) for solid in ("box", "ellipsoid", "polyhedron") for seed in (5, 11)]
OVER_PEAKS += [(solid, 5, 6) for solid in ("sphere", "capsule", "mesh")]
#: a cylinder is slow: all its loops in `make soak`
OVER_PEAKS += [("cylinder", 5, 12), ("cylinder", 11, 12)] if "CONTACTLIB_SOAK" in os.environ else [("cylinder", 5, 6)]


@pytest.mark.parametrize(("solid", "seed", "count"), OVER_PEAKS)
def test_closed_loops_over_many_peaks(solid, seed, count):
    """At most 1 % of the work exchanged, in each of 24 loops of a box, a cylinder, an ellipsoid and a polyhedron, whose
    patches merge and split."""
    mesh = egg_crate()
    B, A, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), SOLIDS[solid], np.random.default_rng(seed)
    ratio = exchanged(A, B, [loop(rng, A, 0.004) for _ in range(count)])
    assert ratio.max() <= 0.01, f"{ratio.round(4).tolist()} of the work exchanged"


@pytest.mark.skipif("CONTACTLIB_SOAK" not in os.environ, reason="168 more loops take minutes: make soak")
def test_closed_loops_of_other_seeds():
    """The goal is 1 % in all of them. One of 168 has more, 1.07 % (docs/manifolds.md): no more may have, and none may
    have more than 1.1 %.

    Where steps are long for the work, a path is measured again with steps a quarter as long.
    """
    mesh = egg_crate()
    B, ratio = contactlib.Mesh(mesh.vertices, mesh.triangles), []
    for solid in ("box", "polyhedron"):
        for seed in (17, 23, 31, 47, 101, 102, 103):
            A, rng, same = SOLIDS[solid], np.random.default_rng(seed), np.random.default_rng(seed)
            fine = [loop(same, A, 0.004, 6000) for _ in range(12)]
            for path, now in zip(fine, exchanged(A, B, [loop(rng, A, 0.004) for _ in range(12)]), strict=True):
                ratio.append(now if now <= 0.01 else exchanged(A, B, [path])[0])
    assert np.mean(ratio) <= 0.0028 and np.max(ratio) <= 0.011, np.round(ratio, 4).tolist()
    assert np.count_nonzero(np.array(ratio) > 0.01) <= 1, np.round(ratio, 4).tolist()


@pytest.mark.parametrize(("solid", "seed", "number"), [("box", 103, 3), ("box", 301, 7), ("polyhedron", 102, 1),
                                                       ("polyhedron", 103, 1), ("polyhedron", 203, 10)])
def test_closed_loops_that_pass_from_one_depth_to_another(solid, seed, number):
    """Below 1 % of the work exchanged, where 1.1 to 1.4 % were gained or lost as long as the force left out how levels
    change with the pose, and weights between two kinds of depth."""
    mesh, A = egg_crate(), SOLIDS[solid]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(seed)
    for _ in range(number):
        loop(rng, A, 0.004, 2)
    assert exchanged(A, B, [loop(rng, A, 0.004, 6000)])[0] < 0.01


@pytest.mark.parametrize(("solid", "seed", "number"), [("box", 103, 0), ("box", 302, 3), ("polyhedron", 202, 1)])
def test_closed_loops_on_which_patches_join(solid, seed, number):
    """Below 1 % of the work exchanged, where 1.0, 1.06 and 1.41 % were gained or lost as long as patches that joined
    became one in a single move, with one direction for all peaks."""
    mesh, A = egg_crate(), SOLIDS[solid]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(seed)
    for _ in range(number):
        loop(rng, A, 0.004, 2)
    assert exchanged(A, B, [loop(rng, A, 0.004, 6000)])[0] < 0.0095


def gained(A, B, X):
    """What the stored energy rises by in each move beyond the work, and the greatest energy: J, of springs of 1 N/m."""
    m = contactlib.manifolds(A, B, X, STILL, max_contacts=64)
    energy = 0.5 * (m.load_share * m.depth**2 * (m.depth > 0)).sum(1)
    force, torque, _ = push(A, B, X)
    return np.diff(energy) + work(X, -force, -torque)[:-1], energy.max()


def test_saddles_on_a_side():
    """Hills stick out under the edges of a box, and the saddle between two of them is where a ridge leaves the box, so
    that it moves with the box's side: nine times four short moves with work and energy alike to 0.1 %, where 0.3 to
    0.5 % were lost in each four as long as the side did not count."""
    mesh, A = egg_crate(), SOLIDS["box"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(5)
    for _ in range(9):
        loop(rng, A, 0.004, 2)
    error, most = gained(A, B, loop(rng, A, 0.004, 6000)[4 * 896 : 4 * 905 + 1])
    error = error.reshape(-1, 4).sum(1)
    assert np.abs(error).max() < 1e-3 * most, (error / most).round(5).tolist()


@pytest.mark.parametrize(("seed", "number", "first", "last"), [(303, 10, 2246, 2302), (103, 1, 2420, 2456),
                                                               (31, 2, 2600, 2700)])
def test_a_direction_that_is_its_own_estimate(seed, number, first, last):
    """A hill under an edge of a box, whose contact leans: energy and work agree to 0.8 % in each 20 moves, where 2.2 to
    2.5 % were lost as long as the estimates of the direction swung about the one of least depth."""
    mesh, A = egg_crate(), SOLIDS["box"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(seed)
    for _ in range(number):
        loop(rng, A, 0.004, 2)  # draws what a whole path draws
    error, most = gained(A, B, loop(rng, A, 0.004, 6000)[first:last])
    off = np.convolve(error, np.ones(20), "valid")
    assert np.abs(off).max() < 0.008 * most, (off / most).round(5).tolist()


def test_a_contact_that_turns_quickly():
    """The direction of a polyhedron's contact turns by 0.36 rad within 40 short moves: energy and work agree to
    0.4 % in each 20 of 40 moves, where the energy rose by 1.2 % as long as the force neglected the turning."""
    mesh, A = egg_crate(), SOLIDS["polyhedron"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(11)
    X = [loop(rng, A, 0.004) for _ in range(8)][7][1273:1314]
    error, most = gained(A, B, X)
    off = np.convolve(error, np.ones(20), "valid")
    assert np.abs(off).max() < 0.004 * most, (off / most).round(5).tolist()


def test_a_hill_that_leaves_under_an_edge():
    """The top of one of thirteen hills slides out under a box's edge, so that its normal leans by 45 degrees in 1.5 mm.
    The others are not joined for that: energy and work agree to 1 %, where the energy fell by 14 % for a moment."""
    mesh, A = egg_crate(), SOLIDS["box"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(5)
    for _ in range(9):
        loop(rng, A, 0.004, 2)
    X = loop(rng, A, 0.004, 6000)[4 * 815 : 4 * 819]
    error, most = gained(A, B, X)
    assert np.abs(np.cumsum(error)).max() < 0.01 * most


def test_triangles_in_one_plane_by_chance():
    """Where hills turn into hollows, two triangles lie in one plane. That is no flat face, which would give a peak two
    springs. A closed path changes the energy by 0.3 % of the work exchanged, and by 2.9 % with such springs."""
    mesh, A = egg_crate(), SOLIDS["box"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(301)
    assert exchanged(A, B, [[loop(rng, A, 0.004) for _ in range(3)][2]])[0] < 0.01


def test_a_spike_beside_a_shallow_part():
    """A patch of one peak becomes a spike beside a wide and shallow part, and its contact has the greatest thickness:
    energy and work agree to 3 %, where they differed by 11 % as long as its force was along the normal."""
    mesh, A = egg_crate(), SOLIDS["polyhedron"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(47)
    X = [loop(rng, A, 0.004) for _ in range(8)][7][580:621]
    error, most = gained(A, B, X)
    assert np.abs(np.cumsum(error)).max() < 0.03 * most, (error / most).round(5).tolist()


def test_a_low_peak_that_leans():
    """One of seven peaks, with 2 % of the energy, leans by 49 degrees in passing. The others are not joined for that:
    energy and work agree to 0.6 % in short moves, where the energy fell by 32 % at two poses."""
    mesh, A = egg_crate(), SOLIDS["box"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(11)
    for _ in range(4):
        loop(rng, A, 0.004, 2)
    error, most = gained(A, B, loop(rng, A, 0.004, 4500)[1598:1614])
    assert np.abs(np.cumsum(error)).max() < 0.006 * most, (error / most).round(5).tolist()


def test_saddles_that_leave_little_of_a_peak():
    """Three peaks whose saddles are nearly as high: Phi of the highest one, above its level, is up to 1.3 of the
    thickness there. In short moves energy and work differ by up to 5 %, where the energy fell by 37 % at one pose."""
    mesh, A = egg_crate(), SOLIDS["polyhedron"]
    B, rng = contactlib.Mesh(mesh.vertices, mesh.triangles), np.random.default_rng(31)
    for _ in range(5):
        loop(rng, A, 0.004, 2)
    error, most = gained(A, B, loop(rng, A, 0.004, 6000)[4920:4948])
    assert np.abs(error).max() < 0.05 * most, (error / most).round(5).tolist()


# ---- patches that meet -------------------------------------------------------------------------------

HILLS = {"equal": (0.02, 0.02), "unequal": (0.02, 0.012), "three": (0.02, 0.016, 0.019)}
PLATES = {"box": contactlib.Box((0.8, 0.3, 0.1)), "cylinder": contactlib.Cylinder(0.4, 0.1),
          "ellipsoid": contactlib.Ellipsoid((3.0, 3.0, 0.5))}  # fmt: skip


def row_of_hills(heights, cells=60):
    """A closed block with smooth hills of these heights, 0.25 m apart, which overlap."""
    side = np.linspace(-0.5, 0.5, cells + 1)
    at = 0.25 * (np.arange(len(heights)) - (len(heights) - 1) / 2)

    def height(x, y):
        return sum(h * np.exp(-((x - a) ** 2 + y**2) / 0.1**2) for h, a in zip(heights, at, strict=True))

    return meshes.underpinned(meshes.grid(side, side, height), cells, -0.3)


def lowered(A, low, tilt, count=4001):
    """Poses (count, 7) of A as it is lowered, up to 12 mm below the highest hill's top."""
    q = mesh_truth.quaternion(mesh_truth.about(np.array([0.3, 1.0, 0.0]) / 1.09**0.5, tilt))
    depth = np.linspace(0.0, 0.012, count)
    return np.column_stack([np.full(count, 0.01), np.full(count, 0.005), 0.02 + low - depth, np.tile(q, (count, 1))])


@pytest.mark.parametrize("tilt", [0.0, 0.004])
@pytest.mark.parametrize("hills", list(HILLS))
@pytest.mark.parametrize("plate", list(PLATES))
def test_patches_that_meet(plate, hills, tilt):
    """A plate lowered over hills, whose patches meet over their saddles: the energy stored is the work done to 1 %, and
    neither force nor torque jumps."""
    mesh, A = row_of_hills(HILLS[hills]), PLATES[plate]
    low = 0.5 if plate == "ellipsoid" else 0.05
    X = lowered(A, low, tilt)
    m = contactlib.manifolds(A, contactlib.Mesh(mesh.vertices, mesh.triangles), X, STILL, max_contacts=64)
    held = m.depth * m.load_share * (m.depth > 0)
    force, energy = -(m.normal[..., 2] * held).sum(1), 0.5 * (held * m.depth).sum(1)
    torque = np.cross(m.point - X[:, None, :3], m.normal * held[..., None]).sum(1)
    dz = X[0, 2] - X[1, 2]
    work = np.concatenate([[0.0], np.cumsum((force[1:] + force[:-1]) / 2 * dz)])
    assert np.abs(work - energy).max() < 0.01 * energy[-1], f"{np.abs(work - energy).max() / energy[-1]:.4f}"
    for values in (force[:, None], torque):
        steps = np.linalg.norm(np.diff(values, axis=0), axis=1).max()
        eight = max(np.linalg.norm(np.diff(values[k::8], axis=0), axis=1).max() for k in range(8))
        assert steps < max(eight / 3, 1e-9)
