"""The scenes in Drake (pip install drake): point contact of spheres with half spaces, boxes and spheres.

Drake has one contact for a box on a plane, so boxes stand on small balls in their lower corners. Contacts have the
springs of the scenes, Hunt and Crossley's damping, and Drake's own approximation of a step, "lagged". Motion without
friction runs in continuous time.
"""

from __future__ import annotations

import math

import numpy as np
from pydrake import all as drake

STEP, DISSIPATION = 5e-4, 50.0  # s, s/m
FOOT = 1e-3  # m, radius of the balls in the corners


class Scene:
    """A plant with free bodies; `step` = 0 is continuous time, with an integrator of order three."""

    def __init__(self, gravity=(0.0, 0.0), step=STEP):
        builder = drake.DiagramBuilder()
        config = drake.MultibodyPlantConfig(time_step=step, discrete_contact_approximation="lagged",
                                            contact_model="point")
        self.plant, self.graph = drake.AddMultibodyPlant(config, builder)
        self.plant.mutable_gravity_field().set_gravity_vector([gravity[0], 0.0, gravity[1]])
        self.builder, self.bodies, self.solid, self.step = builder, [], [], step

    def body(self, mass, inertia, at):
        body = self.plant.AddRigidBody(f"body_{len(self.bodies)}", drake.SpatialInertia(
            mass, np.zeros(3), drake.UnitInertia(*(np.array(inertia) / mass))))
        self.bodies.append((body, at))
        return body

    def shape(self, body, shape, at, law):
        """Two shapes in contact are two springs in a row: each has twice the stiffness."""
        k, dissipation, mu = law
        properties = drake.ProximityProperties()
        drake.AddContactMaterial(dissipation=dissipation, point_stiffness=2.0 * k,
                                 friction=drake.CoulombFriction(mu, mu), properties=properties)
        name = f"shape_{self.plant.num_collision_geometries()}"
        found = self.plant.RegisterCollisionGeometry(body, drake.RigidTransform(at), shape, name, properties)
        if not isinstance(shape, drake.Sphere):
            self.solid.append(found)

    def floor(self, law):
        self.shape(self.plant.world_body(), drake.HalfSpace(), np.zeros(3), law)

    def start(self, velocities=()):
        """Velocities by number of the body: spatial, rotation first."""
        self.plant.Finalize()
        # boxes meet by their balls alone
        self.graph.collision_filter_manager().Apply(
            drake.CollisionFilterDeclaration().ExcludeWithin(drake.GeometrySet(self.solid)))
        self.diagram = self.builder.Build()
        self.simulator = drake.Simulator(self.diagram)
        self.root = self.simulator.get_mutable_context()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        for body, at in self.bodies:
            self.plant.SetFreeBodyPose(self.context, body, drake.RigidTransform(at))
        for k, velocity in dict(velocities).items():
            spatial = drake.SpatialVelocity(np.array(velocity))
            self.plant.SetFreeBodySpatialVelocity(self.context, self.bodies[k][0], spatial)
        if not self.step:
            drake.ResetIntegratorFromFlags(self.simulator, "runge_kutta3", 1e-4)
            self.simulator.get_mutable_integrator().set_target_accuracy(1e-10)
        self.simulator.Initialize()

    def go(self, duration):
        self.simulator.AdvanceTo(self.root.get_time() + duration)

    def place(self, k):
        pose = self.plant.EvalBodyPoseInWorld(self.context, self.bodies[k][0])
        return pose.translation(), pose.rotation().matrix()

    def velocity(self, k):
        spatial = self.plant.EvalBodySpatialVelocityInWorld(self.context, self.bodies[k][0])
        return spatial.rotational(), spatial.translational()

    def normal_forces(self):
        """Normal forces and heights of the contacts."""
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        infos = [results.point_pair_contact_info(k) for k in range(results.num_point_pair_contacts())]
        return (np.array([abs(info.contact_force()[2]) for info in infos]),
                np.array([info.contact_point()[2] for info in infos]))


def law(p, mu):
    return p["contact"]["stiffness"], DISSIPATION, mu


def add_box(scene, p, z, mu, solid=False):
    """A box on four small balls; `solid` for boxes that others stand on."""
    a, b, c = (0.5 * side for side in p["box"]["size"])
    body = scene.body(p["box"]["mass"], p["box"]["inertia"], [0.0, 0.0, z])
    for x, y in ((a, b), (a, -b), (-a, b), (-a, -b)):
        # balls in a stack are a little inside the edge, so that they stand on the face
        inset = FOOT if solid else 0.0
        at = [x - math.copysign(inset, x), y - math.copysign(inset, y), -c + FOOT]
        scene.shape(body, drake.Sphere(FOOT), at, law(p, mu))
    if solid:
        scene.shape(body, drake.Box(*p["box"]["size"]), np.zeros(3), law(p, mu))


