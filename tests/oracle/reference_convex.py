"""Contacts of two convex solids, written from docs/manifolds.md. Part of the slow reference.

Every solid is given in the frame of B at N poses; reference_least.py finds the normal.
"""

import numpy as np

from tests.oracle.reference_least import (
    FACE,
    SAME,
    TIE,
    body,
    corners,
    ends,
    face_normals,
    least_translation,
    middle,
    reach,
    rows_of,
    turned,
)
from tests.oracle.reference_round import Z, circle_points
from tests.oracle.reference_side import side_contacts
from tests.oracle.reference_socket import ABSENT, LD, Candidates, dot, norm, unit

ONE_PLACE = 1e-12  # m, corners of a contact polygon nearer than this are one


# ---- contacts ------------------------------------------------------------------------------------


def reference_face(S, n):
    """Whether n is an outward face normal of S; that face (N, M, 3) and its normal."""
    difference = norm(face_normals(S) - n[:, None])
    if not difference.shape[1]:
        return np.zeros(len(n), bool), None, n
    f = difference.argmin(1)
    g = np.take_along_axis(face_normals(S), f[:, None, None], axis=1)[:, 0]
    if S.kind == "cylinder":
        angle = (np.arange(16) + 0.5) * np.pi / 8
        corner = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1) * S.radius / np.cos(LD(np.pi) / 16)
        faces = turned(S, np.concatenate([corner, corner[::-1]])).reshape(len(n), 2, 16, 3)
        (_, below), (_, above) = ends(S)
        face = faces[np.arange(len(n)), f] + np.where((f == 0)[:, None], above, below)[:, None]
    else:
        face = np.take_along_axis(corners(S), S.P.loops[f][..., None], axis=1)
    return difference.min(1) < FACE, face, g


def incident_face(S, n):
    """The face of S most opposed to n among those around its lowest corner: corners (N, M, 3), how many, the normal
    about which they run counter-clockwise, and whether another face would do as well."""
    if S.kind == "cylinder":
        return (*lowest_of_cylinder(S, n), np.zeros(len(n), bool))
    height = dot(corners(S), n[:, None])
    lowest = height <= height.min(1, keepdims=True) + TIE
    around = lowest[:, S.P.loops].any(-1)
    opposed = np.where(around, -dot(face_normals(S), n[:, None]), -np.inf)
    f = opposed.argmax(1)
    unsure = (opposed >= opposed.max(1, keepdims=True) - FACE).sum(1) > 1
    loop = np.take_along_axis(corners(S), S.P.loops[f][..., None], axis=1)
    g = np.take_along_axis(face_normals(S), f[:, None, None], axis=1)[:, 0]
    return loop, S.P.sizes[f], g, unsure & S.P.closed


def lowest_of_cylinder(S, n):
    """Four points of the lower end's circle, around the cylinder's z axis; or the lowest line of the side: two points,
    padded."""
    n_S = np.einsum("nji,nj->ni", S.R, n)
    standing = np.abs(n_S[:, 2]) > np.sqrt(LD(0.5))
    flat = np.hypot(n_S[:, 0], n_S[:, 1]) < FACE
    e = np.where(flat[:, None], [1, 0, 0], unit(-n_S * [1, 1, 0], [1, 0, 0]))
    down = np.where(n_S[:, 2] > 0, -1, 1)[:, None]
    square = circle_points(e, S.radius) + (down * S.half * Z)[:, None]
    line = np.stack([S.radius * e + S.half * z * Z for z in (-1, 1, 1, 1)], axis=1)
    points = np.where(standing[:, None, None], square, line)
    normal = np.where(standing[:, None], Z, e)
    points, normal = np.einsum("nij,nkj->nki", S.R, points), np.einsum("nij,nj->ni", S.R, normal)
    return S.c[:, None] + points, np.where(standing, 4, 2), normal


