"""Signed distances, the rim and the swept ball of the slow reference, all in the frame of the solid B.

Written from docs/manifolds.md by sampling and bisection, never by the closed forms of the kernels. Lengths in
metres, angles in radians, extended precision inside. `...` in a shape stands for any leading axes.
"""

from typing import NamedTuple

import numpy as np

LD = np.longdouble
ABSENT = -np.inf  # depth of a candidate that is no contact
ALONG = 1e-9  # sine: the axis runs along an edge
ONE_PLACE = 1e-12  # m
BESIDE = LD(1e-9)  # of an axis: where either of two faces is the nearest
JUMP = 1e-6  # of two normals: from there on they are of two faces
DEEPER = 1e-9  # of a depth: by less no contact is deeper than another
# Offset of the sampled angles: keeps symmetric poses from placing a root exactly on a sample.
SAMPLES, SAMPLE_OFFSET = 720, 0.1234
EDGES = [(k, i1, i2, j) for k, i1, i2 in ((0, 1, 2), (1, 0, 2), (2, 0, 1)) for j in range(4)]


class Candidates(NamedTuple):
    """Possible contacts of N poses, K each: a ball of A about x penetrates B by depth along n."""

    feature: np.ndarray  # (N, K) integers
    x_B: np.ndarray  # (N, K, 3) centre of the ball of A [m]
    n_AB_B: np.ndarray  # (N, K, 3) unit normal from A to B
    depth: np.ndarray  # (N, K) [m], ABSENT where there is no contact


def dot(a, b):
    """Scalar product over the last axis of length 3."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def norm(a):
    """Length over the last axis of length 3."""
    return np.sqrt(dot(a, a))


def unit(a, fallback):
    """Direction of a (..., 3); `fallback` where a is zero and every direction is as right as the other."""
    length = norm(a)[..., None]
    return np.where(length > 0, a / np.where(length > 0, length, 1), fallback)


def stack(candidates):
    """Join several Candidates of the same N poses side by side."""
    return Candidates(*(np.concatenate(parts, axis=1) for parts in zip(*candidates, strict=True)))


def bisect(slope, low, high, steps=72):
    """Zero of slope, negative at low and positive at high; 72 halvings exhaust the mantissa of 64 bits."""
    for _ in range(steps):
        middle = (low + high) / 2
        below = slope(middle) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


# ---- signed distances ----------------------------------------------------------------------------


def box_distance(size, x):
    """Signed distance (...) of x (..., 3), its gradient (..., 3), whether S lies in a face (or x inside)."""
    gap = np.abs(x) - np.asarray(size, LD) / 2
    sign = np.where(x < 0, LD(-1), LD(1))
    nearest_face = sign * (np.arange(3) == gap.argmax(-1)[..., None])
    outside = np.maximum(gap, 0)
    phi = np.where((gap > 0).any(-1), norm(outside), gap.max(-1))
    return phi, unit(sign * outside, nearest_face), (gap > 0).sum(-1) <= 1


def socket_distance(socket, x):
    """As box_distance, for the box without its hole; the mouth is at z = 0."""
    radius, length, height = LD(socket["radius"]), LD(socket["length"]), socket["size"][2]
    rho, z = np.hypot(x[..., 0], x[..., 1]), x[..., 2]
    phi_box, g_box, box_in_face = box_distance(socket["size"], x + np.array([0, 0, height], LD) / 2)

    # Wall above P0, cap below it: both are at distance R from the nearest point of the hole's axis above P0.
    spoke = np.stack([x[..., 0], x[..., 1], np.minimum(z + length, 0)], axis=-1)
    phi_hole, g_hole = radius - norm(spoke), unit(-spoke, [-1, 0, 0])

    e_rho = unit(x * [1, 1, 0], [1, 0, 0])
    from_rim = x - radius * e_rho
    above = (z >= 0) & (rho <= radius)
    in_hole = (z < 0) & (phi_hole >= 0)
    to_hole = in_hole | ((phi_box <= 0) & (phi_hole > phi_box))  # in the material the nearer surface counts
    phi = np.select([above, to_hole], [norm(from_rim), phi_hole], phi_box)
    g = np.select([above[..., None], to_hole[..., None]], [unit(from_rim, -e_rho), g_hole], g_box)
    return phi, g, ~above & (to_hole | box_in_face)


# ---- the rim and a line --------------------------------------------------------------------------


def rim_point(radius, theta):
    """Point of the rim at angle theta (...) and its derivative, each (..., 3)."""
    c, s = radius * np.cos(theta), radius * np.sin(theta)
    return np.stack([c, s, 0 * c], axis=-1), np.stack([-s, c, 0 * c], axis=-1)


def rim_slope(radius, theta, Q, d):
    """Half the derivative of the squared distance of E from the line Q + s d: f . E', f = w - (w . d) d."""
    E, dE = rim_point(radius, theta)
    w = E - Q
    return dot(w, dE) - dot(w, d) * dot(dE, d)


