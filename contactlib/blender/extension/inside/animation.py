"""The response of a scene in Blender: keyframes of bodies, and meshes that deform, from the arrays of a .npz file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..plain.frames import Floats, pose, position_and_attitude
from ..plain.items import BODY, GROUP, MARK
from . import blend_read, laws, marks

#: collection of all that a response adds to a .blend file
COLLECTION = "Contact response"


def animate(arrays: Path) -> dict[str, Any]:
    """Give the open file the motion of a response; return its description. Raises ValueError, with the remedy."""
    with np.load(arrays, allow_pickle=False) as content:
        data = {name: content[name] for name in content.files}
    meta: dict[str, Any] = json.loads(bytes(data["meta"]).decode())
    _remove_old()
    bpy.context.preferences.edit.keyframe_new_interpolation_type = "LINEAR"
    scene = bpy.context.scene
    scene.render.fps = meta["rate"]
    scene.frame_start, scene.frame_end = 1, len(data["time"])
    _move_bodies(meta["bodies"], data["r"], data["q"])
    collection = bpy.data.collections.new(COLLECTION)
    scene.collection.children.link(collection)
    for k, mesh in enumerate(meta["meshes"]):
        obj = deforming(mesh["name"], data[f"vertices_{k}"], data[f"faces_{k}"], mesh["colour"])
        obj.show_in_front = mesh["kind"] == "force"  # contacts are inside the bodies
        collection.objects.link(obj)
    scene.frame_set(1)
    return meta


def _remove_old() -> None:
    """Remove what an earlier response added, so that a file can be animated again."""
    old = bpy.data.collections.get(COLLECTION)
    if old is not None:
        for obj in list(old.objects):
            bpy.data.objects.remove(obj)
        bpy.data.collections.remove(old)


def rigid_bodies() -> dict[str, Any]:
    """Return the objects of all rigid bodies by their names in a result: "body", or "body.group" of movable groups."""
    found: dict[str, Any] = {}
    for obj in bpy.context.scene.objects:
        if MARK not in obj:
            continue
        keys = marks.keys_of(obj)
        if marks.role_of(obj) == BODY:
            found[laws.scene_name(obj)] = obj
        elif marks.role_of(obj) == GROUP and keys.get("movable"):
            names, above = [laws.scene_name(obj)], obj.parent
            while above is not None:
                if MARK in above:
                    names.insert(0, laws.scene_name(above))
                above = above.parent
            found[".".join(names)] = obj
    return found


def _move_bodies(names: list[str], r: Floats, q: Floats) -> None:
    known = rigid_bodies()
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(f"the .blend file has no body '{missing[0]}', which the result has; its bodies are "
                         f"{', '.join(sorted(known)) or 'none'}: use the .blend file of the scene that was run")
    for number, name in enumerate(names):
        obj = known[name]
        above = _moving_ancestor(obj, [known[each] for each in names])
        index = None if above is None else next(k for k, each in enumerate(names) if known[each] == above)
        if obj.animation_data is not None:
            obj.animation_data_clear()
        obj.rotation_mode = "QUATERNION"
        for frame in range(len(r)):
            X = pose(r[frame, number].tolist(), q[frame, number].tolist())
            if index is not None:
                X = np.linalg.inv(pose(r[frame, index].tolist(), q[frame, index].tolist())) @ X
            place, turn = position_and_attitude(np.linalg.inv(_fixed_above(obj, above)) @ X)
            same = float(turn @ np.array(obj.rotation_quaternion)) >= 0.0 or frame == 0
            obj.location, obj.rotation_quaternion = place.tolist(), (turn if same else -turn).tolist()
            obj.keyframe_insert("location", frame=frame + 1)
            obj.keyframe_insert("rotation_quaternion", frame=frame + 1)


def _moving_ancestor(obj: Any, moving: list[Any]) -> Any:
    above = obj.parent
    while above is not None and above not in moving:
        above = above.parent
    return above


def _fixed_above(obj: Any, ancestor: Any) -> Floats:
    """Return the pose of the frame that an object's location counts from, in a moving body above, or in the world."""
    if obj.parent is None:
        return np.eye(4)
    return blend_read.pose_in(obj.parent, ancestor) @ np.array(obj.matrix_parent_inverse, dtype=np.float64)


def deforming(name: str, vertices: Floats, faces: Any, colour: list[float]) -> Any:
    """Return an object whose vertices (frames, n, 3) move: absolute shape keys, one for each frame."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices[0].tolist(), [], faces.tolist())
    obj = bpy.data.objects.new(name, mesh)
    material = bpy.data.materials.new(f"response {name}")
    material.diffuse_color = (*colour, 1.0)
    mesh.materials.append(material)
    if len(vertices) > 1 and vertices.shape[1]:
        for k, rows in enumerate(vertices):
            key = obj.shape_key_add(name=f"frame {k + 1}", from_mix=False)
            key.interpolation = "KEY_LINEAR"
            key.data.foreach_set("co", rows.astype(np.float32).ravel())
        keys = mesh.shape_keys
        keys.use_relative = False
        bpy.context.view_layer.update()
        for k, key in enumerate(keys.key_blocks):
            keys.eval_time = key.frame
            keys.keyframe_insert("eval_time", frame=k + 1)
    return obj
