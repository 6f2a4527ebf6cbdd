"""Frames, bodies and states for tests of the membrane."""

import numpy as np
from scipy.spatial import ConvexHull

from contactlib._core import engine
from tests.oracle.reference_membrane import SPREADS, rotation

CODES = {0: "ok", 1: "not_finite", 10: "bad_argument"}
NO_TABLES = ((), (), ())


def hull_of(points):
    """Corners of the hull of some points and its triangles, counter-clockwise from outside."""
    points = np.asarray(points, dtype=float)
    hull = ConvexHull(points)
    a, b, c = points[hull.simplices].swapaxes(0, 1)
    left = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) > 0
    triangles = np.where(left[:, None], hull.simplices, hull.simplices[:, ::-1])
    kept, numbers = np.unique(triangles, return_inverse=True)
    return points[kept], numbers.reshape(-1, 3).astype(np.int32)


def hexagon(radius=7.5, height=0.0):
    angles = np.arange(6) * np.pi / 3
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(6, height)])


def box(a, b, c):
    return np.array([[x, y, z] for x in (-a / 2, a / 2) for y in (-b / 2, b / 2) for z in (-c / 2, c / 2)])


def quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def ball(rng, count):
    points = rng.normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def frame(rng):
    """A convex polygon of 3 to 8 corners somewhere on the carrier."""
    n = rng.integers(3, 9)
    angles = (np.arange(n) + rng.uniform(-0.3, 0.3, n)) * 2 * np.pi / n
    flat = rng.uniform(5, 8) * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(n)])
    return flat @ rotation(quaternion(rng)).T + rng.normal(size=3)


def body(rng):
    """A round one, a cloud's hull or a box, of 1 to 6 m."""
    kind = rng.integers(3)
    if kind == 0:
        return hull_of(ball(rng, rng.integers(8, 60)) * rng.uniform(0.5, 3, 3))
    if kind == 1:
        return hull_of(rng.normal(size=(rng.integers(6, 40), 3)) * rng.uniform(0.3, 1.5, 3))
    return hull_of(box(*rng.uniform(1, 5, 3)))


class Case:
    """One membrane for the oracle and for the core alike."""

    def __init__(self, p_CS, p_BV, triangles=None, **design):
        self.design = {"p_CS": np.ascontiguousarray(p_CS, dtype=float), "p_BV": np.ascontiguousarray(p_BV, dtype=float)}
        self.design |= design
        up = np.array(design.get("up_C", np.zeros(3)), dtype=float)
        triangles = np.zeros((0, 3), np.int32) if triangles is None else np.ascontiguousarray(triangles, dtype=np.int32)
        self.membrane = engine.Membrane(
            design.get("dimension", 3), self.design["p_CS"], up, self.design["p_BV"], triangles,
            design.get("tables", NO_TABLES), SPREADS.index(design.get("spread", "bisector")), design.get("push", False))

    def parameters(self, stiffness=30.0, damping=1.5, rest=1.0, friction=0.3, slip_speed=0.05):
        """rest: of the flat membrane's area."""
        return stiffness, damping, rest * self.membrane.outline, friction, slip_speed

    def rows(self, parameters, states, reel=None, rate=None, num_threads=1):
        """Results and codes of N states (N, 2, 13)."""
        states = np.ascontiguousarray(states, dtype=float)
        none = np.zeros((0, len(self.design["p_CS"])))
        out = np.zeros(len(states), engine.MEMBRANE_DTYPE)
        lists = [none if r is None else np.ascontiguousarray(np.atleast_2d(r), dtype=float) for r in (reel, rate)]
        codes, indices = engine.membrane_wrenches(self.membrane, parameters, states, *lists, out, num_threads)
        return out, codes, indices

    def one(self, parameters, state, reel=None, rate=None):
        """Of one state (2, 13), which must be good."""
        out, codes, _ = self.rows(parameters, np.asarray(state)[None], reel, rate)
        assert codes[0] == 0
        return out[0]

    def fabric(self, parameters, state):
        return engine.membrane_fabric(self.membrane, parameters, np.ascontiguousarray(state), np.zeros(0))


def at(position, q=(1, 0, 0, 0), v=(0, 0, 0), w=(0, 0, 0)):
    return np.concatenate([position, q, v, w]).astype(float)


FIXED = at((0, 0, 0))


def state_near(rng, case, spread=0.5):
    """Both bodies anywhere, the caught one within about `spread` metres of the frame's middle."""
    carrier = at(rng.normal(size=3) * 5, quaternion(rng), rng.normal(size=3), rng.normal(size=3))
    middle = carrier[:3] + rotation(carrier[3:7]) @ case.design["p_CS"].mean(axis=0)
    caught = at(middle + spread * rng.normal(size=3), quaternion(rng), rng.normal(size=3), rng.normal(size=3))
    return np.stack([carrier, caught])


def random_case(rng, **design):
    return Case(frame(rng), *body(rng), **design)


# ---- runs -------------------------------------------------------------------------------------------


def read_table(path):
    """Columns by name of a file whose first line, with or without a #, has the names."""
    with path.open() as file:
        names = file.readline().lstrip("# ").strip().split(",")
        rows = np.loadtxt(file, delimiter=",")
    return dict(zip(names, rows.T, strict=True))


def product(p, q):
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


class Run:
    """Free bodies on a membrane by the classical Runge-Kutta method: the carrier (mass None: fixed) and the caught one.

    masses (kg), inertias (3,) in kg m2 about the axes of each body; applied(t, state): further wrenches (2, 6) in a
    step that begins at t.
    """

    def __init__(self, case, parameters, masses, inertias, applied):
        self.case, self.parameters, self.applied = case, parameters, applied
        self.masses, self.inertias = masses, np.array(inertias)

    def rate(self, t, state):
        found = self.case.one(self.parameters, state)
        wrenches = np.concatenate([found["f_C_W"], found["t_C_W"], found["f_B_W"], found["t_B_W"]]).reshape(2, 6)
        wrenches = wrenches + self.applied(t, state)
        result = np.zeros((2, 13))
        for i, (mass, inertia) in enumerate(zip(self.masses, self.inertias, strict=True)):
            if mass is None:
                continue
            w, R = state[i, 10:], rotation(state[i, 3:7])
            momentum = R @ (inertia * (R.T @ w))
            result[i, :3] = state[i, 7:10]
            result[i, 3:7] = product(np.array([0, *w]), state[i, 3:7]) / 2
            result[i, 7:10] = wrenches[i, :3] / mass
            result[i, 10:] = R @ ((R.T @ (wrenches[i, 3:] - np.cross(w, momentum))) / inertia)
        return result

    def step(self, t, state, h):
        k1 = self.rate(t, state)
        k2 = self.rate(t, state + h / 2 * k1)
        k3 = self.rate(t, state + h / 2 * k2)
        k4 = self.rate(t, state + h * k3)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        state[:, 3:7] /= np.linalg.norm(state[:, 3:7], axis=1)[:, None]
        return state

    def states(self, state, h, count, every):
        """(count + 1, 2, 13), `every` steps of h apart, from t = 0."""
        result = [state]
        for i in range(count):
            for j in range(every):
                state = self.step((i * every + j) * h, state, h)
            result.append(state)
        return np.stack(result)


def to_world(row):
    """A state whose angular velocity is given in the body's axes."""
    row = np.array(row, dtype=float)
    row[3:7] /= np.linalg.norm(row[3:7])
    row[10:] = rotation(row[3:7]) @ row[10:]
    return row
