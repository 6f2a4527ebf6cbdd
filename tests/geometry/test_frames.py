"""One relative pose gives one answer: under rigid motions of both shapes, and with the two in either order.

The truth is an invariant: nothing here knows what a contact is.
"""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import contactlib
from contactlib._core import engine
from tests.poses.poses_frames import directions, multiply, quaternions, turn
from tests.poses.poses_surface import PAIRS as SURFACES

SAME = 1e-9  # of the shapes' sizes; and of unit vectors and shares
MOTIONS = 200
FEW = 12  # relative poses that are seen under so many motions
SHAPES = 4  # pairs of shapes of each pair of kinds
#: of so many random poses one may lie within rounding of one where contacts begin, end or change hands
VERGE = 20_000
#: The same for pairs with a mesh. The shapes interpenetrate by up to their size, and a patch may have a dozen peaks
#: whose forces differ by a thousandth of their sum: so much rounding is amplified.
SAME_ON_MESH, VERGE_ON_MESH = 1e-8, 200
FEW_ON_MESH = 3  # a manifold of a deep cylinder takes 10 ms
KINDS = list(engine.shape_kinds())
PAIRS = [(a, b) for i, a in enumerate(KINDS) for j, b in enumerate(KINDS) if engine.pair_table()[i, j]]


def corners(rng, size):
    """Corners on an ellipsoid: all of them count."""
    return directions(rng, int(rng.choice([4, 8, 20, 90]))) * size


def bumpy(rng, size):
    """A closed mesh with hollows."""
    u = directions(rng, int(rng.choice([30, 150])))
    hull = ConvexHull(u)
    triangles = hull.simplices.copy()
    a, b, c = np.moveaxis(u[triangles], 1, 0)
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(1) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return contactlib.Mesh(u * size * rng.uniform(0.85, 1.15, (len(u), 1)), triangles)


def drawn(kind, rng):
    """A shape of that kind, its sizes between 5 and 50 cm, and the radius of a ball about its origin that holds it."""
    a, b, c = (float(size) for size in 10 ** rng.uniform(-1.3, -0.3, 3))
    size = np.array([a, b, c])
    make = {
        "point": lambda: (contactlib.Point(), 0.0),
        "sphere": lambda: (contactlib.Sphere(a), a),
        "segment": lambda: (contactlib.Segment(2 * a), a),
        "capsule": lambda: (contactlib.Capsule(a / 2, 2 * b), a / 2 + b),
        "triangle": lambda: (contactlib.Triangle(rng.normal(size=(3, 3)) * a), 2 * a),
        "ellipsoid": lambda: (contactlib.Ellipsoid((a, b, c)), max(a, b, c)),
        "box": lambda: (contactlib.Box((2 * a, 2 * b, 2 * c)), float(np.linalg.norm(size))),
        "cylinder": lambda: (contactlib.Cylinder(a, 2 * b), float(np.hypot(a, b))),
        "polyhedron": lambda: (contactlib.Polyhedron(corners(rng, size)), max(a, b, c)),
        "socket": lambda: (contactlib.Socket((2 * a + b, 2 * a + c, a + b + c), a, b), a + b + c),
        "mesh": lambda: (bumpy(rng, size), max(a, b, c)),
        "plane": lambda: (contactlib.Plane(), 0.0),
    }  # fmt: skip
    return make[kind]()


@cache
def shapes(kind_a, kind_b):
    """Pairs of shapes (A, B, size), A always with a size."""
    rng = np.random.default_rng(KINDS.index(kind_a) * len(KINDS) + KINDS.index(kind_b))
    both = [(drawn(kind_a, rng), drawn(kind_b, rng)) for _ in range(SHAPES)]
    return [(A, B, a + b or 1.0) for (A, a), (B, b) in both]


def placed(rng, size, n):
    """Poses of A and B, B's origin within `size` of A's."""
    away = directions(rng, n) * size * rng.uniform(0, 1, (n, 1))
    return np.hstack([np.zeros((n, 3)), quaternions(rng, n)]), np.hstack([away, quaternions(rng, n)])


def moved(rng, size, *poses):
    """The poses after one rigid motion for each row."""
    q, p = quaternions(rng, len(poses[0])), rng.normal(size=(len(poses[0]), 3)) * 2 * size
    return [np.hstack([turn(q, X[:, :3]) + p, multiply(q, X[:, 3:])]) for X in poses]


def seen_from_b(m, X_WB, sign=1):
    """(count, numbers (N, K, 8)): depth, place and normal in B's axes, and share of each contact."""
    back = X_WB[:, 3:] * [1, -1, -1, -1]
    width = m.count.max(initial=1)
    numbers = np.zeros((len(m.count), width, 8))
    for k in range(width):
        numbers[:, k, 0], numbers[:, k, 7] = m.depth[:, k], m.load_share[:, k]
        numbers[:, k, 1:4] = turn(back, m.point[:, k] - X_WB[:, :3])
        numbers[:, k, 4:7] = sign * turn(back, m.normal[:, k])
    return m.count, numbers


