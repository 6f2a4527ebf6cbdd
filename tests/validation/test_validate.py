"""contactlib validate: its cases, its verdicts, its exit codes, its report, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from contactlib.cli.main import app
from contactlib.validation import OWN, data_folder, find_cases, run_cases, write_validation_report
from contactlib.validation.compare import Check, Outcome, compare, of_series
from contactlib.validation.reference import reference_files
from contactlib.validation.run import run_case

DATA = data_folder()
CASES = find_cases(DATA)
#: run in the tests: each takes less than a second. make validate runs all
QUICK = ["adhesion", "chrono_beam", "circle_line", "clearance", "collision", "convex_pairs", "elastic_foundation",
         "force_curve", "four_bar", "friction_anisotropic", "friction_lugre", "friction_regularised", "gecko",
         "hertz_impact", "impact_linear", "lcp", "mechanisms", "membrane_band", "membrane_earth_bounce",
         "plane_pairs", "range_finder", "rigid_scenes", "rim_subdivision", "rolling_resistance", "socket_pairs",
         "surface_pairs", "taut_cables", "thruster", "torque_free"]
#: references that take longer than a second, or need MuJoCo, Drake or Exudyn
SLOW_REFERENCES = {"cable_exudyn", "cable_swing", "chain_mujoco", "convex_pairs", "rigid_scenes", "square_peg",
                   "surface_pairs"}


def invoke(*arguments: str, tmp_path: Path):
    return CliRunner().invoke(app, ["validate", *arguments, "-o", str(tmp_path / "report.html"), "--jobs", "1"])


# ---- the cases -----------------------------------------------------------------------------------


def test_every_folder_is_a_case_with_a_readme_that_names_its_source():
    assert {case.name for case in CASES} == {path.name for path in DATA.iterdir() if path.is_dir()}
    for case in CASES:
        assert case.readme.startswith("# ") and "**Source" in case.readme, case.name
        assert case.covers and case.source and case.made_by, case.name


def test_own_recordings_are_few_and_the_kinds_of_truth_are_there():
    kinds = [case.kind for case in CASES]
    assert kinds.count(OWN) <= 4 < kinds.count("cross-code")
    assert len(CASES) > 50 and {"analytic", "published", "measured"} < set(kinds)


def test_every_tolerance_has_a_reason():
    for case in CASES:
        for row in (*case.quantities, *case.series):
            assert len(row.reason) > 5 and row.unit and not row.reason.startswith("as "), (case.name, row.name)


@pytest.mark.parametrize("name", [case.name for case in CASES if (case.folder / "reference.py").exists()])
def test_the_reference_is_what_its_script_makes(name):
    """To the last digits, which elementary functions of other systems may change; the slow ones only parse."""
    program = (DATA / name / "reference.py").read_text(encoding="utf-8")
    assert "contactlib" not in re.sub(r'"""[\s\S]*?"""|#.*', "", program), "a reference shares no code with the library"
    if name in SLOW_REFERENCES:
        compile(program, name, "exec")
        return
    for file, text in reference_files(DATA / name).items():
        stored = (DATA / name / file).read_text(encoding="utf-8")
        ours, kept = (re.split(r"[,\n]", content) for content in (text, stored))
        for a, b in zip(ours, kept, strict=True):
            assert a == b or float(a) == pytest.approx(float(b), rel=1e-10, abs=1e-14), (name, file)


@pytest.mark.parametrize("name", QUICK)
def test_a_quick_case_holds(name):
    (outcome,) = run_cases(find_cases(DATA, [name]))
    assert outcome.passed, (outcome.error, [check for check in outcome.checks if not check.passed])


@pytest.mark.parametrize("name", ["thruster", "peg_in_hole"])
def test_a_case_holds_through_its_fmu(name):
    (outcome,) = run_cases(find_cases(DATA, [name]), fmu=True)
    assert outcome.passed and outcome.through == "fmu", outcome.error


# ---- verdicts ------------------------------------------------------------------------------------


def spoilt(name: str, change):
    """The outcome of a case whose results a function has changed."""
    (case,) = find_cases(DATA, [name])
    good = run_case(case)
    results = {check.name: change(check) for check in good.checks}
    return replace(good, checks=compare(case, results))


def as_result(check: Check, factor: float = 1.0):
    return factor * check.ours if check.curve is None else (check.curve.x, factor * check.curve.ours)


def test_a_series_that_is_wrong_is_red():
    assert spoilt("membrane_band", as_result).verdict == "ok"
    assert spoilt("membrane_band", lambda check: as_result(check, 1.0 + 1e-6)).verdict == "MISSED"


def test_one_wrong_row_is_red_and_is_the_one_that_is_shown():
    x = np.linspace(0.0, 1.0, 11)
    ours = x.copy()
    ours[7] += 0.1
    check = of_series("x", "m", "t [s]", x, x, (x, ours), 1e-3, "a test")
    assert not check.passed and check.reference == pytest.approx(0.7) and check.deviation == pytest.approx(0.1)


@pytest.mark.parametrize("ours", [np.linspace(0.0, 0.9, 10), np.array([])])
def test_a_series_that_ends_early_is_red(ours):
    x = np.linspace(0.0, 1.0, 11)
    assert not of_series("x", "m", "t [s]", x, x, (ours, ours), 1.0, "a test").passed


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_none_is_red(value):
    check = Check("x", "m", 1.0, value, 1e9, "a test")
    assert not check.passed and not Check("x", "m", value, 1.0, 1e9, "a test").passed


def test_a_wrong_physical_constant_is_red(monkeypatch):
    """The program of a case runs another scene: each of some parameters is wrong by a percent."""
    import contactlib.validation.building as building

    original = building.scene

    def wrong(bodies, law=None, *rest, **keys):
        wrong_ones = ("damping", "slip_velocity", "pull_off", "modulus", "sigma_2", "mu_rolling")
        law = {part: {key: 1.01 * x if key in wrong_ones else x for key, x in values.items()}
               for part, values in (law or {}).items()}
        return original(bodies, law, *rest, **keys)

    monkeypatch.setattr(building, "scene", wrong)
    for name in ("impact_linear", "friction_regularised", "adhesion", "hertz_impact", "friction_lugre",
                 "rolling_resistance"):
        (outcome,) = run_cases(find_cases(DATA, [name]))
        assert outcome.verdict == "MISSED", name


def test_a_quantity_without_a_reference_or_a_result_is_an_error():
    (case,) = find_cases(DATA, ["lcp"])
    with pytest.raises(ValueError, match="returns 'more', which has no reference"):
        compare(case, {"more": 1.0})
    with pytest.raises(ValueError, match="returns no 'z, largest difference'"):
        compare(case, {"solved": 1.0})


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder of data with two quick cases."""
    for name in ("lcp", "impact_linear"):
        shutil.copytree(DATA / name, tmp_path / "data" / name)
    return tmp_path / "data"


