"""The berthing rings as a picture: parts from above, a latch in its plane, and a berthing over time.

python examples/cbm_figure.py writes out/cbm/cbm_berthing.png.
"""

from __future__ import annotations

import argparse
import cmath
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

import contactlib
from cbm import LIGHT, PARAMETERS, Run, berth, corner
from contactlib._core import engine
from contactlib.berthing.mechanisms import bar_at, lowest
from contactlib.elements.indicator import Indicator
from contactlib.elements.latch import Latch
from contactlib.model.parts import BodyShape
from contactlib.report.plot import ALARM, INK, STYLE, new_figure
from contactlib.shapes.quaternion import rotate
from contactlib.shapes.surfaces import surface

Floats = NDArray[np.float64]
OUT = Path(__file__).resolve().parent.parent / "out" / "cbm"
COLOURS = {"face": "#c4ccd4", "plate": "#7fa7c9", "side": "#7fa7c9", "web": "#7fa7c9", "bumper": "#3b6d9a",
           "standoff": "#c98a2b", "pin": "#444444", "rim": "#9aa5ae", "edge": "#9aa5ae", "seal": "#4f9d69",
           "fin": "#b55a5a", "socket": "#444444", "fitting": "#8e5ba6", "strike": "#c4a26b"}
LABELS = {"plate": "guides", "fin": "fins", "bumper": "bumpers", "standoff": "stand-offs", "seal": "seal",
          "pin": "pins, sockets", "fitting": "capture fittings", "strike": "striker plates"}


def outline(part: BodyShape) -> Floats:
    """Return the outline (n, 2) of a shape, seen along the axis of its ring, m; fewer than 3 rows for a point."""
    corners = surface(part.shape, segments=16).vertices
    seen = (part.r + np.array([rotate(np.asarray(part.q), corner) for corner in corners]))[:, :2]
    if np.linalg.matrix_rank(seen - seen[0], tol=1e-6) < 2:
        return seen[:1]
    return np.asarray(seen[ConvexHull(seen).vertices])


def from_above(ax: Axes) -> None:
    """Outlines of all shapes along the axis, and where latches and indicators are."""
    spec = contactlib.load("cbm")
    named: set[str] = set()
    for body in spec.rigid_bodies[:2]:
        for shape in body.shapes:
            part, seen = shape.name.split("_")[0], outline(shape)
            label = None if LABELS.get(part) in named else LABELS.get(part)
            named |= {label} if label else set()
            if len(seen) > 2:
                ax.fill(*seen.T, facecolor=COLOURS[part], edgecolor=COLOURS[part], linewidth=0.6, label=label)
            else:
                ax.plot(*seen.T, ".", color=COLOURS[part], markersize=2, label=label)
    for element in spec.elements:
        if isinstance(element, Latch | Indicator):
            x, y = 0.72 * np.array(element.position[:2])
            ax.annotate(element.name, (x, y), ha="center", va="center", fontsize=6.5, color=INK)
    ax.set(xlabel="x [m]", ylabel="y [m]", title="Both rings from above", xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))
    ax.set_aspect("equal")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4, fontsize=6.5, frameon=False)


def latch_plane(ax: Axes) -> None:
    """Draw the four-bar linkage open, over the fitting, and closed, with the path of its bar."""
    latch, fitting = PARAMETERS.part("latch"), PARAMETERS.part("fitting")
    dead = lowest(PARAMETERS)
    foot = latch["closed_gap"] + fitting["height"] + latch["bar_radius"] - bar_at(PARAMETERS, dead).real
    inner = fitting["edge"] - latch["pivot_offset"]

    def drawn(point: complex) -> tuple[float, float]:  # x along the ring's axis, y inwards
        return 1e3 * (inner - point.imag), 1e3 * (foot + point.real)

    first = np.radians(latch["open_angle"])
    path = [drawn(bar_at(PARAMETERS, angle)) for angle in np.linspace(first, dead, 200)]
    ax.plot(*np.array(path).T, ":", color=INK, linewidth=1, label="path of the hook's bar")
    for angle, colour in ((first, "#9aa5ae"), (0.0, "#c98a2b"), (dead, ALARM)):
        ground, crank, coupler, rocker = latch["links"]
        turn = engine.four_bar((ground, crank, coupler, rocker, -1.0), angle)[0]
        B, along = cmath.rect(crank, angle), cmath.rect(1.0, turn)
        links = [0j, B, B + complex(*latch["elbow"]) * along, B + complex(*latch["bar"]) * along]
        ax.plot(*np.array([drawn(p) for p in links]).T, "-o", color=colour, markersize=2.5, linewidth=1.4,
                label=f"{np.degrees(angle):.0f} deg")
        ax.plot(*np.array([drawn(p) for p in (B + coupler * along, complex(ground, 0.0))]).T, "-o", color=colour,
                markersize=2.5, linewidth=0.8)
    for gap, style in ((0.1, "--"), (latch["closed_gap"], "-")):
        ax.add_patch(Rectangle((1e3 * fitting["edge"], 1e3 * gap), 1e3 * (PARAMETERS["ring", "face_inner"]
                     - fitting["edge"]), 1e3 * fitting["height"], fill=False, linestyle=style, edgecolor="#8e5ba6"))
    ax.set(xlabel="radius [mm]", ylabel="above the active face [mm]", title="A latch; fitting 100 and 1 mm off")
    ax.set_aspect("equal")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=6.5, frameon=False)


def over_time(gap: Axes, load: Axes, run: Run) -> None:
    """Gap and offset at the ring, and what acts on the active one."""
    states = run.states
    tilt = 2.0 * np.degrees(np.hypot(states[:, 4], states[:, 5]))
    gap.plot(run.time, 1e3 * states[:, 2], color=INK, label="gap [mm]")
    gap.plot(run.time, 1e3 * np.hypot(states[:, 0], states[:, 1]), color="#3b6d9a", label="lateral offset [mm]")
    gap.plot(run.time, 100 * tilt, color="#c98a2b", label="tilt [0.01 deg]")
    gap.plot(run.time, 100 * 2.0 * np.degrees(np.abs(states[:, 6])), color="#4f9d69", label="roll [0.01 deg]")
    load.semilogy(run.time, np.maximum(run.force, 1.0), color=ALARM, linewidth=0.8,
                  label="force on the active ring [N]")
    for ax in (gap, load):
        for time, name in ((run.ready, "latches close"), (run.berthed, "berthed")):
            ax.axvline(time, color="#9aa5ae", linewidth=0.8)
            if ax is gap and np.isfinite(time):
                ax.annotate(name, (time, 250), fontsize=6.5, ha="right", rotation=90, va="top")
        ax.legend(fontsize=6.5, frameon=False, loc="upper right" if ax is gap else "lower right",
                  bbox_to_anchor=(0.92, 1.0) if ax is gap else None)
    gap.set_title("13 t from a corner of the envelope")
    load.set_xlabel("t [s]")


def draw(run: Run) -> Figure:
    with rc_context(STYLE):
        figure = new_figure(12.5, 4.6)
        grid = figure.add_gridspec(2, 3, width_ratios=[1.15, 0.9, 1.1])
        from_above(figure.add_subplot(grid[:, 0]))
        latch_plane(figure.add_subplot(grid[:, 1]))
        over_time(figure.add_subplot(grid[0, 2]), figure.add_subplot(grid[1, 2]), run)
    return figure


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    draw(berth(corner(45.0, 60.0), LIGHT)).savefig(folder / "cbm_berthing.png", dpi=110)
    print(f"wrote {folder / 'cbm_berthing.png'}")
