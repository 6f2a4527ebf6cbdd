"""URDF files, read by yourdfpy."""

from __future__ import annotations

import io
from itertools import combinations
from typing import Any
from xml.etree.ElementTree import Element, tostring

import numpy as np

from contactlib.common import tables
from contactlib.common.vectors import dot, matmul
from contactlib.elements.joints import FixedJoint, Hinge, Slider
from contactlib.importers.joints import LinkJoint
from contactlib.importers.parts import Geometry, Link, Pose, RobotModel, Source, checked_mass, material_name
from contactlib.shapes.importers.mesh import FORMATS, read_triangles
from contactlib.shapes.polytopes import Mesh
from contactlib.shapes.shapes import Box, Cylinder, Shape, Sphere

#: kinds of joints that a scene has
KINDS = {"revolute": Hinge.kind, "continuous": Hinge.kind, "prismatic": Slider.kind, "fixed": FixedJoint.kind}


def read_urdf(source: Source, root: Element) -> RobotModel:
    """Read a URDF file with all joints at zero; its root link has the pose of the world.

    Raises ValueError for what yourdfpy refuses, for files outside the folder, and for masses that no body has.
    """
    try:
        import yourdfpy
    except ImportError:
        raise ImportError("reading URDF needs the package yourdfpy: pip install 'contactlib[import]'") from None
    try:
        urdf = yourdfpy.URDF.load(io.BytesIO(tostring(root)), build_scene_graph=True, load_meshes=False)
        robot, base = urdf.robot, urdf.base_link
        poses = {link.name: _pose(urdf.get_transform(link.name, base)) for link in robot.links}
    except Exception as error:  # yourdfpy raises many types of errors
        raise ValueError(f"yourdfpy cannot read it: {type(error).__name__}: {error}") from None
    return _Reader(source, root, robot, poses).read()


def _pose(matrix: Any) -> Pose:
    X = np.eye(4) if matrix is None else np.asarray(matrix, dtype=np.float64)
    return Pose(X[:3, 3].copy(), X[:3, :3].copy())


