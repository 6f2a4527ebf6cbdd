"""Calibrations against known truth: exact series, several series with initial states, bounds, flat directions.

CONTACTLIB_SOAK multiplies the number of fits to noise; `make soak` does 540.
"""

import copy
import os
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import binom, chi2

from contactlib.calibration import Series, run_calibration
from contactlib.calibration.fit import Evaluator
from contactlib.calibration.measured import Measured, at_times
from contactlib.calibration.runs import Runs
from contactlib.calibration.statistics import influence, losses, spread
from contactlib.calibration.store import Store
from contactlib.simulation.ensemble import run_ensemble
from tests.calibration.calibration_cases import SCENE, TRUE, calibration, true_runs
from tests.calibration.coverage import coverage

SOAK = int(os.environ.get("CONTACTLIB_SOAK", "1"))

SPEEDS = np.array([0.9, 1.6])


@pytest.fixture(scope="module")
def exact():
    return true_runs(SPEEDS)


def test_exact_series_give_the_exact_parameters(exact):
    """Without noise the residuals at the truth are zero: the fit reaches it to the tolerance of its steps."""
    time, rows = exact
    case = calibration(rows, time, SPEEDS, {"measured/ball.q": 1e-2})
    fit = run_calibration(case)
    assert fit.converged and fit.cost < 1e-12 and fit.warnings == ()
    for name, value in TRUE.items():
        assert fit.values[name] == pytest.approx(value, rel=1e-7)  # xtol is 1e-8 of the range
        assert fit.estimate(name).low <= fit.values[name] <= fit.estimate(name).high


def test_masses_shapes_and_gravity_need_a_model_each():
    """Parameters that no variable sets: the ball's mass, its radius and the gravity; each vector has its own model."""
    time, rows = true_runs(SPEEDS)
    extra = {"parameter": {
        "mass": {"path": "body.ball.mass", "low": 1.0, "start": 1.5, "high": 4.0},
        "radius": {"path": "body.ball.shape.skin.radius", "low": 0.0998, "start": 0.0999, "high": 0.1003},
        "gravity": {"path": "scene.gravity[3]", "low": -11.0, "start": -9.0, "high": -8.0}}}
    case = calibration(rows, time, SPEEDS, extra)
    fit = run_calibration(case)
    found = [fit.values[name] for name in ("mass", "radius", "gravity")]
    assert found == pytest.approx([2.0, 0.1, -9.81], rel=1e-6)
    assert len({run for run in Runs(case).tunable.values() if run}) == 0


def test_the_runs_are_those_of_the_scene(exact):
    """Parameters of laws are set in one model, and initial states beside it: the bits are those of compiled scenes."""
    time, rows = exact
    case = calibration(rows[:, :, :20], time[:20], SPEEDS)
    runs = Runs(case, 1)
    u = np.array([0.3, 0.6, 0.7])
    residuals = runs.outcomes([u])[0].residuals
    assert len(runs.models) == 1
    alone = []
    for series in case.series:
        spec = case.spec_of(case.changes(runs.values(u), series))
        done = run_ensemble(spec.compile(), ["ball.r[1]", "ball.r[2]", "ball.r[3]"], duration=float(time[19]))
        alone.append((done.values[0][:, 4::4] - series.values["ball.r"]) / 5e-5)
    # the samples lie on steps, up to the rounding of a time: 1e-15 s at 1 m/s
    np.testing.assert_allclose(residuals, np.concatenate(alone).ravel(), atol=1e-9)


def test_many_vectors_are_one_ensemble(exact, monkeypatch):
    """All columns of a Jacobian and all series go in one call; equal runs are done once."""
    time, rows = exact
    case = calibration(rows, time, SPEEDS, {"parameter/friction/series": "slide_2"})
    calls = []
    monkeypatch.setattr("contactlib.calibration.runs.run_ensemble", lambda models, *args, **kwargs: (
        calls.append(len(models)), run_ensemble(models, *args, **kwargs))[1])
    evaluator = Evaluator(Runs(case, 1), Store())
    u = np.array([0.5, 0.5, 0.5])
    evaluator.residuals(u)
    J = evaluator.jacobian(u)
    assert calls == [2, 2 * 2 * 2 + 2 + 1]  # friction acts on slide_2: its two columns share one run of slide_1
    half = len(J) // 2
    assert not J[:half, 2].any() and J[half:, 2].any() and J[:half, :2].any()


