"""Each shape on flat ground that is a mesh of 200 triangles, at 40 places, 5 um deep."""

import itertools
import math

import numpy as np

import contactlib

POSES, DEPTH = 40, 5e-6  # DEPTH in m
SIDE = 0.04  # m
CORNERS = (SIDE / 2 * np.array(list(itertools.product((-1, 1), repeat=3)))).tolist()
SIDES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]
BLOCK = contactlib.Box((SIDE, SIDE, SIDE))
HULL, MESH = contactlib.Polyhedron(CORNERS), contactlib.Mesh(CORNERS, SIDES)
TRIANGLE = contactlib.Triangle([(0.0, 0.0, -0.02), (0.01, 0.0, 0.01), (-0.01, 0.0, 0.01)])
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def about(axis, angle):
    """Quaternion of a turn."""
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return (math.cos(angle / 2), *(math.sin(angle / 2) * axis))


LYING, EDGE = about((0, 1, 0), math.pi / 2), about((1, 0, 0), math.pi / 4)
CORNER = about((1, -1, 0), math.acos(1 / math.sqrt(3)))  # the diagonal stands upright
TILTED = about((1, 0.3, 0), 0.6)
UP = 1 - 2 * (TILTED[1] ** 2 + TILTED[2] ** 2)  # the z component of its turned z axis
ELLIPSOID = contactlib.Ellipsoid((0.03, 0.012, 0.02))
#: shape, attitude, and height of the middle when it just touches
ON = {
    "point": (contactlib.Point(), UPRIGHT, 0.0),
    "sphere": (contactlib.Sphere(0.02), TILTED, 0.02),
    "segment, one end": (contactlib.Segment(0.06), TILTED, 0.03 * UP),
    "segment, lying": (contactlib.Segment(0.06), LYING, 0.0),
    "capsule, one end": (contactlib.Capsule(0.012, 0.05), TILTED, 0.012 + 0.025 * UP),
    "capsule, lying": (contactlib.Capsule(0.012, 0.05), LYING, 0.012),
    "ellipsoid": (ELLIPSOID, LYING, 0.03),
    "cylinder, rim": (contactlib.Cylinder(0.015, 0.05), TILTED, 0.025 * UP + 0.015 * math.sqrt(1 - UP**2)),
    "cylinder, standing": (contactlib.Cylinder(0.015, 0.05), UPRIGHT, 0.025),
    "triangle, corner": (TRIANGLE, UPRIGHT, 0.02),
    "box, corner": (BLOCK, CORNER, SIDE / 2 * math.sqrt(3)),
    "box, edge": (BLOCK, EDGE, SIDE / 2 * math.sqrt(2)),
    "box, face": (BLOCK, UPRIGHT, SIDE / 2),
    "polyhedron, corner": (HULL, CORNER, SIDE / 2 * math.sqrt(3)),
    "polyhedron, face": (HULL, UPRIGHT, SIDE / 2),
    "socket, face": (contactlib.Socket((0.1, 0.12, 0.07), 0.0175, 0.05), UPRIGHT, 0.07),
    "mesh, corner": (MESH, CORNER, SIDE / 2 * math.sqrt(3)),
    "mesh, face": (MESH, UPRIGHT, SIDE / 2),
}


def run(runner):
    ground = contactlib.height_field(np.zeros((11, 11)), (0.05, 0.05), 0.4)
    rng = np.random.default_rng(3)
    spot = rng.uniform(-0.1, 0.1, (POSES, 2))
    results, aside = {}, 0.0
    for name, (shape, attitude, height) in ON.items():
        X = np.column_stack([spot, np.tile([height - DEPTH, *attitude], (POSES, 1))])
        found = contactlib.manifolds(shape, ground, X, [[0, 0, 0, 1, 0, 0, 0]])
        force = -(found.normal * (found.depth * found.load_share * (found.feature >= 0))[..., None]).sum(axis=1)
        ratio = force[:, 2] / DEPTH
        results[f"{name}: force over depth"] = float(ratio[np.argmax(np.abs(ratio - np.median(ratio)))])
        aside = max(aside, float((np.hypot(force[:, 0], force[:, 1]) / DEPTH).max()))
    return {**results, "largest force aside": aside}
