"""What touches of a shape and a mesh: all possible contacts of every pair, in the frame of the mesh B.

Written from docs/manifolds.md; part of the slow reference. p (N, 3) and R (N, 3, 3) place A in the frame of B. A
contact is a place S on the mesh (or on the tangent plane there), a normal n_AB and a depth; half-way between the
surfaces is S + n_AB depth/2. Every condition has a margin, in m or a sine, that is positive where it holds.
"""

from typing import NamedTuple

import numpy as np

from reference import rotate, thickness
from reference_round import KINK, ellipsoid_distance
from reference_socket import LD, bisect, dot, norm, unit
from reference_surface import (
    TOL,
    Z,
    corner_faces,
    crossing,
    edge_faces,
    edge_lengths,
    edges_at,
    faces_at,
    in_plane,
    least,
    nearest,
    on_triangles,
    over_face,
    surface,
)

ONE_PLACE = 1e-9  # of the mesh's size
ALONE = -1  # group of contacts that share with none


class Found(NamedTuple):
    """M possible contacts, those with a margin above -TOL."""

    row: np.ndarray  # (M,) pose
    S: np.ndarray  # (M, 3)
    n: np.ndarray  # (M, 3) from A to B
    depth: np.ndarray  # (M,)
    margin: np.ndarray  # (M,)
    group: np.ndarray  # (M,)
    share: np.ndarray  # (M,) of those that share with no others


def found(margin, S, n, depth, group=ALONE):
    """Those of (N, K) candidates that may count."""
    i, k = np.nonzero(margin > -TOL)
    S, n = np.broadcast_to(S, (*margin.shape, 3)), np.broadcast_to(n, (*margin.shape, 3))
    return Found(i, S[i, k], n[i, k], depth[i, k], margin[i, k], np.full(len(i), group), np.ones(len(i)))


def single(margin, S, n, depth, rows, group=ALONE, share=None):
    """Those of (M,) candidates, of the poses `rows`, that may count."""
    k = np.nonzero(margin > -TOL)[0]
    share = np.ones(len(k)) if share is None else share[k]
    return Found(rows[k], S[k], n[k], depth[k], margin[k], np.full(len(k), group), share)


