"""The surface of a mesh as the slow reference sees it: faces, edges and corners, the nearest place, signed distance.

Written from docs/manifolds.md. Every condition has a margin, in m or a sine, that is positive where it holds.
"""

from typing import NamedTuple

import numpy as np

from tests.oracle.reference_socket import LD, dot, norm, unit

TOL = 1e-9  # m or a sine: conditions with a smaller margin are ambiguous
SHARP = 1e-6  # sine of the bend from which on an edge is convex
APART = 1e-6  # m, two nearest places that are further from each other make the normal ambiguous
Z = np.array([0, 0, 1], LD)


class Surface(NamedTuple):
    """Triangles (faces), edges and corners, each with what it needs to know of its neighbours. A polytope has no
    triangles, a sheet no sum of normals."""

    faces: np.ndarray  # (T, 3, 3) corners
    normals: np.ndarray  # (T, 3)
    edges: np.ndarray  # (E, 2, 3) ends
    along: np.ndarray  # (E, 3) unit, from the first end
    into: np.ndarray  # (E, 2, 3) unit, into both faces across the edge; at a border twice the same
    edge_g: np.ndarray  # (E, 3) unit, sum of the face normals; zero on a sheet
    edge_out: np.ndarray  # (E, 3) unit, the same, but at a border between the face's normal and outwards in its plane
    convex: np.ndarray  # (E,)
    border: np.ndarray  # (E,)
    wings: np.ndarray  # (E, 2) faces; at a border twice the same
    corners: np.ndarray  # (V, 3)
    incident_edges: np.ndarray  # (V, D, 3) unit, along all edges that leave the corner, some of them twice
    corner_g: np.ndarray  # (V, 3) unit, sum of the face normals weighted by the faces' angles
    convex_corner: np.ndarray  # (V,)
    border_corner: np.ndarray  # (V,)
    size: float  # m


def surface(mesh, dtype=LD):
    """The Surface of {"vertices", "triangles"}."""
    v, triangles = np.asarray(mesh["vertices"], dtype), np.asarray(mesh["triangles"])
    faces = v[triangles]
    normals = unit(np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), Z.astype(dtype))
    owner = {(int(t[i]), int(t[i - 2])): f for f, t in enumerate(triangles) for i in range(3)}
    sides = [side for side in owner if side[::-1] not in owner or side[0] < side[1]]
    wings = np.array([(owner[i, j], owner.get((j, i), owner[i, j])) for i, j in sides])
    border = np.array([(j, i) not in owner for i, j in sides])
    edges = v[np.array(sides)]
    along = unit(edges[:, 1] - edges[:, 0], 0)
    n0, n1 = normals[wings[:, 0]], normals[wings[:, 1]]
    into = np.stack([np.cross(n0, along), np.where(border[:, None], np.cross(n0, along), np.cross(along, n1))], axis=1)

    corner_g = np.zeros_like(v)
    for i in range(3):
        a, b = (unit(faces[:, (i + k) % 3] - faces[:, i], 0) for k in (1, 2))
        np.add.at(corner_g, triangles[:, i], np.arctan2(norm(np.cross(a, b)), dot(a, b))[:, None] * normals)
    leaving, used = edges_leaving(sides, along, len(v))
    corner_g, at_border = unit(corner_g[used], 0), np.zeros(len(v), bool)
    at_border[np.array(sides)[border].ravel()] = True
    out = n0 + np.where(border[:, None], -into[:, 0], n1)
    convex = ~border & (dot(np.cross(n0, n1), along) > SHARP)
    return Surface(
        faces, normals, edges, along, into, unit(n0 + n1, 0), unit(out, 0), convex, border, wings, v[used],
        padded(leaving), corner_g, np.array(list(map(is_convex, leaving, corner_g))), at_border[used],
        norm(v[used].max(0) - v[used].min(0)),
    )  # fmt: skip


