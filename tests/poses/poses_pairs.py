"""Random poses of every pair, aimed at one contact region at a time.

Every generator takes a numpy.random.Generator and the number of poses n, and returns shape_a, shape_b,
X_WA, X_WB: shapes as in reference.py, poses (n, 7) with the scene within 3 m of the world origin. Those of triangle,
ellipsoid, cylinder and polyhedron are in poses_convex.py.
"""

import numpy as np

from tests.poses import poses_convex, poses_socket
from tests.poses.poses_frames import (
    BALL,
    BOX,
    DEEP,
    FAR,
    MARBLE,
    PEG,
    PLANE,
    POINT,
    ROD,
    SOCKET,
    directions,
    multiply,
    near,
    place,
    pointing,
    pose,
    quaternions,
    turn,
)

__all__ = [
    "BALL", "BOX", "DEEP", "DEGENERATE", "FAR", "MARBLE", "PAIRS", "PEG", "PLANE", "POINT", "REGIONS", "ROD", "SOCKET",
    "directions", "lines_through_mouth", "multiply", "near", "place", "pointing", "pose", "quaternions", "turn",
]  # fmt: skip


def capsule_through(rng, capsule, solid, F, t, s):
    """Place the capsule so that its axis passes F (n, 3) along t at the distance s (n,) from its end Q0."""
    p = F + (capsule[1]["length"] / 2 - s)[:, None] * t
    return place(rng, capsule, solid, p, pointing(rng, t))


def tilted(rng, n, low, high):
    """Directions (n, 3) between the angles low and high from +z."""
    tilt, azimuth = rng.uniform(low, high, n), rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)], axis=1)


def radial(theta):
    """Outward horizontal unit vectors (n, 3)."""
    return np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=1)


def flip(rng, t):
    """Half of the directions reversed: which end of the capsule comes first must not matter."""
    return t * rng.choice([-1, 1], len(t))[:, None]


def end_at(rng, capsule, solid, Q, t):
    """One end at Q (n, 3), the rest along t; that end is Q0 or Q1 by chance."""
    t_A = flip(rng, t)
    s = np.where((t_A * t).sum(1) > 0, 0, capsule[1]["length"])
    return capsule_through(rng, capsule, solid, Q, t_A, s)


# ---- capsule against socket, region by region ----------------------------------------------------


def numbers(socket=SOCKET, capsule=PEG):
    """Hole radius, hole length, capsule radius, capsule length."""
    return socket[1]["radius"], socket[1]["length"], capsule[1]["radius"], capsule[1]["length"]


def lines_through_mouth(rng, n):
    """Points near the mouth of a 17.5 mm hole and unit directions within 0.2 rad of its axis, (n, 3) each."""
    rho, z = 0.007 * np.sqrt(rng.uniform(0, 1, n)), rng.uniform(-0.005, 0.005, n)
    Q = rho[:, None] * radial(rng.uniform(0, 2 * np.pi, n)) + z[:, None] * [0, 0, 1]
    return Q, tilted(rng, n, 0, 0.2)


def cap_on_cap(rng, n):
    """An end below the cylinder, pressed into the hole's cap."""
    R, h, r, _ = numbers()
    out = directions(rng, n)
    out[:, 2] = -np.abs(out[:, 2])
    Q = [0, 0, -h] + (R - r + rng.uniform(0, DEEP, n))[:, None] * out
    return end_at(rng, PEG, SOCKET, Q, tilted(rng, n, 0, 0.1))


def cap_on_wall(rng, n):
    """An end in the cylinder, pressed into the wall."""
    R, h, r, _ = numbers()
    Q = radial(rng.uniform(0, 2 * np.pi, n)) * (R - r + rng.uniform(0, DEEP, n))[:, None]
    Q[:, 2] = rng.uniform(-h, 0, n)
    return end_at(rng, PEG, SOCKET, Q, tilted(rng, n, 0, 0.3))


def cap_on_rim(rng, n):
    """An end above the mouth, nearest to the rim, the rest of the capsule above it."""
    R, _, r, _ = numbers()
    out, phi = radial(rng.uniform(0, 2 * np.pi, n)), rng.uniform(0.05, np.pi / 2 - 0.05, n)[:, None]
    Q = R * out + (r - rng.uniform(0, DEEP, n))[:, None] * (np.sin(phi) * [0, 0, 1] - np.cos(phi) * out)
    return end_at(rng, PEG, SOCKET, Q, tilted(rng, n, 0, 0.7))


