"""Overlays in the 3-D view: shapes as they are exported, bounding volumes, normals. Not drawn without a window."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.props import BoolProperty

from ..plain.frames import Floats
from ..plain.items import BODY, SHAPE
from ..plain.lines import normal_lines, placed, shape_lines, volume_lines
from ..plain.sizes import Sizes
from . import blend_read

_COLORS = {"shapes": (0.2, 0.9, 1.0, 1.0), "volumes": (1.0, 0.7, 0.1, 1.0), "normals": (0.9, 0.3, 0.9, 1.0)}
_TEXTS = {"shapes": "the shapes as they are exported", "volumes": "the bounding volumes of groups",
          "normals": "the normals of faces"}
CLASSES: tuple[Any, ...] = ()
_handler: list[Any] = []
#: lines of the last drawing, until the file changes
_known: dict[str, Floats] = {}


def overlay_lines(scene: Any) -> dict[str, Floats]:
    """Return the lines (n, 2, 3) of each overlay that is switched on, in world axes, m."""
    wanted = [name for name in _COLORS if getattr(scene, f"contact_show_{name}")]
    found: dict[str, list[Floats]] = {name: [] for name in wanted}
    if not wanted:
        return {}
    sizes = Sizes()
    body_pose = np.eye(4)
    for item, X in placed(blend_read.read_items(scene.objects)):
        if item.role != SHAPE:
            body_pose = X if item.role == BODY else body_pose
            rows = {"volumes": volume_lines(item, X, body_pose)} if "volumes" in found else {}
        else:
            rows = {"shapes": shape_lines(item, X, sizes)} if "shapes" in found else {}
            rows |= {"normals": normal_lines(item, X)} if "normals" in found else {}
        for name, lines in rows.items():
            found[name].append(lines)
    return {name: np.concatenate(parts) if parts else np.empty((0, 2, 3)) for name, parts in found.items()}


def _draw() -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    if not _known:
        try:
            _known.update(overlay_lines(bpy.context.scene))
        except ValueError:  # a damaged mark: 'Check' names it
            return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.depth_test_set("LESS_EQUAL")
    for name, ends in _known.items():
        if len(ends):
            batch = batch_for_shader(shader, "LINES", {"pos": ends.reshape(-1, 3).astype(np.float32).tolist()})
            shader.uniform_float("color", _COLORS[name])
            batch.draw(shader)
    gpu.state.depth_test_set("NONE")


@bpy.app.handlers.persistent
def _forget(source: Any, other: Any = None) -> None:
    _known.clear()


def register() -> None:
    for name, text in _TEXTS.items():
        show = BoolProperty(name=f"Show {name}", description=text, update=_forget)
        setattr(bpy.types.Scene, f"contact_show_{name}", show)
    if not bpy.app.background:
        bpy.app.handlers.depsgraph_update_post.append(_forget)
        bpy.app.handlers.load_post.append(_forget)
        _handler.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    for handlers in (bpy.app.handlers.depsgraph_update_post, bpy.app.handlers.load_post):
        if _forget in handlers:
            handlers.remove(_forget)
    while _handler:
        bpy.types.SpaceView3D.draw_handler_remove(_handler.pop(), "WINDOW")
    for name in _TEXTS:
        delattr(bpy.types.Scene, f"contact_show_{name}")
