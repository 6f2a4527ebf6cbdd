"""Draws a model at its start as SVG: a parallel projection, bodies in colours, with a scale bar and a legend."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import dot, norm
from contactlib.fmu.package.solids import Solid, solids
from contactlib.simulation.simulation import Simulation

if TYPE_CHECKING:
    from contactlib.model.model import Model

Floats = NDArray[np.float64]
WIDTH, HEIGHT, MARGIN = 760.0, 470.0, 46.0  # px
COLOURS = ("#1f6fb4", "#e07b39", "#3a9a6b", "#9a5fb0", "#c0504d", "#7a7a3a", "#4f8f9f", "#8c6d4f")
INK, SOFT = "#22303c", "#6b7a88"
#: from above and from the side: x to the right and to the viewer, y to the right and away, z up
RIGHT = np.array([0.8, 0.6, 0.0])
UP = np.array([-0.24, 0.32, 0.9165151389911680])
TO_VIEWER = np.array([0.549909083394701, -0.733212111192935, 0.4])
MOST_FACES = 4000  # of a picture; solids with more are drawn by their outlines


def scene_picture(model: Model) -> str:
    """Return a picture of a model at its start, as an SVG element for an HTML page.

    The numbers have one decimal, and the same model gives the same text on every machine.

    Examples
    --------
    >>> import contactlib
    >>> scene_picture(contactlib.load("tripod").compile())[:4]
    '<svg'
    """
    data = Simulation(model).data
    with suppress(ValueError):  # a start that cannot be evaluated can be drawn, with driven bodies where the scene says
        data.evaluate()
    drawn = solids(model, np.asarray(data.states()))
    bounded = [solid for solid in drawn if not solid.plane]
    points = np.concatenate([solid.points for solid in bounded]) if bounded else np.zeros((1, 3))
    drawn = [_bounded(solid, points) if solid.plane else solid for solid in drawn]
    view = _View(np.concatenate([points, *(solid.points for solid in drawn)]))
    budget = sum(len(solid.faces or ()) for solid in drawn) <= MOST_FACES
    polygons = sorted((polygon for solid in drawn for polygon in _polygons(solid, view, budget)), key=lambda p: p[0])
    parts = [text for _, text in polygons]
    names = [name for i, name in enumerate(model.body_names) if any(solid.body == i for solid in drawn)]
    parts += [*_legend(model, names), *view.scale_bar(), *_axes()]
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}" height="{HEIGHT:g}"'
    title = f"<title>{html.escape(model.name)} at the start</title>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{title}\n' + "\n".join(parts) + "\n</svg>"


class _View:
    """The projection of points (m) to the picture (px), which is as large as the margins allow."""

    def __init__(self, points: Floats) -> None:
        x, y = dot(points, RIGHT), dot(points, UP)
        extent = [max(float(np.ptp(a)), 1e-6) for a in (x, y)]
        self.scale = min((WIDTH - 2 * MARGIN) / extent[0], (HEIGHT - 2 * MARGIN) / extent[1])
        self.middle = (float(x.min() + x.max()) / 2, float(y.min() + y.max()) / 2)

    def __call__(self, points: Floats) -> Floats:
        x = WIDTH / 2 + self.scale * (dot(points, RIGHT) - self.middle[0])
        y = HEIGHT / 2 - self.scale * (dot(points, UP) - self.middle[1])
        return np.asarray(np.round(np.stack([x, y], axis=-1), 1) + 0.0, dtype=np.float64)

    def scale_bar(self) -> Iterator[str]:
        """Yield a bar with a length of 1, 2 or 5 times a power of ten."""
        power = 1e-6
        lengths = [factor * power * 10.0**k for k in range(12) for factor in (1, 2, 5)]
        length = max((x for x in lengths if x * self.scale <= 140.0), default=lengths[0])
        right, y = WIDTH - 20.0, HEIGHT - 18.0
        left = right - length * self.scale
        text = f"{length:g} m" if length >= 1.0 else f"{1e3 * length:g} mm"
        yield f'<path d="M{left:.1f} {y - 4:g}V{y:g}H{right:.1f}V{y - 4:g}" fill="none" stroke="{INK}"/>'
        yield _text((left + right) / 2, y - 8.0, text, anchor="middle")


def _bounded(plane: Solid, points: Floats) -> Solid:
    """A square of the plane, below the other shapes."""
    origin, normal = plane.points[0], plane.points[1] - plane.points[0]
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    size = 0.75 * max(float(norm(np.ptp(points, axis=0))), 1e-3)
    middle = middle - dot(middle - origin, normal) * normal
    across = np.cross(normal, [0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [1.0, 0.0, 0.0])
    across = across / norm(across)
    along = np.cross(normal, across)
    corners = np.array([middle + size * (a * across + b * along) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    return Solid(plane.body, (corners,), corners, plane=True)


def _polygons(solid: Solid, view: _View, faces: bool) -> Iterator[tuple[float, str]]:
    """Yield the depth and the SVG element of each polygon of a solid, from the viewer's side only."""
    colour = COLOURS[solid.body % len(COLOURS)]
    if solid.radius > 0.0:
        (x, y), r = view(solid.points.sum(axis=0) / len(solid.points)), solid.radius * view.scale
        look = f'fill="{_tint(colour, 0.7)}" stroke="{_tint(colour, 0.15)}" stroke-width="0.5" fill-opacity="0.9"'
        yield _depth(solid.points), f'<circle cx="{x:g}" cy="{y:g}" r="{r:.1f}" {look}/>'
        return
    if solid.plane:  # behind all others, seen from both sides
        yield -1e300, _polygon(view(solid.points), _tint(colour, 0.85), _tint(colour, 0.5))
        return
    if solid.faces is None or not faces:
        yield _depth(solid.points), _outline(view(solid.points), colour)
        return
    for corners in solid.faces:
        normal = _normal(corners)
        facing = float(dot(normal, TO_VIEWER))
        if facing > 1e-9:
            bright = 0.35 + 0.4 * max(0.0, float(dot(normal, UP))) + 0.2 * facing
            yield _depth(corners), _polygon(view(corners), _tint(colour, bright), _tint(colour, 0.15))


