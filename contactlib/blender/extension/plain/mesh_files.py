"""Reads triangles with all digits: OBJ and STL files, and height fields as contactlib makes them (docs/meshes.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .frames import Floats

Triangles = NDArray[np.int64]


def read_mesh(path: Path) -> tuple[Floats, Triangles]:
    """Return vertices (n, 3) and triangles (m, 3) of an OBJ or STL file.

    Raises ValueError, with the remedy, for another format or a damaged file, and OSError if there is no such file.
    """
    suffix = path.suffix.lower()
    if suffix == ".obj":
        vertices, triangles = _obj(path)
    elif suffix == ".stl":
        vertices, triangles = _stl(path)
    else:
        raise ValueError(f"{path}: Blender's import of scenes reads OBJ and STL files: convert it to OBJ, for "
                         "instance with Blender's own import and export")
    if len(triangles) == 0 or triangles.min() < 0 or triangles.max() >= len(vertices):
        raise ValueError(f"{path}: has no triangles, or triangles of vertices that it has not: export it again")
    return vertices, triangles


def _obj(path: Path) -> tuple[Floats, Triangles]:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(x) for x in words[1:4]])
            elif words[:1] == ["f"]:
                numbers = [int(word.split("/")[0]) for word in words[1:]]
                corners = [n - 1 if n > 0 else len(vertices) + n for n in numbers]
                triangles += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
        return np.array(vertices, dtype=np.float64).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3)
    except (ValueError, IndexError) as error:
        raise ValueError(f"{path}: is no OBJ file: {error}; export it again") from None


def _stl(path: Path) -> tuple[Floats, Triangles]:
    content = path.read_bytes()
    count = int.from_bytes(content[80:84], "little") if len(content) >= 84 else -1
    if len(content) == 84 + 50 * count:
        rows = np.frombuffer(content, dtype=[("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")], offset=84)
        corners = rows["p"].astype(np.float64).reshape(-1, 3)
    else:
        try:
            words = [line.split() for line in content.decode("ascii").splitlines()]
            corners = np.array([[float(x) for x in row[1:4]] for row in words if row[:1] == ["vertex"]]).reshape(-1, 3)
        except (ValueError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: is no STL file: {error}; export it again") from None
    if len(corners) % 3:
        raise ValueError(f"{path}: is cut short: export it again")
    vertices, number = np.unique(corners, axis=0, return_inverse=True)
    return vertices, number.reshape(-1, 3).astype(np.int64)


def read_heights(path: Path) -> Floats:
    """Return a grid of heights from a .npy file, or a text file with a row of the grid in each line."""
    try:
        if path.suffix == ".npy":
            return np.asarray(np.load(path, allow_pickle=False), dtype=np.float64)
        lines = path.read_text(encoding="utf-8").replace(",", " ").splitlines()
        return np.array([[float(x) for x in line.split()] for line in lines if line.strip()], dtype=np.float64)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path}: must hold a grid of heights: {error}") from None


def height_field(heights: Any, spacing: Any, thickness: float) -> tuple[Floats, Triangles]:
    """Return vertices and triangles of the solid below a grid of heights (nx, ny): top, sides, a fan at the bottom."""
    z = np.asarray(heights, dtype=np.float64)
    nx, ny = z.shape
    dx, dy = (float(each) for each in spacing)
    x, y = (np.arange(nx) - (nx - 1) / 2) * dx, (np.arange(ny) - (ny - 1) / 2) * dy
    top = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1).reshape(-1, 3)
    at = np.arange(nx * ny).reshape(nx, ny)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    rim = np.concatenate([at[:-1, 0], at[-1, :-1], at[:0:-1, -1], at[0, :0:-1]])
    under = nx * ny + np.arange(len(rim))
    bottom = float(z.min()) - thickness
    low = np.column_stack([top[rim, :2], np.full(len(rim), bottom)])
    rim_next, under_next, middle = np.roll(rim, -1), np.roll(under, -1), np.full(len(rim), nx * ny + len(rim))
    triangles = [np.column_stack(row) for row in ((a, b, c), (a, c, d), (rim, under, under_next),
                                                  (rim, under_next, rim_next), (middle, under_next, under))]
    return np.concatenate([top, low, [[0.0, 0.0, bottom]]]), np.concatenate(triangles).astype(np.int64)
