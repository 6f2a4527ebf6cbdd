"""Scene files: the tables of a TOML, key by key, as the dataclasses of a Spec (docs/scenes.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, replace
from functools import cache
from itertools import chain, groupby, pairwise
from typing import Any

import numpy as np

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.files import SceneFolder, read_toml
from contactlib.common.options import CHOICES, LAW_PARTS, MOTIONS, RIM_METHODS, VOLUMES
from contactlib.common.tables import Table
from contactlib.elements import ELEMENTS
from contactlib.model import user_law_source
from contactlib.model.foundation import take_layer
from contactlib.model.law_parameters import check_together
from contactlib.model.parts import Body, BodyShape, Group, Law, Pair
from contactlib.model.restitution import LEAST, damping_at_speed, damping_of_oscillator
from contactlib.model.step_size import STEP_SIZE, longest, step_size
from contactlib.model.user_law_source import PythonModel
from contactlib.shapes.cones import MOST_SIDES, cone
from contactlib.shapes.mass import impossible_inertia
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import SHAPES, Shape, check_shape


def read(values: Mapping[str, Any], place: SceneFolder) -> tuple[dict[str, Any], str | None]:
    """The fields of a Spec from the tables of a scene, and the .pcm file that it names.

    Raises ValueError with the key's path, the value and what is allowed.
    """
    top = Table(values, "")
    scene = top.table("scene")
    choices: dict[str, Any] = {key: scene.take(key, tables.choice(names), names[0]) for key, names in CHOICES.items()}
    gravity: tuple[float, ...] = scene.take("gravity", tables.vector(3), (0.0, 0.0, 0.0))
    step: float | str = scene.take("step_size", step_size, STEP_SIZE)
    fields: dict[str, Any] = dict(
        name=scene.take("name", tables.name),
        description=scene.take("description", tables.text, ""),
        gravity=gravity,
        step_size=step,
        max_step_size=scene.take("max_step_size", tables.number(0.0, above=True), None),
        duration=scene.take("duration", tables.number(0.0, above=True), 1.0),
        **choices,
        mass_tolerance=scene.take("mass_tolerance", tables.number(1.0), 1.0),
        volume=scene.take("volume", tables.choice(VOLUMES), "auto"),
        max_contacts=scene.take("max_contacts", tables.integer(0, 100_000), 0),
        bodies=(*(_body(table, place) for table in top.tables("body")),
                *(_object(table, place) for table in top.tables("object"))),
        laws=tuple(_law(table, place) for table in top.tables("law")),
        pairs=tuple(_pair(table) for table in top.tables("pair")),
        elements=tuple(ELEMENTS[name].read(table, place.folder) for name in _element_tables(top)
                       for table in top.tables(name)),
    )
    longest(fields["step_size"], fields["max_step_size"], bool(fields["elements"]))
    contacts = scene.take("contacts", tables.text, None)
    scene.finish()
    top.finish()
    return fields, contacts


def _element_tables(top: Table) -> list[str]:
    """The names of all element tables; those of the file first, in its order."""
    given = list(top.values)
    return sorted(ELEMENTS, key=lambda name: given.index(name) if name in given else len(given))


#: a kind of shape that is made of corners when it is read
CONE = "cone"
_POSITIVE = tables.number(0.0, above=True)
_PLACE = tables.listing(tables.vector(3))

#: how the keys of shapes are read, by name
_SHAPE_KEYS: dict[str, tables.Reader[Any]] = {
    "radius": _POSITIVE,
    "length": tables.number(0.0),
    "size": tables.vector(3, _POSITIVE),
    "semi_axes": tables.vector(3, _POSITIVE),
    "rounding": tables.number(0.0),
    "corners": _PLACE,
    "vertices": _PLACE,
    "triangles": tables.listing(tables.listing(tables.integer(0, 1 << 31), 3)),
    "rim": tables.choice(RIM_METHODS),
    "rim_levels": tables.integer(1, 64),
}


def _scale(path: str, value: Any) -> tuple[float, ...]:
    """Read one factor, or three along the shape's axes."""
    if isinstance(value, list | tuple):
        return tables.vector(3, _POSITIVE)(path, value)
    return (_POSITIVE(path, value),) * 3


