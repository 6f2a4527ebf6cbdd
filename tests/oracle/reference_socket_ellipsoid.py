"""An ellipsoid against the socket, as the slow reference sees it; from docs/manifolds.md."""

from typing import NamedTuple

import numpy as np

from tests.oracle.reference_round import ellipsoid_distance
from tests.oracle.reference_socket import LD, Candidates, bisect, dot, norm, unit
from tests.oracle.reference_socket_last import last_way
from tests.oracle.reference_socket_pairs import (
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
from tests.oracle.reference_socket_round import rising

SAMPLES = 240  # of the rim
STARTS = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)], LD)
SLACK = LD(1e-9)
BESIDE, KINK = LD(1e-9), LD(1e-5)  # m; a change of the normal over two of them: phi has a kink between


class Egg(NamedTuple):
    """The ellipsoid K seen from the socket, N poses of it: c + M u, |u| <= 1."""

    sizes: dict
    solid: Solid
    M: np.ndarray  # (N, 3, 3)
    inside: np.ndarray  # (N,) how far c is inside the socket

    @property
    def c(self):
        return self.solid.p

    def distance(self, x, rows):
        """Signed distance (n,) and its gradient (n, 3) of points x (n, 3) at the poses `rows` (n,)."""
        p, R = self.solid.p[rows], self.solid.R[rows]
        phi, g, _ = ellipsoid_distance(self.sizes, np.einsum("mji,mj->mi", R, x - p))
        return phi, np.einsum("mij,mj->mi", R, g)


def egg(a, b, p, R):
    """The Egg of sizes a at the socket b."""
    axes = np.array(a["semi_axes"], LD)
    size = min(2 * norm(axes), norm(np.array(b["size"], LD)))
    return Egg(a, Solid(p, R, 1e-9 * size, 1e-14 * size), R * axes, -socket_faces(b, p)[0].max(-1))


# ---- places of K ----------------------------------------------------------------------------------


def spoke(theta):
    """Unit vectors (..., 3) across z."""
    return np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=-1)


def one_each(rows, theta):
    """For each of the angles theta (n, ...) its row, flat."""
    return np.broadcast_to(np.reshape(rows, (-1,) + (1,) * (theta.ndim - 1)), theta.shape).ravel()


def furthest(c, M, g):
    """The point of c + M u that is lowest along g (..., 3)."""
    Mg = np.einsum("nji,nj->ni", M, g)
    return c - np.einsum("nij,nj->ni", M, unit(Mg, 0))


def look_at_wall(c, M, b):
    """Each local maximum of rho over K: points (N, 2, 3), and whether there is one."""

    def slope(theta, rows):
        e, row = spoke(theta).reshape(-1, 3), one_each(rows, theta)
        x = furthest(c[row], M[row], -e)
        return (x[:, 0] * e[:, 1] - x[:, 1] * e[:, 0]).reshape(theta.shape)

    theta = rising(slope, len(c), 2)
    e = spoke(theta)
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


# ---- contacts -------------------------------------------------------------------------------------


def below(K, x, g, depth, *margins):
    """Contacts of K's points x below faces with the normals g."""
    return found(x, -g, depth, least(depth - K.solid.noise, *margins))


def middle_inside(K, b):
    """Rule 1, and where two faces are equally near."""
    height, g = socket_faces(b, K.c)
    top, g = np.sort(height, axis=-1), g[np.arange(len(g)), height.argmax(-1)]
    depth = K.inside + norm(np.einsum("nji,nj->ni", K.M, g))
    return below(K, furthest(K.c, K.M, g), g, depth, K.inside), (K.inside > 0) & (top[:, -1] - top[:, -2] < 1e-12)


def on_planes(K, b):
    """Rule 2."""
    height_c, g = socket_faces(b, K.c)
    for k in range(6):
        x = furthest(K.c, K.M, g[:, k])
        height = socket_faces(b, x)[0]
        yield below(K, x, g[:, k], -height[:, k], -K.inside, height_c[:, k], K.solid.tol - height.max(-1))


