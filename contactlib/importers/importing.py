"""`import_model`: reads a model file, converts its meshes, and writes a scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

from contactlib.common import tables
from contactlib.common.files import write_text
from contactlib.common.xml_tree import read_xml
from contactlib.importers.convex import convex_parts
from contactlib.importers.joints import check_joints
from contactlib.importers.mjcf import read_mjcf
from contactlib.importers.parts import Geometry, RobotModel, Source, check_tree, merge_fixed
from contactlib.importers.scene import obj_text, scene_tables, scene_text, touching
from contactlib.importers.sdf import read_sdf
from contactlib.importers.urdf import read_urdf
from contactlib.model.spec import Spec
from contactlib.shapes.importers.mesh import check_surface
from contactlib.shapes.polytopes import Mesh, Polyhedron

MAX_BYTES = 64 << 20
#: reader of a format by its root element, and what its meshes become by default
FORMATS: dict[str, tuple[Callable[[Source, Element], RobotModel], str]] = {
    "mujoco": (read_mjcf, "hull"),  # as in MuJoCo's own contact
    "robot": (read_urdf, "mesh"),
    "sdf": (read_sdf, "mesh"),
}
MESHES = ("auto", "mesh", "hull", "convex")


def import_model(file: str | Path, out: str | Path, *, root: str | Path | None = None, outside: bool = False,
                 meshes: str = "auto", merge: bool = False, joints: bool = False, stiffness: float = 1e5,
                 progress: Callable[[float], None] | None = None) -> RobotModel:
    """Write the scene of a URDF, MJCF or SDF file: one body for each link, with its collision geometry and mass.

    Parameters
    ----------
    file : the model. Its root element decides on the format: robot, mujoco or sdf.
    out : folder for scene.toml and the folder meshes; made if it does not exist.
    root : folder below which files that the model names must lie; by default the folder of the model.
    outside : True lets the model name files anywhere.
    meshes : "mesh", "hull" (one convex hull of each mesh), "convex" (several convex parts, by CoACD), or "auto": hulls
        for MJCF, as in MuJoCo, and meshes for the other formats.
    merge : True merges each link that a fixed joint holds into its parent.
    joints : True makes links free bodies, and hinges, sliders and fixed joints elements of the scene (docs/joints.md);
        False leaves their motion to your simulator. SDF has no joints here.
    stiffness : normal stiffness (N/m) of all laws. The formats do not give one.
    progress : called with the converted part of all links, from 0 to 1.

    Returns
    -------
    RobotModel
        The links that were written; `left_out` names what was not taken over.

    Raises
    ------
    ValueError : the file, one that it names, or the scene that it makes is not valid. Nothing is written then.
    OSError : there is no such file.
    ImportError : a package of the extra `contactlib[import]` is missing.

    Examples
    --------
    >>> import tempfile
    >>> ball = "<collision name='ball'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "ball.sdf")
    ...     _ = file.write_text(f"<sdf version='1.9'><model name='ball'><link name='ball'>{ball}</link></model></sdf>")
    ...     model = import_model(file, folder)
    ...     spec = Spec.from_toml(Path(folder, "scene.toml"))
    >>> spec.body("ball").motion, spec.body("ball").mass, spec.body("ball").shapes[0].shape
    ('free', 1.0, Sphere(radius=0.1))
    """
    tables.choice(MESHES)("meshes", meshes)
    tables.number(0.0, above=True)("stiffness", stiffness)
    path = Path(file)
    try:
        model, usual = _read(Source(path, Path(root or path.parent), outside, joints), merge)
        model = touching(_with_meshes(model, usual if meshes == "auto" else meshes, progress))
        scene = scene_tables(model, float(stiffness))
        Spec.from_dict(scene, folder=path.parent).compile()
    except RecursionError:
        raise ValueError(f"{path}: its elements are nested too deep") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    _write(model, float(stiffness), path.name, Path(out))
    return model


def _read(source: Source, merge: bool) -> tuple[RobotModel, str]:
    """Return the model of a file, checked, and what its meshes become by default."""
    root = read_xml(_content(source.path), "the file")
    if root.tag not in FORMATS:
        tables.fail("root element", root.tag, "must be robot (URDF), mujoco (MJCF) or sdf (SDF)")
    if source.joints and root.tag == "sdf":
        raise ValueError("joints are not read from SDF: import it without --joints")
    read, usual = FORMATS[root.tag]
    model = read(source, root)
    check_tree(model)
    model = replace(merge_fixed(model) if merge else model, with_joints=source.joints)
    if source.joints:
        check_joints(model)
    return model, usual


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    return content


def _with_meshes(model: RobotModel, meshes: str, progress: Callable[[float], None] | None) -> RobotModel:
    """Return the model with its meshes as they are, or as convex hulls or parts."""
    links = []
    for link in model.links:
        pieces = tuple(piece for each in link.geometry for piece in _made_of(each, meshes))
        links.append(replace(link, geometry=pieces))
        if progress is not None:
            progress(len(links) / len(model.links))
    return replace(model, links=tuple(links))


def _made_of(geometry: Geometry, meshes: str) -> list[Geometry]:
    mesh = geometry.shape
    if not isinstance(mesh, Mesh) or geometry.is_ground:
        return [geometry]
    try:
        if meshes == "mesh":
            check_surface(mesh)
            return [geometry]
        if meshes == "hull":
            return [replace(geometry, shape=Polyhedron.hull_of(mesh.vertices))]
        return [replace(geometry, name=f"{geometry.name}_part{k}", shape=part)
                for k, part in enumerate(convex_parts(mesh), 1)]
    except ValueError as error:
        remedy = "; or take its hull with --meshes hull, or convex parts with --convex" if meshes == "mesh" else ""
        raise ValueError(f"mesh of '{geometry.name}': {error}{remedy}") from None


def _write(model: RobotModel, stiffness: float, source: str, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for geometry in (each for link in model.links for each in link.geometry if isinstance(each.shape, Mesh)):
        (out / "meshes").mkdir(exist_ok=True)
        write_text(out / "meshes" / f"{geometry.name}.obj", obj_text(geometry.shape))
    write_text(out / "scene.toml", scene_text(model, stiffness, source))
