"""Properties of objects in Blender's panels. They show and set keys of an object's mark, which keeps all digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, StringProperty

from ..plain.checks import MOTIONS, VOLUMES
from ..plain.frames import rounded, rounded_list
from ..plain.items import BODY
from . import marks

#: names of the properties that `register` adds to bpy.types.Object
NAMES: list[str] = []

_TEXTS = {
    "external": "the user's simulation moves the body", "free": "the built-in integrator moves the body",
    "fixed": "nobody moves the body", "driven": "an element moves the body",
    "auto": "the smaller of box and sphere", "sphere": "a sphere", "aabb": "a box along the body's axes",
    "obb": "a box along the group's axes",
}


def _items(names: Sequence[str]) -> list[tuple[str, str, str]]:
    return [(name, name.capitalize(), _TEXTS[name]) for name in names]


def _choice(key: str, names: Sequence[str]) -> Any:
    def get(obj: Any) -> int:
        value = marks.keys_of(obj).get(key, names[0])
        return names.index(value) if value in names else 0

    def put(obj: Any, value: int) -> None:
        marks.change(obj, **{key: names[value]})

    return EnumProperty(name=key.capitalize(), items=_items(names), get=get, set=put)


def _number(key: str, name: str, text: str, change: Callable[..., None], keys: Callable[[Any], Any]) -> Any:
    """Return a property of a number that is not negative; 0 removes the key."""

    def get(obj: Any) -> float:
        return float((keys(obj) or {}).get(key, 0.0))

    def put(obj: Any, value: float) -> None:
        change(obj, **{key: rounded(value) or None})

    return FloatProperty(name=name, description=text, min=0.0, precision=6, get=get, set=put)


def _inertia_get(obj: Any) -> list[float]:
    """Return the principal moments, or the diagonal of a matrix."""
    value = marks.keys_of(obj).get("inertia", [0.0, 0.0, 0.0])
    return [float(row[i]) if isinstance(row, list) else float(row) for i, row in enumerate(value)]


def _inertia_set(obj: Any, value: Sequence[float]) -> None:
    marks.change(obj, inertia=rounded_list(value) if any(value) else None)


def _com_get(obj: Any) -> list[float]:
    return [float(x) for x in marks.keys_of(obj).get("com", [0.0, 0.0, 0.0])]


def _com_set(obj: Any, value: Sequence[float]) -> None:
    marks.change(obj, com=rounded_list(value) if any(value) else None)


def _rate(key: str, name: str, text: str) -> Any:
    """Return a property of a vector of the initial state, `state.v` or `state.w`."""

    def get(obj: Any) -> list[float]:
        return [float(x) for x in marks.keys_of(obj).get("state", {}).get(key, [0.0, 0.0, 0.0])]

    def put(obj: Any, value: Sequence[float]) -> None:
        state = {k: v for k, v in marks.keys_of(obj).get("state", {}).items() if k != key}
        if any(value):
            state[key] = rounded_list(value)
        marks.change(obj, state=state or None)

    return FloatVectorProperty(name=name, description=text, size=3, precision=6, get=get, set=put)


def _movable_set(obj: Any, value: bool) -> None:
    marks.change(obj, movable=True if value else None)


def _name_get(obj: Any) -> str:
    return str(marks.keys_of(obj).get("name", obj.name)) if marks.role_of(obj) else ""


def _name_set(obj: Any, value: str) -> None:
    marks.change(obj, name=value or None)


def register() -> None:
    """Add the properties to all objects of Blender."""
    added = {
        "contact_name": StringProperty(name="Name in scene", get=_name_get, set=_name_set),
        "contact_motion": _choice("motion", MOTIONS),
        "contact_volume": _choice("volume", VOLUMES),
        "contact_movable": BoolProperty(
            name="Movable", description="the group is a rigid body of its own",
            get=lambda obj: bool(marks.keys_of(obj).get("movable", False)), set=_movable_set),
        "contact_mass": _number("mass", "Mass", "kg; 0: from the densities of the shapes", marks.change, marks.keys_of),
        "contact_inertia": FloatVectorProperty(
            name="Inertia", description="principal moments about the centre of mass, kg m2; 0: from the densities",
            size=3, precision=6, get=_inertia_get, set=_inertia_set),
        "contact_com": FloatVectorProperty(name="Centre of mass", description="in the body's axes, m", size=3,
                                           precision=6, get=_com_get, set=_com_set),
        "contact_v": _rate("v", "Velocity", "initial velocity of the body's origin, world axes, m/s"),
        "contact_w": _rate("w", "Angular velocity", "initial angular velocity, rad/s"),
        "contact_density": _number("density", "Density", "kg/m3; 0: the shape adds no mass", marks.change_shape,
                                   marks.shape_keys),
        "contact_rounding": _number("rounding", "Rounding", "radius of the edges of a box or a polyhedron, m",
                                    marks.change_shape, marks.shape_keys),
    }
    for name, prop in added.items():
        setattr(bpy.types.Object, name, prop)
    NAMES[:] = added


def unregister() -> None:
    for name in NAMES:
        delattr(bpy.types.Object, name)


def of_body(obj: Any) -> list[str]:
    """Return the names of the properties that a body or a movable group has."""
    role = marks.role_of(obj)
    moving = role == BODY or (role and obj.contact_movable)
    names = ["contact_motion", "contact_mass", "contact_inertia", "contact_com", "contact_v", "contact_w"]
    return names if moving else []
