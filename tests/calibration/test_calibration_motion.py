"""Calibrations with measured motions, against the closed form of a ball that is led into a plane.

A ball of radius R is led along z(t). Below z = R, Kelvin-Voigt contact with a plane has the force
    f = k (R - z) - c dz/dt
"""

import tomllib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from contactlib.calibration import Series, read_calibration, run_calibration
from contactlib.calibration.definition import Source
from contactlib.calibration.motion import states_at
from contactlib.simulation.ensemble import run_ensemble
from contactlib.simulation.simulation import Simulation
from tests.calibration.calibration_cases import SCENE

RADIUS, STIFFNESS, DAMPING = 0.1, 3e4, 55.0
CALIBRATION = tomllib.loads("""
[calibration]
name = "led"
step = 1e-3

[parameter.stiffness]
path = "law.sole.normal.stiffness"
scale = "log"
low = 1e3
start = 1e4
high = 1e5

[parameter.damping]
path = "law.sole.normal.damping"
low = 0.0
start = 20.0
high = 200.0

[motion]
ball = { columns = ["x", "y", "z", "qw", "qx", "qy", "qz"] }

[measured]
"ball.f[3]" = 0.05
""")
TIME = np.arange(0.0, 0.5001, 1e-3)
DEPTH, SPEED = 2e-3 + 1e-3 * np.sin(20.0 * TIME), 20e-3 * np.cos(20.0 * TIME)


def led():
    """The motion (n, 8), whose depth is always positive, and the force (n,)."""
    rows = np.zeros((len(TIME), 8))
    rows[:, 0], rows[:, 3], rows[:, 4] = TIME, RADIUS - DEPTH, 1.0
    return rows, STIFFNESS * DEPTH + DAMPING * SPEED


def case(series, extra=None):
    return read_calibration(Source({**CALIBRATION, **(extra or {})}, SCENE, ".", "."), series)


def test_the_parameters_of_the_closed_form():
    rows, force = led()
    fit = run_calibration(case([Series.of("press", TIME[1:], {"ball.f[3]": force[1:]}, motion={"ball": rows})]))
    # at the end a natural spline has no second derivative: its velocity is off by 1e-4 m/s in a few rows
    assert fit.values["stiffness"] == pytest.approx(STIFFNESS, rel=1e-5)
    assert fit.values["damping"] == pytest.approx(DAMPING, rel=1e-3)


def test_files_give_the_motion(tmp_path):
    """Motion and force in one file, whose time begins before the run."""
    rows, force = led()
    lines = ["time,x,y,z,qw,qx,qy,qz,ball.f[3]"]
    lines += [",".join(map(repr, (float(t) + 3.0, *map(float, row[1:]), float(f))))
              for t, row, f in zip(TIME, rows, force, strict=True)]
    (tmp_path / "press.csv").write_text("\n".join(lines) + "\n")
    tables = {**CALIBRATION, "series": [{"file": "press.csv", "begin": 3.01, "until": 3.4}]}
    fit = run_calibration(read_calibration(Source(tables, SCENE, str(tmp_path), ".")))
    assert fit.values["stiffness"] == pytest.approx(STIFFNESS, rel=1e-4)
    assert fit.values["damping"] == pytest.approx(DAMPING, rel=1e-2)


def test_velocities_are_the_derivatives_of_the_pose():
    """A body that turns about a fixed axis while it moves on a circle: v and w in closed form."""
    t = np.linspace(0.0, 1.0, 201)
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    angle = 1.5 * t + 0.3 * np.sin(3.0 * t)
    start = Rotation.from_euler("xyz", [0.3, -0.8, 1.1])
    q = (Rotation.from_rotvec(angle[:, None] * axis) * start).as_quat()[:, [3, 0, 1, 2]]
    r = np.column_stack([np.cos(2.0 * t), np.sin(2.0 * t), t])
    at = t[20:-20] + 1e-3
    found = states_at(np.column_stack([t, r, q]), at)
    v = np.column_stack([-2.0 * np.sin(2.0 * at), 2.0 * np.cos(2.0 * at), np.ones_like(at)])
    w = (1.5 + 0.9 * np.cos(3.0 * at))[:, None] * axis
    # splines of third order with steps h = 5 ms: errors of the derivative near h^3 times a fourth derivative
    np.testing.assert_allclose(found[:, 7:10], v, atol=1e-6)
    np.testing.assert_allclose(found[:, 10:], w, atol=1e-5)