def test_the_command_prints_writes_and_exits_with_0(copied, tmp_path):
    result = invoke("--data", str(copied), "--json", str(tmp_path / "all.json"), tmp_path=tmp_path)
    assert result.exit_code == 0, result.output
    assert "2 of 2 cases with outside truth hold (2 analytic; 11 comparisons)" in result.output
    numbers = json.loads((tmp_path / "all.json").read_text())
    assert numbers["figures"]["cases"] == 2 and numbers["cases"]["lcp"]["verdict"] == "ok"


@pytest.mark.parametrize(("file", "old", "new"), [
    ("impact_linear/motion.csv", "0.001,", "0.001,1"),
    ("impact_linear/case.toml", "tolerance = 3e-08", "tolerance = 0"),
    ("lcp/case.py", "def run(", "def ran(")])
def test_a_miss_and_a_failure_exit_with_1(copied, tmp_path, file, old, new):
    path = copied / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    result = invoke("--data", str(copied), tmp_path=tmp_path)
    assert result.exit_code == 1 and f"Not met: {file.partition('/')[0]}." in result.output
    assert "Not all cases hold" in (tmp_path / "report.html").read_text()


def test_an_own_recording_is_no_evidence(tmp_path):
    (case,) = find_cases(DATA, ["peg_in_hole_fmu"])
    good = Outcome(case, (Check("force", "N", 1.0, 1.0, 0.1, "a test"),))
    assert good.verdict == "same"
    bad = replace(good, checks=(replace(good.checks[0], ours=2.0),))
    assert bad.verdict == "CHANGED" and not bad.passed
    path = write_validation_report(tmp_path / "a.html", [bad], versions={}, machine={}, command="")
    assert "evidence of nothing" in path.read_text() and "0 of 0 cases with outside truth" in path.read_text()


@pytest.mark.parametrize(("arguments", "message"), [
    (["tripot"], "CASE = 'tripot': there is no such case in .*; did you mean 'tripod'"),
    (["--data", "nowhere"], "--data = nowhere: there is no such folder; the validation data are in the source tree"),
    (["lcp", "--fmu"], "--fmu: no FMU can run these cases"),
])
def test_what_is_refused(tmp_path, arguments, message):
    result = invoke(*arguments, tmp_path=tmp_path)
    assert result.exit_code == 1 and re.search(message, result.stderr)


@pytest.mark.parametrize(("old", "new", "message"), [
    ('kind = "analytic"', 'kind = "true"', "kind = 'true'"), ("tolerance = 1e-15", "tolerance = -1", "tolerance = -1"),
    ("unit =", "units =", "unit is missing"), ("title =", "name =", "title is missing")])
def test_a_wrong_case_file_is_named(copied, tmp_path, old, new, message):
    path = copied / "lcp" / "case.toml"
    path.write_text(path.read_text().replace(old, new, 1))
    result = invoke("--data", str(copied), tmp_path=tmp_path)
    assert result.exit_code == 1 and str(path) in result.stderr and message in result.stderr


