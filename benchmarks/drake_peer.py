"""Drake's hydroelastic contact of two plates, one compliant and one rigid, face on face, if Drake is AVAILABLE."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

import numpy as np

import contactlib
from benchmarks.common import Floats

AVAILABLE = importlib.util.find_spec("pydrake") is not None


def _as_obj(mesh: contactlib.Mesh) -> str:
    corners = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in np.asarray(mesh.vertices).tolist())
    return corners + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in np.asarray(mesh.triangles).tolist())


def _as_vtk(mesh: contactlib.Mesh) -> str:
    """A plate as tetrahedra, one for each triangle, which meet in its middle: the fewest that its surface allows."""
    corners, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    points = np.vstack([corners, (corners.min(axis=0) + corners.max(axis=0)) / 2])
    cells = np.column_stack([triangles[:, ::-1], np.full(len(triangles), len(corners))])
    lines = ["# vtk DataFile Version 3.0", "plate", "ASCII", "DATASET UNSTRUCTURED_GRID",
             f"POINTS {len(points)} double",
             *(f"{x!r} {y!r} {h!r}" for x, y, h in points.tolist()), f"CELLS {len(cells)} {5 * len(cells)}",
             *("4 " + " ".join(map(str, cell)) for cell in cells.tolist()), f"CELL_TYPES {len(cells)}",
             *["10"] * len(cells)]
    return "\n".join(lines) + "\n"


class Plates:
    """A fine rigid plate over a compliant one in Drake. It holds the context that the query reads."""

    def __init__(self, upper: contactlib.Mesh, lower: contactlib.Mesh, position: Floats) -> None:
        from pydrake import geometry
        from pydrake.math import RigidTransform

        self.scene = scene = geometry.SceneGraph()
        source = scene.RegisterSource("plates")
        frame = scene.RegisterFrame(source, geometry.GeometryFrame("upper"))
        rigid, compliant = geometry.ProximityProperties(), geometry.ProximityProperties()
        geometry.AddRigidHydroelasticProperties(0.01, rigid)
        geometry.AddCompliantHydroelasticProperties(0.01, 1e7, compliant)
        with tempfile.TemporaryDirectory() as folder:
            plates = []
            files = (("upper.obj", _as_obj(upper), rigid), ("lower.vtk", _as_vtk(lower), compliant))
            for name, text, properties in files:
                Path(folder, name).write_text(text, encoding="utf-8")
                plates.append(geometry.GeometryInstance(RigidTransform(), geometry.Mesh(str(Path(folder, name))), name))
                plates[-1].set_proximity_properties(properties)
            scene.RegisterGeometry(source, frame, plates[0])
            scene.RegisterAnchoredGeometry(source, plates[1])
            self.context = scene.CreateDefaultContext()
        pose = geometry.FramePoseVector()
        pose.set_value(frame, RigidTransform(position))
        scene.get_source_pose_port(source).FixValue(self.context, pose)
        self.query = scene.get_query_output_port().Eval(self.context)
        self.form = geometry.HydroelasticContactRepresentation.kPolygon

    def __call__(self) -> int:
        """Find the contact surface; how many polygons it has."""
        return sum(surface.num_faces() for surface in self.query.ComputeContactSurfaces(self.form))
