"""Elastic work round closed paths of a pose: 0 for a force that is the gradient of an energy.

A path is a smooth periodic pose r(s), exp(v(s)) q near a touch of two shapes. The power per s is F r' + T w, with the
exact velocity r' and the exact angular velocity w of the path. The rectangle rule over a period converges faster than
any power of the step for smooth forces. Forces of contacts have kinks in their derivatives (a corner that enters, a
ridge that is crossed), so the number of points is doubled until the result is small or the points are many.
"""

from itertools import combinations_with_replacement

import numpy as np

import contactlib
from tests.support import meshes

STIFFNESS = 1e6  # N/m
MODES = ("flat", "lying", "corner", "deep")
FIRST, LAST = 300, 4800  # points of a path
SMALL = 1e-5  # relative work at which a path is good enough


def _mesh(mesh):
    return {"kind": "mesh", "vertices": mesh.vertices.tolist(), "triangles": mesh.triangles.tolist()}


def _box_mesh(size, cells):
    cube = meshes.cube(1.0, cells)
    return _mesh(meshes.Mesh(cube.vertices * size, cube.triangles))


def _hills(cells=10, spacing=0.14, height=0.03):
    x = np.linspace(-np.pi, np.pi, cells + 1)
    heights = height * np.cos(2 * x)[:, None] * np.cos(2 * x)[None, :]
    return {"kind": "mesh", "heights": heights.tolist(), "spacing": [spacing, spacing], "thickness": 0.3}


#: convex, rounded and concave solids of about half a metre, a sheet, and a plane
SHAPES = {
    "capsule": {"kind": "capsule", "radius": 0.1, "length": 0.3},
    "ellipsoid": {"kind": "ellipsoid", "semi_axes": [0.2, 0.25, 0.3]},
    "triangle": {"kind": "triangle", "corners": [[-0.4, -0.3, 0.0], [0.4, -0.3, 0.0], [0.0, 0.5, 0.0]]},
    "box": {"kind": "box", "size": [0.5, 0.4, 0.3]},
    "polyhedron": {"kind": "polyhedron", "corners": meshes.icosphere(0, 0.3).vertices.tolist()},
    "rounded box": {"kind": "box", "size": [0.5, 0.4, 0.3], "rounding": 0.04},
    "rounded hull": {"kind": "polyhedron", "corners": meshes.icosphere(0, 0.3).vertices.tolist(), "rounding": 0.03},
    "cone": {"kind": "cone", "radius": 0.25, "top_radius": 0.1, "length": 0.4, "sides": 7},
    "cylinder": {"kind": "cylinder", "radius": 0.25, "length": 0.4},
    "mesh": _box_mesh([0.5, 0.45, 0.35], 3),
    "ball mesh": _mesh(meshes.icosphere(2, 0.3)),
    "hills": _hills(),
    "plane": {"kind": "plane"},
}
MESHES = ("mesh", "ball mesh", "hills")


def _surface(a, b):
    if a == "ellipsoid":
        return b in MESHES
    if a == "capsule":
        return b not in ("capsule", "ellipsoid")
    if "rounded" in a + b and "cylinder" in (a, b):
        return False
    older = a == "triangle" and b in ("triangle", *MESHES)
    return not older and (a, b) not in {("plane", "plane"), ("hills", "plane")}


#: all pairs whose contact is a surface contact. Hills on a plane, or on hills, are the bottoms of two grounds
PAIRS = [pair for pair in combinations_with_replacement(SHAPES, 2) if _surface(*pair) and pair != ("hills", "hills")]


def pair_scene(top, base, **law):
    """A model of shape `top`, which is led, over shape `base`, which is fixed: elastic, frictionless."""
    normal = {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": 0.0}
    bodies = [{"name": "top", "motion": "external", "state": {"r": [0.0, 0.0, 10.0]},
               "shape": [{"name": "s", "material": "m", **top}]},
              {"name": "base", "motion": "fixed", "shape": [{"name": "s", "material": "m", **base}]}]
    tables = {"scene": {"name": "pair"}, "law": [{"name": "l", "materials": ["m", "m"], "normal": normal, **law}],
              "body": bodies, "pair": [{"bodies": ["top", "base"]}]}
    return contactlib.Simulation(contactlib.Spec.from_dict(tables).compile())


def wrenches(simulation, r, q):
    """Force and torque about the origin of the led body, (N, 6), in world axes, at N poses."""
    states = np.repeat(simulation.states[None], len(r), 0)
    states[:, 0, :3], states[:, 0, 3:7] = r, q
    return simulation.compute_batch(states).wrenches[:, 0]


# ---- paths ---------------------------------------------------------------------------------------


def product(p, q):
    """Of quaternions (N, 4)."""
    w = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(1, keepdims=True)
    return np.hstack([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])])


