"""Cables for the tests: designs, shapes of rest, and the compiled cable behind the signature of the oracle."""

from __future__ import annotations

import numpy as np

from contactlib._core import engine

MEASURES = ("green", "engineering")
QUADRATURES = ("full", "reduced")
HOLDS = ("free", "position", "direction", "slope")


def design(n, length=1.0, EA=1e4, EI=1.0, rho=1.0, damping=(0.0, 0.0, 0.0), strain=0.0, curvature=0.0, **options):
    """n equal elements of a cable of some length."""
    elements = np.tile([length / n, strain, curvature], (n, 1))
    return {"elements": elements, "material": (EA, EI, rho, *damping), **options}


def compiled(cable):
    return engine.Cable(**cable)


def straight(n, length=1.0, along=(1, 0, 0)):
    """Positions and slopes (n + 1, 6) of a straight cable from the origin."""
    along = np.array(along) / np.linalg.norm(along)
    x = np.linspace(0, length, n + 1)[:, None]
    return np.hstack([x * along, np.tile(along, (n + 1, 1))])


def arc(n, length=1.0, angle=np.pi):
    """A cable bent to an arc of a circle in the plane z = 0, beginning along x."""
    s = np.linspace(0, angle, n + 1)
    R = length / angle
    r = np.column_stack([R * np.sin(s), R * (1 - np.cos(s)), np.zeros(n + 1)])
    return np.hstack([r, np.column_stack([np.cos(s), np.sin(s), np.zeros(n + 1)])])


class Run:
    """One cable that is stepped, with its state q and v (nodes, 6)."""

    def __init__(self, cable, q, v=None, holds=("free", "free"), gravity=(0.0, 0.0, 0.0), forces=None):
        self.design, self.cable, self.holds, self.gravity = cable, compiled(cable), holds, gravity
        self.q = np.array(q, dtype=float)[None]
        self.v = np.zeros_like(self.q) if v is None else np.array(v, dtype=float)[None]
        self.ends = self.q[:, [0, -1]].copy()
        self.forces = np.zeros((0, *self.q.shape[1:])) if forces is None else np.array(forces, dtype=float)[None]
        self.reactions = np.zeros((1, 2, 6))
        self.begins = True  # the velocities are those of the start

    def try_step(self, h, steps=1):
        """Status and its index, and how many steps were done."""
        status = engine.step_cables(self.cable, self.q, self.v, h, steps, self.gravity, self.forces, self.holds,
                                    self.ends, self.reactions, self.begins)
        self.begins = self.begins and int(status[2][0]) == 0
        return tuple(int(x[0]) for x in status)

    def step(self, h, steps=1):
        assert self.try_step(h, steps) == (0, -1, steps)
        return self

    def relax(self, h, steps):
        """To rest: velocities are taken away before each step."""
        for _ in range(steps):
            self.v[:] = 0
            self.step(h)
        return self

    def system(self, h, columns=None):
        """b, v+ and A^-1 columns of one step."""
        columns = np.zeros((0, self.q[0].size)) if columns is None else columns
        return engine.cable_system(self.cable, self.q, self.v, h, self.gravity, self.forces, self.holds, self.ends,
                                   columns)

    def matrix(self, h):
        """A, by solving for all columns; every end is free."""
        return np.linalg.inv(self.system(h, np.eye(self.q[0].size))[2])

    @property
    def energy(self):
        """Kinetic, axial and bending, J."""
        return engine.measure_cables(self.cable, self.q, self.v)[0][0, :3]

    @property
    def momenta(self):
        """Momentum and spin about the origin."""
        return engine.measure_cables(self.cable, self.q, self.v)[0][0, 3:].reshape(2, 3)

    @property
    def tension(self):
        return engine.measure_cables(self.cable, self.q, self.v)[1][0]
