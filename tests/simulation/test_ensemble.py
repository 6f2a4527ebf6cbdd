"""Whole runs in threads: each has the bits of a simulation, at any number of threads; what fails stops alone."""

from dataclasses import replace

import numpy as np
import pytest

import contactlib
from contactlib.simulation.ensemble import run_ensemble

NAMES = ("wheel.r[1]", "wheel.r[3]", "wheel.v[1]", "wheel.f[3]", "contact.max_depth", "contact.energy_dissipated")
RUNS, DURATION, STEP = 6, 0.1, 5e-4


@pytest.fixture(scope="module")
def wheel():
    return contactlib.load("rover_wheel")


@pytest.fixture(scope="module")
def starts(wheel):
    """A wheel at several speeds, from different heights."""
    states = np.array([[body.state for body in wheel.bodies]] * RUNS)
    states[:, 0, 7] = np.linspace(0.1, 0.6, RUNS)
    states[:, 0, 2] += np.linspace(0.0, 1e-3, RUNS)
    return states


def recorded(simulation, start=None, tuned=()):
    """The same by Simulation, step for step."""
    names = {variable.name: i for i, variable in enumerate(simulation.model.variables)}
    for name, value in tuned:
        simulation.data.set(names[name], value)
    simulation.compute(start)
    rows = [[simulation.time, *(simulation.data.get(names[name]) for name in NAMES)]]
    for _ in range(round(DURATION / STEP)):
        simulation.step(STEP)
        rows.append([simulation.time, *(simulation.data.get(names[name]) for name in NAMES)])
    return np.array(rows).T


def same(ensemble, run, rows):
    return np.array_equal(ensemble.time[run], rows[0]) and np.array_equal(ensemble.values[run], rows[1:])


def test_starts_and_parameters(wheel, starts):
    model = wheel.compile()
    stiffness = np.geomspace(1e4, 1e6, RUNS)
    one, three = (run_ensemble(model, NAMES, duration=DURATION, starts=starts, num_threads=threads,
                               parameters={"wheel_soil.stiffness": stiffness}) for threads in (1, 3))
    assert one.errors == (None,) * RUNS and one.values.shape == (RUNS, len(NAMES), 201)
    assert np.array_equal(one.values, three.values) and np.array_equal(one.time, three.time)
    for i in range(RUNS):
        tuned = [("wheel_soil.stiffness", stiffness[i])]
        assert same(one, i, recorded(contactlib.Simulation(model), starts[i], tuned))
    assert len(set(one.signal("contact.max_depth")[:, -1])) == RUNS


def test_a_model_for_each_run(wheel, starts):
    """A start in the model and the same start from outside give the same bits, and so does another mass."""
    heavier = [replace(wheel, bodies=(replace(wheel.bodies[0], mass=20.0 + i, state=tuple(starts[i, 0])),
                                      *wheel.bodies[1:])) for i in range(RUNS)]
    models = [spec.compile() for spec in heavier]
    ensemble = run_ensemble(models, NAMES, duration=DURATION)
    for i, model in enumerate(models):
        assert same(ensemble, i, recorded(contactlib.Simulation(model)))
    outside = run_ensemble(models[0], NAMES, duration=DURATION, starts=starts[:1])
    assert np.array_equal(outside.values[0], ensemble.values[0])


def test_body_axes(wheel, starts):
    """With resolve_in = "body" a start is still in world axes, of free bodies and of those that are moved."""
    turned = starts[:1].copy()
    turned[0, 0, 3:7] = np.cos(0.4), 0.0, np.sin(0.4), 0.0
    turned[0, 0, 10:] = 0.3, 0.8, -0.2
    for motion in ("free", "external"):
        spec = replace(wheel.with_motion(motion, "wheel"), resolve_in="body")
        inside = replace(spec, bodies=(replace(spec.bodies[0], state=tuple(turned[0, 0])), *spec.bodies[1:]))
        ours = run_ensemble(spec.compile(), ("wheel.w[1]", "wheel.w[3]", "wheel.r[1]"), duration=0.01, starts=turned)
        own = run_ensemble(inside.compile(), ("wheel.w[1]", "wheel.w[3]", "wheel.r[1]"), duration=0.01)
        # an input's axes are turned here, and by the model there: rounding may differ
        np.testing.assert_allclose(ours.values, own.values, rtol=1e-14)
        assert abs(ours.values[0, 0, 0] - 0.3) > 0.05  # w[1] is reported in body axes, not as it was given


def test_every(wheel):
    model = wheel.compile()
    whole = run_ensemble(model, NAMES, duration=0.01)
    some = run_ensemble(model, NAMES, duration=0.01, every=6)
    assert np.array_equal(some.values, whole.values[..., [0, 6, 12, 18, 20]])


