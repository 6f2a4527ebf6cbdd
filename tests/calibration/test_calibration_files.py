"""Calibrations from files: mistakes are sentences, an interrupted fit goes on, and the command writes its files."""

import csv
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.calibration import Series, load_calibration, run_calibration, simulate
from contactlib.calibration.report import describe, write_results
from contactlib.calibration.store import Store
from contactlib.campaign.lock import locked
from contactlib.cli.main import app
from tests.calibration.calibration_cases import SCENE, calibration, true_runs

EXAMPLE = Path(__file__).parents[2] / "examples" / "calibration"


@pytest.fixture
def example(tmp_path):
    """A copy of the example to be changed."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "example"))


def edited(folder, *changes, file="calibration.toml"):
    path = folder / file
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text)
    return folder / "calibration.toml"


@pytest.mark.parametrize(("old", "new", "says"), [
    ('scene = "scene.toml"', 'scene = "slide.toml"', "calibration.scene = 'slide.toml': no such file and no shipped"),
    ('scene = "scene.toml"', "", "calibration.scene is missing"),
    ('name = "slide"', 'name = "slide"\nlos = "linear"', "calibration.los is not a known key; did you mean 'loss'?"),
    ('name = "slide"', 'name = "slide"\nloss = "l1"', "calibration.loss = 'l1': must be one of linear, soft_l1"),
    ('name = "slide"', 'name = "slide"\nconfidence = 95', "calibration.confidence = 95.0: must be less than 1"),
    ('name = "slide"', 'name = "slide"\nintervals = "series"', "3 series are too few for 3 parameters"),
    ('name = "slide"', 'name = "slide"\nfixed = ["bal"]', "there is no body 'bal'; did you mean 'ball'?"),
    ("law.rubber_steel.normal.damping", "law.rubber.normal.damping",
     "parameter.damping: law.rubber is not in the scene; did you mean 'rubber_steel'?"),
    ("law.rubber_steel.normal.damping", "law.rubber_steel.normal.damp", "damp is not a known key"),
    ("law.rubber_steel.normal.damping", "law.rubber_steel.normal.stiffness",
     "parameter.damping.path: parameter.stiffness has the same path"),
    ("law.rubber_steel.normal.damping", "body.ball.state.v[4]", "body.ball.state.v has elements 1 to 3"),
    ("low = 0.0", "low = 300.0", "parameter.damping.high = 200.0: must be greater than low = 300"),
    ("start = 10.0", "start = 300.0", "parameter.damping.start = 300.0: must lie between low = 0 and high = 200"),
    ('scale = "log"', 'scale = "ln"', "parameter.stiffness.scale = 'ln': must be one of linear, log"),
    ("low = 1e3", "low = 0.0", "parameter.stiffness.low = 0.0: must be a finite number greater than 0"),
    ("[parameter.friction]", '[parameter.friction]\nseries = "slide_9"', "no fitted series has the name 'slide_9'"),
    ("[parameter.friction]", "[parameter.friction]\ndifference = 0.5", "difference = 0.5: must be at most 0.25"),
    ('"ball.q" =', '"ball.a" =', "measured.ball.a: the scene has no variable 'ball.a'"),
    ('"ball.q" = { sigma = 2e-3, columns = ["qw", "qx", "qy", "qz"] }', '"ball.q[2]" = 1.0',
     "an attitude is compared as a whole: name 'ball.q'"),
    ('"ball.q" = { sigma = 2e-3, columns = ["qw", "qx", "qy", "qz"] }', '"ball.r[1]" = 1.0',
     "ball.r[1] is part of measured.ball.r, too"),
    ("sigma = 2e-3", "sigma = 0.0", "measured.ball.q.sigma = 0.0: must be a finite number greater than 0"),
    ('["x", "y", "z"]', '["x", "y"]', "measured.ball.r.columns = ['x', 'y']: must be a list of 3"),
    ('["x", "y", "z"]', '["x", "y", "height"]', "slide_1.csv: has no column 'height'; known: time, x, y, z"),
    ("slide_*.csv", "glide_*.csv", "series[0].file = 'measured/glide_*.csv': there is no such file in"),
    ('starts = "measured/starts.csv"', 'starts = "begin.csv"', "No such file"),
    ("[[series]]", '[[series]]\nname = "a"', "matches 3 files: leave the name out"),
    ("[[series]]", '[[series]]\ntime = "t"', "has no column 't'"),
    ("[[series]]", "[[series]]\nfrom = 9.0", "series slide_1: has no row in its time window"),
    ("[[series]]", '[[series]]\nmeasured = ["ball.x"]', "measured[0] = 'ball.x': must be one of ball.r, ball.q"),
    ("[[series]]", '[[series]]\nstart = { "body.bal.state.v[2]" = 1.0 }',
     "body.bal is not in the scene; did you mean 'ball'?"),
    ("[[series]]", '[[series]]\nfile = "measured/slide_1.csv"\n[[series]]', "two series have the name 'slide_1'"),
])
def test_mistakes_are_sentences(example, old, new, says):
    path = edited(example, (old, new))
    with pytest.raises((ValueError, OSError)) as caught:
        load_calibration(path)
    assert says in str(caught.value)


@pytest.mark.parametrize(("old", "new", "says"), [
    ("time,x,y,z", "time,x,x,z", "slide_2.csv: two columns have one title"),
    ("0.005,0.007004", "0.005,nan", "series slide_2: ball.r is not a finite number at t = 0.005 s: delete rows"),
    ("0.005,0.007004", "0.005,", "series slide_2: ball.r is not a finite number at t = 0.005 s"),
    ("0.005,0.007004", "0.005,7mm", "slide_2.csv: row 3, column 'x': '7mm' is not a number"),
    ("0.005,0.007004", "0.005", "slide_2.csv: row 3 has 7 cells, must have 8"),
    ("0.005,0.007004", "0.000,0.007004", "series slide_2: time must be finite and rise from row to row"),
    ("0.005,0.007004", "now,0.007004", "slide_2.csv: row 3, column 'time': 'now' is not a number"),
    (",1.000000,", ",0.500000,", "must be a unit quaternion, scalar first"),
])
def test_mistakes_in_series_are_sentences(example, old, new, says):
    path = edited(example, (old, new), file="measured/slide_2.csv").parent / "calibration.toml"
    with pytest.raises(ValueError, match=r"calibration.toml: ") as caught:
        load_calibration(example / path.name)
    assert says in str(caught.value)


def test_an_empty_series_and_rows_missing_from_starts(example):
    (example / "measured" / "slide_2.csv").write_text("")
    with pytest.raises(ValueError, match=r"slide_2.csv: is empty: the first row must have the titles"):
        load_calibration(example / "calibration.toml")
    (example / "measured" / "slide_2.csv").write_text("time,x,y,z,qw,qx,qy,qz\n")
    with pytest.raises(ValueError, match=r"series slide_2: has no row in its time window"):
        load_calibration(example / "calibration.toml")
    shutil.copy(EXAMPLE / "measured" / "slide_2.csv", example / "measured")
    (example / "measured" / "starts.csv").write_text("series,body.ball.state.v[1]\nslide_1,1\nslide_3,2\n")
    with pytest.raises(ValueError, match=r"starts.csv: has no row for the series 'slide_2'; did you mean"):
        load_calibration(example / "calibration.toml")


def test_too_few_values_and_no_series():
    time, rows = true_runs(np.array([1.0]))
    with pytest.raises(ValueError, match="3 measured values are too few for 3 parameters"):
        calibration(rows[:, :, :1], time[:1], np.array([1.0]))
    case = calibration(rows, time, np.array([1.0]))
    for values, says in (({"ball.s": rows[0, :3]}, "'ball.s' is not among the measured quantities; did you mean"),
                         ({"ball.r": rows[0]}, r"ball.r has the shape \(7, 25\), must have 3 rows")):
        with pytest.raises(ValueError, match=says):
            run_calibration(replace(case, series=(Series.of("slide_1", time, values),)))
    with pytest.raises(ValueError, match="series is missing"):
        calibration(rows, time, np.array([]))
    with pytest.raises(ValueError, match=r"ball.r is not a finite number at t = 0.004 s"):
        calibration(rows * np.where(np.arange(len(time)), 1.0, np.nan), time, np.array([1.0]))


def test_windows_weights_and_times(example):
    """The run begins at `begin` of the file's time; rows before `from` and after `until` are left out."""
    plain = load_calibration(example / "calibration.toml").series[0]
    path = edited(example, ("[[series]]", "[[series]]\nbegin = 0.005\nfrom = 0.0199\nuntil = 0.1001\nweight = 4.0"))
    cut = load_calibration(path).series[0]
    assert cut.time == pytest.approx(plain.time[4:21] - 0.005) and cut.weight == 4.0
    assert np.array_equal(cut.values["ball.r"], plain.values["ball.r"][:, 4:21])
    assert [change.value for change in cut.changes] == [0.8]


