"""Runs in Blender: each operator and property of the extension, on small objects."""

import json
import math

import bpy
import extension  # the package of the toolkit, which run.py makes known


def main(folder: str) -> list[str]:
    extension.register()
    from extension.inside import marks, overlays, scene_files

    bpy.ops.wm.read_factory_settings(use_empty=True)
    found = {"edit": _edit_mode(marks), "properties": _properties(marks)}
    scene = bpy.context.scene
    scene.contact_show_shapes = scene.contact_show_volumes = scene.contact_show_normals = True
    found["overlays"] = {name: len(lines) for name, lines in overlays.overlay_lines(scene).items()}
    found["fits"] = _fits()
    found["bad"] = _bad_models(scene_files)
    found["damaged"] = _damaged(marks)
    extension.unregister()
    found["left"] = [name for name in dir(bpy.types.Object) if name.startswith("contact_")]
    return [json.dumps(found)]


def _select(*objects):
    bpy.context.view_layer.update()  # without objects that were removed
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def _edit_mode(marks):
    """A cube that is turned and scaled, below a body: a point, a segment and a plane of what is selected."""
    bpy.ops.object.empty_add(location=(0.0, 0.0, 1.0))
    body = bpy.context.active_object
    body.name = "lander"
    bpy.ops.contactlib.mark_body()
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(1.0, 0.0, 0.0), rotation=(0.0, 0.0, math.pi / 2))
    cube = bpy.context.active_object
    cube.parent, cube.scale = body, (2.0, 1.0, 1.0)
    made = {}
    for kind, wanted in (("point", [7]), ("segment", [3, 7]), ("plane", [1, 3, 5, 7])):
        _select(cube)
        bpy.ops.object.mode_set(mode="OBJECT")
        for thing in (*cube.data.vertices, *cube.data.edges, *cube.data.polygons):
            thing.select = False
        for index in wanted:
            cube.data.vertices[index].select = True
        for polygon in cube.data.polygons:
            polygon.select = set(polygon.vertices) == set(wanted)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.contactlib.shape_from_selection(kind=kind)
        obj = bpy.context.active_object
        made[kind] = [sorted([round(x, 6) for x in vertex.co] for vertex in obj.data.vertices), obj.parent.name,
                      marks.role_of(obj)]
        if kind == "plane":
            made["normal"] = [round(x, 6) for x in obj.data.polygons[0].normal]
            bpy.data.objects.remove(obj)
    bpy.data.objects.remove(cube)
    return made


def _properties(marks):
    """Numbers that are set in the panel are those of the scene, with few digits."""
    body = bpy.data.objects["lander"]
    _select(body)
    body.contact_motion, body.contact_mass, body.contact_inertia = "free", 0.1, (0.1, 0.2, 0.3)
    body.contact_com, body.contact_v, body.contact_w = (0.0, 0.0, 0.7), (0.1, 0.0, 0.0), (0.0, 0.3, 0.0)
    bpy.ops.object.empty_add()
    group = bpy.context.active_object
    group.name = "leg"
    bpy.ops.contactlib.mark_group(movable=True)
    group.contact_volume = "obb"
    group.parent = body
    bpy.ops.contactlib.add_shape(kind="box", size=(0.1, 0.2, 0.3))
    box = bpy.context.active_object
    box.contact_density, box.contact_rounding, box.contact_name = 2700.0, 0.01, "foot"
    return {"body": marks.keys_of(body), "group": marks.keys_of(group), "box": marks.keys_of(box)}


def _fits():
    """The deviations of shapes that are fitted to a ball, and of its hull."""
    found = {}
    for kind in ("sphere", "box", "hull"):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(5.0, 0.0, 0.0))
        ball = bpy.context.active_object
        bpy.ops.contactlib.fit(kind=kind)
        made = bpy.context.active_object
        found[kind] = [made["contact_deviation"], *(round(x, 5) for x in made.dimensions)]
        bpy.data.objects.remove(ball)
        bpy.data.objects.remove(made)
    return found


def _bad_models(scene_files):
    """What the check says of real objects: a monkey as a polyhedron, a scaled ball, a mirrored box, no material."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.object.empty_add()
    body = bpy.context.active_object
    body.name = "rover"
    bpy.ops.contactlib.mark_body()
    material = bpy.data.materials.new("steel")
    for name, add, kind, scale in (
            ("head", bpy.ops.mesh.primitive_monkey_add, "polyhedron", (1, 1, 1)),
            ("wheel", bpy.ops.mesh.primitive_uv_sphere_add, "sphere", (2, 2, 2)),
            ("mast", bpy.ops.mesh.primitive_cube_add, "box", (1, 1, -1)),
            ("bare", bpy.ops.mesh.primitive_cube_add, "box", (1, 1, 1))):
        add()
        obj = bpy.context.active_object
        obj.name, obj.parent, obj.scale = name, body, scale
        if name != "bare":
            obj.data.materials.append(material)
        bpy.ops.contactlib.mark_shape(kind=kind)
    obj.constraints.new("COPY_LOCATION")
    bpy.ops.contactlib.check()
    assert bpy.data.texts[scene_files.REPORT].as_string()
    try:
        bpy.ops.contactlib.export_scene(directory="/nowhere")
    except RuntimeError as error:
        return [bpy.data.texts[scene_files.REPORT].as_string(), str(error)]
    return ["exported"]


def _damaged(marks):
    """A mark and a text that somebody has damaged."""
    sentences = []
    obj = bpy.data.objects["wheel"]
    for damage in (lambda: obj.__setitem__("contact", "{"), lambda: marks.set_scene_text(bpy.data.texts, "[scene")):
        damage()
        try:
            bpy.ops.contactlib.check()
        except RuntimeError as error:
            sentences.append(str(error))
        obj["contact"] = '{"role": "shape", "keys": {"kind": "sphere"}}'
    return sentences
