"""Contact between bodies in space robotics: which bodies touch, how deep, with what force."""

from contactlib.cloud import CloudResult, press_points
from contactlib.contact_log import ContactLog
from contactlib.contact_model import ContactModel, ContactModelError, Contacts
from contactlib.contacts import ContactArray
from contactlib.elements import Membrane
from contactlib.ensemble import Ensemble, run_ensemble
from contactlib.geometry import Manifolds, manifolds, rim_nearest, rim_nearest_subdivision
from contactlib.mesh_checks import MeshWarning, SceneWarning
from contactlib.model import Model, Variable
from contactlib.rays import RayHits, cast_rays
from contactlib.results import BatchResult, DeepWarning, Result, StepWarning, Trajectory
from contactlib.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    MassProperties,
    Mesh,
    Plane,
    Point,
    Polyhedron,
    Segment,
    Socket,
    Sphere,
    Triangle,
)
from contactlib.simulation import Simulation
from contactlib.spec import Spec, load

__version__ = "0.1.0"

__all__ = [
    "BatchResult", "Box", "Capsule", "CloudResult", "ContactArray", "ContactLog", "ContactModel", "ContactModelError",
    "Contacts", "Cylinder", "DeepWarning", "Ellipsoid", "Ensemble", "Manifolds", "MassProperties", "Membrane", "Mesh",
    "MeshWarning", "Model", "Plane", "Point", "Polyhedron", "RayHits", "Result", "SceneWarning", "Segment",
    "Simulation", "Socket", "Spec", "Sphere", "StepWarning", "Trajectory", "Triangle", "Variable", "cast_rays", "load",
    "manifolds", "press_points", "rim_nearest", "rim_nearest_subdivision", "run_ensemble",
]
