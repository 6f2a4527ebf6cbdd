"""Solids that meet face to face: drops that must come to rest, elastic plates, discs and boxes that spin."""

import numpy as np

import contactlib
from tests.support import meshes
from tests.support.scenes import body, momentum, scene
from tests.surfaces.closed_paths import exponential, product

G = 9.81
KINDS = ("box", "prism", "disc", "mesh")


def mesh_table(mesh):
    return {"kind": "mesh", "vertices": mesh.vertices.tolist(), "triangles": mesh.triangles.tolist()}


def ring(radius, sides):
    angle = 2 * np.pi * np.arange(sides) / sides
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def solid(kind, radius, height, sides=5, cells=2):
    """A solid about the origin, its flat faces at z = -height/2 and height/2, which hold a circle of about `radius`."""
    if kind == "box":
        return {"kind": "box", "size": [2 * radius, 1.8 * radius, height]}
    if kind == "disc":
        return {"kind": "cylinder", "radius": radius, "length": height}
    if kind == "prism":
        outline = ring(radius / np.cos(np.pi / sides), sides)
        return {"kind": "polyhedron", "corners": [[*p, z] for z in (-height / 2, height / 2) for p in outline.tolist()]}
    cube = meshes.cube(1.0, cells)
    return mesh_table(meshes.Mesh(cube.vertices * [1.9 * radius, 2 * radius, height], cube.triangles))


def random_solid(rng, kind, radius):
    """A solid and its height."""
    height = radius * rng.uniform(0.4, 1.0)
    return solid(kind, radius, height, int(rng.integers(3, 9)), int(rng.integers(1, 3))), height


def skin(shape, **keys):
    return {"name": "skin", "material": "m", **shape, **keys}


