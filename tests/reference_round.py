"""Signed distances of the convex solids; balls, sweeps and planes against them. Part of the slow reference.

Written from docs/manifolds.md, with everything in the frame of the solid B as in reference_socket.py.
"""

from functools import reduce
from operator import mul
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from reference_socket import (
    ABSENT,
    ALONG,
    LD,
    Candidates,
    bisect,
    circle_line_minima,
    convex_edge,
    dot,
    end_contacts,
    foot,
    norm,
    rim_point,
    stack,
    unit,
    with_late,
)

Z = np.array([0, 0, 1], LD)
COPLANAR = 1e-9  # facets of a hull whose normals differ by less are one face
FAR, NOTHING, NEARLY = LD(1e9), LD(1e-30), LD(1e-10)
KINK = LD(1e-6)  # slope of phi at its least value from which on it has a kink there


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


# ---- sweep: a ball of radius r along Q0 + s t, 0 <= s <= length ------------------------------------


class Swept(NamedTuple):
    """What the ends' contacts ask of a solid."""

    distance: object
    edges: object = ()  # (K, 2, 3)


def crossings(length, Q0, t, E0, E1):
    """Common perpendiculars of the axes with edges E0 (K, 3) to E1: foot E, foot F, both strictly inside."""
    along = E1 - E0

    def slope(E):  # of the squared distance from the axis line, along the edge
        w = E - Q0[:, None]
        return dot(w, along) - dot(w, t[:, None]) * dot(along, t[:, None])

    # linear along the edge: one secant step finds the zero
    first, last = slope(E0), slope(E1)
    on_edge = (first < 0) & (last > 0)
    E = E0 + np.where(on_edge, first / np.where(on_edge, first - last, 1), 0)[..., None] * along
    F, on_axis = foot(E, length, Q0, t)
    return E, F, on_edge & on_axis


def body_on_edges(r, length, Q0, t, P, feature):
    """Rule 2 for a polytope, and late where w = F - E is not between the normals of both faces; of a sheet only from
    outside, where m . w + |n . w| > 0, and at once."""
    E, F, valid = crossings(length, Q0, t, *(P.corners[P.edges[:, i]] for i in (0, 1)))
    g, w = P.normals[P.edge_faces], F - E
    feature = np.broadcast_to(feature, valid.shape)
    if not P.closed:
        outward = -P.into()[:, 0]
        outside = dot(w, outward) + np.abs(dot(w, g[:, 0])) > 0
        depth = np.where(valid & outside & (norm(w) < r), r - norm(w), ABSENT)
        sure = Candidates(feature, F, -unit(w, outward), depth)
        return sure, sure._replace(depth=np.full(depth.shape, ABSENT))
    h = heights(P, F)
    nearest = h.argmax(-1)[..., None] == P.edge_faces
    n, depth = convex_edge(r, F, E, g[:, 0], g[:, 1], nearest.any(-1) & (h <= 0).all(-1), valid)
    between = (dot(w[..., None, :], P.into()) <= ALONG * norm(w)[..., None]).all(-1) & (dot(w, g.sum(1)) > 0)
    return tuple(Candidates(feature, F, n, np.where(which, depth, ABSENT)) for which in (between, ~between))


def body_on_corners(r, length, Q0, t, P, first):
    """Rule 3: no neighbouring corner rises towards the axis; late where one does."""
    E = np.broadcast_to(P.corners, (len(Q0), *P.corners.shape))
    F, on_axis = foot(E, length, Q0, t)
    w, rising = F - E, np.zeros(on_axis.shape, int)
    for i, j in P.edges:
        along = unit(P.corners[j] - P.corners[i], 0)
        rising[:, i] += dot(w[:, i], along) > ALONG * norm(w[:, i])
        rising[:, j] += dot(w[:, j], -along) > ALONG * norm(w[:, j])
    reached, feature = on_axis & (norm(w) < r), np.broadcast_to(first + np.arange(len(P.corners)), on_axis.shape)
    return tuple(
        Candidates(feature, F, -unit(w, Z), np.where(reached & (rising == k), r - norm(w), ABSENT)) for k in (0, 1)
    )


