"""Signed distances of the convex solids, and where they touch a plane. Part of the slow reference.

Written from docs/manifolds.md, with everything in the frame of the solid B as in reference_socket.py.
"""

from functools import reduce
from operator import mul
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from tests.oracle.reference_socket import LD, dot, norm, unit

Z = np.array([0, 0, 1], LD)
COPLANAR = 1e-9  # facets of a hull whose normals differ by less are one face
FAR, NOTHING, NEARLY = LD(1e9), LD(1e-30), LD(1e-10)


# ---- polytopes -----------------------------------------------------------------------------------


class Polytope(NamedTuple):
    """A triangle, box or polyhedron. Loops run counter-clockwise seen from outside, padded by their last corner."""

    corners: np.ndarray  # (V, 3)
    loops: np.ndarray  # (F, M) corners of every face
    sizes: np.ndarray  # (F,) how many of them are no padding
    normals: np.ndarray  # (F, 3) outward
    edges: np.ndarray  # (E, 2) corners; from first to second along the border of the first face
    edge_faces: np.ndarray  # (E, 2)
    closed: bool  # a solid, not a sheet

    def into(self):
        """Directions (E, 2, 3) from every edge into its two faces, across the edge."""
        along = self.corners[self.edges[:, 1]] - self.corners[self.edges[:, 0]]
        along = along / norm(along)[:, None]
        g = self.normals[self.edge_faces]
        return np.stack([np.cross(g[:, 0], along), np.cross(along, g[:, 1])], axis=1)


def hull_faces(corners):
    """Loops of the faces of the hull: facets of one plane merged, corners sorted by angle around the outside."""
    hull = ConvexHull(np.asarray(corners, float))
    planes, faces = hull.equations, []
    left = set(range(len(planes)))
    while left:
        i = min(left)
        same = [j for j in sorted(left) if np.abs(planes[j] - planes[i]).max() < COPLANAR]
        left -= set(same)
        ring = np.unique(hull.simplices[same])
        around = np.asarray(corners, float)[ring]
        around = around - around.mean(0)
        angle = np.arctan2(around @ np.cross(planes[i, :3], around[0]), around @ around[0])
        faces.append(ring[np.argsort(angle)])
    return faces


def polytope(kind, b):
    """The Polytope of a triangle, box or polyhedron."""
    if kind == "box":
        signs = np.array([[2 * (k >> i & 1) - 1 for i in range(3)] for k in range(8)])
        corners = signs * np.array(b["size"], LD) / 2
    else:
        corners = np.array(b["corners"], LD)
    faces = [np.array([0, 1, 2]), np.array([0, 2, 1])] if kind == "triangle" else hull_faces(corners)

    area = [sum(np.cross(corners[i], corners[j]) for i, j in sides(face)) for face in faces]
    owner = {side: f for f, face in enumerate(faces) for side in sides(face)}
    edges = [side for side in owner if side[0] < side[1]]
    most = max(map(len, faces))
    return Polytope(
        corners,
        np.array([[*face, *[face[-1]] * (most - len(face))] for face in faces]),
        np.array([len(face) for face in faces]),
        unit(np.array(area), Z),
        np.array(edges),
        np.array([(owner[i, j], owner[j, i]) for i, j in edges]),
        kind != "triangle",
    )


def sides(face):
    """Pairs of neighbouring corners around a face."""
    return [(int(i), int(j)) for i, j in zip(face, np.roll(face, -1), strict=True)]


def heights(P, x):
    """Signed distances (..., F) of x (..., 3) from the planes of all faces."""
    offset = dot(P.normals, P.corners[P.loops[:, 0]])
    return np.stack([dot(x, g) - d for g, d in zip(P.normals, offset, strict=True)], axis=-1)


def polytope_distance(P, x):
    """Signed distance (...) of x (..., 3), its gradient (..., 3), whether S lies in a face (or x inside)."""
    h = heights(P, x)
    phi, g, in_face = np.full(x.shape[:-1], np.inf, LD), np.zeros(x.shape, LD), np.zeros(x.shape[:-1], bool)

    def nearer(S, fallback, face):
        d = norm(x - S)
        here = (d < phi) | face & (d <= phi)
        phi[here], in_face[here] = d[here], face[here]
        g[here] = unit(x - S, fallback)[here]

    for i, j in P.edges:
        along = P.corners[j] - P.corners[i]
        s = np.clip(dot(x - P.corners[i], along) / dot(along, along), 0, 1)
        nearer(P.corners[i] + s[..., None] * along, P.normals[0], np.zeros(x.shape[:-1], bool))
    for f, loop in enumerate(P.loops):
        S = x - h[..., f, None] * P.normals[f]
        inward = [np.cross(P.normals[f], P.corners[j] - P.corners[i]) for i, j in sides(loop)]
        over = np.all([dot(S - P.corners[i], m) >= 0 for i, m in zip(loop, inward, strict=True)], axis=0)
        over &= h[..., f] >= 0
        nearer(np.where(over[..., None], S, FAR), P.normals[f], over)
    inside = (h <= 0).all(-1) & P.closed
    deepest = P.normals[h.argmax(-1)]
    return np.where(inside, h.max(-1), phi), np.where(inside[..., None], deepest, g), in_face | inside


