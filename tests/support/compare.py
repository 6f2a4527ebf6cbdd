"""Compiled manifolds beside the oracle's, contact by contact."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

import contactlib
from contactlib.shapes.shapes import SHAPES
from tests.oracle import reference
from tests.oracle.reference_round import polytope

ROAMING = 32  # features from here on are ranks and may swap between equally near places


def shape(pair):
    """The library's shape for the oracle's (kind, sizes)."""
    kind, sizes = pair
    lengths = ("size", "semi_axes")
    return SHAPES[kind](**{key: tuple(value) if key in lengths else value for key, value in sizes.items()})


def as_mesh(kind, sizes):
    """The hull of a box's or a polyhedron's corners as a mesh."""
    corners = np.asarray(polytope(kind, sizes).corners, float)
    hull = ConvexHull(corners)
    t = hull.simplices.copy()
    a, b, c = np.moveaxis(corners[t], 1, 0)
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(1) < 0
    t[inward] = t[inward][:, ::-1]
    return contactlib.Mesh(corners, t)


def manifolds(A, B, X_WA, X_WB):
    """The library's manifolds, with room for all of those that may be many."""
    room = 64 if reference.holds_many(A, B) else None
    return contactlib.manifolds(shape(A), shape(B), X_WA, X_WB, max_contacts=room)


@dataclass
class Comparison:
    """Worst differences over all poses; `other_contacts` are poses with another number or other features.

    At `ambiguous` poses several normals or faces are equally good: there only the deepest depth counts.
    """

    poses: int
    contacts: int
    other_contacts: int
    ambiguous: int
    depth: float
    deepest: float
    point: np.ndarray
    normal: np.ndarray


def compare(A, B, X_WA, X_WB):
    ours = manifolds(A, B, X_WA, X_WB)
    oracle = reference.manifold(A, B, X_WA, X_WB)
    width = max(ours.depth.shape[1], oracle.depth.shape[1])
    a, b = _sorted(ours, width), _sorted(oracle, width)
    same = (ours.count == oracle.count) & (a["label"] == b["label"]).all(1)
    sure = ~oracle.ambiguous
    here = (same & sure)[:, None] & (a["label"] >= 0)
    return Comparison(
        poses=len(X_WA),
        contacts=int(here.sum()),
        other_contacts=int((sure & ~same).sum()),
        ambiguous=int(oracle.ambiguous.sum()),
        depth=_worst(np.abs(a["depth"] - b["depth"])[here]),
        deepest=_worst(np.abs(ours.depth.max(1) - oracle.depth.max(1))),
        point=np.abs(a["point"] - b["point"]).max(-1)[here],
        normal=np.abs(a["normal"] - b["normal"]).max(-1)[here],
    )


def _worst(errors):
    return float(errors.max()) if errors.size else 0.0


def _sorted(m, width):
    """Contacts of each pose by label, those with roaming features (which share one label) by where they are along
    world x, y, z; padded to width."""
    label = np.minimum(m.feature, ROAMING)
    place = np.asarray(m.point @ np.array([0.7548, 0.5698, 0.3247]), dtype=np.float64)
    order = np.lexsort((place, np.where(label < 0, 99, label)), axis=1)
    take = {"label": label, "depth": m.depth, "point": m.point, "normal": m.normal}
    taken = {key: np.take_along_axis(v, order if v.ndim == 2 else order[..., None], axis=1) for key, v in take.items()}
    return {key: reference.resize(v, width) for key, v in taken.items()}
