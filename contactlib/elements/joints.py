"""Joints between two bodies: hinge, slider, fixed joint and spring-damper (docs/joints.md)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.common.tables import Table
from contactlib.common.vectors import norm, unit
from contactlib.elements.ball_joints import BallJoints
from contactlib.elements.base import Design, Kind, Stage, body_of, fail, path_of, start_pose
from contactlib.shapes.quaternion import product, rotate

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody
    from contactlib.model.spec import Spec


Floats = NDArray[np.float64]
Vector = tuple[float, ...]

ORIGIN: Vector = (0.0, 0.0, 0.0)
MAX_JOINTS = 64  # in a scene: core/element/joint/joint.hpp
AT_LEAST_ZERO = tables.number(0.0)


class Joint(Kind, ABC):
    """Base of the joints. They are solved together, after all other loads on their bodies."""

    name: str
    stage: ClassVar[Stage] = Stage.JOINTS

    @classmethod
    @abstractmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table of a scene file."""

    @abstractmethod
    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return its content for the core."""

    @abstractmethod
    def summary(self) -> str:
        """Return a description on one line."""

    @property
    @abstractmethod
    def ends(self) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
        """The two bodies, each with the key that names it; None is the world."""

    def check_with(self, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        """Raise ValueError if joints cannot be solved with an option of the scene, or with another element of it."""
        if spec.integrator != "semi_implicit_euler":
            raise ValueError(f"{path_of(self)}: scene.integrator = '{spec.integrator}': joints are solved with "
                             "'semi_implicit_euler' only")
        joints = [other for other in spec.elements if isinstance(other, Joint)]
        if len(joints) > MAX_JOINTS:
            raise ValueError(f"the scene has {len(joints)} joints, must have at most {MAX_JOINTS}: make a scene for "
                             "each independent mechanism")
        self._check_wrench(spec, bodies)
        for other in spec.elements:
            for _, body in self.ends:
                if isinstance(other, BallJoints) and body is not None and body in (other.base, *other.arms):
                    raise ValueError(f"{path_of(self)} and ball_joints '{other.name}' both hold '{body}': a body with "
                                     "ball_joints has no other joints")

    def _check_wrench(self, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        """Raise ValueError if the wrench of a rigid joint on an external body would get lost at the end of a step."""

    def _check_ends(self, bodies: Mapping[str, FlatBody], needed: Sequence[str], why: str) -> None:
        """Raise ValueError unless the bodies exist, differ, and one of them has one of the `needed` motions."""
        (_, first), (key, last) = self.ends
        for of, body in self.ends:
            if body is not None:
                body_of(self, of, body, bodies)
        if first == last:
            fail(self, key, last, "must be another body; None (or no key) is the world")
        motions = [bodies[body].motion for _, body in self.ends if body is not None]
        if not any(motion in needed for motion in motions):
            fail(self, key, last, why)


@dataclass(frozen=True)
class _Held(Joint):
    """A joint with a base and an arm, at least one of which is free. `point` and `axis` are in the base's axes."""

    name: str
    arm: str
    base: str | None = None
    point: Vector = ORIGIN

    @property
    def ends(self) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
        """Base and arm."""
        return ("base", self.base), ("arm", self.arm)

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table of a scene file. A ValueError has the key's path."""
        del folder
        taken: dict[str, Any] = {
            "name": table.take("name", tables.name),
            "arm": table.take("arm", tables.text),
            "base": table.take("base", tables.text, None),
        }
        for field in fields(cls):
            if field.name not in taken:
                taken[field.name] = table.take(field.name, *_READERS[field.name])
        result = cls(**taken)
        table.finish()
        return result

    def _check_wrench(self, spec: Spec, bodies: Mapping[str, FlatBody]) -> None:
        for _, body in self.ends:
            external = body in bodies and bodies[str(body)].motion == "external"
            if external and spec.wrench_output == "end" and spec.coupling == "none":
                raise ValueError(f"{path_of(self)}: '{body}' is external, so that this rigid joint acts on it in the "
                                 "first sub-step of a step only; set scene.wrench_output = \"mean\", or scene.coupling")

    def _frames(self, bodies: Mapping[str, FlatBody], axis: Vector | None) -> list[float]:
        """Return point and attitude of the joint in its base and in its arm, which coincide at the start."""
        self._check_ends(bodies, ("free",), "must be a free body, or its base must be one: a joint moves neither a "
                                            "fixed body nor one that is moved from outside")
        X_WB, X_WA = start_pose(self.base, bodies), start_pose(self.arm, bodies)
        p_BJ = _vector(self, "point", self.point)
        q_BJ = np.array([1.0, 0.0, 0.0, 0.0]) if axis is None else self._towards(axis)
        q_AW = X_WA[3:] * (1.0, -1.0, -1.0, -1.0)
        p_AJ = rotate(q_AW, (X_WB[:3] - X_WA[:3]) + rotate(X_WB[3:], p_BJ))
        q_AJ = unit(product(q_AW, product(X_WB[3:], q_BJ)))
        return [*p_BJ.tolist(), *q_BJ.tolist(), *p_AJ.tolist(), *q_AJ.tolist()]

    def _towards(self, axis: Vector) -> Floats:
        """Return the smallest rotation that takes z to the axis."""
        a = _vector(self, "axis", axis)
        length = norm(a)
        if not length > 0.0:
            fail(self, "axis", axis, "must be a vector other than zero, in the axes of the base")
        x, y, z = a / length
        return unit(np.array([1.0 + z, -y, x, 0.0])) if z > -0.999999 else np.array([0.0, 1.0, 0.0, 0.0])

    def _held_by(self) -> str:
        return f"'{self.arm}' on {'the world' if self.base is None else repr(self.base)}"


