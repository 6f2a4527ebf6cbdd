"""One cable by the cable kernel alone, for the programs of cases: ends that are held, loads at nodes, steps in time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine

Floats = NDArray[np.float64]


class CableRun:
    """A cable of n equal elements that begins straight along x.

    Parameters
    ----------
    n, length : number of elements; m.
    EA, EI, density : N, N m2, kg/m.
    holds : what each end holds: "free", "position", "direction" or "slope".
    gravity : m/s2.
    forces : (n + 1, 6) loads of positions and slopes of the nodes, N and N m; None for none.
    options : of `engine.Cable`, such as measure, quadrature, tension_stiffness and integrator.
    """

    def __init__(self, n: int, length: float, EA: float, EI: float, density: float, *,
                 holds: tuple[str, str] = ("free", "free"), gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
                 forces: Floats | None = None, **options: Any) -> None:
        self.cable = engine.Cable(elements=np.tile([length / n, 0.0, 0.0], (n, 1)),
                                  material=(EA, EI, density, 0.0, 0.0, 0.0), **options)
        self.holds, self.gravity = holds, gravity
        self.q = np.zeros((1, n + 1, 6))
        self.q[0, :, 0], self.q[0, :, 3] = np.linspace(0.0, length, n + 1), 1.0
        self.v = np.zeros_like(self.q)
        self.forces = np.zeros((0, n + 1, 6)) if forces is None else forces[None].copy()
        self.ends = self.q[:, [0, -1]].copy()
        self._reactions = np.zeros((1, 2, 6))
        self._begins = True

    def step(self, h: float, steps: int = 1) -> None:
        """Advance by a number of steps of h (s). ValueError if a step fails."""
        status = engine.step_cables(self.cable, self.q, self.v, h, steps, self.gravity, self.forces, self.holds,
                                    self.ends, self._reactions, self._begins)
        self._begins = False
        if int(status[2][0]) != steps:
            raise ValueError(f"the cable failed after {int(status[2][0])} of {steps} steps of {h:g} s")

    def energies(self) -> Floats:
        """Return the kinetic energy and those of stretching and bending, J."""
        return engine.measure_cables(self.cable, self.q, self.v)[0][0, :3]

    def relax(self, h: float, steps: int) -> None:
        """Come to rest: velocities are set to zero before each step."""
        for _ in range(steps):
            self.v[:] = 0.0
            self.step(h)
