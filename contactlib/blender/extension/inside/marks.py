"""Marks: the custom property of an object that says what it is in a scene, and its keys with all digits."""

from __future__ import annotations

from typing import Any

from ..plain.exporting import mark_text, read_mark
from ..plain.items import BODY, LAST, MARK, SHAPE, TEXT

Keys = dict[str, Any]


def role_of(obj: Any) -> str:
    """Return "body", "group" or "shape"; an empty string for an object that is not marked."""
    return str(mark_of(obj)["role"]) if MARK in obj else ""


def mark_of(obj: Any) -> dict[str, Any]:
    """Return the mark of a marked object; ValueError, with the remedy, if its text is damaged."""
    return read_mark(str(obj[MARK]), obj.name)


def keys_of(obj: Any) -> Keys:
    """Return the keys of an object; none for an object that is not marked."""
    return dict(mark_of(obj)["keys"]) if MARK in obj else {}


def mark(obj: Any, role: str, keys: Keys, order: int = LAST, shape: Keys | None = None) -> None:
    """Mark an object. `shape` has the keys of the shape that the mesh of a body is itself."""
    obj[MARK] = mark_text(role, keys, obj.name, order, shape)


def shape_keys(obj: Any) -> Keys | None:
    """Return the keys of the shape that an object is: of a marked shape, or of the own mesh of a body."""
    if MARK not in obj:
        return None
    content = mark_of(obj)
    if content["role"] == SHAPE:
        return dict(content["keys"])
    own = content.get("shape")
    return dict(own["keys"]) if own is not None else None


def change(obj: Any, **keys: Any) -> None:
    """Set keys of a marked object; None removes a key. The mark keeps its name, order and shape."""
    content = mark_of(obj)
    renamed = content["object"] not in (None, obj.name)
    merged = {key: value for key, value in {**content["keys"], **keys}.items() if value is not None}
    if renamed:
        merged.pop("name", None)
    own = content.get("shape")
    mark(obj, content["role"], merged, content["order"], own["keys"] if own else None)


def change_shape(obj: Any, **keys: Any) -> None:
    """Set keys of the shape that an object is; None removes a key."""
    content = mark_of(obj)
    if content["role"] == SHAPE:
        change(obj, **keys)
        return
    own = dict((content.get("shape") or {"keys": {}})["keys"])
    merged = {key: value for key, value in {**own, **keys}.items() if value is not None}
    mark(obj, content["role"], content["keys"], content["order"], merged)


def body_of(obj: Any) -> Any:
    """Return the body that an object belongs to, or None."""
    while obj is not None and role_of(obj) != BODY:
        obj = obj.parent
    return obj


def scene_text(texts: Any) -> str:
    """Return the tables of the scene other than bodies, from the texts of the .blend file; empty if there are none."""
    found = texts.get(TEXT)
    return found.as_string() if found is not None else ""


def set_scene_text(texts: Any, text: str) -> None:
    """Replace the tables of the scene other than bodies."""
    found = texts.get(TEXT) or texts.new(TEXT)
    found.clear()
    found.write(text)
