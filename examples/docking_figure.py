"""The docking as a drawing: sections through pins and holes at four instants, and the contacts magnified."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import contactlib
from contactlib.model.parts import BodyShape
from contactlib.report import plot, section
from contactlib.report.plot import relative_motion
from contactlib.report.section import Window

Floats = NDArray[np.float64]
PLATE = BodyShape("plate", contactlib.Box((0.34, 0.34, 0.02)), "", r=(0.0, 0.0, 0.01))  # only drawn
MIDDLE = (-0.12, 0.0, 0.008)  # m, in the target's axes: the plane through hole_2 and hole_3
NOTE = """Start: {off:.1f} mm off, {tilt:.2f}° tilted,
{speed:.0f} mm/s. Clearance in the holes:
{clearance:.1f} mm. Both bodies fly freely:
{masses}.

Above: the plane through two of the holes.
Right: the plane through the deepest
contact and its hole's axis, magnified;
the arrow shows the force on the pin."""


@dataclass(frozen=True)
class Instant:
    """A row of the trajectory that the figure shows, and the deepest contact of this row."""

    row: int
    title: str
    contact: np.void | None = None


def plot_docking(spec: contactlib.Spec, trajectory: contactlib.Trajectory) -> Figure:
    """Draw the approach, the first contact, the largest tilt during insertion, and the largest force at the bottom."""
    simulation = contactlib.Simulation(spec.compile())
    with rc_context(plot.STYLE):
        figure = plot.new_figure(11.5, 4.6)
        axes = figure.subplots(2, 4, height_ratios=[0.72, 1.0])
        for ax in axes.ravel():
            ax.set_axis_off()
        for (top, bottom), instant in zip(axes.T, instants(simulation, trajectory), strict=False):
            states = dict(zip(trajectory.body_names, trajectory.states[instant.row], strict=True))
            section.draw_section(
                top,
                spec,
                states,
                Window(MIDDLE, 0.352, 0.204, (0, 1, 0)),
                reference="target",
                extra={"interface": [PLATE]},
            )
            top.set_title(f"{instant.title}, {trajectory.time[instant.row]:.2f} s")
            if instant.contact is None:
                bottom.text(
                    0.0,
                    1.0,
                    _note(spec, trajectory),
                    va="top",
                    linespacing=1.6,
                    fontsize=8.5,
                    transform=bottom.transAxes,
                )
                section.draw_scale(top, 0.05, where=0.57)
            else:
                _magnify(bottom, spec, states, instant.contact)
    return figure


def instants(simulation: contactlib.Simulation, trajectory: contactlib.Trajectory) -> list[Instant]:
    """Up to four instants, found in the run."""
    _, position, turn = relative_motion(trajectory, "target")
    depth, z = trajectory.max_depth, position[0, :, 2]
    tilt = np.hypot(turn[0, :, 0], turn[0, :, 1])
    touching = np.flatnonzero(depth > 0)
    home = touching[z[touching] < 0.0105]
    inside = touching[(z[touching] < 0.045) & (touching < home[0])] if home.size else touching[:0]
    found = [Instant(0, "Approach")]
    for title, rows, measure in (
        ("First contact", touching[touching < touching[:1] + 40] if touching.size else touching, depth),
        ("Sliding in", inside, tilt),
        ("At the bottom", home, depth),
    ):
        if rows.size:
            row = int(rows[np.argmax(measure[rows])])
            found.append(Instant(row, title, _deepest(simulation, trajectory.states[row])))
    return found


def _deepest(simulation: contactlib.Simulation, states: Floats) -> np.void:
    contacts = simulation.compute(states).contacts
    deepest: np.void = contacts[int(np.argmax(contacts["depth"]))]
    return deepest


def _magnify(ax: Axes, spec: contactlib.Spec, states: dict[str, Floats], contact: np.void) -> None:
    """The contact in the plane through it and through the axis of its hole."""
    shapes = [shape for body in spec.bodies for shape in body.shapes]
    pin, hole = shapes[contact["shape_a"]], shapes[contact["shape_b"]]
    point = section.to_body_axes(states["target"], states["interface"][:3] + contact["p_AC_W"])
    away = point - np.array(hole.r)
    right = np.array([away[0], away[1], 0.0]) / np.hypot(away[0], away[1])
    window = Window(tuple(point), 0.0084, 0.0072, tuple(right))
    section.draw_section(ax, spec, states, window, reference="target")
    force = -section.to_body_axes(states["target"], contact["f_B_W"] + states["target"][:3])
    section.draw_arrow(ax, window, point, force, 2.2e-3)
    section.draw_scale(ax, 1e-3)
    where = "rim" if abs(point[2]) < 1e-4 else "wall" if point[2] > -hole.shape.length else "cap"
    ax.text(
        0.0,
        1.03,
        f"{pin.name} on the {where} of {hole.name}, {contact['depth'] * 1e6:.0f} µm deep",
        transform=ax.transAxes,
        fontsize=9,
    )


def _note(spec: contactlib.Spec, trajectory: contactlib.Trajectory) -> str:
    _, position, turn = relative_motion(trajectory, "target")
    pin, hole = spec.body("interface").shapes[0].shape, spec.body("target").shapes[0].shape
    assert isinstance(pin, contactlib.Capsule) and isinstance(hole, contactlib.Socket)
    return NOTE.format(
        off=np.hypot(*position[0, 0, :2]) * 1e3,
        tilt=np.degrees(np.hypot(*turn[0, 0, :2])),
        speed=-trajectory.body("interface")[0, 9] * 1e3,
        clearance=(hole.radius - pin.radius) * 1e3,
        masses=", ".join(f"{body.name} {body.mass:g} kg" for body in spec.bodies),
    )
