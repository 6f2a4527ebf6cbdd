"""Runs in Blender: where bodies and vertices of an animated .blend file are at some frames."""

import json

import bpy
import extension  # noqa: F401  # the package of the toolkit, which run.py makes known


def main(blend: str, frames: str) -> list[str]:
    from extension.inside import animation

    bpy.ops.wm.open_mainfile(filepath=blend, load_ui=False)
    scene = bpy.context.scene
    bodies = animation.rigid_bodies()
    response = bpy.data.collections[animation.COLLECTION].objects
    found = {}
    for frame in json.loads(frames):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        found[frame] = {name: [list(row) for row in obj.evaluated_get(graph).matrix_world]
                        for name, obj in bodies.items()}
        for obj in response:
            mesh = obj.evaluated_get(graph).to_mesh()
            found[frame][f"mesh {obj.name}"] = [list(vertex.co) for vertex in mesh.vertices]
    return [json.dumps({"frames": found, "range": [scene.frame_start, scene.frame_end], "fps": scene.render.fps})]
