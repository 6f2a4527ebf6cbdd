"""The sidebar of the 3-D view, tab "Contact"."""

from __future__ import annotations

from typing import Any

import bpy

from ..plain import laws
from ..plain.checks import material_pairs
from ..plain.items import GROUP, as_name
from . import marks, properties
from .fits import DEVIATION
from .scene_files import REPORT


class _Panel:
    """Where all panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Contact"


class ObjectPanel(_Panel, bpy.types.Panel):
    bl_idname = "CONTACT_PT_object"
    bl_label = "Object"

    def draw(self, context: Any) -> None:
        layout, obj = self.layout, context.active_object
        row = layout.row(align=True)
        row.operator("contactlib.mark_body", text="Body")
        row.operator("contactlib.mark_group", text="Group")
        row.operator_menu_enum("contactlib.mark_shape", "kind", text="Shape")
        layout.operator_menu_enum("contactlib.add_shape", "kind", text="Add Shape")
        layout.operator_menu_enum("contactlib.shape_from_selection", "kind", text="Shape from Selection")
        if obj is None or not marks.role_of(obj):
            layout.label(text="The active object is not marked.")
            return
        shape = marks.shape_keys(obj)
        kind = f", {shape.get('kind', '?')}" if shape else ""
        layout.label(text=f"{obj.name}: {marks.role_of(obj)}{kind}")
        column = layout.column()
        column.prop(obj, "contact_name")
        if marks.role_of(obj) == GROUP:
            column.prop(obj, "contact_volume")
            column.prop(obj, "contact_movable")
        for name in properties.of_body(obj):
            column.prop(obj, name)
        if shape is not None:
            column.prop(obj, "contact_density")
            if shape.get("kind") in ("box", "polyhedron"):
                column.prop(obj, "contact_rounding")
        layout.operator("contactlib.unmark")


class LawPanel(_Panel, bpy.types.Panel):
    bl_idname = "CONTACT_PT_laws"
    bl_label = "Materials and Laws"

    def draw(self, context: Any) -> None:
        layout, obj = self.layout, context.active_object
        material = obj.active_material if obj is not None else None
        if obj is not None and obj.type == "MESH":
            layout.template_ID(obj, "active_material", new="material.new")
        if material is not None:
            try:
                found = laws.laws_of(marks.scene_text(bpy.data.texts), as_name(material.name))
            except ValueError as error:
                layout.label(text=str(error), icon="ERROR")
                found = []
            for law in found:
                _law(layout, law)
            layout.operator("contactlib.set_law", text="Add Law").first = material.name
        layout.operator("contactlib.add_pair")
        layout.operator("contactlib.set_scene")
        layout.operator("contactlib.show_text")


def _law(layout: Any, law: dict[str, Any]) -> None:
    """Show a law with its numbers, and a button that changes them."""
    box = layout.box()
    box.label(text=str(law.get("name")))
    for name, value in laws.numbers_of(law).items():
        box.label(text=f"{name.replace('_', ' ')}: {value:g}")
    for a, b in material_pairs(law)[:1]:
        button = box.operator("contactlib.set_law", text="Change")
        button.first, button.second = a, b


class FitPanel(_Panel, bpy.types.Panel):
    bl_idname = "CONTACT_PT_fit"
    bl_label = "Fit"

    def draw(self, context: Any) -> None:
        self.layout.operator_menu_enum("contactlib.fit", "kind", text="Fit to Object or Selection")
        obj = context.active_object
        if obj is not None and DEVIATION in obj:
            self.layout.label(text=f"largest deviation {obj[DEVIATION] * 1000.0:.3g} mm")


class ScenePanel(_Panel, bpy.types.Panel):
    bl_idname = "CONTACT_PT_scene"
    bl_label = "Scene"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.operator("contactlib.check")
        text = bpy.data.texts.get(REPORT)
        for line in text.as_string().splitlines() if text is not None else []:
            for part in _wrapped(line):
                layout.label(text=part)
        layout.operator("contactlib.export_scene")
        layout.operator("contactlib.import_scene")
        for name in ("contact_show_shapes", "contact_show_volumes", "contact_show_normals"):
            layout.prop(context.scene, name)


def _wrapped(line: str, width: int = 46) -> list[str]:
    """Return a line in pieces that fit into the sidebar."""
    lines, current = [], ""
    for word in line.split():
        if current and len(current) + len(word) >= width:
            lines.append(current)
            current = ""
        current = f"{current} {word}".strip()
    return [*lines, current]


CLASSES = (ObjectPanel, LawPanel, FitPanel, ScenePanel)
