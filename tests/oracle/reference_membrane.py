"""The membrane, slow and obvious: scipy's hull of all points, and forces point by point in world axes.

A design is a dict: `p_CS` (n, 3) in m, `p_BV` (N, 3) in m, and by choice `dimension`, `up_C`, `tables`, `spread` and
`push`.
Points of the fabric are numbered as in the core: the suspension points, then the corners of the body.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial import ConvexHull

SPREADS = ("bisector", "pseudo_inverse", "complementarity")


def rotation(q):
    """Body to world, of a quaternion that is normalised here."""
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def unit(v):
    return v / np.linalg.norm(v)


class Scene:
    """Points and velocities in world axes, positions from the carrier's origin."""

    def __init__(self, design, state, reel=None, reel_rate=None):
        carrier, caught = np.asarray(state, dtype=float)
        self.n = n = len(design["p_CS"])
        self.flat = design.get("dimension", 3) == 2
        R_WC, R_WB = rotation(carrier[3:7]), rotation(caught[3:7])
        reel, rate = (np.zeros(n) if r is None else np.asarray(r, dtype=float) for r in (reel, reel_rate))
        p_CS = np.asarray(design["p_CS"], dtype=float)
        middle = p_CS.mean(axis=0)
        out = np.array([unit(p - middle) for p in p_CS])
        s = p_CS - reel[:, None] * out
        if self.flat:
            along = unit(p_CS[1] - p_CS[0])
            up = unit(design["up_C"] - along * (along @ design["up_C"]))
            self.along = R_WC @ along
        else:
            rim = p_CS - middle
            up = unit(np.cross(rim, np.roll(rim, -1, axis=0)).sum(axis=0))
        self.p_CB = caught[:3] - carrier[:3]
        self.x_B = np.asarray(design["p_BV"]) @ R_WB.T
        self.s, self.up = s @ R_WC.T, R_WC @ up
        self.x = self.p_CB + self.x_B
        self.heights = (self.x - R_WC @ middle) @ self.up
        self.reeling = -(rate[:, None] * out) @ R_WC.T
        self.v_s = carrier[7:10] + np.cross(carrier[10:13], self.s) + self.reeling
        self.v_x = caught[7:10] + np.cross(caught[10:13], self.x_B)
        self.slip = self.v_x - carrier[7:10] - np.cross(carrier[10:13], self.x)
        self.points = np.vstack([self.s, self.x])
        self.velocities = np.vstack([self.v_s, self.v_x])

    def inside(self, points, room=0.0):
        """Above or below the opening."""
        if self.flat:
            a, b = self.s @ self.along
            t = points @ self.along
            return (t >= a - room) & (t <= b + room)
        result = np.ones(len(points), dtype=bool)
        for a, b in zip(self.s, np.roll(self.s, -1, axis=0), strict=True):
            inward = unit(np.cross(self.up, b - a))
            result &= (points - a) @ inward >= -room
        return result

    def carried(self):
        """Corners with fabric under them, and how many below have none."""
        below = self.heights < 0
        if below.all() and not self.inside(self.x.mean(axis=0)[None])[0]:
            return np.zeros(0, dtype=int), int(below.sum())
        over, under = (group.ravel() for group in np.meshgrid(np.flatnonzero(~below), np.flatnonzero(below)))
        along = self.heights[over] / (self.heights[over] - self.heights[under])
        crossings = self.x[over] + along[:, None] * (self.x[under] - self.x[over])
        if self.inside(crossings, 1e-12).all():
            return np.flatnonzero(below), 0
        kept = below & self.inside(self.x)
        return np.flatnonzero(kept), int(below.sum() - kept.sum())


def triangles_of(scene):
    """Of the fabric in 3-D (T, 3), counter-clockwise from outside; the frame's own triangles where it is flat."""
    carried, outside = scene.carried()
    if len(carried) == 0:
        return np.array([[0, k + 1, k] for k in range(1, scene.n - 1)]), outside
    numbers = np.concatenate([np.arange(scene.n), scene.n + carried])
    points = scene.points[numbers]
    hull = ConvexHull(points)
    result = []
    for simplex, equation in zip(hull.simplices, hull.equations, strict=True):
        if (simplex < scene.n).all():
            continue
        a, b, c = points[simplex]
        turned = simplex if np.cross(b - a, c - a) @ equation[:3] > 0 else simplex[::-1]
        result.append(numbers[turned])
    return np.array(result), outside


