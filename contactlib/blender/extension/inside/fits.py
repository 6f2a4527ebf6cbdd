"""Operators that fit shapes to objects, or to the vertices that are selected in edit mode, and show the deviation."""

from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.props import EnumProperty, FloatProperty

from ..plain.drawing import draw
from ..plain.fitting import FITTED, depth_below_hull, fit
from ..plain.frames import Floats, applied
from ..plain.items import BODY, GROUP, SHAPE, Geometry
from ..plain.pieces import convex_pieces
from . import blend_read, blend_write, marks

#: property of a fitted object: its largest deviation, m
DEVIATION = "contact_deviation"
_ITEMS = [*((kind, kind.capitalize(), f"the best {kind}, in any attitude") for kind in FITTED),
          ("hull", "Convex Hull", "the convex hull"), ("pieces", "Convex Pieces", "convex pieces, by CoACD")]


class Fit(bpy.types.Operator):
    """Fit a shape to the active object, or to its selected vertices in edit mode, and show the largest deviation"""

    bl_idname = "contactlib.fit"
    bl_label = "Fit"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {
        "kind": EnumProperty(name="Shape", items=_ITEMS, default="sphere"),
        "concavity": FloatProperty(name="Concavity", description="that a convex piece may keep, relative to the size",
                                   default=0.05, min=0.01, max=1.0),
    }

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.active_object is not None and context.active_object.type == "MESH"

    def execute(self, context: Any) -> set[str]:
        source = context.active_object
        vertices, faces, triangles = _selection(source)
        if source.mode == "EDIT":
            bpy.ops.object.mode_set(mode="OBJECT")
        parent = source if marks.role_of(source) in (BODY, GROUP) else marks.body_of(source)
        X = blend_read.pose_in(source, parent)
        try:
            made, deviation = self._make(source, parent, applied(X, vertices), faces, triangles)
        except ValueError as error:
            self.report({"ERROR"}, f"object '{source.name}': {error}")
            return {"CANCELLED"}
        for obj in made:
            obj[DEVIATION] = deviation
            if source.material_slots and source.material_slots[0].material:
                blend_write.give_material(obj, source.material_slots[0].material.name)
        blend_write.select_only(made, made[0])
        self.report({"INFO"}, f"{len(made)} x {self.kind}: largest deviation {deviation * 1000.0:.3g} mm")
        return {"FINISHED"}

    def _make(self, source: Any, parent: Any, vertices: Floats, faces: Any, triangles: Any) -> tuple[list[Any], float]:
        """Return the new objects, and the largest deviation of a vertex (m)."""
        if self.kind in FITTED:
            found = fit(self.kind, vertices, faces)
            obj = _object(f"{source.name}_{self.kind}", parent, self.kind, found.keys, found.X)
            return [obj], found.deviation
        if self.kind == "hull":
            obj, depth = _hull(f"{source.name}_hull", parent, vertices, vertices)
            return [obj], depth
        pieces = convex_pieces(vertices, triangles, self.concavity)
        objects = [_hull(f"{source.name}_piece_{k + 1}", parent, corners, corners)[0]
                   for k, corners in enumerate(pieces)]
        return objects, _depth_of_pieces(objects, vertices)


def _selection(obj: Any) -> tuple[Floats, list[tuple[int, ...]], Any]:
    """Return the vertices, polygons and triangles of an object: those selected in edit mode, or all."""
    work = bmesh.from_edit_mesh(obj.data).copy() if obj.mode == "EDIT" else bmesh.new()
    if obj.mode != "EDIT":
        work.from_mesh(obj.data)
    chosen = [vertex for vertex in work.verts if vertex.select or obj.mode != "EDIT"]
    number = {vertex.index: k for k, vertex in enumerate(chosen)}
    faces = [tuple(number[vertex.index] for vertex in face.verts) for face in work.faces
             if all(vertex.index in number for vertex in face.verts)]
    loops = [tuple(number[loop.vert.index] for loop in row) for row in work.calc_loop_triangles()
             if all(loop.vert.index in number for loop in row)]
    vertices = np.array([vertex.co[:] for vertex in chosen], dtype=np.float64).reshape(-1, 3)
    work.free()
    return vertices, faces, np.array(loops, dtype=np.int64).reshape(-1, 3)


def _object(name: str, parent: Any, kind: str, keys: dict[str, Any], X: Floats) -> Any:
    """Return a new shape with these keys at a pose in its parent."""
    drawing = draw(kind, keys)
    assert drawing is not None
    faces = [tuple(face) for face in drawing.faces]
    mesh = blend_write.make_mesh(name, Geometry(drawing.vertices, faces, edges=list(drawing.edges), hull=drawing.hull))
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(obj)
    obj.parent = parent
    blend_write.place(obj, X)
    marks.mark(obj, SHAPE, {"kind": kind, **keys})
    return obj


def _hull(name: str, parent: Any, corners: Floats, vertices: Floats) -> tuple[Any, float]:
    """Return a polyhedron, the convex hull of corners, and the largest depth of a vertex below its faces (m)."""
    mesh = blend_write.make_mesh(name, Geometry(corners, hull=True))
    work = bmesh.new()
    work.from_mesh(mesh)
    loose = [vertex for vertex in work.verts if not vertex.link_faces]
    bmesh.ops.delete(work, geom=loose, context="VERTS")
    normals = np.array([face.normal[:] for face in work.faces])
    offsets = np.array([face.normal @ face.verts[0].co for face in work.faces])
    work.to_mesh(mesh)
    work.free()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(obj)
    obj.parent = parent
    marks.mark(obj, SHAPE, {"kind": "polyhedron"})
    return obj, depth_below_hull(vertices, normals, offsets)


def _depth_of_pieces(objects: list[Any], vertices: Floats) -> float:
    """Return the largest distance by which a vertex lies inside, or outside all, of the pieces (m)."""
    depths = []
    for obj in objects:
        polygons = obj.data.polygons
        normals = np.array([polygon.normal[:] for polygon in polygons])
        places = np.array([obj.data.vertices[polygon.vertices[0]].co[:] for polygon in polygons])
        depths.append(((normals * places).sum(axis=1) - vertices @ normals.T).min(axis=1))
    return float(np.abs(np.max(depths, axis=0)).max())


CLASSES = (Fit,)