def exponential(v):
    """Quaternions (N, 4) of rotation vectors."""
    angle = np.linalg.norm(v, axis=1, keepdims=True)
    return np.hstack([np.cos(angle / 2), v * np.sinc(angle / (2 * np.pi)) / 2])


def angular_velocity(v, rate):
    """Of exp(v): rate + (1 - cos a)/a^2 v x rate + (a - sin a)/a^3 v x (v x rate)."""
    a = np.linalg.norm(v, axis=1, keepdims=True)
    cross = np.cross(v, rate)
    second = np.where(a < 1e-3, 1 / 6, (a - np.sin(a)) / np.maximum(a, 1e-3) ** 3)
    return rate + np.sinc(a / (2 * np.pi)) ** 2 / 2 * cross + second * np.cross(v, cross)


class Path:
    """A closed path: a place and two harmonics in each of six coordinates, with random amplitudes and phases."""

    def __init__(self, rng, r, q, moves, turns):
        self.r, self.q = np.asarray(r, float), np.asarray(q, float)
        size = np.r_[moves, turns][:, None] / [1.0, 2.0]
        self.amplitudes, self.phases = rng.normal(size=(6, 2)) * size, rng.uniform(0, 2 * np.pi, (6, 2))

    def at(self, s):
        """Positions, quaternions, velocities, angular velocities over s."""
        angle = s[:, None, None] * [1, 2] + self.phases
        x = (self.amplitudes * np.cos(angle)).sum(2)
        rate = -(self.amplitudes * [1, 2] * np.sin(angle)).sum(2)
        q = product(exponential(x[:, 3:]), np.tile(self.q, (len(s), 1)))
        return self.r + x[:, :3], q, rate[:, :3], angular_velocity(x[:, 3:], rate[:, 3:])

    def work(self, simulation, count):
        """The work round the path, and half of the sum of what is given and taken, J."""
        r, q, v, w = self.at(2 * np.pi * np.arange(count) / count)
        power = (wrenches(simulation, r, q) * np.hstack([v, w])).sum(1) * 2 * np.pi / count
        return power.sum(), np.abs(power).sum() / 2

    def error(self, simulation, last=LAST):
        """|work| over the work exchanged, or None where nothing touches; the number of points as well."""
        count = FIRST
        while True:
            work, exchanged = self.work(simulation, count)
            if exchanged == 0.0:
                return None, count
            if abs(work) <= SMALL * exchanged or 2 * count > last:
                return abs(work) / exchanged, count
            count *= 2


def touch(simulation, direction, q, far=2.5, coarse=0.01):
    """The largest distance (m) along a direction at which the shapes touch, from outside; None without one."""
    def touches(distance):
        return wrenches(simulation, distance * direction[None], q[None]).any()

    low = next((x for x in np.arange(far, 0.0, -coarse) if touches(x)), None)
    if low is None or low == far:
        return None
    high = low + coarse
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if touches(middle) else (low, middle)
    return low


def random_path(simulation, ground, mode, seed):
    """A path near a touch, or None where the shapes do not meet.

    flat, lying: bottom (or side) on top, overhanging, 0.1 mm deep, slides of 10 mm, tilts of the order of depth/size.
    corner, deep: any attitude and side, 0.1 mm and 30 mm deep. `ground`: the base is touched from above only.
    """
    rng = np.random.default_rng(seed)
    flat, depth = mode in ("flat", "lying"), 0.03 if mode == "deep" else 1e-4
    if flat:
        q = np.array([1.0, 0, 0, 0] if mode == "flat" else [0.5**0.5, 0.5**0.5, 0, 0])
        direction = np.array([*rng.uniform(-0.6, 0.6, 2), 1.0])
    else:
        q, direction = rng.normal(size=4), rng.normal(size=3)
        direction[2] = abs(direction[2]) if ground else direction[2]
    q, direction = q / np.linalg.norm(q), direction / np.linalg.norm(direction)
    distance = touch(simulation, direction, q)
    if distance is None:
        return None
    if flat:
        place = distance * direction - [0, 0, 1.5 * depth]
        return Path(rng, place, q, [1e-2, 1e-2, 0.4 * depth], [depth / 0.5, depth / 0.5, 0.02])
    return Path(rng, (distance - 1.5 * depth) * direction, q, [depth] * 3, [depth / 0.3] * 3)


def errors(a, b, seeds, last=LAST):
    """Errors of the paths of a pair of SHAPES, {(mode, seed): error}, of at most `last` points each."""
    simulation, found = pair_scene(SHAPES[a], SHAPES[b]), {}
    for mode in MODES:
        for seed in seeds:
            path = random_path(simulation, b in ("plane", "hills"), mode, seed)
            error = path.error(simulation, last)[0] if path else None
            if error is not None:
                found[mode, seed] = error
    return found
