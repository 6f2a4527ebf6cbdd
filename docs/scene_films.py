"""The films of the shipped scenes: start, span, camera, and what only the drawing has (docs/draw_scenes.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from contactlib.model.parts import BodyShape
from contactlib.shapes.quaternion import from_matrix
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Shape, Sphere

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Film:
    """How the run of a scene is recorded and drawn.

    end : s, end of the run and of the film.
    still : s, time of the picture.
    direction : from the middle of the view to the camera, world axes.
    begin : s, start of the film.
    zoom : magnification of the view that holds all bodies of the film's span.
    centre : m, middle of the view; by default that of the box around the bodies.
    arrows : factor on the length of the force arrows; below zero they show the force on body A instead of B.
    glass, hidden : names of bodies that are drawn as glass, or not at all.
    states : other starts of bodies, as `Spec.with_state` accepts them.
    fixed : names of bodies that do not fly.
    props : shapes that only the drawing has, by body.
    follow : name of the body that the view follows.
    grid : whether the grid is drawn.
    """

    end: float
    still: float
    direction: Point = (1.0, -1.25, 0.8)
    begin: float = 0.0
    zoom: float = 1.3
    centre: Point | None = None
    arrows: float = 1.0
    glass: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    states: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    props: Mapping[str, tuple[BodyShape, ...]] = field(default_factory=dict)
    follow: str | None = None
    grid: bool = True


def prop(shape: Shape, r: Point = (0.0, 0.0, 0.0), q: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> BodyShape:
    """Return a shape that only the drawing has; it has the colour of the body's first material."""
    return BodyShape("prop", shape, "", r, q)


def rod(start: Point, end: Point, radius: float) -> BodyShape:
    """Return a rod between two points."""
    a, b = np.array(start), np.array(end)
    z = (b - a) / np.linalg.norm(b - a)
    x = np.cross(z, np.eye(3)[int(np.abs(z).argmin())])
    x /= np.linalg.norm(x)
    q = from_matrix(np.stack([x, np.cross(z, x), z], axis=1))
    middle = (a + b) / 2
    return prop(Capsule(radius, float(np.linalg.norm(b - a))), (float(middle[0]), float(middle[1]), float(middle[2])),
                tuple(map(float, q)))


def tilted(degrees: float, axis: Point) -> tuple[float, ...]:
    """Return the quaternion of a turn about a unit vector."""
    half = np.radians(degrees) / 2
    return (float(np.cos(half)), *(float(np.sin(half) * part) for part in axis))


HEXAGON: tuple[Point, ...] = ((7.5, 0.0, 8.0), (3.75, 6.495, 8.0), (-3.75, 6.495, 8.0), (-7.5, 0.0, 8.0),
                              (-3.75, -6.495, 8.0), (3.75, -6.495, 8.0))
#: the spacecraft of the capture, a cylinder of 3 m by 6 m, with booms to the suspension points of its membrane
BUS = (prop(Cylinder(1.5, 6.0)), *(rod((0.18 * x, 0.18 * y, 3.0), (x, y, z), 0.12) for x, y, z in HEXAGON))
LEGS = ((0.5, 0.0, 0.0), (-0.25, 0.433, 0.0), (-0.25, -0.433, 0.0))
FEET = ((0.6, 0.4, 0.0631), (0.2029, 0.4873, 0.0526), (-0.5994, 0.4982, 0.0134), (-0.6, -0.4, 0.0286),
        (-0.0021, -0.5214, 0.0314), (0.4996, -0.5056, 0.0669))
LINK = (rod((0.0, 0.0, -0.04), (0.0, 0.0, 0.04), 0.006),)


def finger(side: float) -> tuple[BodyShape, ...]:
    """Return the bar of a finger between its two hinges and its pad."""
    base, hinge, pad = (-0.03 * side, 0.0, 0.0), (0.0, 0.0, 0.0), (-0.035 * side, 0.0, 0.02)
    return rod(base, hinge, 0.006), rod(base, pad, 0.006)


def disc(side: float) -> tuple[BodyShape, ...]:
    """Return a solar panel, a disc of 5 m radius, and its boom."""
    return prop(Cylinder(5.0, 0.15)), rod((0.0, -5.0 * side, 0.0), (0.0, -8.0 * side, 0.0), 0.12)


