"""The least translation that parts two convex solids. Part of the slow reference.

The least overlap is at the normal of a face, at what is across an edge of each, or where a curved surface faces
something: all such directions are listed and the true overlap of each is taken, so that none can make the result too
small. Every solid is given in the frame of B at N poses.
"""

from typing import NamedTuple

import numpy as np

from tests.oracle.reference_curved import GRID, NEIGHBOURS, curved, descend, polish
from tests.oracle.reference_round import Z, polytope
from tests.oracle.reference_socket import LD, bisect, dot, norm, unit

TIE = 1e-12  # m, minima (or depths) nearer than this are equally good
SAME = 1e-7  # unless they are the same: directions that differ by less
FACE = 1e-9  # a normal that differs by less is that of the face
PARALLEL = 1e-10  # sine of edges that have no direction across both
# A point in a plane of symmetry is moved off it by this part of the semi-axis: there zeros hide behind poles. It turns
# the normal by as much and the least depth by its square.
OFF_PLANE = 1e-9
ROUNDING = 1e-15  # of doubles
SHORTLIST = 12  # pairs of edges whose overlap is taken in extended precision
LOWEST = 6  # places of the grid from which to go downhill in any case
NEARLY = 0.3  # n . axis, up to which a disc is taken beyond its side
BESIDE = (1e-5, 3e-4, 1e-2)  # rad
PROMISING = 4  # lines or points that a curved surface may face
BLOCK = 1_500_000  # pairs of edges at a time


class Body(NamedTuple):
    """A solid placed at N poses: origin c (N, 3), rotation R (N, 3, 3), and what its kind has."""

    kind: str
    c: np.ndarray
    R: np.ndarray
    P: object = None  # of a triangle, box, polyhedron
    M: object = None  # (N, 3, 3), |M n| is the support of the ellipsoid, of the disc of a cylinder, about c
    half: float = 0  # m, of a cylinder's length
    radius: float = 0  # m, of a cylinder


def body(kind, a, c, R):
    """The Body of a shape."""
    if kind == "ellipsoid":
        return Body(kind, c, R, M=np.array(a["semi_axes"], LD)[:, None] * R.swapaxes(1, 2))
    if kind == "cylinder":
        disc = np.array([a["radius"], a["radius"], 0], LD)[:, None] * R.swapaxes(1, 2)
        return Body(kind, c, R, M=disc, half=LD(a["length"]) / 2, radius=LD(a["radius"]))
    return Body(kind, c, R, P=polytope(kind, a))


def turned(S, v):
    """Vectors v (K, 3) of the body's frame in B's, (N, K, 3)."""
    return np.einsum("nij,kj->nki", S.R, v)


def corners(S):
    """All corners of a polytope (N, V, 3)."""
    return S.c[:, None] + turned(S, S.P.corners)


def times(M, n):
    """M (N, 3, 3) times n (N, K, 3)."""
    return np.einsum("nij,nkj->nki", M, n)


def support(S, n):
    """max of n . x over the solid, for directions n (N, K, 3)."""
    if S.P is None:
        return dot(n, S.c[:, None]) + norm(times(S.M, n)) + S.half * np.abs(dot(n, S.R[:, None, :, 2]))
    best = np.full(n.shape[:2], -np.inf, LD)
    for v in np.moveaxis(corners(S), 1, 0):
        best = np.maximum(best, dot(n, v[:, None]))
    return best


def overlap(A, B, n):
    """How far A must move along -n to be clear of B."""
    return support(A, n) + support(B, -n)


def rows_of(S, rows):
    """The same solid at some of its poses."""
    return S._replace(c=S.c[rows], R=S.R[rows], M=None if S.M is None else S.M[rows])


def middle(S):
    """Centre (N, 3) of a ball that holds the solid, whose radius is reach."""
    return S.c if S.P is None else S.c + S.R @ S.P.corners.mean(0)


def reach(S):
    if S.P is None:
        return np.hypot(semi_axes(S).max(), S.half)
    return norm(S.P.corners - S.P.corners.mean(0)).max()


# ---- directions in which two solids may be nearest to apart, n from A to B ------------------------


def both_ways(n):
    return np.concatenate([n, -n], axis=1)


def face_normals(S):
    """Outward normals (N, F, 3)."""
    if S.kind == "ellipsoid":
        return np.zeros((len(S.c), 0, 3), LD)
    return turned(S, np.array([Z, -Z]) if S.kind == "cylinder" else S.P.normals)


