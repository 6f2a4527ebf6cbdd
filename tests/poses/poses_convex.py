"""Random poses of the pairs with triangle, ellipsoid, cylinder and polyhedron, aimed at one contact region at a time.

Generators as in poses.py, by name. Most put a place on A onto a place on B, outward normals opposed but for a small
tilt, and push A in: faces, edges, corners, rims, sides and ends, each against each.
"""

from itertools import combinations_with_replacement

import numpy as np

from tests.oracle.reference_round import polytope
from tests.poses.poses_frames import (
    BOX,
    DEEP,
    PEG,
    PLANE,
    POINT,
    SOCKET,
    directions,
    multiply,
    near,
    place,
    pointing,
    turn,
)


def hull(count, seed, size):
    """A polyhedron whose corners lie on an ellipsoid: all of them count."""
    return ("polyhedron", {"corners": directions(np.random.default_rng(seed), count) * size})


def frustum(sides, low, high, height):
    """A polyhedron with faces of many corners."""
    angle = 2 * np.pi * np.arange(sides) / sides + 0.3
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    middle = np.array([0, 0, height / 2])
    return ("polyhedron", {"corners": np.concatenate([low * ring - middle, high * ring + middle])})


TRIANGLE = ("triangle", {"corners": np.array([[-0.04, -0.02, 0.005], [0.05, -0.03, 0.0], [0.01, 0.06, -0.01]])})
SHARD = ("triangle", {"corners": np.array([[0.0, 0.0, 0.0], [0.03, 0.002, 0.0], [0.011, 0.01, 0.002]])})
ELLIPSOID = ("ellipsoid", {"semi_axes": (0.03, 0.012, 0.02)})
LENTIL = ("ellipsoid", {"semi_axes": (0.03, 0.025, 0.006)})
CYLINDER = ("cylinder", {"radius": 0.015, "length": 0.05})
DISC = ("cylinder", {"radius": 0.03, "length": 0.006})
PLATE = ("box", {"size": (0.10, 0.06, 0.004)})
CRYSTAL, GEM = hull(12, 1, [0.04, 0.03, 0.025]), hull(20, 2, [0.03, 0.03, 0.02])
PEBBLE = hull(50, 3, [0.03, 0.025, 0.02])
NUT = frustum(6, 0.03, 0.025, 0.02)
TETRAHEDRON = ("polyhedron", {"corners": np.array([[0.03, 0, 0], [-0.02, 0.03, 0], [-0.02, -0.03, 0], [0, 0, 0.04]])})
NEEDLE = ("capsule", {"radius": 0.002, "length": 0.12})
PENCIL = ("capsule", {"radius": 0.006, "length": 0.04})
LINE = ("segment", {"length": 0.06})
DOT = ("sphere", {"radius": 0.004})

# two shapes of each convex kind: a usual one and a thin or a many-cornered one
SOLIDS = {
    "triangle": (TRIANGLE, SHARD),
    "ellipsoid": (ELLIPSOID, LENTIL),
    "box": (BOX, PLATE),
    "cylinder": (CYLINDER, DISC),
    "polyhedron": (CRYSTAL, NUT),
}


# ---- places on a shape: points (n, 3) and outward normals (n, 3) -----------------------------------


def mix(rng, corners):
    """Random convex combinations of corners (n, K, 3)."""
    weight = rng.dirichlet(np.ones(corners.shape[1]), len(corners))
    return (weight[..., None] * corners).sum(1)


def normalised(v):
    """v (n, 3) at unit length."""
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def on_polytope(rng, n, shape, kind):
    """In a face, on an edge or at a corner, with any normal that is outward there."""
    P = polytope(*shape)
    corners, normals = P.corners.astype(float), P.normals.astype(float)
    if kind == "face":
        f = rng.integers(len(P.loops), size=n)
        return mix(rng, corners[P.loops[f]]), normals[f]
    outward = normalised(-P.into().astype(float).sum(1))  # across each edge, between its two faces
    if kind == "edge":
        e = rng.integers(len(P.edges), size=n)
        fan = np.stack([normals[P.edge_faces[e, 0]], outward[e], normals[P.edge_faces[e, 1]]], axis=1)
        return mix(rng, corners[P.edges[e]]), normalised(mix(rng, fan))
    v = rng.integers(len(corners), size=n)
    around = (P.edges == v[:, None, None]).any(-1)
    weight = around * rng.exponential(size=around.shape)
    lean = rng.uniform(-1, 1, (n, 1)) * normals[0] if not P.closed else 0  # a sheet: to either side
    return corners[v], normalised(normalised(weight @ outward) + lean)


