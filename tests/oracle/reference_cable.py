"""A cable, slow and obvious: strains from their definitions, Jacobians by complex steps, one dense KKT system a step.

A cable is a dict: `elements` (n, 3) of length (m), strain and curvature (1/m) without load, `material` of six numbers:
EA, EI, rho A, axial and bending damping time and alpha, and by choice `measure`, `quadrature`, `tension_stiffness`.
States are (nodes, 6): position and slope.
"""

from __future__ import annotations

import numpy as np

#: Gauss points of axial strain and of curvature
POINTS = {"full": (5, 3), "reduced": (3, 2)}


def shape(xi, length):
    """S1 .. S4 of r at xi = x/l, and their first and second derivatives by x."""
    values = [1 - 3 * xi**2 + 2 * xi**3, length * (xi - 2 * xi**2 + xi**3),
              3 * xi**2 - 2 * xi**3, length * (xi**3 - xi**2)]
    first = [(6 * xi**2 - 6 * xi) / length, 1 - 4 * xi + 3 * xi**2, (6 * xi - 6 * xi**2) / length, 3 * xi**2 - 2 * xi]
    second = [(12 * xi - 6) / length**2, (6 * xi - 4) / length, (6 - 12 * xi) / length**2, (6 * xi - 2) / length]
    return np.array(values), np.array(first), np.array(second)


