"""MJCF files, read by MuJoCo itself: its compiled model has defaults, includes and frames resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from contactlib.common import tables
from contactlib.common.files import is_below
from contactlib.common.vectors import matmul
from contactlib.common.xml_tree import read_xml
from contactlib.elements.joints import FixedJoint, Hinge, Slider
from contactlib.importers.joints import LinkJoint
from contactlib.importers.parts import Geometry, Link, Pose, RobotModel, Source, checked_mass, material_name
from contactlib.shapes.heights import height_field
from contactlib.shapes.polytopes import Mesh
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere

FOLDER_KEYS = ("meshdir", "texturedir", "assetdir")
#: elements that name another MJCF file
INCLUDES = ("include", "model")
MAX_PLACES = 100_000


def read_mjcf(source: Source, root: Element) -> RobotModel:
    """Read an MJCF file at its home configuration, qpos0.

    Raises ValueError for what MuJoCo refuses, for files outside the folder, and for masses that no body has.
    """
    try:
        import mujoco
    except ImportError:
        raise ImportError("reading MJCF needs the package mujoco: pip install 'contactlib[import]'") from None
    if not source.outside:
        check_files(source, root)
    try:
        model = mujoco.MjModel.from_xml_path(str(source.path))
    except ValueError as error:
        raise ValueError(f"MuJoCo refuses it: {error}") from None
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return _Reader(mujoco, model, data, source).read(root.get("model") or source.path.stem)


def _pose(data: Any, body: int) -> Pose:
    return Pose(data.xpos[body].copy(), rotation_matrix(data.xquat[body]))


def check_files(source: Source, root: Element) -> None:
    """Raise ValueError if the file, or one that it includes, names a file outside the folder: MuJoCo would read it.

    A file may lie in the folder of any of these documents, or in any of their folders of assets.
    """
    documents, folders, names = [root], {source.path.parent}, set()
    seen = {source.path.resolve()}
    while documents:
        document = documents.pop()
        folders |= {base / element.attrib[key] for element in document.iter() for key in FOLDER_KEYS
                    if key in element.attrib for base in tuple(folders)}
        names |= {value for element in document.iter() for key, value in element.attrib.items()
                  if key.startswith("file")}
        if len(folders) * len(names) > MAX_PLACES:
            raise ValueError(f"it names files in more than {MAX_PLACES} places")
        for path in (folder / element.attrib["file"] for element in document.iter() if element.tag in INCLUDES
                     and "file" in element.attrib for folder in tuple(folders)):
            if is_below(path, source.root) and path.is_file() and path.resolve() not in seen:
                seen.add(path.resolve())
                folders.add(path.parent)
                documents.append(read_xml(path.read_bytes(), str(path)))
    for name in sorted(names):
        if not all(is_below(folder / name, source.root) for folder in folders):
            raise ValueError(f"the file {name!r} lies outside the folder {source.root}: put it there, name a folder "
                             f"above both with --root, or allow it with --outside")


class _Reader:
    """Turns a compiled MjModel into links."""

    def __init__(self, mujoco: Any, model: Any, data: Any, source: Source) -> None:
        self.mujoco, self.m, self.d, self.source = mujoco, model, data, source
        self.left_out: list[str] = []
        self.notes = self.left_out if source.joints else []  # on joints
        types = mujoco.mjtGeom
        self.shapes: dict[Any, Callable[[list[float]], Shape]] = {
            types.mjGEOM_PLANE: lambda size: Plane(),
            types.mjGEOM_SPHERE: lambda size: Sphere(size[0]),
            types.mjGEOM_CAPSULE: lambda size: Capsule(size[0], 2 * size[1]),
            types.mjGEOM_ELLIPSOID: lambda size: Ellipsoid((size[0], size[1], size[2])),
            types.mjGEOM_CYLINDER: lambda size: Cylinder(size[0], 2 * size[1]),
            types.mjGEOM_BOX: lambda size: Box((2 * size[0], 2 * size[1], 2 * size[2])),
        }

    def read(self, name: str) -> RobotModel:
        bodies = range(self.m.nbody)
        self.names = [self.source.unique("link", self.m.body(i).name, f"body_{i}") for i in bodies]
        world, *links = (self._link(i) for i in bodies)
        self._left_out_parts()
        kept = [world, *links] if world.geometry else [
            replace(link, parent="" if link.parent == world.name else link.parent) for link in links]
        pairs = tuple((self.names[i], self.names[j]) for i, j in combinations(bodies, 2) if self._may_touch(i, j))
        return RobotModel(tables.as_name(name), tuple(kept), pairs, tuple(self.left_out),
                          tuple(self.m.opt.gravity.tolist()))

    def _link(self, i: int) -> Link:
        m, d = self.m, self.d
        geoms = range(m.body_geomadr[i], m.body_geomadr[i] + m.body_geomnum[i])
        geometry = tuple(found for g in geoms if (found := self._geometry(i, g)) is not None)
        R = rotation_matrix(m.body_iquat[i])
        inertia = matmul(matmul(R, np.diag(m.body_inertia[i])), R.T)
        return Link(self.names[i], _pose(d, i), geometry,
                    checked_mass(m.body(i).name, float(m.body_mass[i]), m.body_ipos[i].copy(), inertia) if i else None,
                    "" if i == 0 else self.names[m.body_parentid[i]], self._joint(i), self._moves(i))

    def _moves(self, i: int) -> LinkJoint | None:
        """Return the joint of a body in the frame of its parent; None for a kind that a scene does not have."""
        m, d, types = self.m, self.d, self.mujoco.mjtJoint
        j, count, parent = m.body_jntadr[i], m.body_jntnum[i], m.body_parentid[i]
        X_PB = _pose(d, parent).inverse() * _pose(d, i)
        if i == 0 or count > 1 or m.body_mocapid[i] >= 0:
            return None
        if count == 0:
            label = self.source.unique("link", f"{self.names[i]}_joint", "")
            return LinkJoint(label, FixedJoint.kind, X_PB.p, np.zeros(3))
        kinds = {types.mjJNT_HINGE: Hinge.kind, types.mjJNT_SLIDE: Slider.kind}
        kind = types(m.jnt_type[j])
        if kind not in kinds:
            return None
        value, dof = m.qpos0[m.jnt_qposadr[j]], m.jnt_dofadr[j]
        low, high = m.jnt_range[j] if m.jnt_limited[j] else (None, None)
        if m.dof_armature[dof]:
            self.notes.append(f"armature of joint {m.joint(j).name or int(j)!r}")
        label = self.source.unique("link", m.joint(j).name, f"joint_of_{self.names[i]}")
        return LinkJoint(label, kinds[kind], m.jnt_pos[j].copy(), m.jnt_axis[j].copy(), float(value),
                         None if low is None else float(low), None if high is None else float(high),
                         float(m.jnt_stiffness[j]), float(m.qpos_spring[m.jnt_qposadr[j]]), float(m.dof_damping[dof]),
                         float(m.dof_frictionloss[dof])).seen_from(X_PB).ranged(self.notes)

    def _joint(self, i: int) -> str:
        """Return the kind of joint of a body, and note joints that this project does not simulate."""
        m, types = self.m, self.mujoco.mjtJoint
        if m.body_mocapid[i] >= 0:
            return "mocap"
        kinds = []
        for j in range(m.body_jntadr[i], m.body_jntadr[i] + m.body_jntnum[i]):
            kind = types(m.jnt_type[j]).name.removeprefix("mjJNT_").lower()
            kinds.append(kind)
            if kind != "free" and not self.source.joints:
                self.left_out.append(f"joint {m.joint(j).name or j!r} ({kind}): your simulator moves "
                                     f"body {self.names[i]}")
        return kinds[0] if kinds else "fixed"

    def _geometry(self, body: int, g: int) -> Geometry | None:
        m = self.m
        kind = self.mujoco.mjtGeom(m.geom_type[g])
        label = f"geom {m.geom(g).name or g!r} of body {self.names[body]}"
        if not (m.geom_contype[g] or m.geom_conaffinity[g] or g in m.pair_geom1 or g in m.pair_geom2):
            self.left_out.append(f"{label}: visual, it takes no part in contact")
            return None
        types = self.mujoco.mjtGeom
        grids = {types.mjGEOM_MESH: self._mesh, types.mjGEOM_HFIELD: self._height_field}
        shape = grids[kind](g) if kind in grids else None
        if kind in self.shapes:
            shape = self.shapes[kind](m.geom_size[g].tolist())
        if shape is None:
            name = kind.name.removeprefix("mjGEOM_").lower()
            self.left_out.append(f"{label}: a scene has no shape for the kind {name}")
            return None
        if m.geom_condim[g] > 3:
            self.left_out.append(f"{label}: torsional and rolling friction (condim = {m.geom_condim[g]})")
        material = m.geom_matid[g]
        return Geometry(self.source.unique("shape", m.geom(g).name, f"{self.names[body]}_{shape.kind}_{g}"), shape,
                        Pose(m.geom_pos[g].copy(), rotation_matrix(m.geom_quat[g])),
                        material_name(m.material(material).name if material >= 0 else None),
                        float(m.geom_friction[g, 0]) if m.geom_condim[g] > 1 else 0.0, kind == types.mjGEOM_HFIELD)

    def _mesh(self, g: int) -> Shape:
        m, k = self.m, self.m.geom_dataid[g]
        rows = slice(m.mesh_vertadr[k], m.mesh_vertadr[k] + m.mesh_vertnum[k])
        vertices = m.mesh_vert[rows].astype(np.float64)
        return Mesh(vertices, m.mesh_face[m.mesh_faceadr[k]:m.mesh_faceadr[k] + m.mesh_facenum[k]].copy())

    def _height_field(self, g: int) -> Shape:
        """Rows of MuJoCo's grid are along y; its data are heights over the largest one."""
        m, k = self.m, self.m.geom_dataid[g]
        nrow, ncol = int(m.hfield_nrow[k]), int(m.hfield_ncol[k])
        half_x, half_y, top, below = m.hfield_size[k].tolist()
        first = m.hfield_adr[k]
        heights = top * m.hfield_data[first:first + nrow * ncol].reshape(nrow, ncol).T.astype(np.float64)
        return height_field(heights, (2 * half_x / (ncol - 1), 2 * half_y / (nrow - 1)), below + float(heights.min()))

    def _may_touch(self, i: int, j: int) -> bool:
        """Whether MuJoCo lets two bodies touch: masks of their geoms, welded bodies, parents, exclusions, pairs."""
        m = self.m
        geoms = [range(m.body_geomadr[k], m.body_geomadr[k] + m.body_geomnum[k]) for k in (i, j)]
        explicit = [{int(a), int(b)} for a, b in zip(m.pair_geom1, m.pair_geom2, strict=True)]
        if any({a, b} in explicit for a in geoms[0] for b in geoms[1]):
            return True
        if (i << 16) + j in m.exclude_signature or (j << 16) + i in m.exclude_signature:
            return False
        welds = m.body_weldid[i], m.body_weldid[j]
        parents = [m.body_weldid[m.body_parentid[weld]] for weld in welds]
        if welds[0] == welds[1] or (0 not in welds and (welds[0] == parents[1] or welds[1] == parents[0])):
            return False
        return any((m.geom_contype[a] & m.geom_conaffinity[b]) or (m.geom_contype[b] & m.geom_conaffinity[a])
                   for a in geoms[0] for b in geoms[1])

    def _left_out_parts(self) -> None:
        m, kinds, name = self.m, self.mujoco.mjtObj, self.mujoco.mj_id2name
        self.notes += [f"gravcomp of body {self.names[i]}" for i in range(m.nbody) if m.body_gravcomp[i]]
        if m.opt.density or m.opt.viscosity:
            self.notes.append("density and viscosity of the medium")
        for what, count, kind in (("actuator", m.nu, kinds.mjOBJ_ACTUATOR), ("tendon", m.ntendon, kinds.mjOBJ_TENDON),
                                  ("equality constraint", m.neq, kinds.mjOBJ_EQUALITY),
                                  ("flex", m.nflex, kinds.mjOBJ_FLEX), ("sensor", m.nsensor, kinds.mjOBJ_SENSOR)):
            self.left_out += [f"{what} {name(m, kind, k) or k!r}" for k in range(count)]
