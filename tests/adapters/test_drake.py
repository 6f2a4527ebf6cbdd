"""Contact in Drake: against a monolithic run, energy, momentum, stick, contexts, in discrete and continuous plants."""

import numpy as np
import pytest
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction, MultibodyPlant
from pydrake.multibody.tree import PrismaticJoint, RotationalInertia, SpatialInertia, UnitInertia
from pydrake.systems.analysis import InitializeParams, Simulator
from pydrake.systems.framework import DiagramBuilder

import contactlib
import drake_slope
from contactlib.adapters.drake import DrakeContact
from tests.support import free_flight
from tests.support.coupled import balls

KINDS = ("discrete", "sampled", "continuous")
kinds = pytest.mark.parametrize("kind", KINDS)


class Flight:
    """The bodies of a scene as free bodies of a plant, from the scene's initial state on."""

    def __init__(self, spec, step, kind):
        builder = DiagramBuilder()
        self.plant = builder.AddSystem(MultibodyPlant(0.0 if kind == "continuous" else step))
        if kind == "discrete":
            self.plant.SetUseSampledOutputPorts(False)
        bodies = [self.plant.AddRigidBody(body.name, inertia_of(body)) for body in spec.bodies]
        self.plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
        self.plant.Finalize()
        options = {"period": step} if kind == "continuous" else {}
        self.contact = DrakeContact.add_to(builder, self.plant, spec, **options)
        self.simulator = Simulator(builder.Build())
        context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        for body, part in zip(bodies, spec.bodies, strict=True):
            state = np.array(part.state)
            pose = RigidTransform(Quaternion(state[3:7]), state[:3])
            self.plant.SetFreeBodyPose(context, body, pose)
            self.plant.SetFreeBodySpatialVelocity(context, body, SpatialVelocity(w=state[10:], v=state[7:10]))
        if kind == "continuous":
            self.simulator.get_mutable_integrator().set_target_accuracy(1e-10)
        else:  # its positions are half a step ahead
            rates = self.plant.MapVelocityToQDot(context, self.plant.GetVelocities(context))
            self.plant.SetPositions(context, self.plant.GetPositions(context) + 0.5 * step * rates)

    def run(self, time):
        """States (bodies, 13) at a time, with positions and velocities of one time."""
        self.simulator.AdvanceTo(time)
        return self.contact._states(self.contact.GetMyContextFromRoot(self.simulator.get_context()))


def inertia_of(body):
    properties = body.mass_properties()
    I = properties.inertia  # noqa: E741
    return SpatialInertia.MakeFromCentralInertia(
        properties.mass, properties.com, RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))


# ---- truth from outside --------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "step"), [("discrete", 5e-4), ("sampled", 5e-4), ("continuous", 1e-3)])
def test_an_impact_is_that_of_one_common_solver(kind, step):
    """The monolithic run itself changes by 1.4e-4 m and 1.9e-3 if its steps of 1e-4 s are halved."""
    flight = Flight(free_flight.scene(), step, kind)
    assert flight.contact.coupling == ("jacobi" if kind == "sampled" else "gauss_seidel")
    position, velocity = free_flight.errors(flight.run(free_flight.DURATION), free_flight.monolithic(1e-4))
    assert position < 1.4e-4 and velocity < 1.9e-3


def test_momentum_is_conserved_in_a_continuous_plant():
    """Linear momentum to the accuracy of the integrator, angular momentum with the second order of the period."""
    errors = np.array([free_flight.momentum_errors(
        Flight(free_flight.scene(), period, "continuous").run(free_flight.DURATION)) for period in (5e-4, 1e-3, 2e-3)])
    assert errors[:, 0].max() < 1e-10
    assert (errors[1:, 1] > 3.0 * errors[:-1, 1]).all() and errors[0, 1] < 1e-6  # of 0.26 N m s


@kinds
@pytest.mark.parametrize(("step", "bound"), [(5e-3, 1e-3), (1e-2, 1e-2), (2e-2, 5e-2)])
def test_an_elastic_impact_keeps_its_energy(kind, step, bound):
    """The bars of docs/coupling.md for coupled runs; held wrenches gain 0.45, 1.3 and 6.9."""
    for offset in np.arange(5) / 5 * step:
        spec = balls("none")
        spec = spec.with_state("one", r=(-0.55 - offset, 0.0, 0.0))
        speeds = Flight(spec, step, kind).run(0.4)[:, 7]
        assert speeds[0] < -0.5, "the balls have met"
        assert abs(0.5 * speeds @ speeds - 1.0) < bound
        assert abs(speeds.sum()) < 1e-12  # m/s


def test_a_block_sticks_on_a_slope():
    """10 degrees, mu 0.5: at most 1e-6 um/s; Drake's own discrete contact creeps, because it regularises friction."""
    assert drake_slope.drift(contact=True) < 1e-12 < 1e-9 < drake_slope.drift(contact=False)