def on_ellipsoid(rng, n, shape, kind):
    """Anywhere on it."""
    a, u = np.array(shape[1]["semi_axes"]), directions(rng, n)
    return a * u, normalised(u / a)


def on_cylinder(rng, n, shape, kind):
    """In an end, on the side or on a rim."""
    R, half = shape[1]["radius"], shape[1]["length"] / 2
    out, up = directions(rng, n) * [1, 1, 0], rng.choice([-1, 1], n)[:, None] * [0, 0, 1]
    out = normalised(out)
    if kind == "face":
        return out * R * np.sqrt(rng.uniform(size=(n, 1))) + half * up, up
    if kind == "side":
        return out * R + rng.uniform(-1, 1, (n, 1)) * half * up, out
    return out * R + half * up, normalised(mix(rng, np.stack([out, up], axis=1)))


def on_capsule(rng, n, shape, kind):
    """On an end's half ball or along the body."""
    r, half = shape[1]["radius"], shape[1]["length"] / 2
    out = directions(rng, n)
    if kind == "end":
        return r * out + half * np.sign(out[:, 2:]) * [0, 0, 1], out
    out = normalised(out * [1, 1, 0])
    return r * out + rng.uniform(-1, 1, (n, 1)) * half * np.array([0, 0, 1]), out


PLACES = {
    "triangle": (on_polytope, ("face", "edge", "corner")),
    "ellipsoid": (on_ellipsoid, ("surface",)),
    "box": (on_polytope, ("face", "edge", "corner")),
    "cylinder": (on_cylinder, ("face", "side", "rim")),
    "polyhedron": (on_polytope, ("face", "edge", "corner")),
    "capsule": (on_capsule, ("end", "body")),
}


def anywhere_on(rng, n, shape):
    """Every kind of place equally often."""
    sample, kinds = PLACES[shape[0]]
    choice, both = rng.integers(len(kinds), size=n), [sample(rng, n, shape, kind) for kind in kinds]
    return (np.stack(parts)[choice, np.arange(n)] for parts in zip(*both, strict=True))


# ---- generators ----------------------------------------------------------------------------------


def touching(shape_a, shape_b, depth=DEEP, tilt=0.1):
    """A place of A on a place of B, at most `depth` inside (or a fifth outside) and tilted by at most `tilt` rad."""

    def poses(rng, n):
        (x, n_A), (y, n_B) = (anywhere_on(rng, n, shape) for shape in (shape_a, shape_b))
        lean = tilt * 10 ** rng.uniform(-2, 0, (n, 1)) * directions(rng, n)
        facing, straight = pointing(rng, normalised(lean - n_B)), pointing(rng, n_A)
        q = multiply(facing, straight * [1, -1, -1, -1])
        moved = turn(q, x)
        return place(rng, shape_a, shape_b, y - moved - n_B * rng.uniform(-depth / 5, depth, (n, 1)), q)

    return poses


QUARTERS = np.vstack([np.eye(4), *(0.5**0.5 * (np.eye(4)[0] + sign * np.eye(4)[1:]) for sign in (1, -1))])


def aligned(shape_a, shape_b):
    """Axes along axes, offsets of nothing, a half size or a size: flush faces, parallel edges, shared centres."""

    def poses(rng, n):
        part_a, part_b = rng.choice([0, 0, 0.5, 1], (n, 3)), rng.choice([0, 0, 0.5, -0.5, 1], (n, 3))
        q = QUARTERS[rng.integers(len(QUARTERS), size=n)]
        return place(rng, shape_a, shape_b, part_a * extent(shape_a) + part_b * extent(shape_b), q)

    return poses


