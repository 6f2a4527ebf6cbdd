"""Triangle, box, polyhedron or mesh against a mesh: corners of each in the other, and edges of both that cross.

Written from docs/manifolds.md; part of the slow reference. All corners are tried against all faces and all edges
against all edges, in the frame of the mesh B. Margins as in reference_mesh_pairs.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reference_mesh_pairs import ALONE, joined, single, turned
from reference_round import heights, polytope
from reference_socket import dot, norm, unit
from reference_surface import APART, TOL, least, nearest_place, on_triangles, polytope_surface, surface

ON = 1e-13  # m: what lies on the surface, as places on a face by construction do, is inside
SLOPE = 0.5  # a corner faces what none of its edges leads down from by more


class Solid(NamedTuple):
    """What can be asked of a body in its own frame."""

    holds: Callable  # x (M, 3): margin of being inside or on the surface
    push: Callable  # x (M, 3), spokes (M, D, 3) of corners there: margin, way out g (M, 3), depth
    convex: bool


class Ridges(NamedTuple):
    """Edges that are convex, or on a border."""

    ends: np.ndarray  # (E, 2, 3)
    along: np.ndarray  # (E, 3) unit
    n0: np.ndarray  # (E, 3) normals of both faces; on a border the second leads out of the surface
    n1: np.ndarray  # (E, 3)
    tips: np.ndarray  # (E, 2) the ends are convex corners
    sheet: bool

    def into(self):
        """From every edge into its two faces."""
        return np.cross(self.n0, self.along), np.cross(self.along, self.n1)


def polyhedral_pair(kind):
    def make(a):
        A = surface(a) if kind == "mesh" else polytope_surface(kind, a)
        inside_A = None if kind == "triangle" else mesh_solid(A, A.size) if kind == "mesh" else hull(polytope(kind, a))
        ridges_A, reach = ridges(A, kind == "triangle"), norm(A.corners).max() + TOL
        mine = A.convex_corner

        def pair(M, p, R):
            inside_B, count = mesh_solid(M, A.size), mine.sum()
            x = (p[:, None] + turned(R, A.corners[mine])).reshape(-1, 3)
            spokes = np.einsum("nij,kdj->nkdi", R, A.spokes[mine]).reshape(len(x), -1, 3)
            parts = [pushed(inside_B, x, spokes, np.repeat(np.arange(len(p)), count), -1)]
            if inside_A:
                parts.append(corners_of_B(M, inside_A, reach, p, R))
            return joined([*parts, crossings(ridges_A, inside_A, ridges(M), inside_B, reach, p, R)])

        return pair

    return make


# ---- corners -------------------------------------------------------------------------------------


def pushed(solid, x, spokes, rows, sign):
    """Corners x inside the solid, whose way out is `sign` n_AB."""
    margin, g, depth = solid.push(x, spokes)
    S = x if sign > 0 else x + depth[:, None] * g  # on B
    return single(margin, S, sign * g, depth, rows)


def corners_of_B(M, inside_A, reach, p, R):
    i, k = np.nonzero(M.convex_corner & (norm(M.corners - p[:, None]) < reach))
    x, spokes = in_A(R[i], M.corners[k] - p[i]), np.einsum("mji,mdj->mdi", R[i], M.spokes[k])
    here = pushed(inside_A, x, spokes, i, 1)
    return here._replace(S=p[here.row] + to_B(R[here.row], here.S), n=to_B(R[here.row], here.n))


def in_A(R, x):
    """Vectors (M, 3) of B's frame in A's."""
    return np.einsum("mji,mj->mi", R, x)


def to_B(R, x):
    return np.einsum("mij,mj->mi", R, x)


def on_or_in(inside):
    """Margin of what is so deep inside, which on the surface counts for sure."""
    return np.where(inside > -ON, np.maximum(inside, 2 * TOL), np.where(inside > -2 * TOL, 0, inside))


def facing(spokes, normals):
    """Margin (M, F) of corners facing faces with these normals (F, 3)."""
    return np.einsum("mdi,fi->mfd", spokes, normals).min(-1) + SLOPE


def hull(P):
    """A convex solid: what lies behind the planes of its faces."""

    def holds(x):
        return on_or_in(-heights(P, x).max(-1))

    def push(x, spokes):
        h = heights(P, x)
        faced = facing(spokes, P.normals)
        height = np.where(faced > 0, h, -np.inf)
        best = height.argmax(1)
        top = height.max(1)
        rival = (h > top[:, None] - TOL) & (faced > -TOL)
        rival[np.arange(len(x)), best] = np.abs(faced[np.arange(len(x)), best]) < TOL
        margin = np.where(rival.any(1), np.minimum(-h.max(1), 0), np.where(np.isfinite(top), -h.max(1), -1))
        return margin, P.normals[best], -np.where(np.isfinite(top), top, 0)

    return Solid(holds, push, True)


def mesh_solid(M, limit):
    """What lies behind a mesh. No corner in it is pushed further than `limit`, but out through the nearest face."""

    def signed(x):
        """Margin of being inside, on the surface or straight below its border."""
        at = nearest_place(M, x)
        beyond = beyond_skirts(M, x, at.S)
        inside = np.where(at.side < 0, np.where(at.border, np.minimum(at.distance, on_or_in(-beyond)), at.distance),
                          -at.distance)  # fmt: skip
        return inside, at.sided, at.distance

    def holds(x):
        if len(x) == 0:
            return np.zeros(0)
        inside, sure, distance = signed(x)
        return np.where(sure | (distance < TOL), on_or_in(inside), np.minimum(inside, 0))

    def push(x, spokes):
        if len(x) == 0:
            return np.zeros(0), x, np.zeros(0)
        inside, sure, nearest = signed(x)
        inside = np.where(sure, inside, np.minimum(inside, 0))
        margin, g, depth = inside.copy(), np.zeros_like(x), np.zeros_like(inside)
        k = np.nonzero(inside > -TOL)[0]
        out, g[k], depth[k] = way_out(M, x[k], spokes[k], limit, nearest[k])
        margin[k] = least(inside[k], out)
        return margin, g, depth

    return Solid(holds, push, False)


def way_out(M, x, spokes, limit, nearest):
    """Through the nearest of the triangles that corners x (K, 3) face: margin, g, depth."""
    row = np.arange(len(x))
    S, h = on_triangles(M, x)
    d = norm(x[:, None] - S)
    may = least(facing(spokes, M.normals), np.where(d < nearest[:, None] + TOL, np.inf, limit - d))
    near = np.where(may > 0, d, np.inf).min(1)
    tied = (may > 0) & (d <= near[:, None] * (1 + 100 * np.finfo(d.dtype).eps))
    best = np.where(tied, np.abs(h), -np.inf).argmax(1)  # the one from whose plane x is furthest
    elsewhere = (may > 0) & (d < near[:, None] + TOL) & (norm(S - S[row, best][:, None]) > APART)
    unclear = elsewhere | ((np.abs(may) < TOL) & (d < near[:, None] + TOL))
    margin = np.where(np.isfinite(near), -h[row, best], -1)
    depth = d[row, best]
    return np.where(unclear.any(1), 0, margin), unit(S[row, best] - x, M.normals[best]), depth


def beyond_skirts(M, x, S):
    """How far x is beyond the walls that go straight down from the border, those at S."""
    ends = M.edges[M.border]
    if len(ends) == 0:
        return np.full(len(x), -np.inf)
    side = ends[:, 1] - ends[:, 0]
    s = np.clip(dot(S[:, None] - ends[:, 0], side) / dot(side, side), 0, 1)
    here = norm(ends[:, 0] + s[..., None] * side - S[:, None]) < TOL
    return np.where(here, dot((x - S)[:, None], -M.into[M.border, 0]), -np.inf).max(1)


# ---- edges ---------------------------------------------------------------------------------------


def ridges(S, sheet=False):
    """The Ridges of a Surface."""
    k = np.nonzero(S.convex | S.border)[0]
    n0 = S.normals[S.wings[k, 0]]
    n1 = np.where(S.border[k, None], -S.into[k, 0], S.normals[S.wings[k, 1]])
    at = (S.edges[k, :, None] == S.corners).all(-1).argmax(-1)
    return Ridges(S.edges[k], S.along[k], n0, n1, S.convex_corner[at], sheet)


def moved(E, p, R):
    """The Ridges of A in B's frame, one row for each of M pairs."""
    return E._replace(ends=p[:, None] + np.einsum("mij,mkj->mki", R, E.ends), along=to_B(R, E.along),
                      n0=to_B(R, E.n0), n1=to_B(R, E.n1))  # fmt: skip


