"""Plots of a report: ours on the reference, and the difference with its tolerance, as SVG within the page."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.validation.compare import Check, Curve

_MOST = 400  # points of a line; more cannot be seen
_INK, _OURS, _REFERENCE, _BAND = "#22303c", "#1f6fb4", "#e08a1e", "#dfe9f3"
_STYLE = {"font.size": 9, "axes.edgecolor": "#9aa7b3", "axes.labelcolor": _INK, "text.color": _INK,
          "xtick.color": _INK, "ytick.color": _INK, "svg.fonttype": "none", "axes.spines.top": False,
          "axes.spines.right": False, "axes.formatter.limits": (-3, 4), "axes.formatter.useoffset": False}


def series_picture(check: Check) -> str:
    """Return the plot of a series as an address for `<img>`, "data:image/svg+xml;base64,...".

    The left half has both series, the right half their difference between the limits of the tolerance.

    Raises
    ------
    ImportError : matplotlib is not installed.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    curve = check.curve
    assert curve is not None
    with rc_context({**_STYLE, "svg.hashsalt": check.name}):
        figure = Figure(figsize=(9.6, 2.7), layout="constrained")
        FigureCanvasSVG(figure)
        left, right = figure.subplots(1, 2)
        _both(left, check, curve)
        _difference(right, check, curve)
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + base64.b64encode(file.getvalue()).decode()


def _both(axes: Any, check: Check, curve: Curve) -> None:
    kept = _thin(curve)
    few = len(curve.x) <= 60
    axes.plot(curve.x[kept], curve.reference[kept], color=_REFERENCE, linewidth=0 if few else 3.2,
              marker="o" if few else None, markersize=5, markerfacecolor="none", label="reference")
    axes.plot(curve.x[kept], curve.ours[kept], color=_OURS, linewidth=1.2, label="ours")
    axes.set(xlabel=curve.x_label, ylabel=f"[{check.unit}]")
    axes.set_title(check.name, loc="left", fontsize=9.5)
    axes.legend(frameon=False, fontsize=8)


def _difference(axes: Any, check: Check, curve: Curve) -> None:
    kept = _thin(curve)
    axes.axhspan(-check.tolerance, check.tolerance, color=_BAND, zorder=0)
    axes.plot(curve.x[kept], (curve.ours - curve.reference)[kept], color=_OURS, linewidth=1.0,
              marker="." if len(curve.x) <= 60 else None)
    axes.set(xlabel=curve.x_label, ylabel=f"[{check.unit}]")
    axes.set_title(f"ours - reference; band: tolerance {check.tolerance:.2g} {check.unit}", loc="left", fontsize=9.5)


def _thin(curve: Curve) -> NDArray[np.intp]:
    """Rows to draw: equally spaced, and always the one with the largest difference."""
    count = len(curve.x)
    rows = np.unique(np.linspace(0, count - 1, min(count, _MOST)).astype(np.intp))
    difference = np.nan_to_num(np.abs(curve.ours - curve.reference))
    return np.union1d(rows, [int(np.argmax(difference))])
