"""Slow, obvious reference of every contact manifold, written from docs/manifolds.md and from nothing else.

Shapes are plain tuples (kind, parameters), e.g. ("capsule", {"radius": 0.01, "length": 0.05}). Poses are
arrays (N, 7): position [m] and unit quaternion, scalar first, body to world. All arithmetic is in extended
precision.
"""

from itertools import combinations_with_replacement, pairwise
from typing import NamedTuple

import numpy as np

from tests.oracle.reference_convex import convex_pair
from tests.oracle.reference_round import (
    corners_of_socket,
    cylinder_distance,
    ellipsoid_distance,
    lowest_of_ellipsoid,
    polytope,
    polytope_distance,
    rims_on_plane,
)
from tests.oracle.reference_socket import (
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
from tests.oracle.reference_socket_ellipsoid import ellipsoid_socket
from tests.oracle.reference_socket_polytopes import polytope_socket
from tests.oracle.reference_socket_round import cylinder_socket, socket_socket
from tests.oracle.reference_sweep import sweep_cylinder, sweep_ellipsoid, sweep_polyhedron, sweep_triangle

__all__ = [
    "Manifolds", "capsule_inertia", "circle_line_minima", "contacts", "manifold", "rim_subdivision",
    "signed_distance", "socket_inertia",
]  # fmt: skip

CHUNK = 2048  # poses at a time: bounds the memory of the rim samples to some 100 MB
Z = np.array([0, 0, 1], LD)
# Two pairs of points of crossing capsules are one if their distances differ by less: ten times the error that
# quaternions rounded to double make in a decimetre.
SAME_PAIR = LD(1e-15)
TIE = 1e-12  # m, depths nearer than this are equal
MOST = 8  # contacts of a manifold, but of those of holds_many()
CONVEX = ("triangle", "ellipsoid", "box", "cylinder", "polyhedron")


class Manifolds(NamedTuple):
    """Contacts of N poses in the world frame, by feature; rows beyond count hold feature -1 and zeros."""

    count: np.ndarray  # (N,)
    point: np.ndarray  # (N, K, 3) half-way between the two surfaces [m]
    normal: np.ndarray  # (N, K, 3) unit, from A to B
    depth: np.ndarray  # (N, K) [m]
    feature: np.ndarray  # (N, K)
    ambiguous: np.ndarray  # (N,) two normals or faces are as good: only the deepest depth is sure


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


def thickness(a):
    """Radius of a ball or a sweep; a point and a segment have none."""
    return LD(a.get("radius", 0))


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
    return balls_on_plane(thickness(a), p[:, None])


def capsule_plane(a, b, p, R):
    """Both end spheres."""
    Q0, t = segment(a["length"], p, R)
    return balls_on_plane(thickness(a), np.stack([Q0, Q0 + a["length"] * t], axis=1))


def solid_plane(places, first=0):
    """Places of A, given in its frame for the direction down, each as a point; features from `first` on."""

    def pair(a, b, p, R):
        places_A = places(a, -R[:, 2])
        x = p[:, None] + rotate(R, np.broadcast_to(places_A, (len(p), *places_A.shape[-2:])))
        found = balls_on_plane(0, x)
        return found._replace(feature=found.feature + first)

    return pair


def corners_of(kind):
    """All corners; bit i of the number of a box's corner is the sign along axis i."""
    return lambda a, down_A: polytope(kind, a).corners


def sphere_sphere(a, b, p, R):
    """depth = rA + rB - |p|."""
    return single(p, unit(-p, Z), thickness(a) + thickness(b) - norm(p))


def nearest_on_axis(x, length):
    """Point of the segment |z| <= length/2 of the z axis nearest to x (..., 3)."""
    return Z * np.clip(x[..., 2], -LD(length) / 2, LD(length) / 2)[..., None]


def sphere_capsule(a, b, p, R):
    """The sphere against the nearest point of the axis segment."""
    w = nearest_on_axis(p, b["length"]) - p
    return single(p, unit(w, [1, 0, 0]), thickness(a) + thickness(b) - norm(w))


def ball_solid(distance):
    """A sphere against a solid given by its signed distance: depth = r - phi, n = -grad phi."""

    def pair(a, b, p, R):
        phi, g, _ = distance(b, p)
        return single(p, -g, thickness(a) - phi)

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
    length, half_B, radii = LD(a["length"]), LD(b["length"]) / 2, thickness(a) + thickness(b)

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
    ends = is_closest | (over & (away > radii))
    counts = np.concatenate([~is_closest.any(1, keepdims=True), ends], axis=1)
    depth = np.where(counts, radii - distance, ABSENT)
    sideways = unit(np.cross(t, Z), [1, 0, 0])[:, None]  # where the axes meet
    return Candidates(np.broadcast_to(np.arange(5), depth.shape), on_A, unit(w, sideways), depth)


def sweep(solid):
    """A segment or a capsule against a solid: solid(r, length, Q0, t, b)."""

    def pair(a, b, p, R):
        return solid(thickness(a), LD(a["length"]), *segment(a["length"], p, R), b)

    return pair


def sweep_box(r, length, Q0, t, b):
    """Against a box."""
    return swept_ball(r, length, Q0, t, box_solid(b))


def sweep_socket(r, length, Q0, t, b):
    """Against a socket."""
    return swept_ball(r, length, Q0, t, socket_solid(b))


DISTANCES = {
    "triangle": lambda b, x: polytope_distance(polytope("triangle", b), x),
    "ellipsoid": ellipsoid_distance,
    "box": lambda b, x: box_distance(b["size"], x),
    "cylinder": cylinder_distance,
    "polyhedron": lambda b, x: polytope_distance(polytope("polyhedron", b), x),
    "socket": socket_distance,
}


def signed_distance(shape, x_B):
    """Signed distance of a solid at x_B (..., 3), its gradient, and whether S lies in a face."""
    kind, b = shape
    return DISTANCES[kind](b, np.asarray(x_B, LD))


PAIRS = {
    ("point", "plane"): ball_plane,
    ("sphere", "plane"): ball_plane,
    ("segment", "plane"): capsule_plane,
    ("capsule", "plane"): capsule_plane,
    ("triangle", "plane"): solid_plane(corners_of("triangle")),
    ("ellipsoid", "plane"): solid_plane(lowest_of_ellipsoid),
    ("box", "plane"): solid_plane(corners_of("box")),
    ("cylinder", "plane"): solid_plane(rims_on_plane, first=32),
    ("polyhedron", "plane"): solid_plane(corners_of("polyhedron")),
    ("socket", "plane"): solid_plane(corners_of_socket),
    ("point", "sphere"): sphere_sphere,
    ("sphere", "sphere"): sphere_sphere,
    ("point", "capsule"): sphere_capsule,
    ("sphere", "segment"): sphere_capsule,
    ("sphere", "capsule"): sphere_capsule,
    ("sphere", "triangle"): ball_solid(DISTANCES["triangle"]),
    ("segment", "capsule"): capsule_capsule,
    ("capsule", "capsule"): capsule_capsule,
}
for solid in ("ellipsoid", "box", "cylinder", "polyhedron", "socket"):
    PAIRS["point", solid] = PAIRS["sphere", solid] = ball_solid(DISTANCES[solid])
for solid, swept in {
    "triangle": sweep_triangle,
    "ellipsoid": sweep_ellipsoid,
    "box": sweep_box,
    "cylinder": sweep_cylinder,
    "polyhedron": sweep_polyhedron,
    "socket": sweep_socket,
}.items():
    PAIRS["segment", solid] = PAIRS["capsule", solid] = sweep(swept)
for one, other in combinations_with_replacement(CONVEX, 2):
    PAIRS[one, other] = convex_pair(one, other)
SOCKET_PAIRS = {
    **{(kind, "socket"): polytope_socket(kind) for kind in ("triangle", "box", "polyhedron")},
    ("ellipsoid", "socket"): ellipsoid_socket,
    ("cylinder", "socket"): cylinder_socket,
    ("socket", "socket"): socket_socket,
}
PAIRS |= SOCKET_PAIRS


# ---- the public function -------------------------------------------------------------------------


def deepest(depth, most):
    """Which contacts stay if there is room for `most`, and where it is a tie which."""
    if depth.shape[1] <= most:
        return depth > 0, np.zeros(len(depth), bool)
    ranked = -np.sort(-np.where(depth > 0, depth, 0), axis=1)
    last, next_ = ranked[:, most - 1 : most], ranked[:, most : most + 1]
    return (depth > 0) & (depth >= last), ((next_ > 0) & (last - next_ < TIE))[:, 0]


def to_world(candidates, ambiguous, r, R_WB, p_WB, most):
    """Contacts of one chunk: the present candidates first, by feature; C = x + n (r - depth/2)."""
    present, tie = deepest(candidates.depth, most)
    order = np.argsort(np.where(present, candidates.feature, 9**9), axis=1, kind="stable")
    feature, x, n, depth = (
        np.take_along_axis(v, order[..., None] if v.ndim == 3 else order, axis=1) for v in candidates
    )
    present = np.take_along_axis(present, order, axis=1)
    depth = np.where(present, depth, 0)
    point = p_WB[:, None] + rotate(R_WB, x + n * (LD(r) - depth / 2)[..., None])
    hide = present[..., None]
    feature = np.where(present, feature, -1)
    return Manifolds(present.sum(1), point * hide, rotate(R_WB, n) * hide, depth, feature, ambiguous | tie)


def resize(v, width):
    """Cut or zero-pad the second axis of v to width; features are padded with -1."""
    pad = [(0, 0), (0, max(0, width - v.shape[1]))] + [(0, 0)] * (v.ndim - 2)
    return np.pad(v[:, :width], pad, constant_values=-1 if v.dtype.kind == "i" else 0)


def holds_many(shape_a, shape_b):
    """Whether a manifold of the two may hold more than eight contacts."""
    pair = shape_a[0], shape_b[0]
    return pair == ("polyhedron", "plane") or pair in SOCKET_PAIRS


def manifold(shape_a, shape_b, X_WA, X_WB):
    """Manifolds of N poses X_WA, X_WB (N, 7); the arrays hold 8 contacts, more where one pose has more."""
    (kind_a, a), (kind_b, b) = shape_a, shape_b
    pair = PAIRS[kind_a, kind_b]
    X_WA, X_WB = np.asarray(X_WA, LD), np.asarray(X_WB, LD)
    radius = thickness(a) if kind_a in ("sphere", "capsule") else 0
    most = 10_000 if holds_many(shape_a, shape_b) else MOST
    chunks = []
    for start in range(0, len(X_WA), CHUNK):
        A, B = X_WA[start : start + CHUNK], X_WB[start : start + CHUNK]
        R_WA, R_WB = rotation(A[:, 3:]), rotation(B[:, 3:])
        R_BW = R_WB.swapaxes(1, 2)
        p_BA, R_BA = rotate(R_BW, A[:, :3] - B[:, :3]), np.einsum("nij,njk->nik", R_BW, R_WA)
        found = pair(a, b, p_BA, R_BA)
        found, ambiguous = found if len(found) == 2 else (found, np.zeros(len(A), bool))
        chunks.append(to_world(found, ambiguous, radius, R_WB, B[:, :3], most))
    width = max(MOST, *(c.count.max() for c in chunks))
    count, *padded, ambiguous = zip(*chunks, strict=True)
    padded = (np.concatenate([resize(v, width) for v in part]) for part in padded)
    return Manifolds(np.concatenate(count), *padded, np.concatenate(ambiguous))


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