def test_a_case_whose_package_is_missing_is_not_run_and_says_so(copied, tmp_path):
    """It neither holds nor fails; where no case ran, nothing was shown."""
    path = copied / "lcp" / "case.toml"
    path.write_text('needs = ["no_such_package"]\n' + path.read_text())
    result = invoke("--data", str(copied), "--json", str(tmp_path / "all.json"), tmp_path=tmp_path)
    sentence = "needs no_such_package, not installed here: pip install no_such_package"
    assert result.exit_code == 0 and f"Not run: lcp {sentence}." in result.output
    assert "1 of 1 cases with outside truth hold (1 analytic" in result.output
    numbers = json.loads((tmp_path / "all.json").read_text())
    assert numbers["figures"]["not_run"] == 1 and numbers["cases"]["lcp"]["verdict"] == "not run"
    page = (tmp_path / "report.html").read_text()
    assert sentence in page and "All cases hold" in page
    result = invoke("lcp", "--data", str(copied), tmp_path=tmp_path)
    assert result.exit_code == 1 and "Not all cases hold" in (tmp_path / "report.html").read_text()


def test_a_case_without_a_description_is_named_before_anything_runs(copied, tmp_path):
    (next(copied.iterdir()) / "README.md").unlink()
    result = invoke("--data", str(copied), tmp_path=tmp_path)
    assert result.exit_code == 1 and "README.md is missing beside it" in result.output
    assert not (tmp_path / "report.html").exists()


def test_a_file_that_cannot_be_written_is_told_before_anything_runs(copied, tmp_path):
    result = invoke("--data", str(copied), "--json", str(tmp_path), tmp_path=tmp_path)
    assert result.exit_code == 1 and "this is a folder: name a file" in result.output
    assert not (tmp_path / "report.html").exists()


def test_a_process_that_dies_is_an_error_of_its_case(copied, tmp_path):
    case = next(path for path in copied.iterdir() if (path / "case.py").exists())
    (case / "case.py").write_text("import os; os._exit(3)\n")
    outcomes = run_cases(find_cases(copied, [case.name]) * 2, jobs=2)
    assert [outcome.verdict for outcome in outcomes] == ["ERROR"] * 2
    assert "a process of the run has died" in outcomes[0].error


def test_the_list_runs_nothing(tmp_path):
    result = invoke("--list", tmp_path=tmp_path)
    assert result.exit_code == 0 and len(result.output.splitlines()) == len(CASES)
    assert not (tmp_path / "report.html").exists()


# ---- the report ----------------------------------------------------------------------------------


def test_the_report_is_one_file_without_links_to_anything_outside(copied, tmp_path):
    invoke("--data", str(copied), tmp_path=tmp_path)
    page = (tmp_path / "report.html").read_text()
    links = re.findall(r'(?:href|src|action)\s*=\s*"([^"]*)"|url\(([^)]*)\)|@import', page)
    assert links and all(link[0].startswith(("#", "data:image/svg+xml;base64,")) for link in links)
    assert "<script" not in page and "<link" not in page
    assert page.count("data:image/svg+xml") == 2  # a plot for each series
    for text in ("Versions", "Machine", "Command to repeat", "Reason of the tolerance", "Kinds of truth"):
        assert text in page
    assert all(f'id="{name}"' in page for name in ("lcp", "impact_linear"))


def test_texts_of_a_case_cannot_break_the_page(tmp_path):
    (case,) = find_cases(DATA, ["lcp"])
    check = Check("<b>x</b>", "m", 1.0, 2.0, 0.1, "a & b <script>")
    outcome = Outcome(replace(case, title="<i>t</i>", source="<a href='http://a'>"), (check,))
    page = write_validation_report(tmp_path / "a.html", [outcome], versions={}, machine={}, command="").read_text()
    assert "<script" not in page and "<b>x" not in page and "<i>t" not in page and "href='http" not in page


def test_without_matplotlib_the_report_has_no_plots_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "contactlib.validation.plots", raising=False)
    outcomes = run_cases(find_cases(DATA, ["force_curve"]))
    page = write_validation_report(tmp_path / "a.html", outcomes, versions={}, machine={}, command="").read_text()
    assert "No plots: matplotlib is not installed" in page


def test_processes_give_the_same_numbers():
    """Two processes, in a fresh interpreter, as the command runs them."""
    program = ("from contactlib.validation import *\n"
               "if __name__ == '__main__':\n"
               "    cases = find_cases(data_folder(), ['lcp', 'force_curve'])\n"
               "    runs = [run_cases(cases, jobs=jobs) for jobs in (1, 2)]\n"
               "    print([[c.ours for o in run for c in o.checks] for run in runs])")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    one, two = eval(done.stdout)
    assert one == two and len(one) == 4
