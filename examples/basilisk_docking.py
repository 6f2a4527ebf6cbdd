"""Two spacecraft dock with four pins in Basilisk, in free space or in an orbit around the Earth.

    python examples/basilisk_docking.py

Basilisk moves the spacecraft; pins, holes and contact are those of the scene `peg_in_hole`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from Basilisk.simulation import spacecraft
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeGravBody
from numpy.typing import NDArray

import contactlib
from contactlib.adapters.basilisk import BasiliskContact
from contactlib.model.parts import Body
from contactlib.shapes.quaternion import rotation_matrix
from panels import Panel, draw

Floats = NDArray[np.float64]
ORBIT, SPEED = np.array([7.0e6, 0.0, 0.0]), np.array([0.0, 7546.05, 0.0])  # m, m/s: a circle 630 km above the Earth


@dataclass(frozen=True)
class Docking:
    """Momentum (T, 3) N s, angular momentum (T, 3) N m s about the common centre of mass, distance (T,) m of both."""

    time: Floats
    momentum: Floats
    angular_momentum: Floats
    height: Floats
    contact: BasiliskContact

    @property
    def linear_error(self) -> float:
        """Largest change of momentum, relative to that which the chaser brings along."""
        change = np.linalg.norm(self.momentum - self.momentum[0], axis=1)
        return float(change.max() / np.linalg.norm(self.momentum[0]))

    @property
    def angular_error(self) -> float:
        """Largest change of angular momentum, N m s."""
        return float(np.linalg.norm(self.angular_momentum - self.angular_momentum[0], axis=1).max())


def craft_of(body: Body, origin: Floats, speed: Floats) -> Any:
    """A Spacecraft with mass, inertia and initial state of a scene's body."""
    properties, state = body.mass_properties(), np.array(body.state)
    assert properties is not None
    R_NB = rotation_matrix(body.state[3:7])
    c_N = R_NB @ properties.com
    craft = spacecraft.Spacecraft()
    craft.ModelTag = body.name
    craft.hub.mHub, craft.hub.r_BcB_B = properties.mass, _column(properties.com)
    craft.hub.IHubPntBc_B = properties.inertia.tolist()
    craft.hub.r_CN_NInit = _column(origin + state[:3] + c_N)
    craft.hub.v_CN_NInit = _column(speed + state[7:10] + np.cross(state[10:], c_N))
    craft.hub.sigma_BNInit = _column(state[4:7] / (1.0 + state[3]))
    craft.hub.omega_BN_BInit = _column(R_NB.T @ state[10:])
    return craft


def _column(vector: Floats) -> list[list[float]]:
    return np.reshape(vector, (3, 1)).tolist()


def dock(step: float = 1e-3, duration: float = 6.0, orbit: bool = False) -> Docking:
    """Dock in steps of the task (s)."""
    simulation = SimulationBaseClass.SimBaseClass()
    simulation.CreateNewProcess("flight").addTask(simulation.CreateNewTask("dynamics", macros.sec2nano(step)))
    scene = contactlib.load("peg_in_hole")
    origin, speed = (ORBIT, SPEED) if orbit else (np.zeros(3), np.zeros(3))
    crafts = {body.name: craft_of(body, origin, speed) for body in scene.bodies}
    contact = BasiliskContact(scene, crafts)
    contact.add_to(simulation, "dynamics")
    recorders = []
    earth = simIncludeGravBody.gravBodyFactory()
    earth.createEarth().isCentralBody = True
    for craft in crafts.values():
        if orbit:
            earth.addBodiesTo(craft)
        simulation.AddModelToTask("dynamics", craft)
        recorders.append(craft.scStateOutMsg.recorder(macros.sec2nano(max(step, 0.02))))
        simulation.AddModelToTask("dynamics", recorders[-1])
    simulation.InitializeSimulation()
    simulation.ConfigureStopTime(macros.sec2nano(duration))
    simulation.ExecuteSimulation()
    return _measured(scene, recorders, contact)


def _measured(scene: contactlib.Spec, recorders: list[Any], contact: BasiliskContact) -> Docking:
    chaser, target = recorders
    masses = [body.mass_properties().mass for body in scene.bodies]
    center, drift = (sum(m * np.asarray(getattr(r, name)) for m, r in zip(masses, recorders, strict=True)) / sum(masses)
                     for name in ("r_CN_N", "v_CN_N"))
    angular = np.zeros_like(center)
    for body, recorder in zip(scene.bodies, recorders, strict=True):
        properties = body.mass_properties()
        for k, (sigma, w) in enumerate(zip(recorder.sigma_BN, recorder.omega_BN_B, strict=True)):
            R_NB = rotation_matrix(np.array([1.0 - sigma @ sigma, *(2.0 * sigma)]) / (1.0 + sigma @ sigma))
            angular[k] += properties.mass * np.cross(recorder.r_CN_N[k] - center[k], recorder.v_CN_N[k] - drift[k])
            angular[k] += R_NB @ properties.inertia @ w
    sigma = target.sigma_BN[-1]
    height = np.linalg.norm(np.asarray(chaser.r_BN_N) - np.asarray(target.r_BN_N), axis=1)
    return Docking(np.asarray(chaser.times()) * macros.NANO2SEC, sum(masses) * drift, angular, height, contact)


def main() -> None:
    runs = {}
    for step in (1e-3, 5e-3, 2e-2):
        docked = runs[f"free space, steps of {1e3 * step:g} ms"] = dock(step)
        print(f"free space, {1e3 * step:4.0f} ms: {1e3 * docked.height[-1]:.2f} mm high, "
              f"momentum changes by {docked.linear_error:.1e} of it, "
              f"angular momentum by {docked.angular_error:.1e} N m s")
    docked = runs["orbit, steps of 5 ms"] = dock(5e-3, orbit=True)
    print(f"orbit,         5 ms: {1e3 * docked.height[-1]:.2f} mm high")
    draw("basilisk_docking", Panel("Two spacecraft dock in Basilisk", "time  [s]", "distance of their origins  [mm]", {
        name: (run.time, 1e3 * run.height) for name, run in runs.items()}))


if __name__ == "__main__":
    main()