def rim_curvature(radius, theta, Q, d):
    """Derivative of rim_slope; E'' = -E."""
    E, dE = rim_point(radius, theta)
    w = E - Q
    return dot(dE, dE) - dot(w, E) - dot(dE, d) ** 2 + dot(w, d) * dot(E, d)


def rim_brackets(radius, Q, d):
    """Rows and intervals of theta in which the slope rises through zero, each holding one minimum.

    Two minima within one sample of each other, 0.15 mm on a rim of 17.5 mm, count as one: the line then
    nearly touches the rim along its tangent, a pose that random ones miss.
    """
    theta = SAMPLE_OFFSET + 2 * np.pi * np.arange(SAMPLES) / SAMPLES
    step = 2 * np.pi / SAMPLES
    slope = rim_slope(radius, theta, Q.astype(float)[:, None], d.astype(float)[:, None])
    before, after = np.roll(slope, 1, axis=1), np.roll(slope, -1, axis=1)

    row, j = np.nonzero((slope < 0) & (after >= 0))
    rows, low, high = [row], [theta[j].astype(LD)], [(theta[j] + step).astype(LD)]

    # A minimum and a maximum about to merge hide between two samples: there the slope has an extremum that
    # may reach across zero. Its reach between samples is below the second difference.
    for sign in (1, -1):
        f, f0, f1 = sign * slope, sign * before, sign * after
        row, j = np.nonzero((f > 0) & (f <= f0) & (f <= f1) & (f < f0 - 2 * f + f1))
        a, b = (theta[j] - step).astype(LD), (theta[j] + step).astype(LD)
        turn = bisect(lambda t, row=row, sign=sign: sign * rim_curvature(radius, t, Q[row], d[row]), a, b)
        crosses = sign * rim_slope(radius, turn, Q[row], d[row]) < 0
        rows.append(row[crosses])
        low.append((turn if sign > 0 else a)[crosses])
        high.append((b if sign > 0 else turn)[crosses])
    return np.concatenate(rows), np.concatenate(low), np.concatenate(high)


def circle_line_minima(R, Q, d):
    """Every local minimum of the distance of the circle (radius R, centre 0, normal z) from lines Q + s d.

    Q, d (N, 3), d of unit length. Returns theta and distance, both (N, 2), nearest first, nan where there is
    none.
    """
    Q, d = np.atleast_2d(Q).astype(LD), np.atleast_2d(d).astype(LD)
    theta = np.full((len(Q), 2), np.nan, LD)
    distance = np.full((len(Q), 2), np.inf, LD)
    if not len(Q):
        return theta, distance
    row, low, high = rim_brackets(R, Q, d)
    root = bisect(lambda t: rim_slope(R, t, Q[row], d[row]), low, high)
    w = rim_point(R, root)[0] - Q[row]
    found = norm(w - dot(w, d[row])[:, None] * d[row])
    for i in np.lexsort((found, row)):
        slot = int(np.isfinite(distance[row[i], 0]))
        theta[row[i], slot], distance[row[i], slot] = root[i], found[i]
    return theta, np.where(np.isnan(theta), np.nan, distance)


