"""What a campaign is summed up to, its pictures, and the commands from end to end."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from contactlib import read_result
from contactlib.campaign import Results, Store, load_campaign, run_campaign
from contactlib.campaign.definition import read_campaign
from contactlib.campaign.plots import plot_histograms, plot_scatter, rank_correlation
from contactlib.campaign.statistics import percentiles, wilson
from contactlib.campaign.summary import describe, worst_cases, write_report
from contactlib.cli.campaign import ProgressBar
from contactlib.cli.main import app
from tests.campaign.campaign_cases import WHEEL, docking, wheel, written


def invented(campaign, **columns) -> Results:
    """Results with these metrics, and draws as the campaign draws them."""
    runs = len(next(iter(columns.values())))
    drawn = {name: np.array(values[:runs]) for name, values in campaign.values.items()}
    given = drawn | {name: np.array(values, dtype=float) for name, values in columns.items()}
    holds = {f"success.{criterion.name}": criterion.holds(given) for criterion in campaign.criteria}
    success = np.logical_and.reduce(list(holds.values()))
    errors = tuple("it broke" if math.isnan(value) else None for value in given[next(iter(columns))])
    return Results(campaign, np.arange(runs), given | holds | {"success": success}, errors)


# ---- numbers -------------------------------------------------------------------------------------


def test_wilson():
    """The bounds solve |x/n - p| = z sqrt(p (1 - p) / n); the textbook's example: 81 of 263 is 0.2553 to 0.3662."""
    proportion = wilson(81, 263)
    # Newcombe, Stat. Med. 17 (1998), table I
    assert (round(proportion.low, 4), round(proportion.high, 4)) == (0.2553, 0.3662)
    for count, runs in ((0, 20), (1, 29), (15, 148), (20, 20), (7, 9)):
        proportion = wilson(count, runs)
        for p in {proportion.low, proportion.high} - {0.0, 1.0}:
            assert abs(count / runs - p) == pytest.approx(1.959963984540054 * math.sqrt(p * (1 - p) / runs), rel=1e-12)
    assert wilson(0, 20).low == 0.0 and wilson(20, 20).high == 1.0 and wilson(0, 0).high == 1.0
    assert str(wilson(1, 4)) == "1 of 4, 25.0% (4.6% to 69.9% at 95 % confidence)"


def test_percentiles():
    values = np.random.default_rng(0).permutation(np.arange(1.0, 101.0))
    assert percentiles(values) == [1, 5, 25, 50, 75, 95, 100]
    assert all(math.isnan(value) for value in percentiles(np.array([math.nan])))
    assert percentiles(np.array([3.0, math.inf])) == [3, 3, 3, 3, math.inf, math.inf, math.inf]


def test_rank_correlation_is_scipys():
    from scipy.stats import spearmanr

    random = np.random.default_rng(1)
    x, y = random.normal(size=50), random.integers(0, 6, 50).astype(float)
    assert rank_correlation(x, y) == pytest.approx(spearmanr(x, y).statistic, rel=1e-12)
    assert math.isnan(rank_correlation(x, np.zeros(50)))


def test_worst_cases():
    results = invented(wheel(), peak_force=[100.0, 900.0, math.nan, 160.0, 120.0, 151.0],
                       end_speed=[0.1, 0.1, math.nan, 5.0, 0.1, 0.1], turned=[1.0, 2.0, math.nan, 0.5, 9.0, 1.0])
    cases = [(case.run, case.why.split(":")[0]) for case in worst_cases(results)]
    assert cases[0] == (2, "failed")
    assert [run for run, why in cases if "peak_force < 150" in why] == [1, 3, 5]
    assert next(why for run, why in cases if run == 1) == "misses peak_force < 150 by 750"
    assert next(run for run, why in cases if "end_speed <" in why) == 3
    assert (3, "least turned, 0.5") in cases and (4, "greatest turned, 9") in cases
    text = describe(results)
    assert "1 failed and count as no success" in text and "soft, peak_force < 150: 2 of 6, 33.3%" in text


def test_a_campaign_without_success():
    campaign = docking()
    values = {key: value for key, value in campaign.source.campaign.items() if key != "success"}
    results = invented(read_campaign(campaign.source._replace(campaign=values)),
                       **{name: [1.0, 2.0] for name in ("depth", "pushed", "heat")})
    assert "no success criteria" in describe(results)


# ---- pictures ------------------------------------------------------------------------------------


def test_pictures():
    """One panel a metric with its limits, one for each draw and metric; equal, infinite and missing values too."""
    never = [math.inf] * 5 + [math.nan]
    results = invented(wheel(), peak_force=[100.0, 900.0, 120.0, 160.0, 120.0, math.nan], end_speed=never,
                       turned=[1.0] * 5 + [math.nan])
    histograms = plot_histograms(results)
    assert [ax.get_xlabel() for ax in histograms.axes] == ["peak_force  [N]", "end_speed", "turned"]
    assert 150.0 in [line.get_xdata()[0] for line in histograms.axes[0].lines]
    assert histograms.axes[1].get_title(loc="right") == "5 of 6 never"
    scatter = plot_scatter(results)
    assert len(scatter.axes) == 4 * 3
    shown = sum(len(points.get_offsets()) for points in scatter.axes[0].collections)
    assert shown == 5
    for figure in (histograms, scatter):
        figure.canvas.draw()


