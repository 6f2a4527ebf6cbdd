"""The scene of a RobotModel: tables for `Spec.from_dict`, and the text of scene.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from contactlib.common.toml_text import toml_text
from contactlib.importers.joints import is_held, joint_tables
from contactlib.importers.parts import Geometry, Link, Pose, RobotModel
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.quaternion import from_matrix
from contactlib.shapes.shapes import SHAPES, Shape

DAMPING_RATIO = 0.3  # of the lightest moving body on one contact
COMMENT = """Made from {source} by `contactlib import`, at the home configuration.
Assumed, because the file does not say it: stiffness, damping and tangential stiffness of all laws, and step_size."""
#: keys of a shape in a scene file, by its class
_KEYS = ("radius", "length", "size", "semi_axes")


def scene_tables(model: RobotModel, stiffness: float, folder: str = "") -> dict[str, Any]:
    """Return the tables of the scene.

    With a `folder`, meshes are files in it; otherwise their numbers are in the tables.

    Raises ValueError if no link has collision geometry.
    """
    materials = _materials(model)
    links = [link for link in model.links if link.geometry or model.with_joints]
    if not any(link.geometry for link in links):
        raise ValueError("no link has collision geometry that a scene can hold: there is nothing to touch")
    motions = {link.name: motion_of(model, link) for link in links}
    pairs = list(model.pairs)
    lightest = min((link.mass.mass for link in links if link.mass and motions[link.name] != "fixed"), default=1.0)
    scene = {"name": model.name, "gravity": list(model.gravity), "step_size": _step(stiffness, lightest)}
    return {
        "scene": scene,
        "body": [_body(link, motions[link.name], materials, folder) for link in links],
        "law": _laws(model, links, pairs, materials, stiffness, lightest),
        "pair": [{"bodies": list(pair)} for pair in pairs],
        **(joint_tables(model) if model.with_joints else {}),
    }


def touching(model: RobotModel) -> RobotModel:
    """Return the model with those pairs only that can touch: both links have geometry, and one of them can move."""
    motions = {link.name: motion_of(model, link) for link in model.links if link.geometry}
    pairs = tuple(pair for pair in model.pairs
                  if all(name in motions for name in pair) and {motions[name] for name in pair} != {"fixed"})
    return replace(model, pairs=pairs)


def scene_text(model: RobotModel, stiffness: float, source: str) -> str:
    """Return the text of scene.toml, below a comment that names what was not taken over."""
    empty = tuple(f"link {link.name}: has no collision geometry" for link in model.links
                  if not link.geometry and not model.with_joints)
    left_out = [*model.left_out, *empty]
    lines = ["", "Not taken over:", *(f"  {line}" for line in left_out)] if left_out else []
    comment = "\n".join([COMMENT.format(source=ascii(source)), *(_printable(line) for line in lines)])
    return toml_text(scene_tables(model, stiffness, "meshes"), comment)


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in line)


def motion_of(model: RobotModel, link: Link) -> str:
    """Return "fixed", "free" for a body without joints to others, or "external": the user's simulator moves it."""
    if is_held(model, link):
        return "fixed"
    if model.with_joints:
        return "free"
    alone = not any(each.parent == link.name for each in model.links)
    return "free" if link.joint == "free" and alone and link.mass is not None else "external"


def _materials(model: RobotModel) -> dict[tuple[str, float | None], str]:
    """Return the names of materials in the scene: geometry of one material with other friction has another name."""
    found: dict[tuple[str, float | None], str] = {}
    for geometry in (each for link in model.links for each in link.geometry):
        key = geometry.material, geometry.friction
        if key not in found:
            name, k = geometry.material, 2
            while name in found.values():
                name, k = f"{geometry.material}_{k}", k + 1
            found[key] = name
    return found


def _body(link: Link, motion: str, materials: Mapping[tuple[str, float | None], str], folder: str) -> dict[str, Any]:
    table: dict[str, Any] = {"name": link.name, "motion": motion}
    if link.mass is not None:
        table |= {"mass": link.mass.mass, "com": link.mass.com.tolist(), "inertia": link.mass.inertia.tolist()}
    return table | {"state": _pose(link.X_WL),
                    "shape": [_shape(each, materials[each.material, each.friction], folder) for each in link.geometry]}


def _pose(X: Pose) -> dict[str, Any]:
    return {"r": X.p.tolist(), "q": from_matrix(X.R).tolist()}


def _shape(geometry: Geometry, material: str, folder: str) -> dict[str, Any]:
    return {"name": geometry.name, "kind": geometry.shape.kind, "material": material,
            **_sizes(geometry.shape, geometry.name, folder), **_pose(geometry.X_LG)}


def _sizes(shape: Shape, name: str, folder: str) -> dict[str, Any]:
    if isinstance(shape, Polyhedron):
        return {"corners": shape.corners.tolist()}
    if isinstance(shape, Mesh):
        return {"file": f"{folder}/{name}.obj"} if folder else {
            "vertices": shape.vertices.tolist(), "triangles": shape.triangles.tolist()}
    assert shape.kind in SHAPES
    values = {key: getattr(shape, key) for key in _KEYS if hasattr(shape, key)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _step(stiffness: float, mass: float) -> float:
    """Return a fifth of the time constant of the lightest body on one contact, rounded down; at most 1 ms."""
    step = min(1e-3, 0.2 * float(np.sqrt(mass / stiffness)))
    digit = 10.0 ** np.floor(np.log10(step) + 1e-9)
    return float(f"{np.floor(step / digit + 1e-9) * digit:.0e}")


def _laws(model: RobotModel, links: list[Link], pairs: list[tuple[str, str]],
          materials: Mapping[tuple[str, float | None], str], stiffness: float, lightest: float) -> list[dict[str, Any]]:
    """Return one law for each pair of materials that can be in contact."""
    of_link = {link.name: {materials[each.material, each.friction] for each in link.geometry} for link in links}
    friction = {name: mu for (_, mu), name in materials.items()}
    meeting = {frozenset((a, b)) for first, second in pairs for a in of_link[first] for b in of_link[second]}
    damping = float(f"{2 * DAMPING_RATIO * np.sqrt(stiffness * lightest):.2g}")
    return [_law(a, b, _combined(model.combine, friction[a], friction[b]), stiffness, damping)
            for a, b in combinations_with_replacement(sorted(friction), 2) if frozenset((a, b)) in meeting]


def _combined(how: str, a: float | None, b: float | None) -> float:
    given = [mu for mu in (a, b) if mu is not None]
    return (max if how == "max" else min)(given, default=0.0)


def _law(a: str, b: str, mu: float, stiffness: float, damping: float) -> dict[str, Any]:
    law: dict[str, Any] = {"name": f"{a}_{b}", "materials": [a, b],
                           "normal": {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": damping}}
    if mu > 0.0:
        law["friction"] = {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": stiffness,
                           "tangential_damping": damping}
    return law


def obj_text(mesh: Shape) -> str:
    """Return a mesh as the text of an OBJ file, with all digits."""
    assert isinstance(mesh, Mesh)
    return "".join([*(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist()),
                    *(f"f {a} {b} {c}\n" for a, b, c in (mesh.triangles + 1).tolist())])