def _shape(table: Table, place: SceneFolder) -> BodyShape:
    kind = table.take("kind", tables.choice([*SHAPES, CONE]))
    try:
        shape = _cone(table) if kind == CONE else _shape_of(table, SHAPES[kind], place)
        check_shape(shape)
    except (ValueError, OSError) as error:
        text = str(error)
        raise ValueError(text if text.startswith(table.path) else f"{table.path}: {text}") from None
    result = BodyShape(
        name=table.take("name", tables.name),
        shape=shape,
        material=table.take("material", tables.name),
        r=table.take("r", tables.vector(3), (0.0, 0.0, 0.0)),
        q=table.take("q", tables.quaternion, (1.0, 0.0, 0.0, 0.0)),
        density=table.take("density", tables.number(0.0, above=True), None),
    )
    table.finish()
    return result


def _cone(table: Table) -> Shape:
    """A cone or frustum, which is a polyhedron from here on."""
    radius, length = table.take("radius", tables.number(0.0)), table.take("length", _POSITIVE)
    top_radius = table.take("top_radius", tables.number(0.0), 0.0)
    return cone(radius, length, top_radius, table.take("sides", tables.integer(3, MOST_SIDES), 64))


def _shape_of(table: Table, kind: type[Shape], place: SceneFolder) -> Shape:
    if "file" in table.values:
        return _from_file(table, kind, place)
    if "heights" in table.values:
        return _from_heights(table, kind, place)
    return _from_keys(table, kind)


def _from_heights(table: Table, kind: type[Shape], place: SceneFolder) -> Shape:
    """The solid below a grid of heights: rows of numbers, or the file that holds them."""
    from contactlib.shapes.heights import height_field, read_heights

    if not issubclass(kind, Mesh):
        tables.fail(table.at("heights"), table.values["heights"], "only a mesh is made from heights")
    if isinstance(table.values["heights"], str):
        heights: Any = read_heights(place.file(table.take("heights", tables.text)))
    else:
        heights = table.take("heights", tables.listing(tables.listing(tables.number())))
    spacing = table.take("spacing", tables.vector(2, _POSITIVE))
    return height_field(heights, spacing, table.take("thickness", _POSITIVE))


def _from_keys(table: Table, kind: type[Shape]) -> Shape:
    arguments: dict[str, Any] = {}
    for key, info in kind.__dataclass_fields__.items():
        if key in _SHAPE_KEYS:
            optional = {"default": info.default} if info.default is not MISSING else {}
            arguments[key] = table.take(key, _SHAPE_KEYS[key], **optional)
    if "scale" in table.values and issubclass(kind, Mesh | Polyhedron):
        points = "vertices" if issubclass(kind, Mesh) else "corners"
        arguments[points] = tuple(map(tuple, np.array(arguments[points]) * table.take("scale", _scale)))
    shape = kind(**arguments)
    if isinstance(shape, Mesh) and (repair := _repairs(table)):
        from contactlib.shapes.importers.repair import repair_mesh

        return repair_mesh(shape, repair)
    return shape


def _repairs(table: Table) -> tuple[str, ...]:
    nothing: tuple[str, ...] = ()
    return table.take("repair", tables.listing(tables.text), nothing)


def _from_file(table: Table, kind: type[Shape], place: SceneFolder) -> Shape:
    """A mesh, or the hull of one, from an STL, OBJ, PLY or glTF file."""
    from contactlib.shapes.importers.mesh import load_mesh

    if not issubclass(kind, Mesh | Polyhedron):
        tables.fail(table.at("file"), table.values["file"], "only a mesh or a polyhedron comes from a file")
    path = place.file(table.take("file", tables.text))
    one: tuple[float, ...] = (1.0, 1.0, 1.0)
    scale = table.take("scale", _scale, one)
    mesh = load_mesh(path, scale=scale, repair=_repairs(table), root=place.root, outside=place.outside)
    if issubclass(kind, Mesh):
        return mesh
    return Polyhedron.hull_of(mesh.vertices, table.take("rounding", _SHAPE_KEYS["rounding"], 0.0))


def _inertia(path: str, value: Any) -> tuple[tuple[float, ...], ...]:
    """Three principal moments, or the symmetric 3 x 3 matrix."""
    if isinstance(value, list | tuple) and len(value) == 3 and not any(isinstance(v, list | tuple) for v in value):
        moments = tables.vector(3)(path, value)
        value = [[moments[i] if i == j else 0.0 for j in range(3)] for i in range(3)]
    rows = tables.listing(tables.vector(3), 3)(path, value)
    matrix = np.array(rows)
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * np.abs(matrix).max()):  # zeros have rounding
        tables.fail(path, value, "must be symmetric")
    if problem := impossible_inertia(matrix):
        tables.fail(path, value, problem)
    return rows


