"""Random poses of solids against the socket, aimed at one region of it at a time, and poses in which they rest.

As in poses.py: every generator takes a numpy.random.Generator and the number of poses n, and returns shape_a, shape_b,
X_WA, X_WB.
"""

import numpy as np

from tests.poses.poses_convex import PLACES, anywhere_on, extent, frustum, hull, normalised
from tests.poses.poses_frames import SOCKET, directions, multiply, near, place, pointing, turn

R, H = SOCKET[1]["radius"], SOCKET[1]["length"]
SIZE = np.array(SOCKET[1]["size"])
DEEP = 1e-3  # m, largest penetration aimed at

# small enough to be in the hole, and as large as the mouth
SMALL = {
    "triangle": ("triangle", {"corners": [(-0.006, -0.005, 0.0), (0.008, -0.002, 0.0), (-0.0015, 0.0075, 0.001)]}),
    "box": ("box", {"size": (0.009, 0.007, 0.012)}),
    "polyhedron": hull(10, 4, [0.006, 0.005, 0.007]),
    "cylinder": ("cylinder", {"radius": 0.005, "length": 0.012}),
    "ellipsoid": ("ellipsoid", {"semi_axes": (0.009, 0.005, 0.007)}),
}
LARGE = {
    "triangle": ("triangle", {"corners": [(-0.04, -0.03, 0.0), (0.05, -0.02, 0.0), (-0.01, 0.045, 0.0)]}),
    "box": ("box", {"size": (0.05, 0.03, 0.04)}),
    "polyhedron": frustum(7, 0.03, 0.01, 0.04),
    "cylinder": ("cylinder", {"radius": 0.02, "length": 0.03}),
    "ellipsoid": ("ellipsoid", {"semi_axes": (0.03, 0.021, 0.024)}),
}
CUP = ("socket", {"size": (0.012, 0.014, 0.013), "radius": 0.005, "length": 0.006})
WIDE_CUP = ("socket", {"size": (0.04, 0.05, 0.04), "radius": 0.015, "length": 0.02})
ROUND_PEG, COIN = ("cylinder", {"radius": R - 0.2e-3, "length": 0.06}), ("cylinder", {"radius": R, "length": 0.006})
SQUARE_PEG = ("box", {"size": (2 * R / 5**0.5, 4 * R / 5**0.5, 0.06)})  # its edges are R from its axis
KINDS = tuple(SMALL)


# ---- places on the socket: points (n, 3) and outward normals (n, 3) -------------------------------


def on_wall(rng, n):
    out = normalised(directions(rng, n) * [1, 1, 0])
    return R * out - rng.uniform(0, H, (n, 1)) * [0, 0, 1], -out


def on_cap(rng, n):
    out = directions(rng, n)
    out[:, 2] = -np.abs(out[:, 2])
    return R * out - [0, 0, H], -out


def on_rim(rng, n):
    out = normalised(directions(rng, n) * [1, 1, 0])
    lean = rng.uniform(0, np.pi / 2, (n, 1))
    return R * out, np.cos(lean) * [0, 0, 1] - np.sin(lean) * out


def on_box(rng, n):
    """In a face, on an edge or at a corner of the box, but not over the hole."""
    x, g = anywhere_on(rng, n, ("box", {"size": tuple(SIZE)}))
    x = x - [0, 0, SIZE[2] / 2]
    lost = (x[:, 2] > -1e-9) & (np.hypot(x[:, 0], x[:, 1]) < R)
    x[lost, :2] *= (R + 0.01) / np.hypot(x[lost, 0], x[lost, 1])[:, None]
    return x, g


# ---- generators -----------------------------------------------------------------------------------


def touching(shape, where, kinds=None, depth=DEEP, tilt=0.1):
    """A place of the shape (of these kinds) on a place of the socket, at most `depth` inside or a fifth outside, and
    tilted by at most `tilt` rad."""

    def poses(rng, n):
        sample, every = PLACES[shape[0]]
        kind = rng.choice(kinds or every)
        (x, n_A), (y, n_B) = sample(rng, n, shape, kind), where(rng, n)
        lean = tilt * 10 ** rng.uniform(-2, 0, (n, 1)) * directions(rng, n)
        q = multiply(pointing(rng, normalised(lean - n_B)), pointing(rng, n_A) * [1, -1, -1, -1])
        return place(rng, shape, SOCKET, y - turn(q, x) - n_B * rng.uniform(-depth / 5, depth, (n, 1)), q)

    return poses


def in_hole(shape, clearance, tilt=None):
    """A peg along the hole, at most `clearance` off and a few of its widths tilted, its end anywhere in the hole."""

    def poses(rng, n):
        half = extent(shape)[2]
        lean = 5 * clearance / half if tilt is None else tilt
        q = pointing(rng, normalised(rng.normal(size=(n, 3)) * lean + [0, 0, 1]))
        p = 2 * clearance * directions(rng, n)
        p[:, 2] = half - rng.uniform(0, H + 0.1 * R, n)
        return place(rng, shape, SOCKET, p, q)

    return poses


