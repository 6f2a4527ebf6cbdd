"""Contact between bodies in space robotics: which bodies touch, how deep, with what force."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from contactlib.elements.membrane import Membrane
from contactlib.model.mesh_checks import MeshWarning, SceneWarning
from contactlib.model.model import Model, Variable
from contactlib.model.spec import Spec, load
from contactlib.model.user_law import ContactModel, ContactModelError, Contacts
from contactlib.shapes.cones import cone
from contactlib.shapes.heights import height_field
from contactlib.shapes.mass import MassProperties
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Point, Segment, Socket, Sphere, Triangle
from contactlib.simulation.contact_log import ContactLog
from contactlib.simulation.contacts import ContactArray
from contactlib.simulation.distances import Distances, distances
from contactlib.simulation.ensemble import Ensemble, run_ensemble
from contactlib.simulation.manifolds import Manifolds, manifolds, rim_nearest, rim_nearest_subdivision
from contactlib.simulation.patches import ContactPatches
from contactlib.simulation.point_contacts import PointContactsResult, press_points
from contactlib.simulation.rays import RayHits, cast_rays
from contactlib.simulation.results import BatchResult, DeepWarning, Result, StepReport, StepWarning, Trajectory
from contactlib.simulation.simulation import Simulation
from contactlib.simulation.vector_simulation import VectorSimulation, WorldError

if TYPE_CHECKING:
    from contactlib.results import IncompleteWarning, ResultError, ResultWriter, read_result
    from contactlib.results.record import record

__version__ = "0.1.0"

__all__ = [
    "BatchResult", "Box", "Capsule", "ContactArray", "ContactLog", "ContactModel", "ContactModelError",
    "ContactPatches", "Contacts", "Cylinder", "DeepWarning", "Distances", "Ellipsoid", "Ensemble", "IncompleteWarning",
    "Manifolds", "MassProperties", "Membrane", "Mesh", "MeshWarning", "Model", "Plane", "Point", "PointContactsResult",
    "Polyhedron", "RayHits", "Result", "ResultError", "ResultWriter", "SceneWarning", "Segment", "Simulation", "Socket",
    "Spec", "Sphere", "StepReport", "StepWarning", "Trajectory", "Triangle", "Variable", "VectorSimulation",
    "WorldError", "cast_rays", "cone", "distances", "height_field", "load", "manifolds", "press_points", "read_result",
    "record", "rim_nearest", "rim_nearest_subdivision", "run_ensemble",
]

#: imported at their first use: a tenth of the time to import the package
_MODULES = ("pcm", "results")
_OF_RESULTS = ("IncompleteWarning", "ResultError", "ResultWriter", "read_result", "record")


def __getattr__(name: str) -> Any:
    """Import what only some programs use: result files and .pcm files."""
    if name in _MODULES:
        return import_module(f"contactlib.{name}")
    if name not in _OF_RESULTS:
        raise AttributeError(f"module 'contactlib' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module("contactlib.results"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_OF_RESULTS})