def gauss(n):
    """Points and weights on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2


def norm(v):
    """Of a vector that may be complex, for complex steps."""
    return np.sqrt(v @ v)


def axial_strain(r1, measure):
    return (r1 @ r1 - 1) / 2 if measure == "green" else norm(r1) - 1


def curvature(r1, r2, measure):
    return np.cross(r1, r2) / norm(r1) ** (3 if measure == "green" else 2)


def derivative(function, x):
    """Jacobian by complex steps, exact to rounding."""
    step = 1e-40
    columns = [np.atleast_1d(function(x + 1j * step * e)).imag / step for e in np.eye(len(x))]
    return np.array(columns).T


class Rows:
    """All strains phi of a cable: their Jacobian, stiffness with weight, damping time; and what tension adds."""

    def __init__(self, cable, q):
        self.cable, self.q = cable, np.asarray(q, dtype=float)
        self.measure = cable.get("measure", "green")
        self.phi, self.J, self.E, self.tau, self.axial_rows = [], [], [], [], []
        self.turning = np.zeros((self.q.size, self.q.size))
        for e, (length, strain, bend) in enumerate(cable["elements"]):
            axials, bendings = POINTS[cable.get("quadrature", "full")]
            for xi, w in zip(*gauss(axials), strict=True):
                self.axial(e, length, strain, shape(xi, length)[1], w)
            for xi, w in zip(*gauss(bendings), strict=True):
                self.bending(e, length, bend, *shape(xi, length)[1:], w)
        self.phi, self.J, self.E, self.tau = (np.array(x) for x in (self.phi, self.J, self.E, self.tau))

    def element(self, e):
        return self.q.reshape(-1)[6 * e:6 * e + 12]

    def add(self, e, phi, J, E, tau):
        row = np.zeros(self.q.size)
        row[6 * e:6 * e + 12] = J
        for kept, value in ((self.phi, phi), (self.J, row), (self.E, E), (self.tau, tau)):
            kept.append(value)

    def axial(self, e, length, rest, S1, w):
        EA, tau = self.cable["material"][0], self.cable["material"][3]

        def strain(x):
            return axial_strain(S1 @ x.reshape(4, 3), self.measure)

        x = self.element(e)
        phi = strain(x) - rest
        self.axial_rows.append(len(self.phi))
        self.add(e, phi, derivative(strain, x)[0], EA * w * length, tau)
        r1 = S1 @ x.reshape(4, 3)
        n = norm(r1)
        across = np.eye(3) if self.measure == "green" else (np.eye(3) - np.outer(r1, r1) / n**2) / n
        at = slice(6 * e, 6 * e + 12)
        self.turning[at, at] += EA * w * length * max(phi, 0.0) * np.kron(np.outer(S1, S1), across)

    def bending(self, e, length, rest, S1, S2, w):
        EI, tau = self.cable["material"][1], self.cable["material"][4]

        def strain(x):
            return curvature(S1 @ x.reshape(4, 3), S2 @ x.reshape(4, 3), self.measure)

        x = self.element(e)
        k, J = strain(x), derivative(strain, x)
        if rest == 0.0:
            for i in range(3):
                self.add(e, k[i], J[i], EI * w * length, tau)
            return
        # along k the strain is |k| - rest; across it what is left of the stiffness when the rest is gone
        along = k / norm(k)
        self.add(e, norm(k) - rest, along @ J, EI * w * length, tau)
        load_share = max(0.0, 1 - rest / norm(k))
        for a in np.linalg.svd(along[None])[2][1:]:
            if load_share > 0:
                self.add(e, 0.0, a @ J, load_share * EI * w * length, tau)

    def energy(self):
        return 0.5 * self.E @ self.phi**2


def mass_matrix(cable):
    """Integrals of S^T S by Gauss points, times I of 3 x 3."""
    nodes = len(cable["elements"]) + 1
    M = np.zeros((6 * nodes, 6 * nodes))
    for e, (length, *_) in enumerate(cable["elements"]):
        at = slice(6 * e, 6 * e + 12)
        for xi, w in zip(*gauss(4), strict=True):
            S = np.kron(shape(xi, length)[0], np.eye(3))
            M[at, at] += cable["material"][2] * length * w * S.T @ S
    return M


def load(cable, g):
    """Of a uniform field of acceleration g, N and N m per node."""
    nodes = len(cable["elements"]) + 1
    f = np.zeros(6 * nodes)
    for e, (length, *_) in enumerate(cable["elements"]):
        for xi, w in zip(*gauss(3), strict=True):
            f[6 * e:6 * e + 12] += cable["material"][2] * length * w * np.kron(shape(xi, length)[0], g)
    return f


def end_rows(hold, node, end):
    """Jc and phi_c of an end that is to be at `end` (6): its position, its slope or what of it is across `end`."""
    every, gap, none = np.eye(6), node - end, np.zeros((0, 6))
    if hold == "direction":
        across = np.linalg.svd(end[None, 3:])[2][1:]
        rows = np.vstack([every[:3], np.hstack([np.zeros((2, 3)), across])])
        return rows, np.concatenate([gap[:3], across @ node[3:]])
    return {"free": (none, gap[:0]), "position": (every[:3], gap[:3]), "slope": (every, gap)}[hold]


def step(cable, q, v, h, gravity=(0, 0, 0), forces=None, holds=("free", "free"), ends=None):
    """One step: q, v, and what holds the ends (2, 6).

        [M + ..   -J^T        -Jc^T] [v+        ]   [M v + h f]
        [J        C/(h(h+tau))     ] [h lambda  ] = [-phi/(h + tau)]
        [Jc                        ] [h lambda_c]   [-phi_c/h ]
    """
    rows, M = Rows(cable, q), mass_matrix(cable)
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    first, gap = end_rows(holds[0], q[0], q[0] if ends is None else ends[0])
    last, other = end_rows(holds[1], q[-1], q[-1] if ends is None else ends[1])
    n, m, c = q.size, len(rows.phi), len(gap) + len(other)
    Jc = np.zeros((c, n))
    Jc[:len(gap), :6], Jc[len(gap):, n - 6:] = first, last
    A = np.zeros((n + m + c, n + m + c))
    A[:n, :n] = (1 + h * cable["material"][5]) * M
    if cable.get("tension_stiffness"):
        A[:n, :n] += h * h * rows.turning
    A[:n, n:n + m], A[n:n + m, :n] = -rows.J.T, rows.J
    A[n:n + m, n:n + m] = np.diag(1 / (rows.E * h * (h + rows.tau)))
    A[:n, n + m:], A[n + m:, :n] = -Jc.T, Jc
    f = load(cable, gravity) + (0 if forces is None else np.asarray(forces).reshape(-1))
    b = np.concatenate([M @ v.reshape(-1) + h * f, -rows.phi / (h + rows.tau), -gap / h, -other / h])
    x = np.linalg.solve(A, b)
    new = x[:n].reshape(q.shape)
    holding = (Jc.T @ x[n + m:] / h).reshape(q.shape)
    return q + h * new, new, holding[[0, -1]]


THETA, DAMPING, TURNED = 0.6, 0.5, 0.78


def turns(cable, q, v):
    """v^T (d2phi/dq2) v of the axial strains, by differences: exact for green, where phi is quadratic."""
    def rate(s):
        rows = Rows(cable, np.asarray(q) + s * np.asarray(v))
        return rows.phi[rows.axial_rows]

    s = 1e-3 if cable.get("measure", "green") == "green" else 1e-4
    return (rate(s) - 2 * rate(0.0) + rate(-s)) / s**2


def step_second_order(cable, q, v, h, gravity=(0, 0, 0), forces=None, holds=("free", "free"), ends=None, kick=1.0):
    """One step of second order: q, v, and what holds the ends (2, 6). Loads act in `kick` of the step.

        A (v+ - v) = kick (h f - h J^T E (phi + x theta h^2 v^T (d2phi/dq2) v) - h tau J^T E J v - h alpha M v)
                     - c P w + Jc^T p,   w = A^-1 P v with Jc w = 0
    """
    rows, M = Rows(cable, q), mass_matrix(cable)
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    first, gap = end_rows(holds[0], q[0], q[0] if ends is None else ends[0])
    last, other = end_rows(holds[1], q[-1], q[-1] if ends is None else ends[1])
    n, c = q.size, len(gap) + len(other)
    Jc = np.zeros((c, n))
    Jc[:len(gap), :6], Jc[len(gap):, n - 6:] = first, last
    alpha, u = cable["material"][5], v.reshape(-1)
    damper = h * rows.J.T @ np.diag(rows.E * rows.tau) @ rows.J
    P = THETA * h * h * (rows.J.T @ np.diag(rows.E) @ rows.J + rows.turning) + damper
    Mh = (1 + 0.5 * h * alpha) * M
    K = np.block([[Mh + P, -Jc.T], [Jc, np.zeros((c, c))]])
    w = np.linalg.solve(K, np.concatenate([P @ u, np.zeros(c)]))[:n]
    strain = rows.phi.copy()
    strain[rows.axial_rows] += TURNED * THETA * h * h * turns(cable, q, (u - w).reshape(q.shape))
    f = load(cable, gravity) + (0 if forces is None else np.asarray(forces).reshape(-1))
    kicked = h * f - h * rows.J.T @ (rows.E * strain) - damper @ u - h * alpha * M @ u
    b = (Mh + P) @ u + kick * kicked - DAMPING * P @ w
    x = np.linalg.solve(K, np.concatenate([b, -gap / h, -other / h]))
    new = x[:n].reshape(q.shape)
    return q + h * new, new, (Jc.T @ x[n:] / (kick * h)).reshape(q.shape)[[0, -1]]