def edges_leaving(sides, along, count):
    """Unit vectors along the edges that leave each of `count` corners, and which corners have any."""
    leaving = [[] for _ in range(count)]
    for (i, j), t in zip(sides, along, strict=True):
        leaving[i].append(t)
        leaving[j].append(-t)
    return [np.array(s) for s in leaving if s], np.array([len(s) > 0 for s in leaving])


def padded(leaving):
    """As one array (V, D, 3), some vectors twice."""
    most = max(map(len, leaving))
    return np.array([np.concatenate([s, s[:1].repeat(most - len(s), 0)]) for s in leaving])


def is_convex(incident_edges, g):
    """Whether some plane through the corner, seen from outside, has all edges on it or behind it, and not all on it. If
    there is one, there is one through two of the edges; if all are in one plane, one across it through one of them."""
    i, j = np.triu_indices(len(incident_edges), 1)
    normals = np.cross(incident_edges[i], incident_edges[j])
    n = unit(normals[norm(normals) > SHARP], 0)
    height = dot(n[:, None], incident_edges)
    if np.abs(height).max(initial=0) < SHARP:
        normal = n[:1]
        n = normal * np.sign(dot(normal, g))[:, None]
        n = n + np.concatenate([np.cross(normal, incident_edges), np.cross(incident_edges, normal)])
        height = dot(n[:, None], incident_edges)
    n, height = np.concatenate([n, -n]), np.concatenate([height, -height])
    return bool(((height < SHARP).all(1) & (height < -SHARP).any(1) & (dot(n, g) > -SHARP)).any())


def part(M, chosen):
    """The Surface of some of the faces (a mask), with the edges between two of them, and their corners."""
    edges = chosen[M.wings].all(1)
    renumbered = (np.cumsum(chosen) - 1)[M.wings[edges]]
    known = {c.tobytes() for c in M.faces[chosen].reshape(-1, 3)}
    corners = np.array([c.tobytes() in known for c in M.corners])
    faces = {"faces", "normals"}
    of_edges = {"edges", "along", "into", "edge_g", "edge_out", "convex", "border"}
    rows = {name: getattr(M, name)[chosen if name in faces else edges if name in of_edges else corners]
            for name in M._fields if name not in ("size", "wings")}
    more = (rows["incident_edges"] != rows["incident_edges"][:, :1]).any((0, 2))  # than the one that fills up
    rows["incident_edges"] = rows["incident_edges"][:, : np.nonzero(more)[0].max(initial=0) + 1]
    return M._replace(**rows, wings=renumbered)


# ---- places on it --------------------------------------------------------------------------------


def least(*margins):
    """All conditions together."""
    result = margins[0]
    for margin in margins[1:]:
        result = np.minimum(result, margin)
    return result


def over_face(faces, normals, p):
    """How far p (..., 3), in the planes of the faces, is inside the nearest of the three sides."""
    margins = []
    for i in range(3):
        side = unit(faces[..., (i + 1) % 3, :] - faces[..., i, :], 0)
        margins.append(dot(p - faces[..., i, :], np.cross(normals, side)))
    return least(*margins)


def faces_at(M, x):
    """Feet (N, T, 3) of x (N, 3) in the planes of the faces, margins of being in the face, heights above it."""
    h = dot(x[:, None] - M.faces[:, 0], M.normals)
    foot = x[:, None] - h[..., None] * M.normals
    return foot, over_face(M.faces, M.normals, foot), h


def edges_at(M, x):
    """Feet (N, E, 3) of x on the edges' lines and margins of being inside the edge."""
    s = dot(x[:, None] - M.edges[:, 0], M.along)
    return M.edges[:, 0] + s[..., None] * M.along, least(s, norm(M.edges[:, 1] - M.edges[:, 0]) - s)


def edge_faces(M, w):
    """Margin of edges facing w (..., E, 3): no way up in the faces around. On a sheet that is all."""
    up = dot(w[..., None, :], -M.into)
    above = np.where(norm(M.edge_g) > 0, dot(w, M.edge_g), np.inf)
    return least(up[..., 0], up[..., 1], above)


