"""How deep two solids overlap, from bare geometry: bounds that do not know how the library computes contact.

The **penetration** of two solids that overlap is the shortest translation that clears the overlap. Bounds of it:

- *below*, `-(phi_A(x) + phi_B(x))` at any point x of both: balls of these radii around x lie in A and in B, and their
  centres must be moved apart by the sum. Exact on smooth surfaces; between edges of angle a lower by sin(a/2).
- *above*, for any direction n: along each line along n, B must let go what A's piece there starts with; the greatest
  of these lengths clears the overlap by moving A along n.
- of two convex solids both meet: the distance of the origin from the boundary of the Minkowski difference. An inner
  polytope of it (hull of support points) gives a bound below, the support along the nearest facet one above, and
  points are added until both agree to a tolerance.

`truth_depth(A, X_A, B, X_B)` returns (lower, upper), m; both negative where the solids are apart by at least -upper.
The deepest contact of one place may be shallower than the clearing translation where several places overlap at once;
then the lower bound, which is of one point, is the one that counts.
"""

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError

import contactlib
from tests.mesh.truth_meshes import MeshSolid, mesh_solid
from tests.mesh.truth_overlap import bounds
from tests.mesh.truth_solids import Box, Capsule, Cylinder, Ellipsoid, Sheet, Solid, Sphere, unit

TOLERANCE = 1e-4  # of the depth: where bounds of convex pairs are close enough
_solids, _shapes = {}, {}


def as_solid(shape):
    """The truth's form of a library's shape (a mesh: convex or not as its planes say) or of a name."""
    if isinstance(shape, str):
        return mesh_solid(shape)
    if isinstance(shape, Solid):
        return shape
    key = id(shape)
    if key not in _solids:
        if len(_solids) > 100:  # of long runs
            _solids.clear()
        _solids[key] = (shape, _solid(shape))
    return _solids[key][1]


def _solid(shape):
    if shape.kind == "polyhedron":
        vertices, loops, counts = shape.surface()
        faces = np.split(np.asarray(loops), np.cumsum(counts)[:-1])
        return MeshSolid(vertices, [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)], convex=True)
    if shape.kind == "mesh":
        v, t = np.asarray(shape.vertices, float), np.asarray(shape.triangles)
        solid = MeshSolid(v, t, thickness=1.0)
        convex = (solid.normals[:2000] @ v.T <= solid.offsets[:2000, None] + 1e-9 * solid.extent).all()
        return MeshSolid(v, t, convex=bool(convex))
    return {"sphere": lambda: Sphere(shape.radius), "capsule": lambda: Capsule(shape.radius, shape.length),
            "box": lambda: Box(shape.size), "cylinder": lambda: Cylinder(shape.radius, shape.length),
            "ellipsoid": lambda: Ellipsoid(shape.semi_axes), "triangle": lambda: Sheet(shape.corners)}[shape.kind]()


def as_shape(solid):
    """The library's shape of a mesh of the truth, or of a name: then made once."""
    if isinstance(solid, str):
        if solid not in _shapes:
            _shapes[solid] = as_shape(mesh_solid(solid))
        return _shapes[solid]
    return contactlib.Mesh(solid.vertices, solid.triangles)


# ---- rigid motions: a pose is (7,), position and quaternion, scalar first -------------------------


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip


def quaternion(R):
    """Of a rotation matrix, scalar first."""
    k = np.array([[R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
                  [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
                  [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], 0],
                  [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R.trace()]]) / 3  # fmt: skip
    values, vectors = np.linalg.eigh(k)
    q = vectors[[3, 0, 1, 2], values.argmax()]
    return q if q[0] >= 0 else -q


def rotation(rng):
    q = unit(rng.normal(size=4))
    return matrix(q)


def carrying(n, m):
    """A rotation that turns the unit vector n into m."""
    v, c = np.cross(n, m), n @ m
    if c < -1 + 1e-12:
        e = unit(np.cross(n, np.eye(3)[np.abs(n).argmin()]))
        return 2 * np.outer(e, e) - np.eye(3)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1 + c)


def about(n, angle):
    k = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


# ---- two convex solids ---------------------------------------------------------------------------


def convex_depth(A, B, R, p, tolerance=TOLERANCE):
    """Bounds of the least translation of A, placed at (R, p) in B's frame, out of B; negative where apart."""
    return convex_contact(A, B, R, p, tolerance)[:2]