def rim_subdivision(R, target, levels, include_ends):
    """Eight-point search of the paper for the rim point nearest to points (N, 3) or lines (Q, d).

    Level 1 puts eight points round the circle; every further level puts eight equidistant points between the
    two neighbours of the best one, these neighbours included or not. Returns theta (N,), distance (N,).
    """
    Q, d = target if isinstance(target, tuple) else (target, np.zeros_like(target))
    spacing = np.pi / 4
    theta = spacing * np.arange(8) + np.zeros((len(Q), 1))
    for level in range(1, levels + 1):
        w = rim_point(R, theta)[0] - Q[:, None]
        distance = norm(w - dot(w, d[:, None])[..., None] * d[:, None])
        best = distance.argmin(1)[:, None]
        centre = np.take_along_axis(theta, best, axis=1)
        if level < levels:
            spacing *= 2 / 7 if include_ends else 2 / 9
            theta = centre + spacing * (np.arange(8) - 3.5)
    return centre[:, 0], np.take_along_axis(distance, best, axis=1)[:, 0]


# ---- ball swept along a segment against a box or socket ------------------------------------------


class Solid(NamedTuple):
    """A box, or a socket if rim > 0, with its signed distance."""

    size: np.ndarray  # (3,)
    centre: np.ndarray  # (3,) of the box
    rim: float
    distance: object

    @property
    def edges(self):
        """Of the box, (12, 2, 3)."""
        ends = np.zeros((12, 2, 3), LD)
        for e, (k, i1, i2, j) in enumerate(EDGES):
            ends[e, :, i1], ends[e, :, i2], ends[e, :, k] = 2 * (j & 1) - 1, (j & 2) - 1, (-1, 1)
        return self.centre + self.size / 2 * ends


def box_solid(box):
    """The Solid of a box."""
    return Solid(np.array(box["size"], LD), np.zeros(3, LD), 0, lambda x: box_distance(box["size"], x))


def socket_solid(socket):
    """The Solid of a socket, whose box hangs below the mouth."""
    size = np.array(socket["size"], LD)
    return Solid(size, size * [0, 0, -0.5], LD(socket["radius"]), lambda x: socket_distance(socket, x))


def both_ends(length, Q0, t):
    """Q (N, 2, 3) and the directions from there into the segment."""
    return np.stack([Q0, Q0 + length * t], axis=1), np.stack([t, -t], axis=1)


def end_contacts(r, length, Q0, t, solid):
    """Features 0, 1: depth = r - phi(Q_i), unless the body beside it is nearer to the edge, corner or rim. And those of
    the others that lie over an edge, which may be deferred."""
    Q, inward = both_ends(length, Q0, t)
    phi, g, in_face = solid.distance(Q)
    counts = in_face | (phi <= 0) | (dot(g, inward) >= -ALONG)
    deferred = ~counts & inside_edge(Q - phi[..., None] * g, solid.edges)
    sure = Candidates(np.broadcast_to([0, 1], phi.shape), Q, -g, np.where(counts, r - phi, ABSENT))
    return sure, sure._replace(depth=np.where(deferred, r - phi, ABSENT))


def with_deferred(r, Q0, t, sure, deferred):
    """Accepted contacts, and of the deferred ones, deepest first, those further than r along the axis from others."""
    depth = deferred.depth.copy()
    for i in np.nonzero((depth > 0).any(1))[0]:
        s_sure, s_deferred = ((c.x_B[i] - Q0[i]) @ t[i] for c in (sure, deferred))
        counting = list(s_sure[sure.depth[i] > 0])
        for k in np.argsort(-depth[i], kind="stable"):
            if all(abs(s_deferred[k] - s) > r for s in counting) and depth[i, k] > 0:
                counting.append(s_deferred[k])
            else:
                depth[i, k] = ABSENT
    return stack([sure, deferred._replace(depth=depth)])


def inside_edge(S, edges):
    """Whether places (..., 3) lie on one of the edges (K, 2, 3), not at its ends."""
    result = np.zeros(S.shape[:-1], bool)
    for E0, E1 in edges:
        along = (E1 - E0) / norm(E1 - E0)
        z = dot(S - E0, along)
        on_line = norm(S - E0 - z[..., None] * along) < ONE_PLACE
        result |= on_line & (z > ONE_PLACE) & (z < norm(E1 - E0) - ONE_PLACE)
    return result


def foot(E, length, Q0, t):
    """Foot of E (N, K, 3) on the axis lines and whether it lies strictly inside the segment."""
    s = dot(E - Q0[:, None], t[:, None])
    return Q0[:, None] + s[..., None] * t[:, None], (s > 0) & (s < length)


