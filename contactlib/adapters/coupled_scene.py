"""A scene for a simulator: the bodies that it moves are external, with its masses and with mean wrenches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from numpy.typing import ArrayLike

from contactlib.common import tables
from contactlib.model.parts import Body
from contactlib.model.spec import Spec
from contactlib.shapes.mass import MassProperties
from contactlib.simulation.simulation import Simulation

Masses = Mapping[str, MassProperties | None]


def coupled_scene(spec: Spec, masses: Masses, coupling: str = "gauss_seidel") -> Spec:
    """Return the scene with its bodies moved by a simulator.

    Parameters
    ----------
    spec : the scene.
    masses : for each body that the simulator moves its mass properties (kg, m, kg m2, body axes), or None for a body
        whose motion no contact changes, such as the world.
    coupling : order of stepping, as in docs/coupling.md; "gauss_seidel": the contact steps before the bodies. It needs
        a body with a mass; without one the scene gets "none".

    Raises ValueError for a body of `masses` that the scene has not.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("peg_in_hole")
    >>> coupled = coupled_scene(spec, {"interface": spec.body("interface").mass_properties(), "target": None})
    >>> coupled.coupling, coupled.body("target").mass
    ('gauss_seidel', None)
    """
    known = [body.name for body in spec.bodies]
    for name in masses:
        if name not in known:
            raise ValueError(f"the scene '{spec.name}' has no body '{name}'; {tables.hint(name, known)}")
    bodies = tuple(_moved(body, masses[body.name]) if body.name in masses else body for body in spec.bodies)
    predicted = any(mass is not None for mass in masses.values())
    return replace(spec, bodies=bodies, coupling=coupling if predicted else "none", resolve_in="world",
                   wrench_output="mean")


def _moved(body: Body, properties: MassProperties | None) -> Body:
    """The body as an external one with these mass properties; without them, contact does not change its motion."""
    if properties is None:
        shapes = tuple(replace(shape, density=None) for shape in body.shapes)
        return replace(body, motion="external", mass=None, com=None, inertia=None, shapes=shapes)
    inertia = tuple(tuple(map(float, row)) for row in properties.inertia)
    return replace(body, motion="external", mass=float(properties.mass), inertia=inertia,
                   com=tuple(map(float, properties.com)))


def restart(simulation: Simulation) -> None:
    """Return to the initial state of the scene, without contact memory; parameters keep their values.

    >>> import contactlib
    >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    >>> simulation.set("pin_hole.stiffness", 1e5)
    >>> _ = simulation.step(0.01)
    >>> restart(simulation)
    >>> simulation.time, simulation.get("pin_hole.stiffness")
    (0.0, 100000.0)
    """
    values = parameters(simulation)
    simulation.reset()
    simulation.set(values)


def parameters(simulation: Simulation) -> dict[str, ArrayLike]:
    """Return the values of all tunable parameters, by name."""
    return {row.name: simulation.get(row.name) for row in simulation.model.variables if row.tunable}


def mass_values(name: str, properties: MassProperties) -> dict[str, ArrayLike]:
    """Return mass properties (kg, m, kg m2, body axes) of a body as values for `Simulation.set`.

    >>> import contactlib
    >>> values = mass_values("peg", contactlib.load("peg_in_hole").body("interface").mass_properties())
    >>> values["peg.mass"], values["peg.inertia"]
    (10.0, [0.2667, 0.2667, 0.2667, 0.0, 0.0, 0.0])
    """
    inertia = properties.inertia
    elements = [float(inertia[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return {f"{name}.mass": properties.mass, f"{name}.com": properties.com, f"{name}.inertia": elements}


def linked_bodies(spec: Spec, known: Iterable[str], bodies: Mapping[str, str], simulator: str) -> dict[str, str]:
    """Return the simulator's body for each body of the scene that it moves, by name.

    `known` are the names of the simulator's bodies. `bodies` gives names that differ: scene's body to simulator's body.
    All other bodies are linked if both names are equal, with "_" for what a name of a scene cannot have.

    Raises ValueError for an unknown name, and for an external body of the scene that no body of the simulator moves.

    >>> import contactlib
    >>> linked_bodies(contactlib.load("peg_in_hole"), ["target", "arm/hand"], {"interface": "arm/hand"}, "MjModel")
    {'interface': 'arm/hand', 'target': 'target'}
    """
    theirs = list(known)
    ours = [body.name for body in spec.bodies]
    for name, their in bodies.items():
        if name not in ours:
            raise ValueError(f"bodies: the scene '{spec.name}' has no body '{name}'; {tables.hint(name, ours)}")
        if their not in theirs:
            raise ValueError(f"bodies['{name}'] = '{their}': the {simulator} has no such body; "
                             f"{tables.hint(their, theirs)}")
    same = {tables.as_name(name): name for name in theirs}
    links = {name: bodies.get(name) or same[name] for name in ours if name in bodies or name in same}
    for body in spec.bodies:
        if body.motion == "external" and body.name not in links:
            raise ValueError(f"body '{body.name}' of the scene '{spec.name}' is external, and the {simulator} has no "
                             f"body of that name: name one in bodies, such as {{'{body.name}': '{theirs[-1]}'}}; "
                             f"{tables.hint(body.name, theirs)}")
    return links
