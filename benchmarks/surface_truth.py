"""Parts of surface.py at given poses: closed paths, tilts, stiffness of a face, overlap of meshes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as every
from typing import Any

import numpy as np

import contactlib
from benchmarks import surface_scenes
from benchmarks.common import Floats
from benchmarks.surface_scenes import STILL
from tests.support import meshes
from tests.surfaces import closed_paths, faces
from tests.surfaces.closed_paths import SHAPES, STIFFNESS, pair_scene, wrenches

# ---- closed paths --------------------------------------------------------------------------------

POINTS = 19_200  # at most, of a path: a path that exchanges 0.3 mJ needs so many for its kinks


def path_errors(pair: tuple[str, str], seeds: int) -> dict[tuple[str, int], float]:
    """Errors of the paths of a pair; infinite where the core refuses a pose."""
    try:
        return closed_paths.errors(*pair, range(seeds), POINTS)
    except ValueError:
        return {("refused", 0): np.inf}


# ---- tilts ---------------------------------------------------------------------------------------

DEPTH = 1e-3  # m
TILTS = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)  # rad


def blocks() -> dict[str, dict[str, Any]]:
    """Solids of half a metre with a flat face at z = -0.25 and 0.25."""
    return {"box": {"kind": "box", "size": [0.5, 0.5, 0.5]}, "disc": faces.solid("disc", 0.25, 0.5),
            "prism": faces.solid("prism", 0.25, 0.5, 6), "mesh": faces.solid("mesh", 0.25, 0.5, cells=2)}


def tilt_jump(upper: dict[str, Any], lower: dict[str, Any], turn: float, offset: tuple[float, float]) -> float:
    """The largest change of the force, or of its line of action over 0.25 m, relative to no tilt."""
    axis = np.array([1.0, 0.3]) / np.hypot(1.0, 0.3)
    q = np.array([faces.turned(tilt * axis, turn) for tilt in (0.0, *TILTS)])
    height = 0.25 if lower["kind"] == "plane" else 0.5
    w = wrenches(pair_scene(upper, lower), np.tile([*offset, height - DEPTH], (len(q), 1)), q)
    force, line = w[:, 2], np.c_[-w[:, 4], w[:, 3]] / w[:, 2:3]
    return float(max(np.abs(force / force[0] - 1).max(), np.abs(line - line[0]).max() / 0.25))


def tilt_jumps() -> Iterator[tuple[str, float]]:
    solids = blocks()
    places = [(0.0, (0.05, 0.03)), (0.52, (0.05, 0.03)), (0.52, (0.0, 0.0)), (0.0, (0.0, 0.0))]
    for upper, lower in every(solids, [*solids, "plane"]):
        base = solids.get(lower, SHAPES["plane"])
        yield f"{upper} on {lower}", max(tilt_jump(solids[upper], base, *place) for place in places)


# ---- stiffness of a face ---------------------------------------------------------------------------


def mesh_of(size: list[float], cells: int) -> dict[str, Any]:
    cube = meshes.cube(1.0, cells)
    return faces.mesh_table(meshes.Mesh(cube.vertices * size, cube.triangles))


def drawn_faces(fine: int) -> dict[str, dict[str, dict[str, Any]]]:
    """One square, circle and octagon of 0.1 m in several ways; the finest mesh of a box has 12 fine^2 triangles."""
    disc = surface_scenes.turned([(1e-4, -0.05), (0.05, -0.05), (0.05, 0.05), (1e-4, 0.05)], 96)
    octagon = {"kind": "cone", "radius": 0.05, "top_radius": 0.02, "length": 0.1, "sides": 8}
    outline = faces.ring(0.05, 8).tolist()
    return {
        "square": {"box": {"kind": "box", "size": [0.1] * 3}, "polyhedron": faces.solid("prism", 0.05, 0.1, 4),
                   **{f"mesh of {12 * n * n}": mesh_of([0.1] * 3, n) for n in (1, 4, 16, fine)}},
        "circle": {"cylinder": {"kind": "cylinder", "radius": 0.05, "length": 0.1},
                   "cone of 64 sides": {"kind": "cone", "radius": 0.05, "top_radius": 0.02, "length": 0.1, "sides": 64},
                   "mesh of 768": faces.mesh_table(disc)},
        "octagon": {"cone": octagon,
                    "polyhedron": {"kind": "polyhedron", "corners": [[*p, z] for z in (-0.05, 0.05) for p in outline]}}}


def grounds(fine: int) -> dict[str, dict[str, Any]]:
    below = {"r": [0.0, 0.0, -0.1]}
    return {"plane": {"kind": "plane"}, "box": {"kind": "box", "size": [1.0, 1.0, 0.2], **below},
            "polyhedron": {**faces.solid("prism", 0.5, 0.2, 6), **below},
            "cylinder": {"kind": "cylinder", "radius": 0.5, "length": 0.2, **below},
            "height field": {"kind": "mesh", "heights": [[0.0] * 9] * 9, "spacing": [0.125, 0.125], "thickness": 0.2},
            **{f"mesh of {12 * n * n}": {**mesh_of([1.0, 1.0, 0.2], n), **below} for n in (1, 8, fine)}}


def stiffness_spread(fine: int) -> Iterator[tuple[str, float, str, str]]:
    """For each face: largest over smallest force at 0.1 mm, and the names of the stiffest and the softest drawing."""
    ground = grounds(fine)
    for face, drawn in drawn_faces(fine).items():
        forces = {}
        for (solid, shape), (name, base) in every(drawn.items(), ground.items()):
            w = wrenches(pair_scene(shape, base), np.array([[0.013, 0.007, 0.05 - 1e-4]]), STILL[:, 3:])
            forces[f"{solid} on {name}"] = w[0, 2] / (STIFFNESS * 1e-4)
        high, low = max(forces, key=forces.__getitem__), min(forces, key=forces.__getitem__)
        yield face, forces[high] / forces[low], f"{high} {forces[high]:.3f}", f"{low} {forces[low]:.3f}"


# ---- overlap of meshes -----------------------------------------------------------------------------

NOISES = (1e-9, 1e-7, 1e-5, 1e-4, 1e-3)  # m, of every vertex
SHIFTS = (1e-5, 1e-4, 1e-3)  # m


def lost_contacts(name: str, seed: int, count: int) -> tuple[int, int, int]:
    """Poses, poses that overlap, and of these the ones without a contact, of a pair of parts with noise."""
    rng, a, b = np.random.default_rng(seed), *surface_scenes.around_each_other()[name]
    noise, shift = NOISES[seed % len(NOISES)], SHIFTS[seed // len(NOISES) % len(SHIFTS)]
    A, B = surface_scenes.noisy(a, rng, noise), surface_scenes.noisy(b, rng, noise)
    X: Floats = surface_scenes.near_seat(rng, count, shift)
    overlap = contactlib.distances(A, B, X, STILL, margin=1e-9).overlap
    found = contactlib.manifolds(A, B, X, STILL).count > 0
    return count, int(overlap.sum()), int((overlap & ~found).sum())
