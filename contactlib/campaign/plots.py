"""Figures of a campaign: histograms of the metrics, and metrics over draws. matplotlib is imported only to draw."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.campaign.statistics import percentiles
from contactlib.campaign.store import Results
from contactlib.report import plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
#: most rows and columns of the scatter plot; it shows the strongest correlations
MOST = 6
GOOD, BAD = plot.COLOURS[0], plot.COLOURS[1]


def figures(results: Results) -> Iterator[tuple[str, Figure, str]]:
    """Yield file names, figures and captions. ImportError if matplotlib is missing."""
    if not len(results.run):
        return
    yield "histograms.png", plot_histograms(results), "Histogram of every metric."
    if drawn(results):
        yield "scatter.png", plot_scatter(results), "Every metric over every draw, with the rank correlation."


def drawn(results: Results) -> list[str]:
    """Return the names of the draws that are numbers and vary."""
    columns = ((draw.name, results.columns[draw.name]) for draw in results.campaign.draws)
    return [name for name, column in columns if column.dtype.kind in "fiu" and np.ptp(column) > 0]


def _scale(results: Results, name: str) -> tuple[float, str]:
    """Return a factor that brings the numbers of a column to a readable size, and the unit after scaling."""
    units = {each.name: each.unit for each in results.campaign.draws}
    unit = (units | {each.name: each.unit for each in results.campaign.metrics})[name]
    if unit != "m":
        return 1.0, unit
    column = results.columns[name]
    largest = np.abs(column[np.isfinite(column)]).max(initial=0.0)
    scaled, unit = plot.scaled(np.array([largest]), unit)
    return float(scaled[0] / largest) if largest > 0 else 1.0, unit


def rank_correlation(x: Floats, y: Floats) -> float:
    """Spearman's rank correlation, with mean ranks for equal values; NaN if x or y does not vary.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 8.0, np.inf]))
    1.0
    """
    a, b = (_ranks(values) for values in (x, y))
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale > 0 else math.nan


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse], dtype=np.float64)


def plot_histograms(results: Results) -> Figure:
    """Draw one panel per metric: runs with and without success, percentiles, and the limits of the criteria."""
    plot.require_matplotlib()
    from matplotlib import rc_context

    metrics = results.campaign.metrics
    columns = 2 if len(metrics) in (2, 4) else min(3, len(metrics))
    rows = math.ceil(len(metrics) / columns)
    with rc_context(plot.STYLE):
        figure = plot.new_figure(4.2 * columns if columns > 1 else 6.4, 3.0 * rows + 0.6)
        axes = np.atleast_1d(figure.subplots(rows, columns, squeeze=False)).ravel()
        for ax, metric in zip(axes, metrics, strict=False):
            _histogram(ax, results, metric.name)
            ax.set_xlabel(_label(results, metric.name, "  "))
        for ax in axes[len(metrics):]:
            ax.set_axis_off()
        for ax in axes[:: columns]:
            ax.set_ylabel("runs")
        _legend(figure, results, lines=True)
        _title(figure, results)
    return figure


def _histogram(ax: Axes, results: Results, metric: str) -> None:
    factor = _scale(results, metric)[0]
    values, good = factor * results.columns[metric], results.columns["success"]
    finite = np.isfinite(values)
    ax.grid(axis="x", visible=False)
    ax.locator_params(axis="y", integer=True)
    if finite.any():
        shown = values[finite]
        spread = np.ptp(shown) > 0
        # sqrt(n) bins suit every spread, from equal values to heavy tails
        count = max(5, min(60, math.isqrt(len(shown)))) if spread else 1
        edges = np.histogram_bin_edges(shown, count).tolist()
        parts = [values[finite & good], values[finite & ~good]] if results.campaign.criteria else [shown]
        ax.hist(parts, bins=edges, stacked=True, color=[GOOD, BAD][: len(parts)], alpha=0.85,
                edgecolor="white", linewidth=0.4)
        for value, name in zip(percentiles(values)[1:-1:2], ("5 %", "50 %", "95 %"), strict=True):
            if math.isfinite(value):
                ax.axvline(value, color=plot.INK, lw=0.9, ls="--" if name == "50 %" else ":")
        for criterion in results.campaign.criteria:
            for limit in (factor * limit for limit in criterion.limits(metric)):
                if shown.min() - np.ptp(shown) <= limit <= shown.max() + np.ptp(shown):
                    ax.axvline(limit, color=plot.ALARM, lw=1.6)
    never = int(np.isposinf(values).sum())
    if never:
        ax.set_title(f"{never} of {len(values)} never", fontsize=9, loc="right", fontweight="normal", color=plot.SOFT)


def plot_scatter(results: Results) -> Figure:
    """Draw metrics over drawn numbers, one point per run, with Spearman's rank correlation in each panel."""
    plot.require_matplotlib()
    from matplotlib import rc_context

    names, rows, strength = _chosen(results)
    with rc_context(plot.STYLE):
        figure = plot.new_figure(max(6.4, 2.3 * len(names) + 0.6), 2.0 * len(rows) + 0.8)
        axes = figure.subplots(len(rows), len(names), squeeze=False, sharex="col", sharey="row")
        for i, metric in enumerate(rows):
            for j, name in enumerate(names):
                _scatter_panel(axes[i, j], results, name, metric, strength[metric, name])
            axes[i, 0].set_ylabel(_label(results, metric, "\n"))
        for j, name in enumerate(names):
            axes[-1, j].set_xlabel(_label(results, name, "\n"))
        figure.align_ylabels(axes[:, 0])
        _legend(figure, results)
        _title(figure, results, ", rank correlations")
    return figure


