"""The objects of a .blend file from a scene.toml: bodies, groups and shapes, and a text for all other tables."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .drawing import draw
from .frames import pose
from .items import BODY, GROUP, SHAPE, Geometry, Item
from .mesh_files import height_field, read_heights, read_mesh
from .toml_text import toml_text

#: largest text file of a scene that travels in the .blend file, bytes
MOST_TEXT = 1_000_000
TEXT_FILES = (".pcm", ".py", ".toml", ".csv", ".txt", ".json")


@dataclass
class Imported:
    """The bodies of a scene, its other tables as TOML, and the text files that it names, by their paths."""

    name: str
    items: list[Item]
    text: str
    texts: dict[str, str] = field(default_factory=dict)


def read_scene(path: str | Path) -> Imported:
    """Return the objects of a scene file.

    Parameters
    ----------
    path : a scene.toml. A table [[object]] becomes a body with the content of its file.

    Raises
    ------
    ValueError : the file is no TOML, names a file outside its folder, or has a shape that cannot be drawn.
    OSError : there is no such file.
    """
    path = Path(path)
    tables = _toml(path)
    reader = _Reader(path.parent)
    rows = [(row, path.parent) for row in tables.get("body", [])]
    rows += [reader.instance(row) for row in tables.get("object", [])]
    items = [reader.node(row, BODY, folder, order) for order, (row, folder) in enumerate(rows)]
    others = {key: value for key, value in tables.items() if key not in ("body", "object")}
    name = str(others.get("scene", {}).get("name", path.stem))
    return Imported(name, items, toml_text(others), dict(_text_files(others, path.parent)))


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"{path}: not a TOML file: {error}") from None


def _text_files(value: Any, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the text files in the scene's folder that tables name, such as a .pcm file or a Python module."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _text_files(each, folder)
    elif isinstance(value, list):
        for each in value:
            yield from _text_files(each, folder)
    elif isinstance(value, str):
        module = re.fullmatch(r"([A-Za-z_]\w*):[A-Za-z_]\w*", value)
        name = f"{module[1]}.py" if module else value
        path = folder / name
        small = path.is_file() and path.stat().st_size <= MOST_TEXT
        if name.endswith(TEXT_FILES) and small and _is_below(path, folder):
            yield name, path.read_text(encoding="utf-8-sig")


def _is_below(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


class _Reader:
    """Reads the tables of bodies; files must lie in the scene's folder or below."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.drawn: dict[str, Geometry] = {}

    def file(self, folder: Path, name: str) -> Path:
        path = folder / name
        if not _is_below(path, self.root):
            raise ValueError(f"the file {name} lies outside the scene's folder {self.root}: put it there")
        return path

    def instance(self, row: Mapping[str, Any]) -> tuple[dict[str, Any], Path]:
        """Return the table of a body from a table [[object]] and its file, and the folder of that file."""
        path = self.file(self.root, str(row.get("file", "")))
        inner = dict(_toml(path).get("object", {}))
        own = {key: value for key, value in row.items() if key != "file"}
        return {**inner, **own}, path.parent

    def node(self, row: Mapping[str, Any], role: str, folder: Path, order: int) -> Item:
        """Return a body or a group with what it holds."""
        keys = {key: value for key, value in row.items() if key not in ("shape", "group")}
        place = keys.get("state", {}) if role == BODY else keys
        item = Item(str(keys.get("name", role)), role, keys, _pose(place), order=order)
        for k, shape in enumerate(row.get("shape", [])):
            item.children.append(self.shape(shape, folder, k))
        for k, group in enumerate(row.get("group", [])):
            item.children.append(self.node(group, GROUP, folder, k))
        return item

    def shape(self, row: Mapping[str, Any], folder: Path, order: int) -> Item:
        keys = dict(row)
        name = str(keys.get("name", keys.get("kind", SHAPE)))
        try:
            geometry = self._geometry(keys, folder)
        except (ValueError, TypeError, IndexError) as error:
            raise ValueError(f"shape '{name}': {error}") from None
        return Item(name, SHAPE, keys, _pose(keys), geometry, keys.get("material"), order=order)

    def _geometry(self, keys: dict[str, Any], folder: Path) -> Geometry:
        """Return what shows a shape; shapes with the same sizes share it, so that Blender has one mesh for them."""
        if "file" in keys:
            vertices, triangles = read_mesh(self.file(folder, keys["file"]))
            return _triangles(vertices * np.asarray(keys.get("scale", 1.0)), triangles)
        if "heights" in keys:
            heights = keys["heights"]
            grid = read_heights(self.file(folder, heights)) if isinstance(heights, str) else heights
            return _triangles(*height_field(grid, keys["spacing"], float(keys["thickness"])))
        for points in {"corners", "vertices"} & keys.keys():
            keys = {**keys, points: (np.array(keys[points]) * np.asarray(keys.get("scale", 1.0))).tolist()}
        sizes = {key: value for key, value in keys.items() if key not in ("name", "material", "r", "q", "density")}
        text = repr(sorted(sizes.items(), key=lambda each: each[0]))
        if text not in self.drawn:
            drawing = draw(str(keys.get("kind")), keys)
            if drawing is None:
                raise ValueError(f"kind = {keys.get('kind')!r}: unknown, or a size of it is missing: correct the "
                                 "scene file (docs/scenes.md)")
            if keys.get("kind") == "mesh":
                self.drawn[text] = _triangles(drawing.vertices, np.array(drawing.faces, dtype=np.int64).reshape(-1, 3))
            else:
                self.drawn[text] = Geometry(drawing.vertices, list(drawing.faces), edges=list(drawing.edges),
                                            hull=drawing.hull)
        return self.drawn[text]


def _triangles(vertices: Any, triangles: Any) -> Geometry:
    return Geometry(vertices, [tuple(row) for row in triangles.tolist()], triangles)


def _pose(keys: Mapping[str, Any]) -> Any:
    return pose(keys.get("r", (0.0, 0.0, 0.0)), keys.get("q", (1.0, 0.0, 0.0, 0.0)))
