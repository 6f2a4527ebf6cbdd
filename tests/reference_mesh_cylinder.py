"""A cylinder against a mesh: points of its ends' circles as corners, its rims and its side as edges.

Written from docs/manifolds.md; part of the slow reference. Margins as in reference_mesh_pairs.py.
"""

import numpy as np

from reference import rotate
from reference_mesh_pairs import found, joined, overlap_contact, single
from reference_mesh_polytopes import (
    SLOPE,
    Ridges,
    Solid,
    chosen,
    corners_of_B,
    facing,
    in_A,
    meet,
    mesh_solid,
    moved,
    on_or_in,
    ridges,
    stands,
    to_B,
)
from reference_round import circle_points
from reference_socket import LD, circle_line_minima, dot, norm, rim_point, unit
from reference_surface import TOL, Z, least, nearest, over_face

STEEP = 0.1  # sine: faces that lean less against an end have no lowest point of its circle
UP = (-1, 1)


def cylinder_pair(a):
    radius, half = LD(a["radius"]), LD(a["length"]) / 2
    inside_A, reach = solid(radius, half), np.hypot(radius, half) + TOL

    def pair(M, p, R):
        def support(n):
            n_A = in_A(R, n)
            radial = radius * unit(n_A * [1, 1, 0], [1, 0, 0])
            return p + rotate(R, radial + np.sign(n_A[:, 2:]) * half * Z)

        inside_B = mesh_solid(M, 2 * (radius + half))
        some = joined([*edges(radius, half, M, inside_A, inside_B, p, R), corners_of_B(M, inside_A, reach, p, R),
                       *(lowest_points(radius, half, end, M, inside_B, p, R) for end in (0, 1))])  # fmt: skip
        for end in (0, 1):
            for points in circle(radius, half, end, M, inside_B, p, R):
                some = joined([some, beside(points, some)])
        deep, _ = overlap_contact(M, p, support)
        alone = ~np.isin(deep.row, some.row[some.margin > 0])
        return joined([some, type(deep)(*(column[alone] for column in deep))])

    return pair


def solid(radius, half):
    """The cylinder in its own frame."""

    def holds(x):
        return on_or_in(least(radius - np.hypot(x[:, 0], x[:, 1]), half - np.abs(x[:, 2])))

    def push(x, spokes):
        rho = np.hypot(x[:, 0], x[:, 1])
        ways = np.stack([unit(x * [1, 1, 0], [1, 0, 0]), -Z + 0 * x, Z + 0 * x], axis=1)
        depth = np.stack([radius - rho, half + x[:, 2], half - x[:, 2]], axis=1)
        faced = np.einsum("mdi,mfi->mfd", spokes, ways).min(-1) + SLOPE
        row, kept = np.arange(len(x)), np.where(faced > 0, depth, np.inf)
        best = kept.argmin(1)
        rival = (depth < kept.min(1)[:, None] + TOL) & (faced > -TOL)
        rival[row, best] = np.abs(faced[row, best]) < TOL
        inside = depth.min(1)
        margin = np.where(rival.any(1), np.minimum(inside, 0), np.where(np.isfinite(kept.min(1)), inside, -1))
        return margin, ways[row, best], depth[row, best]

    return Solid(holds, push, True)


# ---- points of the circles -----------------------------------------------------------------------


def leaving(end, x_A, R):
    """Where the edges of points x_A (K, 3) of a circle lead: to the middle of the end, and along the side."""
    inward = -unit(x_A * [1, 1, 0], 0)
    return np.stack([to_B(R, inward), to_B(R, -UP[end] * Z + 0 * x_A)], axis=1)


def lowest_points(radius, half, end, M, inside_B, p, R):
    """The lowest point of an end's circle towards every face, where it is pushed out through that face."""
    n_A = np.einsum("nji,fj->nfi", R, M.normals)
    x_A = -radius * unit(n_A * [1, 1, 0], [1, 0, 0]) + UP[end] * half * Z
    x = p[:, None] + np.einsum("nij,nfj->nfi", R, x_A)
    depth = -dot(x - M.faces[:, 0], M.normals)
    foot = x + depth[..., None] * M.normals
    margin = least(np.hypot(n_A[..., 0], n_A[..., 1]) - STEEP, depth, radius / 2 - depth,
                   over_face(M.faces, M.normals, foot))  # fmt: skip
    i, f = np.nonzero(margin > -TOL)
    spokes = leaving(end, x_A[i, f], R[i])
    out, _, shortest = inside_B.push(x[i, f], spokes)
    faced = facing(spokes, M.normals)[np.arange(len(i)), f]
    margin[i, f] = least(margin[i, f], faced, np.where(shortest > depth[i, f] - TOL, out, -1))
    return found(margin, foot, -M.normals, depth, end)


