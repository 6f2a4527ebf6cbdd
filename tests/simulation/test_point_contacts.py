"""Clouds of points on a plane against scenes of points, and against what happens to energy."""

import numpy as np
import pytest

import contactlib
from tests.poses.poses_frames import multiply, quaternions, turn
from tests.support.scenes import body, law, scene

LAWS = {
    "kelvin_voigt": {"kind": "kelvin_voigt", "stiffness": 3e4, "damping": 40.0},
    "hunt_crossley": {"kind": "hunt_crossley", "stiffness": 2e6, "exponent": 1.7, "damping": 0.4},
    "hertz": {"kind": "hertz", "modulus": 1e8, "radius": 0.01, "damping": 0.2},
    "curve": {"kind": "curve", "depth": [0.001, 0.004], "force": [5.0, 60.0], "damping": 0.3},
}
POINTS = np.random.default_rng(1).uniform(-0.1, 0.1, (37, 3)) * [1, 1, 0.02]


def states(n, rng, X_WP):
    """Nearly flat on the plane, moving."""
    tilt = np.hstack([np.ones((n, 1)), rng.normal(0, 0.01, (n, 3))])
    tilt /= np.linalg.norm(tilt, axis=1, keepdims=True)
    p = np.column_stack([rng.uniform(-0.1, 0.1, (n, 2)), rng.uniform(-0.003, 0.002, n)])
    q = np.repeat(X_WP[None, 3:], n, 0)
    return np.hstack([X_WP[:3] + turn(q, p), multiply(q, tilt), rng.normal(0, 0.05, (n, 6))])


def as_scene(normal, points, X_WP):
    """The same points as shapes of a body in a scene."""
    shapes = [{"name": f"p{i}", "kind": "point", "material": "a", "r": p.tolist()} for i, p in enumerate(points)]
    plane = {"name": "plane", "kind": "plane", "material": "b", "r": X_WP[:3].tolist(), "q": X_WP[3:].tolist()}
    bodies = [body("plate", "external", shapes=shapes), body("ground", "fixed", shapes=[plane])]
    return contactlib.Simulation(
        scene(bodies, [law("touch", ["a", "b"], normal, {"kind": "none"})], [["plate", "ground"]]).compile())


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("count", [1, 2, 37])
def test_point_contacts_equal_a_scene_of_points(kind, count):
    rng = np.random.default_rng(2)
    X_WP = np.hstack([[0.3, -0.2, 0.5], quaternions(rng, 1)[0]])
    rows = states(50, rng, X_WP)
    found = contactlib.press_points(POINTS[:count], rows, LAWS[kind], X_WP=X_WP)
    simulation = as_scene(LAWS[kind], POINTS[:count], X_WP)
    fixed = np.array([0, 0, 0, 1.0, *[0] * 9])
    batch = simulation.compute_batch(np.stack([rows, np.repeat(fixed[None], 50, 0)], axis=1))
    assert (found.touching > 0).mean() > 0.2
    np.testing.assert_array_equal(found.touching, batch.contact_count)
    scale = np.abs(found.wrench).max()
    assert np.abs(found.wrench - batch.wrenches[:, 0]).max() < 1e-12 * scale
    np.testing.assert_allclose(found.depth, batch.max_depth, atol=1e-15)


def test_blocks_and_threads_change_nothing():
    """More points than a block, not a multiple of it: as all of them one by one."""
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (1001, 3)) * [1, 1, 1e-3]
    rows = states(7, rng, np.array([0, 0, 0, 1.0, 0, 0, 0]))
    one, three = (contactlib.press_points(points, rows, LAWS["kelvin_voigt"], num_threads=k) for k in (1, 3))
    assert one.wrench.tobytes() == three.wrench.tobytes() and one.heat.tobytes() == three.heat.tobytes()
    parts = [contactlib.press_points(points[k : k + 1], rows, LAWS["kelvin_voigt"]) for k in range(len(points))]
    for name in ("wrench", "stored", "heat", "touching"):
        total = np.sum([getattr(part, name) for part in parts], axis=0)
        np.testing.assert_allclose(getattr(one, name), total, rtol=1e-12, atol=1e-9)
    assert one.touching.max() > 500


@pytest.mark.parametrize("kind", LAWS)
def test_power_balance(kind):
    """What the body puts in is what the springs take and what they lose: -F.v = d(stored)/dt + heat."""
    rng = np.random.default_rng(4)
    rows = states(20, rng, np.array([0, 0, 0, 1.0, 0, 0, 0]))
    rows[:, 10:] = 0  # translation alone: the pose after dt is exact
    found = contactlib.press_points(POINTS, rows, LAWS[kind])
    dt, there = 1e-6, rows.copy()
    back = rows.copy()
    there[:, :3] += dt * rows[:, 7:10]
    back[:, :3] -= dt * rows[:, 7:10]
    stored = [contactlib.press_points(POINTS, x, LAWS[kind]).stored for x in (there, back)]
    power = -(found.wrench[:, :3] * rows[:, 7:10]).sum(1)
    rate = (stored[0] - stored[1]) / (2 * dt)
    assert np.abs(power).max() > 0.1
    # central differences of what is smooth to dt^2, and to the first order where a point begins to touch in between
    np.testing.assert_allclose(power, rate + found.heat, atol=1e-4 * np.abs(power).max())


@pytest.mark.parametrize("change, message", [
    ({"points": [[0, 0]]}, "points has shape"),
    ({"points": [[0, 0, np.nan]]}, "points must be finite"),
    ({"states": [[0] * 13]}, "row 0 must have a quaternion"),
    ({"normal": {"kind": "kelvin_voigt", "stiffness": 1.0}}, "normal.damping is missing"),
    ({"normal": {"kind": "spring"}}, "press_points.normal.kind = 'spring'"),
    ({"X_WP": [0, 0, 0, 2, 0, 0, 0]}, "quaternion has length 2"),
])  # fmt: skip
def test_bad_input_is_named(change, message):
    good = {"points": [[0.0, 0, 0]], "states": [0, 0, 0, 1, *[0] * 9], "normal": LAWS["kelvin_voigt"]}
    with pytest.raises(ValueError, match=message):
        contactlib.press_points(**(good | change))


def test_nothing_to_press():
    found = contactlib.press_points(np.zeros((0, 3)), [0, 0, -1, 1, *[0] * 9], LAWS["hertz"])
    assert found.wrench.tolist() == [[0.0] * 6] and found.touching.tolist() == [0]
