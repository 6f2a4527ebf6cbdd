"""Writes a result as a series of VTK files for ParaView: a .pvd file, and .vtp files with surfaces, contacts, cables.

VTK rather than USD: the files are a few lines of XML around arrays and need no package.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.files import write_text
from contactlib.exports.drawing import Drawing
from contactlib.results.format import ResultError
from contactlib.results.result import Result
from contactlib.shapes.quaternion import rotation_matrix

Array = NDArray[Any]
TYPES = {"f": "Float32", "i": "Int32", "l": "Int64"}


@dataclass(frozen=True)
class PolyData:
    """Points (N, 3), cells of points (vertices, lines or polygons), and data of points and of cells by name."""

    points: Array
    cells: str
    connectivity: Array
    offsets: Array
    point_data: Mapping[str, Array] = field(default_factory=dict)
    cell_data: Mapping[str, Array] = field(default_factory=dict)

    def text(self) -> str:
        """Return the content of a .vtp file."""
        count = {name: 0 for name in ("Verts", "Lines", "Polys")} | {self.cells: len(self.offsets)}
        numbers = " ".join(f'NumberOf{name}="{n}"' for name, n in count.items())
        cells = "".join([_array("connectivity", self.connectivity.astype(np.int32)),
                         _array("offsets", self.offsets.astype(np.int32))])
        return (
            '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" '
            'header_type="UInt32">\n<PolyData>\n'
            f'<Piece NumberOfPoints="{len(self.points)}" {numbers} NumberOfStrips="0">\n'
            f'<Points>\n{_array("Points", self.points)}</Points>\n<{self.cells}>\n{cells}</{self.cells}>\n'
            f'<PointData>\n{_arrays(self.point_data)}</PointData>\n<CellData>\n{_arrays(self.cell_data)}</CellData>\n'
            '</Piece>\n</PolyData>\n</VTKFile>\n')


def _arrays(data: Mapping[str, Array]) -> str:
    return "".join(_array(name, values) for name, values in data.items())


def _array(name: str, values: Array) -> str:
    """Return a DataArray: base64 of the number of bytes, followed by the numbers."""
    kind = "f" if values.dtype.kind == "f" else "i"
    data = np.ascontiguousarray(values, dtype="<f4" if kind == "f" else "<i4").tobytes()
    components = values.shape[1] if values.ndim == 2 else 1
    text = base64.b64encode(len(data).to_bytes(4, "little") + data).decode()
    return (f'<DataArray type="{TYPES[kind]}" Name="{name}" NumberOfComponents="{components}" format="binary">'
            f'{text}</DataArray>\n')


def write_vtk(result: Result, path: str | Path, *, every: int = 1, follow: str | None = None,
              segments: int = 32) -> Path:
    """Write a result as NAME.pvd and a folder NAME of .vtp files, one of each part for each drawn frame.

    The parts are the bodies (with the number of the body of each triangle), the contacts (points with depth, normal and
    force on B or on the cable), the cables (lines) and the membranes (triangles).

    Parameters
    ----------
    result : the run.
    path : the file to write; its name ends in .pvd.
    every : draw each `every`-th frame, and the last one.
    follow : name of the body at whose position the origin is; see `Drawing`.
    segments : number of segments around a circle.

    Returns
    -------
    Path
        The .pvd file, which is written last.

    Raises
    ------
    ValueError : an argument that is not allowed.
    OSError : a file cannot be written.
    """
    path = Path(path)
    if path.suffix != ".pvd":
        raise ValueError(f"path = {path}: the name of a VTK series must end in .pvd")
    if not np.isfinite(result.states).all():
        raise ResultError(f"{result.path}: some states are missing, so no series can be made")
    drawing = Drawing(result, every, follow, segments)
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, parts in enumerate(_frames(drawing)):
        time = float(result.time[drawing.frames[number]])
        for k, (name, data) in enumerate(parts.items()):
            file = folder / f"{name}_{number:06d}.vtp"
            write_text(file, data.text())
            rows.append(f'<DataSet timestep="{time!r}" part="{k}" name="{name}" file="{folder.name}/{file.name}"/>')
    return write_text(path, '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" '
                      'byte_order="LittleEndian">\n<Collection>\n' + "\n".join(rows)
                      + "\n</Collection>\n</VTKFile>\n")


def _frames(drawing: Drawing) -> Iterator[dict[str, PolyData]]:
    """Yield the parts of each drawn frame."""
    local, triangles, owner = _bodies(drawing)
    states = drawing.result.states[drawing.frames]
    contacts = drawing.contacts()
    for number, frame in enumerate(drawing.frames.tolist()):
        origin = drawing.origin[number]
        points = [(state[:3] - origin) + p @ rotation_matrix(tuple(state[3:7].tolist())).T
                  for state, p in zip(states[number], local, strict=True)]
        parts = {"bodies": _polygons(np.vstack([np.zeros((0, 3)), *points]), triangles, {"body": owner}),
                 "contacts": _contacts(next(contacts))}
        if drawing.result.cables:
            parts["cable_nodes"] = _lines([nodes[frame] - origin for nodes in drawing.result.cables.values()])
        if drawing.result.membranes:
            parts["membranes"] = _membranes(drawing, frame, origin)
        yield parts


def _bodies(drawing: Drawing) -> tuple[list[Array], Array, Array]:
    """Return the vertices of each body in its axes, all triangles, and the body of each triangle."""
    local, triangles, owner = [], [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
    count = 0
    for body, shapes in enumerate(drawing.shapes):
        own = [np.zeros((0, 3))]
        for shape in shapes:
            vertices, rows = drawing.surface(shape)
            own.append(np.array(shape.r) + vertices @ rotation_matrix(tuple(shape.q)).T)
            triangles.append(rows.astype(np.int64) + count)
            owner.append(np.full(len(rows), body))
            count += len(vertices)
        local.append(np.vstack(own))
    return local, np.concatenate(triangles), np.concatenate(owner)


def _polygons(points: Array, triangles: Array, cell_data: Mapping[str, Array]) -> PolyData:
    return PolyData(points, "Polys", triangles.ravel(), 3 * np.arange(1, len(triangles) + 1), cell_data=cell_data)


def _contacts(rows: Mapping[str, Array]) -> PolyData:
    count = len(rows["depth"])
    data = {"depth": rows["depth"], "normal": rows["n_W"], "force": rows["f_W"]}
    return PolyData(rows["r_W"], "Verts", np.arange(count), np.arange(1, count + 1), point_data=data)


def _lines(nodes: Sequence[Array]) -> PolyData:
    counts = [len(rows) for rows in nodes]
    return PolyData(np.vstack(nodes), "Lines", np.arange(sum(counts)), np.cumsum(counts))


def _membranes(drawing: Drawing, frame: int, origin: Array) -> PolyData:
    points, triangles, count = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
    for name in drawing.result.membranes:
        vertices, rows = drawing.result.membrane(name, frame)
        points.append(vertices - origin)
        triangles.append(rows.astype(np.int64) + count)
        count += len(vertices)
    return _polygons(np.vstack(points), np.concatenate(triangles), {})