def test_a_duration_for_each_run(wheel, starts):
    """Each run has the bits of a run alone, the last row of a run is recorded, and rows after its end are NaN."""
    model, durations = wheel.compile(), np.array([0.02, 0.011, 0.05, 5e-4, 0.02, 0.0305])
    whole = run_ensemble(model, NAMES, duration=durations, starts=starts, num_threads=2)
    some = run_ensemble(model, NAMES, duration=durations, starts=starts, every=7)
    assert whole.values.shape == (RUNS, len(NAMES), 101) and whole.errors == some.errors == (None,) * RUNS
    for i, duration in enumerate(durations):
        for ensemble, every in ((whole, 1), (some, 7)):
            alone = run_ensemble(model, NAMES, duration=float(duration), starts=starts[i:i + 1], every=every)
            rows = alone.time.shape[1]
            assert np.array_equal(ensemble.time[i, :rows], alone.time[0])
            assert np.array_equal(ensemble.values[i, :, :rows], alone.values[0])
            assert np.isnan(ensemble.time[i, rows:]).all() and np.isnan(ensemble.values[i, :, rows:]).all()
            assert alone.time[0, -1] == pytest.approx(duration, rel=1e-12)  # rounding of a sum of steps


def test_a_run_that_fails_ends_alone(starts, wheel):
    starts = starts.copy()
    starts[:, 0, 2] = 0.2499
    starts[2, 0, 0], starts[2, 0, 7] = 0.307, 1.0  # soon at the rock: two contacts, and room for one
    ensemble = run_ensemble(replace(wheel, max_contacts=1).compile(), NAMES, duration=DURATION, starts=starts,
                            num_threads=2)
    assert [error is None for error in ensemble.errors] == [True, True, False, True, True, True]
    assert ensemble.errors[2].startswith("after t = 0.0") and "contacts" in ensemble.errors[2]
    assert np.isfinite(ensemble.values[2, :, 0]).all() and np.isnan(ensemble.values[2, :, -1]).all()
    assert np.isfinite(np.delete(ensemble.values, 2, axis=0)).all()
    bad = run_ensemble(wheel.compile(), NAMES, parameters={"wheel_soil.stiffness": [-1.0]})
    assert "after t = 0 s" in bad.errors[0] and np.isnan(bad.values).all()


@pytest.mark.parametrize(("arguments", "says"), [
    ({"record": ["wheel.r[4]"]}, "there is no variable 'wheel.r[4]'; did you mean 'wheel.r["),
    ({"parameters": {"wheel_soil.stifness": [1.0]}}, "did you mean 'wheel_soil.stiffness'"),
    ({"parameters": {"wheel_soil.stiffness": [np.nan]}}, "finite numbers"),
    ({"parameters": {"wheel_soil.stiffness": [1.0, 2.0], "wheel_soil.damping": [1.0] * 3}}, r"for \[2, 3\] runs"),
    ({"parameters": {"wheel_soil.stiffness": []}}, r"for \[0\] runs"),
    ({"starts": np.zeros((2, 3, 13))}, r"must be \(N, 2, 13\)"),
    ({"starts": np.zeros((1, 2, 13))}, r"starts\[0, 0\] must have finite numbers and a quaternion"),
    ({"duration": np.nan}, "both must be finite"),
    ({"dt": 0.0}, "both must be finite and greater"),
    ({"duration": [0.1, np.nan]}, "both must be finite"),
    ({"duration": []}, r"for \[0\] runs"),
    ({"duration": [[0.1]]}, r"duration has shape \(1, 1\)"),
    ({"duration": [0.1, 0.2], "parameters": {"wheel_soil.stiffness": [1e5] * 3}}, r"durations, .* for \[2, 3\] runs"),
    ({"duration": 1e9, "dt": 1e-9}, "more than 1000000000 steps"),
    ({"every": 0}, "every = 0: must be an integer of at least 1"),
    ({"num_threads": 0}, "num_threads = 0"),
    ({"models": []}, "models is empty"),
    ({"duration": 1e4, "dt": 1e-4, "every": 1}, "with a greater `every` than 1"),
])
def test_bad_arguments(wheel, arguments, says):
    with pytest.raises(ValueError, match=says.replace("[", r"\[") if "r[" in says else says):
        run_ensemble(**{"models": wheel.compile(), "record": NAMES, **arguments})


def test_models_of_other_variables(wheel):
    other = contactlib.load("tripod").compile()
    with pytest.raises(ValueError, match="must have the same variables"):
        run_ensemble([wheel.compile(), other], NAMES)


def test_parameters_that_do_not_go_together_fail_their_run(wheel):
    """As in the scene file and the FMU: mu_kinetic must not exceed mu_static; the other run goes on."""
    names = [v.name for v in wheel.compile().variables]
    static, kinetic = (next(name for name in names if name.endswith(part)) for part in (".mu_static", ".mu_kinetic"))
    runs = run_ensemble(wheel.compile(), NAMES, duration=0.01, parameters={static: [0.9, 0.2], kinetic: [0.3, 0.3]})
    assert runs.errors[0] is None and "mu_kinetic" in runs.errors[1]
    with pytest.raises(ValueError, match=r"is part of a body's initial state: give it in `starts`"):
        run_ensemble(wheel.compile(), NAMES, duration=0.01, parameters={"wheel.r_start[1]": [0.1]})
