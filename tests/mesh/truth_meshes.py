"""Closed triangle meshes for truth: closest point, sign, crossings of lines; and meshes that contact is tried on."""

from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull, cKDTree

from tests.mesh.truth_solids import Solid, unit
from tests.support import meshes


def nearest_on_triangles(x, triangles):
    """Points of triangles (N, 3, 3) nearest to x (N, 3); where: 0 face, 1..3 edge after that corner, 4..6 corner."""
    a, ab, ac = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    n = np.cross(ab, ac)
    area = (n * n).sum(1)
    ax = x - a
    v = (np.cross(ax, ac) * n).sum(1) / area
    w = (np.cross(ab, ax) * n).sum(1) / area
    best = x - ((ax * n).sum(1) / area)[:, None] * n
    where = np.zeros(len(x), int)
    inside = (v >= 0) & (w >= 0) & (v + w <= 1)
    distance = np.where(inside, np.linalg.norm(x - best, axis=1), np.inf)
    for k in range(3):
        p, q = triangles[:, k], triangles[:, (k + 1) % 3]
        t = (((x - p) * (q - p)).sum(1) / ((q - p) ** 2).sum(1)).clip(0, 1)
        s = p + t[:, None] * (q - p)
        far = np.linalg.norm(x - s, axis=1)
        nearer = ~inside & (far < distance)
        best, distance = np.where(nearer[:, None], s, best), np.where(nearer, far, distance)
        where = np.where(nearer, np.where(t <= 0, 4 + k, np.where(t >= 1, 4 + (k + 1) % 3, 1 + k)), where)
    return best, where


