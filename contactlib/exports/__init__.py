"""Exports of result files for other tools: glTF with animation, VTK series (docs/results.md)."""

from contactlib.exports.gltf import write_gltf
from contactlib.exports.vtk import write_vtk

__all__ = ["write_gltf", "write_vtk"]
