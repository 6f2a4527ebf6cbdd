"""Scenes with cables and snares for the tests, and what they carry of momentum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from contactlib import Simulation, Spec

ROPE = {"radius": 1.6e-3, "axial_stiffness": 3.98e5, "bending_stiffness": 1.08e-2, "line_density": 0.0347}
MOTOR = {"mode": "motor", "low": -1e3, "high": 1e3, "inertia": 20.0, "gear": 1000.0, "torque_constant": 0.05,
         "resistance": 1.2, "current_limit": 100.0, "efficiency": 0.6}
CONTROL = {
    "supply_voltage": 24.0, "close_voltage": 24.0, "open_voltage": -24.0, "fast_voltage": -12.0, "slow_voltage": -3.0,
    "extend_voltage": 12.0, "open_angle": 0.0, "closed_angle": 1.74, "snag_angle": 0.5, "angle_tolerance": 0.01,
    "extended_position": 0.0, "retracted_position": -0.099, "position_tolerance": 5e-4, "slack_tension": 20.0,
    "capture_tension": 400.0, "capture_time": 0.0, "snag_tension": 1e6, "snag_ratio": 100.0, "contact_load": 1000.0,
    "rigidize_load": 4893.0, "lost_load": 2000.0, "ring_stall_current": 99.0, "carriage_stall_current": 7.8,
    "ring_stall_rate": 1e-6, "carriage_stall_rate": 1e-6, "snag_time": 10.0, "stall_time": 10.0, "lost_time": 10.0,
    "close_time": 60.0, "retract_time": 30.0, "rigidize_time": 60.0, "extend_time": 30.0, "open_time": 8.0,
}


def simulate(bodies: list[dict[str, Any]], step_size: float = 1e-3, scene: Mapping[str, Any] | None = None,
             **elements: Any) -> Simulation:
    """A scene of tables as in a scene file, `cables=[...]` or `snare=[...]` among them."""
    spec = Spec.from_dict({"scene": {"name": "snares", "step_size": step_size, **(scene or {})}, "body": bodies,
                           **elements})
    return Simulation(spec.compile())


def free(name: str, r: Any = (0, 0, 0), mass: float = 1.0, inertia: Any = (0.01, 0.01, 0.01),
         **state: Any) -> dict[str, Any]:
    return {"name": name, "motion": "free", "mass": mass, "inertia": list(inertia),
            "state": {"r": list(map(float, r)), **state}}


def mass_matrix(length: float, elements: int, line_density: float) -> np.ndarray:
    """Consistent, over positions and slopes of the nodes (2 (elements + 1))^2, by Hermite's polynomials."""
    x, w = np.polynomial.legendre.leggauss(4)
    x, w, each = 0.5 * (x + 1), 0.5 * w, length / elements
    S = np.array([1 - 3 * x**2 + 2 * x**3, each * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, each * (x**3 - x**2)])
    M = np.zeros((2 * elements + 2,) * 2)
    for e in range(elements):
        M[2 * e:2 * e + 4, 2 * e:2 * e + 4] += line_density * each * (S * w) @ S.T
    return M


def cable_momenta(nodes: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Momentum, and spin about the origin, of nodes (n, 12)."""
    q, v = (nodes[:, k:k + 6].reshape(-1, 3) for k in (0, 6))
    ones = np.tile([1.0, 0.0], len(nodes))
    return np.concatenate([ones @ M @ v, np.einsum("ij,ijk->k", M, np.cross(q[:, None], v[None]))])


def body_momenta(state: np.ndarray, mass: float, inertia: Any) -> np.ndarray:
    """Momentum, and spin about the origin, of a body whose origin is its centre of mass."""
    w, x, y, z = state[3:7]
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    spin = mass * np.cross(state[:3], state[7:10]) + R @ np.diag(inertia) @ R.T @ state[10:]
    return np.concatenate([mass * state[7:10], spin])


def helix(radius: float, angle: float, pitch: float, side: float, elements: int) -> tuple[np.ndarray, float, float]:
    """Nodes (elements + 1, 6) of a cable that comes in straight, winds about z until its tangent has turned by
    `angle`, and leaves straight; its length, and the way along it for each radian about z."""
    rise = pitch / (2 * math.pi)
    per_radian = math.hypot(radius, rise)
    about = angle * per_radian / radius  # the curve bends by radius/per_radian for each radian
    length = per_radian * about + 2 * side

    def node(s: float) -> np.ndarray:
        a = (s - side) / per_radian
        b = min(max(a, 0.0), about)
        t = np.array([-radius * math.sin(b), radius * math.cos(b), rise]) / per_radian
        return np.concatenate([(radius * math.cos(b), radius * math.sin(b), rise * b) + (a - b) * per_radian * t, t])

    return np.array([node(s) for s in np.linspace(0, length, elements + 1)]), length, per_radian