def body_on_rim(rng, n):
    """The body leans on one place of the rim: the axis is across both the rim's tangent and F - E."""
    R, _, r, length = numbers()
    theta, phi = rng.uniform(0, 2 * np.pi, n), rng.uniform(0, np.pi / 2, n)[:, None]
    out, tangent, up = radial(theta), radial(theta + np.pi / 2), np.array([0, 0, 1])
    w = np.sin(phi) * up - np.cos(phi) * out
    lean = rng.uniform(-np.pi, np.pi, n)[:, None]
    t = np.cos(lean) * (np.cos(phi) * up + np.sin(phi) * out) + np.sin(lean) * tangent
    F = R * out + (r - rng.uniform(0, DEEP, n))[:, None] * w
    return capsule_through(rng, PEG, SOCKET, F, t, rng.uniform(0.05, 0.95, n) * length)


def two_sided_rim(rng, n):
    """A peg nearly centred in the mouth, tilted beyond acos(r/R): both sides of the rim penetrate."""
    R, _, r, length = numbers()
    F = rng.uniform(-5e-5, 5e-5, (n, 3))
    tilt = np.arccos(r / R)
    t = flip(rng, tilted(rng, n, tilt + 0.05, tilt + 0.4))
    return capsule_through(rng, PEG, SOCKET, F, t, rng.uniform(0.4, 0.6, n) * length)


def cap_on_top(rng, n):
    """An end above the top face, outside the mouth."""
    R, _, r, _ = numbers()
    a, b, _ = SOCKET[1]["size"]
    Q = radial(rng.uniform(0, 2 * np.pi, n)) * rng.uniform(R, min(a, b) / 2, (n, 1))
    Q[:, 2] = r - rng.uniform(0, DEEP, n)
    return end_at(rng, PEG, SOCKET, Q, tilted(rng, n, 0, 1.6))


def surface(rng, n, solid, free):
    """Random points of the outer box with `free` coordinates inside their range, the others at a side.

    Returns the points (n, 3) and the signs (n, 3) of the sides, 0 for the free coordinates.
    """
    half = np.array(solid[1]["size"]) / 2
    centre = half * [0, 0, -1] if solid[0] == "socket" else np.zeros(3)
    signs = rng.choice([-1, 1], (n, 3))
    order = rng.permuted(np.tile([0, 1, 2], (n, 1)), axis=1)
    signs[order < free] = 0
    return centre + half * np.where(signs == 0, rng.uniform(-1, 1, (n, 3)), signs), signs


def body_on_outside(free):
    """The body or an end against faces (free = 2), edges (1) or corners (0) of the outer box."""

    def region(rng, n, capsule=PEG, solid=SOCKET):
        E, signs = surface(rng, n, solid, free)
        normal = signs * rng.uniform(0.05, 1, (n, 3))
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        t = np.cross(normal, directions(rng, n))
        t /= np.linalg.norm(t, axis=1, keepdims=True)
        r, length = capsule[1]["radius"], capsule[1]["length"]
        F = E + (r - rng.uniform(-DEEP / 5, DEEP, n).clip(-r, r))[:, None] * normal
        return capsule_through(rng, capsule, solid, F, t, rng.uniform(-0.05, 1.05, n) * length)

    return region


def tight_hole(clearance):
    """A peg inside a hole wider by clearance in radius, with small offsets and tilts."""

    def region(rng, n):
        R = PEG[1]["radius"] + clearance
        socket = ("socket", {**SOCKET[1], "radius": R})
        length = PEG[1]["length"]
        tip = rng.uniform(-2, 2, (n, 3)) * clearance
        tip[:, 2] = -SOCKET[1]["length"] * rng.uniform(-0.1, 1, n) - rng.choice([0, 1], n) * clearance
        t = tilted(rng, n, 0, 10 * clearance / length)
        t_A = flip(rng, t)
        s = np.where(t_A[:, 2] > 0, 0, length)
        return capsule_through(rng, PEG, socket, tip, t_A, s)

    return region


def deep(rng, n):
    """The axis anywhere inside the outer box, any direction."""
    E = rng.uniform(-0.5, 0.5, (n, 3)) * SOCKET[1]["size"] - [0, 0, SOCKET[1]["size"][2] / 2]
    return capsule_through(rng, PEG, SOCKET, E, directions(rng, n), rng.uniform(0, 1, n) * PEG[1]["length"])


def anywhere(rng, n):
    """All poses about as far as the two bounding balls reach."""
    return place(rng, PEG, SOCKET, rng.uniform(-0.12, 0.12, (n, 3)) - [0, 0, 0.04], quaternions(rng, n))


