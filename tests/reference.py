"""Slow, obvious reference of every contact manifold, written from docs/manifolds.md and from nothing else.

Shapes are plain tuples (kind, parameters), e.g. ("capsule", {"radius": 0.01, "length": 0.05}). Poses are
arrays (N, 7): position [m] and unit quaternion, scalar first, body to world. All arithmetic is in extended
precision.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from reference_socket import (
    ABSENT,
    LD,
    Candidates,
    bisect,
    box_distance,
    box_solid,
    circle_line_minima,
    dot,
    norm,
    rim_subdivision,
    socket_distance,
    socket_solid,
    swept_ball,
    unit,
)

__all__ = [
    "Manifolds", "capsule_inertia", "circle_line_minima", "contacts", "manifold", "rim_subdivision",
    "signed_distance", "socket_inertia",
]  # fmt: skip

CHUNK = 2048  # poses at a time: bounds the memory of the rim samples to some 100 MB
Z = np.array([0, 0, 1], LD)
# Two pairs of points of crossing capsules are one if their distances differ by less: ten times the error that
# quaternions rounded to double make in a decimetre.
SAME_PAIR = LD(1e-15)


class Manifolds(NamedTuple):
    """Contacts of N poses in the world frame, by feature; rows beyond count hold feature -1 and zeros."""

    count: np.ndarray  # (N,)
    point: np.ndarray  # (N, K, 3) half-way between the two surfaces [m]
    normal: np.ndarray  # (N, K, 3) unit, from A to B
    depth: np.ndarray  # (N, K) [m]
    feature: np.ndarray  # (N, K)


# ---- frames --------------------------------------------------------------------------------------


def rotation(q):
    """Rotation matrices (N, 3, 3) of quaternions (N, 4), scalar first, normalised in extended precision."""
    w, x, y, z = np.moveaxis(q / np.sqrt((q * q).sum(-1, keepdims=True)), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def rotate(R, v):
    """R (N, 3, 3) times v (N, ..., 3)."""
    return np.einsum("nij,n...j->n...i", R, v)


# ---- pairs: p_BA (N, 3) and R_BA (N, 3, 3) place A in the frame of B -----------------------------


def single(x, n, depth):
    """One candidate per pose, feature 0."""
    return Candidates(np.zeros((len(x), 1), int), x[:, None], n[:, None], depth[:, None])


def segment(length, p, R):
    """First end Q0 and direction t of a capsule's axis, each (N, 3)."""
    t = R[:, :, 2]
    return p - LD(length) / 2 * t, t


def balls_on_plane(r, centres):
    """Balls about centres (N, K, 3) against z <= 0: depth = r - z, n = -z."""
    depth = LD(r) - centres[..., 2]
    feature = np.broadcast_to(np.arange(depth.shape[1]), depth.shape)
    return Candidates(feature, centres, 0 * centres - Z, depth)


def ball_plane(a, b, p, R):
    """Point or sphere on a plane."""
    return balls_on_plane(a.get("radius", 0), p[:, None])


def capsule_plane(a, b, p, R):
    """Both end spheres."""
    Q0, t = segment(a["length"], p, R)
    return balls_on_plane(a["radius"], np.stack([Q0, Q0 + a["length"] * t], axis=1))


def box_plane(a, b, p, R):
    """All eight corners; bit i of the corner's number is the sign along axis i."""
    signs = np.array([[2 * (k >> i & 1) - 1 for i in range(3)] for k in range(8)])
    corners_A = np.broadcast_to(signs * np.array(a["size"], LD) / 2, (len(p), 8, 3))
    return balls_on_plane(0, p[:, None] + rotate(R, corners_A))


def sphere_sphere(a, b, p, R):
    """depth = rA + rB - |p|."""
    return single(p, unit(-p, Z), LD(a["radius"]) + LD(b["radius"]) - norm(p))


def nearest_on_axis(x, length):
    """Point of the segment |z| <= length/2 of the z axis nearest to x (..., 3)."""
    return Z * np.clip(x[..., 2], -LD(length) / 2, LD(length) / 2)[..., None]