def chain_of(scene):
    """Of the fabric in 2-D: points from the first suspension point to the second."""
    carried, outside = scene.carried()
    numbers = [0, *(scene.n + carried), 1]
    flat = np.array([[p @ scene.along, p @ scene.up] for p in scene.points[numbers]])
    chain = [0]
    while chain[-1] != len(numbers) - 1:
        here = flat[chain[-1]]
        best = len(numbers) - 1
        for i in range(1, len(numbers) - 1):
            (a, b), (c, d) = flat[best] - here, flat[i] - here
            if a * d - b * c < -1e-13:
                best = i
        chain.append(best)
    return [numbers[i] for i in chain], outside


def areas(scene):
    """A (2-D: the length), dA/dx of all points, and segments or triangles with their normals."""
    gradient = np.zeros_like(scene.points)
    total, faces = 0.0, []
    if scene.flat:
        chain, outside = chain_of(scene)
        for i, j in pairwise(chain):
            edge = scene.points[j] - scene.points[i]
            edge = (edge @ scene.along) * scene.along + (edge @ scene.up) * scene.up
            total += np.linalg.norm(edge)
            gradient[i] -= unit(edge)
            gradient[j] += unit(edge)
            faces.append(((i, j), (edge @ scene.up) * scene.along - (edge @ scene.along) * scene.up))
    else:
        triangles, outside = triangles_of(scene)
        for triangle in triangles:
            p = scene.points[triangle]
            twice = np.cross(p[1] - p[0], p[2] - p[0])
            length = np.linalg.norm(twice)
            total += length / 2
            if length == 0:
                continue
            for i in range(3):
                gradient[triangle[i]] += np.cross(twice / length, p[i - 1] - p[(i + 1) % 3]) / 2
            faces.append((tuple(triangle), twice))
    faces = [(face, unit(n)) for face, n in faces]
    return total, gradient, faces, outside


def table_at(table, slope, x):
    """Force and its integral at x >= 0."""
    if not len(table):
        return slope * x, slope * x * x / 2
    X, F = np.vstack([[0, 0], table]).T
    far = max(x, X[-1]) + 1
    X, F = np.append(X, far), np.append(F, F[-1] + (F[-1] - F[-2]) / (X[-1] - X[-2]) * (far - X[-1]))
    cut = np.append(X[x > X], x)
    force = np.interp(cut, X, F)
    return force[-1], float(np.sum(np.diff(cut) * (force[1:] + force[:-1]) / 2))


def tension(design, parameters, area, rate):
    """a, stored energy and what damping takes, W."""
    stiffness, damping, rest_area = parameters[:3]
    elastic, extending, retracting = design.get("tables", ((), (), ()))
    x, push = area - rest_area, design.get("push", False)
    if x < 0 and not push:
        return 0.0, 0.0, 0.0
    pull, stored = table_at(elastic, stiffness, abs(x))
    pull = np.copysign(pull, x)
    resistance = np.copysign(table_at(retracting if rate < 0 else extending, damping, abs(rate))[0], rate)
    a = pull + resistance if push else max(0.0, pull + resistance)
    return a, stored, (a - pull) * rate


def pushes_of(scene, faces, a):
    """Corners, faces' normals and bisector forces: half of every edge's force on each of its sides."""
    result = []
    if scene.flat:
        for (face, n), (other, m) in pairwise(faces):
            force = a * np.linalg.norm(np.cross(n, m)) / (1 + n @ m)
            assert face[1] == other[0]
            result += [[face[1], n, force], [face[1], m, force]]
        return result
    sides = {}
    for t, (face, _) in enumerate(faces):
        for i in range(3):
            sides.setdefault(frozenset((face[i], face[i - 1])), []).append(t)
    for face, n in faces:
        for i in range(3):
            if face[i] < scene.n:
                continue
            force = 0.0
            for j in (i - 1, i - 2):  # the two other points
                edge = frozenset((face[i], face[j]))
                one, two = (faces[t][1] for t in sides[edge])
                length = np.linalg.norm(scene.points[face[i]] - scene.points[face[j]])
                force += a / 2 * length * np.linalg.norm(np.cross(one, two)) / (1 + one @ two)
            result.append([face[i], n, force])
    return result


