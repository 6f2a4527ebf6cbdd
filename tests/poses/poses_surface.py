"""Shapes and poses of surface contacts: random edges, corners and sides a given depth inside each other."""

import numpy as np

import contactlib
from contactlib.shapes import quaternion
from tests.poses.poses_frames import directions, quaternions
from tests.support.compare import shape

PLANE = ("plane", {})
BOX = ("box", {"size": (0.1, 0.06, 0.08)})
PLATE = ("box", {"size": (0.12, 0.1, 0.03)})
CYLINDER = ("cylinder", {"radius": 0.03, "length": 0.09})
COIN = ("cylinder", {"radius": 0.05, "length": 0.02})
CAPSULE = ("capsule", {"radius": 0.02, "length": 0.08})
EGG = ("ellipsoid", {"semi_axes": (0.03, 0.05, 0.04)})
TIPS = np.array([[0.05, 0, 0], [-0.04, 0, 0], [0, 0.05, 0], [0, -0.06, 0], [0, 0, 0.05], [0, 0, -0.055]])
GEM, MESH = ("polyhedron", {"corners": TIPS}), ("mesh", {"corners": 1.2 * np.roll(TIPS, 1, axis=1)})
FLAG = ("triangle", {"corners": ((-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.05, 0.0))})

PEBBLE = ("box", {"size": (0.09, 0.07, 0.06), "rounding": 0.01})
ROUND_GEM = ("polyhedron", {"corners": TIPS, "rounding": 0.008})

SOLIDS = {
    f"{a[0]}-{b[0]}": (a, b)
    for a, b in [(CAPSULE, FLAG), (CAPSULE, BOX), (CAPSULE, CYLINDER), (CAPSULE, GEM), (CAPSULE, PLANE), (FLAG, BOX),
                 (FLAG, CYLINDER), (FLAG, GEM), (FLAG, PLANE), (BOX, PLATE), (BOX, CYLINDER), (BOX, GEM), (BOX, PLANE),
                 (CYLINDER, COIN), (CYLINDER, GEM), (CYLINDER, PLANE), (GEM, GEM), (GEM, PLANE)]
}  # fmt: skip
MESHES = {
    f"{a[0]}-{b[0]}": (a, b) for a, b in [(CAPSULE, MESH), (FLAG, MESH), (EGG, MESH), (BOX, MESH), (CYLINDER, MESH),
                                          (GEM, MESH), (("mesh", GEM[1]), MESH), (MESH, PLANE)]
}  # fmt: skip
#: with a rounded box or polyhedron: their faces, edges and corners against each other, and the other way round
ROUNDED = {
    "capsule-rounded box": (CAPSULE, PEBBLE),
    "capsule-rounded gem": (CAPSULE, ROUND_GEM),
    "triangle-rounded gem": (FLAG, ROUND_GEM),
    "box-rounded box": (BOX, PEBBLE),
    "rounded box-plate": (PEBBLE, PLATE),
    "rounded box-rounded gem": (PEBBLE, ROUND_GEM),
    "rounded box-mesh": (PEBBLE, MESH),
    "rounded box-plane": (PEBBLE, PLANE),
    "rounded gem-plane": (ROUND_GEM, PLANE),
}
PAIRS = {**SOLIDS, **ROUNDED, **MESHES}


def touching(a, b, depth, rng):
    """Any orientations; B comes from any side, a plane along its normal, and goes `depth` further than it touches."""
    A, B = shape(a), shape(b)
    X_A, X_B = (np.array([*(0.003 * rng.normal(size=3)), *quaternions(rng, 1)[0]]) for _ in range(2))
    side, start, near, far = directions(rng, 1)[0], X_B[:3].copy(), 0.0, 1.0
    if b[0] == "plane":
        side, near = -quaternion.rotation_matrix(tuple(X_B[3:]))[:, 2], -1.0
    for _ in range(50):
        middle = (near + far) / 2
        X_B[:3] = start + middle * side
        near, far = (middle, far) if contactlib.distances(A, B, X_A, X_B).overlap[0] else (near, middle)
    X_B[:3] = start + (near - depth) * side
    return X_A, X_B
