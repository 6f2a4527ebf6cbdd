"""Ball joints: arms on a base, such as solar panels on their booms, each with a spring and a damper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.common.vectors import dot, norm, unit
from contactlib.elements.base import Design, Kind, Stage, body_of, fail, path_of, start_pose
from contactlib.shapes.polytopes import rows_of_three
from contactlib.shapes.quaternion import rotate

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody
    from contactlib.model.spec import Spec


Floats = NDArray[np.float64]
Points = tuple[tuple[float, ...], ...]

MAX_ARMS = 8
APART = 1e-6  # m: at the start the two sides of a joint are no further apart


@dataclass(frozen=True)
class BallJoints(Kind):
    """Arms on ball joints of one base, each with a torsion spring and a torsion damper.

    Each joint is a constraint: its force makes the accelerations of both sides equal. It has no stiffness that would
    limit the step. The springs have no torque in the initial pose of the scene.

    Parameters
    ----------
    name : name of the element; its variables are `name.bending[1]` and so on.
    arms : names of up to eight free bodies without other joints.
    base_points, arm_points : m, position of each joint in the base and in its arm; both coincide at the start.
    base : name of a free or a fixed body; None is the world.
    stiffness, damping : N m/rad and N m s/rad of each joint.
    stabilisation : 1/s, rate at which position errors of the joints decay.

    Examples
    --------
    >>> BallJoints("sada", ("wing",), ((1, 0, 0),), ((-4, 0, 0),), base="bus", stiffness=8e3).summary()
    "'wing' on 'bus', stiffness 8000, damping 0"
    """

    name: str
    arms: tuple[str, ...]
    base_points: Points
    arm_points: Points
    base: str | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    stabilisation: float = 1.0
    kind: ClassVar[str] = "ball_joints"
    stage: ClassVar[Stage] = Stage.JOINTS

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[ball_joints]] of a scene file. A ValueError has the key's path."""
        del folder
        points, at_least_zero = tables.listing(tables.vector(3)), tables.number(0.0)
        result = cls(
            name=table.take("name", tables.name),
            arms=table.take("arms", tables.listing(tables.text)),
            base_points=table.take("base_points", points),
            arm_points=table.take("arm_points", points),
            base=table.take("base", tables.text, None),
            stiffness=table.take("stiffness", at_least_zero, 0.0),
            damping=table.take("damping", at_least_zero, 0.0),
            stabilisation=table.take("stabilisation", at_least_zero, 1.0),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the joints in base and arms, and the initial attitudes of the arms relative to the base."""
        count = len(self.arms)
        if not 1 <= count <= MAX_ARMS:
            fail(self, "arms", self.arms, f"must be one to {MAX_ARMS} bodies")
        if len({self.base, *self.arms}) != count + 1:
            fail(self, "arms", self.arms, "must be different bodies, and not the base")
        base_points, arm_points = (self._points(key, points) for key, points in
                                   (("base_points", self.base_points), ("arm_points", self.arm_points)))
        X_WB = self._pose("base", self.base, bodies, ("free", "fixed"))
        numbers: list[float] = []
        for arm, p_BJ, p_AJ in zip(self.arms, base_points, arm_points, strict=True):
            X_WA = self._pose("arms", arm, bodies, ("free",))
            apart = norm(_at(X_WB, p_BJ) - _at(X_WA, p_AJ))
            if not apart <= APART:
                raise ValueError(f"{path_of(self)}: at the start the joint of '{arm}' is {apart:g} m apart: it lies at "
                                 f"{_at(X_WB, p_BJ).tolist()} by base_points, at {_at(X_WA, p_AJ).tolist()} by "
                                 "arm_points (m, world axes)")
            numbers += [*p_BJ, *p_AJ, *_between(X_WB[3:], X_WA[3:])]
        return Design(
            bodies=(self.base, *self.arms),
            parameters={"stiffness": self.stiffness, "damping": self.damping, "stabilisation": self.stabilisation},
            commands={},
            ports=count,
            numbers=numbers,
            integers=[],
        )

    def check_with(self, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        """Raise ValueError if another element has joints of the same body: one element solves all forces of a body."""
        del bodies
        for other in spec.elements:
            if not isinstance(other, BallJoints) or other.name == self.name:
                continue
            for body in {self.base, *self.arms} & {other.base, *other.arms} - {None}:
                raise ValueError(f"ball_joints '{self.name}' and '{other.name}' both join '{body}': a body may be in "
                                 "one element of this kind only")

    def summary(self) -> str:
        """Return a description on one line."""
        holder = "the world" if self.base is None else f"'{self.base}'"
        arms = ", ".join(f"'{arm}'" for arm in self.arms)
        return f"{arms} on {holder}, stiffness {self.stiffness:g}, damping {self.damping:g}"

    def _points(self, key: str, points: Points) -> Floats:
        rows = rows_of_three(path_of(self, key), points)
        if len(rows) != len(self.arms):
            fail(self, key, points, f"must have a point for each of the {len(self.arms)} arms")
        return rows

    def _pose(self, key: str, name: str | None, bodies: Mapping[str, FlatBody], allowed: Sequence[str]) -> Floats:
        """Return the initial position and quaternion of a body."""
        if name is not None and (body := body_of(self, key, name, bodies)).motion not in allowed:
            raise ValueError(f"{path_of(self, key)}: the motion of body '{name}' is '{body.motion}', must be "
                             f"{' or '.join(repr(motion) for motion in allowed)}")
        return start_pose(name, bodies)


def _at(X_WB: Floats, p_B: Floats) -> Floats:
    return X_WB[:3] + rotate(X_WB[3:], p_B)


def _between(q_WB: Floats, q_WA: Floats) -> list[float]:
    """Return q_BA with unit length."""
    w, v, a, u = q_WB[0], -q_WB[1:], q_WA[0], q_WA[1:]
    q = np.array([w * a - dot(v, u), *(w * u + a * v + np.cross(v, u))])
    return list(unit(q).tolist())
