"""Contacts along a cylinder's side, written from docs/manifolds.md. Part of the slow reference.

One pose at a time, in the frame of B; a line is its two ends (2, 3).
"""

from typing import NamedTuple

import numpy as np

from tests.oracle.reference_least import TIE, corners
from tests.oracle.reference_round import NOTHING
from tests.oracle.reference_socket import LD, dot, norm

HALF = np.sqrt(LD(0.5))  # cosine of 45 degrees
ACROSS = 1e-9  # sine between the normal and what is across the axis
SLOPE = 0.1  # of two lines against each other
ONE_PLACE = 1e-12  # m
CROSSING = 1e-6  # of the radii


class Part(NamedTuple):
    """A solid at one pose and the direction towards the other."""

    solid: object
    i: int
    out: np.ndarray

    def axis(self):
        return self.solid.R[self.i, :, 2]

    def on_side(self):
        return self.solid.kind == "cylinder" and abs(dot(self.out, self.axis())) <= HALF

    def side_line(self):
        """The deepest line on the side of a cylinder."""
        S, z = self.solid, self.axis()
        e = self.out - dot(self.out, z) * z
        return S.c[self.i] + S.radius * e / norm(e) + S.half * np.array([-z, z])


def circle_chord(part, x, m):
    """Where the plane m . (p - x) = 0 cuts the circle of a cylinder's end."""
    S, z = part.solid, part.axis()
    centre = S.c[part.i] + S.half * np.sign(dot(part.out, z)) * z
    across = m - dot(m, z) * z
    middle = centre + across * dot(m, x - centre) / dot(across, across)
    along = np.cross(z, across) / norm(across)
    half = np.sqrt((S.radius**2 - dot(middle - centre, middle - centre)).clip(0))
    return np.array([middle - half * along, middle + half * along])


def polygon_chord(polygon, x, m, t):
    """Where that plane cuts a polygon (K, 3): the ends furthest apart along t."""
    h = dot(polygon - x, m)
    places = list(polygon[np.abs(h) <= ONE_PLACE])
    for p, q, a, b in zip(polygon, np.roll(polygon, -1, axis=0), h, np.roll(h, -1), strict=True):
        if min(abs(a), abs(b)) > ONE_PLACE and a * b < 0:
            places.append(p + a / (a - b) * (q - p))
    places = sorted(places, key=lambda p: dot(p, t))
    return np.array([places[0], places[-1]]) if places and dot(places[-1] - places[0], t) > ONE_PLACE else None


def line_of_polytope(part, x, t, m, over):
    """The supporting edge if it is nearly along t as seen along the normal, else the chord of the supporting face."""
    P, v = part.solid.P, corners(part.solid)[part.i]
    height = dot(v, part.out)
    top = np.nonzero(height >= height.max() - TIE)[0]
    edges = P.edges[[set(top) <= set(edge) for edge in P.edges.tolist()]]
    if not len(edges):
        return None
    d = v[edges[:, 1]] - v[edges[:, 0]]
    along, across = np.abs(dot(d, t)), np.abs(dot(d, m))
    best = (along / np.maximum(np.hypot(along, across), NOTHING)).argmax()
    if across[best] < SLOPE * along[best]:
        return v[edges[best]]
    facing = dot(P.normals @ part.solid.R[part.i].T, part.out)
    facing[[not set(top) <= set(loop) for loop in P.loops.tolist()]] = -1
    f = facing.argmax()
    return polygon_chord(v[P.loops[f, : P.sizes[f]]], x, m, t) if over and facing[f] > HALF else None


def line_on(other, cylinder):
    """The other solid's line along a cylinder's side, and the radius of its side."""
    if other.on_side():
        return other.side_line(), other.solid.radius
    x, t = cylinder.side_line()[0], cylinder.axis()
    m = np.cross(t, cylinder.out)
    m, over = m / norm(m), abs(dot(cylinder.out, t)) <= ACROSS
    if other.solid.kind == "cylinder":
        return (circle_chord(other, x, m) if over else None), 0
    return line_of_polytope(other, x, t, m, over), 0


def both_lines(A, B):
    """Both lines and both radii, A's first; a line is None where there is none."""
    if A.on_side():
        line, radius = line_on(B, A)
        return A.side_line(), line, A.solid.radius, radius
    if B.on_side():
        line, radius = line_on(A, B)
        return line, B.side_line(), radius, B.solid.radius
    return None, None, 0, 0


def seen_along(line, n):
    """The direction of a line as seen along n."""
    d = line[1] - line[0]
    d = d - dot(d, n) * n
    return d / norm(d)


def side_contacts(A, B, i, n):
    """Places half-way and depths of pose i with the normal n; none if no two lines share a length."""
    p, q, r_A, r_B = both_lines(Part(A, i, n), Part(B, i, -n))
    if p is None or q is None:
        return []
    along, other = (seen_along(line, n) for line in (p, q))
    slope = abs(dot(np.cross(along, other), n)) / abs(dot(along, other))
    if r_A and r_B:  # two cylinders
        along = along + np.sign(dot(along, other)) * other
        along = along / norm(along)
    across, R = np.cross(n, along), r_A + r_B
    s_p, s_q = p @ along, q @ along
    if s_q[0] > s_q[1]:
        q, s_q = q[::-1], s_q[::-1]
    low, high = max(s_p[0], s_q[0]), min(s_p[1], s_q[1])
    if low >= high or slope >= SLOPE:
        return []

    def at(s):
        """Place and depth: two round sides, y beside each other."""
        x = p[0] + (p[1] - p[0]) * (s - s_p[0]) / (s_p[1] - s_p[0])
        z = q[0] + (q[1] - q[0]) * (s - s_q[0]) / (s_q[1] - s_q[0])
        y = dot(z - x, across)
        if abs(y) > R:
            return x, LD(-1), y
        c = np.sqrt(1 - (y / R) ** 2)
        on_A = x + r_A * (y / R * across - (1 - c) * n)
        on_B = z - r_B * (y / R * across - (1 - c) * n)
        return (on_A + on_B) / 2, dot(n, on_A - on_B), y

    y0, y1 = at(low)[2], at(high)[2]
    ends = [low, high]
    if y0 * y1 < 0 and min(abs(y0), abs(y1)) > CROSSING * R:
        middle = low + (high - low) * y0 / (y0 - y1)
        ends = [middle, *(s for s in ends if abs(s - middle) > R)]
    return [at(s)[:2] for s in ends if at(s)[1] > 0]