def one_box(p, gravity, mu, speed=0.0):
    scene = Scene(gravity)
    add_box(scene, p, 0.5 * p["box"]["size"][2], mu)
    scene.floor(law(p, mu))
    scene.start({0: [0, 0, 0, speed, 0, 0]})
    return scene


def at_rest(p):
    scene = one_box(p, (0.0, -p["gravity"]), p["box"]["mu_slides"])
    scene.go(p["box"]["duration"])
    return {"rest: sag": 1e6 * (0.5 * p["box"]["size"][2] - scene.place(0)[0][2]),
            "rest: force": scene.normal_forces()[0].sum()}


def on_slope(p):
    a, half = p["slope"], 0.5 * p["box"]["duration"]
    gravity = p["gravity"] * math.sin(a), -p["gravity"] * math.cos(a)
    scene = one_box(p, gravity, p["box"]["mu_sticks"])
    scene.go(half)
    before = scene.place(0)[0][0]
    scene.go(half)
    found = {"slope: creep": 1e6 * (scene.place(0)[0][0] - before) / half}
    scene = one_box(p, gravity, p["box"]["mu_slides"])
    scene.go(2 * half)
    found["slope: speed"] = scene.velocity(0)[1][0]
    scene = one_box(p, (0.0, -p["gravity"]), p["box"]["mu_slides"], p["box"]["thrown"])
    scene.go(2 * half)
    return {**found, "thrown: distance": scene.place(0)[0][0]}


def ball(p):
    b = p["ball"]
    scene = Scene((0.0, -p["gravity"]))
    body = scene.body(b["mass"], [0.4 * b["mass"] * b["radius"] ** 2] * 3, [0.0, 0.0, b["radius"]])
    scene.shape(body, drake.Sphere(b["radius"]), np.zeros(3), law(p, b["mu"]))
    scene.floor(law(p, b["mu"]))
    scene.start({0: [0, 0, 0, b["speed"], 0, 0]})
    scene.go(b["duration"])
    w, v = scene.velocity(0)
    return {"ball: speed": v[0], "ball: speed of the rim": b["radius"] * w[1], "ball: distance": scene.place(0)[0][0]}


def tumble(p):
    t = p["tumble"]
    scene = Scene(step=0.0)
    scene.body(t["mass"], t["inertia"], [0.0, 0.0, 0.0])
    scene.start({0: [*t["spin"], 0, 0, 0]})
    scene.go(t["duration"])
    R, w = scene.place(0)[1], scene.velocity(0)[0]
    inertia, start = np.array(t["inertia"]), np.array(t["spin"])
    w_B, first = R.T @ w, inertia * start
    return {"tumble: attitude": R[1, 1],
            "tumble: energy": 1e9 * ((inertia * w_B**2).sum() / (inertia * start**2).sum() - 1),
            "tumble: momentum": 1e9 * np.linalg.norm(R @ (inertia * w_B) - first) / np.linalg.norm(first)}


def stack(p):
    high, boxes = p["box"]["size"][2], p["stack"]["boxes"]
    scene = Scene((0.0, -p["gravity"]))
    for k in range(boxes):
        add_box(scene, p, (k + 0.5) * high, p["box"]["mu_slides"], solid=True)
    scene.floor(law(p, p["box"]["mu_slides"]))
    scene.start()
    scene.go(p["stack"]["duration"])
    force, height = scene.normal_forces()
    layer, top = np.round(height / high), scene.place(boxes - 1)[0]
    return {"stack: sag of the top": 1e6 * ((boxes - 0.5) * high - top[2]),
            "stack: drift of the top": 1e6 * math.hypot(top[0], top[1]),
            **{f"stack: force on layer {k}": force[layer == k].sum() for k in range(boxes)}}


def cradle(p, gap):
    c = p["cradle"]
    scene = Scene(step=0.0)
    for k in range(c["balls"]):
        body = scene.body(c["mass"], [0.4 * c["mass"] * c["radius"] ** 2] * 3, [k * (2 * c["radius"] + gap), 0.0, 0.0])
        scene.shape(body, drake.Sphere(c["radius"]), np.zeros(3), (c["stiffness"], 0.0, 0.0))
    scene.start({0: [0, 0, 0, c["speed"], 0, 0]})
    scene.go(0.02 if gap else 0.01)
    return np.array([scene.velocity(k)[1][0] for k in range(c["balls"])])


def values(p):
    return {**at_rest(p), **on_slope(p), **ball(p), **tumble(p), **stack(p),
            "apart": cradle(p, p["cradle"]["gap"]), "touching": cradle(p, 0.0)}
