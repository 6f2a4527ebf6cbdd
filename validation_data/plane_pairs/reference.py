"""The lowest point of a turned shape is its support in the direction -z; the depth is the support less the height."""

from __future__ import annotations

import numpy as np

TETRAHEDRON = np.array([[0.03, 0, 0], [-0.02, 0.03, 0], [-0.02, -0.03, 0], [0, 0, 0.04]])
CAPSULE = 0.012  # m, its radius
SIDES = np.array([0.05, 0.03, 0.04])
BLOCK = np.array([0.1, 0.12, 0.07])  # of the socket, whose top is z = 0


def supports(n):
    """Support of each shape in its own axes for a direction n."""
    return {
        "point": 0.0, "sphere": 0.02, "segment": abs(n[2]) * 0.03, "capsule": CAPSULE + abs(n[2]) * 0.025,
        "triangle": (TETRAHEDRON[:3] @ n).max(), "ellipsoid": np.linalg.norm(n * [0.03, 0.012, 0.02]),
        "box": np.abs(n) @ SIDES / 2, "cylinder": np.hypot(n[0], n[1]) * 0.015 + abs(n[2]) * 0.025,
        "polyhedron": (TETRAHEDRON @ n).max(),
        "socket": np.abs(n) @ BLOCK / 2 - n[2] * BLOCK[2] / 2, "mesh": (TETRAHEDRON @ n).max(),
    }


def down(q):
    """The direction -z in the axes of a body with the quaternion q."""
    w, x, y, z = q
    return -np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])


def series():
    rng = np.random.default_rng(7)
    q = np.array([[float(f"{x:.12g}") for x in row / np.linalg.norm(row)] for row in rng.normal(size=(8, 4))])
    # every printed quaternion is normalised again by the library, to 1e-12
    unit = q / np.linalg.norm(q, axis=1)[:, None]
    depths = rng.uniform(1e-5, 5e-3, 8)
    columns = {"pose": range(8)}
    for kind in supports(np.array([0, 0, 1.0])):
        support = np.array([supports(down(row))[kind] for row in unit])
        height = np.array([float(f"{x:.12g}") for x in support - depths])
        depth = support - height
        if kind == "capsule":  # the greatest of its extents (r^2 - x^2)/(2 r) on the plane, x from its axis
            depth -= depth**2 / (2 * CAPSULE)
        columns |= {f"{kind} height": height, kind: 1e3 * depth}
    return {"poses.csv": (("qw", "qx", "qy", "qz"), q), "depths.csv": (tuple(columns), zip(*columns.values(),
                                                                                          strict=True))}
