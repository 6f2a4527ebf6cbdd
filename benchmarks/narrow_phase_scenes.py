"""The two scenes of narrow_phase.py: two rings of many primitives, and every pair of the table."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import contactlib
from benchmarks.common import Floats
from contactlib._core import engine
from contactlib.model.parts import Body, BodyShape, Law, Pair
from contactlib.model.spec import Spec
from contactlib.shapes.shapes import SHAPES
from tests.poses import poses_frames as frames
from tests.support import meshes

STIFFNESS, DAMPING, MU_STATIC, MU_KINETIC = 1e5, 1e3, 0.3, 0.2
SPRING = STIFFNESS, DAMPING
BRISTLE = MU_STATIC, MU_KINETIC, STIFFNESS, DAMPING
LAW = Law("touch", ("metal", "metal"), "kelvin_voigt", SPRING, "bristle", BRISTLE)
STEP = 1e-4  # s
SIZES: dict[str, dict[str, Any]] = {
    "sphere": {"radius": 0.05}, "segment": {"length": 0.1}, "capsule": {"radius": 0.02, "length": 0.1},
    "triangle": {"corners": ((-0.05, -0.05, 0.0), (0.06, -0.04, 0.0), (0.0, 0.06, 0.0))},
    "ellipsoid": {"semi_axes": (0.05, 0.04, 0.03)}, "box": {"size": (0.1, 0.08, 0.06)},
    "cylinder": {"radius": 0.04, "length": 0.1}, "socket": {"size": (0.2, 0.2, 0.15), "radius": 0.04, "length": 0.06},
}


def primitive(rng: np.random.Generator, k: int) -> Any:
    """Of ten: four balls, three capsules, two boxes, one polyhedron of 12 corners; 1 to 3 cm large."""
    size = rng.uniform(0.005, 0.01)
    if k % 10 < 4:
        return contactlib.Sphere(size)
    if k % 10 < 7:
        return contactlib.Capsule(size / 2, 2 * size)
    if k % 10 < 9:
        return contactlib.Box(tuple(size * rng.uniform(1, 2, 3)))
    return contactlib.Polyhedron(size * frames.directions(rng, 12))


def ring(rng: np.random.Generator, name: str, state: Floats, side: float) -> Body:
    """1000 primitives anywhere within a ring of 2 m, 10 cm wide and 6 cm high, on one side of z = 0."""
    angle, across, up = rng.uniform(0, 2 * np.pi, 1000), rng.uniform(0.95, 1.05, 1000), rng.uniform(0, 0.06, 1000)
    places = np.column_stack([across * np.cos(angle), across * np.sin(angle), side * up])
    shapes = tuple(BodyShape(f"{name}_{k}", primitive(rng, k), "metal", tuple(r), tuple(q))
                   for k, (r, q) in enumerate(zip(places, frames.quaternions(rng, 1000), strict=True)))
    return Body(name, shapes=shapes, state=tuple(state))


def at_rest(r: Any = (0, 0, 0), v: Any = (0, 0, 0), w: Any = (0, 0, 0)) -> Floats:
    return np.array([*r, 1, 0, 0, 0, *v, *w], dtype=np.float64)


@cache
def rings() -> contactlib.Model:
    """Two rings of 1000 primitives each, face to face, so close that 40 contacts or a few more hold them apart."""
    rng = np.random.default_rng(5)
    lower = ring(rng, "lower", at_rest(), -1.0)
    upper = ring(rng, "upper", at_rest(v=(0.02, 0, -0.02), w=(0, 0, 0.05)), 1.0)
    spec = Spec("rings", bodies=(lower, upper), laws=(LAW,), pairs=(Pair(("lower", "upper")),), step_size=STEP)
    simulation = contactlib.Simulation(spec.compile())
    heights = np.linspace(0.02, -0.02, 81)
    counts = simulation.compute_batch(np.array([[at_rest(), at_rest((0, 0, z))] for z in heights])).contact_count
    z = heights[np.argmax(counts >= 40)]
    upper = Body("upper", shapes=upper.shapes, state=(0.0, 0.0, float(z), *upper.state[3:]))
    return Spec("rings", bodies=(lower, upper), laws=(LAW,), pairs=spec.pairs, step_size=STEP).compile()


@cache
def every_pair() -> contactlib.Model:
    """Each pair of the table on two bodies of its own, half in each other, sliding and turning."""
    shapes: dict[str, Any] = {kind: make(**SIZES.get(kind, {})) for kind, make in SHAPES.items()
                              if kind not in ("polyhedron", "mesh")}
    shapes["polyhedron"] = contactlib.Polyhedron(0.05 * frames.directions(np.random.default_rng(7), 20))
    unit = meshes.icosphere(1)
    shapes["mesh"] = contactlib.Mesh(0.05 * unit.vertices, unit.triangles)
    kinds, bodies, pairs = engine.shape_kinds(), [], []
    for i, j in np.argwhere(engine.pair_table() > 0):
        names = f"a_{i}_{j}", f"b_{i}_{j}"
        states = at_rest((0.005, 0.003, 0.03), w=(0.5, 0.3, 0.1)), at_rest(v=(0.02, 0.01, 0.0))
        bodies += [Body(name, shapes=(BodyShape(name, shapes[kinds[k]], "metal"),), state=tuple(state))
                   for name, k, state in zip(names, (i, j), states, strict=True)]
        pairs.append(Pair(names))
    return Spec("pairs", bodies=tuple(bodies), laws=(LAW,), pairs=tuple(pairs), step_size=STEP).compile()