class _Reader:
    """Turns the links of a parsed file into ours."""

    def __init__(self, source: Source, root: Element, robot: Any, poses: dict[str, Pose]) -> None:
        self.source, self.root, self.robot, self.poses = source, root, robot, poses
        self.names = {link.name: source.unique("link", link.name, "link") for link in robot.links}
        for joint in robot.joints:
            for end in (joint.parent, joint.child):
                if end not in self.names:
                    raise ValueError(f"joint '{joint.name}': there is no link {end!r}")
        self.joints = {joint.child: joint for joint in robot.joints}
        self.left_out: list[str] = []
        self.notes = self.left_out if source.joints else []  # on joints

    def read(self) -> RobotModel:
        links = tuple(self._link(link) for link in self.robot.links)
        joined = {frozenset((self.names[joint.parent], self.names[joint.child])) for joint in self.robot.joints}
        pairs = tuple((a.name, b.name) for a, b in combinations(links, 2) if frozenset((a.name, b.name)) not in joined)
        self.left_out += [f"joint {joint.name!r} ({joint.type}): your simulator moves link {joint.child!r}"
                          for joint in self.robot.joints if joint.type != "fixed" and not self.source.joints]
        self.notes += [f"mimic of joint {joint.name!r}" for joint in self.robot.joints if joint.mimic is not None]
        self.left_out += [f"transmission {each.get('name')!r}" for each in self.root.iter("transmission")]
        if not any(self._friction(link.name) is not None for link in self.robot.links):
            self.left_out.append("friction: the file gives none, so the laws have none")
        return RobotModel(tables.as_name(self.robot.name or self.source.path.stem), links, pairs, tuple(self.left_out),
                          combine="min")

    def _link(self, link: Any) -> Link:
        joint = self.joints.get(link.name)
        visual = [each.material.name for each in link.visuals if each.material is not None and each.material.name]
        if link.visuals and not link.collisions:
            self.left_out.append(f"visual geometry of link {link.name!r}, which has no collision geometry")
        geometry = tuple(self._geometry(link, k, each, visual[0] if visual else None)
                         for k, each in enumerate(link.collisions))
        return Link(self.names[link.name], self.poses[link.name], geometry, self._mass(link),
                    "" if joint is None else self.names[joint.parent], "free" if joint is None else joint.type,
                    None if joint is None else self._moves(joint))

    def _moves(self, joint: Any) -> LinkJoint | None:
        """Return a joint in the frame of its parent; None for a kind that a scene does not have."""
        if joint.type not in KINDS:
            return None
        X = _pose(joint.origin)
        axis = dot(X.R, np.asarray((1.0, 0.0, 0.0) if joint.axis is None else joint.axis, dtype=np.float64))
        if not axis.any():
            raise ValueError(f"joint '{joint.name}': its axis is zero: give it a direction")
        limit, dynamics = joint.limit, joint.dynamics
        bounded = limit is not None and joint.type in ("revolute", "prismatic") and (
            np.isfinite([limit.lower or 0.0, limit.upper or 0.0]).all())
        return LinkJoint(
            self.source.unique("link", joint.name or "", f"joint_of_{self.names[joint.child]}"), KINDS[joint.type], X.p,
            axis, lower=float(limit.lower or 0.0) if bounded else None,
            upper=float(limit.upper or 0.0) if bounded else None,
            damping=0.0 if dynamics is None else float(dynamics.damping or 0.0),
            friction=0.0 if dynamics is None else float(dynamics.friction or 0.0),
            limit=0.0 if limit is None else float(limit.effort or 0.0)).ranged(self.notes)

    def _mass(self, link: Any) -> Any:
        inertial = link.inertial
        if inertial is None:
            return None
        X = _pose(inertial.origin)
        inertia = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia, dtype=np.float64)
        return checked_mass(link.name, float(inertial.mass or 0.0), X.p, matmul(matmul(X.R, inertia), X.R.T))

    def _geometry(self, link: Any, k: int, collision: Any, material: str | None) -> Geometry:
        try:
            shape = self._shape(collision.geometry)
        except TypeError:  # yourdfpy has None for an attribute that is missing
            raise ValueError(f"link '{link.name}', collision {k}: a size or the file name of its geometry is missing"
                             ) from None
        except (ValueError, OSError) as error:
            raise ValueError(f"link '{link.name}', collision {k}: {error}") from None
        name = self.source.unique("shape", collision.name or "", f"{self.names[link.name]}_{shape.kind}_{k}")
        return Geometry(name, shape, _pose(collision.origin), material_name(material), self._friction(link.name))

    def _shape(self, geometry: Any) -> Shape:
        if geometry.box is not None:
            x, y, z = (float(side) for side in geometry.box.size)
            return Box((x, y, z))
        if geometry.cylinder is not None:
            return Cylinder(float(geometry.cylinder.radius), float(geometry.cylinder.length))
        if geometry.sphere is not None:
            return Sphere(float(geometry.sphere.radius))
        if geometry.mesh is None or geometry.mesh.filename is None:
            raise ValueError("has no geometry: a box, a cylinder, a sphere or a mesh with a filename must "
                             "stand there")
        scale = geometry.mesh.scale
        return scaled_mesh(self.source, geometry.mesh.filename, np.ones(3) if scale is None else scale)

    def _friction(self, link: str) -> float | None:
        """Return the friction coefficient of a <gazebo> element for a link; None without one."""
        for element in self.root.iter("gazebo"):
            text = element.findtext("mu1") if element.get("reference") == link else None
            if text is not None:
                return friction_number(link, text)
        return None


def friction_number(link: str, text: str) -> float:
    """Return a friction coefficient. ValueError for a text that is none."""
    try:
        mu = float(text)
    except ValueError:
        mu = np.nan
    if not (np.isfinite(mu) and mu >= 0.0):
        raise ValueError(f"link '{link}': friction = {text.strip()!r}: must be a finite number of at least 0")
    return mu


def scaled_mesh(source: Source, name: str, scale: Any) -> Mesh:
    """Read the mesh that a file names, such as "package://robot/meshes/arm.stl", with a scale for each axis.

    A package is sought in the folder of the file and in the folders above it, up to the root.
    """
    scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), 3)
    if not (np.isfinite(scale).all() and scale.all()):
        raise ValueError(f"scale = {scale.tolist()}: must be finite and not zero")
    _, scheme, rest = name.rpartition("://")
    inner = rest.partition("/")[2]
    names = [rest, inner] if scheme and inner else [rest]
    folders = [source.path.resolve().parent, *source.path.resolve().parents]
    errors = []
    for each in names:
        try:
            path = source.find(each, folders)
            break
        except ValueError as error:
            errors.append(error)
    else:
        raise errors[0]
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"the mesh {name!r} has a format that is not read: convert it to one of {', '.join(FORMATS)}")
    mesh = read_triangles(path, root=source.root, outside=source.outside)
    triangles = mesh.triangles[:, ::-1] if np.prod(scale) < 0 else mesh.triangles
    return Mesh(mesh.vertices * scale, triangles)


