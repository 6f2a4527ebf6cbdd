"""Clouds that rub: against scenes of points, at rest on a slope, and what becomes of energy."""

import numpy as np
import pytest

import contactlib
from contactlib.shapes import quaternion
from tests.poses.poses_frames import quaternions
from tests.support.law_scenes import BRISTLE, GRAINED, LUGRE, RATE, G
from tests.support.scenes import body, law, scene

SPRING = {"kind": "kelvin_voigt", "stiffness": 3e4, "damping": 40.0}
LAWS = {
    "coulomb": {"kind": "coulomb", "mu_static": 0.5, "mu_kinetic": 0.3, "slip_velocity": 1e-2},
    "bristle": {**BRISTLE, "mu_kinetic": 0.3, "tangential_damping": 20.0},
    "rate_bristle": {**RATE, "tangential_damping": 20.0},
    "lugre": {**LUGRE, "sigma_1": 20.0},
    "anisotropic": {**GRAINED, "tangential_damping": 20.0, "direction": [0.6, 0.8, 0.3]},
}
POINTS = np.random.default_rng(1).uniform(-0.1, 0.1, (37, 3)) * [1, 1, 0.02]
FLAT = [0.0, 0, 0, 1, 0, 0, 0]
H = 1e-3


def in_a_scene(friction, points, X_WP):
    """The same points as shapes of a body in a scene, which stands at rest."""
    shapes = [{"name": f"p{i}", "kind": "point", "material": "a", "r": p.tolist()} for i, p in enumerate(points)]
    plane = {"name": "plane", "kind": "plane", "material": "b", "r": X_WP[:3].tolist(), "q": X_WP[3:].tolist()}
    bodies = [body("plate", "external", shapes=shapes), body("ground", "fixed", shapes=[plane])]
    return contactlib.Simulation(
        scene(bodies, [law("touch", ["a", "b"], SPRING, friction)], [["plate", "ground"]], step_size=1.0).compile())


def wandering(steps, X_WP):
    """Twists of a plate that slides about, hardly at all and fast, spins, rocks and lifts off now and then."""
    t = np.arange(steps) * H
    R = quaternion.rotation_matrix(tuple(X_WP[3:]))
    speed = np.sin(15 * t) ** 8
    v = np.column_stack([0.1 * speed * np.sin(50 * t), 0.05 * speed * np.cos(30 * t), 0.1 * np.cos(40 * t)])
    w = np.column_stack([0.3 * np.sin(90 * t), 0.2 * np.cos(70 * t), 2.0 * speed * np.sin(20 * t)])
    return np.hstack([v @ R.T, w @ R.T])


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("count", [1, 37])
def test_point_contacts_equal_a_scene_of_points(kind, count):
    rng = np.random.default_rng(2)
    X_WP = np.hstack([[0.3, -0.2, 0.5], quaternions(rng, 1)[0]])
    simulation = in_a_scene(LAWS[kind], POINTS[:count], X_WP)
    bristles = np.zeros((count, 3))
    state = np.array([*X_WP, *[0.0] * 6])
    sticks, slips, lifts = 0, 0, 0
    for twist in wandering(300, X_WP):
        state[7:] = twist
        expected = simulation.step(H, {"plate": {"r": state[:3], "q": state[3:7], "v": state[7:10], "w": state[10:]}})
        state = np.array(simulation.states[0])
        found = contactlib.press_points(POINTS[:count], state, SPRING, friction=LAWS[kind], h=H, bristles=bristles,
                                        X_WP=X_WP)
        slipping = expected.contacts["slipping"]
        assert found.touching[0] == len(expected.contacts)
        assert bristles[:, 2].sum() == slipping.sum()
        # positions of 1 m leave 1e-16 m in depth and deflection, some 1e-11 N for each point
        assert np.abs(found.wrench[0] - expected.wrench("plate")).max() < 1e-10 * count
        assert found.stored[0] == pytest.approx(expected.contacts["stored_energy"].sum(), abs=1e-11)
        assert found.heat[0] == pytest.approx(expected.contacts["heat"].sum(), rel=1e-9, abs=1e-10)
        slips, sticks = slips + slipping.sum(), sticks + (slipping == 0).sum()
        lifts += count - len(slipping)
    assert sticks > 50 and lifts > 50 and (slips > 50 or kind == "coulomb")  # which has no memory to tell by


def test_a_bristle_ends_with_its_contact():
    state = np.array([*FLAT, 0.01, 0, 0, 0, 0, 0])
    bristles = np.zeros((37, 3))
    contactlib.press_points(POINTS, state, SPRING, friction=LAWS["bristle"], h=H, bristles=bristles)
    assert 0 < (bristles[:, 0] > 0).sum() < 37
    state[2] = 1.0
    contactlib.press_points(POINTS, state, SPRING, friction=LAWS["bristle"], h=H, bristles=bristles)
    assert not bristles.any()


def test_evaluating_changes_nothing():
    """With h = 0 the bristles hold as they are, sticking and slipping alike."""
    bristles = np.zeros((37, 3))
    state = np.array([*FLAT, 0.05, 0, 0, 0, 0, 1.0])
    for _ in range(20):
        contactlib.press_points(POINTS, state, SPRING, friction=LAWS["bristle"], h=H, bristles=bristles)
    before = bristles.copy()
    first = contactlib.press_points(POINTS, state, SPRING, friction=LAWS["bristle"], bristles=bristles)
    again = contactlib.press_points(POINTS, state, SPRING, friction=LAWS["bristle"], bristles=bristles)
    np.testing.assert_allclose(bristles, before, atol=1e-20)
    assert 0 < before[:, 2].sum() < 37
    np.testing.assert_allclose(first.wrench, again.wrench, atol=1e-12)


