"""The model file: writes a checked Spec as the bytes that core/model/format.hpp describes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib._core import engine
from contactlib.common import tables
from contactlib.common.options import CHOICES, LAW_PARTS, MOTIONS, RESERVED, RIM_METHODS, VOLUMES
from contactlib.elements import base as elements
from contactlib.elements import in_order
from contactlib.model.groups import FlatBody, Masses
from contactlib.model.material_pairs import KINDS
from contactlib.model.mesh_checks import refuse_no_solid, warn_of_meshes
from contactlib.model.pairs import pairs_of
from contactlib.model.step_size import longest
from contactlib.shapes.mass import MassProperties, impossible_inertia
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import Shape, Socket, check_shape

if TYPE_CHECKING:
    from contactlib.model.parts import Body, BodyShape, Group, Law
    from contactlib.model.spec import Spec

MAGIC = b"contact\n"
#: the records of the file, from the layout in the core
RECORDS = engine.record_types()
INDEX, NUMBER = np.dtype("<i4"), np.dtype("<f8")
#: sections of plain numbers
PLAIN: dict[str, np.dtype[Any]] = {"index": INDEX, "number": NUMBER}
PYTHON = -1  # the row of a contact model that the caller brings


def _record(kind: str, /, **values: Any) -> bytes:
    """One record as bytes; each field by its name, all of them but `reserved`."""
    record = np.zeros((), dtype=RECORDS[kind])
    missing = set(record.dtype.names or ()) - {"reserved"} ^ set(values)
    assert not missing, (kind, missing)
    for name, value in values.items():
        record[name] = _of_type(record[name].dtype, record[name].shape, f"{kind}.{name}", value)
    return record.tobytes()


def _records(kind: str, rows: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """Many records of one kind, field by field; a row that does not fit is refused as `_record` refuses it."""
    records = np.zeros(len(rows), dtype=RECORDS[kind])
    for name in set(records.dtype.names or ()) - {"reserved"} if rows else ():
        column = records[name]
        try:
            column[...] = _of_type(column.dtype, column.shape, f"{kind}.{name}", [row[name] for row in rows])
        except ValueError:
            return [_record(kind, **row) for row in rows]
    return [records.tobytes()]


def _of_type(dtype: np.dtype[Any], shape: tuple[int, ...], where: str, value: Any) -> NDArray[Any]:
    """The value of a field. Only a Spec made in Python, without `from_dict`, can have one of another type or length."""
    try:
        given = np.asarray(value)
    except ValueError:  # lists of different lengths
        tables.fail(where, value, "must be numbers")
    integer = dtype.kind in "iu"
    if given.shape != shape or given.dtype.kind not in ("biu" if integer else "biuf"):
        number = "an integer" if integer else "a number"
        many = f"{' x '.join(map(str, shape))} {'integers' if integer else 'numbers'}"
        tables.fail(where, value, f"must be {many if shape else number}")
    if integer and (given < np.iinfo(dtype).min).any() | (given > np.iinfo(dtype).max).any():
        tables.fail(where, value, f"must be from {np.iinfo(dtype).min} to {np.iinfo(dtype).max}")
    return given


def read_section(content: bytes, tag: int, kind: str) -> NDArray[Any]:
    """The records of one section of a model file, by its number in core/model/format.hpp; or plain numbers."""
    section = np.frombuffer(content, RECORDS["section"], tag + 1, RECORDS["header"].itemsize)[tag]
    record: np.dtype[Any] = PLAIN[kind] if kind in PLAIN else RECORDS[kind]
    found: NDArray[Any] = np.frombuffer(content, record, int(section["count"]), int(section["offset"]))
    return found


class _Strings:
    """The text section: every name once."""

    def __init__(self) -> None:
        self.content = bytearray()

    def add(self, text: str) -> tuple[int, int]:
        data = text.encode()
        at = len(self.content)
        self.content += data
        return at, len(data)


def write_model(spec: Spec, bodies: Sequence[FlatBody], outline: bool) -> bytes:
    """The bytes of a model with all rigid bodies of a scene.

    ValueError as `Model.from_spec`, which calls this for the caller of `Spec.compile`.
    """
    _check_names(spec)
    strings, surfaces = _Strings(), _Surfaces()
    materials = sorted({shape.material for body in bodies for shape in body.shapes})
    choices = {key: allowed.index(tables.choice(allowed)(key, getattr(spec, key))) for key, allowed in CHOICES.items()}
    tolerance = tables.number(1.0)("scene.mass_tolerance", spec.mass_tolerance)
    _check_coupling(spec, bodies)
    step = longest(spec.step_size, spec.max_step_size, bool(spec.elements))
    scene = _record("scene", name=strings.add(spec.name), gravity=spec.gravity, step_size=step,
                    duration=spec.duration, mass_tolerance=tolerance, max_contacts=spec.max_contacts,
                    volume=VOLUMES.index(spec.volume) - 1, **choices)
    _check_shapes(bodies)
    warn_of_meshes(bodies, stacklevel=4)  # the caller of Spec.compile
    groups: list[dict[str, Any]] = []
    shape_rows: list[dict[str, Any]] = []
    place = {material: i for i, material in enumerate(materials)}
    for i, body in enumerate(bodies):
        first = len(groups)  # numbers of groups count on through the bodies
        groups += [dict(body=i, parent=_from(first, g.parent), volume=VOLUMES.index(g.volume) - 1, p=g.r, q=g.q)
                   for g in body.groups]
        shape_rows += [_shape(s, i, _from(first, group), place[s.material], surfaces)
                       for s, group in zip(body.shapes, body.group_of, strict=True)]
    touching = pairs_of(spec, bodies)
    pairs = [dict(body_a=p.a, body_b=p.b, law=p.law, order=p.order, ignore=_bits(p.ignored)) for p in touching.pairs]
    rules = [dict(class_a=r.a, class_b=r.b, law=r.law, order=r.order, same_object=int(r.same_object),
                  directed=int(r.directed), ignore=_bits(r.ignored)) for r in touching.rules]
    curves: list[bytes] = []
    laws = [_law(law, strings, curves, outline) for law in spec.laws]
    material_pairs = [_record("material_pair", material_a=materials.index(a), material_b=materials.index(b), law=i)
                      for i, law in enumerate(spec.laws) for a, b in law.materials]
    masses = Masses()
    body_rows = [_body(body, masses.of(body), strings) | dict(pair_class=pair_class, object=number)
                 for body, pair_class, number in zip(bodies, touching.classes, touching.objects, strict=True)]
    packed_elements = elements.Sections()
    by_name = {body.name: body for body in bodies}
    for element in in_order(spec, by_name):
        packed_elements.add(element, by_name)
    packed = [_record("element", name=strings.add(name), kind=strings.add(kind), **numbers)
              for name, kind, numbers in packed_elements.records]
    size = {kind: record.itemsize for kind, record in RECORDS.items()}
    return _container([
        (size["scene"], [scene]), (size["body"], _records("body", body_rows)),
        (size["group"], _records("group", groups)),
        (size["shape"], _records("shape", shape_rows)), (size["law"], laws), (size["curve_point"], curves),
        (size["material_pair"], material_pairs), (size["pair"], _records("pair", pairs)),
        (size["surface"], surfaces.records), (size["vertex"], surfaces.vertices),
        (INDEX.itemsize, surfaces.counts), (INDEX.itemsize, surfaces.loops),
        (size["element"], packed), (NUMBER.itemsize, [np.array(packed_elements.numbers, NUMBER).tobytes()]),
        (INDEX.itemsize, [np.array(packed_elements.integers, INDEX).tobytes()]),
        (1, [bytes(strings.content)]), (size["pair_rule"], _records("pair_rule", rules)),
    ])


def _from(first: int, index: int) -> int:
    return first + index if index >= 0 else -1


def _shape(s: BodyShape, body: int, group: int, material: int, surfaces: _Surfaces) -> dict[str, Any]:
    rim = RIM_METHODS.index(s.shape.rim) if isinstance(s.shape, Socket) else 0
    return dict(kind=KINDS.index(s.shape.kind), body=body, material=material, rim=rim, group=group,
                surface=surfaces.add(s.shape), size=_padded(s.shape.numbers(), 9), p=s.r, q=s.q)


class _Surfaces:
    """The sections of corners and faces: every surface once."""

    def __init__(self) -> None:
        self.records: list[bytes] = []
        self.vertices: list[bytes] = []
        self.counts: list[bytes] = []
        self.loops: list[bytes] = []
        self.sizes = [0, 0, 0]
        self.known: dict[Any, int] = {}

    def add(self, shape: Shape) -> int:
        """Number of the shape's surface, -1 if it has none of its own."""
        if not isinstance(shape, Polyhedron | Mesh):
            return -1
        if isinstance(shape, Polyhedron):
            shape = shape.core
        if shape not in self.known:
            vertices, loops, counts = shape.surface()
            sizes = len(vertices), len(counts), len(loops)
            (first_vertex, first_face, first_loop), (vertex_count, face_count, loop_count) = self.sizes, sizes
            self.records.append(_record("surface", first_vertex=first_vertex, vertex_count=vertex_count,
                                        first_face=first_face, face_count=face_count, first_loop=first_loop,
                                        loop_count=loop_count))
            self.vertices.append(np.ascontiguousarray(vertices, dtype="<f8").tobytes())
            self.counts.append(np.ascontiguousarray(counts, dtype="<i4").tobytes())
            self.loops.append(np.ascontiguousarray(loops, dtype="<i4").tobytes())
            self.sizes = [a + b for a, b in zip(self.sizes, sizes, strict=True)]
            self.known[shape] = len(self.known)
        return self.known[shape]