def extent(shape):
    """Half lengths along its own axes (3,)."""
    kind, sizes = shape
    if kind == "ellipsoid":
        return np.array(sizes["semi_axes"])
    if kind == "cylinder":
        return np.array([sizes["radius"], sizes["radius"], sizes["length"] / 2])
    return np.abs(polytope(kind, sizes).corners).max(0).astype(float)


def along_cylinder(angle):
    """A capsule beside a cylinder, along its side, within angle [rad] of parallel."""

    def poses(rng, n):
        t = normalised(np.array([0, 0, 1]) + angle * directions(rng, n))
        out = normalised(directions(rng, n) * [1, 1, 0])
        r = CYLINDER[1]["radius"] + NEEDLE[1]["radius"] * rng.uniform(0.1, 1.2, (n, 1))
        return place(rng, NEEDLE, CYLINDER, r * out + rng.uniform(-0.06, 0.06, (n, 1)) * [0, 0, 1], pointing(rng, t))

    return poses


def along_edge(solid, least_angle, most_angle):
    """A capsule beside an edge of a polytope, that touches it or nearly, at an angle to it between these [rad]."""

    def poses(rng, n):
        P = polytope(*solid)
        e = rng.integers(len(P.edges), size=n)
        corners, normals = P.corners.astype(float)[P.edges[e]], P.normals.astype(float)[P.edge_faces[e]]
        if not P.closed:  # a sheet: beside the edge
            normals = (normals + 3 * normalised(-P.into().astype(float).sum(1))[e][:, None]) / 3
        out = normalised(mix(rng, normals))
        angle = least_angle * (most_angle / max(least_angle, 1e-300)) ** rng.uniform(size=(n, 1))
        t = normalised(normalised(corners[:, 1] - corners[:, 0]) + angle * directions(rng, n))
        away = PENCIL[1]["radius"] - DEEP * rng.uniform(-0.1, 1, (n, 1))
        return place(rng, PENCIL, solid, mix(rng, corners) + away * out, pointing(rng, t))

    return poses


def convex_pairs():
    """Two generators for every two convex kinds: touching, and anywhere inside each other."""
    pairs = {}
    for one, other in combinations_with_replacement(SOLIDS, 2):
        (a, thin_a), (b, thin_b) = SOLIDS[one], SOLIDS[other]
        pairs[f"{one}_touches_{other}"] = touching(a, b)
        reach = 0.25 if one == other == "triangle" else 0.6  # sheets rarely meet
        pairs[f"{one}_in_{other}"] = near(thin_a, thin_b, reach * (extent(thin_a) + extent(thin_b)))
    return pairs


