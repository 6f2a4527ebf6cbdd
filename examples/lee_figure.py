"""Figures of a snare capture: forces at the cables' ends, and the geometry at six instants."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.patches import Circle, Polygon
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

import contactlib
from contactlib.report.plot import COLOURS, GRID, INK, SOFT, STYLE, new_figure
from contactlib.simulation import rigid_body

if TYPE_CHECKING:
    from lee_snare import Snaring

Floats = NDArray[np.float64]

SHADES = {"closing": "#e8f0f8", "captured": "#ffffff", "retracting": "#f6efe2", "rigidizing": "#f3dfc8",
          "rigidized": "#dff0e4"}
STEEL, PLATE, PIN = "#cfd6dd", "#b9a98c", "#8d6b4f"
WINDOW = 0.02  # s, over which the most of a force is drawn


def most(run: Snaring, name: str) -> tuple[Floats, Floats]:
    """Times, and the most of an output in each window, kN."""
    per = max(1, round(WINDOW / run.h))
    rows = len(run.time) // per * per
    return run.time[:rows:per], 1e-3 * run.series[name][:rows].reshape(rows // per, per, -1).max(axis=1)


def shade(ax: Any, run: Snaring, *, named: bool) -> None:
    """Phases as bands behind a panel."""
    from lee_snare import PHASES

    numbers = run.series["phase"].astype(int)
    begins = np.flatnonzero(np.r_[True, np.diff(numbers) != 0, True])
    for first, end in pairwise(begins):
        name, (a, b) = PHASES[numbers[first]], run.time[[first, min(end, len(numbers) - 1)]]
        ax.axvspan(a, b, color=SHADES.get(name, "white"), linewidth=0, zorder=0)
        if named and b - a > 0.5:
            ax.text(0.5 * (a + b), 1.02, name, transform=ax.get_xaxis_transform(), ha="center", va="bottom",
                    color=SOFT, fontsize=8.5)


def draw_forces(run: Snaring, path: Path) -> Path:
    """Magnitudes of the forces at both ends of each cable over time, and what drives them."""
    with rc_context(STYLE):
        figure = new_figure(9.0, 7.2)
        first, last, drive = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 2))
        for ax, name, title in ((first, "first_force", "at the fixed ring [kN]"),
                                (last, "last_force", "at the turning ring [kN]")):
            t, force = most(run, name)
            for k in range(force.shape[1]):
                ax.plot(t, force[:, k], color=COLOURS[k], linewidth=1.0, label=f"cable {k + 1}")
            ax.set(ylabel=title, ylim=(0, None))
        first.legend(loc="upper left", ncols=3)
        drive.plot(run.time, np.degrees(run.series["ring_angle"]), color=INK)
        drive.set(ylabel="ring [deg]", xlabel="time [s]", ylim=(0, 100), xlim=(0, run.time[-1]))
        carriage = drive.twinx()
        carriage.plot(run.time, -1e3 * run.series["carriage_position"], color=COLOURS[3])
        carriage.set(ylim=(0, 100))
        carriage.set_ylabel("carriage, drawn in [mm]", color=COLOURS[3])
        carriage.grid(visible=False)
        carriage.tick_params(axis="y", colors=COLOURS[3])
        for ax in (first, last, drive):
            shade(ax, run, named=ax is first)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    return path


def curve(nodes: Floats, length: float, count: int = 12) -> Floats:
    """Points (n, 3) along a cable, by the cubics of its elements."""
    each = length / (len(nodes) - 1)
    s = np.linspace(0.0, 1.0, count)[:, None]
    parts = [(1 - 3 * s**2 + 2 * s**3) * a[:3] + each * (s - 2 * s**2 + s**3) * a[3:6]
             + (3 * s**2 - 2 * s**3) * b[:3] + each * (s**3 - s**2) * b[3:6]
             for a, b in pairwise(nodes)]
    return np.vstack(parts)


def corners(shape: Any) -> Floats:
    """Points of a shape in its body's axes whose hull is about its outline."""
    s = shape.shape
    if hasattr(s, "corners"):
        local = np.array(s.corners)
    elif hasattr(s, "size"):
        local = 0.5 * np.array(s.size) * np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    else:
        angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        rim = s.radius * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
        ball = np.vstack([np.roll(rim, k, axis=1) for k in range(3)])
        half = 0.5 * getattr(s, "length", 0.0)
        up = np.array([0.0, 0.0, half])
        local = np.vstack([ball + up, ball - up])
    return local @ rigid_body.rotations(np.array(shape.q)).T + shape.r


def outline(points: Floats, colour: str, **options: Any) -> Polygon:
    return Polygon(points[ConvexHull(points).vertices], facecolor=colour, edgecolor=INK, linewidth=0.6, **options)


def placed(spec: contactlib.Spec, state: Floats, group: str) -> list[Floats]:
    """Corners of the shapes of a group of the fixture, in the world."""
    of = next(g for g in spec.bodies[1].groups if g.name == group)
    R = rigid_body.rotations(state[3:7])
    return [state[:3] + corners(shape) @ R.T for shape in of.shapes if shape.name not in ("target", "rod")]


