"""Joints of a model file as elements of a scene: hinges, sliders and fixed joints between free bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.elements.joints import FixedJoint
from contactlib.importers.parts import Link, Pose, RobotModel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinkJoint:
    """How a link moves on its parent, whose frame has `point` (m) and `axis`; SI units, as `[[hinge]]` has them.

    kind : of an element: Hinge.kind, Slider.kind or FixedJoint.kind. start : angle or position at the home
    configuration. rest : of the spring. limit : largest torque or force of a drive; 0 is none.
    """

    name: str
    kind: str
    point: Floats
    axis: Floats
    start: float = 0.0
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    limit: float = 0.0

    def seen_from(self, X: Pose) -> LinkJoint:
        """Return the joint in another frame, in which the parent's frame has the pose X."""
        return replace(self, point=(X * Pose(self.point, np.eye(3))).p, axis=(Pose(np.zeros(3), X.R) * Pose(
            self.axis, np.eye(3))).p)

    def table(self, base: str, arm: str) -> dict[str, Any]:
        """Return its table of a scene file. No base is the world."""
        table: dict[str, Any] = {"name": self.name, **({"base": base} if base else {}), "arm": arm,
                                 "point": self.point.tolist()}
        if self.kind == FixedJoint.kind:
            return table
        table |= {"axis": self.axis.tolist(), "start": self.start}
        stops = {key: value for key, value in (("lower", self.lower), ("upper", self.upper)) if value is not None}
        law = {"stiffness": self.stiffness, "damping": self.damping, "friction": self.friction,
               "drive_limit": self.limit}
        return table | stops | {key: value for key, value in law.items() if value} | (
            {"rest": self.rest} if self.stiffness else {})

    def ranged(self, left_out: list[str]) -> LinkJoint:
        """Return the joint, without stops if they do not hold the home configuration, which is then noted."""
        low, high = self.lower, self.upper
        if low is None or high is None or (low < high and low <= self.start <= high):
            return self
        why = f"it does not hold {self.start:g} of the home configuration" if low < high else "it is empty"
        left_out.append(f"range of joint {self.name!r}, {low:g} to {high:g}: {why}")
        return replace(self, lower=None, upper=None)


#: kinds of joints that hold nothing
FREE = ("free", "floating")


def check_joints(model: RobotModel) -> None:
    """Raise ValueError if a link that joints move has no mass, or hangs on a joint that a scene does not have."""
    for link in moving(model):
        if link.moves is None and link.joint not in FREE:
            raise ValueError(f"link '{link.name}': its joint is '{link.joint}': --joints takes hinges, sliders and "
                             "fixed joints, one for each link; import it without --joints, for your simulator to move")
        if link.mass is None:
            raise ValueError(f"link '{link.name}' has no mass, and moves on a joint: give it one in the model, or, if "
                             "its joint is fixed, merge it into its parent with --merge-fixed")


def moving(model: RobotModel) -> list[Link]:
    """Return the links that are not fixed to the world."""
    return [link for link in model.links if not is_held(model, link)]


def is_held(model: RobotModel, link: Link) -> bool:
    """Whether only fixed joints lie between a link and a root that does not move: one without a mass, with joints."""
    links = {each.name: each for each in model.links}
    while link.joint == "fixed" and link.parent:
        link = links[link.parent]
    return link.joint == "fixed" or (model.with_joints and not link.parent and link.mass is None)


def joint_tables(model: RobotModel) -> Mapping[str, list[dict[str, Any]]]:
    """Return the tables of all joints of links that move, by kind."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for link in moving(model):
        if link.moves is not None:
            tables.setdefault(link.moves.kind, []).append(link.moves.table(link.parent, link.name))
    return tables
