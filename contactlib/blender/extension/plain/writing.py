"""Writes the files of a scene: each beside its place, then moved there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .exporting import SceneFiles


def write_text(path: Path, text: str) -> Path:
    """Write a text so that a reader sees the old file or the whole new one. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        new.write_text(text, encoding="utf-8", newline="\n")
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
    return path


def write_scene(files: SceneFiles, folder: Path) -> Iterable[Path]:
    """Write scene.toml last, so that it names no file that is not there; return all paths.

    Raises ValueError for a file outside the folder, and OSError.
    """
    paths = []
    for name, text in files.files.items():
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"the file {name} lies outside the folder {folder}: rename it in the text of the scene")
        paths.append(write_text(path, text))
    return [*paths, write_text(folder / "scene.toml", files.text)]
