"""Meshes from STL, OBJ, PLY and glTF files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.files import is_below
from contactlib.shapes.importers.check import surface_faults
from contactlib.shapes.importers.repair import repair_mesh
from contactlib.shapes.polytopes import Mesh
from contactlib.shapes.welding import equal_points

if TYPE_CHECKING:
    import trimesh

FORMATS = (".stl", ".obj", ".ply", ".gltf", ".glb")


def load_mesh(path: str | Path, *, scale: float = 1.0, repair: str | Sequence[str] = (), root: str | Path | None = None,
              outside: bool = False) -> Mesh:
    """The triangles of a file, in its own axes.

    Parameters
    ----------
    path : an STL, OBJ, PLY, glTF or GLB file. A scene becomes one mesh, with every part where the scene puts it.
    scale : length of the file's unit, m: 0.001 for a file in millimetres.
    repair : what to repair before the mesh is judged, by the names of `repair_mesh`; nothing is repaired unasked.
    root : a glTF or OBJ file may name other files; they must lie in this folder or below it, by default the file's own.
    outside : True lets the file name files anywhere.

    Vertices of a part in exactly the same place are one: STL says in no other way which triangles are neighbours, and
    the other formats repeat vertices along seams. Parts that are not closed are joined likewise, closed ones remain.

    Raises
    ------
    ValueError : a file that cannot be read, or triangles that make no surface, with what helps.
    OSError : there is no such file.
    ImportError : trimesh is not installed.
    """
    path = Path(path)
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"scale = {scale}: must be finite and greater than zero")
    try:
        pieces = [_joined([piece]) for piece in _read(path, None if outside else Path(root or path.parent))]
        if not pieces:
            raise ValueError("there are no triangles in it")
        whole = [piece for piece in pieces if piece.closed]
        broken = [piece for piece in pieces if not piece.closed]
        mesh = _stacked([*whole, _joined([(p.vertices, p.triangles) for p in broken])] if len(broken) > 1 else pieces)
        mesh = repair_mesh(Mesh(mesh.vertices * scale, mesh.triangles), repair)
        faults = surface_faults(mesh)
        if faults:
            raise ValueError("; ".join(map(str, faults)))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return mesh


Piece = tuple[NDArray[np.float64], NDArray[np.integer[Any]]]


def _read(path: Path, root: Path | None) -> list[Piece]:
    """Vertices and triangles of all parts, where the scene puts them; other files are read below `root` only."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"the format is not known by its name, must be one of {', '.join(FORMATS)}")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        import trimesh
    except ImportError:
        raise ImportError("meshes are read by the package trimesh, which is missing: pip install trimesh") from None
    try:
        with path.open("rb") as file:
            scene = trimesh.load_scene(file, file_type=path.suffix[1:].lower(), process=False,
                                       resolver=_resolver(path, root))
    except _OutsideError as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # a damaged file may break the reader in any way
        raise ValueError(f"it cannot be read: {type(error).__name__}: {error}") from None
    placed = (_placed(scene, str(node)) for node in sorted(scene.graph.nodes_geometry))
    return [piece for piece in placed if len(piece[1])]


class _OutsideError(ValueError):
    """A mesh file names a file that it may not read."""


def _resolver(source: Path, root: Path | None) -> Any:
    """How trimesh finds the files that a mesh file names: from its folder, and below `root` if there is one.

    Versions of trimesh before 5 read any file by themselves, such as ../secret.bin as a buffer of a glTF file.
    """
    from trimesh.resolvers import Resolver

    class Below(Resolver):
        def __init__(self) -> None:
            self.file_name = source.name

        def get(self, key: str) -> bytes:
            path = source.parent / key.strip()
            if root is not None and not is_below(path, root):
                raise _OutsideError(f"it names the file {key.strip()}, which lies outside the folder {root}: put that "
                                    f"file there, or allow it with --outside (in Python: outside=True)")
            return path.read_bytes()

        def write(self, name: str, data: object) -> None:
            raise OSError(f"{name} is not written: meshes are only read")

        def keys(self) -> list[str]:
            return []

        def namespaced(self, namespace: str) -> Any:
            return _resolver(source.parent / namespace / source.name, root)

    return Below()


def _placed(scene: trimesh.Scene, node: str) -> Piece:
    transform, name = scene.graph[node]
    geometry: Any = scene.geometry[name]
    triangles = np.asarray(getattr(geometry, "faces", np.empty((0, 3), dtype=int)))
    x, y, z = np.asarray(geometry.vertices, dtype=np.float64).T[:, :, None]
    R, p = transform[:3, :3], transform[:3, 3]
    vertices = x * R[:, 0] + y * R[:, 1] + z * R[:, 2] + p  # element by element: equal corners stay equal
    return vertices, triangles[:, ::-1] if np.linalg.det(R) < 0 else triangles


def _joined(pieces: list[Piece]) -> Mesh:
    """One mesh of them, in which vertices in exactly the same place are one; those of no triangle are left out."""
    stacked = _stacked([Mesh(*piece) for piece in pieces])
    kept, triangles = np.unique(equal_points(stacked.vertices)[stacked.triangles], return_inverse=True)
    return Mesh(stacked.vertices[kept], triangles.reshape(-1, 3))


def _stacked(meshes: list[Mesh]) -> Mesh:
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]),
                np.concatenate([mesh.triangles + offset for mesh, offset in zip(meshes, offsets, strict=True)]))
