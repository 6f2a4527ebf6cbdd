"""The report of a calibration: a text, a JSON file, the fitted scene, residuals as a table, figures, an HTML page."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path

from contactlib.calibration import plots
from contactlib.calibration.result import Fit
from contactlib.calibration.runs import Runs
from contactlib.campaign.scene_file import standalone, toml
from contactlib.common.files import write_text
from contactlib.report import run_report


def describe(fit: Fit) -> str:
    """Return the result as text: estimates with intervals, remaining deviations, warnings."""
    options = fit.calibration.options
    lines = [f"{fit.calibration.name}: {overview(fit)}", ""]
    width = max(len(each.parameter.name) for each in fit.estimates)
    lines += [f"  {each.parameter.name:{width}}  {each}" for each in fit.estimates]
    lines += ["", f"  intervals: {100 * options.confidence:g} %, {_kind(options.intervals)}", ""]
    for k, each in enumerate(fit.calibration.measured):
        value, checked = fit.fitted.rms(k), fit.checks.rms(k) if fit.checks else math.nan
        if not math.isnan(value):
            lines.append(f"  deviation of {each.name}: {value:.4g} {each.unit}".rstrip() + " (root mean square)")
        if not math.isnan(checked):
            text = f"  deviation of {each.name} in series that were not fitted: {checked:.4g} {each.unit}"
            lines.append(text.rstrip())
    lines += [f"\n  {sentence}" for sentence in fit.warnings]
    return "\n".join(lines)


def _kind(intervals: str) -> str:
    return "from whole series (jackknife)" if intervals == "series" else "from independent rows"


def overview(fit: Fit) -> str:
    """Return how many numbers were fitted to how many, and with what cost, in a sentence."""
    series = len(fit.calibration.series)
    return (f"{len(fit.estimates)} parameters fitted to {len(fit.fitted.residuals)} residuals of {series} series; "
            f"cost {fit.cost:.6g}, {'converged' if fit.converged else 'NOT converged'}.")


def fitted_scene(fit: Fit) -> str:
    """Return the text of the scene with the fitted values; `contactlib run` accepts it.

    It has the parameters that act on all series, and the initial state of the scene as written. It ends with the
    longest series.
    """
    calibration = fit.calibration
    changes = calibration.parameter_changes(fit.values)
    spec = calibration.spec_of(changes)
    spec = replace(spec, duration=max(float(each.time[-1]) for each in calibration.series))
    tables = standalone(calibration.scene_of(changes), spec, Path(calibration.source.scene_folder))
    head = "\n".join(f"# {each.parameter.name} = {each}" for each in fit.estimates)
    return f"# fitted by the calibration {calibration.name}\n{head}\n\n{toml(tables)}"


def residual_table(fit: Fit) -> str:
    """Return all residuals as CSV: series, time, component, and simulated minus measured in the unit of sigma."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["series", "time", "component", "deviation", "unit"])
    for block in fit.fitted.blocks:
        series, measured = fit.calibration.series[block.series], fit.calibration.measured[block.measured]
        factor = measured.sigma / math.sqrt(series.weight)
        name = measured.components[block.component]
        for time, value in zip(series.time, fit.fitted.residuals[block.begin:block.end], strict=True):
            writer.writerow([series.name, f"{time:.10g}", name, f"{factor * value:.10g}", measured.unit])
    return file.getvalue()


def facts(fit: Fit) -> list[run_report.Fact]:
    """Return the key figures: estimates, deviations, and the ends of several starts."""
    found = [run_report.Fact(each.parameter.name, str(each)) for each in fit.estimates]
    found += [run_report.Fact(f"Deviation of {each.name}, root mean square", fit.fitted.rms(k), each.unit)
              for k, each in enumerate(fit.calibration.measured)]
    if fit.checks:
        found += [run_report.Fact(f"Deviation of {each.name} in {len(fit.checks.series)} series that were not fitted",
                                  fit.checks.rms(k), each.unit) for k, each in enumerate(fit.calibration.measured)]
    found += [run_report.Fact("Cost", fit.cost)]
    if len(fit.starts) > 1:
        found += [run_report.Fact(f"End {number} of {len(fit.starts)} starts", f"cost {cost:.6g}: " + ", ".join(
            f"{name} {value:.5g}" for name, value in values.items()))
            for number, (cost, values) in enumerate(fit.starts, start=1)]
    return found


def write_results(fit: Fit, folder: str | Path, command: str = "") -> list[Path]:
    """Write result.json, summary.txt, scene.toml, residuals.csv, report.html and, with matplotlib, three figures.

    Parameters
    ----------
    fit : from `run_calibration`.
    folder : where the files are written.
    command : the command to repeat the calibration, for the page.

    Returns
    -------
    The paths of the files.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = [
        write_text(folder / "result.json", json.dumps(fit.as_tables(), indent=1, allow_nan=False) + "\n"),
        write_text(folder / "summary.txt", describe(fit) + "\n"),
        write_text(folder / "scene.toml", fitted_scene(fit)),
        write_text(folder / "residuals.csv", residual_table(fit)),
    ]
    figures = []
    try:
        for name, figure, caption in plots.figures(fit, Runs(fit.calibration, 1)):
            written.append(run_report.write_figure(folder / name, figure))
            figures.append((folder / name, caption))
    except ImportError:
        pass  # the command line reports the missing matplotlib; the other files need no figures
    written.append(run_report.write_report(
        folder / "report.html", title=f"Calibration {fit.calibration.name}",
        summary=" ".join([overview(fit), *fit.warnings]), facts=facts(fit), setting=_setting(fit), commands=command,
        figures=figures))
    return written


def _setting(fit: Fit) -> str:
    calibration, options = fit.calibration, fit.calibration.options
    names = ", ".join(f"{each.name} (sigma {each.sigma:g} {each.unit})" for each in calibration.measured)
    scene = calibration.source.scene.get("scene", {}).get("name")
    return (f"Scene {scene}, {len(calibration.series)} series, measured: {names}. Loss {options.loss}, scale "
            f"{options.loss_scale:g}. Intervals of {100 * options.confidence:g} % {_kind(options.intervals)}. "
            f"{fit.message}")
