"""The tables of scene.toml from the objects of a .blend file, and the mesh files beside it.

Blender keeps 32-bit floats. So a number that came from a scene file travels in the mark of its object, with all digits,
and is written as long as the object still agrees with it to the precision of 32-bit floats. Otherwise the number is
what Blender shows, with the fewest digits that give the same 32-bit float.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .checks import find_problems, shape_material
from .frames import Floats, agrees, position_and_attitude, rounded_list, same_attitude
from .items import BODY, GROUP, LAST, SHAPE, TEXT, ExportError, Item, Problem
from .sizes import SIZE_KEYS, Sizes, same_vertices
from .toml_text import toml_text

#: triangles of a mesh that is still written into scene.toml; a larger one is a file
MOST_INLINE = 200
COMMENT = "Made from {source} by the Blender toolkit of contactlib; objects changed there, this file is made again."


@dataclass
class SceneFiles:
    """The text of scene.toml and of the files beside it by their paths, and what is worth a warning."""

    text: str
    files: dict[str, str] = field(default_factory=dict)
    warnings: list[Problem] = field(default_factory=list)


def read_tables(text: str) -> dict[str, Any]:
    """Return the tables of the text in the .blend file; ValueError, with the remedy, if it is no TOML or has bodies."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the text {TEXT} is no TOML file: {error}; correct it in the Text Editor") from None
    for key in ("body", "object"):
        if key in tables:
            raise ValueError(f"the text {TEXT} has a table '{key}': bodies are objects in Blender; delete it there")
    return tables


def export_scene(items: Sequence[Item], text: str, name: str, texts: Mapping[str, str] | None = None) -> SceneFiles:
    """Return the files of a scene.

    Parameters
    ----------
    items : the bodies, and marked objects outside all bodies.
    text : tables of the scene other than bodies, as TOML.
    name : name of the scene if `text` does not give one.
    texts : further files of the scene, such as a .pcm file, by their paths.

    Raises
    ------
    ExportError : the objects make no scene; a line for each problem.
    ValueError : the text is no TOML.
    """
    tables = read_tables(text)
    tables["scene"] = {"name": name} | dict(tables.get("scene", {}))
    sizes = Sizes()
    problems = find_problems(items, tables, sizes)
    if not any(item.role == BODY for item in items):
        problems.append(Problem(name, "has no body: select an object and use 'Mark as Body'"))
    faults = [problem for problem in problems if not problem.warning]
    if faults:
        raise ExportError(faults)
    writer = _Writer(sizes)
    bodies = [writer.node(item, item.name) for item in sorted(items, key=lambda i: (i.order, i.label))]
    comment = COMMENT.format(source=ascii(tables["scene"]["name"]))
    whole = {"scene": tables.pop("scene"), "body": bodies, **tables}
    return SceneFiles(toml_text(whole, comment), {**(texts or {}), **writer.files}, problems)


