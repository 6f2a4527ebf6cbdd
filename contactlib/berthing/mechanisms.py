"""The moving parts of the active ring: latches with hooks, indicators with paddles and plungers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from contactlib._core import engine
from contactlib.berthing.parameters import Parameters
from contactlib.berthing.place import (
    AXIS,
    DIGITS,
    Table,
    about_axis,
    evenly,
    of_axes,
    point,
    radial,
    rod,
    rounded,
    shape,
)
from contactlib.common.elementary import acos, cos, sin


def _round(value: float) -> float:
    return round(value, DIGITS) + 0.0


def _turned(angle: float) -> complex:
    return complex(cos(angle), sin(angle))


def bar_at(p: Parameters, angle: float) -> complex:
    """Return the middle of a hook's bar in the linkage's axes, m: x along the ring's axis, y inwards."""
    ground, crank, coupler, rocker = p["latch", "links"]
    linkage = engine.four_bar((ground, crank, coupler, rocker, -1.0), angle)
    if linkage is None:
        raise ValueError(f"latch.links = {list(p['latch', 'links'])}: must be long enough for the linkage to close "
                         f"at a crank angle of {math.degrees(angle):.4g} deg")
    return crank * _turned(angle) + complex(*p["latch", "bar"]) * _turned(linkage[0])


def lowest(p: Parameters) -> float:
    """Return the crank angle (rad) at the dead point of the linkage, where the bar is nearest to the ring."""
    low, high = (math.radians(p["latch", "near"] + d) for d in (-30.0, 30.0))
    step = 1e-5

    def slope(angle: float) -> float:
        return bar_at(p, angle + step).real - bar_at(p, angle - step).real

    if not slope(low) < 0.0 < slope(high):
        raise ValueError(f"latch.near = {p['latch', 'near']:g}: the bar must have its lowest point within 30 deg of it")
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
    return round(0.5 * (low + high), 7)


def latches(p: Parameters) -> tuple[list[Table], list[Table]]:
    """Return the tables of the hooks, which are driven bodies, and of the latches that drive them."""
    latch, fitting = p.part("latch"), p.part("fitting")
    ground, crank, coupler, rocker = latch["links"]
    dead = lowest(p)
    pivot = (fitting["edge"] - latch["pivot_offset"],
             latch["closed_gap"] + fitting["height"] + latch["bar_radius"] - bar_at(p, dead).real)
    start = math.radians(latch["open_angle"])
    motor = {"mode": "motor", "start": _round(start), "low": _round(start),
             "high": _round(dead + math.radians(latch["over_center"])),
             **{key: latch[key] for key in ("inertia", "gear", "torque_constant", "resistance", "current_limit",
                                            "efficiency", "friction", "brake")}}
    bodies, elements = [], []
    for i, angle in enumerate(evenly(latch["count"], latch["first"]), 1):
        out = radial(angle)
        bodies.append({"name": f"hook{i}", "motion": "driven", "shape": _hook(latch)})
        elements.append({
            "name": f"latch{i}", "base": "active", "ground": ground, "crank": crank, "coupler": coupler,
            "rocker": rocker, "branch": "crossed", "position": rounded(point(pivot[0], angle, pivot[1])),
            "attitude": rounded(of_axes(AXIS, -out, np.cross(AXIS, -out))), "coupler_body": f"hook{i}",
            "motor": motor})
    return bodies, elements


def control(p: Parameters) -> Table:
    """Return the table of the berthing control, which commands the latches from the states of paddles and plungers."""
    numbers = p.part("control")
    berthed = lowest(p) + math.radians(numbers.pop("berthed_over"))
    angles = {"open_angle": _round(math.radians(p["latch", "open_angle"])), "berthed_angle": _round(berthed),
              **{name: _round(math.radians(numbers.pop(name))) for name in ("capture_angle", "angle_tolerance")}}
    return {"name": "berthing", "latches": [f"latch{i + 1}" for i in range(p["latch", "count"])],
            "indicators": [f"indicator{i + 1}" for i in range(p["indicator", "count"])],
            "seats": [f"plunger{i + 1}" for i in range(p["plunger", "count"])], "control": angles | numbers}


def _hook(latch: dict[str, Any]) -> list[Table]:
    """Return the shapes of a hook in the coupler's axes: arm to the elbow, finger to the bar, and the bar."""
    bar, elbow = (np.array([*latch[key], 0.0]) for key in ("bar", "elbow"))
    return [shape("bar", "capsule", "hook", bar, radius=latch["bar_radius"], length=latch["bar_length"]),
            rod("finger", "hook", elbow, bar, latch["arm_radius"]),
            rod("arm", "hook", np.zeros(3), elbow, latch["arm_radius"])]


def indicators(p: Parameters) -> tuple[list[Table], list[Table]]:
    """Return the tables of the paddles, which are driven bodies, and of their elements.

    A paddle is a bar that leans inwards; the striker of the passive ring pushes the bar down.
    """
    paddle = p.part("indicator")
    lean, length, radius = math.radians(paddle["lean"]), paddle["length"], paddle["bar_radius"]
    # the bar's tip is at  -depth + length cos(lean + s) + radius
    ready = acos((paddle["ready_gap"] + paddle["pivot_depth"] - radius) / length) - lean
    bodies, elements = [], []
    for i, angle in enumerate(evenly(paddle["count"], paddle["first"]), 1):
        tip = length * np.array([-sin(lean), 0.0, cos(lean)])
        bodies.append({"name": f"paddle{i}", "motion": "driven",
                       "shape": [rod("bar", "paddle", np.zeros(3), tip, radius)]})
        at = rounded(point(paddle["pivot_radius"], angle, -paddle["pivot_depth"]))
        elements.append({
            "name": f"indicator{i}", "base": "active", "body": f"paddle{i}", "motion": "paddle",
            "axis": rounded(np.cross(radial(angle), AXIS)), "travel": _round(math.radians(paddle["travel"])),
            "switch_on": _round(ready), "switch_off": _round(ready - math.radians(paddle["ready_play"])),
            **{key: paddle[key] for key in ("stiffness", "preload", "damping", "inertia")},
            "position": at, "attitude": rounded(about_axis(angle)), "pivot": at})
    return bodies, elements


def plungers(p: Parameters) -> tuple[list[Table], list[Table]]:
    """Return the tables of the plungers' heads, which are driven bodies, and of their elements."""
    plunger = p.part("plunger")
    seated = plunger["height"] - plunger["seated_gap"]
    bodies, elements = [], []
    for i, angle in enumerate(evenly(plunger["count"], plunger["first"]), 1):
        bodies.append({"name": f"head{i}", "motion": "driven",
                       "shape": [shape("head", "sphere", "paddle", radius=plunger["head_radius"])]})
        elements.append({
            "name": f"plunger{i}", "base": "active", "body": f"head{i}", "motion": "plunger", "axis": [0.0, 0.0, -1.0],
            "travel": plunger["height"], "switch_on": _round(seated),
            "switch_off": _round(seated - plunger["seated_play"]),
            **{key: plunger[key] for key in ("stiffness", "preload", "damping", "inertia")},
            "position": rounded(point(plunger["circle"], angle, plunger["height"] - plunger["head_radius"]))})
    return bodies, elements
