"""Operators for what stands in the text of the .blend file: laws of materials, pairs of bodies, the scene itself."""

from typing import Any

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, StringProperty

from ..plain import laws
from ..plain.exporting import read_tables
from ..plain.items import BODY, TEXT, as_name
from . import marks
from .blend_write import shorts

_DEFAULTS = {"stiffness": 1e5, "damping": 100.0, "mu_static": 0.2, "mu_kinetic": 0.15, "tangential_stiffness": 5e4,
             "tangential_damping": 50.0}


def _numbers() -> dict[str, Any]:
    return {name: FloatProperty(name=name.replace("_", " ").capitalize(), description=text, default=_DEFAULTS[name],
                                min=0.0, precision=4) for name, _, text in laws.NUMBERS}


class SetLaw(bpy.types.Operator):
    """Set the law of two materials: a spring and a damper along the normal, and friction"""

    bl_idname = "contactlib.set_law"
    bl_label = "Set Law"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {
        "first": StringProperty(name="Material"), "second": StringProperty(name="and material"), **_numbers()}

    def invoke(self, context: Any, event: Any) -> set[str]:
        law = laws.law_of(marks.scene_text(bpy.data.texts), as_name(self.first), as_name(self.second))
        for name, value in (laws.numbers_of(law) if law else {}).items():
            setattr(self, name, value)
        return set(context.window_manager.invoke_props_dialog(self))

    def draw(self, context: Any) -> None:
        for name in ("first", "second"):
            self.layout.prop_search(self, name, bpy.data, "materials")
        for name, _, _ in laws.NUMBERS:
            self.layout.prop(self, name)

    def execute(self, context: Any) -> set[str]:
        if not self.first or not self.second:
            self.report({"ERROR"}, "a law needs two materials: choose both")
            return {"CANCELLED"}
        numbers = {name: shorts(getattr(self, name)) for name, _, _ in laws.NUMBERS}
        return _edit(self, lambda text: laws.with_law(text, as_name(self.first), as_name(self.second), numbers))


def _edit(operator: Any, change: Any) -> set[str]:
    """Change the text of the scene, or report why it cannot be changed."""
    try:
        marks.set_scene_text(bpy.data.texts, change(marks.scene_text(bpy.data.texts)))
    except ValueError as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    return {"FINISHED"}


class AddPair(bpy.types.Operator):
    """Let the two selected bodies touch: objects that no pair names do not collide"""

    bl_idname = "contactlib.add_pair"
    bl_label = "Add Pair"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        bodies = [obj for obj in context.selected_objects if marks.role_of(obj) == BODY]
        if len(bodies) != 2:
            self.report({"ERROR"}, f"{len(bodies)} bodies are selected, a pair has two: select two bodies")
            return {"CANCELLED"}
        a, b = (scene_name(obj) for obj in bodies)
        return _edit(self, lambda text: laws.with_pair(text, a, b))


def scene_name(obj: Any) -> str:
    """Return the name of a marked object in the scene."""
    mark = marks.mark_of(obj)
    if "name" in mark["keys"] and mark["object"] in (None, obj.name):
        return str(mark["keys"]["name"])
    return as_name(obj.name)


class SetScene(bpy.types.Operator):
    """Set name, step size, duration and gravity of the scene"""

    bl_idname = "contactlib.set_scene"
    bl_label = "Set Scene"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {
        "name": StringProperty(name="Name", default="scene"),
        "step_size": FloatProperty(name="Step size", description="s", default=1e-3, min=1e-9, precision=6),
        "duration": FloatProperty(name="Duration", description="s", default=1.0, min=1e-6, precision=4),
        "gravity": FloatVectorProperty(name="Gravity", description="m/s2, world axes", default=(0.0, 0.0, 0.0)),
    }

    def invoke(self, context: Any, event: Any) -> set[str]:
        scene = read_tables(marks.scene_text(bpy.data.texts)).get("scene", {})
        for key in ("name", "step_size", "duration", "gravity"):
            if key in scene and not (key == "step_size" and isinstance(scene[key], str)):
                setattr(self, key, scene[key])
        return set(context.window_manager.invoke_props_dialog(self))

    def execute(self, context: Any) -> set[str]:
        gravity = shorts(list(self.gravity))
        keys = {"name": as_name(self.name), "step_size": shorts(self.step_size), "duration": shorts(self.duration),
                "gravity": gravity if any(gravity) else None}
        return _edit(self, lambda text: laws.with_scene(text, **keys))


class ShowText(bpy.types.Operator):
    """Show the text with laws, pairs and elements in the text editor"""

    bl_idname = "contactlib.show_text"
    bl_label = "Edit Text"

    def execute(self, context: Any) -> set[str]:
        text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
        for area in context.screen.areas if context.screen else []:
            if area.type == "TEXT_EDITOR":
                area.spaces.active.text = text
                return {"FINISHED"}
        self.report({"INFO"}, f"the text is '{TEXT}': open a Text Editor and choose it there")
        return {"FINISHED"}


CLASSES = (SetLaw, AddPair, SetScene, ShowText)