def columns(scene, pushes):
    return np.array([[*n, *np.cross(scene.x_B[i - scene.n], n)] for i, n, _ in pushes]).T


def spread_by_pseudo_inverse(scene, pushes, force, torque):
    forces = np.linalg.pinv(columns(scene, pushes), rcond=1e-10) @ -np.concatenate([force, torque])
    for push, value in zip(pushes, forces, strict=True):
        push[2] = value


def largest_edge(scene, faces, a):
    """The paper's forces along the lines from suspension points to corners, both triangles of a line together."""
    pulls = {}
    if a <= 0:
        return 0.0
    for face, n in faces:
        p = scene.points[list(face)]
        for i in range(3):  # force on point i along the two edges there
            e1, e2 = p[(i + 1) % 3] - p[i], p[i - 1] - p[i]
            f = -a * np.cross(n, p[i - 1] - p[(i + 1) % 3]) / 2
            along = np.linalg.lstsq(np.array([unit(e1), unit(e2)]).T, f, rcond=None)[0]
            for j, value in (((i + 1) % 3, along[0]), (i - 1, along[1])):
                if face[i] >= scene.n > face[j]:
                    key = (face[i], face[j])
                    pulls[key] = pulls.get(key, 0.0) + value
    return max(0.0, *pulls.values()) if pulls else 0.0


def membrane(design, parameters, state, reel=None, reel_rate=None):
    """Everything that the core reports, by name, and `pushes` and `gradient` besides."""
    scene = Scene(design, state, reel, reel_rate)
    area, gradient, faces, outside = areas(scene)
    rate = float((gradient * scene.velocities).sum())
    a, stored, heat = tension(design, parameters, area, rate)
    f = -a * gradient
    on_body, on_frame = f[scene.n:], f[:scene.n]
    touching = sorted({i for face, _ in faces for i in face if i >= scene.n})
    force, torque = on_body.sum(axis=0), np.cross(scene.x_B, on_body).sum(axis=0)
    rubbing, couple, heat_friction, pushes = np.zeros(3), np.zeros(3), 0.0, []
    mu, slip_speed = parameters[3:]
    if touching and mu > 0:
        pushes = pushes_of(scene, faces, a)
        if design.get("spread", "bisector") == "pseudo_inverse":
            spread_by_pseudo_inverse(scene, pushes, force, torque)
        for i, n, normal in pushes:
            u = scene.slip[i - scene.n]
            u = u - n * (u @ n)
            rub = -mu * max(normal, 0.0) * u / np.sqrt(u @ u + slip_speed**2)
            rubbing, couple = rubbing + rub, couple + np.cross(scene.x_B[i - scene.n], rub)
            heat_friction -= rub @ u
    lever = np.cross(scene.s, on_frame).sum(axis=0)
    if scene.flat:  # corners out of the plane of the points: the carrier, whose plane it is, takes the couple
        lever = -np.cross(scene.x, on_body).sum(axis=0)
    return {
        "f_B_W": force + rubbing, "t_B_W": torque + couple, "f_normal_W": force, "f_friction_W": rubbing,
        "f_C_W": on_frame.sum(axis=0) - rubbing, "t_C_W": lever - couple - np.cross(scene.p_CB, rubbing),
        "area": area, "area_rate": rate, "tension": a, "stored": stored, "heat_damping": heat,
        "heat_friction": heat_friction, "winch_power": -float((on_frame * scene.reeling).sum()),
        "edge_tension": (a if touching else 0.0) if scene.flat else largest_edge(scene, faces, a),
        "depth": max(0.0, -scene.heights.min()), "touching": len(touching), "outside": outside,
        "pushes": pushes, "gradient": gradient, "scene": scene,
    }
