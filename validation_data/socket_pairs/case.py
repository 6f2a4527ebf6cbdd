"""Solids in the hole of a socket, 25 mm deep, beside its axis: the depth of the deepest contact, mm."""

import numpy as np

import contactlib

HOLE = contactlib.Socket((0.2, 0.2, 0.1), 0.0175, 0.05)
AT = [[0, 0, 0, 1, 0, 0, 0]]


def deepest(shape, x, z=-0.025):
    a, b, places, here = shape, HOLE, [[x, 0, z, 1, 0, 0, 0]], AT
    found = contactlib.manifolds(a, b, places, here)
    assert found.count[0] > 0, "no contact"
    return 1e3 * float(found.depth[0][found.feature[0] >= 0].max())


def prism(scale):
    """Corners of a prism of 24 x 20 mm; `scale` moves its corners out along the line from the axis."""
    corners = np.array([[x, y, z] for x in (-0.012, 0.012) for y in (-0.010, 0.010) for z in (-0.005, 0.005)])
    out = corners[:, 0] > 0
    from_axis = corners[out, :2] + [0.002, 0.0]
    corners[out, :2] += scale * from_axis / np.linalg.norm(from_axis, axis=1)[:, None]
    return corners


def run(runner):
    pushed = prism(0.0008)
    sides = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    return {
        "point in the wall": deepest(contactlib.Point(), 0.018),
        "sphere in the wall": deepest(contactlib.Sphere(0.013), 0.005),
        "sphere in the cap": deepest(contactlib.Sphere(0.015), 0.0, -0.053),
        "sphere on the rim": deepest(contactlib.Sphere(0.010), 0.012, 0.006),
        "segment in the wall": deepest(contactlib.Segment(0.02), 0.018),
        "capsule in the wall": deepest(contactlib.Capsule(0.017, 0.02), 0.001),
        "triangle in the wall": deepest(contactlib.Triangle([[0, -0.01, 0], [0, 0.01, 0], [0.0162, 0, 0.002]]), 0.002),
        "ellipsoid in the wall": deepest(contactlib.Ellipsoid((0.013, 0.013, 0.008)), 0.005),
        "box in the wall": deepest(contactlib.Box((0.024, 0.024, 0.01)), 0.002),
        "cylinder in the wall": deepest(contactlib.Cylinder(0.016, 0.02), 0.002),
        "polyhedron in the wall": deepest(contactlib.Polyhedron(pushed), 0.002),
        "mesh in the wall": in_hole(contactlib.Mesh(pushed, sides), 0.002),
        "socket in the wall": deepest(contactlib.Socket((0.024, 0.024, 0.02), 0.004, 0.01), 0.002, -0.015),
    }


def in_hole(mesh, x, z=-0.025):
    """The socket comes first in a pair with a mesh."""
    found = contactlib.manifolds(HOLE, mesh, AT, [[x, 0, z, 1, 0, 0, 0]])
    return 1e3 * float(found.depth[0][found.feature[0] >= 0].max())
