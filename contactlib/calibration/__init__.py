"""Calibration: parameters of a scene fitted to measured series, with confidence intervals (docs/calibration.md)."""

from contactlib.calibration.definition import Calibration, load_calibration, read_calibration
from contactlib.calibration.deviations import Deviations
from contactlib.calibration.execute import run_calibration, simulate
from contactlib.calibration.measured import Measured
from contactlib.calibration.parameters import Parameter
from contactlib.calibration.result import Estimate, Fit
from contactlib.calibration.series import Series

__all__ = ["Calibration", "Deviations", "Estimate", "Fit", "Measured", "Parameter", "Series", "load_calibration",
           "read_calibration", "run_calibration", "simulate"]