def corner_faces(M, w):
    """Margin of corners facing w (..., V, 3)."""
    return least(dot(w, M.corner_g), -dot(w[..., None, :], M.incident_edges).max(-1))


class Place(NamedTuple):
    """The nearest place to each of N points."""

    S: np.ndarray  # (N, 3)
    distance: np.ndarray  # (N,)
    up: np.ndarray  # (N, 3) sum of the normals around S
    side: np.ndarray  # (N,) how far the point is on that side
    border: np.ndarray  # (N,)
    sure: np.ndarray  # (N,) S and the side are beyond doubt


def nearest_place(M, x):
    """The Place of points x (N, 3)."""
    (foot, over, h), (on_edge, along) = faces_at(M, x), edges_at(M, x)
    to_corner = norm(x[:, None] - M.corners)
    d = np.concatenate([np.where(over >= 0, np.abs(h), np.inf),
                        np.where(along > 0, norm(x[:, None] - on_edge), np.inf), to_corner], axis=1)  # fmt: skip
    places = np.concatenate([foot, on_edge, np.broadcast_to(M.corners, (len(x), *M.corners.shape))], axis=1)
    normals = np.concatenate([M.normals, M.edge_g, M.corner_g])
    border = np.concatenate([np.zeros(len(M.faces), bool), M.border, M.border_corner])
    best, row = d.argmin(1), np.arange(len(x))
    S, distance = places[row, best], d[row, best]
    side = dot(x - S, normals[best])
    i, k = np.nonzero(d < distance[:, None] + TOL)
    elsewhere = norm(places[i, k] - S[i]) > APART
    sure = (np.abs(side) > TOL) & ~np.isin(row, i[elsewhere])
    return Place(S, distance, normals[best], side, border[best], sure)


def nearest(M, x):
    """phi (N,), S and g = grad phi (N, 3) of points x (N, 3), and whether S and the sign are beyond doubt."""
    at = nearest_place(M, x)
    sign = np.where((at.side < 0) & ~at.border, -1, 1)
    g = sign[:, None] * unit(x - at.S, 0)
    return sign * at.distance, at.S, np.where(norm(g)[:, None] > 0, g, at.up), at.sure


def on_triangles(M, x):
    """Nearest points (K, T, 3) of all triangles to x (K, 3), and heights of x above their planes (K, T)."""
    h = dot(x[:, None] - M.faces[:, 0], M.normals)
    foot = x[:, None] - h[..., None] * M.normals
    S, d = np.zeros_like(foot), np.full(h.shape, np.inf)
    outside = np.zeros(h.shape, bool)
    for i in range(3):
        start, side = M.faces[:, i], M.faces[:, (i + 1) % 3] - M.faces[:, i]
        s = np.clip(dot(foot - start, side) / dot(side, side), 0, 1)
        there = start + s[..., None] * side
        better = norm(foot - there) < d
        S, d = np.where(better[..., None], there, S), np.where(better, norm(foot - there), d)
        outside |= dot(foot - start, np.cross(M.normals, side)) < 0
    return np.where(outside[..., None], S, foot), h


def in_plane(M, f):
    """Which triangles (K, T) lie in the planes of the faces f (K,)."""
    apart = dot(M.faces[:, 0] - M.faces[f, None, 0], M.normals[f, None])
    return (norm(M.normals[f, None] - M.normals) < SHARP) & (np.abs(apart) < TOL)


def edge_lengths(M):
    return norm(M.edges[:, 1] - M.edges[:, 0])


def crossing(p, u, length_p, q, v, length_q):
    """Feet of the common perpendicular of lines p + s u and q + z v, and the margin of both being inside."""
    w, b = p - q, dot(u, v)
    sine2 = 1 - b * b
    parallel = sine2 < TOL**2
    s = (b * dot(v, w) - dot(u, w)) / np.where(parallel, 1, sine2)
    z = (dot(v, w) - b * dot(u, w)) / np.where(parallel, 1, sine2)
    margin = np.where(parallel, -1, least(s, length_p - s, z, length_q - z))
    return p + s[..., None] * u, q + z[..., None] * v, margin