def test_an_initial_state_is_fitted_too(exact):
    """The speed of one series is a parameter of that series alone, beside those of all."""
    time, rows = exact
    case = calibration(rows, time, SPEEDS, {"parameter/speed": {
        "path": "body.ball.state.v[1]", "series": "slide_2", "low": 1.0, "start": 1.4, "high": 2.0}})
    assert run_calibration(case).values["speed"] == pytest.approx(1.6, rel=1e-7)


def test_series_of_different_lengths_with_rows_between_steps():
    """Series of 9, of 25 and of one row, half a step after the runs' rows."""
    speeds = np.array([0.9, 1.2, 1.6])
    time, rows = true_runs(speeds, every=1)
    between, middle = time[:-1] + 5e-4, 0.5 * (rows[:, :3, :-1] + rows[:, :3, 1:])
    case = calibration(middle[:, :, ::4], between[::4], speeds)
    cut = [Series(series.name, series.time[:n], {"ball.r": series.values["ball.r"][:, :n]}, series.changes)
           for series, n in zip(case.series, (9, 25, 1), strict=True)]
    fit = run_calibration(replace(case, series=tuple(cut)))
    assert len(fit.fitted.residuals) == 3 * (9 + 25 + 1) and fit.cost < 1e-12
    assert [fit.values[name] for name in TRUE] == pytest.approx([*TRUE.values()], rel=1e-7)


def test_a_combination_that_the_data_do_not_determine_is_named():
    """Without friction and damping, a ball swings with stiffness/mass, about a point that gravity sets."""
    scene = copy.deepcopy(SCENE)
    scene["law"][0]["normal"]["damping"] = 0.0
    scene["law"][0].pop("friction")
    extra = {"parameter": {
        "mass": {"path": "body.ball.mass", "low": 1.0, "start": 1.5, "high": 4.0},
        "stiffness": {"path": "law.sole.normal.stiffness", "low": 5e3, "start": 1e4, "high": 8e4, "scale": "log"},
        "gravity": {"path": "scene.gravity[3]", "low": -11.0, "start": -9.0, "high": -8.0}}}
    time, rows = true_runs(SPEEDS, scene=scene)
    fit = run_calibration(calibration(rows, time, SPEEDS, extra, scene))
    named = [text for text in fit.warnings if "do not determine" in text]
    assert len(named) == 1
    # along the direction that the sentence names, both rise by equal parts
    part = re.fullmatch(r"The data do not determine mass and stiffness apart: mass (\+\S+) % and stiffness (\+\S+) % "
                        r"together leave all series almost as they are. Fix one of them, .*", named[0])
    assert part[1] == part[2]
    assert fit.values["stiffness"] / fit.values["mass"] == pytest.approx(1e4, rel=1e-6)
    assert fit.values["gravity"] == pytest.approx(-9.81, rel=1e-6)
    assert [each.note for each in fit.estimates] == ["not determined", "not determined", ""]


def test_a_parameter_without_effect_is_named(exact):
    time, rows = exact
    fit = run_calibration(calibration(rows, time, SPEEDS, {"parameter/turning": {
        "path": "body.ball.inertia[1]", "low": 6e-3, "start": 7e-3, "high": 9e-3}}))
    assert any("do not determine turning: its value has no effect" in text for text in fit.warnings)
    assert fit.estimate("turning").note == "not determined"
    assert fit.values["stiffness"] == pytest.approx(TRUE["stiffness"], rel=1e-6)


def test_a_parameter_at_its_bound_has_no_interval(exact):
    """The true friction lies above the upper bound; the others have intervals for this bound."""
    time, rows = exact
    fit = run_calibration(calibration(rows, time, SPEEDS, {"parameter/friction/high": 0.28,
                                                           "parameter/friction/start": 0.2}))
    friction = fit.estimate("friction")
    assert friction.note == "at its upper bound" and friction.value == 0.28 and np.isnan(friction.low)
    assert any("friction is at its upper bound, 0.28: it has no interval" in text for text in fit.warnings)
    assert fit.estimate("stiffness").note == "" and np.isfinite(fit.estimate("stiffness").error)


