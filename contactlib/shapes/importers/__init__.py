"""Reads, checks and repairs meshes from files."""

from contactlib.shapes.importers.check import Finding, MeshReport, check_mesh
from contactlib.shapes.importers.mesh import load_mesh
from contactlib.shapes.importers.repair import repair_mesh

__all__ = ["Finding", "MeshReport", "check_mesh", "load_mesh", "repair_mesh"]