def joined(parts):
    """Several Found in one."""
    return Found(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def verge(phi, sure):
    """Margin of a place being inside; where the nearest place is unsure, it is on the verge of a contact."""
    return np.where(sure, -phi, np.minimum(-phi, 0))


# ---- balls and sweeps ----------------------------------------------------------------------------


def below(M, x, r, group=ALONE):
    """Rule 2: balls about points (N, 3) that are behind the surface, in the box around it or not deep."""
    phi, S, g, sure = nearest(M, x)
    low, high = M.faces.min((0, 1)), M.faces.max((0, 1))
    in_box = np.minimum(x - low, high - x).min(-1)
    return single(least(verge(phi, sure), np.maximum(phi + r, in_box)), S, -g, r - phi, np.arange(len(x)), group)


def ball(M, x, r, group=0, t=None):
    """A ball about x (N, 3). With t (N, 3): the end of an axis, from where it goes on along t."""
    (foot, over, h), (on_edge, along) = faces_at(M, x), edges_at(M, x)
    to_edge, to_corner = x[:, None] - on_edge, x[:, None] - M.corners
    ends = [np.full((1, 1), np.inf) if t is None else dot(w, t[:, None]) for w in (to_edge, to_corner)]
    from_edge = least(along, edge_faces(M, to_edge), r - norm(to_edge), ends[0])
    from_corner = least(corner_faces(M, to_corner), r - norm(to_corner), ends[1])
    return joined([
        found(least(over, h, r - h), foot, -M.normals, r - h, group),
        found(from_edge, on_edge, -unit(to_edge, 0), r - norm(to_edge), group),
        found(from_corner, M.corners, -unit(to_corner, 0), r - norm(to_corner), group),
        below(M, x, r, group),
    ])  # fmt: skip


def sweep(M, Q0, t, length, r):
    """A ball swept from Q0 (N, 3) along t: both ends, and the body against edges and corners."""
    ends = [ball(M, Q0, r, 0, t), ball(M, Q0 + length * t, r, 1, -t)]
    F, E, inside = crossing(Q0[:, None], t[:, None], length, M.edges[:, 0], M.along, edge_lengths(M))
    w = F - E
    d, up = norm(w), dot(w, M.edge_out)
    near = least(np.where(M.convex | M.border, inside, -1), r - d)
    outside = found(least(near, up), E, -unit(w, M.edge_out), r - d)

    i, k = np.nonzero(least(near, -up) > -TOL)
    phi = nearest(M, F[i, k])[0]
    wings = in_plane(M, M.wings[k, 0]) | in_plane(M, M.wings[k, 1])
    to_wings = np.where(wings, norm(F[i, k][:, None] - on_triangles(M, F[i, k])[0]), np.inf).min(1)
    margin = np.where(to_wings <= -phi + ONE_PLACE * M.size, least(near[i, k], -up[i, k], -phi), -1)
    through = single(margin, E[i, k], unit(w[i, k], 0), r + d[i, k], i)

    s = dot(M.corners - Q0[:, None], t[:, None])
    w = Q0[:, None] + s[..., None] * t[:, None] - M.corners
    margin = least(s, length - s, r - norm(w), corner_faces(M, w))
    return joined([*ends, outside, through, found(margin, M.corners, -unit(w, 0), r - norm(w))])


def ball_pair(a):
    return lambda M, p, R: ball(M, p, thickness(a).astype(p.dtype))


def sweep_pair(a):
    def pair(M, p, R):
        length, r, t = p.dtype.type(a["length"]), thickness(a).astype(p.dtype), R[:, :, 2]
        return sweep(M, p - length / 2 * t, t, length, r)

    return pair


# ---- ellipsoid -----------------------------------------------------------------------------------


def turned(R, v):
    """Vectors v (K, 3) by rotations (N, 3, 3): (N, K, 3)."""
    return np.einsum("nij,kj->nki", R, v)


def in_A(R, x):
    """Vectors (N, 3) of B's frame in A's."""
    return np.einsum("nji,nj->ni", R, x)


def corners_inside(M, phi_A, reach, p, R):
    """Convex corners of B inside A, which lies within reach of its origin, that face -g_A. They share."""
    i, k = np.nonzero(M.convex_corner & (norm(M.corners - p[:, None]) < reach))
    phi, g = phi_A(in_A(R[i], M.corners[k] - p[i]))
    n = rotate(R[i], g)
    margin = least(-phi, corner_faces(M._replace(corner_g=M.corner_g[k], spokes=M.spokes[k]), -n))
    return single(margin, M.corners[k], n, -phi, i, 0)


def overlap_contact(M, p, support):
    """Where the centre is behind the surface: all of A against the tangent plane at S."""
    phi, S, g, sure = nearest(M, p)
    a = support(-g)
    depth = dot(-g, a - S)
    return single(verge(phi, sure), a + g * depth[:, None], -g, depth, np.arange(len(p))), phi < 0


def ellipsoid_pair(a):
    axes = np.array(a["semi_axes"], LD)

    def phi_A(x):
        return ellipsoid_distance(a, x)[:2]

    def pair(M, p, R):
        K = axes[:, None] * R.swapaxes(1, 2)  # |K n| is the support along n

        def support(n):  # (N, 3) or (N, T, 3)
            Kn = np.einsum("nij,n...j->n...i", K, n)
            reach = np.einsum("nji,n...j->n...i", K, Kn) / norm(Kn)[..., None]
            return reach + (p if n.ndim == 2 else p[:, None])

        deep, inside = overlap_contact(M, p, support)
        lowest = support(np.broadcast_to(-M.normals, (len(p), *M.normals.shape)))
        _, _, h_centre = faces_at(M, p)
        h = dot(lowest - M.faces[:, 0], M.normals)
        foot = lowest - h[..., None] * M.normals
        margin = least(h_centre, -h, over_face(M.faces, M.normals, foot))
        parts = [found(margin, foot, -M.normals, -h, 0), edges_in_ellipsoid(a, M, p, R),
                 corners_inside(M, phi_A, axes.max() + TOL, p, R)]  # fmt: skip
        shallow = joined(parts)
        return joined([deep, Found(*(column[~inside[shallow.row]] for column in shallow))])

    return pair


def edges_in_ellipsoid(a, M, p, R):
    """Convex or border edges whose point of least phi_A is strictly inside them and in the ellipsoid."""
    start, t = in_A_all(R, M.edges[:, 0] - p[:, None]), np.einsum("nji,kj->nki", R, M.along)
    length = edge_lengths(M)
    axes = np.array(a["semi_axes"], LD)
    u, v = start / axes, t / axes
    s = np.clip(-dot(u, v) / dot(v, v), 0, length)
    i, k = np.nonzero((norm(u + s[..., None] * v) < 1 + TOL) & (M.convex | M.border))  # those that pass through it

    def g_at(s):
        return ellipsoid_distance(a, start[i, k] + s[:, None] * t[i, k])[1]

    def slope(s):
        return dot(g_at(s), t[i, k])

    def facing(s):
        return edge_faces(M._replace(into=M.into[k], edge_g=M.edge_g[k]), -rotate(R[i], g_at(s)))

    zero = np.zeros(len(i), LD)
    turns = least(-slope(zero), slope(length[k]))
    s = bisect(slope, zero, length[k])
    phi, g, _ = ellipsoid_distance(a, start[i, k] + s[:, None] * t[i, k])
    # with a kink two sides are equally near and either normal is right
    either = np.where(np.maximum(facing(s - TOL), facing(s + TOL)) > 0, 0, -1)
    faced = np.where(np.abs(slope(s)) < KINK, facing(s), either)
    margin = least(turns, s, length[k] - s, -phi, faced)
    return single(margin, M.edges[k, 0] + s[:, None] * M.along[k], rotate(R[i], g), -phi, i, 0)


def in_A_all(R, x):
    """Vectors (N, K, 3) of B's frame in A's."""
    return np.einsum("nji,nkj->nki", R, x)


def on_plane(a, p, R):
    """Convex corners of a mesh below z = 0."""
    M = surface(a)
    x = p[:, None] + turned(R, M.corners)
    return found(np.where(M.convex_corner, -x[..., 2], -1), x * [1, 1, 0], -Z, -x[..., 2])
