"""Solids and poses of surface.py: plates and hills, parts that reach around each other, and pairs that just touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import contactlib
from benchmarks.common import Floats
from tests.support import meshes

STILL = np.array([[0.0, 0, 0, 1, 0, 0, 0]])


def poses(positions: Floats, rotations: Rotation) -> Floats:
    """(N, 7), quaternions scalar first."""
    return np.hstack([positions, np.roll(rotations.as_quat(), 1, axis=1)])


def approached(a: Any, b: Any, n: int, low: float, high: float, seed: int = 1) -> Floats:
    """Poses of A at which it came from any side, any way up, on to B, and then `low` to `high` m further in."""
    rng = np.random.default_rng(seed)
    turns = Rotation.from_quat(rng.normal(size=(n, 4)))
    ways = rng.normal(size=(n, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    inner, outer = np.zeros(n), np.full(n, 3.0)
    for _ in range(40):  # convex shapes that hold their origins: they touch at smaller distances and not beyond
        middle = (inner + outer) / 2
        touch = contactlib.manifolds(a, b, poses(middle[:, None] * ways, turns), STILL).count > 0
        inner, outer = np.where(touch, middle, inner), np.where(touch, outer, middle)
    return poses((inner - rng.uniform(low, high, n))[:, None] * ways, turns)


# ---- plates and hills ----------------------------------------------------------------------------


def plate(n: int, up: bool) -> contactlib.Mesh:
    """0.1 x 0.1 x 0.01 m, face and bottom of n x n squares of two triangles, the face at z = 0: 4 n^2 + 8 n."""
    side = np.linspace(-0.05, 0.05, n + 1)
    top = np.array([[x, y, 0.0] for x in side for y in side])
    index, m = np.arange(len(top)).reshape(n + 1, n + 1), len(top)
    a, b, c, d = index[:-1, :-1].ravel(), index[1:, :-1].ravel(), index[1:, 1:].ravel(), index[:-1, 1:].ravel()
    face = np.r_[np.c_[a, b, c], np.c_[a, c, d]]
    rim = np.r_[index[:-1, 0], index[-1, :-1], index[:0:-1, -1], index[0, :0:-1]]
    after = np.roll(rim, -1)
    faces = np.r_[face, face[:, ::-1] + m, np.c_[rim, rim + m, after + m], np.c_[rim, after + m, after]]
    points = np.r_[top, top - [0, 0, 0.01]]
    return contactlib.Mesh(points if up else points * [1, 1, -1], faces if up else faces[:, ::-1])


def hills(cells: int = 48, peaks: int = 5, height: float = 0.012) -> contactlib.Mesh:
    """A block of 1 x 1 m whose top is a field of smooth hills: 5,184 triangles."""
    x = np.linspace(-0.5, 0.5, cells + 1)
    wave = np.cos(2 * np.pi * peaks * x)
    return contactlib.height_field(height * np.outer(wave, wave), (1 / cells, 1 / cells), 0.3)


def on_hills(solid_height: float, n: int = 200) -> Floats:
    """Poses of a solid that lies on the hills, anywhere, 1 to 4 mm below their peaks, tilted by up to 0.01 rad."""
    rng = np.random.default_rng(3)
    tilts = rng.uniform(-0.01, 0.01, (n, 2))
    yaws = Rotation.from_rotvec(np.outer(rng.uniform(0, 6.3, n), [0, 0, 1]))
    turns = Rotation.from_rotvec(np.c_[tilts, np.zeros(n)]) * yaws
    places = np.c_[rng.uniform(-0.25, 0.25, (n, 2)), solid_height / 2 + 0.012 - rng.uniform(1e-3, 4e-3, n)]
    return poses(places, turns)


# ---- parts that reach around each other ------------------------------------------------------------


def turned(profile: Sequence[tuple[float, float]], sides: int = 48) -> meshes.Mesh:
    """A closed profile (r, z) turned about z."""
    angle = 2 * np.pi * np.arange(sides) / sides
    points = np.array([[r * np.cos(t), r * np.sin(t), z] for r, z in profile for t in angle])
    rows = np.arange(len(profile) * sides).reshape(len(profile), sides)
    below, right = np.roll(rows, -1, axis=0), np.roll(rows, -1, axis=1)
    corner = np.roll(below, -1, axis=1)
    faces = np.stack([rows, right, corner, rows, corner, below], -1).reshape(-1, 3)
    mesh = meshes.Mesh(points, faces)
    return mesh if meshes.volume(mesh) > 0 else meshes.Mesh(points, faces[:, ::-1])


def around_each_other() -> dict[str, tuple[meshes.Mesh, meshes.Mesh]]:
    """Pairs of meshes, nominally with 0.1 mm of interference or just in touch, the second one fixed at the origin."""
    def tube(inner: float) -> list[tuple[float, float]]:
        return [(inner, -0.05), (0.1, -0.05), (0.1, 0.05), (inner, 0.05)]

    shaft = turned([(1e-3, -0.1), (0.05, -0.1), (0.05, 0.1), (1e-3, 0.1)])
    plug = turned([(1e-3, -0.04), (0.03, -0.04), (0.07, 0.04), (1e-3, 0.04)])
    seat = turned([(0.03, -0.04), (0.1, -0.04), (0.1, 0.04), (0.07, 0.04)])
    groove = turned([(0.03, -0.03), (0.09, -0.03), (0.09, 0.0), (0.06, -0.02), (0.03, 0.0)])
    tongue = turned([(0.03, 0.03), (0.09, 0.03), (0.09, 0.0), (0.06, -0.02), (0.03, 0.0)])
    link = turned([(0.06 + 0.015 * np.cos(t), 0.015 * np.sin(t)) for t in 2 * np.pi * np.arange(12) / 12], 32)
    other = meshes.Mesh(link.vertices[:, [0, 2, 1]] * [1, 1, -1] + [0.09, 0, 0], link.triangles)
    return {"press fit": (shaft, turned(tube(0.0499))), "running fit": (shaft, turned(tube(0.05005))),
            "plug in seat": (plug, seat), "tongue in groove": (tongue, groove), "links of a chain": (link, other)}


def noisy(mesh: meshes.Mesh, rng: np.random.Generator, noise: float) -> contactlib.Mesh:
    return contactlib.Mesh(mesh.vertices + rng.uniform(-noise, noise, mesh.vertices.shape), mesh.triangles)


def near_seat(rng: np.random.Generator, n: int, shift: float) -> Floats:
    """Poses shifted and turned by some `shift` (m), over 5 cm."""
    return poses(rng.normal(size=(n, 3)) * shift, Rotation.from_rotvec(rng.normal(size=(n, 3)) * shift / 0.05))


