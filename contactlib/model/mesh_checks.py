"""What a scene says about its meshes when it is compiled: those that it refuses, and those that it warns of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from contactlib.shapes.importers.check import check_mesh
from contactlib.shapes.polytopes import Mesh

if TYPE_CHECKING:
    from contactlib.model.groups import FlatBody


class SceneWarning(UserWarning):
    """A scene compiles, but contact in it may not be what is meant. The base of all such warnings."""


class MeshWarning(SceneWarning):
    """A mesh of a scene is open, flat, crosses itself, or has another fault that `check_mesh` names."""


def refuse_no_solid(mesh: Mesh) -> None:
    """ValueError if a mesh makes a surface but no solid: closed parts of it are inside out."""
    faults = check_mesh(mesh).no_solid
    if faults:
        raise ValueError("; ".join(map(str, faults)))


def warn_of_meshes(bodies: Sequence[FlatBody], stacklevel: int) -> None:
    """One MeshWarning for each different mesh with faults, which names its first shape and body.

    `stacklevel` counts the callers up to the one that the warning is for, as in `warnings.warn`.
    """
    places: dict[Mesh, list[str]] = {}
    for body in bodies:
        for shape in body.shapes:
            if isinstance(shape.shape, Mesh):
                places.setdefault(shape.shape, []).append(f"shape '{shape.name}' of body '{body.name}'")
    for mesh, where in places.items():
        found = check_mesh(mesh).warnings
        if found:
            others = f" (and of {len(where) - 1} other shapes)" if len(where) > 1 else ""
            warnings.warn(f"mesh of {where[0]}{others}: {'; '.join(map(str, found))}", MeshWarning, stacklevel + 1)