def test_a_report_without_pictures(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    results = invented(wheel(), peak_force=[1.0, 2.0], end_speed=[1.0, 2.0], turned=[1.0, 2.0])
    assert [path.name for path in write_report(results, tmp_path)] == ["summary.txt", "report.html"]


# ---- the commands --------------------------------------------------------------------------------


def contact(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["campaign", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def fails(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["campaign", *map(str, arguments)])
    lines = result.stderr.strip().splitlines()
    assert result.exit_code == 1 and len(lines) == 1 and lines[0].startswith("contactlib: "), result.output
    return lines[0]


def test_from_end_to_end(tmp_path):
    path, folder = written(tmp_path), tmp_path / "out"
    assert "wheel: 24 of 24 runs are done. Success: " in contact("run", path, "-o", folder, "--threads", 2)
    assert "holds a campaign already" in fails("run", path, "-o", folder)
    assert "24 of 24 runs" in contact("resume", folder)
    text = contact("report", folder)
    page = (folder / "report.html").read_text()
    for name in ("summary.txt", "histograms.png", "scatter.png", "report.html"):
        assert f"wrote {folder / name}" in text and (folder / name).stat().st_size > 200
    case = worst_cases(Store.open(folder).results())[0]
    assert page.count("data:image/png") == 2 and f"campaign replay {folder} {case.run}" in page
    text = contact("replay", folder, case.run)
    assert "bitwise equal to the stored run" in text
    again = folder / "replay" / str(case.run)
    rows = (again / "trajectory.csv").read_text().splitlines()
    assert len(rows) == 1 + 401 and (again / "trajectory.png").stat().st_size > 1000
    # the command `contactlib run` for the written scene computes equal rows
    result = CliRunner().invoke(app, ["run", str(again / "scene.toml"), "-o", str(tmp_path / "alone")])
    assert result.exit_code == 0 and (tmp_path / "alone" / "trajectory.csv").read_text().splitlines() == rows
    replayed, alone = (read_result(path / "result.clr") for path in (again, tmp_path / "alone"))
    assert len(replayed) == 401 and all(replayed.table(name) == alone.table(name) for name in replayed.tables)
    assert "there is no run 24: they are numbered from 0 to 23" in fails("replay", folder, 24)


def test_replay_of_a_failed_run(tmp_path):
    path = written(tmp_path)
    path.write_text(WHEEL.replace("low = 0.1\nhigh = 0.8", "low = 0.85\nhigh = 0.9").replace("runs = 24", "runs = 3"))
    assert "no draw makes a scene that can be run" in fails("run", path, "-o", tmp_path / "out")
    path.write_text(WHEEL.replace("low = 0.1\nhigh = 0.8", "low = 0.7\nhigh = 0.9").replace("runs = 24", "runs = 6"))
    contact("run", path, "-o", tmp_path / "out")
    results = Store.open(tmp_path / "out").results()
    run = next(i for i, error in enumerate(results.errors) if error)
    text = contact("replay", tmp_path / "out", run)
    assert "the run fails: " in text and "must not exceed mu_static" in text
    assert "bitwise equal to the stored run" in text
    assert "mu_kinetic = 0.8" in (tmp_path / "out" / "replay" / str(run) / "scene.toml").read_text()


@pytest.mark.parametrize(("arguments", "says"), [
    (("run", "none.toml"), "none.toml: No such file"), (("resume", "none"), "none holds no campaign"),
    (("report", "none"), "none holds no campaign"), (("replay", "none", 3), "none holds no campaign"),
])
def test_mistakes(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    assert says in fails(*arguments)


def test_more_mistakes(tmp_path):
    assert "num_threads = 0" in fails("run", written(tmp_path), "-o", tmp_path / "out", "--threads", 0)
    Store.create(tmp_path / "new", wheel())
    assert "no run is done yet" in fails("report", tmp_path / "new")


def test_a_report_of_the_runs_that_are_done(tmp_path):
    run_campaign(wheel(), tmp_path / "out")
    last = sorted((tmp_path / "out" / "parts").iterdir())[-1]
    last.unlink()
    text = contact("report", tmp_path / "out")
    left = len(Store.open(tmp_path / "out").results().run)
    assert 0 < left < 24 and f"wheel: {left} of 24 runs are done" in text


def test_bar(capsys):
    now = [100.0]
    bar = ProgressBar("wheel", clock=lambda: now[0])
    bar(30, 90)  # those were done earlier
    for time, done in ((100.5, 40), (106.0, 45), (107.0, 50), (112.0, 60)):
        now[0] = time
        bar(done, 90)
    bar.done()
    assert capsys.readouterr().err.splitlines() == [
        "wheel [############            ] 45 of 90 runs, about 18 s left",
        "wheel [################        ] 60 of 90 runs, about 12 s left"]


def test_the_example(tmp_path):
    """The shipped campaign, with fewer and shorter runs."""
    campaign = load_campaign(Path(__file__).parents[2] / "examples" / "campaign" / "campaign.toml")
    head = {**campaign.source.campaign["campaign"], "runs": 4, "duration": 0.1}
    values = {**campaign.source.campaign, "campaign": head}
    results = run_campaign(read_campaign(campaign.source._replace(campaign=values)), tmp_path / "out")
    assert set(results.errors) == {None} and {"success.docked", "success.gentle"} <= set(results.columns)
