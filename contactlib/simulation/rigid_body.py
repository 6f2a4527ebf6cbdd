"""Motion, momentum and energy of free rigid bodies; a co-simulation uses them beside an FMU.

The core moves free bodies in core/step/motion.cpp; this module has the same equations in NumPy. Arrays have one row per
body. A state is r, q, v, w of the body's origin in world axes. A wrench is a force and a torque about a given point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.shapes.mass import MassProperties

if TYPE_CHECKING:
    from contactlib.simulation.results import Trajectory


Floats = NDArray[np.float64]
POSITION, ATTITUDE, VELOCITY, SPIN = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)

# the matrices [e_i] with [e_i] x = e_i cross x, one a row
_SKEW = np.array(
    [[0, 0, 0, 0, 0, -1, 0, 1, 0], [0, 0, 1, 0, 0, 0, -1, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0, 0]], float
)

_ONE = np.eye(3)


@dataclass(frozen=True)
class Masses:
    """Mass properties of N bodies, in body axes.

    mass (N, 1) in kg; com (N, 3), the centre of mass, in m; inertia (N, 3, 3) about it in kg m2; its inverse.
    """

    mass: Floats
    com: Floats
    inertia: Floats
    inverse: Floats

    @classmethod
    def of(cls, properties: Sequence[MassProperties]) -> Masses:
        """Make one row for each body's mass properties.

        Examples
        --------
        >>> import contactlib
        >>> bodies = contactlib.load("peg_in_hole").bodies
        >>> Masses.of([body.mass_properties() for body in bodies]).mass.ravel().tolist()
        [10.0, 100.0]
        """
        inertia = np.array([p.inertia for p in properties], dtype=float).reshape(-1, 3, 3)
        mass = np.array([p.mass for p in properties], dtype=float).reshape(-1, 1)
        com = np.array([p.com for p in properties], dtype=float).reshape(-1, 3)
        return cls(mass, com, inertia, np.linalg.inv(inertia))


def cross(a: Floats, b: Floats) -> Floats:
    """Cross products along the last axis. For few rows this is several times faster than NumPy's function."""
    return apply(skew(a), b)


def skew(a: Floats) -> Floats:
    """The matrices [a] with [a] x = a cross x, (..., 3, 3)."""
    return np.asarray((a @ _SKEW).reshape(*a.shape, 3))


