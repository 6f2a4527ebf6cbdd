"""What holds for every pose of every pair, degenerate ones included: flush faces, shared centres, exact touching."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle import reference
from tests.poses.strategies import scenes
from tests.support.compare import has_points, manifolds

PAIRS = sorted(pair for pair in reference.PAIRS if has_points(*pair))
ALIKE = [pair for pair in PAIRS if pair[0] == pair[1]]
# The deepest depth jumps where a sweep's axis enters the solid, where four points stand for a cylinder's circle, and at
# the socket where an edge or a corner comes to face another of its faces.
JUMPS = {(one, other) for one in ("segment", "capsule")
         for other in ("triangle", "box", "cylinder", "polyhedron", "socket")}  # fmt: skip
JUMPS |= {pair for pair in reference.PAIRS if pair[1] == "socket" and pair[0] not in ("point", "sphere")}
JUMPS |= {pair for pair in reference.PAIRS if "cylinder" in pair and set(pair) <= set(reference.CONVEX)}
EXACT = 1e-12  # m
BESIDE = 1e-10  # m and rad: poses so near to one at which the depth jumps may be on the other side of the jump
HERE = np.array([0, 0, 0, 1.0, 0, 0, 0])



def examples(count):
    """Settings of a property: the same examples in every run."""
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))




def deepest(A, B, X_AB, X_WB=HERE):
    return float(manifolds(A, B, X_AB[None], X_WB[None]).depth.max())


def beside(X, count=32):
    """Poses around X (7,)."""
    rng = np.random.default_rng(0)
    near = X + BESIDE * rng.uniform(-1, 1, (count, 7))
    near[:, 3:] /= np.linalg.norm(near[:, 3:], axis=1, keepdims=True)
    return near


def agrees(pair, depth, oracle_at, X):
    """Whether the depth is the oracle's at X or, where it may jump, beside X."""
    if abs(depth - oracle_at(X[None])[0]) < EXACT:
        return True
    return pair in JUMPS and (np.abs(depth - oracle_at(beside(X))) < 10 * BESIDE).any()


@pytest.mark.parametrize("first", sorted({one for one, _ in PAIRS}))
def test_deepest_depth_is_the_oracles(first):
    @examples(60)
    @given(scenes([pair for pair in PAIRS if pair[0] == first]))
    def check(scene):
        A, B, X = scene

        def oracle_at(X):
            return reference.manifold(A, B, X, np.tile(HERE, (len(X), 1))).depth.max(1).astype(float)

        assert agrees((A[0], B[0]), deepest(A, B, X), oracle_at, X)

    check()


@examples(200)
@given(scenes(PAIRS))
def test_every_contact_is_sound(scene):
    """Finite, of unit normal, no deeper than the two shapes are large, features different."""
    A, B, X = scene
    m = manifolds(A, B, X[None], HERE[None])
    k = m.count[0]
    assert (m.depth[0, :k] > 0).all() and (m.depth[0, k:] == 0).all()
    assert m.depth[0].max() < 2
    assert np.isfinite(m.point).all()
    np.testing.assert_allclose(np.linalg.norm(m.normal[0, :k], axis=1), 1, atol=1e-15)
    assert len(set(m.feature[0, :k].tolist())) == k
    assert (m.feature[0, k:] == -1).all()


@examples(200)
@given(scenes(PAIRS), st.sampled_from([(1e7, -1e7, 1e7), (1e7, 0, 0), (-3e6, 1e7, 5e5)]))
def test_far_away_nothing_changes(scene, shift):
    """1e7 m from the origin the same bits: positions are multiples of what is resolved there."""
    A, B, X = scene
    there = X + np.array([*shift, 0, 0, 0, 0])
    assert deepest(A, B, there, HERE + np.array([*shift, 0, 0, 0, 0])) == deepest(A, B, X)


@examples(200)
@given(scenes(PAIRS), st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_turning_the_scene_turns_the_contacts(scene, q):
    """The same deepest depth in world axes turned by q, but for rounding."""
    A, B, X = scene
    q = np.array(q) / np.linalg.norm(q)
    R = np.asarray(reference.rotation(q[None].astype(np.longdouble))[0], float)
    w, x, y, z = q
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    turned = deepest(A, B, np.array([*(R @ X[:3]), *(left @ X[3:])]), np.array([0, 0, 0, *q]))

    def library_at(X):
        return manifolds(A, B, X, np.tile(HERE, (len(X), 1))).depth.max(1)

    assert agrees((A[0], B[0]), turned, library_at, X)


@examples(200)
@given(scenes(ALIKE))
def test_swapping_two_of_a_kind(scene):
    """The same deepest depth from the other side."""
    A, B, X = scene

    def swapped_at(X):
        return manifolds(B, A, np.tile(HERE, (len(X), 1)), X).depth.max(1)

    assert agrees((A[0], B[0]), deepest(A, B, X), swapped_at, X)
