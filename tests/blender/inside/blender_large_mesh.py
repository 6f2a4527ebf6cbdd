"""Runs in Blender: a .blend file with one body, whose shape is a ball of at least 100,000 triangles."""

import bpy
import extension  # the package of the toolkit, which run.py makes known


def main(path: str) -> list[str]:
    extension.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=320, ring_count=160, radius=1.0)
    rock = bpy.context.active_object
    rock.name = "rock"
    rock.data.materials.append(bpy.data.materials.new("stone"))
    bpy.ops.contactlib.mark_shape(kind="mesh")
    bpy.ops.contactlib.mark_body()
    rock.data.calc_loop_triangles()
    triangles = len(rock.data.loop_triangles)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return [str(triangles)]
