"""The scenes in Exudyn (pip install exudyn): spheres with triangles and spheres, by GeneralContact.

Exudyn's contact is that of spheres: boxes stand on small balls in their lower corners, on triangles. Its springs and
dampers are those of the scenes; friction is regularised: proportional to the sliding velocity up to `ZONE`.
"""

from __future__ import annotations

import math

import exudyn
import numpy as np
from exudyn import itemInterface as items
from exudyn import utilities as tools

STEP, ZONE, FOOT = 1e-4, 1e-3, 1e-3  # s, m/s, m
CUBE = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
TRIANGLES = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6],
             [0, 6, 4], [1, 7, 3], [1, 5, 7]]


class Scene:
    """A system with free bodies and one GeneralContact. Two surfaces are springs in a row, and dampers side by side."""

    def __init__(self, gravity, law, zone=ZONE):
        self.container = exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        self.gravity, (self.k, self.c, mu) = gravity, law
        self.contact = self.system.AddGeneralContact()
        self.contact.verboseMode = 0
        self.contact.SetFrictionPairings(np.array([[mu]]))
        self.contact.frictionProportionalZone = zone
        self.contact.excludeDuplicatedTrigSphereContactPoints = True
        self.contact.SetSearchTreeCellSize([10, 10, 4])
        self.contact.SetSearchTreeBox([-3, -3, -1], [3, 3, 1])
        self.ground = self.system.AddObject(items.ObjectGround())
        self.nodes = []

    def floor(self):
        marker = self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=self.ground))
        corners = [[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]]
        self.contact.AddTrianglesRigidBodyBased(marker, 2 * self.k, 0.5 * self.c, 0, corners, [[0, 1, 2], [0, 2, 3]])

    def body(self, mass, inertia, at, v=(0, 0, 0), w=(0, 0, 0)):
        rigid = tools.RigidBodyInertia(mass=mass, inertiaTensor=np.diag(inertia))
        made = self.system.CreateRigidBody(
            inertia=rigid, referencePosition=at, initialVelocity=list(v), initialAngularVelocity=list(w),
            gravity=[self.gravity[0], 0, self.gravity[1]], nodeType=exudyn.NodeType.RotationRotationVector,
            returnDict=True)
        self.nodes.append(made["nodeNumber"])
        return made["bodyNumber"]

    def ball(self, body, at, radius):
        marker = self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=at))
        self.contact.AddSphereWithMarker(marker, radius, 2 * self.k, 0.5 * self.c, 0)

    def go(self, duration, step=STEP, solver=exudyn.DynamicSolverType.RK44):
        self.system.Assemble()
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(duration / step)
        settings.timeIntegration.endTime = duration
        settings.timeIntegration.verboseMode = 0
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = duration / 2
        self.system.SolveDynamic(settings, solverType=solver)

    def state(self, k, what):
        return np.array(self.system.GetNodeOutput(self.nodes[k], getattr(exudyn.OutputVariableType, what)))

    def force(self, k, mass):
        """Vertical contact force on a body: mass times acceleration, less gravity."""
        return mass * (self.state(k, "Acceleration")[2] - self.gravity[1])


def law(p, mu):
    return p["contact"]["stiffness"], p["contact"]["damping"], mu


def one_box(p, gravity, mu, speed=0.0):
    scene = Scene(gravity, law(p, mu))
    a, b, c = (0.5 * side for side in p["box"]["size"])
    scene.floor()
    body = scene.body(p["box"]["mass"], p["box"]["inertia"], [0, 0, c], [speed, 0, 0])
    for x, y in ((a, b), (a, -b), (-a, b), (-a, -b)):
        scene.ball(body, [x, y, FOOT - c], FOOT)
    return scene


def at_rest(p):
    scene = one_box(p, (0.0, -p["gravity"]), p["box"]["mu_slides"])
    scene.go(p["box"]["duration"])
    return {"rest: sag": 1e6 * (0.5 * p["box"]["size"][2] - scene.state(0, "Position")[2]),
            "rest: force": scene.force(0, p["box"]["mass"])}