def differ(one, other, size, same=SAME):
    """Which poses (N,) have another number of contacts, or one that none of the others is like."""
    (count, mine), (counts, theirs) = one, other
    scale = np.array([size] * 4 + [1.0] * 4)
    different = count != counts
    for k in range(count.max(initial=0)):
        apart = (np.abs(mine[:, k, None] - theirs) / scale).max(-1)
        none = np.arange(theirs.shape[1]) >= counts[:, None]
        different |= (k < count) & (np.where(none, np.inf, apart).min(1, initial=np.inf) > same)
    return different


def manifolds(A, B, X_WA, X_WB):
    """Of a surface contact the force stands for depth and share, and a force that nearly vanishes has no direction.

    Its deepest place is that of the nodes of a rule.
    """
    m = contactlib.manifolds(A, B, X_WA, X_WB, max_contacts=64)
    if f"{A.kind}-{B.kind}" not in SURFACES:
        return m
    force = m.depth * m.load_share
    sure = (force > 1e-3 * m.depth)[..., None]
    return replace(m, depth=force, load_share=0 * force, normal=m.normal * sure,
                   point=np.where(sure, m.point, (X_WA + X_WB)[:, None, :3] / 2))


@pytest.mark.parametrize(("kind_a", "kind_b"), PAIRS)
def test_rigid_motions_of_few_poses(kind_a, kind_b):
    """Few relative poses under many motions."""
    rng = np.random.default_rng(1)
    same, few = (SAME_ON_MESH, FEW_ON_MESH) if kind_b == "mesh" else (SAME, FEW)
    for A, B, size in shapes(kind_a, kind_b):
        X_WA, X_WB = (np.repeat(X, MOTIONS, axis=0) for X in placed(rng, size, few))
        at = moved(rng, size, X_WA, X_WB)
        count, numbers = seen_from_b(manifolds(A, B, *at), at[1])
        first = np.arange(len(count)) // MOTIONS * MOTIONS
        assert not differ((count, numbers), (count[first], numbers[first]), size, same).any()


@pytest.mark.parametrize(("kind_a", "kind_b"), PAIRS)
def test_rigid_motions_of_many_poses(kind_a, kind_b, poses_per_region):
    """Many relative poses under two motions, and, of two of a kind, in both orders."""
    rng, bad, n = np.random.default_rng(2), 0, max(poses_per_region // SHAPES, 1)
    same, verge = (SAME_ON_MESH, VERGE_ON_MESH) if kind_b == "mesh" else (SAME, VERGE)
    for A, B, size in shapes(kind_a, kind_b):
        for start in range(0, n, 5000):
            X_WA, X_WB = placed(rng, size, min(5000, n - start))
            here = seen_from_b(manifolds(A, B, X_WA, X_WB), X_WB)
            at = moved(rng, size, X_WA, X_WB)
            bad += differ(here, seen_from_b(manifolds(A, B, *at), at[1]), size, same).sum()
            if kind_a == kind_b:
                bad += differ(here, seen_from_b(manifolds(B, A, *at[::-1]), at[1], -1), size, same).sum()
    assert bad <= n * SHAPES // verge


def points(A):
    """Points (N, 3) whose hull is a solid or contains it."""
    match type(A).__name__:
        case "Sphere":
            half = [A.radius] * 3
        case "Cylinder":
            half = [A.radius, A.radius, A.length / 2]
        case "Box":
            half = np.asarray(A.size) / 2
        case "Ellipsoid":
            half = A.semi_axes
        case _:
            return np.asarray(A.corners)
    return np.array(list(itertools.product([-1, 1], repeat=3))) * half


@pytest.mark.parametrize("kind_a", ["sphere", "triangle", "ellipsoid", "box", "cylinder", "polyhedron"])
def test_deep_contacts_on_meshes_are_near_the_solids(kind_a, poses_per_region):
    """Solids deep in bumpy meshes: a contact lies half-way between the surfaces, half a depth from the solid at most.

    Springs stand for a patch of any form, and may be beside the solid by its own size.
    """
    rng, n = np.random.default_rng(3), max(poses_per_region // SHAPES, 1)
    for A, B, size in shapes(kind_a, "mesh"):
        hull = points(A)
        most = np.linalg.norm(hull[:, None] - hull, axis=2).max()  # from any point of the solid
        for start in range(0, n, 5000):
            X_WA, X_WB = placed(rng, size, min(5000, n - start))
            m = manifolds(A, B, X_WA, X_WB)
            middle = X_WA[:, :3] + turn(X_WA[:, 3:], np.tile(hull.mean(0), (len(X_WA), 1)))
            off = np.linalg.norm(m.point - middle[:, None], axis=2)
            assert (off < 2.0 * most + 0.5 * m.depth)[np.arange(off.shape[1]) < m.count[:, None]].all()


def test_an_ellipsoid_in_a_socket_whose_edge_both_its_sides_are_equally_near():
    """Its rounding alone once made 0.5 mm or 90 mm of one relative pose."""
    rng = np.random.default_rng(7)
    A, B = contactlib.Ellipsoid((0.0833, 0.183, 0.0875)), contactlib.Socket((0.3, 0.3, 0.3), 0.097, 0.15)
    X_WA, X_WB = placed(rng, 0.45, 1000)
    here = seen_from_b(manifolds(A, B, X_WA, X_WB), X_WB)
    for _ in range(3):
        at = moved(rng, 0.45, X_WA, X_WB)
        assert not differ(here, seen_from_b(manifolds(A, B, *at), at[1]), 0.45).any()
