"""Contact between Basilisk's spacecraft by contactlib: a module between their states and their forces and torques.

Basilisk integrates the spacecraft; contactlib computes their contact (docs/basilisk.md). The module runs before the
spacecraft in their task: it steps over the interval that they integrate next, predicts them over it, and returns the
mean wrench, which they then receive. So the step of the task need not resolve the contact.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.adapters.versions import require

LOWEST = "2.10"
require("basilisk", "bsk", LOWEST, [
    "Basilisk.architecture.sysModel:SysModel", "Basilisk.simulation.extForceTorque:ExtForceTorque",
    *(f"Basilisk.architecture.messaging:{name}" for name in (
        "SCStatesMsgReader", "SCMassPropsMsgReader", "CmdForceInertialMsg", "CmdTorqueBodyMsg"))])

from Basilisk.architecture import messaging, sysModel  # noqa: E402  after the check of its version
from Basilisk.simulation import extForceTorque  # noqa: E402

from contactlib.adapters.angular_balance import AngularBalance  # noqa: E402
from contactlib.adapters.coupled_scene import coupled_scene, mass_values, restart  # noqa: E402
from contactlib.model.spec import Spec, load  # noqa: E402
from contactlib.shapes.mass import MassProperties, steiner  # noqa: E402
from contactlib.simulation import rigid_body  # noqa: E402
from contactlib.simulation.simulation import Simulation  # noqa: E402

__all__ = ["LOWEST", "BasiliskContact"]
Floats = NDArray[np.float64]
NANO = 1e-9  # s


class BasiliskContact(sysModel.SysModel):  # type: ignore[misc]  # Basilisk has no types
    """Contact of a scene whose bodies are spacecraft; a body's frame is the frame B of its spacecraft.

    >>> from Basilisk.simulation import spacecraft
    >>> from Basilisk.utilities import SimulationBaseClass, macros
    >>> from contactlib.adapters.basilisk import BasiliskContact
    >>> simulation = SimulationBaseClass.SimBaseClass()
    >>> simulation.CreateNewProcess("flight").addTask(simulation.CreateNewTask("dynamics", macros.sec2nano(0.01)))
    >>> chaser, target = spacecraft.Spacecraft(), spacecraft.Spacecraft()
    >>> chaser.hub.mHub, target.hub.mHub = 10.0, 100.0
    >>> chaser.hub.r_CN_NInit, chaser.hub.v_CN_NInit = [[0.0], [0.0], [0.08]], [[0.0], [0.0], [-0.02]]
    >>> chaser.hub.IHubPntBc_B = np.diag([0.3, 0.3, 0.3]).tolist()
    >>> target.hub.IHubPntBc_B = np.diag([3.0, 3.0, 3.0]).tolist()
    >>> contact = BasiliskContact("peg_in_hole", {"interface": chaser, "target": target})
    >>> contact.add_to(simulation, "dynamics")
    >>> for craft in (chaser, target):
    ...     simulation.AddModelToTask("dynamics", craft)
    >>> simulation.InitializeSimulation()
    >>> simulation.ConfigureStopTime(macros.sec2nano(6.0))
    >>> simulation.ExecuteSimulation()
    >>> chaser.scStateOutMsg.read().v_BN_N[2] > -0.02    # m/s: the pins have met the ground of their holes
    True
    """

    def __init__(self, scene: Spec | str | Path, spacecraft: Mapping[str, Any]) -> None:
        """Link bodies of a scene with spacecraft.

        Parameters
        ----------
        scene : a Spec, a scene.toml, or the name of a shipped scene. Masses, initial states and gravity are Basilisk's;
            the scene's own count for bodies that are not spacecraft.
        spacecraft : Spacecraft by the names of the scene's bodies.

        Raises ValueError for an unknown body, and for an external body with a mass that no spacecraft is.
        """
        super().__init__()
        self.ModelTag = "contactlib"
        spec = scene if isinstance(scene, Spec) else load(scene)
        for body in spec.bodies:
            if body.motion == "external" and body.name not in spacecraft and body.mass_properties() is not None:
                raise ValueError(f"body '{body.name}' of the scene '{spec.name}' is external and has a mass, and no "
                                 f"spacecraft is it: name one in spacecraft, such as {{'{body.name}': ...}}, or give "
                                 "the body another motion")
        #: the scene as contactlib simulates it
        self.spec = coupled_scene(spec, {name: _hub(craft) for name, craft in spacecraft.items()})
        #: the contact: its contacts, elements, parameters, energies
        self.simulation = Simulation(self.spec.compile())
        names = self.simulation.model.body_names
        self._links = [_Link(name, names.index(name), craft) for name, craft in spacecraft.items()]
        self._rows = np.array([link.row for link in self._links])
        self._time, self._step = 0, 0.0
        self._balance: AngularBalance | None = None

    def add_to(self, simulation: Any, task: str, priority: int = 1000) -> None:
        """Add the module, and the effectors of the spacecraft, to a task of a SimBaseClass.

        The spacecraft must be in the same task with a lower priority.
        """
        simulation.AddModelToTask(task, self, priority)
        for link in self._links:
            simulation.AddModelToTask(task, link.effector, priority - 1)

    def Reset(self, CurrentSimNanos: int) -> None:
        """Start without contact memory, and with zero wrenches; Basilisk calls this."""
        restart(self.simulation)
        self._time, self._balance = CurrentSimNanos, None
        for link in self._links:
            link.write(np.zeros(6), CurrentSimNanos, self.moduleID)

    def UpdateState(self, CurrentSimNanos: int) -> None:
        """Advance the contact up to the present time; Basilisk calls this."""
        h, self._time, before = NANO * (CurrentSimNanos - self._time), CurrentSimNanos, self._time
        ours = np.array([link.state(before) for link in self._links])
        states = self.simulation.states.copy()
        states[self._rows] = ours
        balance = self._balance = self._balance or self._start(states)
        if h <= 0.0:
            return
        self.simulation.step(h, states)
        wrenches = self.simulation.wrenches[self._rows].copy()
        # torques are sent in the axes of the body, which turns: in those of the middle of the step
        R_NB, middle = (rigid_body.rotations(q) for q in (
            ours[:, 3:7], rigid_body.turned(ours[:, 3:7], 0.5 * h * ours[:, 10:])))
        wrenches[:, 3:] = rigid_body.apply(R_NB @ middle.swapaxes(1, 2), wrenches[:, 3:])
        wrenches[:, 3:] += balance.torques(ours, wrenches, self._step, h)
        self._step = h
        for link, wrench, R in zip(self._links, wrenches, R_NB, strict=True):
            link.write(np.concatenate([wrench[:3], R.T @ wrench[3:]]), CurrentSimNanos, self.moduleID)

    def _start(self, states: Floats) -> AngularBalance:
        """Take over the masses of the whole spacecraft, which Basilisk sums up when it starts."""
        masses = [link.masses() for link in self._links]
        for link, mass in zip(self._links, masses, strict=True):
            self.simulation.set(mass_values(link.name, mass))
        self.simulation.compute(states)
        self._step = 0.0
        return AngularBalance(rigid_body.Masses.of(masses))


class _Link:
    """A spacecraft as a body of the scene: its messages, and the effector that applies its wrench."""

    def __init__(self, name: str, row: int, craft: Any) -> None:
        self.name, self.row = name, row
        self.states, self.mass = messaging.SCStatesMsgReader(), messaging.SCMassPropsMsgReader()
        self.states.subscribeTo(craft.scStateOutMsg)
        self.mass.subscribeTo(craft.scMassOutMsg)
        self.force, self.torque = messaging.CmdForceInertialMsg(), messaging.CmdTorqueBodyMsg()
        self.effector = extForceTorque.ExtForceTorque()
        self.effector.ModelTag = f"contactlib_{name}"
        self.effector.cmdForceInertialInMsg.subscribeTo(self.force)
        self.effector.cmdTorqueInMsg.subscribeTo(self.torque)
        craft.addDynamicEffector(self.effector)

    def state(self, nanos: int) -> Floats:
        """Return r, q, v, w of frame B in the inertial frame at a time, (13,)."""
        message = self.states()
        if self.states.timeWritten() != nanos:
            raise ValueError(f"the state of the spacecraft '{self.name}' is of {NANO * self.states.timeWritten():g} s, "
                             f"and the contact starts from {NANO * nanos:g} s: add the spacecraft to the task of the "
                             "contact, with a lower priority")
        sigma = np.array(message.sigma_BN)
        square = sigma @ sigma
        q = np.array([1.0 - square, *(2.0 * sigma)]) / (1.0 + square)
        w_BN_N = rigid_body.rotations(q) @ message.omega_BN_B
        return np.concatenate([message.r_BN_N, q, message.v_BN_N, w_BN_N])

    def masses(self) -> MassProperties:
        """Return the mass properties of the whole spacecraft."""
        message = self.mass()
        com = np.array(message.c_B)
        return MassProperties(message.massSC, com, np.array(message.ISC_PntB_B) - message.massSC * steiner(com))

    def write(self, wrench: Floats, nanos: int, module: int) -> None:
        """Send the force (N, inertial axes) and the torque (N m, about B, axes of B) of a wrench to the effector."""
        self.force.write(messaging.CmdForceInertialMsgPayload(forceRequestInertial=wrench[:3].tolist()), nanos, module)
        self.torque.write(messaging.CmdTorqueBodyMsgPayload(torqueRequestBody=wrench[3:].tolist()), nanos, module)


def _hub(craft: Any) -> MassProperties:
    """The mass properties of a spacecraft's hub."""
    return MassProperties(float(craft.hub.mHub), np.array(craft.hub.r_BcB_B).ravel(), np.array(craft.hub.IHubPntBc_B))
