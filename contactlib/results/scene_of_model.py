"""The bodies and shapes of a compiled model as a Spec, for runs of which only the model is known, such as an FMU's.

A model has no names of shapes and materials, and its trees of groups are flat.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.options import MOTIONS, RIM_METHODS
from contactlib.model.material_pairs import KINDS
from contactlib.model.model import Model
from contactlib.model.model_file import read_section
from contactlib.model.parts import Body, BodyShape
from contactlib.model.spec import Spec
from contactlib.shapes.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Mesh,
    Plane,
    Point,
    Polyhedron,
    Segment,
    Shape,
    Socket,
    Sphere,
    Triangle,
)
from contactlib.shapes.surfaces import fans

Record = Any
#: sections of the model file (core/model/format.hpp)
BODIES, SHAPES, SURFACES, VERTICES, COUNTS, LOOPS = 1, 3, 8, 9, 10, 11


def scene_of_model(model: Model) -> Spec:
    """Return a scene with the bodies and shapes of a model, for drawing: without laws, pairs and elements.

    Shapes are named by their kind and number within the body, such as "box_1".

    >>> import contactlib
    >>> spec = contactlib.load("peg_in_hole")
    >>> scene = scene_of_model(spec.compile())
    >>> [shape.shape for shape in scene.bodies[0].shapes] == [shape.shape for shape in spec.bodies[0].shapes]
    True
    """
    content = model.to_bytes()
    surfaces = _surfaces(content)
    shapes: list[list[BodyShape]] = [[] for _ in model.body_names]
    counts: list[Counter[str]] = [Counter() for _ in model.body_names]
    for record in read_section(content, SHAPES, "shape"):
        kind, body = KINDS[record["kind"]], int(record["body"])
        counts[body][kind] += 1
        shapes[body].append(BodyShape(f"{kind}_{counts[body][kind]}", _shape(kind, record, surfaces),
                                      f"material_{record['material'] + 1}", _row(record["p"]), _row(record["q"])))
    bodies = [_body(name, record, own) for name, record, own in
              zip(model.body_names, read_section(content, BODIES, "body"), shapes, strict=True)]
    return Spec(model.name, bodies=tuple(bodies), duration=model.duration)


def _body(name: str, record: Record, shapes: list[BodyShape]) -> Body:
    mass = float(record["mass"])
    given = {"mass": mass, "com": _row(record["com"]),
             "inertia": tuple(map(_row, record["inertia"].reshape(3, 3)))} if mass > 0.0 else {}
    return Body(name, MOTIONS[record["motion"]], tuple(shapes), state=_row(record["start"]), **given)


def _row(values: NDArray[Any]) -> tuple[float, ...]:
    return tuple(values.tolist())


def _surfaces(content: bytes) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Return vertices, loops and counts of each surface."""
    vertices = read_section(content, VERTICES, "vertex")["p"]
    counts, loops = (_indices(content, tag) for tag in (COUNTS, LOOPS))
    found = []
    for s in read_section(content, SURFACES, "surface"):
        found.append((vertices[s["first_vertex"]:s["first_vertex"] + s["vertex_count"]].copy(),
                      loops[s["first_loop"]:s["first_loop"] + s["loop_count"]],
                      counts[s["first_face"]:s["first_face"] + s["face_count"]]))
    return found


def _indices(content: bytes, tag: int) -> NDArray[np.int32]:
    return read_section(content, tag, "index").astype(np.int32)


def _shape(kind: str, record: Record, surfaces: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]) -> Shape:
    size = record["size"].tolist()
    if kind == "mesh":
        vertices, loops, _ = surfaces[record["surface"]]
        return Mesh(vertices, loops.reshape(-1, 3))
    if kind == "polyhedron":
        return _polyhedron(*surfaces[record["surface"]], radius=size[3])
    if kind == "box":
        return Box(tuple(side + 2.0 * size[3] for side in size[:3]), size[3])
    if kind == "socket":
        return Socket(tuple(size[:3]), size[3], size[4], RIM_METHODS[record["rim"]], int(size[5]))
    if kind == "triangle":
        return Triangle((tuple(size[:3]), tuple(size[3:6]), tuple(size[6:])))
    if kind == "ellipsoid":
        return Ellipsoid(tuple(size[:3]))
    simple = {"point": Point, "plane": Plane, "sphere": lambda: Sphere(size[0]), "segment": lambda: Segment(size[1]),
              "capsule": lambda: Capsule(size[0], size[1]), "cylinder": lambda: Cylinder(size[0], size[1])}
    made: Shape = simple[kind]()
    return made


def _polyhedron(vertices: NDArray[Any], loops: NDArray[Any], counts: NDArray[Any], radius: float) -> Polyhedron:
    """Return the polyhedron of a surface; with a radius the surface is the core, whose faces are moved outwards."""
    if radius == 0.0:
        return Polyhedron(vertices)
    from scipy.spatial import HalfspaceIntersection

    corners = vertices[fans(loops, counts)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    offsets = (normals * corners[:, 0]).sum(axis=1) + radius
    outer = HalfspaceIntersection(np.column_stack([normals, -offsets]), vertices.mean(axis=0)).intersections
    return Polyhedron.hull_of(outer, radius)
