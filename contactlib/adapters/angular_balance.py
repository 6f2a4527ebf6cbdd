"""Angular momentum under wrenches that are held over a step: what they gave, and the torques that make up for it.

Two bodies receive opposite forces at one point. Held over a step, forces and torques no longer have a common point,
since the bodies move: their angular impulses differ by the third order of the step. This module predicts the
difference of a step, measures it afterwards on the path that the bodies took, and returns the rest with the next step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from contactlib.simulation import rigid_body

Floats = NDArray[np.float64]
CLOSED = 1e-12  # a sum of forces below this part of the largest is rounding


class AngularBalance:
    """The balance of bodies that act on each other only.

    >>> import contactlib
    >>> unit = contactlib.Sphere(1.0).mass_properties(1.0)
    >>> balance = AngularBalance(rigid_body.Masses.of([unit, unit]))
    >>> states = np.array([[0.0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0.0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0]])
    >>> wrenches = np.array([[1.0, 0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0, 0]])
    >>> # the second body moves along y, and so its force gains a lever, 0.05 m in the mean
    >>> balance.torques(states, wrenches, 0.1, 0.1).sum(axis=0).round(12).tolist()    # N m
    [0.0, 0.0, -0.05]
    """

    def __init__(self, masses: rigid_body.Masses) -> None:
        """`masses`: of the bodies, each of which receives a part of the difference in proportion to its inertia."""
        self._masses = masses
        shares = np.trace(masses.inertia, axis1=1, axis2=2)
        self._shares = (shares / shares.sum())[:, None]
        self._held: tuple[Floats, Floats] | None = None
        self._debt = np.zeros(3)  # N m s, angular momentum that was created and is not taken back yet

    def torques(self, states: Floats, wrenches: Floats, last: float, following: float) -> Floats:
        """Return torques (n, 3), N m, world axes, that take back what the last step left and the next one will create.

        `states` (n, 13) at the end of the last step; `wrenches` (n, 6) to be held over the next: a force is constant in
        world axes and acts at the origin of its body, a torque is constant in the body's axes and given in world axes
        at the start. `last` and `following` are the lengths of both steps, s. A step whose forces do not cancel is left
        out: then something else acts on the bodies.
        """
        if self._held is not None:
            self._debt = self._debt + _created(self._held[0], states, self._held[1], last)
        ahead = rigid_body.rk4(self._masses, states, wrenches, None, following)
        due = self._debt + _created(states, ahead, wrenches, following)
        added = np.asarray(-self._shares * due / following)
        self._held = states.copy(), np.concatenate([wrenches[:, :3], wrenches[:, 3:] + added], axis=1)
        return added


def _created(before: Floats, after: Floats, wrenches: Floats, h: float) -> Floats:
    """Return the angular momentum that wrenches create, N m s; zero where the forces do not cancel."""
    force = wrenches[:, :3]
    if np.abs(force.sum(axis=0)).max() > CLOSED * np.abs(force).max():
        return np.zeros(3)
    return angular_impulse(before, after, wrenches, h)


def angular_impulse(before: Floats, after: Floats, wrenches: Floats, h: float) -> Floats:
    """Return the sum of int (r x f + R t) dt about the world's origin over a step of length h, N m s, (3,).

    The integrals of r and of R t are those of the cubic polynomials through both ends, with an error of order h^5.
    """
    force = wrenches[:, :3]
    r = 0.5 * h * (before[:, :3] + after[:, :3]) + h * h / 12.0 * (before[:, 7:10] - after[:, 7:10])
    turned = [rigid_body.rotations(states[:, 3:7]) for states in (before, after)]
    first = wrenches[:, 3:]
    last = rigid_body.apply(turned[1] @ turned[0].swapaxes(1, 2), first)
    rates = rigid_body.cross(before[:, 10:], first) - rigid_body.cross(after[:, 10:], last)
    return np.asarray((rigid_body.cross(r, force) + 0.5 * h * (first + last) + h * h / 12.0 * rates).sum(axis=0))