def convex_contact(A, B, R, p, tolerance=TOLERANCE):
    """As convex_depth, and the normal from A to B (3,), B's frame, along which the upper bound is."""

    def support(n):
        return A.support(n @ R) @ R.T + p - B.support(-n)

    grid = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3), -1).reshape(-1, 3)
    n = unit(grid[(grid != 0).any(1)])
    points = support(np.concatenate([n, -unit(p)[None]]) if p.any() else n)
    scale, upper, lower, normal = np.abs(points).max(), np.inf, 0.0, np.zeros(3)
    for _ in range(60):
        try:
            hull = ConvexHull(points)
        except QhullError:
            points = np.concatenate([points, support(unit(np.random.default_rng(len(points)).normal(size=(20, 3))))])
            continue
        planes = np.unique(hull.equations, axis=0)
        planes = planes[(-planes[:, 3]).argsort()]  # furthest behind the origin first
        depth = -planes[:, 3]
        order = depth.argsort()[:12]
        normals, depth = planes[order, :3], depth[order]
        found = support(normals)
        reach = (found * normals).sum(1)
        if reach.min() < 0:
            return reach.min(), reach.min(), normals[reach.argmin()]
        if reach.min() < upper:
            upper, normal = reach.min(), normals[reach.argmin()]
        lower = depth[0]
        if upper - lower <= tolerance * upper + 1e-14 * scale:
            break
        new = reach - depth > 0.1 * tolerance * upper
        if not new.any():
            break
        points = np.concatenate([points[hull.vertices], found[new]])
    return float(np.clip(lower, 0.0, upper)), float(upper), normal


def greatest_extent(S, F, R, p):
    """How far the surface of S, placed at (R, p) in F's frame, gets into F, from F's nearest face; both meshes, convex.

    Of each triangle the linear program  max t,  n.x + t <= d  of all faces of F; those that may be the deepest first.
    """
    corners = S.corners @ R.T + p
    bound = (F.offsets - corners @ F.normals.T).max(1).min(1)
    best = 0.0
    for k in (-bound).argsort():
        if bound[k] <= best:
            break
        a, b, c = corners[k]
        rows = np.column_stack([F.normals @ (b - a), F.normals @ (c - a), np.ones(len(F.normals))])
        found = linprog([0, 0, -1], np.vstack([rows, [1, 1, 0]]),
                        np.append(F.offsets - F.normals @ a, 1.0), bounds=[(0, 1), (0, 1), (None, None)])
        best = max(best, -found.fun)
    return best


# ---- what others call ----------------------------------------------------------------------------


def relative(X_A, X_B):
    R_A, R_B = matrix(X_A[3:]), matrix(X_B[3:])
    return R_B.T @ R_A, R_B.T @ (np.asarray(X_A[:3]) - X_B[:3])


def truth_depth(A, X_A, B, X_B, tolerance=TOLERANCE, limit=np.inf):
    """(lower, upper) bound of how deep A is in the mesh B, m; negative where they are apart by so much at least.

    A and B: shapes of the library, solids of the truth, or names of truth_meshes.MESHES; poses (7,). Where one is not
    convex and the lower bound is beyond `limit`, the upper one is inf: it would take long.
    """
    A, B = as_solid(A), as_solid(B)
    R, p = relative(np.asarray(X_A, float), np.asarray(X_B, float))
    if A.convex and B.convex:
        return convex_depth(A, B, R, p, tolerance)
    if A.convex:
        return bounds(A, B, R, p, limit)
    if B.convex:
        return bounds(B, A, R.T, -R.T @ p, limit)
    raise ValueError("one of both must be convex")


def random_pose(rng, A, B, depth):
    """Poses (7,), (7,) at which a random feature of A is `depth` deep in one of B: faces, edges, corners, curved sides.

    Each feature has a direction out of its normal cone; these are turned against each other, the rest is by chance
    (one in four: edges aligned). Where both are convex the penetration is at most `depth`, elsewhere it may be more.
    """
    A, B = as_solid(A), as_solid(B)
    (a, n), (b, m) = A.feature(rng), B.feature(rng)
    R_A = rotation(rng)
    turn = rng.uniform(0, 2 * np.pi) if rng.random() < 0.75 else rng.integers(4) * np.pi / 2
    R_B = about(R_A @ n, turn) @ carrying(m, -R_A @ n)
    r_A = rng.uniform(-1, 1, 3)
    r_B = r_A + R_A @ a - depth * (R_A @ n) - R_B @ b
    return np.array([*r_A, *quaternion(R_A)]), np.array([*r_B, *quaternion(R_B)])


def random_poses(rng, A, B, depths, tolerance=TOLERANCE):
    """Poses (N, 7), (N, 7) and bounds (N,), (N,) at depths (N,), m; those that turn out apart or deeper are redrawn."""
    rows = []
    for depth in depths:
        for _ in range(200):
            X_A, X_B = random_pose(rng, A, B, depth)
            lower, upper = truth_depth(A, X_A, B, X_B, tolerance, 2 * depth)
            if lower > 0.05 * depth and upper < 2 * depth:
                break
        else:
            raise RuntimeError(f"no pose of depth {depth} found")
        rows.append((X_A, X_B, lower, upper))
    return tuple(np.array(column) for column in zip(*rows, strict=True))
