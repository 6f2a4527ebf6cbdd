"""Hypothesis strategies: two shapes of any defined pair and how they lie, degenerate poses as likely as others.

Shapes are (kind, sizes) as in reference.py, 1 to 20 cm large. Placements are of A in the frame of B; offsets are whole
multiples of GRAIN, so that both bodies can be moved 1e7 m away without rounding.
"""

import numpy as np
from hypothesis import strategies as st

from tests.oracle import reference
from tests.poses.poses_convex import extent, frustum, hull

GRAIN = 2.0**-28  # m
QUARTER, EIGHTH = np.pi / 2, np.pi / 4

lengths = st.sampled_from([0.01, 0.02, 0.05, 0.1, 0.2]) | st.floats(0.01, 0.2)
three = st.tuples(lengths, lengths, lengths)


@st.composite
def triangles(draw):
    """Corners of any triangle that is no line; often with right angles, or flat in z = 0."""
    place = st.sampled_from([0.0, 0.02, -0.02, 0.1]) | st.floats(-0.1, 0.1)
    corners = np.array(draw(st.lists(st.tuples(place, place, place | st.just(0.0)), min_size=3, max_size=3)))
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    area = np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0]))
    if sides.min() < 0.01 or area < 0.05 * sides.max() ** 2:
        corners = np.array([[0, 0, 0], [0.05, 0, 0], [0, 0.05, 0]])
    return "triangle", {"corners": corners}


@st.composite
def polyhedra(draw):
    """Boxes, prisms and frusta with faces of many corners, and hulls of random ones."""
    kind = draw(st.sampled_from(["box", "frustum", "hull"]))
    if kind == "box":
        signs = np.array([[2 * (k >> i & 1) - 1 for i in range(3)] for k in range(8)])
        return "polyhedron", {"corners": signs * draw(three) / 2}
    if kind == "frustum":
        low = draw(lengths) / 2
        return frustum(draw(st.integers(3, 10)), low, low * draw(st.sampled_from([1.0, 0.5])), draw(lengths))
    return hull(draw(st.integers(6, 20)), draw(st.integers(0, 999)), np.array(draw(three)) / 2)


@st.composite
def sockets(draw):
    """A block around its hole, its walls and its floor at least a millimetre thick."""
    radius, length = draw(lengths) / 2, draw(lengths)
    walls = [draw(st.sampled_from([0.001, 0.01, 0.05])) for _ in range(3)]
    size = (2 * radius + walls[0], 2 * radius + walls[1], length + radius + walls[2])
    return "socket", {"size": size, "radius": radius, "length": length}


def sizes(kind, **values):
    """A shape with these strategies for its sizes."""
    return st.tuples(st.just(kind), st.fixed_dictionaries(values))


SHAPES = {
    "point": sizes("point"),
    "sphere": sizes("sphere", radius=lengths),
    "segment": sizes("segment", length=lengths),
    "capsule": sizes("capsule", radius=lengths, length=lengths),
    "triangle": triangles(),
    "ellipsoid": sizes("ellipsoid", semi_axes=three),
    "box": sizes("box", size=three),
    "cylinder": sizes("cylinder", radius=lengths, length=lengths),
    "polyhedron": polyhedra(),
    "socket": sockets(),
    "plane": sizes("plane"),
}


def reach(shape):
    """Half lengths along the shape's own axes (3,)."""
    kind, drawn = shape
    r, half = drawn.get("radius", 0), drawn.get("length", 0) / 2
    if kind in ("point", "plane"):
        return np.zeros(3)
    if kind in ("sphere", "segment", "capsule"):
        return np.array([r, r, r + half])
    return np.array(drawn["size"]) / 2 if kind == "socket" else extent(shape)


def about(axis, angle):
    """Quaternion of a turn about axis (3,)."""
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.asarray(axis))])


def product(p, q):
    """Quaternion product."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


@st.composite
def turns(draw):
    """Unit quaternions: none, by quarters and eighths about the axes, nearly so, or any."""
    q = np.array([1.0, 0, 0, 0])
    if draw(st.booleans()):
        return q
    for axis in np.eye(3):
        q = product(about(axis, draw(st.sampled_from([0, 0, QUARTER, -QUARTER, 2 * QUARTER, EIGHTH]))), q)
    axis = np.array(draw(st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0, 0.8), (0.48, 0.6, 0.64)])))
    angle = st.sampled_from([0.0, 0.0, 1e-12, 3e-10, 1e-8, 1e-6, 1e-3]) | st.floats(-3, 3)
    q = product(about(axis, draw(angle)), q)
    return q / np.linalg.norm(q)


@st.composite
def placements(draw, shape_a, shape_b):
    """Pose (7,) of A in B: centres, ends and surfaces on each other, pressed in by nothing or a little, or anywhere."""
    size_a, size_b = reach(shape_a), reach(shape_b)
    q = draw(turns())
    R = np.asarray(reference.rotation(q[None].astype(np.longdouble))[0], float)
    along = np.abs(R) @ size_a  # half lengths of A along the axes of B, of its box
    p = np.zeros(3)
    for i in range(3):
        step = st.sampled_from([0, 0, size_b[i], -size_b[i], along[i], size_b[i] + along[i], size_b[i] - along[i]])
        press = st.sampled_from([0, 0, 1e-9, 1e-6, 1e-3, -1e-3])
        p[i] = draw(st.builds(lambda s, d: s - d, step, press) | st.floats(-1, 1).map(lambda u, i=i: u * (
            size_b[i] + along[i])))  # fmt: skip
    return np.array([*np.round(p / GRAIN) * GRAIN, *q])


@st.composite
def scenes(draw, pairs):
    """(shape_a, shape_b, pose of A in B) of one of the pairs."""
    shape_a, shape_b = (draw(SHAPES[kind]) for kind in draw(st.sampled_from(pairs)))
    return shape_a, shape_b, draw(placements(shape_a, shape_b))
