"""Reduces latches to their drives, for a master that moves the links in its own multibody model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from contactlib.elements.latch import Latch
from contactlib.elements.latch_drive import LatchDrive
from contactlib.simulation.simulation import Simulation

if TYPE_CHECKING:
    from contactlib.model.parts import Body, Group
    from contactlib.model.spec import Spec

    Node = TypeVar("Node", Body, Group)


def with_external_links(spec: Spec, stiffness: float) -> Spec:
    """Return the scene with the latches' links as external bodies and each latch as a `LatchDrive` with its name.

    Inputs are the states of the links and the angle and rate of each crank. Outputs are the wrenches on the links and
    the torques on the cranks. The links start in the pose of their linkage. A berthing control still commands the
    drives.

    Parameters
    ----------
    spec : a scene with at least one latch.
    stiffness : stiffness with which gear and brake hold a crank until they slip, N m/rad.

    Raises
    ------
    ValueError
        The scene has no latch, or does not compile.
    """
    latches = {element.name: element for element in spec.elements if isinstance(element, Latch)}
    if not latches:
        raise ValueError(f"scene '{spec.name}': has no latch: external links need a scene with a [[latch]]")
    simulation = Simulation(spec.compile())
    states = dict(zip(simulation.model.body_names, simulation.states.tolist(), strict=True))
    links = {name: tuple(states[name]) for latch in latches.values()
             for name in (latch.crank_body, latch.coupler_body, latch.rocker_body) if name is not None}
    elements = tuple(_drive(element, stiffness) if isinstance(element, Latch) else element for element in spec.elements)
    return replace(spec, bodies=tuple(_released(body, body.name, links) for body in spec.bodies), elements=elements)


def _drive(latch: Latch, stiffness: float) -> LatchDrive:
    return LatchDrive(latch.name, stiffness, motor=latch.motor, voltage=latch.voltage, power=latch.power,
                      brake=latch.brake)


def _released(node: Node, path: str, links: Mapping[str, tuple[float, ...]]) -> Node:
    """Return a body or group with its links as external bodies, in the pose of their linkage."""
    groups = tuple(_released(group, f"{path}.{group.name}", links) for group in node.groups)
    if path not in links:
        return replace(node, groups=groups)
    return replace(node, groups=groups, motion="external", state=links[path])
