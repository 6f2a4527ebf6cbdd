"""Contact of Drake's bodies by contactlib: a LeafSystem with poses and velocities in, and spatial forces out.

Drake integrates the MultibodyPlant; contactlib computes the contact of a scene (docs/drake.md). The system steps with a
period of its own, and holds the mean wrench of the coming period. So neither this period nor the plant's step needs to
resolve the contact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.adapters.versions import require

LOWEST = "1.47"
require("drake", "drake", LOWEST, [
    *(f"pydrake.systems.framework:LeafSystem.{name}" for name in (
        "DeclarePeriodicUnrestrictedUpdateEvent", "DeclareInitializationUnrestrictedUpdateEvent",
        "DeclareAbstractState")),
    *(f"pydrake.multibody.plant:{name}" for name in (
        "MultibodyPlant.has_sampled_output_ports", "ExternallyAppliedSpatialForce"))])

from pydrake.common.value import AbstractValue  # noqa: E402  after the check of its version
from pydrake.geometry import CollisionFilterDeclaration, GeometrySet  # noqa: E402
from pydrake.math import RigidTransform  # noqa: E402
from pydrake.multibody.math import SpatialForce, SpatialVelocity  # noqa: E402
from pydrake.multibody.plant import ExternallyAppliedSpatialForce  # noqa: E402
from pydrake.multibody.tree import BodyIndex, JacobianWrtVariable  # noqa: E402
from pydrake.systems.framework import LeafSystem  # noqa: E402

from contactlib.adapters.apparent_mass import apparent_mass  # noqa: E402
from contactlib.adapters.coupled_scene import coupled_scene, linked_bodies, restart  # noqa: E402
from contactlib.model.spec import Spec, load  # noqa: E402
from contactlib.shapes.mass import MassProperties  # noqa: E402
from contactlib.simulation import rigid_body  # noqa: E402
from contactlib.simulation.simulation import Simulation  # noqa: E402

__all__ = ["LOWEST", "DrakeContact"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Contact:
    """The abstract state: the contact's saved state, and wrenches (n, 6) about the centres of mass, world axes."""

    saved: bytes
    wrenches: Floats


