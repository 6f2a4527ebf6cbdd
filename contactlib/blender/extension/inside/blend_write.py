"""Makes objects in the open .blend file from plain items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bmesh
import bpy
import numpy as np

from ..plain.frames import Floats, position_and_attitude, rounded
from ..plain.importing import Imported
from ..plain.items import BODY, EXACT, SHAPE, Geometry, Item
from . import blend_read, marks

#: linear colours of materials, one after the other
COLOURS = ((0.43, 0.48, 0.54), (0.74, 0.19, 0.045), (0.045, 0.32, 0.14), (0.014, 0.16, 0.45), (0.32, 0.114, 0.43),
           (0.53, 0.08, 0.074), (0.2, 0.2, 0.04))


def write_scene(scene: Imported) -> Any:
    """Make the objects of a scene in a collection of its name; return the collection."""
    collection = bpy.data.collections.new(scene.name)
    bpy.context.scene.collection.children.link(collection)
    writer = _Writer(collection)
    for item in scene.items:
        writer.write(item, None)
    marks.set_scene_text(bpy.data.texts, scene.text)
    write_texts(scene.texts)
    return collection


def write_texts(texts: Mapping[str, str]) -> None:
    """Keep further text files of a scene in the .blend file."""
    for path, content in texts.items():
        text = bpy.data.texts.get(path) or bpy.data.texts.new(path)
        text.clear()
        text.write(content)
        text[blend_read.FILE] = path


class _Writer:
    """Makes objects; shapes that share their geometry share a mesh."""

    def __init__(self, collection: Any) -> None:
        self.collection = collection
        self.meshes: dict[int, Any] = {}

    def write(self, item: Item, parent: Any) -> Any:
        data = None
        if item.role == SHAPE and item.geometry is not None:
            data = self._mesh(item, item.geometry)
        obj = bpy.data.objects.new(item.label, data)
        if data is None:
            obj.empty_display_type = "ARROWS" if item.role == BODY else "CUBE"
            obj.empty_display_size = 0.1 if item.role == BODY else 0.02
        self.collection.objects.link(obj)
        obj.parent = parent
        place(obj, item.X)
        if item.role == SHAPE and item.keys.get("material"):
            give_material(obj, str(item.keys["material"]))
        marks.mark(obj, item.role, item.keys, item.order)
        for child in item.children:
            self.write(child, obj)
        return obj

    def _mesh(self, item: Item, geometry: Geometry) -> Any:
        key = id(geometry)
        if key not in self.meshes:
            by_keys = not {"file", "heights"} & set(item.keys)
            self.meshes[key] = make_mesh(item.label, geometry, exact=not by_keys)
        return self.meshes[key]


def make_mesh(name: str, geometry: Geometry, exact: bool = False) -> Any:
    """Return a new mesh; `exact` keeps coordinates that 32-bit floats do not hold."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(geometry.vertices.tolist(), geometry.edges, geometry.faces)
    if geometry.hull:
        fill_hull(mesh)
    if exact and not np.array_equal(geometry.vertices, geometry.vertices.astype(np.float32)):
        mesh[EXACT] = geometry.vertices.ravel().tolist()
    mesh.materials.append(None)
    mesh.update()
    return mesh


def fill_hull(mesh: Any) -> None:
    """Give a mesh the faces of the convex hull of its vertices, which keep their order."""
    work = bmesh.new()
    work.from_mesh(mesh)
    bmesh.ops.convex_hull(work, input=work.verts, use_existing_faces=False)
    bmesh.ops.recalc_face_normals(work, faces=work.faces)
    work.to_mesh(mesh)
    work.free()


def place(obj: Any, X: Floats) -> None:
    """Put an object at a pose in its parent."""
    r, q = position_and_attitude(X)
    obj.matrix_parent_inverse.identity()
    obj.rotation_mode = "QUATERNION"
    obj.location, obj.rotation_quaternion, obj.scale = r.tolist(), q.tolist(), (1.0, 1.0, 1.0)


def give_material(obj: Any, name: str) -> Any:
    """Give an object the Blender material of a name, which is made with a colour of its own if there is none."""
    material = bpy.data.materials.get(name)
    if material is None:
        colour = COLOURS[len(bpy.data.materials) % len(COLOURS)]
        material = bpy.data.materials.new(name)
        material.diffuse_color = (*colour, 1.0)
    if not obj.material_slots:
        obj.data.materials.append(None)
    obj.material_slots[0].link = "OBJECT"
    obj.material_slots[0].material = material
    return material


def select_only(objects: Sequence[Any], active: Any) -> None:
    """Select these objects and no others."""
    bpy.context.view_layer.update()  # without objects that were removed
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = active


def shorts(value: Any) -> Any:
    """Return the numbers of a property of Blender with the fewest digits that give the same 32-bit floats."""
    return [rounded(x) for x in value] if isinstance(value, list) else rounded(value)
