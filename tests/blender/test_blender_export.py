"""Scenes as objects of Blender and back, without Blender: 32-bit floats stand for what Blender keeps."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import contactlib
from contactlib.blender.extension.plain.exporting import export_scene, obj_text
from contactlib.blender.extension.plain.frames import pose
from contactlib.blender.extension.plain.importing import read_scene
from contactlib.blender.extension.plain.items import ExportError, Geometry
from contactlib.blender.extension.plain.laws import law_of, numbers_of, with_law, with_pair, with_scene
from contactlib.blender.extension.plain.mesh_files import height_field, read_mesh
from contactlib.blender.extension.plain.toml_text import toml_text
from contactlib.model.spec import SCENES, Spec
from contactlib.shapes.heights import height_field as library_heights


def as_blender_keeps_it(items):
    """Poses, vertices and materials as a .blend file has them."""
    seen = {}
    for item in (each for top in items for each in top.walk()):
        item.X = item.X.astype(np.float32).astype(np.float64)
        item.material = item.keys.get("material")
        if item.geometry is not None and id(item.geometry) not in seen:
            seen[id(item.geometry)] = item.geometry
            item.geometry.vertices = item.geometry.vertices.astype(np.float32).astype(np.float64)
            if item.kind == "polyhedron":
                item.geometry.faces = []
    return items


def shipped(name):
    return SCENES / name / "scene.toml"


@pytest.mark.parametrize("name", sorted(path.parent.name for path in SCENES.glob("*/scene.toml")))
def test_shipped_scenes_come_back_as_the_same_model(name):
    """The same hash of the compiled model: every bit of every number is the same."""
    imported = read_scene(shipped(name))
    files = export_scene(as_blender_keeps_it(imported.items), imported.text, imported.name, imported.texts)
    again = Spec.from_dict(tomllib.loads(files.text), folder=shipped(name).parent)
    assert again.compile().hash == contactlib.load(name).compile().hash


def peg_items():
    imported = read_scene(shipped("peg_in_hole"))
    return as_blender_keeps_it(imported.items), imported.text


def exported(items, text):
    return tomllib.loads(export_scene(items, text, "peg").text)


def test_a_moved_object_is_written_as_blender_shows_it_and_nothing_else_changes():
    items, text = peg_items()
    before = exported(items, text)
    pin = items[0].children[1]
    pin.X = pose((0.1 + 0.013, 0.2, -0.03)).astype(np.float32).astype(np.float64)
    after = exported(items, text)
    assert after["body"][0]["shape"][1].pop("r") == [0.113, 0.2, -0.03]
    before["body"][0]["shape"][1].pop("r")
    assert after == before


def test_a_scaled_mesh_has_other_sizes_and_keeps_the_other_keys():
    items, text = peg_items()
    hole = items[1].children[0]
    hole.keys["density"] = 2700.0
    hole.geometry = Geometry(hole.geometry.vertices * 2.0, hole.geometry.faces)
    shape = exported(items, text)["body"][1]["shape"][0]
    assert (shape["size"], shape["radius"], shape["length"]) == ([0.2, 0.2, 0.145], 0.035, 0.1)
    assert shape["density"] == 2700.0 and shape["material"] == "hole"


def test_a_change_below_the_resolution_of_blender_is_not_seen():
    items, text = peg_items()
    before = exported(items, text)
    items[0].children[0].X[0, 3] *= 1.0 + 2.0**-22
    assert exported(items, text) == before


def test_renamed_and_copied_objects_have_names_of_their_own():
    items, text = peg_items()
    pin = items[0].children[0]
    pin.marked_as, pin.label = "pin_1", "pin_1.001"
    assert exported(items, text)["body"][0]["shape"][0]["name"] == "pin_1_001"


def test_a_large_mesh_is_a_file_with_all_digits(tmp_path):
    heights = np.random.default_rng(1).uniform(0.0, 0.3, (12, 13))
    vertices, triangles = height_field(heights, (0.1, 0.1), 1.0)
    library = library_heights(heights, (0.1, 0.1), 1.0)
    assert np.array_equal(vertices, library.vertices) and np.array_equal(triangles, library.triangles)
    items, text = peg_items()
    rock = items[1].children[0]
    rock.keys = {"name": "rock", "kind": "mesh", "material": "hole"}
    rock.geometry = Geometry(vertices, triangles=triangles)
    files = export_scene(items, text, "peg")
    (path, content), = files.files.items()
    assert path == "meshes/target_rock.obj"
    (tmp_path / "meshes").mkdir()
    (tmp_path / path).write_text(content)
    (tmp_path / "scene.toml").write_text(files.text)
    mesh = next(shape.shape for shape in contactlib.load(tmp_path).body("target").shapes if shape.name == "rock")
    assert np.array_equal(np.sort(mesh.vertices, axis=0), np.sort(vertices, axis=0))
    again, numbers = read_mesh(tmp_path / path)
    assert np.array_equal(again, vertices) and np.array_equal(numbers, triangles)
    assert obj_text(again, numbers) == content


@pytest.mark.parametrize(("text", "words"), [
    ("[scene", "no TOML file"), ("[[body]]\nname = 'a'", "bodies are objects")])
def test_a_damaged_text_is_named(text, words):
    with pytest.raises(ValueError, match=words):
        export_scene(peg_items()[0], text, "peg")


def test_a_file_without_bodies_is_refused():
    with pytest.raises(ExportError, match="has no body: select an object and use 'Mark as Body'"):
        export_scene([], "", "empty")


@pytest.mark.parametrize(("name", "content", "words"), [
    ("a.ply", "ply", "reads OBJ and STL"), ("a.obj", "v 0 0 zero", "no OBJ file"),
    ("a.obj", "v 0 0 0\nf 1 2 3", "it has not"),
    ("a.stl", "solid", "has no triangles"), ("a.stl", "vertex 1 2 3\nvertex 1 2 3", "cut short"),
])
def test_bad_mesh_files_give_a_sentence(tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=words):
        read_mesh(tmp_path / name)


def test_a_file_outside_the_folder_is_not_read(tmp_path):
    (tmp_path / "scene.toml").write_text('[[body]]\nname = "a"\n[[body.shape]]\nname = "s"\nkind = "mesh"\n'
                                         'file = "../secret.obj"\n')
    with pytest.raises(ValueError, match=r"shape 's': the file \.\./secret\.obj lies outside"):
        read_scene(tmp_path / "scene.toml")


def test_laws_are_set_and_kept():
    numbers = {"stiffness": 1e5, "damping": 10.0, "mu_static": 0.2, "mu_kinetic": 0.1, "tangential_stiffness": 1e4,
               "tangential_damping": 1.0}
    text = with_law(with_pair(with_scene("", name="a", step_size=1e-3), "one", "two"), "steel", "rock", numbers)
    assert numbers_of(law_of(text, "rock", "steel")) == numbers
    again = with_law(text, "rock", "steel", {**numbers, "stiffness": 2e5, "mu_static": 0.0})
    assert tomllib.loads(again)["law"] == [
        {"name": "steel_rock", "materials": ["steel", "rock"],
         "normal": {"kind": "kelvin_voigt", "stiffness": 2e5, "damping": 10.0}}]
    assert with_pair(again, "two", "one") == again
    other = toml_text({"law": [{"name": "h", "materials": ["steel", "rock"], "normal": {"kind": "hertz"}}]})
    with pytest.raises(ValueError, match="law 'h' is of another kind"):
        with_law(other, "steel", "rock", numbers)


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=6)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(st.characters(
        codec="utf-8", exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)


@settings(max_examples=200, deadline=None)  # a slow machine is no fault of the code
@given(st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=4) | st.lists(
    st.dictionaries(KEYS, VALUES, max_size=4), min_size=1, max_size=3), max_size=4))
def test_any_tables_come_back_from_their_text(tables):
    assert tomllib.loads(toml_text(tables)) == tables
