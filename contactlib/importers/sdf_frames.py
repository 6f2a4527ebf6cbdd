"""Poses of SDF: each frame of a model is given relative to another one, by name."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from contactlib.common.elementary import cos, sin
from contactlib.common.vectors import dot, matmul
from contactlib.importers.parts import Floats, Pose
from contactlib.shapes.quaternion import rotation_matrix

#: elements that are frames
FRAMES = ("link", "joint", "frame", "model")


def numbers(element: Element | None, length: int, default: tuple[float, ...]) -> Floats:
    """Return the numbers in an element's text. ValueError if they are not `length` finite numbers."""
    if element is None or element.text is None or not element.text.strip():
        return np.array(default)
    try:
        values = np.array([float(word) for word in element.text.split()])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (length,) or not np.isfinite(values).all():
        raise ValueError(f"<{element.tag}> = {element.text.strip()!r}: must be {length} finite "
                         f"number{'s' * (length > 1)}")
    return values


def pose_of(parent: Element) -> Pose:
    """Return the numbers of an element's pose: x y z roll pitch yaw, or x y z and a quaternion x y z w."""
    element = parent.find("pose")
    if element is not None and element.get("rotation_format") == "quat_xyzw":
        values = numbers(element, 7, (0, 0, 0, 0, 0, 0, 1.0))
        q = values[[6, 3, 4, 5]]
        length = float(np.sqrt(dot(q, q)))
        if abs(length - 1.0) > 1e-3:
            raise ValueError(f"<pose> of {parent.get('name')!r}: its quaternion has length {length:g}, must be 1")
        return Pose(values[:3], rotation_matrix((q / length).tolist()))
    values = numbers(element, 6, (0.0,) * 6)
    degrees = element is not None and element.get("degrees") in ("true", "1")
    return Pose(values[:3], _rotation(values[3:] * (np.pi / 180 if degrees else 1.0)))


def _rotation(angles: Floats) -> Floats:
    """Return Rz(yaw) Ry(pitch) Rx(roll)."""
    R = np.eye(3)
    for axis, angle in enumerate(angles):
        c, s = cos(float(angle)), sin(float(angle))
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = c, -s, s, c
        R = matmul(turn, R)
    return R


class Scope:
    """The frames of a model or a world, by name; names of nested models are joined with "::"."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self.frames = {each.get("name", ""): each for each in element if each.tag in FRAMES}
        self.nested = {name: Scope(each) for name, each in self.frames.items() if each.tag == "model"}

    def pose(self, name: str, open_names: tuple[str, ...] = ()) -> Pose:
        """Return the pose of a frame in the scope's own frame. ValueError for unknown names and circles of names."""
        if name in ("", "__model__", "world"):
            return Pose.identity()
        if name in open_names:
            raise ValueError(f"the poses of {', '.join(map(repr, open_names))} are relative to each other in a circle")
        first, _, rest = name.partition("::")
        if rest and first in self.nested:
            return self.pose(first, (*open_names, name)) * self.nested[first].pose(rest)
        if name not in self.frames:
            raise ValueError(f"{self.element.tag} {self.element.get('name')!r} has no frame {name!r}, which a pose or "
                             f"a joint names")
        element = self.frames[name]
        base = self._base(element)
        X = self.pose(base, (*open_names, name)) * pose_of(element)
        if element.tag == "model" and element.get("placement_frame"):
            X = X * self.nested[name].pose(element.get("placement_frame", "")).inverse()
        return X

    def _base(self, element: Element) -> str:
        """Return the name of the frame that an element's pose is relative to."""
        pose = element.find("pose")
        given = "" if pose is None else pose.get("relative_to", pose.get("frame", ""))
        if given:
            return given
        if element.tag == "joint":
            return (element.findtext("child") or "").strip()
        return element.get("attached_to", "") if element.tag == "frame" else ""
