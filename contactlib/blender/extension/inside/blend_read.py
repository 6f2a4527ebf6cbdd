"""Reads the marked objects of the open .blend file as plain items."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..plain.exporting import exact_vertices
from ..plain.frames import Floats
from ..plain.items import BODY, EXACT, MARK, SHAPE, Geometry, Item
from .marks import mark_of

FILE = "contact_file"


def read_items(objects: Any) -> list[Item]:
    """Return the bodies among the objects with all below them, and marked objects that are outside all bodies."""
    reader = _Reader()
    items = {obj.name: reader.item(obj) for obj in objects if MARK in obj}
    tops: list[Item] = []
    for obj in objects:
        if MARK not in obj:
            continue
        item = items[obj.name]
        parent, item.X = _marked_parent(obj)
        item.faults += _faults(obj)
        if parent is None or parent.name not in items:
            tops.append(item)
        else:
            items[parent.name].children.append(item)
    return tops


def read_texts() -> dict[str, str]:
    """Return the further text files of the scene, such as a .pcm file, by their paths."""
    return {str(text[FILE]): text.as_string() for text in bpy.data.texts if FILE in text}


def local_pose(obj: Any) -> Floats:
    """Return the pose of an object in its parent, or in the world, from its own location, rotation and scale.

    Blender's `matrix_local` comes from poses in the world, and so loses digits far from the origin.
    """
    basis = np.array(obj.matrix_basis, dtype=np.float64)
    return basis if obj.parent is None else np.array(obj.matrix_parent_inverse, dtype=np.float64) @ basis


def pose_in(obj: Any, ancestor: Any) -> Floats:
    """Return the pose of an object in one above it, or in the world for None."""
    X = np.eye(4)
    while obj is not None and obj != ancestor:
        X, obj = local_pose(obj) @ X, obj.parent
    return X


def _marked_parent(obj: Any) -> tuple[Any, Floats]:
    """Return the nearest marked object above, None without one, and the object's pose in it, or in the world."""
    X, parent = local_pose(obj), obj.parent
    while parent is not None and MARK not in parent:
        X, parent = local_pose(parent) @ X, parent.parent
    return parent, X


def _faults(obj: Any) -> list[str]:
    found = []
    if obj.constraints:
        found.append(f"has the constraint '{obj.constraints[0].name}', which a scene cannot hold: use Object, Apply, "
                     "Visual Transform, and remove it")
    if obj.parent is not None and obj.parent_type != "OBJECT":
        found.append("is parented to a bone or a vertex: clear its parent with Alt+P, and parent it to the object")
    return found


class _Reader:
    """Reads geometry; objects that share a mesh without modifiers share what is read."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, bool], Geometry] = {}

    def item(self, obj: Any) -> Item:
        """Return a marked object without pose and children; the own mesh of a body is a shape below it."""
        mark = mark_of(obj)
        item = Item(obj.name, mark["role"], mark["keys"], marked_as=mark["object"], order=int(mark["order"]))
        if item.role == SHAPE:
            self._show(item, obj)
        elif item.role == BODY and mark.get("shape"):
            own = Item(obj.name, SHAPE, mark["shape"]["keys"], marked_as=mark["object"], order=-1)
            self._show(own, obj)
            item.children.append(own)
        return item

    def _show(self, item: Item, obj: Any) -> None:
        item.geometry = self._geometry(obj, item.kind != "mesh")
        slots = [slot.material for slot in obj.material_slots if slot.material is not None]
        item.material = slots[0].name if slots else None
        if len({material.name for material in slots}) > 1:
            item.faults.append(f"has {len(slots)} materials, a shape has one: separate it by material with P in edit "
                               "mode")

    def _geometry(self, obj: Any, polygons: bool) -> Geometry | None:
        if obj.type == "EMPTY":
            return Geometry(np.zeros((1, 3)))
        if obj.type != "MESH":
            return None
        if obj.modifiers:
            return _read_mesh(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh(), polygons)
        key = obj.data.name, polygons
        if key not in self.known:
            self.known[key] = _read_mesh(obj.data, polygons)
        return self.known[key]


def _read_mesh(mesh: Any, polygons: bool) -> Geometry:
    seen = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", seen)
    exact = np.array(mesh[EXACT], dtype=np.float64).reshape(-1, 3) if EXACT in mesh else None
    vertices = exact_vertices(seen.reshape(-1, 3).astype(np.float64), exact)
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    faces = [tuple(polygon.vertices) for polygon in mesh.polygons] if polygons else []
    return Geometry(vertices, faces, triangles.reshape(-1, 3).astype(np.int64))
