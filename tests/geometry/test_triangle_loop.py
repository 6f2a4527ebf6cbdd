"""Balls on triangles in batches: the bits of the kernel that scenes call, with any number of lanes."""

import numpy as np
import pytest

import contactlib
from contactlib.shapes import quaternion
from tests.poses.poses_frames import quaternions
from tests.support.scenes import body, law, scene

STILL = [0.0, 0, 0, 1, 0, 0, 0]
RADIUS = 0.03
TRIANGLES = {
    "usual": ((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0)),
    "tilted": ((0.11, -0.02, 0.305), (0.15, -0.03, 0.3), (0.11, 0.06, 0.29)),
    "obtuse": ((0.0, 0.0, 0.0), (0.06, 0.0, 0.0), (-0.05, 0.01, 0.002)),
    "sliver": ((0.0, 0.0, 0.0), (0.08, 0.0, 0.0), (0.05, 1e-5, 1e-5)),
}
NAMES = ("count", "point", "normal", "depth", "feature", "load_share")


def around(corners, n, seed=1):
    """Any orientations, the ball's middle within a box around the triangle that is a radius larger."""
    rng = np.random.default_rng(seed)
    X_WA, X_WB = (np.hstack([rng.uniform(-1, 1, (n, 3)), quaternions(rng, n)]) for _ in range(2))
    low, high = np.min(corners, 0) - RADIUS, np.max(corners, 0) + RADIUS
    for i in range(n):
        X_WA[i, :3] = X_WB[i, :3] + quaternion.rotation_matrix(tuple(X_WB[i, 3:])) @ rng.uniform(low, high)
    return X_WA, X_WB


def found(corners, *poses, **options):
    return contactlib.manifolds(contactlib.Sphere(RADIUS), contactlib.Triangle(corners), *poses, **options)


def bits(m):
    return [getattr(m, name).tobytes() for name in NAMES]


@pytest.mark.parametrize("corners", TRIANGLES.values(), ids=TRIANGLES)
def test_each_lane_is_as_if_alone(corners):
    """One pose at a time goes through two lanes, a batch through four where the processor has them: the same bits."""
    X_WA, X_WB = around(corners, 263)  # more than four blocks, and not a multiple of any number of lanes
    batch = found(corners, X_WA, X_WB)
    assert 0.2 < batch.count.mean() < 0.8
    alone = [found(corners, X_WA[i], X_WB[i]) for i in range(len(X_WA))]
    for name in NAMES:
        assert getattr(batch, name).tobytes() == b"".join(getattr(m, name).tobytes() for m in alone), name


def test_threads_change_nothing():
    corners = TRIANGLES["tilted"]
    X_WA, X_WB = around(corners, 1001)
    one = bits(found(corners, X_WA, X_WB))
    assert all(bits(found(corners, X_WA, X_WB, num_threads=k)) == one for k in (2, 3, 8))


@pytest.mark.parametrize("corners", TRIANGLES.values(), ids=TRIANGLES)
def test_a_scene_finds_the_same_bits(corners):
    """Scenes take pair by pair. They scale quaternions, but for those whose length is 1 to the last bit."""
    X_WA, X_WB = around(corners, 6000)
    length = [(X[:, 3]**2 + X[:, 4]**2) + (X[:, 5]**2 + X[:, 6]**2) for X in (X_WA, X_WB)]
    other = [((X[:, 3]**2 + X[:, 4]**2) + X[:, 5]**2) + X[:, 6]**2 for X in (X_WA, X_WB)]
    exact = (np.array([*length, *other]) == 1).all(0)
    X_WA, X_WB = X_WA[exact], X_WB[exact]
    m = found(corners, X_WA, X_WB)
    assert m.count.sum() > 400
    ball = {"name": "ball", "kind": "sphere", "radius": RADIUS, "material": "a"}
    sheet = {"name": "sheet", "kind": "triangle", "corners": [list(c) for c in corners], "material": "b"}
    spring = {"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 0.0}
    simulation = contactlib.Simulation(
        scene([body("ball", "external", [ball]), body("sheet", "external", [sheet])],
              [law("touch", ["a", "b"], spring)], [["ball", "sheet"]]).compile())
    states = np.zeros((2, 13))
    for i in range(len(X_WA)):
        states[:, :7] = X_WA[i], X_WB[i]
        simulation.compute(states)
        contacts = simulation.contacts
        assert len(contacts) == m.count[i]
        if len(contacts):
            assert contacts["depth"][0] == m.depth[i, 0]
            assert (contacts["n_AB_W"][0] == m.normal[i, 0]).all()
            assert (X_WA[i, :3] + contacts["p_AC_W"][0] == m.point[i, 0]).all()


@pytest.mark.parametrize("place", ["inside", "side", "corner"])
def test_the_middle_in_the_sheet(place):
    """As deep as it can be, pushed out across the sheet: exactly."""
    corners = ((-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0))
    middle = {"inside": (0.25, -0.5, 0.0), "side": (0.5, -1.0, 0.0), "corner": (0.0, 1.0, 0.0)}[place]
    m = found(corners, [[*middle, 1, 0, 0, 0]] * 5, STILL)
    assert m.count.tolist() == [1] * 5
    assert (m.depth[:, 0] == RADIUS).all()
    assert (np.abs(m.normal[:, 0]) == [0, 0, 1]).all()


def test_an_earlier_result_is_overwritten():
    """Contacts that another pair left in the memory are gone."""
    n = 100
    capsule, socket = contactlib.Capsule(0.02, 0.1), contactlib.Socket((0.1, 0.1, 0.1), 0.021, 0.05)
    rng = np.random.default_rng(2)
    X = np.hstack([rng.uniform(-0.05, 0.05, (n, 3)), quaternions(rng, n)])
    memory = contactlib.manifolds(capsule, socket, X, STILL)
    assert memory.count.max() > 1
    corners = TRIANGLES["usual"]
    fresh = found(corners, X, STILL)
    assert bits(found(corners, X, STILL, out=memory)) == bits(fresh)


def test_a_bad_row_is_named():
    corners = TRIANGLES["usual"]
    X = np.tile(STILL, (200, 1))
    for row, column, value in ((130, 0, np.nan), (199, 3, 0.9), (0, 2, np.inf)):
        bad = X.copy()
        bad[row, column] = value
        with pytest.raises(ValueError, match=f"row {row}:"):
            found(corners, bad, STILL)