def in_hole(K, b):
    """Rule 3."""
    h = LD(b["length"])
    core = np.stack([K.c[:, 0], K.c[:, 1], np.minimum(K.c[:, 2] + h, 0)], axis=-1)
    middle = least(-K.inside, LD(b["radius"]) - norm(core))
    for look in (look_at_wall, look_at_cap):
        points, some = look(K.c, K.M, b)
        for k in range(points.shape[1]):
            x = points[:, k]
            height, g = socket_faces(b, x)
            part = -h - x[:, 2] if look is look_at_cap else least(K.solid.tol - x[:, 2], x[:, 2] + h)
            margin = least(middle, part, K.solid.tol - height.max(-1))
            yield below(K, x, g[:, 6], -height[:, 6], np.where(some[:, k], margin, -1))


def leaning(n, normals):
    """The greatest component of n (n, 3) along normals."""
    return np.max([dot(n, m) for m in normals], axis=0)


def place_inside(K, E, t, rows, normals, margin):
    """Rule 4 for places E of the socket, between the faces with these normals, at the poses `rows`. t: the tangents."""
    phi, n = K.distance(E, rows)
    before, after = (K.distance(E + side * t, rows)[1] for side in (-BESIDE, BESIDE))
    kink = norm(before - after) > KINK
    sides = np.where((leaning(before, normals) < leaning(after, normals))[:, None], before, after)
    n = np.where(kink[:, None], sides, n)
    faces = SLACK - leaning(n, normals)
    some = found(E - phi[:, None] * n, n, -phi, least(-phi - K.solid.noise, faces, margin, -K.inside[rows]))
    return some._replace(row=rows[some.row])


def on_rim(K, b):
    """Each local minimum over the rim of the distance from K."""
    radius, reach = LD(b["radius"]), norm(K.M[:, 2])
    rows = np.nonzero((K.c[:, 2] - reach < 0) & (K.c[:, 2] + reach > 0))[0]

    def slope(theta, which):
        E = radius * spoke(theta).reshape(-1, 3)
        return dot(K.distance(E, one_each(rows[which], theta))[1], np.cross(UP, E)).reshape(theta.shape)

    theta = rising(slope, len(rows), 4, SAMPLES)
    for k in range(4):
        here = ~np.isnan(theta[:, k])
        e = spoke(np.where(here, theta[:, k], 0))
        yield place_inside(K, radius * e, np.cross(UP, e), rows, (UP, -e), np.where(here, np.inf, -1))


def on_edges(K, b):
    """The place nearest to K of each edge of the box, and where both of K's sides are equally near."""
    every, zero, unsure = np.arange(len(K.c)), np.zeros(len(K.c), LD), np.zeros(len(K.c), bool)
    parts = []
    for start, along, extent, normals in zip(*socket_edges(b), strict=True):
        s = bisect(lambda s, q=start, t=along: dot(K.distance(q + s[:, None] * t, every)[1], t), zero, zero + extent)
        E = start + s[:, None] * along
        phi, n = K.distance(E, every)
        unsure |= (np.abs(dot(n, along)) > 1e-6) & (s > 0) & (s < extent) & (phi < 0) & (K.inside < 0)
        parts.append(place_inside(K, E, along, every, normals, least(s - 1e-15, extent - s - 1e-15)))
    return parts, unsure


def at_corners(K, b):
    """The corners of the box."""
    for corner, leaving in zip(*box_corners(b), strict=True):
        yield place_inside(K, np.broadcast_to(corner, K.c.shape), 0 * UP, np.arange(len(K.c)), -leaving, np.inf)


def ellipsoid_socket(a, b, p, R):
    """All rules."""
    K = egg(a, b, p, R)
    first, tie = middle_inside(K, b)
    edges, kink = on_edges(K, b)
    parts = [first, *on_planes(K, b), *in_hole(K, b), *on_rim(K, b), *edges, *at_corners(K, b)]
    X, N, D, margins = together(parts, len(p))
    depth, ambiguous = once(X, N, D, margins, K.solid.tol)
    nothing = np.nonzero(~(depth > 0).any(1))[0]
    ambiguous |= through(np.array(a["semi_axes"], LD), b, K.solid, nothing, X, N, depth)
    nothing = nothing[~(depth[nothing] > 0).any(1)]
    ambiguous |= last_way("ellipsoid", a, b, K.solid, nothing, X, N, depth)
    feature = np.broadcast_to(32 + np.arange(depth.shape[1]), depth.shape)
    return Candidates(feature, X, N, depth), ambiguous | tie | kink


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
