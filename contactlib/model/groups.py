"""The group tree: objects of groups of groups of shapes, and the rigid bodies that the core sees of them.

An object is a tree. A group holds groups or shapes, never both; one that is `movable` is a rigid body of its own with
its own state and wrench, wherever it stands in the tree (Pong, DETC2017-67936, "parenting tree"). Here the tree is cut
into its bodies: the object itself, and every movable group, each with the groups below it that move along.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import unit
from contactlib.shapes.mass import MassProperties
from contactlib.shapes.quaternion import product, rotate

if TYPE_CHECKING:
    from contactlib.model.parts import Body, BodyShape, Group
    from contactlib.model.spec import Spec

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FlatGroup:
    """A group within its body: number of its parent there (-1: the body), pose (m, quaternion) in the body's axes."""

    name: str
    parent: int
    volume: str
    r: tuple[float, ...]
    q: tuple[float, ...]


@dataclass(frozen=True)
class FlatBody:
    """A rigid body of a scene: an object, or a movable group of one, named "object.group".

    `shapes` have their poses in the body; `group_of` is the number of the group that holds each, -1 for none.
    """

    name: str
    object: str
    source: Body | Group
    motion: str
    state: tuple[float, ...]
    groups: tuple[FlatGroup, ...]
    shapes: tuple[BodyShape, ...]
    group_of: tuple[int, ...]

    def mass_properties(self) -> MassProperties | None:
        """As given, or else the sum over the shapes that have a density; None if there is neither."""
        return mass_properties(self.source, self.shapes)

    def sorts(self) -> Iterator[tuple[str, str, str]]:
        """Kind and material of its shapes, each combination once, with the name of the first such shape."""
        found: dict[tuple[str, str], str] = {}
        for shape in self.shapes:
            found.setdefault((shape.shape.kind, shape.material), shape.name)
        for (kind, material), name in found.items():
            yield kind, name, material


@dataclass(frozen=True)
class _Pose:
    """Where a frame is in another: position and unit quaternion."""

    r: Floats
    q: Floats

    def of(self, r: Sequence[float], q: Sequence[float]) -> _Pose:
        """The frame at (r, q) in this one, seen from where this one is seen."""
        return _Pose(self.r + rotate(self.q, np.asarray(r, dtype=np.float64)), product(self.q, np.asarray(q)))


ORIGIN = _Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


def mass_properties(source: Body | Group, shapes: tuple[BodyShape, ...]) -> MassProperties | None:
    """As the source says, or else the sum over the shapes that have a density; None if there is neither."""
    if source.mass is not None and source.inertia is not None:
        return MassProperties(source.mass, np.array(source.com or (0.0,) * 3), np.array(source.inertia))
    total: MassProperties | None = None
    for shape in shapes:
        part = shape.mass_properties()
        if part is not None:
            total = part if total is None else total + part
    return total


class Masses:
    """Mass properties of many bodies, which are computed once for bodies with equal shapes."""

    def __init__(self) -> None:
        self._known: dict[tuple[BodyShape, ...], MassProperties | None] = {}

    def of(self, body: FlatBody) -> MassProperties | None:
        """Return the result of `FlatBody.mass_properties`."""
        if body.source.mass is not None:
            return body.mass_properties()
        if body.shapes not in self._known:
            self._known[body.shapes] = body.mass_properties()
        return self._known[body.shapes]


def flat_bodies(spec: Spec) -> tuple[FlatBody, ...]:
    """All rigid bodies of a scene, each object before its movable groups, in the order in which they are written.

    >>> import contactlib
    >>> [body.name for body in flat_bodies(contactlib.load("peg_in_hole"))]
    ['interface', 'target']
    """
    return tuple(flat for body in spec.bodies for flat in cut(body, body.name, body.name, body.motion, body.state))


def cut(source: Body | Group, name: str, root: str, motion: str, state: tuple[float, ...]) -> Iterator[FlatBody]:
    """The rigid body that starts at `source`, and those that start below it."""
    groups: list[FlatGroup] = []
    shapes: list[tuple[BodyShape, int]] = []
    movable: list[tuple[Group, str, _Pose]] = []

    def visit(node: Body | Group, path: str, parent: int, pose: _Pose) -> None:
        for shape in node.shapes:
            place = pose.of(shape.r, shape.q) if parent >= 0 else None
            moved = replace(shape, r=tuple(place.r), q=tuple(place.q)) if place else shape
            shapes.append((moved, parent))
        for group in node.groups:
            place, inner = pose.of(group.r, group.q), f"{path}.{group.name}"
            if group.movable:
                movable.append((group, inner, place))
                continue
            groups.append(FlatGroup(group.name, parent, group.volume, tuple(place.r), tuple(place.q)))
            visit(group, inner, len(groups) - 1, place)

    visit(source, name, -1, ORIGIN)
    yield FlatBody(name, root, source, motion, state, tuple(groups), tuple(s for s, _ in shapes),
                   tuple(g for _, g in shapes))
    for group, inner, place in movable:
        yield from cut(group, inner, root, group.motion, group.state or _carried(state, place))


def _carried(state: tuple[float, ...], place: _Pose) -> tuple[float, ...]:
    """State of a frame at `place` in a body of that state, moving along with it."""
    r, q, v, w = (np.array(state[a:b]) for a, b in ((0, 3), (3, 7), (7, 10), (10, 13)))
    arm = rotate(q, place.r)
    attitude = product(q, place.q)
    return (*(r + arm), *unit(attitude), *(v + np.cross(w, arm)), *w)
