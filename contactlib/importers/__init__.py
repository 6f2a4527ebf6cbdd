"""Scenes from models of robots: URDF, MJCF and SDF files become objects of a scene (docs/importing.md)."""

from contactlib.importers.importing import import_model
from contactlib.importers.parts import Geometry, Link, RobotModel

__all__ = ["Geometry", "Link", "RobotModel", "import_model"]
