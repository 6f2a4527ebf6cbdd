"""Execution of a calibration: the fit, its statistics, and the files of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration.definition import Calibration, check_series, load_calibration
from contactlib.calibration.fit import Evaluator, Report, fit
from contactlib.calibration.result import Fit, conclude
from contactlib.calibration.runs import Runs
from contactlib.calibration.store import Store
from contactlib.campaign.lock import locked

Floats = NDArray[np.float64]


def run_calibration(calibration: Calibration | str | Path, folder: str | Path | None = None, *, resume: bool = False,
                    num_threads: int | None = -1, progress: Report | None = None) -> Fit:
    """Fit the parameters of a scene to its measured series.

    Parameters
    ----------
    calibration : from `load_calibration` or `read_calibration`, or the path of a calibration.toml.
    folder : folder for the evaluations, each of which is stored before it is used; None stores nothing.
    resume : continue in a folder whose fit was interrupted. The result has the bits of a fit without interruption.
    num_threads : number of threads, like scipy's `workers`; all cores by default.
    progress : called with a `Progress` before each Jacobian.

    Raises
    ------
    ValueError, OSError : the calibration cannot start, or the runs fail at the start values.

    Examples
    --------
    >>> fitted = run_calibration("examples/calibration/calibration.toml", num_threads=1)
    >>> fitted.converged, len(fitted.estimates)
    (True, 3)
    """
    calibration = calibration if isinstance(calibration, Calibration) else load_calibration(calibration)
    check_series(calibration)
    runs = Runs(calibration, num_threads)
    if folder is None:
        if resume:
            raise ValueError("resume = True: a calibration continues in a folder: give its folder")
        return _fitted(runs, Store(), progress)
    folder = Path(folder)
    with _locked(folder, resume):
        return _fitted(runs, (Store.open if resume else Store.create)(folder, calibration), progress)


def simulate(calibration: Calibration, values: Mapping[str, float], *,
             num_threads: int | None = -1) -> list[dict[str, Floats]]:
    """Run all series of a calibration with given values of the parameters.

    Parameters
    ----------
    calibration : from `load_calibration`. Other series than the fitted ones: `replace(calibration, series=...)`.
    values : value of each parameter by name, such as `Fit.values`.
    num_threads : number of threads, like scipy's `workers`.

    Returns
    -------
    For each series the simulated values (K, n) at its measured times, by the names of the measured quantities.

    Raises
    ------
    ValueError : a value is missing, or a run fails.

    Examples
    --------
    >>> calibration = load_calibration("examples/calibration/calibration.toml")
    >>> runs = simulate(calibration, {"stiffness": 2e4, "damping": 40.0, "friction": 0.3})
    >>> [run["ball.r"].shape for run in runs]
    [(3, 31), (3, 41), (3, 51)]
    """
    for each in calibration.parameters:
        if each.name not in values:
            raise ValueError(f"values has no '{each.name}': give a value for each parameter")
    return Runs(calibration, num_threads).curves(values, range(len(calibration.series)))


def _locked(folder: Path, resume: bool) -> AbstractContextManager[None]:
    if resume and not folder.is_dir():
        return nullcontext()  # Store.open says that there is nothing to continue
    folder.mkdir(parents=True, exist_ok=True)
    return locked(folder, "calibration")


def _fitted(runs: Runs, store: Store, progress: Report | None) -> Fit:
    evaluator = Evaluator(runs, store)
    return conclude(evaluator, fit(evaluator, runs.calibration.options, progress or (lambda step: None)))