def chosen(E, k):
    return Ridges(*(column[k] for column in E[:-1]), E.sheet)


def crossings(A, inside_A, B, inside_B, reach, p, R):
    """All pairs of edges, of a body A that lies within reach of its origin."""
    parts = []
    for k in range(len(B.ends)):
        length = norm(B.ends[k, 1] - B.ends[k, 0])
        s = np.clip(dot(p - B.ends[k, 0], B.along[k]), 0, length)
        rows = np.nonzero(norm(B.ends[k, 0] + s[:, None] * B.along[k] - p) < reach + length / 2)[0]
        i, j = (index.ravel() for index in np.meshgrid(rows, np.arange(len(A.ends)), indexing="ij"))
        parts.append((i, j, np.full(len(i), k)))
    i, j, k = (np.concatenate(column) for column in zip(*parts, strict=True))
    a, b = moved(chosen(A, j), p[i], R[i]), chosen(B, k)
    near = across(a, b)[0] > -TOL
    a, b, i = chosen(a, near), chosen(b, near), i[near]
    met = meet(a, b)
    near = met.margin > -TOL
    a, b, i, met = chosen(a, near), chosen(b, near), i[near], Meeting(*(column[near] for column in met))

    def in_A_holds(x):
        return inside_A.holds(in_A(R[i], x - p[i]))

    inside = least(met.margin, inside_B.holds(met.X_a), -stands(a, met.X_a, met.depth, inside_B.holds))
    if inside_A:
        inside = least(inside, in_A_holds(met.X_b), -stands(b, met.X_b, met.depth, in_A_holds))
    return single(inside, met.E_b, met.n, met.depth, i, ALONE, met.share)


