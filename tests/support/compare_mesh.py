"""Compiled manifolds with meshes beside the oracle's, contact by contact, by where they are."""

from dataclasses import dataclass

import numpy as np

import contactlib
from contactlib._core import engine
from contactlib.simulation.manifolds import core_shape
from tests.oracle import reference_mesh
from tests.oracle.reference_share import complementarity
from tests.support.compare import shape

ROOM = 64  # contacts of one manifold of the library
NEAR = 1e-5  # m, contacts further from each other are different ones (a normal counts as a centimetre)


@dataclass
class Comparison:
    """Worst differences over the poses that are not ambiguous; errors of a kind in one array, a row for each contact.

    `other` are poses with another set of contacts, where that set is sure. `share` counts only where it is sure;
    `conditions` (m) is how far the library's shares are from a solution, whichever it chose, at all of them.
    """

    poses: int
    contacts: int
    ambiguous: float
    unsure: float
    other: np.ndarray
    depth: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    load_share: np.ndarray
    conditions: np.ndarray


def nearest_places(A, B, X_WA, X_WB, max_contacts=ROOM):
    """What a sphere or a cable's capsule meets at nearest places, as `contactlib.manifolds` gives its contacts."""
    poses = [np.ascontiguousarray(X, dtype=float).reshape(-1, 7) for X in (X_WA, X_WB)]
    count, *slots = memory = engine.empty_manifolds(max(map(len, poses)), max_contacts)
    bad = engine.manifolds(core_shape(A), core_shape(B), *poses, np.zeros((0, 3)), memory, 1, nearest=True)
    assert bad == -1
    return contactlib.Manifolds(count, *(array.swapaxes(0, 1) for array in slots))


def matched(ours, oracle):
    """For each contact of the oracle (N, K) the library's that is nearest, or -1; and whether all are taken (N,)."""
    there = np.arange(ours.depth.shape[1]) < ours.count[:, None]
    wanted = oracle.depth > 0
    point = ours.point[:, None] - oracle.point[:, :, None].astype(float)
    normal = ours.normal[:, None] - oracle.normal[:, :, None].astype(float)
    distance = np.linalg.norm(point, axis=-1) + 0.01 * np.linalg.norm(normal, axis=-1)
    distance = np.where(there[:, None] & wanted[:, :, None], distance, np.inf)
    best = distance.argmin(2)
    back = np.take_along_axis(distance.argmin(1), best, axis=1)
    mutual = (back == np.arange(best.shape[1])) & (np.take_along_axis(distance, best[..., None], 2)[..., 0] < NEAR)
    return np.where(mutual, best, -1), mutual.sum(1) == ours.count


def compare(A, B, X_WA, X_WB, M=None, dtype=np.longdouble, oracle=None):
    """The library beside the oracle, which may be given."""
    # capsules, and spheres on many small facets, meet a mesh by patches of overlap; here at all nearest places
    touch = nearest_places if A[0] in ("sphere", "capsule") and B[0] == "mesh" else contactlib.manifolds
    ours = touch(shape(A), shape(B), X_WA, X_WB, max_contacts=ROOM)
    oracle = oracle or reference_mesh.manifold(A, B, X_WA, X_WB, M=M, dtype=dtype)
    partner, all_taken = matched(ours, oracle)
    clear = ~oracle.ambiguous & (oracle.count <= ROOM)
    met = partner >= 0
    load_share = np.where(met, np.take_along_axis(ours.load_share, partner.clip(0), 1), 0)
    sharing = oracle.load_share > 0
    same = all_taken & (met == sharing).all(1)

    def error(mine, theirs, where):
        return np.abs(np.take_along_axis(mine, partner.clip(0).reshape(partner.shape + (1,) * (mine.ndim - 2)), 1)
                      - theirs)[where].astype(float)  # fmt: skip

    here = met & clear[:, None]
    return Comparison(
        poses=len(X_WA),
        contacts=int(here.sum()),
        ambiguous=1 - clear.mean(),
        unsure=float(oracle.unsure.mean()),
        other=np.nonzero(clear & ~(same | (oracle.unsure & all_taken)))[0],
        depth=error(ours.depth, oracle.depth, here),
        point=error(ours.point, oracle.point, here).max(-1),
        normal=error(ours.normal, oracle.normal, here).max(-1),
        load_share=np.abs(load_share - oracle.load_share)[here & ~oracle.unsure[:, None]].astype(float),
        conditions=violated(oracle, load_share)[clear].astype(float),
    )


def violated(oracle, load_share):
    """How far shares (N, K) of the oracle's contacts are from being a solution (N,), m."""
    off = np.abs(load_share - oracle.load_share) * oracle.depth
    worst = np.where((oracle.group < 0) & (oracle.depth > 0), off, 0).max(1)
    for group in np.unique(oracle.group[oracle.group >= 0]):
        mine = (oracle.group == group) & (oracle.depth > 0)
        n, d = oracle.normal * mine[..., None], np.where(mine, oracle.depth, 0)
        worst = np.maximum(worst, complementarity(n, d, np.where(mine, load_share, 0)))
    return worst
