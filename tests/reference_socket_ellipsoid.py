"""An ellipsoid against the socket, as the slow reference sees it; from docs/manifolds.md."""

import numpy as np

from reference_round import ellipsoid_distance
from reference_socket import LD, Candidates, bisect, dot, norm, unit
from reference_socket_pairs import (
    UP,
    Solid,
    box_corners,
    found,
    least,
    lowest_on,
    once,
    socket_edges,
    socket_faces,
    together,
)
from reference_socket_round import rising

SAMPLES = 240  # of the rim
STARTS = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], LD)
SLACK = LD(1e-9)


def furthest(c, M, g):
    """The point of c + M u that is lowest along g (..., 3)."""
    Mg = np.einsum("nji,nj->ni", M, g)
    return c - np.einsum("nij,nj->ni", M, unit(Mg, 0))


def look_at_wall(c, M, b):
    """Each local maximum of rho over K: points (N, 2, 3), and whether there is one."""

    def slope(theta, rows):
        shape = theta.shape
        e = np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=-1).reshape(-1, 3)
        row = np.broadcast_to(np.reshape(rows, (-1,) + (1,) * (theta.ndim - 1)), shape).ravel()
        x = furthest(c[row], M[row], -e)
        return (x[:, 0] * e[:, 1] - x[:, 1] * e[:, 0]).reshape(shape)

    theta = rising(slope, len(c), 2)
    e = np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=-1)
    e = np.where(np.isnan(e), UP, e)
    return np.stack([furthest(c, M, -e[:, k]) for k in range(2)], axis=1), ~np.isnan(theta)


def look_at_cap(c, M, b):
    """Each local maximum of |x - P0| over K, from many starts: x <- the point furthest along x - P0 climbs to one."""
    P0 = -UP * LD(b["length"])
    g = -np.broadcast_to(STARTS, (len(c), *STARTS.shape))
    places = []
    for k in range(len(STARTS)):
        x = furthest(c, M, g[:, k])
        for _ in range(3000):
            new = furthest(c, M, P0 - x)
            moved = norm(new - x).max()
            x = new
            if moved < 1e-19:
                break
        places.append(x)
    places = np.stack(places, axis=1)
    first = norm(places[:, :, None] - places[:, None]) < 1e-6
    return places, ~(first & np.tri(len(STARTS), k=-1, dtype=bool)).any(2)


