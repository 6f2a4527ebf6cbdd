"""Geoms of an MjModel as shapes of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import mujoco
import numpy as np

from contactlib.common import tables
from contactlib.model.spec import Spec

Geom = mujoco.mjtGeom
#: keys of a [[body.shape]] for each kind of geom, from geom_size; meshes are read from the model
KINDS: dict[int, Callable[[Sequence[float]], dict[str, Any]]] = {
    Geom.mjGEOM_PLANE: lambda size: {"kind": "plane"},
    Geom.mjGEOM_SPHERE: lambda size: {"kind": "sphere", "radius": size[0]},
    Geom.mjGEOM_CAPSULE: lambda size: {"kind": "capsule", "radius": size[0], "length": 2 * size[1]},
    Geom.mjGEOM_ELLIPSOID: lambda size: {"kind": "ellipsoid", "semi_axes": list(size)},
    Geom.mjGEOM_CYLINDER: lambda size: {"kind": "cylinder", "radius": size[0], "length": 2 * size[1]},
    Geom.mjGEOM_BOX: lambda size: {"kind": "box", "size": [2 * x for x in size]},
}


def scene_from_geoms(model: Any, pairs: Sequence[tuple[str, str]], *, step_size: float = 1e-4,
                     **law: Mapping[str, Any]) -> tuple[Spec, list[int]]:
    """Return a scene whose shapes are geoms of an MjModel, and the numbers of these geoms.

    Parameters
    ----------
    model : the MjModel.
    pairs : two names each, of bodies or geoms; a body stands for all its geoms that collide. Two bodies of MuJoCo
        collide with all their geoms that are in pairs. A plane is unbounded, and a mesh is its triangles, not its hull.
    step_size : longest step of the contact, s.
    law : the parts of a [[law]] for all contacts: normal, friction, adhesion, rolling.

    Raises
    ------
    ValueError : an unknown name, a body without a name, or a kind of geom that contactlib has not.

    Examples
    --------
    >>> import mujoco
    >>> model = mujoco.MjModel.from_xml_string('''<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
    ...     <body name="ball"><freejoint/><geom name="skin" size="0.1"/></body></worldbody></mujoco>''')
    >>> spec, geoms = scene_from_geoms(model, [("ball", "floor")], normal={
    ...     "kind": "kelvin_voigt", "stiffness": 1e5, "damping": 300.0})
    >>> [body.name for body in spec.bodies], geoms
    (['ball', 'world'], [1, 0])
    """
    sides = [tuple(_geoms(model, name) for name in pair) for pair in pairs]
    geoms = list(dict.fromkeys(geom for pair in sides for side in pair for geom in side))
    bodies = list(dict.fromkeys(int(model.geom_bodyid[geom]) for geom in geoms))
    meeting = {(min(a, b), max(a, b)): (a, b) for first, second in sides
               for a, b in product(*([int(model.geom_bodyid[g]) for g in side] for side in (first, second)))}
    tables_of_bodies = [{"name": _body_name(model, body), "shape": [
        _shape(model, geom) for geom in geoms if model.geom_bodyid[geom] == body]} for body in bodies]
    spec = Spec.from_dict({
        "scene": {"name": "mujoco", "step_size": step_size},
        "body": tables_of_bodies,
        "law": [{"name": "contact_law", "materials": ["geom", "geom"], **law}],
        "pair": [{"bodies": [_body_name(model, a), _body_name(model, b)]} for a, b in meeting.values()],
    })
    return spec, geoms


def geoms_of_pairs(model: Any, spec: Spec, links: Mapping[str, str],
                   geoms: Iterable[str | int] | None) -> Iterator[tuple[int, int]]:
    """Yield the pairs of geoms, by number, whose contact the scene's pairs take over.

    `links` are MuJoCo's bodies by the names of the scene's bodies; `geoms`, if given, limits the geoms, by name or
    number.
    """
    chosen = None if geoms is None else {geom for name in geoms for geom in _geoms(model, name)}
    for pair in spec.pairs:
        names = [links.get(name.partition(".")[0]) for name in pair.bodies]  # of a movable group: its object
        if None in names:
            continue
        sides = [[geom for geom in _geoms_of_body(model, model.body(name).id) if chosen is None or geom in chosen]
                 for name in names]
        yield from product(*sides)


def _geoms(model: Any, name: str | int) -> list[int]:
    """The geoms that a name stands for: those of a body, or one geom; a number is that of a geom."""
    if isinstance(name, int):
        return [name]
    bodies = [model.body(i).name for i in range(model.nbody)]
    geoms = [model.geom(i).name for i in range(model.ngeom)]
    if name and name in bodies:
        found = [i for i in _geoms_of_body(model, bodies.index(name))
                 if model.geom_contype[i] or model.geom_conaffinity[i]]
        if not found:
            raise ValueError(f"the body '{name}' of the MjModel has no geom that collides: give one a contype, or name "
                             "a geom")
        return found
    if name and name in geoms:
        return [geoms.index(name)]
    raise ValueError(f"the MjModel has no body and no geom '{name}'; {tables.hint(name, filter(None, bodies + geoms))}")


def _geoms_of_body(model: Any, body: int) -> list[int]:
    return [int(i) for i in np.flatnonzero(model.geom_bodyid == body)]


def _body_name(model: Any, body: int) -> str:
    name = model.body(body).name
    if not name:
        raise ValueError(f"body {body} of the MjModel has no name: give it one in the MJCF")
    return tables.as_name(name)


def _geom_name(model: Any, geom: int) -> str:
    name: str = model.geom(geom).name
    return name


def _shape(model: Any, geom: int) -> dict[str, Any]:
    """A geom as the table of a shape."""
    kind = int(model.geom_type[geom])
    if kind == Geom.mjGEOM_MESH:
        keys = _mesh(model, int(model.geom_dataid[geom]))
    elif kind in KINDS:
        keys = KINDS[kind](model.geom_size[geom].tolist())
    else:
        raise ValueError(f"the geom '{_geom_name(model, geom)}' is of the type {Geom(kind).name}: must be a plane, "
                         "sphere, capsule, ellipsoid, cylinder, box or mesh; leave it to MuJoCo, or write a scene.toml "
                         "for its body")
    return {"name": tables.as_name(_geom_name(model, geom), f"geom_{geom}"),
            "material": "geom", "r": model.geom_pos[geom].tolist(), "q": model.geom_quat[geom].tolist(), **keys}


def _mesh(model: Any, mesh: int) -> dict[str, Any]:
    """The triangles of a mesh; vertices are in the geom's frame, which MuJoCo puts at the mesh's centre."""
    corner, face = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
    return {"kind": "mesh", "vertices": model.mesh_vert[corner:corner + model.mesh_vertnum[mesh]].tolist(),
            "triangles": model.mesh_face[face:face + model.mesh_facenum[mesh]].tolist()}
