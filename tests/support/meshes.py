"""Test meshes: vertices (V, 3) in m and triangles (T, 3), corners counter-clockwise seen from outside."""

from typing import NamedTuple

import numpy as np


class Mesh(NamedTuple):
    vertices: np.ndarray
    triangles: np.ndarray

    @property
    def shape(self):
        """As the oracle names it."""
        return "mesh", {"vertices": self.vertices, "triangles": self.triangles}

    def moved(self, offset=(0, 0, 0), scale=1.0):
        return Mesh(self.vertices * scale + offset, self.triangles)

    def turned(self, R):
        return Mesh(self.vertices @ np.asarray(R).T, self.triangles)


def volume(mesh):
    """Signed volume of a closed mesh: positive if its triangles look outwards."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return (np.cross(a, b) * c).sum() / 6


def welded(corners, triangles):
    """Corners at the same place made one, triangles that lose their area left out."""
    _, first, name = np.unique(np.round(corners, 9), axis=0, return_index=True, return_inverse=True)
    triangles = name.reshape(-1)[triangles]
    a, b, c = triangles.T
    return Mesh(corners[first], triangles[(a != b) & (b != c) & (c != a)])


# ---- closed solids -------------------------------------------------------------------------------


def icosphere(subdivisions, radius=1.0):
    """An icosahedron whose triangles are cut in four, its corners on the sphere: 20 * 4^subdivisions triangles."""
    phi = (1 + 5**0.5) / 2
    corners = np.array([p for a in (-1, 1) for b in (-phi, phi) for p in ((0, a, b), (a, b, 0), (b, 0, a))], float)
    triangles = [t for t in np.ndindex(12, 12, 12) if t[0] == min(t) and _is_face(*corners[list(t)])]
    mesh = Mesh(corners, np.array(triangles))
    for _ in range(subdivisions):
        mesh = quartered(mesh)
    return Mesh(radius * mesh.vertices / np.linalg.norm(mesh.vertices, axis=1, keepdims=True), mesh.triangles)


def _is_face(a, b, c):
    """Of an icosahedron of side 2, seen from outside."""
    sides = [np.linalg.norm(d) for d in (a - b, b - c, c - a)]
    return np.allclose(sides, 2) and np.cross(b - a, c - a) @ a > 0


def quartered(mesh):
    """Every triangle cut in four through the middles of its sides."""
    v = mesh.vertices[mesh.triangles]
    middles = (v + np.roll(v, -1, axis=1)) / 2
    points = np.concatenate([v, middles], axis=1).reshape(-1, 3)
    split = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]])
    return welded(points, (6 * np.arange(len(v))[:, None, None] + split).reshape(-1, 3))


def cube(size=1.0, cells=1):
    """A cube about the origin; every side has cells x cells squares of two triangles, so most edges are flat."""
    points, triangles = [], []
    for axis in range(3):
        for sign in (-1, 1):
            u, v = np.meshgrid(*[np.linspace(-1, 1, cells + 1)] * 2, indexing="ij")
            side = np.stack([np.full_like(u, sign), u, sign * v], axis=-1)  # x cross y is the outward axis
            points.append(np.roll(side, axis, axis=-1).reshape(-1, 3))
            triangles.append(_grid_triangles(cells, cells) + sum(map(len, points[:-1])))
    return welded(np.concatenate(points), np.concatenate(triangles)).moved(scale=size / 2)


def prism(outline, height):
    """A polygon (K, 2), counter-clockwise and star-shaped about its first corner, drawn up from z = 0."""
    outline, k = np.asarray(outline, float), len(outline)
    i = np.arange(1, k - 1)
    bottom = np.stack([0 * i, i + 1, i], axis=1)
    j, after = np.arange(k), (np.arange(k) + 1) % k
    walls = np.concatenate([np.stack([j, after, after + k], 1), np.stack([j, after + k, j + k], 1)])
    vertices = np.concatenate([np.column_stack([outline, np.full(k, z)]) for z in (0, height)])
    return Mesh(vertices, np.concatenate([bottom, bottom[:, ::-1] + k, walls]))


def blocks(lines, filled):
    """The surface of a union of cells of a grid with these coordinates along x, y and z; `filled` names full cells."""
    edges, full = [np.asarray(line, dtype=float) for line in lines], np.pad(np.asarray(filled, dtype=bool), 1)
    corners, triangles = [], []
    for cell in np.argwhere(full):
        for axis in range(3):
            for side in (0, 1):
                if full[tuple(cell + (2 * side - 1) * np.eye(3, dtype=int)[axis])]:
                    continue
                u, v = ((axis + 1) % 3, (axis + 2) % 3) if side else ((axis + 2) % 3, (axis + 1) % 3)
                square = np.tile(cell - 1, (4, 1))
                square[:, axis] += side
                square[[1, 2], u] += 1
                square[[2, 3], v] += 1
                first = len(corners)
                corners += [[edges[k][i] for k, i in enumerate(corner)] for corner in square]
                triangles += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    return welded(np.array(corners), np.array(triangles))


def l_solid(size=1.0):
    """Two arms at a right angle: six edges upright, of which that between the arms is concave."""
    arms = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    return prism(arms, 1.0).moved((-0.75, -0.75, -0.5)).moved(scale=size / 2)


def pit(size=1.0, depth=0.4, sides=4):
    """A block with a pyramid-shaped pit of that many walls in its top z = 0."""
    angle = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    low, high = 0.8 * ring - [0, 0, 1], 0.8 * ring
    mouth = 0.6 * ring
    vertices = np.concatenate([low, high, mouth, [[0, 0, -1], [0, 0, -depth]]])
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    k, bottom, tip = sides, np.full(sides, 3 * sides), np.full(sides, 3 * sides + 1)
    rows = [(j, i, bottom), (i, j, j + k), (i, j + k, i + k), (i + k, j + k, j + 2 * k), (i + k, j + 2 * k, i + 2 * k),
            (i + 2 * k, j + 2 * k, tip)]
    return Mesh(vertices, np.concatenate([np.stack(row, axis=1) for row in rows])).moved(scale=size)


# ---- surfaces over the x-y plane -----------------------------------------------------------------


def _grid_triangles(nx, ny):
    """Triangles of a grid of (nx + 1) (ny + 1) points, y running fastest, up; the diagonals turn from cell to cell."""
    i, j = (k.ravel() for k in np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij"))
    a = i * (ny + 1) + j
    b, c, d = a + ny + 1, a + ny + 2, a + 1
    odd = ((i + j) % 2 == 1)[:, None, None]
    one = np.stack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)], axis=1)
    other = np.stack([np.stack([a, b, d], 1), np.stack([b, c, d], 1)], axis=1)
    return np.where(odd, other, one).reshape(-1, 3)


def grid(x, y, height):
    """The open surface z = height(x, y) over the points of a grid."""
    u, v = np.meshgrid(x, y, indexing="ij")
    points = np.stack([u, v, height(u, v) + 0 * u], axis=-1).reshape(-1, 3)
    return Mesh(points, _grid_triangles(len(x) - 1, len(y) - 1))


def flat(cells=10, size=1.0):
    """The plane z = 0, cut in triangles."""
    side = np.linspace(-size / 2, size / 2, cells + 1)
    return grid(side, side, lambda x, y: 0 * x)


def fold(slope, cells=1, size=1.0):
    """Two strips that meet along the y axis and rise from it by `slope` (rad): a valley, or a ridge if negative."""
    y = np.linspace(-size / 2, size / 2, cells + 1)
    mesh = grid(size / 2 * np.array([-1, 0, 1]), y, lambda x, y: np.abs(x) * np.tan(slope))
    return mesh._replace(vertices=mesh.vertices * [np.cos(slope), 1, np.cos(slope)])


def bowl(cells=16, size=1.0, radius=1.0):
    """The inside of a sphere's lowest part, its lowest point at the origin."""
    side = np.linspace(-size / 2, size / 2, cells + 1)
    return grid(side, side, lambda x, y: radius - np.sqrt(radius**2 - x**2 - y**2))