def test_an_ensemble_moves_bodies_as_a_simulation_does(peg_model):
    """The bits of Simulation.step with the states of each step; two runs with other motions and lengths."""
    model = peg_model
    name = next(n for n, motion in zip(model.body_names, model.motions, strict=True) if motion == "external")
    body = model.body_names.index(name)
    start = np.array(Simulation(model).states)
    dt, steps = 1e-3, (20, 33)
    motions = []
    for k, count in enumerate(steps):
        rows = np.repeat(start[body][None], count + 1, axis=0)
        rows[:, 2] -= (0.2 + 0.1 * k) * dt * np.arange(count + 1)
        rows[:, 9] = -(0.2 + 0.1 * k)
        motions.append(rows)
    recorded = [f"{name}.f[3]", f"{name}.t[1]", f"{name}.r[3]", "contact.max_depth"]
    runs = run_ensemble(model, recorded, duration=[dt * n for n in steps], dt=dt, motions={name: motions},
                        num_threads=2)
    columns = {variable.name: i for i, variable in enumerate(model.variables)}
    for k, count in enumerate(steps):
        simulation = Simulation(model)
        simulation.compute({name: motions[k][0]})
        for step in range(count):
            simulation.step(dt, {name: motions[k][step]})
            found = [simulation.data.get(columns[each]) for each in recorded]
            assert found == runs.values[k, :, step + 1].tolist()
        assert np.isnan(runs.values[k, :, count + 1:]).all()


BAD = {
    "a body that does not exist": ({"motion": {"bal": {}}}, "motion.bal: the scene has no body 'bal'.*'ball'"),
    "an unknown key": ({"motion": {"ball": {"column": []}}}, "motion.ball.column"),
    "too few columns": ({"motion": {"ball": {"columns": ["x"]}}}, "motion.ball.columns"),
    "a fixed body": ({"calibration": {"name": "led", "fixed": ["ball"]}}, "no body 'ball' that can be moved"),
}


@pytest.mark.parametrize("extra, sentence", BAD.values(), ids=BAD)
def test_bad_tables(extra, sentence):
    rows, force = led()
    series = [Series.of("press", TIME[1:], {"ball.f[3]": force[1:]}, motion={"ball": rows})]
    with pytest.raises(ValueError, match=sentence):
        case(series, extra)


def test_bad_motions():
    rows, force = led()
    values = {"ball.f[3]": force[1:]}
    with pytest.raises(ValueError, match=r"begins 0\.001 s after the start of the run"):
        Series.of("press", TIME[1:], values, motion={"ball": rows[1:]})
    with pytest.raises(ValueError, match=r"ends at t = 0\.499 s, before the last compared row at 0\.5 s"):
        Series.of("press", TIME[1:], values, motion={"ball": rows[:-1]})
    with pytest.raises(ValueError, match="has the length 2, must be a unit quaternion"):
        Series.of("press", TIME[1:], values, motion={"ball": rows * [1, 1, 1, 1, 2, 1, 1, 1]})
    with pytest.raises(ValueError, match=r"has no motion of ball, and \[motion\] names ball"):
        case([Series.of("press", TIME[1:], values)])
    with pytest.raises(ValueError, match="the body is fixed: only an external body has a prescribed motion"):
        spec = case([Series.of("press", TIME[1:], values, motion={"ball": rows})]).spec_of([])
        run_ensemble(spec.compile(), ["ball.f[3]"], motions={"plate": np.zeros((2, 13))})
    with pytest.raises(ValueError, match="has 2 rows; 100 steps need 101"):
        still = np.zeros((2, 13))
        still[:, 3] = 1.0
        run_ensemble(spec.compile(), ["ball.f[3]"], motions={"ball": still}, duration=0.1, dt=1e-3)


@pytest.fixture
def peg_model():
    from contactlib import load

    return load("peg_in_hole").compile()