def _state(table: Table) -> tuple[float, ...]:
    zero: tuple[float, ...] = (0.0, 0.0, 0.0)
    unit: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    state = (
        *table.take("r", tables.vector(3), zero),
        *table.take("q", tables.quaternion, unit),
        *table.take("v", tables.vector(3), zero),
        *table.take("w", tables.vector(3), zero),
    )
    table.finish()
    return state


def _mass(table: Table) -> dict[str, Any]:
    """The keys of a rigid body that a body and a movable group share."""
    keys = {
        "motion": table.take("motion", tables.choice(MOTIONS), "external"),
        "mass": table.take("mass", _POSITIVE, None),
        "com": table.take("com", tables.vector(3), None),
        "inertia": table.take("inertia", _inertia, None),
    }
    if (keys["mass"] is None) != (keys["inertia"] is None):
        raise ValueError(f"{table.path}: mass and inertia must be given together, or neither (then densities count)")
    return keys


def _collisions(table: Table) -> dict[str, Any]:
    """The keys that say with what an object collides."""
    names = tables.listing(tables.name)
    none: tuple[str, ...] = ()
    return {
        "collision_groups": table.take("collision_groups", names, none),
        "collides_with": table.take("collides_with", names, none),
        "self_collision": table.take("self_collision", tables.boolean, False),
    }


def _children(table: Table, place: SceneFolder) -> dict[str, Any]:
    """Shapes or groups, never both."""
    shapes = tuple(_shape(row, place) for row in table.tables("shape"))
    groups = tuple(_group(row, place) for row in table.tables("group"))
    if shapes and groups:
        raise ValueError(f"{table.path}: has groups and shapes; put the shapes into a group of their own")
    names = [group.name for group in groups]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{table.path}: group '{name}' is defined twice: names must be unique")
    return {"shapes": shapes, "groups": groups}


def _group(table: Table, place: SceneFolder) -> Group:
    movable = table.take("movable", tables.boolean, False)
    own: dict[str, Any] = {}
    if movable:
        own = _mass(table) | ({"state": _state(table.table("state"))} if "state" in table.values else {})
    group = Group(
        name=table.take("name", tables.name),
        r=table.take("r", tables.vector(3), (0.0, 0.0, 0.0)),
        q=table.take("q", tables.quaternion, (1.0, 0.0, 0.0, 0.0)),
        volume=table.take("volume", tables.choice(VOLUMES), "auto"),
        movable=movable,
        **_children(table, place),
        **own,
    )
    table.finish()
    return group


def _body(table: Table, place: SceneFolder) -> Body:
    body = Body(name=table.take("name", tables.name), state=_state(table.table("state")), **_mass(table),
                **_collisions(table), **_children(table, place))
    table.finish()
    return body


def _object(table: Table, place: SceneFolder) -> Body:
    """One instance of an object that a file describes, with a name and a start of its own."""
    name, file = table.take("name", tables.name), table.take("file", tables.text)
    try:
        path = place.file(file)
        top = Table(read_toml(path), "")
        inner = top.table("object")
        body = Body(name=name, **_mass(inner), **_collisions(inner), **_children(inner, place.below(path.parent)))
        inner.finish()
        top.finish()
    except (ValueError, OSError) as error:
        raise ValueError(f"{table.at('file')} = {file!r}: {error}") from None
    body = replace(body, state=_state(table.table("state")),
                   motion=table.take("motion", tables.choice(MOTIONS), body.motion),
                   **{key: value for key, value in _collisions(table).items() if value})
    table.finish()
    return body


@cache
def _law_rows(part: str) -> dict[str, tuple[Any, ...]]:
    return dict(engine.law_tables()[part])


