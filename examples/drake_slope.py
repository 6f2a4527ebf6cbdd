"""A block that sticks on a slope in Drake, with contactlib's friction and with Drake's.

    python examples/drake_slope.py

Drake moves the block, in a discrete plant at steps of 5 ms. The slope is horizontal, and gravity is turned by 10
degrees. Drake regularises friction: below its limit a body slides with up to the stiction tolerance, 1 mm/s. For
Drake's own contact the block has four round feet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
from pydrake.geometry import HalfSpace, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from contactlib import Spec
from contactlib.adapters.drake import DrakeContact
from panels import Panel, draw

G, SLOPE, SIZE = 9.80665, math.radians(10.0), (0.2, 0.2, 0.1)
SCENE: dict[str, Any] = {
    "scene": {"name": "slope", "step_size": 1e-4},
    "body": [
        {"name": "block", "shape": [{"name": "box", "kind": "box", "size": SIZE, "material": "steel"}]},
        {"name": "slope", "motion": "fixed", "shape": [{"name": "plane", "kind": "plane", "material": "steel"}]},
    ],
    "law": [{
        "name": "steel", "materials": ["steel", "steel"],
        "normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3},
        "friction": {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e5,
                     "tangential_damping": 1e3},
    }],
    "pair": [{"bodies": ["block", "slope"]}],
}


def drift(contact: bool, step: float = 5e-3) -> float:
    """Speed (m/s) of the block over the last 5 of 10 s, with contactlib's contact or with Drake's own."""
    first, last = path(contact, (5.0, 10.0), step)
    return float(np.linalg.norm(last - first) / 5.0)


def path(contact: bool, times: Iterable[float], step: float = 5e-3) -> np.ndarray:
    """Positions (T, 3) of the block at the given times (s), m."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, step)
    block = plant.AddRigidBody("block", SpatialInertia(10.0, np.zeros(3), UnitInertia.SolidBox(*SIZE)))
    plant.SetDefaultFloatingBaseBodyPose(block, RigidTransform([0.0, 0.0, 0.05]))
    plant.mutable_gravity_field().set_gravity_vector([G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE)])
    if not contact:
        rough = CoulombFriction(0.5, 0.5)
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "slope", rough)
        for k, (x, y) in enumerate(product((-0.09, 0.09), repeat=2)):  # one point of contact each
            plant.RegisterCollisionGeometry(block, RigidTransform([x, y, -0.04]), Sphere(0.01), f"foot_{k}", rough)
    plant.Finalize()
    if contact:
        DrakeContact.add_to(builder, plant, Spec.from_dict(SCENE))
    simulator = Simulator(builder.Build())
    places = []
    for time in times:
        simulator.AdvanceTo(time)
        places.append(plant.GetPositions(plant.GetMyContextFromRoot(simulator.get_context()))[4:7].copy())
    return np.array(places)


def main() -> None:
    for name, contact in (("contactlib", True), ("Drake", False)):
        print(f"{name:10}: the block creeps with {1e6 * drift(contact):.2g} um/s")
    times = np.linspace(0.1, 10.0, 100)
    paths = {name: path(contact, times) for name, contact in (("contactlib", True), ("Drake", False))}
    draw("drake_slope", Panel("A block on a slope of 10 degrees, mu 0.5", "time  [s]", "path since 0.1 s  [um]", {
        name: (times, 1e6 * np.linalg.norm(places - places[0], axis=1)) for name, places in paths.items()}))


if __name__ == "__main__":
    main()