def _bits(rows: Iterable[int]) -> list[int]:
    """Rows of the pair table as bits of six words."""
    words = [0] * 6
    for row in rows:
        words[row >> 5] |= 1 << (row & 31)
    return words


def _check_shapes(bodies: Sequence[FlatBody]) -> None:
    """Raise ValueError for a shape that cannot be; equal shapes are checked once."""
    checked = set()
    for body in bodies:
        for shape in body.shapes:
            key = shape.shape, shape.density
            if key not in checked:
                checked.add(key)
                _check_shape_of(body.name, shape)


def _check_shape_of(body: str, shape: BodyShape) -> None:
    try:
        check_shape(shape.shape)
        if isinstance(shape.shape, Mesh):
            refuse_no_solid(shape.shape)
        shape.mass_properties()
    except ValueError as error:
        raise ValueError(f"shape '{shape.name}' of body '{body}': {error}") from None


def _check_coupling(spec: Spec, bodies: Sequence[FlatBody]) -> None:
    if any(body.motion == "external" and body.mass_properties() for body in bodies):
        return
    for key, unused in (("coupling", "none"), ("mass_tolerance", 1.0)):
        if (value := getattr(spec, key)) != unused:
            raise ValueError(f"scene.{key} = {value!r}: needs an external body with a mass; the scene has none")


