"""The fixed parts of the two rings: faces, guides, bumpers, stand-offs, strikers, seal, pins and sockets.

Both rings have their face in the plane z = 0, and z points from the active to the passive ring. When the rings are
berthed, their frames coincide except for the gap.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from contactlib.berthing.parameters import Parameters
from contactlib.berthing.place import AXIS, Floats, Table, about_axis, evenly, leaning, of_axes, point, rod, shape
from contactlib.common.elementary import atan2, cos, hypot, sin, tan
from contactlib.common.vectors import dot, norm, unit

LEFT = {-1: "right", 1: "left"}


def active_ring(p: Parameters) -> list[Table]:
    """Return the groups of the active ring."""
    petals = [shape for i, angle in _numbered(p, "guide") for shape in _petal(p, i, angle)]
    return _sectors(p, {"face": _face(p), "guide": petals, "parts": [*_bumpers(p), *_standoffs(p), *_pins(p)]})


def passive_ring(p: Parameters) -> list[Table]:
    """Return the groups of the passive ring."""
    ring = p.part("ring")
    outer, inner = ring["outer_radius"] - ring["edge_radius"], ring["face_inner"] + ring["edge_radius"]
    rows = zip(ring["rim_heights"], ring["rim_points"], strict=True)
    rim = [point for i, (height, count) in enumerate(rows, 1) for point in _circle(f"rim_{i}", p, outer, height, count)]
    edge = _circle("edge", p, inner, ring["edge_height"], ring["edge_points"])
    parts = [*_fins(p), *_sockets(p), *_fittings(p), *_strikers(p)]
    return _sectors(p, {"rim": rim, "edge": edge, "seal": _seal(p), "parts": parts})


def _sectors(p: Parameters, parts: dict[str, list[Table]]) -> list[Table]:
    """Group shapes by sector and then by part, so that few tests of bounding volumes exclude distant shapes."""
    count = p["ring", "sectors"]
    sectors: list[dict[str, list[Table]]] = [{} for _ in range(count)]
    for name, shapes in parts.items():
        for one in shapes:
            turn = atan2(one["r"][1], one["r"][0]) / (2.0 * math.pi)
            sectors[math.floor(round(turn * count, 6)) % count].setdefault(name, []).append(one)
    return [{"name": f"sector_{k}", "group": [{"name": name, "shape": shapes} for name, shapes in sector.items()]}
            for k, sector in enumerate(sectors, 1) if sector]


def _numbered(p: Parameters, part: str) -> list[tuple[int, float]]:
    return list(enumerate(evenly(p[part, "count"], p[part, "first"]), 1))


def _face(p: Parameters) -> list[Table]:
    """Return the face as boxes side by side, wide enough to meet at the outer radius."""
    ring = p.part("ring")
    count, inner, outer = ring["segments"], ring["face_inner"], ring["face_outer"]
    size = [outer - inner, 2.0 * outer * tan(math.pi / count), ring["thickness"]]
    return [shape(f"face_{i}", "box", "metal", point(0.5 * (inner + outer), a, -0.5 * ring["thickness"]),
                  about_axis(a), size=size)
            for i, a in enumerate(evenly(count, 0.0), 1)]


def _circle(name: str, p: Parameters, radius: float, height: float, count: int) -> list[Table]:
    """Return an edge as spheres along a circle."""
    return [shape(f"{name}_{i}", "sphere", "metal", point(radius, a, height), radius=p["ring", "edge_radius"])
            for i, a in enumerate(evenly(count, 0.0), 1)]


def _seal(p: Parameters) -> list[Table]:
    """Return the bead of the seal as spheres, one over the middle of each segment of the face."""
    seal = p.part("seal")
    return [shape(f"seal_{i}", "sphere", "seal", point(seal["radius"], a, seal["bead_radius"] - seal["proud"]),
                  radius=seal["bead_radius"])
            for i, a in enumerate(evenly(seal["points"], 0.0), 1)]


def half_angle(p: Parameters, height: float) -> float:
    """Return the half angle (rad) of a petal at a height; the petal narrows from its bend to its tip."""
    heights, root, tip = p["guide", "heights"], p["guide", "half_angle_root"], p["guide", "half_angle_tip"]
    fraction = min(max((height - heights[1]) / (heights[-1] - heights[1]), 0.0), 1.0) if len(heights) > 2 else 0.0
    return math.radians(root + (tip - root) * fraction)


def _petal(p: Parameters, number: int, middle: float) -> list[Table]:
    """Return a petal: plates from root to tip with the profile as inner side, rods along both sides, webs outwards."""
    guide, radius = p.part("guide"), p["ring", "outer_radius"]
    profile = [(radius + c, h) for c, h in zip(guide["clearances"], guide["heights"], strict=True)]
    columns, thick = guide["columns"], guide["thickness"]
    shapes: list[Table] = []
    for i, ((r0, h0), (r1, h1)) in enumerate(pairwise(profile), 1):
        lean, length = atan2(r1 - r0, h1 - h0), hypot(r1 - r0, h1 - h0)
        half = half_angle(p, 0.5 * (h0 + h1))
        r, h = 0.5 * (r0 + r1) + 0.5 * thick * cos(lean), 0.5 * (h0 + h1) - 0.5 * thick * sin(lean)
        size = [thick, 2.0 * 0.5 * (r0 + r1) * tan(half / columns), length]
        for j in range(columns):
            angle = middle + half * (2 * j + 1 - columns) / columns
            shapes.append(shape(f"plate_{number}_{i}_{j + 1}", "box", "guide", point(r, angle, h), leaning(angle, lean),
                                size=size))
        for side in (-1, 1):
            start, end = (point(r + 0.5 * thick, middle + side * half_angle(p, h), h) for r, h in ((r0, h0), (r1, h1)))
            shapes.append(rod(f"side_{number}_{i}_{LEFT[side]}", "guide", start, end, 0.5 * thick))
            shapes.append(_web(f"web_{number}_{i}_{LEFT[side]}", start, end, guide["web"], thick))
    return shapes


def _web(name: str, start: Floats, end: Floats, depth: float, thick: float) -> Table:
    """Return a plate outwards from the line between two points; it keeps fins from sliding behind the petal."""
    z = unit(end - start)
    out = 0.5 * (start + end) * [1.0, 1.0, 0.0]
    x = unit(out - dot(out, z) * z)
    size = [depth, thick, float(norm(end - start))]
    return shape(name, "box", "guide", 0.5 * (start + end) + 0.5 * depth * x, of_axes(x, np.cross(z, x), z), size=size)


def _fins(p: Parameters) -> list[Table]:
    """Return the fins of the passive ring, one on each side of each petal: rods side by side, outwards from the rim."""
    guide = p.part("guide")
    heights = guide["fin_radius"] - guide["fin_reach"], guide["fin_length"]
    shapes: list[Table] = []
    for i, middle in _numbered(p, "guide"):
        for side in (-1, 1):
            for k, offset in enumerate(guide["fin_offsets"], 1):
                radius = p["ring", "outer_radius"] + offset
                away = (0.5 * guide["thickness"] + guide["fin_clearance"] + guide["fin_radius"]) / radius
                start, end = (point(radius, middle + side * (half_angle(p, 0.0) + away), h) for h in heights)
                shapes.append(rod(f"fin_{i}_{LEFT[side]}_{k}", "metal", start, end, guide["fin_radius"]))
    return shapes


def _bumpers(p: Parameters) -> list[Table]:
    bumper = p.part("bumper")
    radius = p["ring", "outer_radius"] + bumper["clearance"] + bumper["radius"]
    return [shape(f"bumper_{i}", "sphere", "guide", point(radius, a, bumper["height"]), radius=bumper["radius"])
            for i, a in _numbered(p, "bumper")]


def _standoffs(p: Parameters) -> list[Table]:
    """Return the stand-offs: spheres that project by their stroke; their contact law models their spring."""
    standoff = p.part("standoff")
    height = standoff["stroke"] - standoff["head_radius"]
    return [shape(f"standoff_{i}", "sphere", "standoff", point(standoff["radius"], math.radians(a), height),
                  radius=standoff["head_radius"])
            for i, a in enumerate(standoff["angles"], 1)]


def _pins(p: Parameters) -> list[Table]:
    pin = p.part("pin")
    circle, top = pin["circle"], pin["height"] - pin["radius"]
    return [rod(f"pin_{i}", "metal", point(circle, a, 0.0), point(circle, a, top), pin["radius"])
            for i, a in _numbered(p, "pin")]


def _sockets(p: Parameters) -> list[Table]:
    """Return the sockets: blocks with holes that open at the face."""
    pin = p.part("pin")
    radius = pin["radius"] + pin["clearance"]
    size = [pin["socket_width"], pin["socket_width"], pin["socket_depth"] + radius + 0.002]
    return [shape(f"socket_{i}", "socket", "metal", point(pin["circle"], a, 0.0), (0.0, 1.0, 0.0, 0.0), size=size,
                  radius=radius, length=pin["socket_depth"])
            for i, a in _numbered(p, "pin")]


def _fittings(p: Parameters) -> list[Table]:
    fitting, outer = p.part("fitting"), p["ring", "face_inner"]
    size = [outer - fitting["edge"], fitting["width"], fitting["height"]]
    return [shape(f"fitting_{i}", "box", "metal", point(0.5 * (outer + fitting["edge"]), a, 0.5 * fitting["height"]),
                  about_axis(a), size=size)
            for i, a in _numbered(p, "latch")]


def _strikers(p: Parameters) -> list[Table]:
    """Return the striker plates for stand-offs, paddles and plungers."""
    def plate(name: str, radius: float, angle: float, size: Any) -> Table:
        return shape(name, "box", "metal", radius * np.array([cos(angle), sin(angle), 0.0])
                     + 0.5 * size[2] * AXIS, about_axis(angle), size=size)

    standoff, paddle, plunger = p.part("standoff"), p.part("indicator"), p.part("plunger")
    inner = p["ring", "face_inner"] - 0.02 - 0.5 * paddle["plate"][0]
    return [
        *(plate(f"strike_standoff_{i}", standoff["radius"], math.radians(a), standoff["plate"])
          for i, a in enumerate(standoff["angles"], 1)),
        *(plate(f"strike_indicator_{i}", inner, a, paddle["plate"]) for i, a in _numbered(p, "indicator")),
        *(plate(f"strike_plunger_{i}", plunger["circle"], a, plunger["plate"]) for i, a in _numbered(p, "plunger")),
    ]
