"""Reads meshes from STL, OBJ, PLY and glTF files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.files import is_below
from contactlib.common.vectors import dot
from contactlib.shapes.importers.check import surface_findings
from contactlib.shapes.importers.repair import repair_mesh
from contactlib.shapes.polytopes import Mesh
from contactlib.shapes.welding import equal_points

if TYPE_CHECKING:
    import trimesh

FORMATS = (".stl", ".obj", ".ply", ".gltf", ".glb")


def load_mesh(path: str | Path, *, scale: float | Sequence[float] = 1.0, repair: str | Sequence[str] = (),
              root: str | Path | None = None, outside: bool = False) -> Mesh:
    """Read the triangles of a file, in the axes of the file.

    Parameters
    ----------
    path : an STL, OBJ, PLY, glTF or GLB file. A glTF scene becomes one mesh, with its parts in their places.
    scale : length of the file's unit, m: 0.001 for a file in millimetres. Three numbers: along x, y and z.
    repair : repairs before the check, by the names of `repair_mesh`; by default none.
    root : folder for other files that a glTF or OBJ file names; they must lie in this folder or below. Default: the
        folder of the file.
    outside : True allows other files anywhere.

    Vertices of a part at equal positions are welded: STL has no other information on neighbours, and the other formats
    repeat vertices along seams. Open parts are also welded to each other; closed parts stay separate.

    Raises
    ------
    ValueError : the file cannot be read, or its triangles make no valid surface; the message names the remedy.
    OSError : there is no such file.
    ImportError : trimesh is not installed.
    """
    factors = np.asarray(scale, dtype=np.float64)
    if factors.shape not in ((), (3,)) or not (np.isfinite(factors).all() and (factors > 0).all()):
        raise ValueError(f"scale = {scale}: must be one number or three, finite and greater than zero")
    mesh = read_triangles(path, root=root, outside=outside)
    try:
        mesh = repair_mesh(Mesh(mesh.vertices * factors, mesh.triangles), repair)
        check_surface(mesh)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return mesh


def check_surface(mesh: Mesh) -> None:
    """Raise ValueError if the triangles make no valid surface."""
    findings = surface_findings(mesh)
    if findings:
        raise ValueError("; ".join(map(str, findings)))


def read_triangles(path: str | Path, *, root: str | Path | None = None, outside: bool = False) -> Mesh:
    """Read the triangles of a file as `load_mesh` does, whether they make a valid surface or not: for a convex hull."""
    path = Path(path)
    try:
        pieces = [_joined([piece]) for piece in _read(path, None if outside else Path(root or path.parent))]
        if not pieces:
            raise ValueError("the file has no triangles")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    whole = [piece for piece in pieces if piece.closed]
    broken = [piece for piece in pieces if not piece.closed]
    return _stacked([*whole, _joined([(p.vertices, p.triangles) for p in broken])] if len(broken) > 1 else pieces)


Piece = tuple[NDArray[np.float64], NDArray[np.integer[Any]]]


def _read(path: Path, root: Path | None) -> list[Piece]:
    """Read vertices and triangles of all parts in their places; other files are read below `root` only."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"its suffix is not that of a known format, must be one of {', '.join(FORMATS)}")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    try:
        import trimesh
    except ImportError:
        raise ImportError("reading meshes needs the package trimesh: pip install trimesh") from None
    try:
        with path.open("rb") as file:
            scene = trimesh.load_scene(file, file_type=path.suffix[1:].lower(), process=False,
                                       resolver=_resolver(path, root))
    except _OutsideError as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # trimesh raises many types of errors for damaged files
        raise ValueError(f"it cannot be read: {type(error).__name__}: {error}") from None
    placed = (_placed(scene, str(node)) for node in sorted(scene.graph.nodes_geometry))
    return [piece for piece in placed if len(piece[1])]


class _OutsideError(ValueError):
    """A mesh file names a file that it may not read."""


def _resolver(source: Path, root: Path | None) -> Any:
    """Return trimesh's resolver of the files that a mesh file names: relative to its folder, and only below `root`.

    Versions of trimesh before 5 would read any file, such as ../secret.bin as a buffer of a glTF file.
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
            raise OSError(f"{name} is not written: meshes are read only")

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
    vertices = x * R[:, 0] + y * R[:, 1] + z * R[:, 2] + p  # elementwise: equal corners stay bitwise equal
    return vertices, triangles[:, ::-1] if dot(R[0], np.cross(R[1], R[2])) < 0 else triangles


def _joined(pieces: list[Piece]) -> Mesh:
    """Join pieces to one mesh; weld vertices at equal positions and remove vertices without triangles."""
    stacked = _stacked([Mesh(*piece) for piece in pieces])
    kept, triangles = np.unique(equal_points(stacked.vertices)[stacked.triangles], return_inverse=True)
    return Mesh(stacked.vertices[kept], triangles.reshape(-1, 3))


def _stacked(meshes: list[Mesh]) -> Mesh:
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]),
                np.concatenate([mesh.triangles + offset for mesh, offset in zip(meshes, offsets, strict=True)]))