class DrakeContact(LeafSystem):
    """Contact of a scene whose bodies are those of a MultibodyPlant; a body's frame is its frame B in Drake.

    Input ports: "body_poses" and "body_spatial_velocities", as the plant has them. Output port:
    "applied_spatial_force", for the plant's port of that name.

    >>> from pydrake.multibody.plant import MultibodyPlant
    >>> from pydrake.multibody.tree import SpatialInertia, UnitInertia
    >>> from pydrake.systems.analysis import Simulator
    >>> from pydrake.systems.framework import DiagramBuilder
    >>> from contactlib.adapters.drake import DrakeContact
    >>> builder = DiagramBuilder()
    >>> plant = builder.AddSystem(MultibodyPlant(time_step=0.005))
    >>> inertia = SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidSphere(0.1))
    >>> ball = plant.AddRigidBody("ball", inertia)
    >>> plant.SetDefaultFloatingBaseBodyPose(ball, RigidTransform([0.0, 0.0, 0.1]))
    >>> plant.Finalize()
    >>> scene = Spec.from_dict({
    ...     "scene": {"name": "floor", "step_size": 1e-4},
    ...     "body": [{"name": "ball", "shape": [{"name": "skin", "kind": "sphere", "radius": 0.1, "material": "m"}]},
    ...              {"name": "floor", "motion": "fixed",
    ...               "shape": [{"name": "top", "kind": "plane", "material": "m"}]}],
    ...     "law": [{"name": "m", "materials": ["m", "m"],
    ...              "normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 300.0}}],
    ...     "pair": [{"bodies": ["ball", "floor"]}]})
    >>> contact = DrakeContact.add_to(builder, plant, scene)
    >>> simulator = Simulator(builder.Build())
    >>> simulator.AdvanceTo(1.0)    # doctest: +ELLIPSIS
    <...>
    >>> round(float(contact.wrenches(contact.GetMyContextFromRoot(simulator.get_context()))[0, 2]), 3)    # N
    9.81
    """

    def __init__(self, plant: Any, scene: Spec | str | Path, *, period: float | None = None,
                 bodies: Mapping[str, str] | None = None, context: Any = None) -> None:
        """Link a scene with the bodies of a plant.

        Parameters
        ----------
        plant : a finalized MultibodyPlant, discrete or continuous.
        scene : a Spec, a scene.toml, or the name of a shipped scene. Masses, initial states and gravity are Drake's;
            the scene's own count for bodies that the plant has not.
        period : s, of the contact; needed for a continuous plant, that of a discrete plant is its step.
        bodies : names of bodies that differ, scene's body to Drake's; a name that several models have is written as
            "model::body". All other bodies are linked by equal names.
        context : of the plant, for the apparent masses of its bodies; the default one if None.

        Raises ValueError for an unknown name, a period that does not fit, and an external body that is not linked.
        """
        super().__init__()
        spec = scene if isinstance(scene, Spec) else load(scene)
        known = _names(plant)
        self.links = linked_bodies(spec, known, bodies or {}, "MultibodyPlant")
        self._period, self._lag = _checked(period, plant), 0.5 * plant.time_step()
        self._bodies = [known[name] for name in self.links.values()]
        masses = [_apparent(plant, context or plant.CreateDefaultContext(), body) for body in self._bodies]
        self._com = np.array([np.zeros(3) if mass is None else mass.com for mass in masses]).reshape(-1, 3)
        #: a plant with sampled output ports steps at the same time as the contact, others step after it
        self.coupling = "jacobi" if plant.has_sampled_output_ports() else "gauss_seidel"
        #: the scene as contactlib simulates it
        self.spec = coupled_scene(spec, dict(zip(self.links, masses, strict=True)), self.coupling)
        #: the contact at the last step that was computed: its contacts, elements, energies
        self.simulation = Simulation(self.spec.compile())
        self._rows = np.array([self.simulation.model.body_names.index(name) for name in self.links])
        self._last = _Contact(self.simulation.save(), np.zeros((len(self._bodies), 6)))
        self._declare()

    @classmethod
    def add_to(cls, builder: Any, plant: Any, scene: Spec | str | Path, *, scene_graph: Any = None,
               **options: Any) -> DrakeContact:
        """Add a system to a DiagramBuilder, and connect its ports with those of the plant.

        `options` are those of the class. With a `scene_graph`, Drake's own contact is excluded between all bodies
        of the plant that the scene's pairs name.
        """
        contact: DrakeContact = builder.AddSystem(cls(plant, scene, **options))
        for name in ("body_poses", "body_spatial_velocities"):
            builder.Connect(plant.GetOutputPort(name), contact.GetInputPort(name))
        builder.Connect(contact.GetOutputPort("applied_spatial_force"), plant.GetInputPort("applied_spatial_force"))
        if scene_graph is not None:
            contact.exclude_pairs(plant, scene_graph)
        return contact

    def exclude_pairs(self, plant: Any, scene_graph: Any) -> None:
        """Exclude the scene's pairs from Drake's own contact."""
        known, manager = _names(plant), scene_graph.collision_filter_manager()
        for pair in self.spec.pairs:
            names = [self.links.get(name.partition(".")[0]) for name in pair.bodies]
            if None not in names:
                sides = [GeometrySet(plant.GetCollisionGeometriesForBody(known[str(name)])) for name in names]
                manager.Apply(CollisionFilterDeclaration().ExcludeBetween(*sides))

    def wrenches(self, context: Any) -> Floats:
        """Return the held wrenches of the bodies in `links`, (n, 6): N, N m about the centre of mass, world axes."""
        return np.asarray(context.get_abstract_state(0).get_value().wrenches)

    def _declare(self) -> None:
        self._poses: Any = self.DeclareAbstractInputPort("body_poses", AbstractValue.Make([RigidTransform()]))
        self._velocities: Any = self.DeclareAbstractInputPort(
            "body_spatial_velocities", AbstractValue.Make([SpatialVelocity()]))
        state = self.DeclareAbstractState(AbstractValue.Make(self._last))
        self.DeclareAbstractOutputPort(
            "applied_spatial_force", lambda: AbstractValue.Make([ExternallyAppliedSpatialForce()]), self._forces,
            {self.abstract_state_ticket(state)})
        self.DeclareInitializationUnrestrictedUpdateEvent(self._start)
        self.DeclarePeriodicUnrestrictedUpdateEvent(self._period, 0.0, self._step)

    def _start(self, context: Any, state: Any) -> None:
        """Start without contact memory."""
        restart(self.simulation)
        self.simulation.set("next_step", self._period)
        states = self._states(context)
        self.simulation.compute(states)
        self._hold(state, states, 0.5)

    def _step(self, context: Any, state: Any) -> None:
        """Advance the contact by a period from the present states."""
        held = context.get_abstract_state(0).get_value()
        if held.saved is not self._last.saved:  # of another context
            self.simulation.restore(held.saved)
        states = self._states(context)
        self.simulation.step(self._period, states)
        self._hold(state, states, 1.5 if self.coupling == "jacobi" else 0.5)

    def _hold(self, state: Any, states: Floats, middle: float) -> None:
        """Store the wrenches; they act over the period whose middle is so many periods away."""
        ours, wrenches = states[self._rows], self.simulation.wrenches[self._rows].copy()
        q = rigid_body.turned(ours[:, 3:7], middle * self._period * ours[:, 10:])
        arms = rigid_body.apply(rigid_body.rotations(q), self._com)
        wrenches[:, 3:] -= rigid_body.cross(arms, wrenches[:, :3])
        self._last = _Contact(self.simulation.save(), wrenches)
        state.get_mutable_abstract_state(0).set_value(self._last)

    def _states(self, context: Any) -> Floats:
        """Return the states of all bodies of the scene, (bodies, 13).

        A discrete plant adds h v of the end of a step to the position: half a step back, positions fit the velocities.
        """
        poses, velocities = self._poses.Eval(context), self._velocities.Eval(context)
        states = self.simulation.states.copy()
        for row, body in zip(self._rows, self._bodies, strict=True):
            X, V = poses[body.index()], velocities[body.index()]
            states[row] = *X.translation(), *X.rotation().ToQuaternion().wxyz(), *V.translational(), *V.rotational()
        states[self._rows, :3] -= self._lag * states[self._rows, 7:10]
        states[self._rows, 3:7] = rigid_body.turned(states[self._rows, 3:7], -self._lag * states[self._rows, 10:])
        return states

    def _forces(self, context: Any, output: Any) -> None:
        forces = []
        for body, com, wrench in zip(self._bodies, self._com, self.wrenches(context), strict=True):
            force: Any = ExternallyAppliedSpatialForce()
            force.body_index, force.p_BoBq_B = body.index(), com
            force.F_Bq_W = SpatialForce(tau=wrench[3:], f=wrench[:3])
            forces.append(force)
        output.set_value(forces)