def test_nested_starts_are_paths():
    plain = Series.of("a", np.array([1.0]), {"x": np.array([[1.0]])}, {"body.ball.state.r": [0, 0, 1.0],
                                                                       "body.ball.state.v[2]": 3.0})
    nested = Series.of("a", np.array([1.0]), {"x": np.array([[1.0]])},
                       {"body": {"ball": {"state": {"r": [0, 0, 1.0], "v[2]": 3.0}}}})
    assert nested.changes == plain.changes


def test_an_interrupted_fit_goes_on_to_the_same_bits(tmp_path):
    """Interrupted before each of its Jacobians in turn, it ends with the bits, and the files, of a whole fit."""
    time, rows = true_runs(np.array([0.9, 1.6]))
    case = calibration(rows + 1e-5 * np.sin(1e5 * rows), time, np.array([0.9, 1.6]))
    whole = run_calibration(case, tmp_path / "whole", num_threads=1)

    def stop(step):
        raise KeyboardInterrupt

    interruptions = 0
    for limit in range(40):
        count = 0

        def progress(step, limit=limit):
            nonlocal count
            count += 1
            if count > limit:
                stop(step)
        try:
            pieces = run_calibration(case, tmp_path / "pieces", resume=limit > 0, num_threads=2, progress=progress)
            break
        except KeyboardInterrupt:
            interruptions += 1
    assert interruptions > 4
    assert pieces.u.tobytes() == whole.u.tobytes()
    assert pieces.fitted.residuals.tobytes() == whole.fitted.residuals.tobytes()
    assert str(pieces.estimates) == str(whole.estimates) and pieces.cost == whole.cost
    files = [sorted(path.name for path in (tmp_path / name / "evaluations").iterdir()) for name in ("whole", "pieces")]
    assert files[0] == files[1]
    for name in files[0]:
        one, other = (np.load(tmp_path / part / "evaluations" / name) for part in ("whole", "pieces"))
        assert all(one[key].tobytes() == other[key].tobytes() for key in one.files)
    again = run_calibration(case, tmp_path / "pieces", resume=True)
    assert again.u.tobytes() == whole.u.tobytes() and again.runs == 0  # all from the files