def _chosen(results: Results) -> tuple[list[str], list[str], dict[tuple[str, str], float]]:
    """Return at most MOST draws and metrics with the strongest correlations, in the order of the campaign."""
    names, metrics = drawn(results), [metric.name for metric in results.campaign.metrics]
    strength = {}
    for metric in metrics:
        known = ~np.isnan(results.columns[metric])
        for name in names:
            x, y = results.columns[name][known].astype(np.float64), results.columns[metric][known]
            strength[metric, name] = rank_correlation(x, y) if known.any() else math.nan
    size = {pair: abs(value) if not math.isnan(value) else 0.0 for pair, value in strength.items()}
    best = sorted(names, key=lambda name: -max(size[metric, name] for metric in metrics))[:MOST]
    top = sorted(metrics, key=lambda metric: -max(size[metric, name] for name in names))[:MOST]
    return [name for name in names if name in best], [metric for metric in metrics if metric in top], strength


def _scatter_panel(ax: Axes, results: Results, name: str, metric: str, strength: float) -> None:
    x, y = (_scale(results, each)[0] * results.columns[each] for each in (name, metric))
    good = results.columns["success"]
    size = float(np.clip(400 / math.sqrt(len(x)) / 4, 2.0, 16.0))
    for where, colour in ((good, GOOD), (~good, BAD)) if results.campaign.criteria else ((good | ~good, GOOD),):
        shown = where & np.isfinite(y)
        ax.scatter(x[shown], y[shown], s=size, color=colour, alpha=0.65, linewidths=0)
    ax.locator_params(nbins=5)
    if not math.isnan(strength):
        ax.set_title(f"{strength:+.2f}", loc="right", fontsize=8.5, pad=3,
                     fontweight="bold" if abs(strength) > 0.3 else "normal",
                     color=plot.INK if abs(strength) > 0.3 else plot.SOFT)


def _label(results: Results, name: str, between: str) -> str:
    unit = _scale(results, name)[1]
    return f"{name}{between}[{unit}]" if unit else name


def _legend(figure: Figure, results: Results, lines: bool = False) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Patch | Line2D] = []
    if results.campaign.criteria:
        handles = [Patch(color=GOOD, label="success"), Patch(color=BAD, label="no success")]
    if lines:
        handles += [Line2D([], [], color=plot.INK, lw=0.9, ls="--", label="median"),
                    Line2D([], [], color=plot.INK, lw=0.9, ls=":", label="5 % and 95 %")]
        if results.campaign.criteria:
            handles.append(Line2D([], [], color=plot.ALARM, lw=1.6, label="limit"))
    if handles:
        figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), handlelength=1.2)


def _title(figure: Figure, results: Results, more: str = "") -> None:
    text = f"{results.campaign.name}: {len(results.run)} runs{more}"
    figure.suptitle(text, x=0.01, ha="left", fontsize=12, color=plot.INK)
