"""Angular momentum under wrenches that are held over a step: what they gave, and the torques that make up for it.

Two bodies receive opposite forces at one point. Held over a step, forces and torques no longer have a common point,
since the bodies move: their angular impulses differ by the third order of the step. This module measures the difference
on the path that the bodies took, and returns it with the next step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from contactlib.simulation import rigid_body

Floats = NDArray[np.float64]
CLOSED = 1e-12  # a sum of forces below this part of the largest is rounding


class AngularBalance:
    """The balance of bodies that act on each other only.

    >>> balance = AngularBalance(np.array([1.0, 3.0]))
    >>> still = np.array([[0.0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0.0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0]])
    >>> balance.hold(still, np.array([[1.0, 0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0, 0]]))
    >>> moved = still.copy()
    >>> moved[1, 1] = 0.1    # the second body moves along y, and so its force gains a lever
    >>> balance.torques(moved, 0.1, 0.1).sum(axis=0).round(12).tolist()    # N m: - 0.05 m 1 N
    [0.0, 0.0, -0.05]
    """

    def __init__(self, shares: Floats) -> None:
        """`shares` (n,): parts of the difference that each body receives, such as their inertias."""
        self._shares = (shares / shares.sum())[:, None]
        self._held: tuple[Floats, Floats] | None = None
        self._debt = np.zeros(3)  # N m s, angular momentum that was created and is not taken back yet

    def hold(self, states: Floats, wrenches: Floats) -> None:
        """Store what acts over the next step: states (n, 13) at its start, and wrenches (n, 6).

        A force is constant in world axes and acts at the origin of its body, a torque is constant in the body's axes;
        `wrenches` has the torques in world axes at the start.
        """
        self._held = states.copy(), wrenches.copy()

    def torques(self, states: Floats, last: float, following: float) -> Floats:
        """Return torques (n, 3) that take back what the last step created, N m, world axes, to be held over the next.

        `states` are those at the end of the last step; `last` and `following` are the lengths of both steps, s. A step
        whose forces did not cancel is left out: then something else acts on the bodies.
        """
        if self._held is not None:
            before, wrenches = self._held
            force = wrenches[:, :3]
            if np.abs(force.sum(axis=0)).max() <= CLOSED * np.abs(force).max():
                self._debt = self._debt + angular_impulse(before, states, wrenches, last)
        return np.asarray(-self._shares * self._debt / following)


def angular_impulse(before: Floats, after: Floats, wrenches: Floats, h: float) -> Floats:
    """Return the sum of int (r x f + R t) dt about the world's origin, N m s, (3,), for `hold` and a step of length h.

    The integrals of r and of R t are those of the cubic polynomials through both ends, with an error of order h^5.
    """
    force = wrenches[:, :3]
    r = 0.5 * h * (before[:, :3] + after[:, :3]) + h * h / 12.0 * (before[:, 7:10] - after[:, 7:10])
    turned = [rigid_body.rotations(states[:, 3:7]) for states in (before, after)]
    first = wrenches[:, 3:]
    last = rigid_body.apply(turned[1] @ turned[0].swapaxes(1, 2), first)
    rates = rigid_body.cross(before[:, 10:], first) - rigid_body.cross(after[:, 10:], last)
    return np.asarray((rigid_body.cross(r, force) + 0.5 * h * (first + last) + h * h / 12.0 * rates).sum(axis=0))
