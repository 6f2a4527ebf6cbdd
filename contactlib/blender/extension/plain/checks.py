"""Checks of marked objects: each problem is a sentence with the name of the object and the remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .drawing import KINDS
from .fitting import face_normals
from .frames import RIGID_TOLERANCE, Floats, is_sheared, scale_of
from .items import BODY, GROUP, SHAPE, TEXT, Item, Problem, as_name
from .measuring import Faces, plane_of
from .sizes import Sizes

#: deviation of a shape from what it is marked as, relative to its size, that is worth a warning
DEVIATION = 0.01
#: height of a vertex above a face, relative to the size, that is no concavity: rounding of 32-bit floats
FLAT = 1e-5
#: height of a corner of a bent polygon above its mean plane, relative to the largest distance from its best plane
BENT = 5.0
MOTIONS = ("external", "free", "fixed", "driven")
VOLUMES = ("auto", "sphere", "aabb", "obb")


def find_problems(items: Sequence[Item], tables: dict[str, Any], sizes: Sizes) -> list[Problem]:
    """Return all problems of the objects of a scene and of its other tables.

    Parameters
    ----------
    items : the bodies, and marked objects that stand outside all bodies.
    tables : the tables of scene.toml other than bodies.
    sizes : measures shapes, each once.
    """
    found: list[Problem] = []
    for item in items:
        if item.role != BODY:
            found.append(Problem(item.label, f"is a {item.role} outside all bodies: parent it to a body, or mark it "
                                             "as a body"))
        for each in item.walk():
            found += [Problem(each.label, sentence) for sentence in each.faults]
            found += _problems_of(each, sizes)
    bodies = [item for item in items if item.role == BODY]
    found += _same_names(bodies)
    found += _pairs(bodies, tables)
    return found


def _problems_of(item: Item, sizes: Sizes) -> Iterator[Problem]:
    yield from (Problem(item.label, sentence) for sentence in _placement(item))
    if item.role == SHAPE:
        yield from _shape(item, sizes)
    else:
        yield from _node(item)
    yield from _same_names(item.children)


def _placement(item: Item) -> Iterator[str]:
    scale = scale_of(item.X)
    if is_sheared(item.X):
        yield "is sheared by the scale of a parent: apply the parent's scale with Ctrl+A, Scale"
    elif scale.min() < 0.0:
        yield "has a negative scale: apply it with Ctrl+A, Scale, and turn the faces out with Shift+N in edit mode"
    elif np.abs(scale - 1.0).max() > RIGID_TOLERANCE:
        yield f"has the scale ({', '.join(f'{s:.4g}' for s in scale)}): apply it with Ctrl+A, Scale"


def _node(item: Item) -> Iterator[Problem]:
    """Yield the problems of a body or a group."""
    shapes, groups = item.sorted_children(SHAPE), item.sorted_children(GROUP)
    if shapes and groups:
        yield Problem(item.label, f"holds the shape '{shapes[0].label}' beside the group '{groups[0].label}': put its "
                                  "shapes into a group of their own")
    for child in item.children:
        if child.role == BODY:
            yield Problem(child.label, f"is a body below the {item.role} '{item.label}': clear its parent with Alt+P, "
                                       "or mark it as a movable group")
    if item.role == BODY or item.keys.get("movable"):
        yield from (Problem(item.label, sentence) for sentence in _mass(item))
        for group in (each for each in item.walk() if each is not item and each.keys.get("movable")):
            if item.role == GROUP:
                yield Problem(group.label, f"is movable inside the movable group '{item.label}': it then has its own "
                                           "state; make it part of the body if it shall move along", warning=True)
    volume = item.keys.get("volume", "auto")
    if volume not in VOLUMES:
        yield Problem(item.label, f"has the bounding volume '{volume}': choose one of {', '.join(VOLUMES)}")


def _mass(item: Item) -> Iterator[str]:
    keys = item.keys
    if keys.get("motion", "external") not in MOTIONS:
        yield f"has the motion '{keys['motion']}': choose one of {', '.join(MOTIONS)}"
    if ("mass" in keys) != ("inertia" in keys):
        missing = "inertia" if "mass" in keys else "mass"
        yield f"has no {missing}: give mass and inertia together, or densities of its shapes instead"
    weighty = "mass" in keys or any("density" in child.keys for child in item.walk())
    if keys.get("motion") == "free" and not weighty:
        yield "moves freely and has no mass: give it a mass and an inertia, or its shapes a density"


def _shape(item: Item, sizes: Sizes) -> Iterator[Problem]:
    if item.kind not in KINDS:
        yield Problem(item.label, f"has the kind '{item.kind}': mark it as one of {', '.join(KINDS)}")
        return
    if item.material is None and "material" not in item.keys:
        yield Problem(item.label, "has no material: give it one in the Material properties")
    for child in item.children:
        yield Problem(child.label, f"is below the shape '{item.label}': parent it to the shape's body or group")
    geometry = item.geometry
    if geometry is None:
        yield Problem(item.label, "has no mesh: mark a mesh object as a shape, or use 'Add Shape'")
        return
    try:
        measured = sizes.of(item)
    except ValueError as error:
        yield Problem(item.label, str(error))
        return
    size = float(np.ptp(geometry.vertices, axis=0).max()) or 1.0
    if item.kind in ("polyhedron", "mesh"):
        faces: Faces = geometry.triangles if item.kind == "mesh" else geometry.faces
        yield from _surface(item, geometry.vertices, faces, size)
    elif item.kind == "plane" and measured.deviation > FLAT * size:
        yield Problem(item.label, f"is not planar: a vertex is {_mm(measured.deviation)} off; flatten it with Mesh, "
                                  "Clean Up, Make Planar Faces")
    elif measured.deviation > DEVIATION * size:
        yield Problem(item.label, f"deviates by {_mm(measured.deviation)} from its {item.kind}: use 'Fit', or mark it "
                                  "as another kind", warning=True)


def _mm(length: float) -> str:
    return f"{length * 1000.0:.3g} mm"


def _surface(item: Item, vertices: Floats, faces: Faces, size: float) -> Iterator[Problem]:
    """Yield the problems of the faces of a polyhedron or a mesh."""
    _, areas = face_normals(vertices, faces)
    flat = int((areas <= 1e-12 * size * size).sum())
    if flat:
        yield Problem(item.label, f"has {flat} faces of area zero: remove them with Mesh, Clean Up, Degenerate "
                                  "Dissolve",
                      warning=item.kind == "mesh")
    if item.kind == "mesh":
        count = open_edges(faces)
        if count:
            yield Problem(item.label, f"is not closed: {count} edges have not two faces; close it with Face, Fill or "
                                      "Mesh, Clean Up, Fill Holes", warning=True)
        return
    if np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)[-1] <= 1e-9 * size:
        yield Problem(item.label, "is flat, so it is no polyhedron: give it a thickness, or mark it as a mesh")
    if "file" in item.keys:  # the hull of the file
        return
    bends = [plane_of(vertices[list(face)], [tuple(range(len(face)))])[2] for face in faces if len(face) > 3]
    bend = max(bends, default=0.0)
    if bend > FLAT * size:
        yield Problem(item.label, f"has a face that is not planar, by {_mm(bend)}: triangulate it with Ctrl+T in "
                                  "edit mode")
    depth = concavity(vertices, faces)
    if depth > FLAT * size + BENT * bend:
        yield Problem(item.label, f"is not convex, by {_mm(depth)}: use 'Fit' with convex hull or convex pieces, or "
                                  "mark it as a mesh")


def concavity(vertices: Floats, faces: Faces) -> float:
    """Return the largest height of a vertex above the plane of a face, m; zero for a convex solid."""
    normals, _ = face_normals(vertices, faces)
    worst = 0.0
    for face, normal in zip(faces, normals, strict=True):
        worst = max(worst, float(((vertices - vertices[face[0]]) @ normal).max()))
    return worst


def open_edges(faces: Faces) -> int:
    """Return the number of edges that do not have exactly two faces which pass them in opposite directions.

    >>> open_edges([(0, 1, 2)]), open_edges([(0, 1, 2), (0, 2, 1)])
    (3, 0)
    """
    if isinstance(faces, np.ndarray):
        one = faces.reshape(-1)
        two = np.roll(faces, -1, axis=1).reshape(-1)
    else:
        one = np.array([i for face in faces for i in face], dtype=np.int64)
        two = np.array([i for face in faces for i in (*face[1:], face[0])], dtype=np.int64)
    base = int(max(one.max(initial=0), two.max(initial=0))) + 1
    there, count_there = np.unique(one.astype(np.int64) * base + two, return_counts=True)
    back, count_back = np.unique(two.astype(np.int64) * base + one, return_counts=True)
    once = there[count_there == 1]
    paired = np.isin(once, back[count_back == 1], assume_unique=True)
    twice = there[count_there > 1]
    single = once[~paired]
    ends = np.concatenate([single, twice])
    edges = {(int(min(e // base, e % base)), int(max(e // base, e % base))) for e in ends}
    return len(edges)


def _same_names(items: Sequence[Item]) -> Iterator[Problem]:
    count = Counter(item.name for item in items)
    for item in items:
        if count[item.name] > 1:
            others = ", ".join(f"'{each.label}'" for each in items if each.name == item.name and each is not item)
            yield Problem(item.label, f"has the name '{item.name}' in the scene, as {others} has: rename it with F2")


def sorts_of(body: Item) -> list[tuple[str, str]]:
    """Return kind and material of all shapes of a body, each combination once; a cone is a polyhedron."""
    found = {(item.kind, shape_material(item)) for item in body.walk() if item.role == SHAPE}
    return sorted(("polyhedron" if kind == "cone" else kind, material) for kind, material in found)


def shape_material(item: Item) -> str:
    """Return the name of a shape's material in the scene: that of its Blender material, else that of its keys."""
    return as_name(item.material) if item.material is not None else str(item.keys.get("material", ""))


