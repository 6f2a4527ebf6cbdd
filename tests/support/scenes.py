"""Small scenes for tests, written as tables and read like any TOML, and the momentum of what moves in them."""

from math import cos, pi, sin

import numpy as np

import contactlib
from contactlib.shapes import quaternion

BRISTLE = {"kind": "bristle", "mu_static": 0.4, "mu_kinetic": 0.3, "tangential_stiffness": 1e5,
           "tangential_damping": 10.0}


def body(name, motion="free", shapes=(), **keys):
    return {"name": name, "motion": motion, "shape": list(shapes), **keys}


def law(name, materials, normal, friction=None):
    return {"name": name, "materials": materials, "normal": normal, **({"friction": friction} if friction else {})}


def scene(bodies, laws, pairs, elements=None, **options):
    return contactlib.Spec.from_dict({
        "scene": {"name": "test", **options},
        "body": bodies, "law": laws, "pair": [{"bodies": pair} for pair in pairs], **(elements or {}),
    })


def two_free_bodies(friction, integrator="semi_implicit_euler", normal=None, offset=0.0, drift=0.0):
    """A capsule thrown at a box, both free, centres of mass off their origins, spinning."""
    rod = body("rod", "free", mass=2.0, inertia=[0.02, 0.03, 0.01], com=[0.01, -0.02, 0.03],
               shapes=[{"name": "capsule", "kind": "capsule", "radius": 0.05, "length": 0.4, "material": "a"}],
               state={"r": [0.05 + offset, 0.02, 0.5], "q": [0.9689124217106447, 0.0, 0.24740395925452294, 0.0],
                      "v": [0.1 + drift, 0.0, -1.0], "w": [0.5, -1.0, 2.0]})
    block = body("block", "free", mass=5.0, inertia=[0.1, 0.2, 0.15], com=[0.0, 0.02, -0.01],
                 shapes=[{"name": "box", "kind": "box", "size": [0.6, 0.5, 0.4], "material": "b"}],
                 state={"r": [offset, 0.0, 0.0], "v": [drift, 0.0, 0.0], "w": [0.1, 0.2, -0.3]})
    normal = normal or {"kind": "hunt_crossley", "stiffness": 1e6, "exponent": 1.5, "damping": 0.3}
    return scene([rod, block], [law("touch", ["a", "b"], normal, friction)], [["rod", "block"]], step_size=1e-4,
                 integrator=integrator)


def momentum(spec, states):
    """Linear momentum, angular momentum about the world's origin, kinetic energy."""
    P, L, E = np.zeros(3), np.zeros(3), 0.0
    for part, s in zip(spec.bodies, states, strict=True):
        properties = part.mass_properties()
        R = quaternion.rotation_matrix(s[3:7])
        c = R @ properties.com
        v, w = s[7:10] + np.cross(s[10:13], c), s[10:13]
        spin = R @ properties.inertia @ R.T @ w
        P += properties.mass * v
        L += np.cross(s[:3] + c, properties.mass * v) + spin
        E += 0.5 * properties.mass * v @ v + 0.5 * w @ spin
    return P, L, E


# a frame of six points on a circle of 2 m, plane and counter-clockwise seen from above
HEXAGON = [[2.0 * cos(k * pi / 3), 2.0 * sin(k * pi / 3), 0.0] for k in range(6)]


def net(**keys):
    return {"name": "net", "body": "rock", "suspension_points": HEXAGON, "stiffness": 300.0, "damping": 15.0,
            "friction": {"stone": 0.3}, **keys}


def caught_box(carrier=None, motion="free", keys=None, **options):
    """A turning box that sinks into a membrane: on the world, or on a ring that is moved as `carrier` says."""
    rock = body("rock", motion, [{"name": "hull", "kind": "box", "size": [1.0, 0.8, 0.6], "material": "stone"}],
                mass=50.0, inertia=[4.0, 5.0, 6.0], com=[0.02, -0.01, 0.03],
                state={"r": [0.1, 0.2, 0.35], "q": [0.8, 0.0, 0.6, 0.0], "v": [0.1, 0.0, -1.5], "w": [0.5, 1.0, -0.2]})
    ring = body("ring", carrier, mass=200.0, inertia=[90.0, 80.0, 70.0], com=[0.0, 0.0, -0.2],
                state={"r": [0.05, 0.0, 0.02], "v": [0.0, 0.1, 0.2], "w": [0.05, -0.1, 0.2]}) if carrier else None
    keys = {**({"carrier": "ring"} if carrier else {}), **(keys or {})}
    return scene([rock, *([ring] if ring else [])], [], [], {"membrane": [net(**keys)]},
                 **{"step_size": 2e-3, "duration": 0.5, **options})