def swept_polytope(r, length, Q0, t, P, distance, edge_features, first_corner):
    """Rules 1 to 3."""
    solid = Swept(distance, P.corners[P.edges])
    sure, late = zip(
        end_contacts(r, length, Q0, t, solid),
        body_on_edges(r, length, Q0, t, P, edge_features),
        body_on_corners(r, length, Q0, t, P, first_corner),
        strict=True,
    )
    return with_late(r, Q0, t, stack(sure), stack(late))


def least_on_axis(height, length, Q0, t):
    """The s (N,) where a convex function of the place is least: drop a third each time, (2/3)^112 = 2e-20."""
    low, high = np.zeros(len(Q0), LD), np.full(len(Q0), length)
    for _ in range(112):
        a, b = (2 * low + high) / 3, (low + 2 * high) / 3
        left = height(Q0 + a[:, None] * t) <= height(Q0 + b[:, None] * t)
        low, high = np.where(left, low, a), np.where(left, b, high)
    return (low + high) / 2


def through(r, length, Q0, t, height, distance, found):
    """Rule 4: the deepest point of the axis, where no other contact was found and it is inside."""
    depth = np.full((len(Q0), 1), ABSENT, LD)
    x, n = Q0[:, None].copy(), np.zeros((len(Q0), 1, 3), LD)
    reaches = distance(Q0 + length / 2 * t)[0] < length / 2
    rows = np.nonzero(reaches & ~(found.depth > 0).any(1))[0]
    x[rows, 0] += least_on_axis(height, length, Q0[rows], t[rows])[:, None] * t[rows]
    phi, g, _ = distance(x[rows])
    n[rows], depth[rows] = -g, np.where(phi < 0, r - phi, ABSENT)
    return Candidates(np.full(depth.shape, 24), x, n, depth)


def sweep_polyhedron(r, length, Q0, t, b):
    """Rules 1 to 4."""
    P = polytope("polyhedron", b)

    def distance(x):
        return polytope_distance(P, x)

    found = swept_polytope(r, length, Q0, t, P, distance, 64 + np.arange(len(P.edges)), 4096)
    return stack([found, through(r, length, Q0, t, lambda x: heights(P, x).max(-1), distance, found)])


def sweep_triangle(r, length, Q0, t, b):
    """Rules 1 to 3; where the axis crosses the sheet and nothing was found, out along the least translation."""
    P = polytope("triangle", b)
    number = {frozenset((k, (k + 1) % 3)): 4 + k for k in range(3)}
    edge_features = [number[frozenset(edge.tolist())] for edge in P.edges]
    found = swept_polytope(r, length, Q0, t, P, lambda x: polytope_distance(P, x), edge_features, 16)
    crossed = crosses(length, Q0, t, P) & ~(found.depth > 0).any(1)
    x, n, d = out_of_sheet(length, Q0, t, P)
    depth = np.where(crossed, r + d, ABSENT)[:, None]
    return stack([found, Candidates(np.full(depth.shape, 24), x[:, None], n[:, None], depth)])


def crosses(length, Q0, t, P):
    """Whether the axis runs through the triangle: its ends on both sides, the corners around it."""
    ends = [dot(x - P.corners[0], P.normals[0]) for x in (Q0, Q0 + length * t)]
    around = [dot(np.cross(P.corners[i] - Q0, P.corners[j] - Q0), t) for i, j in sides(P.loops[0])]
    return (ends[0] * ends[1] < 0) & ((np.array(around) > 0).all(0) | (np.array(around) < 0).all(0))


def out_of_sheet(length, Q0, t, P):
    """Least n . (x - E), x the highest point of the segment and E the lowest of the triangle along n, over all n:
    the normals of the sheet, and what is across an edge and the axis. Returns x, n, and that least value."""
    ends = np.stack([Q0, Q0 + length * t], axis=1)
    along = P.corners[P.edges[:, 1]] - P.corners[P.edges[:, 0]]
    across = unit(np.cross(along, t[:, None]), Z)
    n = np.concatenate([np.broadcast_to(P.normals, (len(Q0), 2, 3)), across, -across], axis=1)
    reach = dot(ends[:, None], n[:, :, None])
    d = reach.max(-1) - dot(P.corners, n[:, :, None]).min(-1)
    best, row = d.argmin(1), np.arange(len(Q0))
    _, F, _ = crossings(length, Q0, t, *(P.corners[P.edges[:, i]] for i in (0, 1)))
    x = np.where((best < 2)[:, None], ends[row, reach[row, best].argmax(-1)], F[row, (best - 2) % 3])
    return x, n[row, best], d[row, best]