def test_a_fit_with_little_memory_has_the_same_bits(tmp_path, monkeypatch):
    """Only the last evaluations stay in memory; others are read again, or without a folder computed again."""
    time, rows = true_runs(np.array([0.9, 1.6]))
    case = calibration(rows, time, np.array([0.9, 1.6]), {"calibration/starts": 2})
    whole = run_calibration(case, num_threads=1)
    monkeypatch.setattr("contactlib.calibration.store.MOST_BYTES", 5000)
    monkeypatch.setattr("contactlib.calibration.store.LEAST", 1)
    for folder in (None, tmp_path):
        fit = run_calibration(case, folder, num_threads=1)
        assert fit.u.tobytes() == whole.u.tobytes() and str(fit.estimates) == str(whole.estimates)


def test_resuming_refuses_what_does_not_belong_together(tmp_path):
    time, rows = true_runs(np.array([0.9, 1.6]))
    case = calibration(rows, time, np.array([0.9, 1.6]))
    with pytest.raises(ValueError, match=r"holds no calibration: the file calibration.json is missing"):
        run_calibration(case, tmp_path / "new", resume=True)
    with pytest.raises(ValueError, match="a calibration continues in a folder"):
        run_calibration(case, resume=True)
    Store.create(tmp_path, case).keep("residuals", np.array([0.5]), np.array([1.0]))
    with pytest.raises(ValueError, match="holds a calibration already: continue it with --resume"):
        run_calibration(case, tmp_path)
    moved = replace(case, series=(case.series[0], replace(case.series[1], time=case.series[1].time + 1e-6)))
    with pytest.raises(ValueError, match="the series or the version of contactlib have changed"):
        run_calibration(moved, tmp_path, resume=True)
    with locked(tmp_path, "calibration"), pytest.raises(ValueError, match="another process runs this calibration now"):
        run_calibration(case, tmp_path, resume=True)
    file = next((tmp_path / "evaluations").glob("*.npz"))
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"000001.npz is damaged .*: delete it and continue with --resume"):
        run_calibration(case, tmp_path, resume=True)


def test_runs_that_fail_at_the_start_say_why():
    time, rows = true_runs(np.array([0.9]))
    scene = {**SCENE, "scene": {**SCENE["scene"], "max_contacts": 0}}
    case = calibration(rows, time, np.array([0.9]), {"parameter/stiffness/high": 1e300,
                                                     "parameter/stiffness/start": 1e290}, scene)
    with pytest.raises(ValueError, match=r"the runs fail at the start values: series 'slide_1': after t = "):
        run_calibration(case)


