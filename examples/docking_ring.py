"""Two docking rings guide each other together from corners of the IDSS table: python examples/docking_ring.py."""

from __future__ import annotations

import numpy as np

import contactlib
from contactlib.simulation import rigid_body
from validation import conclude

STEP = 4e-3  # s
THRUST = 2000.0  # N, as a soft-capture system draws the rings together
START = 0.25  # m, between the rings' faces
CLOSING = 0.10  # m/s
HALF_TURN = (0.0, 0.0, 1.0, 0.0)  # the chaser faces the target


def turned(axis: tuple[float, float, float], degrees: float) -> tuple[float, ...]:
    """The chaser's attitude, misaligned about an axis of the world."""
    half = np.radians(degrees) / 2
    turn = np.array([[np.cos(half), *(np.sin(half) * np.array(axis))]])
    return tuple(rigid_body.product(turn, np.array([HALF_TURN]))[0])


def docked(lateral: float, attitude: tuple[float, ...]) -> tuple[float, float, float]:
    """Lateral offset (m), tilt and roll (degrees) after the chaser was pressed onto a fixed target."""
    spec = contactlib.load("docking_ring").with_motion("fixed", "target")
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute({"chaser": {"r": (lateral, 0.0, START), "q": attitude, "v": (0.0, 0.0, -CLOSING)}})
    simulation.apply("chaser", force=(0.0, 0.0, -THRUST))
    simulation.run(duration=20.0, dt=STEP, every=100)
    state = simulation.states[simulation.model.body_names.index("chaser")]
    w, x, y, z = state[3:7]
    tilt = 2 * np.arcsin(min(1.0, np.hypot(w, z)))  # off a half turn about an axis in the plane of the ring
    return float(np.hypot(*state[:2])), float(np.degrees(tilt)), float(np.degrees(2 * abs(np.arctan2(x, y))))


def free_flight() -> dict[str, float]:
    """Two free bodies meet as the scene says, without thrust: what is kept and what is lost."""
    spec = contactlib.load("docking_ring")
    simulation = contactlib.Simulation(spec.compile())
    trajectory = simulation.run(duration=8.0, dt=STEP)
    balance = rigid_body.balance(trajectory, {body.name: body.mass_properties() for body in spec.bodies})
    held = balance.kinetic + trajectory.energy_stored
    return {
        "linear momentum lost": balance.linear_error,
        "angular momentum lost": balance.angular_error,
        "energy gained": float((held - held[0]).max()),
        "energy unaccounted for": float(held[-1] + trajectory.energy_dissipated[-1] - held[0]),
    }


def run() -> dict[str, float]:
    """A free approach, and three corners of the table under thrust; returns what was measured."""
    corners = {
        "0.10 m off": docked(0.10, HALF_TURN),
        "4 deg pitch": docked(0.0, turned((0.0, 1.0, 0.0), 4.0)),
        "4 deg roll": docked(0.0, turned((0.0, 0.0, 1.0), 4.0)),
    }
    measured = free_flight()
    for name, (offset, tilt, roll) in corners.items():
        measured |= {f"{name}: offset": offset * 1e3, f"{name}: tilt": tilt, f"{name}: roll": roll}
    return measured


if __name__ == "__main__":
    conclude("docking_ring", run())
