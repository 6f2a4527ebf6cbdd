"""Convex pieces of a mesh, by CoACD (pip install coacd), which Blender's Python need not have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .frames import Floats

MISSING = ("convex pieces need the package coacd in Blender's Python: install it there with 'python -m pip install "
           "coacd', or use 'Fit' with convex hull")


def convex_pieces(vertices: Floats, triangles: NDArray[np.int64], threshold: float = 0.05) -> list[Floats]:
    """Return the corners (n, 3) of convex pieces that together are nearly the solid of a closed mesh.

    Parameters
    ----------
    threshold : concavity that a piece may keep, relative to the size of the mesh: 0.01 to 1.

    Raises
    ------
    ValueError : CoACD is not installed, or finds no piece; the message names the remedy.
    """
    try:
        import coacd
    except ImportError:
        raise ValueError(MISSING) from None
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(vertices, triangles), threshold=threshold, seed=0)
    pieces = [np.asarray(corners, dtype=np.float64) for corners, _ in parts]
    if not pieces:
        raise ValueError("CoACD finds no convex piece: close the mesh, or use 'Fit' with convex hull")
    return pieces