def rims_of_cylinder(r, length, Q0, t, b):
    """Rule 2 for the circles of both ends: 32, 33 below, 34, 35 above."""
    R, half, found = LD(b["radius"]), LD(b["length"]) / 2, []
    for feature, sign in (32, -1), (34, 1):
        centre = sign * half * Z
        theta = np.full((len(Q0), 2), np.nan, LD)
        reach = norm(Q0 + length * t / 2 - centre) < R + r + length / 2  # bounding balls, only to save time
        theta[reach] = circle_line_minima(R, Q0[reach] - centre, t[reach])[0]
        valid = np.isfinite(theta)
        E = centre + rim_point(R, np.where(valid, theta, 0))[0]
        F, on_axis = foot(E, length, Q0, t)
        inside = (cylinder_distance(b, F)[0] <= 0) & (sign * F[..., 2] > 0)
        n, depth = convex_edge(r, F, E, (E - centre) / R, sign * Z, inside, valid & on_axis)
        found.append(Candidates(np.broadcast_to([feature, feature + 1], depth.shape), F, n, depth))
    return stack(found)


def side_of_cylinder(r, length, Q0, t, b):
    """Feature 40: both axes as lines that cross at the distance d. Also the foot's place along the sweep."""
    across = np.cross(t, Z)
    sine = norm(across)
    n = unit(across, [1, 0, 0])
    # Q0 + s t is nearest to the z axis where its part across z, Q0 + s t without z, is across t
    s = -(Q0[:, 0] * t[:, 0] + Q0[:, 1] * t[:, 1]) / np.where(sine > 0, sine**2, 1)
    F = Q0 + s[:, None] * t
    n = n * np.where(dot(F, n) > 0, -1, 1)[:, None]
    counts = (sine > 1e-12) & (s > 0) & (s < length) & (np.abs(F[:, 2]) < LD(b["length"]) / 2)
    depth = np.where(counts, r + LD(b["radius"]) + dot(F, n), ABSENT)[:, None]
    return Candidates(np.full(depth.shape, 40), F[:, None], n[:, None], depth), s[:, None]


def sweep_cylinder(r, length, Q0, t, b):
    """Ends, both rims, the side, and the deepest point of an axis for which there is nothing else."""

    def distance(x):
        return cylinder_distance(b, x)

    ends, _ = end_contacts(r, length, Q0, t, Swept(distance))
    side, s = side_of_cylinder(r, length, Q0, t, b)
    on_side = np.abs(dot(distance(ends.x_B)[1], Z)) < 1e-9
    beside = (side.depth > 0) & on_side & (np.abs(s - [0, length]) < r + LD(b["radius"]))
    ends = ends._replace(depth=np.where(beside, ABSENT, ends.depth))
    found = stack([ends, rims_of_cylinder(r, length, Q0, t, b), side])
    return stack([found, through(r, length, Q0, t, lambda x: distance(x)[0], distance, found)])


def sweep_ellipsoid(r, length, Q0, t, b):
    """One contact where phi is least along the axis; unsure where two sides are equally near there."""

    def slope(s, rows=slice(None)):
        return dot(ellipsoid_distance(b, Q0[rows] + s[:, None] * t[rows])[1], t[rows])

    s, high = np.zeros(len(Q0), LD), np.full(len(Q0), length)
    first, last = slope(s) >= 0, slope(high) <= 0
    s[last] = length
    near = norm(Q0 + length / 2 * t) < length / 2 + r + max(b["semi_axes"])  # bounding balls, only to save time
    rows = np.nonzero(near & ~first & ~last)[0]
    s[rows] = bisect(lambda s: slope(s, rows), s[rows], high[rows])
    x = Q0 + s[:, None] * t
    phi, g, _ = ellipsoid_distance(b, x)
    feature = np.select([first, last], [0, 1], 2)
    kink = (feature == 2) & (np.abs(dot(g, t)) > KINK)
    return Candidates(feature[:, None], x[:, None], -g[:, None], (r - phi)[:, None]), kink


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
