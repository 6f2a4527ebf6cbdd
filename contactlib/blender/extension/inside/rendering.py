"""Camera, light and rendering of an animated .blend file: pictures, frames and films."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..plain.frames import Floats, quaternion
from . import animation, scene_files

ENGINES = {"workbench": "BLENDER_WORKBENCH", "cycles": "CYCLES"}
#: direction from the middle of the scene to a camera that the file has not
VIEW = (1.0, -1.6, 0.8)
LENS = 50.0  # mm, of a sensor of 36 mm


def set_up(meta: dict[str, Any], engine: str, size: tuple[int, int], samples: int) -> None:
    """Choose the engine and the size in pixels, and add a camera and lights to a file that has none."""
    scene = bpy.context.scene
    scene.render.engine = ENGINES[engine]
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    for name in dir(scene.render):  # else a picture carries the paths and times of the machine that made it
        if name.startswith("use_stamp_"):
            setattr(scene.render, name, False)
    if scene.camera is None:
        _add_camera(np.array(meta["points"]), size)
    if not any(obj.type == "LIGHT" for obj in scene.objects):
        _add_light()
    if scene.world is None:
        scene.world = bpy.data.worlds.new("World")
    _colour_nodes()
    if engine == "cycles":
        scene.cycles.samples, scene.cycles.device = samples, "CPU"
        _colour_world(scene.world)
    else:
        shading = scene.display.shading
        shading.light, shading.color_type, shading.show_cavity = "STUDIO", "MATERIAL", True
        shading.show_shadows = False
    scene.view_settings.view_transform = "Standard"


def _add_camera(points: Floats, size: tuple[int, int]) -> None:
    """Add a camera that sees all points (n, 3), as near as it can be."""
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Contact camera")
    camera.lens = LENS
    z = np.array(VIEW) / np.linalg.norm(VIEW)
    x = np.cross([0.0, 0.0, 1.0], z)
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(z, x), z])
    local = points @ R
    middle = 0.5 * (local.min(axis=0) + local.max(axis=0))
    wide, high, _ = np.abs(local - middle).T
    slope = 18.0 / LENS / max(1.0, size[1] / size[0])  # half of the sensor's longer side
    needed = np.maximum(wide / slope, high / (slope * size[1] / size[0])) + local[:, 2] - middle[2]
    distance = 1.1 * float(needed.max(initial=0.0)) or 1.0
    camera.clip_start, camera.clip_end = 0.01 * distance, 10.0 * distance
    obj = bpy.data.objects.new("Contact camera", camera)
    scene.collection.objects.link(obj)
    obj.location = (R @ middle + distance * z).tolist()
    obj.rotation_mode = "QUATERNION"
    obj.rotation_quaternion = quaternion(R).tolist()
    scene.camera = obj


def _add_light() -> None:
    sun = bpy.data.lights.new("Contact sun", "SUN")
    sun.energy, sun.angle = 2.5, 0.1
    obj = bpy.data.objects.new("Contact sun", sun)
    obj.rotation_euler = (math.radians(40.0), math.radians(15.0), math.radians(30.0))
    bpy.context.scene.collection.objects.link(obj)


def _colour_nodes() -> None:
    """Give the shader of each material the colour that Workbench shows."""
    for material in bpy.data.materials:
        tree = material.node_tree
        shader = next((node for node in tree.nodes if node.type == "BSDF_PRINCIPLED"), None) if tree else None
        if shader is None:
            material.use_nodes = True
            shader = next((node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
        if shader is not None and not shader.inputs["Base Color"].is_linked:
            shader.inputs["Base Color"].default_value = material.diffuse_color


def _colour_world(world: Any) -> None:
    if world.node_tree is None:
        world.use_nodes = True
    for node in world.node_tree.nodes:
        if node.type == "BACKGROUND":
            node.inputs[0].default_value, node.inputs[1].default_value = (0.75, 0.8, 0.88, 1.0), 0.5


def render(target: Path, frame: int | None) -> str:
    """Render to a picture (.png, of one frame), a film (.mp4) or a folder of frames; return a line on it."""
    scene, target = bpy.context.scene, target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".mp4":
        return _render_film(scene, target)
    _set_format(scene, "IMAGE", "PNG")
    if target.suffix == ".png":
        scene.frame_set(frame or 1)
        scene.render.filepath = str(target)
        bpy.ops.render.render(write_still=True)
        return f"wrote {target}: frame {frame or 1} of {scene.frame_end}"
    target.mkdir(exist_ok=True)
    scene.render.filepath = f"{target}/frame_"
    bpy.ops.render.render(animation=True)
    return f"wrote {target}: {scene.frame_end} frames"


def _set_format(scene: Any, media: str, form: str) -> None:
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):  # since Blender 5
        settings.media_type = media
    settings.file_format = form
    scene.render.use_file_extension = media == "IMAGE"


def _render_film(scene: Any, target: Path) -> str:
    _set_format(scene, "VIDEO", "FFMPEG")
    film = scene.render.ffmpeg
    film.format, film.codec, film.constant_rate_factor = "MPEG4", "H264", "HIGH"
    new = target.with_name(f".{target.stem}.new.mp4")
    scene.render.filepath = str(new)
    bpy.ops.render.render(animation=True)
    new.replace(target)
    return f"wrote {target}: {scene.frame_end} frames, {scene.render.fps} per second"


def show(blend: Path, arrays: Path, targets: list[str], engine: str, size: tuple[int, int], samples: int,
         at: float | None) -> list[str]:
    """Animate a .blend file by the arrays of a response, and save or render it; return lines on what was written.

    Raises ValueError, with the remedy, and OSError.
    """
    scene_files.open_blend(blend)
    meta = animation.animate(arrays)
    set_up(meta, engine, size, samples)
    with np.load(arrays, allow_pickle=False) as content:
        time = content["time"]
    frame = None if at is None else 1 + int(np.abs(time - at).argmin())
    lines = []
    for target in map(Path, targets):
        if target.suffix == ".blend":
            scene_files.save(target)
            lines.append(f"wrote {target}: {len(time)} frames")
        else:
            lines.append(render(target, frame))
    return lines