def _container(sections: list[tuple[int, list[bytes]]]) -> bytes:
    offset = RECORDS["header"].itemsize + len(sections) * RECORDS["section"].itemsize
    table, parts = b"", []
    for tag, (size, records) in enumerate(sections):
        parts.append(b"".join(records))
        table += _record("section", tag=tag, record_size=size, count=len(parts[-1]) // size, offset=offset)
        offset += len(parts[-1])
    content = table + b"".join(parts)
    return header(len(sections), hashlib.sha256(content).digest() + content)


def header(sections: int, covered: bytes) -> bytes:
    """The file: the header, whose checksum covers its hash and all that follows it."""
    sha256 = np.frombuffer(covered[:32], dtype=np.uint8)
    magic = np.frombuffer(MAGIC, dtype=np.uint8)
    return _record("header", magic=magic, version=engine.MODEL_VERSION, sections=sections,
                   checksum=engine.checksum(covered), sha256=sha256) + covered[32:]


def _padded(values: Sequence[float], size: int) -> list[float]:
    return [*values, *(0.0 for _ in range(size - len(values)))]


def _body(body: FlatBody, properties: MassProperties | None, strings: _Strings) -> dict[str, Any]:
    if properties is None and body.motion == "free":
        raise ValueError(f"body '{body.name}' is free: it needs mass and inertia, or shapes with a density")
    if body.source.inertia is not None and (problem := impossible_inertia(np.array(body.source.inertia, dtype=float))):
        tables.fail(f"inertia of body '{body.name}'", body.source.inertia, problem)
    mass, com, inertia = (properties.mass, properties.com, properties.inertia) if properties else (
        0.0, np.zeros(3), np.zeros((3, 3)))
    inertia = (inertia + inertia.T) / 2
    return dict(name=strings.add(body.name), motion=MOTIONS.index(body.motion), mass=mass, com=com,
                inertia=inertia.T.ravel(), start=body.state)


def _law(law: Law, strings: _Strings, curves: list[bytes], outline: bool) -> bytes:
    tables_of = engine.law_tables()
    rows = {part: [row[0] for row in tables_of[part]].index(getattr(law, part)) for part in LAW_PARTS}
    numbers = [x for part, room in LAW_PARTS.items() for x in _padded(getattr(law, f"{part}_parameters"), room)]
    first = len(curves)
    curves += [_record("curve_point", depth=depth, force=force) for depth, force in law.curve]
    text, memory, reach = (0, 0), (0, 0), 0.0
    if law.python:
        text, rows["model"] = strings.add(law.python.reference()), PYTHON
        if not outline:
            made = law.python.make()
            memory, reach = (made.tangents, made.numbers), made.reach
    return _record("law", name=strings.add(law.name), curve_first=first, curve_count=len(law.curve),
                   tangents=memory[0], numbers=memory[1], user_laws=text, reach=reach, sharpness=law.sharpness,
                   parameters=numbers, **rows)


def _check_names(spec: Spec) -> None:
    tables.name("scene.name", spec.name)
    tables.choice(VOLUMES)("scene.volume", spec.volume)
    _unique("body", "", [body.name for body in spec.bodies])
    _unique("law", "", [law.name for law in spec.laws])
    _unique("element", "", [element.name for element in spec.elements])
    for body in spec.bodies:
        _check_node(body, f"body '{body.name}'", set())
    kinds = (("body", spec.bodies), ("law", spec.laws), ("element", spec.elements))
    owners: dict[str, str] = {}
    for kind, part in kinds:
        for name in sorted(x.name for x in part):
            if owners.setdefault(name, kind) != kind:
                a, b = (f"{'an' if x == 'element' else 'a'} {x}" for x in (owners[name], kind))
                raise ValueError(f"'{name}' names {a} and {b}: variables could not tell them apart")
    for name in sorted(owners.keys() & set(RESERVED)):
        raise ValueError(f"the name '{name}' is reserved, as are {', '.join(x for x in RESERVED if x != name)}")


def _unique(what: str, where: str, names: Sequence[str]) -> None:
    counts = Counter(names)
    for name in names:
        tables.name(f"{what}.name", name)
        if counts[name] > 1:
            raise ValueError(f"{what} '{name}'{where} is defined twice: names must be unique")


def _check_node(node: Body | Group, where: str, shapes: set[str]) -> None:
    """Names of shapes are unique within an object, those of groups within their parent."""
    if node.shapes and node.groups:
        raise ValueError(f"{where} has groups and shapes; put the shapes into a group of their own")
    _unique("group", f" of {where}", [group.name for group in node.groups])
    for shape in node.shapes:
        tables.name("shape.name", shape.name)
        if shape.name in shapes:
            raise ValueError(f"shape '{shape.name}' of {where} is defined twice: names must be unique")
        shapes.add(shape.name)
    for group in node.groups:
        tables.choice(VOLUMES)(f"volume of group '{group.name}' of {where}", group.volume)
        _check_node(group, f"group '{group.name}' of {where}", shapes)
        if group.volume != "auto" and _has_plane(group):
            raise ValueError(f"a plane is in group '{group.name}' of {where}: it fits in no {group.volume}, "
                             f"leave its volume \"auto\"")


def _has_plane(node: Group) -> bool:
    return any(shape.shape.kind == "plane" for shape in node.shapes) or any(
        _has_plane(group) for group in node.groups if not group.movable)
