"""The picture of a capture: the bodies from the side at some instants, and what the spacecraft bears."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

import contactlib
from contactlib.report.plot import ALARM, COLOURS, GRID, INK, SOFT, STYLE
from contactlib.shapes.quaternion import rotate
from contactlib.simulation.results import Trajectory

Floats = NDArray[np.float64]

INSTANTS = (0.0, 10.0, 20.0, 60.0, 120.0, 170.0)  # s
BUS, PANEL = (1.5, 6.0), 5.0  # m, radius and height; radius
VIEW = np.radians((20.0, -65.0))  # elevation and azimuth of the eye
ROCK, CLOTH, METAL, BLUE = "#b7a58c", "#e0b64a", "#aab4bf", "#3d6fb0"


def at(state: Floats, points: Any) -> Floats:
    """Points of a body in the world."""
    return np.array([state[:3] + rotate(state[3:7], np.asarray(p, dtype=float)) for p in points])


def circle(radius: float, z: float = 0.0, count: int = 32) -> Floats:
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(count, z)])


def eye() -> Floats:
    """Rows: right, up and towards the eye, world axes."""
    elevation, azimuth = VIEW
    towards = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    return np.array([right, np.cross(towards, right), towards])


def fabric(frame: Floats, up: Floats, corners: Floats) -> list[Floats]:
    """Triangles of the hull of the frame and of what lies below it, without those of the frame alone."""
    below = corners[(corners - frame[0]) @ up < 0]
    if len(below) == 0:
        return []
    points = np.vstack([frame, below])
    return [points[t] for t in ConvexHull(points).simplices if (t >= len(frame)).any()]


def hull_faces(points: Floats) -> list[Floats]:
    return [points[t] for t in ConvexHull(points).simplices]


def bodies(run: Trajectory, spec: contactlib.Spec, k: int) -> list[tuple[Floats, str, float]]:
    """Polygons (n, 3) in the world with their colours and how see-through they are."""
    rock, bus = run.body("asteroid")[k], run.body("bus")[k]
    hull = next(body for body in spec.bodies if body.name == "asteroid").shapes[0].shape
    net = next(element for element in spec.elements if element.kind == "membrane")
    frame, corners = at(bus, net.suspension_points), at(rock, hull.corners)
    wall = np.vstack([circle(BUS[0], -BUS[1] / 2, 16), circle(BUS[0], BUS[1] / 2, 16)])
    parts = [(face, ROCK, 1.0) for face in hull_faces(corners)]
    parts += [(face, METAL, 1.0) for face in hull_faces(at(bus, wall))]
    parts += [(triangle, CLOTH, 0.35) for triangle in fabric(frame, rotate(bus[3:7], np.array([0, 0, 1.0])), corners)]
    parts += [(at(run.body(name)[k], circle(PANEL)), BLUE, 0.9) for name in ("panel_left", "panel_right")]
    ring = [np.vstack([a, b, b]) for a, b in zip(frame, np.roll(frame, -1, axis=0), strict=True)]
    booms = [np.vstack([at(bus, [p]), at(bus, [(0, 0, BUS[1] / 2)])]) for p in net.suspension_points]
    return parts + [(line, INK, 1.0) for line in (*ring, *booms)]


def draw_scene(ax: Any, run: Trajectory, spec: contactlib.Spec, k: int) -> None:
    """All bodies from the side, far ones first, lit from above."""
    R, middle = eye(), 0.5 * (run.body("asteroid") + run.body("bus"))[k][:3]
    light = np.array([0.3, -0.5, 0.8])
    rows = []
    for polygon, colour, alpha in bodies(run, spec, k):
        seen = (polygon - middle) @ R.T
        normal = np.cross(polygon[1] - polygon[0], polygon[-1] - polygon[0])
        length = np.linalg.norm(normal)
        shade = 0.72 + 0.28 * abs(normal @ light) / length if length > 0 else 1.0
        rows.append((seen[:, 2].mean(), seen[:, :2], shaded(colour, shade, alpha)))
    rows.sort(key=lambda row: row[0])
    edges = [row[2] if len(row[1]) > 3 or row[2][3] == 1.0 else (*row[2][:3], 0.6) for row in rows]
    ax.add_collection(PolyCollection([row[1] for row in rows], facecolors=[row[2] for row in rows], edgecolors=edges,
                                     linewidths=0.7))
    ax.set(xlim=(-15, 15), ylim=(-16, 12), aspect="equal", xticks=[], yticks=[])
    ax.set_title(f"{run.time[k]:.0f} s", loc="center")
    for side in ax.spines.values():
        side.set_visible(False)


def shaded(colour: str, shade: float, alpha: float) -> tuple[float, float, float, float]:
    r, g, b = (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))
    return r * shade, g * shade, b * shade, alpha


def draw(run: Trajectory, spec: contactlib.Spec, limit: float, path: Path) -> Path:
    """Writes the picture; `limit` (N m) is what a solar array drive bears."""
    from matplotlib import rc_context

    from contactlib.report.plot import new_figure

    with rc_context(STYLE):
        figure = new_figure(11.5, 7.8)
        upper, lower = figure.subfigures(2, 1, height_ratios=(1, 2.5))
        for ax, instant in zip(upper.subplots(1, len(INSTANTS)), INSTANTS, strict=True):
            draw_scene(ax, run, spec, int(np.searchsorted(run.time, instant - 1e-6)))
        panels = forces, depth, moments, turning = lower.subplots(2, 2).ravel()
        forces.plot(run.time, run.output("net.normal_force"), color=COLOURS[0], label="of the fabric's tension")
        forces.plot(run.time, run.output("net.friction_force"), color=COLOURS[1], label="of friction")
        forces.set(title="Forces on the asteroid", ylabel="[N]")
        forces.legend()
        depth.plot(run.time, run.output("net.depth"), color=COLOURS[0])
        depth.set(title="Depth below the frame", ylabel="[m]")
        for k, side in ((1, "left"), (2, "right")):
            moments.plot(run.time, run.output(f"sada.bending[{k}]"), color=COLOURS[k - 1], label=side)
        moments.axhline(limit, color=ALARM, linewidth=1.0, linestyle="--")
        moments.text(run.time[-1], limit * 0.93, f"limit {limit:.0f} N m", color=ALARM, ha="right", va="top")
        moments.set(title="Bending moments of the solar array drives", ylabel="[N m]", xlabel="time [s]",
                    ylim=(0, 1.08 * limit))
        moments.legend(loc="center right")
        spin = [np.degrees(np.linalg.norm(run.body(name)[:, 10:], axis=1)) for name in ("bus", "asteroid")]
        against = np.degrees(np.linalg.norm((run.body("bus") - run.body("asteroid"))[:, 10:], axis=1))
        for rate, colour, label in ((spin[0], COLOURS[0], "spacecraft"), (spin[1], ROCK, "asteroid"),
                                    (against, SOFT, "between")):
            turning.plot(run.time, rate, color=colour, label=label)
        turning.set(title="Rates of turn", ylabel="[deg/s]", xlabel="time [s]", ylim=(0, None))
        turning.legend(loc="center right")
        for ax in panels:
            ax.set_xlim(0, run.time[-1])
            ax.grid(color=GRID)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
    return path