def cut(face, n, polygon, size, g):
    """Corners (N, K, 3) of the polygon (N, M, 3) with normal g, cut off along the sides of the face with normal n,
    and which of them are there: its own corners, those on a side, those under a corner of the face."""
    M = polygon.shape[1]
    side = unit(np.cross(n[:, None], np.roll(face, -1, axis=1) - face), 0 * n[:, None])  # inward; 0 for padding

    def over(x):  # how far x (N, K, 3) is inside the nearest side
        return np.where(norm(side)[:, None] > 0, dot(x[:, :, None] - face[:, None], side[:, None]), np.inf)

    there = [(over(polygon) > -ONE_PLACE).all(-1)]
    places = [polygon]

    real = np.arange(M) < np.where(size > 2, size, 1)[:, None]  # a line of two corners has one side
    after = np.where((np.arange(M) + 1 < size[:, None])[..., None], np.roll(polygon, -1, axis=1), polygon[:, :1])
    h0, h1 = over(polygon), over(after)
    crossing = real[..., None] & np.isfinite(h0) & ((h0 < 0) != (h1 < 0))
    h0, h1 = np.where(crossing, h0, 0), np.where(crossing, h1, -1)
    u = h0 / (h0 - h1)
    X = (polygon[:, :, None] + u[..., None] * (after - polygon)[:, :, None]).reshape(len(n), -1, 3)
    places.append(X)
    there.append(crossing.reshape(len(n), -1) & (over(X) > -ONE_PLACE).all(-1))

    slant = dot(n, g)[:, None]
    drop = dot(polygon[:, :1] - face, g[:, None]) / np.where(np.abs(slant) > FACE, slant, 1)
    X = face + drop[..., None] * n[:, None]
    inward = np.cross(g[:, None], after - polygon)
    under = np.where(real[:, None], dot(X[:, :, None] - polygon[:, None], inward[:, None]), 0)
    places.append(X)
    there.append((under >= 0).all(-1) & (np.abs(slant) > FACE) & (size > 2)[:, None])
    return np.concatenate(places, axis=1), np.concatenate(there, axis=1)


def packed(places, there):
    """Those that are there first, the others cut off; of several at one place the first."""
    order = np.argsort(~there, axis=1, kind="stable")[:, : max(1, there.sum(1).max(initial=0))]
    places, there = np.take_along_axis(places, order[..., None], 1), np.take_along_axis(there, order, 1)
    distance = norm(places[:, :, None] - places[:, None])
    earlier = np.tril(np.ones(distance.shape[1:], bool), -1)
    return places, there & ~((distance < 2 * ONE_PLACE) & there[:, None] & earlier).any(-1)