def on_slope(p):
    a, whole = p["slope"], p["box"]["duration"]
    gravity = p["gravity"] * math.sin(a), -p["gravity"] * math.cos(a)
    ends = []
    for duration in (0.5 * whole, whole):
        scene = one_box(p, gravity, p["box"]["mu_sticks"])
        scene.go(duration)
        ends.append(scene.state(0, "Position")[0])
    found = {"slope: creep": 1e6 * (ends[1] - ends[0]) / (0.5 * whole)}
    scene = one_box(p, gravity, p["box"]["mu_slides"])
    scene.go(whole)
    found["slope: speed"] = scene.state(0, "Velocity")[0]
    scene = one_box(p, (0.0, -p["gravity"]), p["box"]["mu_slides"], p["box"]["thrown"])
    scene.go(whole)
    return {**found, "thrown: distance": scene.state(0, "Position")[0]}


def ball(p):
    b = p["ball"]
    scene = Scene((0.0, -p["gravity"]), law(p, b["mu"]))
    scene.floor()
    inertia = [0.4 * b["mass"] * b["radius"] ** 2] * 3
    scene.ball(scene.body(b["mass"], inertia, [0, 0.2, b["radius"]], [b["speed"], 0, 0]), [0, 0, 0], b["radius"])
    scene.go(b["duration"])
    return {"ball: speed": scene.state(0, "Velocity")[0], "ball: distance": scene.state(0, "Position")[0],
            "ball: speed of the rim": b["radius"] * scene.state(0, "AngularVelocity")[1]}


def tumble(p):
    t = p["tumble"]
    scene = Scene((0.0, 0.0), (1.0, 0.0, 0.0))
    scene.body(t["mass"], t["inertia"], [0, 0, 0], w=t["spin"])
    scene.go(t["duration"], 1e-3)
    R, w_B = scene.state(0, "RotationMatrix").reshape(3, 3), scene.state(0, "AngularVelocityLocal")
    inertia, start = np.array(t["inertia"]), np.array(t["spin"])
    first = inertia * start
    return {"tumble: attitude": R[1, 1],
            "tumble: energy": 1e9 * ((inertia * w_B**2).sum() / (inertia * start**2).sum() - 1),
            "tumble: momentum": 1e9 * np.linalg.norm(R @ (inertia * w_B) - first) / np.linalg.norm(first)}


def stack(p):
    high, boxes = p["box"]["size"][2], p["stack"]["boxes"]
    scene = Scene((0.0, -p["gravity"]), law(p, p["box"]["mu_slides"]))
    scene.floor()
    sides = 0.5 * np.array(p["box"]["size"])
    for k in range(boxes):
        body = scene.body(p["box"]["mass"], p["box"]["inertia"], [0, 0, (k + 0.5) * high])
        marker = scene.system.AddMarker(items.MarkerBodyRigid(bodyNumber=body))
        scene.contact.AddTrianglesRigidBodyBased(marker, 2 * scene.k, 0.5 * scene.c, 0, (sides * CUBE).tolist(),
                                                 TRIANGLES)
        for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            scene.ball(body, [x * (sides[0] - 0.01), y * (sides[1] - 0.015), FOOT - sides[2]], FOOT)
    scene.go(p["stack"]["duration"])
    top = scene.state(boxes - 1, "Position")
    on = [scene.force(k, p["box"]["mass"]) for k in range(boxes)]  # what is below a box less what is above it
    return {"stack: sag of the top": 1e6 * ((boxes - 0.5) * high - top[2]),
            "stack: drift of the top": 1e6 * math.hypot(top[0], top[1]),
            **{f"stack: force on layer {k}": sum(on[k:]) for k in range(boxes)}}


def cradle(p, gap):
    c = p["cradle"]
    scene = Scene((0.0, 0.0), (c["stiffness"], 0.0, 0.0))
    inertia = [0.4 * c["mass"] * c["radius"] ** 2] * 3
    for k in range(c["balls"]):
        body = scene.body(c["mass"], inertia, [k * (2 * c["radius"] + gap), 0, 0], [0.0 if k else c["speed"], 0, 0])
        scene.ball(body, [0, 0, 0], c["radius"])
    scene.go(0.02 if gap else 0.01, 1e-6)
    return np.array([scene.state(k, "Velocity")[0] for k in range(c["balls"])])


def values(p):
    return {**at_rest(p), **on_slope(p), **ball(p), **tumble(p), **stack(p),
            "apart": cradle(p, p["cradle"]["gap"]), "touching": cradle(p, 0.0)}