def edge_directions(S):
    """Unit vectors along all edges (N, E, 3)."""
    return unit(turned(S, S.P.corners[S.P.edges[:, 1]] - S.P.corners[S.P.edges[:, 0]]), Z)


def triple(u, v):
    """All products u . v of (n, a, 3) and (n, b, 3), as (n, a, b)."""
    return u @ v.swapaxes(1, 2)


def across_edges(A, B):
    """What is across an edge of A and one of B, of two polytopes: the pairs of least overlap among those of which
    neither edge has a face rising above it. With n = a x b: n . w = b . (w x a) = a . (b x w)."""
    t_A, t_B = edge_directions(A), edge_directions(B)
    into_A, into_B = ([turned(S, S.P.into()[:, side]) for side in (0, 1)] for S in (A, B))
    on_A, on_B = (corners(S)[:, S.P.edges[:, 0]] for S in (A, B))
    chosen = []
    block = max(1, BLOCK // (t_A.shape[1] * t_B.shape[1]))
    for i in range(0, len(A.c), block):
        a, b, x, y, a0, a1, b0, b1 = (
            v[i : i + block].astype(float) for v in (t_A, t_B, on_A, on_B, *into_A, *into_B)
        )
        less, more = ([(a[:, :, None, k] + sign * b[:, None, :, k]) ** 2 for k in range(3)] for sign in (-1, 1))
        sine = np.sqrt(sum(less) * sum(more)) / 2
        gap = (triple(np.cross(x, a), b) - triple(a, np.cross(b, y))) / np.maximum(sine, PARALLEL)
        up_a = [triple(np.cross(w, a), b) for w in (a0, a1)]
        up_b = [triple(a, np.cross(b, w)) for w in (b0, b1)]
        slack = FACE * sine + ROUNDING
        with_n = (np.maximum(*up_a) <= slack) & (np.minimum(*up_b) >= -slack)
        against = (np.minimum(*up_a) >= -slack) & (np.maximum(*up_b) <= slack)
        value = np.minimum(np.where(with_n, gap, np.inf), np.where(against, -gap, np.inf))
        value = np.where(sine > PARALLEL, value, np.inf).reshape(len(a), -1)
        most = min(SHORTLIST, value.shape[1])
        chosen.append(np.argpartition(value, most - 1, axis=1)[:, :most])
    e_A, e_B = np.divmod(np.concatenate(chosen)[..., None], t_B.shape[1])
    return both_ways(unit(np.cross(np.take_along_axis(t_A, e_A, 1), np.take_along_axis(t_B, e_B, 1)), Z))


def facing(a, y):
    """Where an ellipsoid (or ellipse) with semi-axes a (..., k), the least first, faces a point y (..., k) that lies
    below its surface: outward normals (..., 3, k). Least distances from y to x on the surface have

      y = x + t x/a^2,  |x/a| = 1,  s = t + a_0^2,  n ~ x/a^2 ~ y/(d + s),  d = a^2 - a_0^2,

    with s > 0, which is the nearest place, or with -d_1 < s < 0, where the function is convex: two zeros or none.
    """
    y = np.where(np.abs(y) < OFF_PLANE * a, OFF_PLANE * a, y)
    d = a**2 - a[..., :1] ** 2
    parts = [((a * y)[..., k] ** 2, d[..., k]) for k in range(y.shape[-1])]
    zero, end = np.zeros(y.shape[:-1], y.dtype), -d[..., 1]
    steps = 72 if y.dtype == LD else 36  # doubles only shortlist

    def G(s):
        return sum(part / (d + s) / (d + s) for part, d in parts) - 1

    def rise(s):  # of G, but for a factor of -2
        return sum(part / (d + s) / (d + s) / (d + s) for part, d in parts)

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        turn = bisect(lambda s: -rise(s), end, zero, steps)
        s = [
            bisect(lambda s: -G(s), zero, np.sqrt(sum(part for part, _ in parts)), steps),
            bisect(lambda s: -G(s), end, turn, steps),
            bisect(G, turn, zero, steps),
        ]
        n = y[..., None, :] / (d[..., None, :] + np.stack(s, axis=-1)[..., None])
    n = np.where(np.isfinite(n).all(-1, keepdims=True), n, 1)
    return n / np.sqrt((n * n).sum(-1, keepdims=True))


def facing_points(S, v):
    """Directions (N, 3 V, 3) in which an ellipsoid faces points v (N, V, 3)."""
    a = semi_axes(S)
    order = np.argsort(a)
    axes = S.R[:, :, order]
    n = facing(a[order], np.einsum("nji,nvj->nvi", axes, v - S.c[:, None]))
    return np.einsum("nij,nvkj->nvki", axes, n).reshape(len(v), -1, 3)


def facing_lines(S, v, e):
    """Directions across e in which an ellipsoid or disc faces lines v + s e, each (N, K, 3): as a point in the plane
    across e, in which the solid looks like an ellipse."""
    u = np.cross(e, np.where(np.abs(e[..., 2:]) < 0.6, Z, Z[::-1]).astype(e.dtype))
    u = u / norm(u)[..., None]
    w = np.cross(e, u)
    Mu, Mw = times(S.M, u), times(S.M, w)
    angle = np.arctan2(2 * dot(Mu, Mw), dot(Mu, Mu) - dot(Mw, Mw)) / 2
    cos, sin = np.cos(angle)[..., None], np.sin(angle)[..., None]
    axes = np.stack([cos * w - sin * u, cos * u + sin * w], axis=-2)  # the shorter one first
    a = np.stack([norm(times(S.M, axes[..., i, :])) for i in (0, 1)], axis=-1)
    y = dot(axes, (v - S.c[:, None])[..., None, :])
    n = np.einsum("nkri,nkij->nkrj", facing(a, y), axes)
    return np.concatenate([n, axes, -axes], axis=2).reshape(len(v), -1, 3)


def rough(S):
    """The solid in double precision."""
    P = S.P and S.P._replace(corners=S.P.corners.astype(float), normals=S.P.normals.astype(float))
    c, R, M = (v if v is None else v.astype(float) for v in (S.c, S.R, S.M))
    return S._replace(c=c, R=R, M=M, P=P, half=float(S.half), radius=float(S.radius))


def promising(A, B, facing_these, S, *places):
    """Directions in which S, a part of A, faces those of the places (N, K, 3) that doubles find nearest to apart."""
    if places[0].shape[1] > PROMISING:
        n = facing_these(rough(S), *(v.astype(float) for v in places))
        depth = overlap(rough(A), rough(B), n).reshape(*places[0].shape[:2], -1).min(-1)
        pick = np.argpartition(depth, PROMISING, axis=1)[:, :PROMISING, None]
        places = [np.take_along_axis(v, pick, axis=1) for v in places]
    return facing_these(S, *places)


# ---- two curved surfaces -------------------------------------------------------------------------


def ends(S):
    """Signs and centres (N, 3) of a cylinder's two discs; of an ellipsoid its own, on no side."""
    return [(z, S.c + z * S.half * S.R[:, :, 2]) for z in ((-1, 1) if S.kind == "cylinder" else (0,))]


def low_places(A, B):
    """Rows and directions: all places of a grid with no lower neighbour, and the lowest of each row."""
    depth = overlap(rough(A), rough(B), np.broadcast_to(GRID, (len(A.c), *GRID.shape)))
    low = (depth[:, :, None] <= depth[:, NEIGHBOURS]).all(-1)
    np.put_along_axis(low, np.argpartition(depth, LOWEST, axis=1)[:, :LOWEST], True, axis=1)
    row, k = np.nonzero(low)
    return row, GRID[k]


def beside_axes(A, B):
    """Rows and directions beside the normals of all ends, where the overlap falls: a rim's minimum may be close to the
    end's own normal, in a valley as narrow as the angle between the two."""
    found = []
    for S, other in ((A, B), (B, A)):
        for n in (S.R[:, :, 2], -S.R[:, :, 2]) if S.kind == "cylinder" else ():
            side_A, side_B = (T.half * np.sign(dot(n, T.R[:, :, 2]))[:, None] * T.R[:, :, 2] for T in (A, B))
            flat = np.zeros(S.M.shape)
            _, slope, _, tangents = curved(A.c - B.c + side_A + side_B, flat, other.M, n)
            down = -unit(np.einsum("sk,ski->si", slope, tangents), 0)
            found += [(np.arange(len(n)), unit(n + angle * down, Z).astype(float)) for angle in BESIDE]
    return found


def curved_minima(A, B):
    """Local minima (N, K, 3) of two curved solids, downhill from low places of a grid; the discs of a cylinder are
    taken where they are on the side of n, or nearly."""
    row, n = (np.concatenate(parts) for parts in zip(low_places(A, B), *beside_axes(A, B), strict=True))
    rows, starts, centres = [], [], []
    for side_A, end_A in ends(A):
        for side_B, end_B in ends(B):
            up_A, up_B = (dot(n, S.R[row, :, 2].astype(float)) for S in (A, B))
            here = (up_A * side_A >= -NEARLY) & (up_B * -side_B >= -NEARLY)
            rows.append(row[here])
            starts.append(n[here])
            centres.append((end_A - end_B)[row[here]])
    row, n, c = np.concatenate(rows), np.concatenate(starts), np.concatenate(centres)
    n = descend(c.astype(float), A.M[row].astype(float), B.M[row].astype(float), n)

    depth = overlap(rows_of(rough(A), row), rows_of(rough(B), row), n[:, None])[:, 0]
    order = np.lexsort((depth, row))
    order = order[np.arange(len(row)) - np.searchsorted(row[order], row[order]) < PROMISING]
    row, n, c = row[order], n[order], c[order]
    found = np.broadcast_to(Z, (len(A.c), PROMISING, 3)).copy()
    found[row, np.arange(len(row)) - np.searchsorted(row, row)] = polish(c, A.M[row], B.M[row], n)
    return found


# ---- the least of all ----------------------------------------------------------------------------


def discs(S):
    """The solid with its origin at each of its ends: |M n| is the support of what is there."""
    return [S._replace(c=end) for _, end in ends(S)]


def semi_axes(S):
    """Of an ellipsoid, from its M."""
    return norm(S.M[0])


def ellipsoid_and(A, B):
    """A an ellipsoid, B any other solid."""
    found = [both_ways(A.R.swapaxes(1, 2))]
    if B.P is None:
        found.append(curved_minima(A, B))
    if B.kind == "cylinder":
        found.append(facing_lines(A, B.c[:, None], B.R[:, None, :, 2]))
    if B.P is not None:
        v = corners(B)
        found.append(promising(A, B, facing_points, A, v))
        found.append(promising(A, B, facing_lines, A, v[:, B.P.edges[:, 0]], edge_directions(B)))
    return found


def cylinder_and_polytope(A, B):
    """The side of A against corners and edges, its rims against edges."""
    axis, v, e = A.R[:, None, :, 2], corners(B), edge_directions(B)
    w = v - A.c[:, None]
    radial = unit(w - dot(w, axis)[..., None] * axis, Z)
    rims = [promising(A, B, facing_lines, disc, v[:, B.P.edges[:, 0]], e) for disc in discs(A)]
    return [both_ways(radial), both_ways(unit(np.cross(axis, e), Z)), *rims]


def cylinder_and_cylinder(A, B):
    """Side and side, side and rim, rim and rim."""
    axis_A, axis_B, w = A.R[:, None, :, 2], B.R[:, None, :, 2], (B.c - A.c)[:, None]
    found = [both_ways(unit(np.cross(axis_A, axis_B), Z)), both_ways(unit(w - dot(w, axis_A)[..., None] * axis_A, Z))]
    found += [facing_lines(disc, B.c[:, None], axis_B) for disc in discs(A)]
    found += [-facing_lines(disc, A.c[:, None], axis_A) for disc in discs(B)]
    return [*found, curved_minima(A, B)]


def directions(A, B):
    """All of them (N, K, 3); some row may repeat, some may be far from any minimum."""
    kinds = A.kind, B.kind
    if kinds[1] == "ellipsoid" != kinds[0] or (kinds[1] == "cylinder" and A.P is not None):
        return -directions(B, A)
    if "ellipsoid" in kinds:
        curves = ellipsoid_and(A, B)
    elif "cylinder" in kinds:
        curves = cylinder_and_cylinder(A, B) if B.P is None else cylinder_and_polytope(A, B)
    else:
        curves = [across_edges(A, B)]
    return np.concatenate([face_normals(A), -face_normals(B), *curves], axis=1)


def least_translation(A, B):
    """n_AB (N, 3), depth (N,), and whether another direction is as good within TIE."""
    n = directions(A, B)
    depth = overlap(A, B, n)
    best = depth.argmin(1)[:, None]
    n_AB, d = np.take_along_axis(n, best[..., None], 1), np.take_along_axis(depth, best, 1)
    tie = (depth < d + TIE) & (norm(n - n_AB) > SAME)
    return n_AB[:, 0], d[:, 0], tie.any(1)
