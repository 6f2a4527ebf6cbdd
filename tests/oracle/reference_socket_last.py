"""The contact of last resort of a cylinder or an ellipsoid with a socket, as the slow reference sees it.

Written from docs/manifolds.md ("Socket against solids"), in the socket's frame. Points of K and of the rim are sampled.
"""

import numpy as np

from tests.oracle.reference_least import body, least_translation
from tests.oracle.reference_socket import LD, dot, norm, unit

SAMPLES = 720  # of the rim and of a cylinder's circle
LATITUDES, LONGITUDES = 40, 60  # of an ellipsoid
CLOSER = 40  # steps to the point of the rim that is deepest in K
GOLDEN = (3 - np.sqrt(5)) / 2
ROWS = 50  # poses at a time: bounds the memory


def outline(kind, a):
    """Points (P, 3) of K's surface in its frame; the greatest convex function over K is at one of them, nearly."""
    angle = 2 * np.pi * np.arange(SAMPLES) / SAMPLES
    if kind == "cylinder":
        circle = a["radius"] * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
        end = np.array([0, 0, a["length"] / 2])
        return np.concatenate([circle - end, circle + end])
    u, v = np.meshgrid(np.linspace(0, np.pi, LATITUDES), np.linspace(0, 2 * np.pi, LONGITUDES))
    ball = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1).reshape(-1, 3)
    return ball * a["semi_axes"]


def height(kind, a, x):
    """Greatest height of points x (..., 3) in K's frame, negative inside; of an ellipsoid relative to its size."""
    if kind == "cylinder":
        return np.maximum(np.hypot(x[..., 0], x[..., 1]) - a["radius"], np.abs(x[..., 2]) - a["length"] / 2)
    return norm(x / a["semi_axes"]) - 1


def beside_hole(b, x):
    """How far points x (..., 3) are beside the hole, continued above its mouth."""
    core = x * [1, 1, 0] + np.minimum(x[..., 2:] + b["length"], 0) * [0, 0, 1]
    return norm(core) - b["radius"]


def holds_rim_point(kind, a, b, p, R):
    """Whether K contains a point of the rim, by golden sections about the lowest of the samples."""

    def above(theta):
        E = b["radius"] * np.stack([np.cos(theta), np.sin(theta), 0 * theta], axis=-1)
        return height(kind, a, np.einsum("nji,nkj->nki", R, E - p[:, None]))

    step = 2 * np.pi / SAMPLES
    first = np.broadcast_to(step * np.arange(SAMPLES), (len(p), SAMPLES))
    lowest = np.argsort(above(first), axis=1)[:, :4]
    low, high = step * (lowest - 1), step * (lowest + 1)
    for _ in range(CLOSER):
        one, two = low + GOLDEN * (high - low), high - GOLDEN * (high - low)
        left = above(one) < above(two)
        low, high = np.where(left, low, one), np.where(left, two, high)
    return (above((low + high) / 2) < 0).any(1)


def leaves_hole(kind, a, b, p, R, tol):
    """Whether a point of K at or below the mouth's plane is in no hole; in doubles, as a choice."""
    p, R = p.astype(float), R.astype(float)
    x = p[:, None] + np.einsum("nij,kj->nki", R, outline(kind, a))
    found = ((x[..., 2] <= 0) & (beside_hole(b, x) > tol)).any(1) | holds_rim_point(kind, a, b, p, R)
    row = np.arange(len(p))
    top, low = (x[row, at(x[..., 2], axis=1)] for at in (np.argmax, np.argmin))
    cuts = (top[:, 2] > 0) & (low[:, 2] <= 0)
    share = np.where(cuts, -low[:, 2], 0) / np.where(cuts, top[:, 2] - low[:, 2], 1)
    cut = low + share[:, None] * (top - low)
    return found | (cuts & (np.hypot(cut[:, 0], cut[:, 1]) >= b["radius"]))


def beside_no_face(kind, a, size, p, R):
    """Whether K reaches below each plane face of the box: cheap, and true of most poses that overlap it."""
    half = np.array(a["semi_axes"] if kind == "ellipsoid" else [a["radius"], a["radius"], 0], LD)
    reach = norm(R * half) + (0 if kind == "ellipsoid" else np.abs(R[:, :, 2]) * LD(a["length"]) / 2)
    return (np.abs(p - [0, 0, -size[2] / 2]) < size / 2 + reach).all(1)


def last_way(kind, a, b, solid, rows, X, N, depth):
    """The last rule at the poses `rows`, into X, N and depth: depth and normal of the least translation that parts K
    from the box. Where it gives a contact: its place is between the support points, of which there may be many."""
    here = np.zeros(len(X), bool)
    size = np.array(b["size"], LD)
    rows = rows[beside_no_face(kind, a, size, solid.p[rows], solid.R[rows])]
    for start in range(0, len(rows), ROWS):
        some = rows[start : start + ROWS]
        some = some[leaves_hole(kind, a, b, solid.p[some], solid.R[some], solid.tol)]
        if not len(some):
            continue
        still = np.broadcast_to(np.eye(3, dtype=LD), (len(some), 3, 3))
        middle = np.broadcast_to([0, 0, -size[2] / 2], (len(some), 3))
        K = body(kind, a, solid.p[some], solid.R[some])
        n, deep, _ = least_translation(K, body("box", b, middle, still))
        overlaps = deep > solid.noise
        i, n, deep = some[overlaps], n[overlaps], deep[overlaps]
        depth[i, 0], N[i, 0], X[i, 0] = deep, n, support_point(K, n, overlaps)
        here[i] = True
    return here


def support_point(K, n, rows):
    """A point of K furthest along n."""
    R, M = K.R[rows], K.M[rows]
    x = K.c[rows] + np.einsum("nij,ni->nj", M, unit(np.einsum("nij,nj->ni", M, n), 0))
    return x + (K.half * np.sign(dot(R[:, :, 2], n)))[:, None] * R[:, :, 2]