def on_mouth(shape, tilt):
    """The shape's lower side on the socket's top, anywhere about the mouth, turned about z and leaning by `tilt`."""

    def poses(rng, n):
        q = pointing(rng, normalised(tilt * rng.normal(size=(n, 3)) + [0, 0, 1]))
        p = rng.uniform(-1, 1, (n, 3)) * [2 * R, 2 * R, 0]
        p[:, 2] = extent(shape)[2] - rng.uniform(-DEEP / 5, DEEP, n) * rng.choice([1e-3, 1e-1, 1], n)
        return place(rng, shape, SOCKET, p, q)

    return poses


def deep(shape):
    """Anywhere, also far inside."""
    return near(shape, SOCKET, 0.5 * SIZE + extent(shape), (0, 0, -SIZE[2] / 2))


def regions():
    """Generators of every kind of shape by name."""
    for kind in KINDS:
        small, large = SMALL[kind], LARGE[kind]
        corner = {"cylinder": ("rim",), "ellipsoid": None}.get(kind, ("corner",))
        yield f"{kind}_in_wall", touching(small, on_wall, corner)
        yield f"{kind}_in_cap", touching(small, on_cap, corner)
        yield f"{kind}_on_rim", touching(small, on_rim)
        yield f"{kind}_on_socket", touching(large, on_box)
        yield f"{kind}_over_mouth", on_mouth(large, 0.05)
        yield f"{kind}_deep_in_socket", deep(large)
    for clearance in (0.05e-3, 0.5e-3):
        yield f"square_peg_{1e3 * clearance}mm", in_hole(SQUARE_PEG, clearance)
    yield "round_peg", in_hole(ROUND_PEG, 0.2e-3)
    yield "round_peg_tilted", in_hole(ROUND_PEG, 0.2e-3, 0.1)
    yield "cup_on_socket", touching_socket
    yield "cup_over_mouth", mouth_to_mouth
    yield "cup_deep_in_socket", near(WIDE_CUP, SOCKET, [0.06, 0.07, 0.06], (0, 0, -0.02))
    yield "coin_in_mouth", near(COIN, SOCKET, [1e-3, 1e-3, 5e-3])


def touching_socket(rng, n):
    """The outer corners, edges and faces of a small socket on a place of the large one, its hole turned anywhere."""
    (x, n_A) = (np.array(v) for v in anywhere_on(rng, n, ("box", CUP[1])))
    where = rng.choice([on_wall, on_cap, on_rim, on_box])
    (y, n_B) = where(rng, n)
    lean = 0.1 * 10 ** rng.uniform(-2, 0, (n, 1)) * directions(rng, n)
    q = multiply(pointing(rng, normalised(lean - n_B)), pointing(rng, n_A) * [1, -1, -1, -1])
    x = x - [0, 0, CUP[1]["size"][2] / 2]
    return place(rng, CUP, SOCKET, y - turn(q, x) - n_B * rng.uniform(-DEEP / 5, DEEP, (n, 1)), q)


def mouth_to_mouth(rng, n):
    """The small socket upside down on the large one's top, leaning a little."""
    q = pointing(rng, normalised(0.03 * rng.normal(size=(n, 3)) - [0, 0, 1]))
    p = rng.uniform(-1, 1, (n, 3)) * [2 * R, 2 * R, 0]
    p[:, 2] = -rng.uniform(-DEEP / 5, DEEP, n)
    return place(rng, CUP, SOCKET, p, q)


PAIRS = dict(regions())

# where a convex mesh touches as the polyhedron of the same corners does
SHALLOW = ("in_wall", "in_cap", "on_rim", "over_mouth")
CONVEX = [f"{kind}_{where}" for kind in ("box", "polyhedron") for where in SHALLOW]

# circles that are nearly tangent to an edge, which slide by the angle's square
GRAZING = {"cylinder_deep_in_socket", "cylinder_on_socket", "coin_in_mouth"}

DEGENERATE = {
    "box_flat_on_mouth": on_mouth(LARGE["box"], 0),
    "triangle_flat_on_mouth": on_mouth(LARGE["triangle"], 0),
    "polyhedron_flat_on_mouth": on_mouth(LARGE["polyhedron"], 0),
    "cylinder_flat_on_mouth": on_mouth(LARGE["cylinder"], 0),
    "round_peg_parallel": in_hole(ROUND_PEG, 0.4e-3, 0),
    "square_peg_parallel": in_hole(SQUARE_PEG, 0.2e-3, 0),
    "square_peg_nearly_parallel": in_hole(SQUARE_PEG, 0.2e-3, 1e-9),
}
