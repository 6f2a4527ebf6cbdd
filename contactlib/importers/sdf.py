"""SDF files (SDFormat). PyPI has no maintained parser, so the elements are read here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree.ElementTree import Element

import numpy as np

from contactlib.common import tables
from contactlib.common.vectors import dot, matmul, norm
from contactlib.importers.parts import Geometry, Link, Pose, RobotModel, Source, checked_mass, material_name
from contactlib.importers.sdf_frames import Scope, numbers, pose_of
from contactlib.importers.urdf import friction_number, scaled_mesh
from contactlib.shapes.cones import cone
from contactlib.shapes.mass import MassProperties
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere

MAX_DEPTH = 32  # of nested models


@dataclass(frozen=True)
class _Model:
    """A model: its scope, its pose in the world, the names of the models around it, whether it is static."""

    scope: Scope
    X_WM: Pose
    path: str
    static: bool


def read_sdf(source: Source, root: Element) -> RobotModel:
    """Read an SDF file with all joints at zero.

    Raises ValueError for included models, for poses that name no frame, for files outside the folder, and for masses
    that no body has.
    """
    top = root.find("world")
    return _Reader(source, root if top is None else top).read()


def _true(parent: Element, tag: str, default: bool = False) -> bool:
    text = parent.findtext(tag)
    return default if text is None else text.strip() in ("true", "1")


class _Reader:
    """Turns the models of a file into links."""

    def __init__(self, source: Source, top: Element) -> None:
        self.source, self.top = source, top
        self.left_out: list[str] = []
        self.names: dict[str, str] = {}  # of links in the scene, by "model::link"

    def read(self) -> RobotModel:
        models = list(self._models(Scope(self.top), Pose.identity(), "", False, 0))
        if not models:
            raise ValueError("has no <model>: there is nothing to import")
        many = len(models) > 1
        for model in models:
            for link in model.scope.element.iter("link"):
                if link in list(model.scope.element):
                    name = link.get("name", "")
                    self.names[f"{model.path}::{name}"] = self.source.unique(
                        "link", f"{model.path}_{name}".replace("::", "_") if many else name, "link")
        links = [(model, element, self._link(model, element)) for model in models
                 for element in model.scope.element if element.tag == "link"]
        gravity = numbers(self.top.find("gravity"), 3, (0.0, 0.0, -9.8))
        title = self.top.get("name") if many else models[0].scope.element.get("name")
        return RobotModel(tables.as_name(title or self.source.path.stem), tuple(link for *_, link in links),
                          tuple(self._pairs(links)), tuple(self.left_out), tuple(gravity.tolist()), combine="min")

    def _models(self, scope: Scope, X_WS: Pose, path: str, static: bool, depth: int) -> Iterator[_Model]:
        for element in scope.element.iter("include"):
            uri = (element.findtext("uri") or "").strip()
            raise ValueError(f"includes {uri!r}: write a file without includes with `gz sdf -p FILE`")
        if depth > MAX_DEPTH:
            raise ValueError(f"its models are nested more than {MAX_DEPTH} deep")
        for name, inner in scope.nested.items():
            model = _Model(inner, X_WS * scope.pose(name), f"{path}::{name}" if path else name,
                           static or _true(inner.element, "static"))
            self.left_out += [f"plugin {each.get('name')!r} of model {name!r}" for each in inner.element.iter("plugin")]
            yield model
            yield from self._models(inner, model.X_WM, model.path, model.static, depth + 1)

    def _link(self, model: _Model, element: Element) -> Link:
        name = element.get("name", "")
        label = self.names[f"{model.path}::{name}"]
        geometry = tuple(found for each in element.iter("collision")
                         if (found := self._geometry(label, element, each)) is not None)
        parent, joint = self._joint(model, name)
        mass = None if model.static else _mass(label, element)
        return Link(label, model.X_WM * model.scope.pose(name), geometry, mass, parent, joint)

    def _joint(self, model: _Model, link: str) -> tuple[str, str]:
        """Return the scene's name of the parent of a link, and the kind of the joint between them."""
        if model.static:
            return "", "fixed"
        for joint in model.scope.element.iter("joint"):
            child, parent = ((joint.findtext(tag) or "").strip() for tag in ("child", "parent"))
            if child != link:
                continue
            kind = joint.get("type", "")
            if kind != "fixed":
                self.left_out.append(f"joint {joint.get('name')!r} ({kind}): your simulator moves link {link!r}")
            if parent not in ("world", "__model__") and f"{model.path}::{parent}" not in self.names:
                raise ValueError(f"joint {joint.get('name')!r}: there is no link {parent!r} in model {model.path!r}")
            return self.names.get(f"{model.path}::{parent}", ""), kind
        return "", "free"

    def _geometry(self, link: str, element: Element, collision: Element) -> Geometry | None:
        name = collision.get("name", "")
        kinds = [each for each in collision.find("geometry") or () if each.tag != "empty"]
        try:
            shape, R = (None, np.eye(3)) if not kinds else self._shape(kinds[0])
            if shape is None:
                self.left_out.append(f"collision {name!r} of link {link}: a scene has no shape for the kind "
                                     f"{kinds[0].tag if kinds else 'empty'}")
                return None
            X = pose_of(collision)
            mu = collision.findtext("surface/friction/ode/mu", "1")
            return Geometry(self.source.unique("shape", name, f"{link}_{shape.kind}"), shape, Pose(X.p, matmul(X.R, R)),
                            material_name(element.findtext("visual/material/script/name")), friction_number(link, mu))
        except (ValueError, OSError) as error:
            raise ValueError(f"link '{link}', collision '{name}': {error}") from None

    def _shape(self, element: Element) -> tuple[Shape | None, np.ndarray]:
        """Return a shape, and its rotation in the frame of the collision; None for kinds that scenes do not have."""
        def number(tag: str) -> float:
            return float(numbers(element.find(tag), 1, (1.0,))[0])

        size = numbers(element.find("size"), 3, (1.0,) * 3) if element.tag == "box" else None
        made: dict[str, Shape] = {}
        if element.tag == "box" and size is not None:
            made["box"] = Box(tuple(size.tolist()))
        elif element.tag == "sphere":
            made["sphere"] = Sphere(number("radius"))
        elif element.tag in ("cylinder", "capsule"):
            kind = Cylinder if element.tag == "cylinder" else Capsule
            made[element.tag] = kind(number("radius"), number("length"))
        elif element.tag == "cone":
            return cone(number("radius"), number("length")), np.eye(3)
        elif element.tag == "ellipsoid":
            made["ellipsoid"] = Ellipsoid(tuple(numbers(element.find("radii"), 3, (1.0,) * 3).tolist()))
        elif element.tag == "plane":
            return Plane(), _along(numbers(element.find("normal"), 3, (0.0, 0.0, 1.0)))
        elif element.tag == "mesh" and element.find("submesh") is None:
            scale = numbers(element.find("scale"), 3, (1.0,) * 3)
            made["mesh"] = scaled_mesh(self.source, (element.findtext("uri") or "").strip(), scale)
        return made.get(element.tag), np.eye(3)

    def _pairs(self, links: list[tuple[_Model, Element, Link]]) -> Iterator[tuple[str, str]]:
        """Pairs of different models, and of links of one model that collide with each other and share no joint."""
        for (model, a, link_a), (other, b, link_b) in combinations(links, 2):
            joined = link_a.parent == link_b.name or link_b.parent == link_a.name
            own = _true(model.scope.element, "self_collide")
            if model.path.partition("::")[0] != other.path.partition("::")[0] or (
                    not joined and _true(a, "self_collide", own) and _true(b, "self_collide", own)):
                yield link_a.name, link_b.name