@dataclass(frozen=True)
class _Moving(_Held):
    """What hinge and slider have in common: a free coordinate with spring, damper, dry friction, drive and stops."""

    axis: Vector = (0.0, 0.0, 1.0)
    start: float = 0.0
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float | None = None
    friction: float = 0.0
    drive_stiffness: float = 0.0
    drive_damping: float = 0.0
    drive_limit: float = 0.0
    target: float | None = None
    units: ClassVar[tuple[str, str]]

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the joint's frames in base and arm, its range, and its law."""
        low, high = self.lower, self.upper
        if low is not None and high is not None and not low < high:
            fail(self, "lower", low, f"must be less than upper = {high:g}")
        if low is not None and self.start < low:
            fail(self, "start", self.start, f"must not be below lower = {low:g}")
        if high is not None and self.start > high:
            fail(self, "start", self.start, f"must not be above upper = {high:g}")
        if self.drive_limit == 0.0 and (self.drive_stiffness or self.drive_damping or self.target is not None):
            fail(self, "drive_limit", 0.0, f"must be greater than 0 {self.units[1]} if there is a drive")
        parameters = {key: getattr(self, key) for key in ("stiffness", "damping", "friction", "drive_stiffness",
                                                          "drive_damping", "drive_limit")}
        return Design(
            bodies=(self.base, self.arm),
            parameters=parameters | {"rest": self.start if self.rest is None else self.rest},
            commands={"target": self.start if self.target is None else self.target},
            ports=0,
            numbers=[*self._frames(bodies, self.axis), self.start, low or 0.0, high or 0.0],
            integers=[low is not None, high is not None],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        unit_of, force = self.units
        parts = [self._held_by()]
        if self.lower is not None or self.upper is not None:
            low, high = ("any" if x is None else f"{x:g}" for x in (self.lower, self.upper))
            parts.append(f"from {low} to {high} {unit_of}")
        if self.stiffness or self.damping:
            parts.append(f"stiffness {self.stiffness:g}, damping {self.damping:g}")
        if self.friction:
            parts.append(f"friction {self.friction:g} {force}")
        if self.drive_limit:
            parts.append(f"drive of up to {self.drive_limit:g} {force}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Hinge(_Moving):
    """An arm that turns about an axis of its base: one degree of freedom.

    The torque on the arm about the axis is that of a spring, a damper, dry friction, a drive and rigid stops:

        t = -stiffness (angle - rest) - damping rate + friction + drive + stops
        drive = drive_stiffness (target - angle) + drive_damping (target_rate - rate) + feedforward
        |drive| <= drive_limit

    `target`, `target_rate` and `feedforward` are commands.

    Parameters
    ----------
    name : name of the element; its variables are `name.angle` and so on.
    arm, base : names of two bodies, of which at least one is free; base None is the world.
    point, axis : m and no unit; the joint's point and axis in the axes of the base (of the world) at the start.
    start : rad, the angle in the initial pose of the scene.
    lower, upper : rad, range of the angle; None is no stop.
    stiffness, damping, rest : N m/rad, N m s/rad, and rad; rest None is `start`.
    friction : N m.
    drive_stiffness, drive_damping, drive_limit : N m/rad, N m s/rad, N m; a limit of 0 is no drive.
    target : rad, start value of the command; None is `start`.

    Examples
    --------
    >>> Hinge("elbow", "forearm", base="upper_arm", axis=(0, 1, 0), lower=0.0, upper=2.5, drive_limit=40.0).summary()
    "'forearm' on 'upper_arm', from 0 to 2.5 rad, drive of up to 40 N m"
    """

    kind: ClassVar[str] = "hinge"
    units: ClassVar[tuple[str, str]] = ("rad", "N m")


@dataclass(frozen=True)
class Slider(_Moving):
    """An arm that slides along an axis of its base and does not turn: one degree of freedom.

    The force on the arm along the axis is that of a spring, a damper, dry friction, a drive and rigid stops, as the
    torque of `Hinge`; its commands are `target`, `target_rate` and `feedforward`.

    Parameters
    ----------
    name : name of the element; its variables are `name.position` and so on.
    arm, base : names of two bodies, of which at least one is free; base None is the world.
    point, axis : m and no unit; the joint's point and axis in the axes of the base (of the world) at the start.
    start : m, the position in the initial pose of the scene.
    lower, upper : m, range of the position; None is no stop.
    stiffness, damping, rest : N/m, N s/m, and m; rest None is `start`.
    friction : N.
    drive_stiffness, drive_damping, drive_limit : N/m, N s/m, N; a limit of 0 is no drive.
    target : m, start value of the command; None is `start`.

    Examples
    --------
    >>> Slider("jaw", "finger", base="palm", axis=(0, 1, 0), lower=0.0, upper=0.04, friction=2.0).summary()
    "'finger' on 'palm', from 0 to 0.04 m, friction 2 N"
    """

    kind: ClassVar[str] = "slider"
    units: ClassVar[tuple[str, str]] = ("m", "N")


@dataclass(frozen=True)
class FixedJoint(_Held):
    """Two bodies that do not move relative to each other.

    Parameters
    ----------
    name : name of the element; its variables are `name.force` and so on.
    arm, base : names of two bodies, of which at least one is free; base None is the world.
    point : m, in the axes of the base: the point to which the torque of the joint refers.

    Examples
    --------
    >>> FixedJoint("weld", "probe", base="bus").summary()
    "'probe' on 'bus'"
    """

    kind: ClassVar[str] = "fixed_joint"

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the joint's frames in base and arm."""
        return Design(bodies=(self.base, self.arm), parameters={}, commands={}, ports=0,
                      numbers=[*self._frames(bodies, None), 0.0, 0.0, 0.0], integers=[False, False])

    def summary(self) -> str:
        """Return a description on one line."""
        return self._held_by()


@dataclass(frozen=True)
class SpringDamper(Joint):
    """A spring and a damper on the line between points of two bodies. It pulls and pushes.

    The force is stiffness (distance - length) + damping d(distance)/dt, positive where it pulls the points together.

    Parameters
    ----------
    name : name of the element; its variables are `name.force` and so on.
    first_body, last_body : names of two different bodies; None for one of them is the world.
    stiffness, damping : N/m and N s/m.
    length : m, distance without force; None is the distance in the initial pose of the scene.
    first_point, last_point : m, the attachment points in body axes; in world axes for the world.

    Examples
    --------
    >>> SpringDamper("strut", "bus", "panel", stiffness=2e3, damping=50.0, length=0.4).summary()
    "'bus' to 'panel', length 0.4 m, stiffness 2000 N/m, damping 50 N s/m"
    """

    name: str
    first_body: str | None
    last_body: str | None
    stiffness: float
    damping: float = 0.0
    length: float | None = None
    first_point: Vector = ORIGIN
    last_point: Vector = ORIGIN
    kind: ClassVar[str] = "spring_damper"

    @property
    def ends(self) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
        """First and last body."""
        return ("first_body", self.first_body), ("last_body", self.last_body)

    @classmethod
    def read(cls, table: Table, folder: Path) -> Self:
        """Read a table [[spring_damper]] of a scene file. A ValueError has the key's path."""
        del folder
        result = cls(
            name=table.take("name", tables.name),
            first_body=table.take("first_body", tables.text, None),
            last_body=table.take("last_body", tables.text, None),
            stiffness=table.take("stiffness", AT_LEAST_ZERO),
            damping=table.take("damping", AT_LEAST_ZERO, 0.0),
            length=table.take("length", AT_LEAST_ZERO, None),
            first_point=table.take("first_point", tables.vector(3), ORIGIN),
            last_point=table.take("last_point", tables.vector(3), ORIGIN),
        )
        table.finish()
        return result

    def design(self, bodies: Mapping[str, FlatBody]) -> Design:
        """Return the attachment points, and the length."""
        self._check_ends(bodies, ("free", "external", "driven"), "must not be fixed if first_body is fixed too")
        at = [_vector(self, "first_point", self.first_point), _vector(self, "last_point", self.last_point)]
        ends = [start_pose(body, bodies) for _, body in self.ends]
        apart = float(norm((ends[1][:3] - ends[0][:3]) + (rotate(ends[1][3:], at[1]) - rotate(ends[0][3:], at[0]))))
        if not apart > 0.0:
            fail(self, "last_point", self.last_point, "must not coincide with first_point at the start: the line "
                                                      "between them would have no direction")
        frames = [x for p in at for x in (*p.tolist(), 1.0, 0.0, 0.0, 0.0)]
        return Design(
            bodies=(self.first_body, self.last_body),
            parameters={"stiffness": self.stiffness, "damping": self.damping,
                        "length": apart if self.length is None else self.length},
            commands={}, ports=0, numbers=[*frames, apart, 0.0, 0.0], integers=[False, False],
        )

    def summary(self) -> str:
        """Return a description on one line."""
        first, last = ("the world" if body is None else f"'{body}'" for _, body in self.ends)
        length = "" if self.length is None else f"length {self.length:g} m, "
        return f"{first} to {last}, {length}stiffness {self.stiffness:g} N/m, damping {self.damping:g} N s/m"


def _vector(joint: Joint, key: str, value: Vector) -> Floats:
    return np.array(tables.vector(3)(path_of(joint, key), list(value)), dtype=np.float64)


#: reader and default of each key after name, arm and base
_READERS: Mapping[str, tuple[Any, Any]] = {
    "point": (tables.vector(3), ORIGIN),
    "axis": (tables.vector(3), (0.0, 0.0, 1.0)),
    "start": (tables.number(), 0.0),
    **{key: (tables.number(), None) for key in ("lower", "upper", "rest", "target")},
    **{key: (AT_LEAST_ZERO, 0.0) for key in ("stiffness", "damping", "friction", "drive_stiffness", "drive_damping",
                                             "drive_limit")},
}
