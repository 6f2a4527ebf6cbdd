"""Contact between bodies in space robotics: which bodies touch, how deep, with what force."""

from contactlib.geometry import Manifolds, manifolds, rim_nearest, rim_nearest_subdivision
from contactlib.model import Model, Variable
from contactlib.shapes import Box, Capsule, MassProperties, Plane, Point, Socket, Sphere
from contactlib.simulation import BatchResult, Result, Simulation, Trajectory
from contactlib.spec import Spec, load

__version__ = "0.1.0"

__all__ = [
    "BatchResult", "Box", "Capsule", "Manifolds", "MassProperties", "Model", "Plane", "Point", "Result", "Simulation",
    "Socket", "Spec", "Sphere", "Trajectory", "Variable", "load", "manifolds", "rim_nearest",
    "rim_nearest_subdivision",
]
