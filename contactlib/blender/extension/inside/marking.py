"""Operators that mark objects: bodies, groups, shapes, and shapes from what is selected in edit mode."""

from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty

from ..plain.drawing import KINDS, draw
from ..plain.frames import applied
from ..plain.items import BODY, GROUP, MARK, SHAPE, Geometry
from ..plain.measuring import plane_of
from . import blend_read, blend_write, marks

_KIND_TEXTS = {
    "point": "a point: an object with one vertex", "segment": "a straight line: an object with one edge",
    "triangle": "a sheet with three corners", "plane": "the half space below a flat face",
    "sphere": "a ball", "capsule": "a cylinder along local z with half balls on its ends",
    "cylinder": "a cylinder along local z", "cone": "a cone or frustum along local z",
    "ellipsoid": "an ellipsoid along the local axes", "box": "a box along the local axes",
    "polyhedron": "a convex solid with flat faces", "mesh": "any closed surface",
    "socket": "a block with a round hole that opens along local z",
}
KIND_ITEMS = [(kind, kind.capitalize(), _KIND_TEXTS[kind]) for kind in KINDS]
#: sizes of a shape that `AddShape` makes, m
_SIZES: dict[str, dict[str, Any]] = {
    "point": {}, "plane": {}, "segment": {"length": 0.2},
    "triangle": {"corners": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]}, "sphere": {"radius": 0.1},
    "capsule": {"radius": 0.05, "length": 0.1}, "cylinder": {"radius": 0.1, "length": 0.2},
    "cone": {"radius": 0.1, "length": 0.2}, "ellipsoid": {"semi_axes": [0.1, 0.15, 0.2]},
    "box": {"size": [0.2, 0.2, 0.2]}, "polyhedron": {"corners": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]},
    "socket": {"size": [0.1, 0.1, 0.08], "radius": 0.0175, "length": 0.05},
    "mesh": {"vertices": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]],
             "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]},
}


def _kept(obj: Any) -> dict[str, Any]:
    """Return the name that an object already has in the scene."""
    keys = marks.keys_of(obj)
    return {"name": keys["name"]} if "name" in keys else {}


class MarkBody(bpy.types.Operator):
    """Mark the selected objects as bodies. A mesh that has a kind of shape stays that shape of its body"""

    bl_idname = "contactlib.mark_body"
    bl_label = "Mark as Body"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        for obj in context.selected_objects:
            old = marks.shape_keys(obj)
            keys = marks.keys_of(obj) if marks.role_of(obj) == BODY else {}
            shape = {k: v for k, v in old.items() if k not in ("r", "q", "name")} if old is not None else None
            marks.mark(obj, BODY, keys, shape=shape)
        return {"FINISHED"}


class MarkGroup(bpy.types.Operator):
    """Mark the selected objects as groups: nodes between a body and its shapes"""

    bl_idname = "contactlib.mark_group"
    bl_label = "Mark as Group"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {"movable": BoolProperty(
        name="Movable", description="the group is a rigid body of its own", default=False)}

    def execute(self, context: Any) -> set[str]:
        for obj in context.selected_objects:
            marks.mark(obj, GROUP, _kept(obj) | ({"movable": True} if self.movable else {}))
        return {"FINISHED"}


class MarkShape(bpy.types.Operator):
    """Mark the selected objects as shapes. An object that is a body becomes the body with this shape"""

    bl_idname = "contactlib.mark_shape"
    bl_label = "Mark as Shape"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {"kind": EnumProperty(name="Kind", items=KIND_ITEMS, default="box")}

    def execute(self, context: Any) -> set[str]:
        for obj in context.selected_objects:
            if marks.role_of(obj) == BODY:
                marks.change_shape(obj, kind=self.kind)
            else:
                density = {k: v for k, v in marks.keys_of(obj).items() if k == "density"}
                marks.mark(obj, SHAPE, {"kind": self.kind, **_kept(obj), **density})
        return {"FINISHED"}


class Unmark(bpy.types.Operator):
    """Remove the marks of the selected objects; the objects stay"""

    bl_idname = "contactlib.unmark"
    bl_label = "Unmark"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        for obj in context.selected_objects:
            if MARK in obj:
                del obj[MARK]
        return {"FINISHED"}