def test_several_starts_find_the_deeper_minimum():
    """A start at a stiffness whose swing has another period ends in a local minimum; the sample finds the true one."""
    time, rows = true_runs(SPEEDS[:1])
    extra = {"parameter/stiffness/start": 1.1e3, "parameter/damping": None, "parameter/friction": None,
             "parameter/stiffness/high": 1e6}
    one = run_calibration(calibration(rows, time, SPEEDS[:1], extra))
    many = run_calibration(calibration(rows, time, SPEEDS[:1], {**extra, "calibration/starts": 3,
                                                                "calibration/samples": 16}))
    assert len(many.starts) == 3 and many.starts[0][0] <= many.starts[1][0] <= many.starts[2][0]
    assert many.values["stiffness"] == pytest.approx(2e4, rel=1e-6) and many.cost <= one.cost


def test_trial_values_whose_scene_is_invalid_shorten_the_step(exact):
    """mu_kinetic above mu_static is no scene: fitted apart, the fit stays where there is one."""
    time, rows = exact
    fit = run_calibration(calibration(rows, time, SPEEDS, {
        "parameter/friction": {"path": "law.sole.friction.mu_kinetic", "low": 0.05, "start": 0.12, "high": 1.0}}))
    assert fit.values["friction"] == pytest.approx(0.3, rel=1e-6)


def test_attitudes_are_compared_as_rotation_vectors():
    """Against scipy: the vector that turns the measured attitude into the simulated one, for either sign of q."""
    rng = np.random.default_rng(3)
    a, b = Rotation.random(50, rng=rng), Rotation.random(50, rng=rng)
    q = Measured("b.q", tuple(f"b.q[{i}]" for i in (1, 2, 3, 4)), (), 1.0)
    ours = q.deviation(a.as_quat(scalar_first=True).T, -b.as_quat(scalar_first=True).T)
    np.testing.assert_allclose(ours.T, (a * b.inv()).as_rotvec(), atol=1e-12)


def test_samples_between_steps_are_interpolated():
    time = np.array([0.0, 1.0, 2.0])
    assert at_times(time, np.array([[0.0, 2.0, 6.0]]), np.array([0.0, 0.5, 1.5, 2.0 + 1e-12]), False).tolist() == [
        [0.0, 1.0, 4.0, 6.0]]
    half = np.sqrt(0.5)
    turned = at_times(time[:2], np.array([[1.0, -half], [0.0, 0.0], [0.0, 0.0], [0.0, -half]]), np.array([0.5]), True)
    np.testing.assert_allclose(turned[:, 0], [np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8)], atol=1e-12)


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
def test_losses_are_those_of_scipy(loss):
    """psi is the derivative of the cost by the residual, and the slope that of psi: central differences."""
    from scipy.optimize import least_squares

    r, h, scale = np.array([-3.0, -0.4, 0.3, 0.9, 2.5, 8.0]), 1e-5, 1.5
    psi, slope = influence(loss, scale, r)

    def cost(x):
        return 0.5 * scale**2 * losses(loss, (x / scale) ** 2)[0]
    np.testing.assert_allclose(psi, (cost(r + h) - cost(r - h)) / (2 * h), rtol=1e-8)
    np.testing.assert_allclose(slope, (influence(loss, scale, r + h)[0] - influence(loss, scale, r - h)[0]) / (2 * h),
                               rtol=1e-7, atol=1e-9)
    theirs = least_squares(lambda x: r, [0.0], jac=lambda x: np.zeros((6, 1)), loss=loss, f_scale=scale).cost
    assert cost(r).sum() == pytest.approx(theirs, rel=1e-14)


