"""Random poses of every shape against test meshes, aimed at one kind of contact at a time.

As in poses.py: every generator takes a numpy.random.Generator and the number of poses n, and returns shape_a, shape_b,
X_WA, X_WB.
"""

import numpy as np

from tests.poses.poses_pairs import directions, place, pointing, quaternions, turn
from tests.support import meshes

DEEP = 1e-3  # m, largest penetration aimed at

MESHES = {
    "cube": meshes.cube(0.1),
    "fine_cube": meshes.cube(0.1, 4),
    "ball": meshes.icosphere(2, 0.05),
    "l": meshes.l_solid(0.1),
    "pit": meshes.pit(0.07, sides=5),
    "valley": meshes.fold(0.5, 3, 0.1),
    "flat_valley": meshes.fold(0.02, 3, 0.1),
    "ridge": meshes.fold(-0.4, 3, 0.1),
    "plane": meshes.flat(6, 0.1),
    "bowl": meshes.bowl(8, 0.1, 0.09),
    "terrain": meshes.terrain(8, 0.1, 0.012, seed=3),
    "open_terrain": meshes.terrain(8, 0.1, 0.012, seed=4, closed=False),
}
PLATE = meshes.Mesh(meshes.cube(0.1).vertices * [1, 1, 0.05], meshes.cube(0.1).triangles)
_STONE = directions(np.random.default_rng(8), 12) * [0.014, 0.011, 0.012]
SHAPES = {
    "point": ("point", {}),
    "sphere": ("sphere", {"radius": 0.01}),
    "big_sphere": ("sphere", {"radius": 0.04}),
    "segment": ("segment", {"length": 0.04}),
    "capsule": ("capsule", {"radius": 0.007, "length": 0.03}),
    "triangle": ("triangle", {"corners": [(-0.012, -0.01, 0.0), (0.016, -0.004, 0.0), (-0.003, 0.015, 0.0)]}),
    "ellipsoid": ("ellipsoid", {"semi_axes": (0.016, 0.01, 0.007)}),
    "box": ("box", {"size": (0.03, 0.02, 0.025)}),
    "cylinder": ("cylinder", {"radius": 0.011, "length": 0.026}),
    "polyhedron": ("polyhedron", {"corners": _STONE}),
    "mesh_l": meshes.l_solid(0.03).shape,
    "mesh_ball": meshes.icosphere(0, 0.015).shape,
}
#: what stands on a face: the axis of the shape that is turned towards the mesh
FLAT = {"triangle", "box", "cylinder", "mesh_l"}


def lowest(shape, down):
    """A point of the shape that is lowest along unit vectors `down` (n, 3), all in its own frame."""
    kind, a = shape
    if kind in ("triangle", "polyhedron", "mesh"):
        corners = np.asarray(a["vertices" if kind == "mesh" else "corners"], float)
        return corners[(down @ corners.T).argmax(1)]
    if kind == "box":
        return np.sign(down) * np.array(a["size"]) / 2
    if kind == "ellipsoid":
        reach = np.array(a["semi_axes"]) * down
        return np.array(a["semi_axes"]) * reach / np.linalg.norm(reach, axis=1, keepdims=True)
    half = np.sign(down[:, 2:]) * a.get("length", 0) / 2 * [0, 0, 1]
    if kind == "cylinder":
        radial = down * [1, 1, 0]
        return half + a["radius"] * radial / np.linalg.norm(radial, axis=1, keepdims=True)
    return half + a.get("radius", 0) * down


def places(rng, mesh, n):
    """Points (n, 3) in faces, on edges and at corners of a mesh, by thirds, and directions that lead away from it."""
    face = rng.integers(0, len(mesh.triangles), n)
    corners = mesh.vertices[mesh.triangles[face]]
    weights = rng.dirichlet([1, 1, 1], n)
    weights[rng.random((n, 3)) < np.array([[0.0], [0.5], [1.0]])[rng.integers(0, 3, n)] * [0, 1, 1]] = 0
    weights[weights.sum(1) == 0, 0] = 1
    weights /= weights.sum(1, keepdims=True)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    away = normal + rng.uniform(0, 0.7, (n, 1)) * directions(rng, n)
    return (weights[..., None] * corners).sum(1), away / np.linalg.norm(away, axis=1, keepdims=True)


