"""Bare geometry of the solids, for truth that does not know how the library computes contact.

Each solid answers in its own frame and for many points or directions at once:

- `support(n)` (N, 3): a point furthest along n (convex solids only);
- `gauge(x)` (N,): a convex function, negative inside, cheap (convex solids only);
- `phi(x)` (N,): the signed distance inside; outside a lower bound of the distance;
- `normal(x)` (N, 3): outward normal of the surface near x;
- `interval(o, d)`: where lines o + t d enter and leave (convex solids only; enter > leave: they miss);
- `feature(rng)`: a random point of the surface with a direction out of its normal cone: faces, edges and corners alike;
- `extent` and `thickness` (m): half the diagonal, and the least width.
"""

import numpy as np


def unit(v):
    v = np.asarray(v, float)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def direction(rng):
    return unit(rng.normal(size=3))


def slabs(o, d, half):
    """Entry and exit of lines through |x_i| <= half_i, (N, 3) each."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.stack([(-half - o) / d, (half - o) / d])
    inside = np.abs(o) <= half
    still = d == 0
    low = np.where(still, np.where(inside, -np.inf, np.inf), t.min(0))
    high = np.where(still, np.where(inside, np.inf, -np.inf), t.max(0))
    return low, high


def ball_interval(o, d, radius):
    a, b, c = (d * d).sum(1), (o * d).sum(1), (o * o).sum(1) - radius**2
    root = b * b - a * c
    s = np.sqrt(np.maximum(root, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (-b - s) / a, (-b + s) / a
    return np.where(root > 0, low, np.inf), np.where(root > 0, high, -np.inf)


class Solid:
    convex = True

    def gauge(self, x):
        return self.phi(x)


class Sphere(Solid):
    def __init__(self, radius):
        self.radius, self.extent, self.thickness = radius, radius, 2 * radius

    def support(self, n):
        return self.radius * unit(n)

    def phi(self, x):
        return np.linalg.norm(x, axis=1) - self.radius

    def normal(self, x):
        return unit(x + 1e-300)

    def interval(self, o, d):
        return ball_interval(o, d, self.radius)

    def feature(self, rng):
        n = direction(rng)
        return self.radius * n, n


class Capsule(Solid):
    def __init__(self, radius, length):
        self.radius, self.half = radius, length / 2
        self.extent, self.thickness = radius + length / 2, 2 * radius

    def core(self, x):
        return np.column_stack([0 * x[:, 0], 0 * x[:, 0], x[:, 2].clip(-self.half, self.half)])

    def support(self, n):
        return self.radius * unit(n) + np.where(n[:, 2:] > 0, self.half, -self.half) * [0, 0, 1]

    def phi(self, x):
        return np.linalg.norm(x - self.core(x), axis=1) - self.radius

    def normal(self, x):
        return unit(x - self.core(x) + 1e-300)

    def interval(self, o, d):
        parts = [ball_interval(o + s * np.array([0, 0, self.half]), d, self.radius) for s in (-1, 1)]
        flat = np.array([1, 1, 0])
        low, high = ball_interval(o * flat, d * flat, self.radius)
        z0, z1 = slabs(o[:, 2:], d[:, 2:], self.half)
        low, high = np.maximum(low, z0[:, 0]), np.minimum(high, z1[:, 0])
        parts.append((np.where(low < high, low, np.inf), np.where(low < high, high, -np.inf)))
        return np.min([p[0] for p in parts], axis=0), np.max([p[1] for p in parts], axis=0)

    def feature(self, rng):
        n = direction(rng)
        if rng.random() < 0.5:
            n = unit(n * [1, 1, 0])
            return self.radius * n + [0, 0, rng.uniform(-self.half, self.half)], n
        return self.support(n[None])[0], n


class Box(Solid):
    def __init__(self, size):
        self.half = np.asarray(size, float) / 2
        self.extent, self.thickness = float(np.linalg.norm(self.half)), 2 * self.half.min()

    def support(self, n):
        return np.where(n > 0, self.half, -self.half)

    def phi(self, x):
        q = np.abs(x) - self.half
        return np.linalg.norm(q.clip(0), axis=1) + np.minimum(q.max(1), 0)

    def normal(self, x):
        q = np.abs(x) - self.half
        return np.eye(3)[q.argmax(1)] * np.where(x > 0, 1, -1)

    def interval(self, o, d):
        low, high = slabs(o, d, self.half)
        return low.max(1), high.min(1)

    def feature(self, rng):
        on = np.roll(np.arange(3) < rng.integers(1, 4), rng.integers(3))
        sign = rng.choice([-1, 1], 3)
        n = unit(np.where(on, sign * np.abs(rng.normal(size=3)), 0))
        return np.where(on, sign, rng.uniform(-1, 1, 3)) * self.half, n


class Cylinder(Solid):
    def __init__(self, radius, length):
        self.radius, self.half = radius, length / 2
        self.extent, self.thickness = float(np.hypot(radius, length / 2)), min(2 * radius, length)

    def support(self, n):
        rho = np.linalg.norm(n[:, :2], axis=1, keepdims=True)
        return np.hstack([self.radius * n[:, :2] / np.maximum(rho, 1e-300),
                          np.where(n[:, 2:] > 0, self.half, -self.half)])  # fmt: skip

    def phi(self, x):
        q = np.column_stack([np.hypot(x[:, 0], x[:, 1]) - self.radius, np.abs(x[:, 2]) - self.half])
        return np.linalg.norm(q.clip(0), axis=1) + np.minimum(q.max(1), 0)

    def normal(self, x):
        rho = np.hypot(x[:, 0], x[:, 1])
        side = x * [1, 1, 0] / np.maximum(rho, 1e-300)[:, None]
        end = np.where(x[:, 2:] > 0, 1, -1) * np.array([0, 0, 1])
        return np.where((rho - self.radius > np.abs(x[:, 2]) - self.half)[:, None], side, end)

    def interval(self, o, d):
        flat = np.array([1, 1, 0])
        low, high = ball_interval(o * flat, d * flat, self.radius)
        along = (d[:, :2] == 0).all(1)
        within = np.hypot(o[:, 0], o[:, 1]) <= self.radius
        low = np.where(along, np.where(within, -np.inf, np.inf), low)
        high = np.where(along, np.where(within, np.inf, -np.inf), high)
        z0, z1 = slabs(o[:, 2:], d[:, 2:], self.half)
        return np.maximum(low, z0[:, 0]), np.minimum(high, z1[:, 0])

    def feature(self, rng):
        e, z = unit(rng.normal(size=3) * [1, 1, 0]), rng.choice([-1, 1]) * np.array([0, 0, 1.0])
        where = rng.integers(3)
        if where == 0:
            return self.radius * np.sqrt(rng.random()) * e + self.half * z, z
        if where == 1:
            return self.radius * e + rng.uniform(-1, 1) * self.half * z, e
        a = rng.uniform(0, np.pi / 2)
        return self.radius * e + self.half * z, np.cos(a) * e + np.sin(a) * z


class Ellipsoid(Solid):
    def __init__(self, semi_axes):
        self.axes = np.asarray(semi_axes, float)
        self.extent, self.thickness = float(np.linalg.norm(self.axes)), 2 * self.axes.min()

    def support(self, n):
        m = n * self.axes
        return self.axes * unit(m)

    def gauge(self, x):
        return (((x / self.axes) ** 2).sum(1) - 1) * self.axes.min()

    def nearest(self, x):
        """Nearest points of the surface: bisection of sum (a x / (a^2 + t))^2 = 1, which falls in t."""
        a2, y = self.axes**2, np.abs(x)
        low, high = np.full(len(x), -a2.min()), np.full(len(x), np.linalg.norm(x * self.axes, axis=1).max(initial=0))
        for _ in range(80):
            t = (low + high) / 2
            with np.errstate(divide="ignore", invalid="ignore"):
                f = ((self.axes * y / (a2 + t[:, None])) ** 2).sum(1)
            low, high = np.where(f > 1, t, low), np.where(f > 1, high, t)
        with np.errstate(divide="ignore", invalid="ignore"):
            s = a2 * y / (a2 + high[:, None])
        flat = self.axes.argmin()  # where the root is at -a2.min(), the point leaves along the least axis
        rest = 1 - (np.delete(s, flat, 1) ** 2 / np.delete(a2, flat)).sum(1)
        s[:, flat] = self.axes[flat] * np.sqrt(rest.clip(0))
        return s * np.where(x < 0, -1, 1)

    def phi(self, x):
        return np.linalg.norm(x - self.nearest(x), axis=1) * np.sign(self.gauge(x))

    def normal(self, x):
        return unit(self.nearest(x) / self.axes**2)

    def interval(self, o, d):
        return ball_interval(o / self.axes, d / self.axes, 1.0)

    def feature(self, rng):
        n = direction(rng)
        return self.support(n[None])[0], n


class Sheet(Solid):
    """A triangle: no inside, so that phi is never negative; its thickness is its inner circle's diameter."""

    def __init__(self, corners):
        self.corners = np.asarray(corners, float)
        a, b, c = self.corners
        self.n = unit(np.cross(b - a, c - a))
        sides = [np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c)]
        self.extent = float(np.linalg.norm(self.corners - self.corners.mean(0), axis=1).max())
        self.thickness = 2 * np.linalg.norm(np.cross(b - a, c - a)) / sum(sides)

    def support(self, n):
        return self.corners[(n @ self.corners.T).argmax(1)]

    def feature(self, rng):
        where, k = rng.integers(3), rng.integers(3)
        p, q, r = np.roll(self.corners, -k, axis=0)
        n = self.n * rng.choice([-1, 1])
        if where == 0:
            return rng.dirichlet([1, 1, 1]) @ self.corners, n
        if where == 1:
            m = unit(np.cross(q - p, self.n))
            a = rng.uniform(0, np.pi / 2)
            return p + rng.random() * (q - p), np.cos(a) * m + np.sin(a) * n
        lateral = unit(unit(p - q) + unit(p - r) + 0.5 * rng.uniform(-1, 1) * (unit(p - q) - unit(p - r)))
        a = rng.uniform(0, np.pi / 2)
        return p, np.cos(a) * lateral + np.sin(a) * n
