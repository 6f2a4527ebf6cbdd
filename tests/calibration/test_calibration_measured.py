"""`contactlib calibrate` on measured tosses: eight first impacts give the numbers of a fit to 60 whole tosses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from contactlib.calibration import load_calibration, run_calibration

CASE = Path(__file__).parents[2] / "validation_data" / "cube_tosses"
INERTIA = 0.00081  # kg m2, published, which the fits to whole tosses multiply


def test_first_impacts_give_the_numbers_of_whole_tosses(tmp_path):
    """The tolerances are twice the 95 % intervals of 30 tosses, widened by the square root of 30/8."""
    subprocess.run([sys.executable, CASE / "calibrate.py", "--out", tmp_path, "--tosses", "8"], check=True)
    fit = run_calibration(load_calibration(tmp_path / "calibration.toml"), num_threads=2)
    whole = json.loads((CASE / "fitted.json").read_text(encoding="utf-8"))["draw 1"]
    assert fit.values["friction"] == pytest.approx(whole["mu"], abs=4 * 0.0077)
    assert fit.values["inertia"] == pytest.approx(whole["inertia"] * INERTIA, abs=4 * 3.8e-5)
    assert fit.values["damping"] == pytest.approx(whole["damping"], abs=4 * 5.5)
    # eight other tosses deviate by no more than twice as much
    fitted, others = fit.fitted.by_quantity(), fit.checks.by_quantity()
    assert all(others[name]["value"] < 2.0 * fitted[name]["value"] for name in fitted)