def circle(radius, half, end, M, inside_B, p, R):
    """Four points of an end's circle, one after the other."""
    middle = p + UP[end] * half * R[:, :, 2]
    phi, _, g, sure = nearest(M, middle)
    near = np.where(sure, radius - phi, np.minimum(radius - phi, 0))
    rows = np.nonzero(near > -TOL)[0]
    n_A = in_A(R[rows], g[rows])
    upright = np.hypot(n_A[:, 0], n_A[:, 1]) < 1e-9
    e = np.where(upright[:, None], [1, 0, 0], -unit(n_A * [1, 1, 0], [1, 0, 0]))
    for x_A in circle_points(e, radius).swapaxes(0, 1):
        x_A = x_A + UP[end] * half * Z
        x = p[rows] + to_B(R[rows], x_A)
        margin, out, depth = inside_B.push(x, leaving(end, x_A, R[rows]))
        yield single(least(margin, near[rows]), x + out * depth[:, None], -out, depth, rows)


def beside(points, others):
    """Those of the points that have none of the others nearer than they are deep."""
    C, D = (at.S + at.n * at.depth[:, None] / 2 for at in (points, others))
    rival = (points.row[:, None] == others.row) & (others.margin > 0)
    apart = np.where(rival, norm(C[:, None] - D) - points.depth[:, None], np.inf).min(1, initial=np.inf)
    margin = least(points.margin, apart)
    return type(points)(*(column[margin > -TOL] for column in points._replace(margin=margin)))


# ---- rims and side as edges ----------------------------------------------------------------------


def edges(radius, half, M, inside_A, inside_B, p, R):
    """Edges of the mesh across the rims, and across the line of the side that looks at them. In A's frame."""
    B = ridges(M)
    start, side = B.ends[:, 0], B.ends[:, 1] - B.ends[:, 0]
    s = np.clip(dot(p[:, None] - start, side) / dot(side, side), 0, 1)
    i, k = np.nonzero(norm(start + s[..., None] * side - p[:, None]) < np.hypot(1.25 * radius, half) + TOL)
    R_AB = R.swapaxes(1, 2)[i]
    b = moved(chosen(B, k), -to_B(R_AB, p[i]), R_AB)
    parts = [(i, b, *across_side(radius, half, b, inside_B, p[i], R[i]))]
    for end in (0, 1):
        theta, _ = circle_line_minima(radius, b.ends[:, 0] - UP[end] * half * Z, b.along)
        for minimum in theta.T:
            here = np.isfinite(minimum)
            parts.append((i[here], chosen(b, here), *across_rim(radius, half, end, minimum[here], chosen(b, here))))
    return [counted(*part, inside_A, inside_B, p, R) for part in parts]


def across_rim(radius, half, end, theta, b):
    """The tangent of a rim as an edge between end and side. The edge of the mesh may leave the side where it is under
    the tangent; the rim must be half as deep under both faces."""
    E, t = rim_point(radius, theta)
    out, t = unit(E, 0), UP[end] * unit(t, 0)
    start = E + UP[end] * half * Z - radius / 2 * t
    ends = np.stack([start, start + radius * t], axis=1)
    rim = Ridges(ends, t, UP[end] * Z + 0 * E, out, np.zeros((len(E), 2), bool), False)
    met = meet(rim, b)
    held = solid(radius + met.depth**2 / radius, half).holds(met.X_b)
    for n in (b.n0, b.n1):
        deepest = radius * np.hypot(n[:, 0], n[:, 1]) - dot(n, UP[end] * half * Z - b.ends[:, 0])
        held = least(held, deepest - met.depth / 2)
    return met, held


def across_side(radius, half, b, inside_B, p, R):
    """The line of the side that looks at an edge. An end of it in the mesh, nearer than the depth, stands for it."""
    n = unit(np.cross(Z, b.along), [1, 0, 0])
    n = np.where(dot(n, b.n0 + b.n1) > 0, -1, 1)[:, None] * n
    ends = radius * n[:, None] + half * np.stack([-Z, Z])
    line = Ridges(ends, Z + 0 * n, n, n, np.ones((len(n), 2), bool), False)
    met = meet(line, b)
    margin = np.where(norm(np.cross(Z, b.along)) > TOL, met.margin, -1)
    k = np.nonzero(margin > -TOL)[0]
    held = np.full(len(n), -1, LD)
    line = chosen(line, k)
    ended = stands(line, met.X_a[k], met.depth[k], lambda x: inside_B.holds(p[k] + to_B(R[k], x)))
    held[k] = least(solid(radius, half).holds(met.X_b[k]), -ended)
    return met, held


def counted(i, b, met, held, inside_A, inside_B, p, R):
    """Those that count of edges b in A's frame, in poses i, that meet a rim or the side."""
    margin = least(met.margin, held)
    k = np.nonzero(margin > -TOL)[0]
    i, b, met = i[k], chosen(b, k), type(met)(*(column[k] for column in met))
    margin = least(margin[k], inside_B.holds(p[i] + to_B(R[i], met.X_a)),
                   -stands(b, met.X_b, met.depth, inside_A.holds))  # fmt: skip
    return single(margin, p[i] + to_B(R[i], met.E_b), to_B(R[i], met.n), met.depth, i, share=met.share)