def law_of(stiffness, damping, mu=None, **normal):
    """Kelvin-Voigt, and bristles as stiff as it."""
    friction = {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": stiffness,
                "tangential_damping": damping}
    return {"name": "touch", "materials": ["m", "m"], **({"friction": friction} if mu else {}),
            "normal": {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": damping, **normal}}


def turned(tilt, yaw):
    """Quaternion of a yaw about z, then a tilt (2,) about axes in the plane."""
    return product(exponential(np.array([[*tilt, 0.0]])), exponential(np.array([[0.0, 0.0, yaw]])))[0].tolist()


# ---- drops ---------------------------------------------------------------------------------------

REST_STEP, REST_TIME, ZETA, MU = 2e-4, 3.0, 0.1, 0.5


def drop(seed):
    """A random solid falls by some mm on another one, tilted and turned; the lower one is fixed, or free on a plane.

    Its centre of mass stays well inside the lower face. The damping ratio of what stands on a face is 0.1: of the upper
    solid on the lower one, and of both on the floor.
    """
    rng = np.random.default_rng(seed)
    upper_kind, lower_kind = rng.choice(KINDS, 2)
    radius, free = rng.uniform(0.08, 0.15), bool(rng.integers(2))
    lower, low = random_solid(rng, lower_kind, radius)
    upper, high = random_solid(rng, upper_kind, radius * rng.uniform(0.5, 1.0))
    tilt = rng.uniform(-0.05, 0.05, 2)
    gap = 1.5 * radius * np.abs(tilt).sum() + rng.uniform(0, 0.005)
    state = {"r": [*rng.uniform(-0.3, 0.3, 2) * radius, (low + high) / 2 + gap], "q": turned(tilt, rng.uniform(0, 6.3))}
    bodies = [body("upper", "free", [skin(upper, density=1000.0)], state=state),
              body("lower", "free" if free else "fixed", [skin(lower, density=1000.0)]),
              body("floor", "fixed", [skin({"kind": "plane"}, material="floor")], state={"r": [0.0, 0.0, -low / 2]})]
    pairs = [["upper", "lower"], *([["lower", "floor"]] if free else [])]
    laws = [_standing(masses, materials) for masses, materials in ((bodies[:1], "mm"), (bodies[:2], ["m", "floor"]))]
    return contactlib.Simulation(scene(bodies, laws, pairs, gravity=[0.0, 0.0, -G], step_size=REST_STEP).compile())


def _standing(bodies, materials):
    """The law of materials between which these bodies stand on a face."""
    mass = sum(one.mass_properties().mass for one in scene(bodies, [], []).bodies)
    stiffness = mass * 400.0**2  # they sink by g/400^2 = 61 um
    law = law_of(stiffness, 2 * ZETA * np.sqrt(stiffness * mass), MU)
    return {**law, "name": "_on_".join(materials), "materials": list(materials)}


def speed_at_rest(simulation):
    """The largest speed or spin (m/s, rad/s) of the last 20 ms of 3 s."""
    simulation.data.advance(REST_TIME - 0.02)
    fastest = 0.0
    for _ in range(20):
        simulation.data.advance(1e-3)
        fastest = max(fastest, np.abs(simulation.states[:, 7:]).max())
    return fastest


# ---- plates --------------------------------------------------------------------------------------


def plates(seed, step):
    """Two free plates that meet face to face at 5 cm/s, nearly parallel, elastic, frictionless; their Spec."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(KINDS, 2)
    lower, upper = (solid(kind, 0.3, 0.1, int(rng.integers(3, 9)), int(rng.integers(1, 5))) for kind in kinds)
    angle = rng.uniform(0, 2 * np.pi)
    tilt = 1e-3 * rng.uniform(0.2, 1.0) * np.array([np.cos(angle), np.sin(angle)])
    yaw = rng.uniform(0, np.pi) if rng.integers(2) else 0.0
    state = {"r": [*rng.uniform(-0.15, 0.15, 2), 0.1014], "q": turned(tilt, yaw),
             "v": [rng.uniform(-0.005, 0.005), 0.0, -0.05]}
    bodies = [body("upper", "free", [skin(upper, density=1000.0)], state=state),
              body("lower", "free", [skin(lower, density=1000.0)])]
    return scene(bodies, [law_of(1e6, 0.0)], [["upper", "lower"]], step_size=step, integrator="rk4")


def energy_change(seed, step=1e-4, longest=1.0):
    """Kinetic energy after the plates have parted over that before, less 1; NaN if they never part."""
    spec = plates(seed, step)
    simulation = contactlib.Simulation(spec.compile())
    before, touched, apart = momentum(spec, simulation.states)[2], False, 0
    for _ in range(round(longest / 5e-3)):
        simulation.data.advance(5e-3)
        touching = simulation.data.contact_count > 0
        touched |= touching
        apart = 0 if touching else apart + 1
        if touched and apart > 20:  # 0.1 s without contact: they may rock and meet again
            return momentum(spec, simulation.states)[2] / before - 1
    return np.nan


# ---- spin ----------------------------------------------------------------------------------------

SPINNERS = {  # a solid, and its friction moment over mu m g
    "disc": ({"kind": "cylinder", "radius": 0.1, "length": 0.05}, 2 / 3 * 0.1),
    "box": ({"kind": "box", "size": [0.2, 0.2, 0.05]}, 0.3825978 * 0.2),  # mean distance from the centre of a square
}
BELOW = {"r": [0.0, 0.0, -0.1]}
GROUNDS = {"plane": {"kind": "plane"}, "box": {"kind": "box", "size": [1.0, 1.0, 0.2], **BELOW},
           "mesh": {**solid("mesh", 0.5, 0.2, cells=6), **BELOW}}


def spin_moment(name, ground, mu=0.3):
    """The friction moment of a solid that spins on its face, over its closed form."""
    shape, arm = SPINNERS[name]
    stiffness, density = 1e6, 1000.0
    alone = scene([body("top", "free", [skin(shape, density=density)])], [], []).bodies[0].mass_properties()
    sunk = alone.mass * G / stiffness
    state = {"r": [0.0, 0.0, 0.025 - sunk], "w": [0.0, 0.0, 20.0]}
    bodies = [body("top", "free", [skin(shape, density=density)], state=state),
              body("ground", "fixed", [skin(GROUNDS[ground])])]
    law = law_of(stiffness, 2 * ZETA * np.sqrt(stiffness * alone.mass), mu)
    tables = scene(bodies, [law], [["top", "ground"]], gravity=[0.0, 0.0, -G], step_size=1e-4)
    simulation = contactlib.Simulation(tables.compile())
    spins = []
    for _ in range(2):
        simulation.data.advance(0.1)
        spins.append(simulation.states[0, 12])
    return alone.inertia[2, 2] * (spins[0] - spins[1]) / 0.1 / (arm * mu * alone.mass * G)
