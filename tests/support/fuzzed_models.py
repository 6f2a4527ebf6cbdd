"""The models whose files and saved states the fuzz damages: every shape, law and element, in touch."""

import dataclasses

import contactlib
from contactlib.model import parts
from tests.support.coupled import balls
from tests.support.every_element import SPECS, membranes, running
from tests.support.scenes import body, law, scene


def everything():
    """A scene with every shape, every law, free, fixed and external bodies, in touch with each other."""
    shapes = [
        {"kind": "point"},
        {"kind": "sphere", "radius": 0.1},
        {"kind": "capsule", "radius": 0.02, "length": 0.1},
        {"kind": "box", "size": [0.1, 0.2, 0.3], "q": [0.6, 0.8, 0.0, 0.0]},
        {"kind": "segment", "length": 0.1},
        {"kind": "triangle", "corners": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]},
        {"kind": "ellipsoid", "semi_axes": [0.1, 0.05, 0.02]},
        {"kind": "cylinder", "radius": 0.02, "length": 0.1},
        {"kind": "polyhedron", "corners": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]},
        {"kind": "mesh", "vertices": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
         "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]},
    ]
    shapes = [{"name": f"s{i}", "material": "a", **shape} for i, shape in enumerate(shapes)]
    hole = {"kind": "socket", "size": [0.2, 0.2, 0.2], "radius": 0.03, "length": 0.1}
    top = {"name": "p", "material": "c", "kind": "plane"}
    mass = {"mass": 2.0, "inertia": [0.1, 0.2, 0.3], "com": [0.01, 0.0, 0.0]}
    bodies = [
        body("free", "free", shapes, **mass, state={"r": [0.0, 0.0, 0.05], "v": [0.1, 0.0, -0.1]}),
        body("hand", "external", [{"name": "h", "material": "b", **hole}], state={"r": [0.001, 0.0, 0.0]}),
        body("floor", "fixed", [top]),
    ]
    bristle = {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.4, "tangential_stiffness": 1e4,
               "tangential_damping": 1.0}
    coulomb = {"kind": "coulomb", "mu_static": 0.5, "mu_kinetic": 0.4, "slip_velocity": 1e-3}
    line = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0}
    hertz = {"kind": "hunt_crossley", "stiffness": 1e4, "exponent": 1.5, "damping": 0.1}
    curve = {"kind": "curve", "depth": [0.01, 0.1], "force": [10.0, 300.0], "damping": 0.1}
    laws = [law("one", ["a", "b"], line, bristle), law("two", ["a", "c"], hertz, coulomb),
            law("three", ["b", "c"], curve)]
    spec = scene(bodies, laws, [], resolve_in="body", integrator="rk4", gravity=[0.0, 0.0, -9.81])
    pairs = parts.Pair(("free", "hand")), parts.Pair(("free", "floor"))
    return dataclasses.replace(spec, pairs=pairs)


MODELS = {
    "everything": everything().compile(),
    "peg_in_hole": contactlib.load("peg_in_hole").compile(),
    "membranes": membranes().compile(),
    "coupled": balls("jacobi").compile(),
}
EVERY_MODEL = {**{name: spec().compile() for name, spec in SPECS.items()}, **MODELS}


def touching(name):
    """A simulation of one of EVERY_MODEL in the middle of what it does."""
    if name in SPECS:
        return running(name, EVERY_MODEL[name])
    simulation = contactlib.Simulation(MODELS[name])
    states = {"peg_in_hole": {"interface": {"r": (0.0, 0.0003, 0.03)}}, "coupled": {"one": {"r": (-0.43, 0.0, 0.0)}}}
    simulation.compute(states.get(name))
    for _ in range(3):
        simulation.step(1e-3)
    assert len(simulation.contacts) >= (1 if name == "coupled" else 2)  # two balls have no more
    return simulation