def sphere_capsule(a, b, p, R):
    """The sphere against the nearest point of the axis segment."""
    w = nearest_on_axis(p, b["length"]) - p
    return single(p, unit(w, [1, 0, 0]), LD(a["radius"]) + LD(b["radius"]) - norm(w))


def ball_solid(distance):
    """A sphere against a solid given by its signed distance: depth = r - phi, n = -grad phi."""

    def pair(a, b, p, R):
        phi, g, _ = distance(b, p)
        return single(p, -g, LD(a["radius"]) - phi)

    return pair


def closest_on_axes(length_A, Q0, t, length_B):
    """Point of segment A nearest to segment B: the squared distance is convex along A, bisect its slope."""

    def slope(s):
        x = Q0 + s[:, None] * t
        return dot(x - nearest_on_axis(x, length_B), t)

    return Q0 + bisect(slope, np.zeros(len(Q0), LD), np.full(len(Q0), LD(length_A)))[:, None] * t


def capsule_capsule(a, b, p, R):
    """Closest pair (0) and the ends of A (1, 2) and of B (3, 4) that project into the other axis."""
    Q0, t = segment(a["length"], p, R)
    length, half_B = LD(a["length"]), LD(b["length"]) / 2

    ends_A = np.stack([Q0, Q0 + length * t], axis=1)
    ends_B = np.broadcast_to(np.stack([-half_B * Z, half_B * Z]), ends_A.shape)
    s = dot(ends_B - Q0[:, None], t[:, None])
    closest = closest_on_axes(length, Q0, t, b["length"])[:, None]
    on_A = np.concatenate([closest, ends_A, Q0[:, None] + s[..., None] * t[:, None]], axis=1)
    on_B = np.concatenate([nearest_on_axis(on_A[:, :3], b["length"]), ends_B], axis=1)
    w = on_B - on_A
    distance = norm(w)

    over = np.concatenate([np.abs(ends_A[..., 2]) <= half_B, (s > 0) & (s < length)], axis=1)
    away = np.concatenate([norm(ends_A - on_A[:, :1]), norm(ends_B - on_B[:, :1])], axis=1)
    is_closest = over & (away < SAME_PAIR)
    ends = is_closest | (over & (away > LD(a["radius"]) + LD(b["radius"])))
    counts = np.concatenate([~is_closest.any(1, keepdims=True), ends], axis=1)
    depth = np.where(counts, LD(a["radius"]) + LD(b["radius"]) - distance, ABSENT)
    sideways = unit(np.cross(t, Z), [1, 0, 0])[:, None]  # where the axes meet
    return Candidates(np.broadcast_to(np.arange(5), depth.shape), on_A, unit(w, sideways), depth)


def capsule_solid(make_solid):
    """A capsule against a box or a socket."""

    def pair(a, b, p, R):
        return swept_ball(a["radius"], a["length"], *segment(a["length"], p, R), make_solid(b))

    return pair


def signed_distance(shape, x_B):
    """Signed distance of a box or socket at x_B (..., 3), its gradient, and whether S lies in a face."""
    kind, b = shape
    x_B = np.asarray(x_B, LD)
    return socket_distance(b, x_B) if kind == "socket" else box_distance(b["size"], x_B)


PAIRS = {
    ("point", "plane"): ball_plane,
    ("sphere", "plane"): ball_plane,
    ("capsule", "plane"): capsule_plane,
    ("box", "plane"): box_plane,
    ("sphere", "sphere"): sphere_sphere,
    ("sphere", "capsule"): sphere_capsule,
    ("capsule", "capsule"): capsule_capsule,
    ("sphere", "box"): ball_solid(lambda b, x: box_distance(b["size"], x)),
    ("sphere", "socket"): ball_solid(socket_distance),
    ("capsule", "box"): capsule_solid(box_solid),
    ("capsule", "socket"): capsule_solid(socket_solid),
}


# ---- the public function -------------------------------------------------------------------------