PAIRS = {
    "segment_plane": near(LINE, PLANE, [1, 1, 0.03]),
    "triangle_plane": near(TRIANGLE, PLANE, [1, 1, 0.05]),
    "ellipsoid_plane": near(ELLIPSOID, PLANE, [1, 1, 0.03]),
    "cylinder_plane": near(CYLINDER, PLANE, [1, 1, 0.03]),
    "polyhedron_plane": near(CRYSTAL, PLANE, [1, 1, 0.04]),
    "pebble_plane": near(PEBBLE, PLANE, [1, 1, 0.02]),
    "socket_plane": near(SOCKET, PLANE, [1, 1, 0.1]),
    "point_sphere": near(POINT, DOT, 0.005),
    "point_capsule": near(POINT, PEG, [0.02, 0.02, 0.05]),
    "point_ellipsoid": near(POINT, ELLIPSOID, [0.03, 0.012, 0.02]),
    "point_box": near(POINT, BOX, [0.055, 0.035, 0.045]),
    "point_cylinder": near(POINT, CYLINDER, [0.015, 0.015, 0.03]),
    "point_polyhedron": near(POINT, CRYSTAL, [0.04, 0.03, 0.025]),
    "point_socket": near(POINT, SOCKET, [0.06, 0.07, 0.05], (0, 0, -0.04)),
    "sphere_segment": near(DOT, LINE, [0.004, 0.004, 0.035]),
    "sphere_triangle": near(DOT, TRIANGLE, [0.05, 0.05, 0.01]),
    "sphere_ellipsoid": near(DOT, ELLIPSOID, [0.03, 0.015, 0.02]),
    "sphere_lentil": near(DOT, LENTIL, [0.03, 0.03, 0.01]),
    "sphere_cylinder": near(DOT, CYLINDER, [0.02, 0.02, 0.03]),
    "sphere_polyhedron": near(DOT, CRYSTAL, [0.04, 0.03, 0.025]),
    "segment_capsule": near(LINE, PEG, [0.03, 0.03, 0.05]),
    "segment_triangle": near(LINE, TRIANGLE, 0.03),
    "segment_ellipsoid": near(LINE, ELLIPSOID, 0.03),
    "segment_box": near(LINE, BOX, 0.05),
    "segment_cylinder": near(LINE, CYLINDER, 0.03),
    "segment_polyhedron": near(LINE, CRYSTAL, 0.03),
    "segment_socket": near(LINE, SOCKET, [0.06, 0.07, 0.05], (0, 0, -0.04)),
    "capsule_triangle": touching(PEG, TRIANGLE),
    "needle_in_triangle": near(NEEDLE, TRIANGLE, 0.03),
    "capsule_ellipsoid": touching(PEG, ELLIPSOID),
    "needle_in_ellipsoid": near(NEEDLE, LENTIL, 0.03),
    "capsule_cylinder": touching(PEG, CYLINDER),
    "needle_in_cylinder": near(NEEDLE, CYLINDER, 0.03),
    "needle_in_disc": near(NEEDLE, DISC, 0.03),
    "capsule_polyhedron": touching(PEG, CRYSTAL),
    "needle_in_polyhedron": near(NEEDLE, NUT, 0.03),
    "sphere_pebble": near(DOT, PEBBLE, [0.03, 0.025, 0.02]),
    "capsule_pebble": touching(PEG, PEBBLE),
    "needle_in_pebble": near(NEEDLE, PEBBLE, 0.03),
    "capsule_along_edge_of_box": along_edge(BOX, 1e-3, 0.3),
    "capsule_along_edge_of_polyhedron": along_edge(CRYSTAL, 1e-3, 0.3),
    "capsule_along_edge_of_triangle": along_edge(TRIANGLE, 1e-3, 0.3),
    **convex_pairs(),
    "gem_touches_gem": touching(GEM, GEM),
    "gems_deep": near(GEM, CRYSTAL, 0.02),
    "box_on_pebble": touching(BOX, PEBBLE),
    "pebble_in_tetrahedron": near(PEBBLE, TETRAHEDRON, 0.02),
    "cylinder_on_plate": touching(PLATE, CYLINDER),
}

DEGENERATE = {
    **{f"{one}_aligned_with_{other}": aligned(SOLIDS[one][0], SOLIDS[other][0])
       for one, other in combinations_with_replacement(SOLIDS, 2)},
    "box_flush_with_box": touching(BOX, BOX, tilt=0),
    "cylinder_flush_with_box": touching(BOX, CYLINDER, tilt=0),
    "cylinder_flush_with_cylinder": touching(CYLINDER, DISC, tilt=0),
    "nut_flush_with_nut": touching(NUT, NUT, tilt=0),
    "box_nearly_flush_with_nut": touching(BOX, NUT, tilt=1e-7),
    "capsule_parallel_to_edge_of_box": along_edge(BOX, 0, 0),
    "capsule_parallel_to_edge_of_polyhedron": along_edge(CRYSTAL, 0, 0),
    "capsule_parallel_to_edge_of_triangle": along_edge(TRIANGLE, 0, 0),
    "capsule_nearly_parallel_to_edge_of_box": along_edge(BOX, 1e-10, 1e-5),
    "capsule_along_cylinder": along_cylinder(0),
    "capsule_nearly_along_cylinder": along_cylinder(1e-7),
}  # fmt: skip
