"""Writes a result as glTF 2.0 with animation: bodies are nodes with their shapes as meshes, frames are keyframes.

The file is a single .glb (Khronos, glTF 2.0 specification, section 4). Cables are chains of cylinders. Membranes are
left out, because their triangles change, which an animation of glTF cannot show.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.common.files import write_bytes
from contactlib.exports.drawing import Drawing
from contactlib.results.format import ResultError
from contactlib.results.result import Result
from contactlib.shapes.shapes import Cylinder
from contactlib.shapes.surfaces import shaded, surface

Array = NDArray[Any]
FLOAT, UNSIGNED = 5126, 5125  # component types
VERTICES, INDICES = 34962, 34963  # targets of buffer views
#: y upwards, as glTF wants, from z upwards
Y_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
MOST = (1 << 32) - 1  # bytes of a .glb


def write_gltf(result: Result, path: str | Path, *, every: int = 1, follow: str | None = None,
               segments: int = 32) -> Path:
    """Write a result as a .glb file with an animation of all bodies and cables.

    Parameters
    ----------
    result : the run.
    path : the file to write; its name ends in .glb.
    every : each `every`-th frame becomes a keyframe, and the last one.
    follow : name of the body at whose position the origin is; see `Drawing`.
    segments : number of segments around a circle.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ValueError : an argument that is not allowed, or a file that would exceed the 4 GiB of a .glb file.
    OSError : the file cannot be written.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = contactlib.record("peg_in_hole", f"{folder}/peg.clr", duration=0.01)
    ...     write_gltf(result, f"{folder}/peg.glb").read_bytes()[:4]
    b'glTF'
    """
    path = Path(path)
    if path.suffix != ".glb":
        raise ValueError(f"path = {path}: the name of a glTF file must end in .glb")
    drawing = Drawing(result, every, follow, segments)
    if not len(result) or not np.isfinite(result.states).all():
        raise ResultError(f"{result.path}: some states are missing, so no animation can be made")
    scene = _Scene(drawing)
    scene.add_bodies()
    scene.add_cables()
    return write_bytes(path, scene.file())


class _Scene:
    """The JSON of a file and its binary buffer."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.buffer = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = [{"name": drawing.result.manifest["name"], "rotation": Y_UP, "children": []}]
        self.materials = [_material(name, drawing.colour(name)) for name in drawing.materials]
        self._known: dict[Any, int] = {}
        self.time = drawing.result.time[drawing.frames]
        self._times: int | None = None

    def add_bodies(self) -> None:
        """Add a node for each body, with a node for each of its shapes."""
        states = self.drawing.result.states[self.drawing.frames]
        for k, (name, shapes) in enumerate(zip(self.drawing.result.bodies, self.drawing.shapes, strict=True)):
            node = self._node(name, states[:, k, :3] - self.drawing.origin, _scalar_last(states[:, k, 3:7]))
            self.nodes[0]["children"].append(node)
            children = [self._shape(shape) for shape in shapes]
            if children:
                self.nodes[node]["children"] = children

    def add_cables(self) -> None:
        """Add a node for each part of a cable between two nodes: a cylinder, turned and stretched."""
        for name, nodes in self.drawing.result.cables.items():
            p = nodes[self.drawing.frames] - self.drawing.origin[:, None]
            radius = self.drawing.radius(name)
            for k in range(p.shape[1] - 1):
                ends = p[:, k], p[:, k + 1]
                along = ends[1] - ends[0]
                length = np.linalg.norm(along, axis=1)
                scale = np.column_stack([np.full_like(length, radius), np.full_like(length, radius), length])
                node = self._node(f"{name}.{k + 1}", 0.5 * (ends[0] + ends[1]), _from_z(along), scale)
                self.nodes[node]["mesh"] = self._rod()
                self.nodes[0]["children"].append(node)

    def file(self) -> bytes:
        """Return the file: a header, the JSON, the buffer."""
        animation = {"name": "run", "samplers": self.samplers, "channels": self.channels}
        root: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"contactlib {contactlib.__version__}"},
            "scene": 0, "scenes": [{"nodes": [0]}], "nodes": self.nodes,
            "extras": {"origin": self.drawing.origin[0].tolist(), "follow": self.drawing.follow},
        }
        parts = {"meshes": self.meshes, "materials": self.materials, "accessors": self.accessors,
                 "bufferViews": self.views, "animations": [animation] if self.channels else []}
        root |= {name: part for name, part in parts.items() if part}
        if self.buffer:
            root["buffers"] = [{"byteLength": len(self.buffer)}]
        text = json.dumps(root, separators=(",", ":"), allow_nan=False).encode()
        chunks = [_chunk(b"JSON", text, b" "), _chunk(b"BIN\0", bytes(self.buffer), b"\0")]
        length = 12 + sum(map(len, chunks))
        if length > MOST:
            raise ValueError(f"every = {self.drawing.every}: the file would have {length} bytes, at most {MOST} are "
                             "allowed: draw fewer frames")
        return b"".join([struct.pack("<4sII", b"glTF", 2, length), *chunks])

    def _node(self, name: str, positions: Array, rotations: Array, scales: Array | None = None) -> int:
        """Add a node at its first pose, and channels for what changes."""
        node = len(self.nodes)
        self.nodes.append({"name": name})
        parts = {"translation": positions, "rotation": rotations, "scale": scales}
        for part, values in parts.items():
            if values is None:
                continue
            self.nodes[node][part] = values[0].tolist()
            if (values != values[0]).any():
                self._animate(node, part, values)
        return node

    def _animate(self, node: int, part: str, values: Array) -> None:
        if self._times is None:
            self._times = self._accessor(self.time[:, None], "SCALAR", limits=True)
        output = self._accessor(values, f"VEC{values.shape[1]}")
        self.samplers.append({"input": self._times, "output": output, "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": part}})

    def _shape(self, shape: Any) -> int:
        """Add a node for a shape of a body; equal shapes share a mesh."""
        key = (shape.shape, shape.material)
        if key not in self._known:
            vertices, normals, triangles = shaded(self.drawing.surface(shape))
            self._known[key] = self._mesh(shape.shape.kind, vertices, normals, triangles,
                                          self.drawing.materials.index(shape.material))
        self.nodes.append({"name": shape.name, "mesh": self._known[key], "translation": list(map(float, shape.r)),
                           "rotation": _scalar_last(np.array([shape.q]))[0].tolist()})
        return len(self.nodes) - 1

    def _rod(self) -> int:
        """Return the mesh of a cylinder of radius and length 1 along z."""
        if "rod" not in self._known:
            self.materials.append(_material("cable", (0x40, 0x40, 0x48)))
            self._known["rod"] = self._mesh("rod", *shaded(surface(Cylinder(1.0, 1.0), segments=8)),
                                            len(self.materials) - 1)
        return self._known["rod"]

    def _mesh(self, name: str, vertices: Array, normals: Array, triangles: Array, material: int) -> int:
        if not len(triangles):
            raise ValueError(f"shape of kind {name}: has no triangles")
        position = self._accessor(vertices, "VEC3", VERTICES, limits=True)
        normal = self._accessor(normals, "VEC3", VERTICES)
        indices = self._accessor(triangles.reshape(-1, 1).astype(np.uint32), "SCALAR", INDICES)
        self.meshes.append({"name": name, "primitives": [{
            "attributes": {"POSITION": position, "NORMAL": normal}, "indices": indices, "material": material}]})
        return len(self.meshes) - 1

    def _accessor(self, values: Array, kind: str, target: int | None = None, *, limits: bool = False) -> int:
        """Append values (N, k) to the buffer; real numbers become 4 bytes long."""
        data = np.ascontiguousarray(values, dtype="<u4" if values.dtype.kind == "u" else "<f4")
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": data.nbytes}
        self.views.append(view if target is None else {**view, "target": target})
        self.buffer += data.tobytes()
        accessor = {"bufferView": len(self.views) - 1, "count": len(data), "type": kind,
                    "componentType": UNSIGNED if data.dtype.kind == "u" else FLOAT}
        if limits:
            accessor |= {"min": data.min(axis=0).tolist(), "max": data.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def _chunk(kind: bytes, content: bytes, filler: bytes) -> bytes:
    content += filler * (-len(content) % 4)
    return struct.pack("<I4s", len(content), kind) + content


def _material(name: str, colour: tuple[int, int, int]) -> dict[str, Any]:
    linear = [(channel / 255.0) ** 2.2 for channel in colour]
    return {"name": name, "doubleSided": True, "pbrMetallicRoughness": {
        "baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}}


def _scalar_last(q: Array) -> Array:
    """Return unit quaternions (T, 4) with the scalar last, each on the side of the one before."""
    q = q / np.linalg.norm(q, axis=1)[:, None]
    turns = np.where((q[1:] * q[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    signs = np.concatenate([[1.0], np.cumprod(turns)])
    return np.asarray((q * signs[:, None])[:, [1, 2, 3, 0]])


def _from_z(along: Array) -> Array:
    """Return the rotations (T, 4), scalar last, that turn the z axis into directions (T, 3)."""
    d = along / np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
    half = np.column_stack([1.0 + d[:, 2], -d[:, 1], d[:, 0], np.zeros(len(d))])
    half[half[:, 0] < 1e-9] = (0.0, 1.0, 0.0, 0.0)  # downwards: half a turn about x
    return _scalar_last(half)