def eight_around(x, depth, g):
    """Of more than eight corners x (N, K, 3), numbers floor(k n / 8) around g, from the deepest on: the others lose
    their depth. Also whether the deepest is unsure."""
    here = depth > 0
    count = here.sum(1)
    many = np.nonzero(count > 8)[0]
    last = np.sort(np.where(here, depth, 0), axis=1)[:, -2:]
    unsure = (count > 8) & (last[:, -1] - last[:, 0] < TIE)
    for i in many:
        k = np.nonzero(here[i])[0]
        w = x[i, k] - x[i, k].mean(0)
        u = w[0] / norm(w[0])
        angle = np.arctan2(dot(w, np.cross(g[i], u)), dot(w, u))
        ring = k[np.argsort(angle)]
        ring = np.roll(ring, -int(depth[i, ring].argmax()))
        keep = ring[np.arange(8) * len(ring) // 8]
        depth[i, np.setdiff1d(k, keep)] = ABSENT
    return unsure


def face_contacts(first, second, n):
    """Contacts of rows where n is the outward normal of a face of `first`: places half-way (N, K, 3), that normal,
    depths, and whether the choice was unsure."""
    _, face, n = reference_face(first, n)
    polygon, size, g, unsure = incident_face(second, n)
    places, there = packed(*cut(face, n, polygon, size, g))
    depth = dot(face[:, :1] - places, n[:, None])
    depth = np.where(there & (depth > 0), depth, ABSENT)
    unsure |= eight_around(places, depth, g)
    return places + n[:, None] * np.where(depth > 0, depth, 0)[..., None] / 2, n, depth, unsure


def by_face_of_A(A, B, n, depth):
    """Contacts where n is the normal of a face of A."""
    return face_contacts(A, B, n)


def by_face_of_B(A, B, n, depth):
    """Contacts where -n is the normal of a face of B."""
    C, g, depth, unsure = face_contacts(B, A, -n)
    return C, -g, depth, unsure


def support_line(S, n):
    """Two ends (N, 3) of what of S is highest along n: the same for a corner or a place on a curve."""
    if S.P is not None:
        v, row = corners(S), np.arange(len(n))
        height = dot(v, n[:, None])
        order = np.argsort(-height, axis=1)
        edge = height[row, order[:, 0]] - height[row, order[:, 1]] < TIE
        return v[row, order[:, 0]], v[row, np.where(edge, order[:, 1], order[:, 0])]
    Mn = np.einsum("nij,nj->ni", S.M, n)
    x = S.c + np.einsum("nij,ni->nj", S.M, Mn) / np.where(norm(Mn) > 0, norm(Mn), 1)[:, None]
    axis = S.R[:, :, 2]
    side = dot(axis, n)
    low = np.where(np.abs(side) < FACE, -1, np.sign(side))
    high = np.where(np.abs(side) < FACE, 1, np.sign(side))
    return tuple(x + (S.half * z)[:, None] * axis for z in (low, high))


def single_contact(A, B, n, depth):
    """Half-way between the supporting points; of two lines where they cross. Whether they are parallel: unsure."""
    a0, a1 = support_line(A, n)
    b0, b1 = support_line(B, -n)
    on_A, on_B = a1 - a0, b1 - b0
    point_A, point_B = norm(on_A) == 0, norm(on_B) == 0
    m = np.cross(n, on_B)  # across B's line: where A's line meets it
    slope = dot(on_A, m)
    unsure = ~point_A & ~point_B & (np.abs(slope) <= SAME * norm(on_A) * norm(on_B))
    crossing = ~point_A & ~point_B & ~unsure
    u = np.where(crossing, dot(b0 - a0, m), 0) / np.where(crossing, slope, 1)
    x = np.where((point_B & ~point_A)[:, None], b0 + n * depth[:, None], a0 + u[:, None] * on_A)
    return (x - n * depth[:, None] / 2)[:, None], n, depth[:, None], unsure


def along_sides(A, B, n, depth):
    """Contacts along a cylinder's side, or the single one."""
    x, _, single, unsure = single_contact(A, B, n, depth)
    C, depth = np.repeat(x, 3, axis=1), np.pad(single, ((0, 0), (0, 2)), constant_values=ABSENT)
    if "ellipsoid" in (A.kind, B.kind) or "cylinder" not in (A.kind, B.kind):
        return x, n, single, unsure
    for i in range(len(n)):
        for k, (place, how_deep) in enumerate(side_contacts(A, B, i, n[i])):
            C[i, k], depth[i, k], unsure[i] = place, how_deep, False
    return C, n, depth, unsure


def ways(A, B, n, depth):
    """Rows that touch, and what finds their contacts: a face of A, a face of B, or neither."""
    by_A, by_B = reference_face(A, n)[0], reference_face(B, -n)[0]
    if "ellipsoid" in (A.kind, B.kind):
        by_A, by_B = np.zeros((2, len(n)), bool)
    for how, which in ((by_face_of_A, by_A), (by_face_of_B, by_B & ~by_A), (along_sides, ~by_A & ~by_B)):
        rows = np.nonzero(which & (depth > 0))[0]
        if len(rows):
            yield rows, how


def contact_blocks(A, B, n, least, unsure):
    """Rows of poses with their contacts: places half-way, normals, depths. Adds to `unsure`."""
    for rows, how in ways(A, B, n, least):
        C, normal, depth, unclear = how(rows_of(A, rows), rows_of(B, rows), n[rows], least[rows])
        yield rows, C, normal, depth
        # four points of a circle may all miss what is left of the other face: somewhere there is contact
        missed = ~(depth > 0).any(1)
        unsure[rows] |= unclear | missed
        rows = rows[missed]
        if len(rows):
            yield rows, *single_contact(rows_of(A, rows), rows_of(B, rows), n[rows], least[rows])[:3]


def convex_pair(kind_a, kind_b):
    """All contacts of two convex solids, and at which poses only the deepest depth is sure."""

    def pair(a, b, p, R):
        N = len(p)
        still = np.broadcast_to(np.eye(3, dtype=LD), (N, 3, 3))
        A, B = body(kind_a, a, p, R), body(kind_b, b, np.zeros((N, 3), LD), still)
        near = np.nonzero(norm(middle(A) - middle(B)) < reach(A) + reach(B))[0]
        ambiguous = np.zeros(N, bool)
        if not len(near):
            return assembled(N, []), ambiguous
        A, B = rows_of(A, near), rows_of(B, near)
        n, depth, unsure = least_translation(A, B)
        blocks = [(near[rows], *contacts) for rows, *contacts in contact_blocks(A, B, n, depth, unsure)]
        ambiguous[near] = unsure & (depth > 0)
        return assembled(N, blocks), ambiguous

    return pair


def assembled(N, blocks):
    """Candidates of N poses from contacts of some of them; x is the surface point of A, C = x - n depth/2."""
    width = max([C.shape[1] for _, C, _, _ in blocks], default=1)
    x, n = np.zeros((2, N, width, 3), LD)
    depth = np.full((N, width), ABSENT, LD)
    for rows, C, n_rows, d in blocks:
        k = slice(0, C.shape[1])
        x[rows, k] = C + n_rows[:, None] * np.where(d > 0, d, 0)[..., None] / 2
        n[rows, k], depth[rows, k] = n_rows[:, None], d
    return Candidates(np.broadcast_to(32 + np.arange(width), depth.shape), x, n, depth)