def apply(matrices: Floats, vectors: Floats) -> Floats:
    """Matrix times vector, row by row."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])


def rotations(q: Floats) -> Floats:
    """Rotation matrices, body to world, of unit quaternions (..., 4), scalar first.

    Examples
    --------
    >>> rotations(np.array([0.0, 0.0, 0.0, 1.0])).tolist()    # half a turn about z
    [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    # R = 1 + 2 s [u] + 2 [u]^2
    K = skew(q[..., 1:])
    return np.asarray(_ONE + 2 * (q[..., :1, None] * K + K @ K))


def product(p: Floats, q: Floats) -> Floats:
    """Quaternion products, row by row."""
    s, u, t, v = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    return np.concatenate([s * t - _dot(u, v), s * v + t * u + cross(u, v)], axis=-1)


def turned(q: Floats, phi: Floats) -> Floats:
    """Rotate q by rotation vectors phi (rad, world axes): exp(phi/2) q, normalised."""
    half = np.sqrt(_dot(phi, phi)) / 2 + 1e-300  # sin(x)/x is 1 there, without dividing by zero
    turn = np.concatenate([np.cos(half), np.sin(half) / (2 * half) * phi], axis=-1)
    return normalised(product(turn, q))


def normalised(q: Floats) -> Floats:
    return np.asarray(q / np.sqrt(_dot(q, q)))


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray((a * b).sum(-1, keepdims=True))


def semi_implicit_euler(masses: Masses, states: Floats, wrenches: Floats, about: Floats | None, h: float) -> Floats:
    """Integrate states over h (s) under constant wrenches, with torques about the points `about` (m, world).

    If `about` is None, torques are about the moving origins of the bodies.

    v += h f/m, L = I w + h t, r += h v, q <- exp(h I^-1 L) q, w = I(q)^-1 L, all of the centre of mass:
    linear and angular momentum are kept to rounding.
    """
    matrices = rotations(states[:, ATTITUDE])
    c = apply(matrices, masses.com)
    force, torque = wrenches[:, :3], _torque_about_com(states, wrenches, about, c)
    w = states[:, SPIN]
    momentum = apply(_turned_tensors(masses.inertia, matrices), w) + h * torque
    v = states[:, VELOCITY] + cross(w, c) + h / masses.mass * force
    q = turned(states[:, ATTITUDE], h * apply(_turned_tensors(masses.inverse, matrices), momentum))
    matrices = rotations(q)
    c_new = apply(matrices, masses.com)
    w = apply(_turned_tensors(masses.inverse, matrices), momentum)
    r = states[:, POSITION] + h * v + (c - c_new)
    return np.concatenate([r, q, v - cross(w, c_new), w], axis=1)


def rk4(masses: Masses, states: Floats, wrenches: Floats, about: Floats | None, h: float) -> Floats:
    """Integrate states over h (s) under constant wrenches with the classical Runge-Kutta method of order four."""
    k1 = _rate(masses, states, wrenches, about)
    k2 = _rate(masses, states + h / 2 * k1, wrenches, about)
    k3 = _rate(masses, states + h / 2 * k2, wrenches, about)
    k4 = _rate(masses, states + h * k3, wrenches, about)
    result = states + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    result[:, ATTITUDE] = normalised(result[:, ATTITUDE])
    return result


Integrator = Callable[[Masses, Floats, Floats, Floats | None, float], Floats]
INTEGRATORS: dict[str, Integrator] = {"semi_implicit_euler": semi_implicit_euler, "rk4": rk4}


def _torque_about_com(states: Floats, wrenches: Floats, about: Floats | None, c: Floats) -> Floats:
    arm = -c if about is None else about - states[:, POSITION] - c
    return np.asarray(wrenches[:, 3:] + cross(arm, wrenches[:, :3]))


def _turned_tensors(tensors: Floats, matrices: Floats) -> Floats:
    return np.asarray(matrices @ tensors @ matrices.swapaxes(-1, -2))


def _rate(masses: Masses, states: Floats, wrenches: Floats, about: Floats | None) -> Floats:
    """Return d/dt of states: Newton-Euler equations about the centre of mass, transformed to the origin."""
    matrices = rotations(normalised(states[:, ATTITUDE]))
    c, w = apply(matrices, masses.com), states[:, SPIN]
    torque = _torque_about_com(states, wrenches, about, c)
    spin_momentum = apply(_turned_tensors(masses.inertia, matrices), w)
    wdot = apply(_turned_tensors(masses.inverse, matrices), torque - cross(w, spin_momentum))
    qdot = 0.5 * product(np.concatenate([np.zeros_like(w[:, :1]), w], axis=1), states[:, ATTITUDE])
    vdot = wrenches[:, :3] / masses.mass - cross(wdot, c) - cross(w, cross(w, c))
    return np.concatenate([states[:, VELOCITY], qdot, vdot, wdot], axis=1)


@dataclass(frozen=True)
class Balance:
    """Total momentum and kinetic energy of the bodies of a run.

    linear (T, 3) in kg m/s; angular (T, 3) in kg m2/s about the world's origin; kinetic (T,) in J.
    `linear_scale` and `angular_scale` are the largest momenta of a single body; errors are relative to these scales.
    """

    linear: Floats
    angular: Floats
    kinetic: Floats
    linear_scale: float
    angular_scale: float

    @property
    def linear_error(self) -> float:
        """Largest deviation of the linear momentum from its initial value, relative to `linear_scale`."""
        return _deviation(self.linear, self.linear_scale)

    @property
    def angular_error(self) -> float:
        """Largest deviation of the angular momentum from its initial value, relative to `angular_scale`."""
        return _deviation(self.angular, self.angular_scale)


def _deviation(values: Floats, scale: float) -> float:
    return float(np.linalg.norm(values - values[0], axis=1).max()) / (scale or 1.0)


def balance(trajectory: Trajectory, masses: Mapping[str, MassProperties]) -> Balance:
    """Compute the momentum and kinetic energy of the bodies in `masses` along a run; states have w in world axes.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("peg_in_hole").with_motion("free", "interface", "target")
    >>> run = contactlib.Simulation(spec.compile()).run(0.01, 1e-3)
    >>> b = balance(run, {body.name: body.mass_properties() for body in spec.bodies})
    >>> round(float(b.kinetic[0]), 6), b.linear_error < 1e-12
    (0.002, True)
    """
    for name in masses:
        if name not in trajectory.body_names:
            raise ValueError(
                f"there is no body '{name}' in the run; {tables.hint(name, trajectory.body_names)}"
            )
    m = Masses.of(list(masses.values()))
    states = trajectory.states[:, [trajectory.body_names.index(name) for name in masses]]
    matrices = rotations(states[..., ATTITUDE])
    c, w = apply(matrices, m.com), states[..., SPIN]
    linear = m.mass * (states[..., VELOCITY] + cross(w, c))
    spin = apply(_turned_tensors(m.inertia, matrices), w)
    angular = spin + cross(states[..., POSITION] + c, linear)
    kinetic = ((linear * linear).sum(-1) / m.mass.ravel() + (spin * w).sum(-1)) / 2
    return Balance(linear.sum(1), angular.sum(1), kinetic.sum(1), _largest(linear), _largest(angular))


def _largest(vectors: Floats) -> float:
    return float(np.linalg.norm(vectors, axis=-1).max(initial=0.0))
