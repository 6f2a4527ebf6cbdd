"""Two docking rings guide each other together from corners of the IDSS table: python examples/docking_ring.py."""

from __future__ import annotations

import numpy as np

import contactlib
from contactlib.simulation import rigid_body
from contactlib.simulation.results import Trajectory
from panels import Panel, draw
from validation import conclude

STEP, FINE = 4e-3, 2.5e-4  # s; the fine one where rings meet flat under thrust: an error of force times way per step
THRUST = 2000.0  # N, as a soft-capture system draws the rings together
START = 0.25  # m, between the rings' faces
CLOSING = 0.10  # m/s
HALF_TURN = (0.0, 0.0, 1.0, 0.0)  # the chaser faces the target


def turned(axis: tuple[float, float, float], degrees: float) -> tuple[float, ...]:
    """The chaser's attitude, misaligned about an axis of the world."""
    half = np.radians(degrees) / 2
    turn = np.array([[np.cos(half), *(np.sin(half) * np.array(axis))]])
    return tuple(rigid_body.product(turn, np.array([HALF_TURN]))[0])


#: corners of the table: lateral offset (m) and attitude of the chaser
CORNERS = {
    "0.10 m off": (0.10, HALF_TURN),
    "4 deg pitch": (0.0, turned((0.0, 1.0, 0.0), 4.0)),
    "4 deg roll": (0.0, turned((0.0, 0.0, 1.0), 4.0)),
}


def pressed(lateral: float, attitude: tuple[float, ...]) -> Trajectory:
    """The approach of the chaser, which is then pressed onto a fixed target."""
    spec = contactlib.load("docking_ring").with_motion("fixed", "target")
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute({"chaser": {"r": (lateral, 0.0, START), "q": attitude, "v": (0.0, 0.0, -CLOSING)}})
    simulation.apply("chaser", force=(0.0, 0.0, -THRUST))
    return simulation.run(duration=20.0, dt=FINE, every=160)


def misalignment(states: np.ndarray) -> np.ndarray:
    """Lateral offset (m), tilt and roll (degrees) of the chaser's states (T, 13): (3, T)."""
    w, x, y, z = states[:, 3:7].T
    tilt = 2 * np.arcsin(np.minimum(1.0, np.hypot(w, z)))  # off a half turn about an axis in the plane of the ring
    return np.array([np.hypot(*states[:, :2].T), np.degrees(tilt), np.degrees(2 * np.abs(np.arctan2(x, y)))])


def docked(lateral: float, attitude: tuple[float, ...]) -> tuple[float, float, float]:
    """Lateral offset (m), tilt and roll (degrees) after the chaser was pressed onto a fixed target."""
    offset, tilt, roll = misalignment(pressed(lateral, attitude).body("chaser"))[:, -1]
    return float(offset), float(tilt), float(roll)


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
    measured = free_flight()
    for name, (lateral, attitude) in CORNERS.items():
        offset, tilt, roll = docked(lateral, attitude)
        measured |= {f"{name}: offset": offset * 1e3, f"{name}: tilt": tilt, f"{name}: roll": roll}
    return measured


def picture() -> None:
    """Draw offset, tilt and roll over time from all three corners."""
    runs = {name: pressed(*corner) for name, corner in CORNERS.items()}
    parts = {name: (run.time, misalignment(run.body("chaser"))) for name, run in runs.items()}
    draw("docking_ring", *(Panel(title, "time  [s]", unit, {name: (time, scale * values[k])
                                                            for name, (time, values) in parts.items()})
                           for k, (title, unit, scale) in enumerate((("Lateral offset", "[mm]", 1e3),
                                                                     ("Tilt", "[deg]", 1.0), ("Roll", "[deg]", 1.0)))))


if __name__ == "__main__":
    picture()
    conclude("docking_ring", run())