class AddShape(bpy.types.Operator):
    """Add a shape with exact sizes below the active body or group"""

    bl_idname = "contactlib.add_shape"
    bl_label = "Add Shape"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {
        "kind": EnumProperty(name="Kind", items=KIND_ITEMS, default="sphere"),
        "radius": FloatProperty(name="Radius", description="m; 0: a usual one", min=0.0, precision=6),
        "length": FloatProperty(name="Length", description="m; 0: a usual one", min=0.0, precision=6),
        "size": FloatVectorProperty(name="Size", description="side lengths, m; 0: usual ones", min=0.0, precision=6),
        "location": FloatVectorProperty(name="Location", description="in the parent's axes, m", precision=6),
    }

    def execute(self, context: Any) -> set[str]:
        parent = context.active_object
        keys = {"kind": self.kind, **_SIZES[self.kind]}
        given = {"radius": self.radius, "length": self.length, "size": list(self.size)}
        for key, value in given.items():
            if key in keys and (any(value) if isinstance(value, list) else value):
                keys[key] = blend_write.shorts(value)
        drawing = draw(self.kind, keys)
        assert drawing is not None
        faces = [tuple(face) for face in drawing.faces]
        mesh = blend_write.make_mesh(self.kind, Geometry(drawing.vertices, faces, edges=list(drawing.edges),
                                                         hull=drawing.hull))
        obj = bpy.data.objects.new(self.kind, mesh)
        context.collection.objects.link(obj)
        if parent is not None and marks.role_of(parent) in (BODY, GROUP):
            obj.parent = parent
        obj.location = self.location
        marks.mark(obj, SHAPE, keys)
        blend_write.select_only([obj], obj)
        return {"FINISHED"}


class ShapeFromSelection(bpy.types.Operator):
    """Make a shape of what is selected in edit mode: a point of a vertex, a segment of an edge, a plane of a face"""

    bl_idname = "contactlib.shape_from_selection"
    bl_label = "Shape from Selection"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {"kind": EnumProperty(name="Kind", items=[
        item for item in KIND_ITEMS if item[0] in ("point", "segment", "triangle", "plane")])}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.active_object is not None and context.active_object.mode == "EDIT"

    def execute(self, context: Any) -> set[str]:
        source = context.active_object
        work = bmesh.from_edit_mesh(source.data)
        vertices = np.array([vertex.co[:] for vertex in work.verts if vertex.select], dtype=np.float64).reshape(-1, 3)
        normal = next((face.normal[:] for face in work.faces if face.select), (0.0, 0.0, 1.0))
        needed = {"point": (1, 1), "segment": (2, 2), "triangle": (3, 3), "plane": (3, 1_000_000)}[self.kind]
        if not needed[0] <= len(vertices) <= needed[1]:
            self.report({"ERROR"}, f"{len(vertices)} vertices of '{source.name}' are selected, a {self.kind} needs "
                                   f"{needed[0]}{' or more' if needed[1] > needed[0] else ''}: select those")
            return {"CANCELLED"}
        below = marks.body_of(source)
        X = blend_read.pose_in(source, source if marks.role_of(source) in (BODY, GROUP) else below)
        geometry = _oriented(self.kind, applied(X, vertices), X[:3, :3] @ normal)
        bpy.ops.object.mode_set(mode="OBJECT")
        obj = bpy.data.objects.new(f"{source.name}_{self.kind}", blend_write.make_mesh(self.kind, geometry))
        context.collection.objects.link(obj)
        obj.parent = source if marks.role_of(source) in (BODY, GROUP) else below
        marks.mark(obj, SHAPE, {"kind": self.kind})
        if source.material_slots and source.material_slots[0].material:
            blend_write.give_material(obj, source.material_slots[0].material.name)
        blend_write.select_only([obj], obj)
        return {"FINISHED"}


def _oriented(kind: str, vertices: Any, normal: Any) -> Geometry:
    """Return the geometry of the new object: a face that looks along the normal of the selected one."""
    if kind in ("point", "segment"):
        return Geometry(vertices, edges=[(0, 1)] if kind == "segment" else [])
    center, axis, _ = plane_of(vertices, [])
    axis = axis if axis @ normal >= 0.0 else -axis
    x = vertices[0] - center
    angles = np.arctan2(np.cross(x, vertices - center) @ axis, (vertices - center) @ x)
    return Geometry(vertices[np.argsort(angles)], [tuple(range(len(vertices)))])


CLASSES = (MarkBody, MarkGroup, MarkShape, Unmark, AddShape, ShapeFromSelection)
