"""Geometry from files."""

from contactlib.importers.check import Finding, MeshReport, check_mesh
from contactlib.importers.mesh import load_mesh
from contactlib.importers.repair import repair_mesh

__all__ = ["Finding", "MeshReport", "check_mesh", "load_mesh", "repair_mesh"]
