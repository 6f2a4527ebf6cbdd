"""Figures of a calibration: measured and simulated series, residuals, intervals. Only a figure imports matplotlib."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration.measured import Measured
from contactlib.calibration.parameters import Parameter
from contactlib.calibration.result import Fit
from contactlib.calibration.runs import Runs
from contactlib.report import plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
#: most quantities and series that a figure shows, and most points of a scatter plot
MOST_ROWS, MOST_SERIES, MOST_POINTS = 6, 3, 20_000


def figures(fit: Fit, runs: Runs) -> Iterator[tuple[str, Figure, str]]:
    """Yield file names, figures and captions. ImportError if matplotlib is missing."""
    shown = _shown(fit)
    which = " The series with the smallest, the median and the largest deviation." if len(shown) < len(
        fit.calibration.series) else ""
    yield "series.png", plot_series(fit, runs, shown), "Measured values (dots) and the fitted run (lines)." + which
    yield "residuals.png", plot_residuals(fit), ("Residuals over time, and their histograms with the normal "
                                                 "distribution of the given sigma.")
    yield "parameters.png", plot_parameters(fit), ("Intervals between the bounds of each parameter, and correlations "
                                                   "of the estimates.")


def _shown(fit: Fit) -> list[int]:
    """Return the numbers of the series to show: those with the smallest, the median and the largest residuals."""
    squares = np.zeros(len(fit.calibration.series))
    count = np.zeros(len(squares))
    for block in fit.fitted.blocks:
        part = fit.fitted.residuals[block.begin:block.end]
        squares[block.series] += float(part @ part)
        count[block.series] += block.end - block.begin
    order = np.argsort(squares / np.maximum(count, 1), kind="stable").tolist()
    return order if len(order) <= MOST_SERIES else [order[0], order[len(order) // 2], order[-1]]


def plot_series(fit: Fit, runs: Runs, shown: list[int]) -> Figure:
    """Draw measured and simulated values of some series; attitudes as turns since the first measured row."""
    plot.require_matplotlib()
    from matplotlib import rc_context

    measured = fit.calibration.measured[:MOST_ROWS]
    with rc_context(plot.STYLE):
        figure = plot.new_figure(max(7.0, 4.2 * len(shown)), 2.5 * len(measured) + 0.6)
        axes = figure.subplots(len(measured), len(shown), squeeze=False, sharex="col")
        for j, (number, simulated) in enumerate(zip(shown, runs.curves(fit.values, shown), strict=True)):
            series = fit.calibration.series[number]
            for i, each in enumerate(measured):
                ax = axes[i, j]
                if each.name in simulated:
                    _both(ax, each, series.time, series.values[each.name], simulated[each.name])
                ax.set_ylabel(f"{each.name}  [{each.unit}]" if j == 0 else "")
            axes[0, j].set_title(series.name)
            axes[-1, j].set_xlabel("time  [s]")
        _title(figure, fit, "measured (dots) and fitted (lines)")
    return figure


def _both(ax: Axes, measured: Measured, time: Floats, data: Floats, simulated: Floats) -> None:
    if measured.turns:
        first = np.repeat(data[:, :1], len(time), axis=1)
        data, simulated = measured.deviation(data, first), measured.deviation(simulated, first)
    for k in range(len(data)):
        colour = plot.COLOURS[k % len(plot.COLOURS)]
        ax.plot(time, data[k], ".", color=colour, markersize=3.5, alpha=0.6)
        ax.plot(time, simulated[k], color=colour, linewidth=1.2, label=_part(measured, k))
    if len(data) > 1:
        ax.legend(ncols=len(data), loc="best", handlelength=1.2)


def _part(measured: Measured, k: int) -> str:
    return "xyz"[k] if measured.turns or len(measured.variables) == 3 else measured.variables[k]


def plot_residuals(fit: Fit) -> Figure:
    """Draw the residuals over time and as histograms, in standard deviations, one row for each quantity."""
    plot.require_matplotlib()
    from matplotlib import rc_context

    measured = fit.calibration.measured[:MOST_ROWS]
    with rc_context(plot.STYLE):
        figure = plot.new_figure(9.6, 2.4 * len(measured) + 0.6)
        axes = figure.subplots(len(measured), 2, squeeze=False, width_ratios=(2.4, 1.0))
        for i, each in enumerate(measured):
            blocks = [block for block in fit.fitted.blocks if block.measured == i]
            if blocks:
                time = np.concatenate([fit.calibration.series[block.series].time for block in blocks])
                values = np.concatenate([fit.fitted.residuals[block.begin:block.end] for block in blocks])
                component = np.concatenate([np.full(block.end - block.begin, block.component) for block in blocks])
                _residual_panels(axes[i, 0], axes[i, 1], time, values, component)
            axes[i, 0].set_title(f"{each.name}: residuals over sigma = {each.sigma:g} {each.unit}")
        axes[-1, 0].set_xlabel("time  [s]")
        axes[-1, 1].set_xlabel("residual over sigma")
        _title(figure, fit, "residuals")
    return figure


def _residual_panels(left: Axes, right: Axes, time: Floats, values: Floats, component: Floats) -> None:
    every = max(1, len(values) // MOST_POINTS)
    for k in range(int(component.max()) + 1):
        chosen = np.flatnonzero(component == k)[::every]
        left.plot(time[chosen], values[chosen], ".", color=plot.COLOURS[k % len(plot.COLOURS)], markersize=3,
                  alpha=0.6)
    left.axhline(0.0, color=plot.INK, linewidth=0.8)
    span = max(3.0, float(np.percentile(np.abs(values), 99.5)))
    bins = max(8, min(60, math.isqrt(len(values))))
    right.hist(np.clip(values, -span, span), bins=bins, range=(-span, span), density=True, color=plot.FILL)
    x = np.linspace(-span, span, 200)
    right.plot(x, np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi), color=plot.INK, linewidth=1.0)


def plot_parameters(fit: Fit) -> Figure:
    """Draw the intervals between the bounds, and the correlation matrix."""
    plot.require_matplotlib()
    from matplotlib import rc_context

    names = [each.parameter.name for each in fit.estimates]
    n = len(names)
    with rc_context(plot.STYLE):
        figure = plot.new_figure(10.0, 1.4 + max(1.6, 0.45 * n))
        left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
        for k, each in enumerate(fit.estimates):
            if not each.note:
                ends = [float(np.clip(_position(each.parameter, end), 0.0, 1.0)) for end in (each.low, each.high)]
                left.plot(ends, [k, k], color=plot.COLOURS[0], linewidth=4, alpha=0.4, solid_capstyle="butt")
            left.plot(fit.u[k], k, "o", color=plot.ALARM if each.note else plot.COLOURS[0])
            left.annotate(str(each), (0.5, k), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=8)
        left.set(xlim=(-0.02, 1.02), ylim=(n - 0.4, -0.8), yticks=range(n), yticklabels=names)
        left.set_xlabel("position between the lower and the upper bound")
        right.imshow(np.nan_to_num(fit.correlation), cmap="RdBu_r", vmin=-1, vmax=1)
        right.set(xticks=range(n), yticks=range(n), xticklabels=names, yticklabels=names)
        right.tick_params(axis="x", rotation=60)
        right.grid(False)
        for i in range(n if n <= 12 else 0):
            for k in range(n):
                value = fit.correlation[i, k]
                right.text(k, i, "" if math.isnan(value) else f"{value:.2f}", ha="center", va="center", fontsize=8,
                           color="white" if abs(value) > 0.6 else plot.INK)
        confidence = 100 * fit.calibration.options.confidence
        _title(figure, fit, f"{confidence:g} % intervals and correlations")
    return figure


def _position(parameter: Parameter, value: float) -> float:
    if parameter.scale == "log" and value <= 0.0:
        return 0.0
    return parameter.position(value) if math.isfinite(value) else 1.0


def _title(figure: Figure, fit: Fit, what: str) -> None:
    figure.suptitle(f"{fit.calibration.name}: {what}", x=0.01, ha="left", fontsize=12, color=plot.INK)