def terrain(cells=32, size=1.0, roughness=0.05, seed=0, closed=True):
    """Hills, dips and stones: a grid of random heights of about `roughness`. Closed: with a skirt and a bottom."""
    rng = np.random.default_rng(seed)
    side = np.linspace(-size / 2, size / 2, cells + 1)
    waves = rng.normal(size=(6, 2)) * 2 * np.pi / size * 1.5
    phase = rng.uniform(0, 2 * np.pi, 6)
    stones = rng.normal(size=(cells + 1, cells + 1)) * 0.25 * (rng.random((cells + 1, cells + 1)) < 0.3)

    def height(x, y):
        return roughness * (np.sin(waves[:, 0, None, None] * x + waves[:, 1, None, None] * y
                                   + phase[:, None, None]).sum(0) / 3 + stones)

    top = grid(side, side, height)
    return underpinned(top, cells, -size / 4) if closed else top


def underpinned(top, cells, bottom):
    """A square grid made a solid: walls from its border down to a floor at z = bottom, a fan about the middle."""
    number = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    ring = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    below = top.vertices[ring] * [1, 1, 0] + [0, 0, bottom]
    vertices = np.concatenate([top.vertices, below, [[*top.vertices[:, :2].mean(0), bottom]]])
    i = np.arange(len(ring))
    j = (i + 1) % len(ring)
    low = len(top.vertices) + i
    after = len(top.vertices) + j
    walls = np.concatenate([np.stack([low, after, ring[j]], 1), np.stack([low, ring[j], ring[i]], 1)])
    floor = np.stack([after, low, np.full(len(i), len(vertices) - 1)], axis=1)
    return Mesh(vertices, np.concatenate([top.triangles, walls, floor]))