def _pairs(bodies: Sequence[Item], tables: dict[str, Any]) -> Iterator[Problem]:
    """Yield pairs of bodies that are not there, and pairs of materials without a law."""
    known = {body.name: body for body in bodies}
    laws = {frozenset(pair) for law in tables.get("law", []) for pair in material_pairs(law)}
    missing: set[frozenset[str]] = set()
    for row in tables.get("pair", []):
        names = [str(name) for name in row.get("bodies", [])]
        if any(set(name) & set("*?[") for name in names):  # a pattern: compiling the scene checks it
            continue
        for name in names:
            if name.partition(".")[0] not in known:
                yield Problem(name, "is named by a pair of the scene and is no body: remove that pair from the text "
                                    f"{TEXT}, or mark the object as a body")
        pair = [known[name.partition(".")[0]] for name in names if name.partition(".")[0] in known]
        if "law" in row or len(pair) != 2 or "contacts" in tables.get("scene", {}):
            continue
        for kind_a, a in sorts_of(pair[0]):
            for kind_b, b in sorts_of(pair[1]):
                ignored = {f"{kind_a}-{kind_b}", f"{kind_b}-{kind_a}"} & set(row.get("ignore", []))
                if a and b and not ignored and frozenset((a, b)) not in laws | missing:
                    missing.add(frozenset((a, b)))
                    yield Problem(pair[0].label, f"can touch '{pair[1].label}', and their materials '{a}' and '{b}' "
                                                 "have no law: add one with 'Set Law' in the sidebar")
    elements = set(tables) - {"scene", "law", "pair"}
    if len(bodies) > 1 and not tables.get("pair") and not elements:
        yield Problem(bodies[0].label, "is in no pair, so nothing can touch: select two bodies and use 'Add Pair'",
                      warning=True)


def material_pairs(law: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs of materials of a law's table, which has one pair or a list of pairs."""
    given = law.get("materials", [])
    rows = given if given and isinstance(given[0], list) else [given]
    return [(str(row[0]), str(row[1])) for row in rows if len(row) == 2]