@pytest.mark.parametrize("kind", ["bristle", "rate_bristle", "lugre", "anisotropic"])
def test_held_on_a_slope_without_creep(kind):
    """A block of 2 kg that does not turn, on four points on a slope of 10 degrees, comes to rest and stays there."""
    angle, mass = np.radians(10.0), 2.0
    X_WP = [0, 0, 0, np.cos(angle / 2), 0, np.sin(angle / 2), 0]
    feet = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    normal = {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 100.0}
    state, bristles, places = np.array([*X_WP, *[0.0] * 6]), np.zeros((4, 3)), []
    for step in range(6000):
        found = contactlib.press_points(feet, state, normal, friction=LAWS[kind], h=H, bristles=bristles, X_WP=X_WP)
        state[7:10] += H * (found.wrench[0, :3] / mass - [0, 0, G])
        state[:3] += H * state[7:10]
        if step >= 4000:
            places.append(state[:3].copy())
    assert found.touching[0] == 4
    assert np.ptp(places, axis=0).max() < 1e-15  # of 1e-4 m that it sank: rounding, and no creep in 2 s


@pytest.mark.parametrize("kind", ["bristle", "rate_bristle", "lugre", "anisotropic"])
def test_energy(kind):
    """What the plate puts in is stored or turned into heat, to the first order in h; bristles give back no more."""
    def balance(h):
        t = np.arange(0, 0.2, h)
        path = np.column_stack([1e-3 * np.sin(60 * t), 4e-4 * np.cos(90 * t), -5e-4 - 2e-4 * np.sin(40 * t)])
        speed = np.gradient(path, h, axis=0, edge_order=2)
        bristles, work, heat, stored = np.zeros((37, 3)), 0.0, 0.0, []
        for p, v in zip(path, speed, strict=True):
            found = contactlib.press_points(POINTS, [*p, 1, 0, 0, 0, *v, 0, 0, 0], {**SPRING, "damping": 0.0},
                                            friction=LAWS[kind], h=h, bristles=bristles)
            stored.append(found.stored[0])
            if len(stored) > 1:
                work -= h * found.wrench[0, :3] @ v
                heat += h * found.heat[0]
            assert found.heat[0] >= 0
        return work, heat, stored[-1] - stored[0]

    errors = []
    for h in (2e-4, 1e-4, 5e-5):
        work, heat, stored = balance(h)
        errors.append(abs(work - heat - stored))
    assert heat > 1e-3
    assert errors[2] < 0.02 * heat
    assert errors[2] < 0.7 * errors[0]


def test_threads_and_states_change_nothing():
    """Each state has bristles of its own: together, in threads, as one by one."""
    rng = np.random.default_rng(5)
    rows = np.tile([*FLAT, *[0.0] * 6], (9, 1))
    rows[:, :3], rows[:, 7:] = rng.uniform(-1e-3, 1e-3, (9, 3)), rng.normal(0, 0.1, (9, 6))
    points = rng.uniform(-1, 1, (301, 3)) * [1, 1, 1e-3]
    memory = [np.zeros((9, 301, 3)) for _ in range(3)]

    def press(k, m, **options):
        return contactlib.press_points(points, rows[k], SPRING, friction=LAWS["bristle"], h=H, bristles=m[k], **options)

    for _ in range(5):
        one, three = press(slice(None), memory[0]), press(slice(None), memory[1], num_threads=3)
        alone = [press(k, memory[2]) for k in range(9)]
        assert one.wrench.tobytes() == three.wrench.tobytes() == np.vstack([x.wrench for x in alone]).tobytes()
    assert memory[0].tobytes() == memory[1].tobytes() == memory[2].tobytes()
    assert memory[0][..., 2].any()


@pytest.mark.parametrize("change, message", [
    ({"friction": None}, "h and bristles need a friction law"),
    ({"friction": {"kind": "glue"}}, "press_points.friction.kind = 'glue'"),
    ({"friction": {**BRISTLE, "mu_kinetic": 0.9}}, "press_points.friction.mu_kinetic = 0.9"),
    ({"h": -1.0}, "h = -1.0: must be finite and not negative"),
    ({"h": np.nan}, "h = nan"),
    ({"bristles": None}, "h = 0.001: needs bristles"),
    ({"bristles": np.zeros((2, 3))}, r"shape \(1, 3\)"),
    ({"bristles": [[0.0, 0, 0]]}, "array of float64"),
    ({"bristles": np.zeros((1, 3), dtype=np.float32)}, "array of float64"),
    ({"bristles": np.zeros((1, 6))[:, ::2]}, "contiguous and writeable"),
    ({"bristles": np.full((1, 3), np.nan)}, "bristles must be finite"),
    ({"states": np.array([[*FLAT, *[0.0] * 6], [0.0] * 13]), "bristles": np.ones((2, 1, 3))}, "row 1 must have"),
])  # fmt: skip
def test_bad_input_is_named(change, message):
    good = {"points": [[0.0, 0, 0]], "states": [*FLAT, *[0.0] * 6], "normal": SPRING, "friction": BRISTLE, "h": H,
            "bristles": np.zeros((1, 3))}
    before = np.array(change.get("bristles"), dtype=np.float64, copy=True)
    with pytest.raises(ValueError, match=message):
        contactlib.press_points(**(good | change))
    np.testing.assert_array_equal(np.array(change.get("bristles"), dtype=np.float64), before)


def test_nothing_to_rub():
    found = contactlib.press_points(np.zeros((0, 3)), [*FLAT, *[0.0] * 6], SPRING, friction=BRISTLE, h=H,
                                    bristles=np.zeros((0, 3)))
    assert found.wrench.tolist() == [[0.0] * 6]
