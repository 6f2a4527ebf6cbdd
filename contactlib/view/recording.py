"""The motion of a page: states, wrenches, contacts, cables, membranes and time series at the chosen frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.exports.drawing import Drawing
from contactlib.results.result import Result
from contactlib.view.container import quantise

Floats = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]
#: multiple of the largest shape beyond which the origin moves with the bodies: page and browser have 4-byte numbers
FAR = 1e3
#: below every length, m
TINY = 1e-300
PARTS = {"r": slice(0, 3), "q": slice(3, 7), "v": slice(7, 10), "w": slice(10, 13)}
WRENCH = {"f": slice(0, 3), "t": slice(3, 6)}


def origin_of(drawing: Drawing) -> Floats:
    """Return the origin of the drawing in the world, m: one point (3,), or a point for each frame (T, 3)."""
    positions = drawing.result.states[drawing.frames, :, :3]
    if drawing.follow is not None:
        return drawing.origin
    start: Floats = np.nan_to_num(drawing.origin[0])
    if not np.nanmax(np.abs(positions - start), initial=0.0) > FAR * drawing.size:
        return start
    middle: Floats = np.nan_to_num(np.nanmean(positions, axis=1))
    return middle


def motion(drawing: Drawing, origin: Floats) -> Arrays:
    """Return states and wrenches with time as the last axis; positions are relative to the origin."""
    frames, result = drawing.frames, drawing.result
    states, wrenches = result.states[frames], result.wrenches[frames]
    where = np.broadcast_to(origin, (len(frames), 3))
    found: Arrays = {"time": result.time[frames], "origin": origin.T.astype(np.float64)}
    for name, columns in PARTS.items():
        values = states[:, :, columns] - where[:, None, :] if name == "r" else states[:, :, columns]
        found[name] = _time_last(values)
    for name, columns in WRENCH.items():
        found[name] = _time_last(wrenches[:, :, columns])
    return found


def _time_last(values: Floats) -> NDArray[np.float32]:
    return np.ascontiguousarray(np.moveaxis(values, 0, -1).astype(np.float32))


def contacts(drawing: Drawing, origin: Floats) -> Arrays:
    """Return the contacts of the chosen frames, and the number of the first one of each frame.

    The sides of a contact are numbers of bodies; those of cables follow. The force is that on the second side.
    """
    result, frames = drawing.result, drawing.frames
    columns = _all_contacts(result)
    bounds = np.searchsorted(columns["frame"], np.stack([frames, frames + 1]))
    counts = bounds[1] - bounds[0]
    first = np.concatenate([[0], np.cumsum(counts)])
    rows = np.repeat(bounds[0] - first[:-1], counts) + np.arange(first[-1])
    where = np.broadcast_to(origin, (len(frames), 3))
    points = columns["r_W"][rows] - np.repeat(where, counts, axis=0)
    numbers = {name: k for k, name in enumerate((*result.bodies, *result.cables))}
    sides = [np.array([numbers[name] for name in columns[side][rows]], dtype=np.uint16) for side in ("a", "b")]
    return {
        "contact_first": first.astype(np.uint32), "contact_side": np.stack(sides),
        "contact_point": _time_last(points), "contact_force": _time_last(columns["f_W"][rows]),
        "contact_depth": columns["depth"][rows].astype(np.float32),
    }


def _all_contacts(result: Result) -> dict[str, NDArray[Any]]:
    """Return the contacts of bodies and those of cables, sorted by frame; a, b are the names of both sides."""
    bodies, cables = result.contacts, result.cable_contacts
    parts = [bodies | {"a": bodies["body_a"], "b": bodies["body_b"]},
             cables | {"a": np.where(cables["body"] == "", cables["touched"], cables["body"]), "b": cables["cable"]}]
    joined = {name: np.concatenate([part[name] for part in parts])
              for name in ("frame", "a", "b", "r_W", "f_W", "depth")}
    order = np.argsort(joined["frame"], kind="stable")
    return {name: column[order] for name, column in joined.items()}


def cables(drawing: Drawing, origin: Floats) -> tuple[list[dict[str, Any]], Arrays]:
    """Return the cables: name, element, nodes, radius (m), step of the quantised nodes (m); and their arrays."""
    entries: list[dict[str, Any]] = []
    arrays: Arrays = {}
    for k, (name, nodes) in enumerate(drawing.result.cables.items()):
        steps = _soft(arrays, f"cable_{k}", nodes[drawing.frames], origin)
        entries.append({"name": name, "element": name.rpartition("[")[0], "nodes": nodes.shape[1],
                        "radius": drawing.radius(name), **steps})
    return entries, arrays


def membranes(drawing: Drawing, origin: Floats) -> tuple[list[dict[str, Any]], Arrays]:
    """Return the membranes, and their arrays: vertices, and the triangles of each frame."""
    entries: list[dict[str, Any]] = []
    arrays: Arrays = {}
    result, frames = drawing.result, drawing.frames
    for k, (name, vertices) in enumerate(result.membranes.items()):
        steps = _soft(arrays, f"membrane_{k}", vertices[frames], origin)
        triangles = result.membrane_triangles[name][frames]
        used = triangles[:, :, 0] >= 0
        arrays[f"membrane_{k}_triangles"] = np.ascontiguousarray(triangles[used].astype(np.uint16))
        arrays[f"membrane_{k}_first"] = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.uint32)
        entries.append({"name": name, "element": name, "points": vertices.shape[1], **steps})
    return entries, arrays


def _soft(arrays: Arrays, name: str, points: Floats, origin: Floats) -> dict[str, Any]:
    """Add the quantised points (T, n, 3) to the arrays; return the step."""
    relative = points - (origin if origin.ndim == 1 else origin[:, None, :])
    arrays[f"{name}_centre"], arrays[name], step = quantise(relative)
    return {"step": step}


def cable_length(nodes: Floats, slopes: Floats) -> Floats:
    """Return the length (T,) in m of a cable with nodes (T, n, 3) in m and slopes dr/dx there.

    A cubic curve between two nodes with the distance c, whose slopes of unit length have the parts a and b normal to
    the line between them, has the length c (1 + (2 a.a - a.b + 2 b.b)/30) up to fourth powers of a and b.

    >>> angle = np.linspace(0.0, np.pi, 11)  # half a circle
    >>> circle = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)[None]
    >>> slopes = np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1)[None]
    >>> bool(abs(cable_length(circle, slopes)[0] - np.pi) < 1e-4 * np.pi)
    True
    """
    between = np.diff(nodes, axis=1)
    distance = np.linalg.norm(between, axis=2)
    along = between / np.maximum(distance, TINY)[:, :, None]
    tangents = slopes / np.maximum(np.linalg.norm(slopes, axis=2), TINY)[:, :, None]
    a, b = (t - (t * along).sum(axis=2)[:, :, None] * along for t in (tangents[:, :-1], tangents[:, 1:]))
    bent = (2.0 * a * a - a * b + 2.0 * b * b).sum(axis=2) / 30.0
    return np.asarray((distance * (1.0 + bent)).sum(axis=1))


class Signals:
    """Time series for the plots: rows (n, T), and the plots that show them."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.rows: list[NDArray[np.float32]] = []
        self.plots: list[dict[str, Any]] = []
        self._values: dict[str, dict[str, Any]] = {}
        self._units = {variable.name: variable.unit for variable in drawing.result.model.variables}

    def add(self, title: str, group: str, unit: str, series: Sequence[tuple[str, NDArray[Any]]]) -> None:
        """Add a plot of some series (label, values of all frames). A constant zero series is left out."""
        kept = []
        for label, values in series:
            row = np.nan_to_num(values[self.drawing.frames].astype(np.float32))
            if row.any():
                name = f"{title}{label}" if label.startswith("[") else title
                self._values[name] = {"plot": title, "unit": unit, "signal": len(self.rows)}
                kept.append({"label": label, "signal": len(self.rows)})
                self.rows.append(row)
        if kept:
            self.plots.append({"title": title, "unit": unit, "group": group, "series": kept})

    def add_all(self) -> None:
        """Add outputs of elements, contacts, and energies."""
        result = self.drawing.result
        outputs: dict[str, list[tuple[str, NDArray[Any]]]] = defaultdict(list)
        for name, values in result.outputs.items():
            if not name.endswith("_energy"):
                plain = name.partition("[")[0]
                outputs[plain].append((name.removeprefix(plain) or name.rpartition(".")[2], values))
        for name, series in outputs.items():
            first = name if name in self._units else f"{name}[1]"
            self.add(name, "element", self._units.get(first, ""), series)
        lengths: dict[str, list[tuple[str, NDArray[Any]]]] = defaultdict(list)
        for name, nodes in result.cables.items():
            element, _, number = name.rpartition("[")
            lengths[element].append((f"[{number}", cable_length(nodes, result.cable_slopes[name])))
        for name, series in lengths.items():
            self.add(f"{name}.length", "element", "m", series)
        frames = result.table("frames")
        for title, name, unit in (("depth of the deepest contact", "contact.max_depth", "m"),
                                  ("number of contacts", "contact.count", "")):
            column = np.asarray(frames.column(name).to_numpy())
            self.add(title, "contacts", unit, [(name.partition(".")[2], column)])
        energies = [(name.replace("contact.energy_", "contacts "), values) for name, values in result.energies.items()]
        self.add("energy", "energy", "J", energies)

    def values(self, part: str) -> list[dict[str, Any]]:
        """Return what is known of a cable, such as "snare[1]", or of a membrane: name, plot, unit, row."""
        element, bracket, number = part.partition("[")
        found = []
        for name, value in self._values.items():
            owner, _, variable = name.partition(".")
            if owner == element and variable.partition("[")[1:] == (bracket, number):
                found.append({"name": variable.partition("[")[0].replace("_", " "), **value})
        return found

    def array(self) -> NDArray[np.float32]:
        """Return all rows."""
        return np.stack(self.rows) if self.rows else np.zeros((0, len(self.drawing.frames)), np.float32)