class MeshSolid(Solid):
    """A welded closed mesh. `convex` may be given where it is known; `thickness` (m) is then measured."""

    def __init__(self, vertices, triangles, convex=False, thickness=None):
        self.vertices, self.triangles = np.asarray(vertices, float), np.asarray(triangles)
        self.convex = convex
        self.corners = self.vertices[self.triangles]
        a, b, c = np.moveaxis(self.corners, 1, 0)
        self.cross = np.cross(b - a, c - a)
        self.normals = unit(self.cross)
        self.offsets = (self.normals * a).sum(1)
        self.centres = self.corners.mean(1)
        self.reach = float(np.linalg.norm(self.corners - self.centres[:, None], axis=2).max())
        self.extent = float(np.linalg.norm(self.vertices, axis=1).max())
        self.low, self.high = self.corners.min(1), self.corners.max(1)
        self.thickness = thickness or self.width()

    def width(self):
        """Least width over many directions: of a convex solid's face normals, exact but for pairs of edges."""
        n = self.normals if self.convex else unit(np.random.default_rng(0).normal(size=(500, 3)))
        n = n[:: max(1, len(n) // 500)]
        h = n @ self.vertices.T
        return float((h.max(1) - h.min(1)).min())

    @cached_property
    def tree(self):
        return cKDTree(self.centres)

    @cached_property
    def neighbours(self):
        """The triangle across each side (T, 3), and the sides' normals: sums of both."""
        t = self.triangles
        sides = np.stack([t, np.roll(t, -1, axis=1)], -1).reshape(-1, 2)
        key = sides.min(1) * len(self.vertices) + sides.max(1)
        order = np.argsort(key, kind="stable")
        assert (key[order][::2] == key[order][1::2]).all(), "not closed"
        other = np.empty(len(key), int)
        other[order[::2]], other[order[1::2]] = order[1::2] // 3, order[::2] // 3
        return other.reshape(-1, 3)

    @cached_property
    def corner_normals(self):
        """Of each corner, weighted by the faces' angles (Baerentzen and Aanaes 2005): their sign is that of phi."""
        sums = np.zeros_like(self.vertices)
        for k in range(3):
            p, q, r = (self.corners[:, (k + i) % 3] for i in range(3))
            angle = np.arccos((unit(q - p) * unit(r - p)).sum(1).clip(-1, 1))
            np.add.at(sums, self.triangles[:, k], angle[:, None] * self.normals)
        return unit(sums)

    def nearest(self, x):
        """Nearest surface points, and the pseudo-normals there."""
        count = len(self.triangles)
        k = min(count, 32)
        far, found = self.tree.query(x, k=k)
        far, found = far.reshape(len(x), k), found.reshape(len(x), k)
        point, where, face = self._of(x, found)
        sure = (far[:, -1] - self.reach > np.linalg.norm(point - x, axis=1)) | (k == count)
        for i in np.nonzero(~sure)[0]:
            near = self.tree.query_ball_point(x[i], np.linalg.norm(point[i] - x[i]) + self.reach + 1e-12)
            p, w, f = self._of(x[i : i + 1], np.array([near]))
            point[i], where[i], face[i] = p[0], w[0], f[0]
        normal = self.normals[face]
        for k in range(3):
            edge = where == 1 + k
            normal[edge] += self.normals[self.neighbours[face[edge], k]]
            corner = where == 4 + k
            normal[corner] = self.corner_normals[self.triangles[face[corner], k]]
        return point, unit(normal)

    def _of(self, x, candidates):
        n, k = candidates.shape
        point, where = nearest_on_triangles(np.repeat(x, k, axis=0), self.corners[candidates.ravel()])
        point, where = point.reshape(n, k, 3), where.reshape(n, k)
        best = np.linalg.norm(point - x[:, None], axis=2).argmin(1)
        rows = np.arange(n)
        return point[rows, best], where[rows, best], candidates[rows, best]

    def phi(self, x):
        point, normal = self.nearest(x)
        return np.linalg.norm(x - point, axis=1) * np.where(((x - point) * normal).sum(1) < 0, -1, 1)

    def normal(self, x):
        return self.nearest(x)[1]

    def gauge(self, x):
        """Of a convex mesh: the greatest height over its faces' planes, the distance to them inside."""
        return (x @ self.planes[:, :3].T - self.planes[:, 3]).max(1) if self.convex else self.phi(x)

    @cached_property
    def planes(self):
        """Of the faces, each once: (K, 4)."""
        planes = np.column_stack([self.normals, self.offsets])
        return planes[np.unique(planes.round(9), axis=0, return_index=True)[1]]

    def interval(self, o, d):
        height, slope = o @ self.planes[:, :3].T - self.planes[:, 3], d @ self.planes[:, :3].T
        with np.errstate(divide="ignore", invalid="ignore"):
            t = -height / slope
        low = np.where(slope < 0, t, -np.inf).max(1)
        high = np.where(slope > 0, t, np.inf).min(1)
        out = ((slope == 0) & (height > 0)).any(1)
        return np.where(out, np.inf, low), np.where(out, -np.inf, high)

    def support(self, n):
        return self.vertices[(n @ self.vertices.T).argmax(1)]

    def winding_number(self, x):
        """By solid angles (Van Oosterom and Strackee 1983): 1 inside, 0 outside; slow."""
        a, b, c = (self.corners[None, :, k] - x[:, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        det = (a * np.cross(b, c)).sum(2)
        den = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
        return np.arctan2(det, den).sum(1) / (2 * np.pi)

    def feature(self, rng):
        """Faces by area; their edges and corners with a direction between the normals around."""
        area = np.linalg.norm(self.cross, axis=1)
        f = rng.choice(len(area), p=area / area.sum())
        where, k = rng.integers(3), rng.integers(3)
        if where == 0:
            return rng.dirichlet([1, 1, 1]) @ self.corners[f], self.normals[f]
        if where == 1:
            s, u = rng.random(2)
            n = u * self.normals[f] + (1 - u) * self.normals[self.neighbours[f, k]]
            return (1 - s) * self.corners[f, k] + s * self.corners[f, (k + 1) % 3], unit(n)
        around = (self.triangles == self.triangles[f, k]).any(1)
        n = rng.dirichlet(np.ones(around.sum())) @ self.normals[around]
        return self.corners[f, k], unit(0.5 * n + 0.5 * rng.random() * self.corner_normals[self.triangles[f, k]])


def crossings(o, d, solid, chosen):
    """Parameters t and facing (N, T) of lines o + t d through the chosen triangles; nan where a line misses."""
    a = solid.corners[chosen, 0]
    ab, ac = solid.corners[chosen, 1] - a, solid.corners[chosen, 2] - a
    n = solid.cross[chosen]
    slope = d @ n.T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = ((n * a).sum(1) - o @ n.T) / slope
        # barycentric coordinates as linear forms of the point: v = (x - a) . (ac x n)/|n|^2, and so on
        n2 = (n * n).sum(1, keepdims=True)
        pv, pw = np.cross(ac, n) / n2, np.cross(n, ab) / n2
        v = (o @ pv.T - (a * pv).sum(1)) + t * (d @ pv.T)
        w = (o @ pw.T - (a * pw).sum(1)) + t * (d @ pw.T)
        hit = (v >= -1e-12) & (w >= -1e-12) & (v + w <= 1 + 1e-12) & (slope != 0)
    return np.where(hit, t, np.nan), np.sign(slope)


# ---- meshes that contact is tried on; about a metre large ----------------------------------------


def of(mesh, **keys):
    return MeshSolid(mesh.vertices, mesh.triangles, **keys)


def hull(points):
    """The convex hull of points as an outward mesh of its corners alone."""
    found = ConvexHull(points)
    t = found.simplices.copy()
    a, b, c = np.moveaxis(found.points[t], 1, 0)
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(1) < 0
    t[inward] = t[inward][:, ::-1]
    used, t = np.unique(t, return_inverse=True)
    return meshes.Mesh(found.points[used], t.reshape(-1, 3))


def ball(level, radius=0.5):
    """20 * 4^level triangles, corners on the sphere."""
    return meshes.icosphere(level, radius)


def geodesic(frequency):
    """An icosahedron whose edges are cut in so many, on the unit sphere: 20 frequency^2 triangles."""
    faces = meshes.icosphere(0)
    f, grid, small = frequency, [], []
    number = {}
    for i in range(f + 1):
        for j in range(f + 1 - i):
            number[i, j] = len(grid)
            grid.append((f - i - j, i, j))
    for (i, j), k in number.items():
        if i + j < f:
            small.append((k, number[i + 1, j], number[i, j + 1]))
        if i + j < f - 1:
            small.append((number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]))
    points = np.einsum("gk,tkc->tgc", np.array(grid) / f, faces.vertices[faces.triangles])
    triangles = len(grid) * np.arange(20)[:, None, None] + np.array(small)
    return meshes.welded(unit(points.reshape(-1, 3)), triangles.reshape(-1, 3))


def rock(seed=0, corners=30):
    return hull(unit(np.random.default_rng(seed).normal(size=(corners, 3))) * [0.5, 0.4, 0.3])


def slab(cells=4):
    return meshes.cube(1.0, cells)._replace(vertices=meshes.cube(1.0, cells).vertices * [1, 0.8, 0.1])


def wrapped(nu, nv, place):
    """A closed grid in two angles: place(u, v) -> points, u v outward right-handed."""
    u, v = np.meshgrid(2 * np.pi * np.arange(nu) / nu, 2 * np.pi * np.arange(nv) / nv, indexing="ij")
    i, j = (k.ravel() for k in np.meshgrid(np.arange(nu), np.arange(nv), indexing="ij"))
    a, b = i * nv + j, (i + 1) % nu * nv + j
    c, d = (i + 1) % nu * nv + (j + 1) % nv, i * nv + (j + 1) % nv
    return meshes.Mesh(place(u.ravel(), v.ravel()), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]))


def torus(level, major=0.35, minor=0.15):
    """18 * 4^level quadrilaterals cut in two, corners on the torus about z."""
    return torus_of(3 * 2**level, major, minor)


def torus_of(n, major=0.35, minor=0.15):
    """2 n by n quadrilaterals cut in two."""

    def place(u, v):
        rho = major + minor * np.cos(v)
        return np.column_stack([rho * np.cos(u), rho * np.sin(u), minor * np.sin(v)])

    return wrapped(2 * n, n, place)


BUMPS = unit(np.random.default_rng(12).normal(size=(6, 3)))


def bumpy_radius(e, height=0.04, sharpness=8.0):
    """Of a ball with six smooth bumps, over unit vectors e (N, 3)."""
    return 0.45 + height * np.exp(sharpness * (e @ BUMPS.T - 1)).sum(-1)


def bumpy(level):
    return bumped(meshes.icosphere(level, 1.0))


def bumped(mesh):
    """A mesh of the unit sphere made bumpy."""
    return mesh._replace(vertices=mesh.vertices * bumpy_radius(mesh.vertices)[:, None])


def cavity(inside, radius=0.4):
    """A cube with a hollow, a mesh of the unit sphere: the inner surface looks towards the middle."""
    cube = meshes.cube(1.2, 2)
    return meshes.Mesh(np.concatenate([cube.vertices, radius * inside.vertices]),
                       np.concatenate([cube.triangles, inside.triangles[:, ::-1] + len(cube.vertices)]))  # fmt: skip


MESHES = {
    "cube": (lambda: meshes.cube(1.0), True, 1.0),
    "cube_fine": (lambda: meshes.cube(1.0, 16), True, 1.0),
    "ball80": (lambda: ball(1), True, None),
    "ball320": (lambda: ball(2), True, None),
    "ball1280": (lambda: ball(3), True, None),
    "ball5120": (lambda: ball(4), True, None),
    "ball20480": (lambda: ball(5), True, None),
    "rock": (rock, True, None),
    "slab": (slab, True, 0.1),
    "torus": (lambda: torus(3), False, 0.28),
    "torus_fine": (lambda: torus(4), False, 0.295),
    "bumpy": (lambda: bumpy(3), False, 0.9),
    "bumpy_fine": (lambda: bumpy(5), False, 0.9),
    "corner": (lambda: meshes.l_solid(1.0), False, 0.5),
}
_made = {}


def mesh_solid(name):
    if name not in _made:
        make, convex, thickness = MESHES[name]
        _made[name] = of(make(), convex=convex, thickness=thickness)
    return _made[name]