FILMS: dict[str, Film] = {
    "alignment_guides": Film(4.0, 3.5, (0.25, -1.0, 0.45), zoom=1.4, arrows=-0.8, props={
        "payload": (rod((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.025), prop(Box((1.2, 0.5, 0.35), rounding=0.02)))}),
    "cbm": Film(12.0, 10.2, (1.0, -1.25, 0.9), begin=6.0, zoom=1.6, arrows=0.5),
    "docking_ring": Film(6.0, 1.64, (1.0, -1.25, 0.6), zoom=1.6, arrows=0.8),
    "exposed_pallet": Film(4.0, 0.3, (1.0, -1.25, 1.1), zoom=1.7, arrows=-2.0, states={
        "pallet": {"r": (-1.6, 0.0, 0.0), "v": (0.8, 0.01, 0.0)}}, props={
        "pallet": (prop(Box((2.4, 2.4, 0.04))), prop(Box((2.0, 1.8, 0.7), rounding=0.02), (0.0, 0.0, 0.4)))}),
    "gripper": Film(1.2, 1.0, (0.35, -1.0, 0.45), zoom=1.3, arrows=2.0, glass=("box",), fixed=("palm",), props={
        "right_crank": LINK, "right_follower": LINK, "left_crank": LINK, "left_follower": LINK,
        "right_finger": finger(1.0), "left_finger": finger(-1.0)}),
    "hexapod": Film(0.6, 0.5, (1.0, -1.25, 0.5), zoom=1.4, arrows=-3.0, states={
        "robot": {"r": (0.0, 0.0, 0.12)}}, props={
        "robot": (prop(Box((0.7, 0.5, 0.12), rounding=0.02), (0.0, 0.0, 0.45)),
                  *(rod((0.5 * x, 0.45 * y, 0.45), (x, y, z), 0.018) for x, y, z in FEET))}),
    "insertion": Film(0.4, 0.16, (0.6, -1.0, 0.45), zoom=1.1, arrows=-1.0, glass=("hole",), states={
        "peg": {"r": (0.0015, 0.001, 0.02), "q": tilted(2.0, (0.0, 1.0, 0.0))}}),
    "lee_snare": Film(10.0, 5.2, (1.0, -1.25, 0.5), zoom=1.35, glass=("lee",), fixed=("lee",)),
    "lee_snare_pdgf": Film(10.0, 5.2, (-0.8, -1.2, 0.5), zoom=1.5, glass=("lee",), fixed=("lee",)),
    "micro_fixture": Film(0.6, 0.23, (0.3, -0.6, 1.0), zoom=1.5, states={
        "jaw_right": {"r": (0.0, 0.002, 0.0), "v": (-0.15, 0.0, 0.0)},
        "jaw_left": {"r": (0.0, 0.002, 0.0), "v": (0.15, 0.0, 0.0)}}),
    "peg_in_hole": Film(6.0, 1.05, (0.7, -1.0, 0.22), zoom=1.4, arrows=-0.7, glass=("target",), props={
        "interface": (prop(Box((0.4, 0.4, 0.02)), (0.0, 0.0, 0.01)),)}),
    "rover_wheel": Film(1.8, 0.5, (0.4, -1.0, 0.3), zoom=1.55, arrows=-2.0, states={
        "wheel": {"v": (1.3, 0.0, 0.0), "w": (0.0, 5.2, 0.0), "r": (-0.3, 0.0, 0.25)}}, props={
        "wheel": tuple(prop(Sphere(0.03), (0.15 * c, side * 0.18, 0.15 * s)) for side in (-1.0, 1.0)
                       for c, s in ((1.0, 0.0), (-0.5, 0.866), (-0.5, -0.866)))}),
    "tether_tow": Film(120.0, 60.0, (0.3, -1.0, 0.35), zoom=1.45, follow="tug"),
    "trampoline": Film(60.0, 40.0, (1.0, -1.0, 0.5), zoom=1.4, props={"bus": BUS}),
    "trampoline_2d": Film(2.0, 0.75, (0.0, -0.2, 1.0), zoom=0.7, centre=(0.0, 0.2, 0.0), grid=False),
    "trampoline_bounce": Film(4.0, 1.8, (1.0, -1.2, 0.35), begin=0.9, zoom=1.0, centre=(0.0, 0.0, 1.4)),
    "trampoline_capture": Film(170.0, 90.0, (1.0, -1.0, 0.5), zoom=1.5, follow="asteroid", props={
        "bus": BUS, "panel_left": disc(1.0), "panel_right": disc(-1.0)}),
    "tripod": Film(0.6, 0.5, (1.0, -1.25, 0.35), zoom=1.3, arrows=-2.5, states={
        "tripod": {"r": (-0.3, 0.0, 0.15), "q": tilted(8.0, (0.0, 1.0, 0.0)), "v": (0.6, 0.0, 0.0)}}, props={
        "tripod": (*(rod(leg, (0.1 * leg[0], 0.1 * leg[1], 0.7), 0.015) for leg in LEGS),
                   prop(Sphere(0.07), (0.0, 0.0, 0.7)))}),
    "worksite": Film(3.0, 0.5, (0.5, -1.0, 0.6), zoom=1.5, arrows=-1.5, glass=("slot",), states={
        "module": {"r": (0.02, 0.0004, 0.0), "w": (0.0, 0.0, 0.03)}}),
}
