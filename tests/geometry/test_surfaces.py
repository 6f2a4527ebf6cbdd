"""Surfaces of shapes as triangles: closed, outward, and of the volume that the shape's mass has."""

import numpy as np
import pytest
import trimesh

from contactlib import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Mesh,
    Plane,
    Point,
    Polyhedron,
    Segment,
    Socket,
    Sphere,
    Triangle,
)
from contactlib.shapes import mass
from contactlib.shapes.shapes import SHAPES
from contactlib.shapes.surfaces import surface

WEDGE = Polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)])
CURVED = [Sphere(0.3), Capsule(0.2, 0.5), Capsule(0.2, 0.0), Cylinder(0.1, 0.7), Ellipsoid((0.1, 0.2, 0.3)),
          Box((0.1, 0.2, 0.3), rounding=0.02), Socket((0.1, 0.12, 0.07), 0.02, 0.04),
          Socket((0.1, 0.1, 0.06), 0.02, 0.04), Socket((0.1, 0.1, 0.06), 0.02, 0.0)]
FLAT = [Box((0.1, 0.2, 0.3)), WEDGE,
        Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])]
SHEETS = [Plane(), Triangle(((0, 0, 0), (1, 0, 0), (0, 1, 0))), Segment(0.3), Point()]


def test_every_kind_of_shape_is_tested():
    assert {shape.kind for shape in (*CURVED, *FLAT, *SHEETS)} == set(SHAPES)


@pytest.mark.parametrize("shape", [*CURVED, *FLAT], ids=lambda shape: shape.kind)
@pytest.mark.parametrize("segments", [8, 32])
def test_the_surface_of_a_solid_is_closed_and_looks_outward(shape, segments):
    found = trimesh.Trimesh(*surface(shape, segments=segments), process=False)
    assert found.is_watertight and found.is_winding_consistent and found.volume > 0


def volume_error(shape, segments):
    """The volume of the triangles relative to the exact one, minus 1."""
    return mass.volume(*surface(shape, segments=segments)) / shape.mass_properties(1.0).mass - 1.0


@pytest.mark.parametrize("shape", CURVED, ids=lambda shape: shape.kind)
def test_the_volume_converges_to_that_of_the_mass(shape):
    coarse, fine = (volume_error(shape, n) for n in (16, 32))
    sign = 1.0 if shape.kind == "socket" else -1.0  # vertices on a hollow surface make the hole smaller
    # the worst is a ball: rings and segments each take (2 pi / n)^2 times 1/4 and 1/6 of it
    assert 0.0 < sign * fine < 0.42 * (2 * np.pi / 32) ** 2
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)  # second order in the length of the sides


@pytest.mark.parametrize("shape", FLAT, ids=lambda shape: shape.kind)
def test_flat_faces_have_the_exact_volume(shape):
    assert abs(volume_error(shape, 8)) < 1e-14  # rounding of a dozen products


def test_a_rounded_polyhedron_is_the_rounded_box():
    corners = [(x, y, z) for x in (-0.05, 0.05) for y in (-0.1, 0.1) for z in (-0.15, 0.15)]
    exact = Box((0.1, 0.2, 0.3), rounding=0.02).mass_properties(1.0).mass
    found = mass.volume(*surface(Polyhedron(corners, rounding=0.02)))
    assert -0.42 * (2 * np.pi / 32) ** 2 < found / exact - 1.0 < 0.0


def test_all_vertices_lie_on_the_surface():
    x = surface(Ellipsoid((0.1, 0.2, 0.3))).vertices / (0.1, 0.2, 0.3)
    assert np.abs((x**2).sum(axis=1) - 1.0).max() < 1e-14
    found = surface(Socket((0.1, 0.12, 0.07), 0.02, 0.04)).vertices
    below = found + np.array([0, 0, 0.04])
    in_hole = np.hypot(found[:, 0], found[:, 1]) < 0.021
    in_hole &= found[:, 2] > -0.065
    radius = np.where(below[:, 2] > 0, np.hypot(found[:, 0], found[:, 1]), np.linalg.norm(below, axis=1))
    assert in_hole.sum() > 100 and np.abs(radius[in_hole] - 0.02).max() < 1e-15
    outer = np.abs(found[~in_hole] / (0.05, 0.06, 1.0))[:, :2].max(axis=1)
    assert outer[found[~in_hole][:, 2] > -0.07].min() == pytest.approx(1.0, abs=1e-14)


def test_thin_shapes_have_a_sheet_or_a_tube():
    vertices, triangles = surface(Plane(), patch=2.0)
    assert np.ptp(vertices, axis=0).tolist() == [2.0, 2.0, 0.0]
    corners = vertices[triangles]
    assert (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0).all()
    assert len(surface(Segment(0.3)).triangles) == len(surface(Point()).triangles) == 0
    tube = surface(Segment(0.3), thickness=0.01).vertices
    assert np.ptp(tube, axis=0) == pytest.approx([0.01, 0.01, 0.31], abs=1e-15)


@pytest.mark.parametrize(("change", "sentence"), [
    ({"segments": 10}, "segments = 10: must be a multiple of 4"), ({"segments": 4}, "segments = 4: must be an integer"),
    ({"patch": float("nan")}, "patch = nan: must be finite"), ({"thickness": -1.0}, "thickness = -1.0: must be")])
def test_bad_arguments_are_named(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        surface(Sphere(1.0), **change)
