"""One impact of two free bodies, for the adapters: the scene, a monolithic run of it, and errors of other runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import contactlib
from tests.support.scenes import body, law, momentum
from tests.support.scenes import scene as small_scene

Floats = NDArray[np.float64]
DURATION = 0.3  # s
BRISTLE = {"kind": "bristle", "mu_static": 0.4, "mu_kinetic": 0.3, "tangential_stiffness": 5e3,
           "tangential_damping": 10.0}


def scene() -> contactlib.Spec:
    """A ball is thrown at a face of a block; the centres of mass lie off the origins, and both spin."""
    ball = body("ball", "free", mass=2.0, inertia=[0.02, 0.03, 0.015], com=[0.01, -0.02, 0.03],
                shapes=[{"name": "ball", "kind": "sphere", "radius": 0.1, "material": "a"}],
                state={"r": [0.05, 0.02, 0.4], "q": [0.96, 0.0, 0.28, 0.0], "v": [0.1, 0.0, -1.0],
                       "w": [0.5, -1.0, 2.0]})
    block = body("block", "free", mass=5.0, inertia=[0.1, 0.2, 0.15], com=[0.0, 0.02, -0.01],
                 shapes=[{"name": "box", "kind": "box", "size": [0.6, 0.5, 0.4], "material": "b"}],
                 state={"w": [0.1, 0.2, -0.3]})
    normal = {"kind": "hunt_crossley", "stiffness": 1e5, "exponent": 1.5, "damping": 0.3}
    touch = law("touch", ["a", "b"], normal, BRISTLE)
    return small_scene([ball, block], [touch], [["ball", "block"]], step_size=1e-4, integrator="rk4")


def monolithic(step: float = 2e-5) -> Floats:
    """The states (2, 13) at the end, by one solver for bodies and contact."""
    simulation = contactlib.Simulation(scene().compile())
    return simulation.run(DURATION, step, every=round(DURATION / step)).states[-1]


def errors(states: Floats, truth: Floats) -> tuple[float, float]:
    """Largest error of positions and quaternions (m, 1), and of velocities (m/s, rad/s)."""
    off = np.abs(np.concatenate([states[:, :3], states[:, 3:7] * np.sign((states * truth)[:, 3:7].sum(1)[:, None]),
                                 states[:, 7:]], axis=1) - truth)
    return float(off[:, :7].max()), float(off[:, 7:].max())


def momentum_errors(states: Floats) -> tuple[float, float]:
    """Change of linear (N s) and angular momentum about the world's origin (N m s) since the start."""
    start = np.array([body.state for body in scene().bodies])
    before, after = momentum(scene(), start), momentum(scene(), states)
    linear, angular = (float(np.linalg.norm(b - a)) for b, a in zip(before[:2], after[:2], strict=True))
    return linear, angular