def _depth(points: Floats) -> float:
    """Distance to the viewer, rounded so that it orders polygons equally on every machine."""
    return round(float(dot(points, TO_VIEWER).sum()) / len(points), 9)


def _normal(corners: Floats) -> Floats:
    total = np.zeros(3)
    for k in range(len(corners)):
        total = total + np.cross(corners[k - 1], corners[k])
    length = float(norm(total))
    return total / length if length > 0.0 else total


def _outline(points: Floats, colour: str) -> str:
    hull = convex_hull(points)
    if len(hull) == 1:
        return f'<circle cx="{hull[0][0]:g}" cy="{hull[0][1]:g}" r="3" fill="{colour}"/>'
    if len(hull) == 2:
        ends = " ".join(f"{x:g},{y:g}" for x, y in hull)
        return f'<polyline points="{ends}" stroke="{colour}" stroke-width="2" fill="none"/>'
    return _polygon(np.array(hull), _tint(colour, 0.7), _tint(colour, 0.15))


def convex_hull(points: Floats) -> list[tuple[float, float]]:
    """Return the corners of the convex hull of points (n, 2): A. M. Andrew's monotone chain.

    Examples
    --------
    >>> convex_hull(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 2.0]]))
    [(0.0, 0.0), (2.0, 0.0), (1.0, 2.0)]
    """
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return ordered
    chains = []
    for sequence in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for point in sequence:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
                chain.pop()
            chain.append(point)
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _polygon(points: Iterable[Iterable[float]], fill: str, stroke: str) -> str:
    corners = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polygon points="{corners}" fill="{fill}" stroke="{stroke}" stroke-width="0.5" fill-opacity="0.9"/>'


def _tint(colour: str, bright: float) -> str:
    """Mix a colour with white; `bright` 0 is a darker colour, 0.5 the colour, 1 nearly white."""
    channels = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    if bright < 0.5:
        mixed = [round(c * (0.6 + 0.8 * bright)) for c in channels]
    else:
        mixed = [round(c + (255 - c) * 1.2 * (bright - 0.5)) for c in channels]
    return "#" + "".join(f"{c:02x}" for c in mixed)


def _legend(model: Model, names: Iterable[str]) -> Iterator[str]:
    for row, name in enumerate(list(names)[:14]):
        colour, y = COLOURS[model.body_names.index(name) % len(COLOURS)], 14.0 + 17.0 * row
        yield f'<rect x="14" y="{y:g}" width="11" height="11" fill="{colour}"/>'
        yield _text(31.0, y + 10.0, name)


def _axes() -> Iterator[str]:
    """Yield the directions of the world's axes, at the lower left."""
    x, y, length = 46.0, HEIGHT - 40.0, 26.0
    for k, name in enumerate("xyz"):
        tip_x, tip_y = x + length * RIGHT[k], y - length * UP[k]
        yield f'<line x1="{x:g}" y1="{y:g}" x2="{tip_x:.1f}" y2="{tip_y:.1f}" stroke="{SOFT}"/>'
        yield _text(x + 1.35 * (tip_x - x), y + 1.35 * (tip_y - y) + 4.0, name, anchor="middle")


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    style = f'font-family="sans-serif" font-size="12" fill="{INK}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{html.escape(text)}</text>'