# ---- joints, filters, contexts -------------------------------------------------------------------


def test_a_body_on_a_joint_shows_what_hangs_on_it():
    plant = MultibodyPlant(0.0)
    slider = plant.AddRigidBody("ball", SpatialInertia(2.0, np.zeros(3), UnitInertia.SolidSphere(0.1)))
    load = plant.AddRigidBody("load", SpatialInertia(3.0, np.zeros(3), UnitInertia.SolidSphere(0.1)))
    plant.AddJoint(PrismaticJoint("rail", plant.world_frame(), slider.body_frame(), [1.0, 0.0, 0.0]))
    plant.WeldFrames(slider.body_frame(), load.body_frame(), RigidTransform([0.0, 0.0, 0.3]))
    plant.Finalize()
    spec = contactlib.Spec.from_dict({
        "scene": {"name": "rail"},
        "body": [{"name": "ball", "shape": [{"name": "skin", "kind": "sphere", "radius": 0.1, "material": "m"}]},
                 {"name": "wall", "motion": "fixed", "shape": [{"name": "top", "kind": "plane", "material": "m"}]}],
        "law": [{"name": "m", "materials": ["m", "m"],
                 "normal": {"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 0.0}}],
        "pair": [{"bodies": ["ball", "wall"]}]})
    mass = DrakeContact(plant, spec, period=0.01).spec.body("ball").mass
    np.testing.assert_allclose(mass, 5.0, rtol=1e-12)


def test_drake_keeps_the_contact_of_all_other_pairs():
    builder = DiagramBuilder()
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, 0.01)
    shapes, rough = {}, CoulombFriction(0.5, 0.5)
    for name in ("one", "two", "three"):
        body = plant.AddRigidBody(name, SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidSphere(0.5)))
        shapes[name] = plant.RegisterCollisionGeometry(body, RigidTransform(), Sphere(0.5), name, rough)
    plant.Finalize()
    DrakeContact.add_to(builder, plant, balls("none"), scene_graph=scene_graph)
    inspector = scene_graph.model_inspector()
    filtered = [inspector.CollisionFiltered(shapes[a], shapes[b]) for a, b in (
        ("one", "two"), ("one", "three"), ("two", "three"))]
    assert filtered == [True, False, False]


@pytest.mark.parametrize("kind", KINDS[:2])  # the integrator of a continuous plant has a memory of its own
def test_a_run_from_a_copied_context_has_the_same_bits(kind):
    """The contact's memory is part of the context; initialization events would clear it."""
    flight = Flight(free_flight.scene(), 1e-3, kind)
    flight.run(0.11)  # in contact
    clone = flight.simulator.get_context().Clone()
    end = flight.run(0.15)
    flight.simulator.reset_context(clone)
    flight.simulator.Initialize(InitializeParams(suppress_initialization_events=True))
    assert flight.run(0.15).tobytes() == end.tobytes()


# ---- wrong uses ----------------------------------------------------------------------------------


def plant_of(*names, step=0.01):
    plant = MultibodyPlant(step)
    for name in names:
        plant.AddRigidBody(name, SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidSphere(0.5)))
    plant.Finalize()
    return plant


@pytest.mark.parametrize(("names", "step", "options", "sentence"), [
    (("one", "two"), 0.01, {"period": 0.02},
     "period = 0.02 s: must be the step of the discrete plant, 0.01 s: leave it out"),
    (("one", "two"), 0.0, {}, "period = None s: must be greater than zero; a continuous plant has no step"),
    (("one", "too"), 0.01, {}, "body 'two' of the scene 'test' is external, and the MultibodyPlant has no body of that "
                               "name: .*; did you mean 'too'"),
    (("one", "too"), 0.01, {"bodies": {"two": "tow"}}, r"bodies\['two'\] = 'tow': the MultibodyPlant has no such body"),
])
def test_wrong_arguments_are_named(names, step, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        DrakeContact(plant_of(*names, step=step), balls("none"), **options)


def test_bodies_of_equal_names_are_written_with_their_models():
    plant = MultibodyPlant(0.01)
    for model in ("left", "right"):
        inertia = SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidSphere(0.5))
        plant.AddRigidBody("ball", plant.AddModelInstance(model), inertia)
    plant.Finalize()
    contact = DrakeContact(plant, balls("none"), bodies={"one": "left::ball", "two": "right::ball"})
    assert contact.links == {"one": "left::ball", "two": "right::ball"}
    with pytest.raises(ValueError, match=r"bodies\['one'\] = 'ball': the MultibodyPlant has no such body; known: "
                                         "world, left::ball, right::ball"):
        DrakeContact(plant, balls("none"), bodies={"one": "ball", "two": "right::ball"})