class _Writer:
    """Makes the tables of bodies, groups and shapes, and collects the mesh files."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.files: dict[str, str] = {}

    def node(self, item: Item, path: str) -> dict[str, Any]:
        """Return the table of a body or a group, with what it holds."""
        table = {"name": item.name, **{key: value for key, value in item.keys.items() if key not in ("name", "r", "q")}}
        if item.role == BODY:
            table.pop("state", None)
            table |= {"state": state} if (state := self._state(item)) else {}
        else:
            table |= _pose_keys(item.X, item.keys)
        shapes = [self.shape(child, f"{path}_{child.name}") for child in item.sorted_children(SHAPE)]
        groups = [self.node(child, f"{path}_{child.name}") for child in item.sorted_children(GROUP)]
        return table | ({"shape": shapes} if shapes else {}) | ({"group": groups} if groups else {})

    def _state(self, item: Item) -> dict[str, Any]:
        given = dict(item.keys.get("state", {}))
        moved = _pose_keys(item.X, given)
        return {**moved, **{key: value for key, value in given.items() if key not in ("r", "q")}}

    def shape(self, item: Item, path: str) -> dict[str, Any]:
        size = self.sizes.of(item)
        keys = {key: value for key, value in item.keys.items() if key not in ("name", "kind", "material", "r", "q")}
        if size.keys is not None:
            others = {key: value for key, value in keys.items() if key not in SIZE_KEYS}
            triangles = self._triangles(item, path)
            keys = others | (triangles or size.keys)
        place = _pose_keys(item.X, item.keys) if size.X is None else _pose_keys(item.X @ size.X, {})
        return {"name": item.name, "kind": item.kind, "material": shape_material(item), **keys, **place}

    def _triangles(self, item: Item, path: str) -> dict[str, Any]:
        """Return the keys of the triangles of a mesh, or of a polyhedron that is the hull of a file."""
        geometry = item.geometry
        assert geometry is not None
        from_file = "file" in item.keys
        if item.kind != "mesh" and not (item.kind == "polyhedron" and from_file):
            return {}
        if from_file or len(geometry.triangles) > MOST_INLINE:
            return self._file(path, geometry.vertices, geometry.triangles)
        return {"vertices": geometry.vertices.tolist(), "triangles": geometry.triangles.tolist()}

    def _file(self, path: str, vertices: Floats, triangles: Any) -> dict[str, Any]:
        name = f"meshes/{path}.obj"
        self.files[name] = obj_text(vertices, triangles)
        return {"file": name}


def _pose_keys(X: Floats, exact: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys r and q of a pose: the exact ones if it agrees with them. A key at its default is left out."""
    seen_r, seen_q = position_and_attitude(X)
    r, q = exact.get("r", [0.0, 0.0, 0.0]), exact.get("q", [1.0, 0.0, 0.0, 0.0])
    same_r = agrees(seen_r, r)
    same_q = same_attitude(seen_q, np.asarray(q, dtype=np.float64) / np.linalg.norm(q))
    keys: dict[str, Any] = {}
    if "r" in exact or not same_r:
        keys["r"] = list(r) if same_r else _position(seen_r)
    if "q" in exact or not same_q:
        keys["q"] = list(q) if same_q else rounded_list(seen_q)
    return keys


def _position(r: Floats) -> list[float]:
    """Return a position with few digits; less than a nanometre is rounding."""
    return rounded_list(np.where(np.abs(r) < 1e-9, 0.0, r))


def obj_text(vertices: Floats, triangles: Any) -> str:
    """Return a mesh as the text of an OBJ file, with all digits.

    >>> print(obj_text([[0.0, 0.0, 0.1], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]), end="")
    v 0.0 0.0 0.1
    v 1.0 0.0 0.0
    v 0.0 1.0 0.0
    f 1 2 3
    """
    points = np.asarray(vertices, dtype=np.float64).tolist()
    numbers = (np.asarray(triangles, dtype=np.int64) + 1).tolist()
    return "".join([*(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points), *(f"f {a} {b} {c}\n" for a, b, c in numbers)])


def exact_vertices(seen: Floats, exact: Floats | None) -> Floats:
    """Return the exact vertices if those that Blender shows agree with them, else the shown ones with few digits."""
    if exact is not None and same_vertices(seen, exact):
        return exact
    text = seen.astype(np.float32).astype("U16")
    result: Floats = text.astype(np.float64)
    return result


def mark_text(role: str, keys: Mapping[str, Any], label: str, order: int,
              shape: Mapping[str, Any] | None = None) -> str:
    """Return the text of an object's mark, the custom property `contact`.

    `shape` has the keys of the shape that the own mesh of a body is.
    """
    own = {} if shape is None else {"shape": {"keys": shape}}
    return json.dumps({"role": role, "keys": keys, "object": label, "order": order, **own})


def read_mark(text: str, label: str) -> dict[str, Any]:
    """Return an object's mark; ValueError, with the remedy, if the text is none."""
    try:
        mark = json.loads(text)
        good = isinstance(mark, dict) and isinstance(mark["keys"], dict) and isinstance(mark["role"], str)
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        raise ValueError(f"object '{label}' has a custom property 'contact' that is no mark of the toolkit: unmark the "
                         "object and mark it again")
    return {"object": None, "order": LAST, **mark}


def moved_keys(keys: Mapping[str, Any], X: Floats) -> dict[str, Any]:
    """Return the keys of a shape that stands at a pose: r and q with few digits."""
    return {**{key: value for key, value in keys.items() if key not in ("r", "q")}, **_pose_keys(X, {})}