def rod_through_socket(rng, n):
    """A long thin rod piercing the whole socket, both ends outside."""
    E, _ = surface(rng, n, SOCKET, 3)
    s = rng.uniform(0.45, 0.55, n) * ROD[1]["length"]
    return capsule_through(rng, ROD, SOCKET, E, directions(rng, n), s)


REGIONS = {
    "cap_on_cap": cap_on_cap,
    "cap_on_wall": cap_on_wall,
    "cap_on_rim": cap_on_rim,
    "body_on_rim": body_on_rim,
    "two_sided_rim": two_sided_rim,
    "cap_on_top": cap_on_top,
    "outer_faces": body_on_outside(2),
    "outer_edges": body_on_outside(1),
    "outer_corners": body_on_outside(0),
    "tight_hole_0.05mm": tight_hole(0.05e-3),
    "tight_hole_0.2mm": tight_hole(0.2e-3),
    "tight_hole_0.5mm": tight_hole(0.5e-3),
    "deep": deep,
    "anywhere": anywhere,
    "rod_through_socket": rod_through_socket,
}


# ---- every other pair ----------------------------------------------------------------------------


def parallel_capsules(angle):
    """Capsules side by side along each other, shifted, within angle [rad] of parallel."""

    def poses(rng, n):
        length, r = ROD[1]["length"], ROD[1]["radius"]
        F = radial(rng.uniform(0, 2 * np.pi, n)) * rng.uniform(0.2, 1.99, (n, 1)) * r
        shift = rng.uniform(0.05, 0.9, n) * rng.choice([-1, 1], n) * length
        return capsule_through(rng, ROD, ROD, F, flip(rng, tilted(rng, n, 0, angle)), length / 2 + shift)

    return poses


def concentric_spheres(rng, n):
    """Centres closer than a nanometre; depth and count are still defined, the normal is nearly arbitrary."""
    return place(rng, BALL, MARBLE, 1e-9 * rng.uniform(-1, 1, (n, 3)), quaternions(rng, n))


def parallel_to_edge(rng, n):
    """A capsule along an edge of the box, tilted against it by less than a microradian."""
    half = np.array(BOX[1]["size"]) / 2
    F = np.stack([rng.uniform(-0.02, 0.02, n), *(half[1:, None] + rng.uniform(0, 0.01, (2, n)))], axis=1)
    t = np.array([1, 0, 0]) + 1e-6 * rng.uniform(-1, 1, (n, 3))
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    return capsule_through(rng, PEG, BOX, F, t, np.full(n, PEG[1]["length"] / 2))


def on_box(free):
    """Capsule against faces, edges or corners of a box."""
    region = body_on_outside(free)
    return lambda rng, n: region(rng, n, PEG, BOX)


PAIRS = {
    "point_plane": near(POINT, PLANE, [1, 1, 0.01]),
    "sphere_plane": near(BALL, PLANE, [1, 1, 0.03]),
    "capsule_plane": near(PEG, PLANE, [1, 1, 0.05]),
    "box_plane": near(BOX, PLANE, [1, 1, 0.07]),
    "sphere_sphere": near(BALL, MARBLE, 0.02),
    "sphere_capsule": near(MARBLE, PEG, [0.03, 0.03, 0.06]),
    "capsule_capsule": near(PEG, PEG, [0.05, 0.05, 0.05]),
    "sphere_box": near(MARBLE, BOX, [0.06, 0.04, 0.05]),
    "sphere_inside_box": near(MARBLE, BOX, [0.05, 0.03, 0.04]),
    "sphere_socket": near(MARBLE, SOCKET, [0.06, 0.07, 0.05], (0, 0, -0.04)),
    "capsule_box": near(PEG, BOX, [0.08, 0.07, 0.08]),
    "capsule_on_box_face": on_box(2),
    "capsule_on_box_edge": on_box(1),
    "capsule_on_box_corner": on_box(0),
    "rod_through_box": near(ROD, BOX, [0.04, 0.02, 0.03]),
    # nearly degenerate, yet every contact is well defined
    "capsules_a_degree_apart": parallel_capsules(0.02),
    "concentric_spheres": concentric_spheres,
    **poses_convex.PAIRS,
    **poses_socket.PAIRS,
}

# Which contacts exist, and where, hangs on the last digits of the pose: only the deepest depth is sure.
DEGENERATE = {
    "parallel_capsules": parallel_capsules(0),
    "nearly_parallel_capsules": parallel_capsules(1e-7),
    "capsule_along_box_edge": parallel_to_edge,
    **poses_convex.DEGENERATE,
    **poses_socket.DEGENERATE,
}
