"""The parts of a Spec: bodies with groups and shapes, laws, pairs; frozen dataclasses, one to one with scene.toml."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from contactlib.model.foundation import sharpness_of
from contactlib.model.groups import cut
from contactlib.model.user_law_source import PythonModel
from contactlib.shapes.mass import MassProperties
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.shapes.shapes import Shape


@dataclass(frozen=True)
class BodyShape:
    """A shape on a body: pose (r in m, q scalar first) in the body, material, and density (kg/m3) if it gives mass."""

    name: str
    shape: Shape
    material: str
    r: tuple[float, ...] = (0.0, 0.0, 0.0)
    q: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    density: float | None = None

    def mass_properties(self) -> MassProperties | None:
        if self.density is None:
            return None
        return self.shape.mass_properties(self.density).moved(rotation_matrix(self.q), np.array(self.r))


@dataclass(frozen=True)
class Group:
    """A node of an object's tree at the pose (r in m, q) in its parent: with groups or with shapes, never both.

    `volume` is the bounding volume of what is below: "auto", "sphere", "aabb" (along the body's axes) or "obb" (along
    the group's own). A `movable` group is a rigid body of its own: then `motion`, mass and `state` count as those of a
    Body; without a state it starts where its parent holds it.
    """

    name: str
    r: tuple[float, ...] = (0.0, 0.0, 0.0)
    q: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    volume: str = "auto"
    shapes: tuple[BodyShape, ...] = ()
    groups: tuple[Group, ...] = ()
    movable: bool = False
    motion: str = "external"
    mass: float | None = None
    com: tuple[float, ...] | None = None
    inertia: tuple[tuple[float, ...], ...] | None = None
    state: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Body:
    """An object: a rigid body, or a tree of groups of which some are bodies of their own.

    `state` is where it starts: r, q, v, w (13 numbers, w in world axes). Two objects collide if each one's
    `collides_with` names one of the other's `collision_groups`; `self_collision`: so do the object's own bodies.
    """

    name: str
    motion: str = "external"
    shapes: tuple[BodyShape, ...] = ()
    groups: tuple[Group, ...] = ()
    mass: float | None = None
    com: tuple[float, ...] | None = None
    inertia: tuple[tuple[float, ...], ...] | None = None
    state: tuple[float, ...] = (0.0,) * 3 + (1.0,) + (0.0,) * 9
    collision_groups: tuple[str, ...] = ()
    collides_with: tuple[str, ...] = ()
    self_collision: bool = False

    def mass_properties(self) -> MassProperties | None:
        """Of the object itself, without its movable groups; None if it has neither a mass nor shapes with a density."""
        return next(cut(self, self.name, self.name, self.motion, self.state)).mass_properties()


@dataclass(frozen=True)
class Law:
    """How two surfaces push, stick, rub and roll: rows of the law tables with their parameters.

    `materials` are the pairs of materials that it is for (one pair may stand for itself); none for a law that only a
    Pair names. `curve` holds the points (depth in m, force in N) of a tabulated normal law. With a `log` its contacts
    are recorded in a file of that name, every `log_interval` s, or at every step if that is 0. A `sharpness` of 0 is
    the usual one: 4, or 2 of an elastic foundation.
    """

    name: str
    materials: tuple[tuple[str, ...], ...]
    normal: str
    normal_parameters: tuple[float, ...]
    friction: str = "none"
    friction_parameters: tuple[float, ...] = ()
    adhesion: str = "none"
    adhesion_parameters: tuple[float, ...] = ()
    rolling: str = "none"
    rolling_parameters: tuple[float, ...] = ()
    model: str = "none"
    model_parameters: tuple[float, ...] = ()
    python: PythonModel | None = None
    curve: tuple[tuple[float, float], ...] = ()
    sharpness: int = 0
    log: str = ""
    log_interval: float = 0.0

    def __post_init__(self) -> None:
        if self.materials and isinstance(self.materials[0], str):
            object.__setattr__(self, "materials", (self.materials,))
        object.__setattr__(self, "sharpness", sharpness_of(self.name, self.normal, self.sharpness))


@dataclass(frozen=True)
class Pair:
    """Two objects that may touch; `ignore` names kinds of shape pairs ("box-socket") that are left out.

    A `law`, by name, goes before those of the materials. Names may be shell patterns ("rock*"): the pair then
    stands for all pairs of different objects that match. Without `collide` the two do not touch, whatever patterns and
    collision groups say.
    """

    bodies: tuple[str, ...]
    ignore: tuple[str, ...] = ()
    law: str | None = None
    collide: bool = True
