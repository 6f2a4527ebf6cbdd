"""Operators that check, export and import scenes, and the same without a window for `contactlib blender`."""

import time
from pathlib import Path
from typing import Any

import bpy
from bpy.props import StringProperty

from ..plain.checks import find_problems
from ..plain.exporting import SceneFiles, export_scene, read_tables
from ..plain.importing import read_scene
from ..plain.items import MARK, ExportError, Problem, as_name
from ..plain.sizes import Sizes
from ..plain.writing import write_scene
from . import blend_read, blend_write, marks

#: text in the .blend file that holds the result of the last check
REPORT = "contact_check"


def check(scene: Any) -> list[Problem]:
    """Return the problems of the open file. Raises ValueError for a damaged mark or text."""
    return find_problems(blend_read.read_items(scene.objects), read_tables(marks.scene_text(bpy.data.texts)), Sizes())


def scene_files(scene: Any) -> SceneFiles:
    """Return the files of the scene in the open .blend file. Raises ValueError with a line for each problem."""
    name = as_name(Path(bpy.data.filepath).stem) if bpy.data.filepath else "scene"
    return export_scene(blend_read.read_items(scene.objects), marks.scene_text(bpy.data.texts), name,
                        blend_read.read_texts())


def extract(blend: Path, folder: Path) -> list[str]:
    """Write the scene of a .blend file to a folder; return lines on what was written. Raises ValueError and OSError."""
    start = time.perf_counter()
    open_blend(blend)
    files = scene_files(bpy.context.scene)
    lines = [*map(str, files.warnings), *(f"wrote {path}" for path in write_scene(files, folder))]
    return [*lines, f"extracted in {time.perf_counter() - start:.2g} s"]


def open_blend(blend: Path) -> None:
    """Open a .blend file. Raises ValueError if it is none, OSError if there is no such file."""
    if not blend.is_file():
        raise FileNotFoundError(2, "No such file or directory", str(blend))
    try:
        bpy.ops.wm.open_mainfile(filepath=str(blend), load_ui=False)
    except RuntimeError as error:
        raise ValueError(f"{blend} is no .blend file that this Blender opens: {' '.join(str(error).split())}") from None


def make(scene: Path, blend: Path) -> list[str]:
    """Write a .blend file of a scene file; return lines on what was written. Raises ValueError and OSError."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    imported = read_scene(scene)
    blend_write.write_scene(imported)
    save(blend)
    return [f"wrote {blend}: {len(imported.items)} bodies, {len(bpy.data.objects)} objects"]


def save(blend: Path) -> None:
    """Save the open file under a name: written beside its place, then moved there."""
    blend.parent.mkdir(parents=True, exist_ok=True)
    new = blend.with_name(f".{blend.stem}.new.blend")
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(new.resolve()), copy=True)
        new.replace(blend)
    finally:
        new.unlink(missing_ok=True)


class Check(bpy.types.Operator):
    """Check all marked objects; the problems are sentences in the sidebar"""

    bl_idname = "contactlib.check"
    bl_label = "Check"

    def execute(self, context: Any) -> set[str]:
        try:
            problems = check(context.scene)
        except ValueError as error:
            return _refused(self, error)
        _keep(problems)
        for problem in problems:
            self.report({"WARNING"}, str(problem))
        if not problems:
            self.report({"INFO"}, "no problems")
        return {"FINISHED"}


def _keep(problems: list[Problem]) -> None:
    text = bpy.data.texts.get(REPORT) or bpy.data.texts.new(REPORT)
    text.clear()
    text.write("\n".join(map(str, problems)) if problems else "no problems")


def _refused(operator: Any, error: Exception) -> set[str]:
    if isinstance(error, ExportError):
        _keep(error.problems)
    operator.report({"ERROR"}, str(error))
    return {"CANCELLED"}


class Export(bpy.types.Operator):
    """Write scene.toml, with its mesh files, to a folder"""

    bl_idname = "contactlib.export_scene"
    bl_label = "Export Scene"
    __annotations__ = {"directory": StringProperty(name="Folder", subtype="DIR_PATH")}

    def invoke(self, context: Any, event: Any) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> set[str]:
        try:
            files = scene_files(context.scene)
            paths = list(write_scene(files, Path(bpy.path.abspath(self.directory))))
        except (ValueError, OSError) as error:
            return _refused(self, error)
        _keep(files.warnings)
        self.report({"INFO"}, f"wrote {paths[-1]} and {len(paths) - 1} other files")
        return {"FINISHED"}


class Import(bpy.types.Operator):
    """Make objects of a scene.toml"""

    bl_idname = "contactlib.import_scene"
    bl_label = "Import Scene"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {
        "filepath": StringProperty(name="File", subtype="FILE_PATH"),
        "filter_glob": StringProperty(default="*.toml", options={"HIDDEN"}),
    }

    def invoke(self, context: Any, event: Any) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> set[str]:
        if any(MARK in obj for obj in context.scene.objects):
            self.report({"ERROR"}, "the file has marked objects already: import into a new file, or delete them first")
            return {"CANCELLED"}
        try:
            imported = read_scene(bpy.path.abspath(self.filepath))
        except (ValueError, OSError) as error:
            return _refused(self, error)
        blend_write.write_scene(imported)
        self.report({"INFO"}, f"made {len(imported.items)} bodies of {self.filepath}")
        return {"FINISHED"}


CLASSES = (Check, Export, Import)
