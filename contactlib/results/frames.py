"""Frames of a result: what is recorded of a simulation at one instant, as columns of the tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.options import FRAMES
from contactlib.model.model import Model
from contactlib.model.spec import Spec
from contactlib.results.fabric import fabrics
from contactlib.results.format import Layout
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.simulation.simulation import Simulation

Floats = NDArray[np.float64]
Columns = list[NDArray[Any]]
#: rows of a table, as `TableStream.append` takes them
Rows = Columns | Floats
#: value of the variable `resolve_in`
BODY_AXES = 1 + FRAMES.index("body")


class Source:
    """Where the frames of a model's simulations come from; `layout` names what they hold, as in the scene."""

    def __init__(self, model: Model, scene: Spec) -> None:
        self.model = model
        self._outputs = model.element_outputs
        self._fabrics = fabrics(model)
        self._axes = [variable.name for variable in model.variables].index("resolve_in")
        start = Simulation(model)
        self._cabled = [name for name in model.element_names if start.cable_nodes(name)]
        counts = [len(start.cable_nodes(name)) for name in self._cabled]
        self._first_cables = np.cumsum([0, *counts])[:-1]  # of each element with cables
        cables = {name: len(nodes) for name, nodes in self._cables(start)}
        shapes = tuple(f"{body.name}.{shape.name}" for body in scene.rigid_bodies for shape in body.shapes)
        if len(shapes) != len(model.core.shapes) or tuple(b.name for b in scene.rigid_bodies) != model.body_names:
            raise ValueError(f"scene = '{scene.name}': is not the scene of the model '{model.name}'")
        self.layout = Layout(model.body_names, shapes, model.law_names, tuple(self._outputs.values()), cables,
                             {net.name: net.vertex_count for net in self._fabrics})
        self.suspension_points = {net.name: len(net.points) for net in self._fabrics}

    def rows(self, simulation: Simulation, frame: int, states: Floats | None = None) -> dict[str, Rows]:
        """Return new rows of all tables, world axes."""
        data = simulation.data
        with data:
            time, own, wrenches = data.time, data.states(), data.wrenches()
            summary = (time, data.contact_count, data.deep, data.max_depth, data.energy_dissipated,
                       data.energy_stored, data.energy_error, *(data.get(row) for row in self._outputs))
            contacts = data.contacts()
            if data.get(self._axes) == BODY_AXES:
                own, wrenches = _to_world(own, wrenches)
            states = own if states is None else states
            nets = [net.at(states, [data.get(row) for row in net.rows]) for net in self._fabrics]
            cables = [nodes for _, nodes in self._cables(simulation)]
            touches = [simulation.cable_contacts(name) for name in self._cabled]
        head = (frame, time)
        return {
            "frames": np.array([summary], dtype=np.float64),
            "states": np.concatenate([[time], states.ravel()])[None],
            "wrenches": np.concatenate([[time], wrenches.ravel()])[None],
            "contacts": _contacts(head, contacts, own),
            "cable_contacts": self._cable_contacts(head, touches),
            "cable_nodes": _numbered(head, cables, [nodes[:, :6] for nodes in cables]),
            "membranes": _numbered(head, nets, [vertices for vertices, _ in nets]),
            "membrane_triangles": _triangles(head, [triangles for _, triangles in nets]),
        }

    def _cable_contacts(self, head: tuple[int, float], parts: list[NDArray[np.void]]) -> Columns:
        """Return the contacts of the cables of each element that has cables; the layout numbers all cables."""
        if not parts:
            return _head(head, 0)
        rows = np.concatenate(parts)
        first = np.repeat(self._first_cables, [len(part) for part in parts])
        on_cable = rows["shape"] < 0
        body = np.where(on_cable, len(self.layout.bodies), rows["body"])
        touched = np.where(on_cable, len(self.layout.shapes) + first + rows["other_cable"], rows["shape"])
        return [*_head(head, len(rows)), first + rows["cable"], body, touched, *rows["p_WC"].T, *rows["n_W"].T,
                rows["depth"], *rows["f_W"].T]

    def _cables(self, simulation: Simulation) -> Iterator[tuple[str, Floats]]:
        """Yield each cable with its name, "element[1]" and so on, and its nodes (n, 12)."""
        for name in self._cabled:
            for k, nodes in enumerate(simulation.cable_nodes(name)):
                yield f"{name}[{k + 1}]", nodes


def _to_world(states: Floats, wrenches: Floats) -> tuple[Floats, Floats]:
    """Return states and wrenches in world axes, of which w, force and torque are in body axes."""
    states, wrenches = states.copy(), wrenches.copy()
    for state, wrench in zip(states, wrenches, strict=True):
        R = rotation_matrix(tuple(state[3:7].tolist()))
        state[10:], wrench[:3], wrench[3:] = R @ state[10:], R @ wrench[:3], R @ wrench[3:]
    return states, wrenches


def _head(head: tuple[int, float], count: int) -> Columns:
    return [np.full(count, head[0], np.int64), np.full(count, head[1])]


def _contacts(head: tuple[int, float], contacts: NDArray[np.void], states: Floats) -> Columns:
    points = states[contacts["body_a"], :3] + contacts["p_AC_W"]
    plain = [contacts[name] for name in ("pair", "law", "body_a", "body_b", "shape_a", "shape_b")]
    return [*_head(head, len(contacts)), *plain, *points.T, *contacts["n_AB_W"].T, contacts["depth"],
            *contacts["f_B_W"].T, contacts["slipping"].astype(np.int8)]


def _numbered(head: tuple[int, float], parts: list[Any], rows: list[Floats]) -> Columns:
    """Return the rows of numbered parts, such as the nodes of cables: number of the part, number within the part."""
    if not parts:
        return [*_head(head, 0), np.zeros(0, np.int32)]
    counts = [len(part) for part in rows]
    inside = np.concatenate([np.arange(count, dtype=np.int32) for count in counts])
    owner = np.repeat(np.arange(len(parts), dtype=np.int32), counts)
    return [*_head(head, len(inside)), owner, inside, *np.concatenate(rows).T]


def _triangles(head: tuple[int, float], parts: list[NDArray[np.int32]]) -> Columns:
    if not parts:
        return [*_head(head, 0)]
    rows = np.concatenate(parts)
    owner = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
    return [*_head(head, len(rows)), owner, *rows.T]
