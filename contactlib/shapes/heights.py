"""Height fields: terrain as a solid mesh below a grid of heights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.shapes.polytopes import Mesh

Floats = NDArray[np.float64]


def height_field(heights: ArrayLike, spacing: ArrayLike, thickness: float) -> Mesh:
    """Return the solid between a grid of heights and a flat bottom, as a closed mesh.

    Each cell of the grid has two triangles, which meet on the line from its corner (i, j) to (i + 1, j + 1).

    Parameters
    ----------
    heights : (nx, ny), m. The height z of the point x = (i - (nx - 1)/2) dx, y = (j - (ny - 1)/2) dy.
    spacing : dx and dy, m, or one number for both.
    thickness : m, of the solid below its lowest point. A body that is deeper leaves on the other side.

    Raises
    ------
    ValueError : fewer than two heights in a direction, a height that is not finite, a spacing or thickness that is not
        greater than zero.

    Examples
    --------
    >>> terrain = height_field([[0.0, 0.1, 0.0], [0.0, 0.3, 0.0]], spacing=2.0, thickness=1.0)
    >>> terrain, terrain.closed, round(terrain.volume, 9)
    (Mesh(13 vertices, 22 triangles), True, 8.8)
    """
    z = np.asarray(heights, dtype=np.float64)
    if z.ndim != 2 or min(z.shape) < 2:
        raise ValueError(f"heights has shape {z.shape}, must be (nx, ny) with at least two heights in each direction")
    if bad := np.argwhere(~np.isfinite(z)).tolist():
        raise ValueError(f"heights{bad[0]} = {z[tuple(bad[0])]}: must be finite; {len(bad)} of {z.size} are not")
    try:
        dx, dy = np.broadcast_to(np.asarray(spacing, dtype=np.float64), 2).tolist()
    except ValueError:
        raise ValueError(f"spacing = {spacing!r}: must be one or two numbers, in m") from None
    for name, value in (("spacing", min(dx, dy)), ("spacing", max(dx, dy)), ("thickness", thickness)):
        if not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} = {value}: must be a finite number greater than 0")
    return Mesh(*_solid(z, dx, dy, float(z.min()) - thickness))


def read_heights(path: Path) -> Floats:
    """Read heights from a .npy file, or from a text file with a row of the grid in each line (commas or blanks).

    ValueError, with the name of the file, if it holds no numbers or lines of different lengths.
    """
    try:
        if path.suffix == ".npy":
            return np.asarray(np.load(path, allow_pickle=False), dtype=np.float64)
        lines = path.read_text(encoding="utf-8-sig").replace(",", " ").splitlines()
        return np.array([[float(x) for x in line.split()] for line in lines if line.strip()], dtype=np.float64)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path.name}: must hold a grid of heights: {error}") from None


def _solid(z: Floats, dx: float, dy: float, bottom: float) -> tuple[Floats, NDArray[np.int64]]:
    """Vertices and triangles: the top, the sides down from its border, and a fan below."""
    nx, ny = z.shape
    x, y = (np.arange(nx) - (nx - 1) / 2) * dx, (np.arange(ny) - (ny - 1) / 2) * dy
    top = np.column_stack([*(grid.ravel() for grid in np.meshgrid(x, y, indexing="ij")), z.ravel()])
    number = np.arange(nx * ny).reshape(nx, ny)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    # counter-clockwise as seen from above
    border = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    low = np.column_stack([top[border, :2], np.full(len(border), bottom)])
    one, below = border, nx * ny + np.arange(len(border))
    two, beside = np.roll(one, -1), np.roll(below, -1)
    middle = np.full(len(border), nx * ny + len(border))
    faces = [(a, b, c), (a, c, d), (one, below, beside), (one, beside, two), (middle, beside, below)]
    vertices = np.concatenate([top, low, [[0.0, 0.0, bottom]]])
    return vertices, np.concatenate([np.column_stack(face) for face in faces])