def instants(run: Snaring) -> dict[str, int]:
    """Six rows in which nodes were kept, with what they show."""
    closing, captured, drawn, last = (run.first(p) for p in ("closing", "captured", "rigidizing", "rigidized"))
    touch = int(np.argmax(run.series["tension"].max(axis=1)[closing + 500:] > 50.0)) + closing + 500
    retract = run.first("retracting")
    chosen = {"open": 0, "first contact": touch, "the pin is pulled": (touch + captured) // 2, "captured": captured,
              "drawn in": (retract + drawn) // 2, "rigidized": last}
    kept = np.array(sorted(run.nodes))
    return {name: int(kept[np.argmin(np.abs(kept - row))]) for name, row in chosen.items()}


def draw_axial(ax: Any, run: Snaring, spec: contactlib.Spec, row: int) -> None:
    """From the payload's side, along the axis."""
    snare, state = spec.elements[0], run.states[row, 1]
    ax.add_patch(Circle((0, 0), 0.1, fill=False, edgecolor=SOFT, linewidth=5, alpha=0.35))
    for k, nodes in enumerate(run.nodes[row]):
        path = curve(nodes, snare.length)
        ax.plot(*path[:, :2].T, color="white", linewidth=4.6, zorder=2 + k)
        ax.plot(*path[:, :2].T, color=COLOURS[k], linewidth=3.0, zorder=2 + k)
        for end, marker in ((0, "s"), (-1, "o")):
            ax.plot(*nodes[end, :2], marker, color=COLOURS[k], markersize=6, markeredgecolor=INK, markeredgewidth=0.6,
                    zorder=9)
    for part in placed(spec, state, "pin"):
        ax.add_patch(outline(part[:, :2], PIN, alpha=0.55, zorder=1))
    axis = state[:3] + rigid_body.rotations(state[3:7])[:, 2] * (path_z(run, row) - state[2])
    ax.add_patch(Circle(axis[:2], 0.0127, facecolor=PIN, edgecolor=INK, linewidth=0.8, zorder=8))
    ax.set(xlim=(-0.112, 0.112), ylim=(-0.112, 0.112), aspect="equal", xticks=[], yticks=[])


def path_z(run: Snaring, row: int) -> float:
    """Height of the snare's plane, m."""
    return float(np.mean([nodes[[0, -1], 2].mean() for nodes in run.nodes[row]]))


def draw_side(ax: Any, run: Snaring, spec: contactlib.Spec, row: int) -> None:
    """A section along the axis; the end effector cut open."""
    snare, state = spec.elements[0], run.states[row, 1]
    for group, colour in (("plate", PLATE), ("ramps", PLATE), ("coupling", PLATE), ("pin", PIN)):
        for part in placed(spec, state, group):
            ax.add_patch(outline(part[:, [2, 0]], colour, alpha=1.0 if group == "pin" else 0.8, zorder=1))
    wall = np.array([[-0.15, 0.125], [0.132, 0.125], [0.14, 0.133], [0.14, 0.1666], [-0.15, 0.1666]])
    for side in (1, -1):
        ax.add_patch(Polygon(wall * [1, side], facecolor=STEEL, edgecolor=INK, linewidth=0.6, zorder=4))
        ax.add_patch(Polygon(np.array([[0.14, 0.14], [0.16, 0.14], [0.16, 0.166], [0.14, 0.166]]) * [1, side],
                             facecolor=STEEL, edgecolor=INK, linewidth=0.6, zorder=4))
        z = path_z(run, row)
        ax.add_patch(Polygon(np.array([[z - 0.0115, 0.1], [z + 0.0115, 0.1], [z + 0.0115, 0.125], [z - 0.0115, 0.125]])
                             * [1, side], facecolor="#93a0ad", edgecolor=INK, linewidth=0.6, zorder=5))
    for k, nodes in enumerate(run.nodes[row]):
        path = curve(nodes, snare.length)
        ax.plot(path[:, 2], path[:, 0], color=COLOURS[k], linewidth=1.6, zorder=6)
    ax.set(xlim=(-0.16, 0.27), ylim=(-0.2, 0.2), aspect="equal", xticks=[], yticks=[])
    ax.axhline(0, color=GRID, linewidth=0.8, zorder=0)


def draw_sequence(run: Snaring, spec: contactlib.Spec, path: Path) -> Path:
    """Six instants, along the axis and from the side."""
    with rc_context(STYLE):
        figure = new_figure(13.0, 4.7)
        panels = figure.subplots(2, 6)
        for column, (name, row) in enumerate(instants(run).items()):
            draw_axial(panels[0, column], run, spec, row)
            draw_side(panels[1, column], run, spec, row)
            panels[0, column].set_title(f"{run.time[row]:.1f} s: {name}", loc="center", fontsize=10)
        for ax in panels.ravel():
            for side in ax.spines.values():
                side.set_visible(False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    return path
