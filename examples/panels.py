"""A picture of what an example measured: panels of lines in the style of all figures, out/NAME/NAME.png."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from numpy.typing import ArrayLike

from contactlib.report.plot import COLOURS, INK, SOFT, STYLE, new_figure


@dataclass(frozen=True)
class Panel:
    """Lines over a common axis.

    lines : x and y of each line, by label.
    levels : values of y that theory predicts, by label; they are drawn dashed or dotted, in the colours of the lines if
        there is one for each line.
    marks : style of the lines; "o-" shows single values.
    scales : scale of x and of y, "linear" or "log".
    """

    title: str
    x: str
    y: str
    lines: Mapping[str, tuple[ArrayLike, ArrayLike]]
    levels: Mapping[str, float] = field(default_factory=dict)
    marks: str = "-"
    scales: tuple[str, str] = ("linear", "linear")


def draw(name: str, *panels: Panel, folder: Path | None = None) -> None:
    """Draw the panels side by side and save them; without matplotlib, which is optional, print what is missing."""
    try:
        figure = new_figure(0.8 + 4.4 * len(panels), 3.4)
    except ImportError as error:
        print(f"no picture: {error}")
        return
    from matplotlib import rc_context

    with rc_context(STYLE):
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            for colour, (label, (x, y)) in zip(cycle(COLOURS), panel.lines.items()):
                axes.plot(x, y, panel.marks, color=colour, label=label, markersize=4)
            alike = len(panel.levels) == len(panel.lines) > 1
            for colour, style, (label, value) in zip(cycle(COLOURS if alike else (INK,)), cycle(("--", ":")),
                                                     panel.levels.items()):
                axes.axhline(value, color=colour, linestyle=style, linewidth=1.2, label=label)
            axes.set(title=panel.title, xlabel=panel.x, ylabel=panel.y, xscale=panel.scales[0], yscale=panel.scales[1])
            if len(panel.lines) + len(panel.levels) > 1:
                axes.legend()
            axes.tick_params(which="both", color=SOFT)
        path = (folder or Path("out") / name) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
    print(f"wrote {path}")