def convex_edge(r, F, E, n1, n2, inside, valid):
    """Normal and depth of the axis point F over the edge point E; n1, n2 normals of the two faces.

    outside, u + v > 0:  depth = r - d, n = -(F - E)/d        inside:  depth = r + d, n = +(F - E)/d
    """
    w = F - E
    d, outside = norm(w), dot(w, n1) + dot(w, n2) > 0
    depth = np.where(outside, r - d, np.where(inside, r + d, ABSENT))
    n = np.where(outside, -1, 1)[..., None] * unit(w, (n1 + n2) / np.sqrt(LD(2)))
    return n, np.where(valid & (d < r), depth, ABSENT)


def edge_contacts(r, length, Q0, t, solid):
    """Features 4 + e: the twelve straight edges against the body."""
    half, w = solid.size / 2, np.zeros((12, 3), LD)
    along, n1, n2 = w.copy(), w.copy(), w.copy()
    for e, (k, i1, i2, j) in enumerate(EDGES):
        along[e, k], n1[e, i1], n2[e, i2] = half[k], 2 * (j & 1) - 1, (j & 2) - 1
    middle = solid.centre + half * (n1 + n2)

    def slope(E):  # of the squared distance from the axis line, along the edge
        to_edge = E - Q0[:, None]
        return dot(to_edge, along) - dot(to_edge, t[:, None]) * dot(along, t[:, None])

    # The slope is linear along the edge: one secant step between its two corners finds the zero.
    first, last = slope(middle - along), slope(middle + along)
    on_edge = (first < 0) & (last > 0)
    tau = np.where(on_edge, (first + last) / np.where(on_edge, first - last, 1), 0)
    E = middle + tau[..., None] * along
    F, on_axis = foot(E, length, Q0, t)
    near = (dot(F - E, n1) > -dot(half, np.abs(n1))) & (dot(F - E, n2) > -dot(half, np.abs(n2)))
    inside = near & (solid.distance(F)[0] <= 0)
    n, depth = convex_edge(r, F, E, n1, n2, inside, on_edge & on_axis)
    return Candidates(np.broadcast_to(4 + np.arange(12), depth.shape), F, n, depth)


def corner_contacts(r, length, Q0, t, solid):
    """Features 16 + k: corners that the axis passes outside all three faces; deferred: outside two of them."""
    signs = np.array([[2 * (k >> i & 1) - 1 for i in range(3)] for k in range(8)])
    E = np.broadcast_to(solid.centre + signs * solid.size / 2, (len(Q0), 8, 3))
    F, on_axis = foot(E, length, Q0, t)
    w = F - E
    outside = (signs * w >= -ALONG * norm(w)[..., None]).sum(-1)
    n, feature = unit(-w, -signs / np.sqrt(LD(3))), np.broadcast_to(16 + np.arange(8), outside.shape)
    reached = on_axis & (norm(w) < r)
    return tuple(Candidates(feature, F, n, np.where(reached & (outside == k), r - norm(w), ABSENT)) for k in (3, 2))


def rim_contacts(r, length, Q0, t, solid):
    """Features 32, 33: every local minimum of the rim against the body, nearest first."""
    theta = np.full((len(Q0), 2), np.nan, LD)
    reach = norm(Q0 + length * t / 2) < solid.rim + r + length / 2  # bounding balls, only to save time
    theta[reach] = circle_line_minima(solid.rim, Q0[reach], t[reach])[0]
    valid = np.isfinite(theta)
    E = rim_point(solid.rim, np.where(valid, theta, 0))[0]
    F, on_axis = foot(E, length, Q0, t)
    n1, n2 = -E / solid.rim, np.array([0, 0, 1], LD)
    inside = (dot(F - E, n1) <= 0) & (dot(F - E, n2) <= 0)
    n, depth = convex_edge(r, F, E, n1, n2, inside, valid & on_axis)
    return Candidates(np.broadcast_to([32, 33], depth.shape), F, n, depth)


def deeper(depth, found):
    """Depths (N, 1) of contacts through the solid that count beside those found: ABSENT where one is as deep."""
    most = found.depth.max(1, keepdims=True, initial=0)
    return np.where(depth - most > DEEPER * depth, depth, ABSENT)


