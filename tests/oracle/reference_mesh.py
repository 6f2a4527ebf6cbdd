"""Slow, obvious reference of balls, sweeps and a plane with a mesh, from docs/manifolds.md and from nothing else.

All faces, edges and corners are tried (reference_mesh_pairs.py); here it is settled which of them count and how they
share. Everything is in extended precision unless a caller chooses otherwise. A pose at which a contact hangs on a
margin below TOL is ambiguous. Other solids touch a mesh by patches of overlap: mesh_truth.py is their reference.
"""

from typing import NamedTuple

import numpy as np

from tests.oracle.reference import rotate, rotation
from tests.oracle.reference_mesh_pairs import ONE_PLACE, Found, ball_pair, on_plane, sweep_pair
from tests.oracle.reference_share import load_shares
from tests.oracle.reference_socket import LD, norm
from tests.oracle.reference_surface import TOL, surface

ALIKE = 1e-3  # normals at one place that differ by less are one
ELEMENTS = 200_000  # features of the mesh times poses at a time: bounds the memory to some 100 MB


PAIRS = {"point": ball_pair, "sphere": ball_pair, "segment": sweep_pair, "capsule": sweep_pair}


class Manifolds(NamedTuple):
    """Contacts of N poses in the world: count[i] with a share, then those without; of both the deepest first."""

    count: np.ndarray  # (N,)
    point: np.ndarray  # (N, K, 3) half-way between the two surfaces [m]
    normal: np.ndarray  # (N, K, 3) unit, from A to B
    depth: np.ndarray  # (N, K) [m], 0 where there is nothing
    load_share: np.ndarray  # (N, K)
    group: np.ndarray  # (N, K) contacts of one group share, negative ones with none
    ambiguous: np.ndarray  # (N,) whether there is a contact hangs on the last digits
    unsure: np.ndarray  # (N,) which of them have a share, and how much


def table(rows, count, *columns):
    """Columns (M, ...) of contacts as tables (count, K, ...), zero where there is nothing."""
    order = np.argsort(rows, kind="stable")
    slot = np.arange(len(rows)) - np.searchsorted(rows[order], rows[order])
    width = slot.max(initial=0) + 1
    result = []
    for column in columns:
        full = np.zeros((count, width, *column.shape[1:]), column.dtype)
        full[rows[order], slot] = column[order]
        result.append(full)
    return result


def settled(contacts, count, size):
    """Which of M possible contacts count, and of which poses (count,) that is unsure.

    Of several at one place only one counts. A place on the border of two features is a contact of both or of either:
    two that are on the verge stand for one that is sure.
    """
    names = contacts.S, contacts.n, contacts.depth, contacts.margin, contacts.group, np.arange(1, len(contacts.row) + 1)
    S, n, depth, margin, group, number = table(contacts.row, count, *names)
    there = number > 0
    alike = (group[:, :, None] == group[:, None]) & there[:, :, None] & there[:, None]
    alike &= ~np.eye(S.shape[1], dtype=bool) & (norm(S[:, :, None] - S[:, None]) < max(ONE_PLACE * size, 2 * TOL))
    alike &= norm(n[:, :, None] - n[:, None]) < ALIKE
    verging = there & (np.abs(margin) < TOL)
    twin = (alike & verging[:, None]).any(-1) & (depth > TOL)
    counts = there & ((margin > 0) | (verging & twin))
    backed = (alike & (there & ~verging & (margin > 0))[:, None]).any(-1)
    unsure = (verging & ~twin & ~backed).any(-1)
    better = (margin[:, None] > margin[:, :, None]) | (
        (margin[:, None] == margin[:, :, None]) & (number[:, None] < number[:, :, None]))  # fmt: skip
    counts &= ~(alike & counts[:, None] & better).any(-1)
    return np.sort(number[counts]) - 1, unsure


def shared(contacts, count):
    """Shares (M,) and whether they are unsure (count,)."""
    load_share, unsure = contacts.load_share.astype(contacts.depth.dtype), np.zeros(count, bool)
    key = np.where(contacts.group < 0, -1 - np.arange(len(contacts.row)), contacts.row * 10 + contacts.group)
    order = np.argsort(key, kind="stable")
    first = np.nonzero(np.diff(key[order], prepend=key[order][:1] - 1))[0]
    sizes = np.diff(first, append=len(order))
    for size in np.unique(sizes[sizes > 1]):
        members = order[first[sizes == size][:, None] + np.arange(size)]
        load_share[members], vague = load_shares(contacts.n[members], contacts.depth[members])
        unsure[contacts.row[members[vague, 0]]] = True
    return load_share, unsure


def to_world(contacts, count, size, R_WB, p_WB):
    """Contacts in B's frame as Manifolds."""
    kept, ambiguous = settled(contacts, count, size)
    contacts = Found(*(column[kept] for column in contacts))
    load_share, unsure = shared(contacts, count)
    order = np.lexsort((-contacts.depth, load_share <= 0))
    contacts, load_share = Found(*(column[order] for column in contacts)), load_share[order]
    R, p = R_WB[contacts.row], p_WB[contacts.row]
    point = p + rotate(R, contacts.S + contacts.n * contacts.depth[:, None] / 2)
    columns = point, rotate(R, contacts.n), contacts.depth, load_share, contacts.group
    here = np.bincount(contacts.row[load_share > 0], minlength=count)
    return Manifolds(here, *table(contacts.row, count, *columns), ambiguous, unsure)


def stacked(parts):
    """Several Manifolds one after the other."""
    width = max(m.depth.shape[1] for m in parts)

    def pad(v):
        return v if v.ndim == 1 else np.pad(v, [(0, 0), (0, width - v.shape[1])] + [(0, 0)] * (v.ndim - 2))

    return Manifolds(*(np.concatenate([pad(v) for v in column]) for column in zip(*parts, strict=True)))


def manifold(shape_a, shape_b, X_WA, X_WB, M=None, dtype=LD):
    """Manifolds of N poses X_WA, X_WB (N, 7). M: the Surface of B, or a part of it."""
    (kind_a, a), (kind_b, b) = shape_a, shape_b
    if kind_b == "plane":
        pair, step, size = lambda M, p, R: on_plane(a, p, R), 1000, surface(a).size
    else:
        M = M or surface(b, dtype)
        pair, size = PAIRS[kind_a](a), M.size
        step = max(1, ELEMENTS // (len(M.faces) + len(M.edges) + len(M.corners)))
    X_WA, X_WB = np.asarray(X_WA, dtype), np.asarray(X_WB, dtype)
    chunks = []
    for start in range(0, len(X_WA), step):
        A, B = X_WA[start : start + step], X_WB[start : start + step]
        R_WA, R_WB = rotation(A[:, 3:]), rotation(B[:, 3:])
        R_BW = R_WB.swapaxes(1, 2)
        p_BA, R_BA = rotate(R_BW, A[:, :3] - B[:, :3]), np.einsum("nij,njk->nik", R_BW, R_WA)
        chunks.append(to_world(pair(M, p_BA, R_BA), len(A), size, R_WB, B[:, :3]))
    return stacked(chunks)


def contacts(m, i=0):
    """[(point, normal, depth, share)] of pose i, the deepest first."""
    return [(m.point[i, k], m.normal[i, k], m.depth[i, k], m.load_share[i, k]) for k in range(m.count[i])]