def touching(shape, mesh, deep=DEEP, upright=0.0):
    """The lowest point of the shape a little below a random place of the mesh. A part `upright` of the poses has the
    shape's z axis within 0.1 rad of the direction away from the mesh."""

    def poses(rng, n):
        S, away = places(rng, mesh, n)
        q = quaternions(rng, n)
        stands = rng.random(n) < upright
        axis = away + rng.uniform(0, 0.1, (n, 1)) * directions(rng, n)
        axis *= rng.choice([-1, 1], (n, 1)) / np.linalg.norm(axis, axis=1, keepdims=True)
        q[stands] = pointing(rng, axis)[stands]
        q_back = q * [1, -1, -1, -1]
        p = S - turn(q, lowest(shape, turn(q_back, -away))) - rng.uniform(-0.2, 1, (n, 1)) * deep * away
        return place(rng, shape, mesh.shape, p, q)

    return poses


def along(shape, mesh, deep=DEEP):
    """A capsule beside a side of a triangle, at an angle of 1 mrad to 0.3 rad to it."""

    def poses(rng, n):
        corners = mesh.vertices[mesh.triangles[rng.integers(0, len(mesh.triangles), n)]]
        side = corners[:, 1] - corners[:, 0]
        normal = np.cross(side, corners[:, 2] - corners[:, 0])
        side, normal = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (side, normal))
        away = normal + rng.uniform(0, 1, (n, 1)) * np.cross(side, normal)
        away /= np.linalg.norm(away, axis=1, keepdims=True)
        axis = side + 10 ** rng.uniform(-3, -0.5, (n, 1)) * directions(rng, n)
        axis *= rng.choice([-1, 1], (n, 1)) / np.linalg.norm(axis, axis=1, keepdims=True)
        S = corners[:, 0] + rng.uniform(0, 1, (n, 1)) * (corners[:, 1] - corners[:, 0])
        p = S + (shape[1]["radius"] - rng.uniform(-0.2, 1, (n, 1)) * deep) * away
        return place(rng, shape, mesh.shape, p, pointing(rng, axis))

    return poses


def through(shape, mesh):
    """A thin rod whose axis runs through a random place in a face."""

    def poses(rng, n):
        corners = mesh.vertices[mesh.triangles[rng.integers(0, len(mesh.triangles), n)]]
        S = (rng.dirichlet([1, 1, 1], n)[..., None] * corners).sum(1)
        axis = directions(rng, n)
        p = S + rng.uniform(-0.5, 0.5, (n, 1)) * shape[1]["length"] * axis
        return place(rng, shape, mesh.shape, p, pointing(rng, axis))

    return poses


def anywhere(shape, mesh):
    """The shape's origin anywhere in the box around the mesh and a little beyond."""

    def poses(rng, n):
        low, high = mesh.vertices.min(0) - 0.01, mesh.vertices.max(0) + 0.01
        return place(rng, shape, mesh.shape, rng.uniform(low, high, (n, 3)), quaternions(rng, n))

    return poses


def _regions():
    for a, shape in SHAPES.items():
        for b, mesh in MESHES.items():
            yield f"{a}_on_{b}", touching(shape, mesh, upright=0.5 if a in FLAT else 0.0)
        yield f"{a}_anywhere_in_l", anywhere(shape, MESHES["l"])
        yield f"{a}_anywhere_in_terrain", anywhere(shape, MESHES["terrain"])


    for b in ("cube", "fine_cube", "l", "terrain"):
        yield f"capsule_along_{b}", along(SHAPES["capsule"], MESHES[b])
    for b, mesh in (("cube", MESHES["cube"]), ("plate", PLATE)):
        yield f"capsule_through_{b}", through(("capsule", {"radius": 0.002, "length": 0.15}), mesh)
        yield f"segment_through_{b}", through(("segment", {"length": 0.15}), mesh)


REGIONS = dict(_regions())


def mesh_over_plane(mesh):
    """A mesh whose lowest corners are a little below the plane."""

    def poses(rng, n):
        q = quaternions(rng, n)
        lowest_corner = np.array([turn(q[i : i + 1], mesh.vertices)[:, 2].min() for i in range(n)])
        p = np.column_stack([rng.uniform(-1, 1, (n, 2)), rng.uniform(-2 * DEEP, 20 * DEEP, n) * -1 - lowest_corner])
        return place(rng, mesh.shape, ("plane", {}), p, q)

    return poses


ON_PLANE = {name: mesh_over_plane(mesh) for name, mesh in MESHES.items()}
