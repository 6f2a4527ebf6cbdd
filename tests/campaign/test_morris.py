"""Elementary effects: against closed forms, sums over the whole design, and SALib."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from contactlib.campaign import run_campaign
from contactlib.campaign.definition import Campaign, Source, read_campaign
from contactlib.campaign.morris import LEVELS, STEP, elementary_effects, trajectories
from contactlib.campaign.summary import describe, effects, write_report
from contactlib.model.spec import SCENES
from tests.campaign.campaign_cases import tables, wheel

# the coefficients of the g-function of Sobol', from important to unimportant
A = (0.0, 1.0, 4.5, 9.0)


def points(dimensions: int, count: int, seed: int = 3) -> np.ndarray:
    return trajectories(dimensions, count * (dimensions + 1), np.random.default_rng(seed))


def columns(u: np.ndarray) -> dict[str, np.ndarray]:
    return {f"x{i}": u[:, i] for i in range(u.shape[1])}


def g_function(u: np.ndarray) -> np.ndarray:
    return np.prod([(abs(4 * u[:, i] - 2) + a) / (1 + a) for i, a in enumerate(A)], axis=0)


def ishigami(u: np.ndarray) -> np.ndarray:
    x = np.pi * (2 * u - 1)
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def whole_design(function, dimensions: int) -> list[tuple[float, float]]:
    """mu* and sigma of each input over all steps of the grid, by brute force."""
    grid = np.array(list(itertools.product(np.arange(LEVELS) / (LEVELS - 1), repeat=dimensions)))
    found = []
    for i in range(dimensions):
        low = grid[grid[:, i] < 0.5]
        high = low.copy()
        high[:, i] += STEP
        each = (function(high) - function(low)) / STEP
        found.append((float(np.abs(each).mean()), float(each.std())))
    return found


def test_a_trajectory_changes_each_value_once_by_one_step():
    u = points(5, 200)
    assert set(np.round(u * (LEVELS - 1), 9).ravel()) == set(range(LEVELS))
    for rows in u.reshape(200, 6, 5):
        steps = np.diff(rows, axis=0)
        assert (np.count_nonzero(steps, axis=1) == 1).all() and (np.count_nonzero(steps, axis=0) == 1).all()
        assert np.allclose(abs(steps[steps != 0]), STEP, rtol=0, atol=1e-15)  # rounding of 2/3
    # both directions and all levels are equally frequent: 1000 throws of a coin, within four standard deviations
    ups = np.count_nonzero(np.diff(u.reshape(200, 6, 5), axis=1) > 0)
    assert abs(ups - 500) < 4 * math.sqrt(1000) / 2


def test_of_a_linear_function_mu_star_is_coefficient_times_range_and_sigma_is_zero():
    u = points(3, 5)
    low, high, slope = np.array([-1.0, 10.0, 0.0]), np.array([1.0, 14.0, 1e-3]), np.array([2.0, -3.0, 500.0])
    x = low + (high - low) * u
    for i, each in enumerate(elementary_effects(columns(x), x @ slope + 7.0)):
        expected = slope[i] * (high[i] - low[i])
        # rounding of sums of about 60 over a step of 2/3
        assert each.mu == pytest.approx(expected, abs=1e-12) and each.mu_star == pytest.approx(abs(expected), abs=1e-12)
        assert each.sigma < 1e-12 and each.error < 1e-12 and each.count == 5


def test_the_closed_form_of_the_g_function():
    """mu*_i = 2/(1 + a_i) prod_{j != i} (4/3 + a_j)/(1 + a_j): |4 u - 2| is 2 or 2/3 on the levels, 4/3 on average."""
    closed = [2 / (1 + a) * math.prod((4 / 3 + b) / (1 + b) for j, b in enumerate(A) if j != i)
              for i, a in enumerate(A)]
    assert [mu_star for mu_star, _ in whole_design(g_function, 4)] == pytest.approx(closed, rel=1e-12)
    u = points(4, 4000)
    for expected, each in zip(closed, elementary_effects(columns(u), g_function(u)), strict=True):
        assert abs(each.mu_star - expected) < 4 * each.error  # four standard errors: once in 16 000 if it is right
        assert each.error < 0.01 * expected


def test_the_ishigami_function_against_a_sum_over_the_whole_design():
    u = points(3, 4000)
    found = elementary_effects(columns(u), ishigami(u))
    for (mu_star, sigma), each in zip(whole_design(ishigami, 3), found, strict=True):
        assert abs(each.mu_star - mu_star) <= 4 * each.error + 1e-12
        assert each.sigma == pytest.approx(sigma, rel=0.05)  # of 4000 effects: 1 to 2 %


def test_effects_are_those_of_salib():
    salib = pytest.importorskip("SALib.analyze.morris", reason="SALib is not installed: pip install SALib")
    u = points(3, 50)
    problem = {"num_vars": 3, "names": ["x0", "x1", "x2"], "bounds": [[0.0, 1.0]] * 3}
    theirs = salib.analyze(problem, u, ishigami(u), num_levels=LEVELS)
    for i, each in enumerate(elementary_effects(columns(u), ishigami(u))):
        # rounding; SALib's sigma has the divisor N - 1, as ours
        assert each.mu == pytest.approx(theirs["mu"][i], abs=1e-12)
        assert each.mu_star == pytest.approx(theirs["mu_star"][i], abs=1e-12)
        assert each.sigma == pytest.approx(theirs["sigma"][i], rel=1e-12)


def test_runs_without_a_result_are_left_out():
    u = points(2, 4)
    y = u @ np.array([1.0, 2.0])
    y[0], y[4] = np.nan, np.inf
    found = elementary_effects(columns(u), y)
    assert sum(each.count for each in found) == 8 - 3  # run 0 begins a trajectory and has one step, run 4 has two
    assert [round(each.mu_star, 12) for each in found] == [1.0, 2.0]
    nothing = elementary_effects(columns(u), np.full(12, np.nan))
    assert [each.count for each in nothing] == [0, 0] and math.isnan(nothing[0].mu_star)


# ---- a campaign ----------------------------------------------------------------------------------

RANGES = """
[draw.speed]
path = "body.wheel.state.v[1]"
distribution = "uniform"
low = 0.1
high = 0.5