def to_world(candidates, r, R_WB, p_WB):
    """Contacts of one chunk: the present candidates first, by feature; C = x + n (r - depth/2)."""
    present = candidates.depth > 0
    order = np.argsort(np.where(present, candidates.feature, 99), axis=1, kind="stable")
    feature, x, n, depth = (
        np.take_along_axis(v, order[..., None] if v.ndim == 3 else order, axis=1) for v in candidates
    )
    present = np.take_along_axis(present, order, axis=1)
    depth = np.where(present, depth, 0)
    point = p_WB[:, None] + rotate(R_WB, x + n * (LD(r) - depth / 2)[..., None])
    hide = present[..., None]
    feature = np.where(present, feature, -1)
    return Manifolds(present.sum(1), point * hide, rotate(R_WB, n) * hide, depth, feature)


def resize(v, width):
    """Cut or zero-pad the second axis of v to width; features are padded with -1."""
    pad = [(0, 0), (0, max(0, width - v.shape[1]))] + [(0, 0)] * (v.ndim - 2)
    return np.pad(v[:, :width], pad, constant_values=-1 if v.dtype.kind == "i" else 0)


def manifold(shape_a, shape_b, X_WA, X_WB):
    """Manifolds of N poses X_WA, X_WB (N, 7); the arrays hold 8 contacts, more where one pose has more."""
    (kind_a, a), (kind_b, b) = shape_a, shape_b
    pair = PAIRS[kind_a, kind_b]
    X_WA, X_WB = np.asarray(X_WA, LD), np.asarray(X_WB, LD)
    radius = a.get("radius", 0)
    chunks = []
    for start in range(0, len(X_WA), CHUNK):
        A, B = X_WA[start : start + CHUNK], X_WB[start : start + CHUNK]
        R_WA, R_WB = rotation(A[:, 3:]), rotation(B[:, 3:])
        R_BW = R_WB.swapaxes(1, 2)
        p_BA, R_BA = rotate(R_BW, A[:, :3] - B[:, :3]), np.einsum("nij,njk->nik", R_BW, R_WA)
        chunks.append(to_world(pair(a, b, p_BA, R_BA), radius, R_WB, B[:, :3]))
    count = np.concatenate([c.count for c in chunks])
    width = max(8, count.max())
    _, *padded = zip(*chunks, strict=True)
    return Manifolds(count, *(np.concatenate([resize(v, width) for v in part]) for part in padded))


def contacts(m, i=0):
    """{feature: (point, normal, depth)} of pose i."""
    return {int(m.feature[i, k]): (m.point[i, k], m.normal[i, k], m.depth[i, k]) for k in range(m.count[i])}


# ---- inertia by slices ---------------------------------------------------------------------------


def slice_inertia(slices, breaks, density):
    """Mass, height of the centre of mass and principal moments (x, y, z) about it, of a body stacked along z.

    slices(z) gives area, second moments about x and about y of the slice at z. Gauss-Legendre between the
    breaks: the integrands of boxes, cylinders and balls are of degree four, five nodes are exact.
    """
    nodes, weights = np.polynomial.legendre.leggauss(5)
    totals = np.zeros(5)
    for low, high in pairwise(breaks):
        z, dz = (low + high) / 2 + (high - low) / 2 * nodes, (high - low) / 2 * weights
        area, about_x, about_y = slices(z)
        totals += [(dz * f).sum() for f in (area, area * z, area * z * z, about_x, about_y)]
    m, mz, mzz, x, y = density * totals
    across = mzz - mz * mz / m
    return m, mz / m, np.array([x + across, y + across, x + y])


def disc(radius2):
    """Area and both second moments of discs of squared radius radius2."""
    moment = np.pi * radius2**2 / 4
    return np.array([np.pi * radius2, moment, moment])


def socket_inertia(size, radius, length, density):
    """Mass [kg], z of the centre of mass in the socket's frame [m], moments about it (3,) [kg m^2]."""
    a, b, c = size
    block = np.array([a * b, a * b**3 / 12, a**3 * b / 12])[:, None]

    def slices(z):
        hole = np.where(z < -length - radius, 0, radius**2 - np.minimum(z + length, 0) ** 2)
        return block - disc(hole)

    return slice_inertia(slices, [-c, -length - radius, -length, 0], density)


def capsule_inertia(radius, length, density):
    """As socket_inertia, for a capsule; its centre of mass is its origin."""
    half = length / 2

    def slices(z):
        return disc(radius**2 - np.maximum(np.abs(z) - half, 0) ** 2)

    return slice_inertia(slices, [-half - radius, -half, half, half + radius], density)
