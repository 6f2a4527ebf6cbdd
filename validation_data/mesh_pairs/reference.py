"""Force of unit springs over the depth on flat ground: 1 for a ball, corner or rim, 2 for an edge, 4 for a face.

That is what a plane gives (docs/manifolds.md): a contact for each corner, two for the ends of a line, four on a circle.
The depth of a turned shape is its support less its height.
"""

from __future__ import annotations

ON = {"point": 1, "sphere": 1, "segment, one end": 1, "segment, lying": 2, "capsule, one end": 1, "capsule, lying": 2,
      "ellipsoid": 1, "cylinder, rim": 1, "cylinder, standing": 4, "triangle, corner": 1, "box, corner": 1,
      "box, edge": 2, "box, face": 4, "polyhedron, corner": 1, "polyhedron, face": 4, "socket, face": 4,
      "mesh, corner": 1, "mesh, face": 4}


def values():
    return {f"{name}: force over depth": float(value) for name, value in ON.items()} | {"largest force aside": 0.0}
