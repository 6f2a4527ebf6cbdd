"""A scene whose latches are drives only, for a master that moves the links in a multibody model of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from contactlib.elements import Latch, LatchDrive
from contactlib.simulation.simulation import Simulation

if TYPE_CHECKING:
    from contactlib.model.parts import Body, Group
    from contactlib.model.spec import Spec

    Node = TypeVar("Node", Body, Group)


def with_external_links(spec: Spec, stiffness: float) -> Spec:
    """The same scene with its latches' links as external bodies, and each latch as a `LatchDrive` of the same name.

    The links begin where their linkages stand; their states, and angle and rate of each crank, are then inputs, the
    wrenches on the links and the torques on the cranks outputs. A berthing control goes on leading the drives.

    Parameters
    ----------
    spec : with at least one latch.
    stiffness : N m/rad, by which gear and brake hold a crank until they slip.

    Raises
    ------
    ValueError
        If the scene has no latch, or does not compile.
    """
    latches = {element.name: element for element in spec.elements if isinstance(element, Latch)}
    if not latches:
        raise ValueError(f"scene '{spec.name}' has no latch whose links could be external")
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
    """A body or group with the links below it external, where they stand."""
    groups = tuple(_released(group, f"{path}.{group.name}", links) for group in node.groups)
    if path not in links:
        return replace(node, groups=groups)
    return replace(node, groups=groups, motion="external", state=links[path])
