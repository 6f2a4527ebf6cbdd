"""Convex decomposition of meshes by CoACD."""

from __future__ import annotations

import numpy as np

from contactlib.shapes.polytopes import Mesh, Polyhedron

#: concavity of a part relative to the size of the mesh, CoACD's own default
THRESHOLD = 0.05


def convex_parts(mesh: Mesh) -> tuple[Polyhedron, ...]:
    """Return convex parts that together approximate the solid of a mesh, always the same ones for the same mesh.

    Parts are convex hulls, so each may protrude from the mesh where it is concave, by at most about 5 % of the mesh's
    size.

    Raises
    ------
    ImportError : CoACD is not installed.
    ValueError : CoACD finds no part with a volume.
    """
    try:
        import coacd
    except ImportError:
        raise ImportError("convex decomposition needs the package coacd: pip install 'contactlib[import]'") from None
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles), threshold=THRESHOLD, seed=0)
    hulls = tuple(Polyhedron.hull_of(np.asarray(vertices, dtype=np.float64)) for vertices, _ in parts)
    if not hulls:
        raise ValueError("CoACD finds no convex part: check the mesh, or take its hull")
    return hulls