# ---- ellipsoid and cylinder ----------------------------------------------------------------------


def secular(a, y, power):
    """sum of (a y)^2 / (d + s)^power over the axes, d = a^2 - least a^2, as a function of s."""
    parts = [((a[k] * y[..., k]) ** 2, a[k] ** 2 - (a**2).min()) for k in range(3)]
    return lambda s: sum(part / reduce(mul, [d + s] * power) for part, d in parts)  # ** is slow


def ellipsoid_foot(a, y):
    """Nearest surface point S of the ellipsoid with semi-axes a (3,) to y (..., 3).

    y = S + t S/a^2, that is S = a^2 y / (a^2 + t), where t > -least a^2 solves |S/a| = 1; s = t + least a^2. |S/a|^2
    falls with s and is convex: Newton's steps from below never pass the solution, a step from above goes below it.
    At `low` no term exceeds one. Far below the solution a step is half of s; near the middle plane `high` is better.
    """
    k, d = a.argmin(), a**2 - (a**2).min()
    low = (a * np.abs(y) - d).max(-1).clip(NOTHING)
    length2, half_slope = secular(a, y, 2), secular(a, y, 3)
    wide = d > NOTHING
    rest = 1 - ((a[wide] * y[..., wide] / d[wide]) ** 2).sum(-1)
    high = a[k] * np.sqrt((y[..., ~wide] ** 2).sum(-1)) / np.sqrt(np.where(rest > 0, rest, 1))
    s = np.where(rest > 0, np.maximum(high, low), low)
    for _ in range(200):
        excess = length2(s) - 1
        s = np.maximum(s + excess / np.maximum(2 * half_slope(s), NOTHING), low)
        if ((np.abs(excess) < NEARLY) | (s <= NOTHING)).all():  # its square is below rounding
            break
    S = a**2 * y / (d + s[..., None])
    rest = 1 - (np.delete(S / a, k, axis=-1) ** 2).sum(-1)  # near the middle plane, where the last step is 0/0
    side = np.where(y[..., k] < 0, -a[k], a[k]) * np.sqrt(rest.clip(0))
    S[..., k] = np.where((rest > 0.25) | (s <= NOTHING), side, S[..., k])
    return S


def ellipsoid_distance(b, x):
    """Signed distance, gradient, and True: all of it is one face."""
    a = np.array(b["semi_axes"], x.dtype)
    S = ellipsoid_foot(a, x)
    g = S / a**2
    g = g / norm(g)[..., None]
    return dot(x - S, g), g, np.ones(x.shape[:-1], bool)


def cylinder_distance(b, x):
    """As box_distance, with the distance from the axis for two of the coordinates."""
    gap = np.stack([np.hypot(x[..., 0], x[..., 1]) - LD(b["radius"]), np.abs(x[..., 2]) - LD(b["length"]) / 2], -1)
    e_rho, e_z = unit(x * [1, 1, 0], [1, 0, 0]), np.where(x[..., 2:] < 0, -Z, Z)
    outside = gap.clip(0)
    phi = np.where((gap > 0).any(-1), np.hypot(outside[..., 0], outside[..., 1]), gap.max(-1))
    nearest = np.where(gap[..., :1] >= gap[..., 1:], e_rho, e_z)
    return phi, unit(outside[..., :1] * e_rho + outside[..., 1:] * e_z, nearest), (gap > 0).sum(-1) <= 1


# ---- on a plane: places (N, K, 3) of A in its own frame, that may lie below ------------------------


def lowest_of_ellipsoid(a, down_A):
    """Where the outward normal is down (N, 3)."""
    reach = np.array(a["semi_axes"], LD) * down_A
    return (np.array(a["semi_axes"], LD) * reach / norm(reach)[:, None])[:, None]


def corners_of_socket(a, down_A):
    """Of its outer box, which hangs below the mouth."""
    return polytope("box", a).corners - Z * LD(a["size"][2]) / 2


def circle_points(e, radius):
    """Four points (N, 4, 3) of the circle about the z axis: at 0, 90, 180 and 270 degrees from e (N, 3)."""
    turned = np.stack([-e[:, 1], e[:, 0], 0 * e[:, 0]], axis=1)
    return LD(radius) * np.stack([e, turned, -e, -turned], axis=1)


def rims_on_plane(a, down_A):
    """Four points of each end's circle, from the lowest on; from x on where the cylinder stands upright."""
    flat = np.hypot(down_A[:, 0], down_A[:, 1]) < 1e-9
    e = np.where(flat[:, None], [1, 0, 0], unit(down_A * [1, 1, 0], [1, 0, 0]))
    points = circle_points(e, a["radius"])
    return np.concatenate([points - Z * LD(a["length"]) / 2, points + Z * LD(a["length"]) / 2], axis=1)
