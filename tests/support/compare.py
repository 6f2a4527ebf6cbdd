"""Compiled manifolds beside the oracle's, contact by contact."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

import contactlib
from contactlib._core import engine
from contactlib.shapes.shapes import SHAPES
from contactlib.simulation.manifolds import core_shape
from tests.oracle import reference
from tests.oracle.reference_round import polytope

ROAMING = 32  # features from here on are ranks and may swap between equally near places


def shape(pair):
    """The library's shape for the oracle's (kind, sizes); a mesh without triangles is the hull of its corners."""
    kind, sizes = pair
    if kind == "mesh" and "corners" in sizes:
        return as_mesh("polyhedron", sizes)
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


def has_points(kind_a, kind_b):
    """Whether there is a kernel for their point contacts: that of the pair, or that with which cables meet shapes."""
    kinds = engine.shape_kinds()
    return bool(engine.point_table()[kinds.index(kind_a), kinds.index(kind_b)])


def of_points(regions):
    """Those of the generators of (A, B, X_WA, X_WB) whose shapes have point contacts."""
    def kinds(generate):
        return (shape[0] for shape in generate(np.random.default_rng(0), 2)[:2])

    return {name: generate for name, generate in regions.items() if has_points(*kinds(generate))}


def point_contacts(a, b, X_WA, X_WB, hints=None, max_contacts=64):
    """Contacts at points, also of capsules on faces: as cables meet shapes."""
    poses = [np.ascontiguousarray(np.atleast_2d(X), dtype=float) for X in (X_WA, X_WB)]
    hints = np.zeros((0, 3)) if hints is None else np.ascontiguousarray(hints, dtype=float)
    count, *slots = memory = engine.empty_manifolds(max(map(len, poses)), max_contacts)
    assert engine.manifolds(core_shape(a), core_shape(b), *poses, hints, memory, 1, nearest=True) == -1
    return contactlib.Manifolds(count, *(array.swapaxes(0, 1) for array in slots))


def manifolds(A, B, X_WA, X_WB):
    """The library's point contacts, with room for all of those that may be many."""
    return point_contacts(shape(A), shape(B), X_WA, X_WB, max_contacts=64 if reference.holds_many(A, B) else 8)


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