def exit_of(distance, Q0, t, length, s):
    """The exit of axes Q0 + s t, 0 <= s <= length, (N, 3) from a solid at places s (N,): where two faces are equally
    near, that out of which the ends are least below; g of either is that close beside the place, straight on to it."""

    def at(v):
        x = Q0 + np.clip(v, 0, length)[:, None] * t
        phi, g, _ = distance(x)
        return x - phi[:, None] * g, g

    Q1, ways = Q0 + np.reshape(length, (-1, 1)) * t, []
    for beside in (-BESIDE * length, BESIDE * length):
        S, g = at(s + beside)
        ends = np.minimum(dot(Q0 - S, g), dot(Q1 - S, g))
        ways.append((ends, unit(2 * g - at(s + 2 * beside)[1], [0, 0, 1])))
    (back, g0), (on, g1) = ways
    return np.where((norm(g0 - g1) > JUMP)[:, None], np.where((back > on)[:, None], g0, g1), at(s)[1])


def through_contact(r, length, Q0, t, solid, found, samples=512):
    """Feature 24: the deepest axis point in the material, where it is deeper than all other contacts."""
    s = np.linspace(LD(0), LD(length), samples + 1)
    step = s[1]
    x, n, depth = Q0[:, None].copy(), 0 * Q0[:, None], np.full((len(Q0), 1), ABSENT, LD)

    coarse = np.linspace(0, float(length), 33)
    near = solid.distance(Q0[:, None] + coarse[:, None] * t[:, None])[0].min(1) < coarse[1] / 2
    rows = np.nonzero(near)[0]
    if not len(rows):
        return Candidates(np.full(depth.shape, 24), x, n, depth)
    phi = solid.distance(Q0[rows, None] + s[:, None] * t[rows, None])[0]
    rows, phi = rows[phi.min(1) < step], phi[phi.min(1) < step]  # phi has slope one at most
    # intervals that may hide something deeper than all samples, sampled again: dips can lie closer than a step
    i, j = np.nonzero((phi[:, :-1] + phi[:, 1:] - step) / 2 <= phi.min(1, keepdims=True))
    fine = s[j, None] + step * np.linspace(LD(0), LD(1), 65)
    phi = solid.distance(Q0[rows[i], None] + fine[..., None] * t[rows[i], None])[0]
    padded = np.pad(phi, ((0, 0), (1, 1)), constant_values=np.inf)
    m, k = np.nonzero((phi < padded[:, :-2]) & (phi <= padded[:, 2:]))
    i, low, high = i[m], fine[m, np.maximum(k - 1, 0)], fine[m, np.minimum(k + 1, 64)]
    Q, d = Q0[rows[i]], t[rows[i]]
    # phi has a kink where it is least, so only values can guide: drop a third each time, (2/3)^112 = 2e-20.
    for _ in range(112):
        a, b = (2 * low + high) / 3, (low + 2 * high) / 3
        left = solid.distance(Q + a[:, None] * d)[0] <= solid.distance(Q + b[:, None] * d)[0]
        low, high = np.where(left, low, a), np.where(left, b, high)
    best_s = (low + high) / 2
    best_x = Q + best_s[:, None] * d
    best_phi, g = solid.distance(best_x)[0], exit_of(solid.distance, Q, d, length, best_s)
    for k in np.argsort(-best_phi):  # the least phi of a row is written last
        if best_phi[k] < 0:
            row = rows[i[k]]
            x[row, 0], n[row, 0], depth[row, 0] = best_x[k], -g[k], r - best_phi[k]
    return Candidates(np.full(depth.shape, 24), x, n, deeper(depth, found))


def swept_ball(r, length, Q0, t, solid):
    """All candidates of a capsule, radius r, axis Q0 + s t (N, 3), 0 <= s <= length, against a solid."""
    r, length = LD(r), LD(length)
    kinds = [edge_contacts] + ([rim_contacts] if solid.rim else [])
    (ends, deferred_ends), (corners, deferred_corners) = (
        kind(r, length, Q0, t, solid) for kind in (end_contacts, corner_contacts)
    )
    sure = stack([ends, *(kind(r, length, Q0, t, solid) for kind in kinds), corners])
    found = with_deferred(r, Q0, t, sure, stack([deferred_ends, deferred_corners]))
    return stack([found, through_contact(r, length, Q0, t, solid, found)])