def test_the_command_writes_what_it_found(tmp_path):
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["calibrate", str(EXAMPLE / "calibration.toml"), "-o", str(out)])
    assert done.exit_code == 0, done.output
    result = json.loads((out / "result.json").read_text())
    found = result["parameters"]
    # four standard errors: once in 16000 for each of three numbers; the noise has a fixed seed
    for name, value in {"stiffness": 2e4, "damping": 40.0, "friction": 0.3}.items():
        assert abs(found[name]["value"] - value) < 4 * found[name]["standard_error"]
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]
        assert f"  {name}" in done.output
    assert result["converged"] and result["warnings"] == [] and result["residuals"] == 738
    # root mean square of a vector of three equally noisy components
    assert result["rms"]["ball.r"]["value"] == pytest.approx(5e-5 * 3**0.5, rel=0.1)
    assert result["rms"]["ball.q"]["value"] == pytest.approx(2e-3 * 3**0.5, rel=0.1)
    spec = contactlib.load(out / "scene.toml", outside=True)
    law = spec.laws[0]
    assert law.normal_parameters[:2] == (found["stiffness"]["value"], found["damping"]["value"])
    assert CliRunner().invoke(app, ["run", str(out / "scene.toml"), "-o", str(tmp_path / "run")]).exit_code == 0
    rows = list(csv.DictReader((out / "residuals.csv").open()))
    assert len(rows) == 738 and {row["series"] for row in rows} == {"slide_1", "slide_2", "slide_3"}
    page = (out / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 3 and 'src="http' not in page
    twice = CliRunner().invoke(app, ["calibrate", str(EXAMPLE / "calibration.toml"), "-o", str(out)])
    assert twice.exit_code == 1 and "--resume" in twice.output
    assert run_calibration(EXAMPLE / "calibration.toml", out, resume=True).as_tables() == result


def test_a_result_with_warnings_is_written_without_matplotlib(tmp_path, monkeypatch):
    """Missing numbers are null in JSON; a parameter of one series alone leaves the fitted scene as it was."""
    time, rows = true_runs(np.array([0.9, 1.6]))
    case = calibration(rows, time, np.array([0.9, 1.6]), {
        "parameter/friction/high": 0.28, "parameter/friction/start": 0.2,
        "parameter/speed": {"path": "body.ball.state.v[1]", "series": "slide_2", "low": 1.0, "start": 1.4,
                            "high": 2.0}})
    fit = run_calibration(case)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    written = write_results(fit, tmp_path)
    assert [path.name for path in written] == ["result.json", "summary.txt", "scene.toml", "residuals.csv",
                                               "report.html"]
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["parameters"]["friction"]["low"] is None and result["correlation"][2][2] is None
    assert "friction is at its upper bound" in (tmp_path / "summary.txt").read_text()
    assert contactlib.load(tmp_path / "scene.toml").body("ball").state[7] == 1.0


def test_series_that_are_not_fitted_are_compared(example, tmp_path):
    """The third series does not change the fit, and its deviation is that of its noise."""
    path = edited(example, ("measured/slide_*.csv", "measured/slide_[12].csv"))
    alone = run_calibration(path)
    path.write_text(path.read_text() + '\n[[series]]\nfile = "measured/slide_3.csv"\nstarts = "measured/starts.csv"\n'
                                       'fit = false\n')
    fit = run_calibration(path)
    assert fit.u.tobytes() == alone.u.tobytes() and alone.checks is None
    assert [each.name for each in fit.fitted.series] == ["slide_1", "slide_2"]
    assert fit.checks.rms(0) == pytest.approx(5e-5 * 3**0.5, rel=0.15)  # 153 numbers: 6 % is a standard deviation
    tables = fit.as_tables()
    assert tables["checks"]["slide_3"]["ball.r"] == fit.checks.rms(0) and [*tables["series"]] == ["slide_1", "slide_2"]
    assert "in series that were not fitted: " in describe(fit)


def test_simulated_series_are_those_of_the_residuals(example):
    calibration = load_calibration(edited(example, ("[[series]]", "[[series]]\nweight = 4.0")))
    fit = run_calibration(calibration)
    runs = simulate(calibration, fit.values)
    for block in fit.fitted.blocks:
        if block.measured == 0:
            deviation = runs[block.series]["ball.r"] - calibration.series[block.series].values["ball.r"]
            ours = fit.fitted.residuals[block.begin:block.end] * (5e-5 / 2.0)
            np.testing.assert_allclose(deviation[block.component], ours, atol=1e-15)
    assert fit.fitted.rms(0, 1) == pytest.approx(np.sqrt(((runs[1]["ball.r"] - calibration.series[1].values["ball.r"])
                                                          ** 2).sum(axis=0).mean()), rel=1e-12)
    with pytest.raises(ValueError, match="values has no 'damping': give a value for each parameter"):
        simulate(calibration, {"stiffness": 1e4})


def test_progress_tells_what_is_reached():
    time, rows = true_runs(np.array([0.9, 1.6]))
    steps = []
    fit = run_calibration(calibration(rows, time, np.array([0.9, 1.6])), progress=steps.append)
    costs = [step.cost for step in steps]
    assert costs == sorted(costs, reverse=True) and steps[0].values == pytest.approx(
        {"stiffness": 1e4, "damping": 20.0, "friction": 0.5})
    assert fit.runs > steps[-1].evaluations > 0