def _names(plant: Any) -> dict[str, Any]:
    """The bodies of a plant by name; those whose name is not unique by "model::body"."""
    bodies = [plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())]
    names = [body.name() for body in bodies]
    return {name if names.count(name) == 1 else body.scoped_name().get_full(): body
            for name, body in zip(names, bodies, strict=True)}


def _checked(period: float | None, plant: Any) -> float:
    step = plant.time_step()
    if step > 0.0 and period not in (None, step):
        raise ValueError(f"period = {period} s: must be the step of the discrete plant, {step:g} s: leave it out")
    if step == 0.0 and (period is None or not period > 0.0):
        raise ValueError(f"period = {period} s: must be greater than zero; a continuous plant has no step: choose a "
                         "period that resolves the motion of the bodies between contacts")
    return float(period or step)


def _apparent(plant: Any, context: Any, body: Any) -> MassProperties | None:
    """The mass that a body shows at its centre of mass."""
    if plant.num_velocities() == 0:
        return None
    com = np.asarray(body.CalcCenterOfMassInBodyFrame(context))
    J = plant.CalcJacobianSpatialVelocity(
        context, JacobianWrtVariable.kV, body.body_frame(), com, plant.world_frame(), plant.world_frame())
    J = np.roll(J, 3, axis=0)  # Drake has angular velocity first
    mobility = J @ np.linalg.solve(plant.CalcMassMatrix(context), J.T)
    return apparent_mass(mobility, body.EvalPoseInWorld(context).rotation().matrix(), com)