def ellipsoid_socket(a, b, p, R):
    """All rules."""
    axes = np.array(a["semi_axes"], LD)
    size = min(2 * norm(axes), norm(np.array(b["size"], LD)))
    solid = Solid(p, R, 1e-9 * size, 1e-14 * size)
    M, c, radius, h = R * axes, p, LD(b["radius"]), LD(b["length"])
    height_c, g_c = socket_faces(b, c)
    core = np.stack([c[:, 0], c[:, 1], np.minimum(c[:, 2] + h, 0)], axis=-1)
    inside, in_hole = -height_c.max(-1), radius - norm(core)
    parts = []

    def add(x, g, depth, *margins):
        parts.append(found(x, -g, depth, least(depth - solid.noise, *margins)))

    g = g_c[np.arange(len(c)), height_c.argmax(-1)]
    x = furthest(c, M, g)
    add(x, g, height_c.max(-1) * -1 + norm(np.einsum("nji,nj->ni", M, g)), inside)
    top = np.sort(height_c, axis=-1)
    unsure = (inside > 0) & (top[:, -1] - top[:, -2] < 1e-12)
    for k in range(6):
        x = furthest(c, M, g_c[:, k])
        height = socket_faces(b, x)[0]
        add(x, g_c[:, k], -height[:, k], -inside, height_c[:, k], solid.tol - height.max(-1))
    for part, (points, some) in enumerate((look_at_wall(c, M, b), look_at_cap(c, M, b))):
        for k in range(points.shape[1]):
            x = points[:, k]
            height, g = socket_faces(b, x)
            z = least(solid.tol - x[:, 2], x[:, 2] + h) if part == 0 else -h - x[:, 2]
            margin = least(-inside, in_hole, z, solid.tol - height.max(-1))
            add(x, g[:, 6], -height[:, 6], np.where(some[:, k], margin, -1))

    def in_K(x, row):
        phi, g, _ = ellipsoid_distance(a, np.einsum("mji,mj->mi", R[row], x - p[row]))
        return phi, np.einsum("mij,mj->mi", R[row], g)

    def add_place(E, rows, normals, margin):
        phi, n = in_K(E, rows)
        faces = SLACK - np.max([dot(n, m) for m in normals], axis=0)
        some = found(E - phi[:, None] * n, n, -phi, least(-phi - solid.noise, faces, margin, -inside[rows]))
        parts.append(some._replace(row=rows[some.row]))

    reach = norm(M[:, 2])
    rows = np.nonzero((c[:, 2] - reach < 0) & (c[:, 2] + reach > 0))[0]

    def slope(theta, which):
        shape = theta.shape
        E = radius * np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=-1).reshape(-1, 3)
        row = np.broadcast_to(np.reshape(rows[which], (-1,) + (1,) * (theta.ndim - 1)), shape).ravel()
        return dot(in_K(E, row)[1], np.cross(UP, E)).reshape(shape)

    theta = rising(slope, len(rows), 4, SAMPLES)
    for k in range(4):
        here = ~np.isnan(theta[:, k])
        angle = np.where(here, theta[:, k], 0)
        e = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
        add_place(radius * e, rows, (UP, -e), np.where(here, np.inf, -1))
    every = np.arange(len(c))
    for start, along, extent, normals in zip(*socket_edges(b), strict=True):
        zero = np.zeros(len(c), LD)
        s = bisect(lambda s, q=start, t=along: dot(in_K(q + s[:, None] * t, every)[1], t), zero, zero + extent)
        E = start + s[:, None] * along
        kink = np.abs(dot(in_K(E, every)[1], along)) > 1e-6  # both of K's sides are equally near
        unsure |= kink & (s > 0) & (s < extent) & (in_K(E, every)[0] < 0) & (inside < 0)
        add_place(E, every, normals, least(s - 1e-15, extent - s - 1e-15))
    for corner, leaving in zip(*box_corners(b), strict=True):
        add_place(np.broadcast_to(corner, c.shape), every, -leaving, np.inf)
    X, N, D, margins = together(parts, len(c))
    depth, ambiguous = once(X, N, D, margins, solid.tol)
    ambiguous |= through(axes, b, solid, np.nonzero(~(depth > 0).any(1))[0], X, N, depth)
    feature = np.broadcast_to(32 + np.arange(depth.shape[1]), depth.shape)
    return Candidates(feature, X, N, depth), ambiguous | unsure


def through(axes, b, solid, rows, X, N, depth):
    """Rule 5 at the poses `rows`, into X, N and depth; where it is a tie."""
    best, tie = np.full(len(rows), solid.noise, LD), np.zeros(len(X), bool)
    for i in range(3):
        t = solid.R[rows, :, i]
        q = solid.p[rows] - axes[i] * t
        s = lowest_on(q, t, np.full(len(rows), 2 * axes[i]), lambda x: socket_faces(b, x)[0].max(-1))
        x = q + s[:, None] * t
        height, g = socket_faces(b, x)
        top = np.sort(height, axis=-1)
        deep = -top[:, -1]
        tie[rows] |= (deep > 0) & ((top[:, -1] - top[:, -2] < 1e-12) | (np.abs(deep - best) < 1e-12))
        better = deep > best
        best[better] = deep[better]
        j = rows[better]
        X[j, 0], depth[j, 0] = x[better], deep[better]
        N[j, 0] = -g[np.arange(len(x)), height.argmax(-1)][better]
    return tie
