"""The mass that a body of a multibody system shows at its centre of mass, with joints and bodies behind it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from contactlib.shapes.mass import MassProperties

Floats = NDArray[np.float64]
#: a body that cannot turn gets this radius of gyration, m: so large that no contact turns it
RIGID_RADIUS = 1e3


def apparent_mass(mobility: Floats, R_WB: Floats, com: Floats) -> MassProperties | None:
    """Return apparent mass properties, or None for a body that no wrench moves.

    Parameters
    ----------
    mobility : (6, 6) J M^-1 J^T, with the Jacobian J of velocity and angular velocity at the centre of mass, world
        axes, and the joint-space inertia M: accelerations (m/s2, rad/s2) for each N and N m.
    R_WB : (3, 3) attitude of the body.
    com : (3,) centre of mass in body axes, m.

    The mass is that of the direction that gives way most: too small a mass is the safer error (docs/coupling.md). The
    inertia is the inverse of the angular part. Both are exact for a free body.

    Examples
    --------
    >>> free = np.diag([0.5, 0.5, 0.5, 10.0, 20.0, 20.0])
    >>> found = apparent_mass(free, np.eye(3), np.zeros(3))
    >>> found.mass, found.inertia.round(12).diagonal().tolist()
    (2.0, [0.1, 0.05, 0.05])
    >>> apparent_mass(np.zeros((6, 6)), np.eye(3), np.zeros(3)) is None
    True
    """
    largest = float(np.linalg.eigvalsh(mobility[:3, :3])[-1])
    turning, axes = np.linalg.eigh(R_WB.T @ mobility[3:, 3:] @ R_WB)  # sorted upwards
    if largest <= 0.0 and turning[-1] <= 0.0:
        return None
    mass = 1.0 / max(largest, float(turning[-1]) / RIGID_RADIUS**2)
    high, middle, low = 1.0 / np.maximum(turning, 1.0 / (mass * RIGID_RADIUS**2))
    moments = np.array([min(high, middle + low), middle, low])  # no moment of a rigid body exceeds the sum of two
    return MassProperties(mass, com.copy(), (axes * moments) @ axes.T)
