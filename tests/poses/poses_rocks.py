"""Scenes of many bodies for tests: rocks of several kinds in a box of planes, with named pairs or patterns."""

import numpy as np

from tests.support.scenes import BRISTLE, body, law

SPRING = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 20.0}
TETRAHEDRON = {"vertices": [[0.05, 0.05, 0.05], [0.05, -0.05, -0.05], [-0.05, 0.05, -0.05], [-0.05, -0.05, 0.05]],
               "triangles": [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]}
SHAPES = ({"kind": "sphere", "radius": 0.05}, {"kind": "box", "size": [0.08, 0.07, 0.06]},
          {"kind": "capsule", "radius": 0.03, "length": 0.06}, {"kind": "mesh", **TETRAHEDRON})


def stone(k, name="stone", **keys):
    return {"name": name, "material": "rock", "density": 2000.0, **SHAPES[k % len(SHAPES)], **keys}


def rock(i, k, motion="free", **keys):
    """A rock of kind k; kind 4 has two groups of stones, each with a bounding volume."""
    if k < len(SHAPES):
        return body(f"rock{i}", motion, shapes=[stone(k)], **keys)
    groups = [{"name": side, "volume": volume, "shape": [
        stone(n, f"{side}{n}", r=[x, 0.08 * n, 0.0]) for n in range(2)]}
        for side, volume, x in (("left", "obb", -0.06), ("right", "sphere", 0.06))]
    return {"name": f"rock{i}", "motion": motion, "group": groups, **keys}


def box(half):
    """The floor and four walls of a box, planes."""
    s = np.sqrt(0.5)
    return [body(f"wall{k}", "fixed", shapes=[{"name": "top", "kind": "plane", "material": "rock"}],
                 state={"r": r, "q": q})
            for k, (r, q) in enumerate((
                ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]), ([-half, 0.0, 0.0], [s, 0.0, s, 0.0]),
                ([half, 0.0, 0.0], [s, 0.0, -s, 0.0]), ([0.0, -half, 0.0], [s, -s, 0.0, 0.0]),
                ([0.0, half, 0.0], [s, s, 0.0, 0.0])))]


PATTERNS = [["rock*", "rock*"], ["rock*", "wall*"]]


def named(n, walls=5):
    """The pairs that PATTERNS stand for, in their order."""
    rocks = [f"rock{i}" for i in range(n)]
    return ([[a, b] for i, a in enumerate(rocks) for b in rocks[i + 1:]]
            + [[a, f"wall{k}"] for a in rocks for k in range(walls)])


def tables(rocks, half, pairs=PATTERNS, **options):
    return {"scene": {"name": "rocks", "gravity": [0.0, 0.0, -9.81], "step_size": 1e-3, **options},
            "body": [*rocks, *box(half)], "law": [law("touch", ["rock", "rock"], SPRING, BRISTLE)],
            "pair": [{"bodies": pair} for pair in pairs]}


def scattered(rng, n, half, kinds=5, **keys):
    """Rocks anywhere in the box, which overlap and move."""
    rows = []
    for i in range(n):
        q = rng.normal(size=4)
        rows.append(rock(i, i % kinds, state={
            "r": rng.uniform([-half, -half, 0.0], [half, half, 2 * half]).tolist(),
            "q": (q / np.linalg.norm(q)).tolist(), "v": rng.normal(0.0, 0.5, 3).tolist(),
            "w": rng.normal(0.0, 3.0, 3).tolist()}, **keys))
    return rows
