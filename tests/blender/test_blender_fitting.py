"""Fits and measurements of the Blender extension against shapes that are known, and drawings against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from contactlib.blender.extension.plain.checks import open_edges
from contactlib.blender.extension.plain.drawing import KINDS, SIDES, draw
from contactlib.blender.extension.plain.fitting import fit
from contactlib.blender.extension.plain.frames import frame_along, pose, quaternion, rotation, rounded
from contactlib.blender.extension.plain.measuring import measure
from contactlib.shapes.shapes import SHAPES, Mesh

SHAPE_KEYS = {
    "sphere": {"radius": 0.1}, "capsule": {"radius": 0.05, "length": 0.2}, "cylinder": {"radius": 0.1, "length": 0.3},
    "cone": {"radius": 0.1, "length": 0.3, "top_radius": 0.05, "sides": 16},
    "ellipsoid": {"semi_axes": [0.1, 0.2, 0.3]},
    "box": {"size": [0.1, 0.2, 0.3]}, "socket": {"size": [0.1, 0.12, 0.08], "radius": 0.0175, "length": 0.05},
    "segment": {"length": 0.4}, "plane": {}, "point": {},
}
SOLIDS = ("sphere", "capsule", "cylinder", "ellipsoid", "box", "socket")


def as_32_bit(vertices):
    return np.asarray(vertices).astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("kind", SHAPE_KEYS)
@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.0), (1.0, 2.0, 3.0)])
def test_sizes_are_measured_from_32_bit_vertices(kind, offset):
    """The sizes come back without rounding errors: digits below the resolution of the vertices are left out."""
    drawing = draw(kind, SHAPE_KEYS[kind])
    measured = measure(kind, as_32_bit(drawing.vertices + offset), list(drawing.faces))
    assert measured.keys == SHAPE_KEYS[kind]
    assert measured.X[:3, 3].tolist() == list(offset)
    assert measured.deviation < 1e-6  # m; 32-bit floats near 3 m are 2.4e-7 m apart


@pytest.mark.parametrize("kind", SOLIDS)
def test_drawings_are_closed_and_have_the_volume_of_the_shape(kind):
    """The volume of the solid, by the mass properties; facets of 15 degrees take off less than 3 %."""
    keys = SHAPE_KEYS[kind]
    drawing = draw(kind, keys)
    assert open_edges(drawing.faces) == 0
    triangles = [(face[0], face[k], face[k + 1]) for face in drawing.faces for k in range(1, len(face) - 1)]
    shape = SHAPES[kind](**{key: tuple(value) if isinstance(value, list) else value for key, value in keys.items()})
    exact = shape.mass_properties(1.0).mass
    corners = drawing.vertices[triangles]
    volume = np.einsum("ni,ni->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    if kind == "socket":  # its top polygons are not star-shaped, the hole is what counts
        assert volume == pytest.approx(exact, rel=0.03)
    else:
        assert 0.95 * exact < volume <= exact * (1.0 + 1e-12)


def test_every_kind_of_shape_of_a_scene_can_be_drawn():
    assert set(KINDS) == {*SHAPES, "cone"}


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "socket"])
@pytest.mark.parametrize("seed", range(3))
def test_a_shape_in_any_attitude_is_found_again(kind, seed):
    """Vertices of a shape at a random pose: its sizes and its place come back, with no deviation."""
    rng = np.random.default_rng(seed)
    X = pose(rng.normal(size=3), rng.normal(size=4))
    drawing = draw(kind, SHAPE_KEYS[kind])
    found = fit(kind, drawing.vertices @ X[:3, :3].T + X[:3, 3], list(drawing.faces))
    assert found.deviation < 1e-7  # m: a search stops at angles of 1e-7 rad
    for key, value in SHAPE_KEYS[kind].items():
        one, two = (sorted(np.atleast_1d(each)) for each in (found.keys[key], value))
        assert one == pytest.approx(two, rel=1e-6)
    if kind != "box":
        assert found.X[:3, 3] == pytest.approx(X[:3, 3], abs=1e-6)


def test_the_deviation_of_a_box_is_the_depth_of_a_dent():
    """A block of 0.2 x 0.4 x 0.6 m with one vertex 30 mm below the middle of its top."""
    corners = np.vstack([draw("box", {"size": [0.2, 0.4, 0.6]}).vertices, [0.0, 0.0, 0.27]])
    found = fit("box", corners, [])
    assert found.deviation == pytest.approx(0.03, abs=1e-9)
    assert sorted(found.keys["size"]) == pytest.approx([0.2, 0.4, 0.6])


def test_the_best_sphere_of_two_shells_lies_between_them():
    """Equal numbers of vertices at 0.9 and 1.1 m in the same directions: radius 1 m, deviation 0.1 m."""
    directions = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)
    found = fit("sphere", np.concatenate([0.9 * directions, 1.1 * directions]), [])
    assert found.keys["radius"] == pytest.approx(1.0, abs=1e-9)
    assert found.deviation == pytest.approx(0.1, abs=1e-9)
    assert str(found) == "sphere: largest deviation 100 mm"


@pytest.mark.parametrize(("kind", "vertices", "words"), [
    ("sphere", np.zeros((2, 3)), "needs at least 4"),
    ("box", np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), "lie in a plane"),
    ("ring", np.zeros((9, 3)), "must be one of"),
    ("socket", draw("box", {"size": [1.0, 1.0, 1.0]}).vertices.repeat(2, axis=0), "no hole"),
])
def test_what_cannot_be_fitted_gives_a_sentence(kind, vertices, words):
    with pytest.raises(ValueError, match=words):
        fit(kind, vertices, [])


def test_attitudes():
    rng = np.random.default_rng(5)
    for q in rng.normal(size=(200, 4)):
        R = rotation(q)
        assert rotation(quaternion(R)) == pytest.approx(R, abs=1e-12)
        z = frame_along(q[:3])
        assert z[:, 2] == pytest.approx(q[:3] / np.linalg.norm(q[:3]), abs=1e-12)
        assert np.linalg.det(z) == pytest.approx(1.0, abs=1e-12)
    assert frame_along([0, 0, -2.0]) == pytest.approx(np.diag([1.0, -1.0, -1.0]))


def test_rounded_numbers_are_the_same_32_bit_floats():
    rng = np.random.default_rng(6)
    for value in np.float32(rng.normal(size=500) * 10.0 ** rng.integers(-6, 6, 500)):
        assert np.float32(rounded(value)) == value


def test_a_mesh_of_the_extension_is_one_of_the_library():
    drawing = draw("mesh", {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                            "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]})
    assert Mesh(drawing.vertices, np.array(drawing.faces)).volume == pytest.approx(1.0 / 6.0)
    assert SIDES % 4 == 0  # vertices on all half axes, so that extents are exact
