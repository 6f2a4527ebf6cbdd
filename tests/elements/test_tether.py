"""The tether against closed forms, a hand calculation in space, conservation laws, and its FMU against Python."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import contactlib
from contactlib.coupling import couple
from contactlib.fmu.export import export_fmu
from contactlib.shapes.quaternion import rotate
from tests.support.scenes import momentum, scene

MASS, STIFFNESS, DAMPING, LENGTH = 3.0, 400.0, 6.0, 0.5
POINT = (0.0, 0.1, 0.2)


def hung(motion="free", **keys):
    """A body on a tether to the world, 0.1 m longer than the tether."""
    line = {"name": "line", "last_body": "ball", "stiffness": STIFFNESS, "damping": DAMPING, "length": LENGTH, **keys}
    ball = {"name": "ball", "motion": motion, "mass": MASS, "inertia": [0.2, 0.3, 0.4], "state": {"r": [0, 0, -0.6]}}
    return scene([ball], [], [], {"tether": [line]}, step_size=1e-4)


def test_one_state_by_hand():
    """Force and torque of a tether between two moving, turned bodies, from the definition in docs/scenes.md."""
    rng = np.random.default_rng(5)
    line = {"name": "line", "first_body": "a", "last_body": "b", "stiffness": STIFFNESS, "damping": DAMPING,
            "length": LENGTH, "first_point": POINT, "last_point": (-0.1, 0.0, 0.3)}
    bodies = [{"name": name, "motion": "external"} for name in "ab"]
    simulation = contactlib.Simulation(scene(bodies, [], [], {"tether": [line]}).compile())
    tensions = []
    for _ in range(200):
        states = {name: np.hstack([rng.normal(size=3) * 0.4, (q := rng.normal(size=4)) / np.linalg.norm(q),
                                   rng.normal(size=6)]) for name in "ab"}
        simulation.compute(states)
        ends = []
        for name, point in (("a", POINT), ("b", (-0.1, 0.0, 0.3))):
            r, q, v, w = np.split(states[name], (3, 7, 10))
            arm = rotate(q, np.array(point))
            ends.append((r + arm, v + np.cross(w, arm), arm))
        (p, v_p, arm_a), (o, v_o, arm_b) = ends
        distance = np.linalg.norm(o - p)
        along = (o - p) / distance
        rate = along @ (v_o - v_p)
        tension = max(0.0, STIFFNESS * (distance - LENGTH) + DAMPING * rate) if distance > LENGTH else 0.0
        tensions.append(tension)
        expected = np.vstack([np.hstack([tension * along, np.cross(arm_a, tension * along)]),
                              np.hstack([-tension * along, np.cross(arm_b, -tension * along)])])
        assert simulation.wrenches == pytest.approx(expected, rel=1e-12, abs=1e-10)
        shown = simulation.elements["line"]
        assert (shown.tension, shown.distance, shown.distance_rate) == pytest.approx((tension, distance, rate))
    assert min(tensions) == 0.0 < max(tensions)


def test_a_hanging_body_oscillates_as_the_equation_says():
    """m z'' = -m g + T while taut, by scipy with events at each change between taut and slack."""
    spec = replace(hung(), gravity=(0.0, 0.0, -9.81))
    run = contactlib.Simulation(spec.compile()).run(duration=2.0, dt=1e-4, every=100)

    def acceleration(_, state):
        s = -state[0] - LENGTH
        tension = max(0.0, STIFFNESS * s - DAMPING * state[1]) if s > 0.0 else 0.0
        return [state[1], tension / MASS - 9.81]

    exact = solve_ivp(acceleration, (0.0, 2.0), [-0.6, 0.0], t_eval=run.time, rtol=1e-10, atol=1e-12, max_step=1e-3)
    assert run.body("ball")[:, 2] == pytest.approx(exact.y[0], abs=2e-5)  # first order of the step
    assert np.abs(run.body("ball")[:, :2]).max() == 0.0


def test_the_energy_balance_closes():
    """Kinetic energy + stored + dissipated stays constant up to the first order of the step."""
    errors = []
    for h in (4e-4, 2e-4, 1e-4):
        spec = replace(hung(last_point=(0.0, 0.1, -0.1)), step_size=h)
        run = contactlib.Simulation(spec.compile()).run(duration=1.0, dt=h, every=round(0.01 / h))
        kinetic = np.array([momentum(spec, [state])[2] for state in run.body("ball")])
        total = kinetic + run.output("line.stored_energy") + run.output("line.dissipated_energy")
        assert run.output("line.dissipated_energy")[-1] > 0.1
        errors.append(np.abs(total - total[0]).max())
    assert errors[0] < 0.02 and errors[2] < 0.6 * errors[1] < 0.36 * errors[0]


def test_points_at_one_place_give_no_force():
    """The direction is undefined there: the tether pulls with no force, and nothing is nan."""
    simulation = contactlib.Simulation(hung(length=0.0, first_point=(0, 0, -0.6), damping=0.0).compile())
    simulation.compute()
    assert simulation.elements["line"].tension == 0.0 and np.all(simulation.wrenches == 0.0)


@pytest.mark.parametrize(("keys", "message"), [
    ({"last_body": "bal"}, "tether 'line': last_body = 'bal': there is no such body; did you mean 'ball'"),
    ({"first_body": "ball"}, "tether 'line': last_body = 'ball': must differ from first_body"),
    ({"stiffness": -1.0}, r"tether\[0\].stiffness = -1.0: must be a finite number of at least 0"),
    ({"lenght": 1.0}, r"tether\[0\].lenght is not a known key; did you mean 'length'"),
])
def test_bad_keys(keys, message):
    with pytest.raises(ValueError, match=message):
        hung(**keys).compile()


def test_a_tether_to_the_world_alone_is_refused():
    line = {"name": "line", "stiffness": 1.0}
    with pytest.raises(ValueError, match="must differ from first_body; leave out one of them for the world"):
        scene([], [], [], {"tether": [line]}).compile()


def test_the_fmu_gives_the_same_bits(tmp_path):
    model = contactlib.load("tether_tow").compile()
    simulation = contactlib.Simulation(model)
    path = export_fmu(model, tmp_path / "tow.fmu")
    coupled = couple(path, duration=5.0, dt=5e-3).trajectory
    run = simulation.run(duration=5.0, dt=5e-3)
    for name in ("tug", "stage"):
        assert np.array_equal(coupled.body(name), run.body(name))
    assert np.array_equal(coupled.output("line.tension"), run.output("line.tension"))
    assert run.output("line.tension").max() > 100.0
