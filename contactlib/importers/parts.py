"""What importers read from a file: links with collision geometry and mass, at the home configuration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.common.files import is_below
from contactlib.common.options import RESERVED
from contactlib.common.vectors import dot, matmul
from contactlib.shapes.mass import MassProperties, impossible_inertia
from contactlib.shapes.shapes import Shape

if TYPE_CHECKING:
    from contactlib.importers.joints import LinkJoint

Floats = NDArray[np.float64]
#: the material of geometry without one
MATERIAL = "surface"


@dataclass(frozen=True)
class Pose:
    """Pose X_AB of a frame B in a frame A: position p_AB (m) and rotation R_AB (3, 3)."""

    p: Floats
    R: Floats

    @classmethod
    def identity(cls) -> Pose:
        return cls(np.zeros(3), np.eye(3))

    def __mul__(self, other: Pose) -> Pose:
        """X_AC = X_AB X_BC."""
        return Pose(self.p + dot(self.R, other.p), matmul(self.R, other.R))

    def inverse(self) -> Pose:
        return Pose(-dot(self.R.T, self.p), self.R.T)


@dataclass(frozen=True)
class Geometry:
    """A collision shape of a link at its pose in the link: material by name, and friction coefficient if there is one.
    """

    name: str
    shape: Shape
    X_LG: Pose
    material: str = MATERIAL
    friction: float | None = None
    is_ground: bool = False  # a height field, of which no hull is taken


@dataclass(frozen=True)
class Link:
    """A rigid body at the home configuration.

    X_WL : pose of the link's frame in the world. mass : in the link's frame; None for a link without mass.
    parent : name of the link that its joint connects it to; empty for a root. `joint` : kind of this joint: "fixed",
    "free", or any other name. A root with the joint "fixed" does not move. moves : the joint, if a scene has its kind.
    """

    name: str
    X_WL: Pose
    geometry: tuple[Geometry, ...] = ()
    mass: MassProperties | None = None
    parent: str = ""
    joint: str = "fixed"
    moves: LinkJoint | None = None


@dataclass(frozen=True)
class RobotModel:
    """A model as a list of links.

    pairs : names of links whose contact the model allows. left_out : what was not taken over, a sentence each.
    combine : how the friction coefficients of two materials become that of their pair: "max" or "min".
    with_joints : whether joints become elements of the scene and their links free bodies.
    """

    name: str
    links: tuple[Link, ...]
    pairs: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...] = ()
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    combine: str = "max"
    with_joints: bool = False


@dataclass
class Source:
    """The model file, the folder below which it may name files, and the names that were given so far.

    joints : whether joints become elements of the scene.
    """

    path: Path
    root: Path
    outside: bool = False
    joints: bool = False
    taken: set[tuple[str, str]] = field(default_factory=lambda: {("link", name) for name in RESERVED})

    def find(self, name: str, folders: Iterable[Path]) -> Path:
        """Return the first file of that name below these folders.

        Raises ValueError if it lies outside the root, or if there is none.
        """
        for folder in folders:
            path = folder / name
            if not self.outside and not is_below(path, self.root):
                continue
            if path.is_file():
                return path
        raise ValueError(f"the file {name!r} was not found below the folder {self.root}: put it there, name a folder "
                         f"above both with --root, or allow files from elsewhere with --outside")

    def unique(self, kind: str, name: str, fallback: str) -> str:
        """Return a name for a scene, of letters, digits and _, that no other part of this kind has."""
        base = tables.as_name(name, fallback)
        found, k = base, 2
        while (kind, found) in self.taken:
            found, k = f"{base}_{k}", k + 1
        self.taken.add((kind, found))
        return found


def material_name(name: str | None) -> str:
    """Return the name of a material for a scene."""
    return tables.as_name(name or "", MATERIAL)


def checked_mass(link: str, mass: float, com: Floats, inertia: Floats) -> MassProperties | None:
    """Return mass properties; None without a mass. ValueError, with the link's name, for a mass that no body has."""
    if mass == 0.0 and not inertia.any():
        return None
    if not (np.isfinite(mass) and mass > 0.0 and np.isfinite(com).all() and np.isfinite(inertia).all()):
        raise ValueError(f"link '{link}': mass = {mass:g} kg: mass and inertia must be finite and greater than zero")
    if reason := impossible_inertia(inertia):
        raise ValueError(f"link '{link}': its inertia about the centre of mass {reason}: correct it in the model")
    return MassProperties(float(mass), np.asarray(com, dtype=np.float64), (inertia + inertia.T) / 2)


def check_tree(model: RobotModel) -> None:
    """Raise ValueError if parents of links make a circle."""
    parents = {link.name: link.parent for link in model.links}
    for link in model.links:
        name, steps = link.name, 0
        while name := parents.get(name, ""):
            steps += 1
            if steps > len(parents):
                raise ValueError(f"the joints of link '{link.name}' make a circle: a link is its own parent")


def merge_fixed(model: RobotModel) -> RobotModel:
    """Return the model with each link that a fixed joint holds merged into its parent, with mass and geometry."""
    links = {link.name: link for link in model.links}
    kept = {name: _holder(links, name) for name in links}
    merged = {name: link for name, link in links.items() if kept[name] == name}
    for name, link in links.items():
        if kept[name] != name:
            merged[kept[name]] = _joined(merged[kept[name]], link)
    result = tuple(_on(links, kept, link) for link in merged.values())
    pairs = {tuple(sorted((kept[a], kept[b]))): None for a, b in model.pairs if kept[a] != kept[b]}
    return replace(model, links=result, pairs=tuple((a, b) for a, b in pairs))


def _on(links: dict[str, Link], kept: dict[str, str], link: Link) -> Link:
    """Return the link on the link that its parent was merged into, with its joint in that one's frame."""
    holder = kept.get(link.parent, "")
    if link.moves is None or holder == link.parent:
        return replace(link, parent=holder)
    X_HP = links[holder].X_WL.inverse() * links[link.parent].X_WL
    return replace(link, parent=holder, moves=link.moves.seen_from(X_HP))


def _holder(links: dict[str, Link], name: str) -> str:
    while links[name].parent and links[name].joint == "fixed":
        name = links[name].parent
    return name


def _joined(base: Link, link: Link) -> Link:
    """Return the base with the link's geometry and mass, at the link's pose in the base."""
    X_BL = base.X_WL.inverse() * link.X_WL
    mass = None if link.mass is None else link.mass.moved(X_BL.R, X_BL.p)
    total = mass if base.mass is None else base.mass if mass is None else base.mass + mass
    return replace(base, mass=total, geometry=base.geometry + tuple(
        replace(each, X_LG=X_BL * each.X_LG) for each in link.geometry))