class Meeting(NamedTuple):
    """Of M pairs of edges."""

    margin: np.ndarray  # (M,)
    n: np.ndarray  # (M, 3) from A to B, across both
    depth: np.ndarray  # (M,)
    share: np.ndarray  # (M,)
    E_b: np.ndarray  # (M, 3) foot of the common perpendicular on B's edge
    X_a: np.ndarray  # (M, 3) where the edges are under each other
    X_b: np.ndarray  # (M, 3)


def meet(a, b):
    """The Meeting of edges, but for what is inside of what."""
    margin, n, share, E_a, E_b = across(a, b)
    X_a, clear_a = behind(E_a, a.along, E_b, b)
    X_b, clear_b = (E_b, np.inf) if a.sheet else behind(E_b, b.along, E_a, a)
    margin = least(margin, clear_a, clear_b, within(X_a, a), within(X_b, b), half_shorter(a, b) - norm(X_a - X_b))
    return Meeting(margin, n, dot(n, E_a - E_b), share, E_b, X_a, X_b)


def across(a, b):
    """Edges (M,) of both: margin, n from A to B across them, share, and the feet of the common perpendicular."""
    c = np.cross(a.along, b.along)
    n = unit(c, 0)
    into_b = -dot(n, b.n0 + b.n1)
    n = np.where(into_b < 0, -1, 1)[:, None] * n
    out_of_a = np.inf if a.sheet else dot(n, a.n0 + a.n1)
    share = leaning(n, a) * leaning(-n, b).clip(0)
    # the plane through one line that has the perpendicular in it meets the other line
    w, other_a, other_b = b.ends[:, 0] - a.ends[:, 0], np.cross(b.along, n), np.cross(a.along, n)
    apart = norm(c) > TOL
    s_a, s_b = (np.where(apart, dot(u, o) / np.where(apart, dot(t, o), 1), 0)
                for u, t, o in ((w, a.along, other_a), (-w, b.along, other_b)))  # fmt: skip
    E_a, E_b = a.ends[:, 0] + s_a[:, None] * a.along, b.ends[:, 0] + s_b[:, None] * b.along
    depth = dot(n, E_a - E_b)
    margin = least(norm(c) - TOL, np.abs(into_b), out_of_a, leaning(n, a), leaning(-n, b), depth,
                   half_shorter(a, b) - depth)  # fmt: skip
    return margin, n, share, E_a, E_b


def leaning(w, E):
    """1 if w is between the normals of an edge's faces, less where it leans over one of them, 0 from half the angle
    between them on."""
    lean = np.max([dot(w, m) for m in E.into()], axis=0).clip(0)
    half = norm(E.n0 - E.n1) / 2
    return np.where(half > 0, 1 - lean / np.where(half > 0, half, 1), 1)  # one normal: a line of a round side


def behind(E, t, foot, wedge):
    """The point nearest to E on the line through it along t that is behind both planes of an edge through `foot`, and
    the margin of there being one."""
    best, margin, distance = E, np.full(len(E), -np.inf), np.full(len(E), np.inf)

    tries = [(E, -np.maximum(dot(E - foot, wedge.n0), dot(E - foot, wedge.n1)))]
    for n, other in ((wedge.n0, wedge.n1), (wedge.n1, wedge.n0)):
        rate = dot(n, t)
        level = np.abs(rate) < 1e-15
        x = E - (dot(n, E - foot) / np.where(level, 1, rate))[:, None] * t
        tries.append((x, np.where(level, -np.inf, -dot(x - foot, other))))
    for x, here in tries:
        far = norm(x - E)
        better = (here > 0) & (far < distance)
        best, distance = np.where(better[:, None], x, best), np.where(better, far, distance)
        margin = np.maximum(margin, here)
    return best, margin


def within(X, E):
    """Margin of points of edges being between the ends."""
    s = dot(X - E.ends[:, 0], E.along)
    return least(s, norm(E.ends[:, 1] - E.ends[:, 0]) - s)


def half_shorter(a, b):
    return least(*(norm(E.ends[:, 1] - E.ends[:, 0]) for E in (a, b))) / 2


def stands(E, X, depth, holds):
    """Margin of an end, a convex corner, being inside the other body and nearer to X than `depth`."""
    return np.max([least(np.where(E.tips[:, i], depth - norm(X - E.ends[:, i]), -1), holds(E.ends[:, i]))
                   for i in range(2)], axis=0)  # fmt: skip