def _along(normal: np.ndarray) -> np.ndarray:
    """Return a rotation that turns z to a normal."""
    length = float(norm(normal))
    if not length > 0.0:
        raise ValueError("<normal> must not be zero")
    z = normal / length
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = x / np.sqrt(dot(x, x))
    return np.column_stack([x, np.cross(z, x), z])


def _mass(label: str, element: Element) -> MassProperties | None:
    """Return the mass properties of a link, by default those of the format: 1 kg and 1 kg m2."""
    inertial = element.find("inertial")
    if inertial is None:
        return MassProperties(1.0, np.zeros(3), np.eye(3))
    if inertial.get("auto") in ("true", "1"):
        raise ValueError(f"link '{label}': its inertia is to be computed (auto): write the numbers into the file")
    X = pose_of(inertial)
    xx, yy, zz, xy, xz, yz = (float(numbers(inertial.find(f"inertia/{tag}"), 1, (default,))[0]) for tag, default in (
        ("ixx", 1.0), ("iyy", 1.0), ("izz", 1.0), ("ixy", 0.0), ("ixz", 0.0), ("iyz", 0.0)))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return checked_mass(label, float(numbers(inertial.find("mass"), 1, (1.0,))[0]), X.p,
                        matmul(matmul(X.R, inertia), X.R.T))