def law_part(table: Table, part: str, required: bool = False) -> tuple[str, tuple[float, ...], tuple[Any, ...]]:
    """A row of a law table with its parameters, as `{ kind = ..., parameter = ... }`, and the points of a curve."""
    given = table.table(part)
    if not required and not given.values:
        return "none", (), ()
    known = _law_rows(part)
    kind = given.take("kind", tables.choice(known))
    curve = _curve(given) if part == "normal" and engine.needs_curve(kind) else ()
    if "restitution" in given.values and "damping" in [row[0] for row in known[kind]]:
        _damp(given, kind)
    if part == "normal" and engine.needs_surface(kind):
        take_layer(given)
    named: dict[str, tuple[float, ...]] = {}
    for name, rows in groupby(known[kind], key=lambda row: row[0].partition("[")[0]):  # v[1], v[2], v[3] are one list
        pieces = list(rows)
        readers = [tables.number(minimum, above=above) for _name, _unit, minimum, above, _text, _default in pieces]
        default = tuple(row[-1] for row in pieces if row[-1] is not None)
        if name not in given.values and len(default) == len(pieces):
            given.taken.append(name)
            named[name] = default
        elif len(readers) == 1:
            named[name] = (given.take(name, readers[0]),)
        else:
            named[name] = given.take(name, tables.vector(len(readers), readers[0]))
    given.finish()
    check_together(given.path, named)
    return kind, tuple(chain(*named.values())), curve


def _damp(table: Table, kind: str) -> None:
    """Replace the restitution of a normal law, and what it refers to, by the damping."""
    if "damping" in table.values:
        tables.fail(table.at("damping"), table.values["damping"], "must be left out: restitution sets it")
    restitution = table.take("restitution", tables.number(LEAST))
    if restitution > 1.0:
        tables.fail(table.at("restitution"), restitution, f"must be a number from {LEAST:g} to 1")
    if kind == "kelvin_voigt":
        mass, stiffness = table.take("mass", _POSITIVE), table.take("stiffness", _POSITIVE)
        table.values["stiffness"] = stiffness
        table.values["damping"] = damping_of_oscillator(restitution, stiffness, mass)
    else:
        table.values["damping"] = damping_at_speed(restitution, table.take("impact_speed", _POSITIVE))


def _curve(table: Table) -> tuple[tuple[float, float], ...]:
    """Points (depth, force) that a curve goes through after (0, 0)."""
    depth = table.take("depth", tables.listing(tables.number(0.0, above=True)))
    force = table.take("force", tables.listing(tables.number(0.0)))
    if not depth or any(a >= b for a, b in pairwise(depth)):
        tables.fail(table.at("depth"), list(depth), "must have values that grow")
    if len(force) != len(depth) or force[-1] < (0.0, *force)[-2]:
        tables.fail(table.at("force"), list(force), f"must have {len(depth)} values, as depth, and not fall at the end")
    return tuple(zip(depth, force, strict=True))


def _law(table: Table, place: SceneFolder) -> Law:
    parts: dict[str, Any] = {}
    *others, whole = LAW_PARTS
    alone = whole in table.values
    for part in others:
        if alone and part in table.values:
            tables.fail(table.at(part), table.values[part], f"must be left out, for '{whole}' stands in its place")
    python = _python_model(table, whole, place)
    for part in LAW_PARTS:
        parts[part], parts[f"{part}_parameters"], curve = law_part(table, part, part == others[0] and not alone)
        parts["curve"] = curve or parts.get("curve", ())
    law = Law(table.take("name", tables.name), table.take("materials", _materials, ()),
              log=table.take("log", tables.file_name, ""),
              sharpness=table.take("sharpness", tables.integer(2, 16), 0),
              log_interval=table.take("log_interval", tables.number(0.0), 0.0), python=python, **parts)
    table.finish()
    return law


def _python_model(table: Table, part: str, place: SceneFolder) -> PythonModel | None:
    """A contact model of which the kind is "module:Class"; all other keys are arguments of the class."""
    given = table.values.get(part)
    kind = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(kind, str) or ":" not in kind:
        return None
    arguments = table.values.pop(part)
    table.taken.append(part)
    return user_law_source.read(table.at(part), kind, {k: v for k, v in arguments.items() if k != "kind"}, place)


def _materials(path: str, value: Any) -> tuple[tuple[str, ...], ...]:
    """Two names, or a list of such pairs."""
    pair = tables.listing(tables.name, 2)
    if isinstance(value, list | tuple) and value and all(isinstance(row, list | tuple) for row in value):
        return tables.listing(pair)(path, value)
    return (pair(path, value),)


def _pair(table: Table) -> Pair:
    pair = Pair(table.take("bodies", tables.listing(tables.pattern, 2)),
                table.take("ignore", tables.listing(tables.text), ()), table.take("law", tables.name, None),
                table.take("collide", tables.boolean, True))
    if not pair.collide and (pair.ignore or pair.law):
        tables.fail(table.at("collide"), False, "must be left out, or law and ignore must: two that never touch need "
                                                "none")
    table.finish()
    return pair
