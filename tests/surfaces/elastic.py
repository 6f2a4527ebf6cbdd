"""Two shapes with an elastic spring of 1 N/m and no friction between them: wrenches and stored energies by pose, and
the work around closed paths, which is zero for a force that has an energy.
"""

from dataclasses import fields
from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

import contactlib
from tests.mesh import mesh_truth
from tests.support.scenes import body, law, scene


def keys(shape):
    """A shape as a scene file has it."""
    return {"kind": shape.kind, **{f.name: np.asarray(getattr(shape, f.name)).tolist() for f in fields(shape)}}


class Pair:
    """Shape A at poses X (N, 7), shape B at the origin."""

    def __init__(self, A, B, stiffness=1.0):
        bodies = [body("a", "external", [{"name": "s", "material": "m", **keys(A)}], state={"r": [100.0, 0, 0]}),
                  body("b", "fixed", [{"name": "s", "material": "m", **keys(B)}])]
        spring = law("touch", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": 0.0})
        self.simulation = contactlib.Simulation(scene(bodies, [spring], [["a", "b"]]).compile())

    def _states(self, X):
        X = np.atleast_2d(X)
        states = np.repeat(self.simulation.states[None], len(X), 0)
        states[:, 0, :7] = X
        return states

    def wrenches(self, X):
        """Force on A and torque about its origin (N, 6)."""
        return self.simulation.compute_batch(self._states(X)).wrenches[:, 0]

    def energies(self, X):
        """Stored in the contacts (N,), J."""
        return np.array([self.simulation.compute(state).contacts["stored_energy"].sum() for state in self._states(X)])


def turned(X, r, turn):
    """A pose moved by r and turned by the rotation vector `turn`, in the world's axes."""
    R = Rotation.from_rotvec(turn).as_matrix() @ mesh_truth.matrix(X[3:])
    return np.array([*(X[:3] + r), *mesh_truth.quaternion(R)])


def gradient(pair, X, step=1e-6):
    """Minus the slope of the energy along and about the axes (6,), by central differences over `step` (m, rad)."""
    moves = step * np.vstack([np.eye(6), -np.eye(6)])
    energy = pair.energies([turned(X, d[:3], d[3:]) for d in moves])
    return (energy[6:] - energy[:6]) / (2 * step)


def works(X, wrenches):
    """Work of each move of a path (N, 7), by the mean of the wrenches at both ends."""
    R = [mesh_truth.matrix(q) for q in X[:, 3:]]
    turns = np.array([Rotation.from_matrix(b @ a.T).as_rotvec() for a, b in pairwise(R)])
    moves = np.column_stack([np.diff(X[:, :3], axis=0), turns])
    return ((wrenches[1:] + wrenches[:-1]) / 2 * moves).sum(1)


def around(pair, X):
    """The work around a closed path whose last pose is the first, as a part of that exchanged on it."""
    w = works(X, pair.wrenches(X))
    assert np.abs(w).sum() > 0
    return abs(w.sum()) / (np.abs(w).sum() / 2)
