"""Sections through a scene: a plane cuts the bodies, and the figure shows the cuts to scale at an instant of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.model.parts import BodyShape
from contactlib.model.spec import Spec
from contactlib.report import plot
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.shapes.shapes import Box, Capsule, Plane, Shape, Socket, Sphere
from contactlib.simulation import rigid_body

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
FACES = ("#f2c9a1", "#c9d3dc", "#cfe3d4", "#ddd0e8")
EDGES = ("#a85a1c", "#4a5a68", "#2f6b49", "#6a4a86")


@dataclass(frozen=True)
class Window:
    """A rectangle in a plane: middle (m) and directions in the reference body's axes, width and height (m)."""

    middle: tuple[float, float, float]
    width: float
    height: float
    right: tuple[float, float, float] = (1.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def grid(self, columns: int) -> tuple[Floats, Floats, Floats]:
        """Return coordinates along both axes (m) and the points (rows, columns, 3) of a grid with square cells."""
        a = np.linspace(-self.width / 2, self.width / 2, columns)
        b = np.linspace(-self.height / 2, self.height / 2, max(2, round(columns * self.height / self.width)))
        points = (
            np.array(self.middle)
            + a[None, :, None] * np.array(self.right)
            + b[:, None, None] * np.array(self.up)
        )
        return a + np.dot(self.middle, self.right), b + np.dot(self.middle, self.up), points

    def project(self, points: Floats) -> Floats:
        """Project points (..., 3), in the reference body's axes, to the drawing (..., 2)."""
        return np.asarray(points @ np.array([self.right, self.up]).T)


def signed_distance(shape: Shape, x: Floats) -> Floats:
    """Evaluate a function (m) at points (..., 3) in the shape's frame: negative inside, zero on the surface.

    Examples
    --------
    >>> hole = Socket(size=(0.1, 0.1, 0.07), radius=0.02, length=0.04)
    >>> points = np.array([[0.0, 0.0, -0.01], [0.03, 0.0, -0.01]])    # in the hole, in the material
    >>> (signed_distance(hole, points) < 0).tolist()
    [False, True]
    """
    if isinstance(shape, Sphere):
        return np.asarray(np.linalg.norm(x, axis=-1) - shape.radius)
    if isinstance(shape, Capsule):
        return _from_segment(x, -shape.length / 2, shape.length / 2) - shape.radius
    if isinstance(shape, Box):
        return _from_box(x, np.array(shape.size) - 2 * shape.rounding) - shape.rounding
    if isinstance(shape, Socket):
        block = _from_box(x + np.array([0.0, 0.0, shape.size[2] / 2]), np.array(shape.size))
        return np.asarray(np.maximum(block, shape.radius - _from_segment(x, -shape.length, np.inf)))
    if isinstance(shape, Plane):
        return np.asarray(x[..., 2])
    return np.asarray(np.linalg.norm(x, axis=-1))


def _from_segment(x: Floats, low: float, high: float) -> Floats:
    beyond = x[..., 2] - np.clip(x[..., 2], low, high)
    return np.sqrt(x[..., 0] ** 2 + x[..., 1] ** 2 + beyond**2)


def _from_box(x: Floats, size: Floats) -> Floats:
    d = np.abs(x) - size / 2
    return np.asarray(np.linalg.norm(np.maximum(d, 0.0), axis=-1) + np.minimum(d.max(axis=-1), 0.0))


def draw_section(
    ax: Axes,
    spec: Spec,
    states: Mapping[str, Floats],
    window: Window,
    *,
    reference: str,
    extra: Mapping[str, Sequence[BodyShape]] | None = None,
    columns: int = 900,
) -> None:
    """Draw the section of every body that has a state (13 numbers) with the window's plane, in mm, without axes.

    `extra` are additional shapes by body, which are only drawn: parts of the machine without a contact model.
    """
    a, b, points = window.grid(columns)
    points_W = to_world_axes(states[reference], points)
    for k, body in enumerate(spec.bodies):
        parts = (*body.shapes, *(extra or {}).get(body.name, ()))
        if body.name not in states or not parts:
            continue
        points_B = to_body_axes(states[body.name], points_W)
        inside = np.min([_distance(part, points_B) for part in parts], axis=0)
        if inside.min() < 0:
            ax.contourf(a * 1e3, b * 1e3, inside, levels=[-np.inf, 0.0], colors=[FACES[k % len(FACES)]])
            ax.contour(a * 1e3, b * 1e3, inside, levels=[0.0], colors=[EDGES[k % len(EDGES)]], linewidths=0.9)
    ax.set_aspect("equal")
    ax.set_xlim(a[0] * 1e3, a[-1] * 1e3)
    ax.set_ylim(b[0] * 1e3, b[-1] * 1e3)
    ax.set_axis_off()


def _distance(part: BodyShape, points_B: Floats) -> Floats:
    return signed_distance(part.shape, rigid_body.apply(rotation_matrix(part.q).T, points_B - np.array(part.r)))


def to_body_axes(state: Floats, points: Floats) -> Floats:
    """Transform points (..., 3) from world axes to the axes of a body with the state `state`."""
    return rigid_body.apply(rotation_matrix(tuple(state[3:7])).T, points - state[:3])


def to_world_axes(state: Floats, points: Floats) -> Floats:
    """Transform points (..., 3) from the axes of a body with the state `state` to world axes."""
    return rigid_body.apply(rotation_matrix(tuple(state[3:7])), points) + state[:3]


def draw_arrow(ax: Axes, window: Window, point: Floats, direction: Floats, length: float) -> None:
    """Draw a dot at a point (reference body's axes) and an arrow of `length` (m) that starts there."""
    x, y = window.project(point) * 1e3
    along = window.project(direction)
    dx, dy = along * (length * 1e3 / np.linalg.norm(along))
    ax.annotate(
        "",
        (x + dx, y + dy),
        (x, y),
        arrowprops={"arrowstyle": "-|>", "color": plot.ALARM, "lw": 1.8},
        zorder=6,
    )
    ax.plot(x, y, "o", color=plot.ALARM, ms=4.5, zorder=7)


def draw_scale(ax: Axes, length: float, where: float = 0.97) -> None:
    """Draw a scale bar of `length` (m) at the lower edge; it ends at the fraction `where` of the width."""
    (low, high), floor = ax.get_xlim(), ax.get_ylim()[0]
    right, height = low + where * (high - low), floor + 0.03 * (high - low)
    ax.plot(
        [right - length * 1e3, right],
        [height, height],
        color=plot.INK,
        lw=2.0,
        solid_capstyle="butt",
        zorder=8,
    )
    ax.annotate(
        f"{length * 1e3:g} mm",
        (right - length * 5e2, height),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        fontsize=8,
        zorder=8,
    )
