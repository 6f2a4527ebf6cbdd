"""Segments and capsules against the convex solids: a ball of radius r along Q0 + s t, 0 <= s <= length.

Written from docs/manifolds.md, with everything in the frame of the solid B. Part of the slow reference.
"""

from typing import NamedTuple

import numpy as np

from tests.oracle.reference_round import (
    Z,
    cylinder_distance,
    ellipsoid_distance,
    heights,
    polytope,
    polytope_distance,
    sides,
)
from tests.oracle.reference_socket import (
    ABSENT,
    ALONG,
    LD,
    Candidates,
    bisect,
    circle_line_minima,
    convex_edge,
    deeper,
    dot,
    end_contacts,
    exit_of,
    foot,
    norm,
    rim_point,
    stack,
    unit,
    with_deferred,
)

KINK = LD(1e-6)  # slope of phi at its least value from which on it has a kink there
FLAT = LD(1e-2)  # and up to which the kink may end so near that the normals beside it are not straight


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
    """Rule 2 for a polytope, deferred where w = F - E is not between the normals of both faces; of a sheet only from
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
    """Rule 3: no neighbouring corner rises towards the axis; deferred where one does."""
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
    sure, deferred = zip(
        end_contacts(r, length, Q0, t, solid),
        body_on_edges(r, length, Q0, t, P, edge_features),
        body_on_corners(r, length, Q0, t, P, first_corner),
        strict=True,
    )
    return with_deferred(r, Q0, t, stack(sure), stack(deferred))


def least_on_axis(height, length, Q0, t):
    """The s (N,) where a convex function of the place is least: drop a third each time, (2/3)^112 = 2e-20."""
    low, high = np.zeros(len(Q0), LD), np.full(len(Q0), length)
    for _ in range(112):
        a, b = (2 * low + high) / 3, (low + 2 * high) / 3
        left = height(Q0 + a[:, None] * t) <= height(Q0 + b[:, None] * t)
        low, high = np.where(left, low, a), np.where(left, b, high)
    return (low + high) / 2


def through(r, length, Q0, t, height, distance, found):
    """Rule 4: the deepest point of the axis, where it is inside and deeper than all other contacts."""
    depth = np.full((len(Q0), 1), ABSENT, LD)
    x, n = Q0[:, None].copy(), np.zeros((len(Q0), 1, 3), LD)
    coarse = np.linspace(0, float(length), 33)
    rows = np.nonzero(distance(Q0[:, None] + coarse[:, None] * t[:, None])[0].min(1) < coarse[1] / 2)[0]
    if not len(rows):
        return Candidates(np.full(depth.shape, 24), x, n, depth)
    s = least_on_axis(height, length, Q0[rows], t[rows])
    x[rows, 0] += s[:, None] * t[rows]
    phi = distance(x[rows])[0]
    n[rows, 0] = -exit_of(lambda x: [v[:, 0] for v in distance(x[:, None])], Q0[rows], t[rows], length, s)
    depth[rows] = np.where(phi < 0, r - phi, ABSENT)
    return Candidates(np.full(depth.shape, 24), x, n, deeper(depth, found))


def sweep_polyhedron(r, length, Q0, t, b):
    """Rules 1 to 4."""
    P = polytope("polyhedron", b)

    def distance(x):
        return polytope_distance(P, x)

    found = swept_polytope(r, length, Q0, t, P, distance, 64 + np.arange(len(P.edges)), 4096)
    return stack([found, through(r, length, Q0, t, lambda x: heights(P, x).max(-1), distance, found)])


def sweep_triangle(r, length, Q0, t, b):
    """Rules 1 to 3; where the axis crosses the sheet, out along the least translation, and nothing against it."""
    P = polytope("triangle", b)
    number = {frozenset((k, (k + 1) % 3)): 4 + k for k in range(3)}
    edge_features = [number[frozenset(edge.tolist())] for edge in P.edges]
    found = swept_polytope(r, length, Q0, t, P, lambda x: polytope_distance(P, x), edge_features, 16)
    crossed = crosses(length, Q0, t, P)
    x, n, d = out_of_sheet(length, Q0, t, P)
    opposed = crossed[:, None] & (dot(found.n_AB_B, n[:, None]) < 0)
    found = found._replace(depth=np.where(opposed, ABSENT, found.depth))
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
    above_end = np.abs(F[:, 2]) - LD(b["length"]) / 2
    counts = (sine > 1e-12) & (s > 0) & (s < length) & (above_end < 0)
    counts &= (dot(F, n) < -LD(b["radius"])) | (LD(b["radius"]) + dot(F, n) <= -above_end)
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
    """One contact where phi is least along the axis; unsure where two sides are equally near but hardly differ."""

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
    slope = np.abs(dot(g, t))
    kink = np.nonzero((feature == 2) & (slope > KINK))[0]
    g[kink] = exit_of(lambda x: ellipsoid_distance(b, x), Q0[kink], t[kink], length, s[kink])
    unsure = (feature == 2) & (slope > KINK) & (slope < FLAT)
    return Candidates(feature[:, None], x[:, None], -g[:, None], (r - phi)[:, None]), unsure