[draw.mass]
path = ["body.wheel.mass", "body.wheel.inertia"]
as = "factor"
distribution = "log_uniform"
low = 0.5
high = 2.0
"""
MORRIS = f"""
[campaign]
name = "effects"
scene = "rover_wheel"
sampling = "morris"
runs = 9
duration = 0.02
{RANGES}
[metric]
start = {{ is = "2 * initial(wheel.v[1])", unit = "m/s" }}
"""


def campaign_of(text: str) -> Campaign:
    folder = SCENES / "rover_wheel"
    return read_campaign(Source(tables(text), tables((folder / "scene.toml").read_text()), str(folder)))


def test_a_campaign_of_elementary_effects(tmp_path):
    """The speed at the start is what is drawn, whatever the mass."""
    results = run_campaign(campaign_of(MORRIS), tmp_path / "run", num_threads=2)
    speed, mass = effects(results)["start"]
    assert (speed.draw, speed.count, mass.count) == ("speed", 3, 3)
    assert speed.mu == pytest.approx(2 * (0.5 - 0.1), rel=1e-12) and mass.mu_star == 0  # rounding of a difference
    assert "elementary effects on start [m/s]: mu*" in describe(results)
    page = next(path for path in write_report(results, tmp_path / "report") if path.suffix == ".html")
    assert "Effect of speed on start" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("old", "new", "message"), [
    ("runs = 9", "runs = 10", "campaign.runs = 10: with sampling = 'morris' must be a multiple of 3"),
    (RANGES, "", "campaign.sampling = 'morris': there is nothing to vary"),
    ('distribution = "uniform"\nlow = 0.1\nhigh = 0.5', 'distribution = "normal"\nmean = 0.3\nstd = 0.1',
     "draw.speed.distribution = 'normal': must be one of uniform, log_uniform, constant"),
])
def test_what_a_campaign_of_elementary_effects_refuses(old, new, message):
    with pytest.raises(ValueError, match="morris") as error:
        campaign_of(MORRIS.replace(old, new))
    assert message in str(error.value)


def test_other_samplings_have_no_effects(tmp_path):
    assert effects(run_campaign(wheel(runs=2), tmp_path / "run", num_threads=1)) == {}