def test_intervals_of_a_line_are_those_of_the_textbook():
    """y = a + b t: scipy's linregress has the standard errors; the jackknife is done again by leaving out series."""
    from scipy.stats import linregress

    rng = np.random.default_rng(5)
    t, groups = np.tile(np.linspace(0.0, 1.0, 12), 6), np.repeat(np.arange(6), 12)
    y = 1.0 + 2.0 * t + rng.normal(size=72) + np.repeat(rng.normal(size=6), 12)
    J = np.stack([np.ones(72), t], axis=1)
    x = np.linalg.lstsq(J, y, rcond=None)[0]
    r = J @ x - y
    free, local = np.ones(2, dtype=bool), np.zeros(2, dtype=bool)
    rows = spread(J, r, np.ones(72), free, None, local, 0.0)
    line = linregress(t, y)
    assert np.sqrt(np.diag(rows.covariance)) == pytest.approx([line.intercept_stderr, line.stderr], rel=1e-12)
    assert rows.degrees.tolist() == [70.0, 70.0] and not rows.flat.size
    left = np.array([np.linalg.lstsq(J[groups != g], y[groups != g], rcond=None)[0] for g in range(6)]) - x
    series = spread(J, r, np.ones(72), free, groups, local, 0.0)
    np.testing.assert_allclose(series.covariance, 5 / 6 * left.T @ left, rtol=1e-10)
    assert series.degrees.tolist() == [5.0, 5.0]


def test_the_jackknife_leaves_out_a_series_with_its_own_parameters():
    """y = a_g + b t: each series has its own a, and b is left with the others' rows."""
    rng = np.random.default_rng(6)
    t, groups = np.tile(np.linspace(0.0, 1.0, 12), 6) ** np.repeat(np.arange(1, 7), 12), np.repeat(np.arange(6), 12)
    y = 2.0 * t + rng.normal(size=72) + np.repeat(rng.normal(size=6), 12)
    J = np.concatenate([(groups[:, None] == np.arange(6)).astype(float), t[:, None]], axis=1)
    x = np.linalg.lstsq(J, y, rcond=None)[0]
    local = np.arange(7) < 6
    found = spread(J, J @ x - y, np.ones(72), np.ones(7, dtype=bool), groups, local, 0.0)
    left = np.array([np.linalg.lstsq(J[groups != g], y[groups != g], rcond=None)[0][6] for g in range(6)]) - x[6]
    assert found.covariance[6, 6] == pytest.approx(5 / 6 * left @ left, rel=1e-10)
    rows = spread(J, J @ x - y, np.ones(72), np.ones(7, dtype=bool), None, local, 0.0)
    assert np.array_equal(np.diag(found.covariance)[:6], np.diag(rows.covariance)[:6])
    assert found.degrees.tolist() == [65.0] * 6 + [5.0]


RUNS = 60 * SOAK


@pytest.mark.parametrize("case", ["independent noise", "outliers, soft_l1"])
def test_the_intervals_hold_the_truth_as_often_as_they_say(case):
    """60 fits here, 540 in `make soak`. A right interval fails the bounds once in ten thousand."""
    found = coverage(case, RUNS)
    _check(found, RUNS)


def test_intervals_from_series_stand_correlated_noise():
    """Those from rows are too narrow there, and the warning says so."""
    found = coverage("correlated noise, intervals from series", RUNS // 6)
    narrow = coverage("correlated noise, intervals from rows", RUNS // 6)
    # the jackknife of ten series is wide rather than narrow: only the lower end is bounded
    assert binom.cdf(found.inside.sum(axis=0), len(found.inside), 0.95).min() > 1e-4
    assert narrow.inside.mean() < 0.8 < found.inside.mean()


def _check(found, runs):
    inside = found.inside.sum(axis=0)
    assert (binom.cdf(inside, runs, 0.95) > 1e-4).all() and (binom.sf(inside - 1, runs, 0.95) > 1e-4).all()
    # from both sides: squared errors in standard errors have the mean 1, times 72/70, as these come from 72 degrees of
    # freedom
    squares, degrees = found.distance.sum() * 70.0 / 72.0, 3 * runs
    assert chi2.cdf(squares, degrees) > 1e-4 and chi2.sf(squares, degrees) > 1e-4
